/* SPDX-License-Identifier: MIT */
/* Internal declarations of the layered solver. */
#ifndef SN_HOST_LAYERED_SOLVER_H
#define SN_HOST_LAYERED_SOLVER_H

#include "host/base/arena.h"
#include "host/layered/layered.h"
#include "host/math/blend.h"
#include "host/xpbd/solver.h"

/* A vertex attached to a bone. */
typedef struct sn_layered_attached_vertex {
    int32_t vertex, bone;
} sn_layered_attached_vertex;

struct sn_layered_model {
    sn_layered_mode mode;
    int vertex_count, bone_count, tet_count;
    double *positions; /* (vertex_count x 3) */
    double *pivots;    /* (bone_count x 3) centre of rotation of a bone: the mean of its attached vertices */
    int attached_vertex_count;
    sn_layered_attached_vertex *attached; /* (attached_vertex_count) */
    int32_t *parent_bones;                /* (vertex_count) bone that places the vertex on a reset */
    int32_t *parent_bones_by_row; /* (vertex_count) the same by rows of the flesh; damping is relative to this bone */
    float *weights;               /* (vertex_count x bone_count) used instead of `parent_bones`, or null */
    sn_xpbd_model *flesh;
    double rate;           /* 1/s^2: k / (limit rho l^2), without the stiffest 5% */
    int32_t *layer_starts; /* (flesh->group_count + 1) */
    int32_t *layer_rows;   /* unattached rows of the layer's tets */
    sn_arena arena;
};

struct sn_layered_body {
    const sn_layered_model *model;
    sn_layered_settings settings;
    int substep_count;
    sn_xpbd_body *flesh;            /* its first pins are those of `attached`, in order */
    double *pose_before, *pose_now; /* (bone_count x 12) */
    double *pose_substep;           /* (bone_count x 12) in the current substep */
    void *fields;                   /* (bone_count x 16) REAL: sn_xpbd_motions */
    sn_blend *blends;               /* (bone_count) */
    double *positions;              /* (vertex_count x 3) used by resets */
};

/* Assigns layers (tet_count) to tets: 0 if it has a marked vertex, else one more than the lowest adjacent layer;
 * unreachable tets form one last layer. Returns the number of layers, or -1 if memory runs out. */
int sn_layered_find_layers(int vertex_count, int tet_count, const int32_t *tets, const bool *is_seed, int32_t *layers);

/* Spreads labels (vertex_count, < 0: none) along tet edges: each vertex gets the label of the nearest labelled one, or
 * 0 if none is reachable. */
sn_result sn_layered_spread_labels(int vertex_count, int tet_count, const int32_t *tets, int32_t *labels);

/* Fails with SN_ERROR_ARGUMENT and a message. */
sn_result sn_layered_check_settings(const sn_layered_settings *settings);
/* Settings of the flesh. Bodies on bones are damped separately, unless all motion is damped. */
sn_xpbd_settings sn_layered_flesh_settings(const sn_layered_model *model, const sn_layered_settings *settings);

bool sn_layered_is_finite_pose(const double *pose, int bone_count);
/* Interpolates the bones' matrices (bone_count x 12) between two poses (bone_count x 12). */
void sn_layered_interpolate_bones(const sn_layered_model *model, const double *before, const double *now,
                                  double fraction, float *matrices);
/* Sets the pins of attached vertices to their positions in a pose (bone_count x 12), at both ends of a step. */
void sn_layered_move_attached_pins(sn_layered_body *body, const double *pose);

/* Performs all sweeps of a substep. */
void sn_layered_sweep(sn_layered_body *body, int substep);

#endif
