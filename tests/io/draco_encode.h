/* SPDX-License-Identifier: MIT */
/* Codes meshes for the tests of what reads them. */
#ifndef SN_TESTS_IO_DRACO_ENCODE_H
#define SN_TESTS_IO_DRACO_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One array of the mesh; it is coded as attribute number `its place in the list`. */
typedef struct draco_values {
    char kind; /* p: positions, n: normals, c: colours, t: texture coordinates, g: all else */
    char type; /* as printf has them: b B h H i I f, d (64 bits) */
    int width;
    bool is_normalized;
    const void *values; /* (vertex_count x width), packed */
} draco_values;

typedef struct draco_source {
    int vertex_count, triangle_count, value_count;
    const draco_values *values;
    const uint32_t *triangles; /* (triangle_count x 3) */
    bool is_sequential;        /* keeps the order of vertices; else they are coded as edgebreaker leaves them */
    bool has_metadata;
    int position_bits; /* 0: positions are exact */
} draco_source;

/* The bytes written, at most `room`; 0: it cannot be coded. */
size_t draco_encode(const draco_source *source, uint8_t *bytes, size_t room);
/* The same of the points alone. */
size_t draco_encode_cloud(const draco_source *source, uint8_t *bytes, size_t room);

#ifdef __cplusplus
}
#endif

#endif
