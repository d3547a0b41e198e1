/* SPDX-License-Identifier: MIT */
/* Numeric expressions of time, such as "0.4*sin(9*t)". An expression is compiled once to steps of a stack machine of
 * fixed size. Whatever the text, evaluation time, recursion and memory are bounded.
 *
 *   sum      = product (("+" | "-") product)*
 *   product  = signed (("*" | "/") signed)*
 *   signed   = "-" signed | power
 *   power    = atom ("^" signed)?
 *   atom     = number | "(" sum ")" | variable | function "(" sum ("," sum)* ")"
 *   variable = t (seconds) | i (index of the copy, from 0) | n (number of copies) | pi
 *   function = sin | cos | tan | exp | sqrt | abs | floor | random (hash of its argument, 0 to 1) | min | max |
 *              mod (0 to b) | step (0 while x < a: step(a, x)) | smooth (from 0 at a to 1 at b: smooth(a, b, x)) |
 *              clamp (clamp(x, min, max)) */
#ifndef SN_SCENES_SCRIPT_EXPRESSION_H
#define SN_SCENES_SCRIPT_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_EXPRESSION_STEP_LIMIT 128
#define SN_EXPRESSION_STACK_LIMIT 24 /* values on the stack */
#define SN_EXPRESSION_DEPTH_LIMIT 64 /* nesting of parentheses and signs */

typedef struct sn_expression {
    int step_count;
    struct sn_expression_step {
        int32_t operation, pop_count; /* pop_count: values popped; one is pushed */
        double value;                 /* of a constant */
    } steps[SN_EXPRESSION_STEP_LIMIT];
} sn_expression;

typedef struct sn_expression_error {
    size_t at;           /* byte offset in the text */
    const char *message; /* static text */
} sn_expression_error;

/* On false, `error` describes the first error, and the expression evaluates to 0. */
bool sn_expression_compile(const char *text, sn_expression *expression, sn_expression_error *error);

/* Results that are not finite become 0. */
double sn_expression_value(const sn_expression *expression, double t, int i, int n);

#endif
