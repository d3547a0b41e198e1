/* SPDX-License-Identifier: MIT */
/* Scene, camera and messages of the player. */
#include <math.h>
#include <stdarg.h>

#include "host/platform/platform.h"
#include "runtime/session/player_state.h"
#include "runtime/view/draw_body.h"

void sn_player_show_message(sn_player *player, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_title_set_message(&player->title, sn_now(), format, arguments);
    va_end(arguments);
}

double sn_player_stage_frame_seconds(const sn_player *p)
{
    return p->stage.frame_count > 1 ? p->motion_seconds / (p->stage.frame_count - 1) : SN_STAGE_FRAME_SECONDS;
}

void sn_player_set_scene(const sn_player *p, const int size[2], sn_render_scene *scene)
{
    const double frame = fmin(p->time / sn_player_stage_frame_seconds(p), p->stage.frame_count - 1);
    sn_stage_scene(&p->stage, frame, scene);
    scene->has_ground = scene->has_ground && !p->is_floor_off;
    scene->seconds = (float)p->wind_seconds;
    sn_render_set_backdrop(scene, p->desc.backdrop, p->desc.background);
    sn_orbit orbit = p->orbit;
    const double widening = sn_orbit_center(&orbit, &p->stage, p->stage_aspect, size, sn_panel_width(&p->panel, size));
    sn_orbit_apply(&orbit, &p->stage, widening, &scene->camera);
}

void sn_player_fill(const sn_player *p, const int size[2], sn_render_body *bodies, sn_render_scene *scene)
{
    sn_player_set_scene(p, size, scene);
    bodies[0] = (sn_render_body){.model = p->render_model};
    for (int i = 0; i < p->solid_count; ++i) {
        bodies[i + 1] = (sn_render_body){.model = p->solid_models[i], .transforms = sn_solid_transforms};
    }
    scene->bodies = bodies;
    scene->body_count = p->solid_count + 1;
    sn_draw_body(p->body, &bodies[0], scene);
}

sn_camera sn_player_get_camera(const sn_player *p)
{
    sn_render_scene scene;
    int size[2];
    sn_window_size(p->desc.window, size);
    sn_player_set_scene(p, (const int[]){size[0] > 0 ? size[0] : 1, size[1] > 0 ? size[1] : 1}, &scene);
    return scene.camera;
}
