/* SPDX-License-Identifier: MIT */
/* A model driven by tracked people: tracking sources in, pose and morph weights out, on top of a base motion. */
#ifndef SN_RUNTIME_PUPPET_PUPPET_H
#define SN_RUNTIME_PUPPET_PUPPET_H

#include "runtime/puppet/expressions.h"
#include "runtime/puppet/tracking_filter.h"

#define SN_PUPPET_SOURCE_LIMIT 4

typedef enum sn_puppet_stage {
    SN_PUPPET_READ,   /* polling: receiving and parsing */
    SN_PUPPET_FILTER, /* filters */
    SN_PUPPET_POSE,   /* pose and morph weights of the model */
    SN_PUPPET_WAIT,   /* latency from a complete tracking frame to its use */
    SN_PUPPET_STAGE_COUNT
} sn_puppet_stage;
const char *sn_puppet_stage_name(sn_puppet_stage stage);

typedef struct sn_puppet_report {
    int64_t frame_count, tracked_frame_count; /* all frames; frames in which a bone or weight was tracked */
    int64_t tracking_frame_count;             /* tracking frames used: the newest per frame and source */
    uint64_t tracked;                         /* mask of bones that were ever tracked */
    double seconds[SN_PUPPET_STAGE_COUNT], max_seconds[SN_PUPPET_STAGE_COUNT]; /* total and maximum time per stage */
} sn_puppet_report;

typedef struct sn_puppet sn_puppet;

/* `name` is for messages. The model must outlive the puppet. If the model is not a humanoid, only its face is driven,
 * with a warning. Errors: SN_ERROR_UNSUPPORTED (neither humanoid nor face), SN_ERROR_MEMORY. */
sn_result sn_puppet_create(const sn_model *model, const char *name, sn_puppet **puppet);
/* Also destroys its sources. Accepts null. */
void sn_puppet_destroy(sn_puppet **puppet);

/* Transfers ownership of the source. Sources added later override earlier ones in what they track. */
void sn_puppet_add(sn_puppet *puppet, sn_tracking_source *source);
int sn_puppet_source_count(const sn_puppet *puppet);
const sn_tracking_source *sn_puppet_source(const sn_puppet *puppet, int index);

/* Advances a frame of `seconds`. pose (bone_count x 12) and morphs (morph_count) hold the base motion on input; tracked
 * parts are replaced. Allocates nothing and never blocks. */
void sn_puppet_advance(sn_puppet *puppet, double seconds, double *pose, float *morphs);

/* Writes the relaxed standing pose (bone_count x 12); see sn_person_apply_relaxed. False: the model is not a humanoid,
 * and `pose` is unchanged. */
bool sn_puppet_standing_pose(sn_puppet *puppet, double *pose);

/* For recording: the posed person (null if the model is not a humanoid), and the filtered expression weights of a
 * source. */
const sn_person *sn_puppet_person(const sn_puppet *puppet);
const sn_tracking_filter *sn_puppet_filter(const sn_puppet *puppet, int source);
const sn_puppet_report *sn_puppet_get_report(const sn_puppet *puppet);

#endif
