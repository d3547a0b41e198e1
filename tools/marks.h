/* SPDX-License-Identifier: MIT */
/* What `play --headless` draws over a character: its handles, its mesh. */
#ifndef SN_TOOLS_MARKS_H
#define SN_TOOLS_MARKS_H

#include "runtime/edit/mesh_lines.h"
#include "runtime/render/renderer.h"

/* Zero it; open it with either or both, or leave it. */
typedef struct sn_marks {
    const sn_model *model;
    bool has_handles;
    sn_mesh_lines mesh;
    sn_mark_list list;
} sn_marks;

sn_result sn_marks_open(sn_marks *marks, const sn_model *model, bool has_handles, bool has_mesh, sn_arena *arena);
/* Accepts one that was not opened. */
void sn_marks_close(sn_marks *marks);
/* transforms ((bone_count + mode_count) x 12) of what is drawn, locks (bone_count) or null. The scene's overlay is
 * valid until the next call. */
void sn_marks_draw(sn_marks *marks, const float *transforms, int mode_count, const uint8_t *locks, int height,
                   sn_render_scene *scene);

#endif
