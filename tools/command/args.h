/* SPDX-License-Identifier: MIT */
/* Command-line options of the verbs: one table a verb drives parsing and --help. */
#ifndef SN_TOOLS_COMMAND_ARGS_H
#define SN_TOOLS_COMMAND_ARGS_H

#include <stdbool.h>

#define SN_LIST_LIMIT 64

typedef enum sn_option_kind {
    SN_OPTION_FLAG,      /* bool */
    SN_OPTION_INT,       /* int, within [least, most] */
    SN_OPTION_REAL,      /* double, finite, within [least, most] */
    SN_OPTION_VECTOR,    /* double[3], "X,Y,Z" */
    SN_OPTION_SIZE,      /* int[2], "WxH", each within [least, most] */
    SN_OPTION_COUNTS,    /* int[3], "N[,N[,N]]", descending, each within [least, most]; 0 where there is none */
    SN_OPTION_STRING,    /* const char * */
    SN_OPTION_LIST,      /* sn_string_list */
    SN_OPTION_LATER_FLAG /* of the contract, not in this version */
} sn_option_kind;

typedef struct sn_string_list {
    const char *items[SN_LIST_LIMIT];
    int count;
} sn_string_list;

typedef struct sn_option {
    const char *name; /* "--modes" */
    sn_option_kind kind;
    void *target;
    double least, most;
    const char *value; /* "N" in the help */
    const char *help;
} sn_option;

typedef struct sn_verb {
    const char *usage; /* "cook IN [options] -o OUT.sinew" */
    const char *says;
    const sn_option *options;        /* ended by a null name */
    const sn_option *shared_options; /* more of them, which several verbs have; or null */
    sn_string_list *operands;
    int least_operands, most_operands;
} sn_verb;

enum { SN_EXIT_OK = 0, SN_EXIT_FAILED = 1, SN_EXIT_USAGE = 2, SN_CONTINUE = -1 };

/* SN_CONTINUE, or the exit code: 0 after --help, 1 for a feature that is not there yet, 2 for bad usage (one line on
 * stderr). */
int sn_parse_arguments(const sn_verb *verb, int argument_count, char **arguments);

#endif
