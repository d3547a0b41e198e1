/* SPDX-License-Identifier: MIT */
/* The player's pointer: rays into the picture, and flesh that it pulls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/io/source.h"
#include "host/math/vec3.h"
#include "runtime/input/grab_tool.h"
#include "runtime/render/private.h"
#include "tests/render/player_test.h"

/* Where a point is in the picture, in heights right and down of its middle, by what the shaders are given. */
static void project(const sn_camera *camera, const double *point, double *place)
{
    const sn_renderer_desc desc = {.width = 320, .height = 180, .shadow_size = 64};
    sn_render_scene scene = sn_default_render_scene();
    sn_frame_constants constants;
    double clip[4];
    scene.camera = *camera;
    sn_render_frame_constants(&scene, &desc, &constants);
    for (int row = 0; row < 4; ++row) {
        clip[row] = (double)constants.view_projection[12 + row];
        for (int d = 0; d < 3; ++d) {
            clip[row] += (double)constants.view_projection[4 * d + row] * point[d];
        }
    }
    place[0] = 0.5 * clip[0] / clip[3] * 320 / 180;
    place[1] = 0.5 * clip[1] / clip[3];
}

static void rays_go_where_the_picture_says(void **state)
{
    (void)state;
    const sn_stage stage = make_stage();
    sn_orbit orbit = sn_orbit_start(&stage);
    for (int i = 0; i < 50; ++i) {
        sn_orbit_rotate(&orbit, 0.37, 0.11 * (i % 5 - 2));
        const sn_camera camera = look(&orbit, &stage, 1);
        const double point[3] = {1 + 0.4 * sin(i), 2 + 0.3 * cos(2 * i), 3 + 0.5 * sin(3 * i)};
        double place[2], found[3];
        project(&camera, point, place);
        const sn_ray ray = sn_pick_ray(&camera, place[0], place[1]);
        sn_pick_at_depth(&camera, &ray, sn_pick_depth(&camera, point), found);
        check_near(sn_length3(ray.direction), 1, 1e-12);
        check_near(sn_distance3(found, point), 0, 1e-4);
    }
}

static void rays_meet_the_first_triangle(void **state)
{
    (void)state;
    const double positions[] = {-1, -1, -2, 1, -1, -2, 0, 1, -2, -1, -1, -5, 1, -1, -5, 0, 1, -5};
    const int32_t triangles[] = {3, 4, 5, 0, 2, 1}; /* of either side */
    sn_ray ray = {{0, 0, 0}, {0, 0, -1}};
    check_near(sn_pick_triangles(positions, triangles, 2, &ray), 2, 1e-12);
    ray.origin[2] = -3;
    check_near(sn_pick_triangles(positions, triangles, 2, &ray), 2, 1e-12);
    ray.direction[2] = 1;
    check_near(sn_pick_triangles(positions, triangles, 2, &ray), 1, 1e-12);
    ray.origin[0] = 0.9;
    assert_true(sn_pick_triangles(positions, triangles, 2, &ray) == INFINITY);
    ray = (sn_ray){{0, 0, -2}, {1, 0, 0}}; /* in a triangle's plane */
    assert_true(sn_pick_triangles(positions, triangles, 2, &ray) > 0);
}

typedef struct held {
    sn_arena arena;
    sn_model *model;
    sn_world_id world;
    sn_body_id body;
    sn_grab_tool grab_tool;
    sn_camera camera;
} held;

static held open_held(void)
{
    held h = {.camera = {.eye = {0.3F, 0.2F, 3}, .target = {0.1F, 0, 0}, .vertical_angle = 0.6F}};
    sn_source source;
    sn_body_desc desc = sn_default_body_desc();
    const sn_world_desc world = sn_default_world_desc();
    assert_int_equal(sn_source_read(SN_SOURCE_DIR "/tests/golden/bar.sinew", &h.arena, &source), SN_OK);
    assert_int_equal(sn_model_load(source.bytes, source.size, &h.model), SN_OK);
    assert_int_equal(sn_world_create(&world, &h.world), SN_OK);
    desc.model = h.model;
    desc.damping = 2;
    assert_int_equal(sn_body_create(h.world, &desc, &h.body), SN_OK);
    assert_int_equal(sn_grab_tool_start(&h.grab_tool, h.model), SN_OK);
    return h;
}

