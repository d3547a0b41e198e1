/* SPDX-License-Identifier: MIT */
/* The sending end of VMC: messages and bundles of OSC, and a person who walks. Transforms are Unity's. */
#ifndef SN_TESTS_SUPPORT_VMC_PACKETS_H
#define SN_TESTS_SUPPORT_VMC_PACKETS_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#define SN_TEST_PACKET_LIMIT 16384

typedef struct sn_test_packet {
    uint8_t bytes[SN_TEST_PACKET_LIMIT];
    size_t size;
} sn_test_packet;

static inline void sn_test_put(sn_test_packet *p, const void *bytes, size_t size)
{
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

static inline void sn_test_put_u32(sn_test_packet *p, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    sn_test_put(p, bytes, sizeof bytes);
}

static inline void sn_test_put_text(sn_test_packet *p, const char *text)
{
    const size_t size = (strlen(text) / 4 + 1) * 4;
    memset(p->bytes + p->size, 0, size);
    memcpy(p->bytes + p->size, text, strlen(text));
    p->size += size;
}

/* types: s const char *, f double, i int; what else there is has no bytes. */
static inline void sn_test_message(sn_test_packet *p, const char *address, const char *types, ...)
{
    char tags[64] = ",";
    va_list arguments;
    strcat(tags, types);
    sn_test_put_text(p, address);
    sn_test_put_text(p, tags);
    va_start(arguments, types);
    for (const char *t = types; *t; ++t) {
        if (*t == 's') {
            sn_test_put_text(p, va_arg(arguments, const char *));
        } else if (*t == 'f') {
            const float number = (float)va_arg(arguments, double);
            uint32_t bits;
            memcpy(&bits, &number, sizeof bits);
            sn_test_put_u32(p, bits);
        } else if (*t == 'i') {
            sn_test_put_u32(p, (uint32_t)va_arg(arguments, int));
        }
    }
    va_end(arguments);
}

static inline void sn_test_bundle(sn_test_packet *p)
{
    static const uint8_t head[16] = "#bundle";
    sn_test_put(p, head, sizeof head);
}

/* An element of the bundle, which is all that `part` has. */
static inline void sn_test_element(sn_test_packet *p, const sn_test_packet *part)
{
    sn_test_put_u32(p, (uint32_t)part->size);
    sn_test_put(p, part->bytes, part->size);
}

/* A bone's local place, and a turn of degrees about an axis. */
static inline void sn_test_bone(sn_test_packet *p, const char *address, const char *name, const double *place, int axis,
                                double degrees)
{
    const double half = degrees * 3.141592653589793 / 360;
    double q[4] = {0, 0, 0, cos(half)};
    sn_test_packet part = {.size = 0};
    q[axis] = sin(half);
    sn_test_message(&part, address, "sfffffff", name, place[0], place[1], place[2], q[0], q[1], q[2], q[3]);
    sn_test_element(p, &part);
}

/* A frame of somebody who walks ahead and winks with the left eye, arms down: two bundles of bones, one of weights and
 * time. */
static inline int sn_test_walk(double seconds, sn_test_packet packets[3])
{
    static const char bone[] = "/VMC/Ext/Bone/Pos";
    static const double none[3] = {0}, knee[3] = {0, -.42, 0}, ankle[3] = {0, -.4, 0};
    const double swing = sin(6.283185307179586 * seconds), bend = cos(6.283185307179586 * seconds);
    for (int i = 0; i < 3; ++i) {
        packets[i].size = 0;
        sn_test_bundle(&packets[i]);
    }
    sn_test_bone(&packets[0], "/VMC/Ext/Root/Pos", "root", none, 0, 0);
    sn_test_bone(&packets[0], bone, "Hips", (const double[3]){0, .95 + .02 * bend, .8 * seconds}, 0, 0);
    sn_test_bone(&packets[0], bone, "Spine", (const double[3]){0, .1, 0}, 1, 5 * swing);
    sn_test_bone(&packets[0], bone, "Head", (const double[3]){0, .2, 0}, 1, -5 * swing);
    for (int side = 0; side < 2; ++side) {
        const double sign = side == 0 ? 1 : -1, x = side == 0 ? -.09 : .09; /* its left is at -x */
        const char *names[5][2] = {{"LeftUpperLeg", "RightUpperLeg"},
                                   {"LeftLowerLeg", "RightLowerLeg"},
                                   {"LeftFoot", "RightFoot"},
                                   {"LeftUpperArm", "RightUpperArm"},
                                   {"LeftLowerArm", "RightLowerArm"}};
        sn_test_bone(&packets[1], bone, names[0][side], (const double[3]){x, -.05, 0}, 0, -sign * 30 * swing);
        sn_test_bone(&packets[1], bone, names[1][side], knee, 0, 25 + sign * 25 * bend);
        sn_test_bone(&packets[1], bone, names[2][side], ankle, 0, 0);
        sn_test_bone(&packets[1], bone, names[3][side], (const double[3]){2 * x, .2, 0}, 2, sign * 70);
        sn_test_bone(&packets[1], bone, names[4][side], (const double[3]){3 * x, 0, 0}, 1, sign * 20);
    }
    sn_test_packet part = {.size = 0};
    sn_test_message(&part, "/VMC/Ext/Blend/Val", "sf", "Blink_L", 1.0);
    sn_test_element(&packets[2], &part);
    part.size = 0;
    sn_test_message(&part, "/VMC/Ext/Blend/Apply", "");
    sn_test_element(&packets[2], &part);
    part.size = 0;
    sn_test_message(&part, "/VMC/Ext/OK", "i", 1);
    sn_test_element(&packets[2], &part);
    part.size = 0;
    sn_test_message(&part, "/VMC/Ext/T", "f", seconds);
    sn_test_element(&packets[2], &part);
    return 3;
}

#endif
