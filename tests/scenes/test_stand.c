/* SPDX-License-Identifier: MIT */
/* How bodies of a scene stand that no clip and no array moves: as the model's lone frame says, if it has one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/outline_bar.h"

#define CLIP SN_BINARY_DIR "/stand.json"
#define FRAME(height) "[[[1, 0, 0, 0], [0, 1, 0, " height "], [0, 0, 1, 0]]]"

/* How high a body's bone is when it starts, and after a while; with a clip of these frames, or without. */
static void stand(const char *frames, sn_body_solver solver, const char *clip, double heights[2])
{
    static const char *const paths[1] = {CLIP};
    if (frames) {
        FILE *file = fopen(CLIP, "w");
        assert_non_null(file);
        fprintf(file, "{\"P\": [%s]}", frames);
        assert_int_equal(fclose(file), 0);
    }
    sn_scene_character character = sn_test_outline_bar();
    character.cook.mode_count = 4;
    character.cook.cluster_count = 10;
    character.cook.clip_paths = paths;
    character.cook.clip_count = frames ? 1 : 0;
    sn_scene_body body = sn_default_scene_body();
    body.desc.solver = solver;
    body.clip = clip;
    const sn_scene_script script = {.name = "stand",
                                    .seconds = 10,
                                    .time_step = 1.0 / 60,
                                    .characters = &character,
                                    .character_count = 1,
                                    .bodies = &body,
                                    .body_count = 1};
    sn_scene *scene = sn_test_create_scene(&script);
    for (int i = 0; i < 2; ++i) {
        heights[i] = (double)sn_body_output(sn_scene_body_at(scene, 0)).matrices[0].m[1][3];
        sn_scene_advance(scene, 0.5);
    }
    sn_scene_destroy(&scene);
    if (frames) {
        unlink(CLIP);
    }
}

static void one_frame_is_how_it_stands(void **state)
{
    (void)state;
    double heights[2];
    stand(FRAME("0.5"), SN_SOLVER_REDUCED, NULL, heights);
    assert_float_equal(heights[0], 0.5, 1e-6);
    assert_float_equal(heights[1], 0.5, 1e-6);
    stand(FRAME("0.5"), SN_SOLVER_REDUCED, "stand", heights);
    assert_float_equal(heights[1], 0.5, 1e-6);
}

static void else_as_it_is_bound(void **state)
{
    (void)state;
    double heights[2];
    stand(NULL, SN_SOLVER_REDUCED, NULL, heights);
    assert_true(heights[0] == 0 && heights[1] == 0);
    stand(FRAME("0.5") ", " FRAME("0.7"), SN_SOLVER_REDUCED, NULL, heights); /* a clip to be asked for */
    assert_true(heights[0] == 0 && heights[1] == 0);
    stand(FRAME("0.5"), SN_SOLVER_COUPLED, NULL, heights);
    assert_float_equal(heights[0], 0, 1e-6);
}

int test_stand(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_frame_is_how_it_stands),
                                       cmocka_unit_test(else_as_it_is_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
