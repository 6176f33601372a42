/* compiler/graph.schema.json says of types, ops, counts and attributes what type.def and ops.def say.
   Usage: schema_test compiler/graph.schema.json */
#include <json-c/json.h>
#include <string.h>

#include "../../compiler/ir.h"
#include "check.h"

static json_object *get(json_object *j, const char *key)
{
    return json_object_object_get(j, key);
}

static bool has(json_object *list, const char *text)
{
    for (size_t i = 0; list && i < json_object_array_length(list); i++)
        if (strcmp(json_object_get_string(json_object_array_get_idx(list, i)), text) == 0)
            return true;
    return false;
}

/* What the schema says of one op: the "then" of the one rule that names it. */
static json_object *rule_of(json_object *rules, const char *op, unsigned *out_found)
{
    json_object *then = NULL;
    *out_found = 0;
    for (size_t i = 0; i < json_object_array_length(rules); i++) {
        json_object *rule = json_object_array_get_idx(rules, i);
        if (has(get(get(get(get(rule, "if"), "properties"), "op"), "enum"), op)) {
            then = get(rule, "then");
            ++*out_found;
        }
    }
    return then;
}

/* The bound is the wanted one, or missing where there is none. */
static bool bound_is(json_object *of, const char *key, int wanted)
{
    json_object *j = get(of, key);
    return wanted < 0 ? j == NULL : j ? json_object_get_int(j) == wanted : strcmp(key, "minItems") == 0 && wanted == 0;
}

static bool kind_is(json_object *of, char kind)
{
    const char *type = json_object_get_string(get(of, "type")), *ref = json_object_get_string(get(of, "$ref"));
    switch (kind) {
    case 'i': return type && strcmp(type, "integer") == 0;
    case 'b': return type && strcmp(type, "boolean") == 0;
    case 's': return (type && strcmp(type, "string") == 0) || get(of, "enum");
    case 'x': return ref && strcmp(ref, "#/$defs/bits") == 0;
    default:  return ref && strcmp(ref, "#/$defs/integers") == 0;
    }
}

static void check_attrs(struct check *c, const struct op_info *o, json_object *then)
{
    json_object *attrs = get(get(then, "properties"), "attrs"), *known = get(attrs, "properties"), *required = get(attrs, "required");
    int count = 0, needed = 0;
    struct attr_spec spec;
    for (const char *p = o->attrs; attr_spec_next(&p, &spec);) {
        const char *key = attr_key_name(spec.key);
        count++;
        needed += !spec.optional;
        check_that(c, kind_is(get(known, key), spec.kind), "%s: attribute %s is of kind %c", o->name, key, spec.kind);
        check_that(c, has(required, key) == !spec.optional, "%s: attribute %s is %s", o->name, key, spec.optional ? "optional" : "required");
    }
    check_that(c, count == (known ? json_object_object_length(known) : 0), "%s has %d attributes", o->name, count);
    check_that(c, (size_t)needed == (required ? json_object_array_length(required) : 0), "%s needs %d attributes", o->name, needed);
}

static void check_op(struct check *c, json_object *rules, const struct op_info *o)
{
    unsigned found;
    json_object *then = rule_of(rules, o->name, &found);
    if (!check_that(c, found == 1, "%s is in %u rules", o->name, found))
        return;
    json_object *p = get(then, "properties");
    check_that(c, bound_is(get(p, "ins"), "minItems", o->min_ins) && bound_is(get(p, "ins"), "maxItems", o->max_ins),
               "%s takes %d to %d inputs", o->name, o->min_ins, o->max_ins);
    check_that(c, bound_is(get(p, "outs"), "maxItems", o->outs), "%s has %d outputs", o->name, o->outs);
    check_that(c, bound_is(get(p, "regions"), "maxItems", o->regions), "%s has %d regions", o->name, o->regions);
    check_attrs(c, o, then);
}

int main(int argc, char **argv)
{
    struct check c = {0};
    size_t size;
    char *text = argc > 1 ? read_file(argv[1], &size) : NULL;
    json_object *schema = text ? json_tokener_parse(text) : NULL, *defs = get(schema, "$defs");
    json_object *ops = get(get(get(get(defs, "node"), "properties"), "op"), "enum"), *rules = get(get(defs, "node"), "allOf");
    if (check_that(&c, ops && rules, "the schema is no JSON, or has no ops")) {
        int count = 0; /* what passes make is in no JSON */
        for (int op = OP_NONE + 1; op < OP_COUNT && !op_is_made(op); op++) {
            count++;
            check_that(&c, has(ops, vkc_ops[op].name), "%s is in the enum of ops", vkc_ops[op].name);
            check_op(&c, rules, &vkc_ops[op]);
        }
        check_that(&c, json_object_array_length(ops) == (size_t)count, "the table has %d ops", count);
        for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
            check_that(&c, has(get(get(defs, "type"), "enum"), vkc_types[t].name), "%s is in the enum of types", vkc_types[t].name);
    }
    json_object_put(schema);
    free(text);
    return check_finish(&c);
}
