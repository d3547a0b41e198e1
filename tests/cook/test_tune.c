/* SPDX-License-Identifier: MIT */
/* Changing the parts of a cooked model: what is asked for is reached, the rest stays, and damage is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/model/model.h"
#include "sinew/author.h"
#include "sinew/world.h"
#include "tests/support/log.h"
#include "tests/world/recorded.h"

#define MASCOT SN_BINARY_DIR "/characters/mascot.glb"

typedef struct cooked {
    sn_blob blob;
    sn_model *model;
} cooked;

static int set_up(void **state)
{
    static cooked mascot;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tet_vertex_count = 3000;
    desc.worker_count = 1;
    assert_int_equal(sn_cook(MASCOT, &desc, &mascot.blob, NULL), SN_OK);
    assert_int_equal(sn_model_load(mascot.blob.bytes, mascot.blob.size, &mascot.model), SN_OK);
    *state = &mascot;
    return 0;
}

static int tear_down(void **state)
{
    cooked *mascot = *state;
    sn_model_release(mascot->model);
    sn_blob_release(&mascot->blob);
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

static cooked tune(const sn_model *model, const sn_part_change *change)
{
    cooked result = {.model = NULL};
    assert_int_equal(sn_tune(model, "mascot", change, 1, &result.blob), SN_OK);
    assert_int_equal(sn_model_load(result.blob.bytes, result.blob.size, &result.model), SN_OK);
    return result;
}

static void release(cooked *tuned)
{
    sn_model_release(tuned->model);
    sn_blob_release(&tuned->blob);
}

static sn_model_flesh_part find_part(const sn_model *model, const char *name)
{
    for (int i = 0; i < sn_model_flesh_part_count(model); ++i) {
        const sn_model_flesh_part part = sn_model_get_flesh_part(model, i);
        if (strcmp(part.name, name) == 0) {
            return part;
        }
    }
    fail_msg("no part %s", name);
    return (sn_model_flesh_part){.name = NULL};
}

static void parts_are_in_the_model(void **state)
{
    const cooked *mascot = *state;
    const sn_model_flesh_part belly = find_part(mascot->model, "belly"), head = find_part(mascot->model, "head");
    assert_true(belly.frequency > 1 && belly.frequency < 20 && belly.amplitude > 0 && belly.settling_time > 0);
    assert_true(head.frequency == 0 && head.amplitude == 0);
}

/* The largest relative difference of the frequencies of all parts but one. */
static double difference_of_others(const sn_model *a, const sn_model *b, const char *name)
{
    double difference = 0;
    for (int i = 0; i < sn_model_flesh_part_count(a); ++i) {
        const sn_model_flesh_part before = sn_model_get_flesh_part(a, i), now = sn_model_get_flesh_part(b, i);
        assert_string_equal(before.name, now.name);
        if (strcmp(before.name, name) != 0 && before.frequency > 0) {
            difference = fmax(difference, fabs((double)now.frequency / (double)before.frequency - 1));
        }
    }
    return difference;
}

static void an_amplitude_is_reached(void **state)
{
    const cooked *mascot = *state;
    const sn_model_flesh_part before = find_part(mascot->model, "belly");
    const sn_part_change change = {.name = "belly", .amplitude = 0.5 * (double)before.amplitude};
    cooked tuned = tune(mascot->model, &change), again = tune(mascot->model, &change);
    const sn_model_flesh_part now = find_part(tuned.model, "belly");
    assert_true(now.frequency > before.frequency);
    assert_true(fabs((double)now.amplitude / change.amplitude - 1) < 0.2);
    assert_true(difference_of_others(mascot->model, tuned.model, "belly") < 0.1);
    assert_int_equal(tuned.blob.size, again.blob.size);
    assert_memory_equal(tuned.blob.bytes, again.blob.bytes, tuned.blob.size);
    assert_int_equal(tuned.model->counts.mode_count, mascot->model->counts.mode_count);
    assert_memory_equal(tuned.model->surface_modes, mascot->model->surface_modes,
                        sizeof(sn_mode_weight) * (size_t)mascot->model->counts.surface_vertex_count *
                            (size_t)mascot->model->counts.mode_count);
    release(&tuned);
    release(&again);
}

static void threads_do_not_matter(void **state)
{
    const cooked *mascot = *state;
    sn_cook_desc desc = sn_default_cook_desc();
    sn_blob blob;
    desc.tet_vertex_count = 3000;
    desc.worker_count = 3;
    assert_int_equal(sn_cook(MASCOT, &desc, &blob, NULL), SN_OK);
    assert_int_equal(blob.size, mascot->blob.size);
    assert_memory_equal(blob.bytes, mascot->blob.bytes, blob.size);
    sn_blob_release(&blob);
    desc.worker_count = -1;
    begin_log();
    assert_int_equal(sn_cook(MASCOT, &desc, &blob, NULL), SN_ERROR_ARGUMENT);
    assert_one_error("-1 threads requested");
    sn_set_log(NULL, NULL);
}

