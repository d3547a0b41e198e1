/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: resource limits that the process sets before it reads the input. */
#ifndef SN_TOOLS_READ_FBX_LIMITS_H
#define SN_TOOLS_READ_FBX_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/* Closes inherited descriptors except standard input, output and error. */
void fbx_close_descriptors(void);
/* Limits memory (except with sanitizers, which reserve a large address space) and processor time by the size of the
 * input, and forbids new descriptors and core files. Returns false if the system refuses. */
bool fbx_set_limits(size_t input_size);

#endif
