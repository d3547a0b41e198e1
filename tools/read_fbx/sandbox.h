/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: the restrictions that the process sets on itself before it parses the input. */
#ifndef SN_TOOLS_READ_FBX_SANDBOX_H
#define SN_TOOLS_READ_FBX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Closes inherited descriptors except standard input, output and error. */
void fbx_close_descriptors(void);
/* Limits memory (except with sanitizers, which reserve a large address space) and processor time by the size of the
 * input; forbids new descriptors, processes, privileges and core files; and, on x86-64 and 64-bit ARM, makes every
 * system call fail that parsing does not need (except with sanitizers). It can still test whether a file exists.
 * Returns false, with errno, if the system refuses. */
bool fbx_enter_sandbox(size_t input_size);
/* Tries what the sandbox forbids, and writes one line about each attempt to standard output: its name, "denied" or
 * "allowed". */
void fbx_test_sandbox(void);

#endif
