/* SPDX-License-Identifier: MIT */
/* What is played where there is no window: a character of a player without one, or a scene. */
#ifndef SN_RUNTIME_FRONTENDS_HEADLESS_SHOW_H
#define SN_RUNTIME_FRONTENDS_HEADLESS_SHOW_H

#include "runtime/camera/stage.h"
#include "runtime/session/player.h"
#include "scenes/script/scene.h"

typedef struct sn_show sn_show;

/* One that a player without a window shows; the player must outlive it. */
sn_result sn_show_create_character(sn_player *player, sn_show **show);
/* With a renderer of its own for pictures of `size`; the scene and the device must outlive it. */
sn_result sn_show_create_scene(sn_scene *scene, const char *name, sn_gpu_device *device, const int size[2],
                               sn_show **show);
/* Accepts null. */
void sn_show_destroy(sn_show **show);

sn_renderer *sn_show_renderer(const sn_show *show);
/* What hands can meet; another world once a scene has begun again. */
typedef struct sn_show_cast {
    sn_world_id world;
    const sn_body_id *bodies; /* (body_count), valid until the next call */
    int body_count;
} sn_show_cast;
sn_show_cast sn_show_get_cast(sn_show *show);

/* Moves on by `seconds`, of which as many are left out as the world could not follow. A scene that has come to its end
 * begins again, unless it is held. The report's recoveries are counted on. */
sn_result sn_show_advance(sn_show *show, double seconds, bool is_held, sn_player_report *report);
/* To the start, at rest. */
sn_result sn_show_restart(sn_show *show);
/* Bodies, light and ground as they are now, and what holds as long; whoever draws it brings a camera. */
void sn_show_fill(sn_show *show, sn_render_scene *scene);
double sn_show_solver_seconds(const sn_show *show);

/* How it stands before somebody. */
typedef struct sn_show_stand {
    double anchor[3]; /* what stands on the floor, or, where there is none, is looked at */
    bool has_floor;
    double yaw;    /* of who looks at it: from +z towards +x, radians */
    double height; /* units of the world */
    double size;   /* its longest side, units */
    double depth;  /* towards who looks at it, units */
    double metres; /* a unit, where its file tells; 0: it does not */
} sn_show_stand;
sn_show_stand sn_show_get_stand(const sn_show *show);

#endif
