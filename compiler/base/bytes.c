#include "base/bytes.h"

bool base64_size(const char *text, size_t len, size_t *out)
{
    if (len % 4 != 0)
        return false;
    *out = len / 4 * 3;
    if (len > 0 && text[len - 1] == '=')
        *out -= text[len - 2] == '=' ? 2 : 1;
    return true;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(const char *text, size_t len, unsigned char *out)
{
    size_t left;
    if (!base64_size(text, len, &left))
        return false;
    for (size_t i = 0; i < len; i += 4) {
        size_t bytes = left < 3 ? left : 3;
        unsigned group = 0;
        for (size_t k = 0; k < 4; k++) {
            int digit = k <= bytes ? base64_digit(text[i + k]) : text[i + k] == '=' ? 0 : -1;
            if (digit < 0)
                return false;
            group = group << 6 | (unsigned)digit;
        }
        for (size_t k = 0; k < bytes; k++)
            *out++ = (unsigned char)(group >> (16 - 8 * k));
        if (bytes < 3 && (group << (8 * bytes) & 0xffffff) != 0)
            return false;
        left -= bytes;
    }
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool hex_decode(const char *text, size_t len, unsigned char *out)
{
    for (size_t i = 0; i + 1 < len; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i / 2] = (unsigned char)(high << 4 | low);
    }
    return len % 2 == 0;
}
