/* SPDX-License-Identifier: MIT */
#include "author/cook/surface/bone_attached_vertices.h"

#include <string.h>

#include "author/cook/colliders/segment_tet.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"

#define MIN_WEIGHT_RATIO 0.5 /* relative to the largest weight of any bone in a tet */
#define RELEASE_RADIUS 0.9   /* fraction of a limb's radius */
#define MAX_RELEASE 0.3      /* fraction of a bone's length, at either end */
#define UNATTACHED (-1)
#define AMBIGUOUS (-2)

typedef struct attachment {
    sn_cook_context *cook;
    const sn_bone_lines *lines;
    int32_t *bones;      /* (vertex_count) UNATTACHED, AMBIGUOUS, or the bone */
    int32_t *neighbours; /* (vertex_count) */
    double *max_weights; /* (tet_count) the largest weight of any bone */
} attachment;

/* Sum of a bone's weights at the corners of a tet. */
static double weight_in(const attachment *c, size_t tet, int bone)
{
    double sum = 0;
    for (size_t corner = 0; corner < 4; ++corner) {
        sum += c->cook->rig_weights[(size_t)c->cook->mesh.tets[4 * tet + corner] * (size_t)c->cook->bone_count +
                                    (size_t)bone];
    }
    return sum;
}

/* ---- tets that bones run through ---- */

static void compute_max_weights(attachment *c)
{
    for (size_t t = 0; t < (size_t)c->cook->mesh.tet_count; ++t) {
        for (int bone = 0; bone < c->cook->bone_count; ++bone) {
            c->max_weights[t] = fmax(c->max_weights[t], weight_in(c, t, bone));
        }
    }
}

static void attach(int32_t *at, int32_t bone)
{
    *at = *at == UNATTACHED || *at == bone ? bone : AMBIGUOUS;
}

static void attach_line(attachment *c, const sn_bone_line *line)
{
    const sn_tet_mesh *mesh = &c->cook->mesh;
    for (size_t t = 0; t < (size_t)mesh->tet_count; ++t) {
        if (weight_in(c, t, line->bone) >= MIN_WEIGHT_RATIO * c->max_weights[t] &&
            sn_segment_intersects_tet(mesh, (int)t, c->cook->gradients + 12 * t, line->start, line->end)) {
            for (size_t corner = 0; corner < 4; ++corner) {
                attach(&c->bones[mesh->tets[4 * t + corner]], line->bone);
            }
        }
    }
    for (size_t v = 0; v < (size_t)mesh->vertex_count && line->radius > 0; ++v) {
        if (sn_segment_distance(mesh->positions + 3 * v, line->start, line->end) <= line->radius) {
            attach(&c->bones[v], line->bone);
        }
    }
}

/* ---- release around joints ---- */

/* Releases the vertices of tets that are attached to two bones, which would be torn between them. */
static sn_result release_torn(attachment *c)
{
    bool *is_torn = SN_NEW(&c->cook->arena, bool, c->cook->mesh.vertex_count);
    for (int t = 0; is_torn && t < c->cook->mesh.tet_count; ++t) {
        const int32_t *tet = c->cook->mesh.tets + 4 * (size_t)t;
        for (int i = 0; i < 16; ++i) {
            const int32_t a = tet[i / 4], b = tet[i % 4];
            is_torn[a] = is_torn[a] || (c->bones[a] >= 0 && c->bones[b] >= 0 && c->bones[a] != c->bones[b]);
        }
    }
    for (int v = 0; is_torn && v < c->cook->mesh.vertex_count; ++v) {
        c->bones[v] = is_torn[v] ? AMBIGUOUS : c->bones[v];
    }
    return is_torn ? SN_OK : SN_ERROR_MEMORY;
}

