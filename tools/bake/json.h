/* SPDX-License-Identifier: MIT */
/* A motion as JSON: handles and their transforms (docs/bake.md has the fields). */
#ifndef SN_TOOLS_BAKE_JSON_H
#define SN_TOOLS_BAKE_JSON_H

#include "tools/bake/recording.h"

/* In the coordinates of the file that was cooked. The old file stays until the new one is whole. */
sn_result sn_bake_json_write(const char *path, const char *model_path, const sn_recording *recording);

#endif
