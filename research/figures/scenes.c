/* SPDX-License-Identifier: MIT */
/* Figures 1 and 21: many bodies of one model, and flesh on rigid bodies: scenes of ours, drawn by the renderer. */
#include <stdio.h>

#include "research/figures/film.h"

#define TURN "(0.45*t + 6.2831853*i/n)"
#define RADIUS "(1.6 + 3.2*random(i))"

static sn_result shoot(sn_figures *f, const sn_scene_script *script, const double *seconds, int shot_count,
                       const char *says, void (*after_step)(sn_scene *scene, void *user), void *user,
                       sn_film_report *report)
{
    sn_arena arena = {0};
    sn_picture pictures[4];
    char path[SN_FIGURE_PATH];
    const sn_film film = {.name = script->name,
                          .script = script,
                          .seconds = seconds,
                          .shot_count = f->is_quick ? 1 : shot_count,
                          .width = f->is_quick ? 96 : 400,
                          .height = f->is_quick ? 64 : 240,
                          .after_step = after_step,
                          .user = user};
    sn_result result = sn_film_shoot(&film, &arena, pictures, report);
    for (int i = 0; i < film.shot_count && result == SN_OK; ++i) {
        snprintf(pictures[i].caption, sizeof pictures[i].caption, "%.1f s", seconds[i]);
    }
    if (result == SN_OK) {
        sn_figure_show(f, script->name, says, path);
        result = sn_pictures_write(path, pictures, film.shot_count, 2);
    }
    sn_arena_finish(&arena);
    return result;
}

/* The demo's model and strokes, more of them and further apart. */
sn_result sn_figure_school(sn_figures *f)
{
    static const double seconds[] = {1, 3};
    sn_scene_script script = *sn_scene_find_demo("school");
    sn_scene_body body = script.bodies[0];
    sn_film_report report;
    body.count = f->is_quick ? 4 : 120;
    body.translation.at[0].expression = RADIUS "*cos" TURN;
    body.translation.at[1].expression = "1.2*random(i + 0.5) - 0.6 + 0.08*sin(1.7*t + 3*i)";
    body.translation.at[2].expression = RADIUS "*sin" TURN;
    body.rotation.at[1].expression = "-" TURN " - pi/2";
    script.bodies = &body;
    script.camera.distance = 13;
    script.camera.pitch = 0.45;
    sn_figure_timing_begins(f);
    SN_TRY(shoot(f, &script, f->is_quick ? (const double[]){0.1} : seconds, 2,
                 "Fish of one model, each with a spine of its own", NULL, NULL, &report));
    sn_figure_say(f, "**Paper.** Secondary motion of a large scene, in real time.");
    sn_figure_say(f,
                  "**Here.** %d fish of one model, keyed spines, 8 modes and 40 clusters each: a step of all of them "
                  "takes %.2f ms\n"
                  "(median of %d), %.0f%% of a frame at 60 Hz; no body had to be put back (%d).",
                  body.count, report.step_ms, report.step_count, report.step_ms * 6, report.recovery_count);
    sn_figure_timing_ends(f);
    return SN_OK;
}

/* How high the ball's middle is: it begins on the floor. */
typedef struct ball_height {
    int body;
    double first, last;
} ball_height;

static void measure_ball(sn_scene *scene, void *user)
{
    ball_height *h = user;
    h->last = (double)sn_body_output(sn_scene_body_at(scene, h->body)).matrices[0].m[1][3];
}

sn_result sn_figure_bowling(sn_figures *f)
{
    static const double seconds[] = {0.1, 0.2, 0.3, 0.6};
    const sn_scene_script *demo = sn_scene_find_demo("bowling");
    sn_film_report report;
    if (!demo) {
        sn_log(SN_LOG_WARNING, "bowling: left out: this build has no rigid-body engine (SN_ODE=OFF)");
        return SN_OK;
    }
    sn_scene_script script = *demo;
    script.camera.distance = 1.9;
    ball_height ball = {.body = script.bodies[0].count, .first = script.bodies[1].translation.at[1].constant};
    SN_TRY(shoot(f, &script, f->is_quick ? (const double[]){0.1} : seconds, 4, "Soft pins on rigid bodies",
                 measure_ball, &ball, &report));
    sn_figure_say(f, "**Paper.** A rigid body is a rig of one bone; the pins of a bowling game are stylised with "
                     "secondary motion.");
    sn_figure_say(
        f,
        "**Here.** Ten pins and a ball are bodies of a rigid-body engine (ODE); one affine handle each, pins with "
        "12 "
        "modes and\n"
        "40 clusters. The engine has pins fall and knock each other over; bellies bulge and necks lag where they "
        "are hit, and\n"
        "swing on: as the paper shows. A step of the flesh of all takes %.2f ms.",
        report.step_ms);
    if (ball.last > ball.first + 0.005) {
        sn_figure_say(f,
                      "In the last picture the ball is %.0f mm above the floor: it rolled into the wall behind the\n"
                      "pins, still turns, and climbs by friction (without any on the walls it does not).",
                      1e3 * (ball.last - ball.first));
    }
    return SN_OK;
}
