/* SPDX-License-Identifier: MIT */
#include "tools/command/args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/base.h"

/* Columns of the option and its value in the help. */
#define LABEL_COLUMNS 24

static void print_option(const char *name, const char *value, const char *help, bool is_later)
{
    const int width = printf("  %s%s%s", name, value ? " " : "", value ? value : "") - 2;
    printf("%*s %s%s\n", width < LABEL_COLUMNS ? LABEL_COLUMNS - width : 0, "", help,
           is_later ? " (not in this version)" : "");
}

static void print_common_options(const sn_option *options)
{
    for (const sn_option *o = options; o && o->name; ++o) {
        if (o->is_common) {
            print_option(o->name, o->value, o->help, false);
        }
    }
}

static int count_options(const sn_option *options)
{
    int count = 0;
    while (options && options[count].name) {
        ++count;
    }
    return count;
}

static void print_help(const sn_verb *verb)
{
    const int count = count_options(verb->options) + count_options(verb->shared_options);
    printf("usage: sinew %s\n%s\n\nExamples:\n", verb->usage, verb->summary);
    for (int i = 0; i < SN_EXAMPLE_COUNT && verb->examples[i]; ++i) {
        printf("  sinew %s\n", verb->examples[i]);
    }
    printf("\nOptions:\n");
    print_common_options(verb->options);
    print_common_options(verb->shared_options);
    printf("\n`sinew %.*s --help-all` lists all %d option%s.\n", (int)strcspn(verb->usage, " "), verb->usage, count,
           count == 1 ? "" : "s");
}

static void print_group(const sn_option *options, sn_option_group group, bool *has_heading)
{
    static const char *const headings[SN_GROUP_COUNT] = {[SN_GROUP_INPUT] = "Input",
                                                         [SN_GROUP_SIMULATION] = "Simulation",
                                                         [SN_GROUP_RENDERING] = "Rendering",
                                                         [SN_GROUP_OUTPUT] = "Output",
                                                         [SN_GROUP_ADVANCED] = "Advanced"};
    for (const sn_option *o = options; o && o->name; ++o) {
        if (o->group != group) {
            continue;
        }
        if (!*has_heading) {
            printf("\n%s:\n", headings[group]);
            *has_heading = true;
        }
        print_option(o->name, o->value, o->help, o->type == SN_OPTION_LATER_FLAG);
    }
}

static void print_all_help(const sn_verb *verb)
{
    static const sn_option help[] = {{.name = "--help", .help = "the common options", .group = SN_GROUP_ADVANCED},
                                     {.name = "--help-all", .help = "this text", .group = SN_GROUP_ADVANCED},
                                     {0}};
    printf("usage: sinew %s\n%s\n", verb->usage, verb->summary);
    if (verb->details) {
        printf("\n%s\n", verb->details);
    }
    for (int group = 0; group < SN_GROUP_COUNT; ++group) {
        bool has_heading = false;
        print_group(verb->options, (sn_option_group)group, &has_heading);
        print_group(verb->shared_options, (sn_option_group)group, &has_heading);
        print_group(help, (sn_option_group)group, &has_heading);
    }
}

static bool parse_real(const char *text, const char **end, double *value)
{
    char *stop = NULL;
    errno = 0;
    *value = strtod(text, &stop);
    *end = stop;
    return stop != text && isfinite(*value);
}

static bool parse_vector(const char *text, double *vector)
{
    for (int d = 0; d < 3; ++d) {
        if (!parse_real(text, &text, &vector[d]) || *text != (d < 2 ? ',' : '\0')) {
            return false;
        }
        ++text;
    }
    return true;
}

/* Accepts decimal digits only; strtol would accept signs and spaces. */
static bool parse_count(const char **text, double max, int *value)
{
    double sum = 0;
    const char *begin = *text;
    for (; **text >= '0' && **text <= '9' && sum <= max; ++*text) {
        sum = 10 * sum + (**text - '0');
    }
    *value = sum <= max ? (int)sum : 0;
    return *text > begin && sum <= max;
}

static bool parse_size(const sn_option *option, const char *text)
{
    int size[2];
    if (!parse_count(&text, option->max, &size[0]) || *text++ != 'x' || !parse_count(&text, option->max, &size[1]) ||
        *text || size[0] < option->min || size[1] < option->min) {
        return false;
    }
    memcpy(option->target, size, sizeof size);
    return true;
}

static bool parse_counts(const sn_option *option, const char *text)
{
    int counts[3] = {0};
    for (int i = 0; i < 3; ++i) {
        if (!parse_count(&text, option->max, &counts[i]) || counts[i] < option->min ||
            (i > 0 && counts[i] >= counts[i - 1])) {
            return false;
        }
        if (*text == '\0') {
            memcpy(option->target, counts, sizeof counts);
            return true;
        }
        if (*text++ != ',') {
            return false;
        }
    }
    return false;
}

