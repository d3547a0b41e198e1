/* SPDX-License-Identifier: MIT */
/* A body: made, locked, aimed, moved, read. */
#include <math.h>
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define FARTHEST_TARGET 1e6 /* diagonals */

sn_coupled_settings sn_default_coupled_settings(void)
{
    return (sn_coupled_settings){.xpbd = sn_default_xpbd_settings(), .newton_count = 2, .regularity = 0.05};
}

bool sn_coupled_are_settings_sound(const sn_coupled_settings *s)
{
    return s->compliance >= 0 && isfinite(s->compliance) && s->newton_count >= 1 && s->regularity >= 0 &&
           s->regularity < 1;
}

static sn_result check_settings(const sn_coupled_settings *s)
{
    return sn_coupled_are_settings_sound(s)
               ? SN_OK
               : sn_fail_within(SN_ERROR_ARGUMENT, "coupled body: a setting is not finite or out of its range");
}

static const sn_coupled_kernels *choose_kernels(const sn_xpbd_body *flesh)
{
#if defined(__x86_64__)
    if (flesh->kernels == &sn_xpbd_kernels_avx512) {
        return &sn_coupled_kernels_avx512;
    }
    if (flesh->kernels == &sn_xpbd_kernels_avx2) {
        return &sn_coupled_kernels_avx2;
    }
#endif
    return flesh->settings.is_double                   ? &sn_coupled_kernels_f64
           : flesh->kernels == &sn_xpbd_kernels_scalar ? &sn_coupled_kernels_scalar
                                                       : &sn_coupled_kernels_baseline;
}

sn_result sn_coupled_body_set_settings(sn_coupled_body *body, const sn_coupled_settings *settings)
{
    sn_result result = check_settings(settings);
    if (result == SN_OK) {
        result = sn_xpbd_body_set_settings(body->flesh, &settings->xpbd);
    }
    if (result == SN_OK) {
        body->settings = *settings;
        body->kernels = choose_kernels(body->flesh);
        body->is_prepared = false;
    }
    return result;
}

/* ---- memory ---- */

static bool allocate_rows(sn_arena *arena, int count, sn_coupled_rows *rows)
{
    const size_t blocks = (size_t)sn_rows_blocks(count);
    rows->starts = SN_NEW(arena, int32_t, blocks + 1);
    rows->runs = SN_NEW(arena, int32_t, 2 * blocks * (size_t)sn_rows_most(count));
    return rows->starts && rows->runs;
}

static bool allocate_system(sn_arena *arena, const sn_coupled_rig *rig, int axis_count, int scalar_count,
                            sn_coupled_system *system)
{
    const size_t basis = (size_t)rig->basis_count, turning = (size_t)rig->turning_count;
    const size_t groups = (turning + SN_TILE - 1) / SN_TILE, border = SN_COUPLED_MOST_BORDER;
    const size_t rank = (size_t)sn_tiles_rank(sn_coupled_most_unknowns(rig));
    system->kept = SN_NEW(arena, int32_t, rig->turning_count);
    system->firsts = SN_NEW(arena, int32_t, turning + 1);
    system->columns = SN_NEW(arena, int32_t, basis);
    system->scalars = SN_NEW(arena, sn_coupled_scalar, scalar_count);
    system->links = SN_NEW(arena, uint8_t, turning * groups);
    system->tiles.is_felt = SN_NEW(arena, bool, rank *rank);
    bool is_ok =
        system->kept && system->firsts && system->columns && system->scalars && system->links && system->tiles.is_felt;
    for (int axis = 0; axis < axis_count; ++axis) {
        system->axes[axis].free = SN_NEW(arena, int32_t, basis);
        system->axes[axis].storage = SN_NEW(arena, double, basis *basis + border * (basis + border));
        system->axes[axis].blocks = SN_NEW(arena, double, rig->dimension == 3 ? 9 * SN_TILE * groups * turning : 0);
        is_ok = is_ok && system->axes[axis].free && system->axes[axis].storage && system->axes[axis].blocks &&
                allocate_rows(arena, rig->basis_count, &system->axes[axis].rows);
    }
    return is_ok;
}

int sn_coupled_most_scalars(const sn_coupled_rig *rig)
{
    const int dimension = rig->dimension, rotations = dimension == 2 ? 1 : 3;
    int count = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        const int stretches = rig->handles[k].kind == SN_HANDLE_AFFINE ? dimension * (dimension + 1) / 2 : 0;
        count += rig->turning[k] >= 0 ? rotations + stretches : 0;
    }
    return count;
}

