/* SPDX-License-Identifier: MIT */
/* Poses the rig along a sequence of shapes and computes the blended transform of each vertex. */
#include <math.h>
#include <string.h>

#include "author/bake/shaper.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"

static int count_vertices(const sn_scene_file *scene, int32_t node)
{
    const sn_scene_mesh *mesh = &scene->meshes[scene->nodes[node].mesh];
    int count = 0;
    for (int k = 0; k < mesh->primitive_count; ++k) {
        count += scene->primitives[mesh->first_primitive + k].vertex_count;
    }
    return count;
}

int sn_shapes_vertex_count(const sn_scene_file *scene)
{
    int count = 0;
    for (int32_t i = 0; i < scene->node_count; ++i) {
        count += scene->nodes[i].mesh >= 0 ? count_vertices(scene, i) : 0;
    }
    return count;
}

static sn_result find_bodies(sn_shaper *s)
{
    const sn_scene_file *scene = &s->scene;
    int32_t *use_counts = SN_NEW(&s->scratch, int32_t, scene->mesh_count);
    int max_morphs = 0;
    s->bodies = SN_NEW(&s->scratch, sn_shape_body, scene->node_count);
    if (!use_counts || !s->bodies) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < scene->node_count; ++i) {
        const int32_t mesh = scene->nodes[i].mesh;
        if (mesh < 0) {
            continue;
        }
        if (use_counts[mesh]++ > 0) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "%s: nodes[%d]: uses mesh %d, which another node also uses",
                           s->desc.character, i, mesh);
        }
        s->bodies[s->body_count++] = (sn_shape_body){i, s->vertex_count, count_vertices(scene, i)};
        s->vertex_count += count_vertices(scene, i);
        max_morphs = scene->meshes[mesh].morph_count > max_morphs ? scene->meshes[mesh].morph_count : max_morphs;
    }
    s->own_weights = SN_NEW(&s->scratch, double, max_morphs);
    s->other_weights = SN_NEW(&s->scratch, double, max_morphs);
    return !s->own_weights || !s->other_weights ? SN_ERROR_MEMORY
           : s->body_count > 0                  ? SN_OK
                               : sn_fail(SN_ERROR_UNSUPPORTED, "%s: no node has a mesh", s->desc.character);
}

/* Allocates the matrices of the largest skin. */
static sn_result allocate_skin(sn_shaper *s)
{
    int max_joints = 0;
    for (int i = 0; i < s->scene.skin_count; ++i) {
        max_joints = s->scene.skins[i].joint_count > max_joints ? s->scene.skins[i].joint_count : max_joints;
    }
    s->skin = SN_NEW(&s->scratch, double, 12 * (size_t)max_joints);
    return s->skin ? SN_OK : SN_ERROR_MEMORY;
}

static void rest_parts(const sn_scene_file *scene, sn_trs *parts)
{
    for (int i = 0; i < scene->node_count; ++i) {
        memcpy(parts[i].translation, scene->nodes[i].translation, sizeof parts[i].translation);
        memcpy(parts[i].rotation, scene->nodes[i].rotation, sizeof parts[i].rotation);
        memcpy(parts[i].scale, scene->nodes[i].scale, sizeof parts[i].scale);
    }
}

/* Gets the pose of a key: the caller's, a clip's, or the rest pose. */
static void get_key_pose(sn_shaper *s, const sn_shape_key *key, sn_trs *parts)
{
    const size_t size = (size_t)s->scene.node_count * sizeof *parts;
    if (key->pose) {
        memcpy(parts, key->pose, size);
    } else if (key->clip >= 0) {
        sn_scene_pose_clip(&s->pose, key->clip, key->clip_seconds);
        memcpy(parts, s->pose.parts, size);
    } else {
        rest_parts(&s->scene, parts);
    }
}

sn_result sn_shaper_load_scene(sn_shaper *s)
{
    sn_result result = find_bodies(s);
    if (result == SN_OK) {
        result = allocate_skin(s);
    }
    if (result != SN_OK) {
        return result;
    }
    const size_t n = (size_t)s->vertex_count, nodes = (size_t)s->scene.node_count;
    result = sn_scene_pose_init(&s->scene, &s->scratch, &s->pose);
    s->parts = SN_NEW(&s->scratch, sn_trs, nodes);
    s->transforms = SN_NEW(&s->scratch, double, 12 * n);
    s->rest = SN_NEW(&s->scratch, double, 3 * n);
    if (result == SN_OK && (!s->parts || !s->transforms || !s->rest)) {
        return SN_ERROR_MEMORY;
    }
    if (result == SN_OK && !s->poses) {
        s->poses = SN_NEW(&s->scratch, sn_trs, nodes * (size_t)s->desc.key_count);
        result = s->poses ? SN_OK : SN_ERROR_MEMORY;
        for (int k = 0; k < s->desc.key_count && result == SN_OK; ++k) {
            get_key_pose(s, &s->desc.keys[k], s->poses + nodes * (size_t)k);
        }
    }
    return result;
}

