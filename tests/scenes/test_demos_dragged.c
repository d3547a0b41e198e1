/* SPDX-License-Identifier: MIT */
/* Coupled bodies of the built-in scenes, dragged about at random (seeded) while their scripts go on: grabs that jump by
 * bodies' lengths, locks taken and let go, blows; at 60 and 30 Hz. Nothing becomes NaN, and once all is let go every
 * element is itself again. SN_DRAG_SECONDS makes it longer, and other numbers of substeps are tried; SN_DRAG_SEEDS: how
 * many seeds, from SN_DRAG_SEED on; SN_DRAG_SCENE: one scene alone. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/random.h"
#include "host/math/vec3.h"
#include "host/model/model.h"
#include "scenes/script/scene.h"

#define DEFAULT_SECONDS 2.0
#define REST_SECONDS 6.0
#define MOST_VERTICES 20000
#define MOST_BODIES 8

static uint64_t seed;
static double flesh[3 * MOST_VERTICES];

static double noise(double size)
{
    return size * (2 * sn_random_unit(&seed) - 1);
}

/* Area or volume of an element, times 2 or 6, by places of any stride. */
static double size_of(const sn_model *m, int element, const double *places)
{
    const int32_t *t = m->tets + 4 * (size_t)element;
    double e[3][3] = {{0}, {0}, {0, 0, 1}}, cross[3];
    for (int k = 0; k < (sn_model_is_flat(m) ? 2 : 3); ++k) {
        sn_subtract3(places + 3 * (size_t)t[k + 1], places + 3 * (size_t)t[0], e[k]);
    }
    sn_cross3(e[1], e[2], cross);
    return sn_dot3(e[0], cross);
}

typedef struct state {
    int inverted_count;
    double least, farthest, stretch; /* J; a vertex from the origin; the most of an element's J */
} state;

static state look(sn_body_id body)
{
    static double rest[3 * MOST_VERTICES];
    const sn_model *m = sn_body_model(body);
    const int count = sn_model_vertex_count(m);
    state s = {.least = INFINITY};
    assert_true(count <= MOST_VERTICES);
    sn_body_tet_positions(body, flesh, count);
    for (int i = 0; i < 3 * count; ++i) {
        assert_true(isfinite(flesh[i]));
        rest[i] = (double)m->rest_positions[i];
        s.farthest = fmax(s.farthest, fabs(flesh[i]));
    }
    for (int t = 0; t < m->counts.tet_count; ++t) {
        const double ratio = size_of(m, t, flesh) / size_of(m, t, rest);
        s.inverted_count += ratio <= 0;
        s.least = fmin(s.least, ratio);
        s.stretch = fmax(s.stretch, ratio);
    }
    return s;
}

typedef struct pulling_hand {
    int grab;
    double place[3];
} pulling_hand;

static void drag_about(sn_body_id body, pulling_hand *hand, const double *home)
{
    const sn_model *m = sn_body_model(body);
    const double diagonal = m->diagonal;
    const int bones = sn_model_bone_count(m), dice = (int)(40 * sn_random_unit(&seed));
    if (dice < 2 && hand->grab < 0) {
        const sn_grab_desc desc = sn_default_grab_desc();
        const int v = (int)(sn_model_vertex_count(m) * sn_random_unit(&seed));
        sn_body_tet_positions(body, flesh, sn_model_vertex_count(m));
        hand->grab = sn_body_grab(body, flesh + 3 * (size_t)v, &desc);
    } else if (dice < 4 && hand->grab >= 0) {
        sn_body_release(body, hand->grab);
        hand->grab = -1;
    } else if (dice == 4) {
        const unsigned taken = sn_random_unit(&seed) < 0.5 ? SN_LOCK_ALL : 0;
        sn_body_set_locks(body, (int)(bones * sn_random_unit(&seed)), taken);
    } else if (dice == 5) {
        const double mass = m->total_mass;
        const double impulse[3] = {noise(mass * diagonal), noise(mass * diagonal), noise(mass * diagonal)};
        sn_body_apply_impulse(body, home, impulse);
    } else if (dice < 12) {
        for (int d = 0; d < 3; ++d) {
            hand->place[d] = home[d] + noise(1.5 * diagonal);
        }
    }
    if (hand->grab >= 0) {
        sn_body_drag(body, hand->grab, hand->place);
    }
}

static void restore_locks(const sn_scene *scene, int body, unsigned *locks, bool is_saved)
{
    const sn_body_id id = sn_scene_body_at(scene, body);
    for (int b = 0; b < sn_model_bone_count(sn_body_model(id)); ++b) {
        if (is_saved) {
            sn_body_set_locks(id, b, locks[b]);
        } else {
            locks[b] = sn_body_locks(id, b);
        }
    }
}

