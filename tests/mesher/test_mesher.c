/* SPDX-License-Identifier: MIT */
/* The mesher on shapes whose answer is known: what it must hold, what it must join, what it must keep apart. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/mesher/attempt.h"
#include "author/mesher/paths.h"
#include "host/base/hash.h"
#include "host/base/random.h"
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

static int setup(void **state)
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

static int teardown(void **state)
{
    scene *s = *state;
    sn_arena_finish(&s->arena);
    free(s);
    return 0;
}

static int add_vertex(scene *s, double x, double y, double z)
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

static void add_triangle(scene *s, int a, int b, int c)
{
    int32_t *corners = s->triangles + 3 * s->input.triangle_count++;
    assert_true(s->input.triangle_count <= LARGEST_TRIANGLE_COUNT);
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

static void add_bone(scene *s, int32_t parent, double x, double y, double z)
{
    const int b = s->input.bone_count++;
    s->bone_parents[b] = parent;
    s->bone_origins[3 * b] = x;
    s->bone_origins[3 * b + 1] = y;
    s->bone_origins[3 * b + 2] = z;
}

/* A grid of rows x columns vertices whose last column may be a copy of the first: a seam. */
typedef void place_vertex(double u, double v, const double *size, double *x);

static void add_grid(scene *s, int rows, int columns, place_vertex *place, const double *centre, const double *size)
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

static void place_on_sphere(double u, double v, const double *size, double *x)
{
    const double r = size[0] * sin(PI * u);
    x[0] = r * cos(2 * PI * v);
    x[1] = r * sin(2 * PI * v);
    x[2] = size[0] * cos(PI * u);
}

static void place_on_cylinder(double u, double v, const double *size, double *x)
{
    x[0] = size[0] * cos(2 * PI * v);
    x[1] = size[0] * sin(2 * PI * v);
    x[2] = size[1] * (0.5 - u);
}

static void add_sphere(scene *s, double x, double y, double z, double radius)
{
    const double centre[3] = {x, y, z};
    add_grid(s, 25, 33, place_on_sphere, centre, &radius);
}

/* A box whose faces are grids of count x count squares, outwards, edges shared by position alone. */
static void add_box(scene *s, const double *low, const double *high, int count)
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

static double inner_volume(const scene *s)
{
    double sum = 0;
    for (int t = 0; t < s->output.mesh.tet_count; ++t) {
        assert_true(s->output.tet_fill[t] > 0 && s->output.tet_fill[t] <= 1);
        sum += sn_tet_volume(&s->output.mesh, t) * s->output.tet_fill[t];
    }
    return sum;
}

/* Every face has at most two tets, and a walk over faces reaches all tets. */
static void check_topology(scene *s)
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

static void check_embedding(const scene *s)
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
static void check_node_points(const scene *s)
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

static void run(scene *s)
{
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_OK);
    assert_int_equal(s->output.report.component_count, 1);
    assert_int_equal(s->output.report.outside_count, 0);
    assert_true(fabs(s->output.report.min_dihedral - 60) < 1e-4);
    check_topology(s);
    check_embedding(s);
    check_node_points(s);
}

static void test_box(void **state)
{
    scene *s = *state;
    add_box(s, (double[]){-1, 0, 0}, (double[]){1, 3, 1}, 1);
    run(s);
    assert_true(fabs(inner_volume(s) - 6) < 0.04 * 6); /* the floor adds some where cells are coarse */
    assert_true(s->output.mesh.vertex_count > 850 && s->output.mesh.vertex_count < 1150);
}

/* An inside-out box with one triangle turned: orientation is repaired, and corners keep the input's order. */
static void test_flipped_box(void **state)
{
    scene *s = *state;
    add_box(s, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 2);
    for (int t = 0; t < s->input.triangle_count; ++t) {
        const int32_t corner = s->triangles[3 * t];
        if (t != 7) {
            s->triangles[3 * t] = s->triangles[3 * t + 1];
            s->triangles[3 * t + 1] = corner;
        }
    }
    run(s);
    assert_true(fabs(inner_volume(s) - 1) < 0.03);
}

static void test_sphere_volume(void **state)
{
    scene *s = *state;
    s->input.target_vertex_count = 0;
    add_sphere(s, 0.3, 7, 0, 1);
    run(s);
    /* the polyhedron's own volume is 1.2 per cent below the ball's */
    assert_true(fabs(inner_volume(s) / (4 * PI / 3) - 1) < 0.03);
    assert_true(s->output.mesh.vertex_count > 8000 && s->output.mesh.vertex_count < 12000);
}

