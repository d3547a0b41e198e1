/* SPDX-License-Identifier: MIT */
/* Extends morph targets to the tets. The displacements of all targets at the surface nodes are compressed to a few
 * fields: a face has more than fifty targets, many of which are sums of others. Fields are chosen greedily by the
 * largest unexplained part (QR with column pivoting). Each field is thus a target itself, and moves only what that
 * target moves, only while it has weight; singular vectors would be slightly fewer, but would all move with any target.
 * Fields are extended inwards harmonically. */
#include "author/cook/stages/morph_fields.h"

#include <math.h>
#include <string.h>

#include "author/weights/harmonic.h"
#include "author/weights/morph_columns.h"

#define FIELD_CAP 32
#define UNEXPLAINED 0.1  /* part of a target, by mass, that the fields may leave unexplained, if the cap allows */
#define LEAST_MOVED 1e-6 /* root mean square over the body's mass, fraction of the diagonal; less has no effect */
#define LEAST_BONE 0.05  /* fraction of a field's mass; bones below it are merged into the bone with the most */

typedef struct compression {
    const sn_cooking *k;
    const sn_node_places *places;
    size_t node_count; /* nodes on the surface */
    int32_t *nodes;    /* (node_count) */
    double *offsets;   /* (character's vertex_count x 3) scratch, zero between uses */
    double *values;    /* (node_count x 3) of one target */
    double *basis;     /* (FIELD_CAP x node_count x 3) orthonormal with respect to mass */
    double *norms;     /* (morph_count) squared norms of the targets */
    double *left;      /* (morph_count) squared norms of the unexplained parts */
    double *shares;    /* (FIELD_CAP x morph_count) inner products of the basis and the targets */
    int32_t *chosen;   /* (FIELD_CAP) target of each field */
    int count;
} compression;

