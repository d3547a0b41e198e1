/* SPDX-License-Identifier: MIT */
/* Virtual Motion Capture Protocol receiver ("Marionette"): messages in, tracking frames out. Independent of sockets.
 *
 * Handled messages: /VMC/Ext/OK, T, Root/Pos, Bone/Pos, Blend/Val and Blend/Apply; others, and extra arguments, are
 * ignored. Transforms use Unity's left-handed axes: the person faces +z, its left is -x, and bone rotations are those
 * of the normalised avatar. They are mirrored in x, which gives N (tracking.h) for any VRM version of the sender.
 *
 * The protocol does not delimit frames. A frame is complete when all bones of earlier frames have been received (and
 * its weights, if the sender sends any); when a bone, the root, T or Apply repeats; at the bone that starts frames;
 * when a frame period has passed; or after some silence. A pause within a frame or a lost datagram must not shift the
 * boundary, because all later frames would then be split too. Frames start with the bone that is preceded by a much
 * longer gap than any other; for a sender of evenly spaced datagrams, with the hips, as in Unity's bone list. */
#ifndef SN_RUNTIME_PUPPET_VMC_H
#define SN_RUNTIME_PUPPET_VMC_H

#include "runtime/puppet/name_table.h"
#include "runtime/puppet/osc.h"
#include "runtime/puppet/tracking.h"

typedef struct sn_vmc {
    sn_tracking tracking_frame; /* newest complete frame */
    bool has_frame;             /* `tracking_frame` has not been read yet */
    int64_t tracking_frame_count;
    sn_tracking next;                                    /* frame being assembled */
    double staged[SN_TRACKING_EXPRESSION_LIMIT];         /* weights waiting for Apply, by expression index of `next` */
    uint64_t received_bones, expected_bones, last_bones; /* bone masks: of the frame being assembled; of earlier frames,
                                                            except lost ones; of the last frame */
    double mean_gaps[SN_HUMANOID_COUNT];                 /* mean silence before each bone, seconds */
    double current_gap;                                  /* silence before the next bone */
    int first_bone;                                      /* bone that started the last frame */
    double frame_start, first_time;            /* arrival of the frame's first bone; last arrival of `first_bone` */
    double period;                             /* mean time between arrivals of `first_bone`; 0: unknown */
    bool has_root, has_applied, is_applying;   /* received in this frame; the last frame had weights */
    bool has_time, had_time;                   /* sender's time received in this frame; in the last frame */
    double time, last_time;                    /* sender's clock */
    double now, last_frame_now;                /* arrival of the last datagram; of the last frame */
    double root[7], hips[7];                   /* position and rotation in our axes */
    double bone_offsets[SN_HUMANOID_COUNT][3]; /* local bone positions, for the length of the legs */
    bool has_hips_position;
    double last_seen[SN_HUMANOID_COUNT]; /* last arrival of each bone */
    sn_name_table names;                 /* expressions of `next` by the sender's names */
    sn_osc_handler osc;
    int64_t unknown_count, mismatched_count, unknown_bone_count, bad_name_count,
        bad_number_count; /* ignored messages: other addresses; other arguments; unknown bones; invalid names, or
                         weights beyond the limit; invalid numbers */
} sn_vmc;

void sn_vmc_init(sn_vmc *vmc);
/* Processes a datagram that arrived at `now` (sn_now()). Allocates nothing. */
void sn_vmc_read(sn_vmc *vmc, const uint8_t *bytes, size_t size, double now);
/* Call when no more datagrams are waiting: finishes the frame if the silence has lasted long enough. */
void sn_vmc_flush(sn_vmc *vmc, double now);

/* Finds a bone by Unity's HumanBodyBones name, ignoring case ("LeftThumbProximal" is VRM 1.0's leftThumbMetacarpal);
 * -1: none. */
int sn_vmc_find_bone(const char *name);
/* Converts a transform (position xyz, rotation xyzw) from Unity's axes, or back. `to` may equal `from`. */
void sn_vmc_mirror(const double from[7], double to[7]);

#endif
