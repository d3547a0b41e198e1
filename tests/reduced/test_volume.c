/* SPDX-License-Identifier: MIT */
/* Poisson's ratio: what the volumetric term does to a bar whose two bones hold its ends, and what the step keeps with
 * it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/stages.h"
#include "tests/support/flesh.h"

enum {
    CELLS_X = 20,
    CELLS_Y = 4,
    CELLS_Z = 4,
    VERTICES = (CELLS_X + 1) * (CELLS_Y + 1) * (CELLS_Z + 1),
    SIZE = 3 * 96
};

typedef struct fixture {
    sn_cook_desc desc;
    sn_cooking cooking;
    sn_model *model;
    sn_flesh flesh;
    double positions[3 * VERTICES];
} fixture;

static const double materials[] = {0, 0.3, 0.45};

/* The rig's momentum is the ends' own (D = 1 there alone): what is between them is free to become thicker or thinner.
 */
static void cook(fixture *f, double poisson)
{
    static double leak[VERTICES];
    *f = (fixture){.model = NULL};
    f->cooking.mesh = sn_test_bar(&f->cooking.arena, CELLS_X, CELLS_Y, CELLS_Z, 0.25);
    for (int v = 0; v < VERTICES; ++v) {
        const int x = v % (CELLS_X + 1);
        leak[v] = x < 3 || x > CELLS_X - 3 ? 1 : 0;
    }
    sn_test_rig(&f->cooking, 2, 0.25 * CELLS_X);
    f->desc = sn_default_cook_desc();
    f->desc.mode_count = 20;
    f->desc.cluster_count = 40;
    f->desc.poisson = poisson;
    f->desc.leak = SN_LEAK_VALUES;
    f->desc.leak_values = leak;
    f->desc.leak_count = VERTICES;
    assert_int_equal(sn_cooking_run(&f->cooking, "bar", &f->desc), SN_OK);
}

static void load(fixture *f, const sn_reduced_desc *desc)
{
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &f->model), SN_OK);
    assert_true(3 * f->model->counts.coordinate_count <= SIZE);
    f->flesh = sn_flesh_make(f->model, desc, NULL);
}

static void start(fixture *f, double poisson, const sn_reduced_desc *desc)
{
    cook(f, poisson);
    load(f, desc);
}

/* Poisson's ratio from 0 to .45 and stiffness from 1 to 3 from tet to tet, within clusters too. */
static void start_mixed(fixture *f, const sn_reduced_desc *desc)
{
    cook(f, 0);
    sn_cooking *k = &f->cooking;
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        const double poisson = 0.45 * (t % 7) / 6, young = 1 + t % 3;
        k->tet_stiffness[t] = young / (1 + poisson);
        k->tet_lame[t] = k->tet_stiffness[t] * poisson / (1 - 2 * poisson);
    }
    k->mean_stiffness = 0;
    assert_int_equal(sn_cooking_reduce(k), SN_OK);
    assert_int_equal(sn_cooking_assemble(k), SN_OK);
    load(f, desc);
}

static void stop(fixture *f)
{
    sn_flesh_finish(&f->flesh);
    sn_model_release(f->model);
    sn_cooking_finish(&f->cooking);
}

/* The ends go apart by this fraction of the bar's length. */
static void stretch(fixture *f, double by)
{
    const double length = 0.25 * CELLS_X * f->model->scale;
    f->flesh.pose[3] = -0.5 * by * length;
    f->flesh.pose[12 + 3] = 0.5 * by * length;
}

/* The ends turn against each other and jump: a violent rig. */
static void twist(fixture *f, int frame)
{
    const double length = 0.25 * CELLS_X * f->model->scale;
    for (int b = 0; b < 2; ++b) {
        const double angle = (b ? 1 : -1) * (frame / 3 % 2 ? 1.2 : -0.4), c = cos(angle), s = sin(angle);
        const double turn[12] = {c, -s, 0, frame / 5 % 2 ? 0.3 * length : 0, s, c, 0, 0, 0, 0, 1, 0};
        memcpy(f->flesh.pose + 12 * b, turn, sizeof turn);
    }
}

static void settle(fixture *f, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_false(sn_reduced_body_step(f->flesh.body, f->flesh.pose, NULL).is_recovered);
    }
}

