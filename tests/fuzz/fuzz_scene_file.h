/* SPDX-License-Identifier: MIT */
/* What the targets of readers of characters share: every index must name something, every value be finite. */
#ifndef SN_TESTS_FUZZ_FUZZ_SCENE_FILE_H
#define SN_TESTS_FUZZ_FUZZ_SCENE_FILE_H

#include <math.h>

#include "author/io/scene_file.h"
#include "tests/fuzz/fuzz.h"

static inline void check_floats(const float *values, size_t count)
{
    for (size_t i = 0; values && i < count; i++) {
        SN_ASSERT(isfinite(values[i]));
    }
}

static inline void check_primitive(const sn_scene_primitive *p, int morph_count, int material_count)
{
    const size_t n = (size_t)p->vertex_count;
    SN_ASSERT(p->positions && p->vertex_count > 0 && p->triangle_count >= 0);
    check_floats(p->positions, 3 * n);
    check_floats(p->normals, 3 * n);
    check_floats(p->tangents, 4 * n);
    check_floats(p->uvs[0], 2 * n);
    check_floats(p->uvs[1], 2 * n);
    check_floats(p->colors, 4 * n);
    check_floats(p->weights, (size_t)p->influence_count * n);
    for (int m = 0; m < morph_count; m++) {
        check_floats(p->morph_positions[m], 3 * n);
        check_floats(p->morph_normals[m], 3 * n);
    }
    for (size_t i = 0; i < 3 * (size_t)p->triangle_count; i++) {
        SN_ASSERT(p->triangles[i] >= 0 && p->triangles[i] < p->vertex_count);
    }
    SN_ASSERT(p->material >= -1 && p->material < material_count);
}

static inline void check_joints(const sn_scene_file *s, const sn_scene_node *node)
{
    const sn_scene_mesh *mesh = &s->meshes[node->mesh];
    for (int k = 0; k < mesh->primitive_count; k++) {
        const sn_scene_primitive *p = &s->primitives[mesh->first_primitive + k];
        for (size_t i = 0; i < (size_t)p->influence_count * (size_t)p->vertex_count; i++) {
            SN_ASSERT(p->weights[i] >= 0 && p->joints[i] >= 0 && p->joints[i] < s->skins[node->skin].joint_count);
        }
    }
}

static inline void check_nodes(const sn_scene_file *s)
{
    for (int i = 0; i < s->node_count; i++) {
        const sn_scene_node *node = &s->nodes[i];
        int32_t up = i;
        for (int steps = 0; up >= 0 && s->node_count < 1000; steps++) {
            SN_ASSERT(steps < s->node_count && up < s->node_count);
            up = s->nodes[up].parent;
        }
        SN_ASSERT(node->name && node->mesh < s->mesh_count && node->skin < s->skin_count);
        for (int k = 0; k < 12; k++) {
            SN_ASSERT(isfinite(node->local[k]));
        }
        if (node->morph_weights) {
            check_floats(node->morph_weights, (size_t)s->meshes[node->mesh].morph_count);
        }
        if (node->mesh >= 0 && node->skin >= 0) {
            check_joints(s, node);
        }
    }
}

static inline void check_materials(const sn_scene_file *s)
{
    for (int i = 0; i < s->material_count; i++) {
        const sn_scene_material *m = &s->materials[i];
        SN_ASSERT(m->name && m->values.alpha_mode >= 0 && m->values.alpha_mode < SN_ALPHA_MODE_COUNT);
        check_floats(m->values.base_color, 4);
        check_floats(m->values.emissive, 3);
        check_floats(&m->uv_transforms[0][0], 6 * SN_TEXTURE_USE_COUNT);
        for (int use = 0; use < SN_TEXTURE_USE_COUNT; use++) {
            SN_ASSERT(m->values.textures[use] >= -1 && m->values.textures[use] < s->texture_count);
            SN_ASSERT(m->values.uv_sets[use] == 0 || m->values.uv_sets[use] == 1);
        }
    }
    for (int i = 0; i < s->texture_count; i++) {
        const sn_scene_texture *t = &s->textures[i];
        SN_ASSERT(t->width > 0 && t->height > 0 && t->pixels);
        volatile uint8_t last = t->pixels[4 * (size_t)t->width * (size_t)t->height - 1];
        (void)last;
    }
}

