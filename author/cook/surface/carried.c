/* SPDX-License-Identifier: MIT */
#include "author/cook/surface/carried.h"

#include <string.h>

#include "author/cook/colliders/segment_tet.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"

#define LEAST_SHARE 0.5   /* relative to the largest weight of any bone in a tet */
#define RELEASED 0.9      /* fraction of a limb's radius */
#define MOST_RELEASED 0.3 /* fraction of a bone's length, at either end */
#define FREE (-1)
#define SEVERAL (-2)

typedef struct carrier {
    sn_cooking *k;
    const sn_bone_lines *lines;
    int32_t *bones;       /* (vertex_count) UNATTACHED, AMBIGUOUS, or the bone */
    int32_t *neighbours;  /* (vertex_count) */
    double *most_weights; /* (tet_count) the largest weight of any bone */
} carrier;

/* Sum of a bone's weights at the corners of a tet. */
static double weight_in(const carrier *c, size_t tet, int bone)
{
    double sum = 0;
    for (size_t corner = 0; corner < 4; ++corner) {
        sum += c->k->rig_weights[(size_t)c->k->mesh.tets[4 * tet + corner] * (size_t)c->k->bone_count + (size_t)bone];
    }
    return sum;
}

/* ---- tets that bones run through ---- */

static void weigh_tets(carrier *c)
{
    for (size_t t = 0; t < (size_t)c->k->mesh.tet_count; ++t) {
        for (int bone = 0; bone < c->k->bone_count; ++bone) {
            c->most_weights[t] = fmax(c->most_weights[t], weight_in(c, t, bone));
        }
    }
}

static void mark(int32_t *at, int32_t bone)
{
    *at = *at == FREE || *at == bone ? bone : SEVERAL;
}

static void mark_line(carrier *c, const sn_bone_line *line)
{
    const sn_tet_mesh *mesh = &c->k->mesh;
    for (size_t t = 0; t < (size_t)mesh->tet_count; ++t) {
        if (weight_in(c, t, line->bone) >= LEAST_SHARE * c->most_weights[t] &&
            sn_segment_meets_tet(mesh, (int)t, c->k->gradients + 12 * t, line->start, line->end)) {
            for (size_t corner = 0; corner < 4; ++corner) {
                mark(&c->bones[mesh->tets[4 * t + corner]], line->bone);
            }
        }
    }
    for (size_t v = 0; v < (size_t)mesh->vertex_count && line->radius > 0; ++v) {
        if (sn_segment_distance(mesh->positions + 3 * v, line->start, line->end) <= line->radius) {
            mark(&c->bones[v], line->bone);
        }
    }
}

/* ---- release around joints ---- */

/* Releases the vertices of tets that are attached to two bones, which would be torn between them. */
static sn_result release_torn(carrier *c)
{
    bool *is_torn = SN_NEW(&c->k->arena, bool, c->k->mesh.vertex_count);
    for (int t = 0; is_torn && t < c->k->mesh.tet_count; ++t) {
        const int32_t *tet = c->k->mesh.tets + 4 * (size_t)t;
        for (int i = 0; i < 16; ++i) {
            const int32_t a = tet[i / 4], b = tet[i % 4];
            is_torn[a] = is_torn[a] || (c->bones[a] >= 0 && c->bones[b] >= 0 && c->bones[a] != c->bones[b]);
        }
    }
    for (int v = 0; is_torn && v < c->k->mesh.vertex_count; ++v) {
        c->bones[v] = is_torn[v] ? SEVERAL : c->bones[v];
    }
    return is_torn ? SN_OK : SN_ERROR_MEMORY;
}

/* Depth of each joint below the skin; 0 outside of the body. */
static sn_result measure_limbs(carrier *c, const double *joints, int count, double *radii)
{
    sn_cooking *k = c->k;
    const sn_tri_mesh skin = {k->mesh.vertex_count, k->boundary_count, k->mesh.positions, k->boundary};
    int32_t *tets = SN_NEW(&k->arena, int32_t, count), *triangles = SN_NEW(&k->arena, int32_t, count);
    double *inside = SN_NEW(&k->arena, double, 4 * (size_t)count), *on = SN_NEW(&k->arena, double, 3 * (size_t)count);
    if (!tets || !triangles || !inside || !on) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = sn_tet_locate(&k->mesh, k->boundary, k->boundary_count, joints, count, tets, inside);
    result = result ? result : sn_tri_locate(&skin, joints, count, triangles, on);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        const double *w = inside + 4 * (size_t)i;
        double nearest[3] = {0};
        for (int j = 0; j < 9; ++j) {
            nearest[j % 3] += on[3 * i + j / 3] * k->mesh.positions[3 * k->boundary[3 * triangles[i] + j / 3] + j % 3];
        }
        const bool is_inside = fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) > -1e-9;
        radii[i] = is_inside ? sn_distance3(joints + 3 * (size_t)i, nearest) : 0;
    }
    return result;
}

