/* SPDX-License-Identifier: MIT */
/* What the parts of the Gmsh reader share: what they have read so far, numbers of either encoding, heads of blocks. */
#ifndef SN_AUTHOR_IO_TETS_MSH_H
#define SN_AUTHOR_IO_TETS_MSH_H

#include "author/io/text.h"

#define SN_MSH_TET 4               /* the element type */
#define SN_MSH_MIN_ELEMENT_BYTES 4 /* of any element: "1 1\n" (a point in 4.1) */

/* A physical group's name, or a volume entity's first group. */
typedef struct sn_msh_tag {
    int64_t tag;
    const char *name;
    int64_t group;
    size_t offset, line; /* its place in the file */
} sn_msh_tag;

typedef struct sn_msh_reader {
    sn_text text;
    sn_arena *arena;  /* the mesh */
    sn_arena scratch; /* the rest */
    bool is_version_4;
    size_t size_bytes; /* of a binary size_t in 4.1 */

    /* Node ids may have gaps: an open-addressing table from id to index. */
    int node_total;  /* as declared */
    int node_count;  /* so far */
    int64_t *ids;    /* (node_total) */
    uint32_t *slots; /* (slot_mask + 1): index + 1, 0 = free */
    size_t slot_mask;
    double *positions; /* (node_total x 3) */

    bool has_elements;
    int element_total;
    int tet_count;
    int32_t *tets; /* (element_total x 4) */

    bool are_groups_wanted;
    int64_t entity;               /* of the last block header of 4.1 */
    int64_t *tet_tags;            /* (element_total) of physical groups; 0: none. Null: not wanted */
    sn_msh_tag *names, *entities; /* (name_count), (entity_count), by tag */
    int name_count, entity_count;
} sn_msh_reader;

/* What is an int in 2.2 and a size_t in 4.1. */
sn_result sn_msh_read_id(sn_msh_reader *r, const char *what, int64_t *value);
sn_result sn_msh_read_ints(sn_msh_reader *r, int count, const char *const *names, int64_t *values);
sn_result sn_msh_read_double(sn_msh_reader *r, const char *what, double *value);
/* The end of a line, in ASCII. */
sn_result sn_msh_end_record(sn_msh_reader *r);
/* The four numbers that open $Nodes and $Elements of 4.1: blocks, entries, smallest and largest tag. */
sn_result sn_msh_read_header_4(sn_msh_reader *r, int64_t *block_count, int64_t *total);
/* The header of a block of 4.1: three ints and a size; *third is "parametric" of nodes and the type of elements.
 * The entity is kept in r->entity. */
sn_result sn_msh_read_block_header(sn_msh_reader *r, int64_t *dimension, int64_t *third, int64_t *count);

/* msh_nodes.c: what stands in $Nodes; the index of a node's id, or -1. */
sn_result sn_msh_read_nodes(sn_msh_reader *r);
int32_t sn_msh_find_node(const sn_msh_reader *r, int64_t id);

/* msh_elements.c: what stands in $Elements. */
sn_result sn_msh_read_elements(sn_msh_reader *r);

#endif
