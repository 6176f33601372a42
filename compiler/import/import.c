#include "import/import.h"

#include <string.h>

#include "runtime/bundle.h"
#include "base/cancel.h"
#include "base/bytes.h"
#include "import/import_json.h"
#include "ir/ir_verify.h"

enum { MAX_LIST = 1 << 20 }; /* entries of one list */

/* What is read into what. */
struct importer {
    struct reader r;
    struct graph *g;
    const unsigned char *sidecar;
    size_t sidecar_size;
};

/* ---- tensors ---- */

static bool read_tensor(struct reader *r, const struct json *j, struct tensor *out)
{
    const struct json *m;
    const char *name;
    size_t len;
    if (!reader_member(r, j, "type", &m) || !reader_raw_text(r, m, &name, &len))
        return false;
    out->type = type_parse(name);
    if (out->type == TYPE_NONE)
        return BAD_JSON(r, "\"%.32s\" is not a type of Nx", name);
    reader_leave(r);
    if (!reader_member(r, j, "shape", &m) ||
        !reader_list_size(r, m, VKC_MAX_RANK, &out->shape.rank))
        return false;
    for (uint32_t i = 0; i < out->shape.rank; i++) {
        reader_enter_index(r, i);
        if (!reader_int(r, &m->items[i], 1, VERIFY_MAX_BYTES, &out->shape.dim[i]))
            return false;
        reader_leave(r);
    }
    reader_leave(r);
    int64_t bytes = type_bytes(out->type);
    for (uint32_t i = 0; i < out->shape.rank; i++) {
        if (bytes > (VERIFY_MAX_BYTES - 1) / out->shape.dim[i])
            return BAD_JSON(r, "the tensor is too large: 2^40 bytes or more");
        bytes *= out->shape.dim[i];
    }
    return true;
}

/* ---- literals ---- */

static bool read_digest(struct reader *r, const struct json *j, unsigned char out[32])
{
    const struct json *m;
    const char *hex;
    size_t len;
    if (!reader_member(r, j, "sha256", &m) || !reader_raw_text(r, m, &hex, &len))
        return false;
    if (len != 64 || !hex_decode(hex, len, out))
        return BAD_JSON(r, "needs 64 hexadecimal digits, found \"%.80s\"", hex);
    reader_leave(r);
    return true;
}

static bool read_base64(struct reader *r, const struct json *m, struct literal *l)
{
    const char *text;
    size_t len, wanted = tensor_bytes(&l->tensor), size;
    if (!reader_raw_text(r, m, &text, &len))
        return false;
    if (!base64_size(text, len, &size))
        return BAD_JSON(r, "%zu characters are not base64, which has a multiple of 4", len);
    if (size != wanted)
        return BAD_JSON(r, "holds %zu bytes, the literal has %zu", size, wanted);
    unsigned char *data = arena_alloc(r->a, size, 1);
    if (!data)
        return NO_MEMORY(r);
    if (!base64_decode(text, len, data))
        return BAD_JSON(
            r,
            "is not strict base64: a character outside the alphabet, padding in the middle, or bits after the end");
    l->data = data;
    return true;
}

static bool read_sidecar(struct importer *im, const struct json *j, struct literal *l)
{
    struct reader *r = &im->r;
    const struct json *m;
    int64_t offset, bytes, wanted = (int64_t)tensor_bytes(&l->tensor);
    if (!reader_member(r, j, "bytes", &m) || !reader_int(r, m, 0, VERIFY_MAX_BYTES, &bytes))
        return false;
    if (bytes != wanted)
        return BAD_JSON(r, "is %lld, the literal has %lld", (long long)bytes, (long long)wanted);
    reader_leave(r);
    if (!reader_member(r, j, "offset", &m) || !reader_int(r, m, 0, INT64_MAX, &offset))
        return false;
    if (!im->sidecar)
        return BAD_JSON(r, "the literal is in a sidecar file, and none was given");
    if ((uint64_t)offset > im->sidecar_size ||
        (uint64_t)bytes > im->sidecar_size - (uint64_t)offset)
        return BAD_JSON(r, "%lld bytes at %lld are beyond the sidecar file of %zu",
                        (long long)bytes, (long long)offset, im->sidecar_size);
    l->data = arena_copy(r->a, im->sidecar + offset, (size_t)bytes);
    reader_leave(r);
    return l->data != NULL || NO_MEMORY(r);
}

