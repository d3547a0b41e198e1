/* SPDX-License-Identifier: MIT */
/* Readers of tetrahedral meshes: Gmsh 2.2 and 4.1 (ASCII and binary), Medit .mesh (ASCII).
 * All elements but tets are skipped, node ids may have gaps; errors name the file, the place (line or byte) and the
 * cause. Memory is bounded by a constant times the file's size. They check indices and that coordinates are finite;
 * geometry (volumes, duplicates) is sn_tet_mesh_validate's. */
#ifndef SN_AUTHOR_IO_TET_FILE_H
#define SN_AUTHOR_IO_TET_FILE_H

#include "author/io/source.h"
#include "host/mesh/tet_mesh.h"

sn_result sn_msh_read(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh);
sn_result sn_medit_read(const sn_source *source, sn_arena *arena, sn_tet_mesh *mesh);

#endif
