/* SPDX-License-Identifier: MIT */
/* A skinned scene out as USD text: UsdSkel (Skeleton, SkelAnimation, BlendShape), meshes, UsdPreviewSurface. */
#ifndef SN_AUTHOR_IO_USD_USD_WRITE_H
#define SN_AUTHOR_IO_USD_USD_WRITE_H

#include "author/io/scene_file.h"

/* Writes a .usda. The scene has one skin, one node that draws one mesh with it, all others a skeleton with parents
 * before children, and at most one clip of linear keys; time codes are frames of `frame_rate` a second. Pictures go
 * beside it, named after it ("OUT.texture0.png"). Each file is written beside its place, then renamed, the layer last.
 * USD keeps scales in half precision. Same scene, same bytes. Errors: SN_ERROR_MEMORY, SN_ERROR_FILE,
 * SN_ERROR_UNSUPPORTED for other scenes, SN_ERROR_NUMERIC for numbers that are not finite as floats. */
sn_result sn_usd_write(const char *path, const sn_scene_file *scene, double frame_rate);

#endif
