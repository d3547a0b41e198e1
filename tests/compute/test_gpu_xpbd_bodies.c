/* SPDX-License-Identifier: MIT */
/* What happens to position-based bodies on the device, as it does on the CPU: colliders, flight, crowds, large bodies,
 * edits, sleep, explosions; and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/math/affine.h"
#include "tests/support/gpu_xpbd.h"

static sn_xpbd_settings falling(void)
{
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.8;
    settings.substep_count = 6;
    settings.damping = 1;
    return settings;
}

static sn_xpbd_model *coloured_model(sn_xpbd_shape *shape)
{
    shape->desc.is_coloured = true;
    return sn_xpbd_shape_model(shape);
}

/* A shape and its model, on a device of its own: bodies come in pairs. */
typedef struct fixture {
    sn_gpu_xpbd *xpbd;
    sn_xpbd_shape shape;
    sn_xpbd_model *model;
    int index;
} fixture;

static fixture open_fixture(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, sn_xpbd_shape shape)
{
    fixture f = {.xpbd = create_xpbd(device, desc), .shape = shape};
    f.model = coloured_model(&f.shape);
    f.index = add_xpbd_model(f.xpbd, f.model);
    return f;
}

static twins add_twins(const fixture *f, const sn_xpbd_settings *settings)
{
    return create_twins(f->xpbd, f->model, f->index, settings);
}

static void close_fixture(fixture *f)
{
    sn_gpu_xpbd_destroy(&f->xpbd);
    sn_xpbd_model_destroy(&f->model);
    sn_arena_finish(&f->shape.arena);
}

/* Both sides, one step. */
static sn_xpbd_report step_twins(sn_gpu_device *device, sn_gpu_xpbd *xpbd, const twins *t, const sn_surroundings *s)
{
    assert_int_equal(sn_gpu_xpbd_set_surroundings(xpbd, t->gpu, s), SN_OK);
    step_device(device, xpbd);
    const sn_xpbd_report report = sn_xpbd_body_step(t->cpu, s);
    assert_twins(device, xpbd, t, &report);
    return report;
}

static void set_velocities(sn_gpu_xpbd *xpbd, const twins *t, double x, double y, double z)
{
    const size_t count = 3 * (size_t)t->cpu->model->vertex_count;
    const double speed[3] = {x, y, z};
    double *velocities = sn_alloc(count, sizeof *velocities);
    assert_non_null(velocities);
    for (size_t i = 0; i < count; ++i) {
        velocities[i] = speed[i % 3];
    }
    sn_xpbd_body_set_velocities(t->cpu, velocities);
    sn_free(velocities, count, sizeof *velocities);
    assert_int_equal(sn_gpu_xpbd_put(xpbd, t->gpu, t->cpu), SN_OK);
}

/* Parts are many dispatches: fewer steps will do. */
static int steps_of(const sn_gpu_xpbd_desc *desc, int steps)
{
    return desc->split == SN_GPU_XPBD_SPLIT_ALL ? steps / 5 : steps;
}

/* ---- colliders ---- */

static sn_grid *ball; /* of all grid colliders */

static int make_ball(void **state)
{
    enum { X = 7, Y = 8, Z = 9 };
    float distances[X * Y * Z];
    const sn_grid_desc desc = {
        .counts = {X, Y, Z}, .origin = {-0.18, -0.21, -0.24}, .spacing = 0.06, .distances = distances};
    (void)state;
    for (int i = 0; i < X * Y * Z; ++i) {
        const double at[3] = {-0.18 + 0.06 * (i % X), -0.21 + 0.06 * (i / X % Y), -0.24 + 0.06 * (i / (X * Y))};
        distances[i] = (float)(sn_length3(at) - 0.19); /* its box cuts it off */
    }
    return sn_grid_create(&desc, &ball) == SN_OK ? 0 : -1;
}

static int destroy_ball(void **state)
{
    (void)state;
    sn_test_gpu_close();
    sn_grid_destroy(&ball);
    return 0;
}

static sn_collider make_collider(sn_collider_shape shape, double friction, double x, double y, double z)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider collider;
    desc.shape = shape;
    desc.friction = friction;
    desc.radius = shape == SN_COLLIDER_BOX ? 0.02 : 0.15;
    desc.half_height = 0.2;
    desc.half_extents[0] = desc.half_extents[1] = desc.half_extents[2] = 0.15;
    desc.grid = ball;
    assert_int_equal(sn_collider_init(&desc, &collider), SN_OK);
    const double to[3] = {x, y, z};
    for (int d = 0; d < 3; ++d) {
        collider.transform[4 * d + 3] = collider.transform_before[4 * d + 3] = to[d];
    }
    return collider;
}

