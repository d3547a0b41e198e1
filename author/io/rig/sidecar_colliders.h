/* SPDX-License-Identifier: MIT */
/* Colliders on bones in a sidecar: docs/formats.md has the schema. */
#ifndef SN_AUTHOR_IO_RIG_SIDECAR_COLLIDERS_H
#define SN_AUTHOR_IO_RIG_SIDECAR_COLLIDERS_H

#include <jansson.h>

#include "host/base/arena.h"
#include "sinew/author.h"

/* Errors, with a line that names the entry and the member: not a list of objects, a member of another type, a number
 * that is negative or not finite, no bone, no shape; unknown members are warnings. Names are copied. */
sn_result sn_sidecar_read_colliders(const char *file, const json_t *value, sn_arena *arena,
                                    const sn_cook_collider **colliders, int *count);

#endif
