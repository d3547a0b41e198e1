/* SPDX-License-Identifier: MIT */
/* Sources to a model's pose and face; and a session that is written as a motion, and moves the model alike again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/import/motion_file.h"
#include "author/io/scene_file.h"
#include "author/retarget/model_skeleton.h"
#include "runtime/puppet/capture.h"
#include "runtime/puppet/face_recording.h"
#include "tests/puppet/puppet_model.h"
#include "tests/support/count_allocations.h"
#include "tests/support/log.h"

#define FRAMES 300 /* of more than one chunk of a capture */
#define FRAME (1 / 60.)

static char folder[] = "/tmp/sinew-puppet-XXXXXX";
static puppet_model made_model;
static made_source made, other;
static double pose[12 * PERSON_JOINTS], shown[FRAMES][12 * PERSON_JOINTS];
static float morphs[PUPPET_MORPHS], shown_morphs[FRAMES][PUPPET_MORPHS];

static sn_puppet *make(double arm_angle, bool has_arkit)
{
    sn_puppet *puppet;
    make_puppet_model(&made_model, arm_angle, has_arkit);
    assert_int_equal(sn_puppet_create(&made_model.model, "person", &puppet), SN_OK);
    make_source(&made);
    make_source(&other);
    sn_puppet_add(puppet, &made.face);
    return puppet;
}

/* A frame of the rest below, and what is tracked on top. */
static void advance(sn_puppet *puppet)
{
    made.tracking_frame.seconds += FRAME;
    made.is_new = true;
    for (int j = 0; j < PERSON_JOINTS; ++j) {
        sn_affine_identity(pose + 12 * j);
    }
    memcpy(morphs, puppet_rest, sizeof morphs);
    sn_puppet_advance(puppet, FRAME, pose, morphs);
}

static void the_model_is_moved(void **state)
{
    (void)state;
    sn_puppet *puppet = make(0, false);
    const int arm = sn_humanoid_bone_index(0, SN_PART_UPPER_ARM);
    made_turn(&made, arm, 0, 0, .8);
    made_weigh(&made, "Happy", 1);
    for (int i = 0; i < 60; ++i) {
        advance(puppet);
    }
    int joint = 0;
    while (made_model.sticks.roles[joint] != arm) {
        ++joint;
    }
    double q[4], m[9];
    sn_quaternion_from_vector((const double[3]){0, 0, .8}, q);
    sn_quaternion_to_matrix(q, m);
    for (int d = 0; d < 9; ++d) {
        assert_true(fabs(pose[12 * joint + d / 3 * 4 + d % 3] - m[d]) < 1e-3);
        assert_true(fabs(pose[d / 3 * 4 + d % 3] - (d % 4 == 0)) < 1e-12);
    }
    assert_true(fabsf(morphs[0] - .5F) < 1e-3F && fabsf(morphs[3] - 1) < 1e-3F && morphs[2] == .25F);
    const sn_puppet_report *report = sn_puppet_get_report(puppet);
    assert_true(report->frame_count == 60 && report->tracking_frame_count == 60 &&
                report->tracked == UINT64_C(1) << arm);
    sn_puppet_destroy(&puppet);
    assert_true(made.is_destroyed && !puppet);
}

/* Of a rig that has none of ARKit's shapes VRM's presets are moved by them; of one that has, the shapes are. */
static void arkit_moves_any_face(void **state)
{
    (void)state;
    for (int has_arkit = 0; has_arkit < 2; ++has_arkit) {
        sn_puppet *puppet = make(0, has_arkit);
        made_weigh(&made, "JawOpen", .5);
        made_weigh(&made, "EyeBlinkLeft", 1);
        made_weigh(&made, "noseSneerLeft", 1);
        for (int i = 0; i < 90; ++i) {
            advance(puppet);
        }
        assert_true(fabsf(morphs[0] - (has_arkit ? 0 : .5F)) < 1e-3F);
        assert_true(fabsf(morphs[1] - (has_arkit ? 0 : 1)) < 1e-3F);
        assert_true(fabsf(morphs[2] - (has_arkit ? .5F : .25F)) < 1e-3F);
        made_weigh(&made, "aa", .1); /* what the source says itself goes before what stands in for it */
        for (int i = 0; i < 90; ++i) {
            advance(puppet);
        }
        assert_true(fabsf(morphs[0] - .1F) < 1e-3F);
        sn_puppet_destroy(&puppet);
    }
}

static void advance_two(sn_puppet *puppet, int frames)
{
    for (int i = 0; i < frames; ++i) {
        other.tracking_frame.seconds += FRAME;
        other.is_new = true;
        advance(puppet);
    }
}

