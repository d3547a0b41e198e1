/* SPDX-License-Identifier: MIT */
/* Private to author/io: the list of handles in a rig's JSON or a sidecar's. */
#ifndef SN_AUTHOR_IO_RIG_HANDLES_H
#define SN_AUTHOR_IO_RIG_HANDLES_H

#include <jansson.h>

#include "author/io/rig_file.h"

/* list: the value of the member "handles" of the file. Errors: see sn_rig_read. */
sn_result sn_rig_handles_read(const char *file, const json_t *list, sn_arena *arena, sn_rig_handles *handles);

#endif
