/* SPDX-License-Identifier: MIT */
/* Response of flesh to loads: the constrained inverse of the modes' problem, by a factor or by the iterative solver. */
#include <string.h>

#include "author/modes/constraint/projection.h"
#include "author/modes/eigen/large.h"
#include "author/modes/reduced/added_modes.h"

#define MAX_WIDTH 6 /* right-hand sides of one solve */

static sn_result solve_by_factor(const sn_mode_problem *p, size_t count, sn_arena *scratch, double *x)
{
    const size_t size = p->unknowns.count;
    sn_projected_problem problem = {.size = (int)size, .constraints = p->constraints};
    sn_projection op;
    double *solved = SN_NEW(scratch, double, MAX_WIDTH *size);
    sn_result result = solved ? sn_factor_create(&p->matrix, "added modes", &problem.factor) : SN_ERROR_MEMORY;
    result = result == SN_OK ? sn_projection_init(&problem, MAX_WIDTH, scratch, &op) : result;
    for (size_t c = 0; c < count && result == SN_OK; c += MAX_WIDTH) {
        const size_t width = count - c < MAX_WIDTH ? count - c : MAX_WIDTH;
        result = sn_projection_apply(&op, (int)width, x + c * size, solved);
        memcpy(x + c * size, solved, width * size * sizeof *solved);
    }
    sn_factor_destroy(&problem.factor);
    return result;
}

sn_result sn_modes_solve_loads(const sn_mode_problem *problem, const double *positions, size_t count, sn_arena *scratch,
                               double *x)
{
    const size_t length = count * problem->unknowns.count;
    if (sn_modes_is_large(problem)) {
        bool is_solved = false;
        double *loads = SN_NEW(scratch, double, length);
        if (!loads) {
            return SN_ERROR_MEMORY;
        }
        memcpy(loads, x, length * sizeof *x);
        const sn_result result = sn_modes_solve_large(problem, positions, count, x, &is_solved);
        if (result != SN_OK || is_solved) {
            return result;
        }
        memcpy(x, loads, length * sizeof *x);
    }
    return solve_by_factor(problem, count, scratch, x);
}
