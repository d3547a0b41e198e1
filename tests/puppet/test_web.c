/* SPDX-License-Identifier: MIT */
/* The page as a source of moments: from what it sends to rotations, weights and a report. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "host/platform/platform.h"
#include "runtime/puppet/message.h"
#include "runtime/puppet/web.h"
#include "runtime/puppet/web_server.h"
#include "tests/support/web_client.h"

typedef struct fixture {
    sn_tracking_source *source;
    sn_tracking tracking_frame;
    char dance[16384];
    int file;
} fixture;

static void begin(fixture *f)
{
    char origin[64];
    memset(f, 0, sizeof *f);
    assert_int_equal(sn_web_source_create(&(sn_web_desc){.listen = "0"}, &f->source), SN_OK);
    const int port = sn_web_source_port(f->source);
    snprintf(origin, sizeof origin, "http://localhost:%d", port);
    f->file = sn_test_connect(port);
    assert_int_equal(sn_test_upgrade(f->file, SN_WEB_SERVER_PROTOCOL, origin), 101);
    FILE *seed = fopen(SN_SOURCE_DIR "/tests/fuzz/corpus/landmarks/dance.json", "r");
    assert_non_null(seed);
    f->dance[fread(f->dance, 1, sizeof f->dance - 1, seed)] = 0;
    fclose(seed);
}

static void end(fixture *f)
{
    close(f->file);
    sn_tracking_source_destroy(&f->source);
    assert_null(f->source);
}

static bool say(fixture *f, const char *text)
{
    assert_true(sn_test_send_text(f->file, text));
    assert_true(sn_test_ping(f->file));
    return f->source->poll(f->source, &f->tracking_frame);
}

static int64_t dropped(const fixture *f, const char *cause)
{
    sn_tracking_report report;
    f->source->report(f->source, &report);
    for (int i = 0; i < SN_TRACKING_DROP_LIMIT && report.drops[i].cause; ++i) {
        if (strcmp(report.drops[i].cause, cause) == 0) {
            return report.drops[i].count;
        }
    }
    fail_msg("%s is not counted", cause);
    return -1;
}

static double weight_of(const sn_tracking *tracking_frame, const char *name)
{
    for (int i = 0; i < tracking_frame->expression_count; ++i) {
        if (strcmp(tracking_frame->expressions[i].name, name) == 0) {
            return tracking_frame->expressions[i].weight;
        }
    }
    fail_msg("%s is no expression", name);
    return -1;
}

/* The page's own dance, at 1.7 s, in a mirror. */
static void test_a_dance(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    assert_false(f.source->poll(f.source, &f.tracking_frame));
    assert_true(say(&f, f.dance));
    assert_true(f.tracking_frame.seconds == 1.7 && f.tracking_frame.arrived > 0 &&
                f.tracking_frame.arrived <= sn_now());
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const int part = bone < SN_HUMANOID_LEFT ? -1 : (bone - SN_HUMANOID_LEFT) % SN_PART_COUNT;
        const bool is_hidden = bone == SN_HUMANOID_UPPER_CHEST || bone == SN_HUMANOID_JAW || part == SN_PART_SHOULDER ||
                               part == SN_PART_TOES;
        assert_int_equal(sn_tracking_has(&f.tracking_frame, bone), !is_hidden);
    }
    /* demo.mjs: wave(1.7, 1) is -0.951, so the jaw is shut; the smile is 0.4 + 0.4 wave(1.7, 0.13) */
    assert_true(weight_of(&f.tracking_frame, "jawOpen") == 0);
    assert_true(fabs(weight_of(&f.tracking_frame, "mouthSmileLeft") - (0.4 + 0.4 * sin(6.283185307 * 0.13 * 1.7))) <
                1e-5);
    assert_true(f.tracking_frame.has_hips && fabs(f.tracking_frame.hips_height - 0.82) < 1e-4);
    assert_false(f.source->poll(f.source, &f.tracking_frame)); /* once */
    end(&f);
}

