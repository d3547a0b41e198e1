/* SPDX-License-Identifier: MIT */
/* Readers of tetrahedral meshes: Gmsh 2.2 and 4.1 (ASCII and binary), Medit .mesh (ASCII).
 * All elements but tets are skipped, node ids may have gaps; errors name the file, the place (line or byte) and the
 * cause. Memory is bounded by a constant times the file's size. They check indices and that coordinates are finite;
 * geometry (volumes, duplicates) is sn_tet_mesh_validate's. */
#ifndef SN_AUTHOR_IO_TETS_TET_FILE_H
#define SN_AUTHOR_IO_TETS_TET_FILE_H

#include "author/io/source.h"
#include "host/mesh/tet_mesh.h"

/* Parts of a mesh that have names. */
typedef struct sn_tet_groups {
    int count;          /* of those that tets are of */
    int empty_count;    /* of those that have a name alone */
    const char **names; /* (count + empty_count) */
    int32_t *of_tet;    /* (tet_count) its group, -1: none */
} sn_tet_groups;

sn_result sn_msh_read(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh);
/* And its physical groups of volumes: the sections that name them are read, too, and no longer skipped. */
sn_result sn_msh_read_with_groups(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh, sn_tet_groups *groups);
sn_result sn_medit_read(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh);

/* Whether the extension is that of a tet mesh: .msh, .mesh. */
bool sn_is_tet_file(const char *path);
/* Reads either by its extension. */
sn_result sn_tet_file_read(const char *path, sn_arena *arena, sn_tet_mesh *mesh);
/* groups: as of sn_msh_read_with_groups; null: nobody asks. */
sn_result sn_tet_file_read_with_groups(const char *path, sn_arena *arena, sn_tet_mesh *mesh, sn_tet_groups *groups);

#endif
