#include "import.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../runtime/bundle.h"
#include "import_bytes.h"
#include "ir_verify.h"

enum {
    MAX_JSON = 1 << 30,         /* bytes */
    MAX_DEPTH = 64,             /* of the JSON */
    MAX_PATH = 16,
    MAX_TEXT = 1 << 16,         /* bytes of one string; literals aside */
    MAX_LIST = 1 << 20,         /* entries of one list */
};

/* One step of a JSON path: a key, or an index when key is NULL. */
struct step {
    const char *key;
    uint32_t index;
};

struct reader {
    struct arena *a;
    struct graph *g;
    struct diag *d;
    const unsigned char *sidecar;
    size_t sidecar_size;
    struct step path[MAX_PATH];
    uint32_t depth;
    const char *loc;            /* of the node being read, or NULL */
};

/* ---- places and errors ---- */

static void enter_key(struct reader *r, const char *key)
{
    if (r->depth < MAX_PATH)
        r->path[r->depth] = (struct step){key, 0};
    r->depth++;
}

static void enter_index(struct reader *r, uint32_t index)
{
    if (r->depth < MAX_PATH)
        r->path[r->depth] = (struct step){NULL, index};
    r->depth++;
}

static void leave(struct reader *r)
{
    r->depth--;
}

static void put_where(struct reader *r)
{
    char text[sizeof r->d->where] = "$";
    size_t at = 1;
    for (uint32_t i = 0; i < r->depth && i < MAX_PATH && at < sizeof text; i++) {
        const struct step *s = &r->path[i];
        int n = s->key ? snprintf(text + at, sizeof text - at, ".%s", s->key)
                       : snprintf(text + at, sizeof text - at, "[%u]", s->index);
        at += n > 0 ? (size_t)n : 0;
    }
    diag_where(r->d, "%s", text);
}

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static bool fail(struct reader *r, enum diag_code code, const char *file, int line, const char *fmt, ...)
{
    char text[sizeof r->d->message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (r->d->code != DIAG_OK)
        return false;
    diag_fail(r->d, code, file, line, "%s", text);
    put_where(r);
    if (r->loc)
        snprintf(r->d->loc, sizeof r->d->loc, "%s", r->loc);
    return false;
}

#define BAD_JSON(r, ...) fail((r), DIAG_INPUT, __FILE__, __LINE__, __VA_ARGS__)
#define NO_MEMORY(r) fail((r), DIAG_MEMORY, __FILE__, __LINE__, "no memory left")

static const char *kind_name(json_type t)
{
    static const char *const names[] = {
        [json_type_null] = "null", [json_type_boolean] = "a boolean", [json_type_double] = "a number with a fraction",
        [json_type_int] = "an integer", [json_type_object] = "an object", [json_type_array] = "a list",
        [json_type_string] = "a string",
    };
    return names[t];
}

/* ---- single values ---- */

static bool expect(struct reader *r, json_object *j, json_type wanted)
{
    json_type found = json_object_get_type(j);
    return found == wanted || BAD_JSON(r, "needs %s, found %s", kind_name(wanted), kind_name(found));
}

static bool read_int(struct reader *r, json_object *j, int64_t lo, int64_t hi, int64_t *out)
{
    if (!expect(r, j, json_type_int))
        return false;
    *out = json_object_get_int64(j);
    if (*out == INT64_MAX && json_object_get_uint64(j) > (uint64_t)INT64_MAX)
        return BAD_JSON(r, "%llu does not fit a signed 64-bit integer", (unsigned long long)json_object_get_uint64(j));
    if (*out == INT64_MIN) /* json-c's answer for anything below it, too */
        return BAD_JSON(r, "the number does not fit a signed 64-bit integer");
    if (*out < lo || *out > hi)
        return BAD_JSON(r, "is %lld, must be from %lld to %lld", (long long)*out, (long long)lo, (long long)hi);
    return true;
}

static bool read_uint32(struct reader *r, json_object *j, uint32_t hi, uint32_t *out)
{
    int64_t i;
    if (!read_int(r, j, 0, hi, &i))
        return false;
    *out = (uint32_t)i;
    return true;
}

/* A string without NUL, as json-c holds it. */
static bool read_raw_text(struct reader *r, json_object *j, const char **out, size_t *out_len)
{
    if (!expect(r, j, json_type_string))
        return false;
    *out = json_object_get_string(j);
    *out_len = (size_t)json_object_get_string_len(j);
    return memchr(*out, '\0', *out_len) == NULL || BAD_JSON(r, "the string has a NUL character");
}

/* A copy of a string in the arena. */
static bool read_text(struct reader *r, json_object *j, const char **out)
{
    const char *text;
    size_t len;
    if (!read_raw_text(r, j, &text, &len))
        return false;
    if (len > MAX_TEXT)
        return BAD_JSON(r, "the string has %zu bytes, the most is %d", len, MAX_TEXT);
    *out = arena_strdup(r->a, text);
    return *out != NULL || NO_MEMORY(r);
}

static bool read_list_size(struct reader *r, json_object *j, uint32_t most, uint32_t *out)
{
    if (!expect(r, j, json_type_array))
        return false;
    size_t n = json_object_array_length(j);
    if (n > most)
        return BAD_JSON(r, "has %zu entries, the most is %u", n, most);
    *out = (uint32_t)n;
    return true;
}

/* ---- objects ---- */

/* Every key of the object is one of the names, which end in NULL. */
static bool check_keys(struct reader *r, json_object *j, const char *const *names)
{
    if (!expect(r, j, json_type_object))
        return false;
    json_object_object_foreach(j, key, value)
    {
        (void)value;
        const char *const *name = names;
        while (*name && strcmp(*name, key) != 0)
            name++;
        if (!*name)
            return BAD_JSON(r, "unknown key \"%.64s\"", key);
    }
    return true;
}

/* The member, with its key entered in the path; the caller leaves. */
static bool member(struct reader *r, json_object *j, const char *key, json_object **out)
{
    if (!json_object_object_get_ex(j, key, out))
        return BAD_JSON(r, "has no \"%s\"", key);
    enter_key(r, key);
    return true;
}

static bool optional_member(struct reader *r, json_object *j, const char *key, json_object **out)
{
    if (!json_object_object_get_ex(j, key, out))
        return false;
    enter_key(r, key);
    return true;
}

static bool member_uint32(struct reader *r, json_object *j, const char *key, uint32_t hi, uint32_t *out)
{
    json_object *m;
    if (!member(r, j, key, &m) || !read_uint32(r, m, hi, out))
        return false;
    leave(r);
    return true;
}

/* ---- tensors ---- */

static bool read_tensor(struct reader *r, json_object *j, struct tensor *out)
{
    json_object *m;
    const char *name;
    size_t len;
    if (!member(r, j, "type", &m) || !read_raw_text(r, m, &name, &len))
        return false;
    out->type = type_parse(name);
    if (out->type == TYPE_NONE)
        return BAD_JSON(r, "\"%.32s\" is not a type of Nx", name);
    leave(r);
    if (!member(r, j, "shape", &m) || !read_list_size(r, m, VKC_MAX_RANK, &out->shape.rank))
        return false;
    for (uint32_t i = 0; i < out->shape.rank; i++) {
        enter_index(r, i);
        if (!read_int(r, json_object_array_get_idx(m, i), 1, VERIFY_MAX_BYTES, &out->shape.dim[i]))
            return false;
        leave(r);
    }
    leave(r);
    int64_t bytes = type_bytes(out->type);
    for (uint32_t i = 0; i < out->shape.rank; i++) {
        if (bytes > (VERIFY_MAX_BYTES - 1) / out->shape.dim[i])
            return BAD_JSON(r, "the tensor is too large: 2^40 bytes or more");
        bytes *= out->shape.dim[i];
    }
    return true;
}

/* ---- literals ---- */

static bool read_digest(struct reader *r, json_object *j, unsigned char out[32])
{
    json_object *m;
    const char *hex;
    size_t len;
    if (!member(r, j, "sha256", &m) || !read_raw_text(r, m, &hex, &len))
        return false;
    if (len != 64 || !hex_decode(hex, len, out))
        return BAD_JSON(r, "needs 64 hexadecimal digits, found \"%.80s\"", hex);
    leave(r);
    return true;
}

static bool read_base64(struct reader *r, json_object *m, struct literal *l)
{
    const char *text;
    size_t len, wanted = tensor_bytes(&l->tensor), size;
    if (!read_raw_text(r, m, &text, &len))
        return false;
    if (!base64_size(text, len, &size))
        return BAD_JSON(r, "%zu characters are not base64, which has a multiple of 4", len);
    if (size != wanted)
        return BAD_JSON(r, "holds %zu bytes, the literal has %zu", size, wanted);
    unsigned char *data = arena_alloc(r->a, size, 1);
    if (!data)
        return NO_MEMORY(r);
    if (!base64_decode(text, len, data))
        return BAD_JSON(r, "is not strict base64: a character out of the alphabet, padding inside, or bits after the end");
    l->data = data;
    return true;
}

static bool read_sidecar(struct reader *r, json_object *j, struct literal *l)
{
    json_object *m;
    int64_t offset, bytes, wanted = (int64_t)tensor_bytes(&l->tensor);
    if (!member(r, j, "bytes", &m) || !read_int(r, m, 0, VERIFY_MAX_BYTES, &bytes))
        return false;
    if (bytes != wanted)
        return BAD_JSON(r, "is %lld, the literal has %lld", (long long)bytes, (long long)wanted);
    leave(r);
    if (!member(r, j, "offset", &m) || !read_int(r, m, 0, INT64_MAX, &offset))
        return false;
    if (!r->sidecar)
        return BAD_JSON(r, "the literal is in a sidecar file, and none was given");
    if ((uint64_t)offset > r->sidecar_size || (uint64_t)bytes > r->sidecar_size - (uint64_t)offset)
        return BAD_JSON(r, "%lld bytes at %lld are beyond the sidecar file of %zu", (long long)bytes, (long long)offset,
                        r->sidecar_size);
    l->data = arena_copy(r->a, r->sidecar + offset, (size_t)bytes);
    leave(r);
    return l->data != NULL || NO_MEMORY(r);
}

static bool read_literal(struct reader *r, json_object *j, struct literal *l)
{
    static const char *const inside[] = {"type", "shape", "sha256", "base64", NULL};
    static const char *const aside[] = {"type", "shape", "sha256", "offset", "bytes", NULL};
    json_object *m;
    unsigned char found[32];
    if (!expect(r, j, json_type_object))
        return false;
    bool is_inside = json_object_object_get_ex(j, "base64", NULL);
    if (!check_keys(r, j, is_inside ? inside : aside) || !read_tensor(r, j, &l->tensor) || !read_digest(r, j, l->sha256))
        return false;
    l->bytes = tensor_bytes(&l->tensor);
    if (is_inside) {
        if (!member(r, j, "base64", &m) || !read_base64(r, m, l))
            return false;
        leave(r);
    } else if (!read_sidecar(r, j, l)) {
        return false;
    }
    vkb_sha256(l->data, l->bytes, found);
    if (memcmp(found, l->sha256, sizeof found) != 0)
        return BAD_JSON(r, "the bytes do not have the digest that sha256 gives");
    return true;
}

static bool read_literals(struct reader *r, json_object *j)
{
    if (!read_list_size(r, j, MAX_LIST, &r->g->nliterals))
        return false;
    r->g->literals = ARENA_ARRAY(r->a, struct literal, r->g->nliterals);
    if (!r->g->literals)
        return NO_MEMORY(r);
    for (uint32_t i = 0; i < r->g->nliterals; i++) {
        enter_index(r, i);
        if (!read_literal(r, json_object_array_get_idx(j, i), &r->g->literals[i]))
            return false;
        leave(r);
    }
    return true;
}

/* ---- attributes ---- */

static bool read_int_list(struct reader *r, json_object *j, const int64_t **out, uint32_t *out_count)
{
    if (!read_list_size(r, j, VKC_MAX_RANK, out_count))
        return false;
    int64_t *list = ARENA_ARRAY(r->a, int64_t, *out_count);
    if (!list)
        return NO_MEMORY(r);
    for (uint32_t i = 0; i < *out_count; i++) {
        enter_index(r, i);
        if (!read_int(r, json_object_array_get_idx(j, i), INT64_MIN, INT64_MAX, &list[i]))
            return false;
        leave(r);
    }
    *out = list;
    return true;
}

/* Two hexadecimal digits for each byte of the type, the most significant byte first. */
static bool read_bits(struct reader *r, json_object *j, enum vkc_type type, uint64_t out[2])
{
    const char *hex;
    size_t len;
    unsigned char bytes[16];
    if (!read_raw_text(r, j, &hex, &len))
        return false;
    if (len != 2 * (size_t)type_bytes(type) || !hex_decode(hex, len, bytes))
        return BAD_JSON(r, "needs %u hexadecimal digits for %s, found \"%.40s\"", 2 * type_bytes(type), type_name(type), hex);
    out[0] = out[1] = 0;
    for (size_t i = 0; i < len / 2; i++) {
        size_t place = len / 2 - 1 - i;
        out[place / 8] |= (uint64_t)bytes[i] << place % 8 * 8;
    }
    return true;
}

static bool read_attr(struct reader *r, json_object *j, char kind, enum vkc_type type, struct attr *out)
{
    out->kind = kind;
    switch (kind) {
    case 'i': return read_int(r, j, INT64_MIN, INT64_MAX, &out->i);
    case 'I': return read_int_list(r, j, &out->list, &out->count);
    case 's': return read_text(r, j, &out->text);
    case 'x': return read_bits(r, j, type, out->bits);
    default:
        if (!expect(r, j, json_type_boolean))
            return false;
        out->i = json_object_get_boolean(j) ? 1 : 0;
        return true;
    }
}

/* Walks the row's attributes: those that the object has become n's, in the row's order. */
static bool read_attrs(struct reader *r, json_object *j, struct node *n)
{
    uint32_t found = 0;
    for (const char *p = vkc_ops[n->op].attrs; p && *p;) {
        size_t len = strcspn(p, ":");
        enum attr_key key = attr_key_parse(p, len);
        char kind = p[len + 1];
        bool optional = p[len + 2] == '?';
        p += len + 2 + optional;
        p += *p == ' ';
        json_object *m;
        if (!j || !json_object_object_get_ex(j, attr_key_name(key), &m)) {
            if (optional)
                continue;
            return BAD_JSON(r, "%s needs the attribute \"%s\"", op_name(n->op), attr_key_name(key));
        }
        enter_key(r, attr_key_name(key));
        n->attrs[found].key = key;
        if (!read_attr(r, m, kind, n->nouts ? n->outs[0].type : TYPE_U8, &n->attrs[found]))
            return false;
        leave(r);
        found++;
    }
    n->nattrs = found;
    if (!j || (size_t)json_object_object_length(j) == found)
        return true;
    json_object_object_foreach(j, key, value)
    {
        (void)value;
        enum attr_key known = attr_key_parse(key, strlen(key));
        if (known == ATTR_NONE || !node_attr(n, known))
            return BAD_JSON(r, "%s has no attribute \"%.64s\"", op_name(n->op), key);
    }
    return true;
}

static uint32_t count_attrs(const char *row)
{
    uint32_t n = 0;
    for (; row && *row; row++)
        n += *row == ':';
    return n;
}

/* ---- nodes ---- */

static bool read_value(struct reader *r, json_object *j, struct value *out)
{
    uint32_t n;
    if (!read_list_size(r, j, 2, &n))
        return false;
    if (n != 2)
        return BAD_JSON(r, "a reference is [node, output], found %u entries", n);
    enter_index(r, 0);
    if (!read_uint32(r, json_object_array_get_idx(j, 0), VKC_MAX_NODES, &out->node))
        return false;
    leave(r);
    enter_index(r, 1);
    if (!read_uint32(r, json_object_array_get_idx(j, 1), MAX_LIST, &out->out))
        return false;
    leave(r);
    return true;
}

static bool read_values(struct reader *r, json_object *j, struct value *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        enter_index(r, i);
        if (!read_value(r, json_object_array_get_idx(j, i), &out[i]))
            return false;
        leave(r);
    }
    return true;
}

