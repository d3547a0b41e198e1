/* SPDX-License-Identifier: MIT */
/* Reader of .bvh motion capture (Biovision hierarchy): a skeleton, and rows of its channels. */
#ifndef SN_AUTHOR_IO_MOTION_BVH_H
#define SN_AUTHOR_IO_MOTION_BVH_H

#include "author/io/source.h"

#define SN_BVH_JOINT_LIMIT 4096
#define SN_BVH_CHANNEL_LIMIT 6 /* of a joint */

typedef enum sn_bvh_channel {
    SN_BVH_X_POSITION,
    SN_BVH_Y_POSITION,
    SN_BVH_Z_POSITION,
    SN_BVH_X_ROTATION, /* degrees */
    SN_BVH_Y_ROTATION,
    SN_BVH_Z_ROTATION,
    SN_BVH_CHANNEL_KINDS
} sn_bvh_channel;

typedef struct sn_bvh_joint {
    const char *name;
    int32_t parent;   /* before it; -1: a root */
    double offset[3]; /* from its parent, in the file's units */
    bool has_end;     /* an End Site */
    double end[3];    /* where, from the joint */
    int first_channel, channel_count;
    sn_bvh_channel channels[SN_BVH_CHANNEL_LIMIT]; /* in the order of the file, each kind once */
} sn_bvh_joint;

typedef struct sn_bvh_file {
    int joint_count, channel_count, frame_count;
    sn_bvh_joint *joints;
    double frame_seconds; /* > 0 */
    double *values;       /* (frame_count x channel_count) */
} sn_bvh_file;

/* Memory is at most five times the file's size, and two megabytes. Errors, with the line: a word that is not where
 * the format has it, a joint without OFFSET or CHANNELS, braces that do not close, a number that is not finite, a row
 * that is shorter or longer than the channels, more or fewer rows than "Frames:" says, a frame time that is not
 * positive. */
sn_result sn_bvh_read(const sn_source *source, sn_arena *arena, sn_bvh_file *file);

/* World transforms of the joints (joint_count x 12, row-major) between frames: `frame` is clamped to the file's. A
 * joint's position channels take the place of its offset; a rotation is that of its channels, first to last, each about
 * the axes that those before left. */
void sn_bvh_pose(const sn_bvh_file *file, double frame, double *world);
/* The pose whose rotations are all zero, at the offsets. */
void sn_bvh_zero_pose(const sn_bvh_file *file, double *world);

#endif
