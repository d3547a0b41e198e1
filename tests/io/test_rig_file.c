/* SPDX-License-Identifier: MIT */
/* Readers of rigs and clips: the real files, a small rig of each kind, one message for each thing that can be wrong,
 * and seeded mutations. */
#include "tests/io/io_test.h"

#include "author/io/rig/rig_file.h"

#include <math.h>

static const char surface_rig[] =
    "{\"rig_type\": \"surface\", \"pI\": [-1, 0], \"lengths\": [1, 1],\n"
    " \"V\": [[0, 0, 0], [1, 0, 0], [0, 1.5, 0]], \"F\": [[0, 1, 2]],\n"
    " \"W\": [[1, 0], [0.25, 0.75], [0.2, 0.2]],\n"
    " \"p0\": [[[2, 0, 0, 7], [0, 2, 0, 8], [0, 0, 2, 9]], [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]]]}";

static const char volume_rig[] =
    "{\"rig_type\": \"volume\", \"pI\": [-1], \"V\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],\n"
    " \"F\": [[0, 1, 2, 3]], \"W\": [[1], [1], [2], [0.5]],\n"
    " \"p0\": [[[1, 2, 3], [4, 5, 6], [7, 8, 10], [11, 12, 13]]]}";

static const char clip[] =
    "{\"P\": [[[[1, 0, 0, 4], [0, 1, 0, 5], [0, 0, 1, 6]], [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]],\n"
    "[[[1, 0, 0, 7], [0, 1, 0, 8], [0, 0, 1, 9]], [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5]]]]}";

static sn_source source_of_text(const char *text)
{
    return (sn_source){.name = "memory", .bytes = (const uint8_t *)text, .size = strlen(text)};
}

/* What rig_file.h promises of every rig that is accepted. */
static void check_rig(const sn_rig_file *rig)
{
    assert_true(rig->vertex_count > 0 && rig->face_count > 0 && rig->bone_count > 0);
    assert_true(rig->corner_count == 3 || rig->corner_count == 4);
    for (int i = 0; i < rig->vertex_count; i++) {
        double sum = 0;
        for (int b = 0; b < rig->bone_count; b++) {
            const double weight = rig->weights[(size_t)i * (size_t)rig->bone_count + (size_t)b];
            assert_true(weight >= 0);
            sum += weight;
        }
        assert_true(sum > 0 && isfinite(sum));
    }
    for (int i = 0; i < rig->face_count * rig->corner_count; i++) {
        assert_in_range(rig->faces[i], 0, rig->vertex_count - 1);
    }
    for (int b = 0; b < rig->bone_count; b++) {
        assert_true(rig->parents[b] >= -1 && rig->parents[b] < rig->bone_count && rig->parents[b] != b);
    }
}

static sn_result read_rig(const sn_source *source, sn_arena *arena)
{
    sn_rig_file rig;
    const sn_result result = sn_rig_read(source, arena, &rig);
    if (result == SN_OK) {
        check_rig(&rig);
    }
    return result;
}

static sn_result read_clip(const sn_source *source, sn_arena *arena)
{
    sn_clip_file read;
    const sn_result result = sn_clip_read(source, 2, arena, &read);
    if (result == SN_OK) {
        assert_true(read.frame_count > 0 && read.bone_count == 2);
    }
    return result;
}

static void test_surface_rig(void **state)
{
    (void)state;
    static const double weights[] = {1, 0, 0.25, 0.75, 0.2, 0.2};
    static const double bind[] = {2, 0, 0, 7, 0, 2, 0, 8, 0, 0, 2, 9, 0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3};
    sn_arena arena = {0};
    sn_rig_file rig;
    const sn_source source = source_of_text(surface_rig);
    begin_log();
    assert_int_equal(sn_rig_read(&source, &arena, &rig), SN_OK);
    check_rig(&rig);
    assert_false(rig.is_volume);
    assert_int_equal(rig.vertex_count, 3);
    assert_int_equal(rig.face_count, 1);
    assert_int_equal(rig.corner_count, 3);
    assert_int_equal(rig.bone_count, 2);
    assert_true(rig.positions[7] == 1.5);
    assert_int_equal(rig.faces[2], 2);
    assert_memory_equal(rig.weights, weights, sizeof weights);
    assert_memory_equal(rig.bind, bind, sizeof bind);
    assert_int_equal(rig.parents[0], -1);
    assert_int_equal(rig.parents[1], 0);
    assert_int_equal(logged.errors + logged.warnings, 0);
    sn_arena_finish(&arena);
}

