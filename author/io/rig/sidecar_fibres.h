/* SPDX-License-Identifier: MIT */
/* Private to author/io: the member "fibres" of a sidecar, and the factors of materials and bones. */
#ifndef SN_AUTHOR_IO_RIG_SIDECAR_FIBRES_H
#define SN_AUTHOR_IO_RIG_SIDECAR_FIBRES_H

#include <jansson.h>

#include "author/io/rig/sidecar.h"

/* Reads three factors. Errors: SN_ERROR_FORMAT, with the message prefix "FILE: PLACE". */
sn_result sn_sidecar_read_factors(const char *file, const char *path, const json_t *value, double *factors);

/* Reads the fibres. The cook validates the curves. */
sn_result sn_sidecar_read_fibres(const char *file, const json_t *value, sn_arena *arena, sn_cook_fibres *fibres);

#endif