static bool read_outs(struct reader *r, json_object *j, struct node *n)
{
    static const char *const names[] = {"type", "shape", NULL};
    for (uint32_t i = 0; i < n->nouts; i++) {
        json_object *out = json_object_array_get_idx(j, i);
        enter_index(r, i);
        if (!check_keys(r, out, names) || !read_tensor(r, out, &n->outs[i]))
            return false;
        leave(r);
    }
    return true;
}

static bool read_regions(struct reader *r, json_object *j, struct node *n)
{
    for (uint32_t i = 0; i < n->nregions; i++) {
        enter_index(r, i);
        if (!read_uint32(r, json_object_array_get_idx(j, i), VKC_MAX_FUNCS, &n->regions[i]))
            return false;
        leave(r);
    }
    return true;
}

static bool read_op(struct reader *r, json_object *j, enum op *out)
{
    json_object *m;
    const char *name;
    size_t len;
    if (!member(r, j, "op", &m) || !read_raw_text(r, m, &name, &len))
        return false;
    *out = op_parse(name);
    if (*out == OP_NONE)
        return fail(r, DIAG_UNSUPPORTED, __FILE__, __LINE__, "there is no op \"%.64s\"; --list-ops names them", name);
    leave(r);
    return true;
}

static bool read_loc(struct reader *r, json_object *j)
{
    json_object *m;
    r->loc = NULL;
    if (!optional_member(r, j, "loc", &m))
        return true;
    const char *loc;
    if (!read_text(r, m, &loc))
        return false;
    r->loc = loc;
    leave(r);
    return true;
}

