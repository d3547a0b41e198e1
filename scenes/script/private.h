/* SPDX-License-Identifier: MIT */
/* Internal state of a scene. */
#ifndef SN_SCENES_SCRIPT_PRIVATE_H
#define SN_SCENES_SCRIPT_PRIVATE_H

#include "scenes/script/frame.h"
#include "scenes/script/number.h"
#include "scenes/script/scene.h"
#include "scenes/shapes/shape.h"

/* An entry of the script's bodies, shared by its copies; or the same for another rig. */
typedef struct sn_scene_entry {
    const sn_scene_body *script;
    const sn_model *model;
    int first, count; /* range of the scene's bodies */
    int bone_count, clip;
    int *order;              /* (bone_count) bones, parents first */
    int *drives;             /* (bone_count) index of the script's drive, or -1 */
    double *pivots;          /* (bone_count x 3) */
    int *from;               /* another rig: (bone_count) the entry's bone of the same name, or -1; else null */
    sn_embedding *embedding; /* of bodies drawn as flesh; null until first used, and for another rig */
} sn_scene_entry;

typedef struct sn_scene_state {
    sn_body_id body;
    int entry, copy;
    sn_frame rigid_frame;                         /* of a body moved by the rigid-body engine */
    sn_body_desc desc;                            /* current parameters of the body */
    sn_body_desc requested_desc;                  /* last requested parameters, possibly rejected */
    sn_body_desc event_desc, player_desc;         /* overrides by events and by the player; the player has precedence */
    unsigned event_parameters, player_parameters; /* which parameters are overridden */
    sn_scene_entry rig;                           /* other bones than the entry's; model null: none */
    bool is_rig_persistent;                       /* the other rig survives a restart */
    sn_embedding *embedding;                      /* of another rig, if drawn as flesh */
    unsigned *locks;                              /* (bone_count) last set locks, for coupled bodies */
    sn_frame *offsets; /* (bone_count) from the scripted transform to the start of a relative drive */
} sn_scene_state;

/* Model of an event with handles, built on first use. */
typedef struct sn_scene_rig {
    bool was_attempted;
    const sn_model *character_model; /* of the character */
    sn_blob blob;
    sn_model *model; /* null: building failed */
} sn_scene_rig;

typedef struct sn_scene_rigids sn_scene_rigids;

struct sn_scene {
    const sn_scene_script *script;
    sn_number_programs programs;
    sn_world_id world;
    sn_world_desc world_desc;
    double time_step, time;
    sn_model **models;       /* (character_count) */
    sn_blob *blobs;          /* (character_count) bytes of cooked models */
    sn_scene_entry *entries; /* (body_count) */
    sn_scene_state *bodies;  /* (instance_count) */
    int instance_count;
    sn_collider_id *colliders; /* (collider_count + 1) the last one is the floor */
    sn_grid **grids;           /* (collider_count) */
    sn_shape_mesh *surfaces;   /* (collider_count) */
    int *grabs;                /* (grab_count) grab index of the body, or -1 */
    bool *has_grab_started;    /* (grab_count) already started, or missed, in this run */
    sn_scene_rig *rigs;        /* (event_count) */
    bool *is_removed;          /* (collider_count) removed by an event */
    double *frictions;         /* (collider_count) current, as set by events */
    sn_scene_rigids *rigids;   /* null: no body is rigid */
    sn_scene_pose_callback *pose_callback;
    void *pose_callback_user;
    /* scratch with capacity for bone_capacity bones */
    int bone_capacity;
    sn_frame *base, *driven; /* C_b and E_b of pose.c */
    sn_mat3x4 *pose;
    float *morphs;
};

/* Writes "NAME: LIST[INDEX]", the location of a script's entry for messages. */
#define SN_SCENE_LOCATION_SIZE 512
const char *sn_scene_location(const sn_scene_script *script, const char *list, int index, char *text);

