/* SPDX-License-Identifier: MIT */
/* Reads colliders on bones from a sidecar. The schema is in docs/reference/sidecar.md. */
#ifndef SN_AUTHOR_IO_RIG_SIDECAR_COLLIDERS_H
#define SN_AUTHOR_IO_RIG_SIDECAR_COLLIDERS_H

#include <jansson.h>

#include "host/base/arena.h"
#include "sinew/author.h"

/* Names are copied. Errors name the entry and the member: not a list of objects, a member of the wrong type, a number
 * that is negative or not finite, a missing bone or shape. Unknown members cause warnings. */
sn_result sn_sidecar_read_colliders(const char *file, const json_t *value, sn_arena *arena,
                                    const sn_cook_collider **colliders, int *count);

#endif
