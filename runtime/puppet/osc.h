/* SPDX-License-Identifier: MIT */
/* Open Sound Control 1.0 receiver. A datagram is one message, or a bundle of messages and bundles. Safe on any input;
 * time tags are ignored. */
#ifndef SN_RUNTIME_PUPPET_OSC_H
#define SN_RUNTIME_PUPPET_OSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_OSC_DEPTH_LIMIT 8 /* of nested bundles */

/* Pointers into the datagram. */
typedef struct sn_osc_message {
    const char *address;      /* such as "/VMC/Ext/T" */
    const char *types;        /* such as "sfff", a letter per argument */
    const uint8_t *arguments; /* (argument_size) */
    size_t argument_size;
} sn_osc_message;

typedef struct sn_osc_handler {
    void (*handle)(void *user, const sn_osc_message *message);
    void *user;
    int64_t message_count;   /* handled messages */
    int64_t malformed_count; /* skipped messages whose text, types or arguments do not fit */
    int64_t nested_count;    /* bundles beyond SN_OSC_DEPTH_LIMIT */
} sn_osc_handler;

/* Parses a datagram and adds to the counts. Time is at most size x depth. */
void sn_osc_read(const uint8_t *bytes, size_t size, sn_osc_handler *handler);

/* Reads the leading arguments of the given types into values (strlen(types)): 's' text, 'f' float, 'i' integer. Further
 * arguments are ignored. False: too few arguments, or of other types. */
typedef union sn_osc_value {
    const char *text;
    float number;
    int32_t integer;
} sn_osc_value;
bool sn_osc_arguments(const sn_osc_message *message, const char *types, sn_osc_value *values);

#endif