static void close_held(held *h)
{
    sn_grab_tool_finish(&h->grab_tool);
    sn_world_destroy(h->world);
    sn_model_release(h->model);
    sn_arena_finish(&h->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* How far the bar's surface bulges up. */
static double highest(held *h)
{
    const sn_body_matrices out = sn_body_output(h->body);
    const sn_surface mesh = sn_model_surface(h->model);
    double pose[12 * 8], modes[12 * 8], high = -INFINITY;
    double *positions = malloc(3 * (size_t)mesh.vertex_count * sizeof *positions);
    assert_true(positions && out.bone_count <= 8 && out.mode_count <= 8);
    for (int i = 0; i < 12 * out.bone_count; ++i) {
        pose[i] = (double)out.matrices[i / 12].m[i % 12 / 4][i % 4];
    }
    for (int i = 0; i < 12 * out.mode_count; ++i) {
        modes[i] = (double)out.matrices[out.bone_count + i / 12].m[i % 12 / 4][i % 4];
    }
    sn_skin_surface(&mesh, pose, modes, out.morphs, positions, NULL, NULL);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        high = fmax(high, positions[3 * v + 1]);
    }
    free(positions);
    return high;
}

static void the_pointer_pulls_flesh(void **state)
{
    (void)state;
    held h = open_held();
    const double end[3] = {0.45, 0.1, 0.118}, beside[2] = {0.7, 0.4};
    double pointer[2];
    project(&h.camera, end, pointer);
    assert_false(sn_grab_tool_grab(&h.grab_tool, h.body, &h.camera, beside, NULL, 0));
    assert_true(sn_grab_tool_grab(&h.grab_tool, h.body, &h.camera, pointer, NULL, 0));
    check_near(h.grab_tool.depth, sn_pick_depth(&h.camera, end), 0.01);
    const double rest = highest(&h);
    h.grab_tool.pointer[1] -= 0.05; /* up */
    for (int i = 0; i < 60; ++i) {
        sn_grab_tool_drag(&h.grab_tool, h.body, &h.camera);
        sn_world_step(h.world, 1.0 / 60);
    }
    const double height = 0.05 * 2 * tan(0.3) * h.grab_tool.depth, lifted = highest(&h) - rest;
    assert_true(lifted > 0.4 * height && lifted < 1.2 * height);
    sn_grab_tool_release(&h.grab_tool, h.body);
    sn_grab_tool_drag(&h.grab_tool, h.body, &h.camera); /* nothing is held */
    for (int i = 0; i < 600; ++i) {
        sn_world_step(h.world, 1.0 / 60);
    }
    check_near(highest(&h), rest, 1e-4);
    close_held(&h);
}

static void what_a_solid_hides_is_not_taken(void **state)
{
    (void)state;
    held h = open_held();
    const double end[3] = {0.45, 0.1, 0.118};
    double pointer[2];
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider ball;
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = 0.2;
    desc.transform.m[0][3] = 0.4F;
    desc.transform.m[1][3] = 0.1F;
    desc.transform.m[2][3] = 1;
    assert_int_equal(sn_collider_init(&desc, &ball), SN_OK);
    project(&h.camera, end, pointer);
    assert_false(sn_grab_tool_grab(&h.grab_tool, h.body, &h.camera, pointer, &ball, 1));
    ball.transform[11] = -1; /* behind */
    assert_true(sn_grab_tool_grab(&h.grab_tool, h.body, &h.camera, pointer, &ball, 1));
    assert_true(
        sn_grab_tool_grab(&h.grab_tool, h.body, &h.camera, pointer, &ball, 1)); /* again: the other hand let go */
    assert_int_equal(h.grab_tool.grab, 0);
    close_held(&h);
}

int test_player_pointer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_go_where_the_picture_says),
        cmocka_unit_test(rays_meet_the_first_triangle),
        cmocka_unit_test(the_pointer_pulls_flesh),
        cmocka_unit_test(what_a_solid_hides_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