/* Depth of each joint below the skin; 0 outside of the body. */
static sn_result measure_limbs(attachment *c, const double *joints, int count, double *radii)
{
    sn_cook_context *cook = c->cook;
    const sn_tri_mesh skin = {cook->mesh.vertex_count, cook->boundary_count, cook->mesh.positions, cook->boundary};
    int32_t *tets = SN_NEW(&cook->arena, int32_t, count), *triangles = SN_NEW(&cook->arena, int32_t, count);
    double *tet_coordinates = SN_NEW(&cook->arena, double, 4 * (size_t)count),
           *surface_coordinates = SN_NEW(&cook->arena, double, 3 * (size_t)count);
    if (!tets || !triangles || !tet_coordinates || !surface_coordinates) {
        return SN_ERROR_MEMORY;
    }
    sn_result result =
        sn_tet_locate(&cook->mesh, cook->boundary, cook->boundary_count, joints, count, tets, tet_coordinates);
    result = result ? result : sn_tri_locate(&skin, joints, count, triangles, surface_coordinates);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        const double *w = tet_coordinates + 4 * (size_t)i;
        double nearest[3] = {0};
        for (int j = 0; j < 9; ++j) {
            nearest[j % 3] += surface_coordinates[3 * i + j / 3] *
                              cook->mesh.positions[3 * cook->boundary[3 * triangles[i] + j / 3] + j % 3];
        }
        const bool is_inside = fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) > -1e-9;
        radii[i] = is_inside ? sn_distance3(joints + 3 * (size_t)i, nearest) : 0;
    }
    return result;
}

static double max_line_length(const attachment *c, int bone)
{
    double max_length = 0;
    for (int i = 0; i < c->lines->count; ++i) {
        const sn_bone_line *line = &c->lines->list[i];
        max_length = line->bone == bone ? fmax(max_length, sn_distance3(line->start, line->end)) : max_length;
    }
    return max_length;
}

/* Releases a bone's vertices near a joint. */
static void release_from(attachment *c, const double *joint, double radius, int bone, double length)
{
    const double radius_limit = fmin(RELEASE_RADIUS * radius, MAX_RELEASE * length);
    for (size_t v = 0; v < (size_t)c->cook->mesh.vertex_count; ++v) {
        if (c->bones[v] == bone && sn_distance3(c->cook->mesh.positions + 3 * v, joint) < radius_limit) {
            c->bones[v] = AMBIGUOUS;
        }
    }
}

/* The line of a bone that is closest to a point. */
static const sn_bone_line *nearest_line(const attachment *c, int bone, const double *point, double *distance)
{
    const sn_bone_line *best = NULL;
    *distance = INFINITY;
    for (int i = 0; i < c->lines->count; ++i) {
        const sn_bone_line *line = &c->lines->list[i];
        if (line->bone == bone) {
            const double line_distance = sn_segment_distance(point, line->start, line->end);
            best = line_distance < *distance ? line : best;
            *distance = fmin(line_distance, *distance);
        }
    }
    return best;
}

/* Releases the vertices around joints: starts of a bone's lines that lie within the limb's radius of a line of its
 * parent. */
static sn_result release_joints(attachment *c)
{
    const int32_t *parents = c->cook->bone_parents;
    double *joints = SN_NEW(&c->cook->arena, double, 3 * (size_t)c->lines->count);
    double *radii = SN_NEW(&c->cook->arena, double, c->lines->count);
    int32_t *of_joint = SN_NEW(&c->cook->arena, int32_t, c->lines->count);
    int count = 0;
    if (!joints || !radii || !of_joint) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->lines->count; ++i) {
        const sn_bone_line *line = &c->lines->list[i];
        if ((i == 0 || line[-1].bone != line->bone) && parents[line->bone] >= 0) {
            memcpy(joints + 3 * (size_t)count, line->start, sizeof line->start);
            of_joint[count++] = line->bone;
        }
    }
    SN_TRY(count > 0 ? measure_limbs(c, joints, count, radii) : SN_OK);
    for (int i = 0; i < count; ++i) {
        const double *joint = joints + 3 * (size_t)i;
        double distance;
        const sn_bone_line *above = nearest_line(c, parents[of_joint[i]], joint, &distance);
        if (above && distance <= radii[i]) {
            release_from(c, joint, radii[i], above->bone, sn_distance3(above->start, above->end));
            release_from(c, joint, radii[i], of_joint[i], max_line_length(c, of_joint[i]));
        }
    }
    return SN_OK;
}

