/* SPDX-License-Identifier: MIT */
/* EXT_meshopt_compression: what is coded reads as what is not, and what is wrong is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <meshoptimizer.h>

#include "tests/io/gltf_test.h"

enum { SIDE = 9, VERTICES = SIDE * SIDE, INDICES = 6 * (SIDE - 1) * (SIDE - 1), CODED_BYTES = 8192 };

typedef struct grid {
    float positions[3 * VERTICES];
    uint16_t indices[INDICES];
} grid;

static grid make_grid(void)
{
    grid made;
    int count = 0;
    for (int i = 0; i < VERTICES; ++i) {
        made.positions[3 * i] = 0.25F * (float)(i % SIDE);
        made.positions[3 * i + 1] = 0.25F * (float)i;
        made.positions[3 * i + 2] = 0.25F * (float)(i % 4);
    }
    for (int y = 0; y + 1 < SIDE; ++y) {
        for (int x = 0; x + 1 < SIDE; ++x) {
            const int at = y * SIDE + x, corners[6] = {at, at + 1, at + SIDE, at + SIDE, at + 1, at + SIDE + 1};
            for (int k = 0; k < 6; ++k) {
                made.indices[count++] = (uint16_t)corners[k];
            }
        }
    }
    return made;
}

static void code_vertices(bytes *to, const void *values, size_t count, size_t stride)
{
    unsigned char coded[CODED_BYTES];
    const size_t size = meshopt_encodeVertexBuffer(coded, sizeof coded, values, count, stride);
    assert_true(size > 0);
    put(to, coded, size);
}

/* Positions, then indices as triangles or as a sequence. */
static void code_grid(const grid *g, bool is_sequence, bytes *binary, size_t sizes[2])
{
    unsigned char coded[CODED_BYTES];
    unsigned int indices[INDICES];
    for (int i = 0; i < INDICES; ++i) {
        indices[i] = g->indices[i];
    }
    code_vertices(binary, g->positions, VERTICES, 12);
    sizes[0] = binary->size;
    sizes[1] = is_sequence ? meshopt_encodeIndexSequence(coded, sizeof coded, indices, INDICES)
                           : meshopt_encodeIndexBuffer(coded, sizeof coded, indices, INDICES);
    assert_true(sizes[1] > 0);
    put(binary, coded, sizes[1]);
}

#define CODED "'extensions':{'EXT_meshopt_compression':{'buffer':0,"
#define DOCUMENT                                                                                                       \
    "{'asset':{'version':'2.0'},'extensionsRequired':['EXT_meshopt_compression'],'buffers':[{'byteLength':%zu},"       \
    "{'byteLength':%d,'extensions':{'EXT_meshopt_compression':{'fallback':true}}}],'bufferViews':["                    \
    "{'buffer':1,'byteLength':%d,'byteStride':12," CODED "'byteLength':%zu,'byteStride':12,'count':%d,'mode':'%s'}}}," \
    "{'buffer':1,'byteOffset':%d,'byteLength':%d," CODED                                                               \
    "'byteOffset':%zu,'byteLength':%zu,'byteStride':2,'count':%d,'mode':'%s'%s}}}],'accessors':["                      \
    "{'bufferView':0,'componentType':5126,'count':%d,'type':'VEC3'},"                                                  \
    "{'bufferView':1,'componentType':5123,'count':%d,'type':'SCALAR'}],"                                               \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}"

typedef struct words {
    const char *attributes, *indices, *more;
    int vertex_count, index_count;
} words;

static void write_document(char *document, size_t room, const words *w, size_t whole, const size_t sizes[2])
{
    const int positions = 12 * VERTICES, indices = 2 * INDICES;
    const int length = snprintf(document, room, DOCUMENT, whole, positions + indices, positions, sizes[0],
                                w->vertex_count, w->attributes, positions, indices, sizes[0], sizes[1], w->index_count,
                                w->indices, w->more, VERTICES, INDICES);
    assert_in_range(length, 1, room - 1);
}

