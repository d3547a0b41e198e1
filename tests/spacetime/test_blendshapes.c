/* SPDX-License-Identifier: MIT */
/* What programs show of the blendshapes is the motion; shapes of a surface are found in its tets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/spacetime/fit.h"
#include "tests/spacetime/sequences.h"

#define TARGETS 16

/* A spline's weights as glTF defines them, or linear ones. */
static void play(const sn_scene_channel *c, double seconds, double *weights)
{
    int k = 0;
    while (k + 2 < c->key_count && seconds >= (double)c->times[k + 1]) {
        ++k;
    }
    const double length = (double)(c->times[k + 1] - c->times[k]), t = (seconds - (double)c->times[k]) / length;
    const int width = c->width;
    for (int i = 0; i < width; ++i) {
        if (c->interpolation == SN_KEYS_LINEAR) {
            weights[i] = (1 - t) * (double)c->values[k * width + i] + t * (double)c->values[(k + 1) * width + i];
            continue;
        }
        const float *row = c->values + 3 * k * width + i, *next = row + 3 * width;
        weights[i] = (2 * t * t * t - 3 * t * t + 1) * (double)row[width] +
                     length * (t * t * t - 2 * t * t + t) * (double)row[2 * width] +
                     (3 * t * t - 2 * t * t * t) * (double)next[width] + length * (t * t * t - t * t) * (double)next[0];
    }
}

/* The farthest that the scene is from the motion at these times. */
static double compare(const sequence *s, const sn_spacetime_motion *motion, const sn_spacetime_surface *surface,
                      const sn_scene_file *scene, double step)
{
    const sn_scene_primitive *p = &scene->primitives[0];
    const size_t n = (size_t)surface->vertex_count;
    sn_arena arena = {0};
    double *positions = SN_NEW(&arena, double, 3 * (size_t)s->mesh.vertex_count);
    double *places = SN_NEW(&arena, double, 3 * n), weights[TARGETS], largest = 0;
    for (double seconds = 0; seconds <= scene->clips[0].seconds; seconds += step) {
        sn_spacetime_sample(motion, seconds, positions);
        sn_spacetime_surface_positions(surface, positions, places);
        play(&scene->channels[0], seconds, weights);
        for (size_t i = 0; i < 3 * n; ++i) {
            double x = (double)p->positions[i];
            for (int t = 0; t < scene->meshes[0].morph_count; ++t) {
                x += weights[t] * (double)p->morph_positions[t][i];
            }
            largest = fmax(largest, fabs(x - places[i]));
        }
    }
    sn_arena_finish(&arena);
    return largest;
}

static void check(bool is_cyclic, bool has_hit, int target_count)
{
    sequence s;
    sn_spacetime_motion motion;
    sn_spacetime_surface surface;
    sn_scene_file scene;
    sequence_start(&s, HELD_APART, is_cyclic);
    s.keys[2] = is_cyclic ? s.keys[0] : s.keys[2];
    sn_spacetime_key keys[KEYS + 1] = {s.keys[0], s.keys[1], s.keys[1], s.keys[2]};
    keys[1].duration = 0;
    if (has_hit) {
        s.input.keys = keys;
        s.input.key_count = KEYS + 1;
    }
    assert_int_equal(sn_spacetime_initial_motion(&s.input, &s.arena, &motion), SN_OK);
    for (size_t i = 0; i < 3 * (size_t)s.mesh.vertex_count && has_hit; ++i) { /* the velocity turns round */
        motion.velocities[6 * (size_t)s.mesh.vertex_count + i] *= -1;
    }
    assert_int_equal(sn_spacetime_surface_of_mesh(&s.mesh, &s.arena, &surface), SN_OK);
    sn_blendshape_desc desc = {.name = "motion"};
    assert_int_equal(sn_blendshapes_build(&motion, &s.mesh, &surface, &desc, &s.arena, &scene), SN_OK);
    assert_int_equal(scene.meshes[0].morph_count, target_count);
    assert_true(compare(&s, &motion, &surface, &scene, 0.0137) < 1e-6);
    desc.frame_rate = 25;
    assert_int_equal(sn_blendshapes_build(&motion, &s.mesh, &surface, &desc, &s.arena, &scene), SN_OK);
    assert_int_equal(scene.skin_count, 1);
    assert_true(compare(&s, &motion, &surface, &scene, 1 / 25.0) < 1e-5);
    assert_true(compare(&s, &motion, &surface, &scene, 1 / 50.0) < 1e-2);
    sn_arena_finish(&s.arena);
}

static void scenes_are_the_motion(void **state)
{
    (void)state;
    check(false, false, 3 * (KEYS - 1) + 1);
    check(true, false, 3 * (KEYS - 1));
    check(false, true, 3 * (KEYS - 1) + 1);
}

/* The boundary of a bent bar, without its inner vertices; a rotation is found to the last digits. */
static void shapes_are_fitted(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const sn_tet_mesh mesh = sn_test_bar(&arena, 6, 3, 3, 0.25);
    const size_t n = (size_t)mesh.vertex_count;
    sn_spacetime_surface surface;
    assert_int_equal(sn_spacetime_surface_of_mesh(&mesh, &arena, &surface), SN_OK);
    double *moved[2], *shapes[2], *fitted[2], error = 0;
    for (int i = 0; i < 2; ++i) {
        moved[i] = SN_NEW(&arena, double, 3 * n);
        fitted[i] = SN_NEW(&arena, double, 3 * n);
        shapes[i] = SN_NEW(&arena, double, 3 * (size_t)surface.vertex_count);
        for (size_t v = 0; v < n; ++v) {
            const double *x = mesh.positions + 3 * v, angle = i == 0 ? 2 : 0.5 * x[0];
            memcpy(moved[i] + 3 * v,
                   (double[]){cos(angle) * x[0] - sin(angle) * x[1], sin(angle) * x[0] + cos(angle) * x[1], x[2] + i},
                   3 * sizeof(double));
        }
        sn_spacetime_surface_positions(&surface, moved[i], shapes[i]);
    }
    const sn_spacetime_material material = {.volume = 10, .strain = 10, .density = 1};
    assert_int_equal(sn_spacetime_fit(&mesh, &material, &surface, 2, (const double *const *)shapes, fitted, &error),
                     SN_OK);
    assert_true(error < 2e-3);
    for (size_t i = 0; i < 3 * n; ++i) {
        assert_true(fabs(fitted[0][i] - moved[0][i]) < 1e-6);
        assert_true(fabs(fitted[1][i] - moved[1][i]) < 0.05);
    }
    sn_arena_finish(&arena);
}

int test_blendshapes(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes_are_the_motion), cmocka_unit_test(shapes_are_fitted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