/* A list member's length without descending into it; 0 when it may be missing and is. */
static bool list_member(struct reader *r, json_object *j, const char *key, bool required, json_object **out, uint32_t *out_n)
{
    *out_n = 0;
    *out = NULL;
    if (!required && !json_object_object_get_ex(j, key, NULL))
        return true;
    if (!member(r, j, key, out) || !read_list_size(r, *out, MAX_LIST, out_n))
        return false;
    leave(r);
    return true;
}

static bool read_node(struct reader *r, json_object *j, struct func *f)
{
    static const char *const names[] = {"id", "op", "ins", "outs", "attrs", "regions", "loc", NULL};
    json_object *ins, *outs, *regions, *attrs = NULL;
    uint32_t id, nins, nouts, nregions;
    enum op op;
    if (!check_keys(r, j, names) || !read_loc(r, j) || !member_uint32(r, j, "id", UINT32_MAX, &id))
        return false;
    if (id != f->nnodes)
        return BAD_JSON(r, "id is %u at position %u", id, f->nnodes);
    if (!read_op(r, j, &op) || !list_member(r, j, "ins", true, &ins, &nins) || !list_member(r, j, "outs", true, &outs, &nouts) ||
        !list_member(r, j, "regions", false, &regions, &nregions))
        return false;
    struct node *n = func_append(r->g, f, op, id, nins, nouts, count_attrs(vkc_ops[op].attrs), nregions);
    if (!n)
        return NO_MEMORY(r);
    n->loc = r->loc;
    enter_key(r, "ins");
    if (!read_values(r, ins, n->ins, nins))
        return false;
    leave(r);
    enter_key(r, "outs");
    if (!read_outs(r, outs, n))
        return false;
    leave(r);
    enter_key(r, "regions");
    if (!read_regions(r, regions, n))
        return false;
    leave(r);
    if (optional_member(r, j, "attrs", &attrs)) {
        if (!expect(r, attrs, json_type_object) || !read_attrs(r, attrs, n))
            return false;
        leave(r);
        return true;
    }
    return read_attrs(r, NULL, n);
}

