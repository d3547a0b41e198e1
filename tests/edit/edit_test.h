/* SPDX-License-Identifier: MIT */
/* Coupled bodies in a world, with an editor and a pointer that is scripted. Include it after cmocka.h. */
#ifndef SN_TESTS_EDIT_EDIT_TEST_H
#define SN_TESTS_EDIT_EDIT_TEST_H

#include <math.h>
#include <string.h>
#include <time.h>

#include "host/model/model.h"
#include "runtime/edit/editor.h"
#include "runtime/edit/pick.h"
#include "tests/support/log.h"

#define FLAT_X 36
#define FLAT_Y 9
#define SOLID_X 12
#define SOLID_Y 3

typedef struct sn_edit_fixture {
    sn_blob blob;
    sn_model *model;
    sn_world_id world;
    sn_body_id body;
    sn_editor *editor;
    sn_edit_view view;
    sn_mat3x4 pose[SN_EDIT_HANDLE_LIMIT];
    int recovery_count;
    int refusal_count; /* of edits, an error line each */
    size_t bytes_before;
} sn_edit_fixture;

static inline void cook_arrays(const sn_cook_mesh_input *mesh, bool is_flat, const sn_cook_handle *handles, int count,
                               sn_edit_fixture *f)
{
    const sn_cook_handles list = {.count = count, .handles = handles};
    sn_cook_desc desc = sn_default_cook_desc();
    f->bytes_before = sn_allocated_bytes();
    begin_log();
    desc.handles = &list;
    desc.is_flat = is_flat;
    desc.is_coupled = true;
    desc.units = SN_UNITS_KEEP;
    desc.young = 2e4;
    assert_int_equal(sn_cook_mesh(mesh, &desc, &f->blob, NULL), SN_OK);
    assert_int_equal(sn_model_load(f->blob.bytes, f->blob.size, &f->model), SN_OK);
}

/* A sheet 2 wide and half as high around the origin. */
static inline void cook_sheet(const sn_cook_handle *handles, int count, sn_edit_fixture *f)
{
    static double positions[3 * FLAT_X * FLAT_Y];
    static int32_t triangles[6 * (FLAT_X - 1) * (FLAT_Y - 1)];
    int32_t *t = triangles;
    for (int i = 0; i < FLAT_X * FLAT_Y; ++i) {
        positions[3 * i] = 2.0 * (i % FLAT_X) / (FLAT_X - 1) - 1;
        positions[3 * i + 1] = 0.5 * (i / FLAT_X) / (FLAT_Y - 1) - 0.25;
        positions[3 * i + 2] = 0;
        if (i % FLAT_X < FLAT_X - 1 && i / FLAT_X < FLAT_Y - 1) {
            memcpy(t, (const int32_t[]){i, i + 1, i + FLAT_X, i + 1, i + FLAT_X + 1, i + FLAT_X}, 6 * sizeof *t);
            t += 6;
        }
    }
    const sn_cook_mesh_input mesh = {.vertex_count = FLAT_X * FLAT_Y,
                                     .positions = positions,
                                     .triangle_count = (int)((t - triangles) / 3),
                                     .triangles = triangles};
    cook_arrays(&mesh, true, handles, count, f);
}