static sn_result allocate(sn_cooking *k, const sn_node_places *places, sn_arena *scratch, compression *c)
{
    const size_t n = (size_t)k->mesh.vertex_count, targets = (size_t)k->character.morph_count;
    *c = (compression){.k = k, .places = places, .nodes = SN_NEW(scratch, int32_t, n)};
    for (size_t v = 0; v < n && c->nodes; ++v) {
        if (places->is_known[v]) {
            c->nodes[c->node_count++] = (int32_t)v;
        }
    }
    c->offsets = SN_NEW(scratch, double, 3 * (size_t)k->character.vertex_count);
    c->values = SN_NEW(scratch, double, 3 * c->node_count);
    c->basis = SN_NEW(scratch, double, FIELD_CAP * 3 * c->node_count);
    c->norms = SN_NEW(scratch, double, targets);
    c->left = SN_NEW(scratch, double, targets);
    c->shares = SN_NEW(scratch, double, FIELD_CAP *targets);
    c->chosen = SN_NEW(&k->arena, int32_t, FIELD_CAP);
    const bool is_ok = c->nodes && c->offsets && c->values && c->basis && c->norms && c->left && c->shares && c->chosen;
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- between the character's vertices and the nodes ---- */

static size_t corner_of(const compression *c, size_t node, size_t corner)
{
    return (size_t)c->k->character.triangles[3 * (size_t)c->places->triangles[node] + corner];
}

/* values: the displacement of a target at the nodes, in model units. */
static void gather_target(const compression *c, int target)
{
    const sn_character *character = &c->k->character;
    const sn_character_morph *morph = &character->morphs[target];
    const sn_character_delta *deltas = character->deltas + morph->first_delta;
    for (int i = 0; i < morph->delta_count; ++i) {
        for (size_t d = 0; d < 3; ++d) {
            c->offsets[3 * (size_t)deltas[i].vertex + d] = c->k->scale * deltas[i].offset[d];
        }
    }
    for (size_t i = 0; i < c->node_count; ++i) {
        const size_t node = (size_t)c->nodes[i];
        double *value = c->values + 3 * i;
        value[0] = value[1] = value[2] = 0;
        for (size_t corner = 0; corner < 3; ++corner) {
            const double *offset = c->offsets + 3 * corner_of(c, node, corner);
            for (size_t d = 0; d < 3; ++d) {
                value[d] += c->places->barycentric[3 * node + corner] * offset[d];
            }
        }
    }
    for (int i = 0; i < morph->delta_count; ++i) {
        memset(c->offsets + 3 * (size_t)deltas[i].vertex, 0, 3 * sizeof(double));
    }
}

/* The adjoint: offsets = gradient, with respect to the vertices, of the mass inner product of the nodes with `values`.
 */
static void scatter_values(const compression *c, const double *values)
{
    for (size_t i = 0; i < c->node_count; ++i) {
        const size_t node = (size_t)c->nodes[i];
        for (size_t corner = 0; corner < 3; ++corner) {
            const double weight = c->k->mass[node] * c->places->barycentric[3 * node + corner];
            double *offset = c->offsets + 3 * corner_of(c, node, corner);
            for (size_t d = 0; d < 3; ++d) {
                offset[d] += weight * values[3 * i + d];
            }
        }
    }
}

static double product(const compression *c, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < c->node_count; ++i, a += 3, b += 3) {
        sum += c->k->mass[c->nodes[i]] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    return sum;
}

/* ---- choice of the targets ---- */

/* The target with the largest unexplained part, or -1. */
static int next_target(const compression *c)
{
    double total = 0, largest = 0;
    int next = -1;
    for (int v = 0; v < c->k->mesh.vertex_count; ++v) {
        total += c->k->mass[v];
    }
    const double least = LEAST_MOVED * LEAST_MOVED * c->k->diagonal * c->k->diagonal * total;
    for (int m = 0; m < c->k->character.morph_count; ++m) {
        const bool is_due = c->left[m] > UNEXPLAINED * UNEXPLAINED * c->norms[m] && c->left[m] > least;
        if (is_due && c->left[m] > largest) {
            largest = c->left[m];
            next = m;
        }
    }
    return next;
}

/* Adds a basis vector: the target orthogonalised against the basis, twice, to limit rounding errors. */
static void add_direction(compression *c, int target)
{
    double *direction = c->basis + (size_t)c->count * 3 * c->node_count;
    gather_target(c, target);
    memcpy(direction, c->values, 3 * c->node_count * sizeof *direction);
    for (int pass = 0; pass < 2; ++pass) {
        for (int f = 0; f < c->count; ++f) {
            const double *other = c->basis + (size_t)f * 3 * c->node_count;
            const double along = product(c, direction, other);
            for (size_t i = 0; i < 3 * c->node_count; ++i) {
                direction[i] -= along * other[i];
            }
        }
    }
    const double length = sqrt(product(c, direction, direction));
    for (size_t i = 0; i < 3 * c->node_count; ++i) {
        direction[i] /= length;
    }
    c->chosen[c->count] = target;
}

/* Updates the unexplained parts with the newest basis vector. */
static void explain(compression *c)
{
    const sn_character *character = &c->k->character;
    double *shares = c->shares + (size_t)c->count * (size_t)character->morph_count;
    scatter_values(c, c->basis + (size_t)c->count * 3 * c->node_count);
    for (int m = 0; m < character->morph_count; ++m) {
        const sn_character_delta *deltas = character->deltas + character->morphs[m].first_delta;
        for (int i = 0; i < character->morphs[m].delta_count; ++i) {
            const double *offset = c->offsets + 3 * (size_t)deltas[i].vertex;
            for (int d = 0; d < 3; ++d) {
                shares[m] += c->k->scale * deltas[i].offset[d] * offset[d];
            }
        }
        c->left[m] -= shares[m] * shares[m];
    }
    memset(c->offsets, 0, 3 * (size_t)character->vertex_count * sizeof *c->offsets);
    ++c->count;
}

static void choose_targets(compression *c)
{
    for (int m = 0; m < c->k->character.morph_count; ++m) {
        gather_target(c, m);
        c->norms[m] = c->left[m] = product(c, c->values, c->values);
    }
    for (int next = next_target(c); next >= 0 && c->count < FIELD_CAP; next = next_target(c)) {
        add_direction(c, next);
        explain(c);
    }
}

/* Converts inner products with the basis to weights of the chosen targets: R_chosen^-1 R, with R_chosen triangular. */
static sn_result solve_shares(sn_cooking *k, const compression *c)
{
    const size_t targets = (size_t)k->character.morph_count, count = (size_t)c->count;
    k->morph_shares = SN_NEW(&k->arena, double, count *targets);
    if (!k->morph_shares) {
        return SN_ERROR_MEMORY;
    }
    for (size_t m = 0; m < targets; ++m) {
        for (size_t f = count; f-- > 0;) {
            double sum = c->shares[f * targets + m];
            for (size_t g = f + 1; g < count; ++g) {
                sum -= c->shares[f * targets + (size_t)c->chosen[g]] * k->morph_shares[g * targets + m];
            }
            k->morph_shares[f * targets + m] = sum / c->shares[f * targets + (size_t)c->chosen[f]];
        }
    }
    return SN_OK;
}

/* ---- the fields on the tets ---- */

static sn_result fill_fields(sn_cooking *k, const compression *c)
{
    const size_t width = 3 * (size_t)c->count;
    k->morph_fields = SN_NEW(&k->arena, double, (size_t)k->mesh.vertex_count *width);
    if (!k->morph_fields) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < c->count; ++f) {
        gather_target(c, c->chosen[f]);
        for (size_t i = 0; i < c->node_count; ++i) {
            memcpy(k->morph_fields + (size_t)c->nodes[i] * width + 3 * (size_t)f, c->values + 3 * i,
                   3 * sizeof(double));
        }
    }
    return sn_harmonic_fill(&k->mesh, k->gradients, k->volumes, c->places->is_known, (int)width, k->morph_fields);
}