/* Both say it: the one that was added later does, in the same words or in ARKit's, and the other when that is lost. */
static void two_sources_do_not_add_up(void **state)
{
    (void)state;
    sn_puppet *puppet = make(0, false);
    sn_puppet_add(puppet, &other.face);
    made_weigh(&made, "aa", .9);
    made_weigh(&made, "blinkLeft", .8);
    made_weigh(&made, "brow", 1);
    made_weigh(&other, "aa", .6);
    made_weigh(&other, "EyeBlinkLeft", .3);
    made_weigh(&other, "brow", .2);
    advance_two(puppet, 120);
    assert_true(fabsf(morphs[0] - .6F) < 1e-3F);
    assert_true(fabsf(morphs[1] - .3F) < 1e-3F);
    assert_true(fabsf(morphs[3] - .2F) < 1e-3F);
    other.tracking_frame.is_face_lost = true;
    advance_two(puppet, 120);
    assert_true(fabsf(morphs[0] - .9F) < 1e-3F);
    assert_true(fabsf(morphs[1] - .8F) < 1e-3F);
    assert_true(fabsf(morphs[3] - 1) < 1e-3F);
    sn_puppet_destroy(&puppet);
}

static void nothing_is_allocated(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    sn_puppet *puppet = make(.5, false);
    sn_puppet_add(puppet, &other.face);
    const int before = allocation_count;
    for (int i = 0; i < 10; ++i) {
        made_turn(&made, SN_HUMANOID_HEAD, .1 * i, 0, 0);
        made_weigh(&made, i < 5 ? "jawOpen" : "Joy", .5);
        advance(puppet);
    }
    assert_int_equal(allocation_count, before);
    sn_puppet_destroy(&puppet);
    sn_set_allocator(NULL, NULL, NULL);
}

/* A model without limbs has a face that is moved; one that has none either is refused. */
static void who_is_no_person(void **state)
{
    (void)state;
    sn_puppet *puppet;
    make_puppet_model(&made_model, 0, false);
    made_model.model.counts.bone_count = 6;
    begin_log();
    assert_int_equal(sn_puppet_create(&made_model.model, "bust", &puppet), SN_OK);
    assert_one_warning("bust: cannot be posed as a person");
    assert_null(sn_puppet_person(puppet));
    make_source(&made);
    made_turn(&made, SN_HUMANOID_HEAD, 0, .5, 0);
    made_weigh(&made, "aa", 1);
    sn_puppet_add(puppet, &made.face);
    for (int i = 0; i < 90; ++i) {
        advance(puppet);
    }
    assert_true(fabsf(morphs[0] - 1) < 1e-3F);
    sn_puppet_destroy(&puppet);
    made_model.model.counts.morph_count = made_model.model.counts.expression_count = 0;
    begin_log();
    assert_int_equal(sn_puppet_create(&made_model.model, "bust", &puppet), SN_ERROR_UNSUPPORTED);
    assert_one_error("bust: cannot be posed as a person");
    sn_set_log(NULL, NULL);
}

static void remember(int frame)
{
    memcpy(shown[frame], pose, sizeof pose);
    memcpy(shown_morphs[frame], morphs, sizeof morphs);
}

/* Read as --motion reads it. */
static void assert_replayed(const char *path)
{
    sn_arena arena = {0};
    sn_motion_target target;
    sn_motion_limit limit = SN_MOTION_LIMIT;
    sn_character_clip *clips;
    int count = 0;
    assert_int_equal(sn_model_skeleton(&made_model.model, &arena, &target.skeleton), SN_OK);
    assert_int_equal(sn_face_of_model(&made_model.model, &arena, &target.face), SN_OK);
    target.skeleton.name = "person";
    assert_int_equal(sn_motion_file_read(path, &target, &limit, &arena, &clips, &count), SN_OK);
    assert_true(count == 1 && clips->frame_count == FRAMES && fabs(clips->frame_rate - 60) < 1e-3);
    for (int f = 0; f < FRAMES; ++f) {
        for (int i = 0; i < 12 * made_model.sticks.count; ++i) {
            const double apart = clips->transforms[12 * made_model.sticks.count * f + i] - shown[f][i];
            if (fabs(apart) > 2e-5) {
                fail_msg("frame %d, joint %d, number %d: %g apart", f, i / 12, i % 12, apart);
            }
        }
        for (int k = 0; k < clips->track_count; ++k) {
            const float weight = clips->morphs[f * clips->track_count + k];
            assert_true(fabsf(weight - shown_morphs[f][clips->tracks[k]]) < 1e-4F);
        }
    }
    assert_true(clips->track_count >= 2);
    sn_arena_finish(&arena);
}

static sn_result write_capture(const sn_capture *capture, const char *path)
{
    sn_arena arena = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    sn_result result = sn_capture_encode(capture, path, &arena, &bytes, &size);
    result = result ? result : sn_file_write(path, bytes, size);
    sn_arena_finish(&arena);
    return result;
}

