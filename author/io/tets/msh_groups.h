/* SPDX-License-Identifier: MIT */
/* Physical groups of a Gmsh file while it is read: names, and which groups entities of volumes are of. */
#ifndef SN_AUTHOR_IO_TETS_MSH_GROUPS_H
#define SN_AUTHOR_IO_TETS_MSH_GROUPS_H

#include "author/io/tets/msh.h"
#include "author/io/tets/tet_file.h"

/* What stands in $PhysicalNames, and in $Entities of 4.1. */
sn_result sn_msh_read_names(sn_msh_reader *r);
sn_result sn_msh_read_entities(sn_msh_reader *r);
/* The first physical group of a volume's entity; 0: none. */
int64_t sn_msh_group_of_entity(sn_msh_reader *r, int64_t entity);
/* The groups that tets are of, by their tags, and those that only have a name. */
sn_result sn_msh_finish_groups(sn_msh_reader *r, sn_tet_groups *groups);

#endif
