/* SPDX-License-Identifier: MIT */
/* Joints for what the rig leaves (B. H. Le, Z. Deng, "Smooth skinning decomposition with rigid bones", SIGGRAPH Asia
 * 2012), beside bones that are given. Vertices that the flesh moves are clustered by how well one rigid motion does for
 * them all; then weights for given motions, and motions for given weights, alternate:
 *   weights of a vertex: min |sum_j w_j (M_j X - x)|^2 over the frames, w >= 0, sum 1, few of them (the paper's 3.2);
 *   a joint's motion in a frame: the similarity that fits best what the others leave (3.3, with a uniform scale).
 * Both take some of the frames while they alternate; in the end motions are found for all. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/bake/baker.h"
#include "author/bake/joint_fit.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define LEAST_DISPLACEMENT 1e-5 /* of the diagonal: vertices that are moved less are left to the rig */
#define SAMPLE_LIMIT 72         /* frames while weights and motions alternate */
#define CLUSTER_ROUNDS 8
#define ROUNDS 18
#define MISFIT_STRIDE 4 /* samples */
#define RESEED_ROUNDS 3
#define SEED_VERTICES 12
#define LAST_SWEEPS 12
#define NEAR_JOINTS 8 /* of our own, which a vertex may choose from */
#define NAME_CHARS 32

typedef struct decomposition {
    sn_baker *baker;
    int bone_count, count; /* joints of our own: bone_count + k */
    int soft_count;
    int32_t *soft;    /* (soft_count) vertices */
    int32_t *labels;  /* (soft_count) clusters */
    double *energies; /* (vertex_count): squared displacement, summed over the samples */
    int sample_count;
    int32_t *samples;         /* (sample_count) frames */
    double *motion;           /* (frame_count x count x 12) */
    sn_similarity_sums *sums; /* (count) */
    double *says;             /* (vertex_count): how much each counts where motions are fitted */
    double *errors;           /* (soft_count): largest squared distances over the samples */
    int32_t *best_influences; /* (soft_count x influence_count): of the round whose largest error is least */
    float *best_weights;
    int32_t *parents;    /* (count): the bone whose flesh each joint moves, or -1 */
    double *best_motion; /* (sample_count x count x 12) */
} decomposition;

static double *motion_of(const decomposition *d, int frame, int k)
{
    return d->motion + 12 * ((size_t)frame * (size_t)d->count + (size_t)k);
}

static const double *joint_motion(const decomposition *d, int frame, int joint)
{
    return joint < d->bone_count ? d->baker->poses + 12 * ((size_t)frame * (size_t)d->bone_count + (size_t)joint)
                                 : motion_of(d, frame, joint - d->bone_count);
}

static void goal_of(const decomposition *d, int frame, int vertex, double *goal)
{
    const float *x = d->baker->surface + 3 * ((size_t)frame * (size_t)d->baker->vertex_count + (size_t)vertex);
    for (int k = 0; k < 3; ++k) {
        goal[k] = (double)x[k];
    }
}

/* What the joints of a vertex leave of its goal in a frame. */
static void find_rest(const decomposition *d, int frame, int vertex, const double *place, double *rest)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count, at = (size_t)vertex * width;
    goal_of(d, frame, vertex, rest);
    for (size_t k = 0; k < width; ++k) {
        double moved[3];
        if (b->weights[at + k] > 0) {
            sn_affine_apply(joint_motion(d, frame, b->influences[at + k]), place, moved);
            for (int c = 0; c < 3; ++c) {
                rest[c] -= (double)b->weights[at + k] * moved[c];
            }
        }
    }
}