/* Rig and flesh. */
static const double *place(fixture *f)
{
    const sn_model *m = f->model;
    double modes[12 * 20];
    memset(f->positions, 0, sizeof f->positions);
    sn_reduced_body_mode_transforms(f->flesh.body, 1, modes);
    sn_skin_add(m->rig_weights, m->counts.bone_count, f->flesh.pose, m->rest_positions, VERTICES, f->positions);
    sn_skin_add(m->mode_weights, m->counts.mode_count, modes, m->rest_positions, VERTICES, f->positions);
    return f->positions;
}

static double volume(fixture *f)
{
    const sn_tet_mesh moved = {VERTICES, f->cooking.mesh.tet_count, f->positions, f->cooking.mesh.tets, false};
    double sum = 0;
    place(f);
    for (int t = 0; t < moved.tet_count; ++t) {
        sum += sn_tet_volume(&moved, t);
    }
    return sum;
}

static double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

static bool is_neo_hookean; /* what the tests run with */

static sn_reduced_desc default_desc(void)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_neo_hookean = is_neo_hookean;
    return desc;
}

/* Large steps with damping: the flesh comes to rest. */
static sn_reduced_desc still(void)
{
    sn_reduced_desc desc = default_desc();
    desc.time_step = 0.5;
    desc.damping = 5;
    desc.iteration_limit = 300;
    desc.tolerance = 1e-7;
    return desc;
}

/* Mean displacement along an axis of the vertices on a plane of the lattice, less that of the opposite one, over their
 * distance: the strain between them. Planes i and j of axis `axis`, in the middle third of the bar. */
static double mean_strain(fixture *f, int axis, int i, int j)
{
    double sums[2] = {0}, counts[2] = {0};
    for (int v = 0; v < VERTICES; ++v) {
        const int at[3] = {v % (CELLS_X + 1), v / (CELLS_X + 1) % (CELLS_Y + 1), v / ((CELLS_X + 1) * (CELLS_Y + 1))};
        const int side = at[axis] == i ? 0 : at[axis] == j ? 1 : -1;
        if (side >= 0 && at[0] >= CELLS_X / 2 - 3 && at[0] <= CELLS_X / 2 + 3) {
            sums[side] += f->positions[3 * v + axis] - (double)f->model->rest_positions[3 * v + axis];
            counts[side] += 1;
        }
    }
    return (sums[1] / counts[1] - sums[0] / counts[0]) / (0.25 * (j - i) * f->model->scale);
}

/* Pulled at its ends by a hundredth, a bar thins in its middle by Poisson's ratio times its strain there. */
static void test_stretched_bar_thins_by_poissons_ratio(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        fixture f;
        const sn_reduced_desc desc = still();
        start(&f, materials[i], &desc);
        stretch(&f, 0.01);
        settle(&f, 60);
        place(&f);
        const double along = mean_strain(&f, 0, CELLS_X / 2 - 3, CELLS_X / 2 + 3);
        const double y = -mean_strain(&f, 1, 0, CELLS_Y) / along, z = -mean_strain(&f, 2, 0, CELLS_Z) / along;
        print_message("nu %.2f: thins by %.3f and %.3f of its strain %.4f\n", materials[i], y, z, along);
        assert_true(along > 0.005 && along < 0.02);
        assert_true(fabs(y - materials[i]) < 0.03 && fabs(z - materials[i]) < 0.03);
        stop(&f);
    }
}

/* Pressed together by a fifth: what is lost of the volume with .45 is less than a third of what is lost with 0. */
static void test_pressed_bar_keeps_its_volume(void **state)
{
    (void)state;
    double lost[3];
    for (int i = 0; i < 3; ++i) {
        fixture f;
        const sn_reduced_desc desc = still();
        start(&f, materials[i], &desc);
        const double before = volume(&f);
        stretch(&f, -0.2);
        settle(&f, 60);
        lost[i] = 1 - volume(&f) / before;
        print_message("nu %.2f: %.1f%% of the volume lost\n", materials[i], 100 * lost[i]);
        stop(&f);
    }
    assert_true(lost[1] < 0.75 * lost[0] && lost[2] < lost[0] / 3);
}

