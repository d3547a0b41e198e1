/* SPDX-License-Identifier: MIT */
/* Physical groups of a Gmsh file while it is read: names, and the groups of volume entities. */
#ifndef SN_AUTHOR_IO_TETS_MSH_GROUPS_H
#define SN_AUTHOR_IO_TETS_MSH_GROUPS_H

#include "author/io/tets/msh.h"
#include "author/io/tets/tet_file.h"

/* Read the contents of $PhysicalNames, and of $Entities in 4.1. */
sn_result sn_msh_read_names(sn_msh_reader *r);
sn_result sn_msh_read_entities(sn_msh_reader *r);
/* The first physical group of a volume entity; 0: none. */
int64_t sn_msh_group_of_entity(sn_msh_reader *r, int64_t entity);
/* Collects the groups of the tets by tag, and the groups without tets. */
sn_result sn_msh_finish_groups(sn_msh_reader *r, sn_tet_groups *groups);

#endif