/* Turns about z and slides, from where it is. */
static void move_collider(sn_collider *c, int step)
{
    const double angle = 0.05 * step, at[2] = {c->transform[3], c->transform[7]};
    memcpy(c->transform_before, c->transform, sizeof c->transform);
    c->transform[0] = c->transform[5] = cos(angle);
    c->transform[1] = -sin(angle);
    c->transform[4] = sin(angle);
    c->transform[3] = at[0] + 0.01;
    c->transform[7] = at[1] + 0.004;
}

/* Bars and sheets dropped on every shape, which turns and slides, over a floor; one begins inside. */
static void check_contacts(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    sn_gpu_xpbd *xpbd = create_xpbd(device, desc);
    for (int i = 0; i < 10; ++i) {
        sn_xpbd_shape shape = i % 2 ? sn_xpbd_sheet(5, 3, 0.1) : sn_xpbd_bar(4, 2, 3, 0.1);
        sn_xpbd_model *model = coloured_model(&shape);
        sn_xpbd_settings settings = falling();
        settings.damping = i % 3;
        twins t = create_twins(xpbd, model, add_xpbd_model(xpbd, model), &settings);
        sn_collider colliders[2] = {
            make_collider(SN_COLLIDER_PLANE, 0.5, 0, -0.01 * steps_of(desc, 50), 0),
            make_collider((sn_collider_shape)(i / 2), 0.3, 0.2, i == 6 || i == 7 ? 0 : -0.2, 0.1)};
        const sn_surroundings surroundings = {.collider_count = 2, .colliders = colliders};
        int contacts = 0;
        set_velocities(xpbd, &t, 0, -2, 0);
        for (int step = 0; step < steps_of(desc, 30); ++step) {
            move_collider(&colliders[1], step);
            contacts += step_twins(device, xpbd, &t, &surroundings).contact_count;
        }
        print_message("shape %d: %d contacts\n", i / 2, contacts);
        assert_true(contacts > steps_of(desc, 20));
        settings.substep_count = 4; /* other places of colliders */
        assert_int_equal(sn_xpbd_body_set_settings(t.cpu, &settings), SN_OK);
        assert_int_equal(sn_gpu_xpbd_set_settings(xpbd, t.gpu, &settings), SN_OK);
        step_twins(device, xpbd, &t, &surroundings);
        step_twins(device, xpbd, &t, NULL);
        sn_gpu_xpbd_remove_body(xpbd, t.gpu);
        destroy_twins(&t);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shape.arena);
    }
    sn_gpu_xpbd_destroy(&xpbd);
}

/* ---- where bodies are ---- */