/* ---- bones and pieces without attached vertices ---- */

/* For each vertex: the bone that the vertices of its adjacent tets are attached to; UNATTACHED for none, AMBIGUOUS for
 * more. */
static void find_neighbours(attachment *c)
{
    memset(c->neighbours, UNATTACHED, (size_t)c->cook->mesh.vertex_count * sizeof *c->neighbours);
    for (int t = 0; t < c->cook->mesh.tet_count; ++t) {
        const int32_t *tet = c->cook->mesh.tets + 4 * (size_t)t;
        for (int i = 0; i < 16; ++i) {
            if (c->bones[tet[i % 4]] >= 0) {
                attach(&c->neighbours[tet[i / 4]], c->bones[tet[i % 4]]);
            }
        }
    }
}

/* Whether attaching the vertex to the bone tears no tet. */
static bool is_attachable(const attachment *c, int32_t vertex, int bone)
{
    return c->neighbours[vertex] == UNATTACHED || c->neighbours[vertex] == bone;
}

/* The tet of a piece (-1: of any) closest to the bone's lines, among those with enough weight of the bone and enough
 * corners that it can take; -1: none. */
static int nearest_tet(const attachment *c, const int32_t *pieces, int piece, int bone, double min_weight, int corners)
{
    const sn_tet_mesh *mesh = &c->cook->mesh;
    double min_value = INFINITY;
    int best = -1;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int32_t *tet = mesh->tets + 4 * (size_t)t;
        double center[3] = {0};
        int attachable = 0;
        for (int i = 0; i < 12; ++i) {
            center[i % 3] += mesh->positions[3 * (size_t)tet[i / 3] + (size_t)(i % 3)] / 4;
            attachable += i % 3 == 0 && is_attachable(c, tet[i / 3], bone);
        }
        if (attachable >= corners && (piece < 0 || pieces[t] == piece) &&
            weight_in(c, (size_t)t, bone) >= 4 * min_weight) {
            double distance;
            nearest_line(c, bone, center, &distance);
            best = distance < min_value ? t : best;
            min_value = fmin(min_value, distance);
        }
    }
    return best;
}

/* Attaches one tet to the bone; if all candidates touch vertices of other bones, only the corners that do not. */
static void attach_tet(attachment *c, const int32_t *pieces, int piece, int bone, double min_weight)
{
    int tet = -1;
    find_neighbours(c);
    for (int corners = 4; tet < 0 && corners > 0; --corners) {
        tet = nearest_tet(c, pieces, piece, bone, min_weight, corners);
    }
    for (int corner = 0; tet >= 0 && corner < 4; ++corner) {
        const int32_t vertex = c->cook->mesh.tets[4 * (size_t)tet + (size_t)corner];
        c->bones[vertex] = is_attachable(c, vertex, bone) ? bone : c->bones[vertex];
    }
}

static sn_result attach_bones(attachment *c)
{
    bool *has_vertices = SN_NEW(&c->cook->arena, bool, c->cook->bone_count);
    if (!has_vertices) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < c->cook->mesh.vertex_count; ++v) {
        if (c->bones[v] >= 0) {
            has_vertices[c->bones[v]] = true;
        }
    }
    for (int i = 0; i < c->lines->count; ++i) {
        const int32_t bone = c->lines->list[i].bone;
        if (!has_vertices[bone]) {
            attach_tet(c, NULL, -1, bone, MIN_WEIGHT_RATIO);
            has_vertices[bone] = true;
        }
    }
    return SN_OK;
}

/* The bone with lines that moves most of a piece. bone_sums (bone_count) is scratch. */
static int strongest_bone(const attachment *c, const int32_t *pieces, int piece, double *bone_sums)
{
    int best = -1;
    memset(bone_sums, 0, (size_t)c->cook->bone_count * sizeof *bone_sums);
    for (size_t t = 0; t < (size_t)c->cook->mesh.tet_count; ++t) {
        for (int b = 0; pieces[t] == piece && b < c->cook->bone_count; ++b) {
            bone_sums[b] += c->cook->volumes[t] * weight_in(c, t, b);
        }
    }
    for (int i = 0; i < c->lines->count; ++i) {
        const int bone = c->lines->list[i].bone;
        best = best < 0 || bone_sums[bone] > bone_sums[best] ? bone : best;
    }
    return best;
}

