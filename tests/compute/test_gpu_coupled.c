/* SPDX-License-Identifier: MIT */
/* Coupled bodies on the device against those of the CPU: bit by bit on software Vulkan, whose arithmetic is exact, near
 * elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_coupled.h"

static sn_coupled_settings settings_of(int substeps)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.substep_count = substeps;
    settings.xpbd.damping = 1;
    settings.xpbd.gravity[1] = -2;
    return settings;
}

/* ---- scenes of all kinds ---- */

#define SCENE_COUNT 6

static sn_coupled_scene make_scene(int number)
{
    switch (number) {
    case 0:
        return sn_coupled_mixed(2);
    case 1:
        return sn_coupled_mixed(3);
    case 2:
        return sn_coupled_row(sn_xpbd_sheet(19, 5, 0.06), 4, SN_HANDLE_AFFINE);
    case 3:
        return sn_coupled_row(sn_xpbd_bar(9, 3, 3, 0.1), 3, SN_HANDLE_AFFINE);
    case 4:
        return sn_coupled_row(sn_xpbd_bar(7, 2, 2, 0.1), 5, SN_HANDLE_TRANSLATION);
    default:
        return sn_coupled_row(sn_xpbd_bar(11, 3, 2, 0.1), 1, SN_HANDLE_RIGID);
    }
}

static void aim(const sn_coupled_scene *scene, int k, double angle, double along, double *transform)
{
    const bool is_flat = scene->shape.desc.element_corners == 3;
    const double axis[3] = {is_flat ? 0 : 0.3 * angle, is_flat ? 0 : -0.2 * angle, angle};
    const double move[3] = {along, 0.5 * along, is_flat ? 0 : 0.2 * along};
    sn_coupled_aim(scene->handles[k].pivot, axis, move, transform);
}

/* The first handle driven, the last one's rotation alone, what lies between by single scalars; all move. */
static void lock_some(sn_gpu_coupled *coupled, const sn_coupled_scene *scene, const coupled_twins *t)
{
    const int last = scene->handle_count - 1;
    lock_twins(coupled, t, 0, SN_LOCK_ALL);
    if (last > 1) {
        lock_twins(coupled, t, last, SN_LOCK_ROTATION_Z | SN_LOCK_X);
        lock_twins(coupled, t, 1, SN_LOCK_STRETCH | SN_LOCK_Y);
    }
}

static void aim_some(sn_gpu_coupled *coupled, const sn_coupled_scene *scene, const coupled_twins *t, double time)
{
    for (int k = 0; k < scene->handle_count; k += 1 + (k > 0)) {
        double transform[12];
        aim(scene, k, 0.4 * sin(9 * time + k), 0.1 * sin(5 * time), transform);
        aim_twins(coupled, t, k, transform);
    }
}

static void step_both(sn_gpu_device *device, sn_gpu_coupled *coupled, const coupled_twins *t, const sn_surroundings *s)
{
    const sn_coupled_report report = sn_coupled_body_step(t->cpu, s);
    assert_int_equal(sn_gpu_xpbd_set_surroundings(sn_gpu_coupled_flesh(coupled), t->gpu, s), SN_OK);
    step_coupled(device, coupled);
    assert_coupled_twins(device, coupled, t, &report);
}

/* Free, then locked and aimed, then softened, then driven handles alone. */
static void check_scene(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, int number, int steps)
{
    sn_gpu_coupled *coupled = create_coupled(device, desc);
    sn_coupled_scene scene = make_scene(number);
    sn_coupled_settings settings = settings_of(3);
    coupled_twins t = create_coupled_twins(coupled, &scene, add_coupled_rig(coupled, scene.rig), &settings);
    sn_coupled_bend(&scene, t.cpu, 0.02, 0.3);
    assert_int_equal(sn_gpu_coupled_put(coupled, t.gpu, t.cpu), SN_OK);
    for (int step = 0; step < steps; ++step) {
        step_both(device, coupled, &t, NULL);
    }
    lock_some(coupled, &scene, &t);
    for (int step = 0; step < 2 * steps; ++step) {
        aim_some(coupled, &scene, &t, step / 60.0);
        step_both(device, coupled, &t, NULL);
    }
    soften_twins(coupled, &t, 0, 1e-6, 1e-7);
    settings.compliance_rotation = 1e-8;
    settings.is_driven_only = true;
    settings.xpbd.substep_count = 4;
    settings.xpbd.stiffness = 0.5;
    assert_int_equal(sn_coupled_body_set_settings(t.cpu, &settings), SN_OK);
    assert_int_equal(sn_gpu_coupled_set_settings(coupled, t.gpu, &settings), SN_OK);
    for (int step = 0; step < steps; ++step) {
        step_both(device, coupled, &t, NULL);
    }
    destroy_coupled_twins(&t);
    sn_gpu_coupled_destroy(&coupled);
    sn_coupled_scene_finish(&scene);
}

static void test_scenes(void **state)
{
    for (int number = 0; number < 1; ++number) {
        check_scene(*state, NULL, number, 5);
    }
}

#define GPU_TEST(function) cmocka_unit_test_setup_teardown(function, sn_test_gpu_set_up, sn_test_gpu_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {GPU_TEST(test_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