static sn_result find_soft(decomposition *d)
{
    sn_baker *b = d->baker;
    const double least = LEAST_DISPLACEMENT * b->diagonal;
    d->soft = SN_NEW(&b->scratch, int32_t, b->vertex_count);
    d->labels = SN_NEW(&b->scratch, int32_t, b->vertex_count);
    d->energies = SN_NEW(&b->scratch, double, b->vertex_count);
    if (!d->soft || !d->labels || !d->energies) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < b->vertex_count; ++v) {
        double energy = 0, largest = 0;
        for (int i = 0; i < d->sample_count; ++i) {
            double place[3], rest[3];
            sn_baker_rest(b, d->samples[i], v, place);
            find_rest(d, d->samples[i], v, place, rest);
            energy += sn_dot3(rest, rest);
            largest = fmax(largest, sn_dot3(rest, rest));
        }
        if (largest > least * least) {
            d->energies[v] = energy;
            d->soft[d->soft_count++] = v;
        }
    }
    return SN_OK;
}

static double distance2(const sn_baker *b, int32_t v, int32_t w)
{
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
        const double difference = (double)b->rest[3 * (size_t)v + k] - (double)b->rest[3 * (size_t)w + k];
        sum += difference * difference;
    }
    return sum;
}

static double pull(const decomposition *d, int i, const double *nearest)
{
    return sqrt(d->energies[d->soft[i]]) * nearest[i];
}

/* Seeds far from each other where much is to be done; every vertex goes to the nearest. */
static sn_result seed_clusters(decomposition *d)
{
    const sn_baker *b = d->baker;
    double *nearest = SN_NEW(&d->baker->scratch, double, d->soft_count);
    if (!nearest) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < d->soft_count; ++i) {
        nearest[i] = b->diagonal * b->diagonal;
    }
    for (int k = 0; k < d->count; ++k) {
        int best = 0;
        for (int i = 1; i < d->soft_count; ++i) {
            best = pull(d, i, nearest) > pull(d, best, nearest) ? i : best;
        }
        for (int i = 0; i < d->soft_count; ++i) {
            const double found = distance2(b, d->soft[i], d->soft[best]);
            if (found < nearest[i]) {
                nearest[i] = found;
                d->labels[i] = k;
            }
        }
    }
    return SN_OK;
}

/* One motion for each cluster. */
static void fit_clusters(decomposition *d, int frame)
{
    memset(d->sums, 0, (size_t)d->count * sizeof *d->sums);
    for (int i = 0; i < d->soft_count; ++i) {
        double place[3], goal[3];
        sn_baker_rest(d->baker, frame, d->soft[i], place);
        goal_of(d, frame, d->soft[i], goal);
        sn_similarity_add(&d->sums[d->labels[i]], 1, place, goal);
    }
    for (int k = 0; k < d->count; ++k) {
        sn_similarity_solve(&d->sums[k], motion_of(d, frame, k));
    }
}

/* Squared distance of a vertex from where a joint takes it, over some of the samples; gives up above `limit`. */
static double find_misfit(const decomposition *d, int vertex, int joint, double limit)
{
    double sum = 0;
    for (int i = 0; i < d->sample_count && sum < limit; i += MISFIT_STRIDE) {
        double place[3], goal[3], moved[3];
        sn_baker_rest(d->baker, d->samples[i], vertex, place);
        goal_of(d, d->samples[i], vertex, goal);
        sn_affine_apply(joint_motion(d, d->samples[i], joint), place, moved);
        sn_subtract3(moved, goal, moved);
        sum += sn_dot3(moved, moved);
    }
    return sum;
}

static void cluster(decomposition *d)
{
    for (int round = 0; round < CLUSTER_ROUNDS; ++round) {
        for (int i = 0; i < d->sample_count; ++i) {
            fit_clusters(d, d->samples[i]);
        }
        for (int i = 0; i < d->soft_count && round + 1 < CLUSTER_ROUNDS; ++i) {
            double best = find_misfit(d, d->soft[i], d->bone_count + d->labels[i], DBL_MAX);
            for (int k = 0; k < d->count; ++k) {
                const double found = find_misfit(d, d->soft[i], d->bone_count + k, best);
                if (found < best) {
                    best = found;
                    d->labels[i] = k;
                }
            }
        }
    }
}