int sn_coupled_most_unknowns(const sn_coupled_rig *rig)
{
    const bool is_large = rig->turning_count >= SN_COUPLED_LARGE_TREE;
    return sn_coupled_most_scalars(rig) + (is_large ? SN_COUPLED_MOST_BORDER : 0);
}

static bool allocate_holds(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    bool is_ok = true;
    body->holds = SN_NEW(&body->arena, sn_coupled_hold, rig->handle_count);
    for (int k = 0, joints = 0; k < rig->handle_count && body->holds; ++k) {
        if (rig->handles[k].parent >= 0) {
            body->holds[joints].functions = SN_NEW(&body->arena, double, rig->basis_count);
            is_ok = is_ok && body->holds[joints++].functions;
        }
    }
    return is_ok && body->holds;
}

/* What depends on the rig. */
static sn_result allocate(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count, scalars = (size_t)sn_coupled_most_scalars(rig);
    const size_t dimension = (size_t)rig->dimension, numbers = (dimension + 1) * dimension;
    const size_t matrices = numbers * (size_t)rig->handle_count, lanes = SN_BATCH * matrices;
    const size_t unknowns = (size_t)sn_coupled_most_unknowns(rig);
    const size_t side = SN_TILE * (size_t)sn_tiles_rank((int)unknowns);
    sn_arena *arena = &body->arena;
    double **const vectors[] = {&body->moments, &body->y,       &body->residual, &body->change,
                                &body->found,   &body->missing, &body->pushed};
    bool is_ok = true;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = SN_NEW(arena, double, dimension *basis);
        is_ok = is_ok && *vectors[i];
    }
    body->handles = SN_NEW(arena, sn_coupled_handle_state, rig->handle_count);
    body->shares = SN_NEW(arena, double, (dimension + 1) * basis);
    body->raw = SN_NEW(arena, double, matrices);
    body->generators = SN_NEW(arena, double, scalars *dimension *dimension);
    body->linear = SN_NEW(arena, double, 9 * ((size_t)rig->turning_count + SN_TILE));
    body->matrix = SN_NEW(arena, double, side *side);
    body->right = SN_NEW(arena, double, unknowns);
    body->fit_gram = SN_NEW(arena, double, basis *basis);
    body->free_gram = SN_NEW(arena, double, basis *basis);
    body->blend = SN_NEW(arena, double, basis *basis);
    body->work = SN_NEW(arena, double, basis *basis);
    body->lanes = sn_arena_alloc(arena, lanes, body->flesh->real_size);
    body->matrices = sn_arena_alloc(arena, matrices, body->flesh->real_size);
    is_ok = is_ok && body->handles && body->shares && body->raw && body->generators && body->linear && body->matrix &&
            body->right && body->fit_gram && body->free_gram && body->blend && body->work && body->lanes &&
            body->matrices && allocate_holds(body) && allocate_rows(arena, rig->basis_count, &body->rows) &&
            allocate_system(arena, rig, rig->dimension, (int)scalars, &body->fit) &&
            allocate_system(arena, rig, 1, (int)scalars, &body->projection);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- poses ---- */

void sn_coupled_compose(sn_coupled_handle_state *handle)
{
    double turn[9];
    sn_quaternion_to_matrix(handle->turn, turn);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            const double *s = handle->stretch;
            handle->linear[3 * d + e] = turn[3 * d] * s[e] + turn[3 * d + 1] * s[3 + e] + turn[3 * d + 2] * s[6 + e];
        }
    }
}

/* turn begins where it was. */
static void decompose(const double *linear, double *turn, double *stretch)
{
    double r[9], s[9];
    sn_quaternion_polar(linear, turn);
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            s[3 * d + e] = r[d] * linear[e] + r[3 + d] * linear[3 + e] + r[6 + d] * linear[6 + e];
        }
    }
    for (int i = 0; i < 9; ++i) {
        stretch[i] = (s[i] + s[3 * (i % 3) + i / 3]) / 2;
    }
}

void sn_coupled_decompose(sn_coupled_handle_state *handle)
{
    decompose(handle->linear, handle->turn, handle->stretch);
}

/* At rest, moved by a rigid transform about the world's origin: quaternion and translation. */
static void place_handle(const sn_coupled_body *body, int k, const double *turn, const double *shift)
{
    sn_coupled_handle_state *handle = &body->handles[k];
    double r[9];
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        handle->place[d] = shift[d];
        for (int e = 0; e < 3; ++e) {
            handle->place[d] += r[3 * d + e] * (body->rig->handles[k].pivot[e] + body->rig->model->centre[e]);
        }
    }
    for (int i = 0; i < 9; ++i) {
        handle->stretch[i] = i % 4 == 0;
    }
    const double still[4] = {0, 0, 0, 1};
    memcpy(handle->turn, body->rig->turning[k] >= 0 ? turn : still, sizeof still);
    sn_coupled_compose(handle);
}

