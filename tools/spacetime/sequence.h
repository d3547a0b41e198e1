/* SPDX-License-Identifier: MIT */
/* Sequence files of `sinew spacetime` (docs/spacetime.md). */
#ifndef SN_TOOLS_SPACETIME_SEQUENCE_H
#define SN_TOOLS_SPACETIME_SEQUENCE_H

#include "author/io/source.h"
#include "author/spacetime/spacetime.h"

#define SN_REGION_DEPTH 8 /* of regions in regions */

/* Vertices of the mesh at rest. */
typedef enum sn_region_kind {
    SN_REGION_NONE,
    SN_REGION_ALL,
    SN_REGION_BOX,
    SN_REGION_VERTICES,
    SN_REGION_PAINT,
    SN_REGION_NOT, /* of its one part */
    SN_REGION_ANY  /* of its parts */
} sn_region_kind;

typedef struct sn_region {
    sn_region_kind kind;
    double low[3], high[3];
    int count; /* of vertices or parts */
    const int32_t *vertices;
    const char *path; /* of a .npy: a number a vertex, above 0.5; of vertices: their place in the sequence file */
    const struct sn_region *parts;
} sn_region;

/* x <- pivot + translation + rotation * scale * (x - pivot) of a region. */
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
    const char *mesh, *surface; /* files; one of the two at least */
    int vertex_target;          /* of a mesh made for the surface */
    sn_spacetime_material material;
    double damping, gravity[3];
    bool is_cyclic;
    sn_spacetime_desc desc;
    int key_count, obstacle_count;
    const sn_spacetime_file_key *keys;
    const sn_spacetime_obstacle *obstacles;
} sn_spacetime_file;

/* Paths are taken from the sequence file's folder. Everything lives in the arena. Errors: SN_ERROR_FORMAT with one line
 * "FILE: keys[1].duration: cause". */
sn_result sn_spacetime_file_read(const sn_source *source, sn_arena *arena, sn_spacetime_file *sequence);

/* A sequence with its files: what the optimisation takes, and the surface that it moves. */
typedef struct sn_spacetime_body {
    sn_tet_mesh mesh;
    sn_spacetime_input input;
    struct sn_spacetime_surface *surface;
    struct sn_scene_file *source; /* of the surface, or null: the mesh's boundary */
    double fit_error;             /* how far the mesh alone is from the keys' shapes, in diagonals */
} sn_spacetime_body;

/* Errors name the file that they are of. */
sn_result sn_spacetime_file_open(const sn_spacetime_file *sequence, const char *name, sn_arena *arena,
                                 sn_spacetime_body *body);

/* The key whose positions a key has: itself, the one before a hit, or a cycle's first. */
int sn_spacetime_file_shared_key(const sn_spacetime_file *sequence, int key);

typedef struct sn_region_marker {
    const char *name; /* of the sequence file */
    const sn_tet_mesh *mesh;
    bool *masks; /* (SN_REGION_DEPTH + 1, mesh->vertex_count): scratch */
} sn_region_marker;

/* is_in (mesh->vertex_count) */
sn_result sn_region_mark(const sn_region_marker *marker, const sn_region *region, bool *is_in);

#endif
