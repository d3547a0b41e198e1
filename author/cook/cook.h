/* SPDX-License-Identifier: MIT */
/* Internal access to a cook, for dumps and tests. Zero the context, run it, read its fields, then finish it. */
#ifndef SN_AUTHOR_COOK_COOK_H
#define SN_AUTHOR_COOK_COOK_H

#include "author/cook/cook_context.h"

sn_result sn_cook_context_run(sn_cook_context *cook, const char *path, const sn_cook_desc *desc);
void sn_cook_context_finish(sn_cook_context *cook);

#endif
