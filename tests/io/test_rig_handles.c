/* SPDX-License-Identifier: MIT */
/* Rigs of handles as text: every kind, and one message for each thing that can be wrong. */
#include "tests/io/io_test.h"

#include "author/io/rig/sidecar.h"

#define BOX_VERTICES "[[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]]"
#define BOX_FACES "[[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]]"
#define BOX "{\"name\": \"box\", \"cage\": " BOX_VERTICES ", \"faces\": " BOX_FACES "}"
#define POINT "{\"name\": \"nose\", \"point\": [1, 2.5, -3]}"
#define BONE "{\"name\": \"spine\", \"bone\": [[0, 0, 0], [0, 1, 0]], \"radius\": 0.25}"
#define LOOP "{\"name\": \"belt\", \"cage\": [[0,0,0],[1,0,0],[1,1,0]], \"edges\": [[0,1],[1,2],[2,0]]}"

static sn_result read_rig(const char *text, sn_arena *arena, sn_rig_file *rig)
{
    const sn_source source = {"rig.json", (const uint8_t *)text, strlen(text)};
    begin_log();
    const sn_result result = sn_rig_read(&source, arena, rig);
    sn_set_log(NULL, NULL);
    return result;
}

static void test_all_kinds(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_rig_file rig;
    assert_int_equal(read_rig("\xef\xbb\xbf{\"handles\": [" POINT "," BOX "," BONE "," LOOP "]}", &arena, &rig), SN_OK);
    const sn_rig_handles *h = &rig.handles;
    assert_int_equal(h->count, 4);
    assert_int_equal(h->bone_count, 1 + 8 + 1 + 3);
    assert_int_equal(rig.bone_count, h->bone_count);
    assert_null(rig.weights);
    assert_null(rig.weights_path);
    assert_int_equal(h->handles[0].type, SN_RIG_POINT);
    assert_true(h->handles[0].points[1] == 2.5 && h->handles[0].points[2] == -3);
    assert_int_equal(h->handles[1].type, SN_RIG_CAGE);
    assert_int_equal(h->handles[1].first_bone, 1);
    assert_int_equal(h->handles[1].face_count, 6);
    assert_int_equal(h->handles[1].face_starts[6], 24);
    assert_int_equal(h->handles[1].face_corners[7], 6);
    assert_int_equal(h->handles[2].type, SN_RIG_BONE);
    assert_true(h->handles[2].radius == 0.25 && h->handles[2].points[4] == 1);
    assert_int_equal(h->handles[3].edge_count, 3);
    const char *const names[] = {"nose",  "box.0", "box.1", "box.2",  "box.3",  "box.4", "box.5",
                                 "box.6", "box.7", "spine", "belt.0", "belt.1", "belt.2"};
    for (int b = 0; b < h->bone_count; ++b) {
        assert_string_equal(h->bone_names[b], names[b]);
    }
    sn_arena_finish(&arena);
}

static void test_weights(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_rig_file rig;
    assert_int_equal(
        read_rig("{\"handles\": [" POINT "," BONE "], \"weights\": [[1, 0], [0.5, 0.5], [0, 2]]}", &arena, &rig),
        SN_OK);
    assert_int_equal(rig.vertex_count, 3);
    assert_true(rig.weights[2] == 0.5 && rig.weights[5] == 2);
    assert_int_equal(read_rig("{\"weights\": \"w.npy\", \"handles\": [" POINT "]}", &arena, &rig), SN_OK);
    assert_string_equal(rig.weights_path, "w.npy");
    sn_arena_finish(&arena);
}

static void test_a_sidecar_has_handles_too(void **state)
{
    (void)state;
    static const char text[] = "{\"modes\": 8, \"handles\": [" BONE "]}";
    static const char bad[] = "{\"modes\": 8, \"handles\": {}}";
    sn_arena arena = {0};
    sn_sidecar sidecar;
    sn_source source = {"cat.sinew.json", (const uint8_t *)text, strlen(text)};
    assert_int_equal(sn_sidecar_read(&source, &arena, &sidecar), SN_OK);
    assert_int_equal(sidecar.handles.bone_count, 1);
    assert_string_equal(sidecar.path, "cat.sinew.json");
    source = (sn_source){"cat.sinew.json", (const uint8_t *)bad, strlen(bad)};
    begin_log();
    assert_int_equal(sn_sidecar_read(&source, &arena, &sidecar), SN_ERROR_FORMAT);
    sn_set_log(NULL, NULL);
    assert_one_error("cat.sinew.json: handles: must be a list");
    sn_arena_finish(&arena);
}