static void a_session_is_a_motion(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/session.vrma", folder);
    for (int k = 0; k < 2; ++k) {
        sn_puppet *puppet = make(k * .9, false);
        sn_capture *capture;
        made_model.model.has_roles = k == 0;
        sn_puppet_destroy(&puppet);
        assert_int_equal(sn_puppet_create(&made_model.model, "person", &puppet), SN_OK);
        make_source(&made);
        sn_puppet_add(puppet, &made.face);
        assert_int_equal(sn_capture_create(puppet, &capture), SN_OK);
        begin_log();
        assert_int_equal(write_capture(capture, path), SN_ERROR_ARGUMENT);
        assert_one_error("no frame was captured");
        for (int f = 0; f < FRAMES; ++f) {
            const double t = f * FRAME;
            for (int bone = 0; bone <= SN_HUMANOID_HEAD; ++bone) {
                made_turn(&made, bone, .2 * sin(3 * t + bone), .3 * sin(2 * t), .1);
            }
            made_turn(&made, sn_humanoid_bone_index(0, SN_PART_UPPER_ARM), 0, .3, -1 + sin(4 * t));
            made_turn(&made, sn_humanoid_bone_index(1, SN_PART_UPPER_LEG), -sin(t), 0, 0);
            made.tracking_frame.has_hips = true;
            memcpy(made.tracking_frame.hips, (const double[3]){.1, 1 + .1 * sin(t), t},
                   sizeof made.tracking_frame.hips);
            made.tracking_frame.hips_height = .9;
            made_weigh(&made, "aa", .5 + .5 * sin(5 * t));
            if (f > 30) {
                made_weigh(&made, "happy", .8);
            }
            advance(puppet);
            remember(f);
            sn_capture_add(capture, t);
            sn_capture_add(capture, t); /* time that stands still is no frame */
        }
        assert_int_equal(sn_capture_frame_count(capture), FRAMES);
        begin_log();
        assert_int_equal(write_capture(capture, path), SN_OK);
        assert_replayed(path);
        assert_int_equal(logged.lines, 0);
        sn_capture_destroy(&capture);
        sn_puppet_destroy(&puppet);
    }
    unlink(path);
    sn_set_log(NULL, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Of two sources the later one prevails, in the file as on the model; a sum would be beyond 1. */
static void captures_of_two_sources(void **state)
{
    (void)state;
    char path[64];
    sn_scene_file scene;
    sn_arena arena = {0};
    sn_capture *capture;
    sn_puppet *puppet = make(0, false);
    snprintf(path, sizeof path, "%s/two.vrma", folder);
    sn_puppet_add(puppet, &other.face);
    assert_int_equal(sn_capture_create(puppet, &capture), SN_OK);
    for (int f = 0; f < 60; ++f) {
        made_weigh(&made, "aa", .9);
        made_weigh(&other, "aa", .6);
        other.tracking_frame.seconds += FRAME;
        other.is_new = true;
        advance(puppet);
        sn_capture_add(capture, f * FRAME);
    }
    assert_int_equal(write_capture(capture, path), SN_OK);
    assert_int_equal(sn_scene_file_read(path, &arena, &scene), SN_OK);
    assert_int_equal(scene.expression_track_count, 1);
    bool is_found = false;
    for (int i = 0; i < scene.channel_count; ++i) {
        if (scene.channels[i].node == scene.expression_tracks[0].node) {
            is_found = true;
            assert_true(fabsf(scene.channels[i].values[3 * 59] - .6F) < 1e-2F);
        }
    }
    assert_true(is_found);
    sn_arena_finish(&arena);
    sn_capture_destroy(&capture);
    sn_puppet_destroy(&puppet);
    unlink(path);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* A recording begins with its first row, and goes on by itself. */
static void a_recording_plays(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/face.csv", folder);
    static const char text[] = "Timecode,BlendshapeCount,JawOpen,HeadYaw\n0:0:0:0,52,0,0\n0:0:0:30,52,1,0.5\n"
                               "0:0:1:0,52,1,0.5\n";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, sizeof text - 1, file), sizeof text - 1);
    assert_int_equal(fclose(file), 0);
    sn_puppet *puppet = make(0, true);
    sn_tracking_source *source;
    assert_int_equal(sn_face_recording_create(path, &source), SN_OK);
    sn_puppet_add(puppet, source);
    for (int f = 0; f <= 30; ++f) {
        advance(puppet);
        assert_true(fabsf(morphs[2] - (float)f / 30) < 1e-5F);
    }
    const double *head = pose;
    for (int j = 0; j < made_model.sticks.count; ++j) {
        head = made_model.sticks.roles[j] == SN_HUMANOID_HEAD ? pose + 12 * j : head;
    }
    assert_true(fabs(head[2] + sin(.5)) < 1e-6); /* ahead goes to the right, -x */
    sn_puppet_destroy(&puppet);
    begin_log();
    assert_int_equal(sn_face_recording_create("absent.csv", &source), SN_ERROR_FILE);
    assert_one_error("absent.csv");
    sn_set_log(NULL, NULL);
    unlink(path);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int test_puppet(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_moved),      cmocka_unit_test(arkit_moves_any_face),
        cmocka_unit_test(nothing_is_allocated),    cmocka_unit_test(who_is_no_person),
        cmocka_unit_test(a_session_is_a_motion),   cmocka_unit_test(a_recording_plays),
        cmocka_unit_test(captures_of_two_sources), cmocka_unit_test(two_sources_do_not_add_up),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
