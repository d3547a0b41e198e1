/* SPDX-License-Identifier: MIT */
/* Readers of plain surfaces: the real models, every variant of .off, .ply and .stl built in memory, broken files that
 * must give one line each, and seeded mutations. More of .obj in test_obj_file.c, memory in test_surface_memory.c. */
#include "tests/io/surface_test.h"

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

static sn_result read_shared(const char *file, sn_arena *arena, sn_scene_file *scene)
{
    char path[4096];
    sn_source source;
    snprintf(path, sizeof path, "%s/%s", SN_SHARED_DATA, file);
    begin_log();
    assert_int_equal(sn_source_read(path, arena, &source), SN_OK);
    return read_checked(reader_of(file), &source, arena, scene);
}

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

/* A null message: the file is read, and why. */
static const struct {
    const char *file, *message;
} bad_files[] = {
    {"OutOfMemory.off", "line 2: the vertex count is 353535235358"},
    {"empty.obj", "line 1: the file ends without a triangle"},
    {"empty.off", "line 1: the file does not begin with OFF"},
    {"empty.ply", "line 1: the file ends before 'ply'"},
    {"malformed.obj", "line 23: a face names the position 12 of 8"},
    {"crash-30d6d0f7c529b3b66b4131700b7a4580cd7082df.ply", "line 7: '\?\?\?' is not a type"},
    {"nancolor.obj", "line 7: position 'nan' is not a finite decimal number"},
    {"notenoughindices.obj", NULL}, /* a face of two corners is left out, the other one is a triangle */
    {"negative_indices.obj", NULL}, /* a cube as the format allows it */
    {"jacked.obj", NULL},           /* a cube: a slash with nothing behind it says that there is no normal */
    {"empty.stl", "line 2: the file ends without a triangle"},
    {"points_emptyface.ply", "line 1034: the file ends without a triangle"},
    {"ufbx_fuzz_0224.obj", "line 104: the file ends without a triangle"},
    {"ufbx_fuzz_0238.obj", "line 6: the file ends without a triangle"},
};

static void test_bad_files(void **state)
{
    (void)state;
    skip_without(SN_SHARED_DATA "/bad/mesh");
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        char file[256];
        sn_arena arena = {0};
        sn_scene_file scene;
        snprintf(file, sizeof file, "bad/mesh/%s", bad_files[i].file);
        const sn_result result = read_shared(file, &arena, &scene);
        assert_int_equal(result, bad_files[i].message ? SN_ERROR_FORMAT : SN_OK);
        if (bad_files[i].message) {
            assert_one_error(file);
            if (!strstr(logged.last, bad_files[i].message)) {
                fail_msg("'%s' lacks '%s'", logged.last, bad_files[i].message);
            }
        }
        sn_arena_finish(&arena);
    }
}

/* OFF */

static const char small_off[] = "STCNOFF # a comment\n# another\n4 2 0\n"
                                "0 0 0  0 0 2  255 0 0 255  0 0\n1 0 0  0 0 1  0 255 0 0  1 0.25 # here\n"
                                "1 1 0  0 0 1  0 0 255  1 1\n0 1 0  0 0 0  255 255 255 255  0 1\n"
                                "4 0 1 2 3  0.5 0.5 0.5\n3 0 1 3";

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

/* PLY */

static const char ply_elements[] = "comment of element vertex 9\nobj_info\nelement vertex 4\nproperty uint8 red\n"
                                   "property float x\nproperty list uchar int16 extra\nproperty double y\n"
                                   "property int z\nproperty uchar green\nproperty uint8 blue\nproperty short quality\n"
                                   "element edge 1\nproperty int v1\nproperty list uint float w\n"
                                   "element face 3\nproperty uchar flags\nproperty list uint8 int vertex_indices\n"
                                   "property list char double uv\nelement tristrips 1\n"
                                   "property list int int vertex_indices\nelement nothing 3\nend_header\n";