/* What touches lies among what is far, and what moves among what stays; too many for a dispatch. */
static void check_many(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, int count)
{
    static sn_collider many[2000];
    sn_gpu_xpbd *xpbd = create_xpbd(device, desc);
    sn_xpbd_shape shape = count > 1000 ? sn_xpbd_bar(6, 4, 5, 0.07) : sn_xpbd_bar(4, 2, 3, 0.1);
    sn_xpbd_model *model = coloured_model(&shape);
    const sn_xpbd_settings settings = falling();
    twins t = create_twins(xpbd, model, add_xpbd_model(xpbd, model), &settings);
    for (int i = 0; i < count; ++i) {
        many[i] = make_collider((sn_collider_shape)(i % 5), 0.4, 0.01 * i, i % 5 ? 2 + 0.01 * i : -3, 0.1);
    }
    for (int i = 0; i < 5; ++i) {
        many[i * (count - 1) / 4] = make_collider((sn_collider_shape)(4 - i), 0.3, 0.1 * i, i < 4 ? -0.13 : -0.02, 0.1);
    }
    const sn_surroundings surroundings = {.collider_count = count, .colliders = many};
    int contacts = 0;
    set_velocities(xpbd, &t, 0, -1, 0);
    for (int step = 0; step < 5; ++step) {
        contacts += step_twins(device, xpbd, &t, &surroundings).contact_count;
        for (int i = 0; i < 3; ++i) {
            many[i * (count - 1) / 4].transform_before[7] = many[i * (count - 1) / 4].transform[7];
            many[i * (count - 1) / 4].transform[7] += 0.006;
        }
    }
    print_message("%d colliders: %d contacts, %d dispatches\n", count, contacts, sn_gpu_xpbd_dispatch_count(xpbd));
    assert_true(contacts > 10);
    destroy_twins(&t);
    sn_gpu_xpbd_destroy(&xpbd);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

static void test_many_colliders(void **state)
{
    const sn_gpu_xpbd_desc parts = {.recording_limit = 2, .split = SN_GPU_XPBD_SPLIT_ALL};
    check_many(*state, NULL, 1);
    check_many(*state, NULL, 127);
    check_many(*state, NULL, 129);
    check_many(*state, &parts, 129);
    check_many(*state, NULL, 2000);
}

/* Hundreds of diagonals in free flight, with the origin after it; then put elsewhere, and back to rest. */
static void test_flight(void **state)
{
    sn_gpu_device *device = *state;
    fixture f = open_fixture(device, NULL, sn_xpbd_bar(3, 2, 2, 0.1));
    const sn_xpbd_settings settings = falling();
    twins t = add_twins(&f, &settings);
    assert_int_equal(sn_gpu_xpbd_get(f.xpbd, t.gpu, t.read, NULL), SN_OK); /* before its first step */
    assert_true(compare_states(t.cpu, t.read, true) == 0);
    set_velocities(f.xpbd, &t, 90, 30, -20);
    for (int step = 0; step < 40; ++step) {
        step_twins(device, f.xpbd, &t, NULL);
    }
    assert_true(t.cpu->origin[0] > 30);
    const double turn[12] = {0, -1, 0, 5, 1, 0, 0, -7, 0, 0, 1, 1e3};
    assert_int_equal(sn_gpu_xpbd_get(f.xpbd, t.gpu, t.read, NULL), SN_OK);
    sn_xpbd_body_teleport(t.read, turn);
    sn_xpbd_body_teleport(t.cpu, turn);
    assert_int_equal(sn_gpu_xpbd_put(f.xpbd, t.gpu, t.read), SN_OK);
    for (int step = 0; step < 5; ++step) {
        step_twins(device, f.xpbd, &t, NULL);
    }
    const double push[3] = {0, 40, 3}, to[3] = {2, 1, 0};
    sn_xpbd_body_reset(t.cpu);
    sn_gpu_xpbd_reset(f.xpbd, t.gpu);
    pin_twins(f.xpbd, &t, 3, 1e3);
    pin_twins(f.xpbd, &t, 9, INFINITY);
    move_twins(f.xpbd, &t, 3, to);
    push_twins(f.xpbd, &t, 7, push);
    push_twins(f.xpbd, &t, 7, push);
    for (int step = 0; step < 5; ++step) {
        step_twins(device, f.xpbd, &t, NULL);
    }
    sn_xpbd_body_reset(t.cpu); /* about the pin */
    sn_gpu_xpbd_reset(f.xpbd, t.gpu);
    assert_int_equal(sn_gpu_xpbd_get(f.xpbd, t.gpu, t.read, NULL), SN_OK);
    assert_true(compare_states(t.cpu, t.read, true) == 0);
    for (int step = 0; step < 3; ++step) {
        step_twins(device, f.xpbd, &t, NULL);
    }
    destroy_twins(&t);
    close_fixture(&f);
}

/* ---- crowds ---- */

/* 1, 7 and 61 bodies of different sizes, one of them beyond shared memory as it is here: each steps as its twin, so
 * that none feels the others. */
static void test_crowds(void **state)
{
    sn_gpu_device *device = *state;
    const int counts[] = {1, 7, 61};
    sn_xpbd_shape shapes[4] = {sn_xpbd_bar(2, 2, 1, 0.1), sn_xpbd_sheet(9, 4, 0.1), sn_xpbd_cloth(3, 3, 0.1),
                               sn_xpbd_bar(6, 5, 4, 0.1)};
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.shared_bytes = 2048;
    sn_gpu_xpbd *xpbd = create_xpbd(device, &desc);
    sn_xpbd_model *models[4];
    for (int i = 0; i < 4; ++i) {
        models[i] = coloured_model(&shapes[i]);
        assert_int_equal(add_xpbd_model(xpbd, models[i]), i);
    }
    sn_collider floor = make_collider(SN_COLLIDER_PLANE, 0.4, 0, -0.1, 0);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
    for (int crowd = 0; crowd < 3; ++crowd) {
        twins t[61];
        for (int i = 0; i < counts[crowd]; ++i) {
            sn_xpbd_settings settings = falling();
            settings.substep_count = 3 + i % 4;
            settings.sweep_count = 1 + i % 2;
            t[i] = create_twins(xpbd, models[i % 4], i % 4, &settings);
            set_velocities(xpbd, &t[i], 0.1 * i, -1, 0);
            assert_int_equal(sn_gpu_xpbd_set_surroundings(xpbd, t[i].gpu, i % 3 ? &surroundings : NULL), SN_OK);
        }
        for (int step = 0; step < 6; ++step) {
            step_device(device, xpbd);
            for (int i = 0; i < counts[crowd]; ++i) {
                const sn_xpbd_report report = sn_xpbd_body_step(t[i].cpu, i % 3 ? &surroundings : NULL);
                assert_twins(device, xpbd, &t[i], &report);
            }
        }
        for (int i = 0; i < counts[crowd]; ++i) {
            sn_gpu_xpbd_remove_body(xpbd, t[i].gpu);
            destroy_twins(&t[i]);
        }
    }
    sn_gpu_xpbd_destroy(&xpbd);
    for (int i = 0; i < 4; ++i) {
        sn_xpbd_model_destroy(&models[i]);
        sn_arena_finish(&shapes[i].arena);
    }
}

/* More vertices than shared memory holds, on a floor: alone it takes a dispatch a colour, and small colours together.
 * More sweeps than software Vulkan loops through in one dispatch, of a small one. As many vertices as shared memory
 * holds. */
static void test_large_and_long(void **state)
{
    sn_gpu_device *device = *state;
    sn_xpbd_shape shapes[3] = {sn_xpbd_bar(24, 11, 11, 0.05), sn_xpbd_bar(3, 3, 3, 0.1), sn_xpbd_bar(12, 9, 14, 0.05)};
    const int sweep_counts[3] = {2, 400, 1};
    sn_collider floor = make_collider(SN_COLLIDER_PLANE, 0.4, 0, -0.01, 0);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
    for (int i = 0; i < 3; ++i) {
        sn_gpu_xpbd *xpbd = create_xpbd(device, NULL);
        sn_xpbd_model *model = coloured_model(&shapes[i]);
        sn_xpbd_settings settings = falling();
        settings.sweep_count = sweep_counts[i];
        twins t = create_twins(xpbd, model, add_xpbd_model(xpbd, model), &settings);
        pin_twins(xpbd, &t, 0, INFINITY);
        pin_twins(xpbd, &t, 5, 1e3);
        set_velocities(xpbd, &t, 1, -2, 0);
        for (int step = 0; step < 2; ++step) {
            assert_true(step_twins(device, xpbd, &t, &surroundings).contact_count > 0);
        }
        print_message("%d vertices: %d dispatches\n", shapes[i].desc.vertex_count, sn_gpu_xpbd_dispatch_count(xpbd));
        const int dispatches = sn_gpu_xpbd_dispatch_count(xpbd);
        assert_true(i == 0 ? dispatches > 100 : i == 1 ? dispatches > 1 : dispatches == 1);
        destroy_twins(&t);
        sn_gpu_xpbd_destroy(&xpbd);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shapes[i].arena);
    }
}

