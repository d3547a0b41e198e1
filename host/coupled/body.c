/* SPDX-License-Identifier: MIT */
/* Creates, configures and destroys a body. */
#include <math.h>

#include "host/coupled/solver.h"

sn_coupled_settings sn_default_coupled_settings(void)
{
    return (sn_coupled_settings){.xpbd = sn_default_xpbd_settings(), .newton_count = 2, .regularity = 0.05};
}

bool sn_coupled_are_settings_valid(const sn_coupled_settings *s)
{
    return s->compliance >= 0 && isfinite(s->compliance) && s->newton_count >= 1 && s->regularity >= 0 &&
           s->regularity < 1;
}

static sn_result check_settings(const sn_coupled_settings *s)
{
    return sn_coupled_are_settings_valid(s)
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
    SN_TRY(check_settings(settings));
    SN_TRY(sn_xpbd_body_set_settings(body->flesh, &settings->xpbd));
    body->settings = *settings;
    body->kernels = choose_kernels(body->flesh);
    body->is_prepared = false;
    return SN_OK;
}

/* ---- memory ---- */

static bool allocate_rows(sn_arena *arena, int count, sn_coupled_nonzero_rows *rows)
{
    const size_t blocks = (size_t)sn_rows_block_count(count);
    rows->starts = SN_NEW(arena, int32_t, blocks + 1);
    rows->runs = SN_NEW(arena, int32_t, 2 * blocks * (size_t)sn_rows_max_runs(count));
    return rows->starts && rows->runs;
}

static bool allocate_system(sn_arena *arena, const sn_coupled_rig *rig, int axis_count, int scalar_count,
                            sn_coupled_system *system)
{
    const size_t basis = (size_t)rig->basis_count, rotation_column = (size_t)rig->rotating_count;
    const size_t groups = (rotation_column + SN_TILE - 1) / SN_TILE, border = SN_COUPLED_MAX_BORDER;
    const size_t rank = (size_t)sn_tiles_rank(sn_coupled_max_unknowns(rig));
    system->solved = SN_NEW(arena, int32_t, rig->rotating_count);
    system->first_scalars = SN_NEW(arena, int32_t, rotation_column + 1);
    system->columns = SN_NEW(arena, int32_t, basis);
    system->scalars = SN_NEW(arena, sn_coupled_scalar, scalar_count);
    system->links = SN_NEW(arena, uint8_t, rotation_column * groups);
    system->tiles.is_nonzero = SN_NEW(arena, bool, rank *rank);
    bool is_ok = system->solved && system->first_scalars && system->columns && system->scalars && system->links &&
                 system->tiles.is_nonzero;
    for (int axis = 0; axis < axis_count; ++axis) {
        system->axes[axis].free = SN_NEW(arena, int32_t, basis);
        system->axes[axis].storage = SN_NEW(arena, double, basis *basis + border * (basis + border));
        system->axes[axis].blocks =
            SN_NEW(arena, double, rig->dimension == 3 ? 9 * SN_TILE * groups * rotation_column : 0);
        is_ok = is_ok && system->axes[axis].free && system->axes[axis].storage && system->axes[axis].blocks &&
                allocate_rows(arena, rig->basis_count, &system->axes[axis].rows);
    }
    return is_ok;
}

int sn_coupled_max_scalars(const sn_coupled_rig *rig)
{
    const int dimension = rig->dimension, rotations = dimension == 2 ? 1 : 3;
    int count = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        const int stretches = rig->handles[k].type == SN_HANDLE_AFFINE ? dimension * (dimension + 1) / 2 : 0;
        count += rig->rotation_column[k] >= 0 ? rotations + stretches : 0;
    }
    return count;
}

int sn_coupled_max_unknowns(const sn_coupled_rig *rig)
{
    const bool is_large = rig->rotating_count >= SN_COUPLED_LARGE_TREE;
    return sn_coupled_max_scalars(rig) + (is_large ? SN_COUPLED_MAX_BORDER : 0);
}

static bool allocate_joint_locks(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    bool is_ok = true;
    body->joint_locks = SN_NEW(&body->arena, sn_coupled_joint_lock, rig->handle_count);
    for (int k = 0, joints = 0; k < rig->handle_count && body->joint_locks; ++k) {
        if (rig->handles[k].parent >= 0) {
            body->joint_locks[joints].functions = SN_NEW(&body->arena, double, rig->basis_count);
            is_ok = is_ok && body->joint_locks[joints++].functions;
        }
    }
    return is_ok && body->joint_locks;
}

sn_result sn_coupled_allocate(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count, scalars = (size_t)sn_coupled_max_scalars(rig);
    const size_t dimension = (size_t)rig->dimension, numbers = (dimension + 1) * dimension;
    const size_t matrices = numbers * (size_t)rig->handle_count, lanes = SN_BATCH * matrices;
    const size_t unknowns = (size_t)sn_coupled_max_unknowns(rig);
    const size_t side = SN_TILE * (size_t)sn_tiles_rank((int)unknowns);
    sn_arena *arena = &body->arena;
    double **const vectors[] = {
        &body->moments,       &body->y, &body->residual, &body->change, &body->free_solution, &body->reduced_residual,
        &body->multiplier_sum};
    bool is_ok = true;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = SN_NEW(arena, double, dimension *basis);
        is_ok = is_ok && *vectors[i];
    }
    body->handles = SN_NEW(arena, sn_coupled_handle_state, rig->handle_count);
    body->free_moments = SN_NEW(arena, double, (dimension + 1) * basis);
    body->handle_sums = SN_NEW(arena, double, matrices);
    body->generators = SN_NEW(arena, double, scalars *dimension *dimension);
    body->linear = SN_NEW(arena, double, 9 * ((size_t)rig->rotating_count + SN_TILE));
    body->matrix = SN_NEW(arena, double, side *side);
    body->right = SN_NEW(arena, double, unknowns);
    body->fit_gram = SN_NEW(arena, double, basis *basis);
    body->free_gram = SN_NEW(arena, double, basis *basis);
    body->blended_gram = SN_NEW(arena, double, basis *basis);
    body->scratch_gram = SN_NEW(arena, double, basis *basis);
    body->lanes = sn_arena_alloc(arena, lanes, body->flesh->real_size);
    body->matrices = sn_arena_alloc(arena, matrices, body->flesh->real_size);
    is_ok = is_ok && body->handles && body->free_moments && body->handle_sums && body->generators && body->linear &&
            body->matrix && body->right && body->fit_gram && body->free_gram && body->blended_gram &&
            body->scratch_gram && body->lanes && body->matrices && allocate_joint_locks(body) &&
            allocate_rows(arena, rig->basis_count, &body->rows) &&
            allocate_system(arena, rig, rig->dimension, (int)scalars, &body->fit) &&
            allocate_system(arena, rig, 1, (int)scalars, &body->projection);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- bodies ---- */

sn_result sn_coupled_body_create(const sn_coupled_rig *rig, const sn_coupled_settings *settings, sn_coupled_body **body)
{
    *body = NULL;
    sn_result result = check_settings(settings);
    if (result != SN_OK) {
        return result;
    }
    sn_coupled_body *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->rig = rig;
    created->settings = *settings;
    result = sn_xpbd_body_create(rig->model, &settings->xpbd, &created->flesh);
    if (result == SN_OK) {
        created->kernels = choose_kernels(created->flesh);
        result = sn_coupled_allocate(created);
    }
    if (result != SN_OK) {
        sn_coupled_body_destroy(&created);
        return result;
    }
    sn_coupled_init_handles(created);
    *body = created;
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