static void put_value(bytes *b, bool is_big_endian, size_t size, uint64_t bits)
{
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(bits >> 8 * (is_big_endian ? size - 1 - i : i));
        put(b, &byte, 1);
    }
}

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_list(bytes *b, bool is_big_endian, size_t count_size, const int *values, size_t count)
{
    put_value(b, is_big_endian, count_size, count);
    for (size_t i = 0; i < count; i++) {
        put_value(b, is_big_endian, 4, (uint64_t)(int64_t)values[i]);
    }
}

static void build_ply(bytes *b, bool is_big_endian)
{
    const bool e = is_big_endian;
    b->size = 0;
    put_text(b, e ? "ply\r\nformat binary_big_endian 1.0\r\n" : "ply\nformat binary_little_endian 1.0\n");
    put_text(b, ply_elements);
    for (int i = 0; i < 4; i++) {
        put_value(b, e, 1, i == 0 ? 255 : 0);
        put_value(b, e, 4, float_bits(i == 1 || i == 2 ? 1.5F : 0));
        put_value(b, e, 1, (uint64_t)i); /* a list of i numbers */
        for (int k = 0; k < i; k++) {
            put_value(b, e, 2, 0x0102);
        }
        put_value(b, e, 8, double_bits(i >= 2 ? 2.5 : 0));
        put_value(b, e, 4, (uint64_t)-7);
        put_value(b, e, 1, 51);
        put_value(b, e, 1, 0);
        put_value(b, e, 2, 0xffff);
    }
    put_value(b, e, 4, 3);
    put_value(b, e, 4, 1);
    put_value(b, e, 4, float_bits(1));
    static const int faces[3][4] = {{0, 1, 2, 3}, {3, 1}, {2, 1, 0}};
    for (int i = 0; i < 3; i++) {
        put_value(b, e, 1, 0);
        put_list(b, e, 1, faces[i], i == 0 ? 4 : i == 1 ? 2 : 3);
        put_value(b, e, 1, 1);
        put_value(b, e, 8, double_bits(0.5));
    }
    put_list(b, e, 4, (const int[]){0, 1, 2, 3, -1, 3, 2, 2, 1}, 9);
}

static const char ply_ascii[] = "255 0 0 0 -7 51 0 nan\n0 1.5 1 258 0 -7 51 0 -1\n"
                                "0 1.5 2 258 258 2.5 -7 51 0 -1\n0 0 3 258 258 258 2.5 -7 51 0 -1\n"
                                "3 1 1.0\n0 4 0 1 2 3 1 0.5\n0 2 3 1 1 .5\n0 3 2 1 0 1 .5\n9 0 1 2 3 -1 3 2 2 1";

static void check_ply(const bytes *b)
{
    const float fifth = powf((0.2F + 0.055F) / 1.055F, 2.4F);
    sn_arena arena = {0};
    const sn_scene_file scene = read_good(sn_ply_read, b, &arena);
    const sn_scene_primitive *p = scene.primitives;
    assert_int_equal(logged.warnings, 1); /* the face of two corners */
    ASSERT_TRIANGLES(p, 0, 1, 2, 0, 2, 3, 2, 1, 0, 0, 1, 2, 2, 1, 3);
    ASSERT_FLOATS(p->positions, 0, 0, -7, 1.5F, 0, -7, 1.5F, 2.5F, -7, 0, 2.5F, -7);
    ASSERT_FLOATS(p->colors, 1, fifth, 0, 1, 0, fifth, 0, 1, 0, fifth, 0, 1, 0, fifth, 0, 1);
    assert_null(p->normals);
    assert_null(p->uvs[0]);
    sn_arena_finish(&arena);
}

