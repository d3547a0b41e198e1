/* SPDX-License-Identifier: MIT */
/* Decodes meshes compressed with Draco, format version 2.2 (https://google.github.io/draco/spec/). C interface to the
 * library in author/io/gltf/draco.cpp, which is part of builds with SN_DRACO. */
#ifndef SN_AUTHOR_IO_GLTF_DRACO_H
#define SN_AUTHOR_IO_GLTF_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_DRACO_CAUSE_CHARS 160

/* Counts in the header of compressed data. */
typedef struct sn_draco_header {
    bool is_edgebreaker; /* else sequential connectivity */
    uint32_t face_count;
    uint32_t vertex_count;   /* before splitting vertices at seams */
    uint32_t seam_set_count; /* number of attributes with seams of their own */
} sn_draco_header;

/* In draco_header.c: reads the header only. Returns null, or why the data cannot be decoded. */
const char *sn_draco_header_read(const uint8_t *bytes, size_t size, sn_draco_header *header,
                                 char cause[SN_DRACO_CAUSE_CHARS]);

typedef enum sn_draco_type {
    SN_DRACO_OTHER, /* 64-bit and boolean types */
    SN_DRACO_I8,
    SN_DRACO_U8,
    SN_DRACO_I16,
    SN_DRACO_U16,
    SN_DRACO_I32,
    SN_DRACO_U32,
    SN_DRACO_F32
} sn_draco_type;

typedef struct sn_draco_attribute {
    sn_draco_type type;
    int width; /* number of components */
} sn_draco_attribute;

typedef struct sn_draco sn_draco; /* a decoded mesh */

/* Decodes a mesh. Returns null and a cause if the data are damaged or the attributes would exceed `max_bytes`; an
 * empty cause means out of memory. The caller must bound the memory of the faces by the header. */
sn_draco *sn_draco_decode(const uint8_t *bytes, size_t size, bool is_edgebreaker, size_t max_bytes,
                          char cause[SN_DRACO_CAUSE_CHARS]);
void sn_draco_destroy(sn_draco *mesh);
uint32_t sn_draco_face_count(const sn_draco *mesh);
uint32_t sn_draco_point_count(const sn_draco *mesh);
/* Returns false if the mesh has no attribute with this id. */
bool sn_draco_find(const sn_draco *mesh, uint32_t id, sn_draco_attribute *attribute);
/* (face_count x 3) point indices, not validated. */
void sn_draco_copy_faces(const sn_draco *mesh, uint32_t *points);
/* (point_count x width) packed values of the attribute's type; false if the data refer to missing values. */
bool sn_draco_copy_values(const sn_draco *mesh, uint32_t id, void *values);

#ifdef __cplusplus
}
#endif

#endif