static sn_coupled_pose pose_of(const sn_coupled_handle_state *handle)
{
    sn_coupled_pose pose;
    memcpy(pose.place, handle->place, sizeof pose.place);
    memcpy(pose.turn, handle->turn, sizeof pose.turn);
    memcpy(pose.stretch, handle->stretch, sizeof pose.stretch);
    return pose;
}

static void begin_handle(const sn_coupled_body *body, int k)
{
    sn_coupled_handle_state *handle = &body->handles[k];
    handle->target = handle->target_before = pose_of(handle);
    handle->compliance = -1;
}

void sn_coupled_begin(sn_coupled_body *body)
{
    static const double still[4] = {0, 0, 0, 1}, nowhere[3] = {0};
    for (int k = 0; k < body->rig->handle_count; ++k) {
        place_handle(body, k, still, nowhere);
        begin_handle(body, k);
        body->handles[k].locks = 0;
    }
}

/* ---- bodies ---- */

sn_result sn_coupled_body_create(const sn_coupled_rig *rig, const sn_coupled_settings *settings, sn_coupled_body **body)
{
    *body = NULL;
    sn_result result = check_settings(settings);
    if (result != SN_OK) {
        return result;
    }
    sn_coupled_body *made = sn_alloc(1, sizeof *made);
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    made->rig = rig;
    made->settings = *settings;
    result = sn_xpbd_body_create(rig->model, &settings->xpbd, &made->flesh);
    if (result == SN_OK) {
        made->kernels = choose_kernels(made->flesh);
        result = allocate(made);
    }
    if (result != SN_OK) {
        sn_coupled_body_destroy(&made);
        return result;
    }
    sn_coupled_begin(made);
    *body = made;
    return SN_OK;
}

void sn_coupled_body_destroy(sn_coupled_body **body)
{
    if (*body) {
        sn_xpbd_body_destroy(&(*body)->flesh);
        sn_arena_finish(&(*body)->arena);
        sn_free(*body, 1, sizeof **body);
        *body = NULL;
    }
}

sn_xpbd_body *sn_coupled_body_flesh(sn_coupled_body *body)
{
    return body->flesh;
}

/* ---- another rig ---- */

/* The nearest row of the flesh to a pivot. */
static int nearest_row(const sn_coupled_rig *rig, int handle)
{
    const double *pivot = rig->handles[handle].pivot;
    double best = INFINITY;
    int nearest = 0;
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        const float *x = rig->model->rest + 4 * row;
        const double at[3] = {(double)x[0], (double)x[1], (double)x[2]}, away = sn_distance3(at, pivot);
        nearest = away < best ? row : nearest;
        best = fmin(best, away);
    }
    return nearest;
}

/* Where the flesh is at its pivot, turned as the old rig turns it there. */
static void begin_at_flesh(sn_coupled_body *body, const sn_coupled_body *old, int k)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_blocks *b = &old->rig->blocks;
    sn_coupled_handle_state *handle = &body->handles[k];
    const int row = nearest_row(rig, k), block = row / SN_BATCH;
    double linear[9] = {0}, turn[4] = {0, 0, 0, 1}, r[9], stretch[9], place[3], shift[3];
    for (int slot = b->starts[block]; slot < b->starts[block + 1]; ++slot) {
        const double weight = (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
        for (int i = 0; i < 9; ++i) {
            linear[i] += weight * old->handles[b->handles[slot]].linear[i];
        }
    }
    decompose(linear, turn, stretch);
    sn_quaternion_to_matrix(turn, r);
    sn_xpbd_get_place(body->flesh, row, place);
    for (int d = 0; d < 3; ++d) { /* what takes the row there, as a transform of the world */
        shift[d] = place[d];
        for (int e = 0; e < 3; ++e) {
            shift[d] -= r[3 * d + e] * ((double)rig->model->rest[4 * row + e] + rig->model->centre[e]);
        }
    }
    place_handle(body, k, turn, shift);
    begin_handle(body, k);
    handle->locks = 0;
}