/* Pulled to one and a half times its length with .45, rotations let it lose volume, determinants do not. */
static void test_long_bar_keeps_its_volume(void **state)
{
    (void)state;
    fixture f;
    const sn_reduced_desc desc = still();
    start(&f, 0.45, &desc);
    const double before = volume(&f);
    stretch(&f, 0.5);
    settle(&f, 60);
    const double kept = volume(&f) / before;
    print_message("%s: %.3f of the volume\n", is_neo_hookean ? "Neo-Hookean" : "co-rotational", kept);
    assert_true(is_neo_hookean ? fabs(kept - 1) < 0.05 : kept < 0.95);
    stop(&f);
}

static void check_gradient(fixture *f)
{
    double z[SIZE], gradient[SIZE], unused[SIZE];
    const int size = 3 * f->model->counts.coordinate_count;
    for (int frame = 0; frame < 5; ++frame) {
        twist(f, frame);
        settle(f, 1);
    }
    twist(f, 6);
    for (int i = 0; i < size; ++i) {
        z[i] = sn_reduced_body_coordinates(f->flesh.body)[i] + 0.01 * sin(i);
    }
    sn_reduced_body_objective(f->flesh.body, f->flesh.pose, z, gradient);
    const double scale = largest(gradient, size);
    for (int i = 0; i < size; ++i) {
        const double h = 1e-5, at = z[i];
        z[i] = at + h;
        const double above = sn_reduced_body_objective(f->flesh.body, f->flesh.pose, z, unused);
        z[i] = at - h;
        const double below = sn_reduced_body_objective(f->flesh.body, f->flesh.pose, z, unused);
        z[i] = at;
        assert_true(fabs((above - below) / (2 * h) - gradient[i]) < 1e-5 * scale);
    }
}

static void test_gradient_matches_finite_differences(void **state)
{
    (void)state;
    fixture f;
    const sn_reduced_desc desc = default_desc();
    for (int i = 0; i < 3; ++i) {
        start(&f, materials[i], &desc);
        check_gradient(&f);
        stop(&f);
    }
    start_mixed(&f, &desc);
    check_gradient(&f);
    stop(&f);
}

static void test_rest_is_a_fixed_point(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        fixture f;
        sn_reduced_desc desc = default_desc();
        desc.is_double = is_double;
        start_mixed(&f, &desc);
        const double turned[12] = {0.36, 0.48, -0.8, 30, -0.8, 0.6, 0, -20, 0.48, 0.64, 0.6, 70};
        sn_flesh_set_pose(&f.flesh, turned);
        sn_reduced_body_reset(f.flesh.body, f.flesh.pose);
        settle(&f, 60);
        assert_true(sn_flesh_displacement(&f.flesh) < (is_double ? 1e-11 : 2e-6));
        assert_true(fabs(sn_reduced_body_energy(f.flesh.body).elastic) < 1e-9 * f.model->total_stiffness);
        stop(&f);
    }
}

/* Rotating the whole problem rotates the result. */
static void test_equivariance(void **state)
{
    (void)state;
    fixture f, g;
    const double world[12] = {0.36, 0.48, -0.8, 3, -0.8, 0.6, 0, -2, 0.48, 0.64, 0.6, 7};
    sn_reduced_desc desc = default_desc();
    desc.iteration_limit = 200;
    start(&f, 0.45, &desc);
    start(&g, 0.45, &desc);
    sn_flesh_set_pose(&g.flesh, world);
    sn_reduced_body_reset(g.flesh.body, g.flesh.pose);
    double worst = 0, seen = 0;
    for (int frame = 0; frame < 60; ++frame) {
        stretch(&f, 0.2 * sin(0.3 * frame));
        for (int b = 0; b < 2; ++b) {
            sn_affine_multiply(world, f.flesh.pose + 12 * b, g.flesh.pose + 12 * b);
        }
        settle(&f, 1);
        settle(&g, 1);
        for (int i = 0; i < f.model->counts.coordinate_count; ++i) {
            const double *u = f.flesh.body->coordinates + 3 * i, *v = g.flesh.body->coordinates + 3 * i;
            double difference[3];
            for (int d = 0; d < 3; ++d) {
                difference[d] = world[4 * d] * u[0] + world[4 * d + 1] * u[1] + world[4 * d + 2] * u[2] - v[d];
            }
            worst = fmax(worst, sn_reduced_change(f.model, i, difference[0], difference[1], difference[2]));
            seen = fmax(seen, sn_reduced_change(f.model, i, u[0], u[1], u[2]));
        }
    }
    assert_true(sqrt(seen) > 0.01 && sqrt(worst) < 1e-3 * sqrt(seen));
    stop(&f);
    stop(&g);
}