static double longest_line(const carrier *c, int bone)
{
    double longest = 0;
    for (int i = 0; i < c->lines->count; ++i) {
        const sn_bone_line *line = &c->lines->list[i];
        longest = line->bone == bone ? fmax(longest, sn_distance3(line->start, line->end)) : longest;
    }
    return longest;
}

/* Releases a bone's vertices near a joint. */
static void release_from(carrier *c, const double *joint, double radius, int bone, double length)
{
    const double reach = fmin(RELEASED * radius, MOST_RELEASED * length);
    for (size_t v = 0; v < (size_t)c->k->mesh.vertex_count; ++v) {
        if (c->bones[v] == bone && sn_distance3(c->k->mesh.positions + 3 * v, joint) < reach) {
            c->bones[v] = SEVERAL;
        }
    }
}

/* The line of a bone that is closest to a point. */
static const sn_bone_line *nearest_line(const carrier *c, int bone, const double *place, double *distance)
{
    const sn_bone_line *best = NULL;
    *distance = INFINITY;
    for (int i = 0; i < c->lines->count; ++i) {
        const sn_bone_line *line = &c->lines->list[i];
        if (line->bone == bone) {
            const double own = sn_segment_distance(place, line->start, line->end);
            best = own < *distance ? line : best;
            *distance = fmin(own, *distance);
        }
    }
    return best;
}

/* Releases the vertices around joints: starts of a bone's lines that lie within the limb's radius of a line of its
 * parent. */
static sn_result release_joints(carrier *c)
{
    const int32_t *parents = c->k->bone_parents;
    double *joints = SN_NEW(&c->k->arena, double, 3 * (size_t)c->lines->count);
    double *radii = SN_NEW(&c->k->arena, double, c->lines->count);
    int32_t *of_joint = SN_NEW(&c->k->arena, int32_t, c->lines->count);
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
    const sn_result result = count > 0 ? measure_limbs(c, joints, count, radii) : SN_OK;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        const double *joint = joints + 3 * (size_t)i;
        double distance;
        const sn_bone_line *above = nearest_line(c, parents[of_joint[i]], joint, &distance);
        if (above && distance <= radii[i]) {
            release_from(c, joint, radii[i], above->bone, sn_distance3(above->start, above->end));
            release_from(c, joint, radii[i], of_joint[i], longest_line(c, of_joint[i]));
        }
    }
    return result;
}

/* ---- bones and pieces without attached vertices ---- */

/* For each vertex: the bone that the vertices of its adjacent tets are attached to; UNATTACHED for none, AMBIGUOUS for
 * more. */
static void find_neighbours(carrier *c)
{
    memset(c->neighbours, FREE, (size_t)c->k->mesh.vertex_count * sizeof *c->neighbours);
    for (int t = 0; t < c->k->mesh.tet_count; ++t) {
        const int32_t *tet = c->k->mesh.tets + 4 * (size_t)t;
        for (int i = 0; i < 16; ++i) {
            if (c->bones[tet[i % 4]] >= 0) {
                mark(&c->neighbours[tet[i / 4]], c->bones[tet[i % 4]]);
            }
        }
    }
}

/* Whether attaching the vertex to the bone tears no tet. */
static bool is_holdable(const carrier *c, int32_t vertex, int bone)
{
    return c->neighbours[vertex] == FREE || c->neighbours[vertex] == bone;
}

/* The tet of a piece (-1: of any) closest to the bone's lines, among those with enough weight of the bone and enough
 * corners that it can take; -1: none. */
static int nearest_tet(const carrier *c, const int32_t *pieces, int piece, int bone, double least_weight, int corners)
{
    const sn_tet_mesh *mesh = &c->k->mesh;
    double least = INFINITY;
    int best = -1;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int32_t *tet = mesh->tets + 4 * (size_t)t;
        double middle[3] = {0};
        int holdable = 0;
        for (int i = 0; i < 12; ++i) {
            middle[i % 3] += mesh->positions[3 * (size_t)tet[i / 3] + (size_t)(i % 3)] / 4;
            holdable += i % 3 == 0 && is_holdable(c, tet[i / 3], bone);
        }
        if (holdable >= corners && (piece < 0 || pieces[t] == piece) &&
            weight_in(c, (size_t)t, bone) >= 4 * least_weight) {
            double distance;
            nearest_line(c, bone, middle, &distance);
            best = distance < least ? t : best;
            least = fmin(least, distance);
        }
    }
    return best;
}

