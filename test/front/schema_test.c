/* compiler/import/graph.schema.json says of types, ops, counts and attributes what type.def and
   ops.def say. Usage: schema_test compiler/import/graph.schema.json */
#include <string.h>

#include "ir/ir.h"
#include "import/json.h"
#include "check.h"

static const struct json *get(const struct json *j, const char *key)
{
    return json_get(j, key);
}

/* NULL if it is not a string. */
static const char *text_of(const struct json *j)
{
    return j && j->kind == JSON_STRING ? j->text : NULL;
}

static bool has(const struct json *list, const char *text)
{
    for (uint32_t i = 0; list && i < list->count; i++)
        if (strcmp(text_of(&list->items[i]), text) == 0)
            return true;
    return false;
}

/* What the schema says of one op: the "then" of the one rule that names it. */
static const struct json *rule_of(const struct json *rules, const char *op, unsigned *out_found)
{
    const struct json *then = NULL;
    *out_found = 0;
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct json *rule = &rules->items[i];
        if (has(get(get(get(get(rule, "if"), "properties"), "op"), "enum"), op)) {
            then = get(rule, "then");
            ++*out_found;
        }
    }
    return then;
}

/* The bound is the wanted one, or missing where there is none. */
static bool bound_is(const struct json *of, const char *key, int wanted)
{
    const struct json *j = get(of, key);
    return wanted < 0 ? j == NULL
           : j        ? j->integer == wanted
                      : strcmp(key, "minItems") == 0 && wanted == 0;
}

static bool kind_is(const struct json *of, char kind)
{
    const char *type = text_of(get(of, "type")), *ref = text_of(get(of, "$ref"));
    switch (kind) {
    case 'i': return type && strcmp(type, "integer") == 0;
    case 'b': return type && strcmp(type, "boolean") == 0;
    case 's': return (type && strcmp(type, "string") == 0) || get(of, "enum");
    case 'x': return ref && strcmp(ref, "#/$defs/bits") == 0;
    default: return ref && strcmp(ref, "#/$defs/integers") == 0;
    }
}

static void check_attrs(struct check *c, const struct op_info *o, const struct json *then)
{
    const struct json *attrs = get(get(then, "properties"), "attrs"),
                      *known = get(attrs, "properties"), *required = get(attrs, "required");
    int count = 0, needed = 0;
    struct attr_spec spec;
    for (const char *p = o->attrs; attr_spec_next(&p, &spec);) {
        const char *key = attr_key_name(spec.key);
        count++;
        needed += !spec.optional;
        check_that(c, kind_is(get(known, key), spec.kind), "%s: attribute %s is of kind %c",
                   o->name, key, spec.kind);
        check_that(c, has(required, key) == !spec.optional, "%s: attribute %s is %s", o->name, key,
                   spec.optional ? "optional" : "required");
    }
    check_that(c, count == (known ? (int)known->count : 0), "%s has %d attributes", o->name, count);
    check_that(c, needed == (required ? (int)required->count : 0), "%s needs %d attributes",
               o->name, needed);
}

static void check_op(struct check *c, const struct json *rules, const struct op_info *o)
{
    unsigned found;
    const struct json *then = rule_of(rules, o->name, &found);
    if (!check_that(c, found == 1, "%s is in %u rules", o->name, found))
        return;
    const struct json *p = get(then, "properties");
    check_that(c,
               bound_is(get(p, "ins"), "minItems", o->min_ins) &&
                   bound_is(get(p, "ins"), "maxItems", o->max_ins),
               "%s takes %d to %d inputs", o->name, o->min_ins, o->max_ins);
    check_that(c, bound_is(get(p, "outs"), "maxItems", o->outs), "%s has %d outputs", o->name,
               o->outs);
    check_that(c, bound_is(get(p, "regions"), "maxItems", o->regions), "%s has %d regions", o->name,
               o->regions);
    check_attrs(c, o, then);
}

int main(int argc, char **argv)
{
    struct check c = {0};
    struct arena a;
    size_t size = 0;
    char *text = argc > 1 ? read_file(argv[1], &size) : NULL, error[128];
    arena_init(&a, 0);
    const struct json *schema = text ? json_parse(&a, text, size, error) : NULL,
                      *defs = get(schema, "$defs");
    const struct json *ops = get(get(get(get(defs, "node"), "properties"), "op"), "enum"),
                      *rules = get(get(defs, "node"), "allOf");
    if (check_that(&c, ops && rules, "the schema is not JSON, or has no ops")) {
        int count = 0; /* what passes make is in no JSON */
        for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
            if (op_is_made(op))
                continue;
            count++;
            check_that(&c, has(ops, vkc_ops[op].name), "%s is in the enum of ops",
                       vkc_ops[op].name);
            check_op(&c, rules, &vkc_ops[op]);
        }
        check_that(&c, ops->count == (uint32_t)count, "the table has %d ops", count);
        for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
            check_that(&c, has(get(get(defs, "type"), "enum"), vkc_types[t].name),
                       "%s is in the enum of types", vkc_types[t].name);
    }
    arena_finish(&a);
    free(text);
    return check_finish(&c);
}
