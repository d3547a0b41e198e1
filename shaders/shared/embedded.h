/* SPDX-License-Identifier: MIT */
/* Records and buffer layouts shared by compute/xpbd/embedded.c and shaders/xpbd/embed.comp. The flesh of a body is
 * described in shaders/shared/xpbd.h. */
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
#define SN_EMBEDDED_RECORDS 2  /* of bodies, consecutive */
#define SN_EMBEDDED_BONES 3    /* floats: bone matrices for rendering */
#define SN_EMBEDDED_ROWS 4     /* displacements before the last step */
#define SN_EMBEDDED_STATUSES 5 /* statuses before the last step */
#define SN_EMBEDDED_MATRICES 6 /* floats: matrices for vertex shaders */
#define SN_EMBEDDED_BINDING_COUNT 7

/* A body whose flesh is rendered. Nodes are tet vertices: rows of (node_count) nodes at `nodes`; begins of their
 * neighbour lists at `starts` (node_count + 1); neighbour rows at `neighbours`, with three floats each at `gradients`;
 * rest positions, three floats each, at `rest_positions`. */
struct sn_embedded_record {
    SN_UINT body, row, rest;            /* index of its status, and its first rows as in the flesh's record */
    SN_UINT bone_count, bones;          /* bones: first float, in this recording */
    SN_UINT bone_matrices, empty_count; /* first float of the bone matrices, number of zero matrices after them */
    SN_UINT matrix;                     /* first float of the bone and node matrices */
    SN_UINT node_count, nodes, starts, neighbours, gradients, rest_positions;
    SN_UINT flags;
};
#define SN_EMBEDDED_WRITE_BONES 1      /* write bone matrices at `bone_matrices` */
#define SN_EMBEDDED_WRITE_NODES 2      /* write bone and node matrices at `matrix` */
#define SN_EMBEDDED_NOT_INTERPOLATED 4 /* the state before the last step is invalid: do not interpolate */

#undef SN_UINT
#endif