/* ---- edits ---- */

/* A hub with a hundred springs: as many colours. */
static void test_many_colours(void **state)
{
    enum { SPOKES = 100 };
    static double positions[3 * (SPOKES + 1)], masses[SPOKES + 1];
    static sn_xpbd_constraint springs[SPOKES];
    masses[0] = 1;
    for (int i = 1; i <= SPOKES; ++i) {
        masses[i] = 0.01;
        positions[3 * i] = cos(0.3 * i);
        positions[3 * i + 1] = sin(0.3 * i);
        positions[3 * i + 2] = 0.01 * i;
        springs[i - 1] = (sn_xpbd_constraint){SN_XPBD_DISTANCE, {0, i}, 40, false, 0};
    }
    const sn_xpbd_desc desc = {.vertex_count = SPOKES + 1,
                               .positions = positions,
                               .masses = masses,
                               .constraint_count = SPOKES,
                               .constraints = springs,
                               .is_coloured = true};
    sn_xpbd_model *model = NULL;
    assert_int_equal(sn_xpbd_model_create(&desc, &model), SN_OK);
    for (int i = 0; i < 2; ++i) {
        sn_gpu_xpbd_desc way = sn_default_gpu_xpbd_desc();
        way.split = i == 0 ? SN_GPU_XPBD_SPLIT_NONE : SN_GPU_XPBD_SPLIT_ALL;
        sn_gpu_xpbd *xpbd = create_xpbd(*state, &way);
        const sn_xpbd_settings settings = falling();
        twins t = create_twins(xpbd, model, add_xpbd_model(xpbd, model), &settings);
        const double to[3] = {0.3, 0.2, 0.1};
        pin_twins(xpbd, &t, 1, INFINITY);
        move_twins(xpbd, &t, 1, to);
        for (int step = 0; step < 5; ++step) {
            step_twins(*state, xpbd, &t, NULL);
        }
        destroy_twins(&t);
        sn_gpu_xpbd_destroy(&xpbd);
    }
    sn_xpbd_model_destroy(&model);
}

