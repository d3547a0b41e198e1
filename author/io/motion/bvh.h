/* SPDX-License-Identifier: MIT */
/* Reads .bvh motion capture files (Biovision hierarchy): a skeleton, and rows of channel values. */
#ifndef SN_AUTHOR_IO_MOTION_BVH_H
#define SN_AUTHOR_IO_MOTION_BVH_H

#include "author/io/source.h"

#define SN_BVH_JOINT_LIMIT 4096
#define SN_BVH_CHANNEL_LIMIT 6 /* channels of a joint */

typedef enum sn_bvh_channel {
    SN_BVH_X_POSITION,
    SN_BVH_Y_POSITION,
    SN_BVH_Z_POSITION,
    SN_BVH_X_ROTATION, /* rotations are in degrees */
    SN_BVH_Y_ROTATION,
    SN_BVH_Z_ROTATION,
    SN_BVH_CHANNEL_TYPE_COUNT
} sn_bvh_channel;

typedef struct sn_bvh_joint {
    const char *name;
    int32_t parent;   /* precedes the joint; -1: root */
    double offset[3]; /* from the parent, in the file's units */
    bool has_end;     /* has an End Site */
    double end[3];    /* position of the End Site relative to the joint */
    int first_channel, channel_count;
    sn_bvh_channel channels[SN_BVH_CHANNEL_LIMIT]; /* in file order, without duplicates */
} sn_bvh_joint;

typedef struct sn_bvh_file {
    int joint_count, channel_count, frame_count;
    sn_bvh_joint *joints;
    double frame_seconds; /* > 0 */
    double *values;       /* (frame_count x channel_count) */
} sn_bvh_file;

/* Reads a file. Memory is at most five times the file's size plus 2 MB. Errors, with the line: a misplaced word, a
 * joint without OFFSET or CHANNELS, unbalanced braces, a number that is not finite, a row with more or fewer values
 * than channels, fewer rows than "Frames:" states, a frame time that is not positive. Anything after the last frame is
 * ignored with a warning. */
sn_result sn_bvh_read(const sn_source *source, sn_arena *arena, sn_bvh_file *file);

/* World transforms of the joints (joint_count x 12, row-major), interpolated between frames; `frame` is clamped to the
 * motion. Position channels replace the offset. Rotation channels are applied first to last, each about the axes
 * rotated by the previous ones. */
void sn_bvh_pose(const sn_bvh_file *file, double frame, double *world);
/* The pose with zero rotations, at the offsets. */
void sn_bvh_zero_pose(const sn_bvh_file *file, double *world);

#endif