static void a_frequency_is_met(void **state)
{
    const cooked *mascot = *state;
    const double before = (double)find_part(mascot->model, "tail").frequency;
    const sn_part_change change = {.name = "tail", .frequency = 1.5 * before};
    cooked tuned = tune(mascot->model, &change);
    assert_true(fabs((double)find_part(tuned.model, "tail").frequency / change.frequency - 1) < 0.02);
    assert_true(difference_of_others(mascot->model, tuned.model, "tail") < 0.1);
    release(&tuned);
}

/* A change that changes nothing gives the same matrices up to float rounding of the model's arrays. */
static void nothing_else_changes(void **state)
{
    const cooked *mascot = *state;
    const sn_part_change same = {.name = "belly",
                                 .settling_time = (double)find_part(mascot->model, "belly").settling_time};
    cooked tuned = tune(mascot->model, &same);
    const int count = mascot->model->counts.coordinate_count;
    assert_int_equal(tuned.model->counts.coordinate_count, count);
    for (int i = 0; i < count; ++i) {
        const double before = mascot->model->coordinate_stiffness[i], now = tuned.model->coordinate_stiffness[i];
        assert_true(fabs(now / before - 1) < 0.02);
    }
    assert_true(fabs(tuned.model->young / mascot->model->young - 1) < 0.02);
    release(&tuned);
}

static void a_settling_time_changes_the_decay(void **state)
{
    const cooked *mascot = *state;
    const sn_part_change change = {.name = "belly", .settling_time = 2};
    cooked tuned = tune(mascot->model, &change);
    double before = 0, now = 0;
    for (int i = 0; i < mascot->model->counts.coordinate_count; ++i) {
        before += mascot->model->coordinate_decay[i];
        now += tuned.model->coordinate_decay[i];
    }
    assert_true(now < 0.99 * before);
    assert_float_equal(find_part(tuned.model, "belly").settling_time, 2, 1e-6);
    release(&tuned);
}

static void mistakes_are_named(void **state)
{
    const cooked *mascot = *state;
    static const struct {
        sn_part_change change;
        const char *message;
    } cases[] = {{{.name = "wing", .amplitude = 0.01}, "mascot: it has no part 'wing'; its soft parts are "},
                 {{.amplitude = 0.01}, "mascot: it has no part ''"},
                 {{.name = "head", .amplitude = 0.01}, "mascot: the part 'head' is rigid"},
                 {{.name = "belly", .amplitude = 0.9}, "mascot: part 'belly': amplitude 0.9 "},
                 {{.name = "belly", .frequency = -1}, "frequency -1 Hz "},
                 {{.name = "belly", .settling_time = NAN}, "is out of range"},
                 {{.name = "belly", .amplitude = 0.01, .frequency = 2}, "give only one"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_blob blob;
        begin_log();
        assert_int_equal(sn_tune(mascot->model, "mascot", &cases[i].change, 1, &blob), SN_ERROR_ARGUMENT);
        assert_one_error(cases[i].message);
        assert_null(blob.bytes);
    }
    sn_model without = *mascot->model;
    sn_blob blob;
    without.flesh_part_count = without.flesh_part_name_bytes = 0;
    begin_log();
    assert_int_equal(sn_tune(&without, "bar", &cases[0].change, 1, &blob), SN_ERROR_ARGUMENT);
    assert_one_error("bar: it has no parts to tune");
    sn_set_log(NULL, NULL);
}

/* Writes the model with one thing spoilt, which loading must refuse. */
static void assert_refused(const sn_model *spoilt)
{
    sn_arena arena = {0};
    sn_model *loaded = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sn_model_write(spoilt, &arena, &bytes, &size), SN_OK);
    begin_log();
    assert_int_equal(sn_model_load(bytes, size, &loaded), SN_ERROR_FORMAT);
    assert_one_error("invalid table of flesh parts");
    sn_set_log(NULL, NULL);
    sn_arena_finish(&arena);
}

static void damage_is_refused(void **state)
{
    const cooked *mascot = *state;
    const int count = sn_model_flesh_part_count(mascot->model), n = mascot->model->counts.vertex_count;
    sn_arena arena = {0};
    sn_flesh_part_record *records = SN_NEW(&arena, sn_flesh_part_record, count);
    int32_t *of_vertex = SN_NEW(&arena, int32_t, n);
    assert_true(records && of_vertex);
    memcpy(records, mascot->model->flesh_parts, (size_t)count * sizeof *records);
    memcpy(of_vertex, mascot->model->vertex_flesh_parts, (size_t)n * sizeof *of_vertex);
    sn_model spoilt = *mascot->model;
    spoilt.flesh_parts = records;
    spoilt.vertex_flesh_parts = of_vertex;
    of_vertex[n - 1] = count;
    assert_refused(&spoilt);
    of_vertex[n - 1] = -1;
    assert_refused(&spoilt);
    of_vertex[n - 1] = 0;
    records[0].frequency = -1;
    assert_refused(&spoilt);
    records[0].frequency = NAN;
    assert_refused(&spoilt);
    records[0].frequency = 1;
    records[0].min_frequency = 2;
    records[0].max_frequency = 1;
    assert_refused(&spoilt);
    records[0].max_frequency = 3;
    spoilt.flesh_part_name_bytes -= 1;
    assert_refused(&spoilt);
    sn_arena_finish(&arena);
}

