/* SPDX-License-Identifier: MIT */
/* What the tests of plain surfaces share: reading with checks, and comparing what came. */
#ifndef SN_TESTS_IO_SURFACE_TEST_H
#define SN_TESTS_IO_SURFACE_TEST_H

#include "tests/io/io_test.h"

#include "author/io/scene_file.h"

#include <math.h>

typedef sn_result reader(const sn_source *source, sn_arena *arena, sn_scene_file *scene);

static inline reader *reader_of(const char *file)
{
    const char *extension = strrchr(file, '.');
    return strcmp(extension, ".obj") == 0   ? sn_obj_read
           : strcmp(extension, ".off") == 0 ? sn_off_read
           : strcmp(extension, ".ply") == 0 ? sn_ply_read
                                            : sn_stl_read;
}

static inline void check_floats(const float *values, size_t count)
{
    for (size_t i = 0; values && i < count; i++) {
        assert_true(isfinite(values[i]));
    }
}

static inline void check_primitive(const sn_scene_file *scene, const sn_scene_primitive *p)
{
    assert_true(p->vertex_count > 0 && p->triangle_count > 0 && p->positions);
    assert_in_range(p->material + 1, 0, scene->material_count);
    for (size_t i = 0; i < (size_t)p->triangle_count * 3; i++) {
        assert_in_range(p->triangles[i], 0, p->vertex_count - 1);
    }
    check_floats(p->positions, (size_t)p->vertex_count * 3);
    check_floats(p->normals, (size_t)p->vertex_count * 3);
    check_floats(p->uvs[0], (size_t)p->vertex_count * 2);
    for (size_t i = 0; p->colors && i < (size_t)p->vertex_count * 4; i++) {
        assert_true(p->colors[i] >= 0 && p->colors[i] <= 1);
    }
}

/* Reads and checks what the type promises. */
static inline sn_result read_checked(reader *read, const sn_source *source, sn_arena *arena, sn_scene_file *scene)
{
    const sn_result result = read(source, arena, scene);
    if (result == SN_OK) {
        assert_int_equal(scene->node_count, 1);
        assert_int_equal(scene->mesh_count, 1);
        assert_non_null(scene->nodes[0].name);
        assert_int_equal(scene->nodes[0].parent, -1);
        assert_int_equal(scene->nodes[0].mesh, 0);
        assert_int_equal(scene->nodes[0].skin, -1);
        assert_true(scene->nodes[0].is_in_scene);
        assert_int_equal(scene->meshes[0].primitive_count, scene->primitive_count);
        for (int i = 0; i < scene->primitive_count; i++) {
            check_primitive(scene, &scene->primitives[i]);
        }
        for (int i = 0; i < scene->material_count; i++) {
            assert_non_null(scene->materials[i].name);
            assert_in_range(scene->materials[i].values.textures[0] + 1, 0, scene->texture_count);
        }
    }
    return result;
}

#define READ_FUNCTION(format)                                                                                          \
    static inline sn_result read_##format(const sn_source *source, sn_arena *arena)                                    \
    {                                                                                                                  \
        sn_scene_file scene;                                                                                           \
        return read_checked(sn_##format##_read, source, arena, &scene);                                                \
    }
READ_FUNCTION(obj)
READ_FUNCTION(off)
READ_FUNCTION(ply)
READ_FUNCTION(stl)

/* Reads what must be well; finish the arena. */
static inline sn_scene_file read_good(reader *read, const bytes *b, sn_arena *arena)
{
    sn_scene_file scene = {0};
    const sn_source source = source_of(b);
    begin_log();
    if (read_checked(read, &source, arena, &scene) != SN_OK) {
        fail_msg("%s", logged.last);
    }
    assert_int_equal(logged.errors, 0);
    return scene;
}

static inline sn_scene_file read_text(reader *read, const char *text, sn_arena *arena)
{
    bytes b = {0};
    put_text(&b, text);
    return read_good(read, &b, arena);
}

static inline void assert_floats(const float *values, size_t count, const float *expected)
{
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        if (fabsf(values[i] - expected[i]) > 1e-6F) {
            fail_msg("number %zu is %g instead of %g", i, (double)values[i], (double)expected[i]);
        }
    }
}
#define ASSERT_FLOATS(values, ...)                                                                                     \
    assert_floats(values, sizeof((const float[]){__VA_ARGS__}) / sizeof(float), (const float[]){__VA_ARGS__})
#define ASSERT_TRIANGLES(primitive, ...)                                                                               \
    do {                                                                                                               \
        const int32_t expected_[] = {__VA_ARGS__};                                                                     \
        assert_int_equal((size_t)(primitive)->triangle_count * 3, sizeof expected_ / sizeof expected_[0]);             \
        assert_memory_equal((primitive)->triangles, expected_, sizeof expected_);                                      \
    } while (0)

#endif
