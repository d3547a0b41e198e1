/* SPDX-License-Identifier: MIT */
/* The header of a .ply: its format, elements and properties. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_PLY_HEADER_H
#define SN_AUTHOR_IO_SURFACE_PLY_HEADER_H

#include "author/io/list.h"
#include "author/io/text.h"

typedef enum sn_ply_type {
    SN_PLY_INT8,
    SN_PLY_UINT8,
    SN_PLY_INT16,
    SN_PLY_UINT16,
    SN_PLY_INT32,
    SN_PLY_UINT32,
    SN_PLY_FLOAT32,
    SN_PLY_FLOAT64,
    SN_PLY_TYPE_COUNT
} sn_ply_type;

typedef struct sn_ply_type_info {
    const char *name, *other_name;
    size_t bytes;
    double full_intensity; /* value of full color intensity; 0: float type */
} sn_ply_type_info;
extern const sn_ply_type_info sn_ply_types[SN_PLY_TYPE_COUNT];

/* The meaning of a vertex property, or INDICES of a face or strip. */
typedef enum sn_ply_role {
    SN_PLY_X,
    SN_PLY_Y,
    SN_PLY_Z,
    SN_PLY_NX,
    SN_PLY_NY,
    SN_PLY_NZ,
    SN_PLY_U,
    SN_PLY_V,
    SN_PLY_RED,
    SN_PLY_GREEN,
    SN_PLY_BLUE,
    SN_PLY_ALPHA,
    SN_PLY_INDICES,
    SN_PLY_NO_ROLE,
    SN_PLY_ROLE_COUNT = SN_PLY_NO_ROLE
} sn_ply_role;

typedef struct sn_ply_property {
    sn_ply_type type, count_type;
    bool is_list;
    sn_ply_role role;
} sn_ply_property;

typedef enum sn_ply_element_type { SN_PLY_OTHER, SN_PLY_VERTEX, SN_PLY_FACE, SN_PLY_STRIPS } sn_ply_element_type;

typedef struct sn_ply_element {
    sn_ply_element_type type_of_element;
    int64_t count;
    size_t first_property, property_count;
} sn_ply_element;

typedef struct sn_ply_header {
    bool has_format, is_binary, is_big_endian;
    sn_list elements;            /* of sn_ply_element */
    sn_list properties;          /* of sn_ply_property */
    bool has[SN_PLY_ROLE_COUNT]; /* properties of the vertices */
    bool has_srgb;
} sn_ply_header;

/* Reads up to the line after end_header into a zeroed header. Guarantees that there are vertices with x, y and z, and
 * that they precede all faces. */
sn_result sn_ply_read_header(sn_text *text, sn_ply_header *header);
/* Call it also on failure. */
void sn_ply_header_finish(sn_ply_header *header);

#endif
