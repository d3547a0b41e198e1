/* SPDX-License-Identifier: MIT */
/* Systems: data that depends on locks, hard pins, compliances and settings only. They are prepared by host/coupled on a
 * CPU body and shared by all bodies with the same values. */
#include <math.h>
#include <string.h>

#include "compute/coupled/private.h"

/* ---- keys ---- */

static int count_exact(const sn_gpu_xpbd_body *flesh)
{
    int count = 0;
    for (int i = 0; i < flesh->pin_count; ++i) {
        count += isinf(flesh->pins[i].stiffness) != 0;
    }
    return count;
}

static size_t key_size(const sn_coupled_rig *rig, const sn_gpu_xpbd_body *flesh)
{
    return 5 + 2 * (size_t)rig->handle_count + (size_t)count_exact(flesh);
}

static void write_key(const sn_coupled_rig *rig, const sn_gpu_coupled_body *body, const sn_gpu_xpbd_body *flesh,
                      double *key)
{
    const sn_coupled_settings *s = &body->settings;
    const double settings[5] = {s->xpbd.time_step / s->xpbd.substep_count, s->compliance, s->is_constraint_locked_only,
                                s->regularity, s->newton_count};
    memcpy(key, settings, sizeof settings);
    key += 5;
    for (int k = 0; k < rig->handle_count; ++k) {
        *key++ = body->handles[k].locks;
        *key++ = body->handles[k].compliance;
    }
    for (int i = 0; i < flesh->pin_count; ++i) {
        if (isinf(flesh->pins[i].stiffness)) {
            *key++ = flesh->pins[i].row;
        }
    }
}

