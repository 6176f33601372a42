#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "spirv_op.h"

#define NO_REGISTER UINT32_MAX

/* Whether instructions of this kind begin with a result type and a result. */
static bool has_result(uint32_t op)
{
    switch (op) {
    case OP_STORE:
    case OP_TYPE_MATRIX:
    case OP_MATRIX_STORE:
    case OP_ATOMIC_STORE:
    case OP_CONTROL_BARRIER:
    case OP_MEMORY_BARRIER:
    case OP_LOOP_MERGE:
    case OP_SELECTION_MERGE:
    case OP_LABEL:
    case OP_BRANCH:
    case OP_BRANCH_CONDITIONAL:
    case OP_SWITCH:
    case OP_RETURN:
    case OP_RETURN_VALUE:
    case OP_UNREACHABLE:
    case OP_FUNCTION_END: return false;
    default:
        return op == OP_UNDEF || op == OP_EXT_INST ||
               (op > OP_TYPE_FUNCTION && op != OP_DECORATE && op != OP_MEMBER_DECORATE);
    }
}

uint32_t module_member_at(const struct spirv_module *m, const struct spirv_type *t, uint32_t member)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < member; i++)
        at += m->types[t->members[i]].words;
    return at;
}

/* Element, scope, rows, columns, use; all but the first are constants. */
static void read_matrix(const struct spirv_module *m, const uint32_t *w, uint32_t n,
                        struct spirv_type *t)
{
    uint32_t number[4] = {0};
    for (uint32_t i = 0; i < 4 && n == 6; i++)
        number[i] = m->ids[w[2 + i]].words ? m->ids[w[2 + i]].words[3] : 0;
    t->kind = KIND_MATRIX, t->element = w[1], t->width = m->types[w[1]].width;
    t->scope = number[0], t->columns = number[2], t->use = number[3];
    t->count = number[1] * number[2];
    t->words = (t->count + 1) / 2;
}

static void read_type(struct spirv_module *m, uint32_t op, const uint32_t *w, uint32_t n)
{
    struct spirv_type *t = &m->types[w[0]];
    t->words = op != OP_TYPE_VOID && op != OP_TYPE_FUNCTION;
    switch (op) {
    case OP_TYPE_BOOL: t->kind = KIND_BOOL, t->width = 1; break;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        t->kind = op == OP_TYPE_INT ? KIND_INT : KIND_FLOAT, t->width = w[1];
        t->is_bfloat = op == OP_TYPE_FLOAT && n > 2; /* an encoding */
        break;
    case OP_TYPE_VECTOR:
    case OP_TYPE_ARRAY:
        t->kind = op == OP_TYPE_VECTOR ? KIND_VECTOR : KIND_ARRAY, t->element = w[1];
        t->count = op == OP_TYPE_VECTOR ? w[2] : m->ids[w[2]].words[3];
        t->words = t->count * m->types[w[1]].words;
        break;
    case OP_TYPE_IMAGE: t->kind = KIND_IMAGE; break;
    case OP_TYPE_RUNTIME_ARRAY: t->kind = KIND_RUNTIME_ARRAY, t->element = w[1]; break;
    case OP_TYPE_STRUCT:
        t->kind = KIND_STRUCT, t->members = w + 1, t->count = n - 1;
        t->words = module_member_at(m, t, t->count);
        break;
    case OP_TYPE_POINTER:
        t->kind = KIND_POINTER, t->storage = w[1], t->element = w[2], t->words = 2;
        break;
    case OP_TYPE_MATRIX: read_matrix(m, w, n, t); break;
    default: break;
    }
}

static void read_capability(struct spirv_module *m, uint32_t capability)
{
    switch (capability) {
    case CAPABILITY_F16: m->has_f16 = true; break;
    case CAPABILITY_BFLOAT16_MATRIX: m->has_bfloat_matrices = true; break;
    case CAPABILITY_MEMORY_MODEL: m->has_memory_model = true; break;
    case CAPABILITY_MATRIX: m->has_matrices = true; break;
    default: break;
    }
}

static void read_decoration(struct spirv_module *m, uint32_t op, const uint32_t *w)
{
    if (op == OP_MEMBER_DECORATE) {
        if (w[2] == DECORATION_OFFSET && w[1] < 8)
            m->types[w[0]].offsets[w[1]] = w[3];
        return;
    }
    switch (w[1]) {
    case DECORATION_ARRAY_STRIDE: m->types[w[0]].stride = w[2]; break;
    case DECORATION_BUILT_IN: m->ids[w[0]].built_in = w[2]; break;
    case DECORATION_BINDING: m->ids[w[0]].binding = w[2]; break;
    case DECORATION_NO_CONTRACTION: m->ids[w[0]].exact = true; break;
    default: break;
    }
}

