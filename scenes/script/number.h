/* SPDX-License-Identifier: MIT */
/* Numbers over time, with their expressions compiled. */
#ifndef SN_SCENES_SCRIPT_NUMBER_H
#define SN_SCENES_SCRIPT_NUMBER_H

#include "scenes/script/expression.h"
#include "scenes/script/scene.h"

/* Every number of a script: `where` names it ("bodies[1].translation[0]"). */
typedef bool sn_number_visitor(const sn_scene_number *number, const char *where, void *user);
/* False as soon as the visitor is. */
bool sn_scene_visit_numbers(const sn_scene_script *script, sn_number_visitor *visit, void *user);

/* Compiled expressions by the text's address: a script's texts do not move. Zero it. */
typedef struct sn_number_programs {
    struct sn_number_program {
        const char *text;
        sn_expression expression;
    } * programs; /* (count), by address */
    int count, capacity;
} sn_number_programs;

sn_result sn_number_programs_create(const sn_scene_script *script, sn_number_programs *programs);
void sn_number_programs_destroy(sn_number_programs *programs);

/* When, and for which copy. */
typedef struct sn_moment {
    const sn_number_programs *programs;
    double t;
    int i, n;
} sn_moment;

double sn_number_value(const sn_scene_number *number, const sn_moment *moment);
void sn_vector_value(const sn_scene_vector *vector, const sn_moment *moment, double value[3]);

#endif