static void test_volume_rig(void **state)
{
    (void)state;
    static const double bind[] = {1, 4, 7, 11, 2, 5, 8, 12, 3, 6, 10, 13};
    sn_arena arena = {0};
    sn_rig_file rig;
    const sn_source source = source_of_text(volume_rig);
    begin_log();
    assert_int_equal(sn_rig_read(&source, &arena, &rig), SN_OK);
    check_rig(&rig);
    assert_true(rig.is_volume);
    assert_int_equal(rig.vertex_count, 4);
    assert_int_equal(rig.corner_count, 4);
    assert_memory_equal(rig.bind, bind, sizeof bind);
    sn_arena_finish(&arena);
}

static void test_clip(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_clip_file read;
    const sn_source source = source_of_text(clip);
    begin_log();
    assert_int_equal(sn_clip_read(&source, 2, &arena, &read), SN_OK);
    assert_int_equal(read.frame_count, 2);
    assert_int_equal(read.bone_count, 2);
    assert_true(read.transforms[24 + 7] == 8);
    assert_true(read.transforms[47] == 0.5);
    assert_int_equal(sn_clip_read(&source, 3, &arena, &read), SN_ERROR_FORMAT);
    assert_one_error("memory: P[0]: has 2 entries instead of 3");
    sn_arena_finish(&arena);
}

/* `text` with the first `old` replaced. */
static void put_replaced(bytes *b, const char *text, const char *old, const char *replacement)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    put(b, text, (size_t)(at - text));
    put_text(b, replacement);
    put_text(b, at + strlen(old));
}

static void check_message(const bytes *b, read_function *read, const char *message)
{
    sn_arena arena = {0};
    const sn_source source = source_of(b);
    begin_log();
    assert_int_equal(read(&source, &arena), SN_ERROR_FORMAT);
    assert_one_error("memory: ");
    if (!strstr(logged.last, message)) {
        fail_msg("'%s' lacks '%s'", logged.last, message);
    }
    sn_arena_finish(&arena);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *old;
        const char *replacement;
        const char *message;
    } cases[] = {
        {"{", "", "line 1, column "},
        {"{", "[{", "line 4, column "},
        {"0.75", "NaN", "line 3, column "},
        {"0.75", "1e999", "line 3, column "},
        {"\"W\"", "\"V\"", "duplicate object key"},
        {"surface", "shell", "rig_type: must be"},
        {"\"surface\"", "1", "rig_type: must be"},
        {"\"V\"", "\"v\"", "V: is missing"},
        {"\"F\"", "\"f\"", "F: is missing"},
        {"\"pI\"", "\"PI\"", "pI: is missing"},
        {"\"p0\"", "\"P0\"", "p0: is missing"},
        {"[[1, 0], [0.25, 0.75], [0.2, 0.2]]", "3", "W: is not an array"},
        {"[[0, 1, 2]]", "[]", "F: is empty"},
        {"[1, 0, 0]", "[1, 0]", "V[1]: has 2 entries instead of 3"},
        {"[1, 0, 0]", "[1, 0, \"0\"]", "V[1][2]: is not a number"},
        {"[0.25, 0.75]", "[0.25]", "W[1]: has 1 entries instead of 2"},
        {"[0.25, 0.75]", "0.25", "W[1]: is not an array"},
        {", [0.2, 0.2]", "", "W: has 2 entries instead of 3"},
        {"0.75", "-0.75", "W[1][1]: the weight is negative: -0.75"},
        {"[0.25, 0.75]", "[0, 0]", "W[1]: the weights of the vertex sum to 0"},
        {"[0.25, 0.75]", "[1e308, 1e308]", "W[1][0]: exceeds the range of a float"},
        {"[0, 1, 2]", "[0, 1, 3]", "F[0][2]: is not the index of a vertex"},
        {"[0, 1, 2]", "[0, 1, -1]", "F[0][2]: is not the index of a vertex"},
        {"[0, 1, 2]", "[0, 1, 1.5]", "F[0][2]: is not the index of a vertex"},
        {"[0, 1, 2]", "[0, 1]", "F[0]: has 2 entries instead of 3"},
        {"[-1, 0]", "[1, 0]", "pI[0]: the bone is its own ancestor"},
        {"[-1, 0]", "[-1, 1]", "pI[1]: the bone is its own ancestor"},
        {"[-1, 0]", "[-1, 0.0]", "pI[1]: is not an integer"},
        {"[-1, 0]", "[-1, 0, 0]", "W[0]: has 2 entries instead of 3"},
        {"[0, 2, 0, 8]", "[2, 0, 0, 8]", "p0[0]: the transform is singular"},
        {"[0, 2, 0, 8]", "[0, 2e200, 0, 8]", "p0[0][1][1]: exceeds the range of a float"},
        {"[0, 2, 0, 8]", "[0, 2, 0]", "p0[0][1]: has 3 entries instead of 4"},
        {"surface", "volume", "p0[0]: has 3 entries instead of 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        put_replaced(&b, surface_rig, cases[i].old, cases[i].replacement);
        check_message(&b, read_rig, cases[i].message);
    }
}

