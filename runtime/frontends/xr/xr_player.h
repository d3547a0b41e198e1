/* SPDX-License-Identifier: MIT */
/* The player in a headset. The content stands at life size on the floor in front of the user. Hands push and grab the
 * flesh; controllers vibrate on contact.
 *
 * Time. Each frame steps once, to the predicted display time, and is drawn once per eye. The headset's frame rate may
 * change at any time; the world uses its own fixed step. Time stops while nothing is displayed. */
#ifndef SN_RUNTIME_FRONTENDS_XR_XR_PLAYER_H
#define SN_RUNTIME_FRONTENDS_XR_XR_PLAYER_H

#include "runtime/frontends/headless/playable.h"
#include "runtime/xr/xr.h"

typedef struct sn_xr_player_desc {
    sn_xr *xr; /* already started */
    sn_playable *playable;
    double height;   /* metres; 0: the file's own if it is between 0.3 m and 3 m, else a default */
    int frame_limit; /* drawn frames until the session is ended; 0: no limit */
} sn_xr_player_desc;

/* Runs until the session ends. Losing the headset is an error. Sets the report. */
sn_result sn_xr_player_run(const sn_xr_player_desc *desc, sn_player_report *report);

/* Metres per world unit for a requested height (0: see sn_xr_player_desc.height). */
double sn_xr_player_metres_per_unit(const sn_placement *placement, double height);
/* Placement of the content on the floor in front of a head, facing it. */
sn_xr_placement sn_xr_player_placement(const sn_placement *placement, double metres_per_unit, const sn_xr_pose *head);

#endif