static void test_open_sheet(void **state)
{
    scene *s = *state;
    for (int i = 0; i < 4; ++i) {
        add_vertex(s, i % 2, 0, i / 2);
    }
    add_triangle(s, 0, 1, 2);
    add_triangle(s, 2, 1, 3);
    run(s);
    /* one layer of cells, nothing is inside */
    const double h = s->output.report.cell_size;
    for (int n = 0; n < s->output.mesh.vertex_count; ++n) {
        assert_true(fabs(s->output.mesh.positions[3 * n + 1]) < 1.1 * h);
    }
}

static void test_one_triangle(void **state)
{
    scene *s = *state;
    s->input.target_vertex_count = 40;
    add_vertex(s, 5, 0, 0);
    add_vertex(s, 9, 9, 9); /* unused, far away */
    add_vertex(s, 6, 0, 0);
    add_vertex(s, 5, 1, 0);
    add_triangle(s, 0, 2, 3);
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_OK);
    assert_int_equal(s->output.report.component_count, 1);
    assert_int_equal(s->output.report.outside_count, 0);
    assert_true(s->output.mesh.tet_count > 0 && s->output.mesh.vertex_count < 100);
    assert_int_equal(s->output.vertex_tets[1], 0);
    check_topology(s);
}

static void test_flat_input_is_refused(void **state)
{
    scene *s = *state;
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_ERROR_FORMAT);
    add_vertex(s, 1, 1, 1);
    add_vertex(s, 2, 2, 2);
    add_vertex(s, 3, 3, 3);
    add_triangle(s, 0, 1, 2);
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_ERROR_FORMAT);
    s->triangles[1] = s->triangles[2] = 0;
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_ERROR_FORMAT);
}

static void test_bridge_between_spheres(void **state)
{
    scene *s = *state;
    add_sphere(s, 0, 0, 0, 1);
    add_sphere(s, 3, 0.2, 0, 1);
    run(s);
    assert_int_equal(s->output.report.bridge_count, 1);
}

static bool tet_is_shared(const scene *s, int vertex, int first, int end)
{
    for (int v = first; v < end; ++v) {
        if (s->output.vertex_tets[v] == s->output.vertex_tets[vertex]) {
            return true;
        }
    }
    return false;
}

/* Two thighs that overlap, each far below the hip: bridges go up to it, although the other thigh is nearer. */
static void test_legs_hang_on_the_hip(void **state)
{
    scene *s = *state;
    s->input.target_vertex_count = 3000;
    add_bone(s, -1, 0, 4, 0);
    add_bone(s, 0, -0.5, 4, 0);
    add_bone(s, 0, 0.5, 4, 0);
    add_box(s, (double[]){-1.5, 3.5, -1}, (double[]){1.5, 4.5, 1}, 4);
    for (s->bone = 1; s->bone <= 2; ++s->bone) {
        add_sphere(s, s->bone == 1 ? -0.5 : 0.5, 0, 0, 1);
    }
    run(s);
    const int right = s->input.vertex_count - 25 * 33, left = right - 25 * 33;
    for (int v = left; v < right; ++v) {
        assert_false(tet_is_shared(s, v, right, s->input.vertex_count));
    }
    assert_int_equal(s->output.report.bridge_count, 2);
    assert_int_equal(s->output.report.glued_count, 0);
    assert_int_equal(s->output.report.torn_count, 0);
    assert_int_equal(s->output.report.stretch_count, 0);
}

