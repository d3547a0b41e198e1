/* SPDX-License-Identifier: MIT */
/* Renders a body: plays a model for half a second, skins its surface as a vertex shader would, and writes it to stdout
 * as a Wavefront OBJ file. `draw MODEL.sinew` draws a reduced body; `draw MODEL.sinew flesh` draws the embedded flesh
 * of a coupled body, which needs another surface and other matrices, but the same shader. */
#include <stdio.h>

#include "sinew/sinew.h"

#define BONES 4 /* per vertex, as in most pipelines */

/* position += weight * m [rest, 1] */
static void add(const sn_mat3x4 *m, float weight, const float rest[3], float position[3])
{
    for (int d = 0; d < 3; ++d) {
        const float *row = m->m[d];
        position[d] += weight * (row[0] * rest[0] + row[1] * rest[1] + row[2] * rest[2] + row[3]);
    }
}

/* The vertex shader: morph targets, bones, modes. The vertex attributes are the rest position, bone indices, bone
 * weights and mode weights; one buffer of the body holds the matrices, another one the morph weights. */
static void skin(const sn_surface *s, const sn_body_matrices *body, int vertex, float position[3])
{
    const float *x = s->positions + 3 * vertex;
    float rest[3] = {x[0], x[1], x[2]}, weights[BONES];
    int32_t bones[BONES];
    for (int i = s->morph_count ? s->morph_starts[vertex] : 0; s->morph_count && i < s->morph_starts[vertex + 1]; ++i) {
        for (int d = 0; d < 3; ++d) {
            rest[d] += body->morphs[s->morph_deltas[i].morph] * s->morph_deltas[i].offset[d];
        }
    }
    sn_surface_strongest_bones(s, vertex, BONES, bones, weights);
    position[0] = position[1] = position[2] = 0;
    for (int i = 0; i < BONES; ++i) {
        add(&body->matrices[bones[i]], weights[i], rest, position);
    }
    for (int j = 0; j < body->mode_count; ++j) {
        const float weight = s->mode_weights[(size_t)vertex * (size_t)s->mode_count + (size_t)j].weight;
        add(&body->matrices[body->bone_count + j], weight, rest, position);
    }
}

static void write_surface(const sn_surface *s, const sn_body_matrices *body)
{
    for (int v = 0; v < s->vertex_count; ++v) {
        float position[3];
        skin(s, body, v, position);
        printf("v %.6g %.6g %.6g\n", (double)position[0], (double)position[1], (double)position[2]);
    }
    for (int p = 0; p < s->part_count; ++p) {
        const sn_part *part = &s->parts[p];
        const float *color = s->materials[part->material].base_color;
        printf("# part %d: linear colour %.3g %.3g %.3g\n", p, (double)color[0], (double)color[1], (double)color[2]);
        for (int i = part->first_triangle; i < part->first_triangle + part->triangle_count; ++i) {
            const int32_t *corners = s->triangles + 3 * i;
            printf("f %d %d %d\n", corners[0] + 1, corners[1] + 1, corners[2] + 1);
        }
    }
}

int main(int argc, char **argv)
{
    sn_model *model;
    sn_world_id world;
    sn_body_id body;
    sn_embedding *embedding = NULL;
    sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc body_desc = sn_default_body_desc();
    sn_mat3x4 hop = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

    if (sn_model_open(argc > 1 ? argv[1] : "avatar.sinew", &model)) {
        return 1;
    }
    body_desc.model = model;
    body_desc.solver = argc > 2 ? SN_SOLVER_COUPLED : SN_SOLVER_REDUCED;
    if (sn_world_create(&world_desc, &world) || sn_body_create(world, &body_desc, &body)) {
        return 1;
    }
    if (argc > 2 && (sn_embedding_create(model, &embedding) || sn_body_set_embedding(body, embedding))) {
        return 1;
    }
    const sn_surface surface = embedding ? sn_embedding_surface(embedding) : sn_model_surface(model);
    for (int frame = 0; frame < 30; ++frame) {
        const float t = (float)frame / 60;
        hop.m[1][3] = t * (1 - t);
        sn_body_set_rigid_pose(body, &hop);
        sn_world_step(world, 1.0 / 60);
    }
    const sn_body_matrices output = embedding ? sn_body_embedded_output(body) : sn_body_output(body);
    write_surface(&surface, &output);
    sn_world_destroy(world);
    sn_embedding_destroy(&embedding);
    sn_model_release(model);
    return 0;
}
