/* SPDX-License-Identifier: MIT */
/* The sum of the Workgroup variables of a module (SPIR-V specification 1.6, sections 2.3 and 3.52). Declarations
 * precede their uses and all functions, so that one pass suffices. */
#include "compute/core/spirv.h"

enum {
    HEADER_WORDS = 5,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_MATRIX = 24,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT = 50,
    OP_SPEC_CONSTANT_OP = 52,
    OP_FUNCTION = 54,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_I_ADD = 128,
    OP_I_SUB = 130,
    OP_I_MUL = 132,
    OP_U_DIV = 134,
    DECORATION_SPEC_ID = 1,
    STORAGE_WORKGROUP = 4,
    NO_SPEC_ID = -1
};

/* What an id declares: a type (size, alignment), a pointer (storage class and the size of what it points to) or an
 * integer constant. */
typedef struct declaration {
    uint64_t size, value;
    uint32_t alignment, storage;
    int64_t spec_id;
    bool has_value;
} declaration;

typedef struct reading {
    declaration *ids; /* (id_count) */
    uint32_t id_count;
    const uint32_t *constants;
    int constant_count;
    uint64_t bytes;
    bool is_unknown; /* an array length was not evaluated */
} reading;

static uint64_t round_up(uint64_t size, uint32_t alignment)
{
    return alignment > 0 ? (size + alignment - 1) / alignment * alignment : size;
}

/* An aggregate with one more member. */
static void add_member(declaration *to, const declaration *member)
{
    to->size = round_up(to->size, member->alignment) + member->size;
    to->alignment = member->alignment > to->alignment ? member->alignment : to->alignment;
}

static void read_type(reading *r, uint32_t op, const uint32_t *words, uint32_t count)
{
    declaration *d = &r->ids[words[1]];
    const declaration *inner =
        op == OP_TYPE_VECTOR || op == OP_TYPE_MATRIX || op == OP_TYPE_ARRAY ? &r->ids[words[2]] : d;
    switch (op) {
    case OP_TYPE_BOOL:
        d->size = d->alignment = 4;
        break;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        d->size = d->alignment = words[2] / 8;
        break;
    case OP_TYPE_VECTOR: /* of three: as aligned as one of four */
        d->size = words[3] * inner->size;
        d->alignment = (words[3] == 3 ? 4 : words[3]) * inner->alignment;
        break;
    case OP_TYPE_MATRIX:
        d->size = words[3] * round_up(inner->size, inner->alignment);
        d->alignment = inner->alignment;
        break;
    case OP_TYPE_ARRAY:
        d->size = r->ids[words[3]].value * round_up(inner->size, inner->alignment);
        d->alignment = inner->alignment;
        d->has_value = r->ids[words[3]].has_value && inner->has_value;
        return;
    case OP_TYPE_STRUCT:
        for (uint32_t i = 2; i < count; ++i) {
            add_member(d, &r->ids[words[i]]);
        }
        break;
    default: /* a pointer */
        d->storage = words[2];
        d->size = r->ids[words[3]].size;
        d->alignment = r->ids[words[3]].alignment;
        d->has_value = r->ids[words[3]].has_value;
        return;
    }
    d->has_value = true;
}

static void read_constant(reading *r, uint32_t op, const uint32_t *words, uint32_t count)
{
    declaration *d = &r->ids[words[2]];
    d->has_value = true;
    d->value = words[3];
    if (op == OP_SPEC_CONSTANT && d->spec_id != NO_SPEC_ID && d->spec_id < r->constant_count) {
        d->value = r->constants[d->spec_id];
    } else if (op == OP_SPEC_CONSTANT_OP) {
        const bool is_binary = count == 6 && words[4] < r->id_count && words[5] < r->id_count;
        const declaration *a = is_binary ? &r->ids[words[4]] : d, *b = is_binary ? &r->ids[words[5]] : d;
        const uint64_t x = a->value, y = b->value;
        d->has_value = is_binary && a->has_value && b->has_value;
        switch (words[3]) {
        case OP_I_ADD:
            d->value = (uint32_t)(x + y);
            break;
        case OP_I_SUB:
            d->value = (uint32_t)(x - y);
            break;
        case OP_I_MUL:
            d->value = (uint32_t)(x * y);
            break;
        case OP_U_DIV:
            d->has_value &= y > 0;
            d->value = y > 0 ? x / y : 0;
            break;
        default:
            d->has_value = false;
        }
    }
}

static void read_instruction(reading *r, uint32_t op, const uint32_t *words, uint32_t count)
{
    if (op == OP_DECORATE && words[2] == DECORATION_SPEC_ID) {
        r->ids[words[1]].spec_id = words[3];
    } else if ((op >= OP_TYPE_BOOL && op <= OP_TYPE_MATRIX) || op == OP_TYPE_ARRAY || op == OP_TYPE_STRUCT ||
               op == OP_TYPE_POINTER) {
        read_type(r, op, words, count);
    } else if (op == OP_CONSTANT || op == OP_SPEC_CONSTANT || op == OP_SPEC_CONSTANT_OP) {
        read_constant(r, op, words, count);
    } else if (op == OP_VARIABLE && words[3] == STORAGE_WORKGROUP) {
        const declaration *pointer = &r->ids[words[1]];
        r->bytes = round_up(r->bytes, pointer->alignment) + pointer->size;
        r->is_unknown |= !pointer->has_value;
    }
}

/* Shaders are embedded by the build, so their structure is valid. */
sn_result sn_gpu_shader_shared_bytes(const char *name, sn_gpu_shader shader, const uint32_t *constants,
                                     int constant_count, uint64_t *bytes)
{
    const size_t word_count = shader.size / sizeof *shader.code;
    SN_ASSERT(word_count > HEADER_WORDS);
    reading r = {.id_count = shader.code[3], .constants = constants, .constant_count = constant_count};
    *bytes = 0;
    r.ids = sn_alloc(r.id_count, sizeof *r.ids);
    if (!r.ids) {
        return SN_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < r.id_count; ++i) {
        r.ids[i] = (declaration){.spec_id = NO_SPEC_ID};
    }
    for (size_t at = HEADER_WORDS; at < word_count && (shader.code[at] & 0xffff) != OP_FUNCTION;) {
        const uint32_t count = shader.code[at] >> 16;
        SN_ASSERT(count > 0 && count <= word_count - at);
        read_instruction(&r, shader.code[at] & 0xffff, shader.code + at, count);
        at += count;
    }
    sn_free(r.ids, r.id_count, sizeof *r.ids);
    *bytes = r.bytes;
    return r.is_unknown
               ? sn_fail(SN_ERROR_UNSUPPORTED, "%s: the size of the shader's shared memory cannot be computed", name)
               : SN_OK;
}
