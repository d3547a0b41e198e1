/* SPDX-License-Identifier: MIT */
/* What a page with a camera sends: MediaPipe's landmarks of a person and ARKit's blend shapes of its face, one JSON
 * document a moment. docs/puppet-page.md has the schema. */
#ifndef SN_RUNTIME_PUPPET_MESSAGE_H
#define SN_RUNTIME_PUPPET_MESSAGE_H

#include "runtime/puppet/tracking.h"

#define SN_MESSAGE_VERSION 1
#define SN_MESSAGE_SIZE_LIMIT 65536
#define SN_POSE_COUNT 33
#define SN_HAND_COUNT 21

/* As MediaPipe has it: x is to the right in the picture, y down, z away from the camera; what is not there is zero. */
typedef struct sn_landmarks {
    double seconds; /* of the sender's clock */
    bool mirrored;  /* the character is the person's picture in a mirror */
    bool has_pose, has_face, has_image;
    bool has_hand[2];                  /* left, right */
    double pose[SN_POSE_COUNT][4];     /* metres from between the hips; visibility, 0 .. 1 */
    double image[SN_POSE_COUNT][2];    /* the same landmarks in the picture, from its middle, in heights of it */
    double hands[2][SN_HAND_COUNT][3]; /* metres from each hand's middle */
    double face[16];                   /* column-major 4 x 4: where the face's own axes are in the camera's, which
                                          are x right, y up, z to the viewer */
    uint64_t blendshapes;              /* bit i: sn_arkit_name(i) is there */
    double blendshape_weights[SN_ARKIT_COUNT]; /* 0 .. 1 */
} sn_landmarks;

typedef enum sn_message_verdict {
    SN_MESSAGE_TAKEN,
    SN_MESSAGE_TOO_LARGE,     /* beyond SN_MESSAGE_SIZE_LIMIT */
    SN_MESSAGE_NOT_JSON,      /* NaN and numbers beyond double's range among it */
    SN_MESSAGE_OTHER_VERSION, /* or no message of landmarks at all */
    SN_MESSAGE_WRONG_SHAPE,   /* a member of another type, or with another count */
    SN_MESSAGE_OUT_OF_RANGE,  /* a number that is no coordinate, visibility, weight or time */
    SN_MESSAGE_NO_MEMORY,
    SN_MESSAGE_VERDICT_COUNT
} sn_message_verdict;

/* "json"; static text. Reports have them: they stay as they are. */
const char *sn_message_verdict_name(sn_message_verdict verdict);

/* `text` needs no null behind it. What is not taken leaves *landmarks zeroed; *version is what the message says, 0
 * where it says none. */
sn_message_verdict sn_message_read(const char *text, size_t size, sn_landmarks *landmarks, int *version);

#endif