static int find(const sn_gpu_coupled *c, int rig, const double *key, size_t count)
{
    for (int i = 0; i < c->system_count; ++i) {
        const sn_gpu_coupled_system *s = &c->systems[i];
        if (s->rig == rig && s->key_count == count && memcmp(s->key, key, count * sizeof *key) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- packing ---- */

typedef struct packing {
    const sn_coupled_body *body;
    double *numbers;
    uint32_t *words;
    uint32_t number_count, word_count;
    uint32_t first_number, first_word;
} packing;

static uint32_t add_numbers(packing *p, const double *numbers, size_t count)
{
    const uint32_t first = p->first_number + p->number_count;
    memcpy(p->numbers + p->number_count, numbers, count * sizeof *numbers);
    p->number_count += (uint32_t)count;
    return first;
}

static uint32_t add_words(packing *p, const int32_t *words, size_t count)
{
    const uint32_t first = p->first_word + p->word_count;
    memcpy(p->words + p->word_count, words, count * sizeof *words);
    p->word_count += (uint32_t)count;
    return first;
}

static uint32_t next_word(const packing *p)
{
    return p->first_word + p->word_count;
}

static struct sn_coupled_axis pack_axis(packing *p, const sn_coupled_elimination *e, size_t columns, bool is_bordered)
{
    const size_t count = (size_t)e->free_count, border = is_bordered ? count : 0;
    return (struct sn_coupled_axis){.free_count = (uint32_t)count,
                                    .free = add_words(p, e->free, count),
                                    .inverse = add_numbers(p, e->inverse, count * count),
                                    .transfer = add_numbers(p, e->transfer, columns * count),
                                    .reduced = add_numbers(p, e->reduced, columns * columns),
                                    .border = add_numbers(p, e->border, columns * border),
                                    .corner = add_numbers(p, e->corner, border * border)};
}

/* The scalars of a handle are consecutive. */
static void pack_solved(packing *p, const sn_coupled_system *system)
{
    int32_t scalar = 0;
    for (int solved = 0; solved < system->solved_count; ++solved) {
        int32_t range[3] = {system->solved[solved], scalar, 0};
        while (scalar < system->scalar_count && system->scalars[scalar].solved == solved) {
            ++scalar;
        }
        range[2] = scalar - range[1];
        add_words(p, range, 3);
    }
}

static struct sn_coupled_part pack_part(packing *p, const sn_coupled_system *system)
{
    const int dimension = p->body->rig->dimension;
    const size_t columns = (size_t)(dimension * system->solved_count);
    struct sn_coupled_part part = {.solved_count = (uint32_t)system->solved_count,
                                   .scalar_count = (uint32_t)system->scalar_count,
                                   .border_count = (uint32_t)system->border_count,
                                   .solved = next_word(p)};
    pack_solved(p, system);
    part.columns = add_words(p, system->columns, columns);
    part.scalars = next_word(p);
    for (int s = 0; s < system->scalar_count; ++s) {
        const sn_coupled_scalar *scalar = &system->scalars[s];
        const int32_t words[3] = {scalar->handle, scalar->solved, scalar->number};
        add_words(p, words, 3);
    }
    for (int axis = 0; axis < dimension; ++axis) {
        int same = 0;
        while (system->of_axis[same] != system->of_axis[axis]) {
            ++same;
        }
        part.axes[axis] =
            same < axis ? part.axes[same] : pack_axis(p, system->of_axis[axis], columns, system->border_count > 0);
    }
    return part;
}

static void pack_joint_locks(packing *p, struct sn_coupled_system_record *record)
{
    const sn_coupled_body *body = p->body;
    record->joint_lock_mass = body->joint_lock_mass;
    record->min_compliance_factor = body->min_compliance_factor;
    record->joint_lock_count = (uint32_t)body->joint_lock_count;
    record->joint_locks = next_word(p);
    record->joint_lock_functions = p->first_number + p->number_count;
    for (int i = 0; i < body->joint_lock_count; ++i) {
        const int32_t words[2] = {body->joint_locks[i].handle, (int32_t)body->joint_locks[i].axes};
        add_words(p, words, 2);
        add_numbers(p, body->joint_locks[i].functions, (size_t)body->rig->basis_count);
    }
}

static void pack(packing *p, struct sn_coupled_system_record *record)
{
    const sn_coupled_body *body = p->body;
    const size_t basis = (size_t)body->rig->basis_count, numbers = (size_t)body->rig->dimension + 1;
    *record = (struct sn_coupled_system_record){.parts = {pack_part(p, &body->fit), pack_part(p, &body->projection)},
                                                .is_constraint_locked_only = body->settings.is_constraint_locked_only,
                                                .newton_count = (uint32_t)body->settings.newton_count};
    pack_joint_locks(p, record);
    record->locks = next_word(p);
    for (int k = 0; k < body->rig->handle_count; ++k) {
        const int32_t locks = (int32_t)body->handles[k].locks;
        record->is_locked |= locks != 0;
        add_words(p, &locks, 1);
    }
    record->fit_gram = add_numbers(p, body->fit_gram, basis * basis);
    record->free_gram = add_numbers(p, body->free_gram, basis * basis);
    record->free_moments = add_numbers(p, body->free_moments, basis * numbers);
}

/* ---- systems ---- */

/* Prepares the system on the rig's CPU body. */
static sn_result prepare(sn_gpu_coupled *c, int index)
{
    const sn_gpu_coupled_body *body = &c->bodies[index];
    const sn_gpu_xpbd_body *flesh = sn_gpu_xpbd_find(c->xpbd, index);
    sn_coupled_body *scratch = c->rigs[body->rig].scratch;
    const int32_t *order = scratch->rig->model->order;
    sn_result result = sn_coupled_body_set_settings(scratch, &body->settings);
    for (int k = 0; k < scratch->rig->handle_count; ++k) {
        scratch->handles[k] = body->handles[k];
    }
    while (scratch->flesh->pin_count > 0) {
        sn_xpbd_body_unpin(scratch->flesh, order[scratch->flesh->pins[0].row]);
    }
    for (int i = 0; i < flesh->pin_count && result == SN_OK; ++i) {
        result = sn_xpbd_body_pin(scratch->flesh, order[flesh->pins[i].row], flesh->pins[i].stiffness);
    }
    if (result == SN_OK) {
        sn_coupled_prepare(scratch);
    }
    return result;
}

static sn_result upload(sn_gpu_coupled *c, int number)
{
    const sn_gpu_coupled_system *s = &c->systems[number];
    const sn_gpu_coupled_rig *r = &c->rigs[s->rig];
    sn_arena arena = {0};
    packing p = {.body = r->scratch,
                 .numbers = SN_NEW(&arena, double, r->system_numbers),
                 .words = SN_NEW(&arena, uint32_t, r->system_words),
                 .first_number = s->numbers,
                 .first_word = s->words};
    struct sn_coupled_system_record record;
    sn_result result = p.numbers && p.words ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        pack(&p, &record);
        SN_ASSERT(p.number_count <= r->system_numbers && p.word_count <= r->system_words);
        sn_gpu_device_wait(c->device); /* recordings in flight read the buffers */
        result = sn_gpu_upload_range(c->device, &c->buffers[SN_COUPLED_NUMBERS], s->numbers * sizeof(double), p.numbers,
                                     p.number_count * sizeof(double));
    }
    if (result == SN_OK) {
        result = sn_gpu_upload_range(c->device, &c->buffers[SN_COUPLED_TABLES], s->words * sizeof(uint32_t), p.words,
                                     p.word_count * sizeof(uint32_t));
    }
    if (result == SN_OK) {
        result = sn_gpu_upload_range(c->device, &c->buffers[SN_COUPLED_SYSTEMS], (size_t)number * sizeof record,
                                     &record, sizeof record);
    }
    sn_arena_finish(&arena);
    return result;
}

/* A slot of the same rig without users, or a new one at the end. */
static sn_result find_system_slot(sn_gpu_coupled *c, int rig, int *number)
{
    const sn_gpu_coupled_rig *r = &c->rigs[rig];
    for (int i = 0; i < c->system_count; ++i) {
        if (c->systems[i].rig == rig && c->systems[i].user_count == 0) {
            *number = i;
            return SN_OK;
        }
    }
    sn_gpu_coupled_system *grown = sn_grow(c->systems, c->system_count, &c->system_capacity, sizeof *c->systems);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    c->systems = grown;
    const VkDeviceSize numbers = c->used_numbers + (VkDeviceSize)r->system_numbers;
    const VkDeviceSize words = c->used_words + (VkDeviceSize)r->system_words;
    const VkDeviceSize records = (VkDeviceSize)c->system_count + 1;
    SN_TRY(sn_gpu_coupled_enlarge(c, SN_COUPLED_NUMBERS, numbers * sizeof(double)));
    SN_TRY(sn_gpu_coupled_enlarge(c, SN_COUPLED_TABLES, words * sizeof(uint32_t)));
    SN_TRY(sn_gpu_coupled_enlarge(c, SN_COUPLED_SYSTEMS, records * sizeof(struct sn_coupled_system_record)));
    *number = c->system_count++;
    c->systems[*number] = (sn_gpu_coupled_system){.rig = rig, .numbers = c->used_numbers, .words = c->used_words};
    c->used_numbers = (uint32_t)numbers;
    c->used_words = (uint32_t)words;
    return SN_OK;
}

static void free_key(sn_gpu_coupled_system *s)
{
    sn_free(s->key, s->key_count, sizeof *s->key);
    s->key = NULL;
    s->key_count = 0;
}

/* Takes ownership of the key. */
static sn_result create_system(sn_gpu_coupled *c, int body, double *key, size_t count, int *number)
{
    sn_result result = find_system_slot(c, c->bodies[body].rig, number);
    if (result != SN_OK) {
        sn_free(key, count, sizeof *key);
        return result;
    }
    sn_gpu_coupled_system *s = &c->systems[*number];
    free_key(s);
    s->key = key;
    s->key_count = count;
    result = prepare(c, body);
    if (result == SN_OK) {
        result = upload(c, *number);
    }
    if (result == SN_OK) {
        result = sn_gpu_coupled_bind(c);
    }
    if (result != SN_OK) {
        free_key(s);
    }
    return result;
}

sn_result sn_gpu_coupled_update_system(sn_gpu_coupled *c, int index)
{
    sn_gpu_coupled_body *body = &c->bodies[index];
    const sn_coupled_rig *rig = c->rigs[body->rig].rig;
    const sn_gpu_xpbd_body *flesh = sn_gpu_xpbd_find(c->xpbd, index);
    const size_t count = key_size(rig, flesh);
    double *key = sn_alloc(count, sizeof *key);
    if (!key) {
        return SN_ERROR_MEMORY;
    }
    write_key(rig, body, flesh, key);
    int number = find(c, body->rig, key, count);
    if (number >= 0) {
        sn_free(key, count, sizeof *key);
    } else {
        SN_TRY(create_system(c, index, key, count, &number));
    }
    ++c->systems[number].user_count;
    if (body->system >= 0) {
        --c->systems[body->system].user_count;
    }
    body->system = number;
    return SN_OK;
}

void sn_gpu_coupled_free_systems(sn_gpu_coupled *c)
{
    for (int i = 0; i < c->system_count; ++i) {
        free_key(&c->systems[i]);
    }
    sn_free(c->systems, (size_t)c->system_capacity, sizeof *c->systems);
}