/* moved (bone_count): the mass that a field moves under each bone. Returns the bone with the most. */
static int measure_bones(const sn_cooking *k, int field, double *moved)
{
    const size_t bones = (size_t)k->bone_count;
    int most = 0;
    memset(moved, 0, bones * sizeof *moved);
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        const double *d = k->morph_fields + 3 * (v * (size_t)k->morph_field_count + (size_t)field);
        const double square = k->mass[v] * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (size_t b = 0; b < bones; ++b) {
            moved[b] += square * k->rig_weights[v * bones + b];
        }
    }
    for (int b = 1; b < k->bone_count; ++b) {
        most = moved[b] > moved[most] ? b : most;
    }
    return most;
}

static void pair_field(sn_cooking *k, int field, double *moved)
{
    const int most = measure_bones(k, field, moved);
    double total = 0;
    for (int b = 0; b < k->bone_count; ++b) {
        total += moved[b];
    }
    k->morph_pairs[k->morph_pair_count++] = (sn_morph_pair){field, most};
    for (int b = 0; b < k->bone_count; ++b) {
        if (b != most && moved[b] > LEAST_BONE * total) {
            k->morph_pairs[k->morph_pair_count++] = (sn_morph_pair){field, b};
        }
    }
}

static sn_result pair_bones(sn_cooking *k, sn_arena *scratch)
{
    double *moved = SN_NEW(scratch, double, k->bone_count);
    k->morph_pairs = SN_NEW(&k->arena, sn_morph_pair, (size_t)k->morph_field_count * (size_t)k->bone_count);
    if (!moved || !k->morph_pairs) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < k->morph_field_count; ++f) {
        pair_field(k, f, moved);
    }
    const sn_morph_rig rig = {.vertex_count = k->mesh.vertex_count,
                              .bone_count = k->bone_count,
                              .field_count = k->morph_field_count,
                              .pair_count = k->morph_pair_count,
                              .rig_weights = k->rig_weights,
                              .fields = k->morph_fields,
                              .pairs = k->morph_pairs};
    k->morph_columns = SN_NEW(&k->arena, double, (size_t)rig.vertex_count * 3 * (size_t)rig.pair_count);
    if (!k->morph_columns) {
        return SN_ERROR_MEMORY;
    }
    sn_morph_columns_build(&rig, k->morph_columns);
    return SN_OK;
}

static sn_result build(sn_cooking *k, const sn_node_places *places, sn_arena *scratch)
{
    compression c;
    sn_result result = allocate(k, places, scratch, &c);
    if (result != SN_OK) {
        return result;
    }
    choose_targets(&c);
    k->morph_field_count = c.count;
    k->morph_targets = c.chosen;
    result = solve_shares(k, &c);
    if (result == SN_OK) {
        result = fill_fields(k, &c);
    }
    return result == SN_OK ? pair_bones(k, scratch) : result;
}

sn_result sn_cooking_feel_morphs(sn_cooking *k, const sn_node_places *places)
{
    const sn_cook_morphs said = k->desc->morphs == SN_MORPHS_AUTO ? k->sidecar.morphs : k->desc->morphs;
    if (!k->has_character || k->character.morph_count == 0 || said == SN_MORPHS_DRAWN) {
        return SN_OK;
    }
    sn_arena scratch = {0};
    const sn_result result = build(k, places, &scratch);
    sn_arena_finish(&scratch);
    return result;
}