/* The double reference's gradient vanishes where it ends, and the float step ends there too. */
static void test_steps_reach_the_minimum(void **state)
{
    (void)state;
    fixture f, g;
    sn_reduced_desc desc = default_desc();
    double start_gradient[SIZE], gradient[SIZE];
    const double zero[SIZE] = {0};
    desc.iteration_limit = 300;
    desc.tolerance = 1e-6;
    start(&f, 0.45, &desc);
    desc.is_double = true;
    desc.iteration_limit = 20000;
    desc.tolerance = 1e-13;
    start(&g, 0.45, &desc);
    stretch(&g, 0.1);
    sn_reduced_body_objective(g.flesh.body, g.flesh.pose, zero, start_gradient);
    sn_reduced_body *twin = NULL;
    assert_int_equal(sn_reduced_body_create(g.flesh.solver, NULL, &twin), SN_OK);
    settle(&g, 1);
    const double *z = sn_reduced_body_coordinates(g.flesh.body);
    const int size = 3 * g.model->counts.coordinate_count;
    sn_reduced_body_objective(twin, g.flesh.pose, z, gradient);
    assert_true(largest(gradient, size) < 1e-8 * largest(start_gradient, size));
    stretch(&f, 0.1);
    settle(&f, 1);
    double square = 0;
    for (int i = 0; i < size; i += 3) {
        const double *own = f.flesh.body->coordinates + i;
        square += sn_reduced_change(f.model, i / 3, own[0] - z[i], own[1] - z[i + 1], own[2] - z[i + 2]);
    }
    assert_true(sqrt(square) < 1e-4);
    sn_reduced_body_destroy(&twin);
    stop(&f);
    stop(&g);
}

/* The energy of the point that is kept, over the iterations of every step of a violent rig: steps from one state with
 * one iteration more each. */
static void test_energy_never_rises_within_a_step(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = default_desc();
    desc.tolerance = 0;
    start(&f, 0.45, &desc);
    sn_reduced_solver *solvers[20] = {NULL};
    sn_reduced_body *twin = NULL;
    const size_t z = (size_t)(3 * f.model->counts.coordinate_count) * sizeof(double), p = 24 * sizeof(double);
    assert_int_equal(sn_reduced_body_create(f.flesh.solver, NULL, &twin), SN_OK);
    for (int i = 0; i < 20; ++i) {
        desc.iteration_limit = i + 1;
        assert_int_equal(sn_reduced_solver_create(f.model, &desc, &solvers[i]), SN_OK);
    }
    for (int frame = 0; frame < 30; ++frame) {
        double before = INFINITY;
        twist(&f, frame);
        for (int i = 0; i < 20; ++i) {
            memcpy(twin->coordinates, f.flesh.body->coordinates, z);
            memcpy(twin->coordinates_before, f.flesh.body->coordinates_before, z);
            memcpy(twin->rig, f.flesh.body->rig, p);
            memcpy(twin->rig_before, f.flesh.body->rig_before, p);
            sn_reduced_body_set_solver(twin, solvers[i]);
            assert_false(sn_reduced_body_step(twin, f.flesh.pose, NULL).is_recovered);
            assert_true(twin->f32.energy_kept <= before + twin->f32.energy_noise);
            before = twin->f32.energy_kept;
        }
        settle(&f, 1);
    }
    sn_reduced_body_destroy(&twin);
    for (int i = 0; i < 20; ++i) {
        sn_reduced_solver_destroy(&solvers[i]);
    }
    stop(&f);
}

