/* SPDX-License-Identifier: MIT */
/* Bounded biharmonic weights of handles on a body, or, for cages, on the inside of the cages. */
#include "author/cook/handles/handles.h"
#include "author/weights/bounded_biharmonic.h"

#define MIN_MAX_WEIGHT 1e-3 /* handles whose largest weight is below this have no visible effect */

/* On the body, or on the inside of its cages, where the weights of some vertices are given. */
static sn_result solve(const sn_handle_body *b, const sn_handle_lists *lists, const sn_tet_mesh *tets,
                       const bool *is_prefilled, double *weights)
{
    sn_bounded_biharmonic_report report;
    const sn_tri_mesh triangles = {b->mesh->vertex_count, b->boundary_count, b->mesh->positions, b->boundary};
    const sn_bounded_biharmonic_input input = {.name = b->name,
                                               .tets = b->mesh->is_flat ? NULL : tets,
                                               .triangles = b->mesh->is_flat ? &triangles : NULL,
                                               .handles = {.count = lists->count,
                                                           .handles = lists->handles,
                                                           .cage_edge_count = lists->edge_count,
                                                           .cage_edges = lists->edges,
                                                           .is_prefilled = is_prefilled,
                                                           .labels = lists->labels},
                                               .is_cancelled = b->is_cancelled,
                                               .cancel_user = b->cancel_user};
    SN_TRY(sn_bounded_biharmonic(&input, weights, &report));
    if (report.component_count > 0) {
        sn_log(SN_LOG_WARNING, "%s: handles: %d piece%s of %s without a handle; each follows the closest handle",
               b->name, report.component_count, report.component_count == 1 ? "" : "s", b->body_name);
    }
    return SN_OK;
}

static sn_result solve_in_cages(const sn_handle_body *b, const sn_handle_lists *lists, const sn_cages *cages,
                                sn_arena *arena, double *weights)
{
    sn_cage_inside inside;
    sn_result result =
        sn_cage_inside_build(cages, b->mesh, b->is_cancelled, b->cancel_user, lists->count, arena, &inside);
    if (result == SN_OK) {
        result = solve(b, lists, &inside.tets, inside.is_fixed, inside.weights);
    }
    return result == SN_OK ? sn_cage_interpolate(&inside, b->mesh, lists->count, weights) : result;
}

static sn_result check_effect(const sn_handle_body *b, const sn_handle_lists *lists, const double *weights)
{
    const size_t count = (size_t)lists->count;
    for (size_t j = 0; j < count; ++j) {
        size_t v = 0;
        while (v < (size_t)b->mesh->vertex_count && !(weights[v * count + j] >= MIN_MAX_WEIGHT)) {
            ++v;
        }
        if (v == (size_t)b->mesh->vertex_count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: %s: no vertex of %s is affected by it", b->name, lists->labels[j],
                           b->body_name);
        }
    }
    return SN_OK;
}

sn_result sn_handles_solve(const sn_handle_body *b, const sn_handle_lists *lists, const sn_cages *cages,
                           sn_arena *arena, double *weights)
{
    if (cages && b->mesh->is_flat) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: handles: cages with faces are for solid bodies, and %s is flat; use edges instead", b->name,
                       b->body_name);
    }
    const sn_result result =
        cages ? solve_in_cages(b, lists, cages, arena, weights) : solve(b, lists, b->mesh, NULL, weights);
    return result == SN_OK ? check_effect(b, lists, weights) : result;
}
