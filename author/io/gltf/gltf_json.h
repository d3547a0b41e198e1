/* SPDX-License-Identifier: MIT */
/* Typed access to a JSON document, where each value knows its path: failures read "FILE: nodes[3].scale: cause".
 *
 * The first failure is logged and kept in the reader; later ones are silent, and what failed gives its fallback. So a
 * run of reads needs one check behind it, and a document logs one error line at most. */
#ifndef SN_AUTHOR_IO_GLTF_GLTF_JSON_H
#define SN_AUTHOR_IO_GLTF_GLTF_JSON_H

#include <jansson.h>

#include "host/base/base.h"

typedef struct sn_json_reader {
    const char *name; /* of the file, for messages */
    sn_result result; /* of the first failure */
    uint32_t warned;  /* bits of what has been warned of */
} sn_json_reader;

/* A value and where it stands. Places point at the places around them: those must live as long. */
typedef struct sn_json {
    sn_json_reader *reader;
    const struct sn_json *parent; /* null: the document */
    const char *key;              /* null: an entry of an array */
    size_t index;
    const json_t *value; /* null: absent */
} sn_json;

sn_json sn_json_root(sn_json_reader *reader, const json_t *value);
/* A member; absent when the object is. */
sn_json sn_json_get(const sn_json *object, const char *key);
sn_json sn_json_entry(const sn_json *array, size_t index);
/* Entries of an array; 0 when it is absent or no array, which is a failure. */
int sn_json_count(const sn_json *array);

bool sn_json_has(const sn_json *object, const char *key);
/* Fails where it has a member that is none of these; names end with null. */
void sn_json_only(const sn_json *object, const char *const *names);
/* Fails where the member is absent. */
bool sn_json_need(const sn_json *object, const char *key);
/* Reals without a fraction count as integers, as in JSON Schema. */
int64_t sn_json_integer(const sn_json *object, const char *key, int64_t fallback, int64_t least, int64_t most);
/* An index below `count`; -1 when absent. */
int32_t sn_json_index(const sn_json *object, const char *key, int count);
int32_t sn_json_entry_index(const sn_json *array, size_t index, int count);
/* Within the range of float. */
double sn_json_number(const sn_json *object, const char *key, double fallback);
double sn_json_entry_number(const sn_json *array, size_t index, double fallback);
bool sn_json_flag(const sn_json *object, const char *key, bool fallback);
/* Borrowed from the document. */
const char *sn_json_text(const sn_json *object, const char *key, const char *fallback);
/* False, and `out` untouched, when absent or not an array of `count` numbers. */
bool sn_json_numbers(const sn_json *object, const char *key, int count, double *out);

#define SN_JSON_PATH_CHARS 256
/* "nodes[3].scale"; the document itself is "document". */
void sn_json_path(const sn_json *at, char path[SN_JSON_PATH_CHARS]);

/* Returns `code`. */
sn_result sn_json_fail(const sn_json *at, sn_result code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What has logged its own line is kept here. */
void sn_json_keep(sn_json_reader *reader, sn_result result);
/* Once for each bit of `what` in a document. */
void sn_json_warn(const sn_json *at, uint32_t what, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline bool sn_json_failed(const sn_json *at)
{
    return at->reader->result != SN_OK;
}

#endif
