/* SPDX-License-Identifier: MIT */
/* What the tests of FBX files share: reading one, and where its clips put its nodes. */
#ifndef SN_TESTS_IO_FBX_TEST_H
#define SN_TESTS_IO_FBX_TEST_H

#include <math.h>
#include <stdlib.h>

#include "author/bake/trs.h"
#include "author/io/scene_file.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "tests/io/io_test.h"

#define READER SN_BINARY_DIR "/sinew-read-fbx"

/* Builds with SN_FBX=OFF have none. */
static inline void use_reader(void)
{
    skip_without(READER);
    setenv("SINEW_READ_FBX", READER, 1);
}

static inline void read_fbx(const char *path, sn_arena *arena, sn_scene_file *scene)
{
    begin_log();
    if (sn_scene_file_read(path, arena, scene) != SN_OK) {
        fail_msg("%s", logged.last_error);
    }
}

static inline int32_t find_node(const sn_scene_file *s, const char *name)
{
    for (int i = 0; i < s->node_count; ++i) {
        if (strcmp(s->nodes[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no node %s", name);
    return -1;
}

/* Linear between keys, as the reader writes them. */
static inline void sample_channel(const sn_scene_channel *c, double time, double *values)
{
    int b = 0;
    while (b < c->key_count - 1 && (double)c->times[b] < time) {
        ++b;
    }
    const int a = b > 0 ? b - 1 : 0;
    const double length = (double)c->times[b] - (double)c->times[a];
    const double share = length > 0 ? fmin(fmax((time - (double)c->times[a]) / length, 0), 1) : 1;
    double from[4], to[4];
    for (int k = 0; k < c->width && k < 4; ++k) {
        from[k] = (double)c->values[a * c->width + k];
        to[k] = (double)c->values[b * c->width + k];
        values[k] = (1 - share) * from[k] + share * to[k];
    }
    if (c->path == SN_PATH_ROTATION) {
        sn_quaternion_blend(from, to, share, values);
    }
}

/* Row-major 3 x 4, of node to world; clip -1: at rest. */
static inline void node_world(const sn_scene_file *s, int clip, double time, int32_t node, double *world)
{
    sn_affine_identity(world);
    for (; node >= 0; node = s->nodes[node].parent) {
        const sn_scene_node *n = &s->nodes[node];
        sn_trs trs;
        memcpy(trs.translation, n->translation, sizeof trs.translation);
        memcpy(trs.rotation, n->rotation, sizeof trs.rotation);
        memcpy(trs.scale, n->scale, sizeof trs.scale);
        for (int i = 0; clip >= 0 && i < s->clips[clip].channel_count; ++i) {
            const sn_scene_channel *c = &s->channels[s->clips[clip].first_channel + i];
            if (c->node == node && c->path != SN_PATH_WEIGHTS) {
                sample_channel(c, time,
                               c->path == SN_PATH_ROTATION      ? trs.rotation
                               : c->path == SN_PATH_TRANSLATION ? trs.translation
                                                                : trs.scale);
            }
        }
        double local[12], below[12];
        sn_trs_compose(&trs, local);
        memcpy(below, world, sizeof below);
        sn_affine_multiply(local, below, world);
    }
}

/* Where the clip puts a vertex of a skinned mesh. */
static inline void skinned_vertex(const sn_scene_file *s, int clip, double time, const sn_scene_skin *skin,
                                  const sn_scene_primitive *p, int vertex, double *position)
{
    position[0] = position[1] = position[2] = 0;
    for (int k = 0; k < p->influence_count; ++k) {
        const size_t at = (size_t)vertex * (size_t)p->influence_count + (size_t)k;
        double world[12], whole[12], moved[3];
        const double rest[3] = {(double)p->positions[3 * vertex], (double)p->positions[3 * vertex + 1],
                                (double)p->positions[3 * vertex + 2]};
        if (p->weights[at] > 0) {
            node_world(s, clip, time, skin->joints[p->joints[at]], world);
            sn_affine_multiply(world, skin->inverse_bind + 12 * (size_t)p->joints[at], whole);
            sn_affine_apply(whole, rest, moved);
            for (int i = 0; i < 3; ++i) {
                position[i] += (double)p->weights[at] * moved[i];
            }
        }
    }
}

#endif
