/* SPDX-License-Identifier: MIT */
/* Reads tet meshes: Gmsh 2.2 and 4.1 (ASCII and binary), Medit .mesh (ASCII). Elements other than tets are skipped;
 * node ids may have gaps. Error messages name the file, the location (line or byte) and the cause. Memory is bounded by
 * a constant factor of the file's size. Indices are validated and coordinates are finite; sn_tet_mesh_validate checks
 * the geometry (volumes, duplicates). */
#ifndef SN_AUTHOR_IO_TETS_TET_FILE_H
#define SN_AUTHOR_IO_TETS_TET_FILE_H

#include "author/io/source.h"
#include "host/mesh/tet_mesh.h"

/* Named parts of a mesh. */
typedef struct sn_tet_groups {
    int count;          /* groups with tets */
    int empty_count;    /* named groups without tets */
    const char **names; /* (count + empty_count) */
    int32_t *of_tet;    /* (tet_count) group, -1: none */
} sn_tet_groups;

sn_result sn_msh_read(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh);
/* Also reads the physical groups of volumes. */
sn_result sn_msh_read_with_groups(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh, sn_tet_groups *groups);
sn_result sn_medit_read(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh);

/* Whether the extension is .msh or .mesh. */
bool sn_is_tet_file(const char *path);
/* Reads either format, by its extension. */
sn_result sn_tet_file_read(const char *path, sn_arena *arena, sn_tet_mesh *mesh);
/* groups: as for sn_msh_read_with_groups; may be null. */
sn_result sn_tet_file_read_with_groups(const char *path, sn_arena *arena, sn_tet_mesh *mesh, sn_tet_groups *groups);

#endif
