/* SPDX-License-Identifier: MIT */
/* Overlays of `play --headless`: handles and simulation mesh. */
#ifndef SN_TOOLS_PLAY_OVERLAYS_H
#define SN_TOOLS_PLAY_OVERLAYS_H

#include "runtime/edit/mesh_lines.h"
#include "runtime/render/renderer.h"
#include "tools/simulation/simulation.h"

/* Zero it. Opening is optional. */
typedef struct sn_overlays {
    const sn_simulation *simulation;
    bool has_handles;
    sn_mesh_lines mesh;
    double *rig;    /* (vertex_count x 3) scratch, with a mesh */
    uint8_t *locks; /* (bone_count) locks of a coupled body, or null */
    sn_marker_list list;
} sn_overlays;

/* The simulation must be open and outlive the overlays. */
sn_result sn_overlays_open(sn_overlays *markers, const sn_simulation *simulation, bool has_handles, bool has_mesh,
                           sn_arena *arena);
/* Accepts a zeroed struct. */
void sn_overlays_close(sn_overlays *markers);
/* The overlay for a picture of the given height. */
sn_render_overlay sn_overlays_get(const sn_marker_list *list, int height);
/* Adds the overlay to the scene; transforms ((bone_count + mode_count) x 12) are those that are rendered. The overlay
 * is valid until the next call. */
void sn_overlays_draw(sn_overlays *markers, const float *transforms, int mode_count, int height,
                      sn_render_scene *scene);

#endif