static inline void check_clips(const sn_scene_file *s)
{
    for (int i = 0; i < s->channel_count; i++) {
        const sn_scene_channel *c = &s->channels[i];
        const size_t slots = c->interpolation == SN_KEYS_CUBIC ? 3 : 1;
        SN_ASSERT(c->node >= 0 && c->node < s->node_count && c->key_count > 0 && c->width > 0);
        check_floats(c->times, (size_t)c->key_count);
        check_floats(c->values, slots * (size_t)c->key_count * (size_t)c->width);
        for (int k = 0; k < c->key_count; k++) {
            SN_ASSERT(c->times[k] >= 0 && (k == 0 || c->times[k] > c->times[k - 1]));
        }
    }
    for (int i = 0; i < s->humanoid_bone_count; i++) {
        SN_ASSERT(s->humanoid_bones[i].node >= 0 && s->humanoid_bones[i].node < s->node_count);
    }
}

static inline void check_expressions(const sn_scene_file *s)
{
    for (int i = 0; i < s->expression_count; i++) {
        const sn_expression *e = &s->expressions[i].definition;
        SN_ASSERT(s->expressions[i].name && e->first_bind >= 0 && e->bind_count >= 0 &&
                  e->first_bind + e->bind_count <= s->expression_bind_count);
    }
    for (int i = 0; i < s->expression_bind_count; i++) {
        const sn_scene_expression_bind *bind = &s->expression_binds[i];
        const int32_t mesh = bind->node >= 0 ? s->nodes[bind->node].mesh : bind->mesh;
        SN_ASSERT(bind->node < s->node_count && mesh >= 0 && mesh < s->mesh_count);
        SN_ASSERT(bind->morph >= 0 && bind->morph < s->meshes[mesh].morph_count && isfinite(bind->weight));
    }
    for (int i = 0; i < s->expression_track_count; i++) {
        const sn_scene_expression_track *track = &s->expression_tracks[i];
        SN_ASSERT(track->name && track->node >= 0 && track->node < s->node_count);
    }
}

static int error_count;

static inline void count_errors(sn_log_level level, const char *message, void *user)
{
    (void)user;
    error_count += level == SN_LOG_ERROR;
    SN_ASSERT(level != SN_LOG_ERROR || strncmp(message, "/dev/null/fuzz: ", 16) == 0);
}

static inline void sn_fuzz_scene_file(const uint8_t *data, size_t size,
                                      sn_result (*read)(const sn_source *, sn_arena *, sn_scene_file *))
{
    sn_source source = sn_fuzz_source(data, size);
    if (!source.bytes) {
        return;
    }
    source.name = "/dev/null/fuzz"; /* no folder: nothing stands beside it */
    sn_arena arena = {0};
    sn_scene_file scene;
    error_count = 0;
    sn_set_log(count_errors, NULL);
    const sn_result result = read(&source, &arena, &scene);
    SN_ASSERT(error_count == (result == SN_OK ? 0 : 1));
    if (result == SN_OK) {
        for (int i = 0; i < scene.mesh_count; i++) {
            const sn_scene_mesh *mesh = &scene.meshes[i];
            check_floats(mesh->morph_weights, (size_t)mesh->morph_count);
            for (int k = 0; k < mesh->primitive_count; k++) {
                check_primitive(&scene.primitives[mesh->first_primitive + k], mesh->morph_count, scene.material_count);
            }
        }
        check_nodes(&scene);
        check_materials(&scene);
        check_clips(&scene);
        check_expressions(&scene);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
}

#endif
