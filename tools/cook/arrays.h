/* SPDX-License-Identifier: MIT */
/* Reads the .npy inputs of a cook: momentum leak, constraint rows, pins, clusters and tet materials. */
#ifndef SN_TOOLS_COOK_ARRAYS_H
#define SN_TOOLS_COOK_ARRAYS_H

#include "host/base/arena.h"
#include "sinew/author.h"

/* Each path may be null. */
typedef struct sn_cook_array_paths {
    const char *leak, *rows, *pins, *labels, *tet_stiffness, *tet_density, *tet_poisson;
} sn_cook_array_paths;

/* Arrays live in the arena; the desc refers to them and to the paths. */
sn_result sn_cook_arrays_read(const sn_cook_array_paths *paths, sn_arena *arena, sn_cook_desc *desc);

#endif
