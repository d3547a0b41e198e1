/* SPDX-License-Identifier: MIT */
/* Editors of a scene's bodies, without a window: any coupled body is selected and edited while the scene runs, what is
 * edited stays when it begins again, and the scene has its own rigs back in the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/input/player_keys.h"
#include "runtime/session/scene_edit.h"
#include "tests/edit/edit_test.h"

static const double bar_points[4][2] = {{-1, -0.2}, {1, -0.2}, {1, 0.2}, {-1, 0.2}};
static const sn_cook_handle bar_handles[2] = {{.name = "left", .parent = -1, .start = {-0.8, 0}},
                                              {.name = "right", .parent = -1, .start = {0.8, 0}}};
static const sn_cook_handles bar_rig = {.name = "bar", .count = 2, .handles = bar_handles};
static const sn_cook_handle event_handles[3] = {{.name = "left", .parent = -1, .start = {-0.8, 0}},
                                                {.name = "middle", .parent = -1, .start = {0, 0}},
                                                {.name = "right", .parent = -1, .start = {0.8, 0}}};
static const sn_cook_handles event_rig = {.name = "event", .count = 3, .handles = event_handles};
static const sn_scene_lock all[1] = {{0, SN_LOCK_ALL}};
static const sn_scene_drive drives[2] = {
    {.bone = "left", .locks = all, .lock_count = 1},
    {.bone = "middle", .translation = {{{0}, {.constant = 0.2}, {0}}}, .locks = all, .lock_count = 1}};

/* Two coupled bars, one above the other, and one that is not. */
typedef struct stage {
    sn_scene_character character;
    sn_scene_body bodies[3];
    sn_scene_event event;
    sn_scene_script script;
    sn_scene *scene;
    sn_scene_edit edit;
    sn_title title;
    sn_edit_view view;
    size_t bytes;
} stage;