/* Hundreds of loose slivers that all go their own ways end as one piece of about the wanted size. */
static void test_soup_is_one_piece(void **state)
{
    scene *s = *state;
    uint64_t random = 5;
    for (int b = 0; b < LARGEST_BONE_COUNT; ++b) {
        add_bone(s, -1, b & 1, b >> 1, 0);
    }
    for (int t = 0; t < 1200; ++t) {
        double centre[3];
        for (int d = 0; d < 3; ++d) {
            centre[d] = sn_random_unit(&random);
        }
        s->bone = t % LARGEST_BONE_COUNT;
        for (int k = 0; k < 3; ++k) {
            add_vertex(s, centre[0] + 0.05 * sn_random_unit(&random), centre[1] + 0.05 * sn_random_unit(&random),
                       centre[2] + 0.05 * sn_random_unit(&random));
        }
        add_triangle(s, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    run(s);
    assert_true(s->output.mesh.vertex_count > 500 && s->output.mesh.vertex_count < 2000);
}

static void test_self_intersection(void **state)
{
    scene *s = *state;
    s->input.target_vertex_count = 3000;
    add_sphere(s, 0, 0, 0, 1);
    add_sphere(s, 1, 0, 0, 1);
    run(s);
    /* unskinned, both move as one: the lens is there once */
    const double lens = PI * (4 + 1) / 12;
    assert_true(fabs(inner_volume(s) / (8 * PI / 3 - lens) - 1) < 0.03);
    assert_int_equal(s->output.report.bridge_count, 0);
}

/* Two slabs side by side; the second one's bone hangs on the first at the top, as an arm beside a torso. */
static void add_slabs(scene *s, double gap, int32_t second_bone)
{
    add_bone(s, -1, 0, -4, 0);
    add_bone(s, 0, 0, 4, 0);
    add_box(s, (double[]){-0.5, -4, -0.5}, (double[]){0, 4, 0.5}, 8);
    s->bone = second_bone;
    add_box(s, (double[]){gap, -4, -0.5}, (double[]){gap + 0.5, 4, 0.5}, 8);
    s->input.target_vertex_count = 1500;
}

/* They touch, but rotate apart: far from the joint nothing is common, and at the joint they are one piece. */
static void test_limb_beside_torso(void **state)
{
    scene *s = *state;
    add_slabs(s, 0, 1);
    run(s);
    const int half = s->input.vertex_count / 2;
    for (int v = 0; v < half; ++v) {
        assert_true(s->positions[3 * v + 1] > 2.5 || !tet_is_shared(s, v, half, s->input.vertex_count));
    }
    assert_int_equal(s->output.report.torn_count, 0);
    assert_int_equal(s->output.report.bridge_count, 0);
}

/* The plain lattice ties the same two, and the measures say so. */
static void test_measures_see_glue(void **state)
{
    scene *s = *state;
    add_slabs(s, 0.02, 1);
    assert_int_equal(sn_mesher_run_as(&s->input, true, &s->arena, &s->output), SN_OK);
    const sn_mesher_report plain = s->output.report;
    run(s);
    assert_true(plain.glued_count > 50 && plain.torn_count > 50 && plain.stretch_count > 50);
    assert_true(10 * s->output.report.glued_count < plain.glued_count);
    assert_true(10 * s->output.report.torn_count < plain.torn_count);
    assert_true(3 * s->output.report.stretch_count < plain.stretch_count);
}

static void test_layers_of_one_bone_weld(void **state)
{
    scene *s = *state;
    add_slabs(s, -0.1, 0);
    run(s);
    const int tet_count = s->output.mesh.tet_count, vertex_count = s->output.mesh.vertex_count;
    assert_int_equal(sn_mesher_run_as(&s->input, true, &s->arena, &s->output), SN_OK);
    assert_int_equal(s->output.mesh.tet_count, tet_count);
    assert_int_equal(s->output.mesh.vertex_count, vertex_count);
}

static void test_seam_stays_closed(void **state)
{
    scene *s = *state;
    const double centre[3] = {0.1, 0.2, 0.3}, size[2] = {0.5, 3};
    add_bone(s, -1, 0, 0, -1.5);
    add_bone(s, 0, 0, 0, 0.3);
    add_grid(s, 21, 17, place_on_cylinder, centre, size);
    for (int v = 0; v < s->input.vertex_count; ++v) {
        s->influence_bones[v] = s->positions[3 * v + 2] > 0.3;
    }
    run(s);
    for (int i = 0; i < 21; ++i) {
        const int a = 17 * i, b = a + 16;
        assert_memory_equal(s->positions + 3 * a, s->positions + 3 * b, 3 * sizeof(double));
        assert_int_equal(s->output.vertex_tets[a], s->output.vertex_tets[b]);
        assert_memory_equal(s->output.vertex_weights + 4 * a, s->output.vertex_weights + 4 * b, 4 * sizeof(double));
    }
}

/* A neck and a shoulder are near each other, though the joint of the chest that holds both is far from either; two feet
 * are as far apart as both legs and the hip are long. */
static void test_way_along_rig(void **state)
{
    scene *s = *state;
    add_bone(s, -1, 0, 0, 0);
    add_bone(s, 0, 0, 10, 0);
    add_bone(s, 0, 1, 10, 0);
    add_bone(s, 2, 1, 4, 0);
    add_sphere(s, 0, 5, 0, 5);
    sn_surface surface;
    sn_paths paths;
    assert_int_equal(sn_surface_weld(&s->input, &s->arena, &surface), SN_OK);
    assert_int_equal(sn_paths_start(&surface, &s->arena, &paths), SN_OK);
    sn_spot neck = {.bone = 1}, shoulder = {.bone = 2}, elbow = {.bone = 3}, chest = {.bone = 0};
    const double places[4][3] = {{0, 10, 0}, {1, 10, 0.5}, {1, 4, 0.5}, {0, 2, 0.5}};
    sn_spot *spots[4] = {&neck, &shoulder, &elbow, &chest};
    for (int i = 0; i < 4; ++i) {
        for (int d = 0; d < 3; ++d) {
            spots[i]->position[d] = (places[i][d] - surface.origin[d]) / surface.scale;
        }
    }
    assert_true(fabs(sn_paths_along_rig(&paths, &neck, &shoulder) * surface.scale - 1) < 1e-9);
    assert_true(fabs(sn_paths_along_rig(&paths, &elbow, &neck) * surface.scale - 7) < 1e-9);
    assert_true(fabs(sn_paths_along_rig(&paths, &neck, &chest) * surface.scale - 8) < 1e-9);
    assert_true(fabs(sn_paths_along_rig(&paths, &elbow, &elbow)) < 1e-9);
}

static uint64_t output_hash(const scene *s)
{
    const sn_mesher_output *o = &s->output;
    const size_t vertices = (size_t)s->input.vertex_count, nodes = (size_t)o->mesh.vertex_count;
    const size_t tets = (size_t)o->mesh.tet_count;
    uint64_t hash = sn_hash(SN_HASH_SEED, o->mesh.positions, 3 * nodes * sizeof(double));
    hash = sn_hash(hash, o->mesh.tets, 4 * tets * sizeof(int32_t));
    hash = sn_hash(hash, o->vertex_weights, 4 * vertices * sizeof(double));
    hash = sn_hash(hash, o->tet_fill, tets * sizeof(double));
    hash = sn_hash(hash, o->node_barycentric, 3 * nodes * sizeof(double));
    hash = sn_hash(hash, o->vertex_tets, vertices * sizeof(int32_t));
    return sn_hash(hash, o->node_triangles, nodes * sizeof(int32_t));
}

static void test_same_input_same_bytes(void **state)
{
    scene *s = *state;
    add_slabs(s, 0, 1);
    run(s);
    const uint64_t first = output_hash(s);
    run(s);
    assert_true(output_hash(s) == first);
}

static bool count_down(void *user)
{
    int *calls = user;
    return --*calls < 0;
}

/* Whenever it is asked to stop, it stops, and gives everything back. */
static void test_cancel(void **state)
{
    scene *s = *state;
    add_slabs(s, 0, 1);
    s->input.target_vertex_count = 200;
    s->input.is_cancelled = count_down;
    for (int calls = 0;; ++calls) {
        int left = calls;
        const size_t before = sn_allocated_bytes();
        s->input.cancel_user = &left;
        sn_arena_finish(&s->arena);
        const size_t held = sn_allocated_bytes();
        const sn_result result = sn_mesher_run(&s->input, &s->arena, &s->output);
        assert_true(held <= before);
        if (result == SN_OK) {
            assert_true(calls > 2);
            return;
        }
        assert_int_equal(result, SN_ERROR_CANCELLED);
        assert_true(sn_allocated_bytes() == held);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_box, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flipped_box, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sphere_volume, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open_sheet, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_triangle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flat_input_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bridge_between_spheres, setup, teardown),
        cmocka_unit_test_setup_teardown(test_legs_hang_on_the_hip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_soup_is_one_piece, setup, teardown),
        cmocka_unit_test_setup_teardown(test_way_along_rig, setup, teardown),
        cmocka_unit_test_setup_teardown(test_self_intersection, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limb_beside_torso, setup, teardown),
        cmocka_unit_test_setup_teardown(test_measures_see_glue, setup, teardown),
        cmocka_unit_test_setup_teardown(test_layers_of_one_bone_weld, setup, teardown),
        cmocka_unit_test_setup_teardown(test_seam_stays_closed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_input_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
