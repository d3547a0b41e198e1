/* SPDX-License-Identifier: MIT */
/* The `sinew` command: verbs, log lines to stderr, exit codes 0 ok / 1 failed / 2 usage. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/args.h"
#include "tools/command/log.h"
#include "tools/command/verbs.h"

static const struct {
    const char *name;
    int (*run)(int argument_count, char **arguments);
    const char *says;
} verbs[] = {
    {"cook", sn_verb_cook, "a character's files to a .sinew model"},
    {"info", sn_verb_info, "what a .sinew or an input file holds"},
    {"sim", sn_verb_sim, "step a model without a window"},
    {"play", sn_verb_play, "draw a model, in a window or to pictures"},
    {"bench", sn_verb_bench, "measure"},
    {"characters", sn_verb_characters, "make the mascot and the octopus as .glb files"},
    {"bake", sn_verb_bake, "a motion, flesh included, to glTF, USD or JSON"},
    {"fourier", sn_verb_fourier, "shapes at keys, and analytic physics between them, to glTF or USD"},
    {"spacetime", sn_verb_spacetime, "keys to a motion as blendshapes, with the physics of flesh"},
    {"puppet", sn_verb_puppet, "a character that moves as somebody does who is tracked"},
};

static void print_usage(FILE *to)
{
    fprintf(to, "usage: sinew VERB [arguments]; sinew VERB --help\n\n");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i) {
        fprintf(to, "  %-10s %s\n", verbs[i].name, verbs[i].says);
    }
    fprintf(to, "\n  --help, --version\n");
}

static void print_mistake(const char *mistake, const char *verb)
{
    fprintf(stderr, "sinew: %s%s; usage: sinew ", mistake, verb);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i) {
        fprintf(stderr, "%s%s", i > 0 ? "|" : "", verbs[i].name);
    }
    fprintf(stderr, " ... (sinew --help)\n");
}

/* A report that could not be written whole is a failure. */
static int finish_output(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "sinew: standard output: cannot write\n");
        return status == SN_EXIT_OK ? SN_EXIT_FAILED : status;
    }
    return status;
}

/* Where a standard stream is closed, a file that is opened would take its number, and what is printed: this fails. */
static void hold_standard_streams(void)
{
    int file = 0;
    do {
        file = open("/dev/null", O_RDONLY);
    } while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0) {
        close(file);
    }
}

static int run(int argument_count, char **arguments)
{
    sn_set_log(sn_print_log, NULL);
    if (argument_count < 2) {
        print_mistake("no verb", "");
        return SN_EXIT_USAGE;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        print_usage(stdout);
        return SN_EXIT_OK;
    }
    if (strcmp(arguments[1], "--version") == 0) {
        printf("sinew %s\n", sn_version());
        return SN_EXIT_OK;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i) {
        if (strcmp(arguments[1], verbs[i].name) != 0) {
            continue;
        }
        return verbs[i].run(argument_count - 2, arguments + 2);
    }
    print_mistake("unknown verb ", arguments[1]);
    return SN_EXIT_USAGE;
}

/* Without exit handlers: that of OpenBLAS waits for its threads, which try for ever to get memory where there is too
 * little for them (ulimit -v, many cores). Sanitizers look for leaks in theirs. */
int main(int argument_count, char **arguments)
{
    hold_standard_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large (ulimit -f) is one that cannot be written */
    const int status = finish_output(run(argument_count, arguments));
#ifndef SN_SANITIZED
    quick_exit(status);
#endif
    return status;
}