static sn_body_id make_body(sn_world_id world, const sn_model *model)
{
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = model;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

/* So many steps in which the whole rig moves up and down. */
static void step(sn_world_id world, sn_body_id body, int first, int count)
{
    for (int i = first; i < first + count; ++i) {
        const sn_mat3x4 pose = {{{1, 0, 0, 0}, {0, 1, 0, (float)(0.05 * sin(0.7 * i))}, {0, 0, 1, 0}}};
        sn_body_set_rigid_pose(body, &pose);
        sn_world_step(world, 1.0 / 60);
    }
}

static size_t copy_output(sn_body_id body, float *values, size_t room)
{
    const sn_body_matrices output = sn_body_output(body);
    const size_t count = 12 * ((size_t)output.bone_count + (size_t)output.mode_count);
    assert_true(count <= room);
    memcpy(values, output.matrices[0].m, count * sizeof *values);
    return count;
}

static double difference(const float *a, const float *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
    }
    return largest;
}

static void check_replay(const recording *r)
{
    sn_replay *replay;
    sn_replay_report report = {0};
    assert_int_equal(open_replay(r, 2, &replay), SN_OK);
    while (!report.is_over) {
        assert_int_equal(sn_replay_step(replay, &report), SN_OK);
    }
    assert_int_equal(sn_replay_first_difference(replay), -1);
    sn_replay_destroy(&replay);
}

/* The flesh does not jump, moves with the new stiffness from then on, and goes on as before with the same stiffness. */
static void a_body_takes_a_tuned_model(void **state)
{
    enum { ROOM = 12 * 200 };
    const cooked *mascot = *state;
    const sn_part_change change = {.name = "belly", .frequency = 8};
    cooked tuned = tune(mascot->model, &change), same = {.model = NULL};
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world, other;
    recording r = {0};
    float before[ROOM], now[ROOM], alike[ROOM];
    desc.worker_count = 1;
    assert_int_equal(sn_model_load(mascot->blob.bytes, mascot->blob.size, &same.model), SN_OK);
    assert_int_equal(sn_world_create(&desc, &other), SN_OK);
    desc.recorder = begin_recording(&r, false);
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    const sn_body_id body = make_body(world, mascot->model), twin = make_body(other, mascot->model);
    step(world, body, 0, 20);
    step(other, twin, 0, 20);
    const size_t count = copy_output(body, before, ROOM);
    assert_int_equal(sn_body_set_model(body, tuned.model), SN_OK);
    assert_int_equal(sn_body_set_model(twin, same.model), SN_OK);
    assert_ptr_equal(sn_body_model(body), tuned.model);
    copy_output(body, now, ROOM);
    assert_true(difference(before, now, count) < 1e-5);
    copy_output(twin, now, ROOM);
    assert_true(difference(before, now, count) < 1e-5);
    step(world, body, 20, 10);
    step(other, twin, 20, 10);
    copy_output(body, now, ROOM);
    copy_output(twin, alike, ROOM);
    assert_true(difference(now, alike, count) > 1e-3);
    sn_body_destroy(body);
    const sn_body_id untouched = make_body(world, mascot->model);
    step(world, untouched, 0, 30);
    copy_output(untouched, now, ROOM);
    assert_true(difference(now, alike, count) < 1e-3 * difference(now, before, count) + 1e-4);
    begin_log();
    sn_model *bar = NULL;
    assert_int_equal(sn_model_open(SN_SOURCE_DIR "/tests/golden/bar.sinew", &bar), SN_OK);
    assert_int_equal(sn_body_set_model(untouched, bar), SN_ERROR_ARGUMENT);
    assert_one_error("other bones, tets or modes");
    sn_set_log(NULL, NULL);
    sn_model_release(bar);
    sn_world_destroy(world);
    sn_world_destroy(other);
    end_recording(desc.recorder);
    check_replay(&r);
    free(r.words);
    release(&tuned);
    release(&same);
}

int test_tune(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_in_the_model),
                                       cmocka_unit_test(an_amplitude_is_reached),
                                       cmocka_unit_test(a_frequency_is_met),
                                       cmocka_unit_test(threads_do_not_matter),
                                       cmocka_unit_test(nothing_else_changes),
                                       cmocka_unit_test(mistakes_are_named),
                                       cmocka_unit_test(a_settling_time_changes_the_decay),
                                       cmocka_unit_test(a_body_takes_a_tuned_model),
                                       cmocka_unit_test(damage_is_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
