/* SPDX-License-Identifier: MIT */
/* A number as a formula of time: "0.4*sin(9*t)". Compiled once to a list of steps for a stack of fixed size, so that no
 * text, whatever it holds, makes an evaluation take long, recurse or leave its memory.
 *
 *   sum      = product (("+" | "-") product)*
 *   product  = signed (("*" | "/") signed)*
 *   signed   = "-" signed | power
 *   power    = atom ("^" signed)?
 *   atom     = number | "(" sum ")" | variable | function "(" sum ("," sum)* ")"
 *   variable = t (seconds) | i (which copy, from 0) | n (copies) | pi
 *   function = sin | cos | tan | exp | sqrt | abs | floor | random (0 .. 1, the same for the same number) | min | max |
 *              mod (0 .. b) | step (0 while x < a: step(a, x)) | smooth (from 0 at a to 1 at b: smooth(a, b, x)) |
 *              clamp (clamp(x, least, most)) */
#ifndef SN_SCENES_SCRIPT_EXPRESSION_H
#define SN_SCENES_SCRIPT_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_EXPRESSION_STEP_LIMIT 128
#define SN_EXPRESSION_STACK_LIMIT 24 /* values at a time */
#define SN_EXPRESSION_DEPTH_LIMIT 64 /* of parentheses and signs */

typedef struct sn_expression {
    int step_count;
    struct sn_expression_step {
        int32_t operation, taken; /* values from the stack, for the one that it leaves */
        double value;             /* of a constant */
    } steps[SN_EXPRESSION_STEP_LIMIT];
} sn_expression;

typedef struct sn_expression_error {
    size_t at;        /* byte of the text */
    const char *says; /* static */
} sn_expression_error;

/* False, with the first thing that is wrong; the expression is then 0. */
bool sn_expression_compile(const char *text, sn_expression *expression, sn_expression_error *error);

/* What is not finite is 0. */
double sn_expression_value(const sn_expression *expression, double t, int i, int n);

#endif
