/* SPDX-License-Identifier: MIT */
/* Stiffness, density and leak that were painted on vertices reach the tets, through a file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/io/gltf/gltf_write.h"
#include "tests/support/hessian.h"

#define GRID 9 /* vertices along an edge of the box */
#define PATH SN_BINARY_DIR "/painted.glb"
#define SIDECAR_PATH SN_BINARY_DIR "/painted.sinew.json"

/* The six sides of the cube [-1, 1]^3, each a grid with vertices of its own. */
static sn_scene_primitive make_cube(sn_arena *arena)
{
    const int side = GRID * GRID, cells = (GRID - 1) * (GRID - 1);
    sn_scene_primitive p = {.vertex_count = 6 * side, .triangle_count = 12 * cells, .material = -1, .is_flat = true};
    p.positions = SN_NEW(arena, float, 3 * p.vertex_count);
    p.triangles = SN_NEW(arena, int32_t, 3 * p.triangle_count);
    int32_t *corner = p.triangles;
    for (int s = 0; s < 6; ++s) {
        const int axis = s / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int i = 0; i < side; ++i) {
            float *x = p.positions + 3 * (s * side + i);
            x[axis] = s % 2 ? 1 : -1;
            x[u] = 2.0F * (float)(i % GRID) / (GRID - 1) - 1;
            x[v] = 2.0F * (float)(i / GRID) / (GRID - 1) - 1;
        }
        for (int c = 0; c < cells; ++c) {
            const int a = s * side + c / (GRID - 1) * GRID + c % (GRID - 1),
                      quad[4] = {a, a + 1, a + GRID + 1, a + GRID};
            for (int k = 0; k < 6; ++k) {
                const int order[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
                *corner++ = quad[order[s % 2][k]];
            }
        }
    }
    return p;
}

/* Stiffness exp(x), density 3 on top and 1 below, leak 1 at z > .5. */
static void paint(sn_arena *arena, sn_scene_primitive *p)
{
    for (int k = 0; k < SN_PAINTED_COUNT; ++k) {
        p->paint[k] = SN_NEW(arena, float, p->vertex_count);
    }
    for (int v = 0; v < p->vertex_count; ++v) {
        const float *x = p->positions + 3 * v;
        p->paint[SN_PAINTED_STIFFNESS][v] = expf(x[0]);
        p->paint[SN_PAINTED_DENSITY][v] = x[1] > 0 ? 3 : 1;
        p->paint[SN_PAINTED_LEAK][v] = x[2] > 0.5F;
    }
}

static void cook(bool is_painted, sn_cook_context *k)
{
    sn_arena arena = {0};
    sn_scene_primitive cube = make_cube(&arena);
    sn_scene_mesh mesh = {.name = "cube", .primitive_count = 1};
    sn_scene_node node = {.name = "cube",
                          .parent = -1,
                          .mesh = 0,
                          .skin = -1,
                          .rotation = {0, 0, 0, 1},
                          .scale = {1, 1, 1},
                          .local = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                          .is_in_scene = true};
    const sn_scene_file scene = {
        .node_count = 1, .mesh_count = 1, .primitive_count = 1, .nodes = &node, .meshes = &mesh, .primitives = &cube};
    if (is_painted) {
        paint(&arena, &cube);
    }
    assert_int_equal(sn_gltf_write(PATH, &scene), SN_OK);
    sn_arena_finish(&arena);
    static sn_cook_desc desc;
    desc = sn_default_cook_desc();
    desc.mode_count = 4;
    desc.cluster_count = 10;
    *k = (sn_cook_context){.path = NULL};
    assert_int_equal(sn_cook_context_run(k, PATH, &desc), SN_OK);
}

/* The middle of a tet, in the file's units. */
static void middle(const sn_cook_context *k, int tet, double *x)
{
    for (size_t d = 0; d < 3; ++d) {
        x[d] = 0;
        for (size_t corner = 0; corner < 4; ++corner) {
            x[d] += 0.25 * k->mesh.positions[3 * (size_t)k->mesh.tets[4 * (size_t)tet + corner] + d];
        }
        x[d] = x[d] / k->scale + k->origin[d];
    }
}

static void painted_values_reach_the_tets(void **state)
{
    (void)state;
    sn_cook_context plain, painted;
    cook(false, &plain);
    cook(true, &painted);
    assert_int_equal(plain.mesh.tet_count, painted.mesh.tet_count);
    int looked_at = 0;
    for (int t = 0; t < plain.mesh.tet_count; ++t) {
        double x[3];
        middle(&plain, t, x);
        const double stiffness = painted.tet_stiffness[t] / plain.tet_stiffness[t];
        const double density = painted.tet_density[t] / plain.tet_density[t];
        if (fabs(x[1]) > 0.4 && fabs(x[0]) > 0.9 && fabs(x[0]) < 1) {
            assert_true(fabs(stiffness / exp(x[0]) - 1) < 0.1);
            assert_true(fabs(density - (x[1] > 0 ? 3 : 1)) < 0.3);
            ++looked_at;
        }
        assert_true(stiffness > exp(-1.2) && stiffness < exp(1.2));
        assert_true(density > 0.99 && density < 3.01);
    }
    assert_true(looked_at > 100);
    sn_test_expect_hessian(&painted);
    for (size_t v = 0; v < (size_t)plain.mesh.vertex_count; ++v) {
        const double z = plain.mesh.positions[3 * v + 2] / plain.scale + plain.origin[2];
        assert_true(painted.leak[v] >= 0 && painted.leak[v] <= 1 + 1e-12);
        assert_true(z < 0.99 || painted.leak[v] > 0.99);
        assert_true(z > -0.99 || fabs(painted.leak[v] - plain.leak[v]) < 0.05);
    }
    sn_cook_context_finish(&plain);
    sn_cook_context_finish(&painted);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void sidecar_says_poissons_ratio(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "{\"poisson\": 0.3}",
                                        "{\"poisson\": 0.3, \"bones\": {\"cube\": {\"poisson\": 0.45}}}"};
    static const double ratios[] = {0, 0.3, 0.45};
    for (int i = 0; i < 3; ++i) {
        sn_cook_context k;
        assert_int_equal(sn_file_write(SIDECAR_PATH, (const uint8_t *)texts[i], strlen(texts[i])), SN_OK);
        cook(false, &k);
        const double nu = ratios[i];
        for (int t = 0; t < k.mesh.tet_count; ++t) {
            assert_true(fabs(k.tet_lame[t] - k.tet_stiffness[t] * nu / (1 - 2 * nu)) <= 1e-12 * k.tet_stiffness[t]);
        }
        assert_true((k.reduced.volume_bound > 0) == (nu > 0));
        sn_cook_context_finish(&k);
    }
    assert_int_equal(remove(SIDECAR_PATH), 0);
}

int test_paint(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(painted_values_reach_the_tets),
                                       cmocka_unit_test(sidecar_says_poissons_ratio)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
