/* SPDX-License-Identifier: MIT */
/* VMC's messages as moments: golden poses in our axes, what makes a moment whole, and what is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "runtime/puppet/vmc.h"
#include "tests/support/vmc_packets.h"

static void assert_near(double value, double wanted, double tolerance)
{
    assert_true(fabs(value - wanted) <= tolerance);
}

#define BONE "/VMC/Ext/Bone/Pos"

static sn_vmc vmc;
static const double none[3];

static void send(const sn_test_packet *p, double now)
{
    sn_vmc_read(&vmc, p->bytes, p->size, now);
}

/* One bone in a datagram, of which a moment is made. */
static void send_bone(const char *name, const double *place, int axis, double degrees)
{
    sn_test_packet p = {.size = 0};
    sn_test_bundle(&p);
    sn_test_bone(&p, BONE, name, place, axis, degrees);
    send(&p, 1);
    sn_vmc_flush(&vmc, 2);
    assert_true(vmc.has_frame);
}

/* Where N takes a direction. */
static void assert_turned(int bone, const double *from, const double *to)
{
    double m[9];
    assert_true(sn_tracking_has(&vmc.tracking_frame, bone));
    sn_quaternion_to_matrix(vmc.tracking_frame.rotations[bone], m);
    for (int d = 0; d < 3; ++d) {
        assert_near(sn_dot3(m + 3 * d, from), to[d], 1e-6);
    }
}

/* What Unity's left-handed turns do to a person who looks along +z with its left at -x, against what it is in ours:
 * left at +x, and ahead still +z. */
static void golden_poses(void **state)
{
    (void)state;
    static const double left[3] = {1, 0, 0}, right[3] = {-1, 0, 0}, up[3] = {0, 1, 0}, down[3] = {0, -1, 0},
                        ahead[3] = {0, 0, 1};
    sn_vmc_init(&vmc);
    send_bone("LeftUpperArm", none, 2, 90); /* how senders lower it */
    assert_turned(sn_humanoid_bone_index(0, SN_PART_UPPER_ARM), left, down);
    send_bone("RightUpperArm", none, 2, -90);
    assert_turned(sn_humanoid_bone_index(1, SN_PART_UPPER_ARM), right, down);
    send_bone("LeftLowerArm", none, 1, 90); /* Unity's +y turns ahead to the right, and left ahead */
    assert_turned(sn_humanoid_bone_index(0, SN_PART_LOWER_ARM), left, ahead);
    send_bone("Head", none, 1, 90);
    assert_turned(SN_HUMANOID_HEAD, ahead, right);
    send_bone("RightUpperLeg", none, 0, -90); /* a thigh lifted ahead */
    assert_turned(sn_humanoid_bone_index(1, SN_PART_UPPER_LEG), down, ahead);
    send_bone("Spine", none, 2, 90); /* leaning to Unity's -x, its left */
    assert_turned(SN_HUMANOID_SPINE, up, left);
}

static void hips_are_in_our_axes(void **state)
{
    (void)state;
    sn_test_packet p = {.size = 0};
    sn_vmc_init(&vmc);
    sn_test_bundle(&p);
    sn_test_bone(&p, "/VMC/Ext/Root/Pos", "root", (const double[3]){1, 0, 2}, 1, 90);
    sn_test_bone(&p, BONE, "Hips", (const double[3]){.25, .9, .5}, 0, 0);
    sn_test_bone(&p, BONE, "LeftUpperLeg", (const double[3]){-.1, -.1, 0}, 0, 0);
    sn_test_bone(&p, BONE, "LeftLowerLeg", (const double[3]){0, -.4, 0}, 0, 0);
    sn_test_bone(&p, BONE, "LeftFoot", (const double[3]){0, -.35, 0}, 0, 0);
    send(&p, 1);
    sn_vmc_flush(&vmc, 2);
    assert_true(vmc.tracking_frame.has_hips);
    /* Unity: root + R_y(90) (.25, .9, .5) = (1.5, .9, 1.75) */
    assert_near(vmc.tracking_frame.hips[0], -1.5, 1e-6);
    assert_near(vmc.tracking_frame.hips[1], .9, 1e-6);
    assert_near(vmc.tracking_frame.hips[2], 1.75, 1e-6);
    assert_near(vmc.tracking_frame.hips_height, .85, 1e-6);
    assert_turned(SN_HUMANOID_HIPS, (const double[3]){0, 0, 1}, (const double[3]){-1, 0, 0});
}

