/* SPDX-License-Identifier: MIT */
/* Inside of a scene: shared by its files alone. */
#ifndef SN_SCENES_SCRIPT_PRIVATE_H
#define SN_SCENES_SCRIPT_PRIVATE_H

#include "scenes/script/frame.h"
#include "scenes/script/number.h"
#include "scenes/script/scene.h"
#include "scenes/shapes/shape.h"

/* An entry of the script's bodies, of which there may be copies; or what it is on another rig. */
typedef struct sn_scene_entry {
    const sn_scene_body *script;
    const sn_model *model;
    int first, count; /* of the scene's bodies */
    int bone_count, clip;
    int *order;     /* (bone_count) bones, parents first */
    int *drives;    /* (bone_count) of the script's, or -1 */
    double *pivots; /* (bone_count x 3) */
    int *from;      /* (bone_count) of another rig: the bone of its name that the entry has, or -1; else null */
    sn_embedding *embedding; /* of bodies that are drawn as their flesh; null before the first, and on another rig */
} sn_scene_entry;

typedef struct sn_scene_state {
    sn_body_id body;
    int entry, copy;
    sn_frame rigid_place;                       /* of a body that the rigid-body engine moves */
    sn_body_desc desc;                          /* as the body has it */
    sn_body_desc asked;                         /* what was set last, or refused */
    sn_body_desc of_events, of_player;          /* what these have set of it, the player last */
    unsigned event_parameters, hand_parameters; /* which of it */
    sn_scene_entry rig;                         /* other bones than the entry's; model null: none */
    bool is_rig_kept;                           /* when the scene begins again */
    sn_embedding *embedding;                    /* on another rig, where its flesh is drawn */
    unsigned *locks;                            /* (bone_count) as they were set last, of a coupled body */
    sn_frame *offsets; /* (bone_count) from what is scripted to where a relative drive has begun */
} sn_scene_state;

/* Of an event with handles: made when it first comes. */
typedef struct sn_scene_rig {
    bool is_tried;
    const sn_model *of; /* the character's */
    sn_blob blob;
    sn_model *model; /* null: it cannot be */
} sn_scene_rig;

typedef struct sn_scene_rigids sn_scene_rigids;

struct sn_scene {
    const sn_scene_script *script;
    sn_number_programs programs;
    sn_world_id world;
    sn_world_desc world_desc;
    double time_step, time;
    sn_model **models;       /* (character_count) */
    sn_blob *blobs;          /* (character_count) of those that were cooked */
    sn_scene_entry *entries; /* (body_count) */
    sn_scene_state *bodies;  /* (all_count) */
    int all_count;
    sn_collider_id *colliders; /* (collider_count), then the floor */
    sn_grid **grids;           /* (collider_count) */
    sn_shape_mesh *surfaces;   /* (collider_count) */
    int *grabs;                /* (grab_count) numbers of the body's; -1: not held */
    bool *is_grab_done;        /* (grab_count) it was held, or missed, in this run */
    sn_scene_rig *rigs;        /* (event_count) */
    bool *is_gone;             /* (collider_count) taken away by an event */
    double *frictions;         /* (collider_count) as events have them */
    sn_scene_rigids *rigids;   /* or null: no body is rigid */
    sn_scene_hand *hand;
    void *hand_user;
    /* scratch, of the largest number of bones (bone_room) */
    int bone_room;
    sn_frame *base, *driven; /* what clip or poses say; with drives, and without the body's own place */
    sn_mat3x4 *pose;
    float *morphs;
};

/* "NAME: LIST[INDEX]", where the script's own entries stand in the library's messages. */
#define SN_SCENE_PLACE 512
const char *sn_scene_place(const sn_scene_script *script, const char *list, int index, char *text);

