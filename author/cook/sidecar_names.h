/* SPDX-License-Identifier: MIT */
/* Names in a sidecar that match nothing: they are most likely misspelt. */
#ifndef SN_AUTHOR_COOK_SIDECAR_NAMES_H
#define SN_AUTHOR_COOK_SIDECAR_NAMES_H

#include "author/cook/cook.h"

/* A warning for each. The bones are there. */
void sn_sidecar_check_names(const sn_cooking *cooking);

#endif
