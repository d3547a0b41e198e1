/* SPDX-License-Identifier: MIT */
/* Evaluation of a script's time-dependent numbers, with compiled expressions. */
#ifndef SN_SCENES_SCRIPT_NUMBER_H
#define SN_SCENES_SCRIPT_NUMBER_H

#include "scenes/script/expression.h"
#include "scenes/script/scene.h"

/* Callback for each number of a script; `number_path` is its path, such as "bodies[1].translation[0]". Returning false
 * stops.
 */
typedef bool sn_number_visitor(const sn_scene_number *number, const char *number_path, void *user);
/* Visits all numbers; false if the visitor returned false. */
bool sn_scene_visit_numbers(const sn_scene_script *script, sn_number_visitor *visit, void *user);

/* Compiled expressions, keyed by the address of their text, which must not change. Zero-initialize. */
typedef struct sn_number_programs {
    struct sn_number_program {
        const char *text;
        sn_expression expression;
    } * programs; /* (count) sorted by address */
    int count, capacity;
} sn_number_programs;

sn_result sn_number_programs_create(const sn_scene_script *script, sn_number_programs *programs);
void sn_number_programs_destroy(sn_number_programs *programs);

/* Variables of an expression: time and copy. */
typedef struct sn_number_context {
    const sn_number_programs *programs;
    double t;
    int i, n;
} sn_number_context;

double sn_number_value(const sn_scene_number *number, const sn_number_context *context);
void sn_vector_value(const sn_scene_vector *vector, const sn_number_context *context, double value[3]);

#endif