/* The numbers of constants, written into the register file once that is there. */
static void fill_constant(struct spirv_module *m, uint32_t op, uint32_t id, const uint32_t *w,
                          uint32_t n)
{
    uint64_t *to = m->file + m->ids[id].at;
    if (op == OP_CONSTANT_TRUE)
        *to = 1;
    if (op == OP_CONSTANT)
        *to = w[0] | (n > 1 ? (uint64_t)w[1] << 32 : 0);
    for (uint32_t i = 0; op == OP_CONSTANT_COMPOSITE && i < n; i++) {
        uint32_t words = m->types[m->ids[w[i]].type].words;
        memcpy(to, m->file + m->ids[w[i]].at, words * sizeof *to);
        to += words;
    }
}

/* A variable outside of functions, or in one: a pointer in the file to where it lies. */
static void place_variable(struct spirv_module *m, struct spirv_id *id, uint32_t storage)
{
    const struct spirv_type *t = &m->types[m->types[id->type].element];
    uint64_t *pointer = m->file + id->at;
    if (storage == STORAGE_BUFFER || storage == STORAGE_UNIFORM ||
        storage == STORAGE_UNIFORM_CONSTANT) {
        pointer[0] = POINTS_BUFFER | (uint64_t)id->binding << 8;
    } else if (storage == STORAGE_WORKGROUP) {
        pointer[0] = POINTS_SHARED, pointer[1] = m->shared_words;
        m->shared_words += t->words;
    } else {
        pointer[0] = POINTS_FILE, pointer[1] = id->at + 2;
        uint32_t *const built_in[] = {&m->num_groups, NULL,          &m->group_id,
                                      &m->local_id,   &m->global_id, &m->local_index};
        if (storage == STORAGE_PUSHED)
            m->pushed = id->at + 2, m->npushed = t->words;
        if (id->built_in == BUILT_IN_SUBGROUP_ID)
            m->subgroup_id = id->at + 2;
        if (id->built_in == BUILT_IN_SUBGROUP_LANE)
            m->subgroup_lane = id->at + 2;
        if (id->built_in >= BUILT_IN_NUM_WORKGROUPS && id->built_in <= BUILT_IN_LOCAL_INDEX &&
            built_in[id->built_in - BUILT_IN_NUM_WORKGROUPS])
            *built_in[id->built_in - BUILT_IN_NUM_WORKGROUPS] = id->at + 2;
    }
}

/* First pass: types, what defines each id, how large the register file is. */
static bool survey(struct spirv_module *m)
{
    uint32_t words = 1, count = 0;
    for (uint32_t at = 5; at < m->nwords;) {
        uint32_t op = m->words[at] & 0xffff, n = m->words[at] >> 16;
        const uint32_t *w = &m->words[at];
        if (!n || n > m->nwords - at)
            return false;
        if (op == OP_CAPABILITY) {
            read_capability(m, w[1]);
        } else if (op == OP_MEMORY_MODEL) {
            m->is_vulkan_memory = w[2] == MODEL_VULKAN;
        } else if ((op >= OP_TYPE_VOID && op <= OP_TYPE_FUNCTION) || op == OP_TYPE_MATRIX) {
            m->ids[w[1]].words = w;
            read_type(m, op, w + 1, n - 1);
        } else if (op == OP_DECORATE || op == OP_MEMBER_DECORATE) {
            read_decoration(m, op, w + 1);
        } else if (op == OP_EXECUTION_MODE && w[2] == 17) {
            m->local_size = w[3] * w[4] * w[5];
        } else if (op == OP_LABEL) {
            m->ids[w[1]].words = w;
        } else if (has_result(op) && n > 2) {
            struct spirv_id *id = &m->ids[w[2]];
            id->type = w[1], id->words = w, id->at = words;
            const struct spirv_type *t = &m->types[w[1]];
            words += t->words;
            if (op == OP_VARIABLE && w[3] != STORAGE_WORKGROUP && w[3] != STORAGE_BUFFER &&
                w[3] != STORAGE_UNIFORM && w[3] != STORAGE_UNIFORM_CONSTANT)
                words += m->types[t->element].words;
        }
        count++;
        at += n;
    }
    m->file_words = words;
    m->file = calloc(words, sizeof *m->file);
    m->insts = calloc(count, sizeof *m->insts);
    return m->file && m->insts;
}

