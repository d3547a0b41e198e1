/* SPDX-License-Identifier: MIT */
/* Splits faces that more than two tets share. They occur where two layers of tets continue from the same face. Finite
 * elements accept them, but neighbour lists, boundaries and clusters do not. Two tets keep the face. Every other tet
 * gets a copy of one of the face's nodes, together with the fan of tets of its layer around that node. The layer stays
 * connected at the other two nodes. */
#include "author/mesher/nonmanifold.h"

#include <stdlib.h>
#include <string.h>

#define FAN_LIMIT 1024
#define ROUND_LIMIT 64
#define MAX_FACE_TETS 16 /* max. tets of one face that are processed together */

typedef struct listed_face {
    int32_t mid_node, max_node; /* the face's other two nodes, ascending; the face is listed at its lowest node */
    int32_t face;               /* 4 * tet + opposite corner */
} listed_face;

typedef struct splitter {
    sn_tets *tets;
    int32_t *starts;     /* (node_count + 2) */
    listed_face *listed; /* (4 tet_count) sorted by lowest node, as at the start of the round */
    int32_t *neighbours; /* (tet_count x 4) tet across the face, or -1; only for the two tets that keep a shared face */
    int32_t *owner_faces; /* (tet_count x 4) face of a tet that keeps the face if this tet does not, or -1 */
    int32_t *stamps;      /* (tet_count) last fan that visited the tet */
    int32_t stamp;
    int32_t fan[FAN_LIMIT];
} splitter;

static void face_nodes(const sn_tets *tets, int32_t face, int32_t *nodes)
{
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        if (k == face % 4) {
            continue;
        }
        const int32_t node = tets->nodes[face / 4 * 4 + k];
        int at = count++;
        for (; at > 0 && nodes[at - 1] > node; --at) {
            nodes[at] = nodes[at - 1];
        }
        nodes[at] = node;
    }
}

static bool faces_still_equal(const sn_tets *tets, int32_t a, int32_t b)
{
    int32_t x[3], y[3];
    face_nodes(tets, a, x);
    face_nodes(tets, b, y);
    return memcmp(x, y, sizeof x) == 0;
}

static int by_nodes(const void *left, const void *right)
{
    const listed_face *x = left, *y = right;
    if (x->mid_node != y->mid_node) {
        return x->mid_node < y->mid_node ? -1 : 1;
    }
    if (x->max_node != y->max_node) {
        return x->max_node < y->max_node ? -1 : 1;
    }
    return x->face < y->face ? -1 : x->face > y->face;
}

static void list_faces(splitter *s)
{
    const sn_tets *tets = s->tets;
    int32_t nodes[3];
    memset(s->starts, 0, ((size_t)tets->node_count + 2) * sizeof *s->starts);
    for (int32_t face = 0; face < 4 * tets->tet_count; ++face) {
        face_nodes(tets, face, nodes);
        ++s->starts[nodes[0] + 2];
    }
    for (int n = 0; n < tets->node_count; ++n) {
        s->starts[n + 2] += s->starts[n + 1];
    }
    for (int32_t face = 0; face < 4 * tets->tet_count; ++face) {
        face_nodes(tets, face, nodes);
        s->listed[s->starts[nodes[0] + 1]++] = (listed_face){nodes[1], nodes[2], face};
    }
    for (int n = 0; n < tets->node_count; ++n) {
        qsort(s->listed + s->starts[n], (size_t)(s->starts[n + 1] - s->starts[n]), sizeof *s->listed, by_nodes);
    }
}

/* Assigns a face to its first tet and to the first tet on the face's other side (the second tet if there is none). */
static void assign_face(splitter *s, const int32_t *faces, int count)
{
    int second = 1;
    while (second < count && s->tets->cells[faces[second] / 4] == s->tets->cells[faces[0] / 4]) {
        ++second;
    }
    second = second < count ? second : 1;
    s->neighbours[faces[0]] = faces[second] / 4;
    s->neighbours[faces[second]] = faces[0] / 4;
    for (int i = 1; i < count; ++i) {
        s->owner_faces[faces[i]] = i == second ? -1 : faces[0];
    }
}

/* Matches all faces. Returns how many tets must be detached from a face. */
static int match_faces(splitter *s)
{
    const int32_t face_count = 4 * s->tets->tet_count;
    int extra_count = 0;
    list_faces(s);
    memset(s->neighbours, -1, (size_t)face_count * sizeof *s->neighbours);
    memset(s->owner_faces, -1, (size_t)face_count * sizeof *s->owner_faces);
    for (int32_t node = 0; node < s->tets->node_count; ++node) {
        for (int32_t i = s->starts[node]; i < s->starts[node + 1];) {
            const listed_face *first = &s->listed[i];
            int32_t faces[MAX_FACE_TETS];
            int count = 0;
            for (; i < s->starts[node + 1] && count < MAX_FACE_TETS && s->listed[i].mid_node == first->mid_node &&
                   s->listed[i].max_node == first->max_node;
                 ++i) {
                faces[count++] = s->listed[i].face;
            }
            if (count > 1) {
                assign_face(s, faces, count);
            }
            extra_count += count > 2 ? count - 2 : 0;
        }
    }
    return extra_count;
}