static void build_ascii_ply(bytes *b)
{
    b->size = 0;
    put_text(b, "ply\nformat ascii 1.0\n");
    put_text(b, ply_elements);
    put_text(b, ply_ascii);
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

/* STL */

static const char small_stl[] = "SOLID a solid with facet and vertex\n Facet Normal nan -nan inf\n  OUTER loop\n"
                                "   vertex 0 0 0\n vertex 1 0 -0\n vertex 0 1 0\n endloop\n endfacet\n"
                                "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 endloop endfacet\n"
                                "endsolid a solid\nsolid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                                "vertex 1 1e0 0\nvertex 0 1 0\nendloop\nendfacet\nEndSolid";

static void build_stl(bytes *b, uint32_t count)
{
    char header[80] = "solid but binary";
    b->size = 0;
    put(b, header, sizeof header);
    put_int(b, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        put_int(b, 0x7fc00000, 4); /* the normal is not a number */
        put_int(b, 0, 8);
        for (int k = 0; k < 9; k++) {
            put_int(b, float_bits(k == 3 ? 1 : k == 7 ? 1 + (float)i : -0.0F), 4);
        }
        put_int(b, 0xffff, 2);
    }
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

/* Failures */

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define PLY "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define LIST "property list uchar int vertex_indices\n"
#define PLY_TRIANGLE PLY "element vertex 3\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 0 0 0 1 0\n"

static const struct {
    reader *read;
    const char *text, *message;
} broken[] = {
    {sn_obj_read, TRIANGLE, "line 4: the file ends without a triangle"},
    {sn_obj_read, TRIANGLE "l 1 2\np 3\n", "line 6: the file ends without a triangle"},
    {sn_obj_read, TRIANGLE "f 1 2 4\n", "line 4: a face names the position 4 of 3"},
    {sn_obj_read, TRIANGLE "f 1 2 \\\n 0\n", "line 5: a face names the position 0 of 3"},
    {sn_obj_read, TRIANGLE "f 1 2 -4\n", "line 4: a face names the position -4 of 3"},
    {sn_obj_read, TRIANGLE "f 1 2 99999999999999999999999\n", "line 4: a face names the position 2147483647 of 3"},
    {sn_obj_read, TRIANGLE "f 1/1 2 3\n", "line 4: a face names the texture coordinate 1 of 0"},
    {sn_obj_read, TRIANGLE "f 1//1 2 3\n", "line 4: a face names the normal 1 of 0"},
    {sn_obj_read, TRIANGLE "f /1 2 3\n", "line 4: a corner of a face begins without a number"},
    {sn_obj_read, TRIANGLE "f 1.5 2 3\n", "line 4: '.5' stands in a corner of a face"},
    {sn_obj_read, TRIANGLE "f 1/// 2 3\n", "line 4: '/' stands in a corner of a face"},
    {sn_obj_read, "v 0 0\n", "line 1: a position has 2 numbers"},
    {sn_obj_read, "v\n", "line 1: a position has 0 numbers"},
    {sn_obj_read, "v 0 0 0 0 0\n", "line 1: a position has 5 numbers"},
    {sn_obj_read, "v 0 0 0 0 0 0 0 0\n", "line 1: the position has more than 7 numbers"},
    {sn_obj_read, "v 0 nan 0\n", "line 1: position 'nan' is not a finite decimal number"},
    {sn_obj_read, "v 0 0 -inf\n", "line 1: position '-inf' is not"},
    {sn_obj_read, "\nv 0 1e39 0\n", "line 2: position 1e+39 is beyond a float"},
    {sn_obj_read, "v 0 1e999 0\n", "line 1: position '1e999' is not"},
    {sn_obj_read, "vt\n", "line 1: a texture coordinate has no numbers"},
    {sn_obj_read, "vn 1 0\n", "line 1: a normal has 2 numbers instead of 3"},
    {sn_off_read, "OFX\n", "line 1: the file does not begin with OFF"},
    {sn_off_read, "4OFF\n", "line 1: the file does not begin with OFF"},
    {sn_off_read, "OFF3x 1 0\n", "line 1: the file does not begin with OFF"},
    {sn_off_read, "ST3 1 0\n", "line 1: the file does not begin with OFF"},
    {sn_off_read, "3 1 0\n0 0 0\n", "line 1: the vertex count is 3, more than"},
    {sn_obj_read, "v 0 0 0\rv 1 0 0\rf 1 2 3\r", "line 3: a face names the position 3 of 2"},
    {sn_off_read, "OFF BINARY\n", "line 1: binary OFF is not supported"},
    {sn_off_read, "OFF\n-1 0 0\n", "line 2: the vertex count is negative: -1"},
    {sn_off_read, "OFF\n3\n", "line 2: the vertex count is 3, more than"},
    {sn_off_read, "OFF\n0\n", "the file ends before the face count"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n", "line 2: the vertex count is 3, more than"},
    {sn_off_read, "OFF\n1 9999999 0\n0 0 0\n", "line 2: the face count is 9999999, more than"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 # 0\n3 0 1 2\n", "line 5: a vertex has only 2 numbers"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", "line 4: coordinate 'nan' is not"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6: a face names the vertex 3, outside 0..2"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "line 6: a face names the vertex -1"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n99999 0 1\n", "line 6: the corner count is 99999, more than"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "the file ends without a triangle"},
    {sn_off_read, "OFF\n0 0 0\n", "the file ends without a triangle"},
    {sn_ply_read, "plx\n", "line 1: 'plx' stands where 'ply' was expected"},
    {sn_ply_read, "ply\nformat ascii 2.0\n", "line 2: '2.0' stands where '1.0'"},
    {sn_ply_read, "ply\nformat utf8 1.0\n", "line 2: the format is none of"},
    {sn_ply_read, "ply\nelement vertex 0\n" XYZ "end_header\n", "the header has no format"},
    {sn_ply_read, PLY "end_header\n", "line 3: the file has no vertices with x, y and z"},
    {sn_ply_read, PLY "element vertex 1\nproperty float x\nend_header\n 0\n", "no vertices with x, y and z"},
    {sn_ply_read, PLY "property float x\n", "line 3: a property stands before the first element"},
    {sn_ply_read, PLY "element vertex 1\nproperty half x\n", "line 4: 'half' is not a type"},
    {sn_ply_read, PLY "element vertex 1\nproperty list float int x\n", "line 4: a list cannot be counted in floats"},
    {sn_ply_read, PLY "element vertex -1\n", "line 3: the count of an element is negative"},
    {sn_ply_read, PLY "element vertex 5 6\n", "line 3: "},
    {sn_ply_read, PLY "element vertex 4000000000\n", "line 3: the count of an element is 4000000000, more than"},
    {sn_ply_read, PLY "element vertex 20\n" XYZ "end_header\n0 0 0\n", "the count of an element is 20, more than"},
    {sn_ply_read, PLY "element face 1\n" LIST "element vertex 1\n", "line 3: faces stand before vertices"},
    {sn_ply_read, PLY "element vertex 1\n" XYZ "element vertex 1\n", "line 7: a second element vertex"},
    {sn_ply_read, PLY "elephant\n", "line 3: 'elephant' is not a keyword of the header"},
    {sn_ply_read, PLY "comment", "the file ends before the end_header"},
    {sn_ply_read, PLY_TRIANGLE "3 0 1 3\n", "line 11: a face names the vertex 3, outside 0..2"},
    {sn_ply_read, PLY_TRIANGLE "3 0 1 -1\n", "line 11: a face names the vertex -1"},
    {sn_ply_read, PLY_TRIANGLE "3 0 1 1.5\n", "line 11: a face names the vertex 1.5"},
    {sn_ply_read, PLY_TRIANGLE "3 0 1\n", "line 11: the count of a list is 3, more than"},
    {sn_ply_read, PLY_TRIANGLE "-3 0 1 2\n", "line 11: the count of a list is negative: -3"},
    {sn_ply_read, PLY_TRIANGLE "1e300 0 1 2\n", "line 11: the count of a list is 1e+300"},
    {sn_ply_read, PLY_TRIANGLE "2 0 1\n", "the file ends without a triangle"},
    {sn_ply_read,
     PLY "element vertex 3\n" XYZ "element face 1\nproperty list uchar int v\nend_header\n0 0 0 1 0 0 0 1 nan\n",
     "line 10: value of a vertex 'nan' is not"},
    {sn_ply_read, PLY "element vertex 3\n" XYZ "end_header\n0 0 0 1 0 0 0 1 1e300\n", "not a finite float"},
    {sn_stl_read, "", "byte 80: the file is neither ASCII nor"},
    {sn_stl_read, "solid\n", "line 2: the file ends without a triangle"},
    {sn_stl_read, "solid x\nfacet normal 0 0 1\nvertex 0 0 0\n", "line 3: 'vertex' stands where 'outer' was expected"},
    {sn_stl_read, "solid x\nfacet normal 0 0 1\nouter lop\n", "line 3: 'lop' stands where 'loop' was expected"},
    {sn_stl_read, "solid x\nfacet\nouter loop\nvertex 0 0 nan\n", "line 4: coordinate 'nan' is not"},
    {sn_stl_read, "solid x\nfacet\nouter loop\nvertex 0 0 0\n", "the file ends before 'vertex'"},
    {sn_stl_read, "solid x\nfacet\nouter loop\nendloop\nfacet\n", "line 5: 'facet' stands where 'endfacet' was"},
    {sn_stl_read, "solid x\nloop\n", "line 2: 'loop' stands where 'facet' was expected"},
};

static void check_failure(reader *read, const bytes *b, const char *message)
{
    sn_arena arena = {0};
    sn_scene_file scene;
    const sn_source source = source_of(b);
    begin_log();
    assert_int_equal(read(&source, &arena, &scene), SN_ERROR_FORMAT);
    assert_one_error("memory: ");
    if (!strstr(logged.last, message)) {
        fail_msg("'%s' lacks '%s'", logged.last, message);
    }
    sn_arena_finish(&arena);
}

static void test_failures(void **state)
{
    (void)state;
    bytes b;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        b.size = 0;
        put_text(&b, broken[i].text);
        check_failure(broken[i].read, &b, broken[i].message);
    }
    build_stl(&b, 2);
    b.data[80] = 3;
    b.data[0] = 'x';
    check_failure(sn_stl_read, &b, "byte 80: the triangle count is 3, more than");
    b.data[0] = 's'; /* "solid" again */
    check_failure(sn_stl_read, &b, "byte 80: the triangle count is 3, more than");
    build_stl(&b, 0);
    check_failure(sn_stl_read, &b, "without a triangle");
    build_stl(&b, 2);
    memcpy(b.data + 84 + 50 + 12 + 8, "\0\0\x80\x7f", 4);
    check_failure(sn_stl_read, &b, "byte 154: a coordinate is not finite");
    build_ply(&b, true);
    b.size--;
    check_failure(sn_ply_read, &b, "byte ");
    build_ply(&b, true);
    memcpy(b.data + b.size - 4, "\x7f\xff\xff\xff", 4);
    check_failure(sn_ply_read, &b, ": a face names the vertex 2.14748e+09, outside 0..3");
}

/* Mutations */

static void test_mutations(void **state)
{
    (void)state;
    bytes b = {0};
    put_text(&b, small_off);
    mutate(&b, 2, 2000, read_off);
    build_ascii_ply(&b);
    mutate(&b, 3, 2000, read_ply);
    build_ply(&b, false);
    mutate(&b, 4, 2000, read_ply);
    b.size = 0;
    put_text(&b, small_stl);
    mutate(&b, 5, 2000, read_stl);
    build_stl(&b, 4);
    mutate(&b, 6, 2000, read_stl);
}

static void test_memory_failures(void **state)
{
    (void)state;
    bytes b = {0};
    put_text(&b, small_off);
    fail_each_allocation(&b, read_off);
    build_ply(&b, false);
    fail_each_allocation(&b, read_ply);
    build_stl(&b, 2);
    fail_each_allocation(&b, read_stl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_models),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_carriage_returns),
        cmocka_unit_test(test_far_from_the_origin),
        cmocka_unit_test(test_ply),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