static uint32_t number_width(const struct spirv_module *m, uint32_t type)
{
    const struct spirv_type *t = &m->types[type];
    return t->kind == KIND_VECTOR || t->kind == KIND_STRUCT
               ? number_width(m, t->kind == KIND_VECTOR ? t->element : t->members[0])
               : t->width;
}

static uint32_t reg(const struct spirv_module *m, const uint32_t *w, uint32_t n, uint32_t i)
{
    return i < n && w[i] < m->bound && m->ids[w[i]].type ? m->ids[w[i]].at : 0;
}

static bool is_loose_product(const struct spirv_module *m, uint32_t id)
{
    return id < m->bound && m->ids[id].words && (m->ids[id].words[0] & 0xffff) == OP_F_MUL &&
           !m->ids[id].exact;
}

static void decode(struct spirv_module *m, uint32_t op, const uint32_t *w, uint32_t n)
{
    struct spirv_inst *i = &m->insts[m->ninsts];
    *i = (struct spirv_inst){.op = (uint16_t)op, .words = w + 1, .nwords = n - 1};
    if (op == OP_LABEL)
        m->ids[w[1]].at = m->ninsts;
    if (has_result(op)) {
        i->type = w[1], i->result = w[2], i->to = m->ids[w[2]].at;
        i->words = w + 3, i->nwords = n - 3;
        i->count = m->types[w[1]].words, i->result_width = (uint8_t)number_width(m, w[1]);
    }
    uint32_t skip = 0;
    if (op == OP_EXT_INST) {
        i->op = (uint16_t)(OP_STD + w[4]);
        skip = 2;
    }
    const uint32_t *in = i->words + skip;
    uint32_t nin = i->nwords - skip;
    i->a = reg(m, in, nin, 0), i->b = reg(m, in, nin, 1), i->c = reg(m, in, nin, 2);
    if (nin > 0 && in[0] < m->bound && m->ids[in[0]].type)
        i->width = (uint8_t)number_width(m, m->ids[in[0]].type);
    if ((op == OP_F_ADD || op == OP_F_SUB) && !m->ids[w[2]].exact)
        for (int k = 0; k < 2; k++)
            i->contracts[k] = is_loose_product(m, in[k]);
    m->ninsts++;
}

bool module_open(const uint32_t *words, uint32_t nwords, struct spirv_module *m, char *error,
                 size_t error_size)
{
    *m =
        (struct spirv_module){.words = words, .nwords = nwords, .bound = nwords > 5 ? words[3] : 0};
    m->num_groups = m->group_id = m->local_id = m->global_id = m->local_index = NO_REGISTER;
    m->subgroup_id = m->subgroup_lane = NO_REGISTER;
    m->types = calloc((size_t)m->bound + 1, sizeof *m->types);
    m->ids = calloc((size_t)m->bound + 1, sizeof *m->ids);
    for (uint32_t i = 0; m->ids && i < m->bound; i++)
        m->ids[i].binding = m->ids[i].built_in = UINT32_MAX;
    if (!m->types || !m->ids || m->bound < 2 || !survey(m)) {
        snprintf(error, error_size, "not a module, or no memory");
        module_close(m);
        return false;
    }
    bool in_function = false;
    uint32_t entry = 0;
    for (uint32_t at = 5; at < nwords; at += words[at] >> 16) {
        uint32_t op = words[at] & 0xffff, n = words[at] >> 16;
        const uint32_t *w = &words[at];
        if (op == OP_ENTRY_POINT)
            entry = w[2];
        if (op == OP_FUNCTION)
            in_function = true;
        if (op >= OP_CONSTANT_TRUE && op <= OP_CONSTANT_NULL)
            fill_constant(m, op, w[2], w + 3, n - 3);
        if (op == OP_VARIABLE)
            place_variable(m, &m->ids[w[2]], w[3]);
        if (op == OP_FUNCTION)
            m->ids[w[2]].at = m->ninsts; /* where its body begins */
        if (in_function && op != OP_FUNCTION && op != OP_FUNCTION_PARAMETER &&
            op != OP_SELECTION_MERGE && op != OP_LOOP_MERGE)
            decode(m, op, w, n);
        if (op == OP_FUNCTION_END)
            in_function = false;
    }
    m->entry = m->ids[entry].at;
    if (!matrix_check_module(m, error, error_size)) {
        module_close(m);
        return false;
    }
    return true;
}

void module_close(struct spirv_module *m)
{
    free(m->types);
    free(m->ids);
    free(m->insts);
    free(m->file);
    *m = (struct spirv_module){0};
}
