/* SPDX-License-Identifier: MIT */
#include "tools/bench/springs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/base/jobs.h"
#include "host/platform/platform.h"
#include "host/springs/springs.h"
#include "tools/bench/peak.h"
#include "tools/bench/spring_reference.h"
#include "tools/command/median.h"

#define STRANDS 10
#define JOINTS 10 /* joints per strand */
#define SPRINGS (STRANDS * JOINTS)
#define BONES (1 + SPRINGS) /* the head first */
#define NODES (BONES + STRANDS)
#define SOLIDS 8 /* on the head, used by all strands */
#define AVATARS 1000
#define STEPS 200
#define CROWD_STEPS 20
/* Flops of a joint's step in the kernel: without colliders, for its position and pose, and per collider. */
#define JOINT_FLOPS (236 + 42 + 90)
#define SOLID_FLOPS 57

typedef struct avatar {
    sn_scene_file scene;
    sn_scene_node nodes[NODES];
    sn_spring_link links[SPRINGS];
    sn_spring_group group;
    sn_spring_collider colliders[SOLIDS];
    int32_t named[SOLIDS], bones[BONES];
    sn_model model;
    sn_spring_joint joints[SPRINGS];
    sn_spring_solid solids[SOLIDS];
    double (*poses)[12 * BONES]; /* (AVATARS) */
    sn_springs **springs;        /* (AVATARS) */
} avatar;

static int32_t node_of(int strand, int joint)
{
    return joint < JOINTS ? 1 + strand * JOINTS + joint : BONES + strand;
}

/* Strands of 0.5 m around a head of 0.1 m radius. */
static void add_strand(avatar *a, int strand)
{
    const double angle = 6.283185307179586 * strand / STRANDS,
                 strand_direction[3] = {0.02 * cos(angle), -0.045, 0.02 * sin(angle)};
    double location[3] = {0.1 * cos(angle), 0, 0.1 * sin(angle)};
    for (int i = 0; i <= JOINTS; ++i) {
        sn_scene_node *n = &a->nodes[node_of(strand, i)];
        *n = (sn_scene_node){.name = "", .parent = i > 0 ? node_of(strand, i - 1) : 0, .scale = {1, 1, 1}};
        n->rotation[3] = 1;
        memcpy(n->translation, i > 0 ? strand_direction : location, sizeof n->translation);
    }
    for (int i = 0; i < JOINTS; ++i) {
        const int index = strand * JOINTS + i;
        a->links[index] = (sn_spring_link){.node = node_of(strand, i),
                                           .tail = node_of(strand, i + 1),
                                           .stiffness = 1,
                                           .gravity = {0, -0.3, 0},
                                           .drag = 0.4,
                                           .hit_radius = 0.02};
        sn_spring_joint *j = &a->joints[index];
        *j = (sn_spring_joint){.bone = 1 + index, .parent = i > 0 ? index - 1 : -1, .center = -1, .stiffness = 1};
        j->link_count = SOLIDS;
        j->drag = 0.4F;
        j->hit_radius = 0.02F;
        j->gravity[1] = -0.3F;
        for (int d = 0; d < 3; ++d) {
            j->head[d] = (float)location[d];
            location[d] += strand_direction[d];
            j->tail[d] = (float)location[d];
        }
        a->bones[1 + index] = index;
    }
}

