/* SPDX-License-Identifier: MIT */
/* Sets the checksums of a PNG's chunks right after its bytes were changed, so that the checks behind them are reached.
 */
#ifndef SN_TESTS_FUZZ_PNG_CHECKSUMS_H
#define SN_TESTS_FUZZ_PNG_CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of ISO 3309, as PNG has it. */
static inline uint32_t png_crc(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

static inline uint32_t png_load(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void png_store(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

/* A chunk: length, name, data, checksum of name and data; the first follows 8 bytes of signature. */
static inline void png_fix_checksums(uint8_t *file, size_t size)
{
    size_t at = 8;
    while (at + 12 <= size) {
        const size_t length = png_load(file + at);
        if (length > size - at - 12) {
            return;
        }
        png_store(file + at + 8 + length, png_crc(file + at + 4, length + 4));
        at += length + 12;
    }
}

#endif
