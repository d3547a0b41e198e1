/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: what it takes from itself before it looks at what it was given. */
#ifndef SN_TOOLS_READ_FBX_LIMITS_H
#define SN_TOOLS_READ_FBX_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/* Closes what the caller left open besides the three. */
void fbx_close_descriptors(void);
/* Of memory (not with sanitizers, which reserve more than there is) and processor time, by the size of the input; of
 * new descriptors and core files: none. False where the system refuses. */
bool fbx_limit(size_t input_size);

#endif
