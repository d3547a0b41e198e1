/* SPDX-License-Identifier: MIT */
/* Greedy k-means++ (four candidates a centre, volume-weighted) and Lloyd's iterations, whose distances are one matrix
 * product; then a split into face-connected pieces. Paper, section 6; the authors' Python never splits. The split
 * leaves crumbs of a few tets, up to four times as many as clusters were asked for, each as dear in every step as a
 * whole cluster: they join a neighbour. */
#include "author/modes/clusters.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "host/base/random.h"

#define CANDIDATE_COUNT 4
#define LLOYD_ITERATIONS 20
#define CRUMB_SHARE 0.05 /* doubled while the split leaves more than MOST_PIECES times what was asked for */
#define MOST_PIECES 2.5
#define CHUNK 512 /* tets whose distances are computed at once */
#define RANDOM_SEED UINT64_C(0x9e3779b97f4a7c15)

typedef struct kmeans {
    int point_count, dimension_count, centre_count;
    double *points;        /* (point_count x dimension_count) */
    const double *volumes; /* (point_count) */
    double *centres;       /* (centre_count x dimension_count) */
    double *distances2;    /* (point_count) to the nearest centre */
    double *candidate2;    /* (CANDIDATE_COUNT x point_count) */
    double *sums;          /* (centre_count x dimension_count) */
    double *sum_volumes;   /* (centre_count) */
    double *products;      /* (CHUNK x centre_count) */
    double *half_norms;    /* (centre_count) |centre|^2 / 2 */
    int32_t *labels;
    uint64_t random;
} kmeans;

static int build_features(const sn_tet_mesh *mesh, const sn_modes *modes, double *features)
{
    const double largest = modes->eigenvalues[modes->mode_count - 1];
    int first = 0;
    while (first < modes->mode_count - 1 && modes->eigenvalues[first] <= 1e-6 * largest) {
        ++first; /* null modes: every tet looks alike to them */
    }
    const int count = modes->mode_count - first;
    for (int t = 0; t < mesh->tet_count; ++t) {
        for (int j = 0; j < count; ++j) {
            /* relative to the first kept eigenvalue, so that the scale of the model does not matter */
            const double ratio = modes->eigenvalues[first] / modes->eigenvalues[first + j];
            double sum = 0;
            for (int corner = 0; corner < 4; ++corner) {
                const size_t row = (size_t)mesh->tets[4 * (size_t)t + (size_t)corner] * (size_t)modes->mode_count;
                sum += modes->weights[row + (size_t)(first + j)];
            }
            features[(size_t)t * (size_t)count + (size_t)j] = 0.25 * sum * ratio * ratio;
        }
    }
    return count;
}

static double distance2(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

static const double *point_of(const kmeans *k, int i)
{
    return k->points + (size_t)i * (size_t)k->dimension_count;
}

/* A point drawn with probability proportional to volume times squared distance. */
static int draw_point(kmeans *k, double total)
{
    double threshold = sn_random_unit(&k->random) * total;
    for (int i = 0; i < k->point_count; ++i) {
        threshold -= k->volumes[i] * k->distances2[i];
        if (threshold < 0) {
            return i;
        }
    }
    return k->point_count - 1;
}

/* Distances if `candidate` became a centre; returns their weighted sum. */
static double try_centre(const kmeans *k, int candidate, double *distances)
{
    double potential = 0;
    for (int i = 0; i < k->point_count; ++i) {
        const double d = distance2(point_of(k, i), point_of(k, candidate), k->dimension_count);
        distances[i] = fmin(d, k->distances2[i]);
        potential += k->volumes[i] * distances[i];
    }
    return potential;
}

static void set_centre(kmeans *k, int centre, int point)
{
    memcpy(k->centres + (size_t)centre * (size_t)k->dimension_count, point_of(k, point),
           (size_t)k->dimension_count * sizeof(double));
}

static void seed_centres(kmeans *k)
{
    for (int i = 0; i < k->point_count; ++i) {
        k->distances2[i] = 1;
    }
    double potential = 0;
    for (int i = 0; i < k->point_count; ++i) {
        potential += k->volumes[i];
    }
    const int first = draw_point(k, potential);
    for (int i = 0; i < k->point_count; ++i) {
        k->distances2[i] = DBL_MAX;
    }
    potential = try_centre(k, first, k->distances2);
    set_centre(k, 0, first);
    for (int centre = 1; centre < k->centre_count; ++centre) {
        double best = DBL_MAX;
        int best_point = 0, best_slot = 0;
        for (int slot = 0; slot < CANDIDATE_COUNT; ++slot) {
            const int point = draw_point(k, potential);
            const double tried = try_centre(k, point, k->candidate2 + (size_t)slot * (size_t)k->point_count);
            if (tried < best) {
                best = tried, best_point = point, best_slot = slot;
            }
        }
        potential = best;
        memcpy(k->distances2, k->candidate2 + (size_t)best_slot * (size_t)k->point_count,
               (size_t)k->point_count * sizeof(double));
        set_centre(k, centre, best_point);
    }
}

/* argmin |p - c|^2 = argmin |c|^2 / 2 - p.c */
static void assign_points(kmeans *k)
{
    for (int c = 0; c < k->centre_count; ++c) {
        const double *centre = k->centres + (size_t)c * (size_t)k->dimension_count;
        double norm2 = 0;
        for (int j = 0; j < k->dimension_count; ++j) {
            norm2 += centre[j] * centre[j];
        }
        k->half_norms[c] = 0.5 * norm2;
    }
    for (int start = 0; start < k->point_count; start += CHUNK) {
        const int count = k->point_count - start < CHUNK ? k->point_count - start : CHUNK;
        sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                     .m = k->centre_count,
                                     .n = count,
                                     .k = k->dimension_count,
                                     .alpha = 1,
                                     .a = k->centres,
                                     .lda = k->dimension_count,
                                     .b = point_of(k, start),
                                     .ldb = k->dimension_count,
                                     .c = k->products,
                                     .ldc = k->centre_count});
        for (int i = 0; i < count; ++i) {
            const double *products = k->products + (size_t)i * (size_t)k->centre_count;
            double least = DBL_MAX;
            for (int c = 0; c < k->centre_count; ++c) {
                const double value = k->half_norms[c] - products[c];
                if (value < least) {
                    least = value;
                    k->labels[start + i] = c;
                }
            }
        }
    }
}

