/* SPDX-License-Identifier: MIT */
/* A person of sticks, in rest poses and builds of one's choice, and poses of it that are known. */
#ifndef SN_TESTS_SUPPORT_RIG_PEOPLE_H
#define SN_TESTS_SUPPORT_RIG_PEOPLE_H

#include <math.h>
#include <string.h>

#include "author/retarget/humanoid.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"

#define PERSON_JOINTS 22

/* y up, looking ahead along z, left along x; hips at 1, ankles at .1. */
typedef struct person {
    double arm_angle; /* radians that arms rest below the horizontal */
    double scale;     /* 0: 1 */
    int spines;       /* joints of the spine, 1 .. 3; 0: 3 */
} person;

typedef struct people {
    int count;
    const char *names[PERSON_JOINTS];
    int32_t parents[PERSON_JOINTS], roles[PERSON_JOINTS];
    double rest[12 * PERSON_JOINTS];
} people;

static const char *const person_names[PERSON_JOINTS] = {
    "hips",          "spine",         "chest",        "upperChest",   "neck",          "head",
    "leftShoulder",  "leftUpperArm",  "leftLowerArm", "leftHand",     "rightShoulder", "rightUpperArm",
    "rightLowerArm", "rightHand",     "leftUpperLeg", "leftLowerLeg", "leftFoot",      "leftToes",
    "rightUpperLeg", "rightLowerLeg", "rightFoot",    "rightToes"};
static const int32_t person_parents[PERSON_JOINTS] = {-1, 0,  1,  2, 3,  4,  3,  6, 7,  8,  3,
                                                      10, 11, 12, 0, 14, 15, 16, 0, 18, 19, 20};

/* Of the joints with three joints in the spine. */
static inline int person_role(int joint)
{
    return joint == 3 ? SN_HUMANOID_CHEST : sn_humanoid_find(person_names[joint]);
}

static inline void make_person(people *p, const person *as)
{
    const double s = as->scale > 0 ? as->scale : 1, c = cos(as->arm_angle), d = sin(as->arm_angle);
    const int missing = as->spines > 0 ? 3 - as->spines : 0;
    const double body[6][3] = {{0, 1, 0}, {0, 1.1, 0}, {0, 1.2, 0}, {0, 1.35, 0}, {0, 1.5, 0}, {0, 1.6, 0}};
    const double leg[4][3] = {{.1, .95, 0}, {.1, .5, .02}, {.1, .1, 0}, {.1, .02, .15}};
    int32_t index[PERSON_JOINTS];
    p->count = 0;
    for (int j = 0; j < PERSON_JOINTS; ++j) {
        double place[3] = {0};
        const double side = j < 10 || (j > 13 && j < 18) ? 1 : -1;
        const int k = j >= 14 ? (j - 14) % 4 : (j - 6) % 4;
        if (j < 6) {
            memcpy(place, body[j], sizeof place);
        } else if (j >= 14) {
            memcpy(place, leg[k], sizeof place);
            place[0] *= side;
        } else { /* the collar, then .3, .27 along the arm */
            const double along[4] = {0, 0, .3, .57};
            place[0] = side * (k == 0 ? .03 : .18 + c * along[k]);
            place[1] = 1.45 - (k == 0 ? 0 : d * along[k]);
        }
        index[j] = p->count;
        if (j >= 1 && j < 1 + missing) { /* the lower ones are left out */
            index[j] = 0;
            continue;
        }
        const int at = p->count++;
        double *rest = p->rest + 12 * at;
        sn_affine_identity(rest);
        for (int e = 0; e < 3; ++e) {
            rest[4 * e + 3] = s * place[e];
        }
        p->names[at] = person_names[j];
        p->parents[at] = person_parents[j] < 0 ? -1 : index[person_parents[j]];
        p->roles[at] = sn_humanoid_find(person_names[j]);
    }
}

/* All of it about an axis of the world. */
static inline void turn_person(people *p, int axis, double angle)
{
    double m[12], turned[12];
    sn_affine_identity(m);
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    m[5 * a] = m[5 * b] = cos(angle);
    m[4 * b + a] = sin(angle);
    m[4 * a + b] = -sin(angle);
    for (int j = 0; j < p->count; ++j) {
        sn_affine_multiply(m, p->rest + 12 * j, turned);
        memcpy(p->rest + 12 * j, turned, sizeof turned);
    }
}

static inline sn_rig_skeleton skeleton_of(const people *p)
{
    return (sn_rig_skeleton){"person", p->count, p->names, p->parents, p->rest, NULL};
}

#endif