/* Some senders say zeroes where they know nothing. */
static void zeroes_are_no_place(void **state)
{
    (void)state;
    sn_vmc_init(&vmc);
    send_bone("Hips", none, 0, 0);
    assert_false(vmc.tracking_frame.has_hips);
    assert_true(sn_tracking_has(&vmc.tracking_frame, SN_HUMANOID_HIPS));
    sn_test_packet p = {.size = 0};
    sn_test_message(&p, BONE, "sfffffff", "Head", 0., 0., 0., 0., 0., 0., 0.);
    send(&p, 3);
    assert_int_equal(vmc.bad_number_count, 1);
    assert_false(sn_tracking_has(&vmc.next, SN_HUMANOID_HEAD));
}

static void names_of_bones(void **state)
{
    (void)state;
    assert_int_equal(sn_vmc_find_bone("LeftThumbProximal"), sn_humanoid_find("leftThumbMetacarpal"));
    assert_int_equal(sn_vmc_find_bone("RightThumbDistal"), sn_humanoid_find("rightThumbDistal"));
    assert_int_equal(sn_vmc_find_bone("leftthumbintermediate"), sn_humanoid_find("leftThumbProximal"));
    assert_int_equal(sn_vmc_find_bone("UpperChest"), SN_HUMANOID_UPPER_CHEST);
    assert_int_equal(sn_vmc_find_bone("LeftLittleIntermediate"), sn_humanoid_find("leftLittleIntermediate"));
    assert_int_equal(sn_vmc_find_bone("LeftThumbMetacarpal"), -1);
    assert_int_equal(sn_vmc_find_bone("LastBone"), -1);
    assert_int_equal(sn_vmc_find_bone(""), -1);
    int found = 0;
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        found += sn_vmc_find_bone(sn_humanoid_name(bone)) == bone;
    }
    assert_int_equal(found, SN_HUMANOID_COUNT - 4); /* but for thumbs, of which Unity calls the distal ones so */
}

static void weights_wait_for_apply(void **state)
{
    (void)state;
    sn_test_packet p = {.size = 0};
    sn_vmc_init(&vmc);
    sn_test_message(&p, "/VMC/Ext/Blend/Val", "sf", "JOY", .5);
    send(&p, 1);
    p.size = 0;
    sn_test_message(&p, "/VMC/Ext/Blend/Val", "sf", "jawopen", 7.);
    send(&p, 1);
    assert_int_equal(vmc.next.expression_count, 2);
    assert_near(vmc.next.expressions[0].weight, 0, 0);
    p.size = 0;
    sn_test_message(&p, "/VMC/Ext/Blend/Apply", "");
    send(&p, 1);
    sn_vmc_flush(&vmc, 2);
    assert_true(vmc.has_frame);
    assert_string_equal(vmc.tracking_frame.expressions[0].name, "happy");
    assert_near(vmc.tracking_frame.expressions[0].weight, .5, 1e-7);
    assert_string_equal(vmc.tracking_frame.expressions[1].name, "jawOpen");
    assert_near(vmc.tracking_frame.expressions[1].weight, 1, 0);
    p.size = 0;
    sn_test_message(&p, "/VMC/Ext/Blend/Val", "sf", "Happy", NAN);
    send(&p, 3);
    assert_int_equal(vmc.bad_number_count, 1);
    assert_int_equal(vmc.next.expression_count, 2);
}

/* Beyond the list, and what is no text, is counted; those that are known go on. */
static void names_that_are_refused(void **state)
{
    (void)state;
    sn_vmc_init(&vmc);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < SN_TRACKING_EXPRESSION_LIMIT + 50; ++i) {
            sn_test_packet p = {.size = 0};
            char name[24];
            snprintf(name, sizeof name, "weight %d", i);
            sn_test_message(&p, "/VMC/Ext/Blend/Val", "sf", name, i / 1000.);
            send(&p, 1);
        }
        assert_int_equal(vmc.next.expression_count, SN_TRACKING_EXPRESSION_LIMIT);
        assert_int_equal(vmc.bad_name_count, 50 * (round + 1));
        assert_near(vmc.staged[100], .1, 1e-7);
    }
    static const char *const bad[] = {"caf\xe9", "a\xc0\xaf", "\xed\xa0\x80", "tab\t", "cut\xe2\x82", ""};
    sn_vmc_init(&vmc);
    for (int i = 0; i < 6; ++i) {
        sn_test_packet p = {.size = 0};
        sn_test_message(&p, "/VMC/Ext/Blend/Val", "sf", bad[i], 1.);
        send(&p, 1);
        assert_int_equal(vmc.bad_name_count, i + 1);
    }
    assert_int_equal(vmc.next.expression_count + (int)vmc.bad_number_count, 0);
}

