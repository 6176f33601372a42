#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "around.h"

/* ---- names ---- */

static uint32_t find(const char *const *names, const char *name)
{
    uint32_t i = 0;
    while (names[i] && strcmp(names[i], name) != 0)
        i++;
    return i;
}

void case_name(const struct sweep_case *c, char out[CASE_NAME])
{
    char shape[80] = "1", axes[16] = "";
    for (uint32_t i = 0, n = 0; i < c->shape.rank; i++)
        n += (uint32_t)snprintf(shape + n, sizeof shape - n, "%s%lld", i ? "x" : "",
                                (long long)c->shape.dim[i]);
    for (uint32_t i = 0, n = 0; i < VKC_MAX_RANK && n < sizeof axes - 1; i++)
        if (c->axes & 1u << i)
            axes[n++] = (char)('0' + i), axes[n] = '\0';
    snprintf(out, CASE_NAME, "%s/%s/%s/%s/a%s/%s/%s/%s/%s", c->family->name, case_op(c),
             type_name(c->type), shape, axes, feed_names[c->feed], use_names[c->use],
             store_names[c->store], c->profile ? c->profile->name : "");
}

static bool parse_shape(const char *text, struct shape *out)
{
    *out = (struct shape){0};
    for (char *end; *text && out->rank < VKC_MAX_RANK; text = *end == 'x' ? end + 1 : end) {
        long long dim = strtoll(text, &end, 10);
        if (end == text || dim < 1)
            return false;
        out->dim[out->rank++] = dim;
    }
    return true;
}

bool case_parse(const char *name, const struct profiles *p, struct sweep_case *out, char *error,
                size_t error_size)
{
    enum { FAMILY, OP, TYPE, SHAPE, AXES, FEED, USE, STORE, PROFILE, PARTS };
    char text[CASE_NAME], *part[PARTS], *at = text;
    snprintf(text, sizeof text, "%s", name);
    for (int i = 0; i < PARTS; i++) {
        part[i] = at;
        at += strcspn(at, "/");
        if ((*at == '\0') != (i == PARTS - 1)) {
            snprintf(error, error_size,
                     "a case has the form family/op/type/shape/axes/feed/use/store/profile");
            return false;
        }
        *at++ = '\0';
    }
    *out = (struct sweep_case){0};
    uint32_t f = 0;
    while (sweep_families[f] && strcmp(sweep_families[f]->name, part[FAMILY]) != 0)
        f++;
    out->family = sweep_families[f];
    if (!out->family) {
        snprintf(error, error_size, "there is no family %s", part[FAMILY]);
        return false;
    }
    out->op = find(out->family->ops, part[OP]);
    out->type = type_parse(part[TYPE]);
    out->feed = find(feed_names, part[FEED]);
    out->use = find(use_names, part[USE]);
    out->store = find(store_names, part[STORE]);
    uint32_t profile = profiles_find(p, part[PROFILE]);
    out->profile = profile < p->count ? &p->target[profile] : NULL;
    for (const char *axis = part[AXES] + 1; part[AXES][0] && *axis; axis++)
        out->axes |= 1u << (*axis - '0');
    bool ok = out->family->ops[out->op] && out->type != TYPE_NONE && feed_names[out->feed] &&
              use_names[out->use] && store_names[out->store] && out->profile &&
              parse_shape(part[SHAPE], &out->shape) && case_is_valid(out);
    if (!ok)
        snprintf(error, error_size, "there is no case %s on this device", name);
    return ok;
}

/* ---- graphs ---- */

bool case_is_valid(const struct sweep_case *c)
{
    return c->family->takes(c) && around_takes(c);
}

const char *case_graph(const struct sweep_case *c, struct arena *a, struct graph_text *g)
{
    char name[CASE_NAME];
    case_name(c, name);
    gt_init(g, a);
    struct made m = c->family->build(g, c);
    around_store(g, c, around_use(g, c, m.main), &m);
    return gt_json(g, name);
}
