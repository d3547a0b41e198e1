/* SPDX-License-Identifier: MIT */
/* Command-line options of the verbs. One table per verb drives parsing, --help and --help-all. */
#ifndef SN_TOOLS_COMMAND_ARGS_H
#define SN_TOOLS_COMMAND_ARGS_H

#include <stdbool.h>

#define SN_LIST_LIMIT 64

typedef enum sn_option_type {
    SN_OPTION_FLAG,      /* bool */
    SN_OPTION_INT,       /* int in [min, max] */
    SN_OPTION_REAL,      /* finite double in [min, max] */
    SN_OPTION_VECTOR,    /* double[3], "X,Y,Z" */
    SN_OPTION_SIZE,      /* int[2], "WxH", each in [min, max] */
    SN_OPTION_COUNTS,    /* int[3], "N[,N[,N]]", descending, each in [min, max]; missing entries are 0 */
    SN_OPTION_STRING,    /* const char * */
    SN_OPTION_LIST,      /* sn_string_list */
    SN_OPTION_LATER_FLAG /* reserved name that this version does not implement */
} sn_option_type;

typedef struct sn_string_list {
    const char *items[SN_LIST_LIMIT];
    int count;
} sn_string_list;

/* Headings of --help-all. */
typedef enum sn_option_group {
    SN_GROUP_INPUT,
    SN_GROUP_SIMULATION,
    SN_GROUP_RENDERING,
    SN_GROUP_OUTPUT,
    SN_GROUP_ADVANCED,
    SN_GROUP_COUNT
} sn_option_group;

typedef struct sn_option {
    const char *name; /* "--modes" */
    sn_option_type type;
    void *target;
    double min, max;
    const char *value; /* "N" in the help; name and value together at most 24 characters */
    const char *help;  /* at most 73 characters, the default in brackets at the end */
    sn_option_group group;
    bool is_common; /* listed by --help; --help-all lists every option */
} sn_option;

#define SN_EXAMPLE_COUNT 3

typedef struct sn_verb {
    const char *usage;                      /* "cook IN [options] -o OUT.sinew" */
    const char *summary;                    /* one sentence */
    const char *details;                    /* more lines for --help-all, or null */
    const char *examples[SN_EXAMPLE_COUNT]; /* command lines without "sinew"; unused entries are null */
    const sn_option *options;               /* ended by a null name */
    const sn_option *shared_options;        /* options shared by several verbs, ended by a null name, or null */
    sn_string_list *operands;
    int min_operands, max_operands;
} sn_verb;

enum { SN_EXIT_OK = 0, SN_EXIT_FAILED = 1, SN_EXIT_USAGE = 2, SN_CONTINUE = -1 };

/* Returns SN_CONTINUE or an exit code: 0 after --help and --help-all, 1 for an option that is not implemented, 2 for
 * wrong usage (one line on stderr). */
int sn_parse_arguments(const sn_verb *verb, int argument_count, char **arguments);

#endif