/* ---- functions ---- */

static bool read_params(struct reader *r, json_object *j, struct func *f)
{
    static const char *const names[] = {"type", "shape", "name", NULL};
    f->params = ARENA_ARRAY(r->a, struct tensor, f->nparams);
    f->param_names = ARENA_ARRAY(r->a, const char *, f->nparams);
    if (!f->params || !f->param_names)
        return NO_MEMORY(r);
    for (uint32_t i = 0; i < f->nparams; i++) {
        json_object *p = json_object_array_get_idx(j, i), *name;
        enter_index(r, i);
        if (!check_keys(r, p, names) || !read_tensor(r, p, &f->params[i]))
            return false;
        if (optional_member(r, p, "name", &name)) {
            if (!read_text(r, name, &f->param_names[i]))
                return false;
            leave(r);
        }
        leave(r);
    }
    return true;
}

static bool read_func(struct reader *r, json_object *j, struct func *f, uint32_t *nodes_left)
{
    static const char *const names[] = {"params", "nodes", "results", NULL};
    json_object *params, *nodes, *results;
    uint32_t nnodes;
    if (!check_keys(r, j, names) || !list_member(r, j, "params", true, &params, &f->nparams) ||
        !list_member(r, j, "nodes", true, &nodes, &nnodes) || !list_member(r, j, "results", true, &results, &f->nresults))
        return false;
    if (nnodes > *nodes_left)
        return BAD_JSON(r, "the graph has more than %d nodes", VKC_MAX_NODES);
    *nodes_left -= nnodes;
    enter_key(r, "params");
    if (!read_params(r, params, f))
        return false;
    leave(r);
    enter_key(r, "nodes");
    for (uint32_t i = 0; i < nnodes; i++) {
        enter_index(r, i);
        if (!read_node(r, json_object_array_get_idx(nodes, i), f))
            return false;
        leave(r);
    }
    r->loc = NULL;
    leave(r);
    f->results = ARENA_ARRAY(r->a, struct value, f->nresults);
    if (!f->results)
        return NO_MEMORY(r);
    enter_key(r, "results");
    if (!read_values(r, results, f->results, f->nresults))
        return false;
    leave(r);
    return true;
}