static void test_the_newest_wins(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    for (int i = 0; i < 50; ++i) {
        char text[128];
        snprintf(text, sizeof text,
                 "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": %d, \"blendshapes\": {\"jawOpen\": 0.%02d}}", i,
                 i);
        assert_true(sn_test_send_text(f.file, text));
    }
    assert_true(sn_test_ping(f.file));
    assert_true(f.source->poll(f.source, &f.tracking_frame));
    assert_true(fabs(weight_of(&f.tracking_frame, "jawOpen") - 0.49) < 1e-12 && f.tracking_frame.seconds == 0.049);
    assert_false(f.source->poll(f.source, &f.tracking_frame));
    sn_tracking_report report;
    f.source->report(f.source, &report);
    assert_true(report.packet_count == 50 && report.message_count == 50 && report.tracking_frame_count == 50);
    assert_true(report.byte_count > 50 * 70 && report.read_seconds > 0);
    end(&f);
}

/* A page that is loaded again begins its clock anew; the moments' goes on. */
static void test_time_never_goes_back(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    double before = -1;
    const int times[] = {5000, 5033, 5033, 100, 133, 90000};
    for (int i = 0; i < 6; ++i) {
        char text[128];
        snprintf(text, sizeof text, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": %d}", times[i]);
        assert_true(say(&f, text));
        assert_true(f.tracking_frame.seconds > before);
        before = f.tracking_frame.seconds;
    }
    assert_true(fabs(before - (5.033 + 0.002 + 89.9)) < 1e-9);
    end(&f);
}

static void test_what_is_dropped_is_counted(void **unused)
{
    (void)unused;
    fixture f;
    char payload[126];
    begin(&f);
    assert_true(say(&f, f.dance));
    const sn_tracking before = f.tracking_frame;
    assert_false(say(&f, "{"));
    assert_false(say(&f, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": 1, \"pose\": []}"));
    assert_false(say(&f, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": -1}"));
    assert_memory_equal(&f.tracking_frame, &before, sizeof before);
    assert_int_equal(dropped(&f, "json"), 1);
    assert_int_equal(dropped(&f, "shape"), 1);
    assert_int_equal(dropped(&f, "range"), 1);
    assert_true(say(&f, f.dance)); /* still connected */
    assert_true(sn_test_send_text(f.file, "{\"sinew\": \"landmarks\", \"version\": 2, \"time\": 1}"));
    assert_int_equal(sn_test_read_close(f.file, payload), 1008);
    assert_string_equal(payload + 2, "message version 2: this program takes version 1 of landmarks");
    assert_int_equal(dropped(&f, "version"), 1);
    end(&f);
}

/* Shapes that a message does not name stay; without any, a face is not tracked. */
static void test_weights_stay(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    assert_true(
        say(&f, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": 0, \"blendshapes\": {\"jawOpen\": 0.5}}"));
    assert_true(sn_tracking_has(&f.tracking_frame, SN_HUMANOID_LEFT_EYE) && !f.tracking_frame.is_face_lost);
    assert_int_equal(f.tracking_frame.expression_count, 1);
    assert_true(say(&f, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": 9, \"mirrored\": true, "
                        "\"blendshapes\": {\"eyeBlinkLeft\": 0.25}}"));
    assert_true(weight_of(&f.tracking_frame, "jawOpen") == 0.5 &&
                weight_of(&f.tracking_frame, "eyeBlinkRight") == 0.25);
    assert_int_equal(f.tracking_frame.expression_count, 2); /* eyeBlinkLeft has not been heard of */
    assert_true(say(&f, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": 20}"));
    assert_false(sn_tracking_has(&f.tracking_frame, SN_HUMANOID_LEFT_EYE));
    assert_true(f.tracking_frame.is_face_lost && weight_of(&f.tracking_frame, "jawOpen") == 0.5);
    end(&f);
}

/* Someone whose face no message has had says nothing of weights, so a motion below goes on with its own. */
static void test_no_face(void **unused)
{
    (void)unused;
    fixture f;
    begin(&f);
    assert_true(say(&f, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": 0}"));
    assert_true(f.tracking_frame.is_face_lost && f.tracking_frame.expression_count == 0);
    end(&f);
}

int test_web(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_dance),
        cmocka_unit_test(test_the_newest_wins),
        cmocka_unit_test(test_time_never_goes_back),
        cmocka_unit_test(test_what_is_dropped_is_counted),
        cmocka_unit_test(test_weights_stay),
        cmocka_unit_test(test_no_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