sn_result sn_coupled_body_set_rig(sn_coupled_body *body, const sn_coupled_rig *rig, const int32_t *from)
{
    SN_ASSERT(rig->model == body->rig->model);
    sn_coupled_body old = *body;
    body->rig = rig;
    body->arena = (sn_arena){0};
    const sn_result result = allocate(body);
    if (result != SN_OK) {
        sn_arena_finish(&body->arena);
        *body = old;
        return result;
    }
    for (int k = 0; k < rig->handle_count; ++k) {
        SN_ASSERT(from[k] < old.rig->handle_count);
        if (from[k] >= 0) {
            body->handles[k] = old.handles[from[k]];
            body->handles[k].locks &= sn_coupled_possible_locks(rig, k);
        } else {
            begin_at_flesh(body, &old, k);
        }
    }
    sn_arena_finish(&old.arena);
    sn_coupled_settle(body);
    body->flesh->still_seconds = 0;
    return SN_OK;
}

/* ---- locks and targets ---- */

static sn_coupled_handle_state *handle_of(const sn_coupled_body *body, int handle)
{
    SN_ASSERT(handle >= 0 && handle < body->rig->handle_count);
    return &body->handles[handle];
}

void sn_coupled_lock(const sn_coupled_rig *rig, int handle, unsigned wanted, sn_coupled_handle_state *state)
{
    const unsigned added = wanted & ~state->locks;
    if (rig->handles[handle].kind == SN_HANDLE_AFFINE) {
        sn_coupled_decompose(state);
    }
    const sn_coupled_pose now = pose_of(state);
    for (int d = 0; d < 3; ++d) {
        if (added >> d & 1) {
            state->target.place[d] = state->target_before.place[d] = now.place[d];
        }
    }
    if (added & SN_LOCK_ROTATION) {
        memcpy(state->target.turn, now.turn, sizeof now.turn);
        memcpy(state->target_before.turn, now.turn, sizeof now.turn);
    }
    if (added & SN_LOCK_STRETCH) {
        memcpy(state->target.stretch, now.stretch, sizeof now.stretch);
        memcpy(state->target_before.stretch, now.stretch, sizeof now.stretch);
    }
    state->locks = wanted;
}

void sn_coupled_body_set_locks(sn_coupled_body *body, int handle, unsigned locks)
{
    sn_coupled_handle_state *state = handle_of(body, handle);
    const unsigned wanted = locks & sn_coupled_possible_locks(body->rig, handle);
    if (wanted != state->locks) {
        sn_coupled_lock(body->rig, handle, wanted, state);
        body->is_prepared = false;
        body->flesh->still_seconds = 0;
    }
}

unsigned sn_coupled_body_locks(const sn_coupled_body *body, int handle)
{
    return handle_of(body, handle)->locks;
}

bool sn_coupled_aim_at(const sn_coupled_rig *rig, int handle, const double *transform, sn_coupled_handle_state *state)
{
    sn_coupled_pose wanted = state->target;
    double pivot[3], linear[9], size = 0;
    for (int d = 0; d < 3; ++d) {
        pivot[d] = rig->handles[handle].pivot[d] + rig->model->centre[d];
        for (int e = 0; e < 3; ++e) {
            linear[3 * d + e] = transform[4 * d + e];
            size += fabs(transform[4 * d + e]);
        }
    }
    sn_affine_apply(transform, pivot, wanted.place);
    const double away = sn_distance3(wanted.place, pivot);
    if (!(size < FARTHEST_TARGET) || !(away < FARTHEST_TARGET * rig->length)) {
        return false;
    }
    if (rig->turning[handle] >= 0) {
        decompose(linear, wanted.turn, wanted.stretch);
    }
    wanted.place[2] = rig->dimension == 2 ? state->target.place[2] : wanted.place[2];
    if (rig->handles[handle].kind != SN_HANDLE_AFFINE) {
        memcpy(wanted.stretch, state->target.stretch, sizeof wanted.stretch);
    }
    if (memcmp(&wanted, &state->target, sizeof wanted) == 0) {
        return false;
    }
    state->target = wanted;
    return state->locks != 0;
}

void sn_coupled_body_set_target(sn_coupled_body *body, int handle, const double *transform)
{
    if (sn_coupled_aim_at(body->rig, handle, transform, handle_of(body, handle))) {
        body->flesh->still_seconds = 0;
    }
}

void sn_coupled_soften(sn_coupled_handle_state *state, double compliance)
{
    state->compliance = compliance >= 0 && isfinite(compliance) ? compliance : -1;
}

void sn_coupled_body_set_compliance(sn_coupled_body *body, int handle, double compliance)
{
    sn_coupled_soften(handle_of(body, handle), compliance);
    body->is_prepared = false;
    body->flesh->still_seconds = 0;
}

/* ---- reading ---- */

