/* SPDX-License-Identifier: MIT */
/* Values of a strain-based tet in batches (see recipe_strain.inc). */
#ifndef SN_HOST_XPBD_STRAIN_H
#define SN_HOST_XPBD_STRAIN_H

#define STRAIN_COUNT 7         /* constraints: stretch 1 2 3, shear 12 13 23, volume */
#define STRAIN_VALUES 16       /* Dm^-1 R, row-major; 1/(k V) of each constraint */
#define STRAIN_FRAME_VALUES 25 /* the same, then R, row-major */

#endif
