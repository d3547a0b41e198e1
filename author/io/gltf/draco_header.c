/* SPDX-License-Identifier: MIT */
/* Parses the header of Draco data up to the counts, which bound the decoded size before the library allocates memory.
 * Format: https://google.github.io/draco/spec/, "Draco Header", "Metadata", "Connectivity". */
#include "author/io/gltf/draco.h"

#include <stdio.h>
#include <string.h>

#define MAJOR 2
#define MINOR 2
#define FLAG_METADATA 0x8000u

enum { CLOUD, MESH };             /* geometry types */
enum { SEQUENTIAL, EDGEBREAKER }; /* mesh encoding methods */

/* Reading past the end gives 0 and sets has_ended. */
typedef struct input {
    const uint8_t *bytes;
    size_t size, at;
    bool has_ended;
} input;

static void skip(input *in, size_t count)
{
    in->has_ended = in->has_ended || count > in->size - in->at;
    in->at += in->has_ended ? 0 : count;
}

static uint32_t read_byte(input *in)
{
    const size_t at = in->at;
    skip(in, 1);
    return in->has_ended ? 0 : in->bytes[at];
}

/* A variable-length integer: 7 bits a byte, lowest first. More than 32 bits are an error. */
static uint32_t read_varint(input *in)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        const uint32_t byte = read_byte(in);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            in->has_ended = in->has_ended || value > UINT32_MAX;
            return (uint32_t)value;
        }
    }
    in->has_ended = true;
    return 0;
}

/* Skips the metadata of the mesh, of attributes, and nested ones, in depth-first order. Each element takes at least one
 * byte, so the loop ends with the data. */
static void skip_metadata(input *in)
{
    uint64_t elements = (uint64_t)read_varint(in) + 1, nested = 0;
    for (uint64_t own = elements; elements > 0 && !in->has_ended; --elements) {
        if (nested > 0) { /* nested elements precede the next element of the list */
            --nested;
            skip(in, read_byte(in));
        } else if (own-- > 1) {
            read_varint(in); /* attribute id */
        }
        for (uint32_t entries = read_varint(in); entries > 0 && !in->has_ended; --entries) {
            skip(in, read_byte(in));
            skip(in, read_varint(in));
        }
        const uint32_t child_count = read_varint(in);
        nested += child_count;
        elements += child_count;
    }
}

static void read_counts(input *in, sn_draco_header *header)
{
    if (header->is_edgebreaker) {
        read_byte(in); /* traversal method */
        header->vertex_count = read_varint(in);
        header->face_count = read_varint(in);
        header->seam_set_count = read_byte(in);
    } else {
        header->face_count = read_varint(in);
        header->vertex_count = read_varint(in);
    }
}

const char *sn_draco_header_read(const uint8_t *bytes, size_t size, sn_draco_header *header,
                                 char cause[SN_DRACO_CAUSE_CHARS])
{
    static const char magic[] = "DRACO";
    input in = {.bytes = bytes, .size = size};
    *header = (sn_draco_header){0};
    if (size < sizeof magic - 1 || memcmp(bytes, magic, sizeof magic - 1) != 0) {
        return "the data do not begin with DRACO";
    }
    skip(&in, sizeof magic - 1);
    const uint32_t major = read_byte(&in), minor = read_byte(&in), type = read_byte(&in), method = read_byte(&in);
    const uint32_t flags_low = read_byte(&in), flags = flags_low | read_byte(&in) << 8;
    if (!in.has_ended && type != MESH) {
        return type == CLOUD ? "the data are a point cloud, not a mesh" : "the data are not a mesh";
    }
    if (!in.has_ended && (major != MAJOR || minor != MINOR)) {
        snprintf(cause, SN_DRACO_CAUSE_CHARS, "version %u.%u of the Draco format is not supported; %d.%d is", major,
                 minor, MAJOR, MINOR);
        return cause;
    }
    if (!in.has_ended && method > EDGEBREAKER) {
        snprintf(cause, SN_DRACO_CAUSE_CHARS, "the encoding method %u is unknown", method);
        return cause;
    }
    if (flags & FLAG_METADATA) {
        skip_metadata(&in);
    }
    header->is_edgebreaker = method == EDGEBREAKER;
    read_counts(&in, header);
    return in.has_ended ? "the data end inside the header" : NULL;
}
