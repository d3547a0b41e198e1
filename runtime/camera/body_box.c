/* SPDX-License-Identifier: MIT */
#include "runtime/camera/body_box.h"

#include <math.h>

#include "host/model/model.h"
#include "host/skin/skin.h"

sn_result sn_body_box_add(sn_body_id body, sn_arena *arena, double low[3], double high[3])
{
    const sn_model *model = sn_body_model(body);
    const sn_body_matrices output = sn_body_output(body);
    const sn_surface skin = sn_model_surface(model);
    const int n = model->counts.surface_vertex_count, bones = output.bone_count;
    double *pose = SN_NEW(arena, double, 12 * bones), *points = SN_NEW(arena, double, 3 * n);
    double *modes = SN_NEW(arena, double, 12 * model->counts.mode_count);
    if (!pose || !points || !modes) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < 12 * bones; ++k) {
        pose[k] = (double)output.matrices[k / 12].m[k % 12 / 4][k % 4];
    }
    sn_skin_surface(&skin, pose, modes, output.morphs, points, NULL, NULL);
    for (int k = 0; k < 3 * n; ++k) {
        low[k % 3] = fmin(low[k % 3], points[k]);
        high[k % 3] = fmax(high[k % 3], points[k]);
    }
    return SN_OK;
}
