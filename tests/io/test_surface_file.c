/* SPDX-License-Identifier: MIT */
/* Readers of plain surfaces: the real models, and every variant of .off, .ply and .stl built in memory. More of .obj in
 * test_obj_file.c, broken files in test_surface_damaged.c, memory in test_surface_memory.c. */
#include "tests/io/surface_made.h"

/* Real files. Triangles as shared/data/MANIFEST.md counts them; vertices of .obj are distinct v/vt/vn triples of faces,
 * counted by a script. */
static const struct {
    const char *file;
    int vertex_count, triangle_count, texture_count, warnings;
} models[] = {
    {"surface/spot.obj", 3225, 5856, 0, 0},
    {"surface/armadillo.obj", 43243, 86482, 0, 0},
    {"surface/bunny.off", 3485, 6966, 0, 0},
    {"surface/fandisk.off", 7229, 14454, 0, 0},
    {"surface/torus.stl", 4350, 8700, 0, 0},
    {"surface/fuze.obj", 664, 1000, 0, 1},                    /* its picture is a .jpg that is absent */
    {"surface/quadknot.obj", 2879, 2880, 0, 1},               /* its library is absent */
    {"surface/dirty_stanford_bunny.obj", 34834, 69451, 0, 0}, /* 35947 less those that no face uses */
    {"surface/dirty_bunny_nonmanifold.ply", 8171, 16301, 0, 0},
    {"surface/dirty_suzanne.obj", 507, 968, 0, 0},
    {"surface/dirty_teapot.obj", 3644, 6320, 0, 0},
    {"surface/dirty_truck.obj", 2956, 4770, 0, 0},
    {"surface/dirty_soup.stl", 300, 100, 0, 0},
    {"surface/dirty_shared_edge.stl", 14, 24, 0, 0},
    {"surface/dirty_multibody.stl", 20, 32, 0, 0},
    {"surface/dirty_unmerged.ply", 5096, 3476, 0, 0},
    {"surface/dirty_angle_block.stl", 398, 704, 0, 0},
    {"surface/multi_box.stl", 4455, 8954, 0, 0},
    {"tet/cd_fish/cd_fish_tex.obj", 3874, 6396, 1, 1},                   /* here and below: a picture of its name */
    {"tet/cartoon_octopus/cartoon_octopus_tex.obj", 12657, 23606, 1, 2}, /* here and below: the library is absent */
    {"tet/dolphin/dolphin_tex.obj", 32176, 10770, 1, 2},
    {"tet/giant_squid/giant_squid_tex.obj", 46454, 15696, 1, 2},
    {"tet/humpback/humpback_tex.obj", 31144, 10426, 1, 2},
};

