/* SPDX-License-Identifier: MIT */
/* Inside of layered bodies: shared by their files alone. */
#ifndef SN_HOST_LAYERED_SOLVER_H
#define SN_HOST_LAYERED_SOLVER_H

#include "host/base/arena.h"
#include "host/layered/layered.h"
#include "host/math/blend.h"
#include "host/xpbd/solver.h"

/* A vertex that a bone carries. */
typedef struct sn_layered_carried {
    int32_t vertex, bone;
} sn_layered_carried;

struct sn_layered_model {
    sn_layered_mode mode;
    int vertex_count, bone_count, tet_count;
    double *positions; /* (vertex_count x 3) */
    double *pivots;    /* (bone_count x 3) what a bone turns about: the middle of what it carries */
    int carried_count;
    sn_layered_carried *carried; /* (carried_count) */
    int32_t *followed;           /* (vertex_count) bone that the vertex goes along with when reset */
    int32_t *followed_rows;      /* (vertex_count) by rows of the flesh: whose motion damping leaves alone */
    float *weights;              /* (vertex_count x bone_count), or null: in place of followed */
    sn_xpbd_model *flesh;
    double rate;           /* 1/s^2: k / (limit rho l^2), of all but the stiffest twentieth */
    int32_t *layer_starts; /* (flesh->group_count + 1) */
    int32_t *layer_rows;   /* rows of the layer's tets that no bone carries */
    sn_arena arena;
};

struct sn_layered_body {
    const sn_layered_model *model;
    sn_layered_settings settings;
    int substep_count;
    sn_xpbd_body *flesh;            /* pins: first those of `carried`, in order */
    double *pose_before, *pose_now; /* (bone_count x 12) */
    double *pose_between;           /* (bone_count x 12) of a substep */
    void *fields;                   /* (bone_count x 16) REAL: sn_xpbd_motions */
    sn_blend *blends;               /* (bone_count) */
    double *positions;              /* (vertex_count x 3) for resets */
};

/* A layer a tet (tet_count): 0 where it has a marked vertex, else one more than the least beside it; tets that are not
 * reached: one last layer. Returns how many there are, or -1 without memory. */
int sn_layered_find_layers(int vertex_count, int tet_count, const int32_t *tets, const bool *is_marked,
                           int32_t *layers);

/* Along edges of tets, the nearest seed's label (vertex_count, < 0: none), which vertices that have none get; 0 where
 * there is none to be reached. */
sn_result sn_layered_spread_labels(int vertex_count, int tet_count, const int32_t *tets, int32_t *labels);

/* SN_ERROR_ARGUMENT, with its line. */
sn_result sn_layered_check_settings(const sn_layered_settings *settings);
/* Of its flesh; bodies on bones are damped apart, unless all motion is. */
sn_xpbd_settings sn_layered_flesh_settings(const sn_layered_model *model, const sn_layered_settings *settings);

bool sn_layered_is_finite_pose(const double *pose, int bone_count);
/* Bones' matrices (bone_count x 12) at a fraction of the way between two poses (bone_count x 12). */
void sn_layered_bones_between(const sn_layered_model *model, const double *before, const double *now, double fraction,
                              float *matrices);
/* Pins of carried vertices to where a pose (bone_count x 12) has them, at both ends of a step. */
void sn_layered_aim_carried(sn_layered_body *body, const double *pose);

/* All sweeps of a substep. */
void sn_layered_sweep(sn_layered_body *body, int substep);

#endif
