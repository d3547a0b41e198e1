/* SPDX-License-Identifier: MIT */
/* A skinned tube with every attribute that is read, and a .glb of it that Draco has coded. */
#ifndef SN_TESTS_IO_DRACO_TUBE_H
#define SN_TESTS_IO_DRACO_TUBE_H

#include <math.h>

#include "tests/io/draco_encode.h"
#include "tests/io/gltf_test.h"

enum { TUBE_SIDES = 6, TUBE_RINGS = 7, TUBE_VERTICES = TUBE_SIDES * TUBE_RINGS };
enum { TUBE_TRIANGLES = 2 * TUBE_SIDES * (TUBE_RINGS - 1), TUBE_VALUES = 7 };
enum { TUBE_CODED_BYTES = 6000 };

typedef struct tube {
    float positions[3 * TUBE_VERTICES], normals[3 * TUBE_VERTICES], uvs[2 * TUBE_VERTICES];
    uint8_t colors[4 * TUBE_VERTICES];
    uint16_t joints[4 * TUBE_VERTICES];
    uint8_t weights[4 * TUBE_VERTICES]; /* normalised */
    float numbers[TUBE_VERTICES];       /* as _SINEW_STIFFNESS: each vertex has its own, from 1 on */
    uint32_t triangles[3 * TUBE_TRIANGLES];
} tube;

static inline void make_tube_vertex(tube *t, int v)
{
    const int ring = v / TUBE_SIDES, side = v % TUBE_SIDES;
    const float angle = 6.2831853F * (float)side / TUBE_SIDES, height = (float)ring / (TUBE_RINGS - 1);
    const float x = cosf(angle), z = sinf(angle);
    const float position[3] = {0.3F * x, height, 0.3F * z}, normal[3] = {x, 0, z}, uv[2] = {angle, height};
    const uint8_t second = (uint8_t)(255 * ring / (TUBE_RINGS - 1));
    const uint8_t color[4] = {(uint8_t)(5 * v), 17, second, (uint8_t)(255 - v)},
                  weights[4] = {(uint8_t)(255 - second), second};
    memcpy(t->positions + 3 * v, position, sizeof position);
    memcpy(t->normals + 3 * v, normal, sizeof normal);
    memcpy(t->uvs + 2 * v, uv, sizeof uv);
    memcpy(t->colors + 4 * v, color, sizeof color);
    memcpy(t->weights + 4 * v, weights, sizeof weights);
    t->joints[4 * v] = second < 255 ? 1 : 0;
    t->joints[4 * v + 1] = second > 0 ? 2 : 0;
    t->numbers[v] = 1 + (float)v;
}

static inline tube make_tube(void)
{
    tube t = {0};
    int count = 0;
    for (int v = 0; v < TUBE_VERTICES; ++v) {
        make_tube_vertex(&t, v);
    }
    for (int v = 0; v + TUBE_SIDES < TUBE_VERTICES; ++v) {
        const int next = v / TUBE_SIDES * TUBE_SIDES + (v + 1) % TUBE_SIDES;
        const int corners[6] = {v, v + TUBE_SIDES, next, next, v + TUBE_SIDES, next + TUBE_SIDES};
        for (int k = 0; k < 6; ++k) {
            t.triangles[count++] = (uint32_t)corners[k];
        }
    }
    return t;
}

/* In the order of the document's attributes. */
static inline void list_tube_values(const tube *t, draco_values values[TUBE_VALUES])
{
    const draco_values list[TUBE_VALUES] = {{'p', 'f', 3, false, t->positions}, {'n', 'f', 3, false, t->normals},
                                            {'t', 'f', 2, false, t->uvs},       {'c', 'B', 4, true, t->colors},
                                            {'g', 'H', 4, false, t->joints},    {'g', 'B', 4, true, t->weights},
                                            {'g', 'f', 1, false, t->numbers}};
    memcpy(values, list, sizeof list);
}

static inline draco_source tube_source(const tube *t, const draco_values values[TUBE_VALUES])
{
    return (draco_source){.vertex_count = TUBE_VERTICES,
                          .triangle_count = TUBE_TRIANGLES,
                          .value_count = TUBE_VALUES,
                          .values = values,
                          .triangles = t->triangles,
                          .is_sequential = true};
}

#define TUBE_DOCUMENT                                                                                                  \
    "{'asset':{'version':'2.0'},'extensionsUsed':['KHR_draco_mesh_compression'],"                                      \
    "'extensionsRequired':['KHR_draco_mesh_compression'],"                                                             \
    "'nodes':[{'mesh':0,'skin':0},{'children':[2,3]},{},{}],'skins':[{'joints':[1,2,3]}],"                             \
    "'buffers':[{'byteLength':%zu}],'bufferViews':[{'buffer':0,'byteLength':%zu}],'accessors':["                       \
    "{'componentType':5126,'count':42,'type':'VEC3'},{'componentType':5126,'count':42,'type':'VEC3'},"                 \
    "{'componentType':5126,'count':42,'type':'VEC2'},"                                                                 \
    "{'componentType':5121,'normalized':true,'count':42,'type':'VEC4'},"                                               \
    "{'componentType':5123,'count':42,'type':'VEC4'},"                                                                 \
    "{'componentType':5121,'normalized':true,'count':42,'type':'VEC4'},"                                               \
    "{'componentType':5126,'count':42,'type':'SCALAR'},{'componentType':5123,'count':216,'type':'SCALAR'}],"           \
    "'meshes':[{'primitives':[{'mode':4,'indices':7,'attributes':{'POSITION':0,'NORMAL':1,'TEXCOORD_0':2,"             \
    "'COLOR_0':3,'JOINTS_0':4,'WEIGHTS_0':5,'_SINEW_STIFFNESS':6},"                                                    \
    "'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,'attributes':{'POSITION':0,'NORMAL':1,"                \
    "'TEXCOORD_0':2,'COLOR_0':3,'JOINTS_0':4,'WEIGHTS_0':5,'_SINEW_STIFFNESS':6}}}}]}]}"

/* Puts `to` in the place of the one `from`. */
static inline void replace_text(char *document, size_t room, const char *from, const char *to)
{
    char *at = strstr(document, from);
    assert_non_null(at);
    assert_null(strstr(at + 1, from));
    assert_true(strlen(document) - strlen(from) + strlen(to) < room);
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
}

/* A .glb of the coded bytes, and of a document that is changed: {from, to} up to null. */
static inline void put_tube(bytes *file, const bytes *coded, const char *const (*changes)[2])
{
    char document[4096];
    assert_in_range(snprintf(document, sizeof document, TUBE_DOCUMENT, coded->size, coded->size), 1, 4095);
    for (; changes && (*changes)[0]; ++changes) {
        replace_text(document, sizeof document, (*changes)[0], (*changes)[1]);
    }
    put_glb(file, document, coded);
}

static inline void code_tube(bytes *coded, const draco_source *source)
{
    coded->size = draco_encode(source, coded->data, TUBE_CODED_BYTES);
    assert_true(coded->size > 0);
}

#endif
