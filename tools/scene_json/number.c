/* SPDX-License-Identifier: MIT */
#include "tools/scene_json/number.h"

#include <string.h>

#include "scenes/script/expression.h"

#define KEY_LIMIT 100000

void *sn_scene_new(sn_scene_reader *reader, int count, size_t size)
{
    void *memory = sn_arena_alloc(reader->arena, (size_t)count, size);
    if (!memory && reader->json.result == SN_OK) {
        sn_json_set_result(&reader->json, SN_ERROR_MEMORY);
    }
    return memory;
}

int sn_scene_count(const sn_json *list, int max)
{
    const int count = sn_json_count(list);
    if (count > max) {
        sn_json_fail(list, SN_ERROR_FORMAT, "has %d entries: at most %d", count, max);
    }
    return sn_json_failed(list) ? 0 : count;
}

void sn_scene_read_real(const sn_json *object, const char *key, double min, double max, double *value)
{
    const sn_json at = sn_json_get(object, key);
    const double read = sn_json_number(object, key, *value);
    if (at.value && !sn_json_failed(&at) && !(read >= min && read <= max)) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "is %g: must be within %g and %g", read, min, max);
    }
    *value = sn_json_failed(&at) ? *value : read;
}

const char *sn_scene_copy_text(sn_scene_reader *reader, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = sn_scene_new(reader, (int)size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

const char *sn_scene_read_text(sn_scene_reader *reader, const sn_json *object, const char *key)
{
    const char *text = sn_json_text(object, key, NULL);
    return text ? sn_scene_copy_text(reader, text) : NULL;
}

const char *sn_scene_path_of(sn_scene_reader *reader, const sn_json *at)
{
    const char *text = json_string_value(at->value), *slash = strrchr(reader->path, '/');
    if (!text || !*text) {
        sn_json_fail(at, SN_ERROR_FORMAT, "is not a path");
        return NULL;
    }
    if (*text == '/' || !slash) {
        return sn_scene_copy_text(reader, text);
    }
    const size_t folder = (size_t)(slash - reader->path) + 1, size = strlen(text) + 1;
    char *path = sn_scene_new(reader, (int)(folder + size), 1);
    if (path) {
        memcpy(path, reader->path, folder);
        memcpy(path + folder, text, size);
    }
    return path;
}

const char *sn_scene_read_path(sn_scene_reader *reader, const sn_json *object, const char *key)
{
    const sn_json at = sn_json_get(object, key);
    return at.value ? sn_scene_path_of(reader, &at) : NULL;
}

void sn_scene_read_choice(const sn_json *object, const char *key, const char *const *names, int *choice)
{
    const sn_json at = sn_json_get(object, key);
    const char *text = sn_json_text(object, key, NULL);
    int match = 0;
    while (text && names[match] && strcmp(names[match], text) != 0) {
        ++match;
    }
    if (text && !names[match]) {
        char list[256] = "";
        for (int i = 0; names[i]; ++i) {
            strncat(list, i > 0 ? ", " : "", sizeof list - strlen(list) - 1);
            strncat(list, names[i], sizeof list - strlen(list) - 1);
        }
        sn_json_fail(&at, SN_ERROR_FORMAT, "is '%.80s': must be one of %s", text, list);
    } else if (text) {
        *choice = match;
    }
}

bool sn_scene_read_point(const sn_json *at, double point[3])
{
    const int count = sn_json_count(at);
    if (!at->value) {
        return false;
    }
    if (!json_is_array(at->value) || count < 2 || count > 3) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have two or three numbers");
        return false;
    }
    point[2] = 0;
    for (int d = 0; d < count; ++d) {
        point[d] = sn_json_entry_number(at, (size_t)d, 0);
    }
    return !sn_json_failed(at);
}

/* ---- time-dependent numbers ---- */

static void read_expression(sn_scene_reader *reader, const sn_json *at, sn_scene_number *number)
{
    sn_expression expression;
    sn_expression_error error;
    const char *text = json_string_value(at->value);
    if (!sn_expression_compile(text, &expression, &error)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "'%.80s': character %zu: %s", text, error.at + 1, error.message);
        return;
    }
    number->expression = sn_scene_copy_text(reader, text);
}

/* The value of a key: one number, or `width` numbers for vectors. */
static void read_time_key(const sn_json *key, int width, const sn_scene_key *before, sn_scene_key *keys[3], int index)
{
    const sn_json value = sn_json_entry(key, 1);
    const double seconds = sn_json_entry_number(key, 0, 0);
    if (sn_json_count(key) != 2) {
        sn_json_fail(key, SN_ERROR_FORMAT, "must be [seconds, value]");
    } else if (before && !(seconds > before->seconds)) {
        sn_json_fail(key, SN_ERROR_FORMAT, "is not later than the key before");
    }
    if (width == 3 && sn_json_count(&value) != 3) {
        sn_json_fail(&value, SN_ERROR_FORMAT, "must have three numbers");
    }
    for (int d = 0; d < width; ++d) {
        keys[d][index].seconds = seconds;
        keys[d][index].value =
            width == 1 ? sn_json_entry_number(key, 1, 0) : sn_json_entry_number(&value, (size_t)d, 0);
    }
}

