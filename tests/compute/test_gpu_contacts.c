/* SPDX-License-Identifier: MIT */
/* Contacts on the device against those of the CPU's accelerated steps: the same iterations under the same guard, from
 * the forces that the last step ended with. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/reduced/solver.h"
#include "shaders/shared/reduced.h"
#include "tests/support/gpu_colliders.h"
#include "tests/support/poses.h"

enum { FRAMES = 30 };

/* One body on the device and one on the CPU that follow the same motion; collider_count: of the first colliders. */
typedef struct couple {
    sn_gpu_device *device;
    sn_gpu_reduced *reduced;
    const sn_model *model;
    int body, collider_count;
    sn_reduced_solver *solver;
    sn_reduced_body *twin;
    sn_collider colliders[4];
    double pose[12 * BONE_LIMIT];
    body_result result;
    /* of all steps so far: iterations on the device and the CPU, steps in which they took as many; of the height */
    int iterations, twin_iterations, same_count, step_count, pressing;
    double worst;
} couple;

static couple begin(sn_gpu_device *device, int model, int collider_count, const sn_gpu_reduced_desc *reduced,
                    sn_solver_desc desc)
{
    couple c = {.device = device, .model = fixtures[model].model, .collider_count = collider_count};
    const sn_reduced_desc twin = sn_reduced_desc_from_solver(&desc);
    swing(c.model, 0, 0, c.pose);
    c.reduced = create(device, reduced);
    c.body = add(c.reduced, model, &desc, c.pose);
    assert_int_equal(sn_reduced_solver_create(c.model, &twin, &c.solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(c.solver, c.pose, &c.twin), SN_OK);
    place_colliders(c.model, NULL, c.colliders);
    for (int i = 0; i < 4; ++i) {
        c.colliders[i].key = (uint32_t)(70000 * (i + 1));
    }
    return c;
}

static void end(couple *c)
{
    sn_reduced_body_destroy(&c->twin);
    sn_reduced_solver_destroy(&c->solver);
    sn_gpu_reduced_destroy(&c->reduced);
}

static void step(couple *c)
{
    double modes[12 * MODE_LIMIT];
    const sn_surroundings around = {.collider_count = c->collider_count, .colliders = c->colliders};
    sn_gpu_reduced_set_pose(c->reduced, c->body, c->pose);
    sn_gpu_reduced_set_surroundings(c->reduced, c->body, &around);
    run(c->device, c->reduced, true, 1);
    read_body(c->reduced, c->body, &c->result);
    const sn_reduced_report report = sn_reduced_body_step(c->twin, c->pose, &around);
    sn_reduced_body_mode_transforms(c->twin, 1, modes);
    c->worst = fmax(c->worst, distance_of(c->model, c->result.matrices, c->pose, modes));
    c->iterations += c->result.reading.iteration_count;
    c->twin_iterations += report.iteration_count;
    c->same_count += c->result.reading.iteration_count == report.iteration_count;
    ++c->step_count;
    for (int i = 0, pressing = 0; i < c->twin->contacts.count; ++i) {
        const float *force = c->twin->contacts.contacts[i].force;
        pressing += force[0] != 0 || force[1] != 0 || force[2] != 0;
        c->pressing = pressing > c->pressing ? pressing : c->pressing;
    }
}

/* allowed: iterations more or fewer; farthest: of the height. */
static void expect_agreement_within(const couple *c, const char *name, int allowed, double farthest)
{
    print_message("%s: %d iterations in %d steps, %d on the CPU, as many in %d; %.1e of the height, %d contacts\n",
                  name, c->iterations, c->step_count, c->twin_iterations, c->same_count, c->worst, c->pressing);
    assert_true(c->pressing > 0);
    assert_in_range(c->iterations, c->twin_iterations - allowed, c->twin_iterations + allowed);
    assert_true(c->worst <= farthest);
    assert_int_equal(c->result.reading.recovery_count, 0);
}

/* But for what float rounds otherwise; devices that divide less exactly round more. */
static void expect_as_many(const couple *c, const char *name)
{
    const int allowed = sn_gpu_device_is_software(c->device) ? c->twin_iterations / 50 + 1 : c->twin_iterations / 10;
    expect_agreement_within(c, name, allowed, 5e-5);
}

/* Up and down, so that flesh leaves the floor and comes back. */
static void hop(couple *c, int frame)
{
    for (int b = 0; b < c->model->counts.bone_count; ++b) {
        c->pose[12 * b + 7] = 0.15 * fabs(sin(0.35 * frame));
    }
    step(c);
}

static void test_hops(void **state)
{
    static const int counts[] = {1, 4};
    for (int model = 0; model < FIXTURE_COUNT; ++model) {
        for (int i = 0; i < 2; ++i) {
            char name[64];
            couple c = begin(*state, model, counts[i], NULL, heavy_desc());
            for (int frame = 0; frame < FRAMES; ++frame) {
                hop(&c, frame);
            }
            snprintf(name, sizeof name, "model %d, %d colliders", model, counts[i]);
            expect_as_many(&c, name);
            end(&c);
        }
    }
}

/* Steps start from the forces of the last one, of colliders that are still the same: of others, from none. That shows
 * where few iterations are to be had. */
static void test_forces_are_kept(void **state)
{
    static body_result results[2];
    sn_solver_desc desc = heavy_desc();
    double difference = 0;
    desc.iteration_limit = 1;
    for (int is_new = 0; is_new < 2; ++is_new) {
        couple c = begin(*state, 0, 4, NULL, desc);
        for (int frame = 0; frame < FRAMES; ++frame) {
            for (int i = 0; i < 4; ++i) {
                c.colliders[i].key += is_new ? 1U << (frame % 2 ? 0 : 16) : 0; /* either half of it tells */
            }
            hop(&c, frame);
        }
        expect_as_many(&c, is_new ? "always other colliders" : "the same colliders");
        results[is_new] = c.result;
        end(&c);
    }
    for (int i = 0; i < 3 * COORDINATE_LIMIT; ++i) {
        difference = fmax(difference, fabs(results[0].coordinates[i] - results[1].coordinates[i]));
    }
    print_message("their coordinates differ by %.1e\n", difference);
    assert_true(difference > 1e-4);
}

/* Whatever happens to a body between steps, forces are those that the CPU begins with. */
static void test_changes(void **state)
{
    static const double turned[12] = {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0};
    couple c = begin(*state, 0, 1, NULL, heavy_desc());
    for (int frame = 0; frame < 2 * FRAMES; ++frame) {
        if (frame == 12) {
            sn_gpu_reduced_reset(c.reduced, c.body, c.pose);
            sn_reduced_body_reset(c.twin, c.pose);
        } else if (frame == 24) { /* about the floor's normal, with the rig */
            double moved[12];
            sn_gpu_reduced_teleport(c.reduced, c.body, turned);
            sn_reduced_body_teleport(c.twin, turned);
            sn_affine_multiply(turned, c.pose, moved);
            memcpy(c.pose, moved, sizeof moved);
        }
        c.collider_count = frame / 3 == 12 ? 0 : frame < 45 ? 1 : 4; /* gone, back, more */
        step(&c);
    }
    expect_as_many(&c, "reset, turned, without floor and back");
    end(&c);
}

/* Forces go on under another gravity and damping, and start anew under another stiffness: as on the CPU, which shows
 * where few iterations are to be had. */
static void test_parameters(void **state)
{
    sn_solver_desc desc = heavy_desc();
    desc.iteration_limit = 1;
    couple c = begin(*state, 0, 4, NULL, desc);
    sn_reduced_solver *before = c.solver;
    for (int frame = 0; frame < 2 * FRAMES; ++frame) {
        desc.gravity[0] = sin(frame);
        desc.damping = 2 + frame % 3;
        desc.stiffness = frame < FRAMES || frame % 5 > 0 ? desc.stiffness : 0.75 - desc.stiffness;
        const sn_reduced_desc twin = sn_reduced_desc_from_solver(&desc);
        assert_int_equal(sn_gpu_reduced_set_parameters(c.reduced, c.body, &desc), SN_OK);
        assert_int_equal(sn_reduced_solver_create(c.model, &twin, &c.solver), SN_OK);
        sn_reduced_body_set_solver(c.twin, c.solver);
        sn_reduced_solver_destroy(&before);
        before = c.solver;
        hop(&c, frame);
    }
    expect_as_many(&c, "other gravity, damping, stiffness");
    end(&c);
}

/* ---- at rest ---- */

#define COARSE 1e-4 /* to which steps are solved, of the diagonal */
#define STILL (0.1 * COARSE)

/* Where the flesh's vertices are on the device, as the rig carries them: of the diagonal, the farthest from `before`,
 * which they then are. */
static double moved_by(couple *c, double *before)
{
    const sn_model *model = c->model;
    const int bones = model->counts.bone_count, modes = model->counts.mode_count, n = 3 * model->counts.vertex_count;
    double still[12 * BONE_LIMIT], widened[12 * MODE_LIMIT];
    for (int b = 0; b < bones; ++b) {
        sn_affine_identity(still + 12 * b);
    }
    for (int i = 0; i < 12 * modes; ++i) {
        widened[i] = (double)c->result.matrices[12 * bones + i];
    }
    double *now = positions_of(model, still, widened);
    for (int i = 0; i < n; ++i) {
        before[i] -= now[i];
    }
    const double moved = largest(before, n) / model->diagonal;
    memcpy(before, now, (size_t)n * sizeof(double));
    sn_free(now, (size_t)n / 3, 3 * sizeof(double));
    return moved;
}

/* For two seconds and a quarter on a floor, standing or carried along it, to a coarse tolerance: farther than that
 * where the body all but rests, as it does in the last half second. There steps end once an iteration changes a
 * hundredth of how far they move, which is no more than what float rounds: whether one more is needed is chance, in up
 * to half of the steps, and all of them have differed by a ninth. An eighth passes. */
static void expect_rest(sn_gpu_device *device, int model, double speed, double stiffness, double friction)
{
    enum { FRAME_COUNT = 135, RATE = 60 };
    char name[64];
    double most = 0;
    sn_solver_desc desc = heavy_desc();
    desc.tolerance = COARSE;
    desc.damping = 10;
    desc.stiffness = stiffness;
    couple c = begin(device, model, 1, NULL, desc);
    c.colliders[0].transform[7] += 0.03;
    c.colliders[0].transform_before[7] += 0.03;
    c.colliders[0].friction = friction;
    const size_t size = 3 * (size_t)c.model->counts.vertex_count;
    double *before = sn_alloc(size, sizeof(double));
    assert_non_null(before);
    memset(before, 0, size * sizeof(double));
    for (int frame = 0; frame < FRAME_COUNT; ++frame) {
        for (int b = 0; b < c.model->counts.bone_count; ++b) {
            sn_affine_identity(c.pose + 12 * b);
            c.pose[12 * b + 3] = speed * frame / RATE;
        }
        step(&c);
        const double moved = moved_by(&c, before);
        most = frame >= FRAME_COUNT - RATE / 2 ? fmax(most, moved) : 0;
    }
    snprintf(name, sizeof name, "model %d at %g m/s, which moves by %.1e", model, speed, most);
    expect_agreement_within(&c, name, c.twin_iterations / 8, 10 * COARSE);
    assert_true(most < STILL);
    sn_free(before, size, sizeof(double));
    end(&c);
}

/* Of one, two and three bones. */
static void test_rest(void **state)
{
    expect_rest(*state, 0, 2, 1, 0.5); /* dragged: it neither sticks nor slips by jerks */
    expect_rest(*state, 0, 2, 0.3, 0);
    expect_rest(*state, 1, 2, 0.3, 0);
    expect_rest(*state, 3, 0, 0.3, 0.5);
}

/* ---- in shocks ---- */

/* The CPU goes on from where the device is. */
static void follow(couple *c)
{
    for (int i = 0; i < 3 * c->model->counts.coordinate_count; ++i) {
        c->twin->coordinates[i] = c->result.coordinates[i];
        c->twin->coordinates_before[i] = c->result.coordinates[i] - c->result.velocity[i];
    }
}

/* Poses that jump, colliders that go through flesh, few iterations: there the guard has work to do. */
static void shake(couple *c, uint64_t *random, int frame)
{
    for (int b = 0; b < c->model->counts.bone_count && frame % 4 == 0; ++b) {
        sn_test_shake(random, 0.1, c->pose + 12 * b);
    }
    for (int i = 1; i < 4; ++i) {
        move_collider(&c->colliders[i], 0.05, sn_test_uniform(random, -0.05, 0.05),
                      sn_test_uniform(random, -0.05, 0.05));
    }
    step(c);
    follow(c);
}

static void test_shocks(void **state)
{
    static const int limits[] = {1, 2, 4, 8, 30};
    uint64_t random = 5;
    for (int model = 0; model < FIXTURE_COUNT; ++model) {
        sn_solver_desc desc = heavy_desc();
        desc.iteration_limit = limits[model % 5];
        desc.stiffness = pow(10, model - 3);
        couple c = begin(*state, model, 4, NULL, desc);
        for (int frame = 0; frame < FRAMES; ++frame) {
            shake(&c, &random, frame);
        }
        print_message("model %d shaken: %d iterations, %d on the CPU, as many in %d of %d steps; %.1e of the height\n",
                      model, c.iterations, c.twin_iterations, c.same_count, c.step_count, c.worst);
        assert_true(c.same_count > 4 * c.step_count / 5 && c.worst < 0.01);
        end(&c);
    }
}

/* ---- the same bits ---- */

static void drag(couple *c, int grab, int frame)
{
    const double target[3] = {0.4 + 0.02 * frame, 0.3, 0.1};
    sn_gpu_reduced_drag(c->reduced, c->body, grab, target);
    hop(c, frame);
}

/* However a step is cut into dispatches. */
static void test_same_bits(void **state)
{
    static const int cuts[] = {0, 1, 3};
    static const double point[3] = {0.5, 0.3, 0.1};
    static body_result results[3];
    for (int i = 0; i < 3; ++i) {
        sn_gpu_reduced_desc desc = sn_default_gpu_reduced_desc();
        const sn_grab_desc grab = sn_default_grab_desc();
        desc.dispatch_iterations = cuts[i];
        couple c = begin(*state, 3, 4, &desc, heavy_desc());
        step(&c);
        const int held = sn_gpu_reduced_grab(c.reduced, c.body, point, &grab);
        assert_true(held >= 0);
        for (int frame = 0; frame < 12; ++frame) {
            drag(&c, held, frame);
        }
        results[i] = c.result;
        assert_same_bits(&results[i], &results[0]);
        end(&c);
    }
}

/* Steps a body of `model` on colliders and, unless it is negative, one of the fixture `neighbour`. */
static void step_beside(sn_gpu_device *device, const sn_model *model, int neighbour, int dispatch_loops,
                        body_result *results)
{
    const sn_solver_desc desc = heavy_desc();
    sn_gpu_reduced_desc reduced_desc = sn_default_gpu_reduced_desc();
    sn_collider colliders[4];
    const sn_surroundings around = {.collider_count = place_colliders(model, NULL, colliders), .colliders = colliders};
    int index = -1;
    reduced_desc.dispatch_loops = dispatch_loops;
    sn_gpu_reduced *reduced = create(device, &reduced_desc);
    assert_int_equal(sn_gpu_reduced_add_model(reduced, model, &index), SN_OK);
    const int body = add(reduced, index, &desc, NULL),
              other = neighbour < 0 ? -1 : add(reduced, neighbour, &desc, NULL);
    sn_gpu_reduced_set_surroundings(reduced, body, &around);
    for (int frame = 0; frame < FRAMES; ++frame) {
        double pose[12 * BONE_LIMIT];
        swing(model, 0, 0, pose);
        pose[7] = 0.1 * sin(0.35 * frame) - 0.05; /* compliance acts where the rig penetrates a collider */
        sn_gpu_reduced_set_pose(reduced, body, pose);
        if (other >= 0) {
            sn_gpu_reduced_set_surroundings(reduced, other, &around);
        }
        run(device, reduced, true, 1);
    }
    read_body(reduced, body, &results[0]);
    if (other >= 0) {
        read_body(reduced, other, &results[1]);
    }
    sn_gpu_reduced_destroy(&reduced);
}

/* The samples of the larger body take more dispatches; a finished body must not distribute its compliances again.
 * Only contacts where the flesh is much stiffer than elsewhere share theirs. */
static void test_unequal_sample_counts(void **state)
{
    static const fixture_desc desc = {{10, 4, 4}, 1, 8, 20, 0, 0, 0.75};
    static body_result alone, whole[2], cut[2];
    fixture tapered = {.model = NULL};
    int largest_model = 0;
    cook(&desc, &tapered);
    for (int i = 0; i < FIXTURE_COUNT; ++i) {
        const int count = fixtures[i].model->counts.sample_count;
        largest_model = count > fixtures[largest_model].model->counts.sample_count ? i : largest_model;
    }
    print_message("%d and %d samples\n", tapered.model->counts.sample_count,
                  fixtures[largest_model].model->counts.sample_count);
    assert_true(tapered.model->counts.sample_count <=
                fixtures[largest_model].model->counts.sample_count - SN_REDUCED_GROUP_SIZE);
    step_beside(*state, tapered.model, -1, 0, &alone);
    step_beside(*state, tapered.model, largest_model, 0, whole);
    step_beside(*state, tapered.model, largest_model, 1, cut);
    assert_same_bits(&whole[0], &alone);
    assert_same_bits(&cut[0], &alone);
    assert_same_bits(&cut[1], &whole[1]);
    sn_model_release(tapered.model);
    sn_cook_context_finish(&tapered.cooking);
}

int test_gpu_contacts(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_hops),      SN_TEST_SHARED_GPU(test_forces_are_kept),
        SN_TEST_SHARED_GPU(test_changes),   SN_TEST_SHARED_GPU(test_parameters),
        SN_TEST_SHARED_GPU(test_rest),      SN_TEST_SHARED_GPU(test_shocks),
        SN_TEST_SHARED_GPU(test_same_bits), SN_TEST_SHARED_GPU(test_unequal_sample_counts),
    };
    return cmocka_run_group_tests(tests, cook_all, release_all);
}
