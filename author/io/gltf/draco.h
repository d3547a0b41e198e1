/* SPDX-License-Identifier: MIT */
/* Meshes coded by Draco, version 2.2 of its format: https://google.github.io/draco/spec/. What the library of that name
 * decodes, seen from C: author/io/gltf/draco.cpp, which is part of builds with SN_DRACO. */
#ifndef SN_AUTHOR_IO_GLTF_DRACO_H
#define SN_AUTHOR_IO_GLTF_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_DRACO_CAUSE_CHARS 160

/* What coded data say of themselves before they are decoded. */
typedef struct sn_draco_header {
    bool is_edgebreaker; /* else triangles are listed */
    uint32_t face_count;
    uint32_t vertex_count;   /* without what seams split */
    uint32_t seam_set_count; /* attributes with seams of their own */
} sn_draco_header;

/* draco_header.c: null, or why the data cannot be decoded; reads no more than the header. */
const char *sn_draco_header_read(const uint8_t *bytes, size_t size, sn_draco_header *header,
                                 char cause[SN_DRACO_CAUSE_CHARS]);

typedef enum sn_draco_type {
    SN_DRACO_OTHER, /* 64 bits, booleans */
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
    int width; /* components */
} sn_draco_attribute;

typedef struct sn_draco sn_draco; /* a mesh that was decoded */

/* Null, and the cause, for damaged data, and where attributes would take more than `most_bytes`; an empty cause: memory
 * is out. What faces take is for the caller to bound, by the header. */
sn_draco *sn_draco_decode(const uint8_t *bytes, size_t size, bool is_edgebreaker, size_t most_bytes,
                          char cause[SN_DRACO_CAUSE_CHARS]);
void sn_draco_destroy(sn_draco *mesh);
uint32_t sn_draco_face_count(const sn_draco *mesh);
uint32_t sn_draco_point_count(const sn_draco *mesh);
/* False where the mesh has no attribute of this number. */
bool sn_draco_find(const sn_draco *mesh, uint32_t id, sn_draco_attribute *attribute);
/* (face_count x 3); as the data have them: not checked. */
void sn_draco_copy_faces(const sn_draco *mesh, uint32_t *points);
/* (point_count x width) of the attribute's type, packed; false where the data name values that are not there. */
bool sn_draco_copy_values(const sn_draco *mesh, uint32_t id, void *values);

#ifdef __cplusplus
}
#endif

#endif
