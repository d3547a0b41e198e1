/* SPDX-License-Identifier: MIT */
/* Private to author/io: the list of handles in a rig's JSON or a sidecar's. */
#ifndef SN_AUTHOR_IO_RIG_RIG_HANDLES_H
#define SN_AUTHOR_IO_RIG_RIG_HANDLES_H

#include <jansson.h>

#include "author/io/rig/rig_file.h"

/* list: the value of the member "handles" of the file. Errors: see sn_rig_read. */
sn_result sn_rig_handles_read(const char *file, const json_t *list, sn_arena *arena, sn_rig_handles *handles);

/* Numbers the bones of handles that are complete but for that, and names them. SN_ERROR_FORMAT where a name is given
 * twice, SN_ERROR_UNSUPPORTED where they are too many. */
sn_result sn_rig_handles_finish(const char *file, sn_arena *arena, sn_rig_handles *handles);

/* A skeleton's joint in the plane. */
typedef struct sn_rig_joint {
    const char *name;
    int32_t parent; /* -1: none */
    double head[2], tail[2];
    bool has_tail; /* else the first child's head is its tail; without a child it is a point */
} sn_rig_joint;

/* Joints at the place of their parent, to half a unit, are one with it, and add their tail and children to it. No cycle
 * of parents. handle_of (count), or null: which one a joint has become. */
sn_result sn_rig_joints_to_handles(const char *file, const sn_rig_joint *joints, int count, sn_arena *arena,
                                   sn_rig_handles *handles, int32_t *handle_of);

#endif
