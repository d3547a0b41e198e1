/* SPDX-License-Identifier: MIT */
/* Builds the blocks of a model's joints: by depth, then in the model's order, so that the joints of one spring are
 * adjacent. */
#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/springs/swing.h"

#define MAX_SUBSTEPS 240

static int joints_of(const sn_model *model)
{
    return sn_model_valid_count(model->spring_joint_count, SN_SPRING_JOINT_LIMIT);
}

static int solids_of(const sn_model *model)
{
    return sn_model_valid_count(model->spring_solid_count, SN_SPRING_SOLID_LIMIT);
}

static double length_of(const sn_spring_joint *j)
{
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double along = (double)j->tail[d] - (double)j->head[d];
        square += along * along;
    }
    return sqrt(square);
}

static void empty_lane(sn_spring_block *b, int lane)
{
    b->joints[lane] = b->parents[lane] = -1;
    b->along[1][lane] = b->parent_direction[1][lane] = b->now[1][lane] = b->before[1][lane] = b->rest_tail[1][lane] = 1;
    for (int i = 0; i < 9; i += 4) {
        b->parent_rotation[i][lane] = b->rotation[i][lane] = 1;
    }
}

/* Parameters of a joint for a substep of `sixtieths` / 60 s. */
static void fill_lane(sn_springs *s, sn_spring_block *b, int lane, int index, double sixtieths)
{
    const sn_spring_joint *j = &s->model->spring_joints[index];
    const double length = length_of(j), frame = s->model->scale / (SN_SPRING_VRM_RATE * length);
    double pull[3], square = 0;
    for (int d = 0; d < 3; ++d) {
        const double along = ((double)j->tail[d] - (double)j->head[d]) / length;
        pull[d] = frame * ((double)j->stiffness * along + (double)j->gravity[d]);
        square += pull[d] * pull[d];
    }
    const sn_spring_coefficients rates = sn_spring_compute_coefficients(sixtieths, (double)j->drag, sqrt(square));
    b->joints[lane] = index;
    b->inertia_factor[lane] = (float)rates.inertia_factor;
    b->follow_factor[lane] = (float)rates.follow_factor;
    b->follow_change_factor[lane] = (float)rates.follow_change_factor;
    b->force_factor[lane] = (float)rates.force_factor;
    b->pull[lane] = (float)(frame * rates.force_factor * (double)j->stiffness);
    for (int d = 0; d < 3; ++d) {
        b->weight[d][lane] = (float)(frame * rates.force_factor * (double)j->gravity[d]);
    }
    b->hit_radius[lane] = (float)((double)j->hit_radius / length);
    b->parents[lane] = j->parent >= 0 ? s->slots[j->parent] : -1;
    b->has_parents |= j->parent >= 0;
    s->slots[index] = (int32_t)(b - s->blocks) * SN_SPRING_LANES + lane;
    s->has_centers |= j->center >= 0;
}

/* Sorts the joints into blocks by depth. Returns the number of blocks; fills them if they are allocated. */
static int fill_blocks(sn_springs *s, const int *depths, double sixtieths)
{
    const int count = joints_of(s->model);
    int blocks = 0, lane = SN_SPRING_LANES;
    bool is_any = true;
    for (int depth = 0; is_any; ++depth) {
        is_any = false;
        lane = SN_SPRING_LANES;
        for (int i = 0; i < count; ++i) {
            if (depths[i] != depth) {
                continue;
            }
            is_any = true;
            blocks += lane == SN_SPRING_LANES;
            lane = lane == SN_SPRING_LANES ? 0 : lane;
            if (s->blocks) {
                fill_lane(s, &s->blocks[blocks - 1], lane, i, sixtieths);
            }
            ++lane;
        }
    }
    return blocks;
}

/* lanes: (spring_solid_count) for each solid, the lanes of a block that collide with it. */
static void find_affected_lanes(const sn_springs *s, const sn_spring_block *b, sn_spring_lanes *affected)
{
    memset(affected, 0, (size_t)solids_of(s->model) * sizeof *affected);
    for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
        const sn_spring_joint *j = &s->model->spring_joints[b->joints[lane]];
        for (int i = j->first_link; i < j->first_link + j->link_count; ++i) {
            affected[s->model->spring_links[i]][lane] = 1;
        }
    }
}

static bool is_any_affected(const sn_spring_lanes affected)
{
    float sum = 0;
    for (int lane = 0; lane < SN_SPRING_LANES; ++lane) {
        sum += affected[lane];
    }
    return sum > 0;
}

/* Lists the solids that collide with any lane of a block; fills the list if it is allocated. */
static void fill_contacts(sn_springs *s, sn_spring_lanes *affected)
{
    s->contact_count = 0;
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        b->first_contact = s->contact_count;
        find_affected_lanes(s, b, affected);
        for (int solid = 0; solid < solids_of(s->model); ++solid) {
            if (is_any_affected(affected[solid]) && s->contacts) {
                sn_spring_contact *contact = &s->contacts[s->contact_count];
                memcpy(contact->affected, affected[solid], sizeof contact->affected);
                contact->solid = solid;
            }
            s->contact_count += is_any_affected(affected[solid]);
        }
        b->contact_count = s->contact_count - b->first_contact;
    }
}

static void add_bone(bool *is_used, int32_t bone)
{
    if (bone >= 0) {
        is_used[bone] = true;
    }
}

