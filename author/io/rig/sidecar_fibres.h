/* SPDX-License-Identifier: MIT */
/* Private to author/io: the member "fibres" of a sidecar, and factors of materials and bones. */
#ifndef SN_AUTHOR_IO_RIG_SIDECAR_FIBRES_H
#define SN_AUTHOR_IO_RIG_SIDECAR_FIBRES_H

#include <jansson.h>

#include "author/io/rig/sidecar.h"

/* Three factors of the member at `place`. SN_ERROR_FORMAT, with FILE: PLACE, where these are none. */
sn_result sn_sidecar_read_factors(const char *file, const char *place, const json_t *value, double *factors);

/* What of it is a curve is for the cook to say. */
sn_result sn_sidecar_read_fibres(const char *file, const json_t *value, sn_arena *arena, sn_cook_fibres *fibres);

#endif
