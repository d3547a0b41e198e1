/* SPDX-License-Identifier: MIT */
#include "research/figures/bodies.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "author/cook/cook.h"
#include "author/io/tets/tet_file.h"
#include "host/math/vec3.h"
#include "tools/bench/mesh.h"
#include "tools/command/median.h"

#define REPEAT_LIMIT 8
#define STIFFNESS 1e4
#define DENSITY 1e3

sn_result sn_bar_build(const int counts[3], double cell, sn_arena *arena, sn_tet_mesh *mesh)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const int nx = counts[0] + 1, ny = counts[1] + 1, nz = counts[2] + 1;
    const int cubes = counts[0] * counts[1] * counts[2];
    *mesh = (sn_tet_mesh){.vertex_count = nx * ny * nz, .tet_count = 6 * cubes};
    mesh->positions = SN_NEW(arena, double, 3 * mesh->vertex_count);
    mesh->tets = SN_NEW(arena, int32_t, 4 * mesh->tet_count);
    if (!mesh->positions || !mesh->tets) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const int at[3] = {v % nx, v / nx % ny, v / (nx * ny)};
        for (int d = 0; d < 3; ++d) {
            mesh->positions[3 * v + d] = cell * (at[d] - 0.5 * counts[d]);
        }
    }
    int32_t *tet = mesh->tets;
    for (int i = 0; i < 6 * cubes; ++i, tet += 4) {
        const int cube = i / 6, *order = orders[i % 6];
        int at[3] = {cube % counts[0], cube / counts[0] % counts[1], cube / (counts[0] * counts[1])};
        for (int corner = 0; corner < 4; ++corner) {
            tet[corner] = (at[2] * ny + at[1]) * nx + at[0];
            at[order[corner < 3 ? corner : 0]] += 1;
        }
        if (i % 6 >= 3) { /* odd orders of the axes are left-handed */
            const int32_t swapped = tet[1];
            tet[1] = tet[2];
            tet[2] = swapped;
        }
    }
    return SN_OK;
}

sn_result sn_figure_data(const sn_figures *figures, const char *path, sn_arena *arena, sn_tet_mesh *mesh)
{
    char whole[SN_FIGURE_PATH];
    snprintf(whole, sizeof whole, "%s/%s", figures->data, path);
    *mesh = (sn_tet_mesh){.tet_count = 0};
    if (figures->is_quick || access(whole, R_OK) != 0) {
        return SN_OK;
    }
    SN_TRY(sn_tet_file_read(whole, arena, mesh));
    return sn_tet_mesh_validate(mesh, whole, arena, NULL);
}

sn_result sn_figure_body(const sn_figures *figures, sn_arena *arena, sn_tet_mesh *mesh, char says[64])
{
    const sn_result result = sn_figure_data(figures, "tet/elephant/elephant.msh", arena, mesh);
    if (result != SN_OK || mesh->tet_count > 0) {
        snprintf(says, 64, "the elephant");
        return result;
    }
    if (figures->is_quick) {
        snprintf(says, 64, "a bar");
        return sn_bar_build((const int[]){12, 4, 3}, 0.1, arena, mesh);
    }
    snprintf(says, 64, "a body with a trunk");
    return sn_bench_mesh(1, arena, mesh);
}

/* To unit diagonal, about the middle of the box. */
static void normalise(sn_tet_mesh *mesh)
{
    double low[3], high[3];
    const double diagonal = sn_tet_mesh_box(mesh, low, high);
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] = (mesh->positions[i] - 0.5 * (low[i % 3] + high[i % 3])) / diagonal;
    }
}

static bool allocate(sn_subject *s, sn_arena *arena)
{
    const size_t n = (size_t)s->mesh.vertex_count, tets = (size_t)s->mesh.tet_count;
    s->gradients = SN_NEW(arena, double, 12 * tets);
    s->volumes = SN_NEW(arena, double, tets);
    s->mu = SN_NEW(arena, double, tets);
    s->mass = SN_NEW(arena, double, n);
    s->leak = SN_NEW(arena, double, n);
    s->rig_weights = SN_NEW(arena, double, n);
    s->neighbours = SN_NEW(arena, int32_t, 4 * tets);
    return s->gradients && s->volumes && s->mu && s->mass && s->leak && s->rig_weights && s->neighbours;
}

sn_result sn_subject_build(sn_tet_mesh *mesh, sn_arena *arena, sn_subject *s)
{
    normalise(mesh);
    *s = (sn_subject){.mesh = *mesh, .bone_count = 1};
    if (!allocate(s, arena)) {
        return SN_ERROR_MEMORY;
    }
    sn_tet_gradients(mesh, s->gradients, s->volumes);
    sn_tet_lumped_mass(mesh, s->volumes, NULL, s->mass);
    for (int t = 0; t < mesh->tet_count; ++t) {
        s->mu[t] = STIFFNESS;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        s->mass[v] *= DENSITY;
        s->rig_weights[v] = 1;
    }
    s->body = (sn_baseline_body){
        .mesh = *mesh, .gradients = s->gradients, .volumes = s->volumes, .tet_mu = s->mu, .mass = s->mass};
    SN_TRY(sn_momentum_leak(mesh, s->gradients, s->volumes, s->mass, arena, s->leak));
    SN_TRY(sn_tet_neighbours(mesh, arena, s->neighbours));
    return sn_tet_boundary(mesh, s->neighbours, arena, &s->boundary, &s->boundary_count);
}

