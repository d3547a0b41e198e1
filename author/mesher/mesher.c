/* SPDX-License-Identifier: MIT */
/* Runs the mesher's phases: body-centered cubic lattice, virtual nodes (Molino, Bao, Fedkiw 2004), winding numbers
 * (Barill et al. 2018). Each phase's file cites its sources. Unlike the 2004 paper, virtual nodes separate parts by how
 * far they move apart under the rig, not by connectivity. */
#include "author/mesher/mesher.h"

#include <string.h>

#include "author/mesher/attempt.h"
#include "author/mesher/measures.h"

#define DEFAULT_TARGET 10000
#define POSE_SEED UINT64_C(0x51e37)

static bool has_open_triangles(const sn_surface *s)
{
    for (int t = 0; t < s->triangle_count; ++t) {
        if (s->solids[t] == 0) {
            return true;
        }
    }
    return false;
}

static sn_result prepare_subject(const sn_mesher_input *input, bool merge_parts, sn_arena *arena,
                                 sn_mesher_context *context)
{
    sn_surface *surface = &context->surface;
    SN_TRY(sn_surface_weld(input, arena, surface));
    SN_TRY(sn_surface_orient(surface));
    context->trees = SN_NEW(arena, sn_winding, surface->solid_count + 1);
    if (!context->trees) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t s = 0; s <= surface->solid_count; ++s) {
        SN_TRY(s > 0 || has_open_triangles(surface) ? sn_winding_build(surface, s, arena, &context->trees[s]) : SN_OK);
    }
    if (!merge_parts) {
        SN_TRY(sn_motion_random(surface, POSE_SEED, arena, &context->tests));
    }
    if (!merge_parts) {
        SN_TRY(sn_motion_clips(surface, arena, &context->clips));
    }
    return SN_OK;
}

static sn_result allocate_output(const sn_mesher_input *input, const sn_tets *tets, sn_arena *arena,
                                 sn_mesher_output *output)
{
    const size_t nodes = (size_t)tets->node_count, count = (size_t)tets->tet_count;
    output->mesh = (sn_tet_mesh){.vertex_count = tets->node_count, .tet_count = tets->tet_count};
    output->mesh.positions = SN_NEW(arena, double, 3 * nodes);
    output->mesh.tets = SN_NEW(arena, int32_t, 4 * count);
    output->vertex_tets = SN_NEW(arena, int32_t, input->vertex_count);
    output->vertex_weights = SN_NEW(arena, double, 4 * (size_t)input->vertex_count);
    output->tet_fill = SN_NEW(arena, double, count);
    output->node_triangles = SN_NEW(arena, int32_t, nodes);
    output->node_barycentric = SN_NEW(arena, double, 3 * nodes);
    const bool is_ok = output->mesh.positions && output->mesh.tets && output->vertex_tets && output->vertex_weights &&
                       output->tet_fill && output->node_triangles && output->node_barycentric;
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* Converts to the input's coordinates and corner order. */
static void write_mesh(const sn_surface *surface, const sn_tets *tets, sn_mesher_output *output)
{
    memcpy(output->mesh.tets, tets->nodes, 4 * (size_t)tets->tet_count * sizeof *tets->nodes);
    for (size_t i = 0; i < 3 * (size_t)tets->node_count; ++i) {
        output->mesh.positions[i] = surface->origin[i % 3] + surface->scale * tets->positions[i];
    }
    for (size_t n = 0; n < (size_t)tets->node_count; ++n) {
        if (output->node_triangles[n] >= 0 && surface->is_flipped[output->node_triangles[n]]) {
            const double second = output->node_barycentric[3 * n + 1];
            output->node_barycentric[3 * n + 1] = output->node_barycentric[3 * n + 2];
            output->node_barycentric[3 * n + 2] = second;
        }
    }
}

static sn_result write_output(const sn_mesher_context *context, const sn_attempt *attempt, sn_arena *arena,
                              sn_mesher_output *output)
{
    const sn_fragments *fragments = &attempt->fragments;
    const sn_tets *tets = &attempt->tets;
    SN_TRY(allocate_output(context->surface.input, tets, arena, output));
    SN_TRY(sn_tets_embed(fragments, tets, output->vertex_tets, output->vertex_weights));
    SN_TRY(sn_tets_nearest(fragments, tets, output->node_triangles, output->node_barycentric));
    SN_TRY(sn_tets_fill(fragments, tets, output->tet_fill));
    write_mesh(&context->surface, tets, output);
    return SN_OK;
}

static sn_result measure(const sn_mesher_context *context, const sn_attempt *attempt, sn_mesher_output *output)
{
    sn_mesher_report *report = &output->report;
    sn_arena scratch = {0};
    int32_t *piece_tets = SN_NEW(&scratch, int32_t, attempt->pieces.count);
    for (int32_t i = 0; piece_tets && i < attempt->pieces.count; ++i) {
        piece_tets[i] = sn_tets_of_piece(&attempt->fragments, &attempt->tets, i);
    }
    const sn_measured measured = {&context->surface, output, &attempt->pieces, piece_tets, attempt->lattice.cell_size};
    report->cell_size = attempt->lattice.cell_size * context->surface.scale;
    report->bridge_count = attempt->bridge_count;
    sn_result result = piece_tets ? sn_measure_shape(&measured, report) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_measure_separation(&measured, report);
    }
    if (result == SN_OK) {
        result = sn_measure_stretch(&measured, report);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_mesher_run_variant(const sn_mesher_input *input, bool merge_parts, sn_arena *arena,
                                sn_mesher_output *output)
{
    const int target = input->target_vertex_count > 0 ? input->target_vertex_count : DEFAULT_TARGET;
    sn_arena scratch = {0};
    sn_mesher_context context = {0};
    sn_attempt attempt = {0};
    *output = (sn_mesher_output){0};
    sn_result result = prepare_subject(input, merge_parts, &scratch, &context);
    if (result == SN_OK) {
        result = sn_attempt_search(&context, target, &attempt);
    }
    if (result == SN_OK) {
        result = write_output(&context, &attempt, arena, output);
    }
    if (result == SN_OK) {
        result = measure(&context, &attempt, output);
    }
    if (result == SN_OK && output->report.component_count > 1) {
        sn_log(SN_LOG_WARNING, "%s: the tet mesh has %d disconnected components", input->name,
               output->report.component_count);
    }
    sn_attempt_finish(&attempt);
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_mesher_run(const sn_mesher_input *input, sn_arena *arena, sn_mesher_output *output)
{
    return sn_mesher_run_variant(input, false, arena, output);
}