static void build(avatar *a)
{
    a->scene = (sn_scene_file){.node_count = NODES,
                               .spring_link_count = SPRINGS,
                               .spring_count = 1,
                               .collider_count = SOLIDS,
                               .spring_collider_count = SOLIDS,
                               .nodes = a->nodes,
                               .spring_links = a->links,
                               .springs = &a->group,
                               .colliders = a->colliders,
                               .spring_colliders = a->named};
    a->nodes[0] = (sn_scene_node){.name = "", .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    a->group = (sn_spring_group){.collider_count = SOLIDS, .center = -1};
    a->model = (sn_model){.counts = {.bone_count = BONES}, .scale = 1, .diagonal = 1.7};
    a->model.spring_joint_count = SPRINGS;
    a->model.spring_solid_count = a->model.spring_link_count = SOLIDS;
    a->model.spring_joints = a->joints;
    a->model.spring_solids = a->solids;
    a->model.spring_links = a->named;
    a->model.spring_bones = a->bones;
    a->bones[0] = -1;
    for (int i = 0; i < STRANDS; ++i) {
        add_strand(a, i);
    }
    for (int i = 0; i < SOLIDS; ++i) { /* spheres along the neck, and a capsule for the shoulders */
        const double end = i == SOLIDS - 1 ? 0.08 : 0, height = -0.05 * i;
        a->named[i] = i;
        a->colliders[i] = (sn_spring_collider){.shape = end > 0 ? SN_COLLIDER_CAPSULE : SN_COLLIDER_SPHERE,
                                               .offset = {-end, height, 0},
                                               .tail = {end, height, 0},
                                               .radius = 0.09};
        a->solids[i] = (sn_spring_solid){.shape = (int32_t)a->colliders[i].shape,
                                         .radius = 0.09F,
                                         .location = {(float)-end, (float)height, 0},
                                         .end = {(float)end, (float)height, 0}};
    }
}

/* The motion: a head that rotates and nods on a walking body. */
static void find_motion(int frame, double *rotation, double *shift)
{
    const double t = frame / SN_SPRING_VRM_RATE, half = 0.3 * sin(7 * t);
    memcpy(rotation, (const double[4]){0.6 * sin(half), 0.8 * sin(half), 0, cos(half)}, 4 * sizeof *rotation);
    memcpy(shift, (const double[3]){0.1 * sin(2 * t), 0.03 * sin(11 * t), 1.2 * t}, 3 * sizeof *shift);
}

static void find_pose(int frame, double *pose)
{
    double q[4], shift[3];
    find_motion(frame, q, shift);
    const double x = q[0], y = q[1], w = q[3];
    const double rotation_matrix[9] = {1 - 2 * y * y, 2 * x * y,     2 * y * w,
                                       2 * x * y,     1 - 2 * x * x, -2 * x * w,
                                       -2 * y * w,    2 * x * w,     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 12 * BONES; ++i) {
        pose[i] = i % 4 < 3 ? rotation_matrix[3 * (i % 12 / 4) + i % 4] : shift[i % 12 / 4];
    }
}

/* Medians of one avatar, measured alternately: host/springs with colliders, without, and the reference. */
static sn_result run_one(avatar *a, double *with, double *without, double *published, double *apart)
{
    static double posed[12 * BONES], pose[12 * BONES];
    double ms[3][STEPS];
    sn_arena arena = {0};
    sn_vrm_springs *reference = NULL;
    sn_springs *free_springs = NULL;
    sn_result result = sn_springs_create(&a->model, 1 / SN_SPRING_VRM_RATE, &free_springs);
    result = result ? result : sn_vrm_springs_create(&a->scene, &arena, &reference);
    *apart = 0;
    for (int frame = -STEPS; frame < STEPS && result == SN_OK; ++frame) {
        sn_vrm_node *root = sn_vrm_springs_nodes(reference);
        const int row = frame < 0 ? 0 : frame, at = frame < 0 ? 0 : frame; /* both settle first */
        find_pose(at, pose);
        find_motion(at, root->rotation, root->translation);
        const double start = sn_now();
        sn_springs_step(free_springs, pose, &(sn_spring_step_input){.is_without_own_colliders = true}, posed);
        const double second = sn_now();
        sn_vrm_springs_update(reference, 1 / SN_SPRING_VRM_RATE);
        const double third = sn_now();
        sn_springs_step(a->springs[0], pose, NULL, posed);
        ms[0][row] = 1e3 * (sn_now() - third);
        ms[1][row] = 1e3 * (second - start);
        ms[2][row] = 1e3 * (third - second);
        for (int i = 0; i < SPRINGS && frame >= 0; ++i) {
            double tail[3], square = 0;
            sn_vrm_springs_tail(reference, i, tail);
            for (int d = 0; d < 3; ++d) {
                const double *m = posed + 12 * (1 + i) + 4 * d;
                const float *x = a->joints[i].tail;
                const double ours = m[0] * (double)x[0] + m[1] * (double)x[1] + m[2] * (double)x[2] + m[3];
                square += (ours - tail[d]) * (ours - tail[d]);
            }
            *apart = fmax(*apart, sqrt(square));
        }
    }
    *with = sn_median(ms[0], STEPS);
    *without = sn_median(ms[1], STEPS);
    *published = sn_median(ms[2], STEPS);
    sn_springs_destroy(&free_springs);
    sn_arena_finish(&arena);
    return result;
}

typedef struct crowd {
    avatar *avatar;
    int frame;
} crowd;

static void step_crowd(int first, int last, int worker, void *user)
{
    const crowd *c = user;
    (void)worker;
    for (int i = first; i < last; ++i) {
        find_pose(c->frame + 7 * i, c->avatar->poses[i]);
        sn_springs_step(c->avatar->springs[i], c->avatar->poses[i], NULL, c->avatar->poses[i]);
    }
}

static void pose_crowd(int first, int last, int worker, void *user)
{
    const crowd *c = user;
    (void)worker;
    for (int i = first; i < last; ++i) {
        find_pose(c->frame + 7 * i, c->avatar->poses[i]);
    }
}

/* The median of a step of all avatars minus the time for their poses. */
static sn_result run_crowd(avatar *a, int threads, double *median, uint64_t *hash)
{
    double ms[CROWD_STEPS];
    sn_jobs *jobs = NULL;
    sn_result result = threads > 1 ? sn_jobs_create(threads, &jobs) : SN_OK;
    crowd c = {.avatar = a};
    for (int i = 0; i < AVATARS && result == SN_OK; ++i) {
        find_pose(7 * i, a->poses[i]);
        sn_springs_reset(a->springs[i], a->poses[i]);
    }
    for (c.frame = 1; c.frame <= CROWD_STEPS && result == SN_OK; ++c.frame) {
        const double start = sn_now();
        sn_parallel_for(jobs, AVATARS, 8, pose_crowd, &c);
        const double posed = sn_now();
        sn_parallel_for(jobs, AVATARS, 8, step_crowd, &c);
        ms[c.frame - 1] = 1e3 * (sn_now() - posed - (posed - start));
    }
    *median = sn_median(ms, CROWD_STEPS);
    *hash = sn_hash(SN_HASH_SEED, a->poses, AVATARS * sizeof a->poses[0]);
    sn_jobs_destroy(&jobs);
    return result;
}

static sn_bench_case *add(sn_bench_table *table, const char *what, double ms, int avatars, int solids, int threads)
{
    const double flops = (double)avatars * SPRINGS * (JOINT_FLOPS + solids * SOLID_FLOPS);
    char label[64];
    snprintf(label, sizeof label, "%d joints, %d colliders", SPRINGS, solids);
    sn_bench_case *row = sn_bench_add(table, label, what);
    row->median_ms = ms;
    row->throughput = avatars * SPRINGS / (1e-3 * ms);
    row->throughput_unit = "joints/s";
    row->frame_fraction = 1e-3 * ms * SN_SPRING_VRM_RATE;
    row->limit_ms = 1e3 * flops / (sn_bench_peak_flops() * threads);
    return row;
}

static sn_result fill_crowds(avatar *a, int threads, sn_bench_table *table)
{
    const int counts[2] = {1, threads};
    uint64_t hash = 0;
    sn_result result = SN_OK;
    for (int i = 0; i < (threads > 1 ? 2 : 1) && result == SN_OK; ++i) {
        char what[64];
        double ms = 0;
        uint64_t own = 0;
        result = run_crowd(a, counts[i], &ms, &own);
        snprintf(what, sizeof what, "springs of %d avatars, %d thread%s", AVATARS, counts[i], counts[i] > 1 ? "s" : "");
        add(table, what, ms, AVATARS, SOLIDS, counts[i])->hash = own;
        if (i > 0 && own != hash) {
            result = sn_fail(SN_ERROR_NUMERIC, "bench springs: %d threads give other bits than one", counts[i]);
        }
        hash = own;
    }
    return result;
}

sn_result sn_bench_springs(int threads, sn_bench_table *table)
{
    static avatar a;
    sn_arena arena = {0};
    double with = 0, without = 0, published = 0, apart = 0;
    build(&a);
    a.poses = sn_arena_alloc(&arena, AVATARS, sizeof a.poses[0]);
    a.springs = SN_NEW(&arena, sn_springs *, AVATARS);
    sn_result result = a.poses && a.springs ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < AVATARS && result == SN_OK; ++i) {
        result = sn_springs_create(&a.model, 1 / SN_SPRING_VRM_RATE, &a.springs[i]);
    }
    result = result ? result : run_one(&a, &with, &without, &published, &apart);
    if (result == SN_OK && !(apart < 1e-3)) {
        result = sn_fail(SN_ERROR_NUMERIC, "bench springs: ours and VRM's algorithm are %g m apart", apart);
    }
    if (result == SN_OK) {
        add(table, "springs of an avatar", with, 1, SOLIDS, 1);
        add(table, "springs of an avatar", without, 1, 0, 1);
        sn_bench_case *row =
            add(table, "the algorithm as published, joint by joint, in double", published, 1, SOLIDS, 1);
        row->limit_ms = 0;
        result = fill_crowds(&a, threads, table);
    }
    for (int i = 0; a.springs && i < AVATARS; ++i) {
        sn_springs_destroy(&a.springs[i]);
    }
    sn_arena_finish(&arena);
    return result;
}
