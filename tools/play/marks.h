/* SPDX-License-Identifier: MIT */
/* What `play --headless` draws over a character: its handles, its mesh. */
#ifndef SN_TOOLS_PLAY_MARKS_H
#define SN_TOOLS_PLAY_MARKS_H

#include "runtime/edit/mesh_lines.h"
#include "runtime/render/renderer.h"
#include "tools/simulation/simulation.h"

/* Zero it; open it with either or both, or leave it. */
typedef struct sn_marks {
    const sn_simulation *simulation;
    bool has_handles;
    sn_mesh_lines mesh;
    double *rig;    /* (vertex_count x 3) scratch, with a mesh */
    uint8_t *locks; /* (bone_count) of a coupled body, or null */
    sn_marker_list list;
} sn_marks;

/* Of an open simulation, which must outlive it. */
sn_result sn_marks_open(sn_marks *markers, const sn_simulation *simulation, bool has_handles, bool has_mesh,
                        sn_arena *arena);
/* Accepts one that was not opened. */
void sn_marks_close(sn_marks *markers);
/* What is drawn over a picture of that height. */
sn_render_overlay sn_marks_overlay(const sn_marker_list *list, int height);
/* transforms ((bone_count + mode_count) x 12) of what is drawn. The scene's overlay is valid until the next call. */
void sn_marks_draw(sn_marks *markers, const float *transforms, int mode_count, int height, sn_render_scene *scene);

#endif
