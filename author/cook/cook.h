/* SPDX-License-Identifier: MIT */
/* The inside of a cook: everything that its stages made, for dumps and tests. */
#ifndef SN_AUTHOR_COOK_COOK_H
#define SN_AUTHOR_COOK_COOK_H

#include "author/io/rig_file.h"
#include "author/modes/clusters.h"
#include "author/modes/reduced_matrices.h"
#include "host/model/model.h"
#include "sinew/author.h"

/* Zero it, run it, read it, finish it. A mesh or rig (with has_rig) set beforehand is cooked, and
 * rescaled, in place of the file's. */
typedef struct sn_cooking {
    const char *path;
    const sn_cook_desc *desc;
    sn_arena arena;
    sn_cook_report report;
    /* read */
    sn_rig_file rig;
    bool has_rig;
    sn_clip_file *clips;   /* (clip_count) */
    sn_tet_mesh mesh;      /* in model units after "mesh" */
    int file_vertex_count; /* before any was removed */
    int32_t *old_index;    /* (vertex_count) index in the file, null where nothing was removed */
    /* mesh */
    double origin[3], scale, diagonal, height;
    double *gradients, *volumes, *mass; /* mass without density */
    int32_t *neighbours, *boundary;
    int boundary_count;
    double *leak, *rig_weights; /* (vertex_count), (vertex_count x bone_count) */
    sn_constraint constraint;
    sn_modes modes;
    int32_t *clusters;
    sn_reduced_matrices reduced;
    uint8_t *bytes; /* the model's file */
    size_t size;
} sn_cooking;

sn_result sn_cooking_run(sn_cooking *cooking, const char *path, const sn_cook_desc *desc);
void sn_cooking_finish(sn_cooking *cooking);

/* Reads any tet mesh by its extension: .msh, .mesh. */
sn_result sn_tet_file_read(const char *path, sn_arena *arena, sn_tet_mesh *mesh);

#endif
