/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/osc.h"

#include <string.h>

/* Unread part of a datagram. */
typedef struct cursor {
    const uint8_t *at;
    size_t remaining;
} cursor;

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool read_bytes(cursor *c, size_t size, const uint8_t **bytes)
{
    const bool is_available = size <= c->remaining;
    *bytes = c->at;
    c->at += is_available ? size : 0;
    c->remaining -= is_available ? size : 0;
    return is_available;
}

/* Reads null-terminated text, padded to 4 bytes; null if it is not terminated. */
static const char *read_text(cursor *c)
{
    const uint8_t *end = c->remaining > 0 ? memchr(c->at, 0, c->remaining) : NULL, *bytes;
    const size_t size = end ? ((size_t)(end - c->at) / 4 + 1) * 4 : 0;
    return end && read_bytes(c, size, &bytes) ? (const char *)bytes : NULL;
}

/* Size in bytes of a fixed-size argument; -1 for text, a blob or an unknown type. */
static int size_of(char type)
{
    return strchr("TFNI[]", type) ? 0 : strchr("ifcrm", type) ? 4 : strchr("hdt", type) ? 8 : -1;
}

static bool skip(cursor *c, char type)
{
    const uint8_t *bytes;
    if (type == 's' || type == 'S') {
        return read_text(c) != NULL;
    }
    if (type == 'b') {
        const uint32_t size = read_bytes(c, 4, &bytes) ? big_endian(bytes) : UINT32_MAX;
        return size <= c->remaining && read_bytes(c, ((size_t)size + 3) / 4 * 4, &bytes);
    }
    const int size = size_of(type);
    return size >= 0 && read_bytes(c, (size_t)size, &bytes);
}

static bool read_message(cursor c, sn_osc_message *message)
{
    message->address = read_text(&c);
    const char *types = message->address && message->address[0] == '/' ? read_text(&c) : NULL;
    if (!types || types[0] != ',') {
        return false;
    }
    message->types = types + 1;
    message->arguments = c.at;
    message->argument_size = c.remaining;
    for (const char *type = message->types; *type; ++type) {
        if (!skip(&c, *type)) {
            return false;
        }
    }
    return true;
}

static void read_element(cursor c, int depth, sn_osc_handler *h)
{
    static const uint8_t bundle[8] = "#bundle";
    const uint8_t *bytes;
    if (c.remaining < sizeof bundle || memcmp(c.at, bundle, sizeof bundle) != 0) {
        sn_osc_message message;
        const bool is_valid = read_message(c, &message);
        h->message_count += is_valid;
        h->malformed_count += !is_valid;
        if (is_valid) {
            h->handle(h->user, &message);
        }
        return;
    }
    if (depth == SN_OSC_DEPTH_LIMIT) {
        ++h->nested_count;
        return;
    }
    if (!read_bytes(&c, 16, &bytes)) { /* header and time tag */
        ++h->malformed_count;
        return;
    }
    while (c.remaining > 0) {
        const uint32_t size = read_bytes(&c, 4, &bytes) ? big_endian(bytes) : UINT32_MAX;
        if (!read_bytes(&c, size, &bytes)) {
            ++h->malformed_count;
            return;
        }
        read_element((cursor){bytes, size}, depth + 1, h);
    }
}

void sn_osc_read(const uint8_t *bytes, size_t size, sn_osc_handler *handler)
{
    read_element((cursor){bytes, size}, 0, handler);
}

bool sn_osc_arguments(const sn_osc_message *message, const char *types, sn_osc_value *values)
{
    cursor c = {message->arguments, message->argument_size};
    for (size_t i = 0; types[i]; ++i) {
        const uint8_t *bytes = c.at;
        if (message->types[i] != types[i] || !skip(&c, types[i])) { /* a null ends message->types */
            return false;
        }
        const uint32_t bits = types[i] == 's' ? 0 : big_endian(bytes);
        if (types[i] == 's') {
            values[i].text = (const char *)bytes;
        } else if (types[i] == 'f') {
            memcpy(&values[i].number, &bits, sizeof bits);
        } else {
            memcpy(&values[i].integer, &bits, sizeof bits);
        }
    }
    return true;
}