static void move_centres(kmeans *k)
{
    const size_t width = (size_t)k->dimension_count;
    memset(k->sums, 0, (size_t)k->centre_count * width * sizeof(double));
    memset(k->sum_volumes, 0, (size_t)k->centre_count * sizeof(double));
    for (int i = 0; i < k->point_count; ++i) {
        double *sum = k->sums + (size_t)k->labels[i] * width;
        const double *point = point_of(k, i);
        for (size_t j = 0; j < width; ++j) {
            sum[j] += k->volumes[i] * point[j];
        }
        k->sum_volumes[k->labels[i]] += k->volumes[i];
    }
    for (int c = 0; c < k->centre_count; ++c) {
        for (size_t j = 0; j < width && k->sum_volumes[c] > 0; ++j) {
            k->centres[(size_t)c * width + j] = k->sums[(size_t)c * width + j] / k->sum_volumes[c];
        }
    }
}

static bool allocate_kmeans(kmeans *k, sn_arena *scratch)
{
    const size_t points = (size_t)k->point_count, centres = (size_t)k->centre_count, width = (size_t)k->dimension_count;
    k->centres = SN_NEW(scratch, double, centres *width);
    k->sums = SN_NEW(scratch, double, centres *width);
    k->distances2 = SN_NEW(scratch, double, points);
    k->candidate2 = SN_NEW(scratch, double, CANDIDATE_COUNT *points);
    k->sum_volumes = SN_NEW(scratch, double, centres);
    k->half_norms = SN_NEW(scratch, double, centres);
    k->products = SN_NEW(scratch, double, CHUNK *centres);
    return k->centres && k->sums && k->distances2 && k->candidate2 && k->sum_volumes && k->half_norms && k->products;
}

static sn_result run_kmeans(const sn_tet_mesh *mesh, const double *volumes, const sn_modes *modes, int wanted_count,
                            sn_arena *scratch, int32_t *labels)
{
    double *features = SN_NEW(scratch, double, (size_t)mesh->tet_count *(size_t)modes->mode_count);
    if (!features) {
        return SN_ERROR_MEMORY;
    }
    kmeans k = {.point_count = mesh->tet_count,
                .dimension_count = build_features(mesh, modes, features),
                .centre_count = wanted_count < mesh->tet_count ? wanted_count : mesh->tet_count,
                .points = features,
                .volumes = volumes,
                .labels = labels,
                .random = RANDOM_SEED};
    if (!allocate_kmeans(&k, scratch)) {
        return SN_ERROR_MEMORY;
    }
    if (wanted_count >= mesh->tet_count) {
        for (int t = 0; t < mesh->tet_count; ++t) {
            labels[t] = t;
        }
        return SN_OK;
    }
    seed_centres(&k);
    for (int iteration = 0; iteration < LLOYD_ITERATIONS; ++iteration) {
        assign_points(&k);
        move_centres(&k);
    }
    assign_points(&k);
    return SN_OK;
}