/* One line of what is wrong, where the library has not logged one. */
sn_result sn_scene_fail(sn_scene_error *error, sn_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* characters.c: the models of a script. */
sn_result sn_scene_make_model(const sn_scene_script *script, int character, sn_blob *blob, sn_model **model,
                              sn_scene_error *error);

/* pose.c */
sn_result sn_scene_entry_create(const sn_scene_script *script, int index, const sn_model *model, sn_scene_entry *entry,
                                sn_scene_error *error);
void sn_scene_entry_destroy(sn_scene_entry *entry);
/* The entry on the bones of another model of its character. */
sn_result sn_scene_entry_change(const sn_scene_entry *entry, const sn_model *model, sn_scene_entry *changed);
int sn_scene_find_bone(const sn_model *model, const char *name);
/* Room for bones in the scratch. */
sn_result sn_scene_make_room(sn_scene *scene, int bone_count);
/* Whether an event gives the script's body a handle of that name. */
bool sn_scene_is_of_event(const sn_scene_script *script, int body, const char *name);

/* The body's own place, as translation and rotation have it. */
sn_frame sn_scene_scripted_place(const sn_scene_body *body, const sn_moment *moment);

/* advance.c: how often an impulse comes in [from, until). */
int sn_scene_beats_between(const sn_scene_impulse *impulse, double from, double until);

/* rigid_check.c: of the bodies that are rigid. */
sn_result sn_scene_check_rigid(const sn_scene_script *script, sn_scene_error *error);
/* rigid.c: the engine's bodies, and what flesh feels of what hits them. */
sn_result sn_scene_rigids_create(sn_scene *scene, sn_scene_error *error);
void sn_scene_rigids_destroy(sn_scene *scene);
/* All of them are where they begin. */
sn_result sn_scene_rigids_restart(sn_scene *scene, sn_scene_error *error);
/* Up to the scene's time; how many bodies had numbers that are not finite, and are at rest; steps without memory
 * for contacts and blows count, too. */
int sn_scene_rigids_advance(sn_scene *scene);
/* Whether the engine says where the body is: in rigid_place. */
static inline bool sn_scene_is_carried(const sn_scene_body *body)
{
    return body->rigid && !body->rigid->is_kinematic;
}

/* embedding.c: the body's flesh is drawn, on the model that it has now, where the script says so. */
sn_result sn_scene_embed(sn_scene *scene, sn_scene_state *state);

/* moment.c: of a desc these parameters. */
void sn_scene_give(unsigned parameters, const sn_body_desc *from, sn_body_desc *desc);
/* What a body is at the scene's time, by the script, its events and the player. */
sn_body_desc sn_scene_desc_of(const sn_scene *scene, const sn_scene_state *state);
/* At another time than the scene's. */
void sn_scene_gravity_of(const sn_scene *scene, const sn_scene_state *state, double seconds, double gravity[3]);
sn_frame sn_scene_collider_place(const sn_scene *scene, int collider, double seconds);
/* The body gets that, if it is not as it was; what is refused has its line, and the body keeps what it has. */
sn_result sn_scene_set_desc(const sn_scene *scene, sn_scene_state *state);

/* event.c: those of [from, until). */
sn_result sn_scene_events_create(sn_scene *scene);
void sn_scene_events_destroy(sn_scene *scene);
void sn_scene_happen(sn_scene *scene, double from, double until);
/* As nothing has happened yet. */
sn_result sn_scene_events_restart(sn_scene *scene);

/* What the script has for a body's bones. */
static inline const sn_scene_entry *sn_scene_entry_of(const sn_scene *scene, const sn_scene_state *state)
{
    return state->rig.model ? &state->rig : &scene->entries[state->entry];
}
/* Gives the body its pose, morph weights and locks of the scene's time. */
void sn_scene_pose_body(sn_scene *scene, sn_scene_state *state);

static inline sn_moment sn_scene_moment(const sn_scene *scene, const sn_scene_state *state)
{
    return (sn_moment){&scene->programs, scene->time, state ? state->copy : 0,
                       state ? scene->entries[state->entry].count : 1};
}

#endif
