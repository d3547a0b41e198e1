/* SPDX-License-Identifier: MIT */
/* A model moved by people who are tracked: sources in, poses and morph weights out, on top of a motion of its own. */
#ifndef SN_RUNTIME_PUPPET_PUPPET_H
#define SN_RUNTIME_PUPPET_PUPPET_H

#include "runtime/puppet/expressions.h"
#include "runtime/puppet/steady.h"

#define SN_PUPPET_SOURCE_LIMIT 4

typedef enum sn_puppet_stage {
    SN_PUPPET_READ,   /* polling: reading and parsing */
    SN_PUPPET_STEADY, /* filters */
    SN_PUPPET_POSE,   /* the model's pose and weights */
    SN_PUPPET_WAIT,   /* of a moment, from when it was whole to when it was taken */
    SN_PUPPET_STAGE_COUNT
} sn_puppet_stage;
const char *sn_puppet_stage_name(sn_puppet_stage stage);

typedef struct sn_puppet_report {
    int64_t frame_count, tracked_frame_count; /* frames in which some bone or weight was tracked */
    int64_t moment_count;                     /* that were taken: the newest of each frame and source */
    uint64_t tracked;                         /* bones that ever were */
    double seconds[SN_PUPPET_STAGE_COUNT], most[SN_PUPPET_STAGE_COUNT]; /* sums, and the longest */
} sn_puppet_report;

typedef struct sn_puppet sn_puppet;

/* name: for messages. The model must outlive the puppet. A model that is no humanoid has a puppet that moves its face
 * alone, with a warning, unless it has none: SN_ERROR_UNSUPPORTED. SN_ERROR_MEMORY. */
sn_result sn_puppet_create(const sn_model *model, const char *name, sn_puppet **puppet);
/* With its sources. Accepts null. */
void sn_puppet_destroy(sn_puppet **puppet);

/* The puppet's from now on. Of several, those that are added later prevail in what they track. */
void sn_puppet_add(sn_puppet *puppet, sn_tracking_source *source);
int sn_puppet_source_count(const sn_puppet *puppet);
const sn_tracking_source *sn_puppet_source(const sn_puppet *puppet, int index);

/* A frame that took `seconds`: pose (bone_count x 12) and morphs (morph_count) are the base's, and become what is
 * tracked, as far as it is. Allocates nothing, and never waits. */
void sn_puppet_advance(sn_puppet *puppet, double seconds, double *pose, float *morphs);

/* The model's rest pose, at ease (bone_count x 12): sn_person_stand. False: the model is no humanoid; nothing is done.
 */
bool sn_puppet_stand(sn_puppet *puppet, double *pose);

/* The person of the pose, or null where the model is none; weights of expressions as they were shown, by their index of
 * the source. For whoever records them. */
const sn_person *sn_puppet_person(const sn_puppet *puppet);
const sn_steady *sn_puppet_steady(const sn_puppet *puppet, int source);
const sn_puppet_report *sn_puppet_get_report(const sn_puppet *puppet);

#endif
