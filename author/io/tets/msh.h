/* SPDX-License-Identifier: MIT */
/* Shared state of the Gmsh reader, numbers in both encodings, and block headers. */
#ifndef SN_AUTHOR_IO_TETS_MSH_H
#define SN_AUTHOR_IO_TETS_MSH_H

#include "author/io/text.h"

#define SN_MSH_TET 4               /* element type of a tet */
#define SN_MSH_MIN_ELEMENT_BYTES 4 /* shortest element: "1 1\n" (a point in 4.1) */

/* A named physical group, or a volume entity with its first group. */
typedef struct sn_msh_tag {
    int64_t tag;
    const char *name;
    int64_t group;
    size_t offset, line; /* location in the file */
} sn_msh_tag;

typedef struct sn_msh_reader {
    sn_text text;
    sn_arena *arena;  /* for the mesh */
    sn_arena scratch; /* for everything else */
    bool is_version_4;
    size_t size_bytes; /* size of a binary size_t in 4.1 */

    /* Node ids may have gaps, so a hash table with open addressing maps them to indices. */
    int node_total;  /* declared number */
    int node_count;  /* number read so far */
    int64_t *ids;    /* (node_total) */
    uint32_t *slots; /* (slot_mask + 1): index + 1, 0: free */
    size_t slot_mask;
    double *positions; /* (node_total x 3) */

    bool has_elements;
    int element_total;
    int tet_count;
    int32_t *tets; /* (element_total x 4) */

    bool has_group_output;
    int64_t entity;               /* of the most recent 4.1 block header */
    int64_t *tet_tags;            /* (element_total) physical group, 0: none; null: groups are not requested */
    sn_msh_tag *names, *entities; /* (name_count), (entity_count), sorted by tag */
    int name_count, entity_count;
} sn_msh_reader;

/* Reads a number that is an int in 2.2 and a size_t in 4.1. */
sn_result sn_msh_read_id(sn_msh_reader *r, const char *what, int64_t *value);
sn_result sn_msh_read_ints(sn_msh_reader *r, int count, const char *const *names, int64_t *values);
sn_result sn_msh_read_double(sn_msh_reader *r, const char *what, double *value);
/* Reads the end of a line in ASCII files. */
sn_result sn_msh_end_record(sn_msh_reader *r);
/* Reads the four numbers at the beginning of $Nodes and $Elements in 4.1: blocks, entries, min. and max. tag. */
sn_result sn_msh_read_header_4(sn_msh_reader *r, int64_t *block_count, int64_t *total);
/* Reads the header of a 4.1 block: three ints and a size. *third is the parametric flag of nodes or the element type.
 * The entity is stored in r->entity. */
sn_result sn_msh_read_block_header(sn_msh_reader *r, int64_t *dimension, int64_t *third, int64_t *count);

/* In msh_nodes.c: reads the contents of $Nodes; finds the index of a node id, or -1. */
sn_result sn_msh_read_nodes(sn_msh_reader *r);
int32_t sn_msh_find_node(const sn_msh_reader *r, int64_t id);

/* In msh_elements.c: reads the contents of $Elements. */
sn_result sn_msh_read_elements(sn_msh_reader *r);

#endif
