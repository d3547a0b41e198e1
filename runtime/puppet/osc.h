/* SPDX-License-Identifier: MIT */
/* Open Sound Control 1.0, the receiving end: a datagram is one message, or a bundle of messages and bundles. Any bytes
 * are safe to read; time tags mean nothing here. */
#ifndef SN_RUNTIME_PUPPET_OSC_H
#define SN_RUNTIME_PUPPET_OSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_OSC_DEPTH_LIMIT 8 /* of bundles in bundles */

/* Points into the datagram. */
typedef struct sn_osc_message {
    const char *address;      /* "/VMC/Ext/T" */
    const char *types;        /* "sfff", a letter an argument */
    const uint8_t *arguments; /* (argument_size) */
    size_t argument_size;
} sn_osc_message;

typedef struct sn_osc_handler {
    void (*handle)(void *user, const sn_osc_message *message);
    void *user;
    int64_t message_count;  /* handled */
    int64_t broken_count;   /* whose text, types or arguments do not fit their bytes: that message alone is left out */
    int64_t too_deep_count; /* bundles beyond the limit */
} sn_osc_handler;

/* Adds to the counts. The work is linear in the size, times the depth at most. */
void sn_osc_read(const uint8_t *bytes, size_t size, sn_osc_handler *handler);

/* Only as much of the arguments is read as `types` asks for: 's' text, 'f' float, 'i' integer; what is behind is left.
 * False: there are fewer, or of other types. values (strlen(types)) */
typedef union sn_osc_value {
    const char *text;
    float number;
    int32_t integer;
} sn_osc_value;
bool sn_osc_arguments(const sn_osc_message *message, const char *types, sn_osc_value *values);

#endif
