/* SPDX-License-Identifier: MIT */
/* The binary format of a recording, with one description for writer and reader.
 *
 * All values are little-endian. A header of 32 bytes; then records: type (u32), payload size in bytes (u32), payload,
 * zero padding to a multiple of 8. The last record is SN_RECORD_END: the number of steps (u64), and sn_hash of all
 * bytes before it (u64). It detects truncation and changes. */
#ifndef SN_HOST_WORLD_RECORD_FORMAT_H
#define SN_HOST_WORLD_RECORD_FORMAT_H

#include "host/base/base.h"
#include "sinew/record.h"

#define SN_RECORD_MAGIC "SNRECORD"

typedef struct sn_record_head {
    char magic[8];
    uint32_t version, reserved;
    char library[16]; /* SN_VERSION_STRING of the writer, null-terminated */
} sn_record_head;
_Static_assert(sizeof(sn_record_head) == 32, "the head is four words");

/* X(name, fields): one letter per field, see sn_record_code. The type numbers are positions in this list: append new
 * ones. */
#define SN_RECORD_TYPES(X)                                                                                             \
    X(NOTE, "T")           /* text */                                                                                  \
    X(MODEL, "hB")         /* checksum; bytes, or only their number */                                                 \
    X(GRID, "G")           /* */                                                                                       \
    X(WORLD, "siT")        /* created: time step, step limit, backend or "" */                                         \
    X(WORLD_DESTROYED, "") /* destroyed with its contents */                                                           \
    X(STEP, "sinh")        /* seconds; resulting steps, recoveries and state hash */                                   \
    X(COLLIDER, "bCi")     /* created: number, desc, grid or -1 */                                                     \
    X(COLLIDER_DESC, "bCi")                                                                                            \
    X(COLLIDER_MOVE, "bM")                                                                                             \
    X(COLLIDER_DESTROYED, "b")                                                                                         \
    X(BODY, "biD") /* created: number, model, desc */                                                                  \
    X(BODY_DESC, "bD")                                                                                                 \
    X(BODY_DESTROYED, "b")                                                                                             \
    X(POSE, "bA") /* of all bones */                                                                                   \
    X(RIGID_POSE, "bM")                                                                                                \
    X(BONE_POSE, "biM") /* bone */                                                                                     \
    X(MORPHS, "bF")                                                                                                    \
    X(RESET, "b")                                                                                                      \
    X(TELEPORT, "bM")                                                                                                  \
    X(IMPULSE, "bpv") /* point, impulse */                                                                             \
    X(BONE_IMPULSE, "biv")                                                                                             \
    X(GRAB, "bpHn") /* point, desc, resulting grab */                                                                  \
    X(DRAG, "bip")                                                                                                     \
    X(RELEASE, "bi")                                                                                                   \
    X(LOCKS, "bin")      /* bone, locks */                                                                             \
    X(COMPLIANCE, "bis") /* bone, compliance */                                                                        \
    X(TEAR, "bpsn")      /* point, radius, number of removed tets */                                                   \
    X(REPAIR, "b")                                                                                                     \
    X(SPRING, "bijstn") /* vertices, length, stiffness, resulting index */                                             \
    X(SPRING_REMOVED, "bi")                                                                                            \
    X(RIG, "bi")       /* model */                                                                                     \
    X(EMBEDDING, "bi") /* embedded flesh is displayed: 1, 0 */

typedef enum sn_record_type {
#define SN_TYPE(name, fields) SN_RECORD_##name,
    SN_RECORD_TYPES(SN_TYPE)
#undef SN_TYPE
        SN_RECORD_END
} sn_record_type;

/* Stored instead of a step's recoveries if they are unknown; the hash is then without flesh. */
#define SN_RECORD_POSES_ONLY (-1)

/* One call. Members without a field in its record are neither read nor written. */
typedef struct sn_record_call {
    sn_record_type type;
    int32_t body, index, other, number;
    double scalar, second, point[3], vector[3];
    uint64_t hash;
    const char *text;
    sn_mat3x4 matrix;
    const sn_mat3x4 *matrices; /* (count) */
    const float *floats;       /* (count), or a grid's distances */
    const void *bytes;         /* (byte_count); null: only the number is stored */
    uint64_t byte_count;
    int32_t count;
    union {
        sn_body_desc body;
        sn_collider_desc collider;
        sn_grab_desc grab;
        sn_grid_desc grid;
    } desc; /* without names, models and grids */
} sn_record_call;

/* Payload of one record. */
typedef struct sn_record_coder {
    uint8_t *bytes; /* writing: (capacity), growing; reading: const */
    size_t size, capacity;
    bool is_reading, is_bad; /* out of memory; or, while reading, truncated or invalid */
} sn_record_coder;

/* Appends the call's payload, or reads a payload of the call's type from the beginning. The read call points into the
 * payload, and must have consumed it completely. Returns false if is_bad. */
bool sn_record_code(sn_record_coder *coder, sn_record_call *call);
void sn_record_coder_finish(sn_record_coder *coder);

#endif