/* Each frame of three datagrams is a moment, and no datagram makes one of its own; of the first it is not known what
 * is all. */
static void a_frame_is_a_moment(void **state)
{
    (void)state;
    sn_test_packet packets[3];
    int64_t before = 0;
    sn_vmc_init(&vmc);
    for (int frame = 0; frame < 10; ++frame) {
        sn_test_walk(frame / 60., packets);
        for (int i = 0; i < 3; ++i) {
            send(&packets[i], frame / 60.);
            assert_true(frame == 0 || vmc.tracking_frame_count == before + (i == 2));
        }
        sn_vmc_flush(&vmc, frame / 60. + .01);
        assert_int_equal(vmc.tracking_frame_count, frame + 1);
        before = vmc.tracking_frame_count;
        assert_near(vmc.tracking_frame.seconds, frame / 60., 1e-6);
    }
    assert_int_equal(vmc.osc.malformed_count + vmc.unknown_count + vmc.mismatched_count + vmc.unknown_bone_count +
                         vmc.bad_number_count,
                     0);
}

/* A sender that sends a bone a datagram, and no time: a bone that comes again begins a frame. */
static void a_bone_that_comes_again(void **state)
{
    (void)state;
    static const char *const names[3] = {"Spine", "Neck", "Head"};
    sn_vmc_init(&vmc);
    for (int frame = 0; frame < 4; ++frame) {
        for (int i = 0; i < 3; ++i) {
            sn_test_packet p = {.size = 0};
            sn_test_bundle(&p);
            sn_test_bone(&p, BONE, names[i], none, 0, 10 * frame);
            send(&p, frame / 60. + .001 * i);
        }
    }
    assert_int_equal(vmc.tracking_frame_count, 4);
    sn_vmc_flush(&vmc, 100);
    assert_true(vmc.tracking_frame_count >= 4 && sn_tracking_has(&vmc.tracking_frame, SN_HUMANOID_NECK));
}

/* Frame n turns each bone by n degrees: they are all of one frame, and so is what was tracked once. */
static void assert_one_frame(void)
{
    double least = 1e9, most = -1e9;
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const double degrees = 2 * asin(fabs(vmc.tracking_frame.rotations[bone][0])) * 180 / 3.141592653589793;
        if (sn_tracking_has(&vmc.tracking_frame, bone)) {
            least = fmin(least, degrees);
            most = fmax(most, degrees);
        }
    }
    assert_true(most - least < 1e-4); /* of nobody, too */
}

typedef struct stream {
    int pause_frame, pause_bone; /* a pause of 6 ms before it, in which there is a poll; -1: before none */
    int lost_frame, lost_bone;
    int unloaded_frame; /* OK 0, then OK 1, behind the second bone */
    bool has_root;
} stream;

static void say_loaded(int state, double now)
{
    sn_test_packet p = {.size = 0};
    sn_test_message(&p, "/VMC/Ext/OK", "i", state);
    send(&p, now);
}

static void send_stream(const stream *s, int frames)
{
    static const char *const names[5] = {"Hips", "Spine", "Head", "LeftUpperArm", "RightUpperArm"};
    int64_t seen = 0;
    double now = 0;
    sn_vmc_init(&vmc);
    for (int frame = 0; frame < frames; ++frame) {
        now = fmax(now, frame / 60. + 1);
        for (int i = 0; i < 5; ++i, now += 1e-4) {
            sn_test_packet p = {.size = 0};
            if (frame == s->pause_frame && i == s->pause_bone) {
                sn_vmc_flush(&vmc, now + .005);
                now += .006;
            }
            if (frame == s->unloaded_frame && i == 2) {
                say_loaded(0, now);
                say_loaded(1, now);
            }
            sn_test_bundle(&p);
            if (s->has_root && i == 0) {
                sn_test_bone(&p, "/VMC/Ext/Root/Pos", "root", none, 0, 0);
            }
            sn_test_bone(&p, BONE, names[i], (const double[3]){0, 1, 0}, 0, frame);
            if (frame != s->lost_frame || i != s->lost_bone) {
                send(&p, now);
            }
            if (vmc.tracking_frame_count > seen && frame != s->lost_frame && frame != s->lost_frame + 1) {
                assert_one_frame();
            }
            seen = vmc.tracking_frame_count;
        }
        sn_vmc_flush(&vmc, now + .005);
    }
    assert_true(vmc.tracking_frame_count >= frames - 2 && vmc.tracking_frame_count < frames + 5);
    assert_one_frame();
    assert_near(2 * asin(vmc.tracking_frame.rotations[SN_HUMANOID_HEAD][0]) * 180 / 3.141592653589793, frames - 1,
                1e-4);
}

