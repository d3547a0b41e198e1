/* SPDX-License-Identifier: MIT */
/* Writes a skinned scene as USD text: UsdSkel (Skeleton, SkelAnimation, BlendShape), meshes, UsdPreviewSurface. */
#ifndef SN_AUTHOR_IO_USD_USD_WRITE_H
#define SN_AUTHOR_IO_USD_USD_WRITE_H

#include "author/io/scene_file.h"

/* Writes a .usda. The scene must have one skin, one node that draws one mesh with it, a skeleton of the other nodes
 * with parents before children, and at most one clip of linear keys. Time codes are frames at `frame_rate` per second.
 * Textures are separate files named after the layer ("OUT.texture0.png"; ".jpg" if it came as JPEG). Files are replaced
 * atomically, the layer last. USD stores scales in half precision. The output is deterministic. Errors:
 * SN_ERROR_MEMORY; SN_ERROR_FILE; SN_ERROR_UNSUPPORTED for other scenes; SN_ERROR_NUMERIC for numbers that are not
 * finite as floats. */
sn_result sn_usd_write(const char *path, const sn_scene_file *scene, double frame_rate);

#endif