/* Between two steps: a constraint more of each kind, some removed, elements too, pins that come, change and go. */
static void test_edits(void **state)
{
    sn_gpu_device *device = *state;
    fixture f = open_fixture(device, NULL, sn_xpbd_bar(4, 2, 2, 0.1));
    sn_xpbd_settings settings = falling();
    settings.sweep_count = 2;
    twins t = add_twins(&f, &settings), other = add_twins(&f, &settings);
    int32_t numbers[60];
    pin_twins(f.xpbd, &t, 0, INFINITY);
    for (int step = 0; step < 60; ++step) {
        const int32_t *v = f.shape.elements + 4 * (step * 7 % f.shape.desc.element_count);
        const sn_xpbd_kind kind = (sn_xpbd_kind)(step % 3);
        const sn_xpbd_constraint added = {
            kind, {v[0], v[1], v[2], v[3]}, kind == SN_XPBD_BENDING ? 1e-2 : 1e3, false, 0};
        assert_int_equal(sn_xpbd_model_add(f.model, &added, &numbers[step]), SN_OK);
        if (step % 4 == 3) {
            sn_xpbd_model_remove(f.model, (sn_xpbd_kind)((step - 3) % 3), numbers[step - 3]);
            sn_xpbd_model_remove_element(f.model, step);
        }
        if (step % 8 == 7) { /* what went four steps ago comes back, as a new one */
            sn_xpbd_element again = {.lambda = f.shape.lambda[step - 4], .mu = f.shape.mu[step - 4]};
            int32_t element;
            memcpy(again.vertices, f.shape.elements + 4 * (step - 4), sizeof again.vertices);
            assert_int_equal(sn_xpbd_model_add_element(f.model, &again, &element), SN_OK);
        }
        assert_int_equal(sn_gpu_xpbd_update_model(f.xpbd, f.index), SN_OK);
        if (step % 10 == 2 && step < 40) {
            pin_twins(f.xpbd, &t, step, step % 20 == 2 ? 500 : INFINITY); /* where the device has it */
            pin_twins(f.xpbd, &t, step + 1, 20);
        } else if (step % 10 == 6 && step < 40) {
            pin_twins(f.xpbd, &t, step - 4, 50);
            unpin_twins(f.xpbd, &t, step - 3);
        }
        step_device(device, f.xpbd);
        const sn_xpbd_report report = sn_xpbd_body_step(t.cpu, NULL), beside = sn_xpbd_body_step(other.cpu, NULL);
        assert_twins(device, f.xpbd, &t, &report);
        assert_twins(device, f.xpbd, &other, &beside);
    }
    destroy_twins(&t);
    destroy_twins(&other);
    close_fixture(&f);
}

/* ---- sleep, explosions ---- */

static void test_sleep(void **state)
{
    sn_gpu_device *device = *state;
    fixture f = open_fixture(device, NULL, sn_xpbd_bar(3, 2, 2, 0.1));
    sn_xpbd_settings settings = falling();
    settings.damping = 8;
    settings.is_rigid_damped = true;
    settings.sleep_speed = 0.08;
    twins t = add_twins(&f, &settings);
    sn_collider floor = make_collider(SN_COLLIDER_PLANE, 0.5, 0, -0.01, 0);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &floor};
    const double push[3] = {0, 2, 0};
    int woken = 0;
    bool was_asleep = false;
    for (int step = 0; step < 400 && woken < 4; ++step) {
        const bool is_asleep = step_twins(device, f.xpbd, &t, &surroundings).is_asleep;
        if (was_asleep && is_asleep) { /* another reason to wake each time */
            if (woken == 0) {
                push_twins(f.xpbd, &t, 2, push);
            } else if (woken == 1) {
                floor.transform[7] = floor.transform_before[7] = -0.05;
            } else if (woken == 2) {
                sn_xpbd_model_remove_element(f.model, 0);
                assert_int_equal(sn_gpu_xpbd_update_model(f.xpbd, f.index), SN_OK);
            } else {
                pin_twins(f.xpbd, &t, 1, 100);
            }
            assert_false(step_twins(device, f.xpbd, &t, &surroundings).is_asleep);
            ++woken;
        }
        was_asleep = is_asleep;
    }
    assert_int_equal(woken, 4);
    destroy_twins(&t);
    close_fixture(&f);
}

