/* SPDX-License-Identifier: MIT */
/* What a tracker says of a person at one moment, whatever it tracks with, and the one face that all sources of such
 * moments have: VMC over UDP, a page with a camera, recordings. What is done with moments (smoothing, a model's pose)
 * knows no source. */
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
    double weight;                    /* 0 .. 1 */
} sn_tracked_expression;

/* Zeroes are a moment at which nothing is tracked. Axes are those of VRM 1.0: right-handed, y up, the person looks
 * along +z, its left is at +x. Rotations are normalised local ones, as VRMC_vrm_animation has them: N = W L^-1 q W^-1
 * of a joint's local rotation q, with L and W its local and world rotation in the T-pose. So the identity is the
 * T-pose, palms down, and a raised left arm is a turn about +z, whatever the axes of a rig are. */
typedef struct sn_tracking {
    double seconds;                         /* of the source's own clock: only differences count */
    double arrived;                         /* sn_now() when it was whole; 0: not from a live source */
    uint64_t tracked;                       /* bit b: sn_humanoid_bone b is tracked */
    double rotations[SN_HUMANOID_COUNT][4]; /* xyzw, unit, of tracked bones, relative to the nearest bone above that
                                               is tracked (or in T-pose); of the hips, to the world */
    double confidence[SN_HUMANOID_COUNT];   /* 0 .. 1 of tracked bones; 1 where the source does not say */
    bool has_hips;                          /* there is a place of the hips */
    double hips[3];                         /* metres, the floor at y = 0 */
    double hips_height;                     /* of the person at rest, hips above ankles, metres; 0: unknown */
    bool is_face_lost;                      /* nothing is known of the weights now: they are those of before */
    int expression_count;                   /* grows only: each one keeps its index while its source lives */
    sn_tracked_expression expressions[SN_TRACKING_EXPRESSION_LIMIT];
} sn_tracking;

static inline bool sn_tracking_has(const sn_tracking *moment, int bone)
{
    return (moment->tracked >> bone & 1) != 0;
}

static inline void sn_tracking_lose(sn_tracking *moment, int bone)
{
    moment->tracked &= ~(UINT64_C(1) << bone);
}

/* The rotation need not be of unit length; one without length, or that is not finite, is left out: false. */
bool sn_tracking_rotate(sn_tracking *moment, int bone, const double rotation[4], double confidence);

/* The index of the expression of that name, which is added with weight 0 if it is new; -1: the list is full, or it is
 * no name: empty, long, not UTF-8, or with a control character. Names are taken in any case: those of VRM 1.0 ("happy",
 * "blinkLeft", "aa"), of VRM 0.x, which are kept as VRM 1.0 calls them ("Joy", "Blink_L", "A"), of ARKit's 52 blend
 * shapes ("jawOpen"), and all others as they are. */
int sn_tracking_expression(sn_tracking *moment, const char *name, size_t length);
/* weight: brought into 0 .. 1; what is not finite, or an index of -1, changes nothing. */
void sn_tracking_weigh(sn_tracking *moment, int expression, double weight);

/* What a source has had so far. */
#define SN_TRACKING_DROP_LIMIT 12
typedef struct sn_tracking_drop {
    const char *cause; /* static text; null ends the list */
    int64_t count;
} sn_tracking_drop;

typedef struct sn_tracking_report {
    int64_t packet_count, byte_count; /* that came: datagrams, frames of a socket, rows of a file */
    int64_t message_count;            /* in them */
    int64_t moment_count;             /* whole ones; those that a newer one has overtaken are among them */
    double read_seconds;              /* reading and parsing, in total */
    sn_tracking_drop drops[SN_TRACKING_DROP_LIMIT];
} sn_tracking_report;

/* A source. Its own struct begins with this one. Single-threaded: whoever polls it calls the others. */
typedef struct sn_tracking_source sn_tracking_source;
struct sn_tracking_source {
    const char *name; /* "vmc" */
    /* Never waits, and does a bounded amount of work: what is too much is left for the next poll, or dropped and
     * counted. After the first whole moment it allocates nothing. The newest whole moment is copied to `moment`; false:
     * there is none that the last poll has not had, and `moment` is as it was. */
    bool (*poll)(sn_tracking_source *source, sn_tracking *moment);
    void (*report)(const sn_tracking_source *source, sn_tracking_report *report);
    void (*advance)(sn_tracking_source *source, double seconds); /* a recording plays on by so much; null: it is live */
    void (*destroy)(sn_tracking_source *source);
};

/* Accepts null, and nulls it. */
void sn_tracking_source_destroy(sn_tracking_source **source);

#endif