static bool read_literal(struct importer *im, const struct json *j, struct literal *l)
{
    struct reader *r = &im->r;
    static const char *const inside[] = {"type", "shape", "sha256", "base64", NULL};
    static const char *const aside[] = {"type", "shape", "sha256", "offset", "bytes", NULL};
    const struct json *m;
    unsigned char found[32];
    if (!reader_expect(r, j, JSON_OBJECT))
        return false;
    bool is_inside = json_get(j, "base64") != NULL;
    if (!reader_keys(r, j, is_inside ? inside : aside) || !read_tensor(r, j, &l->tensor) ||
        !read_digest(r, j, l->sha256))
        return false;
    l->bytes = tensor_bytes(&l->tensor);
    if (is_inside) {
        if (!reader_member(r, j, "base64", &m) || !read_base64(r, m, l))
            return false;
        reader_leave(r);
    } else if (!read_sidecar(im, j, l)) {
        return false;
    }
    vkb_sha256(l->data, l->bytes, found);
    if (memcmp(found, l->sha256, sizeof found) != 0)
        return BAD_JSON(r, "the bytes do not match the digest in sha256");
    return true;
}

static bool read_literals(struct importer *im, const struct json *j)
{
    struct reader *r = &im->r;
    if (!reader_list_size(r, j, MAX_LIST, &im->g->nliterals))
        return false;
    im->g->literals = ARENA_ARRAY(r->a, struct literal, im->g->nliterals);
    if (!im->g->literals)
        return NO_MEMORY(r);
    for (uint32_t i = 0; i < im->g->nliterals; i++) {
        reader_enter_index(r, i);
        if (!read_literal(im, &j->items[i], &im->g->literals[i]))
            return false;
        reader_leave(r);
    }
    return true;
}

/* ---- attributes ---- */

static bool read_int_list(struct reader *r, const struct json *j, const int64_t **out,
                          uint32_t *out_count)
{
    if (!reader_list_size(r, j, VKC_MAX_RANK, out_count))
        return false;
    int64_t *list = ARENA_ARRAY(r->a, int64_t, *out_count);
    if (!list)
        return NO_MEMORY(r);
    for (uint32_t i = 0; i < *out_count; i++) {
        reader_enter_index(r, i);
        if (!reader_int(r, &j->items[i], INT64_MIN, INT64_MAX, &list[i]))
            return false;
        reader_leave(r);
    }
    *out = list;
    return true;
}

/* Two hexadecimal digits for each byte of the type, the most significant byte first. */
static bool read_bits(struct reader *r, const struct json *j, enum vkc_type type, uint64_t out[2])
{
    const char *hex;
    size_t len;
    unsigned char bytes[16];
    if (!reader_raw_text(r, j, &hex, &len))
        return false;
    if (len != 2 * (size_t)type_bytes(type) || !hex_decode(hex, len, bytes))
        return BAD_JSON(r, "needs %u hexadecimal digits for %s, found \"%.40s\"",
                        2 * type_bytes(type), type_name(type), hex);
    out[0] = out[1] = 0;
    for (size_t i = 0; i < len / 2; i++) {
        size_t place = len / 2 - 1 - i;
        out[place / 8] |= (uint64_t)bytes[i] << place % 8 * 8;
    }
    return true;
}

static bool read_attr(struct reader *r, const struct json *j, char kind, enum vkc_type type,
                      struct attr *out)
{
    out->kind = kind;
    switch (kind) {
    case 'i': return reader_int(r, j, INT64_MIN, INT64_MAX, &out->i);
    case 'I': return read_int_list(r, j, &out->list, &out->count);
    case 's': return reader_text(r, j, &out->text);
    case 'x': return read_bits(r, j, type, out->bits);
    default:
        if (!reader_expect(r, j, JSON_BOOLEAN))
            return false;
        out->i = j->boolean;
        return true;
    }
}

