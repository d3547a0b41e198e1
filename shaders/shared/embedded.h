/* SPDX-License-Identifier: MIT */
/* What compute/xpbd/embedded.c and shaders/xpbd/embed.comp share. What a body's flesh has is in shaders/shared/xpbd.h.
 */
#ifndef SN_SHADERS_SHARED_EMBEDDED_H
#define SN_SHADERS_SHARED_EMBEDDED_H

#ifdef __STDC_VERSION__
#include <stdint.h>
#define SN_UINT uint32_t
#else
#define SN_UINT uint
#endif

/* Bindings of set 1, all storage buffers. */
#define SN_EMBEDDED_TABLES 0   /* words of surfaces */
#define SN_EMBEDDED_NUMBERS 1  /* floats of surfaces */
#define SN_EMBEDDED_RECORDS 2  /* of bodies, one after the other */
#define SN_EMBEDDED_BONES 3    /* floats: bones' matrices as they are to be drawn */
#define SN_EMBEDDED_ROWS 4     /* displacements before the last step */
#define SN_EMBEDDED_STATUSES 5 /* statuses before it */
#define SN_EMBEDDED_MATRICES 6 /* floats: what vertex shaders read */
#define SN_EMBEDDED_BINDING_COUNT 7

/* A body that is drawn. Nodes: vertices of its tets, (node_count) rows at `nodes`, where the lists of their neighbours
 * begin at `starts` (node_count + 1), rows of the lists at `neighbours`; of a neighbour three floats at `gradients`, of
 * a node its place at rest, three floats at `places`. */
struct sn_embedded_record {
    SN_UINT body, row, rest;    /* its status, and its first rows, as of the flesh's record */
    SN_UINT bone_count, bones;  /* first float, of this recording */
    SN_UINT plain, empty_count; /* first float of bones and of so many zeros after them */
    SN_UINT matrix;             /* first float of bones and nodes */
    SN_UINT node_count, nodes, starts, neighbours, gradients, places;
    SN_UINT flags;
};
#define SN_EMBEDDED_PLAIN 1   /* bones are written there */
#define SN_EMBEDDED_FLESH 2   /* bones and nodes are written there */
#define SN_EMBEDDED_SNAPPED 4 /* there is no way from where the last step began */

#undef SN_UINT
#endif
