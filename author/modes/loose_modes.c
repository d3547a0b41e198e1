/* SPDX-License-Identifier: MIT */
#include "author/modes/loose_modes.h"

#include <math.h>

#include "author/modes/added_modes.h"

static sn_result add(const sn_mode_problem *p, const sn_loose_modes_input *in, sn_arena *scratch, sn_arena *arena,
                     sn_modes *modes)
{
    const size_t size = p->unknowns.count, count = (size_t)in->loose->mode_count;
    double *values = SN_NEW(scratch, double, size *count);
    if (!values) {
        return SN_ERROR_MEMORY;
    }
    sn_modes_in_unknowns(p, in->loose, values);
    for (size_t j = 0; j < count; ++j) { /* as far as flesh gives way */
        const double energy = in->loose->eigenvalues[j];
        const double length = energy > 0 ? sqrt(fmin(1, in->loose->eigenvalues[0] / energy)) : 1;
        for (size_t i = 0; i < size; ++i) {
            values[j * size + i] *= length;
        }
    }
    const sn_added_columns added = {.values = values,
                                    .count = count,
                                    .square = sn_dense_dot(size * count, values, values),
                                    .least_energy = modes->eigenvalues[0],
                                    .most = in->most};
    return sn_modes_add_columns(p, &added, scratch, arena, modes);
}

sn_result sn_modes_add_loose(const sn_loose_modes_input *in, sn_arena *arena, sn_modes *modes)
{
    const sn_mode_elements e = {.mesh = in->mesh, .volumes = in->volumes, .hessian = &modes->hessian};
    sn_arena scratch = {0};
    sn_mode_problem problem = {0};
    const sn_constraint pins = {.rows = SN_NEW(&scratch, double, 0), .is_pinned = in->is_pinned};
    sn_result result = pins.rows ? sn_mode_problem_build(&e, in->mass, &pins, &scratch, &problem) : SN_ERROR_MEMORY;
    result = result == SN_OK ? add(&problem, in, &scratch, arena, modes) : result;
    sn_arena_finish(&scratch);
    return result;
}