/* Collects the fan of a tet around its corner by walking over faces that contain the corner's node. Returns how many
 * such faces the fan's tets have to give up. Returns 0 if the fan contains the tet that keeps the face or exceeds
 * FAN_LIMIT; the fan cannot be split there. */
static int collect_fan(splitter *s, int32_t tet, int corner, int32_t owner, int *fan_count)
{
    const int32_t node = s->tets->nodes[4 * tet + corner];
    int score = 0, count = 0;
    ++s->stamp;
    s->fan[count++] = tet;
    s->stamps[tet] = s->stamp;
    for (int next = 0; next < count; ++next) {
        const int32_t *nodes = s->tets->nodes + 4 * (size_t)s->fan[next];
        for (int k = 0; k < 4; ++k) {
            const int32_t face = 4 * s->fan[next] + k, other = s->neighbours[face];
            if (nodes[k] == node) {
                continue;
            }
            score += s->owner_faces[face] >= 0;
            if (other < 0 || s->stamps[other] == s->stamp) {
                continue;
            }
            if (other == owner || count == FAN_LIMIT) {
                return 0;
            }
            s->stamps[other] = s->stamp;
            s->fan[count++] = other;
        }
    }
    *fan_count = count;
    return score;
}

/* Gives the fan a copy of the node. Returns false if the node capacity is used up. */
static bool split_node(splitter *s, int32_t node, int fan_count)
{
    sn_tets *tets = s->tets;
    if (tets->node_count == tets->node_capacity) {
        return false;
    }
    const int32_t copy = tets->node_count++;
    memcpy(tets->positions + 3 * (size_t)copy, tets->positions + 3 * (size_t)node, 3 * sizeof(double));
    for (int i = 0; i < fan_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            int32_t *at = &tets->nodes[4 * s->fan[i] + k];
            *at = *at == node ? copy : *at;
        }
    }
    return true;
}

/* Detaches a tet from a face at the node where the fan gives up most faces. If the tet's layer is connected to the
 * keeping tet around all three nodes, only the tet itself is detached. */
static bool detach_face(splitter *s, int32_t face)
{
    const int32_t tet = face / 4, owner = s->owner_faces[face] / 4;
    int best = -1, best_score = 0, fan_count = 0;
    for (int k = 0; k < 4; ++k) {
        const int score = k == face % 4 ? 0 : collect_fan(s, tet, k, owner, &fan_count);
        if (score > best_score) {
            best_score = score;
            best = k;
        }
    }
    if (best >= 0) {
        collect_fan(s, tet, best, owner, &fan_count);
    } else {
        best = (face + 1) % 4;
        s->fan[0] = tet;
        fan_count = 1;
        for (int k = 0; k < 4; ++k) {
            const int32_t other = k == best ? -1 : s->neighbours[4 * tet + k];
            for (int j = 0; j < 4 && other >= 0; ++j) {
                if (s->neighbours[4 * other + j] == tet) {
                    s->neighbours[4 * other + j] = -1;
                }
            }
            s->neighbours[4 * tet + k] = k == best ? s->neighbours[4 * tet + k] : -1;
        }
    }
    return split_node(s, s->tets->nodes[4 * tet + best], fan_count);
}

static bool detach_faces(splitter *s)
{
    for (int32_t face = 0; face < 4 * s->tets->tet_count; ++face) {
        if (s->owner_faces[face] >= 0 && faces_still_equal(s->tets, face, s->owner_faces[face]) &&
            !detach_face(s, face)) {
            return false;
        }
    }
    return true;
}

sn_result sn_nonmanifold_split(sn_tets *tets, int32_t *neighbours)
{
    sn_arena scratch = {0};
    const size_t face_count = 4 * (size_t)tets->tet_count;
    splitter s = {.tets = tets, .neighbours = neighbours};
    s.starts = SN_NEW(&scratch, int32_t, tets->node_capacity + 2);
    s.listed = SN_NEW(&scratch, listed_face, face_count);
    s.owner_faces = SN_NEW(&scratch, int32_t, face_count);
    s.stamps = SN_NEW(&scratch, int32_t, tets->tet_count);
    bool is_ok = s.starts && s.listed && s.owner_faces && s.stamps;
    for (int round = 0; is_ok && round < ROUND_LIMIT && match_faces(&s) > 0; ++round) {
        is_ok = detach_faces(&s);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
