/* SPDX-License-Identifier: MIT */
/* Virtual Motion Capture Protocol, the receiving end ("Marionette"): messages in, moments out. Knows no socket.
 *
 * Read are /VMC/Ext/OK, T, Root/Pos, Bone/Pos, Blend/Val and Blend/Apply; all others are ignored, and so are arguments
 * behind those that are known. Transforms are Unity's, left-handed, with the person looking along +z, its left at -x,
 * and a bone's rotation is the normalised avatar's: x is mirrored, which leaves N (tracking.h), whichever version the
 * sender's VRM is of. A moment is whole when all bones of those before have come (and its weights, where there were
 * any), when a bone, the root, T or Apply comes again, at the bone that frames begin with, or when so much time has
 * gone by as frames take, or nothing has come for a while: neither a pause within a frame nor a datagram that is lost
 * must make a moment of two halves, of which the next ones would be, too. Frames begin with the bone before which it is
 * quiet far longer than before any other; of a sender whose datagrams come evenly, with the hips, as Unity's list does.
 */
#ifndef SN_RUNTIME_PUPPET_VMC_H
#define SN_RUNTIME_PUPPET_VMC_H

#include "runtime/puppet/heard.h"
#include "runtime/puppet/osc.h"
#include "runtime/puppet/tracking.h"

typedef struct sn_vmc {
    sn_tracking moment; /* the newest whole one */
    bool has_moment;    /* that nobody has taken */
    int64_t moment_count;
    sn_tracking next;                            /* being put together */
    double staged[SN_TRACKING_EXPRESSION_LIMIT]; /* weights that wait for Apply, of next's expressions */
    uint64_t came, usual,
        ended; /* bones of the moment that is put together; of those before, unless lost; of the last */
    double gaps[SN_HUMANOID_COUNT];          /* seconds without anything before a bone, on average */
    double gap;                              /* before the next bone */
    int first;                               /* the bone that frames began with last */
    double began, begun;                     /* when the moment's first bone came; when `first` last did */
    double period;                           /* from one `first` to the next, on average; 0: unknown */
    bool has_root, has_applied, is_applying; /* in it; the last had weights */
    bool has_time, had_time;                 /* the sender's own, in it and in the last */
    double time, last_time;                  /* the sender's */
    double now, last_now;                    /* of the last datagram; of the last moment */
    double root[7], hips[7];                 /* place and rotation in our axes */
    double offsets[SN_HUMANOID_COUNT][3];    /* local places of bones, for the length of legs */
    bool has_hips_place;
    double seen[SN_HUMANOID_COUNT]; /* when a bone last came */
    sn_heard heard;                 /* expressions of next, as they are called by the sender */
    sn_osc_handler osc;
    int64_t unknown_count, mismatched_count, bone_count, name_count, number_count; /* messages: of other addresses;
            with other arguments; of bones that no human has; of weights beyond the list, or whose names are none; with
            numbers that are none */
} sn_vmc;

void sn_vmc_init(sn_vmc *vmc);
/* One datagram, at a time of sn_now(). Allocates nothing. */
void sn_vmc_read(sn_vmc *vmc, const uint8_t *bytes, size_t size, double now);
/* No more datagrams are there at this time: what has come is a moment, if it has been waiting for more long enough. */
void sn_vmc_rest(sn_vmc *vmc, double now);

/* By Unity's HumanBodyBones, in any case ("LeftThumbProximal" is VRM 1.0's leftThumbMetacarpal); -1: none. */
int sn_vmc_find_bone(const char *name);
/* From Unity's axes, and back: place xyz, then rotation xyzw; to may be from. */
void sn_vmc_mirror(const double from[7], double to[7]);

#endif