int sn_shaper_segment(const sn_shaper *s, double seconds, double *fraction)
{
    const sn_shape_key *keys = s->desc.keys;
    int segment = 0;
    while (segment + 1 < s->segment_count && keys[segment + 1].seconds <= seconds) {
        ++segment;
    }
    const double span = keys[segment + 1].seconds - keys[segment].seconds;
    *fraction = fmin(fmax((seconds - keys[segment].seconds) / span, 0), 1);
    return segment;
}

static bool is_along_clip(const sn_shape_key *a, const sn_shape_key *b)
{
    return !a->pose && !b->pose && a->clip >= 0 && a->clip == b->clip;
}

static void blend_parts(const sn_trs *a, const sn_trs *b, double fraction, sn_trs *to)
{
    for (int d = 0; d < 3; ++d) {
        to->translation[d] = a->translation[d] + fraction * (b->translation[d] - a->translation[d]);
        to->scale[d] = a->scale[d] + fraction * (b->scale[d] - a->scale[d]);
    }
    sn_scene_blend_rotations(a->rotation, b->rotation, fraction, to->rotation);
}

/* Interpolates the values of four keys by cubic Hermite with Catmull-Rom slopes, for unequal times. */
static double interpolate(const double *values, const double *times, double fraction)
{
    const double span = times[2] - times[1], f = fraction;
    const double out = (values[2] - values[0]) / (times[2] - times[0]) * span;
    const double in = (values[3] - values[1]) / (times[3] - times[1]) * span;
    return values[1] +
           f * (out + f * (3 * (values[2] - values[1]) - 2 * out - in + f * (2 * (values[1] - values[2]) + out + in)));
}

/* Interpolates the added joint. Its quaternions already have consistent signs. */
static void interpolate_parts(const sn_shaper *s, int segment, double fraction, int node, sn_trs *to)
{
    double values[10], *numbers[3] = {to->translation, to->rotation, to->scale};
    static const int widths[3] = {3, 4, 3};
    for (int i = 0; i < 10; ++i) {
        double four[4], times[4];
        for (int k = 0; k < 4; ++k) {
            const int key = segment - 1 + k < 0                  ? 0
                            : segment - 1 + k > s->segment_count ? s->segment_count
                                                                 : segment - 1 + k;
            double parts[10];
            memcpy(parts, &s->poses[(size_t)key * (size_t)s->scene.node_count + (size_t)node], sizeof parts);
            four[k] = parts[i];
            times[k] = s->desc.keys[key].seconds;
        }
        values[i] = interpolate(four, times, fraction);
    }
    for (int part = 0, at = 0; part < 3; at += widths[part++]) {
        memcpy(numbers[part], values + at, (size_t)widths[part] * sizeof(double));
    }
    sn_quaternion_normalize(to->rotation);
}

void sn_shaper_pose_nodes(sn_shaper *s, double seconds)
{
    double fraction;
    const int segment = sn_shaper_segment(s, seconds, &fraction);
    const sn_shape_key *a = &s->desc.keys[segment], *b = a + 1;
    const size_t nodes = (size_t)s->scene.node_count;
    if (is_along_clip(a, b)) {
        sn_scene_pose_clip(&s->pose, a->clip, a->clip_seconds + fraction * (b->clip_seconds - a->clip_seconds));
        memcpy(s->parts, s->pose.parts, nodes * sizeof *s->parts);
        return;
    }
    for (size_t i = 0; i < nodes; ++i) {
        blend_parts(&s->poses[(size_t)segment * nodes + i], &s->poses[(size_t)(segment + 1) * nodes + i], fraction,
                    &s->parts[i]);
    }
    if (s->is_rigid) {
        interpolate_parts(s, segment, fraction, s->scene.node_count - 1, &s->parts[nodes - 1]);
    }
    memcpy(s->pose.parts, s->parts, nodes * sizeof *s->parts);
    sn_scene_pose_update_world(&s->pose);
}

