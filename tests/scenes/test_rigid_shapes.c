/* SPDX-License-Identifier: MIT */
/* The solid around a surface, and its mass: of the primitives themselves, anywhere and turned anyhow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scenes/rigid/rigid_shape.h"

#define PI 3.14159265358979323846
#define AROUND 32
#define RINGS 33 /* odd: a ball's has its equator, whatever the axis */

typedef struct mesh {
    float positions[3 * RINGS * AROUND];
    int32_t triangles[3 * 2 * RINGS * AROUND];
    sn_surface surface;
} mesh;

static void put(const sn_frame *place, const double local[3], float *position)
{
    for (int r = 0; r < 3; ++r) {
        position[r] =
            (float)(place->m[r][0] * local[0] + place->m[r][1] * local[1] + place->m[r][2] * local[2] + place->m[r][3]);
    }
}

/* Of a body of revolution around y: the profile is a quarter turn at each end, of a ball or of an end that is flat. */
static void profile(const sn_scene_solid *solid, int ring, double *radius, double *height)
{
    const double turn = PI * ring / (RINGS - 1) - PI / 2, r = solid->radius, h = solid->half_height;
    const bool is_flat = solid->type == SN_SOLID_CYLINDER;
    *radius = is_flat && ring > 0 && ring < RINGS - 1 ? r : r * cos(turn);
    *height = is_flat ? copysign(h, turn) : r * sin(turn) + (ring == RINGS / 2 ? 0 : copysign(h, turn));
}

static void make_round(const sn_scene_solid *solid, const sn_frame *place, mesh *m)
{
    m->surface = (sn_surface){.positions = m->positions, .triangles = m->triangles, .vertex_count = RINGS * AROUND};
    for (int i = 0; i < RINGS * AROUND; ++i) {
        double radius, height;
        const double angle = 2 * PI * (i % AROUND) / AROUND;
        profile(solid, i / AROUND, &radius, &height);
        put(place, (double[3]){radius * sin(angle), height, radius * cos(angle)}, m->positions + 3 * (size_t)i);
        if (i < (RINGS - 1) * AROUND) {
            const int right = i / AROUND * AROUND + (i + 1) % AROUND;
            const int32_t two[6] = {i, right, right + AROUND, i, right + AROUND, i + AROUND};
            memcpy(m->triangles + 3 * (size_t)m->surface.triangle_count, two, sizeof two);
            m->surface.triangle_count += 2;
        }
    }
}

static void make_box(const sn_scene_solid *solid, const sn_frame *place, mesh *m)
{
    static const int32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const double *h = solid->half_extents;
    m->surface =
        (sn_surface){.positions = m->positions, .triangles = m->triangles, .vertex_count = 8, .triangle_count = 12};
    for (int i = 0; i < 8; ++i) {
        put(place, (double[3]){i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2]},
            m->positions + 3 * (size_t)i);
    }
    memcpy(m->triangles, faces, sizeof faces);
}

static void make(const sn_scene_solid *solid, mesh *m)
{
    const sn_frame place = sn_frame_rigid(solid->rotation, solid->translation);
    memset(m, 0, sizeof *m);
    (solid->type == SN_SOLID_BOX ? make_box : make_round)(solid, &place, m);
}

static const sn_scene_solid solids[] = {
    {.type = SN_SOLID_SPHERE, .radius = 0.3, .translation = {1, -2, 0.5}},
    {.type = SN_SOLID_CAPSULE, .radius = 0.2, .half_height = 0.5, .translation = {-1, 0, 3}, .rotation = {0.5, 1, -2}},
    {.type = SN_SOLID_CYLINDER, .radius = 0.4, .half_height = 0.1, .translation = {0, 4, 1}, .rotation = {2, 0.3, 1}},
    {.type = SN_SOLID_CYLINDER, .radius = 0.1, .half_height = 0.5, .rotation = {0, 0, PI / 2}},
    {.type = SN_SOLID_BOX, .half_extents = {0.1, 0.3, 0.5}, .translation = {2, 2, 2}, .rotation = {1, -1, 0.3}},
    {.type = SN_SOLID_BOX, .half_extents = {0.2, 0.2, 0.2}, .translation = {-5, 0, 0}}};

#define SOLID_COUNT ((int)(sizeof solids / sizeof solids[0]))

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.9g is not %.9g", value, expected);
    }
}

static void primitives_enclose_themselves(void **state)
{
    (void)state;
    static mesh m;
    for (int i = 0; i < SOLID_COUNT; ++i) {
        const sn_scene_solid *solid = &solids[i];
        make(solid, &m);
        const sn_scene_solid found = sn_rigid_bounding_solid(&m.surface);
        print_message("%d: kind %d, radius %g, half height %g\n", i, (int)found.type, found.radius, found.half_height);
        assert_int_equal(found.type, solid->type);
        near(found.radius, solid->radius, 2e-3);
        near(found.half_height, solid->half_height, 2e-3);
        sn_rigid_mass mass, own;
        sn_rigid_solids_mass(&found, 1, &mass);
        sn_rigid_solids_mass(solid, 1, &own);
        near(mass.mass, own.mass, 0.01 * own.mass);
        for (int k = 0; k < 9; ++k) { /* which axis is which does not matter, but where they are does */
            near(mass.center[k / 3], own.center[k / 3], 1e-3);
            near(mass.inertia[k / 3][k % 3], own.inertia[k / 3][k % 3], 0.02 * own.inertia[0][0]);
        }
    }
}