/* A bar of the same length, .5 high and deep, of cubes of six tets each. */
static inline void cook_bar(const sn_cook_handle *handles, int count, sn_edit_fixture *f)
{
    enum { NX = SOLID_X + 1, NY = SOLID_Y + 1 };
    static double positions[3 * NX * NY * NY];
    static int32_t tets[24 * SOLID_X * SOLID_Y * SOLID_Y];
    static const int corners[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
    int32_t *t = tets;
    for (int i = 0; i < NX * NY * NY; ++i) {
        const int x = i % NX, y = i / NX % NY, z = i / (NX * NY);
        positions[3 * i] = 2.0 * x / SOLID_X - 1;
        positions[3 * i + 1] = 0.5 * y / SOLID_Y - 0.25;
        positions[3 * i + 2] = 0.5 * z / SOLID_Y - 0.25;
        for (int k = 0; k < 6 && x < SOLID_X && y < SOLID_Y && z < SOLID_Y; ++k) {
            int32_t at[4] = {i, 0, 0, i + 1 + NX + NX * NY};
            for (int c = 0; c < 2; ++c) {
                const int corner = corners[k][c];
                at[c + 1] = i + (corner & 1) + (corner >> 1 & 1) * NX + (corner >> 2) * NX * NY;
            }
            memcpy(t, at, sizeof at);
            t += 4;
        }
    }
    const sn_cook_mesh_input mesh = {
        .vertex_count = NX * NY * NY, .positions = positions, .tet_count = (int)((t - tets) / 4), .tets = tets};
    cook_arrays(&mesh, false, handles, count, f);
}

static inline sn_cook_handle point(const char *name, double x, double y)
{
    return (sn_cook_handle){.shape = SN_HANDLE_SHAPE_POINT, .name = name, .parent = -1, .start = {x, y, 0}};
}

/* Seen from the front: a height of the window is 2.4 in the plane of the origin. */
static inline void open_editor(sn_edit_fixture *f)
{
    sn_world_desc world = sn_default_world_desc();
    sn_body_desc body = sn_default_body_desc();
    begin_log();
    body.model = f->model;
    body.solver = SN_SOLVER_COUPLED;
    body.damping = 1;
    assert_int_equal(sn_world_create(&world, &f->world), SN_OK);
    assert_int_equal(sn_body_create(f->world, &body, &f->body), SN_OK);
    assert_int_equal(sn_editor_create(f->model, f->body, &f->editor), SN_OK);
    f->view = (sn_edit_view){
        .camera = {.eye = {0, 0, 4}, .vertical_angle = 2 * atanf(0.3F), .near_distance = 0.1F, .far_distance = 100},
        .unit = 1.0 / 720};
}

static inline void close_editor(sn_edit_fixture *f)
{
    sn_world_destroy(f->world);
    sn_editor_destroy(&f->editor);
    sn_model_release(f->model);
    sn_blob_release(&f->blob);
    assert_int_equal(sn_allocated_bytes(), f->bytes_before);
}

static inline const sn_model *body_model(const sn_edit_fixture *f)
{
    return sn_body_model(f->body);
}

/* What a player does in a frame; the motion is rest. */
static inline void run(sn_edit_fixture *f, int frame_count)
{
    for (int frame = 0; frame < frame_count; ++frame) {
        sn_editor_update(f->editor);
        const int bone_count = sn_model_bone_count(body_model(f));
        for (int bone = 0; bone < bone_count; ++bone) {
            f->pose[bone] = (sn_mat3x4){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
        }
        sn_editor_pose(f->editor, f->pose, bone_count);
        sn_body_set_pose(f->body, f->pose, bone_count);
        f->recovery_count += sn_world_step(f->world, 1.0 / 60).recovery_count;
    }
}

static inline void wait_for_weights(sn_edit_fixture *f)
{
    for (int i = 0; i < 2000 && sn_editor_is_computing_weights(f->editor); ++i) {
        run(f, 1);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    assert_false(sn_editor_is_computing_weights(f->editor));
}

/* The pointer over a place in the world. */
static inline const double *over(const sn_edit_fixture *f, double x, double y, double z)
{
    static double places[4][2];
    static int next;
    double *place = places[next = (next + 1) % 4];
    sn_pick_project(&f->view.camera, (const double[]){x, y, z}, place);
    return place;
}

static inline bool press(sn_edit_fixture *f, const double *at)
{
    return sn_editor_press(f->editor, &f->view, at, false);
}

static inline void drag(sn_edit_fixture *f, const double *to)
{
    sn_editor_drag(f->editor, &f->view, to);
}

static inline void release(sn_edit_fixture *f, const double *at)
{
    sn_editor_release(f->editor, &f->view, at);
}

static inline bool click(sn_edit_fixture *f, double x, double y)
{
    const double *at = over(f, x, y, 0);
    const bool is_taken = press(f, at);
    release(f, at);
    return is_taken;
}

static inline double place_of(const sn_edit_fixture *f, int handle, int axis)
{
    double start[3];
    sn_editor_handle_position(f->editor, handle, start, NULL);
    return start[axis];
}

/* Whether every bone is where a body of that size can be. */
static inline bool is_sane(const sn_edit_fixture *f, double farthest)
{
    const sn_body_matrices output = sn_body_output(f->body);
    bool is_sane = true;
    for (int i = 0; i < 12 * output.bone_count; ++i) {
        is_sane = is_sane && fabsf(output.matrices[i / 12].m[i % 12 / 4][i % 4]) < (float)farthest;
    }
    return is_sane;
}

static inline void check_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.9g is not %.9g", a, b);
    }
}

static inline sn_edit_fixture open_sheet(void)
{
    const sn_cook_handle handles[] = {point("left", -0.8, 0), point("middle", 0, 0), point("right", 0.8, 0)};
    sn_edit_fixture f = {0};
    cook_sheet(handles, 3, &f);
    open_editor(&f);
    return f;
}

static inline sn_edit_fixture open_bar(void)
{
    const sn_cook_handle handles[] = {point("left", -0.8, 0), point("right", 0.8, 0)};
    sn_edit_fixture f = {0};
    cook_bar(handles, 2, &f);
    open_editor(&f);
    return f;
}

#endif
