/* SPDX-License-Identifier: MIT */
/* Validation of a loaded file's counts, indices and names: private to host/model. */
#ifndef SN_HOST_MODEL_CHECK_H
#define SN_HOST_MODEL_CHECK_H

#include "host/model/model.h"

/* Checks the counts on which solvers rely; the size of the file has confirmed the others. */
sn_result sn_model_check_counts(const char *name, const sn_model_counts *c);
/* Checks that every index is in range and every string terminated. name is for messages. */
sn_result sn_model_check_contents(const char *name, const sn_model *model);

#endif
