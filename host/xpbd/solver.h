/* SPDX-License-Identifier: MIT */
/* Inside of the position-based engine: its own files, and solvers that add projections to a substep. */
#ifndef SN_HOST_XPBD_SOLVER_H
#define SN_HOST_XPBD_SOLVER_H

#include "host/base/arena.h"
#include "host/xpbd/sweep.h"
#include "host/xpbd/xpbd.h"

/* The model's vertices lie along a Morton curve; `order` gives the caller's number. */
struct sn_xpbd_model {
    int vertex_count, row_count; /* rows: vertices, the spare one, padding */
    int dimension;               /* 2: triangles, which move in the plane */
    bool is_legacy;
    bool is_polar;             /* tets, some with a negative lambda: recipe_polar.inc */
    bool is_strain, is_framed; /* tets of seven constraints: recipe_strain.inc */
    int group_count;           /* of elements that are swept one after the other; 0: all at once */
    int32_t *group_starts;     /* (group_count + 1) batches */
    double diagonal, centre[3];
    float *rest;              /* (row_count x 4) place from the centre, mass */
    int32_t *order;           /* (vertex_count) the caller's number of a row */
    int32_t *rows;            /* (vertex_count) the row of a caller's number */
    int32_t *element_numbers; /* (element_room) place of the caller's element in the batches' numbers; -1: removed */
    int element_count, element_room;
    sn_xpbd_batches elements, kinds[SN_XPBD_KIND_COUNT];
    uint64_t revision; /* edits so far */
    sn_arena arena;
};

typedef struct sn_xpbd_pin {
    int32_t row;
    double stiffness;
    double target[3], target_before[3]; /* less the rest place, at the end and at the start of the step */
    double multiplier[3];               /* of a soft one */
} sn_xpbd_pin;

/* A batch list's multipliers, which sweeps after the first need. */
typedef struct sn_xpbd_multipliers {
    void *values;
    size_t count;
} sn_xpbd_multipliers;

/* What a collider gave in a step, as contact and friction. */
typedef struct sn_xpbd_pushed {
    uint32_t key; /* the collider's */
    double impulse[3];
} sn_xpbd_pushed;
#define SN_XPBD_PUSHED_LIMIT 8 /* colliders that touched in a step; more are not told */

struct sn_xpbd_body {
    const sn_xpbd_model *model;
    sn_xpbd_model *own_model; /* the same, where it was edited apart; else null */
    sn_xpbd_settings settings;
    const sn_xpbd_kernels *kernels;
    double substep, velocity_kept; /* h, exp(-damping h) */
    double origin[3];              /* a vertex is at origin + rest + u: it follows the body, so that u stays small */
    sn_xpbd_state state;
    size_t real_size; /* of the state's numbers */
    sn_xpbd_multipliers elements, kinds[SN_XPBD_KIND_COUNT];
    uint64_t revision;   /* of the model, that the multipliers fit */
    int32_t *pin_of_row; /* (vertex_count) or -1 */
    int pin_count, pin_capacity;
    uint64_t pin_edits; /* pins that came, went or changed their stiffness so far */
    sn_xpbd_pin *pins;
    int contact_count;
    double push[3]; /* of the collider that is being met */
    int pushed_count;
    sn_xpbd_pushed pushed[SN_XPBD_PUSHED_LIMIT]; /* (pushed_count) of the last step */
    bool has_to_damp; /* the substep before has left that to the next one, which goes through all rows anyway */
    sn_xpbd_damping damping;
    double still_seconds;
    uint64_t seen; /* hash of what surrounded the body in the last step */
};

static inline double sn_xpbd_get(const sn_xpbd_body *body, const void *array, size_t i)
{
    return body->settings.is_double ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

static inline void sn_xpbd_put(const sn_xpbd_body *body, void *array, size_t i, double value)
{
    if (body->settings.is_double) {
        ((double *)array)[i] = value;
    } else {
        ((float *)array)[i] = (float)value;
    }
}

/* Where a row is in the world. */
void sn_xpbd_get_place(const sn_xpbd_body *body, int row, double *place);
void sn_xpbd_put_place(sn_xpbd_body *body, int row, const double *place);
/* Takes the origin along where the body has moved by more than its diagonal. */
void sn_xpbd_follow(sn_xpbd_body *body);

/* The parts of a substep, in order; what couples a body to something else moves rows between the last two. */
void sn_xpbd_substep_begin(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep);
void sn_xpbd_substep_sweep(sn_xpbd_body *body, int substep);
void sn_xpbd_substep_end(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep);
/* Room for multipliers, as the settings and the model want it. */
void sn_xpbd_fit_multipliers(sn_xpbd_body *body);
/* The batches [first, last) of elements once. is_first: multipliers begin from zero. */
void sn_xpbd_sweep_elements(sn_xpbd_body *body, int first, int last, bool is_first);
/* Soft pins, which a substep does after each sweep. */
void sn_xpbd_pull_to_pins(sn_xpbd_body *body, int substep);
/* What a step does before and after its substeps: false where the body sleeps. */
bool sn_xpbd_step_begin(sn_xpbd_body *body, const sn_surroundings *surroundings);
sn_xpbd_report sn_xpbd_step_end(sn_xpbd_body *body);

/* What can wake a body. */
uint64_t sn_xpbd_hash_surroundings(const sn_surroundings *surroundings);
bool sn_xpbd_are_settings_sound(const sn_xpbd_settings *settings);
/* A strain-based tet's stiffness (STRAIN_COUNT) and axes (9), or null; `element` is its number in messages. Writes the
 * largest stiffness. */
sn_result sn_xpbd_check_strain(int element, const double *stiffness, const double *axes, double *stiffest);

/* How long a body must be still, and how many diagonals from the pins no body is by its own motion between two steps.
 */
#define SN_XPBD_SLEEP_SECONDS 0.5
#define SN_XPBD_FARTHEST 1000.0

/* Pushes vertices out of colliders, at the end of substep `substep` of the step. */
void sn_xpbd_project_contacts(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep);

#endif