static void reads_as_it_was(void **state)
{
    (void)state;
    const grid g = make_grid();
    for (int is_sequence = 0; is_sequence < 2; ++is_sequence) {
        const words plain = {"ATTRIBUTES", is_sequence ? "INDICES" : "TRIANGLES", "", VERTICES, INDICES};
        bytes binary = {0};
        char document[2048];
        size_t sizes[2];
        sn_arena arena = {0};
        sn_scene_file scene;
        code_grid(&g, is_sequence, &binary, sizes);
        assert_true(binary.size < sizeof g / 2);
        write_document(document, sizeof document, &plain, binary.size, sizes);
        read_document(document, &binary, &arena, &scene);
        const sn_scene_primitive *p = scene.primitives;
        assert_int_equal(p->vertex_count, VERTICES);
        assert_memory_equal(p->positions, g.positions, sizeof g.positions);
        assert_int_equal(p->triangle_count, INDICES / 3);
        for (int i = 0; i < INDICES; i += 3) { /* a triangle may begin at another corner */
            int sum = 0, expected = 0;
            for (int k = 0; k < 3; ++k) {
                sum += p->triangles[i + k];
                expected += g.indices[i + k];
                assert_true(!is_sequence || p->triangles[i + k] == g.indices[i + k]);
            }
            assert_int_equal(sum, expected);
        }
        sn_arena_finish(&arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Normals as octahedra in bytes, rotations in words, and numbers with exponents: what the filters give back. */
static void filters_give_back(void **state)
{
    (void)state;
    enum { COUNT = 18 };
    float normals[4 * COUNT], positions[4 * COUNT];
    for (int i = 0; i < COUNT; ++i) {
        const float angle = (float)i, height = (float)(i - COUNT / 2) / COUNT, radius = sqrtf(1 - height * height);
        const float normal[4] = {radius * cosf(angle), radius * sinf(angle), height, 0};
        memcpy(normals + 4 * i, normal, sizeof normal);
        const float position[4] = {1000 * cosf(angle), 1e-3F * sinf(angle), angle, 0};
        memcpy(positions + 4 * i, position, sizeof position);
    }
    int8_t filtered[4 * COUNT];
    float exponents[4 * COUNT];
    meshopt_encodeFilterOct(filtered, COUNT, 4, 8, normals);
    meshopt_encodeFilterExp(exponents, COUNT, 16, 20, positions);
    bytes binary = {0};
    code_vertices(&binary, filtered, COUNT, 4);
    const size_t first = binary.size;
    code_vertices(&binary, exponents, COUNT, 16);
    char document[2048];
    snprintf(document, sizeof document,
             "{'asset':{'version':'2.0'},'extensionsRequired':['EXT_meshopt_compression','KHR_mesh_quantization'],"
             "'buffers':[{'byteLength':%zu}],'bufferViews':["
             "{'buffer':0,'byteLength':%d,'byteStride':4," CODED
             "'byteLength':%zu,'byteStride':4,'count':%d,'mode':'ATTRIBUTES','filter':'OCTAHEDRAL'}}},"
             "{'buffer':0,'byteLength':%d,'byteStride':16," CODED
             "'byteOffset':%zu,'byteLength':%zu,'byteStride':16,'count':%d,'mode':'ATTRIBUTES',"
             "'filter':'EXPONENTIAL'}}}],'accessors':["
             "{'bufferView':0,'componentType':5120,'normalized':true,'count':%d,'type':'VEC3'},"
             "{'bufferView':1,'componentType':5126,'count':%d,'type':'VEC3'}],"
             "'meshes':[{'primitives':[{'attributes':{'POSITION':1,'NORMAL':0}}]}]}",
             binary.size, 4 * COUNT, first, COUNT, 16 * COUNT, first, binary.size - first, COUNT, COUNT, COUNT);
    sn_arena arena = {0};
    sn_scene_file scene;
    read_document(document, &binary, &arena, &scene);
    const sn_scene_primitive *p = scene.primitives;
    for (int i = 0; i < COUNT; ++i) {
        for (int d = 0; d < 3; ++d) {
            assert_float_equal(p->normals[3 * i + d], normals[4 * i + d], 0.02);
            assert_float_equal(p->positions[3 * i + d], positions[4 * i + d], 0.002);
        }
    }
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void expect_failure(const words *w, size_t cut, const char *message)
{
    const grid g = make_grid();
    bytes binary = {0}, file = {0};
    char document[2048];
    size_t sizes[2];
    code_grid(&g, false, &binary, sizes);
    sizes[0] -= cut;
    write_document(document, sizeof document, w, binary.size, sizes);
    put_glb(&file, document, &binary);
    check_failure(&file, SN_ERROR_FORMAT, message);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    static const struct {
        words words;
        size_t cut;
        const char *message;
    } cases[] = {
        {{"ATTRIBUTES", "TRIANGLES", "", VERTICES, INDICES}, 40, "are damaged or of a newer version"},
        {{"ATTRIBUTE", "TRIANGLES", "", VERTICES, INDICES}, 0, "the mode is unknown"},
        {{"ATTRIBUTES", "TRIANGLES", ",'filter':'NON'", VERTICES, INDICES}, 0, "the filter is unknown"},
        {{"ATTRIBUTES", "TRIANGLES", ",'filter':'OCTAHEDRAL'", VERTICES, INDICES}, 0, "indices cannot have a filter"},
        {{"ATTRIBUTES", "ATTRIBUTES", "", VERTICES, INDICES}, 0, "the byteStride of attributes cannot be 2"},
        {{"INDICES", "TRIANGLES", "", VERTICES, INDICES}, 0, "the byteStride of indices cannot be 12"},
        {{"ATTRIBUTES", "TRIANGLES", "", VERTICES - 1, INDICES}, 0, "do not match the view's"},
        {{"ATTRIBUTES", "TRIANGLES", "", VERTICES, INDICES - 1}, 0, "are not a multiple of 3"},
        {{"ATTRIBUTES", "TRIANGLES", "", 2000000000, INDICES}, 0, "do not match the view's"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        expect_failure(&cases[i].words, cases[i].cut, cases[i].message);
    }
}

int test_gltf_meshopt(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_it_was),
        cmocka_unit_test(filters_give_back),
        cmocka_unit_test(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