/* Sets the error text and returns `result`; for errors that the library has not logged. */
sn_result sn_scene_fail(sn_scene_error *error, sn_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* characters.c: creates the model of a character. */
sn_result sn_scene_create_model(const sn_scene_script *script, int character, sn_blob *blob, sn_model **model,
                                sn_scene_error *error);

/* pose.c */
sn_result sn_scene_entry_create(const sn_scene_script *script, int index, const sn_model *model, sn_scene_entry *entry,
                                sn_scene_error *error);
void sn_scene_entry_destroy(sn_scene_entry *entry);
/* The entry for another model of its character. */
sn_result sn_scene_entry_change(const sn_scene_entry *entry, const sn_model *model, sn_scene_entry *changed);
int sn_scene_find_bone(const sn_model *model, const char *name);
/* Ensures scratch capacity for bone_count bones. */
sn_result sn_scene_reserve_bones(sn_scene *scene, int bone_count);
/* True if an event gives the script's body a handle of that name. */
bool sn_scene_event_has_handle(const sn_scene_script *script, int body, const char *name);

/* The body's scripted transform. */
sn_frame sn_scene_scripted_frame(const sn_scene_body *body, const sn_number_context *context);

/* advance.c: how often an impulse occurs in [from, until). */
int sn_scene_count_impulses(const sn_scene_impulse *impulse, double from, double until);

/* rigid_check.c: validates the rigid bodies. */
sn_result sn_scene_check_rigid(const sn_scene_script *script, sn_scene_error *error);
/* rigid.c: bodies of the engine, and contact impulses on their flesh. */
sn_result sn_scene_rigids_create(sn_scene *scene, sn_scene_error *error);
void sn_scene_rigids_destroy(sn_scene *scene);
/* Resets all rigid bodies to their initial state. */
sn_result sn_scene_rigids_restart(sn_scene *scene, sn_scene_error *error);
/* Advances to the scene's time. Returns the number of bodies reset because of invalid numbers, plus steps that lost
 * contacts or impulses for lack of memory. */
int sn_scene_rigids_advance(sn_scene *scene);
/* True if the engine determines the body's transform (rigid_frame). */
static inline bool sn_scene_is_rigid_dynamic(const sn_scene_body *body)
{
    return body->rigid && !body->rigid->is_kinematic;
}

/* embedding.c: creates the embedding of the body's current model if it is drawn as flesh. */
sn_result sn_scene_embed(sn_scene *scene, sn_scene_state *state);

/* state.c: copies the selected parameters. */
void sn_scene_copy_parameters(unsigned parameters, const sn_body_desc *from, sn_body_desc *desc);
/* Parameters of a body at the scene's time, from the script, its events and the player. */
sn_body_desc sn_scene_desc_of(const sn_scene *scene, const sn_scene_state *state);
/* At any time. */
void sn_scene_gravity_of(const sn_scene *scene, const sn_scene_state *state, double seconds, double gravity[3]);
sn_frame sn_scene_collider_frame(const sn_scene *scene, int collider, double seconds);
/* Applies the current parameters if they changed. If they are rejected, the error is logged and the body keeps its
 * parameters. */
sn_result sn_scene_set_desc(const sn_scene *scene, sn_scene_state *state);

/* event.c: sn_scene_apply_events applies the events of [from, until). */
sn_result sn_scene_events_create(sn_scene *scene);
void sn_scene_events_destroy(sn_scene *scene);
void sn_scene_apply_events(sn_scene *scene, double from, double until);
/* Resets everything that events have changed. */
sn_result sn_scene_events_restart(sn_scene *scene);

/* The entry for the body's current rig. */
static inline const sn_scene_entry *sn_scene_entry_of(const sn_scene *scene, const sn_scene_state *state)
{
    return state->rig.model ? &state->rig : &scene->entries[state->entry];
}
/* Sets the body's pose, morph weights and locks for the scene's time. */
void sn_scene_pose_body(sn_scene *scene, sn_scene_state *state);

static inline sn_number_context sn_scene_number_context(const sn_scene *scene, const sn_scene_state *state)
{
    return (sn_number_context){&scene->programs, scene->time, state ? state->copy : 0,
                               state ? scene->entries[state->entry].count : 1};
}

#endif
