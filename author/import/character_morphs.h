/* SPDX-License-Identifier: MIT */
/* Morph targets of a character, in the order of the drawn nodes, with their animation tracks and expressions. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_MORPHS_H
#define SN_AUTHOR_IMPORT_CHARACTER_MORPHS_H

#include "author/import/character.h"

/* Derivatives of every target are computed over the complete surface, which bounds their number. */
#define SN_MORPH_LIMIT 4096
/* Displaced vertices of all targets; a small file can draw one mesh very often. */
#define SN_MORPH_DELTA_LIMIT (1 << 26)

/* One primitive at one node, and the vertices that it becomes. */
typedef struct sn_character_piece {
    const sn_scene_primitive *primitive;
    int32_t node, skin;       /* skin -1: unskinned */
    int32_t bone;             /* where unskinned: the bone that moves it */
    double to_bind[12];       /* mesh to bind pose */
    int used_count;           /* number of vertices that triangles use, or of corners with flat normals */
    int32_t *new_index;       /* (primitive's vertex_count), -1: unused; null with flat normals */
    int32_t *weight_vertices; /* (primitive's vertex_count) vertex whose weights each one uses; null: its own */
    int first_vertex;         /* index of its first vertex in the character */
} sn_character_piece;

/* Maps the scene's targets to the character's. */
typedef struct sn_morph_map {
    const sn_scene_file *scene;
    const sn_character *character;
    int32_t *first_of_node;  /* (node_count) first target of a node, or -1 */
    int32_t *nodes;          /* (morph_node_count) nodes with targets, ascending */
    int32_t *track_of_morph; /* (morph_count) track, or -1 */
    int morph_node_count;    /* number of nodes with targets */
} sn_morph_map;

/* Fills the character's targets, tracks and expressions. Pieces of one node must be consecutive. Errors:
 * SN_ERROR_UNSUPPORTED beyond the limits. */
sn_result sn_character_build_morphs(const sn_scene_file *scene, const sn_character_piece *pieces, int piece_count,
                                    sn_arena *arena, sn_character *character, sn_morph_map *map);
/* Fills the morph weights of a clip whose frames are set. */
sn_result sn_character_sample_morphs(const sn_morph_map *map, int clip, sn_arena *arena, sn_character_clip *to);

#endif
