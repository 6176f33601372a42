#include "vkrun_info.h"

#include <inttypes.h>
#include <stdio.h>

#include "bundle.h"

static const char *const kind_names[] = {"discrete", "integrated", "virtual", "cpu", "other"};

int list_devices(bool json)
{
    vkr_device_info infos[16];
    uint32_t count = 0;
    vkr_error err = {0};
    vkr_status status = vkr_devices(infos, 16, &count, &err);
    if (status)
        return complain_status(status, &err);
    if (json)
        printf("[");
    for (uint32_t i = 0; i < count && i < 16; i++) {
        const vkr_device_info *d = &infos[i];
        if (json)
            printf(
                "%s{\"index\":%u,\"name\":\"%s\",\"kind\":\"%s\",\"driver\":\"%s\",\"memory_bytes\":%" PRIu64
                "}",
                i ? "," : "", d->index, d->name, kind_names[d->kind], d->driver, d->memory_bytes);
        else
            printf("%u: %s (%s), driver %s, Vulkan %u.%u, %" PRIu64 " MiB\n", d->index, d->name,
                   kind_names[d->kind], d->driver, d->api_version >> 22,
                   d->api_version >> 12 & 1023, d->memory_bytes >> 20);
    }
    if (json)
        printf("]\n");
    else if (!count)
        printf("no Vulkan device\n");
    return EXIT_DONE;
}

/* The words of a set of features, with `between` between them. */
static void print_features(uint32_t features, const char *between)
{
    const char *separator = "";
    for (uint32_t i = 0; i < VKB_FEATURES; i++)
        if (features >> i & 1) {
            printf("%s%s", separator, vkr_feature_name(1u << i));
            separator = between;
        }
}

