/* SPDX-License-Identifier: MIT */
/* Content that is played without a window: a character of a player, or a scene. */
#ifndef SN_RUNTIME_FRONTENDS_HEADLESS_SHOW_H
#define SN_RUNTIME_FRONTENDS_HEADLESS_SHOW_H

#include "runtime/camera/stage.h"
#include "runtime/session/player.h"
#include "scenes/script/scene.h"

typedef struct sn_show sn_show;

/* The character of a player without a window; the player must outlive the show. */
sn_result sn_show_create_character(sn_player *player, sn_show **show);
/* A scene, with a renderer for pictures of `size`; scene and device must outlive the show. */
sn_result sn_show_create_scene(sn_scene *scene, const char *name, sn_gpu_device *device, const int size[2],
                               sn_show **show);
/* Accepts null. */
void sn_show_destroy(sn_show **show);

sn_renderer *sn_show_renderer(const sn_show *show);
/* The bodies that hands can touch. The world changes when a scene restarts. */
typedef struct sn_show_cast {
    sn_world_id world;
    const sn_body_id *bodies; /* (body_count), valid until the next call */
    int body_count;
} sn_show_cast;
sn_show_cast sn_show_get_cast(sn_show *show);

/* Advances by `seconds`, limited to what the world can simulate. A scene that has ended restarts unless a hand holds a
 * body (is_held). Adds to the report's recovery count. */
sn_result sn_show_advance(sn_show *show, double seconds, bool is_held, sn_player_report *report);
/* Restarts with the flesh at rest. */
sn_result sn_show_restart(sn_show *show);
/* Fills bodies, light and ground of the current frame, valid until the next one; the caller sets the camera. */
void sn_show_fill(sn_show *show, sn_render_scene *scene);
double sn_show_solver_seconds(const sn_show *show);

/* Placement of the content relative to a viewer. */
typedef struct sn_show_stand {
    double anchor[3]; /* point on the floor below the content; its center if there is no floor */
    bool has_floor;
    double yaw;    /* of the viewer: from +Z towards +X, radians */
    double height; /* world units */
    double size;   /* longest side, world units */
    double depth;  /* extent towards the viewer, world units */
    double metres; /* metres per unit, if the file defines it; else 0 */
} sn_show_stand;
sn_show_stand sn_show_get_stand(const sn_show *show);

#endif
