/* SPDX-License-Identifier: MIT */
/* Whatever a rig does to flesh among colliders that move, at any time step, stiffness and limit on iterations, a step
 * ends with no more energy than where it began, where that counts what contacts and friction have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/reduced/contact_flesh.h"
#include "tests/support/energy.h"
#include "tests/support/poses.h"

enum { MODEL_COUNT = 4, BODY_COUNT = 900, FRAMES = 40, COLLIDER_COUNT = 3 };

#define COMPLIANCE 0.02 /* of contacts: see host/reduced/kernels/contacts_f32.inc */

static sn_cook_context model_cookings[MODEL_COUNT];
static sn_model *models[MODEL_COUNT]; /* of one bone and of two, without a volumetric term and with one */

static int cook_models(void **state)
{
    static const int cells[3] = {12, 4, 3};
    (void)state;
    for (int i = 0; i < MODEL_COUNT; ++i) {
        sn_cook_desc desc = sn_default_cook_desc();
        desc.complementary = SN_COMPLEMENTARY_WEIGHTS;
        desc.mode_count = 12;
        desc.cluster_count = 40;
        desc.poisson = i / 2 == 0 ? 0 : 0.4;
        models[i] = sn_test_cook_bar_as(&model_cookings[i], cells, 1 + i % 2, &desc);
    }
    return 0;
}

