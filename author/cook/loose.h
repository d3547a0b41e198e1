/* SPDX-License-Identifier: MIT */
/* Loose bones: tentacles, tails, ears, hair. Their flesh is held by the flesh that it hangs on, not by them: the modes
 * owe them nothing, and so may do what the bones themselves do, as a whole. It is then that flesh must rest in the
 * rig's pose (host/reduced): elastic flesh that may undo a keyed curl would, towards the shape of the bind pose. */
#ifndef SN_AUTHOR_COOK_LOOSE_H
#define SN_AUTHOR_COOK_LOOSE_H

#include "author/cook/cook.h"

/* Those that the sidecar or the file names: into report.loose_count, held_weights. SN_ERROR_ARGUMENT where no bone that
 * moves flesh is left to hold it. */
sn_result sn_loose_find(sn_cooking *cooking);

#endif