static void open_stage(stage *s, int event_count)
{
    sn_world_desc world = sn_default_world_desc();
    sn_scene_error error = {""};
    begin_log();
    *s = (stage){.character = sn_default_scene_character(), .bytes = sn_allocated_bytes()};
    s->character.name = "bar";
    s->character.shape = (sn_scene_shape){.type = SN_SHAPE_OUTLINE,
                                          .is_flat = true,
                                          .is_angular = true,
                                          .edge_length = 0.1,
                                          .points = bar_points,
                                          .point_count = 4};
    s->character.cook.young = 400;
    s->character.cook.density = 1;
    s->character.cook.handles = &bar_rig;
    for (int i = 0; i < 3; ++i) {
        s->bodies[i] = sn_default_scene_body();
        s->bodies[i].desc.solver = i == 1 ? SN_SOLVER_REDUCED : SN_SOLVER_COUPLED;
        s->bodies[i].damping.constant = 2;
        s->bodies[i].translation.at[1].constant = 0.6 * i;
        s->bodies[i].locks = 0;
        s->bodies[i].drives = drives;
        s->bodies[i].drive_count = i == 0 ? 2 : 0;
    }
    s->event = (sn_scene_event){.seconds = 0.5, .copy = -1, .collider = -1, .handles = &event_rig};
    s->script = (sn_scene_script){.name = "stage",
                                  .seconds = 10,
                                  .characters = &s->character,
                                  .character_count = 1,
                                  .bodies = s->bodies,
                                  .body_count = 3,
                                  .events = &s->event,
                                  .event_count = 1};
    if (event_count == 0) { /* the name must be known, the time never comes */
        s->event.seconds = 1e6;
    }
    if (sn_scene_create(&s->script, &world, &s->scene, &error) != SN_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(sn_scene_edit_start(&s->edit, s->scene), SN_OK);
    begin_log();
    s->view = (sn_edit_view){
        .camera = {.eye = {0, 0.5F, 4}, .vertical_angle = 2 * atanf(0.5F), .near_distance = 0.1F, .far_distance = 100},
        .unit = 1.0 / 720};
    s->view.camera.target[1] = 0.5F;
}

static void close_stage(stage *s)
{
    assert_int_equal(sn_scene_edit_finish(&s->edit), SN_OK);
    assert_int_equal(sn_scene_restart(s->scene), SN_OK);
    for (int i = 0; i < 3; ++i) { /* its own rigs again */
        assert_int_equal(sn_model_bone_count(sn_body_model(sn_scene_body_at(s->scene, i))), 2);
    }
    sn_scene_advance(s->scene, 0.1);
    sn_scene_destroy(&s->scene);
    assert_int_equal(sn_allocated_bytes(), s->bytes);
}

static void play(stage *s, int frames)
{
    for (int i = 0; i < frames; ++i) {
        assert_int_equal(sn_scene_edit_update(&s->edit, &s->title), SN_OK);
        assert_int_equal(sn_scene_advance(s->scene, 1.0 / 60).world.recovery_count, 0);
    }
}

static void wait(stage *s)
{
    for (int i = 0; i < 2000 && sn_editor_is_computing_weights(sn_scene_edit_editor(&s->edit)); ++i) {
        play(s, 1);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    assert_false(sn_editor_is_computing_weights(sn_scene_edit_editor(&s->edit)));
}

static bool send(stage *s, sn_window_event_type type, double x, double y)
{
    double place[2];
    sn_pick_project(&s->view.camera, (const double[]){x, y, 0}, place);
    sn_window_event event = {.type = type, .button = SN_BUTTON_LEFT, .x = place[0], .y = place[1]};
    if (type == SN_WINDOW_DRAG) { /* by how much */
        event.x -= s->edit.pointer[0];
        event.y -= s->edit.pointer[1];
    }
    return sn_scene_edit_event(&s->edit, &s->view, &event);
}

static double bone_height(stage *s, int body, int bone)
{
    const sn_body_id id = sn_scene_body_at(s->scene, body);
    const sn_mat3x4 *m = &sn_body_output(id).matrices[bone];
    double pivot[3];
    sn_model_bone_pivot(sn_body_model(id), bone, pivot);
    return (double)m->m[1][0] * pivot[0] + (double)m->m[1][1] * pivot[1] + (double)m->m[1][3];
}

static void any_coupled_body_is_edited(void **state)
{
    (void)state;
    static stage s;
    open_stage(&s, 0);
    assert_int_equal(s.edit.selected, 0);
    assert_int_equal(sn_scene_edit_select(&s.edit, 1), SN_OK); /* it has no handles */
    assert_int_equal(s.edit.selected, 0);
    assert_int_equal(sn_scene_edit_select_next(&s.edit, 1), SN_OK);
    assert_int_equal(s.edit.selected, 2);
    play(&s, 5);
    sn_editor *editor = sn_scene_edit_editor(&s.edit);
    sn_editor_set_editing(editor, true);
    sn_editor_set_tool(editor, SN_EDIT_POINT);
    assert_true(send(&s, SN_WINDOW_PRESS, 0, 1.2));
    send(&s, SN_WINDOW_RELEASE, 0, 1.2);
    wait(&s);
    const sn_model *made = sn_body_model(sn_scene_body_at(s.scene, 2));
    assert_int_equal(sn_model_bone_count(made), 3);
    assert_int_equal(sn_body_locks(sn_scene_body_at(s.scene, 2), 2), 0); /* new ones are free */
    sn_editor_set_editing(editor, false);
    assert_true(send(&s, SN_WINDOW_PRESS, 0, bone_height(&s, 2, 2)));
    for (int i = 0; i < 40; ++i) {
        assert_true(send(&s, SN_WINDOW_DRAG, 0, 1.4));
        play(&s, 1);
    }
    assert_true(fabs(bone_height(&s, 2, 2) - 1.4) < 0.02);
    send(&s, SN_WINDOW_RELEASE, 0, 1.4);
    /* the other body is edited as well */
    assert_int_equal(sn_scene_edit_select_next(&s.edit, 1), SN_OK);
    assert_int_equal(s.edit.selected, 0);
    send(&s, SN_WINDOW_PRESS, 0.8, bone_height(&s, 0, 1));
    send(&s, SN_WINDOW_RELEASE, 0.8, bone_height(&s, 0, 1));
    sn_editor_toggle_locks(sn_scene_edit_editor(&s.edit), SN_LOCK_ALL);
    play(&s, 10);
    assert_int_not_equal(sn_body_locks(sn_scene_body_at(s.scene, 0), 1), 0);
    /* it begins again: what was placed is still there */
    assert_int_equal(sn_scene_restart(s.scene), SN_OK);
    assert_int_equal(sn_scene_edit_restart(&s.edit), SN_OK);
    play(&s, 10);
    assert_ptr_equal(sn_body_model(sn_scene_body_at(s.scene, 2)), made);
    assert_true(fabs(bone_height(&s, 2, 2) - 1.2) < 0.02);
    assert_int_equal(logged.errors + logged.warnings, 0);
    close_stage(&s);
}

/* What a script drives of bones that stay goes on. */
static void the_script_goes_on(void **state)
{
    (void)state;
    static stage s;
    open_stage(&s, 1);
    sn_editor *editor = sn_scene_edit_editor(&s.edit);
    play(&s, 10);
    assert_true(fabs(bone_height(&s, 0, 0)) < 1e-6);
    sn_editor_set_editing(editor, true);
    sn_editor_set_tool(editor, SN_EDIT_POINT);
    send(&s, SN_WINDOW_PRESS, 0.3, 0);
    send(&s, SN_WINDOW_RELEASE, 0.3, 0);
    wait(&s);
    assert_int_equal(sn_model_bone_count(sn_body_model(sn_scene_body_at(s.scene, 0))), 3);
    assert_int_equal(sn_body_locks(sn_scene_body_at(s.scene, 0), 0) & SN_LOCK_X, SN_LOCK_X);
    assert_true(fabs(bone_height(&s, 0, 0)) < 1e-6);
    while (sn_scene_time(s.scene) < 0.6) { /* an event gives it other ones: the edit is over */
        play(&s, 1);
    }
    play(&s, 1);
    const sn_body_id body = sn_scene_body_at(s.scene, 0);
    assert_string_equal(sn_model_bone_name(sn_body_model(body), 1), "middle");
    assert_ptr_equal(sn_editor_model(sn_scene_edit_editor(&s.edit)), sn_body_model(body));
    play(&s, 30);
    assert_true(fabs(bone_height(&s, 0, 1) - 0.2) < 1e-3); /* which the script drives */
    assert_int_equal(logged.errors + logged.warnings, 0);
    close_stage(&s);
}

/* Keys change the selected body, whatever the script says, and the other stays. */
static void parameters_are_the_players(void **state)
{
    (void)state;
    static const double directions[2][3] = {{0, -1, 0}, {1, 0, 0}};
    static stage s;
    double value = 0;
    open_stage(&s, 0);
    play(&s, 2);
    for (int parameter = 0; parameter < SN_PLAYER_PARAMETER_COUNT; ++parameter) {
        sn_body_desc desc = sn_scene_parameters(s.scene, 2);
        const bool is_its =
            sn_player_step_desc_parameter((sn_player_parameter)parameter, true, directions, &desc, &value);
        assert_true(is_its == (parameter != SN_PLAYER_BONE_COMPLIANCE && parameter != SN_PLAYER_AMOUNT));
    }
    sn_body_desc desc = sn_scene_parameters(s.scene, 2);
    sn_player_step_desc_parameter(SN_PLAYER_MASS, true, directions, &desc, &value);
    sn_player_step_desc_parameter(SN_PLAYER_GRAVITY, true, directions, &desc, &value);
    sn_scene_set_parameters(s.scene, 2, SN_SCENE_MASS | SN_SCENE_GRAVITY, &desc);
    play(&s, 30);
    assert_true(sn_scene_parameters(s.scene, 2).mass > 1.4);
    assert_true(sn_scene_parameters(s.scene, 0).mass == 1);
    assert_true(bone_height(&s, 2, 1) < 1.19); /* it falls */
    sn_scene_restart(s.scene);
    sn_scene_edit_restart(&s.edit);
    play(&s, 1);
    assert_true(sn_scene_parameters(s.scene, 2).mass > 1.4);
    close_stage(&s);
}

/* What is refused leaves no trace: the body keeps what it has, and takes what comes next. */
static void what_is_refused_blocks_nothing(void **state)
{
    (void)state;
    static stage s;
    open_stage(&s, 0);
    play(&s, 2);
    sn_body_desc desc = sn_scene_parameters(s.scene, 2);
    const double poisson = desc.poisson;
    const int errors = logged.errors;
    desc.poisson = 0.6;
    assert_int_equal(sn_scene_set_parameters(s.scene, 2, SN_SCENE_POISSON, &desc), SN_ERROR_ARGUMENT);
    assert_int_equal(logged.errors, errors + 1);
    assert_true(sn_scene_parameters(s.scene, 2).poisson == poisson);
    play(&s, 3);
    desc.gravity[1] = -9.81;
    assert_int_equal(sn_scene_set_parameters(s.scene, 2, SN_SCENE_GRAVITY, &desc), SN_OK);
    play(&s, 30);
    assert_true(bone_height(&s, 2, 1) < 1.19); /* it falls */
    assert_int_equal(logged.errors, errors + 1);
    close_stage(&s);
}

int test_scene_edit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_coupled_body_is_edited), cmocka_unit_test(the_script_goes_on),
        cmocka_unit_test(parameters_are_the_players), cmocka_unit_test(what_is_refused_blocks_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
