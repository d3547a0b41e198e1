/* SPDX-License-Identifier: MIT */
/* Whether a file's counts, indices and names can be relied on: private to host/model. */
#ifndef SN_HOST_MODEL_CHECK_H
#define SN_HOST_MODEL_CHECK_H

#include "host/model/model.h"

/* What every solver may rely on; the rest of the counts follows from the size of the file. */
sn_result sn_model_check_counts(const char *name, const sn_model_counts *c);
/* Every index in its range, every string closed. name is for the message. */
sn_result sn_model_check_contents(const char *name, const sn_model *model);

#endif
