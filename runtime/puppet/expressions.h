/* SPDX-License-Identifier: MIT */
/* Applies tracked expression weights to a model's expressions and morph targets by name. ARKit's blend shapes drive
 * morph targets of the same names. A model without any of those uses VRM presets instead (runtime/puppet/arkit.h),
 * except for presets that the source sends itself. */
#ifndef SN_RUNTIME_PUPPET_EXPRESSIONS_H
#define SN_RUNTIME_PUPPET_EXPRESSIONS_H

#include "author/import/face.h"
#include "runtime/puppet/arkit.h"
#include "runtime/puppet/tracking_filter.h"

typedef struct sn_expressions {
    sn_face face;
    bool has_arkit;   /* a morph target or expression has the name of an ARKit shape */
    int lookup_count; /* names of the source that have been looked up */
    int32_t expressions[SN_TRACKING_EXPRESSION_LIMIT],
        morphs[SN_TRACKING_EXPRESSION_LIMIT];      /* target of each name, or -1 */
    bool has_shapes;                               /* the source sends ARKit shapes */
    int32_t shapes[SN_ARKIT_COUNT];                /* index in the source of each ARKit shape, or -1 */
    int32_t preset_targets[SN_ARKIT_PRESET_COUNT]; /* expression of the face that each preset drives, or -1 */
    int32_t lid_expressions[3];                    /* expressions blink, blinkLeft, blinkRight, or -1 */
    double *presences; /* (expression_count) of the face: current presence in the source, 0 to 1 */
} sn_expressions;

/* Tables are allocated in the arena, which must live as long as the model. */
sn_result sn_expressions_init(const sn_model *model, sn_arena *arena, sn_expressions *expressions);
/* Blends one source into `values` (expression_count, initially 0) of the model's expressions and into `weights`
 * (morph_count, initially the base's). The source overrides earlier sources where both set the same. Allocates nothing.
 */
void sn_expressions_blend(sn_expressions *expressions, const sn_tracking_filter *source, float *values, float *weights);

#endif
