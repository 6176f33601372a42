#include "spirv_rules.h"

#include <stddef.h>
#include <string.h>

#include "bundle.h"

enum { OP_LIMIT = 352, EXT_LIMIT = 96 };

static const struct spirv_op_rule ops[OP_LIMIT] = {
#define OP(number, name, rank, form, least, most) \
    [number] = {RANK_##rank, FORM_##form, least, most, #name},
#include "spirv_rules.def"
};

static const uint8_t exts[EXT_LIMIT] = {
#define EXT(number, name, form) [number] = FORM_##form,
#include "spirv_rules.def"
};

static const struct spirv_decoration_rule decorations[] = {
#define DECORATION(number, name, operands, targets) {number, operands, targets, #name},
#include "spirv_rules.def"
};

const struct spirv_op_rule *spirv_op_rule(uint32_t op)
{
    return op < OP_LIMIT && ops[op].rank ? &ops[op] : NULL;
}

enum spirv_form spirv_ext_form(uint32_t function)
{
    return function < EXT_LIMIT ? exts[function] : FORM_NONE;
}

int spirv_decoration_row(uint32_t number)
{
    for (int i = 0; i < DECORATION_COUNT; i++)
        if (decorations[i].number == number)
            return i;
    return -1;
}

const struct spirv_decoration_rule *spirv_decoration_rule(int row)
{
    return &decorations[row];
}

bool spirv_capability(uint32_t number, uint32_t *out_features)
{
    static const struct {
        uint32_t number, features;
    } rows[] = {
#define CAPABILITY(number, name, features) {number, features},
#include "spirv_rules.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number) {
            *out_features = rows[i].features;
            return true;
        }
    return false;
}

bool spirv_extension(const char *name)
{
    static const char *const rows[] = {
#define EXTENSION(text) text,
#include "spirv_rules.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i], name))
            return true;
    return false;
}

uint32_t spirv_mode_feature(uint32_t mode, uint32_t width)
{
    static const struct {
        uint32_t mode, width, feature;
    } rows[] = {
#define MODE(number, name, bits, feature) {number, bits, feature},
#include "spirv_rules.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].mode == mode && rows[i].width == width)
            return rows[i].feature;
    return 0;
}

uint32_t spirv_scalar_capability(bool is_float, uint32_t bits, uint32_t is_signed)
{
    enum { INT, FLOAT };
    static const struct {
        uint32_t kind, bits, is_signed, capability;
    } rows[] = {
#define SCALAR(kind, width, sign, capability) {kind, width, sign, capability},
#include "spirv_rules.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == (is_float ? FLOAT : INT) && rows[i].bits == bits &&
            rows[i].is_signed == is_signed)
            return rows[i].capability;
    return 0;
}

bool spirv_storage(uint32_t number)
{
    switch (number) {
/* clang-format off */
#define STORAGE(value, name) case value:
#include "spirv_rules.def"
        /* clang-format on */
        return true;
    default: return false;
    }
}

uint32_t spirv_built_in_target(uint32_t number)
{
    switch (number) {
/* clang-format off */
#define BUILT_IN(value, name, target) case value: return target;
#include "spirv_rules.def"
        /* clang-format on */
    default: return 0;
    }
}
