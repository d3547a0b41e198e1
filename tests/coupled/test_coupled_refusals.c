/* SPDX-License-Identifier: MIT */
/* What rigs and bodies refuse, and handles that no vertex feels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/coupled/lively_bodies.h"

static double x[3 * LIMIT];

static char line[512];

static void keep_line(sn_log_level level, const char *text, void *user)
{
    (void)level, (void)user;
    snprintf(line, sizeof line, "%s", text);
}

static void refuse(const sn_coupled_scene *scene, const char *says)
{
    const sn_coupled_rig_desc desc = {scene->model, scene->handle_count, scene->handles, scene->weights};
    sn_coupled_rig *rig = NULL;
    line[0] = 0;
    assert_int_equal(sn_coupled_rig_create(&desc, &rig), SN_ERROR_ARGUMENT);
    assert_null(rig);
    assert_non_null(strstr(line, says));
}

static void test_bad_input(void **state)
{
    (void)state;
    sn_coupled_scene scene = sn_coupled_mixed(2);
    const sn_coupled_handle handle = scene.handles[4];
    const double weight = scene.weights[7];
    sn_set_log(keep_line, NULL);
    scene.handles[3].parent = 5;
    refuse(&scene, "handle 3: its parents form a cycle");
    scene.handles[3].parent = 3;
    refuse(&scene, "handle 3: it is its own parent");
    scene.handles[3].parent = -1;
    scene.handles[4].parent = 9;
    refuse(&scene, "handle 4: parent 9");
    scene.handles[4] = handle;
    scene.handles[4].pivot[1] = NAN;
    refuse(&scene, "handle 4: its pivot");
    scene.handles[4] = handle;
    scene.weights[7] = INFINITY;
    refuse(&scene, "vertex 1");
    scene.weights[7] = weight + 0.1;
    refuse(&scene, "vertex 1: its weights sum to 1.1");
    scene.weights[7] = weight;
    scene.handle_count = 0;
    refuse(&scene, "handle count 0 is not within");
    scene.handle_count = 6;

    sn_coupled_settings settings = lively();
    sn_coupled_body *body = NULL;
    settings.compliance = -1;
    assert_int_equal(sn_coupled_body_create(scene.rig, &settings, &body), SN_ERROR_ARGUMENT);
    settings = lively();
    body = lively_body(&scene, &settings);
    run(&scene, body, 0, 5);
    for (int i = 0; i < 3; ++i) { /* targets that are none: the last ones stay */
        const double wrong[3] = {NAN, INFINITY, 1e30}, axis[3] = {0}, move[3] = {wrong[i], 0, 0};
        double target[12];
        sn_coupled_aim(scene.handles[0].pivot, axis, move, target);
        sn_coupled_body_set_target(body, 0, target);
        assert_false(sn_coupled_body_step(body, NULL).is_recovered);
        assert_true(fabs(body->handles[0].position[0]) < 10);
    }
    sn_coupled_body_destroy(&body);
    sn_set_log(NULL, NULL);
    sn_coupled_scene_finish(&scene);
}

/* A handle that no vertex feels, two at one place, one beside the body, all on one: a warning, and motion all the same.
 */
static void test_useless_handles(void **state)
{
    (void)state;
    for (int dimension = 2; dimension < 4; ++dimension) {
        sn_coupled_scene scene = sn_coupled_mixed(dimension);
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            double *row = scene.weights + 6 * v;
            row[3] += row[5]; /* 5, a joint, is felt by none; 0 and 3 are the same */
            row[5] = 0;
            row[0] = row[3] = 0.5 * (row[0] + row[3]);
        }
        scene.handles[3] = scene.handles[0];
        scene.handles[2].pivot[0] = -30;
        sn_coupled_rig_destroy(&scene.rig);
        sn_set_log(keep_line, NULL);
        sn_coupled_scene_rig(&scene);
        assert_string_equal(line, "coupled rig: handle 5: affects no vertex");
        scene.handles[5].name = "stump";
        for (int v = 0; v < scene.shape.desc.vertex_count; ++v) {
            scene.weights[6 * v + 1] += scene.weights[6 * v + 2];
            scene.weights[6 * v + 2] = 0;
        }
        scene.handles[2].name = "tip";
        sn_coupled_rig_destroy(&scene.rig);
        sn_coupled_scene_rig(&scene);
        assert_string_equal(line, "coupled rig: handle tip: affects no vertex (and 1 more)");
        sn_set_log(NULL, NULL);
        const sn_coupled_settings settings = lively();
        sn_coupled_body *body = sn_coupled_test_body(&scene, &settings);
        for (int locked = -1; locked < 6; ++locked) {
            sn_coupled_body_set_locks(body, locked < 0 ? 0 : locked, locked < 0 ? 0 : SN_LOCK_ALL);
            run(&scene, body, 0, 30);
            double found[72];
            sn_coupled_body_transforms(body, found);
            for (int i = 0; i < 72; ++i) {
                assert_true(fabs(found[i]) < 100);
            }
            sn_xpbd_body_positions(body->flesh, x);
            for (int i = 0; i < 3 * scene.shape.desc.vertex_count; ++i) {
                assert_true(fabs(x[i]) < 20);
            }
        }
        sn_coupled_body_destroy(&body);
        sn_coupled_scene_finish(&scene);
    }
}

int test_coupled_refusals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_useless_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
