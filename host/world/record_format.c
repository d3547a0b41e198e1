/* SPDX-License-Identifier: MIT */
/* Reading and writing share the code for each field, so that they cannot diverge. */
#include "host/world/record_format.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recordings are little-endian");
_Static_assert(sizeof(void *) != 8 || sizeof(sn_body_desc) == 200,
               "a parameter more of bodies is one more in code_body_desc");
_Static_assert(sizeof(void *) != 8 || sizeof(sn_collider_desc) == 120, "and one of colliders in code_collider_desc");
_Static_assert(sizeof(sn_grab_desc) == 32, "and one of grabs in code_grab_desc");

static const char *const layouts[] = {
#define SN_TYPE(name, fields) fields,
    SN_RECORD_TYPES(SN_TYPE)
#undef SN_TYPE
};

static bool reserve(sn_record_coder *c, size_t more)
{
    if (more <= c->capacity - c->size) {
        return true;
    }
    const size_t capacity = 2 * c->capacity + more + 4096;
    uint8_t *bytes = sn_alloc(capacity, 1);
    if (!bytes) {
        c->is_bad = true;
        return false;
    }
    if (c->size > 0) {
        memcpy(bytes, c->bytes, c->size);
    }
    sn_free(c->bytes, c->capacity, 1);
    c->bytes = bytes;
    c->capacity = capacity;
    return true;
}

void sn_record_coder_finish(sn_record_coder *c)
{
    sn_free(c->bytes, c->capacity, 1);
    *c = (sn_record_coder){0};
}

/* While reading, `capacity` is the record's size and `size` the number of bytes read. */
static bool read_bytes(sn_record_coder *c, size_t size, const uint8_t **from)
{
    if (c->is_bad || size > c->capacity - c->size) {
        c->is_bad = true;
        return false;
    }
    *from = c->bytes + c->size;
    c->size += size;
    return true;
}

static void code(sn_record_coder *c, void *value, size_t size)
{
    const uint8_t *from = NULL;
    if (c->is_reading) {
        if (read_bytes(c, size, &from)) {
            memcpy(value, from, size);
        }
    } else if (reserve(c, size) && size > 0) {
        memcpy(c->bytes + c->size, value, size);
        c->size += size;
    }
}

/* Codes a count and its items. The caller ensures that the items are aligned. */
static void code_array(sn_record_coder *c, const void **items, int32_t *count, size_t item_size)
{
    const uint8_t *from = NULL;
    code(c, count, sizeof *count);
    c->is_bad |= *count < 0;
    if (c->is_bad) {
        return;
    }
    if (!c->is_reading) {
        code(c, (void *)(uintptr_t)*items, (size_t)*count * item_size);
    } else if (read_bytes(c, (size_t)*count * item_size, &from)) {
        *items = from;
    }
}

static void code_flag(sn_record_coder *c, bool *flag)
{
    int32_t value = *flag;
    code(c, &value, sizeof value);
    *flag = value != 0;
}

static void code_int(sn_record_coder *c, int *value)
{
    code(c, value, sizeof(int32_t));
}

static void code_double(sn_record_coder *c, double *value)
{
    code(c, value, sizeof *value);
}

static void code_body_desc(sn_record_coder *c, sn_body_desc *d)
{
    int solver = (int)d->solver, mode = (int)d->layered_mode;
    code_int(c, &solver);
    code_int(c, &mode);
    d->solver = (sn_body_solver)solver;
    d->layered_mode = (sn_layered_mode)mode;
    double *const numbers[] = {&d->stiffness, &d->damping, &d->amount,     &d->tolerance,   &d->budget_seconds,
                               &d->mass,      &d->poisson, &d->compliance, &d->sleep_speed, &d->spring_wind_area};
    int *const integers[] = {&d->iteration_limit, &d->mode_count,  &d->cluster_level,
                             &d->substep_count,   &d->sweep_count, &d->consolidation_sweep_count};
    bool *const flags[] = {&d->is_neo_hookean,     &d->is_without_bone_colliders, &d->has_gravity_at_rest,
                           &d->is_without_springs, &d->is_rigid_damped,           &d->is_constraint_locked_only};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        code_double(c, numbers[i]);
    }
    code(c, d->gravity, sizeof d->gravity);
    code(c, d->wind, sizeof d->wind);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; ++i) {
        code_int(c, integers[i]);
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
        code_flag(c, flags[i]);
    }
}

static void code_collider_desc(sn_record_coder *c, sn_collider_desc *d)
{
    int shape = (int)d->shape;
    code_int(c, &shape);
    d->shape = (sn_collider_shape)shape;
    code_double(c, &d->radius);
    code_double(c, &d->half_height);
    code(c, d->half_extents, sizeof d->half_extents);
    code_double(c, &d->friction);
    code(c, &d->transform, sizeof d->transform);
}

