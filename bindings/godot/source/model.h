/* SPDX-License-Identifier: MIT */
/* The class SinewModel: a cooked character, the bytes of a .sinew file. */
#ifndef SINEW_GODOT_MODEL_H
#define SINEW_GODOT_MODEL_H

#include "bindings/godot/source/godot.h"

#include "sinew/sinew.h"

/* Shared by the object of Godot and by bodies, on the main thread. */
typedef struct shared_model {
    int user_count;
    void *bytes;
    sn_model *model;
} shared_model;

typedef struct model_instance {
    shared_model *shared; /* null until it is loaded */
} model_instance;

void release_shared_model(shared_model *shared);

/* result = a b, where all are transforms of Godot: the rows of a basis, then an origin. */
void multiply_transforms(const float a[12], const float b[12], float result[12]);
void to_mat3x4(const float transform[12], sn_mat3x4 *result);

#endif
