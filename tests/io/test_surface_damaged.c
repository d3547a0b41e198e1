/* SPDX-License-Identifier: MIT */
/* Broken plain surfaces: one line each, whatever is changed and whenever memory is out. */
#include "tests/io/surface_made.h"

/* A null message: the file is read, and why. */
static const struct {
    const char *file, *message;
} bad_files[] = {
    {"OutOfMemory.off", "line 2: the vertex count is 353535235358"},
    {"empty.obj", "line 1: the file has no triangles"},
    {"empty.off", "line 1: the file does not begin with OFF"},
    {"empty.ply", "line 1: the file ends before 'ply'"},
    {"malformed.obj", "line 23: a face refers to position 12, but there are only 8"},
    {"crash-30d6d0f7c529b3b66b4131700b7a4580cd7082df.ply", "line 7: '\?\?\?' is not a type"},
    {"nancolor.obj", "line 7: position 'nan' is not a finite decimal number"},
    {"notenoughindices.obj", NULL}, /* a face of two corners is left out, the other one is a triangle */
    {"negative_indices.obj", NULL}, /* a cube as the format allows it */
    {"jacked.obj", NULL},           /* a cube: a slash with nothing behind it says that there is no normal */
    {"empty.stl", "line 2: the file has no triangles"},
    {"points_emptyface.ply", "line 1034: the file has no triangles"},
    {"ufbx_fuzz_0224.obj", "line 104: the file has no triangles"},
    {"ufbx_fuzz_0238.obj", "line 6: the file has no triangles"},
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

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define PLY "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define LIST "property list uchar int vertex_indices\n"
#define PLY_TRIANGLE PLY "element vertex 3\n" XYZ "element face 1\n" LIST "end_header\n0 0 0 1 0 0 0 1 0\n"

static const struct {
    reader *read;
    const char *text, *message;
} broken[] = {
    {sn_obj_read, TRIANGLE, "line 4: the file has no triangles"},
    {sn_obj_read, TRIANGLE "l 1 2\np 3\n", "line 6: the file has no triangles"},
    {sn_obj_read, TRIANGLE "f 1 2 4\n", "line 4: a face refers to position 4, but there are only 3"},
    {sn_obj_read, TRIANGLE "f 1 2 \\\n 0\n", "line 5: a face refers to position 0, but there are only 3"},
    {sn_obj_read, TRIANGLE "f 1 2 -4\n", "line 4: a face refers to position -4, but there are only 3"},
    {sn_obj_read, TRIANGLE "f 1 2 99999999999999999999999\n",
     "line 4: a face refers to position 2147483647, but there are only 3"},
    {sn_obj_read, TRIANGLE "f 1/1 2 3\n", "line 4: a face refers to texture coordinate 1, but there are only 0"},
    {sn_obj_read, TRIANGLE "f 1//1 2 3\n", "line 4: a face refers to normal 1, but there are only 0"},
    {sn_obj_read, TRIANGLE "f /1 2 3\n", "line 4: a corner of a face does not begin with a number"},
    {sn_obj_read, TRIANGLE "f 1.5 2 3\n", "line 4: a corner of a face contains the unexpected text '.5'"},
    {sn_obj_read, TRIANGLE "f 1/// 2 3\n", "line 4: a corner of a face contains the unexpected text '/'"},
    {sn_obj_read, "v 0 0\n", "line 1: a position has 2 numbers"},
    {sn_obj_read, "v\n", "line 1: a position has 0 numbers"},
    {sn_obj_read, "v 0 0 0 0 0\n", "line 1: a position has 5 numbers"},
    {sn_obj_read, "v 0 0 0 0 0 0 0 0\n", "line 1: the position has more than 7 numbers"},
    {sn_obj_read, "v 0 nan 0\n", "line 1: position 'nan' is not a finite decimal number"},
    {sn_obj_read, "v 0 0 -inf\n", "line 1: position '-inf' is not"},
    {sn_obj_read, "\nv 0 1e39 0\n", "line 2: position 1e+39 exceeds the range of a float"},
    {sn_obj_read, "v 0 1e999 0\n", "line 1: position '1e999' is not"},
    {sn_obj_read, "vt\n", "line 1: a texture coordinate has no numbers"},
    {sn_obj_read, "vn 1 0\n", "line 1: a normal has 2 numbers instead of 3"},
    {sn_off_read, "OFX\n", "line 1: the file does not begin with OFF"},
    {sn_off_read, "4OFF\n", "line 1: the file does not begin with OFF"},
    {sn_off_read, "OFF3x 1 0\n", "line 1: the file does not begin with OFF"},
    {sn_off_read, "ST3 1 0\n", "line 1: the file does not begin with OFF"},
    {sn_off_read, "3 1 0\n0 0 0\n", "line 1: the vertex count is 3, more than"},
    {sn_obj_read, "v 0 0 0\rv 1 0 0\rf 1 2 3\r", "line 3: a face refers to position 3, but there are only 2"},
    {sn_off_read, "OFF BINARY\n", "line 1: binary OFF is not supported"},
    {sn_off_read, "OFF\n-1 0 0\n", "line 2: the vertex count is negative: -1"},
    {sn_off_read, "OFF\n3\n", "line 2: the vertex count is 3, more than"},
    {sn_off_read, "OFF\n0\n", "the file ends before the face count"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n", "line 2: the vertex count is 3, more than"},
    {sn_off_read, "OFF\n1 9999999 0\n0 0 0\n", "line 2: the face count is 9999999, more than"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 # 0\n3 0 1 2\n",
     "line 5: a vertex has only 2 numbers, too few for its format"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", "line 4: coordinate 'nan' is not"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
     "line 6: a face refers to vertex 3; vertices are numbered 0 to 2"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "line 6: a face refers to vertex -1"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n99999 0 1\n", "line 6: the corner count is 99999, more than"},
    {sn_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "the file has no triangles"},
    {sn_off_read, "OFF\n0 0 0\n", "the file has no triangles"},
    {sn_ply_read, "plx\n", "line 1: 'plx' found where 'ply' was expected"},
    {sn_ply_read, "ply\nformat ascii 2.0\n", "line 2: '2.0' found where '1.0'"},
    {sn_ply_read, "ply\nformat utf8 1.0\n", "line 2: the format must be"},
    {sn_ply_read, "ply\nelement vertex 0\n" XYZ "end_header\n", "the header has no format"},
    {sn_ply_read, PLY "end_header\n", "line 3: the file has no vertices with x, y and z"},
    {sn_ply_read, PLY "element vertex 1\nproperty float x\nend_header\n 0\n", "no vertices with x, y and z"},
    {sn_ply_read, PLY "property float x\n", "line 3: a property must follow an element"},
    {sn_ply_read, PLY "element vertex 1\nproperty half x\n", "line 4: 'half' is not a type"},
    {sn_ply_read, PLY "element vertex 1\nproperty list float int x\n",
     "line 4: the length of a list must have an integer type"},
    {sn_ply_read, PLY "element vertex -1\n", "line 3: the count of an element is negative"},
    {sn_ply_read, PLY "element vertex 5 6\n", "line 3: "},
    {sn_ply_read, PLY "element vertex 4000000000\n", "line 3: the count of an element is 4000000000, more than"},
    {sn_ply_read, PLY "element vertex 20\n" XYZ "end_header\n0 0 0\n", "the count of an element is 20, more than"},
    {sn_ply_read, PLY "element face 1\n" LIST "element vertex 1\n", "line 3: faces must follow vertices"},
    {sn_ply_read, PLY "element vertex 1\n" XYZ "element vertex 1\n", "line 7: there is a second element vertex"},
    {sn_ply_read, PLY "elephant\n", "line 3: 'elephant' is not a keyword of the header"},
    {sn_ply_read, PLY "comment", "the file ends before the end_header"},
    {sn_ply_read, PLY_TRIANGLE "3 0 1 3\n", "line 11: a face refers to vertex 3; vertices are numbered 0 to 2"},
    {sn_ply_read, PLY_TRIANGLE "3 0 1 -1\n", "line 11: a face refers to vertex -1"},
    {sn_ply_read, PLY_TRIANGLE "3 0 1 1.5\n", "line 11: a face refers to vertex 1.5"},
    {sn_ply_read, PLY_TRIANGLE "3 0 1\n", "line 11: the count of a list is 3, more than"},
    {sn_ply_read, PLY_TRIANGLE "-3 0 1 2\n", "line 11: the count of a list is negative: -3"},
    {sn_ply_read, PLY_TRIANGLE "1e300 0 1 2\n",
     "line 11: the length of a list is 1e+300; it must be an unsigned integer"},
    {sn_ply_read, PLY_TRIANGLE "2 0 1\n", "the file has no triangles"},
    {sn_ply_read,
     PLY "element vertex 3\n" XYZ "element face 1\nproperty list uchar int v\nend_header\n0 0 0 1 0 0 0 1 nan\n",
     "line 10: value of a vertex 'nan' is not"},
    {sn_ply_read, PLY "element vertex 3\n" XYZ "end_header\n0 0 0 1 0 0 0 1 1e300\n", "not a finite float"},
    {sn_stl_read, "", "byte 80: the file is not ASCII, and"},
    {sn_stl_read, "solid\n", "line 2: the file has no triangles"},
    {sn_stl_read, "solid x\nfacet normal 0 0 1\nvertex 0 0 0\n", "line 3: 'vertex' found where 'outer' was expected"},
    {sn_stl_read, "solid x\nfacet normal 0 0 1\nouter lop\n", "line 3: 'lop' found where 'loop' was expected"},
    {sn_stl_read, "solid x\nfacet\nouter loop\nvertex 0 0 nan\n", "line 4: coordinate 'nan' is not"},
    {sn_stl_read, "solid x\nfacet\nouter loop\nvertex 0 0 0\n", "the file ends before 'vertex'"},
    {sn_stl_read, "solid x\nfacet\nouter loop\nendloop\nfacet\n", "line 5: 'facet' found where 'endfacet' was"},
    {sn_stl_read, "solid x\nloop\n", "line 2: 'loop' found where 'facet' was expected"},
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
    check_failure(sn_stl_read, &b, "the file has no triangles");
    build_stl(&b, 2);
    memcpy(b.data + 84 + 50 + 12 + 8, "\0\0\x80\x7f", 4);
    check_failure(sn_stl_read, &b, "byte 154: a coordinate is not finite");
    build_ply(&b, true);
    b.size--;
    check_failure(sn_ply_read, &b, "byte ");
    build_ply(&b, true);
    memcpy(b.data + b.size - 4, "\x7f\xff\xff\xff", 4);
    check_failure(sn_ply_read, &b, ": a face refers to vertex 2.14748e+09; vertices are numbered 0 to 3");
}

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

int test_surface_damaged(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
