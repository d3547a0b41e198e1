/* SPDX-License-Identifier: MIT */
#include "tools/command/args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/base.h"

static void print_options(const sn_option *options)
{
    for (const sn_option *o = options; o && o->name; ++o) {
        const int width = printf("  %s %s", o->name, o->value ? o->value : "");
        const bool is_later = o->kind == SN_OPTION_LATER_FLAG;
        printf("%*s %s%s\n", width < 30 ? 30 - width : 0, "", o->help, is_later ? " (not in this version)" : "");
    }
}

static void print_help(const sn_verb *verb)
{
    printf("usage: sinew %s\n%s\n\n", verb->usage, verb->says);
    print_options(verb->options);
    print_options(verb->shared_options);
    printf("  %-28s %s\n", "--help", "this text");
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

/* Decimal digits alone: strtol would take signs and spaces. */
static bool parse_count(const char **text, double most, int *value)
{
    double sum = 0;
    const char *begin = *text;
    for (; **text >= '0' && **text <= '9' && sum <= most; ++*text) {
        sum = 10 * sum + (**text - '0');
    }
    *value = sum <= most ? (int)sum : 0;
    return *text > begin && sum <= most;
}

static bool parse_size(const sn_option *option, const char *text)
{
    int size[2];
    if (!parse_count(&text, option->most, &size[0]) || *text++ != 'x' || !parse_count(&text, option->most, &size[1]) ||
        *text || size[0] < option->least || size[1] < option->least) {
        return false;
    }
    memcpy(option->target, size, sizeof size);
    return true;
}

static bool parse_counts(const sn_option *option, const char *text)
{
    int counts[3] = {0};
    for (int i = 0; i < 3; ++i) {
        if (!parse_count(&text, option->most, &counts[i]) || counts[i] < option->least ||
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
    switch (option->kind) {
    case SN_OPTION_INT:
        if (!parse_real(text, &end, &value) || *end || value != floor(value) || value < option->least ||
            value > option->most) {
            return false;
        }
        *(int *)option->target = (int)value;
        return true;
    case SN_OPTION_REAL:
        if (!parse_real(text, &end, &value) || *end || value < option->least || value > option->most) {
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
    if (option->kind == SN_OPTION_LATER_FLAG) {
        fprintf(stderr, "sinew: %s: not in this version\n", name);
        return SN_EXIT_FAILED;
    }
    if (option->kind == SN_OPTION_FLAG) {
        *(bool *)option->target = true;
        return SN_CONTINUE;
    }
    if (*at + 1 >= count) {
        fprintf(stderr, "sinew: %s: needs a value (%s)\n", name, option->value);
        return SN_EXIT_USAGE;
    }
    if (option->kind == SN_OPTION_LIST && ((sn_string_list *)option->target)->count == SN_LIST_LIMIT) {
        fprintf(stderr, "sinew: %s: at most %d times\n", name, SN_LIST_LIMIT);
        return SN_EXIT_USAGE;
    }
    if (!store_value(option, arguments[++*at])) {
        fprintf(stderr, "sinew: %s %s: not a valid value (%s)\n", name, arguments[*at], option->value);
        return SN_EXIT_USAGE;
    }
    return SN_CONTINUE;
}

/* POSIX: behind "--" there are operands alone, whatever they begin with. */
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
    }
    int status = SN_CONTINUE;
    for (int i = 0; i < argument_count && status == SN_CONTINUE; ++i) {
        if (i == option_count) {
            continue; /* the "--" itself */
        }
        if (i < option_count && arguments[i][0] == '-' && arguments[i][1] != '\0') {
            status = parse_option(verb, option_count, arguments, &i);
        } else if (verb->operands->count < verb->most_operands) {
            verb->operands->items[verb->operands->count++] = arguments[i];
        } else {
            fprintf(stderr, "sinew: unexpected argument %s; usage: sinew %s\n", arguments[i], verb->usage);
            status = SN_EXIT_USAGE;
        }
    }
    if (status == SN_CONTINUE && verb->operands->count < verb->least_operands) {
        fprintf(stderr, "sinew: too few arguments; usage: sinew %s\n", verb->usage);
        status = SN_EXIT_USAGE;
    }
    if (status == SN_CONTINUE && verb->operands->count > 0) {
        sn_log_subject(verb->operands->items[0]);
    }
    return status;
}
