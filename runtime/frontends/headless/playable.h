/* SPDX-License-Identifier: MIT */
/* Content that is played without a window: a character of a player, or a scene. */
#ifndef SN_RUNTIME_FRONTENDS_HEADLESS_PLAYABLE_H
#define SN_RUNTIME_FRONTENDS_HEADLESS_PLAYABLE_H

#include "runtime/camera/stage.h"
#include "runtime/session/player.h"
#include "scenes/script/scene.h"

typedef struct sn_playable sn_playable;

/* The character of a player without a window; the player must outlive the show. */
sn_result sn_playable_create_character(sn_player *player, sn_playable **playable);
/* A scene, with a renderer for pictures of `size`; scene and device must outlive the show. */
sn_result sn_playable_create_scene(sn_scene *scene, const char *name, sn_gpu_device *device, const int size[2],
                                   sn_playable **playable);
/* Accepts null. */
void sn_playable_destroy(sn_playable **playable);

sn_renderer *sn_playable_renderer(const sn_playable *playable);
/* The bodies that hands can touch. The world changes when a scene restarts. */
typedef struct sn_visible_bodies {
    sn_world_id world;
    const sn_body_id *bodies; /* (body_count), valid until the next call */
    int body_count;
} sn_visible_bodies;
sn_visible_bodies sn_playable_get_bodies(sn_playable *playable);

/* Advances by `seconds`, limited to what the world can simulate. A scene that has ended restarts unless a hand holds a
 * body (is_grabbing). Adds to the report's recovery count. */
sn_result sn_playable_advance(sn_playable *playable, double seconds, bool is_grabbing, sn_player_report *report);
/* Restarts with the flesh at rest. */
sn_result sn_playable_restart(sn_playable *playable);
/* Fills bodies, light and ground of the current frame, valid until the next one; the caller sets the camera. */
void sn_playable_fill(sn_playable *playable, sn_render_scene *scene);
double sn_playable_solver_seconds(const sn_playable *playable);

/* Placement of the content relative to a viewer. */
typedef struct sn_placement {
    double anchor[3]; /* point on the floor below the content; its center if there is no floor */
    bool has_floor;
    double yaw;             /* of the viewer: from +Z towards +X, radians */
    double height;          /* world units */
    double size;            /* longest side, world units */
    double depth;           /* extent towards the viewer, world units */
    double metres_per_unit; /* metres per unit, if the file defines it; else 0 */
} sn_placement;
sn_placement sn_playable_get_placement(const sn_playable *playable);

#endif
