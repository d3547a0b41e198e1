/* SPDX-License-Identifier: MIT */
/* The `sinew` command. Verbs print log lines on stderr and exit with 0 (ok), 1 (failed) or 2 (usage). */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "author/io/source.h"
#include "tools/command/args.h"
#include "tools/command/log.h"
#include "tools/command/verbs.h"

static const struct {
    const char *name;
    int (*run)(int argument_count, char **arguments);
    const char *summary;
} verbs[] = {
    {"cook", sn_verb_cook, "convert a character to a .sinew model"},
    {"info", sn_verb_info, "describe a .sinew model, a character file or a motion file"},
    {"tune", sn_verb_tune, "list the parts of a model's flesh, or change the motion of one"},
    {"sim", sn_verb_sim, "simulate a model without a window and measure the result"},
    {"play", sn_verb_play, "simulate and render a model in a window, to pictures or in a headset"},
    {"bake", sn_verb_bake, "export an animation with secondary motion to glTF, USD or JSON"},
    {"puppet", sn_verb_puppet, "drive a character by live face and body tracking"},
    {"fourier", sn_verb_fourier, "export key shapes with analytic secondary motion to glTF or USD"},
    {"spacetime", sn_verb_spacetime, "optimise the motion between keyframes and export it as blendshapes"},
    {"characters", sn_verb_characters, "write the project's example characters and drawings"},
    {"bench", sn_verb_bench, "measure cooking, simulation and skinning"},
};

static void print_usage(FILE *to)
{
    fprintf(to, "usage: sinew VERB [arguments]; sinew VERB --help\n\n");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i) {
        fprintf(to, "  %-11s %s\n", verbs[i].name, verbs[i].summary);
    }
    fprintf(to, "\n  --help, --version; every verb has --help and --help-all\n");
}

static void print_mistake(const char *mistake, const char *verb)
{
    fprintf(stderr, "sinew: %s%s; usage: sinew ", mistake, verb);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i) {
        fprintf(stderr, "%s%s", i > 0 ? "|" : "", verbs[i].name);
    }
    fprintf(stderr, " ... (sinew --help)\n");
}

/* Output that cannot be written completely is a failure. */
static int finish_output(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "sinew: standard output: cannot write\n");
        return status == SN_EXIT_OK ? SN_EXIT_FAILED : status;
    }
    return status;
}

/* Opens /dev/null for closed standard streams. Otherwise the next opened file would get the stream's number, and
 * printed text would go into that file. The read-only descriptor makes printing fail. */
static void reserve_standard_streams(void)
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
    sn_source_protect_inputs();
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

/* Skips exit handlers with quick_exit: OpenBLAS's handler waits for its threads, which retry allocations forever when
 * memory is scarce (ulimit -v, many cores). Sanitizers need their handlers to report leaks. */
int main(int argument_count, char **arguments)
{
    reserve_standard_streams();
    signal(SIGXFSZ, SIG_IGN); /* writing beyond ulimit -f then fails with an error instead of a signal */
    const int status = finish_output(run(argument_count, arguments));
#ifndef SN_SANITIZED
    quick_exit(status);
#endif
    return status;
}
