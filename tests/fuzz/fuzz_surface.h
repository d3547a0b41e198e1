/* SPDX-License-Identifier: MIT */
/* What the targets of plain surfaces share. */
#ifndef SN_TESTS_FUZZ_FUZZ_SURFACE_H
#define SN_TESTS_FUZZ_FUZZ_SURFACE_H

#include <math.h>

#include "author/io/scene_file.h"
#include "tests/fuzz/fuzz.h"

static inline void sn_fuzz_check_floats(const float *values, size_t count)
{
    for (size_t i = 0; values && i < count; i++) {
        SN_ASSERT(isfinite(values[i]));
    }
}

static inline void sn_fuzz_check_primitive(const sn_scene_file *scene, const sn_scene_primitive *p)
{
    const size_t vertex_count = (size_t)p->vertex_count;
    SN_ASSERT(p->vertex_count > 0 && p->triangle_count > 0);
    SN_ASSERT(p->material >= -1 && p->material < scene->material_count);
    for (size_t i = 0; i < (size_t)p->triangle_count * 3; i++) {
        SN_ASSERT(p->triangles[i] >= 0 && p->triangles[i] < p->vertex_count);
    }
    sn_fuzz_check_floats(p->positions, vertex_count * 3);
    sn_fuzz_check_floats(p->normals, vertex_count * 3);
    sn_fuzz_check_floats(p->uvs[0], vertex_count * 2);
    for (size_t i = 0; p->colors && i < vertex_count * 4; i++) {
        SN_ASSERT(p->colors[i] >= 0 && p->colors[i] <= 1);
    }
}

static inline void sn_fuzz_surface(const uint8_t *data, size_t size,
                                   sn_result (*read)(const sn_source *, sn_arena *, sn_scene_file *))
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_scene_file scene;
    if (source.bytes && read(&source, &arena, &scene) == SN_OK) {
        SN_ASSERT(scene.node_count == 1 && scene.mesh_count == 1 && scene.primitive_count > 0);
        for (int i = 0; i < scene.primitive_count; i++) {
            sn_fuzz_check_primitive(&scene, &scene.primitives[i]);
        }
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
}

#endif