/* Walks the row's attributes: those that the object has become n's, in the row's order. */
static bool read_attrs(struct reader *r, const struct json *j, struct node *n)
{
    uint32_t found = 0;
    struct attr_spec spec;
    for (const char *p = vkc_ops[n->op].attrs; attr_spec_next(&p, &spec);) {
        const struct json *m = json_get(j, attr_key_name(spec.key));
        if (!m) {
            if (spec.optional)
                continue;
            return BAD_JSON(r, "%s needs the attribute \"%s\"", op_name(n->op),
                            attr_key_name(spec.key));
        }
        reader_enter_key(r, attr_key_name(spec.key));
        n->attrs[found].key = spec.key;
        if (!read_attr(r, m, spec.kind, n->nouts ? n->outs[0].type : TYPE_U8, &n->attrs[found]))
            return false;
        reader_leave(r);
        found++;
    }
    n->nattrs = found;
    for (uint32_t i = 0; j && i < j->count; i++) {
        const char *key = j->members[i].key;
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

static bool read_value(struct reader *r, const struct json *j, struct value *out)
{
    uint32_t n;
    if (!reader_list_size(r, j, 2, &n))
        return false;
    if (n != 2)
        return BAD_JSON(r, "a reference is [node, output], found %u entries", n);
    reader_enter_index(r, 0);
    if (!reader_uint32(r, &j->items[0], VKC_MAX_NODES, &out->node))
        return false;
    reader_leave(r);
    reader_enter_index(r, 1);
    if (!reader_uint32(r, &j->items[1], MAX_LIST, &out->out))
        return false;
    reader_leave(r);
    return true;
}

static bool read_values(struct reader *r, const struct json *j, struct value *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        reader_enter_index(r, i);
        if (!read_value(r, &j->items[i], &out[i]))
            return false;
        reader_leave(r);
    }
    return true;
}

static bool read_outs(struct reader *r, const struct json *j, struct node *n)
{
    static const char *const names[] = {"type", "shape", NULL};
    for (uint32_t i = 0; i < n->nouts; i++) {
        const struct json *out = &j->items[i];
        reader_enter_index(r, i);
        if (!reader_keys(r, out, names) || !read_tensor(r, out, &n->outs[i]))
            return false;
        reader_leave(r);
    }
    return true;
}

static bool read_regions(struct reader *r, const struct json *j, struct node *n)
{
    for (uint32_t i = 0; i < n->nregions; i++) {
        reader_enter_index(r, i);
        if (!reader_uint32(r, &j->items[i], VKC_MAX_FUNCS, &n->regions[i]))
            return false;
        reader_leave(r);
    }
    return true;
}

static bool read_op(struct reader *r, const struct json *j, enum op *out)
{
    const struct json *m;
    const char *name;
    size_t len;
    if (!reader_member(r, j, "op", &m) || !reader_raw_text(r, m, &name, &len))
        return false;
    *out = op_parse(name);
    if (*out == OP_NONE || op_is_made(*out))
        return reader_fail(r, DIAG_UNSUPPORTED, __FILE__, __LINE__,
                           "there is no op \"%.64s\"; --list-ops names them", name);
    reader_leave(r);
    return true;
}

static bool read_loc(struct reader *r, const struct json *j)
{
    const struct json *m;
    r->loc = NULL;
    if (!reader_optional(r, j, "loc", &m))
        return true;
    const char *loc;
    if (!reader_text(r, m, &loc))
        return false;
    r->loc = str_comment(r->a, loc); /* it stands in generated shaders */
    reader_leave(r);
    return true;
}

/* A list member's length without descending into it; 0 when it may be missing and is. */
static bool list_member(struct reader *r, const struct json *j, const char *key, bool required,
                        const struct json **out, uint32_t *out_n)
{
    *out_n = 0;
    *out = NULL;
    if (!required && !json_get(j, key))
        return true;
    if (!reader_member(r, j, key, out) || !reader_list_size(r, *out, MAX_LIST, out_n))
        return false;
    reader_leave(r);
    return true;
}

static bool read_node(struct importer *im, const struct json *j, struct func *f)
{
    struct reader *r = &im->r;
    static const char *const names[] = {"id", "op", "ins", "outs", "attrs", "regions", "loc", NULL};
    const struct json *ins, *outs, *regions, *attrs = NULL;
    uint32_t id, nins, nouts, nregions;
    enum op op;
    if (!reader_keys(r, j, names) || !read_loc(r, j) ||
        !reader_member_uint32(r, j, "id", UINT32_MAX, &id))
        return false;
    if (id != f->nnodes)
        return BAD_JSON(r, "id is %u at position %u", id, f->nnodes);
    if (!read_op(r, j, &op) || !list_member(r, j, "ins", true, &ins, &nins) ||
        !list_member(r, j, "outs", true, &outs, &nouts) ||
        !list_member(r, j, "regions", false, &regions, &nregions))
        return false;
    struct node *n =
        func_append(im->g, f, op, id, nins, nouts, count_attrs(vkc_ops[op].attrs), nregions);
    if (!n)
        return NO_MEMORY(r);
    n->loc = r->loc;
    reader_enter_key(r, "ins");
    if (!read_values(r, ins, n->ins, nins))
        return false;
    reader_leave(r);
    reader_enter_key(r, "outs");
    if (!read_outs(r, outs, n))
        return false;
    reader_leave(r);
    reader_enter_key(r, "regions");
    if (!read_regions(r, regions, n))
        return false;
    reader_leave(r);
    if (reader_optional(r, j, "attrs", &attrs)) {
        if (!reader_expect(r, attrs, JSON_OBJECT) || !read_attrs(r, attrs, n))
            return false;
        reader_leave(r);
        return true;
    }
    return read_attrs(r, NULL, n);
}

/* ---- functions ---- */

static bool read_params(struct reader *r, const struct json *j, struct func *f)
{
    static const char *const names[] = {"type", "shape", "name", NULL};
    f->params = ARENA_ARRAY(r->a, struct tensor, f->nparams);
    f->param_names = ARENA_ARRAY(r->a, const char *, f->nparams);
    if (!f->params || !f->param_names)
        return NO_MEMORY(r);
    for (uint32_t i = 0; i < f->nparams; i++) {
        const struct json *p = &j->items[i], *name;
        reader_enter_index(r, i);
        if (!reader_keys(r, p, names) || !read_tensor(r, p, &f->params[i]))
            return false;
        if (reader_optional(r, p, "name", &name)) {
            if (!reader_text(r, name, &f->param_names[i]))
                return false;
            reader_leave(r);
        }
        reader_leave(r);
    }
    return true;
}

static bool read_func(struct importer *im, const struct json *j, struct func *f,
                      uint32_t *nodes_left)
{
    struct reader *r = &im->r;
    static const char *const names[] = {"params", "nodes", "results", NULL};
    const struct json *params, *nodes, *results;
    uint32_t nnodes;
    if (!reader_keys(r, j, names) || !list_member(r, j, "params", true, &params, &f->nparams) ||
        !list_member(r, j, "nodes", true, &nodes, &nnodes) ||
        !list_member(r, j, "results", true, &results, &f->nresults))
        return false;
    if (nnodes > *nodes_left)
        return BAD_JSON(r, "the graph has more than %d nodes", VKC_MAX_NODES);
    *nodes_left -= nnodes;
    reader_enter_key(r, "params");
    if (!read_params(r, params, f))
        return false;
    reader_leave(r);
    reader_enter_key(r, "nodes");
    for (uint32_t i = 0; i < nnodes; i++) {
        reader_enter_index(r, i);
        if (!cancel_check(r->a->cancel, r->d) || !read_node(im, &nodes->items[i], f))
            return false;
        reader_leave(r);
    }
    r->loc = NULL;
    reader_leave(r);
    f->results = ARENA_ARRAY(r->a, struct value, f->nresults);
    if (!f->results)
        return NO_MEMORY(r);
    reader_enter_key(r, "results");
    if (!read_values(r, results, f->results, f->nresults))
        return false;
    reader_leave(r);
    return true;
}

static bool read_funcs(struct importer *im, const struct json *j)
{
    struct reader *r = &im->r;
    uint32_t n, nodes_left = VKC_MAX_NODES;
    if (!reader_list_size(r, j, VKC_MAX_FUNCS, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (graph_add_func(im->g) == UINT32_MAX)
            return NO_MEMORY(r);
    for (uint32_t i = 0; i < n; i++) {
        reader_enter_index(r, i);
        if (!read_func(im, &j->items[i], &im->g->funcs[i], &nodes_left))
            return false;
        reader_leave(r);
    }
    return true;
}

/* ---- the whole ---- */

static bool read_donations(struct importer *im, const struct json *j)
{
    struct reader *r = &im->r;
    static const char *const names[] = {"input", "output", NULL};
    if (!reader_list_size(r, j, VKC_MAX_FUNCS, &im->g->ndonations))
        return false;
    im->g->donations = ARENA_ARRAY(r->a, struct donation, im->g->ndonations);
    if (!im->g->donations)
        return NO_MEMORY(r);
    for (uint32_t i = 0; i < im->g->ndonations; i++) {
        const struct json *d = &j->items[i];
        reader_enter_index(r, i);
        if (!reader_keys(r, d, names) ||
            !reader_member_uint32(r, d, "input", UINT32_MAX, &im->g->donations[i].input) ||
            !reader_member_uint32(r, d, "output", UINT32_MAX, &im->g->donations[i].output))
            return false;
        reader_leave(r);
    }
    return true;
}

/* Text for people: only that it is text matters here. */
static bool read_notes(struct importer *im, const struct json *j)
{
    struct reader *r = &im->r;
    static const char *const keys[] = {"nx", "producer", "name", NULL};
    const struct json *m;
    im->g->name = "";
    for (const char *const *key = keys; *key; key++) {
        const char *text;
        if (!reader_optional(r, j, *key, &m))
            continue;
        if (!reader_text(r, m, &text))
            return false;
        if (strcmp(*key, "name") == 0)
            im->g->name = text;
        reader_leave(r);
    }
    return true;
}

static bool read_graph(struct importer *im, const struct json *j)
{
    struct reader *r = &im->r;
    static const char *const names[] = {"schema", "nx",       "producer",  "name",      "entry",
                                        "funcs",  "literals", "donations", "callbacks", NULL};
    const struct json *m;
    const char *schema;
    size_t len;
    if (!reader_keys(r, j, names) || !reader_member(r, j, "schema", &m) ||
        !reader_raw_text(r, m, &schema, &len))
        return false;
    if (strcmp(schema, "nx.vulkan.graph/1") != 0)
        return BAD_JSON(r, "needs \"nx.vulkan.graph/1\", found \"%.64s\"", schema);
    reader_leave(r);
    if (!read_notes(im, j) || !reader_member_uint32(r, j, "entry", VKC_MAX_FUNCS, &im->g->entry))
        return false;
    if (json_get(j, "callbacks") &&
        !reader_member_uint32(r, j, "callbacks", MAX_LIST, &im->g->ncallbacks))
        return false;
    if (reader_optional(r, j, "literals", &m)) {
        if (!read_literals(im, m))
            return false;
        reader_leave(r);
    }
    if (!reader_member(r, j, "funcs", &m) || !read_funcs(im, m))
        return false;
    reader_leave(r);
    if (reader_optional(r, j, "donations", &m)) {
        if (!read_donations(im, m))
            return false;
        reader_leave(r);
    }
    return true;
}

bool import_json(struct arena *a, const void *json, size_t size, const void *sidecar,
                 size_t sidecar_size, struct graph *out, struct diag *d)
{
    *out = (struct graph){.arena = a, .name = ""};
    struct importer im = {
        .r = {.a = a, .d = d}, .g = out, .sidecar = sidecar, .sidecar_size = sidecar_size};
    if (d->code != DIAG_OK)
        return false;
    struct arena tree; /* released once the graph is read: literals are in it as text, too */
    arena_scratch(&tree, a);
    const struct json *j = reader_parse(&im.r, &tree, json, size);
    bool ok = j && read_graph(&im, j);
    arena_finish(&tree);
    return ok && ir_verify(out, d);
}
