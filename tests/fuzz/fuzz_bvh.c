/* SPDX-License-Identifier: MIT */
/* Fuzz target: the reader of .bvh, and the poses of what it has read. */
#include "author/io/motion/bvh.h"
#include "tests/fuzz/fuzz.h"

static void check_joints(const sn_bvh_file *file)
{
    int channels = 0;
    for (int j = 0; j < file->joint_count; j++) {
        const sn_bvh_joint *joint = &file->joints[j];
        SN_ASSERT(joint->name && joint->name[0]);
        SN_ASSERT(joint->parent >= -1 && joint->parent < j);
        SN_ASSERT(joint->first_channel == channels);
        channels += joint->channel_count;
    }
    SN_ASSERT(channels == file->channel_count && channels > 0 && file->frame_count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_bvh_file file;
    if (source.bytes && sn_bvh_read(&source, &arena, &file) == SN_OK) {
        check_joints(&file);
        double *world = SN_NEW(&arena, double, 12 * (size_t)file.joint_count);
        if (world) {
            sn_bvh_pose(&file, file.frame_count - 1.5, world);
            sn_bvh_zero_pose(&file, world);
        }
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}