/* Attaches one tet to the bone; if all candidates touch vertices of other bones, only the corners that do not. */
static void hold(carrier *c, const int32_t *pieces, int piece, int bone, double least_weight)
{
    int tet = -1;
    find_neighbours(c);
    for (int corners = 4; tet < 0 && corners > 0; --corners) {
        tet = nearest_tet(c, pieces, piece, bone, least_weight, corners);
    }
    for (int corner = 0; tet >= 0 && corner < 4; ++corner) {
        const int32_t vertex = c->k->mesh.tets[4 * (size_t)tet + (size_t)corner];
        c->bones[vertex] = is_holdable(c, vertex, bone) ? bone : c->bones[vertex];
    }
}

static sn_result hold_bones(carrier *c)
{
    bool *is_carrying = SN_NEW(&c->k->arena, bool, c->k->bone_count);
    if (!is_carrying) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < c->k->mesh.vertex_count; ++v) {
        if (c->bones[v] >= 0) {
            is_carrying[c->bones[v]] = true;
        }
    }
    for (int i = 0; i < c->lines->count; ++i) {
        const int32_t bone = c->lines->list[i].bone;
        if (!is_carrying[bone]) {
            hold(c, NULL, -1, bone, LEAST_SHARE);
            is_carrying[bone] = true;
        }
    }
    return SN_OK;
}

/* The bone with lines that moves most of a piece. bone_sums (bone_count) is scratch. */
static int strongest_bone(const carrier *c, const int32_t *pieces, int piece, double *sums)
{
    int best = -1;
    memset(sums, 0, (size_t)c->k->bone_count * sizeof *sums);
    for (size_t t = 0; t < (size_t)c->k->mesh.tet_count; ++t) {
        for (int b = 0; pieces[t] == piece && b < c->k->bone_count; ++b) {
            sums[b] += c->k->volumes[t] * weight_in(c, t, b);
        }
    }
    for (int i = 0; i < c->lines->count; ++i) {
        const int bone = c->lines->list[i].bone;
        best = best < 0 || sums[bone] > sums[best] ? bone : best;
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
            int32_t least = of_vertex[tet[0]];
            for (int corner = 1; corner < 4; ++corner) {
                least = of_vertex[tet[corner]] < least ? of_vertex[tet[corner]] : least;
            }
            least = of_vertex[least];
            for (int corner = 0; corner < 4; ++corner) {
                is_done = is_done && of_vertex[tet[corner]] == least;
                of_vertex[tet[corner]] = least;
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

static sn_result hold_pieces(carrier *c)
{
    sn_cooking *k = c->k;
    int32_t *of_vertex = SN_NEW(&k->arena, int32_t, k->mesh.vertex_count);
    int32_t *pieces = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    double *sums = SN_NEW(&k->arena, double, k->bone_count);
    if (!of_vertex || !pieces || !sums) {
        return SN_ERROR_MEMORY;
    }
    const int count = label_pieces(&k->mesh, of_vertex, pieces);
    bool *is_held = SN_NEW(&k->arena, bool, count);
    for (int v = 0; is_held && v < k->mesh.vertex_count; ++v) {
        is_held[of_vertex[v]] = is_held[of_vertex[v]] || c->bones[v] >= 0;
    }
    for (int piece = 0; is_held && piece < count; ++piece) {
        if (!is_held[piece]) {
            const int bone = strongest_bone(c, pieces, piece, sums);
            hold(c, pieces, piece, bone, 0);
        }
    }
    return is_held ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_carried_find(sn_cooking *k, const sn_bone_lines *lines, int32_t *bones)
{
    const size_t t = (size_t)k->mesh.tet_count;
    carrier c = {.k = k,
                 .lines = lines,
                 .bones = bones,
                 .neighbours = SN_NEW(&k->arena, int32_t, k->mesh.vertex_count),
                 .most_weights = SN_NEW(&k->arena, double, t)};
    if (!c.neighbours || !c.most_weights) {
        return SN_ERROR_MEMORY;
    }
    if (lines->count == 0) {
        return sn_fail(
            SN_ERROR_ARGUMENT,
            "%s: no bone for flesh to be attached to: a layered body needs points, bones or a skeleton, not only cages",
            k->handles_name ? k->handles_name : k->path);
    }
    memset(bones, -1, (size_t)k->mesh.vertex_count * sizeof *bones);
    weigh_tets(&c);
    for (int i = 0; i < lines->count; ++i) {
        mark_line(&c, &lines->list[i]);
    }
    sn_result result = release_joints(&c);
    result = result ? result : release_torn(&c);
    result = result ? result : hold_bones(&c);
    result = result ? result : hold_pieces(&c);
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        bones[v] = bones[v] == SEVERAL ? FREE : bones[v];
    }
    return result;
}
