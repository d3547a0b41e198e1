/* SPDX-License-Identifier: MIT */
/* The last stage: what was cooked becomes a model and its bytes. */
#ifndef SN_AUTHOR_COOK_ASSEMBLE_H
#define SN_AUTHOR_COOK_ASSEMBLE_H

#include "author/cook/cook.h"

sn_result sn_cooking_assemble(sn_cooking *cooking);

#endif