/* Bones are numbered with cages' vertices counted; parents may come after children. */
static void test_parents(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_rig_file rig;
    assert_int_equal(read_rig("{\"handles\": [{\"name\": \"hand\", \"point\": [2, 0, 0], \"parent\": \"arm\", "
                              "\"stretch\": true}," BOX ",{\"name\": \"arm\", \"bone\": [[0,0,0],[2,0,0]]}]}",
                              &arena, &rig),
                     SN_OK);
    const sn_rig_handle *h = rig.handles.handles;
    assert_true(h[0].parent == 9 && h[1].parent == -1 && h[2].parent == -1);
    assert_true(h[0].is_stretchable && !h[1].is_stretchable && !h[2].is_stretchable);
    sn_arena_finish(&arena);
}

static void expect_error(const char *text, const char *message)
{
    sn_arena arena = {0};
    sn_rig_file rig = {.bone_count = 77};
    const sn_result result = read_rig(text, &arena, &rig);
    if (result == SN_OK) {
        fail_msg("accepted: %s", text);
    }
    assert_int_equal(rig.bone_count, 77);
    assert_one_error(message);
    sn_arena_finish(&arena);
}

typedef struct handle_case {
    const char *handle, *message;
} handle_case;

static void expect_errors(size_t count, const handle_case *cases)
{
    for (size_t i = 0; i < count; ++i) {
        char text[1024];
        snprintf(text, sizeof text, "{\"handles\": [%s]}", cases[i].handle);
        expect_error(text, cases[i].message);
    }
}

static void test_errors_of_points_and_bones(void **state)
{
    (void)state;
    static const handle_case cases[] = {
        {"3", "rig.json: handles[0]: must be an object"},
        {"{\"point\": [0, 0, 0]}", "rig.json: handles[0].name: is missing"},
        {"{\"name\": \"\", \"point\": [0, 0, 0]}", "handles[0].name: must be a string"},
        {"{\"name\": 3, \"point\": [0, 0, 0]}", "handles[0].name: must be a string"},
        {"{\"name\": \"a\"}", "handles[0]: must have a point, a bone or a cage"},
        {"{\"name\": \"a\", \"point\": [0]}", "handles[0].point: must be three numbers"},
        {"{\"name\": \"a\", \"point\": \"here\"}", "handles[0].point: must be three numbers"},
        {"{\"name\": \"a\", \"point\": [0, null, 0]}", "handles[0].point: must be three finite numbers"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"raduis\": 1}", "handles[0].raduis: is an unknown key"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"radius\": 1}", "handles[0].radius: is not allowed for a point"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"bone\": [[0,0,0],[1,0,0]]}",
         "handles[0].bone: is not allowed for a point"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"parent\": \"b\"}", "handles[0].parent: must be the name of"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"parent\": \"a\"}", "handles[0].parent: must be the name of"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"parent\": 1}", "handles[0].parent: must be the name of"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"parent\": \"box\"}," BOX, "handles[0].parent: must be the name"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"parent\": \"b\"},"
         "{\"name\": \"b\", \"point\": [1, 0, 0], \"parent\": \"a\"}",
         "handles[0].parent: the handle is its own ancestor"},
        {"{\"name\": \"a\", \"point\": [0, 0, 0], \"stretch\": 1}", "handles[0].stretch: must be true or false"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES ", \"faces\": " BOX_FACES ", \"stretch\": true}",
         "handles[0].stretch: is not allowed for a cage"},
        {"{\"name\": \"a\", \"bone\": [[0,0,0]]}", "handles[0].bone: must be 2 points"},
        {"{\"name\": \"a\", \"bone\": [[0,0,0],[1]]}", "handles[0].bone[1]: must be three numbers"},
        {"{\"name\": \"a\", \"bone\": [[0,0,0],[1,0,0]], \"radius\": 0}", "handles[0].radius: must be a number above"},
        {POINT "," POINT, "rig.json: handles: the name 'nose' is used twice"},
        {BOX ",{\"name\": \"box.3\", \"point\": [0, 0, 0]}", "the name 'box.3' is used twice"},
    };
    expect_errors(sizeof cases / sizeof cases[0], cases);
}

