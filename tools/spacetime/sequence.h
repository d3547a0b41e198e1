/* SPDX-License-Identifier: MIT */
/* Sequence files of `sinew spacetime` (docs/reference/spacetime-sequence.md). */
#ifndef SN_TOOLS_SPACETIME_SEQUENCE_H
#define SN_TOOLS_SPACETIME_SEQUENCE_H

#include "author/io/source.h"
#include "author/spacetime/spacetime.h"

#define SN_REGION_DEPTH 8 /* maximum nesting of regions */

/* A set of vertices of the rest mesh. */
typedef enum sn_region_type {
    SN_REGION_NONE,
    SN_REGION_ALL,
    SN_REGION_BOX,
    SN_REGION_VERTICES,
    SN_REGION_PAINT,
    SN_REGION_NOT, /* of its single part */
    SN_REGION_ANY  /* of its parts */
} sn_region_type;

typedef struct sn_region {
    sn_region_type type;
    double low[3], high[3];
    int count; /* of vertices or parts */
    const int32_t *vertices;
    const char
        *path; /* .npy: one number per vertex, selected above 0.5; vertices: their position in the sequence file */
    const struct sn_region *parts;
} sn_region;

/* Moves the vertices of a region: x <- pivot + translation + rotation * scale * (x - pivot). */
typedef struct sn_spacetime_file_move {
    sn_region region;
    double translation[3], rotation[3] /* degrees about x, then y, then z */, scale[3], pivot[3];
} sn_spacetime_file_move;

typedef struct sn_spacetime_file_key {
    const char *shape; /* a file, or null: the rest shape */
    int move_count;
    const sn_spacetime_file_move *moves;
    sn_region hold, hold_velocity;
    double velocity[3], duration;
    int sample_count;
} sn_spacetime_file_key;

typedef struct sn_spacetime_file {
    const char *mesh, *surface; /* files; at least one is set */
    int vertex_target;          /* of a mesh generated for the surface */
    sn_spacetime_material material;
    double damping, gravity[3];
    bool is_cyclic;
    sn_spacetime_desc desc;
    int key_count, obstacle_count;
    const sn_spacetime_file_key *keys;
    const sn_spacetime_obstacle *obstacles;
} sn_spacetime_file;

/* Reads a sequence file. Relative paths start at its folder. Everything lives in the arena. Errors: SN_ERROR_FORMAT
 * with one line "FILE: keys[1].duration: cause". */
sn_result sn_spacetime_file_read(const sn_source *source, sn_arena *arena, sn_spacetime_file *sequence);

/* A sequence with its loaded files: the input of the optimisation and the surface that it moves. */
typedef struct sn_spacetime_body {
    sn_tet_mesh mesh;
    sn_spacetime_input input;
    struct sn_spacetime_surface *surface;
    struct sn_scene_file *source; /* triangles of the surface, or null: the mesh's boundary */
    double fit_error;             /* distance of the mesh from the keys' shapes, in diagonals */
} sn_spacetime_body;

/* Opens the files of a sequence. Errors name the file. */
sn_result sn_spacetime_file_open(const sn_spacetime_file *sequence, const char *name, sn_arena *arena,
                                 sn_spacetime_body *body);

/* The key whose positions a key uses: itself, the previous one for a hit, or the first of a cycle. */
int sn_spacetime_file_shared_key(const sn_spacetime_file *sequence, int key);

typedef struct sn_region_selector {
    const char *name; /* of the sequence file */
    const sn_tet_mesh *mesh;
    bool *masks; /* (SN_REGION_DEPTH + 1, mesh->vertex_count): scratch */
} sn_region_selector;

/* Fills is_in (mesh->vertex_count). */
sn_result sn_region_select(const sn_region_selector *marker, const sn_region *region, bool *is_in);

#endif
