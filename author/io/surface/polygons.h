/* SPDX-License-Identifier: MIT */
/* Triangulates polygons. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_POLYGONS_H
#define SN_AUTHOR_IO_SURFACE_POLYGONS_H

#include "author/io/list.h"
#include "author/io/text.h"

/* The triangles of the polygons added so far. */
typedef struct sn_polygons {
    sn_list triangles;     /* of int32_t[3] */
    int64_t skipped_count; /* faces with fewer than 3 corners */
} sn_polygons;

/* Adds the count - 2 triangles of a polygon: a fan if it is convex and its fan has no degenerate triangle, else by
 * cutting ears of its projection along the dominant axis of its normal (Meisters, "Polygons have ears", 1975). Polygons
 * without ears (self-intersecting) or with more than SN_MAX_EAR_CORNERS corners (the search is quadratic) become fans.
 * Corner i has the position corners[i] and the output index ids[i]; both may be the same array. Polygons with fewer
 * than 3 corners are counted and skipped. */
#define SN_MAX_EAR_CORNERS 1024
sn_result sn_polygons_add(sn_polygons *polygons, const float *positions, const int32_t *corners, const int32_t *ids,
                          size_t count);
/* Warns about skipped polygons; returns SN_ERROR_FORMAT if there are no triangles. */
sn_result sn_polygons_finish(const sn_polygons *polygons, const sn_text *text);

#endif