static void read_time_keys(sn_scene_reader *reader, const sn_json *at, int width, sn_scene_number *numbers)
{
    static const char *const members[] = {"keys", "ease", "loop", NULL};
    static const char *const eases[] = {"linear", "smooth", "step", NULL};
    const sn_json list = sn_json_get(at, "keys");
    sn_scene_key *keys[3] = {NULL};
    int ease = SN_EASE_LINEAR;
    sn_json_check_keys(at, members);
    sn_scene_read_choice(at, "ease", eases, &ease);
    const int count = sn_scene_count(&list, KEY_LIMIT);
    if (count == 0) {
        sn_json_fail(&list, SN_ERROR_FORMAT, "needs keys");
    }
    for (int d = 0; d < width; ++d) {
        keys[d] = SN_SCENE_NEW(reader, sn_scene_key, count);
    }
    for (int i = 0; i < count && !sn_json_failed(at); ++i) {
        const sn_json key = sn_json_entry(&list, (size_t)i);
        read_time_key(&key, width, i > 0 ? &keys[0][i - 1] : NULL, keys, i);
    }
    for (int d = 0; d < width && !sn_json_failed(at); ++d) {
        numbers[d] = (sn_scene_number){.keys = keys[d],
                                       .key_count = count,
                                       .ease = (sn_scene_ease)ease,
                                       .is_looping = sn_json_flag(at, "loop", false)};
    }
}

static void parse_number(sn_scene_reader *reader, const sn_json *at, sn_scene_number *number)
{
    if (json_is_string(at->value)) {
        *number = (sn_scene_number){0};
        read_expression(reader, at, number);
    } else if (json_is_object(at->value)) {
        read_time_keys(reader, at, 1, number);
    } else if (json_is_number(at->value)) {
        *number = (sn_scene_number){.constant = json_number_value(at->value)};
    } else {
        sn_json_fail(at, SN_ERROR_FORMAT, "must be a number, an expression or keys");
    }
}

void sn_scene_read_number(sn_scene_reader *reader, const sn_json *object, const char *key, sn_scene_number *number)
{
    const sn_json at = sn_json_get(object, key);
    if (at.value) {
        parse_number(reader, &at, number);
    }
}

void sn_scene_read_vector(sn_scene_reader *reader, const sn_json *object, const char *key, sn_scene_vector *vector)
{
    const sn_json at = sn_json_get(object, key);
    if (json_is_object(at.value)) {
        read_time_keys(reader, &at, 3, vector->at);
    } else if (at.value && sn_json_count(&at) != 3) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "must have three entries, or keys");
    }
    for (int d = 0; d < 3 && json_is_array(at.value); ++d) {
        const sn_json entry = sn_json_entry(&at, (size_t)d);
        if (!sn_json_failed(&at)) {
            parse_number(reader, &entry, &vector->at[d]);
        }
    }
}

static const struct {
    char letter;
    unsigned locks;
} lock_letters[] = {{'x', SN_LOCK_X},           {'y', SN_LOCK_Y},          {'z', SN_LOCK_Z},
                    {'t', SN_LOCK_TRANSLATION}, {'X', SN_LOCK_ROTATION_X}, {'Y', SN_LOCK_ROTATION_Y},
                    {'Z', SN_LOCK_ROTATION_Z},  {'r', SN_LOCK_ROTATION},   {'s', SN_LOCK_STRETCH}};

/* "xyzr", "all", "none" */
unsigned sn_scene_read_locks(const sn_json *at)
{
    const char *text = json_string_value(at->value);
    unsigned locks = 0;
    if (!text) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must be \"all\", \"none\" or letters of xyzrsXYZt");
        return 0;
    }
    if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0) {
        return *text == 'a' ? SN_LOCK_ALL : 0;
    }
    for (const char *c = text; *c; ++c) {
        unsigned match = 0;
        for (size_t i = 0; i < sizeof lock_letters / sizeof lock_letters[0]; ++i) {
            match |= lock_letters[i].letter == *c ? lock_letters[i].locks : 0;
        }
        if (match == 0) {
            sn_json_fail(at, SN_ERROR_FORMAT, "'%.80s': no lock has the letter '%c' (xyzrsXYZt)", text, *c);
        }
        locks |= match;
    }
    return locks;
}
