/* SPDX-License-Identifier: MIT */
/* Private to author/io: the list of handles in a rig file or a sidecar. */
#ifndef SN_AUTHOR_IO_RIG_RIG_HANDLES_H
#define SN_AUTHOR_IO_RIG_RIG_HANDLES_H

#include <jansson.h>

#include "author/io/rig/rig_file.h"

/* Reads the value of the file's member "handles". Errors: as for sn_rig_read. */
sn_result sn_rig_handles_read(const char *file, const json_t *list, sn_arena *arena, sn_rig_handles *handles);

/* Numbers and names the bones of otherwise complete handles. Errors: SN_ERROR_FORMAT for a duplicate name,
 * SN_ERROR_UNSUPPORTED for too many bones. */
sn_result sn_rig_handles_finish(const char *file, sn_arena *arena, sn_rig_handles *handles);

/* A joint of a planar skeleton. */
typedef struct sn_rig_joint {
    const char *name;
    int32_t parent; /* -1: root */
    double head[2], tail[2];
    bool has_tail; /* else the tail is the first child's head; a joint without children is a point */
} sn_rig_joint;

/* Converts joints to handles. Joints within 0.5 units of their parent are merged with it, together with their tail and
 * children. The parents must not form a cycle. handle_of (count) receives the handle of each joint; may be null. */
sn_result sn_rig_joints_to_handles(const char *file, const sn_rig_joint *joints, int count, sn_arena *arena,
                                   sn_rig_handles *handles, int32_t *handle_of);

#endif
