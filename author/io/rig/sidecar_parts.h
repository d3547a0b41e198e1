/* SPDX-License-Identifier: MIT */
/* Private to author/io: the members "parts" and "character" of a sidecar. The schema is in docs/reference/sidecar.md.
 */
#ifndef SN_AUTHOR_IO_RIG_SIDECAR_PARTS_H
#define SN_AUTHOR_IO_RIG_SIDECAR_PARTS_H

#include <jansson.h>

#include "author/io/rig/sidecar.h"

/* Kinds are not checked here, since their table belongs to the cook. */
sn_result sn_sidecar_read_parts(const char *file, json_t *value, sn_arena *arena, sn_named_part **parts, int *count);
sn_result sn_sidecar_read_style(const char *file, const json_t *value, sn_character_style *style);

#endif