static bool read_funcs(struct reader *r, json_object *j)
{
    uint32_t n, nodes_left = VKC_MAX_NODES;
    if (!read_list_size(r, j, VKC_MAX_FUNCS, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (graph_add_func(r->g) == UINT32_MAX)
            return NO_MEMORY(r);
    for (uint32_t i = 0; i < n; i++) {
        enter_index(r, i);
        if (!read_func(r, json_object_array_get_idx(j, i), &r->g->funcs[i], &nodes_left))
            return false;
        leave(r);
    }
    return true;
}

/* ---- the whole ---- */

static bool read_donations(struct reader *r, json_object *j)
{
    static const char *const names[] = {"input", "output", NULL};
    if (!read_list_size(r, j, VKC_MAX_FUNCS, &r->g->ndonations))
        return false;
    r->g->donations = ARENA_ARRAY(r->a, struct donation, r->g->ndonations);
    if (!r->g->donations)
        return NO_MEMORY(r);
    for (uint32_t i = 0; i < r->g->ndonations; i++) {
        json_object *d = json_object_array_get_idx(j, i);
        enter_index(r, i);
        if (!check_keys(r, d, names) || !member_uint32(r, d, "input", UINT32_MAX, &r->g->donations[i].input) ||
            !member_uint32(r, d, "output", UINT32_MAX, &r->g->donations[i].output))
            return false;
        leave(r);
    }
    return true;
}

/* Text for people: only that it is text matters here. */
static bool read_notes(struct reader *r, json_object *j)
{
    static const char *const keys[] = {"nx", "producer", "name", NULL};
    json_object *m;
    r->g->name = "";
    for (const char *const *key = keys; *key; key++) {
        const char *text;
        if (!optional_member(r, j, *key, &m))
            continue;
        if (!read_text(r, m, &text))
            return false;
        if (strcmp(*key, "name") == 0)
            r->g->name = text;
        leave(r);
    }
    return true;
}

static bool read_graph(struct reader *r, json_object *j)
{
    static const char *const names[] = {"schema", "nx", "producer", "name", "entry", "funcs", "literals", "donations",
                                        "callbacks", NULL};
    json_object *m;
    const char *schema;
    size_t len;
    if (!check_keys(r, j, names) || !member(r, j, "schema", &m) || !read_raw_text(r, m, &schema, &len))
        return false;
    if (strcmp(schema, "nx.vulkan.graph/1") != 0)
        return BAD_JSON(r, "needs \"nx.vulkan.graph/1\", found \"%.64s\"", schema);
    leave(r);
    if (!read_notes(r, j) || !member_uint32(r, j, "entry", VKC_MAX_FUNCS, &r->g->entry))
        return false;
    if (json_object_object_get_ex(j, "callbacks", NULL) && !member_uint32(r, j, "callbacks", MAX_LIST, &r->g->ncallbacks))
        return false;
    if (optional_member(r, j, "literals", &m)) {
        if (!read_literals(r, m))
            return false;
        leave(r);
    }
    if (!member(r, j, "funcs", &m) || !read_funcs(r, m))
        return false;
    leave(r);
    if (optional_member(r, j, "donations", &m)) {
        if (!read_donations(r, m))
            return false;
        leave(r);
    }
    return true;
}

/* The JSON as a tree, to be released by the caller; NULL with a diagnostic. */
static json_object *parse(struct reader *r, const char *json, size_t size)
{
    if (size > MAX_JSON) {
        BAD_JSON(r, "the graph has %zu bytes of JSON, the most is %d", size, MAX_JSON);
        return NULL;
    }
    struct json_tokener *tok = json_tokener_new_ex(MAX_DEPTH);
    if (!tok) {
        NO_MEMORY(r);
        return NULL;
    }
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8 | JSON_TOKENER_ALLOW_TRAILING_CHARS);
    json_object *j = json_tokener_parse_ex(tok, json, (int)size);
    enum json_tokener_error error = json_tokener_get_error(tok);
    size_t end = json_tokener_get_parse_end(tok), rest = end;
    while (rest < size && memchr(" \t\r\n", json[rest], 4))
        rest++;
    json_tokener_free(tok);
    if (error != json_tokener_success) {
        const char *what = error == json_tokener_continue ? "the text ends too early" : json_tokener_error_desc(error);
        BAD_JSON(r, "not JSON: %s at byte %zu", what, end);
    } else if (rest < size) {
        BAD_JSON(r, "not JSON: text after the end, at byte %zu", end);
    } else if (!j) {
        BAD_JSON(r, "needs an object, found null");
    } else {
        return j;
    }
    json_object_put(j);
    return NULL;
}

bool import_json(struct arena *a, const void *json, size_t size, const void *sidecar, size_t sidecar_size,
                 struct graph *out, struct diag *d)
{
    *out = (struct graph){.arena = a, .name = ""};
    struct reader r = {.a = a, .g = out, .d = d, .sidecar = sidecar, .sidecar_size = sidecar_size};
    if (d->code != DIAG_OK)
        return false;
    json_object *j = parse(&r, json, size);
    bool ok = j && read_graph(&r, j) && ir_verify(out, d);
    json_object_put(j);
    return ok;
}
