/* SPDX-License-Identifier: MIT */
/* Scenes: a world that plays a script (script.h). Used by the player, sim, tests and benchmarks.
 *
 * Deterministic: the same script and calls give bit-identical results, for any number of threads of the world. A scene
 * may be used by one thread at a time. */
#ifndef SN_SCENES_SCRIPT_SCENE_H
#define SN_SCENES_SCRIPT_SCENE_H

#include "scenes/script/script.h"

typedef struct sn_scene sn_scene;

/* Error text; empty if the library has logged the error. */
typedef struct sn_scene_error {
    char text[512]; /* such as "bodies[2].drives[0]: no bone is called 'tail'" */
} sn_scene_error;

/* Validates a script without reading its files: counts, indices, numbers, expressions. */
sn_result sn_scene_check(const sn_scene_script *script, sn_scene_error *error);

/* Cooks or opens the characters and creates bodies and colliders, at rest at time 0. `world` selects threads and
 * backend; the script's time step, if set, overrides its. The script must outlive the scene. */
sn_result sn_scene_create(const sn_scene_script *script, const sn_world_desc *world, sn_scene **scene,
                          sn_scene_error *error);
void sn_scene_destroy(sn_scene **scene);

typedef struct sn_scene_report {
    sn_world_report world; /* totals over the steps */
    int missed_grab_count; /* grabs that found nothing within their radius */
} sn_scene_report;

/* Advances by `seconds` (>= 0), in pieces of at most one time step. In each piece, impulses and events are applied
 * first, and everything scripted is set to the end of the piece. */
sn_scene_report sn_scene_advance(sn_scene *scene, double seconds);
/* Restarts at time 0, at rest. World and bodies are recreated. After an error only sn_scene_destroy may be called. */
sn_result sn_scene_restart(sn_scene *scene);

/* ---- changes by the player ---- */

/* Callback for each body after the script has posed its bones (count, of its model); it may change them. Null: none. */
typedef void sn_scene_pose_callback(int body, sn_mat3x4 *bones, int count, void *user);
void sn_scene_set_pose_callback(sn_scene *scene, sn_scene_pose_callback *pose_callback, void *user);
/* Overrides the selected parameters (SN_SCENE_...) of a body permanently. Errors: those of sn_body_set_desc (logged);
 * nothing is then changed. */
sn_result sn_scene_set_parameters(sn_scene *scene, int body, unsigned parameters, const sn_body_desc *desc);
/* Current parameters of the body. */
sn_body_desc sn_scene_parameters(const sn_scene *scene, int body);
/* Call after sn_body_set_model: scripted bones continue by name, others are free. The body keeps its rig on restart. */
sn_result sn_scene_adopt_rig(sn_scene *scene, int body);
/* Restores the original rigs of all bodies and restarts. */
sn_result sn_scene_restore_rigs(sn_scene *scene);

const sn_scene_script *sn_scene_get_script(const sn_scene *scene);
double sn_scene_time(const sn_scene *scene);
double sn_scene_time_step(const sn_scene *scene);
/* Valid until a restart. */
sn_world_id sn_scene_world(const sn_scene *scene);

/* ---- bodies and colliders, for drawing and dumping ---- */

/* All copies of all bodies, in the script's order. */
int sn_scene_body_count(const sn_scene *scene);
sn_body_id sn_scene_body_at(const sn_scene *scene, int body);
/* Index of the script's body that it is a copy of. */
int sn_scene_body_entry(const sn_scene *scene, int body);

/* A triangle surface, counter-clockwise from outside. */
typedef struct sn_scene_surface {
    const double *positions, *normals; /* (vertex_count x 3) */
    const int32_t *triangles;          /* (triangle_count x 3) */
    int vertex_count, triangle_count;
} sn_scene_surface;

/* Render surface of a script's collider (not the floor), without its transform; empty for a plane. */
sn_scene_surface sn_scene_collider_surface(const sn_scene *scene, int collider);
/* Current description, with transform and grid. */
sn_collider_desc sn_scene_collider_at(const sn_scene *scene, int collider);
/* False while an event has removed the collider. */
bool sn_scene_has_collider(const sn_scene *scene, int collider);

/* ---- built-in scenes ---- */

int sn_scene_demo_count(void);
const sn_scene_script *sn_scene_demo(int index);
/* Null if there is no scene of that name. */
const sn_scene_script *sn_scene_find_demo(const char *name);

#endif
