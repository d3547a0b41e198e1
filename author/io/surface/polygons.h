/* SPDX-License-Identifier: MIT */
/* Polygons become triangles. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_POLYGONS_H
#define SN_AUTHOR_IO_SURFACE_POLYGONS_H

#include "author/io/list.h"
#include "author/io/text.h"

/* Triangles under construction. */
typedef struct sn_polygons {
    sn_list triangles;     /* of int32_t[3] */
    int64_t skipped_count; /* faces with fewer than 3 corners */
} sn_polygons;

/* Adds the count - 2 triangles of a polygon: a fan where it is convex and that has no flat triangle, else the ears of
 * its projection along the dominant axis of its normal (Meisters, "Polygons have ears", 1975). What has no ear (it cuts
 * itself) or more than SN_MAX_EAR_CORNERS corners (the search is quadratic) is a fan. Corner i lies at position
 * corners[i] and gives the index ids[i]; both may be the same array. Fewer than 3 corners are counted and skipped. */
#define SN_MAX_EAR_CORNERS 1024
sn_result sn_polygons_add(sn_polygons *polygons, const float *positions, const int32_t *corners, const int32_t *ids,
                          size_t count);
/* One warning about what was skipped; SN_ERROR_FORMAT when there is no triangle. */
sn_result sn_polygons_check(const sn_polygons *polygons, const sn_text *text);

#endif
