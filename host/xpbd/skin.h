/* SPDX-License-Identifier: MIT */
/* What pushes and holds the skin of position-based flesh that has a cooked model's tets: impulses, wind, grabs, at the
 * model's samples of the surface. A sample lies in a tet, whose corners take what it takes, by its barycentric weights;
 * where it is drawn, bones say, or the tet itself. */
#ifndef SN_HOST_XPBD_SKIN_H
#define SN_HOST_XPBD_SKIN_H

#include "host/xpbd/xpbd.h"

/* A place on the surface that is pulled, by soft pins at the corners of its tet. */
typedef struct sn_xpbd_grab {
    bool is_held;
    int corner_count;
    int32_t corners[4];                    /* vertices */
    double weights[4];                     /* sum 1 */
    double softness;                       /* of the desc */
    double target[3], offset[3], farthest; /* the spring's length at its largest force */
} sn_xpbd_grab;

/* A body's skin, as long as a call takes. */
typedef struct sn_xpbd_skin {
    const sn_model *model;
    sn_xpbd_body *flesh;
    const double *bones; /* (bone_count x 12) as they are drawn */
    bool is_flesh_drawn; /* the surface lies where its tets have it; else where bones do */
    double mass;         /* times the model's */
    double stiffness;    /* N/m: of a body of its size, which grabs are measured by */
    double time_step;    /* seconds */
    sn_xpbd_grab *grabs; /* (SN_GRAB_LIMIT) */
} sn_xpbd_skin;

/* N/m: E times a length, where the body as a whole is a cube; in the plane, where it is a unit deep, E. */
double sn_xpbd_whole_stiffness(const sn_model *model);
/* Of the flesh, with `mass` times the model's; but for is_asleep. */
void sn_xpbd_measure_motion(const sn_xpbd_body *flesh, double mass, sn_body_motion *motion);

void sn_xpbd_skin_impulse(const sn_xpbd_skin *skin, const double *point, const double *impulse);
/* Spread over what the bone carries of the surface. */
void sn_xpbd_skin_bone_impulse(const sn_xpbd_skin *skin, int bone, const double *impulse);
#define SN_XPBD_FASTEST_WIND 100.0 /* diagonals a second against the skin: beyond, the force no longer grows */
void sn_xpbd_skin_wind(const sn_xpbd_skin *skin, const double *wind);
/* The grab's number, or -1. */
int sn_xpbd_skin_grab(const sn_xpbd_skin *skin, const double *point, const sn_grab_desc *desc);
void sn_xpbd_skin_let_go(const sn_xpbd_skin *skin, int grab);
/* Pins for what is held, as stiff as flesh of the skin's numbers wants them, anew where it has none; what there is no
 * memory for is let go. */
void sn_xpbd_skin_keep_hold(const sn_xpbd_skin *skin);
/* Before a step: pins to where their springs pull. */
void sn_xpbd_skin_pull(const sn_xpbd_skin *skin);
/* grabs (SN_GRAB_LIMIT): to a target from the next pull on; and along with a teleport. */
void sn_xpbd_grabs_drag(sn_xpbd_grab *grabs, int grab, const double *target);
void sn_xpbd_grabs_move(sn_xpbd_grab *grabs, const double *transform);

#endif
