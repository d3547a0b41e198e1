/* SPDX-License-Identifier: MIT */
/* Files of motions: how much of them is in memory, and what is read where less is asked for. */
#include "author/import/motion_file.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/math/affine.h"
#include "tests/io/io_test.h"

enum { NODES = 50, BONES = 2, FRAMES = 601 };
#define KEPT (FRAMES * BONES * 12 * (int64_t)sizeof(double)) /* of one clip of ten seconds */
#define OWN (FRAMES * NODES * 12 * (int64_t)sizeof(double))

static char folder[64];
static sn_arena arena;
static sn_character_clip *clips;
static int clip_count;

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/sn-motion-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char path[96];
    for (int i = 0; i < 2; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, i ? "turns.bin" : "turns.gltf");
        unlink(path);
    }
    return rmdir(folder);
}

/* turns.gltf: nodes body and tail, and more on them; clips of ten seconds, the last of which lasts `last_seconds`. */
static const char *write_turns(int nodes, int count, double last_seconds)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/turns.bin", folder);
    FILE *bin = fopen(path, "wb");
    const float numbers[] = {0, 10, 0, (float)last_seconds, 0, 0, 0, 1, 0, 1, 0, 0};
    assert_non_null(bin);
    assert_int_equal(fwrite(numbers, sizeof numbers, 1, bin), 1);
    fclose(bin);
    snprintf(path, sizeof path, "%s/turns.gltf", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"turns.bin\",\"byteLength\":48}],"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":8},"
          "{\"buffer\":0,\"byteOffset\":16,\"byteLength\":32}],\"accessors\":["
          "{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[10]},",
          file);
    fprintf(file, "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[%g]},",
            last_seconds);
    fputs("{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"}],\"nodes\":[", file);
    for (int i = 0; i < nodes; ++i) {
        const char *name = i == 0 ? "body" : i == 1 ? "tail" : "more";
        fprintf(file, "{\"name\":\"%s\",\"translation\":[0,0,1]", name);
        if (i < nodes - 1) {
            fprintf(file, ",\"children\":[%d]},", i + 1);
        }
    }
    fputs("}],\"animations\":[", file);
    for (int i = 0; i < count; ++i) {
        fprintf(file,
                "%s{\"name\":\"turn%d\",\"samplers\":[{\"input\":%d,\"output\":2}],"
                "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}]}",
                i ? "," : "", i, i == count - 1);
    }
    fputs("]}", file);
    fclose(file);
    return path;
}

static sn_result read_turns(const char *path, sn_motion_limit *limit)
{
    static const char *const names[BONES] = {"body", "tail"};
    static const int32_t parents[BONES] = {-1, 0};
    double rest[12 * BONES];
    for (int i = 0; i < BONES; ++i) {
        sn_affine_identity(rest + 12 * i);
        rest[12 * i + 11] = 1 + i;
    }
    const sn_motion_target target = {{"a dog", BONES, names, parents, rest, NULL}, {0}};
    begin_log();
    return sn_motion_file_read(path, &target, limit, &arena, &clips, &clip_count);
}

static void only_one_clip_is_there_as_the_file_has_it(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    const char *path = write_turns(NODES, COUNT, 10);
    sn_motion_limit limit = SN_MOTION_LIMIT;
    const int64_t before = (int64_t)sn_peak_allocated_bytes();
    assert_int_equal(read_turns(path, &limit), SN_OK);
    assert_int_equal(clip_count, COUNT);
    assert_int_equal(SN_MOTION_LIMIT.bytes - limit.bytes, COUNT * KEPT);
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(clips[i].frame_count, FRAMES);
        assert_memory_equal(clips[i].transforms, clips[0].transforms, KEPT);
    }
    /* blocks of an arena double */
    assert_in_range((int64_t)sn_peak_allocated_bytes() - before, COUNT * KEPT, 2 * COUNT * KEPT + 8 * OWN);
    sn_arena_finish(&arena);
}

static void clips_share_the_limit(void **state)
{
    (void)state;
    const char *path = write_turns(NODES, 4, 10);
    sn_motion_limit limit = SN_MOTION_LIMIT;
    limit.bytes = 7 * KEPT + OWN;
    assert_int_equal(read_turns(path, &limit), SN_OK);
    assert_int_equal(limit.bytes, 3 * KEPT + OWN);
    const size_t held = sn_allocated_bytes();
    assert_int_equal(read_turns(path, &limit), SN_ERROR_UNSUPPORTED); /* with the first four */
    assert_one_error("turns.gltf: with the poses of 601 frames of 50 joints for 2 bones, all poses exceed 2048 MiB");
    assert_in_range(sn_allocated_bytes(), held, held + (1 << 16)); /* nothing was posed */
    limit = SN_MOTION_LIMIT;
    limit.bytes = 4 * KEPT + OWN;
    assert_int_equal(read_turns(path, &limit), SN_OK);
    sn_arena_finish(&arena);
}