int print_profile(const vkr_device_info *d)
{
    printf("# %s, driver %s\nname = ", d->name, d->driver);
    for (const char *c = d->name; *c; c++)
        putchar((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')
                    ? *c
                    : '_');
    printf("\nfeatures = ");
    print_features(d->features, ",");
    for (uint32_t i = 0, n = 0; i < VKB_MATRICES; i++)
        if (d->matrices >> i & 1)
            printf("%s%s", n++ ? "," : "\nmatrices = ", vkr_matrix_name(1u << i));
    printf("\nmax_invocations = %u\nmax_shared_bytes = %u\nmax_bindings = %u\nsubgroup_size = %u\n",
           d->max_invocations, d->max_shared_bytes, d->max_bindings, d->subgroup_size);
    printf("max_groups = %u,%u,%u\nmax_binding_bytes = %" PRIu64 "\ncpu = %s\nloop_limit = %s\n",
           d->max_groups[0], d->max_groups[1], d->max_groups[2], d->max_binding_bytes,
           d->kind == VKR_CPU ? "true" : "false", d->has_loop_limit ? "true" : "false");
    return EXIT_DONE;
}

/* `is_texels`: in the kernel's best body. */
static void print_binding(const struct vkb_view *v, const struct vkb_binding *b, bool is_texels)
{
    static const char *const kinds[] = {"in", "out", "const", "arena"};
    const struct vkb_buffer *buffer = &v->buffers[b->buffer];
    bool is_tensor = buffer->kind <= VKB_BUFFER_OUTPUT;
    printf(" %s%s%s@%" PRIu64,
           is_texels              ? "t"
           : b->access & VKB_READ ? "r"
                                  : "",
           b->access & VKB_WRITE ? "w:" : ":", kinds[buffer->kind],
           is_tensor ? buffer->index : buffer->offset);
}

static void print_step(const struct vkb_view *v, uint32_t index)
{
    static const char *const kinds[] = {"dispatch", "copy", "while", "if", "host", "repeat"};
    const struct vkb_step *s = &v->steps[index];
    uint32_t nbodies = s->kind == VKB_STEP_DISPATCH ? v->kernels[s->kernel].nbodies : 0;
    printf("  %4u %s %-8s", index, s->barrier ? "|" : " ", kinds[s->kind]);
    if (s->kind == VKB_STEP_DISPATCH)
        printf(" %-24s", vkb_text(v, v->kernels[s->kernel].label));
    else if (s->kind == VKB_STEP_COPY)
        printf(" %" PRIu64 " bytes", s->bytes);
    else if (s->kind == VKB_STEP_HOST)
        printf(" callback %u", s->kernel);
    else if (s->kind == VKB_STEP_REPEAT)
        printf(" steps %u+%u, %u rounds%s", s->range_first[0], s->range_count[0], s->times,
               s->nbindings ? " a block, until" : "");
    else
        printf(" steps %u+%u, %u+%u", s->range_first[0], s->range_count[0], s->range_first[1],
               s->range_count[1]);
    for (uint32_t i = 0; i < nbodies; i++) {
        const uint32_t *groups = vkb_group_counts(v, s, i);
        printf("%s%u x %u x %u", i ? " or " : " ", groups[0], groups[1], groups[2]);
    }
    for (uint32_t i = 0; i < s->nbindings; i++)
        print_binding(v, &v->bindings[s->first_binding + i],
                      nbodies && vkb_is_texels(vkb_body_of(v, s->kernel, 0), i));
    printf("\n");
}

static void print_need(const struct vkb_need *n)
{
    switch (n->kind) {
    case VKB_NEED_SUBGROUP_SIZE: printf(" subgroups=%u..%u", n->value[0], n->value[1]); break;
    case VKB_NEED_CPU: printf(n->value[0] ? " a CPU" : " no CPU"); break;
    case VKB_NEED_MATRIX: printf(" matrices=%s", vkr_matrix_name(1u << n->value[0])); break;
    }
}

/* Of a kernel with several, the best first. */
static void print_bodies(const struct vkb_view *v, uint32_t kernel)
{
    const struct vkb_kernel *k = &v->kernels[kernel];
    for (uint32_t i = 0; k->nbodies > 1 && i < k->nbodies; i++) {
        const struct vkb_body *b = vkb_body_of(v, kernel, i);
        printf("%-6s body %u for %s: workgroups of %u x %u x %u, %u shared bytes, %u words; needs",
               i ? "" : vkb_text(v, k->name), i, vkb_text(v, b->profile), b->local_size[0],
               b->local_size[1], b->local_size[2], b->shared_bytes, b->spirv_count);
        printf(b->features ? " " : b->nneeds ? "" : " nothing more");
        print_features(b->features, " ");
        for (uint32_t n = 0; n < b->nneeds; n++)
            print_need(&v->needs[b->first_need + n]);
        printf("\n");
    }
}

int print_info(const struct file *file)
{
    struct vkb_view v;
    char error[400];
    if (!bundle_open(file->bytes, file->size, &v, error, sizeof error))
        return complain(EXIT_INPUT, "the bundle is not valid", error);
    const struct vkb_program *p = v.program;
    printf("%s\n  by %s for %s\n", vkb_text(&v, p->name), vkb_text(&v, p->producer),
           vkb_text(&v, p->profile));
    printf("  %u kernels, %u steps, arena %" PRIu64 " of %" PRIu64
           " bytes unplanned, constants %" PRIu64 "\n  needs ",
           v.nkernels, v.nsteps, p->arena_bytes, p->unplanned_bytes, v.constants_bytes);
    print_features(p->features, " ");
    printf("%sinvocations=%u shared=%u bindings=%u\n", p->features ? " " : "", p->max_invocations,
           p->max_shared_bytes, p->max_bindings);
    for (uint32_t i = 0; i < v.ntensors; i++) {
        bool is_input = i < p->ninputs;
        const struct vkb_tensor *t = &v.tensors[i];
        printf("%s %u  %s  ", is_input ? "in " : "out", is_input ? i : i - p->ninputs,
               vkb_text(&v, t->name));
        print_shape(vkb_text(&v, t->type), t->rank, t->dim);
        if (t->alias != VKB_NONE)
            printf("  takes over in %u", t->alias);
        printf(is_input && !t->used ? "  unused\n" : "\n");
    }
    for (uint32_t i = 0; i < v.nkernels; i++)
        print_bodies(&v, i);
    for (uint32_t i = 0; i < v.nsteps; i++)
        print_step(&v, i);
    return EXIT_DONE;
}