sn_result sn_subject_pin_end(sn_subject *s, sn_arena *arena)
{
    double low[3], high[3];
    bool *is_pinned = SN_NEW(arena, bool, s->mesh.vertex_count);
    sn_tet_mesh_box(&s->mesh, low, high);
    for (int v = 0; v < s->mesh.vertex_count && is_pinned; ++v) {
        is_pinned[v] = s->mesh.positions[3 * v] < low[0] + 1e-9;
    }
    s->body.constraint.is_pinned = is_pinned;
    return is_pinned ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_subject_clamped_bar(const sn_figures *f, sn_arena *arena, sn_subject *subject)
{
    sn_tet_mesh mesh;
    SN_TRY(sn_bar_build(f->is_quick ? (const int[]){12, 3, 3} : (const int[]){24, 4, 4}, 0.1, arena, &mesh));
    SN_TRY(sn_subject_build(&mesh, arena, subject));
    return sn_subject_pin_end(subject, arena);
}

/* The vertices that are farthest from those before; the first is farthest from the origin. */
static double spread_points(const sn_tet_mesh *mesh, int count, double *distances, int *points)
{
    const double origin[3] = {0};
    double spacing = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        distances[v] = sn_distance3(mesh->positions + 3 * v, origin);
    }
    for (int i = 0; i < count; ++i) {
        int farthest = 0;
        for (int v = 0; v < mesh->vertex_count; ++v) {
            farthest = distances[v] > distances[farthest] ? v : farthest;
        }
        points[i] = farthest;
        spacing = distances[farthest];
        for (int v = 0; v < mesh->vertex_count; ++v) {
            const double distance = sn_distance3(mesh->positions + 3 * v, mesh->positions + 3 * farthest);
            distances[v] = i == 0 ? distance : fmin(distances[v], distance);
        }
    }
    return spacing;
}

sn_result sn_subject_add_bones(sn_subject *s, int bone_count, sn_arena *arena)
{
    const size_t n = (size_t)s->mesh.vertex_count, bones = (size_t)bone_count;
    int *points = SN_NEW(arena, int, bones);
    double *distances = SN_NEW(arena, double, n);
    s->rig_weights = SN_NEW(arena, double, n *bones);
    s->bone_count = bone_count;
    if (!points || !distances || !s->rig_weights) {
        return SN_ERROR_MEMORY;
    }
    const double width = spread_points(&s->mesh, bone_count, distances, points);
    for (size_t v = 0; v < n; ++v) {
        double *row = s->rig_weights + v * bones, nearest = INFINITY, sum = 0;
        for (size_t b = 0; b < bones; ++b) {
            row[b] = sn_distance3(s->mesh.positions + 3 * v, s->mesh.positions + 3 * (size_t)points[b]);
            nearest = fmin(nearest, row[b]);
        }
        for (size_t b = 0; b < bones; ++b) {
            row[b] = fmax(0, 1 - (row[b] - nearest) / width);
            row[b] *= row[b];
            sum += row[b];
        }
        for (size_t b = 0; b < bones; ++b) {
            row[b] /= sum;
        }
    }
    return SN_OK;
}

/* mu_t over its mean, which is that of volume. */
static double *relate_stiffness(const sn_subject *s, sn_arena *arena)
{
    double *relative = SN_NEW(arena, double, s->mesh.tet_count), sum = 0, volume = 0;
    for (int t = 0; t < s->mesh.tet_count; ++t) {
        sum += s->mu[t] * s->volumes[t];
        volume += s->volumes[t];
    }
    for (int t = 0; t < s->mesh.tet_count && relative; ++t) {
        relative[t] = s->mu[t] * volume / sum;
    }
    return relative;
}

sn_result sn_subject_modes(const sn_subject *s, bool is_constrained, int mode_count, sn_arena *arena, sn_modes *modes)
{
    sn_constraint constraint = {.row_count = 0};
    const double *relative = relate_stiffness(s, arena);
    sn_result result = relative ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && is_constrained) {
        const sn_constraint_rig rig = {s->bone_count, s->rig_weights, NULL};
        result = sn_constraint_build(&s->mesh, s->mass, s->leak, &rig, arena, &constraint);
    }
    constraint.is_pinned = s->body.constraint.is_pinned;
    return result == SN_OK ? sn_modes_build(&s->mesh, s->gradients, s->volumes, s->mass, relative, &constraint,
                                            mode_count, arena, modes)
                           : result;
}

sn_result sn_subject_time_modes(const sn_subject *s, int mode_count, int repeat_count, double *seconds)
{
    double times[REPEAT_LIMIT];
    const int repeats = repeat_count < REPEAT_LIMIT ? repeat_count : REPEAT_LIMIT;
    sn_result result = SN_OK;
    for (int i = 0; i < repeats && result == SN_OK; ++i) {
        sn_arena scratch = {0};
        sn_modes modes;
        const double start = sn_figure_seconds();
        result = sn_subject_modes(s, true, mode_count, &scratch, &modes);
        times[i] = sn_figure_seconds() - start;
        sn_arena_finish(&scratch);
    }
    *seconds = sn_median(times, repeats);
    return result;
}

void sn_rotate_all(const double *positions, int vertex_count, const double *axis, double angle, double *rotated)
{
    const double c = cos(angle), s = sin(angle);
    for (size_t v = 0; v < (size_t)vertex_count; ++v) {
        const double *x = positions + 3 * v;
        double cross[3], y[3];
        const double along = sn_dot3(axis, x);
        sn_cross3(axis, x, cross);
        for (int d = 0; d < 3; ++d) {
            y[d] = c * x[d] + s * cross[d] + (1 - c) * along * axis[d];
        }
        memcpy(rotated + 3 * v, y, sizeof y);
    }
}
