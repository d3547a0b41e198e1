/* SPDX-License-Identifier: MIT */
/* Landmark messages of a browser page with a camera: MediaPipe's landmarks of a person and ARKit's blend shapes of the
 * face, one JSON document per frame. Schema: docs/reference/landmark-messages.md. */
#ifndef SN_RUNTIME_PUPPET_MESSAGE_H
#define SN_RUNTIME_PUPPET_MESSAGE_H

#include "runtime/puppet/tracking.h"

#define SN_MESSAGE_VERSION 1
#define SN_MESSAGE_SIZE_LIMIT 65536
#define SN_POSE_COUNT 33
#define SN_HAND_COUNT 21

/* In MediaPipe's axes: x right in the picture, y down, z away from the camera. Absent parts are zero. */
typedef struct sn_landmarks {
    double seconds; /* sender's clock */
    bool mirrored;  /* the character mirrors the person */
    bool has_pose, has_face, has_image;
    bool has_hand[2];                  /* left, right */
    double pose[SN_POSE_COUNT][4];     /* metres from the center of the hips; visibility, 0 to 1 */
    double image[SN_POSE_COUNT][2];    /* the same landmarks in the picture, from its center, in picture heights */
    double hands[2][SN_HAND_COUNT][3]; /* metres from the center of each hand */
    double face[16];                   /* column-major 4 x 4: face to camera axes (x right, y up, z to the viewer) */
    uint64_t blendshapes;              /* bit i: sn_arkit_name(i) is present */
    double blendshape_weights[SN_ARKIT_COUNT]; /* 0 to 1 */
} sn_landmarks;

typedef enum sn_message_result {
    SN_MESSAGE_ACCEPTED,
    SN_MESSAGE_TOO_LARGE,     /* larger than SN_MESSAGE_SIZE_LIMIT */
    SN_MESSAGE_NOT_JSON,      /* includes NaN and numbers out of double's range */
    SN_MESSAGE_WRONG_VERSION, /* also: not a landmark message */
    SN_MESSAGE_WRONG_SHAPE,   /* a member of the wrong type or count */
    SN_MESSAGE_OUT_OF_RANGE,  /* a coordinate, visibility, weight or time out of its range */
    SN_MESSAGE_NO_MEMORY,
    SN_MESSAGE_RESULT_COUNT
} sn_message_result;

/* Name such as "json"; static text. Part of the report format. */
const char *sn_message_result_name(sn_message_result parse_result);

/* Parses `text`, which needs no terminating null. If the message is rejected, *landmarks is zeroed. *version: the
 * message's version, 0 if it has none. */
sn_message_result sn_message_read(const char *text, size_t size, sn_landmarks *landmarks, int *version);

#endif
