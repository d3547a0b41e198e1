/* SPDX-License-Identifier: MIT */
/* What tracked expressions do to a model's face: its expressions and morph targets, by their names. ARKit's blend
 * shapes move morph targets that are called so; where a model has none of those, VRM's presets stand for them
 * (runtime/puppet/arkit.h), as far as the source does not say these itself. */
#ifndef SN_RUNTIME_PUPPET_EXPRESSIONS_H
#define SN_RUNTIME_PUPPET_EXPRESSIONS_H

#include "author/import/face.h"
#include "runtime/puppet/arkit.h"
#include "runtime/puppet/steady.h"

typedef struct sn_expressions {
    sn_face face;
    bool has_arkit;  /* some morph target or expression is called as one of ARKit's */
    int heard_count; /* expressions of the source that have been looked up */
    int32_t expressions[SN_TRACKING_EXPRESSION_LIMIT], morphs[SN_TRACKING_EXPRESSION_LIMIT]; /* of each, or -1 */
    bool has_shapes;                                                                         /* of ARKit, the source */
    int32_t shapes[SN_ARKIT_COUNT];           /* of sn_arkit_name, of the source, or -1 */
    int32_t stand_ins[SN_ARKIT_PRESET_COUNT]; /* expressions of the face that shapes move, or -1 */
    int32_t lids[3];                          /* expressions blink, blinkLeft, blinkRight, or -1 */
    double *presences; /* (expression_count) of the face: how far the source has each now, 0 .. 1 */
} sn_expressions;

/* Lists live in the arena, as long as the model. */
sn_result sn_expressions_init(const sn_model *model, sn_arena *arena, sn_expressions *expressions);
/* Of one source, to values (expression_count) of the model's expressions, which begin as zeroes, and weights
 * (morph_count), which begin as the base has them: what other sources have said gives way as far as this one says the
 * same. Allocates nothing. */
void sn_expressions_take(sn_expressions *expressions, const sn_steady *source, double *values, float *weights);
/* Adds what all sources have said to the weights. */
void sn_expressions_show(const sn_model *model, const double *values, float *weights);

#endif