static void test_real_models(void **state)
{
    (void)state;
    skip_without(SN_SHARED_DATA "/surface");
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        sn_arena arena = {0};
        sn_scene_file scene;
        if (read_shared(models[i].file, &arena, &scene) != SN_OK) {
            fail_msg("%s", logged.last);
        }
        print_message("%s\n", models[i].file);
        assert_int_equal(logged.errors, 0);
        assert_int_equal(logged.warnings, models[i].warnings);
        assert_int_equal(scene.primitive_count, 1);
        assert_int_equal(scene.primitives[0].vertex_count, models[i].vertex_count);
        assert_int_equal(scene.primitives[0].triangle_count, models[i].triangle_count);
        assert_int_equal(scene.texture_count, models[i].texture_count);
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_off(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_scene_file scene = read_text(sn_off_read, small_off, &arena);
    const sn_scene_primitive *p = scene.primitives;
    assert_int_equal(logged.warnings, 0);
    ASSERT_TRIANGLES(p, 0, 1, 2, 0, 2, 3, 0, 1, 3);
    ASSERT_FLOATS(p->positions, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
    ASSERT_FLOATS(p->normals, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0);
    ASSERT_FLOATS(p->colors, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1);
    ASSERT_FLOATS(p->uvs[0], 0, 1, 1, 0.75F, 1, 0, 0, 0);
    scene = read_text(sn_off_read, "COFF\r\n3 2\r\n0 0 0 1 0 0\r\n1 0 0 0 1 0 0.5\n0 1 0 0 0 1 1 9 9\n3 0 1 2\n2 0 1\n",
                      &arena);
    assert_int_equal(logged.warnings, 1);
    ASSERT_FLOATS(scene.primitives[0].colors, 1, 0, 0, 1, 0, 1, 0, 0.5F, 0, 0, 1, 1);
    assert_int_equal(scene.primitives[0].triangle_count, 1);
    scene = read_text(sn_off_read, "OFF 3 1 0\n0 0 0 255 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", &arena);
    assert_null(scene.primitives[0].colors);
    /* ModelNet glues the count to the keyword, Geomview lets it be left out */
    static const char *const odd[] = {"OFF3 1 0\n", "COFF3 1\n", "3 1 0\n", "# no keyword\n3 1\n"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; ++i) {
        char text[128];
        snprintf(text, sizeof text, "%s0 0 0 1 0 0\n1 0 0 1 0 0\n0 1 0 1 0 0\n3 0 1 2\n", odd[i]);
        scene = read_text(sn_off_read, text, &arena);
        assert_int_equal(scene.primitives[0].triangle_count, 1);
        assert_true((scene.primitives[0].colors != NULL) == (i == 1));
    }
    sn_arena_finish(&arena);
}

/* Lines that end with \r alone, as PLY's first description has them. */
static void test_carriage_returns(void **state)
{
    (void)state;
    static const struct {
        reader *read;
        const char *text;
    } cases[] = {
        {sn_off_read, "OFF # one\r3 1 0\r0 0 0 9 9\r1 0 0\r0 1 0\r3 0 1 2\r"},
        {sn_obj_read, "# one\rv 0 0 0 # a\rv 1 0 \\\r 0\rv 0 1 0\rusemtl a b \rf 1 2 3"},
        {sn_ply_read, "ply\rformat ascii 1.0\rcomment a b\relement vertex 3\rproperty float x\rproperty float y\r"
                      "property float z\relement face 1\rproperty list uchar int vertex_indices\rend_header\r"
                      "0 0 0\r1 0 0\r0 1 0\r3 0 1 2\r"},
        {sn_stl_read, "solid a b\rfacet normal 0 0 1\router loop\rvertex 0 0 0\rvertex 1 0 0\rvertex 0 1 0\rendloop\r"
                      "endfacet\rendsolid a b\r"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        const sn_scene_file scene = read_text(cases[i].read, cases[i].text, &arena);
        assert_int_equal(logged.warnings, 0);
        ASSERT_TRIANGLES(scene.primitives, 0, 1, 2);
        ASSERT_FLOATS(scene.primitives->positions, 0, 0, 0, 1, 0, 0, 0, 1, 0);
        sn_arena_finish(&arena);
    }
}

/* What lies four thousand kilometres out is counted from its middle, and keeps its millimetres; nearer, nothing moves.
 */
static void test_far_from_the_origin(void **state)
{
    (void)state;
#define FAR_A "500000.001 4000000.002 -7.003"
#define FAR_B "500000.101 4000000.002 -7.003"
#define FAR_C "500000.001 4000000.102 -7.103"
    static const double places[9] = {500000.001, 4000000.002, -7.003,      500000.101, 4000000.002,
                                     -7.003,     500000.001,  4000000.102, -7.103};
    static const struct {
        reader *read;
        const char *text;
    } cases[] = {
        {sn_off_read, "OFF 3 1\n" FAR_A "\n" FAR_B "\n" FAR_C "\n3 0 1 2\n"},
        {sn_obj_read, "v " FAR_A "\nv " FAR_B "\nv \\\n" FAR_C "\nf 1 2 3\n"},
        {sn_ply_read, "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
                      "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n" FAR_A
                      "\n" FAR_B "\n" FAR_C "\n3 0 1 2\n"},
    };
    sn_arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sn_scene_file scene = read_text(cases[i].read, cases[i].text, &arena);
        const sn_scene_node *node = &scene.nodes[0];
        for (int k = 0; k < 9; ++k) {
            const double place = node->translation[k % 3] + (double)scene.primitives[0].positions[k];
            assert_true(fabs(place - places[k]) < 1e-8);
            assert_true(node->local[4 * (k % 3) + 3] == node->translation[k % 3]);
        }
    }
    const sn_scene_file near = read_text(sn_obj_read, "v 9 9 9\nv 9.1 9 9\nv 9 9.1 9\nf 1 2 3\n", &arena);
    assert_true(near.nodes[0].translation[0] == 0 && near.nodes[0].local[3] == 0);
    assert_true(near.primitives[0].positions[3] == 9.1F);
    sn_arena_finish(&arena);
}

static void test_ply(void **state)
{
    (void)state;
    bytes b;
    build_ascii_ply(&b);
    check_ply(&b);
    build_ply(&b, false);
    check_ply(&b);
    build_ply(&b, true);
    check_ply(&b);
    sn_arena arena = {0};
    const sn_scene_file scene =
        read_text(sn_ply_read,
                  "ply\nformat ascii 1.0\nelement vertex 4\nproperty float32 x\nproperty float64 y\nproperty int8 z\n"
                  "property float nx\nproperty float ny\nproperty float nz\nproperty float s\nproperty float t\n"
                  "property float red\nproperty float green\nproperty float blue\nproperty uchar alpha\n"
                  "element face 1\nproperty list uint uint vertex_index\nend_header\n"
                  "0 0 0 0 0 9 0 0 .5 2 -1 0\n1 0 0 0 0 1 1 0.25 .5 .5 .5 255\n0 1 0 0 1 0 1 1 0 0 0 255\n5 5 5 0 0 0 "
                  "0 0 0 0 0 0\n"
                  "3 0 1 2\n",
                  &arena);
    const sn_scene_primitive *p = scene.primitives;
    assert_int_equal(p->vertex_count, 4); /* unused vertices stay */
    ASSERT_FLOATS(p->normals, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0);
    ASSERT_FLOATS(p->uvs[0], 0, 1, 1, 0.75F, 1, 0);
    ASSERT_FLOATS(p->colors, 0.5F, 1, 0, 0, 0.5F, 0.5F, 0.5F, 1);
    sn_arena_finish(&arena);
}

static void test_stl(void **state)
{
    (void)state;
    bytes b;
    sn_arena arena = {0};
    sn_scene_file scene = read_text(sn_stl_read, small_stl, &arena);
    assert_int_equal(logged.warnings, 1);
    assert_int_equal(scene.primitives[0].vertex_count, 4);
    ASSERT_TRIANGLES(&scene.primitives[0], 0, 1, 2, 0, 1, 3, 0, 3, 2);
    ASSERT_FLOATS(scene.primitives[0].positions, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0);
    build_stl(&b, 2);
    scene = read_good(sn_stl_read, &b, &arena);
    assert_int_equal(logged.warnings, 0);
    ASSERT_TRIANGLES(&scene.primitives[0], 0, 1, 2, 0, 1, 3);
    ASSERT_FLOATS(scene.primitives[0].positions, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0);
    assert_null(scene.primitives[0].normals);
    b.data[0] = 'x';
    put_text(&b, "tail");
    scene = read_good(sn_stl_read, &b, &arena);
    assert_int_equal(logged.warnings, 1);
    assert_int_equal(scene.primitives[0].triangle_count, 2);
    sn_arena_finish(&arena);
}

int test_surface_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_models),         cmocka_unit_test(test_off), cmocka_unit_test(test_carriage_returns),
        cmocka_unit_test(test_far_from_the_origin), cmocka_unit_test(test_ply), cmocka_unit_test(test_stl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