static void code_grab_desc(sn_record_coder *c, sn_grab_desc *d)
{
    code_double(c, &d->max_distance);
    code_double(c, &d->softness);
    code_double(c, &d->damping_ratio);
    code_double(c, &d->strength);
}

/* The number of distances determines the number of nodes. */
static void code_grid(sn_record_coder *c, sn_record_call *call)
{
    sn_grid_desc *d = &call->desc.grid;
    const void *distances = call->floats;
    code(c, d->origin, sizeof d->origin);
    code_double(c, &d->spacing);
    code(c, d->counts, sizeof d->counts);
    code_array(c, &distances, &call->count, sizeof(float));
    int64_t nodes = 1;
    for (int k = 0; k < 3; ++k) {
        c->is_bad |= d->counts[k] < 2 || d->counts[k] > call->count || nodes > call->count;
        nodes *= c->is_bad ? 1 : d->counts[k];
    }
    c->is_bad |= nodes != call->count;
    call->floats = d->distances = distances;
}

/* Codes a text with its terminating null byte; values after it are aligned to 4 bytes by the record's padding. */
static void code_text(sn_record_coder *c, const char **text)
{
    const void *text_bytes = *text ? *text : "";
    int32_t count = c->is_reading ? 0 : (int32_t)strnlen(text_bytes, 65535) + 1;
    static const char end = 0;
    if (c->is_reading) {
        code_array(c, &text_bytes, &count, 1);
        c->is_bad |= !c->is_bad && (count < 1 || ((const char *)text_bytes)[count - 1] != 0);
        *text = c->is_bad ? "" : text_bytes;
        return;
    }
    code(c, &count, sizeof count);
    code(c, (void *)(uintptr_t)text_bytes, (size_t)count - 1);
    code(c, (void *)(uintptr_t)&end, 1);
}

/* Aligned to 8 bytes in the file, as models require. */
static void code_bytes(sn_record_coder *c, sn_record_call *call)
{
    const uint8_t *from = NULL;
    uint64_t has_bytes = call->bytes != NULL;
    code(c, &call->byte_count, sizeof call->byte_count);
    code(c, &has_bytes, sizeof has_bytes);
    if (c->is_bad || !has_bytes) {
        call->bytes = NULL;
    } else if (!c->is_reading) {
        code(c, (void *)(uintptr_t)call->bytes, (size_t)call->byte_count);
    } else if (call->byte_count > SIZE_MAX) { /* recorded by a 64-bit system */
        c->is_bad = true;
    } else if (read_bytes(c, (size_t)call->byte_count, &from)) {
        call->bytes = from;
    }
}

/* A field that is copied from a member of the call; null for other fields. */
static void *member_field(char field, sn_record_call *call, size_t *size)
{
#define MEMBER(letter, member)                                                                                         \
    case letter:                                                                                                       \
        *size = sizeof call->member;                                                                                   \
        return &call->member
    switch (field) {
        MEMBER('b', body);
        MEMBER('i', index);
        MEMBER('j', other);
        MEMBER('n', number);
        MEMBER('s', scalar);
        MEMBER('t', second);
        MEMBER('p', point);
        MEMBER('v', vector);
        MEMBER('h', hash);
        MEMBER('M', matrix);
    default:
        return NULL;
    }
#undef MEMBER
}

static void code_field(sn_record_coder *c, char field, sn_record_call *call)
{
    const void *items = field == 'A' ? (const void *)call->matrices : call->floats;
    size_t size = 0;
    void *value_address = member_field(field, call, &size);
    if (value_address) {
        code(c, value_address, size);
        return;
    }
    switch (field) {
    case 'A':
        code_array(c, &items, &call->count, sizeof(sn_mat3x4));
        call->matrices = items;
        break;
    case 'F':
        code_array(c, &items, &call->count, sizeof(float));
        call->floats = items;
        break;
    case 'T':
        code_text(c, &call->text);
        break;
    case 'B':
        code_bytes(c, call);
        break;
    case 'G':
        code_grid(c, call);
        break;
    case 'C':
        code_collider_desc(c, &call->desc.collider);
        break;
    case 'D':
        code_body_desc(c, &call->desc.body);
        break;
    default:
        SN_ASSERT(field == 'H');
        code_grab_desc(c, &call->desc.grab);
        break;
    }
}

bool sn_record_code(sn_record_coder *c, sn_record_call *call)
{
    SN_ASSERT(call->type < SN_RECORD_END);
    for (const char *field = layouts[call->type]; *field && !c->is_bad; ++field) {
        code_field(c, *field, call);
    }
    c->is_bad |= c->is_reading && c->size != c->capacity;
    return !c->is_bad;
}