static void a_pause_does_not_split_frames(void **state)
{
    (void)state;
    for (int has_root = 0; has_root < 2; ++has_root) {
        for (int bone = 0; bone < 5; ++bone) {
            for (int frame = 0; frame < 12; frame += 1 + frame / 2) {
                send_stream(&(stream){frame, bone, -9, -1, -1, has_root}, 20);
                send_stream(&(stream){-1, -1, frame, bone, -1, has_root}, 20);
            }
        }
        send_stream(&(stream){-1, -1, -9, -1, 8, has_root}, 20);
    }
}

/* A sender without root or time, whose datagrams have a bone each: `spread` of a frame's time lies between the first
 * and the last. `lost` ones from the one of that frame and bone on go astray. After two frames more all moments are
 * whole again, each of one frame, and hardly any is missing. */
static void send_lossy(double spread, double rate, int lost_frame, int lost_bone, int lost)
{
    static const char *const names[6] = {"Hips", "Spine", "Head", "LeftUpperArm", "RightUpperArm", "LeftHand"};
    const int from = 6 * lost_frame + lost_bone;
    int64_t seen = 0;
    sn_vmc_init(&vmc);
    for (int k = 0; k < 6 * 40; ++k) {
        const double now = 1 + (k / 6 + spread * (k % 6) / 6) / rate;
        const bool is_near = k >= from && k < from + lost + 12;
        sn_test_packet p = {.size = 0};
        sn_test_bundle(&p);
        sn_test_bone(&p, BONE, names[k % 6], (const double[3]){0, 1, 0}, 0, k / 6);
        if (k < from || k >= from + lost) {
            send(&p, now);
        }
        if (vmc.tracking_frame_count > seen && !is_near && k >= 12) {
            assert_one_frame();
        }
        seen = vmc.tracking_frame_count;
        sn_vmc_flush(&vmc, now + 1e-4);
    }
    assert_true(vmc.tracking_frame_count >= 40 - 3 - lost / 6 && vmc.tracking_frame_count <= 46);
    assert_near(2 * asin(vmc.tracking_frame.rotations[SN_HUMANOID_HEAD][0]) * 180 / 3.141592653589793, 39, 1e-4);
}

static void what_is_lost_does_not_mix_frames(void **state)
{
    (void)state;
    static const double spreads[] = {.01, .5, 1}, rates[] = {30, 60, 120};
    static const int losses[] = {0, 1, 4, 9, 13};
    for (int s = 0; s < 9; ++s) {
        for (int bone = 0; bone < 6; ++bone) {
            for (int k = 0; k < 5; ++k) {
                send_lossy(spreads[s % 3], rates[s / 3], 12, bone, losses[k]);
                send_lossy(spreads[s % 3], rates[s / 3], 2, bone, losses[k]);
            }
        }
    }
}

/* The end of a frame and the beginning of the next are lost: what comes then is not the rest of the first. */
static void halves_of_two_frames(void **state)
{
    (void)state;
    for (int spread = 0; spread < 2; ++spread) {
        static const char *const names[4] = {"Hips", "Spine", "Head", "LeftUpperArm"};
        sn_vmc_init(&vmc);
        for (int k = 0; k < 4 * 20; ++k) {
            const double now = 1 + (k / 4 + spread * (k % 4) / 4.) / 60;
            sn_test_packet p = {.size = 0};
            sn_test_bundle(&p);
            sn_test_bone(&p, BONE, names[k % 4], none, 0, k / 4);
            if (k < 4 * 12 + 2 || k >= 4 * 13 + 2) {
                send(&p, now);
            }
            if (k == 4 * 13 + 2) { /* that of frame 12 ended, with what there was of it, when one of 13 came */
                assert_near(2 * asin(vmc.tracking_frame.rotations[SN_HUMANOID_SPINE][0]) * 180 / 3.141592653589793, 12,
                            1e-4);
                assert_near(2 * asin(vmc.tracking_frame.rotations[SN_HUMANOID_HEAD][0]) * 180 / 3.141592653589793, 11,
                            1e-4);
            }
        }
    }
}

