/* SPDX-License-Identifier: MIT */
/* Internal declarations of the position-based engine, for its own files and for solvers that add projections to a
 * substep. */
#ifndef SN_HOST_XPBD_SOLVER_H
#define SN_HOST_XPBD_SOLVER_H

#include "host/base/arena.h"
#include "host/xpbd/sweep.h"
#include "host/xpbd/xpbd.h"

/* Vertices are sorted along a Morton curve into rows; `order` maps rows to the caller's indices. */
struct sn_xpbd_model {
    int vertex_count, row_count; /* rows: vertices, the spare vertex, padding */
    int dimension;               /* 2: triangles that move in the plane; 3: tets */
    bool is_legacy;
    bool is_polar;             /* tets, some with negative lambda (recipe_polar.inc) */
    bool is_strain, is_framed; /* tets with seven strain constraints (recipe_strain.inc); with their own axes */
    int group_count;           /* groups of elements that are swept in sequence; 0: ungrouped */
    int32_t *group_starts;     /* (group_count + 1) first batches */
    double diagonal, centre[3];
    float *rest;              /* (row_count x 4) position relative to the centre, mass */
    int32_t *order;           /* (vertex_count) the caller's index of a row */
    int32_t *rows;            /* (vertex_count) the row of a caller's index */
    int32_t *element_numbers; /* (element_capacity) number in the batches of the caller's element; -1: removed */
    int element_count, element_capacity;
    sn_xpbd_batches elements, constraints_by_type[SN_XPBD_TYPE_COUNT];
    uint64_t revision; /* number of edits so far */
    sn_arena arena;
};

typedef struct sn_xpbd_pin {
    int32_t row;
    double stiffness;
    double target[3], target_before[3]; /* minus the rest position, at the step's end and start */
    double multiplier[3];               /* of a soft pin */
} sn_xpbd_pin;

/* Multipliers of a batch list, for sweeps after the first. */
typedef struct sn_xpbd_multipliers {
    void *values;
    size_t count;
} sn_xpbd_multipliers;

/* Impulse of a collider in a step, by contact and friction. */
typedef struct sn_xpbd_collider_impulse {
    uint32_t key; /* key of the collider */
    double impulse[3];
} sn_xpbd_collider_impulse;
#define SN_XPBD_COLLIDER_IMPULSE_LIMIT 8 /* colliders that are recorded per step */

struct sn_xpbd_body {
    const sn_xpbd_model *model;
    sn_xpbd_model *own_model; /* the body's own copy of the model once it was edited; else null */
    sn_xpbd_settings settings;
    const sn_xpbd_kernels *kernels;
    double substep, velocity_retention; /* h, exp(-damping h) */
    double origin[3];                   /* vertex = origin + rest + u; follows the body, so that u stays small */
    sn_xpbd_state state;
    size_t real_size; /* size of the state's numbers in bytes */
    sn_xpbd_multipliers elements, constraints_by_type[SN_XPBD_TYPE_COUNT];
    uint64_t revision;   /* the model's revision that the multipliers fit */
    int32_t *pin_of_row; /* (vertex_count) -1: not pinned */
    int pin_count, pin_capacity;
    uint64_t pin_edits; /* number of changes of pins and their stiffness so far */
    sn_xpbd_pin *pins;
    int contact_count;
    double contact_impulse[3]; /* impulse of the current collider */
    int collider_impulse_count;
    sn_xpbd_collider_impulse
        collider_impulses[SN_XPBD_COLLIDER_IMPULSE_LIMIT]; /* (collider_impulse_count) in the last step */
    bool is_damping_pending; /* damping of the previous substep is still due; the next prediction applies it in the same
                                pass */
    sn_xpbd_damping damping;
    double still_seconds;
    uint64_t surroundings_hash; /* hash of the surroundings in the last step */
};

static inline double sn_xpbd_get_real(const sn_xpbd_body *body, const void *array, size_t i)
{
    return body->settings.is_double ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

static inline void sn_xpbd_set_real(const sn_xpbd_body *body, void *array, size_t i, double value)
{
    if (body->settings.is_double) {
        ((double *)array)[i] = value;
    } else {
        ((float *)array)[i] = (float)value;
    }
}

/* World position of a row. */
void sn_xpbd_get_position(const sn_xpbd_body *body, int row, double *position);
void sn_xpbd_set_position(sn_xpbd_body *body, int row, const double *position);
/* Moves the origin with the body once it has moved by more than its diagonal. */
void sn_xpbd_recenter_origin(sn_xpbd_body *body);

/* The parts of a substep, in order. A coupled solver moves rows between the last two. */
void sn_xpbd_substep_begin(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep);
void sn_xpbd_substep_sweep(sn_xpbd_body *body, int substep);
void sn_xpbd_substep_end(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep);
/* Allocates the multipliers that the settings and the model need. */
void sn_xpbd_fit_multipliers(sn_xpbd_body *body);
/* Sweeps the element batches [first, last) once. is_first: multipliers start at zero. */
void sn_xpbd_sweep_elements(sn_xpbd_body *body, int first, int last, bool is_first);
/* Solves the soft pins, after each sweep of a substep. */
void sn_xpbd_solve_pins(sn_xpbd_body *body, int substep);
/* The parts of a step before and after its substeps; sn_xpbd_step_begin returns false if the body sleeps. */
bool sn_xpbd_step_begin(sn_xpbd_body *body, const sn_surroundings *surroundings);
sn_xpbd_report sn_xpbd_step_end(sn_xpbd_body *body);

/* Hash of everything that can wake a body. */
uint64_t sn_xpbd_hash_surroundings(const sn_surroundings *surroundings);
bool sn_xpbd_are_settings_valid(const sn_xpbd_settings *settings);
/* Checks a strain-based tet's stiffness (STRAIN_COUNT) and axes (9; or null); `element` is its index in messages.
 * Writes the largest stiffness. */
sn_result sn_xpbd_check_strain(int element, const double *stiffness, const double *axes, double *max_stiffness);

/* Time at rest before a body sleeps, and the distance from the mean pin, in diagonals, beyond which it is reset. */
#define SN_XPBD_SLEEP_SECONDS 0.5
#define SN_XPBD_MAX_DISTANCE 1000.0

/* Pushes vertices out of colliders, positioned at the end of substep `substep`. */
void sn_xpbd_project_contacts(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep);

#endif
