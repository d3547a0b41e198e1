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
#define MAX_UNEXPLAINED 0.1 /* part of a target, by mass, that the fields may leave unexplained, if the cap allows */
#define MIN_DISPLACEMENT                                                                                               \
    1e-6                       /* root mean square over the body's mass, fraction of the diagonal; less has no effect  \
                                */
#define MIN_BONE_FRACTION 0.05 /* fraction of a field's mass; bones below it are merged into the bone with the most */

typedef struct compression {
    const sn_cook_context *cook;
    const sn_node_surface_points *surface_points;
    size_t node_count;      /* nodes on the surface */
    int32_t *nodes;         /* (node_count) */
    double *offsets;        /* (character's vertex_count x 3) scratch, zero between uses */
    double *values;         /* (node_count x 3) of one target */
    double *basis;          /* (FIELD_CAP x node_count x 3) orthonormal with respect to mass */
    double *norms;          /* (morph_count) squared norms of the targets */
    double *unexplained;    /* (morph_count) squared norms of the unexplained parts */
    double *inner_products; /* (FIELD_CAP x morph_count) inner products of the basis and the targets */
    int32_t *chosen;        /* (FIELD_CAP) target of each field */
    int count;
} compression;

static sn_result allocate(sn_cook_context *cook, const sn_node_surface_points *surface_points, sn_arena *scratch,
                          compression *c)
{
    const size_t n = (size_t)cook->mesh.vertex_count, targets = (size_t)cook->character.morph_count;
    *c = (compression){.cook = cook, .surface_points = surface_points, .nodes = SN_NEW(scratch, int32_t, n)};
    for (size_t v = 0; v < n && c->nodes; ++v) {
        if (surface_points->is_known[v]) {
            c->nodes[c->node_count++] = (int32_t)v;
        }
    }
    c->offsets = SN_NEW(scratch, double, 3 * (size_t)cook->character.vertex_count);
    c->values = SN_NEW(scratch, double, 3 * c->node_count);
    c->basis = SN_NEW(scratch, double, FIELD_CAP * 3 * c->node_count);
    c->norms = SN_NEW(scratch, double, targets);
    c->unexplained = SN_NEW(scratch, double, targets);
    c->inner_products = SN_NEW(scratch, double, FIELD_CAP *targets);
    c->chosen = SN_NEW(&cook->arena, int32_t, FIELD_CAP);
    const bool is_ok =
        c->nodes && c->offsets && c->values && c->basis && c->norms && c->unexplained && c->inner_products && c->chosen;
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- between the character's vertices and the nodes ---- */

static size_t corner_of(const compression *c, size_t node, size_t corner)
{
    return (size_t)c->cook->character.triangles[3 * (size_t)c->surface_points->triangles[node] + corner];
}

/* values: the displacement of a target at the nodes, in model units. */
static void gather_target(const compression *c, int target)
{
    const sn_character *character = &c->cook->character;
    const sn_character_morph *morph = &character->morphs[target];
    const sn_character_delta *deltas = character->deltas + morph->first_delta;
    for (int i = 0; i < morph->delta_count; ++i) {
        for (size_t d = 0; d < 3; ++d) {
            c->offsets[3 * (size_t)deltas[i].vertex + d] = c->cook->scale * deltas[i].offset[d];
        }
    }
    for (size_t i = 0; i < c->node_count; ++i) {
        const size_t node = (size_t)c->nodes[i];
        double *value = c->values + 3 * i;
        value[0] = value[1] = value[2] = 0;
        for (size_t corner = 0; corner < 3; ++corner) {
            const double *offset = c->offsets + 3 * corner_of(c, node, corner);
            for (size_t d = 0; d < 3; ++d) {
                value[d] += c->surface_points->barycentric[3 * node + corner] * offset[d];
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
            const double weight = c->cook->mass[node] * c->surface_points->barycentric[3 * node + corner];
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
        sum += c->cook->mass[c->nodes[i]] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    return sum;
}

/* ---- choice of the targets ---- */

/* The target with the largest unexplained part, or -1. */
static int next_target(const compression *c)
{
    double total = 0, max_norm = 0;
    int next = -1;
    for (int v = 0; v < c->cook->mesh.vertex_count; ++v) {
        total += c->cook->mass[v];
    }
    const double min_norm = MIN_DISPLACEMENT * MIN_DISPLACEMENT * c->cook->diagonal * c->cook->diagonal * total;
    for (int m = 0; m < c->cook->character.morph_count; ++m) {
        const bool is_candidate =
            c->unexplained[m] > MAX_UNEXPLAINED * MAX_UNEXPLAINED * c->norms[m] && c->unexplained[m] > min_norm;
        if (is_candidate && c->unexplained[m] > max_norm) {
            max_norm = c->unexplained[m];
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
            const double projection = product(c, direction, other);
            for (size_t i = 0; i < 3 * c->node_count; ++i) {
                direction[i] -= projection * other[i];
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
static void update_unexplained(compression *c)
{
    const sn_character *character = &c->cook->character;
    double *inner_products = c->inner_products + (size_t)c->count * (size_t)character->morph_count;
    scatter_values(c, c->basis + (size_t)c->count * 3 * c->node_count);
    for (int m = 0; m < character->morph_count; ++m) {
        const sn_character_delta *deltas = character->deltas + character->morphs[m].first_delta;
        for (int i = 0; i < character->morphs[m].delta_count; ++i) {
            const double *offset = c->offsets + 3 * (size_t)deltas[i].vertex;
            for (int d = 0; d < 3; ++d) {
                inner_products[m] += c->cook->scale * deltas[i].offset[d] * offset[d];
            }
        }
        c->unexplained[m] -= inner_products[m] * inner_products[m];
    }
    memset(c->offsets, 0, 3 * (size_t)character->vertex_count * sizeof *c->offsets);
    ++c->count;
}

static void choose_targets(compression *c)
{
    for (int m = 0; m < c->cook->character.morph_count; ++m) {
        gather_target(c, m);
        c->norms[m] = c->unexplained[m] = product(c, c->values, c->values);
    }
    for (int next = next_target(c); next >= 0 && c->count < FIELD_CAP; next = next_target(c)) {
        add_direction(c, next);
        update_unexplained(c);
    }
}

/* Converts inner products with the basis to weights of the chosen targets: R_chosen^-1 R, with R_chosen triangular. */
static sn_result solve_field_weights(sn_cook_context *cook, const compression *c)
{
    const size_t targets = (size_t)cook->character.morph_count, count = (size_t)c->count;
    cook->morph_field_weights = SN_NEW(&cook->arena, double, count *targets);
    if (!cook->morph_field_weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t m = 0; m < targets; ++m) {
        for (size_t f = count; f-- > 0;) {
            double sum = c->inner_products[f * targets + m];
            for (size_t g = f + 1; g < count; ++g) {
                sum -=
                    c->inner_products[f * targets + (size_t)c->chosen[g]] * cook->morph_field_weights[g * targets + m];
            }
            cook->morph_field_weights[f * targets + m] = sum / c->inner_products[f * targets + (size_t)c->chosen[f]];
        }
    }
    return SN_OK;
}

/* ---- the fields on the tets ---- */

static sn_result fill_fields(sn_cook_context *cook, const compression *c)
{
    const size_t width = 3 * (size_t)c->count;
    cook->morph_fields = SN_NEW(&cook->arena, double, (size_t)cook->mesh.vertex_count *width);
    if (!cook->morph_fields) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < c->count; ++f) {
        gather_target(c, c->chosen[f]);
        for (size_t i = 0; i < c->node_count; ++i) {
            memcpy(cook->morph_fields + (size_t)c->nodes[i] * width + 3 * (size_t)f, c->values + 3 * i,
                   3 * sizeof(double));
        }
    }
    return sn_harmonic_fill(&cook->mesh, cook->gradients, cook->volumes, c->surface_points->is_known, (int)width,
                            cook->morph_fields);
}

/* moved (bone_count): the mass that a field moves under each bone. Returns the bone with the most. */
static int measure_bones(const sn_cook_context *cook, int field, double *moved)
{
    const size_t bones = (size_t)cook->bone_count;
    int main_bone = 0;
    memset(moved, 0, bones * sizeof *moved);
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        const double *d = cook->morph_fields + 3 * (v * (size_t)cook->morph_field_count + (size_t)field);
        const double square = cook->mass[v] * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (size_t b = 0; b < bones; ++b) {
            moved[b] += square * cook->rig_weights[v * bones + b];
        }
    }
    for (int b = 1; b < cook->bone_count; ++b) {
        main_bone = moved[b] > moved[main_bone] ? b : main_bone;
    }
    return main_bone;
}

static void pair_field(sn_cook_context *cook, int field, double *moved)
{
    const int main_bone = measure_bones(cook, field, moved);
    double total = 0;
    for (int b = 0; b < cook->bone_count; ++b) {
        total += moved[b];
    }
    cook->morph_pairs[cook->morph_pair_count++] = (sn_morph_pair){field, main_bone};
    for (int b = 0; b < cook->bone_count; ++b) {
        if (b != main_bone && moved[b] > MIN_BONE_FRACTION * total) {
            cook->morph_pairs[cook->morph_pair_count++] = (sn_morph_pair){field, b};
        }
    }
}

static sn_result pair_bones(sn_cook_context *cook, sn_arena *scratch)
{
    double *moved = SN_NEW(scratch, double, cook->bone_count);
    cook->morph_pairs = SN_NEW(&cook->arena, sn_morph_pair, (size_t)cook->morph_field_count * (size_t)cook->bone_count);
    if (!moved || !cook->morph_pairs) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < cook->morph_field_count; ++f) {
        pair_field(cook, f, moved);
    }
    const sn_morph_rig rig = {.vertex_count = cook->mesh.vertex_count,
                              .bone_count = cook->bone_count,
                              .field_count = cook->morph_field_count,
                              .pair_count = cook->morph_pair_count,
                              .rig_weights = cook->rig_weights,
                              .fields = cook->morph_fields,
                              .pairs = cook->morph_pairs};
    cook->morph_columns = SN_NEW(&cook->arena, double, (size_t)rig.vertex_count * 3 * (size_t)rig.pair_count);
    if (!cook->morph_columns) {
        return SN_ERROR_MEMORY;
    }
    sn_morph_columns_build(&rig, cook->morph_columns);
    return SN_OK;
}

static sn_result build(sn_cook_context *cook, const sn_node_surface_points *surface_points, sn_arena *scratch)
{
    compression c;
    sn_result result = allocate(cook, surface_points, scratch, &c);
    if (result != SN_OK) {
        return result;
    }
    choose_targets(&c);
    cook->morph_field_count = c.count;
    cook->morph_targets = c.chosen;
    result = solve_field_weights(cook, &c);
    if (result == SN_OK) {
        result = fill_fields(cook, &c);
    }
    return result == SN_OK ? pair_bones(cook, scratch) : result;
}

sn_result sn_cook_context_build_morph_fields(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const sn_cook_morphs requested = cook->desc->morphs == SN_MORPHS_AUTO ? cook->sidecar.morphs : cook->desc->morphs;
    if (!cook->has_character || cook->character.morph_count == 0 || requested == SN_MORPHS_VISUAL) {
        return SN_OK;
    }
    sn_arena scratch = {0};
    const sn_result result = build(cook, surface_points, &scratch);
    sn_arena_finish(&scratch);
    return result;
}
