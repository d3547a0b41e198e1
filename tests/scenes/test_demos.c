/* SPDX-License-Identifier: MIT */
/* Every built-in scene for ten seconds: finite, without recoveries, in the picture, not at rest; and for the first of
 * them the same bits on one thread and on two. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "scenes/script/scene.h"

#define SECONDS 10
#define SAME_SECONDS 3

static void print_line(sn_log_level level, const char *message, void *user)
{
    (void)level;
    (void)user;
    print_message("%s\n", message);
}

static sn_scene *start(const sn_scene_script *script, int workers)
{
    sn_world_desc world = sn_default_world_desc();
    sn_scene *scene = NULL;
    sn_scene_error error = {""};
    world.worker_count = workers;
    if (sn_scene_create(script, &world, &scene, &error) != SN_OK) {
        fail_msg("%s: %s", script->name, error.text);
    }
    return scene;
}

/* How far the bones of a body are drawn from what the camera looks at, in the mean. */
static double from_sight(const sn_scene *scene, int index)
{
    const sn_scene_camera *camera = &sn_scene_get_script(scene)->camera;
    const sn_body_id body = sn_scene_body_at(scene, index);
    const sn_body_matrices output = sn_body_output(body);
    double mean[3] = {0};
    for (int b = 0; b < output.bone_count; ++b) {
        double pivot[3];
        sn_model_bone_pivot(sn_body_model(body), b, pivot);
        for (int d = 0; d < 3; ++d) {
            const float *m = output.matrices[b].m[d];
            mean[d] += ((double)m[0] * pivot[0] + (double)m[1] * pivot[1] + (double)m[2] * pivot[2] + (double)m[3]) /
                       output.bone_count;
        }
    }
    return sqrt(pow(mean[0] - camera->target[0], 2) + pow(mean[1] - camera->target[1], 2) +
                pow(mean[2] - camera->target[2], 2));
}

/* Of all bones and modes; *farthest grows by how far any of them moves what lies at its origin. */
static uint64_t hash_bodies(const sn_scene *scene, uint64_t hash, double *farthest)
{
    for (int i = 0; i < sn_scene_body_count(scene); ++i) {
        const sn_body_matrices output = sn_body_output(sn_scene_body_at(scene, i));
        const size_t count = (size_t)(output.bone_count + output.mode_count);
        hash = sn_hash(hash, output.matrices, count * sizeof *output.matrices);
        for (size_t k = 0; k < count; ++k) {
            for (int r = 0; r < 3; ++r) {
                *farthest = fmax(*farthest, fabs((double)output.matrices[k].m[r][3]));
                for (int c = 0; c < 4; ++c) {
                    assert_true(isfinite(output.matrices[k].m[r][c]));
                }
            }
        }
    }
    return hash;
}

/* Its first SAME_SECONDS as a hash. */
static uint64_t play(const sn_scene_script *script, int workers, double seconds, double *farthest, double *lost)
{
    sn_scene *scene = start(script, workers);
    uint64_t hash = SN_HASH_SEED, first = SN_HASH_SEED;
    const double step = sn_scene_time_step(scene);
    *farthest = 0;
    for (int frame = 0; frame < (int)(seconds / step); ++frame) {
        const sn_scene_report report = sn_scene_advance(scene, step);
        assert_int_equal(report.world.recovery_count, 0);
        assert_int_equal(report.missed_grab_count, 0);
        assert_int_equal(report.world.step_count, 1);
        hash = hash_bodies(scene, hash, farthest);
        for (int i = 0; i < sn_scene_body_count(scene); ++i) {
            *lost = fmax(*lost, from_sight(scene, i) / script->camera.distance);
        }
        first = frame < (int)(SAME_SECONDS / step) ? hash : first;
    }
    sn_scene_destroy(&scene);
    assert_null(scene);
    return first;
}

static void test_demos_are_finite_and_the_same_on_two_threads(void **state)
{
    (void)state;
    const size_t before = sn_allocated_bytes();
    for (int i = 0; i < sn_scene_demo_count(); ++i) {
        const sn_scene_script *script = sn_scene_demo(i);
        double farthest = 0, again = 0, lost = 0;
        const uint64_t hash = play(script, 1, SECONDS, &farthest, &lost);
        print_message("%-18s %016llx, moved by %.3f, from the middle of the picture by %.3f of its distance\n",
                      script->name, (unsigned long long)hash, farthest, lost);
        assert_true(script->camera.is_set && farthest > 0.01 && lost < 0.36);
        assert_true(play(script, 2, SAME_SECONDS, &again, &lost) == hash);
    }
    assert_int_equal(sn_allocated_bytes(), before);
}

static void test_demos_have_names_and_say_what_they_are(void **state)
{
    (void)state;
    for (int i = 0; i < sn_scene_demo_count(); ++i) {
        const sn_scene_script *script = sn_scene_demo(i);
        sn_scene_error error;
        assert_true(script->name && script->description && strlen(script->description) > 10);
        assert_ptr_equal(sn_scene_find_demo(script->name), script);
        assert_int_equal(sn_scene_check(script, &error), SN_OK);
    }
    assert_null(sn_scene_find_demo("no such scene"));
}

/* From the beginning again, the same bits. */
static void test_a_restart_is_a_new_scene(void **state)
{
    (void)state;
    const char *const names[] = {"fish_control", "tug", "school", "bowling"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const sn_scene_script *script = sn_scene_find_demo(names[i]);
        if (!script) { /* of rigid bodies, in a build that has none */
            continue;
        }
        sn_scene *scene = start(script, 1);
        uint64_t hashes[2] = {SN_HASH_SEED, SN_HASH_SEED};
        double farthest = 0;
        for (int run = 0; run < 2; ++run) {
            for (int frame = 0; frame < 90; ++frame) {
                sn_scene_advance(scene, 1.0 / 60);
                hashes[run] = hash_bodies(scene, hashes[run], &farthest);
            }
            sn_scene_restart(scene);
            assert_true(sn_scene_time(scene) == 0);
        }
        assert_true(hashes[0] == hashes[1]);
        sn_scene_destroy(&scene);
    }
}

int test_demos(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demos_have_names_and_say_what_they_are),
        cmocka_unit_test(test_a_restart_is_a_new_scene),
        cmocka_unit_test(test_demos_are_finite_and_the_same_on_two_threads),
    };
    sn_set_log(print_line, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
