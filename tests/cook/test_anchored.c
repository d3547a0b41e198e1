/* SPDX-License-Identifier: MIT */
/* Anchored flesh as it is cooked: when it is chosen, what it holds, and what trials have made of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/parts/parts.h"
#include "host/model/root_motion.h"
#include "host/reduced/reduced.h"
#include "tests/support/log.h"

#define MASCOT SN_BINARY_DIR "/characters/mascot.glb"

static sn_cook_desc quick(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tet_vertex_count = 3000;
    return desc;
}

static void who_is_anchored(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        sn_cook_method method;
        bool has_complementary_option, is_anchored;
    } cases[] = {{MASCOT, SN_COOK_METHOD_AUTO, false, true},
                 {MASCOT, SN_COOK_METHOD_COMPLEMENTARY, false, false},
                 {MASCOT, SN_COOK_METHOD_AUTO, true, false},
                 {MASCOT, SN_COOK_METHOD_ANCHORED, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_cook_context k = {.path = NULL};
        sn_cook_desc desc = quick();
        desc.method = cases[i].method;
        desc.leak = cases[i].has_complementary_option ? SN_LEAK_ALL : desc.leak;
        desc.young = 1e4; /* no trials */
        assert_int_equal(sn_cook_context_run(&k, cases[i].path, &desc), SN_OK);
        assert_true(k.is_anchored == cases[i].is_anchored);
        sn_cook_context_finish(&k);
    }
    sn_cook_context k = {.path = NULL};
    sn_cook_desc desc = quick();
    desc.method = SN_COOK_METHOD_ANCHORED;
    begin_log();
    assert_int_equal(sn_cook_context_run(&k, SN_SOURCE_DIR "/tests/fuzz/corpus/msh/ascii_22.msh", &desc),
                     SN_ERROR_ARGUMENT);
    assert_one_error("ascii_22.msh: anchored flesh needs a character with a skeleton");
    sn_set_log(NULL, NULL);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Displacement of the largest mover among the vertices that are anchored, and among the others, in a shake. */
static void shake(const sn_model *model, const bool *is_anchored, double moved[2])
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    sn_root_motion motion;
    double pose[12 * 64], modes[12 * 64];
    assert_true(model->counts.bone_count <= 64 && model->counts.mode_count <= 64);
    assert_int_equal(sn_reduced_solver_create(model, &desc, &solver), SN_OK);
    sn_root_motion_init(model, SN_ROOT_MOTION_SHAKE, pose, &motion);
    sn_root_motion_pose(&motion, 0, pose);
    assert_int_equal(sn_reduced_body_create(solver, pose, &body), SN_OK);
    for (int step = 1; step < 60; ++step) {
        sn_root_motion_pose(&motion, step / 60.0, pose);
        sn_reduced_body_step(body, pose, NULL);
        sn_reduced_body_mode_transforms(body, 1, modes);
        for (int v = 0; v < model->counts.vertex_count; ++v) {
            double u[3] = {0};
            for (int j = 0; j < model->counts.mode_count; ++j) {
                const double w = (double)model->mode_weights[v * model->counts.mode_count + j];
                const float *x = model->rest_positions + 3 * (size_t)v;
                for (int d = 0; d < 3; ++d) {
                    const double *row = modes + 12 * j + 4 * d;
                    u[d] += w * (row[0] * (double)x[0] + row[1] * (double)x[1] + row[2] * (double)x[2] + row[3]);
                }
            }
            moved[!is_anchored[v]] = fmax(moved[!is_anchored[v]], sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        }
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
}

static void the_mascot(void **state)
{
    (void)state;
    sn_cook_context k = {.path = NULL};
    const sn_cook_desc desc = quick();
    sn_model *model = NULL;
    assert_int_equal(sn_cook_context_run(&k, MASCOT, &desc), SN_OK);
    assert_true(k.is_anchored && k.is_tuned);
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_true(model->is_posed == 1 && model->strain_limit_stiffness > 0);
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const bool is_core = sn_flesh_is_core(k.parts, v);
        assert_true(!is_core || k.is_pinned[v]);
        for (int j = 0; j < k.modes.mode_count && k.is_pinned[v]; ++j) {
            assert_true(k.modes.weights[v * k.modes.mode_count + j] == 0);
        }
    }
    /* what trials measured is near the targets, unless a limit of frequency, displacement or stretch stood before it */
    int near_count = 0;
    for (int p = 0; p < k.parts->count; ++p) {
        const sn_flesh_part *part = &k.parts->list[p];
        if (part->is_rigid || part->frequency == 0) {
            continue;
        }
        assert_true(part->frequency <= part->max_frequency * (1 + 1e-9));
        assert_true(part->amplitude < 1.6 * 1.5 * part->target_amplitude);
        near_count += part->amplitude > 0.5 * part->target_amplitude;
    }
    assert_true(near_count >= 4);
    double moved[2] = {0};
    shake(model, k.is_pinned, moved);
    print_message("in a shake: core %.2g, flesh %.3f of the height\n", moved[0] / k.height, moved[1] / k.height);
    assert_true(moved[0] == 0 && moved[1] > 0.02 * k.height && moved[1] < 0.25 * k.height);
    for (int i = 0; i < model->counts.coordinate_count; ++i) {
        assert_true(model->coordinate_decay[i] > 3 && model->coordinate_decay[i] < 14); /* 0.3 to 1.2 s */
    }
    sn_model_release(model);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_anchored(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_anchored),
        cmocka_unit_test(the_mascot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