/* Labels connected pieces of tets. Tets that share only one vertex are connected, by a hinge. */
static int label_pieces(const sn_tet_mesh *mesh, int32_t *of_vertex, int32_t *pieces)
{
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        of_vertex[v] = v;
    }
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (int t = 0; t < mesh->tet_count; ++t) {
            const int32_t *tet = mesh->tets + 4 * (size_t)t;
            int32_t min_value = of_vertex[tet[0]];
            for (int corner = 1; corner < 4; ++corner) {
                min_value = of_vertex[tet[corner]] < min_value ? of_vertex[tet[corner]] : min_value;
            }
            min_value = of_vertex[min_value];
            for (int corner = 0; corner < 4; ++corner) {
                is_done = is_done && of_vertex[tet[corner]] == min_value;
                of_vertex[tet[corner]] = min_value;
            }
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) { /* the first vertex of a piece is its own label */
        of_vertex[v] = of_vertex[v] == v ? count++ : of_vertex[of_vertex[v]];
    }
    for (int t = 0; t < mesh->tet_count; ++t) {
        pieces[t] = of_vertex[mesh->tets[4 * (size_t)t]];
    }
    return count;
}

static sn_result attach_pieces(attachment *c)
{
    sn_cook_context *cook = c->cook;
    int32_t *of_vertex = SN_NEW(&cook->arena, int32_t, cook->mesh.vertex_count);
    int32_t *pieces = SN_NEW(&cook->arena, int32_t, cook->mesh.tet_count);
    double *bone_sums = SN_NEW(&cook->arena, double, cook->bone_count);
    if (!of_vertex || !pieces || !bone_sums) {
        return SN_ERROR_MEMORY;
    }
    const int count = label_pieces(&cook->mesh, of_vertex, pieces);
    bool *is_piece_attached = SN_NEW(&cook->arena, bool, count);
    for (int v = 0; is_piece_attached && v < cook->mesh.vertex_count; ++v) {
        is_piece_attached[of_vertex[v]] = is_piece_attached[of_vertex[v]] || c->bones[v] >= 0;
    }
    for (int piece = 0; is_piece_attached && piece < count; ++piece) {
        if (!is_piece_attached[piece]) {
            const int bone = strongest_bone(c, pieces, piece, bone_sums);
            attach_tet(c, pieces, piece, bone, 0);
        }
    }
    return is_piece_attached ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_bone_attached_vertices_find(sn_cook_context *cook, const sn_bone_lines *lines, int32_t *bones)
{
    const size_t t = (size_t)cook->mesh.tet_count;
    attachment c = {.cook = cook,
                    .lines = lines,
                    .bones = bones,
                    .neighbours = SN_NEW(&cook->arena, int32_t, cook->mesh.vertex_count),
                    .max_weights = SN_NEW(&cook->arena, double, t)};
    if (!c.neighbours || !c.max_weights) {
        return SN_ERROR_MEMORY;
    }
    if (lines->count == 0) {
        return sn_fail(
            SN_ERROR_ARGUMENT,
            "%s: no bone for flesh to be attached to: a layered body needs points, bones or a skeleton, not only cages",
            cook->handles_name ? cook->handles_name : cook->path);
    }
    memset(bones, -1, (size_t)cook->mesh.vertex_count * sizeof *bones);
    compute_max_weights(&c);
    for (int i = 0; i < lines->count; ++i) {
        attach_line(&c, &lines->list[i]);
    }
    sn_result result = release_joints(&c);
    result = result ? result : release_torn(&c);
    result = result ? result : attach_bones(&c);
    result = result ? result : attach_pieces(&c);
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        bones[v] = bones[v] == AMBIGUOUS ? UNATTACHED : bones[v];
    }
    return result;
}