/* After a violent rig has come to rest, energy only leaves, at small steps and large, in soft flesh and stiff. */
static void test_steps_are_stable(void **state)
{
    (void)state;
    const double steps[] = {1.0 / 30, 1.0 / 60, 1.0 / 144}, stiffnesses[] = {0.1, 1, 100};
    fixture f;
    sn_reduced_desc desc = default_desc();
    start(&f, 0.45, &desc);
    for (int run = 0; run < 18; ++run) {
        sn_flesh_finish(&f.flesh);
        desc = default_desc();
        desc.time_step = steps[run % 3];
        desc.stiffness = stiffnesses[run / 3 % 3];
        desc.is_plain = run >= 9;
        f.flesh = sn_flesh_make(f.model, &desc, NULL);
        for (int frame = 0; frame < 60; ++frame) {
            twist(&f, frame);
            settle(&f, 1);
        }
        stretch(&f, 0);
        settle(&f, 2);
        const double first = sn_flesh_energy(&f.flesh);
        double before = first;
        for (int frame = 0; frame < 200; ++frame) {
            settle(&f, 1);
            const double now = sn_flesh_energy(&f.flesh);
            assert_true(now <= before + 1e-4 * first);
            before = now;
        }
        assert_true(before < first);
    }
    stop(&f);
}

/* Contact steps are plain: flesh that hangs through between its ends, on a floor that is near, comes to rest on it. */
static void test_flesh_comes_to_rest_on_a_floor(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = default_desc();
    desc.gravity[1] = -9.81;
    desc.damping = 4;
    desc.stiffness = 0.3;
    start(&f, 0.45, &desc);
    sn_collider_desc shape = sn_default_collider_desc();
    double low = 0, position[3], before[3];
    for (int v = 0; v < VERTICES; ++v) {
        low = fmin(low, (double)f.model->rest_positions[3 * v + 1]);
    }
    sn_collider ground;
    assert_int_equal(sn_collider_init(&shape, &ground), SN_OK);
    ground.transform[7] = ground.transform_before[7] = low - 0.01;
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &ground};
    for (int frame = 0; frame < 300; ++frame) {
        assert_false(sn_reduced_body_step(f.flesh.body, f.flesh.pose, &surroundings).is_recovered);
        memcpy(before, position, sizeof before);
        sn_flesh_sample(&f.flesh, 0, position);
    }
    assert_true(f.flesh.body->contacts.count > 0 && sn_distance3(before, position) < 1e-4);
    for (int i = 0; i < f.model->counts.sample_count; ++i) {
        sn_flesh_sample(&f.flesh, i, position);
        assert_true(position[1] > low - 0.01 - 0.005);
    }
    stop(&f);
}

static void test_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    fixture f;
    sn_reduced_desc desc = default_desc();
    double coordinates[2][SIZE];
    start(&f, 0.45, &desc);
    const size_t bytes = (size_t)(3 * f.model->counts.coordinate_count) * sizeof(double);
    for (int set = 0; set <= SN_INSTRUCTIONS_BEST; ++set) {
        sn_flesh_finish(&f.flesh);
        desc.instructions = (sn_instructions)set;
        f.flesh = sn_flesh_make(f.model, &desc, NULL);
        for (int frame = 0; frame < 40; ++frame) {
            twist(&f, frame);
            settle(&f, 1);
        }
        memcpy(coordinates[set > 0], f.flesh.body->coordinates, bytes);
        assert_true(set == 0 || memcmp(coordinates[0], coordinates[1], bytes) == 0);
    }
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretched_bar_thins_by_poissons_ratio),
        cmocka_unit_test(test_pressed_bar_keeps_its_volume),
        cmocka_unit_test(test_long_bar_keeps_its_volume),
        cmocka_unit_test(test_gradient_matches_finite_differences),
        cmocka_unit_test(test_rest_is_a_fixed_point),
        cmocka_unit_test(test_equivariance),
        cmocka_unit_test(test_steps_reach_the_minimum),
        cmocka_unit_test(test_energy_never_rises_within_a_step),
        cmocka_unit_test(test_steps_are_stable),
        cmocka_unit_test(test_flesh_comes_to_rest_on_a_floor),
        cmocka_unit_test(test_instruction_sets_give_the_same_bits),
    };
    const int failed = cmocka_run_group_tests_name("co-rotational", tests, NULL, NULL);
    is_neo_hookean = true;
    return failed + cmocka_run_group_tests_name("Neo-Hookean", tests, NULL, NULL);
}
