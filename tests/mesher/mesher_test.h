/* SPDX-License-Identifier: MIT */
/* Surfaces that grow shape by shape, and what every mesh of them must be. Include it after cmocka.h. */
#ifndef SN_TESTS_MESHER_MESHER_TEST_H
#define SN_TESTS_MESHER_MESHER_TEST_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/mesher/attempt.h"
#include "author/mesher/paths.h"
#include "host/math/vec3.h"

#define PI 3.14159265358979323846
#define LARGEST_VERTEX_COUNT 4096
#define LARGEST_TRIANGLE_COUNT 8192
#define LARGEST_BONE_COUNT 4

/* A surface that grows shape by shape; every vertex follows one bone. */
typedef struct scene {
    sn_mesher_input input;
    double positions[3 * LARGEST_VERTEX_COUNT];
    int32_t triangles[3 * LARGEST_TRIANGLE_COUNT];
    int32_t influence_starts[LARGEST_VERTEX_COUNT + 1];
    int32_t influence_bones[LARGEST_VERTEX_COUNT];
    double influence_weights[LARGEST_VERTEX_COUNT];
    int32_t bone_parents[LARGEST_BONE_COUNT];
    double bone_origins[3 * LARGEST_BONE_COUNT];
    int32_t bone; /* of the vertices that are added */
    sn_arena arena;
    sn_mesher_output output;
} scene;

static inline int setup(void **state)
{
    scene *s = calloc(1, sizeof *s);
    if (!s) {
        return -1;
    }
    s->input = (sn_mesher_input){.name = "scene",
                                 .positions = s->positions,
                                 .triangles = s->triangles,
                                 .influence_starts = s->influence_starts,
                                 .influence_bones = s->influence_bones,
                                 .influence_weights = s->influence_weights,
                                 .bone_parents = s->bone_parents,
                                 .bone_origins = s->bone_origins,
                                 .target_vertex_count = 1000};
    *state = s;
    return 0;
}

static inline int teardown(void **state)
{
    scene *s = *state;
    sn_arena_finish(&s->arena);
    free(s);
    return 0;
}

static inline int add_vertex(scene *s, double x, double y, double z)
{
    const int v = s->input.vertex_count++;
    assert_true(v < LARGEST_VERTEX_COUNT);
    s->positions[3 * v] = x;
    s->positions[3 * v + 1] = y;
    s->positions[3 * v + 2] = z;
    s->influence_bones[v] = s->bone;
    s->influence_weights[v] = 1;
    s->influence_starts[v + 1] = v + 1;
    return v;
}

static inline void add_triangle(scene *s, int a, int b, int c)
{
    int32_t *corners = s->triangles + 3 * s->input.triangle_count++;
    assert_true(s->input.triangle_count <= LARGEST_TRIANGLE_COUNT);
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

static inline void add_bone(scene *s, int32_t parent, double x, double y, double z)
{
    const int b = s->input.bone_count++;
    s->bone_parents[b] = parent;
    s->bone_origins[3 * b] = x;
    s->bone_origins[3 * b + 1] = y;
    s->bone_origins[3 * b + 2] = z;
}

/* A grid of rows x columns vertices whose last column may be a copy of the first: a seam. */
typedef void place_vertex(double u, double v, const double *size, double *x);

static inline void add_grid(scene *s, int rows, int columns, place_vertex *place, const double *centre,
                            const double *size)
{
    const int first = s->input.vertex_count;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            double x[3];
            place((double)i / (rows - 1), (double)(j == columns - 1 ? 0 : j) / (columns - 1), size, x);
            add_vertex(s, centre[0] + x[0], centre[1] + x[1], centre[2] + x[2]);
        }
    }
    for (int i = 0; i + 1 < rows; ++i) {
        for (int j = 0; j + 1 < columns; ++j) {
            const int a = first + i * columns + j, b = a + columns;
            add_triangle(s, a, b, b + 1);
            add_triangle(s, a, b + 1, a + 1);
        }
    }
}

static inline void place_on_sphere(double u, double v, const double *size, double *x)
{
    const double r = size[0] * sin(PI * u);
    x[0] = r * cos(2 * PI * v);
    x[1] = r * sin(2 * PI * v);
    x[2] = size[0] * cos(PI * u);
}

static inline void place_on_cylinder(double u, double v, const double *size, double *x)
{
    x[0] = size[0] * cos(2 * PI * v);
    x[1] = size[0] * sin(2 * PI * v);
    x[2] = size[1] * (0.5 - u);
}

static inline void add_sphere(scene *s, double x, double y, double z, double radius)
{
    const double centre[3] = {x, y, z};
    add_grid(s, 25, 33, place_on_sphere, centre, &radius);
}