sn_result sn_clusters_split(int tet_count, const int32_t *neighbours, int32_t *labels, int *cluster_count)
{
    sn_arena scratch = {0};
    int32_t *component = SN_NEW(&scratch, int32_t, tet_count);
    int32_t *stack = SN_NEW(&scratch, int32_t, tet_count);
    const bool is_ok = component && stack;
    int count = 0;
    for (int t = 0; t < tet_count && is_ok; ++t) {
        component[t] = -1;
    }
    for (int seed = 0; seed < tet_count && is_ok; ++seed) {
        if (component[seed] >= 0) {
            continue;
        }
        int depth = 0;
        stack[depth++] = seed;
        component[seed] = count;
        while (depth > 0) {
            const int32_t t = stack[--depth];
            for (int face = 0; face < 4; ++face) {
                const int32_t next = neighbours[4 * (size_t)t + (size_t)face];
                if (next >= 0 && component[next] < 0 && labels[next] == labels[t]) {
                    component[next] = count;
                    stack[depth++] = next;
                }
            }
        }
        ++count;
    }
    if (is_ok) {
        memcpy(labels, component, (size_t)tet_count * sizeof *labels);
        *cluster_count = count;
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

typedef struct crumbs {
    int tet_count, piece_count;
    const int32_t *neighbours;
    int32_t *labels;
    int32_t *starts, *members; /* tets by piece: members[starts[p]] on */
    int32_t *shared;           /* (piece_count) faces shared with the crumb at hand */
} crumbs;

static void sort_members(crumbs *c)
{
    for (int t = 0; t < c->tet_count; ++t) {
        ++c->starts[c->labels[t] + 1];
    }
    for (int p = 0; p < c->piece_count; ++p) {
        c->starts[p + 1] += c->starts[p];
    }
    for (int t = c->tet_count - 1; t >= 0; --t) {
        /* shared counts how many of the piece have been placed, from the back */
        const int32_t piece = c->labels[t];
        c->members[c->starts[piece + 1] - 1 - c->shared[piece]++] = t;
    }
    memset(c->shared, 0, (size_t)c->piece_count * sizeof *c->shared);
}

/* The cluster that a piece shares most faces with, or -1 for an island. */
static int32_t best_neighbour(crumbs *c, int piece)
{
    int32_t best = -1;
    for (int pass = 0; pass < 2; ++pass) { /* count, then clear */
        for (int32_t i = c->starts[piece]; i < c->starts[piece + 1]; ++i) {
            for (int face = 0; face < 4; ++face) {
                const int32_t next = c->neighbours[4 * (size_t)c->members[i] + (size_t)face];
                const int32_t label = next >= 0 ? c->labels[next] : -1;
                if (label < 0 || label == c->labels[c->members[i]]) {
                    continue;
                }
                c->shared[label] = pass == 0 ? c->shared[label] + 1 : 0;
                if (pass == 0 && (best < 0 || c->shared[label] > c->shared[best])) {
                    best = label;
                }
            }
        }
    }
    return best;
}

/* Pieces below `least` join the neighbour that they share most faces with. */
static sn_result merge_crumbs(const double *volumes, crumbs *c, double least, sn_arena *scratch)
{
    double *piece_volumes = SN_NEW(scratch, double, c->piece_count);
    c->starts = SN_NEW(scratch, int32_t, c->piece_count + 1);
    c->members = SN_NEW(scratch, int32_t, c->tet_count);
    c->shared = SN_NEW(scratch, int32_t, c->piece_count);
    if (!piece_volumes || !c->starts || !c->members || !c->shared) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < c->tet_count; ++t) {
        piece_volumes[c->labels[t]] += volumes[t];
    }
    sort_members(c);
    for (int piece = 0; piece < c->piece_count; ++piece) {
        /* a crumb that others joined before may be one no longer: its volume has grown under the label it kept */
        if (piece_volumes[piece] >= least) {
            continue;
        }
        const int32_t into = best_neighbour(c, piece);
        if (into < 0) {
            continue;
        }
        for (int32_t i = c->starts[piece]; i < c->starts[piece + 1]; ++i) {
            c->labels[c->members[i]] = into;
        }
        piece_volumes[into] += piece_volumes[piece];
    }
    return SN_OK;
}

sn_result sn_clusters_build(const sn_tet_mesh *mesh, const double *volumes, const int32_t *neighbours,
                            const sn_modes *modes, int wanted_count, int32_t *labels, int *cluster_count)
{
    sn_arena scratch = {0};
    sn_result result = run_kmeans(mesh, volumes, modes, wanted_count, &scratch, labels);
    if (result == SN_OK) {
        result = sn_clusters_split(mesh->tet_count, neighbours, labels, cluster_count);
    }
    double total = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        total += volumes[t];
    }
    /* modes that are local, as those of rigs with many bones are, split into hundreds of crumbs of any size */
    for (double share = CRUMB_SHARE; result == SN_OK; share *= 2) {
        crumbs c = {
            .tet_count = mesh->tet_count, .piece_count = *cluster_count, .neighbours = neighbours, .labels = labels};
        result = merge_crumbs(volumes, &c, share * total / wanted_count, &scratch);
        if (result == SN_OK) {
            /* renumbers; and a crumb whose joint to its cluster was a crumb that left it is a piece of its own again */
            result = sn_clusters_split(mesh->tet_count, neighbours, labels, cluster_count);
        }
        if (*cluster_count <= MOST_PIECES * wanted_count || share > 0.5) {
            break;
        }
    }
    sn_arena_finish(&scratch);
    return result;
}
