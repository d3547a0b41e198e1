/* SPDX-License-Identifier: MIT */
/* The real surfaces, where they are, and small ones of every kind that are built in memory. */
#ifndef SN_TESTS_IO_SURFACE_MADE_H
#define SN_TESTS_IO_SURFACE_MADE_H

#include "tests/io/surface_test.h"

static inline sn_result read_shared(const char *file, sn_arena *arena, sn_scene_file *scene)
{
    char path[4096];
    sn_source source;
    snprintf(path, sizeof path, "%s/%s", SN_SHARED_DATA, file);
    begin_log();
    assert_int_equal(sn_source_read(path, arena, &source), SN_OK);
    return read_checked(reader_of(file), &source, arena, scene);
}

static const char small_off[] = "STCNOFF # a comment\n# another\n4 2 0\n"
                                "0 0 0  0 0 2  255 0 0 255  0 0\n1 0 0  0 0 1  0 255 0 0  1 0.25 # here\n"
                                "1 1 0  0 0 1  0 0 255  1 1\n0 1 0  0 0 0  255 255 255 255  0 1\n"
                                "4 0 1 2 3  0.5 0.5 0.5\n3 0 1 3";

static const char ply_elements[] = "comment of element vertex 9\nobj_info\nelement vertex 4\nproperty uint8 red\n"
                                   "property float x\nproperty list uchar int16 extra\nproperty double y\n"
                                   "property int z\nproperty uchar green\nproperty uint8 blue\nproperty short quality\n"
                                   "element edge 1\nproperty int v1\nproperty list uint float w\n"
                                   "element face 3\nproperty uchar flags\nproperty list uint8 int vertex_indices\n"
                                   "property list char double uv\nelement tristrips 1\n"
                                   "property list int int vertex_indices\nelement nothing 3\nend_header\n";

static inline void put_value(bytes *b, bool is_big_endian, size_t size, uint64_t bits)
{
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(bits >> 8 * (is_big_endian ? size - 1 - i : i));
        put(b, &byte, 1);
    }
}

static inline uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline void put_list(bytes *b, bool is_big_endian, size_t count_size, const int *values, size_t count)
{
    put_value(b, is_big_endian, count_size, count);
    for (size_t i = 0; i < count; i++) {
        put_value(b, is_big_endian, 4, (uint64_t)(int64_t)values[i]);
    }
}

static inline void build_ply(bytes *b, bool is_big_endian)
{
    const bool e = is_big_endian;
    b->size = 0;
    put_text(b, e ? "ply\r\nformat binary_big_endian 1.0\r\n" : "ply\nformat binary_little_endian 1.0\n");
    put_text(b, ply_elements);
    for (int i = 0; i < 4; i++) {
        put_value(b, e, 1, i == 0 ? 255 : 0);
        put_value(b, e, 4, float_bits(i == 1 || i == 2 ? 1.5F : 0));
        put_value(b, e, 1, (uint64_t)i); /* a list of i numbers */
        for (int k = 0; k < i; k++) {
            put_value(b, e, 2, 0x0102);
        }
        put_value(b, e, 8, double_bits(i >= 2 ? 2.5 : 0));
        put_value(b, e, 4, (uint64_t)-7);
        put_value(b, e, 1, 51);
        put_value(b, e, 1, 0);
        put_value(b, e, 2, 0xffff);
    }
    put_value(b, e, 4, 3);
    put_value(b, e, 4, 1);
    put_value(b, e, 4, float_bits(1));
    static const int faces[3][4] = {{0, 1, 2, 3}, {3, 1}, {2, 1, 0}};
    for (int i = 0; i < 3; i++) {
        put_value(b, e, 1, 0);
        put_list(b, e, 1, faces[i], i == 0 ? 4 : i == 1 ? 2 : 3);
        put_value(b, e, 1, 1);
        put_value(b, e, 8, double_bits(0.5));
    }
    put_list(b, e, 4, (const int[]){0, 1, 2, 3, -1, 3, 2, 2, 1}, 9);
}

static const char ply_ascii[] = "255 0 0 0 -7 51 0 nan\n0 1.5 1 258 0 -7 51 0 -1\n"
                                "0 1.5 2 258 258 2.5 -7 51 0 -1\n0 0 3 258 258 258 2.5 -7 51 0 -1\n"
                                "3 1 1.0\n0 4 0 1 2 3 1 0.5\n0 2 3 1 1 .5\n0 3 2 1 0 1 .5\n9 0 1 2 3 -1 3 2 2 1";

static inline void check_ply(const bytes *b)
{
    const float fifth = powf((0.2F + 0.055F) / 1.055F, 2.4F);
    sn_arena arena = {0};
    const sn_scene_file scene = read_good(sn_ply_read, b, &arena);
    const sn_scene_primitive *p = scene.primitives;
    assert_int_equal(logged.warnings, 1); /* the face of two corners */
    ASSERT_TRIANGLES(p, 0, 1, 2, 0, 2, 3, 2, 1, 0, 0, 1, 2, 2, 1, 3);
    ASSERT_FLOATS(p->positions, 0, 0, -7, 1.5F, 0, -7, 1.5F, 2.5F, -7, 0, 2.5F, -7);
    ASSERT_FLOATS(p->colors, 1, fifth, 0, 1, 0, fifth, 0, 1, 0, fifth, 0, 1, 0, fifth, 0, 1);
    assert_null(p->normals);
    assert_null(p->uvs[0]);
    sn_arena_finish(&arena);
}

static inline void build_ascii_ply(bytes *b)
{
    b->size = 0;
    put_text(b, "ply\nformat ascii 1.0\n");
    put_text(b, ply_elements);
    put_text(b, ply_ascii);
}

static const char small_stl[] = "SOLID a solid with facet and vertex\n Facet Normal nan -nan inf\n  OUTER loop\n"
                                "   vertex 0 0 0\n vertex 1 0 -0\n vertex 0 1 0\n endloop\n endfacet\n"
                                "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 endloop endfacet\n"
                                "endsolid a solid\nsolid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                                "vertex 1 1e0 0\nvertex 0 1 0\nendloop\nendfacet\nEndSolid";

static inline void build_stl(bytes *b, uint32_t count)
{
    char header[80] = "solid but binary";
    b->size = 0;
    put(b, header, sizeof header);
    put_int(b, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        put_int(b, 0x7fc00000, 4); /* the normal is not a number */
        put_int(b, 0, 8);
        for (int k = 0; k < 9; k++) {
            put_int(b, float_bits(k == 3 ? 1 : k == 7 ? 1 + (float)i : -0.0F), 4);
        }
        put_int(b, 0xffff, 2);
    }
}

#endif
