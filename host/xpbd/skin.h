/* SPDX-License-Identifier: MIT */
/* Impulses, wind and grabs on the skin of position-based flesh on a cooked model's tets, at the model's surface
 * samples. A sample lies in a tet, and its forces are distributed to the tet's corners by barycentric weights. The
 * sample's visible position is given by the bones or by the tet. */
#ifndef SN_HOST_XPBD_SKIN_H
#define SN_HOST_XPBD_SKIN_H

#include "host/xpbd/xpbd.h"

/* A grabbed point of the surface, held by soft pins at the corners of its tet. */
typedef struct sn_xpbd_grab {
    bool is_active;
    int corner_count;
    int32_t corners[4];                         /* vertices */
    double weights[4];                          /* sum 1 */
    double softness;                            /* from the sn_grab_desc */
    double target[3], offset[3], max_extension; /* max_extension: extension of the spring at its maximal force */
} sn_xpbd_grab;

/* A body's skin, for the duration of a call. */
typedef struct sn_xpbd_skin {
    const sn_model *model;
    sn_xpbd_body *flesh;
    const double *bones; /* (bone_count x 12) as rendered */
    bool follows_tets;   /* the surface follows its tets; else the bones */
    double mass;         /* factor of the model's mass */
    double stiffness;    /* N/m: stiffness of the whole body, the scale of grab stiffness */
    double time_step;    /* seconds */
    sn_xpbd_grab *grabs; /* (SN_GRAB_LIMIT) */
} sn_xpbd_skin;

/* N/m: stiffness of the body as a cube, E times its edge length; for flat bodies, of unit depth, E. */
double sn_xpbd_reference_stiffness(const sn_model *model);
/* Fills all of `motion` except is_asleep, with `mass` times the model's mass. */
void sn_xpbd_measure_motion(const sn_xpbd_body *flesh, double mass, sn_body_motion *motion);

void sn_xpbd_skin_impulse(const sn_xpbd_skin *skin, const double *point, const double *impulse);
/* Distributes the impulse over the surface that the bone influences. */
void sn_xpbd_skin_bone_impulse(const sn_xpbd_skin *skin, int bone, const double *impulse);
#define SN_XPBD_MAX_WIND_SPEED 100.0 /* diagonals per second relative to the skin; the force stops growing there */
void sn_xpbd_skin_wind(const sn_xpbd_skin *skin, const double *wind);
/* Returns the grab's index, or -1. */
int sn_xpbd_skin_grab(const sn_xpbd_skin *skin, const double *point, const sn_grab_desc *desc);
void sn_xpbd_skin_release(const sn_xpbd_skin *skin, int grab);
/* Updates the stiffness of the grabs' pins to the skin's values and recreates missing pins. A grab whose pins cannot be
 * allocated is released. */
void sn_xpbd_skin_update_pins(const sn_xpbd_skin *skin);
/* Before a step: moves the pins to the positions that the grab springs request. */
void sn_xpbd_skin_move_pins(const sn_xpbd_skin *skin);
/* grabs (SN_GRAB_LIMIT). Sets a grab's target from the next step on; transforms all targets with a teleport. */
void sn_xpbd_grabs_drag(sn_xpbd_grab *grabs, int grab, const double *target);
void sn_xpbd_grabs_transform(sn_xpbd_grab *grabs, const double *transform);

#endif
