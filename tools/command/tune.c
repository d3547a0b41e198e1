/* SPDX-License-Identifier: MIT */
/* sinew tune: lists the parts of a model's flesh, or changes one. */
#include <stdio.h>

#include "author/io/rig/sidecar.h"
#include "author/io/source.h"
#include "host/platform/platform.h"
#include "sinew/author.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/verbs.h"

typedef struct tune_arguments {
    sn_string_list operands;
    const char *part, *output;
    double amplitude, frequency, settling_time;
    bool is_json;
} tune_arguments;

static json_t *part_json(const sn_model_flesh_part *part)
{
    const bool is_rigid = part->frequency <= 0;
    return json_pack("{s:s,s:b,s:o,s:o,s:o}", "name", part->name, "rigid", is_rigid, "frequency",
                     is_rigid ? json_null() : sn_json_real((double)part->frequency), "amplitude",
                     is_rigid ? json_null() : sn_json_real((double)part->amplitude), "settle",
                     is_rigid ? json_null() : sn_json_real((double)part->settling_time));
}

static void print_json(const char *path, const sn_model *model, double seconds)
{
    json_t *parts = json_array();
    for (int i = 0; i < sn_model_flesh_part_count(model); ++i) {
        const sn_model_flesh_part part = sn_model_get_flesh_part(model, i);
        json_array_append_new(parts, part_json(&part));
    }
    sn_print_json(json_pack("{s:s,s:o,s:f}", "model", path, "parts", parts, "seconds", seconds));
}

static void print_table(const sn_model *model)
{
    if (sn_model_flesh_part_count(model) == 0) {
        printf("no parts: the flesh has one stiffness\n");
        return;
    }
    printf("%-24s %9s %9s %9s\n", "part", "frequency", "amplitude", "settles");
    for (int i = 0; i < sn_model_flesh_part_count(model); ++i) {
        const sn_model_flesh_part part = sn_model_get_flesh_part(model, i);
        if (part.frequency > 0) {
            printf("%-24s %6.2f Hz %8.2f%% %7.2f s\n", part.name, (double)part.frequency, 100 * (double)part.amplitude,
                   (double)part.settling_time);
        } else {
            printf("%-24s %9s\n", part.name, "rigid");
        }
    }
}

static sn_result change(const tune_arguments *a, const char *path, const char *output, sn_model **model, sn_blob *blob)
{
    const sn_part_change change = {
        .name = a->part, .amplitude = a->amplitude, .frequency = a->frequency, .settling_time = a->settling_time};
    SN_TRY(sn_tune(*model, path, &change, 1, blob));
    SN_TRY(sn_file_write(output, blob->bytes, blob->size));
    sn_model_release(*model);
    *model = NULL;
    return sn_model_load(blob->bytes, blob->size, model);
}

int sn_verb_tune(int argument_count, char **arguments)
{
    tune_arguments a = {0};
    const sn_option options[] = {
        {"--part", SN_OPTION_STRING, &a.part, 0, 0, "NAME", "the part to change", SN_GROUP_INPUT, true},
        {"--amplitude", SN_OPTION_REAL, &a.amplitude, 1e-4, SN_MAX_PART_AMPLITUDE, "A",
         "displacement of its skin in a walk, fraction of the height", SN_GROUP_SIMULATION, true},
        {"--frequency", SN_OPTION_REAL, &a.frequency, SN_MIN_PART_FREQUENCY, SN_MAX_PART_FREQUENCY, "HZ",
         "lowest frequency of its swings, in place of an amplitude", SN_GROUP_SIMULATION, true},
        {"--settle", SN_OPTION_REAL, &a.settling_time, SN_MIN_SETTLING_TIME, SN_MAX_SETTLING_TIME, "S",
         "seconds until a swing has decayed to 2%", SN_GROUP_SIMULATION, true},
        {"-o", SN_OPTION_STRING, &a.output, 0, 0, "OUT", "the changed model [replaces MODEL]", SN_GROUP_OUTPUT, true},
        {"--json", SN_OPTION_FLAG, &a.is_json, 0, 0, NULL, "print the parts as JSON on stdout", SN_GROUP_OUTPUT, true},
        {NULL, SN_OPTION_FLAG, NULL, 0, 0, NULL, NULL, SN_GROUP_ADVANCED, false}};
    const sn_verb verb = {.usage = "tune MODEL.sinew [--part NAME changes] [-o OUT.sinew]",
                          .summary = "Lists the parts of a model's flesh, or changes the motion of one.",
                          .examples = {"tune avatar.sinew", "tune avatar.sinew --part belly --amplitude 0.03",
                                       "tune avatar.sinew --part tail --settle 1.5 -o lively.sinew"},
                          .options = options,
                          .operands = &a.operands,
                          .min_operands = 1,
                          .max_operands = 1};
    const int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status != SN_CONTINUE) {
        return status;
    }
    const bool has_change = a.amplitude > 0 || a.frequency > 0 || a.settling_time > 0;
    if (has_change != (a.part != NULL) || (a.output && !a.part)) {
        fprintf(stderr, "sinew: tune: %s; see sinew tune --help\n",
                a.part       ? "--part needs --amplitude, --frequency or --settle"
                : has_change ? "a change needs --part"
                             : "-o needs --part and a change");
        return SN_EXIT_USAGE;
    }
    const char *path = a.operands.items[0];
    const double start = sn_now();
    sn_model *model = NULL;
    sn_blob blob = {0};
    sn_result result = sn_model_open(path, &model);
    if (result == SN_OK && a.part) {
        result = change(&a, path, a.output ? a.output : path, &model, &blob);
    }
    if (result == SN_OK && a.is_json) {
        print_json(a.output ? a.output : path, model, sn_now() - start);
    } else if (result == SN_OK) {
        print_table(model);
    }
    sn_model_release(model);
    sn_blob_release(&blob);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}