/* Gets the morph weights of a clip at a time, or the rest weights. */
static void find_weights(const sn_shaper *s, int body, const sn_shape_key *key, double clip_seconds, double *weights)
{
    const sn_scene_node *node = &s->scene.nodes[s->bodies[body].node];
    const sn_scene_mesh *mesh = &s->scene.meshes[node->mesh];
    const float *rest = node->morph_weights ? node->morph_weights : mesh->morph_weights;
    for (int m = 0; m < mesh->morph_count; ++m) {
        weights[m] = rest ? (double)rest[m] : 0;
    }
    const sn_scene_clip *clip = key->clip >= 0 && !key->pose ? &s->scene.clips[key->clip] : NULL;
    for (int i = 0; clip && i < clip->channel_count; ++i) {
        const sn_scene_channel *channel = &s->scene.channels[clip->first_channel + i];
        if (channel->node == s->bodies[body].node && channel->path == SN_PATH_WEIGHTS) {
            sn_scene_channel_sample(channel, clip_seconds, weights);
        }
    }
}

int sn_shaper_own_weights(const sn_shaper *s, int body, double seconds, double *weights)
{
    double fraction;
    const int segment = sn_shaper_segment(s, seconds, &fraction);
    const sn_shape_key *a = &s->desc.keys[segment], *b = a + 1;
    const int count = s->scene.meshes[s->scene.nodes[s->bodies[body].node].mesh].morph_count;
    if (is_along_clip(a, b)) {
        const double at = a->clip_seconds + fraction * (b->clip_seconds - a->clip_seconds);
        find_weights(s, body, a, at, weights);
        return count;
    }
    double *other = s->other_weights;
    find_weights(s, body, b, b->clip_seconds, other);
    find_weights(s, body, a, a->clip_seconds, weights);
    for (int m = 0; m < count; ++m) {
        weights[m] += fraction * (other[m] - weights[m]);
    }
    return count;
}

static void blend_vertex(const sn_scene_primitive *p, size_t v, const double *skin, const double *world, double *to)
{
    const size_t width = (size_t)p->influence_count;
    if (!skin || width == 0) {
        memcpy(to, world, 12 * sizeof *to);
        return;
    }
    memset(to, 0, 12 * sizeof *to);
    for (size_t k = 0; k < width; ++k) {
        const double weight = (double)p->weights[v * width + k];
        const double *joint = skin + 12 * (size_t)p->joints[v * width + k];
        for (int i = 0; i < 12 && weight != 0; ++i) {
            to[i] += weight * joint[i];
        }
    }
}

static void rest_vertex(const sn_scene_primitive *p, size_t v, int morph_count, const double *weights, double *to)
{
    for (size_t d = 0; d < 3; ++d) {
        to[d] = (double)p->positions[3 * v + d];
        for (int m = 0; m < morph_count; ++m) {
            to[d] += p->morph_positions[m] ? weights[m] * (double)p->morph_positions[m][3 * v + d] : 0;
        }
    }
}

/* Returns the joints' world transforms times their inverse binds; null if unskinned. */
static const double *find_skin(sn_shaper *s, const sn_scene_node *node)
{
    const sn_scene_skin *skin = node->skin >= 0 ? &s->scene.skins[node->skin] : NULL;
    for (int j = 0; skin && j < skin->joint_count; ++j) {
        sn_affine_multiply(s->pose.world + 12 * (size_t)skin->joints[j], skin->inverse_bind + 12 * (size_t)j,
                           s->skin + 12 * (size_t)j);
    }
    return skin ? s->skin : NULL;
}

void sn_shaper_pose(sn_shaper *s, double seconds)
{
    sn_shaper_pose_nodes(s, seconds);
    for (int i = 0; i < s->body_count; ++i) {
        const sn_scene_node *node = &s->scene.nodes[s->bodies[i].node];
        const sn_scene_mesh *mesh = &s->scene.meshes[node->mesh];
        const double *skin = find_skin(s, node);
        size_t at = (size_t)s->bodies[i].first_vertex;
        sn_shaper_own_weights(s, i, seconds, s->own_weights);
        for (int k = 0; k < mesh->primitive_count; ++k) {
            const sn_scene_primitive *p = &s->scene.primitives[mesh->first_primitive + k];
            for (size_t v = 0; v < (size_t)p->vertex_count; ++v, ++at) {
                blend_vertex(p, v, skin, s->pose.world + 12 * (size_t)s->bodies[i].node, s->transforms + 12 * at);
                rest_vertex(p, v, mesh->morph_count, s->own_weights, s->rest + 3 * at);
            }
        }
    }
}
