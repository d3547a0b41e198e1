/* SPDX-License-Identifier: MIT */
/* The player in a headset: the bar lies on the floor before the user, who pushes it, takes hold of it, begins again and
 * has it come before him; a scene; a frame allocates nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runtime/edit/posed_surface.h"
#include "runtime/frontends/xr/xr_player.h"
#include "sinew/author.h"
#include "tests/support/count_allocations.h"
#include "tests/xr/fake_headset.h"

#define HEIGHT 0.4 /* metres, of the bar */
#define AWAY 0.9F  /* metres: where it lies before the head */

typedef struct played {
    headset h;
    sn_model *model;
    sn_player *player;
    sn_playable *playable;
} played;

static played open_player(double gravity)
{
    played p = {.h = open_headset()};
    sn_player_desc desc = {.device = p.h.device, .time_step = 1.0 / 60, .worker_count = 1};
    sn_xr_size(p.h.xr, desc.size);
    assert_int_equal(sn_model_open(SN_SOURCE_DIR "/tests/golden/bar.sinew", &p.model), SN_OK);
    sn_player_character character = {.model = p.model,
                                     .name = "bar.sinew",
                                     .motion = {.model = p.model, .clip = -1},
                                     .body = sn_default_body_desc()};
    character.body.stiffness = 0.3;
    character.body.damping = 2;
    character.body.gravity[1] = -gravity;
    assert_int_equal(sn_player_create(&desc, &p.player), SN_OK);
    assert_int_equal(sn_player_set_character(p.player, &character), SN_OK);
    assert_int_equal(sn_playable_create_character(p.player, &p.playable), SN_OK);
    return p;
}

static void close_player(played *p, int line_count)
{
    sn_playable_destroy(&p->playable);
    sn_player_destroy(&p->player);
    sn_model_release(p->model);
    close_headset(&p->h, line_count);
}

/* What the scripts below know. */
static struct {
    played *p;
    double metres_per_unit; /* a unit */
    sn_placement placement;
    double before, most;
    int allocations;
} seen;

static sn_player_report play(played *p, void (*script)(sn_fake_xr *told, int frame), int frame_limit)
{
    const sn_xr_player_desc desc = {
        .xr = p->h.xr, .playable = p->playable, .height = HEIGHT, .frame_limit = frame_limit};
    const sn_placement placement = sn_playable_get_placement(p->playable);
    sn_player_report report;
    memset(&seen, 0, sizeof seen);
    seen.p = p;
    seen.metres_per_unit = HEIGHT / placement.height;
    seen.placement = placement;
    fake->script = script;
    assert_int_equal(sn_xr_player_run(&desc, &report), SN_OK);
    assert_true(sn_xr_is_ended(p->h.xr));
    return report;
}

/* The mean height of the skin at the bar's end. */
static double end_height(void)
{
    const sn_visible_bodies visible_bodies = sn_playable_get_bodies(seen.p->playable);
    const sn_model *model = seen.p->model;
    sn_posed_surface drawn;
    double sum = 0;
    int count = 0;
    assert_int_equal(sn_posed_surface_start(&drawn, model), SN_OK);
    sn_posed_surface_update(&drawn, visible_bodies.bodies[0]);
    for (int v = 0; v < model->counts.surface_vertex_count; ++v) {
        if (model->surface_positions[3 * v] > 0.3F) {
            sum += drawn.positions[3 * v + 1];
            ++count;
        }
    }
    sn_posed_surface_finish(&drawn);
    return sum / count;
}

/* Above a vertex of its end, in metres above the skin. */
static void put_hand(sn_fake_xr *told, double above)
{
    told->hands[1].pose.position[0] = (float)((0.353 - seen.placement.anchor[0]) * seen.metres_per_unit);
    told->hands[1].pose.position[1] = (float)((0.118 - seen.placement.anchor[1]) * seen.metres_per_unit + above);
    told->hands[1].pose.position[2] = -AWAY - (float)(seen.placement.anchor[2] * seen.metres_per_unit);
}

static void pull_up(sn_fake_xr *told, int frame)
{
    const int step = frame - 10;
    told->hands[1].trigger = step >= 0 ? 1 : 0;
    put_hand(told, 0.09 + (step > 0 ? 0.01 * step : 0));
    seen.before = step == 0 ? end_height() : seen.before;
    seen.most = step == 20 ? end_height() : seen.most;
}

