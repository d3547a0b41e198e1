/* SPDX-License-Identifier: MIT */
/* Hears the log: counts its lines and keeps the last. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_LOG_H
#define SN_TESTS_SUPPORT_LOG_H

#include <stdio.h>
#include <string.h>

#include "sinew/types.h"

typedef struct log_count {
    int errors;
    int warnings;
    int lines;             /* of any level */
    char last[1024];       /* likewise */
    char last_error[1024]; /* what came behind it does not hide it */
} log_count;

static log_count logged;

static inline void count_log(sn_log_level level, const char *message, void *user)
{
    (void)user;
    assert_null(strchr(message, '\n'));
    logged.errors += level == SN_LOG_ERROR;
    logged.warnings += level == SN_LOG_WARNING;
    logged.lines += 1;
    snprintf(logged.last, sizeof logged.last, "%s", message);
    if (level == SN_LOG_ERROR) {
        snprintf(logged.last_error, sizeof logged.last_error, "%s", message);
    }
}

/* Nothing was logged yet; sn_set_log(NULL, NULL) ends it. */
static inline void begin_log(void)
{
    logged = (log_count){0};
    sn_set_log(count_log, NULL);
}

/* The promise of what fails: one line, which names the object or says the cause. */
static inline void assert_one_error(const char *words)
{
    if (logged.errors != 1 || !strstr(logged.last_error, words)) {
        fail_msg("%s: %d error lines, the last: %s", words, logged.errors, logged.last_error);
    }
}

static inline void assert_one_warning(const char *words)
{
    if (logged.warnings != 1 || !strstr(logged.last, words)) {
        fail_msg("%s: %d warnings, the last line: %s", words, logged.warnings, logged.last);
    }
}

#endif
