/* SPDX-License-Identifier: MIT */
/* A second of one body of each kind of flesh, swung, blown at and dropped on a floor: a hash of what is drawn, a line
 * each. test_aarch64.sh, test_wasm.sh and test_windows.sh compare what two systems print. */
#include <stdio.h>

#include "host/base/hash.h"
#include "sinew/sinew.h"

#define BONE_LIMIT 8

static sn_world_id make_world(const sn_body_desc *desc, sn_body_id *body)
{
    sn_world_id world = {0};
    sn_collider_id floor_plane;
    const sn_world_desc world_desc = sn_default_world_desc();
    sn_collider_desc collider = sn_default_collider_desc();
    collider.transform = (sn_mat3x4){{{1, 0, 0, 0}, {0, 1, 0, -0.2F}, {0, 0, 1, 0}}};
    const bool is_made = sn_world_create(&world_desc, &world) == SN_OK &&
                         sn_collider_create(world, &collider, &floor_plane) == SN_OK &&
                         sn_body_create(world, desc, body) == SN_OK;
    return is_made ? world : (sn_world_id){0};
}

/* 0 where it failed. */
static uint64_t run(const sn_body_desc *desc)
{
    const int bones = sn_model_bone_count(desc->model);
    sn_mat3x4 pose[BONE_LIMIT];
    sn_body_id body;
    const sn_world_id world = make_world(desc, &body);
    uint64_t hash = SN_HASH_SEED;
    if (!sn_body_is_valid(body)) {
        return 0;
    }
    if (desc->solver == SN_SOLVER_COUPLED) {
        sn_body_set_locks(body, bones - 1, 0);
    }
    for (int frame = 0; frame < 60; ++frame) {
        const float t = (float)(frame % 20) / 20, swing = t * (1 - t);
        for (int b = 0; b < bones; ++b) {
            const float turn = swing * (float)b, c = (1 - turn * turn) / (1 + turn * turn),
                        s = 2 * turn / (1 + turn * turn);
            pose[b] = (sn_mat3x4){{{c, -s, 0, 0}, {s, c, 0, swing}, {0, 0, 1, 0}}};
        }
        sn_body_set_pose(body, pose, bones);
        sn_world_step(world, 1.0 / 60);
        const sn_body_matrices out = sn_body_output(body);
        hash = sn_hash(hash, out.matrices, (size_t)(out.bone_count + out.mode_count) * sizeof(sn_mat3x4));
    }
    sn_world_destroy(world);
    return hash;
}

int main(int argc, char **argv)
{
    sn_model *model;
    sn_body_desc desc = sn_default_body_desc();
    if (argc != 2 || sn_model_open(argv[1], &model) || sn_model_bone_count(model) > BONE_LIMIT) {
        return 1;
    }
    desc.model = model;
    desc.gravity[1] = -2;
    desc.wind[2] = 3;
    bool is_done = true;
    for (int kind = 0; kind < 3; ++kind) {
        static const char *const names[] = {"reduced", "neo-hookean", "coupled"};
        desc.is_neo_hookean = kind == 1;
        desc.solver = kind == 2 ? SN_SOLVER_COUPLED : SN_SOLVER_REDUCED;
        const uint64_t hash = run(&desc);
        printf("%s %016llx\n", names[kind], (unsigned long long)hash);
        is_done = is_done && hash;
    }
    sn_model_release(model);
    return !is_done;
}