/* The vertex' strongest bones, and those of our joints that fit it best; returns how many. */
static int find_candidates(const decomposition *d, int vertex, int32_t *candidates)
{
    double ignored[SN_BAKE_INFLUENCE_LIMIT], misfits[NEAR_JOINTS];
    const int bones = sn_baker_rig_weights(d->baker, vertex, d->baker->influence_count, candidates, ignored);
    int32_t *near = candidates + bones;
    int count = 0;
    for (int k = 0; k < d->count; ++k) {
        const double limit = count == NEAR_JOINTS ? misfits[count - 1] : DBL_MAX;
        const double found = find_misfit(d, vertex, d->bone_count + k, limit);
        if (found >= limit) {
            continue;
        }
        count += count < NEAR_JOINTS;
        int at = count - 1;
        for (; at > 0 && misfits[at - 1] > found; --at) {
            misfits[at] = misfits[at - 1];
            near[at] = near[at - 1];
        }
        misfits[at] = found;
        near[at] = d->bone_count + k;
    }
    return bones + count;
}

static void weigh_vertex(decomposition *d, int vertex)
{
    int32_t candidates[SN_BAKE_INFLUENCE_LIMIT + NEAR_JOINTS];
    double gram[SN_SIMPLEX_LIMIT * SN_SIMPLEX_LIMIT], weights[SN_SIMPLEX_LIMIT], misses[3 * SN_SIMPLEX_LIMIT];
    const int count = find_candidates(d, vertex, candidates);
    memset(gram, 0, (size_t)(count * count) * sizeof(double));
    for (int i = 0; i < d->sample_count; ++i) {
        double place[3], goal[3];
        sn_baker_rest(d->baker, d->samples[i], vertex, place);
        goal_of(d, d->samples[i], vertex, goal);
        for (int k = 0; k < count; ++k) {
            sn_affine_apply(joint_motion(d, d->samples[i], candidates[k]), place, misses + 3 * k);
            sn_subtract3(misses + 3 * k, goal, misses + 3 * k);
            for (int j = 0; j <= k; ++j) {
                gram[k * count + j] += sn_dot3(misses + 3 * k, misses + 3 * j);
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < k; ++j) {
            gram[j * count + k] = gram[k * count + j];
        }
    }
    sn_simplex_weights(count, gram, d->baker->influence_count, weights);
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        if (weights[k] > 0) {
            candidates[kept] = candidates[k];
            weights[kept++] = weights[k];
        }
    }
    sn_baker_set_weights(d->baker, vertex, kept, candidates, weights);
}

/* Vertices of each joint of our own, one after the other. */
typedef struct joint_lists {
    int32_t *starts;   /* (count + 1) */
    int32_t *vertices; /* (starts[count]) */
    float *weights;
} joint_lists;

static void list_vertices(const decomposition *d, joint_lists *lists)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count;
    memset(lists->starts, 0, ((size_t)d->count + 2) * sizeof(int32_t));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < d->soft_count; ++i) {
            for (size_t k = 0; k < width; ++k) {
                const size_t at = (size_t)d->soft[i] * width + k;
                const int32_t own = b->influences[at] - d->bone_count;
                if (own < 0 || b->weights[at] <= 0) {
                    continue;
                }
                if (pass == 0) {
                    ++lists->starts[own + 2];
                } else {
                    lists->weights[lists->starts[own + 1]] = b->weights[at];
                    lists->vertices[lists->starts[own + 1]++] = d->soft[i];
                }
            }
        }
        for (int k = 0; k < d->count && pass == 0; ++k) {
            lists->starts[k + 2] += lists->starts[k + 1];
        }
    }
}

/* Each joint in turn takes up what the others leave (Gauss-Seidel). */
static void fit_motions(decomposition *d, const joint_lists *lists, int frame)
{
    for (int k = 0; k < d->count; ++k) {
        double *motion = motion_of(d, frame, k);
        sn_similarity_sums sums = {0};
        for (int i = lists->starts[k]; i < lists->starts[k + 1]; ++i) {
            const double weight = (double)lists->weights[i];
            double place[3], rest[3], moved[3];
            sn_baker_rest(d->baker, frame, lists->vertices[i], place);
            find_rest(d, frame, lists->vertices[i], place, rest);
            sn_affine_apply(motion, place, moved);
            for (int c = 0; c < 3; ++c) {
                rest[c] += weight * moved[c];
            }
            const double say = d->says[lists->vertices[i]];
            for (int c = 0; c < 3; ++c) {
                rest[c] *= say;
            }
            sn_similarity_add(&sums, say * weight, place, rest);
        }
        sn_similarity_solve(&sums, motion);
    }
}