/* Numbers that are not finite, and pins that jump by many lengths: back to rest inside the shader, counted. */
static void check_explosions(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    fixture f = open_fixture(device, desc, sn_xpbd_bar(3, 2, 2, 0.1));
    const sn_xpbd_settings settings = falling();
    const double bad[] = {NAN, INFINITY, 1e30};
    for (int i = 0; i < 6; ++i) {
        twins t = add_twins(&f, &settings);
        const double to[3] = {0.5, 0.25, -0.125};
        sn_gpu_xpbd_reading reading;
        if (i % 2) {
            pin_twins(f.xpbd, &t, 0, INFINITY);
            pin_twins(f.xpbd, &t, 4, 1e3);
            move_twins(f.xpbd, &t, 0, to);
        }
        set_velocities(f.xpbd, &t, bad[i / 2], 0, 0);
        assert_true(step_twins(device, f.xpbd, &t, NULL).is_recovered);
        for (int step = 0; step < 3; ++step) {
            assert_false(step_twins(device, f.xpbd, &t, NULL).is_recovered);
        }
        assert_int_equal(sn_gpu_xpbd_get(f.xpbd, t.gpu, NULL, &reading), SN_OK);
        assert_int_equal(reading.recovery_count, 1);
        sn_gpu_xpbd_remove_body(f.xpbd, t.gpu);
        destroy_twins(&t);
    }
    twins t = add_twins(&f, &settings);
    uint64_t seed = 3;
    pin_twins(f.xpbd, &t, 0, INFINITY);
    pin_twins(f.xpbd, &t, 20, INFINITY);
    for (int step = 0; step < steps_of(desc, 60); ++step) {
        for (int i = 0; i < 2; ++i) {
            const double to[3] = {5 * sn_random_unit(&seed), 5 * sn_random_unit(&seed), 5 * sn_random_unit(&seed)};
            move_twins(f.xpbd, &t, 20 * i, to);
        }
        step_twins(device, f.xpbd, &t, NULL);
    }
    destroy_twins(&t);
    close_fixture(&f);
}

static void test_what_is_refused(void **state)
{
    sn_gpu_device *device = *state;
    fixture f = open_fixture(device, NULL, sn_xpbd_bar(1, 1, 1, 0.1));
    sn_xpbd_settings settings = falling();
    int body = -1;
    sn_test_logged.is_quiet = true;
    settings.is_double = true;
    assert_int_equal(sn_gpu_xpbd_add_body(f.xpbd, f.index, &settings, &body), SN_ERROR_UNSUPPORTED);
    settings = falling();
    settings.time_step = NAN;
    assert_int_equal(sn_gpu_xpbd_add_body(f.xpbd, f.index, &settings, &body), SN_ERROR_ARGUMENT);
    settings = falling();
    assert_int_equal(sn_gpu_xpbd_add_body(f.xpbd, f.index, &settings, &body), SN_OK);
    assert_int_equal(sn_gpu_xpbd_pin(f.xpbd, body, 0, -1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_test_logged.error_count, 3);
    close_fixture(&f);
}

/* In one workgroup, and in parts. */
static void both_ways(sn_gpu_device *device, void (*check)(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc))
{
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    check(device, &desc);
    desc.split = SN_GPU_XPBD_SPLIT_ALL;
    check(device, &desc);
}

static void test_contacts(void **state)
{
    both_ways(*state, check_contacts);
}

static void test_explosions(void **state)
{
    both_ways(*state, check_explosions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_contacts),       SN_TEST_SHARED_GPU(test_many_colliders),
        SN_TEST_SHARED_GPU(test_flight),         SN_TEST_SHARED_GPU(test_crowds),
        SN_TEST_SHARED_GPU(test_large_and_long), SN_TEST_SHARED_GPU(test_many_colours),
        SN_TEST_SHARED_GPU(test_edits),          SN_TEST_SHARED_GPU(test_sleep),
        SN_TEST_SHARED_GPU(test_explosions),     SN_TEST_SHARED_GPU(test_what_is_refused)};
    return cmocka_run_group_tests(tests, make_ball, destroy_ball);
}
