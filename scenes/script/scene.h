/* SPDX-License-Identifier: MIT */
/* Scenes: a script (script.h) made into a world that plays it. Player, sim, tests and benchmarks step the same ones.
 *
 * The same script and the same calls give the same bits, for any number of the world's threads. A scene belongs to one
 * thread at a time. */
#ifndef SN_SCENES_SCRIPT_SCENE_H
#define SN_SCENES_SCRIPT_SCENE_H

#include "scenes/script/script.h"

typedef struct sn_scene sn_scene;

/* Empty where the library has logged its own line. */
typedef struct sn_scene_error {
    char text[512]; /* "bodies[2].drives[0]: no bone is called 'tail'" */
} sn_scene_error;

/* Whether a script can be a scene, as far as that shows without its files: counts, indices, numbers, expressions. */
sn_result sn_scene_check(const sn_scene_script *script, sn_scene_error *error);

/* Cooks or opens the characters, makes bodies and colliders; everything is at rest at time 0. `world` says on what it
 * steps; the script's time step wins over its. The script must outlive the scene. */
sn_result sn_scene_create(const sn_scene_script *script, const sn_world_desc *world, sn_scene **scene,
                          sn_scene_error *error);
void sn_scene_destroy(sn_scene **scene);

typedef struct sn_scene_report {
    sn_world_report world; /* sums of the steps */
    int missed_grab_count; /* grabs that found nothing in reach */
} sn_scene_report;

/* Moves on by `seconds` (>= 0), in pieces of a time step at most: what the script moves is set to the end of each, what
 * happens in it happens before. */
sn_scene_report sn_scene_advance(sn_scene *scene, double seconds);
/* To time 0, at rest: as it was created. Bodies are new ones then, and so is the world. After an error only
 * sn_scene_destroy is allowed. */
sn_result sn_scene_restart(sn_scene *scene);

/* ---- whoever plays it has a hand in it ---- */

/* Called for every body whenever the script has put its bones (count, of its model) somewhere: they go where this
 * leaves them. Null: nobody. */
typedef void sn_scene_hand(int body, sn_mat3x4 *bones, int count, void *user);
void sn_scene_set_hand(sn_scene *scene, sn_scene_hand *hand, void *user);
/* These of a body's parameters (SN_SCENE_...) are the desc's from now on, whatever the script has. Errors: those of
 * sn_body_set_desc (one line); the body then keeps what it has, and nothing of the desc is kept. */
sn_result sn_scene_set_parameters(sn_scene *scene, int body, unsigned parameters, const sn_body_desc *desc);
/* As the body has them. */
sn_body_desc sn_scene_parameters(const sn_scene *scene, int body);
/* After sn_body_set_rig: what the script has for bones goes on for those of the same names; others are free. The body
 * keeps its rig when the scene begins again. */
sn_result sn_scene_follow_rig(sn_scene *scene, int body);
/* All bodies have their own rigs again, and the scene begins again. */
sn_result sn_scene_forget_rigs(sn_scene *scene);

const sn_scene_script *sn_scene_get_script(const sn_scene *scene);
double sn_scene_time(const sn_scene *scene);
double sn_scene_time_step(const sn_scene *scene);
/* Until it begins again. */
sn_world_id sn_scene_world(const sn_scene *scene);

/* ---- what is drawn, and dumped ---- */

/* All copies of all bodies, in the script's order. */
int sn_scene_body_count(const sn_scene *scene);
sn_body_id sn_scene_body_at(const sn_scene *scene, int body);
/* Which of the script's bodies it is a copy of. */
int sn_scene_body_entry(const sn_scene *scene, int body);

/* A surface of triangles, counter-clockwise from outside. */
typedef struct sn_scene_surface {
    const double *positions, *normals; /* (vertex_count x 3) */
    const int32_t *triangles;          /* (triangle_count x 3) */
    int vertex_count, triangle_count;
} sn_scene_surface;

/* Of the script's colliders; the floor is not among them. What is drawn of one, without its transform: a plane has
 * nothing. */
sn_scene_surface sn_scene_collider_surface(const sn_scene *scene, int collider);
/* As it is now, with its transform, and of a grid with the grid. */
sn_collider_desc sn_scene_collider_at(const sn_scene *scene, int collider);
/* Events take colliders away, and bring them back. */
bool sn_scene_has_collider(const sn_scene *scene, int collider);

/* ---- the built-in ones ---- */

int sn_scene_demo_count(void);
const sn_scene_script *sn_scene_demo(int index);
/* Null where there is none of that name. */
const sn_scene_script *sn_scene_find_demo(const char *name);

#endif