/* Errors of all vertices; the largest. */
static double find_errors(decomposition *d)
{
    double largest = 0;
    for (int i = 0; i < d->soft_count; ++i) {
        d->errors[i] = 0;
        for (int k = 0; k < d->sample_count; ++k) {
            double place[3], rest[3];
            sn_baker_rest(d->baker, d->samples[k], d->soft[i], place);
            find_rest(d, d->samples[k], d->soft[i], place, rest);
            d->errors[i] = fmax(d->errors[i], sn_dot3(rest, rest));
        }
        largest = fmax(largest, d->errors[i]);
    }
    return largest;
}

/* Copies weights and motions to the best ones, or back. */
static void copy_best(decomposition *d, bool is_back)
{
    const sn_baker *b = d->baker;
    const size_t width = (size_t)b->influence_count, joints = 12 * (size_t)d->count;
    for (int i = 0; i < d->soft_count; ++i) {
        int32_t *influences = b->influences + (size_t)d->soft[i] * width;
        float *weights = b->weights + (size_t)d->soft[i] * width;
        int32_t *best_influences = d->best_influences + (size_t)i * width;
        float *best_weights = d->best_weights + (size_t)i * width;
        memcpy(is_back ? influences : best_influences, is_back ? best_influences : influences, width * sizeof(int32_t));
        memcpy(is_back ? weights : best_weights, is_back ? best_weights : weights, width * sizeof(float));
    }
    for (int i = 0; i < d->sample_count; ++i) {
        double *motion = motion_of(d, d->samples[i], 0), *best = d->best_motion + (size_t)i * joints;
        memcpy(is_back ? motion : best, is_back ? best : motion, joints * sizeof(double));
    }
}

/* What is promised is the largest error: the round that has the least is kept, and vertices whose error stands out get
 * a larger say in the next. */
static void judge_round(decomposition *d, double *best)
{
    const double largest = find_errors(d);
    if (largest < *best) {
        *best = largest;
        copy_best(d, false);
    }
    for (int i = 0; i < d->soft_count && largest > 0; ++i) {
        d->says[d->soft[i]] *= 0.5 + sqrt(sqrt(d->errors[i] / largest));
    }
}

/* The joint that has least to say begins anew with what is around the worst vertex. */
static void reseed(decomposition *d, const joint_lists *lists)
{
    double least = INFINITY, reach = INFINITY;
    int chosen = 0, worst = 0;
    for (int k = 0; k < d->count; ++k) {
        double sum = 0;
        for (int i = lists->starts[k]; i < lists->starts[k + 1]; ++i) {
            sum += (double)lists->weights[i] * sqrt(d->energies[lists->vertices[i]]);
        }
        chosen = sum < least ? k : chosen;
        least = fmin(least, sum);
    }
    for (int i = 1; i < d->soft_count; ++i) {
        worst = d->errors[i] > d->errors[worst] ? i : worst;
    }
    for (double limit = 1e-4; limit < 1; limit *= 2) { /* the smallest ball that holds enough to turn by */
        int count = 0;
        reach = limit * d->baker->diagonal * d->baker->diagonal;
        for (int i = 0; i < d->soft_count; ++i) {
            count += distance2(d->baker, d->soft[i], d->soft[worst]) <= reach;
        }
        if (count >= SEED_VERTICES) {
            break;
        }
    }
    for (int s = 0; s < d->sample_count; ++s) {
        sn_similarity_sums sums = {0};
        for (int i = 0; i < d->soft_count; ++i) {
            if (distance2(d->baker, d->soft[i], d->soft[worst]) <= reach) {
                double place[3], goal[3];
                sn_baker_rest(d->baker, d->samples[s], d->soft[i], place);
                goal_of(d, d->samples[s], d->soft[i], goal);
                sn_similarity_add(&sums, 1, place, goal);
            }
        }
        sn_similarity_solve(&sums, motion_of(d, d->samples[s], chosen));
    }
}