/* A box whose faces are grids of count x count squares, outwards, edges shared by position alone. */
static inline void add_box(scene *s, const double *low, const double *high, int count)
{
    for (int face = 0; face < 6; ++face) {
        const int axis = face / 2, first = s->input.vertex_count;
        const int u = (axis + (face % 2 ? 1 : 2)) % 3, v = 3 - axis - u;
        for (int i = 0; i <= count; ++i) {
            for (int j = 0; j <= count; ++j) {
                double x[3];
                x[axis] = face % 2 ? high[axis] : low[axis];
                x[u] = i == count ? high[u] : low[u] + (high[u] - low[u]) * i / count;
                x[v] = j == count ? high[v] : low[v] + (high[v] - low[v]) * j / count;
                add_vertex(s, x[0], x[1], x[2]);
            }
        }
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                const int a = first + i * (count + 1) + j, b = a + count + 1;
                add_triangle(s, a, b, b + 1);
                add_triangle(s, a, b + 1, a + 1);
            }
        }
    }
}

static inline double inner_volume(const scene *s)
{
    double sum = 0;
    for (int t = 0; t < s->output.mesh.tet_count; ++t) {
        assert_true(s->output.tet_fill[t] > 0 && s->output.tet_fill[t] <= 1);
        sum += sn_tet_volume(&s->output.mesh, t) * s->output.tet_fill[t];
    }
    return sum;
}

/* Every face has at most two tets, and a walk over faces reaches all tets. */
static inline void check_topology(scene *s)
{
    const sn_tet_mesh *mesh = &s->output.mesh;
    sn_arena scratch = {0};
    int32_t *neighbours = SN_NEW(&scratch, int32_t, 4 * mesh->tet_count);
    int32_t *queue = SN_NEW(&scratch, int32_t, mesh->tet_count);
    bool *is_seen = SN_NEW(&scratch, bool, mesh->tet_count);
    assert_true(neighbours && queue && is_seen);
    assert_int_equal(sn_tet_neighbours(mesh, &scratch, neighbours), SN_OK);
    int count = 1;
    is_seen[0] = true;
    for (int next = 0; next < count; ++next) {
        for (int k = 0; k < 4; ++k) {
            const int32_t other = neighbours[4 * queue[next] + k];
            if (other >= 0 && !is_seen[other]) {
                is_seen[other] = true;
                queue[count++] = other;
            }
        }
    }
    assert_int_equal(count, mesh->tet_count);
    sn_tet_mesh copy = *mesh;
    assert_int_equal(sn_tet_mesh_validate(&copy, "mesh", &scratch, NULL), SN_OK);
    assert_int_equal(copy.vertex_count, mesh->vertex_count);
    sn_arena_finish(&scratch);
}

static inline void check_embedding(const scene *s)
{
    const sn_mesher_output *o = &s->output;
    for (int v = 0; v < s->input.vertex_count; ++v) {
        double x[3] = {0, 0, 0}, sum = 0;
        for (int k = 0; k < 4; ++k) {
            const double weight = o->vertex_weights[4 * v + k];
            assert_true(weight >= 0 && weight <= 1);
            sum += weight;
            for (int d = 0; d < 3; ++d) {
                x[d] += weight * o->mesh.positions[3 * o->mesh.tets[4 * o->vertex_tets[v] + k] + d];
            }
        }
        assert_true(fabs(sum - 1) < 1e-12);
        assert_true(sn_distance3(x, s->positions + 3 * v) < 1e-9);
    }
}

/* The points that nodes follow are points of triangles. */
static inline void check_node_points(const scene *s)
{
    int surface_count = 0;
    for (int n = 0; n < s->output.mesh.vertex_count; ++n) {
        const int32_t t = s->output.node_triangles[n];
        const double *b = s->output.node_barycentric + 3 * n;
        double x[3] = {0, 0, 0};
        assert_true(t >= -1 && t < s->input.triangle_count);
        for (int k = 0; k < 3 && t >= 0; ++k) {
            assert_true(b[k] >= 0 && b[k] <= 1);
            for (int d = 0; d < 3; ++d) {
                x[d] += b[k] * s->positions[3 * s->triangles[3 * t + k] + d];
            }
        }
        surface_count += t >= 0;
        assert_true(t < 0 || sn_distance3(x, s->output.mesh.positions + 3 * n) < 1.5 * s->output.report.cell_size);
    }
    assert_true(surface_count > 0);
}

static inline void run(scene *s)
{
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_OK);
    assert_int_equal(s->output.report.component_count, 1);
    assert_int_equal(s->output.report.outside_count, 0);
    assert_true(fabs(s->output.report.min_dihedral - 60) < 1e-4);
    check_topology(s);
    check_embedding(s);
    check_node_points(s);
}

/* Two slabs side by side; the second one's bone hangs on the first at the top, as an arm beside a torso. */
static inline void add_slabs(scene *s, double gap, int32_t second_bone)
{
    add_bone(s, -1, 0, -4, 0);
    add_bone(s, 0, 0, 4, 0);
    add_box(s, (double[]){-0.5, -4, -0.5}, (double[]){0, 4, 0.5}, 8);
    s->bone = second_bone;
    add_box(s, (double[]){gap, -4, -0.5}, (double[]){gap + 0.5, 4, 0.5}, 8);
    s->input.target_vertex_count = 1500;
}

#endif