static void test_clip_messages(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"{", "", "line 1, column "},
        {"\"P\"", "\"p\"", "P: is missing"},
        {"[0, 0, 1, 9]", "[0, 0, 1]", "P[1][0][2]: has 3 entries instead of 4"},
        {"0.5", "null", "P[1][1][2][3]: is not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        put_replaced(&b, clip, cases[i][0], cases[i][1]);
        check_message(&b, read_clip, cases[i][2]);
    }
}

/* A singular bind transform is found by its shape, not by its scale. */
static void test_tiny_bind(void **state)
{
    (void)state;
    bytes b = {0};
    put_replaced(&b, surface_rig, "[[2, 0, 0, 7], [0, 2, 0, 8], [0, 0, 2, 9]]",
                 "[[2e-9, 0, 0, 7], [0, 2e-9, 0, 8], [0, 0, 2e-9, 9]]");
    sn_arena arena = {0};
    const sn_source source = source_of(&b);
    begin_log();
    assert_int_equal(read_rig(&source, &arena), SN_OK);
    sn_arena_finish(&arena);
}

static void test_parent_out_of_range(void **state)
{
    (void)state;
    bytes b = {0};
    put_replaced(&b, surface_rig, "[-1, 0]", "[-2, 2]");
    sn_arena arena = {0};
    sn_rig_file rig;
    const sn_source source = source_of(&b);
    begin_log();
    assert_int_equal(sn_rig_read(&source, &arena, &rig), SN_OK);
    assert_int_equal(rig.parents[0], -1);
    assert_int_equal(rig.parents[1], -1);
    assert_int_equal(logged.errors, 0);
    assert_int_equal(logged.warnings, 2);
    assert_non_null(strstr(logged.last, "memory: pI[1]: the parent 2 of 2 bones"));
    sn_arena_finish(&arena);
}

static void test_mutations(void **state)
{
    (void)state;
    const struct {
        const char *text;
        read_function *read;
    } cases[] = {{surface_rig, read_rig}, {volume_rig, read_rig}, {clip, read_clip}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        put_text(&b, cases[i].text);
        mutate(&b, 41 + i, 6000, cases[i].read);
        fail_each_allocation(&b, cases[i].read);
    }
}

static void read_shared_rig(const char *file, sn_arena *arena, sn_rig_file *rig)
{
    char path[4096];
    sn_source source;
    snprintf(path, sizeof path, "%s/%s", SN_SHARED_DATA, file);
    begin_log();
    assert_int_equal(sn_source_read(path, arena, &source), SN_OK);
    if (sn_rig_read(&source, arena, rig) != SN_OK) {
        fail_msg("%s", logged.last);
    }
    check_rig(rig);
}

static void test_real_rigs(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        const char *file;
        int vertex_count;
        int face_count;
        int bone_count;
        int warnings;
    } rigs[] = {{"cd_fish", "skeleton_rig", 4739, 9474, 2, 0},
                {"cartoon_octopus", "skeleton_rig", 11808, 23606, 9, 0},
                {"dolphin", "skeleton_rig", 4894, 9784, 3, 0},
                {"giant_squid", "skeleton_rig", 7850, 15696, 1, 0},
                {"humpback", "skeleton_rig", 5215, 10426, 2, 0},
                {"mantaray", "skeleton_rig", 3943, 7882, 3, 2},
                {"mantaray", "skeleton_rig_volume", 5091, 16919, 3, 2},
                {"sea_serpent", "skeleton_rig", 5261, 10524, 1, 0},
                {"sea_serpent", "skeleton_rig_volume", 6967, 23388, 1, 0}};
    skip_without(SN_SHARED_DATA "/tet");
    for (size_t i = 0; i < sizeof rigs / sizeof rigs[0]; i++) {
        char file[256];
        sn_arena arena = {0};
        sn_rig_file rig;
        snprintf(file, sizeof file, "tet/%s/rigs/skeleton_rig/%s.json", rigs[i].model, rigs[i].file);
        read_shared_rig(file, &arena, &rig);
        assert_int_equal(rig.vertex_count, rigs[i].vertex_count);
        assert_int_equal(rig.face_count, rigs[i].face_count);
        assert_int_equal(rig.bone_count, rigs[i].bone_count);
        assert_int_equal(rig.is_volume, strstr(file, "volume") != NULL);
        assert_int_equal(rig.corner_count, rig.is_volume ? 4 : 3);
        assert_int_equal(logged.warnings, rigs[i].warnings);
        sn_arena_finish(&arena);
    }
}

