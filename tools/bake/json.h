/* SPDX-License-Identifier: MIT */
/* Writes a motion as JSON: handles and their transforms (fields: docs/reference/file-formats.md). */
#ifndef SN_TOOLS_BAKE_JSON_H
#define SN_TOOLS_BAKE_JSON_H

#include "tools/bake/recording.h"

/* Writes the file in the coordinates of the cooked input. An existing file is replaced only when the new one is
 * complete. */
sn_result sn_bake_json_write(const char *path, const char *model_path, const sn_recording *recording);

#endif
