/* SPDX-License-Identifier: MIT */
/* Fuzz target: the reader of char_cfg.yaml. */
#include "tests/fuzz/fuzz_handles.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return sn_fuzz_handles(data, size, sn_char_cfg_read);
}
