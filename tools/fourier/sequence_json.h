/* SPDX-License-Identifier: MIT */
/* Reads sequences of shapes for `sinew fourier` (docs/reference/shape-sequence.md). */
#ifndef SN_TOOLS_FOURIER_SEQUENCE_JSON_H
#define SN_TOOLS_FOURIER_SEQUENCE_JSON_H

#include "author/fourier/fourier.h"
#include "author/fourier/fourier_fit.h"
#include "author/io/source.h"

/* Local transform of a node at a key; missing parts keep the rest value. */
typedef struct sn_sequence_joint {
    const char *node;
    bool has_translation, has_rotation, has_scale;
    double translation[3], rotation[4] /* x y z w, unit */, scale[3];
} sn_sequence_joint;

typedef struct sn_sequence_key {
    double seconds;
    const char *clip; /* or null */
    double clip_seconds;
    bool has_pose;
    int joint_count;
    sn_sequence_joint *joints;
    const char *shape; /* a path, or null */
} sn_sequence_key;

typedef struct sn_sequence_check {
    double seconds;
    const char *shape;
} sn_sequence_check;

typedef struct sn_sequence_file {
    const char *character; /* a path */
    const char *clip_name; /* or null */
    sn_fourier_material material;
    bool has_stretch; /* if false, the default, which depends on the character */
    sn_fourier_fit_desc fit;
    bool starts_at_rest;
    double frame_rate;
    double key_error; /* diagonals */
    int key_count, check_count;
    sn_sequence_key *keys;
    sn_sequence_check *checks;
} sn_sequence_file;

/* Reads a sequence. Relative paths start at the file's folder. Everything lives in the arena. Errors name the file, the
 * place in the document and the cause. */
sn_result sn_sequence_json_read(const sn_source *source, sn_arena *arena, sn_sequence_file *sequence);

#endif
