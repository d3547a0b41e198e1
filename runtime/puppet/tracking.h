/* SPDX-License-Identifier: MIT */
/* A tracking frame: the state of a person at one time, independent of the tracker; and the interface of all tracking
 * sources: VMC over UDP, a page with a camera, recordings. */
#ifndef SN_RUNTIME_PUPPET_TRACKING_H
#define SN_RUNTIME_PUPPET_TRACKING_H

#include <assert.h>

#include "author/io/motion/arkit_csv.h" /* the names of ARKit's blend shapes */
#include "author/retarget/humanoid.h"

#define SN_TRACKING_NAME_SIZE 48
#define SN_TRACKING_EXPRESSION_LIMIT 192

static_assert(SN_HUMANOID_COUNT <= 64, "a bit a bone");

typedef struct sn_tracked_expression {
    char name[SN_TRACKING_NAME_SIZE]; /* see sn_tracking_expression */
    double weight;                    /* 0 to 1 */
} sn_tracked_expression;

/* All zero: nothing is tracked. Axes are those of VRM 1.0: right-handed, y up, the person faces +z, its left is +x.
 * Rotations are normalised local rotations as in VRMC_vrm_animation: N = W L^-1 q W^-1 of a joint's local rotation q,
 * with L and W its local and world rotation in the T-pose. So the identity is the T-pose, palms down, and a raised left
 * arm is a rotation about +z, whatever the axes of a rig are. */
typedef struct sn_tracking {
    double seconds;                         /* source's clock; only differences matter */
    double arrived;                         /* sn_now() when the frame was complete; 0: not a live source */
    uint64_t tracked;                       /* bit b: sn_humanoid_bone b is tracked */
    double rotations[SN_HUMANOID_COUNT][4]; /* xyzw, unit, of tracked bones, relative to the nearest tracked ancestor
                                               (or one in T-pose); hips: to the world */
    double confidence[SN_HUMANOID_COUNT];   /* 0 to 1 of tracked bones; 1 if the source does not provide it */
    bool has_hips;                          /* `hips` is valid */
    double hips[3];                         /* position in metres, floor at y = 0 */
    double hips_height;                     /* height of the hips above the ankles at rest, metres; 0: unknown */
    bool is_face_lost;                      /* the face is not tracked; weights keep their last values */
    int expression_count;                   /* only grows: indices are stable for the life of the source */
    sn_tracked_expression expressions[SN_TRACKING_EXPRESSION_LIMIT];
} sn_tracking;

static inline bool sn_tracking_has(const sn_tracking *tracking_frame, int bone)
{
    return (tracking_frame->tracked >> bone & 1) != 0;
}

static inline void sn_tracking_clear_bone(sn_tracking *tracking_frame, int bone)
{
    tracking_frame->tracked &= ~(UINT64_C(1) << bone);
}

/* Sets a bone's rotation, which need not have unit length. False: zero length or not finite; nothing is changed. */
bool sn_tracking_set_rotation(sn_tracking *tracking_frame, int bone, const double rotation[4], double confidence);

/* Index of the expression of a name; a new name is added with weight 0. -1: the list is full, or the name is empty, too
 * long, not UTF-8 or contains a control character. Case is ignored. Names of VRM 1.0 ("happy", "blinkLeft", "aa") and
 * of ARKit's 52 blend shapes ("jawOpen") are stored in their standard spelling, those of VRM 0.x ("Joy", "Blink_L",
 * "A") as VRM 1.0's, all others unchanged. */
int sn_tracking_expression(sn_tracking *tracking_frame, const char *name, size_t length);
/* Sets a weight, clamped to [0, 1]. A weight that is not finite, or an index of -1, is ignored. */
void sn_tracking_set_weight(sn_tracking *tracking_frame, int expression, double weight);

/* Statistics of a source. */
#define SN_TRACKING_DROP_LIMIT 14
typedef struct sn_tracking_drop {
    const char *cause; /* static text; null ends the list */
    int64_t count;
} sn_tracking_drop;

typedef struct sn_tracking_report {
    int64_t packet_count, byte_count; /* received datagrams, WebSocket frames or file rows */
    int64_t message_count;            /* messages in them */
    int64_t tracking_frame_count;     /* complete tracking frames, including those replaced by newer ones before use */
    double read_seconds;              /* total time of receiving and parsing */
    sn_tracking_drop drops[SN_TRACKING_DROP_LIMIT];
} sn_tracking_report;

/* A tracking source; implementations begin with this struct. All functions are called on one thread. */
typedef struct sn_tracking_source sn_tracking_source;
struct sn_tracking_source {
    const char *name; /* such as "vmc" */
    /* Copies the newest complete frame to `tracking_frame`; false: there is none since the last call, and
     * `tracking_frame` is unchanged. Never blocks and does a bounded amount of work; excess input is left for the next
     * poll, or dropped and counted. Allocates nothing after the first complete frame. */
    bool (*poll)(sn_tracking_source *source, sn_tracking *tracking_frame);
    void (*report)(const sn_tracking_source *source, sn_tracking_report *report);
    void (*advance)(sn_tracking_source *source, double seconds); /* advances a recording; null for a live source */
    void (*destroy)(sn_tracking_source *source);
};

/* Accepts null. */
void sn_tracking_source_destroy(sn_tracking_source **source);

#endif