static sn_result alternate(decomposition *d, joint_lists *lists)
{
    double best = INFINITY;
    const size_t room = (size_t)d->soft_count * (size_t)d->baker->influence_count;
    lists->starts = SN_NEW(&d->baker->scratch, int32_t, d->count + 2);
    lists->vertices = SN_NEW(&d->baker->scratch, int32_t, room);
    lists->weights = SN_NEW(&d->baker->scratch, float, room);
    if (!lists->starts || !lists->vertices || !lists->weights) {
        return SN_ERROR_MEMORY;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < d->soft_count; ++i) {
            weigh_vertex(d, d->soft[i]);
        }
        list_vertices(d, lists);
        for (int i = 0; i < d->sample_count; ++i) {
            fit_motions(d, lists, d->samples[i]);
        }
        judge_round(d, &best);
        if (round % RESEED_ROUNDS == RESEED_ROUNDS - 1 && round + RESEED_ROUNDS < ROUNDS) {
            reseed(d, lists);
        }
    }
    copy_best(d, true);
    list_vertices(d, lists);
    return SN_OK;
}

/* The bone that would move most of what the joint moves. */
static int32_t find_parent(const decomposition *d, const joint_lists *lists, int k, double *shares)
{
    int32_t best = -1;
    memset(shares, 0, (size_t)d->bone_count * sizeof(double));
    for (int i = lists->starts[k]; i < lists->starts[k + 1]; ++i) {
        int32_t bones[SN_BAKE_INFLUENCE_LIMIT];
        double weights[SN_BAKE_INFLUENCE_LIMIT];
        const int count = sn_baker_rig_weights(d->baker, lists->vertices[i], SN_BAKE_INFLUENCE_LIMIT, bones, weights);
        for (int j = 0; j < count; ++j) {
            shares[bones[j]] += weights[j] * (double)lists->weights[i];
        }
    }
    for (int b = 0; b < d->bone_count; ++b) {
        best = shares[b] > 0 && (best < 0 || shares[b] > shares[best]) ? b : best;
    }
    return best;
}

static sn_result find_parents(decomposition *d, const joint_lists *lists)
{
    double *shares = SN_NEW(&d->baker->scratch, double, d->bone_count);
    d->parents = SN_NEW(&d->baker->scratch, int32_t, d->count);
    for (int k = 0; shares && d->parents && k < d->count; ++k) {
        d->parents[k] = find_parent(d, lists, k, shares);
    }
    return shares && d->parents ? SN_OK : SN_ERROR_MEMORY;
}

static void carry_on(decomposition *d, int frame, int k)
{
    const double *before = motion_of(d, frame - 1, k);
    double inverse[12], back[12];
    memcpy(motion_of(d, frame, k), before, 12 * sizeof(double));
    if (d->parents[k] >= 0 && sn_affine_invert(joint_motion(d, frame - 1, d->parents[k]), inverse)) {
        sn_affine_multiply(inverse, before, back);
        sn_affine_multiply(joint_motion(d, frame, d->parents[k]), back, motion_of(d, frame, k));
    }
}

/* Other frames begin with the motions of the frame before, carried on by the bones. */
static void finish_motions(decomposition *d, const joint_lists *lists)
{
    int next = 0;
    for (int v = 0; v < d->baker->vertex_count; ++v) {
        d->says[v] = 1;
    }
    for (int frame = 0; frame < d->baker->frame_count; ++frame) {
        if (next < d->sample_count && d->samples[next] == frame) {
            ++next;
            continue;
        }
        for (int k = 0; k < d->count; ++k) {
            carry_on(d, frame, k);
        }
        for (int sweep = 0; sweep < LAST_SWEEPS; ++sweep) {
            fit_motions(d, lists, frame);
        }
    }
}