static void a_trigger_grabs_flesh(void **state)
{
    (void)state;
    fake->width = fake->height = 24;
    played p = open_player(0);
    const sn_player_report report = play(&p, pull_up, 29);
    assert_int_equal(report.grab_count, 1);
    assert_true(report.frame_count >= 29 && fabs(report.seconds - 28.0 / 90) < 2.1 / 90);
    assert_true((seen.most - seen.before) * seen.metres_per_unit > 0.02); /* of .2 */
    assert_int_equal(fake->shake_count[1], 0);
    close_player(&p, 0);
}

static void push_down(sn_fake_xr *told, int frame)
{
    put_hand(told, frame < 10 ? 0.3 : fmax(0.3 - 0.03 * (frame - 10), 0));
    seen.before = frame == 9 ? end_height() : seen.before;
    seen.most = frame == 24 ? end_height() : seen.most;
    told->hands[0].is_reset = frame == 25;
    told->hands[1].is_tracked = frame < 24;
    if (frame == 26) {
        seen.allocations = allocation_count;
        assert_true(fabs(end_height() - seen.before) < 1e-6); /* it has begun again */
    }
}

static void a_hand_pushes_and_is_shaken(void **state)
{
    (void)state;
    fake->width = fake->height = 24;
    played p = open_player(0);
    play(&p, push_down, 26);
    assert_true(seen.most < seen.before - 0.002);
    assert_true(fake->shake_count[1] > 0 && fake->shake_most[1] > 0.2F && fake->shake_most[1] < 1);
    assert_int_equal(fake->shake_count[0], 0);
    close_player(&p, 0);
}

/* Of the darkest pixels, the mean column: the bar, of a bright room. */
static double bar_column(int eye)
{
    double sum = 0, weight = 0;
    for (int i = 0; i < fake->width * fake->height; ++i) {
        const uint8_t *pixel = fake->pixels[eye] + 4 * i;
        const double dark = fmax(170 - pixel[1], 0);
        sum += dark * (i % fake->width + 0.5);
        weight += dark;
    }
    return weight > 100 ? sum / weight : -1;
}

/* The head turns away, and has it come: it looks down all the while. */
static void turn_away(sn_fake_xr *told, int frame)
{
    const double yaw = frame < 6 ? 0 : -0.9, pitch = -0.7;
    const double q[4] = {cos(yaw / 2) * sin(pitch / 2), sin(yaw / 2) * cos(pitch / 2), -sin(yaw / 2) * sin(pitch / 2),
                         cos(yaw / 2) * cos(pitch / 2)};
    for (int i = 0; i < 4; ++i) {
        told->head.orientation[i] = (float)q[i];
    }
    told->hands[0].is_tracked = told->hands[1].is_tracked = false;
    told->is_recentred = frame == 8;
    if (frame == 6) {
        seen.before = bar_column(0);
    } else if (frame == 8) {
        seen.most = bar_column(0);
    }
}

static void it_comes_before_the_user(void **state)
{
    (void)state;
    fake->width = 96;
    fake->height = 64;
    played p = open_player(0);
    play(&p, turn_away, 8);
    const double after = bar_column(0);
    assert_true(seen.before > 0 && fabs(seen.most - seen.before) > 8);
    assert_true(fabs(after - seen.before) < 1);
    close_player(&p, 0);
}

static void wave(sn_fake_xr *told, int frame)
{
    put_hand(told, 0.15 + 0.02 * sin(frame));
    if (frame == 8) {
        seen.allocations = allocation_count;
    } else if (frame == 16) {
        seen.allocations = allocation_count - seen.allocations;
    }
}

static void a_frame_allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    fake->width = fake->height = 24;
    played p = open_player(1);
    play(&p, wave, 18);
    assert_int_equal(seen.allocations, 0);
    close_player(&p, 0);
    sn_set_allocator(NULL, NULL, NULL);
}

int test_xr_player(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_trigger_grabs_flesh, start_fake),
        cmocka_unit_test_setup(a_hand_pushes_and_is_shaken, start_fake),
        cmocka_unit_test_setup(it_comes_before_the_user, start_fake),
        cmocka_unit_test_setup(a_frame_allocates_nothing, start_fake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