void sn_coupled_body_transforms(const sn_coupled_body *body, double *transforms)
{
    const sn_coupled_rig *rig = body->rig;
    for (int k = 0; k < rig->handle_count; ++k) {
        const sn_coupled_handle_state *handle = &body->handles[k];
        double *to = transforms + 12 * (size_t)k;
        for (int d = 0; d < 3; ++d) {
            to[4 * d + 3] = handle->place[d];
            for (int e = 0; e < 3; ++e) {
                to[4 * d + e] = handle->linear[3 * d + e];
                to[4 * d + 3] -= to[4 * d + e] * (rig->handles[k].pivot[e] + rig->model->centre[e]);
            }
        }
    }
}

/* ---- moving ---- */

/* What the targets are moved by in the mean: a rotation, and where it takes a point. */
static void mean_motion(const sn_coupled_body *body, double *turn, double *from, double *to)
{
    const sn_coupled_rig *rig = body->rig;
    double sum[4] = {0};
    int count = 0;
    from[0] = from[1] = from[2] = to[0] = to[1] = to[2] = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        const sn_coupled_handle_state *handle = &body->handles[k];
        const double *q = handle->target.turn;
        const double side = q[0] * sum[0] + q[1] * sum[1] + q[2] * sum[2] + q[3] * sum[3];
        for (int i = 0; i < 4 && (handle->locks & SN_LOCK_ROTATION); ++i) {
            sum[i] += side < 0 ? -q[i] : q[i];
        }
        count += (handle->locks & SN_LOCK_TRANSLATION) != 0;
        for (int d = 0; d < 3 && (handle->locks & SN_LOCK_TRANSLATION); ++d) {
            from[d] += rig->handles[k].pivot[d] + rig->model->centre[d];
            to[d] += handle->target.place[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        from[d] = count > 0 ? from[d] / count : rig->model->centre[d];
        to[d] = count > 0 ? to[d] / count : from[d];
    }
    memcpy(turn, sum, sizeof sum);
    sn_quaternion_normalize(turn);
}

void sn_coupled_rest_at(sn_coupled_body *body, const double *turn, const double *shift)
{
    double transform[12], r[9];
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        memcpy(transform + 4 * d, r + 3 * d, 3 * sizeof *r);
        transform[4 * d + 3] = shift[d];
    }
    if (body->flesh->pin_count == 0) {
        sn_xpbd_body_teleport(body->flesh, transform);
    }
    for (int k = 0; k < body->rig->handle_count; ++k) {
        place_handle(body, k, turn, shift);
        body->handles[k].target_before = pose_of(&body->handles[k]);
    }
}

void sn_coupled_body_reset(sn_coupled_body *body)
{
    double turn[4], from[3], to[3], r[9];
    sn_xpbd_body_reset(body->flesh);
    mean_motion(body, turn, from, to);
    if (body->flesh->pin_count > 0) { /* there the flesh is already */
        const double still[4] = {0, 0, 0, 1};
        memcpy(turn, still, sizeof still);
        memcpy(from, body->rig->model->centre, sizeof from);
        memcpy(to, body->flesh->origin, sizeof to);
    }
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            to[d] -= r[3 * d + e] * from[e];
        }
    }
    sn_coupled_rest_at(body, turn, to);
}

/* Of a pose. */
static void carry(const sn_coupled_rig *rig, int k, const double *transform, const double *turn, double *place,
                  double *own_turn)
{
    double moved[3];
    sn_affine_apply(transform, place, moved);
    memcpy(place, moved, sizeof moved);
    if (rig->turning[k] >= 0) {
        sn_quaternion_multiply(turn, own_turn, own_turn);
    }
}

void sn_coupled_body_teleport(sn_coupled_body *body, const double *transform)
{
    double linear[9], turn[4], turned[9];
    for (int i = 0; i < 9; ++i) {
        linear[i] = transform[4 * (i / 3) + i % 3];
    }
    sn_quaternion_from_matrix(linear, turn);
    sn_xpbd_body_teleport(body->flesh, transform);
    for (int k = 0; k < body->rig->handle_count; ++k) {
        sn_coupled_handle_state *handle = &body->handles[k];
        carry(body->rig, k, transform, turn, handle->place, handle->turn);
        carry(body->rig, k, transform, turn, handle->target.place, handle->target.turn);
        carry(body->rig, k, transform, turn, handle->target_before.place, handle->target_before.turn);
        for (int i = 0; i < 9 && body->rig->turning[k] >= 0; ++i) {
            const double *row = linear + 3 * (i / 3), *a = handle->linear + i % 3;
            turned[i] = row[0] * a[0] + row[1] * a[3] + row[2] * a[6];
        }
        memcpy(handle->linear, body->rig->turning[k] >= 0 ? turned : handle->linear, sizeof turned);
    }
}
