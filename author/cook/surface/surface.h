/* SPDX-License-Identifier: MIT */
/* The rendered surface in double precision and model units, before it is packed. */
#ifndef SN_AUTHOR_COOK_SURFACE_SURFACE_H
#define SN_AUTHOR_COOK_SURFACE_SURFACE_H

#include "author/cook/cook_context.h"
#include "host/mesh/tri_mesh.h"

typedef struct sn_render_surface {
    sn_tri_mesh mesh;
    double *normals;           /* (vertex_count x 3) */
    double *uvs[2];            /* (vertex_count x 2); null: none */
    bool has_uvs;              /* tangents are computed from the first set */
    const uint16_t *colors;    /* (vertex_count x 4); null: white */
    const bool *is_rigid;      /* (vertex_count) no mode moves the vertex; null: none */
    const int32_t *rig_starts; /* (vertex_count + 1) */
    const int32_t *rig_bones;
    const double *rig_weights;
    double *mode_weights;        /* (vertex_count x mode_count) */
    const int32_t *tets;         /* (vertex_count) tet that contains each vertex, or -1 */
    const double *barycentric;   /* (vertex_count x 4) barycentric coordinates in it */
    const int32_t *delta_starts; /* (morph_count + 1) */
    const sn_character_delta
        *deltas; /* in model units; morph target m has those in [delta_starts[m], delta_starts[m + 1]) */
    int bone_count, mode_count, morph_count;
    double diagonal;
    /* Computed from the fields above. */
    double *tangents; /* (vertex_count x 4) */
    int32_t *groups;  /* (vertex_count) group of vertices that are one point of the surface */
    int group_count;
} sn_render_surface;

/* Fill the surface and the model's parts, materials and textures. mode_weights: see sn_cook_context_add_surface. */
/* Reads NAME_tex.obj beside the tet mesh file NAME.msh, if it exists. */
sn_result sn_cook_context_find_surface_file(sn_cook_context *cook);
/* That surface; the boundary, with a warning, if most of it is far outside of the tets. */
sn_result sn_surface_from_file(sn_cook_context *cook, const double *mode_weights, sn_render_surface *surface,
                               sn_model *model);
sn_result sn_surface_from_boundary(sn_cook_context *cook, const double *mode_weights, sn_render_surface *surface,
                                   sn_model *model);
sn_result sn_surface_from_character(sn_cook_context *cook, const double *mode_weights, sn_render_surface *surface,
                                    sn_model *model);

/* Interpolates rows of tet vertices at embedded points: result (point_count x column_count). Points at tet -1 get 0. */
void sn_embed_rows(const sn_tet_mesh *mesh, const int32_t *tets, const double *barycentric, int point_count,
                   const double *rows, int column_count, double *result);
/* Converts a dense table of weights (vertex_count x bone_count) to lists of the positive entries. */
sn_result sn_render_surface_list_weights(sn_arena *arena, const double *table, sn_render_surface *surface);

/* Packs the bone weights of a complete surface. */
sn_result sn_surface_add_influences(sn_arena *arena, const sn_render_surface *surface, sn_model *model);

/* Fills the morph targets' deltas of a complete surface. Errors: SN_ERROR_NUMERIC (beyond the range of float),
 * SN_ERROR_UNSUPPORTED (too many). */
sn_result sn_surface_add_morphs(sn_cook_context *cook, const sn_render_surface *surface, sn_model *model);

/* The clay-colored default material. */
sn_material sn_default_material(void);

#endif
