/* SPDX-License-Identifier: MIT */
/* Impulses. They reach the device with the next recording. */
#include <math.h>

#include "compute/reduced/private.h"
#include "host/math/affine.h"

static void apply_impulse(sn_gpu_reduced *r, int index, const sn_gpu_reduced_impulse *impulse)
{
    sn_gpu_reduced_body *body = sn_gpu_reduced_find(r, index);
    if (!sn_gpu_reduced_is_finite(impulse->point) || !sn_gpu_reduced_is_finite(impulse->impulse)) {
        return;
    }
    sn_gpu_reduced_impulse *grown =
        sn_grow(body->impulses, body->impulse_count, &body->impulse_capacity, sizeof *grown);
    if (!grown) {
        return;
    }
    body->impulses = grown;
    if (sn_gpu_reduced_reserve_impulse(r) == SN_OK) {
        body->impulses[body->impulse_count++] = *impulse;
        ++r->impulse_count;
    }
}

void sn_gpu_reduced_apply_impulse(sn_gpu_reduced *r, int body, const double *point, const double *impulse)
{
    apply_impulse(
        r, body,
        &(sn_gpu_reduced_impulse){{point[0], point[1], point[2]}, {impulse[0], impulse[1], impulse[2]}, .bone = -1});
}

void sn_gpu_reduced_apply_bone_impulse(sn_gpu_reduced *r, int body, int bone, const double *impulse)
{
    SN_ASSERT(bone >= 0 && (uint32_t)bone < sn_gpu_reduced_find(r, body)->record.bone_count);
    apply_impulse(r, body, &(sn_gpu_reduced_impulse){.impulse = {impulse[0], impulse[1], impulse[2]}, .bone = bone});
}

void sn_gpu_reduced_drop_impulses(sn_gpu_reduced *r, sn_gpu_reduced_body *body)
{
    r->impulse_count -= (uint32_t)body->impulse_count;
    body->impulse_count = 0;
}

void sn_gpu_reduced_move_impulses(sn_gpu_reduced_body *body, const double *transform)
{
    static const double origin[3] = {0, 0, 0};
    for (int i = 0; i < body->impulse_count; ++i) {
        sn_gpu_reduced_impulse *moved = &body->impulses[i];
        double point[3], tip[3], base[3];
        sn_affine_apply(transform, moved->point, point);
        sn_affine_apply(transform, moved->impulse, tip);
        sn_affine_apply(transform, origin, base);
        for (int d = 0; d < 3; ++d) {
            moved->point[d] = point[d];
            moved->impulse[d] = tip[d] - base[d];
        }
    }
}

uint32_t sn_gpu_reduced_write_impulses(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, float *rows)
{
    const double unit = sn_gpu_reduced_model_of(r, body)->unit;
    for (int i = 0; i < body->impulse_count; ++i, rows += 4 * SN_REDUCED_IMPULSE_ROWS) {
        const sn_gpu_reduced_impulse *impulse = &body->impulses[i];
        for (int d = 0; d < 3; ++d) {
            rows[d] = (float)(impulse->point[d] - body->previous_pose[4 * d + 3]);
            rows[4 + d] = (float)(impulse->impulse[d] / (unit * unit));
        }
        rows[3] = (float)(impulse->bone + 1);
        rows[7] = 0;
    }
    return (uint32_t)body->impulse_count;
}