/* They come back where they are said to be, not where they were. */
static void lost_hips_are_forgotten(void **state)
{
    (void)state;
    sn_test_packet p = {.size = 0};
    sn_vmc_init(&vmc);
    send_bone("Hips", (const double[3]){0, 1, 0}, 0, 90);
    for (int i = 0; i < 2; ++i) {
        p.size = 0;
        sn_test_bundle(&p);
        sn_test_bone(&p, "/VMC/Ext/Root/Pos", "root", none, 1, 90);
        send(&p, 5 + i);
    }
    sn_vmc_flush(&vmc, 7);
    assert_false(vmc.tracking_frame.has_hips);
    assert_turned(SN_HUMANOID_HIPS, (const double[3]){0, 1, 0}, (const double[3]){0, 1, 0});
}

/* Nobody is loaded; what comes no more is not tracked for long. */
static void what_goes_is_lost(void **state)
{
    (void)state;
    sn_test_packet p = {.size = 0};
    sn_vmc_init(&vmc);
    send_bone("Head", none, 0, 10);
    sn_test_bundle(&p);
    sn_test_bone(&p, BONE, "Neck", none, 0, 10);
    send(&p, 5);
    sn_vmc_flush(&vmc, 6);
    assert_false(sn_tracking_has(&vmc.tracking_frame, SN_HUMANOID_HEAD));
    assert_true(sn_tracking_has(&vmc.tracking_frame, SN_HUMANOID_NECK));
    p.size = 0;
    sn_test_message(&p, "/VMC/Ext/OK", "iii", 0, 0, 0);
    send(&p, 7);
    assert_true(vmc.tracking_frame.tracked == 0 && vmc.tracking_frame.is_face_lost);
    const int64_t before = vmc.tracking_frame_count;
    send(&p, 8); /* it is said once */
    sn_vmc_flush(&vmc, 9);
    assert_int_equal(vmc.tracking_frame_count, before);
}

static void what_does_not_fit_is_dropped_alone(void **state)
{
    (void)state;
    sn_test_packet p = {.size = 0};
    sn_vmc_init(&vmc);
    sn_test_message(&p, BONE, "sffffff", "Head", 0., 0., 0., 0., 0., 0.);
    send(&p, 1);
    p.size = 0;
    sn_test_message(&p, BONE, "sffffffi", "Head", 0., 0., 0., 0., 0., 0., 1);
    send(&p, 1);
    p.size = 0;
    sn_test_message(&p, BONE, "sfffffff", "Tail", 0., 0., 0., 0., 0., 0., 1.);
    send(&p, 1);
    p.size = 0;
    sn_test_message(&p, BONE, "sfffffff", "Head", 0., 0., (double)INFINITY, 0., 0., 0., 1.);
    send(&p, 1);
    p.size = 0;
    sn_test_message(&p, "/VMC/Ext/Tra/Pos", "sfffffff", "tracker", 0., 0., 0., 0., 0., 0., 1.);
    send(&p, 1);
    assert_true(vmc.mismatched_count == 2 && vmc.unknown_bone_count == 1 && vmc.bad_number_count == 1 &&
                vmc.unknown_count == 1);
    assert_int_equal(vmc.osc.message_count, 5);
    assert_int_equal(vmc.received_bones, 0);
    p.size = 0; /* more arguments than there need be are fine */
    sn_test_message(&p, BONE, "sfffffffff", "Head", 0., 0., 0., 0., 0., 0., 1., 5., 6.);
    send(&p, 1);
    assert_true(vmc.received_bones != 0);
}

int test_vmc(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_poses),
        cmocka_unit_test(hips_are_in_our_axes),
        cmocka_unit_test(zeroes_are_no_place),
        cmocka_unit_test(names_of_bones),
        cmocka_unit_test(weights_wait_for_apply),
        cmocka_unit_test(names_that_are_refused),
        cmocka_unit_test(a_frame_is_a_moment),
        cmocka_unit_test(a_bone_that_comes_again),
        cmocka_unit_test(a_pause_does_not_split_frames),
        cmocka_unit_test(what_is_lost_does_not_mix_frames),
        cmocka_unit_test(halves_of_two_frames),
        cmocka_unit_test(lost_hips_are_forgotten),
        cmocka_unit_test(what_goes_is_lost),
        cmocka_unit_test(what_does_not_fit_is_dropped_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
