/* SPDX-License-Identifier: MIT */
/* The binary form of a recording, of which writer and reader have one description.
 *
 * All is little-endian. A head of 32 bytes; records: kind (u32), bytes of what follows (u32), these, and zeros up to a
 * multiple of 8; the last is SN_RECORD_END: the number of steps (u64) and sn_hash of all bytes before it (u64). So what
 * is cut has no end where it ends, and what is changed another hash. */
#ifndef SN_HOST_WORLD_RECORD_FORMAT_H
#define SN_HOST_WORLD_RECORD_FORMAT_H

#include "host/base/base.h"
#include "sinew/record.h"

#define SN_RECORD_MAGIC "SNRECORD"

typedef struct sn_record_head {
    char magic[8];
    uint32_t version, reserved;
    char library[16]; /* SN_VERSION_STRING of the writer, ended by a null byte */
} sn_record_head;
_Static_assert(sizeof(sn_record_head) == 32, "the head is four words");

/* X(name, fields): what it holds, a letter each, see sn_record_code. Numbers of kinds are the places here: new ones go
 * to the end. */
#define SN_RECORD_KINDS(X)                                                                                             \
    X(NOTE, "T")       /* text */                                                                                      \
    X(MODEL, "hB")     /* checksum; its bytes, or their number alone */                                                \
    X(GRID, "G")       /* */                                                                                           \
    X(WORLD, "siT")    /* made: time step, step limit, backend or nothing */                                           \
    X(WORLD_GONE, "")  /* with what is in it */                                                                        \
    X(STEP, "sinh")    /* seconds; steps, recoveries and the state's hash that came of it */                           \
    X(COLLIDER, "bCi") /* made: number, desc, grid or -1 */                                                            \
    X(COLLIDER_DESC, "bCi")                                                                                            \
    X(COLLIDER_MOVE, "bM")                                                                                             \
    X(COLLIDER_GONE, "b")                                                                                              \
    X(BODY, "biD") /* made: number, model, desc */                                                                     \
    X(BODY_DESC, "bD")                                                                                                 \
    X(BODY_GONE, "b")                                                                                                  \
    X(POSE, "bA") /* bones' */                                                                                         \
    X(RIGID_POSE, "bM")                                                                                                \
    X(BONE_POSE, "biM") /* bone */                                                                                     \
    X(MORPHS, "bF")                                                                                                    \
    X(RESET, "b")                                                                                                      \
    X(TELEPORT, "bM")                                                                                                  \
    X(IMPULSE, "bpv") /* point, impulse */                                                                             \
    X(BONE_IMPULSE, "biv")                                                                                             \
    X(GRAB, "bpHn") /* point, desc, the grab that came of it */                                                        \
    X(DRAG, "bip")                                                                                                     \
    X(RELEASE, "bi")                                                                                                   \
    X(LOCKS, "bin")      /* bone, locks */                                                                             \
    X(COMPLIANCE, "bis") /* bone, compliance */                                                                        \
    X(TEAR, "bpsn")      /* point, radius, tets that went */                                                           \
    X(MEND, "b")                                                                                                       \
    X(SPRING, "bijstn") /* vertices, length, stiffness, its number */                                                  \
    X(SPRING_GONE, "bi")                                                                                               \
    X(RIG, "bi")       /* model */                                                                                     \
    X(EMBEDDING, "bi") /* its flesh is drawn: 1, 0 */

typedef enum sn_record_kind {
#define SN_KIND(name, fields) SN_RECORD_##name,
    SN_RECORD_KINDS(SN_KIND)
#undef SN_KIND
        SN_RECORD_END
} sn_record_kind;

/* In place of a step's recoveries: they are not known, and its hash is without flesh. */
#define SN_RECORD_POSES_ALONE (-1)

/* One call. Of what it has not, nothing is read or written. */
typedef struct sn_record_call {
    sn_record_kind kind;
    int32_t body, index, other, number;
    double scalar, second, point[3], vector[3];
    uint64_t hash;
    const char *text;
    sn_mat3x4 matrix;
    const sn_mat3x4 *matrices; /* (count) */
    const float *floats;       /* (count), or a grid's distances */
    const void *bytes;         /* (byte_count); null: the number alone */
    uint64_t byte_count;
    int32_t count;
    union {
        sn_body_desc body;
        sn_collider_desc collider;
        sn_grab_desc grab;
        sn_grid_desc grid;
    } desc; /* without names, models and grids */
} sn_record_call;

/* Of one record what follows kind and size. */
typedef struct sn_record_coder {
    uint8_t *bytes; /* writing: (room), grown as it needs; reading: not changed */
    size_t size, room;
    bool is_reading, is_bad; /* bad: memory is out; or, reading, there is too little, or it says what cannot be */
} sn_record_coder;

/* Writes the call behind what is there, or reads one of its kind from the beginning; then what it points to are the
 * bytes themselves, and all of them must have been read. False where it is bad. */
bool sn_record_code(sn_record_coder *coder, sn_record_call *call);
void sn_record_coder_finish(sn_record_coder *coder);

#endif