typedef enum substeps { SAME_A_SECOND, SAME_A_STEP, AUTOMATIC } substeps;

static int count_substeps(const sn_body_desc *desc, double rate, substeps kind)
{
    return kind == AUTOMATIC ? 0 : kind == SAME_A_STEP ? desc->substep_count : (int)(desc->substep_count * 60 / rate);
}

/* The first body of a scene. */
static bool drag_scene(const sn_scene_script *script, double rate, substeps kind, double seconds, uint64_t first_seed)
{
    static const char *const names[] = {"", ", half the substeps", ", automatic substeps"};
    static unsigned locks[256];
    sn_scene_script slower = *script;
    sn_scene_body bodies[MOST_BODIES];
    assert_true(script->body_count <= MOST_BODIES);
    for (int i = 0; i < script->body_count; ++i) {
        bodies[i] = script->bodies[i];
        bodies[i].desc.substep_count = count_substeps(&bodies[i].desc, rate, kind);
    }
    slower.bodies = bodies;
    sn_world_desc world = sn_default_world_desc();
    sn_scene_error error;
    sn_scene *scene;
    slower.time_step = 1 / rate;
    world.time_step = 1 / rate;
    assert_int_equal(sn_scene_create(&slower, &world, &scene, &error), SN_OK);
    const sn_body_id body = sn_scene_body_at(scene, 0);
    pulling_hand hand = {.grab = -1};
    double home[3];
    int recoveries = 0, worst = 0, fewest = INT_MAX; /* fewest: in the last second */
    look(body);
    memcpy(home, flesh, sizeof home);
    restore_locks(scene, 0, locks, false);
    seed = first_seed;
    for (int frame = 0; frame < (int)((seconds + REST_SECONDS) * rate); ++frame) {
        if (frame < (int)(seconds * rate)) {
            drag_about(body, &hand, home);
        } else if (frame == (int)(seconds * rate)) {
            for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
                sn_body_release(body, g);
            }
            restore_locks(scene, 0, locks, true);
        }
        recoveries += sn_scene_advance(scene, 1 / rate).world.recovery_count;
        const state s = look(body);
        worst = s.inverted_count > worst ? s.inverted_count : worst;
        if (frame >= (int)((seconds + REST_SECONDS - 1) * rate)) {
            fewest = s.inverted_count < fewest ? s.inverted_count : fewest;
        }
    }
    const state s = look(body);
    print_message("%-17s %2.0f Hz%s, seed %d: %d inside out at worst, %d (%d) at last; J %.2f to %.2f; %d recoveries\n",
                  script->name, rate, names[kind], (int)first_seed, worst, s.inverted_count, fewest, s.least, s.stretch,
                  recoveries);
    fflush(stdout);
    const bool is_well = fewest == 0 && s.stretch < 4 && s.farthest < 1e3 * sn_body_model(body)->diagonal;
    sn_scene_destroy(&scene);
    return is_well;
}

static void test_dragged_demos_recover(void **unused)
{
    (void)unused;
    const char *said = getenv("SN_DRAG_SECONDS"), *only = getenv("SN_DRAG_SCENE");
    const char *said_seed = getenv("SN_DRAG_SEED"), *said_count = getenv("SN_DRAG_SEEDS");
    const double seconds = said ? strtod(said, NULL) : DEFAULT_SECONDS;
    const uint64_t first_seed = said_seed ? strtoull(said_seed, NULL, 10) : 77;
    const int seed_count = said_count ? atoi(said_count) : 1;
    int ill_count = 0;
    for (int i = 0; i < sn_scene_demo_count(); ++i) {
        const sn_scene_script *script = sn_scene_demo(i);
        if (script->bodies[0].desc.solver == SN_SOLVER_COUPLED && (!only || strcmp(only, script->name) == 0)) {
            for (int k = 0; k < seed_count; ++k) {
                const uint64_t first = first_seed + (uint64_t)k;
                ill_count += !drag_scene(script, 60, SAME_A_SECOND, seconds, first);
                ill_count += !drag_scene(script, 30, SAME_A_SECOND, seconds, first);
                ill_count += said && !drag_scene(script, 30, SAME_A_STEP, seconds, first);
                ill_count += said && !drag_scene(script, 30, AUTOMATIC, seconds, first);
            }
        }
    }
    assert_int_equal(ill_count, 0);
}

int test_demos_dragged(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dragged_demos_recover)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