/* Finds the bones whose poses are needed. */
static sn_result find_used(sn_springs *s, sn_arena *scratch)
{
    const sn_model *m = s->model;
    bool *is_used = SN_NEW(scratch, bool, m->counts.bone_count);
    s->used_bones = SN_NEW(&s->arena, int32_t, m->counts.bone_count);
    if (!is_used || !s->used_bones) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < joints_of(m); ++i) {
        add_bone(is_used, m->spring_joints[i].bone);
        add_bone(is_used, m->spring_joints[i].center);
    }
    for (int i = 0; i < solids_of(m); ++i) {
        add_bone(is_used, m->spring_solids[i].bone);
        s->has_simulated_solids |= m->spring_bones[m->spring_solids[i].bone] >= 0;
    }
    for (int32_t bone = 0; bone < m->counts.bone_count; ++bone) {
        if (is_used[bone]) {
            s->used_bones[s->used_count++] = bone;
        }
    }
    return SN_OK;
}

static sn_result build(sn_springs *s, sn_arena *scratch)
{
    const sn_model *m = s->model;
    const size_t count = (size_t)joints_of(m), bones = (size_t)m->counts.bone_count;
    const bool is_frame = fabs(s->substep * SN_SPRING_VRM_RATE - 1) < 1e-9;
    int *depths = SN_NEW(scratch, int, count);
    sn_spring_lanes *affected = SN_NEW(scratch, sn_spring_lanes, solids_of(m));
    s->slots = SN_NEW(&s->arena, int32_t, count);
    s->solids = SN_NEW(&s->arena, sn_posed_solid, solids_of(m));
    s->bone_directions[0] = SN_NEW(&s->arena, float, 3 * count);
    s->bone_directions[1] = SN_NEW(&s->arena, float, 3 * count);
    s->pose_last = SN_NEW(&s->arena, double, 12 * bones);
    s->pose_between = SN_NEW(&s->arena, double, 12 * bones);
    s->masses = SN_NEW(&s->arena, double, count);
    s->tail_targets = SN_NEW(&s->arena, double, 3 * count);
    s->requests = SN_NEW(&s->arena, double, 4 * count);
    s->is_constrained = SN_NEW(&s->arena, bool, count);
    s->path = SN_NEW(&s->arena, int32_t, count);
    if (!depths || !affected || !s->slots || !s->solids || !s->bone_directions[0] || !s->bone_directions[1] ||
        !s->pose_last || !s->pose_between || !s->masses || !s->tail_targets || !s->requests || !s->is_constrained ||
        !s->path) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const int32_t parent = m->spring_joints[i].parent;
        depths[i] = parent >= 0 ? depths[parent] + 1 : 0;
    }
    s->block_count = fill_blocks(s, depths, 0);
    s->blocks = SN_NEW(&s->arena, sn_spring_block, s->block_count);
    s->step_rotations = SN_NEW(&s->arena, sn_spring_rotations, s->block_count);
    if (!s->blocks || !s->step_rotations) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < s->block_count; ++i) {
        for (int lane = 0; lane < SN_SPRING_LANES; ++lane) {
            empty_lane(&s->blocks[i], lane);
        }
    }
    fill_blocks(s, depths, is_frame ? 1 : s->substep * SN_SPRING_VRM_RATE);
    fill_contacts(s, affected);
    s->contacts = SN_NEW(&s->arena, sn_spring_contact, s->contact_count);
    if (!s->contacts) {
        return SN_ERROR_MEMORY;
    }
    fill_contacts(s, affected);
    sn_springs_compute_masses(s);
    return find_used(s, scratch);
}

void sn_springs_limit_instructions(sn_springs *s, sn_spring_instructions max_value)
{
    s->kernels = &sn_spring_kernels_baseline;
#if defined(__x86_64__)
    if (max_value >= SN_SPRING_AVX2 && __builtin_cpu_supports("avx2")) {
        s->kernels = &sn_spring_kernels_avx2;
    }
#else
    (void)max_value;
#endif
}

void sn_springs_set_model(sn_springs *springs, const sn_model *model)
{
    if (springs) {
        springs->model = model;
    }
}

sn_result sn_springs_create(const sn_model *model, double time_step, sn_springs **springs)
{
    *springs = NULL;
    if (joints_of(model) == 0) {
        return SN_OK;
    }
    sn_arena scratch = {0};
    sn_springs *s = sn_alloc(1, sizeof *s);
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->model = model;
    s->substep_count = (int)fmin(fmax(ceil(time_step * SN_SPRING_VRM_RATE - 1e-9), 1), MAX_SUBSTEPS);
    s->substep = time_step / s->substep_count;
    s->is_on = true;
    s->max_displacement = SN_SPRING_MAX_SPEED * model->diagonal * s->substep;
    sn_springs_limit_instructions(s, SN_SPRING_AVX2);
    const sn_result result = build(s, &scratch);
    sn_arena_finish(&scratch);
    if (result != SN_OK) {
        sn_springs_destroy(&s);
        return result;
    }
    for (int bone = 0; bone < model->counts.bone_count; ++bone) {
        sn_affine_identity(s->pose_between + 12 * (size_t)bone);
    }
    sn_springs_reset(s, s->pose_between);
    *springs = s;
    return SN_OK;
}

void sn_springs_destroy(sn_springs **springs)
{
    if (*springs) {
        sn_arena_finish(&(*springs)->arena);
        sn_free(*springs, 1, sizeof **springs);
        *springs = NULL;
    }
}
