/* SPDX-License-Identifier: MIT */
/* The player in a headset: what is shown stands on the floor before the user, as large as life; hands push its flesh
 * and take hold of it, and feel it.
 *
 * Time. A frame is stepped once, to the moment at which the headset will show it, and drawn twice. Its rate is the
 * headset's and may change at any time: the world has its own fixed step. While nothing is seen time stands. */
#ifndef SN_RUNTIME_FRONTENDS_XR_XR_PLAYER_H
#define SN_RUNTIME_FRONTENDS_XR_XR_PLAYER_H

#include "runtime/frontends/headless/show.h"
#include "runtime/xr/xr.h"

typedef struct sn_xr_player_desc {
    sn_xr *xr; /* started */
    sn_show *show;
    double height;   /* metres; 0: as its file has it, where that is a person's size, else a default */
    int frame_limit; /* drawn frames until it asks for the end; 0: none */
} sn_xr_player_desc;

/* Until the session ends. A headset that is lost is an error. The report's numbers are set. */
sn_result sn_xr_player_run(const sn_xr_player_desc *desc, sn_player_report *report);

/* Metres of a unit, so that it is as tall: see the desc. */
double sn_xr_player_metres(const sn_show_stand *stand, double height);
/* Before a head, at its floor, face to face. */
sn_xr_place sn_xr_player_place(const sn_show_stand *stand, double metres, const sn_xr_pose *head);

#endif