static void of_many_clips_the_first_can_be_read_alone(void **state)
{
    (void)state;
    const char *path = write_turns(NODES, 3, 1e6);
    sn_motion_limit limit = SN_MOTION_LIMIT;
    assert_int_equal(read_turns(path, &limit), SN_ERROR_UNSUPPORTED);
    assert_one_error("turns.gltf: a motion of 1e+06 s is too long");
    limit = SN_MOTION_LIMIT;
    limit.clip_count = 1;
    assert_int_equal(read_turns(path, &limit), SN_OK);
    assert_int_equal(clip_count, 1);
    assert_string_equal(clips[0].name, "turns.turn0");
    assert_int_equal(clips[0].frame_count, FRAMES);
    sn_arena_finish(&arena);
}

/* smile.vrma: two seconds in which "joy" comes; nothing else is in it. */
static const char *write_smile(void)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/turns.bin", folder);
    FILE *bin = fopen(path, "wb");
    const float numbers[] = {0, 2, 0, 0, 0, 1, 0, 0};
    assert_non_null(bin);
    assert_int_equal(fwrite(numbers, sizeof numbers, 1, bin), 1);
    fclose(bin);
    snprintf(path, sizeof path, "%s/smile.vrma", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"turns.bin\",\"byteLength\":32}],"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":24}],"
          "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\","
          "\"min\":[0],\"max\":[2]},{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
          "\"nodes\":[{\"name\":\"value\"}],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],"
          "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}],"
          "\"extensions\":{\"VRMC_vrm_animation\":{\"expressions\":{\"custom\":{\"joy\":{\"node\":0}}}}}}",
          file);
    fclose(file);
    return path;
}

/* Whatever the bones are called: they rest. */
static void a_face_alone_moves_any_character(void **state)
{
    (void)state;
    static const char *const bones[1] = {"root"}, *const morphs[2] = {"ear", "smile"},
                             *const expressions[1] = {"happy"};
    static const int32_t parents[1] = {-1};
    static const float at_rest[2] = {0, .25F};
    static const sn_expression expression = {0, 1, .is_binary = 0};
    static const sn_expression_bind bind = {1, .5F};
    double rest[12];
    sn_affine_identity(rest);
    const sn_motion_target target = {{"a head", 1, bones, parents, rest, NULL},
                                     {2, 1, morphs, at_rest, expressions, &expression, &bind}};
    sn_motion_limit limit = SN_MOTION_LIMIT;
    begin_log();
    const char *path = write_smile();
    assert_int_equal(sn_motion_file_read(path, &target, &limit, &arena, &clips, &clip_count), SN_OK);
    unlink(path);
    assert_int_equal(logged.lines, 0);
    assert_int_equal(clip_count, 1);
    assert_string_equal(clips[0].name, "smile");
    assert_int_equal(clips[0].frame_count, 121);
    assert_int_equal(SN_MOTION_LIMIT.bytes - limit.bytes, 121 * (12 * sizeof(double) + sizeof(float)));
    assert_true(clips[0].track_count == 1 && clips[0].tracks[0] == 1);
    for (int f = 0; f < 121; ++f) {
        double identity[12];
        sn_affine_identity(identity);
        assert_memory_equal(clips[0].transforms + 12 * f, identity, sizeof identity);
        assert_true(fabs((double)clips[0].morphs[f] - (.25 + .5 * f / 120)) < 1e-6);
    }
    sn_arena_finish(&arena);
}

static void many_nodes_are_refused(void **state)
{
    (void)state;
    sn_motion_limit limit = SN_MOTION_LIMIT;
    assert_int_equal(read_turns(write_turns(4096, 1, .1), &limit), SN_OK);
    assert_int_equal(read_turns(write_turns(4097, 1, .1), &limit), SN_ERROR_UNSUPPORTED);
    assert_one_error("turns.gltf: nodes: the motion has 4097 nodes; at most 4096 are supported");
    sn_arena_finish(&arena);
}

int test_motion_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_one_clip_is_there_as_the_file_has_it),
        cmocka_unit_test(clips_share_the_limit),
        cmocka_unit_test(of_many_clips_the_first_can_be_read_alone),
        cmocka_unit_test(a_face_alone_moves_any_character),
        cmocka_unit_test(many_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
