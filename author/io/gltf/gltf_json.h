/* SPDX-License-Identifier: MIT */
/* Typed access to a JSON document in which each value knows its path; messages read "FILE: nodes[3].scale: cause".
 *
 * The first failure is logged and stored in the reader; later ones are silent, and a failed read returns its fallback.
 * So a sequence of reads needs one check at its end, and a document logs at most one error line. */
#ifndef SN_AUTHOR_IO_GLTF_GLTF_JSON_H
#define SN_AUTHOR_IO_GLTF_GLTF_JSON_H

#include <jansson.h>

#include "host/base/base.h"

typedef struct sn_json_reader {
    const char *name; /* of the file, for messages */
    sn_result result; /* result of the first failure */
    uint32_t warned;  /* bits of the warnings that have been logged */
} sn_json_reader;

/* A value and its path. It points to its parent, which must outlive it. */
typedef struct sn_json {
    sn_json_reader *reader;
    const struct sn_json *parent; /* null: the document */
    const char *key;              /* null: an array entry */
    size_t index;
    const json_t *value; /* null: absent */
} sn_json;

sn_json sn_json_root(sn_json_reader *reader, const json_t *value);
/* A member of an object; absent if the object is. */
sn_json sn_json_get(const sn_json *object, const char *key);
sn_json sn_json_entry(const sn_json *array, size_t index);
/* The number of entries of an array; 0 if it is absent; fails if it is not an array. */
int sn_json_count(const sn_json *array);

bool sn_json_has(const sn_json *object, const char *key);
/* Fails if the object has a member that is not in names, which ends with NULL. */
void sn_json_check_keys(const sn_json *object, const char *const *names);
/* Fails if the member is absent. */
bool sn_json_require(const sn_json *object, const char *key);
/* Real numbers without a fraction count as integers, as in JSON Schema. */
int64_t sn_json_integer(const sn_json *object, const char *key, int64_t fallback, int64_t min_value, int64_t max_value);
/* An index below `count`; -1 if absent. */
int32_t sn_json_index(const sn_json *object, const char *key, int count);
int32_t sn_json_entry_index(const sn_json *array, size_t index, int count);
/* Fails outside the range of a float. */
double sn_json_number(const sn_json *object, const char *key, double fallback);
double sn_json_entry_number(const sn_json *array, size_t index, double fallback);
bool sn_json_flag(const sn_json *object, const char *key, bool fallback);
/* The string belongs to the document. */
const char *sn_json_text(const sn_json *object, const char *key, const char *fallback);
/* Returns false and leaves `out` unchanged if absent or not an array of `count` numbers. */
bool sn_json_numbers(const sn_json *object, const char *key, int count, double *out);

#define SN_JSON_PATH_CHARS 256
/* Writes a path such as "nodes[3].scale", or "document" for the document itself. */
void sn_json_path(const sn_json *at, char path[SN_JSON_PATH_CHARS]);

/* Logs the first failure; returns `code`. */
sn_result sn_json_fail(const sn_json *at, sn_result code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Stores a failure that has been logged already. */
void sn_json_set_result(sn_json_reader *reader, sn_result result);
/* Logs a warning once per document for each bit of `what`. */
void sn_json_warn(const sn_json *at, uint32_t what, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline bool sn_json_failed(const sn_json *at)
{
    return at->reader->result != SN_OK;
}

#endif
