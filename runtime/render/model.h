/* SPDX-License-Identifier: MIT */
/* Uploading materials; private to model.c and material.c. */
#ifndef SN_RUNTIME_RENDER_MODEL_H
#define SN_RUNTIME_RENDER_MODEL_H

#include "runtime/render/private.h"

#define SN_TEXTURE_IMAGE_USAGE                                                                                         \
    (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)

/* toon: null, or its toon material. */
void sn_render_material_constants(const sn_material *material, const sn_toon_material *toon,
                                  sn_material_constants *constants);

/* Creates the model's material `index`; uploads textures that no earlier material uses. `constants`: the binding of its
 * constants. */
sn_result sn_render_material_init(sn_renderer *renderer, const sn_model *model, int index, sn_gpu_binding constants,
                                  sn_render_model *render_model, sn_render_material *material);

#endif
