/* SPDX-License-Identifier: MIT */
/* A 64-bit checksum of bytes: FNV-1a over little-endian 8-byte words, then bytes. Detects accidental changes, not
 * forgery. */
#ifndef SN_HOST_BASE_HASH_H
#define SN_HOST_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SN_HASH_SEED UINT64_C(0xcbf29ce484222325)

/* To hash in pieces, pass SN_HASH_SEED first, then the last result; the size of every piece but the last must be a
 * multiple of 8 bytes. */
uint64_t sn_hash(uint64_t seed, const void *bytes, size_t size);

#endif