static int release_models(void **state)
{
    (void)state;
    for (int i = 0; i < MODEL_COUNT; ++i) {
        sn_model_release(models[i]);
        sn_cook_context_finish(&model_cookings[i]);
    }
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

typedef struct beaten {
    uint64_t random;
    int model, hold; /* frames of a pose */
    double violence, speed;
    sn_reduced_desc desc;
    sn_flesh flesh;
    sn_reduced_body *twin; /* as the body was before the last step */
    sn_collider colliders[COLLIDER_COUNT];
} beaten;

/* Anything that a seed may give. */
static beaten make(int seed)
{
    beaten b = {.random = (uint64_t)(seed + 77) << 32, .desc = sn_default_reduced_desc()};
    uint64_t *random = &b.random;
    b.model = (int)sn_test_uniform(random, 0, MODEL_COUNT);
    b.hold = (int)sn_test_uniform(random, 1, 9);
    b.violence = pow(10, sn_test_uniform(random, -1.5, 0.5));
    b.desc.is_neo_hookean = sn_test_uniform(random, 0, 1) < 0.3;
    b.speed = pow(10, sn_test_uniform(random, -3, -0.5));
    b.desc.time_step = pow(10, sn_test_uniform(random, -3, 0));
    b.desc.stiffness = pow(10, sn_test_uniform(random, -4, 4));
    b.desc.tolerance = pow(10, sn_test_uniform(random, -6, -3));
    b.desc.iteration_limit = (int)pow(10, sn_test_uniform(random, 0, 1.5));
    b.desc.gravity[1] = sn_test_uniform(random, 0, 1) < 0.5 ? -9.81 : 0;
    b.desc.damping = fmax(0, sn_test_uniform(random, -3, 3));
    b.desc.is_double = seed % 3 == 2;
    b.flesh = sn_flesh_make(models[b.model], &b.desc, NULL);
    assert_int_equal(sn_reduced_body_create(b.flesh.solver, NULL, &b.twin), SN_OK);
    const double low = lowest_at_rest(models[b.model]), place[3] = {0.3, low + 0.1, 0.2}, other[3] = {-0.3, 0.4, 0};
    b.colliders[0] = floor_at(low + sn_test_uniform(random, -0.1, 0.1));
    b.colliders[1] = collider_at(SN_COLLIDER_SPHERE, 0.2, place);
    b.colliders[2] = collider_at(SN_COLLIDER_CAPSULE, 0.15, other);
    for (int i = 0; i < COLLIDER_COUNT; ++i) {
        b.colliders[i].friction = sn_test_uniform(random, 0, 2);
    }
    return b;
}

static void release(beaten *b)
{
    sn_reduced_body_destroy(&b->twin);
    sn_flesh_finish(&b->flesh);
}

static void shake(beaten *b, int frame)
{
    for (int bone = 0; bone < models[b->model]->counts.bone_count && frame % b->hold == 0; ++bone) {
        sn_test_shake(&b->random, b->violence, b->flesh.pose + 12 * bone);
    }
    for (int i = 0; i < COLLIDER_COUNT; ++i) {
        double by[3];
        for (int d = 0; d < 3; ++d) {
            by[d] = i == 0 && d == 1 ? 0 : b->speed * sn_test_uniform(&b->random, -1, 1);
        }
        move_collider(&b->colliders[i], by);
    }
}

/* What a contact has at coordinates, and friction, as strong as the step ended with, takes on the way there. */
static double touch_energy(const beaten *b, const sn_contact *c, const double *from_prediction)
{
    const double unit2 = b->flesh.solver->unit * b->flesh.solver->unit, compliance = (double)c->compliance;
    double moved[3], slide[3], normal[3], force[3], energy = 0;
    sn_row_flesh_offset(b->flesh.solver->coordinate_count, c->row, from_prediction, moved);
    for (int d = 0; d < 3; ++d) {
        normal[d] = (double)c->normal[d];
        force[d] = (double)c->force[d];
        slide[d] = (double)c->slide[d] + moved[d];
    }
    const double along = sn_dot3(normal, moved), sliding = sn_dot3(normal, slide),
                 rigid = COMPLIANCE * (double)c->response;
    const double most = c->is_coupled ? (double)c->max_force : INFINITY;
    const int count = 400; /* of presses: the integral by the trapezoid rule */
    const double press =
        fmin(fmax(fmax(-((double)c->gap + along) / rigid, -((double)c->soft_gap + along) / compliance), 0), most);
    for (int i = 0; i <= count && press > 0; ++i) {
        const double p = press * i / count, weight = i == 0 || i == count ? 0.5 : 1;
        energy +=
            weight * press / count * (fmax(-(double)c->gap - rigid * p, -(double)c->soft_gap - compliance * p) - along);
    }
    energy += (double)c->friction * sn_dot3(normal, force) * sqrt(fmax(sn_dot3(slide, slide) - sliding * sliding, 0));
    return unit2 * energy;
}

static double energy_at(const beaten *b, const double *coordinates, const double *predicted, double *size)
{
    double energy = sn_test_step_energy(b->twin, b->flesh.pose, coordinates), away[3 * SN_TEST_COORDINATE_LIMIT];
    *size = fabs(energy);
    for (int i = 0; i < 3 * b->flesh.solver->coordinate_count; ++i) {
        away[i] = coordinates[i] - predicted[i];
    }
    const sn_contact_set *set = &b->flesh.body->contacts;
    for (int i = 0; i < set->count; ++i) {
        const double touch = set->contacts[i].response > 0 ? touch_energy(b, &set->contacts[i], away) : 0;
        energy += touch;
        *size += fabs(touch);
    }
    return energy;
}

/* What the next step of a float body begins with: the forces at the point that is kept, not those of one that was
 * refused. Returns whether any push. */
static bool check_held_forces(const sn_reduced_body *body)
{
    const sn_stored_forces *held = &body->stored_forces;
    int count = 0;
    for (int i = 0; i < body->contacts.count; ++i) {
        const sn_contact *c = &body->contacts.contacts[i];
        const float *kept = c->accepted_force;
        if (kept[0] != 0 || kept[1] != 0 || kept[2] != 0) {
            assert_true(count < held->count && held->all[count].sample == c->sample);
            assert_memory_equal(held->all[count].force, kept, sizeof c->accepted_force);
            ++count;
        }
    }
    assert_int_equal(count, held->count);
    return count > 0;
}

/* Where a step in float begins is its prediction, or ahead of it; in double the same under the guard, which flesh
 * without a volumetric term does without: from where it was. */
static void find_start(const beaten *b, const double *predicted, double *start)
{
    const size_t bytes = 3 * (size_t)b->flesh.solver->coordinate_count * sizeof(double);
    const bool is_double = b->desc.is_double;
    memcpy(start, is_double && !b->flesh.solver->has_volume ? b->twin->coordinates : predicted, bytes);
    if (b->twin->corrections.is_extrapolable && !is_double) {
        sn_test_start_ahead(b->twin, b->flesh.pose, start);
    }
}

typedef struct tally {
    int double_count, pushing_count, step_count, unconverged_count, touching_count, rejected_count, recovered_count;
} tally;

static void step_beaten(beaten *b, tally *t)
{
    sn_reduced_body *body = b->flesh.body;
    double predicted[3 * SN_TEST_COORDINATE_LIMIT], start[3 * SN_TEST_COORDINATE_LIMIT], sizes[2];
    const sn_surroundings surroundings = {.collider_count = COLLIDER_COUNT, .colliders = b->colliders};
    sn_test_copy_body(body, b->twin);
    const sn_reduced_report report = sn_reduced_body_step(body, b->flesh.pose, &surroundings);
    for (int i = 0; i < 3 * b->flesh.solver->coordinate_count; ++i) {
        const double velocity = b->twin->coordinates[i] - b->twin->coordinates_before[i];
        predicted[i] = b->twin->coordinates[i] + b->flesh.solver->retention[i / 3] * velocity;
    }
    find_start(b, predicted, start);
    const double before = energy_at(b, start, predicted, &sizes[0]);
    const double after = energy_at(b, body->coordinates, predicted, &sizes[1]);
    assert_true(report.is_recovered || after <= before + 1e-9 * (sizes[0] + sizes[1]));
    assert_true(report.is_recovered || isfinite(report.change));
    assert_true(report.iteration_count <= b->desc.iteration_limit + 8);
    t->pushing_count += !report.is_recovered && !b->desc.is_double && check_held_forces(body);
    t->double_count += b->desc.is_double && b->flesh.solver->has_volume;
    ++t->step_count;
    t->rejected_count += report.rejected_count > 0;
    t->touching_count += body->contacts.count > 0;
    t->unconverged_count += report.change > b->desc.tolerance;
    t->recovered_count += report.is_recovered;
}

static void test_energy_never_rises(void **state)
{
    tally t = {0};
    (void)state;
    for (int seed = 0; seed < BODY_COUNT; ++seed) {
        beaten b = make(seed);
        for (int frame = 0; frame < FRAMES; ++frame) {
            shake(&b, frame);
            step_beaten(&b, &t);
        }
        release(&b);
    }
    print_message("%d steps, %d touching, %d unconverged, %d with a refused iteration, %d recovered\n", t.step_count,
                  t.touching_count, t.unconverged_count, t.rejected_count, t.recovered_count);
    assert_true(t.touching_count > t.step_count / 2 && t.unconverged_count > t.step_count / 5);
    assert_true(t.rejected_count > t.step_count / 100 && t.pushing_count > t.step_count / 3);
    assert_true(t.double_count > t.step_count / 8);
    assert_true(t.recovered_count < t.step_count / 100); /* what falls a hundred diagonals in a step or two */
}

int test_contact_energy(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_never_rises),
    };
    return cmocka_run_group_tests(tests, cook_models, release_models);
}