static bool store_value(const sn_option *option, const char *text)
{
    const char *end = text;
    double value = 0;
    sn_string_list *list = option->target;
    switch (option->type) {
    case SN_OPTION_INT:
        if (!parse_real(text, &end, &value) || *end || value != floor(value) || value < option->min ||
            value > option->max) {
            return false;
        }
        *(int *)option->target = (int)value;
        return true;
    case SN_OPTION_REAL:
        if (!parse_real(text, &end, &value) || *end || value < option->min || value > option->max) {
            return false;
        }
        *(double *)option->target = value;
        return true;
    case SN_OPTION_VECTOR:
        return parse_vector(text, option->target);
    case SN_OPTION_SIZE:
        return parse_size(option, text);
    case SN_OPTION_COUNTS:
        return parse_counts(option, text);
    case SN_OPTION_STRING:
        *(const char **)option->target = text;
        return true;
    case SN_OPTION_LIST:
        list->items[list->count++] = text;
        return true;
    default:
        return false;
    }
}

static const sn_option *find_in(const sn_option *options, const char *name)
{
    for (const sn_option *o = options; o && o->name; ++o) {
        if (strcmp(o->name, name) == 0) {
            return o;
        }
    }
    return NULL;
}

static const sn_option *find_option(const sn_verb *verb, const char *name)
{
    const sn_option *own = find_in(verb->options, name);
    return own ? own : find_in(verb->shared_options, name);
}

static int parse_option(const sn_verb *verb, int count, char **arguments, int *at)
{
    const char *name = arguments[*at];
    const sn_option *option = find_option(verb, name);
    if (!option) {
        fprintf(stderr, "sinew: unknown option %s; usage: sinew %s\n", name, verb->usage);
        return SN_EXIT_USAGE;
    }
    if (option->type == SN_OPTION_LATER_FLAG) {
        fprintf(stderr, "sinew: %s: not in this version\n", name);
        return SN_EXIT_FAILED;
    }
    if (option->type == SN_OPTION_FLAG) {
        *(bool *)option->target = true;
        return SN_CONTINUE;
    }
    if (*at + 1 >= count) {
        fprintf(stderr, "sinew: %s: needs a value (%s)\n", name, option->value);
        return SN_EXIT_USAGE;
    }
    if (option->type == SN_OPTION_LIST && ((sn_string_list *)option->target)->count == SN_LIST_LIMIT) {
        fprintf(stderr, "sinew: %s: at most %d times\n", name, SN_LIST_LIMIT);
        return SN_EXIT_USAGE;
    }
    if (!store_value(option, arguments[++*at])) {
        fprintf(stderr, "sinew: %s %s: not a valid value (%s)\n", name, arguments[*at], option->value);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

/* Number of arguments before "--"; those after it are operands, as in POSIX. */
static int count_before_operands(int count, char **arguments)
{
    int at = 0;
    while (at < count && strcmp(arguments[at], "--") != 0) {
        ++at;
    }
    return at;
}

int sn_parse_arguments(const sn_verb *verb, int argument_count, char **arguments)
{
    const int option_count = count_before_operands(argument_count, arguments);
    for (int i = 0; i < option_count; ++i) {
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0) {
            print_help(verb);
            return SN_EXIT_OK;
        }
        if (strcmp(arguments[i], "--help-all") == 0) {
            print_all_help(verb);
            return SN_EXIT_OK;
        }
    }
    int status = SN_CONTINUE;
    for (int i = 0; i < argument_count && status == SN_CONTINUE; ++i) {
        if (i == option_count) {
            continue; /* the "--" itself */
        }
        if (i < option_count && arguments[i][0] == '-' && arguments[i][1] != '\0') {
            status = parse_option(verb, option_count, arguments, &i);
        } else if (verb->operands->count < verb->max_operands) {
            verb->operands->items[verb->operands->count++] = arguments[i];
        } else {
            fprintf(stderr, "sinew: unexpected argument %s; usage: sinew %s\n", arguments[i], verb->usage);
            status = SN_EXIT_USAGE;
        }
    }
    if (status == SN_CONTINUE && verb->operands->count < verb->min_operands) {
        fprintf(stderr, "sinew: too few arguments; usage: sinew %s\n", verb->usage);
        status = SN_EXIT_USAGE;
    }
    if (status == SN_CONTINUE && verb->operands->count > 0) {
        sn_log_subject(verb->operands->items[0]);
    }
    return status;
}
