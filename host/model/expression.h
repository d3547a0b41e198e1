/* SPDX-License-Identifier: MIT */
/* Expressions and how some suppress others (VRM 1.0, expressions: isBinary, overrideBlink, overrideLookAt and
 * overrideMouth). */
#ifndef SN_HOST_MODEL_EXPRESSION_H
#define SN_HOST_MODEL_EXPRESSION_H

#include <stdint.h>

/* Groups of expressions that others may suppress; a set of groups is their sum. */
enum { SN_EXPRESSION_BLINK = 1, SN_EXPRESSION_LOOK = 2, SN_EXPRESSION_MOUTH = 4 };
#define SN_EXPRESSION_GROUP_COUNT 3

/* A set of morph targets that one value of 0 .. 1 moves. */
typedef struct sn_expression {
    int32_t first_bind, bind_count;
    uint8_t is_binary;      /* values above 0.5 count as 1, others as 0 */
    uint8_t group;          /* the group that it belongs to, or 0 */
    uint8_t blocked_groups; /* have no effect while this expression has any */
    uint8_t blended_groups; /* lose as much effect as this expression has */
} sn_expression;

/* Computes the share of each group's effect that the expressions leave, 0 to 1. values: (count), in 0 .. 1. */
void sn_expressions_find_shares(const sn_expression *expressions, int count, const float *values,
                                float shares[SN_EXPRESSION_GROUP_COUNT]);
/* The effective value of an expression, given the shares. */
float sn_expression_effect(const sn_expression *expression, float value, const float shares[SN_EXPRESSION_GROUP_COUNT]);

#endif