/* Both files of a model describe the same bones, one of them transposed. */
static void test_volume_bind_matches_surface(void **state)
{
    (void)state;
    skip_without(SN_SHARED_DATA "/tet");
    sn_arena arena = {0};
    sn_rig_file surface;
    sn_rig_file volume;
    read_shared_rig("tet/mantaray/rigs/skeleton_rig/skeleton_rig.json", &arena, &surface);
    read_shared_rig("tet/mantaray/rigs/skeleton_rig/skeleton_rig_volume.json", &arena, &volume);
    for (int i = 0; i < 3 * 12; i++) {
        assert_true(fabs(surface.bind[i] - volume.bind[i]) <= 1e-5 * (1 + fabs(surface.bind[i])));
    }
    sn_arena_finish(&arena);
}

static void test_real_clips(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int bone_count;
    } clips[] = {{"cd_fish/rigs/skeleton_rig/anim/swim", 2},
                 {"cd_fish/rigs/skeleton_rig/anim/swim_speed_0.325", 2},
                 {"cd_fish/rigs/skeleton_rig/anim/swim_speed_0.85", 2},
                 {"cartoon_octopus/rigs/skeleton_rig/anim/float", 9},
                 {"dolphin/rigs/skeleton_rig/anim/swim", 3},
                 {"giant_squid/rigs/skeleton_rig/anim/swim", 1},
                 {"giant_squid/rigs/skeleton_rig/anim/swim_speed_0.5", 1},
                 {"humpback/rigs/skeleton_rig/anim/swim", 2},
                 {"mantaray/rigs/skeleton_rig/anim/swim", 3},
                 {"sea_serpent/rigs/skeleton_rig/anim/swim", 1}};
    skip_without(SN_SHARED_DATA "/tet");
    for (size_t i = 0; i < sizeof clips / sizeof clips[0]; i++) {
        char path[4096];
        sn_arena arena = {0};
        sn_source source;
        sn_clip_file read;
        snprintf(path, sizeof path, "%s/tet/%s.json", SN_SHARED_DATA, clips[i].file);
        begin_log();
        assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
        assert_int_equal(sn_clip_read(&source, clips[i].bone_count, &arena, &read), SN_OK);
        assert_int_equal(read.frame_count, 241);
        assert_int_equal(logged.errors, 0);
        sn_arena_finish(&arena);
    }
}

static void test_bad_files(void **state)
{
    (void)state;
    static const char *const files[][2] = {{"rig_face_out_of_range", "F[0]"},
                                           {"rig_parent_cycle", "pI[0]: the bone is its own ancestor"},
                                           {"rig_truncated", "line "},
                                           {"rig_weights_nan", "line "},
                                           {"rig_weights_negative", "the weight is negative"},
                                           {"rig_weights_short", "W: has 50 entries instead of 200"},
                                           {"rig_weights_zero_row", "the weights of the vertex sum to 0"},
                                           {"rig_valid_small", NULL},
                                           {"json_deep_nesting", "line "}};
    skip_without(SN_SHARED_DATA "/bad/derived");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[4096];
        sn_arena arena = {0};
        sn_source source;
        snprintf(path, sizeof path, "%s/bad/derived/%s.%s", SN_SHARED_DATA, files[i][0],
                 strstr(files[i][0], "json") ? "gltf" : "json");
        begin_log();
        assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
        assert_int_equal(read_rig(&source, &arena), files[i][1] ? SN_ERROR_FORMAT : SN_OK);
        if (files[i][1]) {
            assert_one_error(files[i][0]);
            if (!strstr(logged.last, files[i][1])) {
                fail_msg("'%s' lacks '%s'", logged.last, files[i][1]);
            }
        }
        sn_arena_finish(&arena);
    }
}

int test_rig_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface_rig),   cmocka_unit_test(test_volume_rig),
        cmocka_unit_test(test_clip),          cmocka_unit_test(test_messages),
        cmocka_unit_test(test_clip_messages), cmocka_unit_test(test_tiny_bind),
        cmocka_unit_test(test_mutations),     cmocka_unit_test(test_parent_out_of_range),
        cmocka_unit_test(test_real_rigs),     cmocka_unit_test(test_volume_bind_matches_surface),
        cmocka_unit_test(test_real_clips),    cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