/* Whatever the surface: a skew tetrahedron. */
static void all_vertices_are_within(void **state)
{
    (void)state;
    static const float positions[12] = {0, 0, 0, 3, 0.5F, 0, 2.5F, 1, 0.4F, 0.2F, 0.3F, 0.8F};
    static const int32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    const sn_surface surface = {.vertex_count = 4, .triangle_count = 4, .positions = positions, .triangles = triangles};
    const sn_scene_solid solid = sn_rigid_bounding_solid(&surface);
    const sn_frame place = sn_frame_rigid(solid.rotation, solid.translation), back = sn_frame_inverse(&place);
    for (int v = 0; v < 4; ++v) {
        double p[3];
        for (int r = 0; r < 3; ++r) {
            p[r] = back.m[r][3];
            for (int c = 0; c < 3; ++c) {
                p[r] += back.m[r][c] * (double)positions[3 * v + c];
            }
        }
        const double up = fmax(fabs(p[1]) - solid.half_height, 0), aside = hypot(p[0], p[2]);
        switch (solid.type) {
        case SN_SOLID_CYLINDER:
            assert_true(up <= 1e-6 && aside <= solid.radius + 1e-6);
            break;
        case SN_SOLID_BOX:
            for (int d = 0; d < 3; ++d) {
                assert_true(fabs(p[d]) <= solid.half_extents[d] + 1e-6);
            }
            break;
        default:
            assert_true(hypot(up, aside) <= solid.radius + 1e-6);
        }
    }
}

static void surfaces_weigh_what_solids_do(void **state)
{
    (void)state;
    static mesh m;
    for (int i = 0; i < SOLID_COUNT; ++i) {
        sn_rigid_mass mass, own;
        make(&solids[i], &m);
        assert_true(sn_rigid_surface_mass(&m.surface, &mass));
        sn_rigid_solids_mass(&solids[i], 1, &own);
        const bool is_exact = solids[i].type == SN_SOLID_BOX;
        const double all = own.inertia[0][0] + own.inertia[1][1] + own.inertia[2][2];
        near(mass.mass, own.mass, (is_exact ? 1e-5 : 0.02) * own.mass);
        for (int k = 0; k < 9; ++k) {
            near(mass.center[k / 3], own.center[k / 3], 1e-5);
            near(mass.inertia[k / 3][k % 3], own.inertia[k / 3][k % 3], (is_exact ? 1e-5 : 0.02) * all);
        }
    }
}

/* Of two parts: the parallel-axis theorem. */
static void parts_add_up(void **state)
{
    (void)state;
    const sn_scene_solid halves[] = {
        {.type = SN_SOLID_BOX, .half_extents = {0.1, 0.3, 0.25}, .translation = {1, 2, 2.75}},
        {.type = SN_SOLID_BOX,
         .half_extents = {0.25, 0.3, 0.1},
         .translation = {1, 2, 3.25},
         .rotation = {0, PI / 2, 0}}};
    const sn_scene_solid whole = {.type = SN_SOLID_BOX, .half_extents = {0.1, 0.3, 0.5}, .translation = {1, 2, 3}};
    sn_rigid_mass mass, own;
    sn_rigid_solids_mass(halves, 2, &mass);
    sn_rigid_solids_mass(&whole, 1, &own);
    near(mass.mass, own.mass, 1e-12);
    for (int k = 0; k < 9; ++k) {
        near(mass.center[k / 3], own.center[k / 3], 1e-12);
        near(mass.inertia[k / 3][k % 3], own.inertia[k / 3][k % 3], 1e-12);
    }
}

static bool is_closed(const sn_surface *surface)
{
    bool result = false;
    assert_int_equal(sn_rigid_test_closed(surface, &result), SN_OK);
    return result;
}

/* Closed whatever is split at seams; a tube whose ends are open is not, though the areas of its sides cancel. */
static void open_surfaces_are_told_from_closed_ones(void **state)
{
    (void)state;
    static mesh m;
    sn_rigid_mass mass;
    for (int i = 0; i < SOLID_COUNT; ++i) {
        make(&solids[i], &m);
        assert_true(is_closed(&m.surface));
    }
    make(&solids[4], &m);
    float split[36 * 3];
    int32_t triangles[36];
    for (int32_t k = 0; k < 36; ++k) {
        memcpy(split + 3 * k, m.positions + 3 * m.triangles[k], 3 * sizeof *split);
        triangles[k] = k;
    }
    sn_surface parts = {.vertex_count = 36, .triangle_count = 12, .positions = split, .triangles = triangles};
    assert_true(is_closed(&parts));
    triangles[0] = 1; /* one that is turned about */
    triangles[1] = 0;
    assert_false(is_closed(&parts));
    m.surface.triangle_count = 8; /* without both faces across x */
    assert_false(is_closed(&m.surface));
    m.surface.triangle_count = 0;
    assert_false(sn_rigid_surface_mass(&m.surface, &mass));
}

int test_rigid_shapes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_enclose_themselves),           cmocka_unit_test(all_vertices_are_within),
        cmocka_unit_test(surfaces_weigh_what_solids_do),           cmocka_unit_test(parts_add_up),
        cmocka_unit_test(open_surfaces_are_told_from_closed_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