/* Joints that move no vertex are left out. */
static sn_result publish(decomposition *d, const joint_lists *lists)
{
    sn_baker *b = d->baker;
    int32_t *renamed = SN_NEW(&b->scratch, int32_t, d->count);
    if (!renamed) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < d->count; ++k) {
        if (lists->starts[k] == lists->starts[k + 1]) {
            continue;
        }
        char *name = SN_NEW(b->arena, char, NAME_CHARS);
        if (!name) {
            return SN_ERROR_MEMORY;
        }
        snprintf(name, NAME_CHARS, "flesh %d", b->joint_count - d->bone_count);
        renamed[k] = b->joint_count;
        b->joints[b->joint_count++] = (sn_bake_joint){
            .name = name, .parent = d->parents[k], .motion = d->motion + 12 * (size_t)k, .stride = d->count};
    }
    for (size_t i = 0; i < (size_t)b->vertex_count * (size_t)b->influence_count; ++i) {
        if (b->influences[i] >= d->bone_count) {
            b->influences[i] = renamed[b->influences[i] - d->bone_count];
        }
    }
    sn_result result = sn_baker_find_reach(b);
    for (int j = d->bone_count; j < b->joint_count && result == SN_OK; ++j) {
        sn_affine_identity(b->joints[j].bind);
        for (int c = 0; c < 3; ++c) {
            b->joints[j].bind[4 * c + 3] = b->joints[j].center[c];
        }
    }
    return result;
}

static sn_result prepare(decomposition *d)
{
    sn_baker *b = d->baker;
    d->sample_count = b->frame_count < SAMPLE_LIMIT ? b->frame_count : SAMPLE_LIMIT;
    d->samples = SN_NEW(&b->scratch, int32_t, d->sample_count);
    d->sums = SN_NEW(&b->scratch, sn_similarity_sums, d->count);
    d->motion = sn_arena_alloc(&b->scratch, (size_t)b->frame_count, 12 * (size_t)d->count * sizeof(double));
    if (!d->samples || !d->sums || !d->motion) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < d->sample_count; ++i) {
        d->samples[i] = (int32_t)((int64_t)i * b->frame_count / d->sample_count);
    }
    for (size_t i = 0; i < (size_t)b->frame_count * (size_t)d->count; ++i) {
        sn_affine_identity(d->motion + 12 * i);
    }
    return find_soft(d);
}

static sn_result prepare_rounds(decomposition *d)
{
    sn_baker *b = d->baker;
    const size_t soft = (size_t)d->soft_count, width = (size_t)b->influence_count;
    d->says = SN_NEW(&b->scratch, double, b->vertex_count);
    d->errors = SN_NEW(&b->scratch, double, soft);
    d->best_influences = SN_NEW(&b->scratch, int32_t, soft * width);
    d->best_weights = SN_NEW(&b->scratch, float, soft *width);
    d->best_motion = SN_NEW(&b->scratch, double, 12 * (size_t)d->sample_count * (size_t)d->count);
    for (int v = 0; d->says && v < b->vertex_count; ++v) {
        d->says[v] = 1;
    }
    return d->says && d->errors && d->best_influences && d->best_weights && d->best_motion ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_baker_add_joints(sn_baker *b)
{
    decomposition d = {.baker = b, .bone_count = b->joint_count, .count = b->desc.count};
    joint_lists lists;
    sn_result result = prepare(&d);
    if (result != SN_OK || d.soft_count == 0 || d.count == 0) {
        return result;
    }
    d.count = d.count < d.soft_count ? d.count : d.soft_count;
    result = prepare_rounds(&d);
    if (result == SN_OK) {
        result = seed_clusters(&d);
    }
    if (result == SN_OK) {
        cluster(&d);
        result = alternate(&d, &lists);
    }
    if (result == SN_OK) {
        result = find_parents(&d, &lists);
    }
    if (result == SN_OK) {
        finish_motions(&d, &lists);
        result = publish(&d, &lists);
    }
    return result;
}
