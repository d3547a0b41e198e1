/* SPDX-License-Identifier: MIT */
/* Morph targets of a character: those of every node that is drawn, in the order of nodes; and what clips and
 * expressions do to them. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_MORPHS_H
#define SN_AUTHOR_IMPORT_CHARACTER_MORPHS_H

#include "author/import/character.h"

/* The derivatives of each are taken over the whole surface. */
#define SN_MORPH_LIMIT 4096
/* Moved vertices of all targets: small files can draw one mesh very often. */
#define SN_MORPH_DELTA_LIMIT (1 << 26)

/* One primitive on one node, and where its vertices go. */
typedef struct sn_character_piece {
    const sn_scene_primitive *primitive;
    int32_t node, skin; /* skin -1: unskinned */
    int32_t bone;       /* unskinned: the one it moves with */
    double place[12];   /* mesh to bind */
    int used_count;     /* vertices that triangles use, or corners where normals are flat */
    int32_t *new_index; /* (primitive's vertex_count), -1: unused; null where normals are flat */
    int32_t *lenders;   /* (primitive's vertex_count) whose weights each takes, or null: its own (lent_weights.h) */
    int first_vertex;   /* of the character */
} sn_character_piece;

/* Where the targets of the scene are in the character. */
typedef struct sn_morph_map {
    const sn_scene_file *scene;
    const sn_character *character;
    int32_t *first_of_node;  /* (node_count) the first target, or -1 */
    int32_t *nodes;          /* (node_count of these) nodes with targets, ascending */
    int32_t *track_of_morph; /* (morph_count) or -1 */
    int drawn_count;         /* of nodes */
} sn_morph_map;

/* Fills the character's targets, tracks and expressions. Pieces of a node follow each other. Errors:
 * SN_ERROR_UNSUPPORTED beyond the limits. */
sn_result sn_character_build_morphs(const sn_scene_file *scene, const sn_character_piece *pieces, int piece_count,
                                    sn_arena *arena, sn_character *character, sn_morph_map *map);
/* Fills the clip's weights; its frames are known. */
sn_result sn_character_sample_morphs(const sn_morph_map *map, int clip, sn_arena *arena, sn_character_clip *to);

#endif