static void test_errors_of_cages(void **state)
{
    (void)state;
    static const handle_case cases[] = {
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES "}", "handles[0].cage: must have either faces or edges"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES ", \"faces\": " BOX_FACES ", \"edges\": []}",
         "handles[0].cage: must have either faces or edges"},
        {"{\"name\": \"a\", \"cage\": [[0,0,0]], \"faces\": " BOX_FACES "}", "handles[0].cage: must be a list of 3 to"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES ", \"faces\": [[0,1,2]]}", "handles[0].faces: must be a list of"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES ", \"faces\": [[0,1,2],[0,1],[0,1,2],[0,1,2]]}",
         "handles[0].faces[1]: must be 3 to 64 vertices"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES ", \"faces\": [[0,1,8],[0,1,2],[0,1,2],[0,1,2]]}",
         "handles[0].faces[0]: entry 2 is not the index of one of the cage's 8 vertices"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES ", \"faces\": [[0,1,1],[0,1,2],[0,1,2],[0,1,2]]}",
         "handles[0].faces[0]: has vertex 1 twice"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES
         ", \"faces\": [[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2]]}",
         "handles[0].faces: the edge from vertex 1 to 3 has 1 face instead of 2; a cage must be closed"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES
         ", \"faces\": [[0,1,3,2],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]]}",
         "handles[0].faces: the two faces at the edge from vertex 0 to 1 have opposite orientations"},
        {"{\"name\": \"a\", \"cage\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[2,2,2]], "
         "\"faces\": [[0,2,1],[0,1,3],[1,2,3],[2,0,3]]}",
         "handles[0].cage: vertex 4 belongs to no face"},
        {"{\"name\": \"a\", \"cage\": " BOX_VERTICES ", \"edges\": [[0,1],[1,2],[2,0]]}",
         "handles[0].cage: vertex 3 belongs to no edge"},
        {"{\"name\": \"a\", \"cage\": [[0,0,0],[1,0,0],[0,1,0]], \"edges\": [[0,1],[1,2],[1,0]]}",
         "handles[0].edges: vertex 1 has 3 edges instead of 2; a cage must be a closed loop"},
    };
    expect_errors(sizeof cases / sizeof cases[0], cases);
}

static void test_errors_of_files(void **state)
{
    (void)state;
    expect_error("{\"handles\": []}", "rig.json: handles: must be a list of at least one handle");
    expect_error("{\"handles\": [" POINT "], \"handels\": 1}", "rig.json: handels: is an unknown key");
    expect_error("{\"handles\": [" POINT "], \"W\": [[1]]}", "rig.json: W: is an unknown key");
    expect_error("{\"handles\": [" POINT "], \"weights\": 1}", "rig.json: weights: is not an array");
    expect_error("{\"handles\": [" POINT "], \"weights\": [[1, 0]]}",
                 "rig.json: weights[0]: has 2 entries instead of 1");
    expect_error("{\"handles\": [" POINT "], \"weights\": [[1], [-1]]}",
                 "rig.json: weights[1][0]: the weight is negative");
}

static void test_limit(void **state)
{
    (void)state;
    char *text = malloc(64 * 1100);
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "{\"handles\": [");
    for (int i = 0; i <= SN_RIG_HANDLE_LIMIT; ++i) {
        length += (size_t)sprintf(text + length, "%s{\"name\": \"%d\", \"point\": [0, 0, %d]}", i ? "," : "", i, i);
    }
    sprintf(text + length, "]}");
    expect_error(text, "rig.json: handles[1024]: the handles up to this one have more than 1024 bones");
    free(text);
}

/* Every cut and every changed byte of a rig is refused with one line, or read. */
static void test_damage(void **state)
{
    (void)state;
    static const char whole[] = "{\"handles\": [" POINT "," LOOP "," BONE "], \"weights\": [[1,0,1,0,1]]}";
    for (size_t i = 0; i < sizeof whole - 1; ++i) {
        char text[sizeof whole];
        sn_arena arena = {0};
        sn_rig_file rig;
        memcpy(text, whole, sizeof text);
        text[i] = (char)("0[\"}-z"[i % 6]);
        if (read_rig(text, &arena, &rig) != SN_OK) {
            assert_one_error("rig.json");
        }
        text[i] = 0;
        assert_int_not_equal(read_rig(text, &arena, &rig), SN_OK);
        assert_one_error("rig.json");
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_rig_handles(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_parents),
        cmocka_unit_test(test_a_sidecar_has_handles_too),
        cmocka_unit_test(test_errors_of_points_and_bones),
        cmocka_unit_test(test_errors_of_cages),
        cmocka_unit_test(test_errors_of_files),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
