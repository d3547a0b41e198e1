/* SPDX-License-Identifier: MIT */
/* sinew puppet: drives a character by live tracking. */
#include <stdio.h>
#include <string.h>

#include "runtime/input/interrupt.h"
#include "runtime/puppet/face_recording.h"
#include "runtime/puppet/vmc_source.h"
#include "runtime/session/live.h"
#include "tools/command/json.h"
#include "tools/command/overwrite.h"
#include "tools/command/verbs.h"
#include "tools/play/play.h"
#include "tools/puppet/capture_file.h"
#include "tools/puppet/web.h"

typedef struct puppet_verb {
    const char *listen, *face;
    sn_capture_file capture_file;
    bool is_vmc, is_at_rest;
    sn_web_options web;
    const char *where; /* the VMC source */
    sn_arena arena;
    sn_tracking_source *sources[SN_PUPPET_SOURCE_LIMIT]; /* (source_count); owned until the puppet takes them */
    int source_count;
    sn_puppet *puppet;
    sn_live *live;
    sn_capture *capture; /* or null */
} puppet_verb;

static int exit_code(sn_result result)
{
    return result == SN_OK ? SN_CONTINUE : result == SN_ERROR_ARGUMENT ? SN_EXIT_USAGE : SN_EXIT_FAILED;
}

static int open_sources(puppet_verb *v)
{
    v->web.is_enabled = v->web.is_enabled || v->web.page || v->web.is_in_place || v->web.certificate || v->web.key ||
                        v->web.origins.count > 0 || v->web.hosts.count > 0;
    v->is_vmc = v->is_vmc || (!v->web.is_enabled && (v->listen || !v->face)); /* VMC is the default source */
    if (v->listen && v->is_vmc && v->web.is_enabled) {
        fprintf(stderr, "sinew: puppet: --listen is for one of --vmc and --web, not for both\n");
        return SN_EXIT_USAGE;
    }
    sn_result result = v->is_vmc ? sn_vmc_source_create(v->listen, &v->where, &v->sources[v->source_count]) : SN_OK;
    v->source_count += v->is_vmc && result == SN_OK;
    if (result == SN_OK && v->web.is_enabled) {
        result = sn_web_open(&v->web, v->listen, &v->sources[v->source_count]);
        v->source_count += result == SN_OK;
    }
    if (result == SN_OK && v->face) {
        result = sn_face_recording_create(v->face, &v->sources[v->source_count]);
        v->source_count += result == SN_OK;
    }
    if (result == SN_OK && v->where) {
        sn_log(SN_LOG_INFO, "VMC: listens on %s", v->where);
    }
    return exit_code(result);
}

/* Opens sources and output before slow work: a port may be in use, a file may be missing or not writable. */
static int check(void *user, const char *const *inputs, int count)
{
    puppet_verb *v = user;
    sn_result result = sn_check_overwrite(v->capture_file.path, &(const char *){v->face}, 1);
    result = result ? result : sn_capture_file_begin(&v->capture_file, inputs, count);
    return result == SN_OK ? open_sources(v) : exit_code(result);
}

static void add_frame(void *user, double seconds)
{
    const puppet_verb *v = user;
    if (v->capture) {
        sn_capture_add(v->capture, seconds);
    }
}

static sn_result open_puppet(void *user, const sn_model *model, const char *path, bool is_headless,
                             sn_simulation_parameters *parameters)
{
    puppet_verb *v = user;
    sn_live_desc desc = {.row_seconds = parameters->time_step,
                         .is_at_rest = v->is_at_rest,
                         .is_realtime = is_headless && (v->is_vmc || v->web.is_enabled),
                         .frame_callback = add_frame,
                         .frame_callback_user = v};
    sn_result result = sn_puppet_create(model, path, &v->puppet);
    for (int i = 0; i < v->source_count && result == SN_OK; ++i) {
        sn_puppet_add(v->puppet, v->sources[i]);
        v->sources[i] = NULL;
    }
    result = result ? result : sn_motion_open(parameters->motion, path, model, &v->arena, &desc.base);
    desc.puppet = v->puppet;
    result = result ? result : sn_live_create(&desc, &v->live);
    result = result || !v->capture_file.path ? result : sn_capture_create(v->puppet, &v->capture);
    if (v->capture) {
        sn_interrupt_install();
    }
    if (result == SN_OK) {
        parameters->live = sn_live_get_motion(v->live);
    }
    return result;
}

/* Warns when no data arrives: the sender is off or sends to another address. */
static void warn_of_silence(const puppet_verb *v)
{
    for (int i = 0; i < sn_puppet_source_count(v->puppet); ++i) {
        const sn_tracking_source *source = sn_puppet_source(v->puppet, i);
        sn_tracking_report r;
        source->report(source, &r);
        if (r.packet_count == 0) {
            sn_log(SN_LOG_WARNING, "%s: no data received%s%s", source->name,
                   strcmp(source->name, "vmc") == 0 ? ": does a sender send to " : "",
                   strcmp(source->name, "vmc") == 0 ? v->where : "");
        } else if (r.tracking_frame_count == 0) {
            sn_log(SN_LOG_WARNING, "%s: received %lld packets, but no tracked person", source->name,
                   (long long)r.packet_count);
        }
    }
}

static sn_result finish(void *user)
{
    puppet_verb *v = user;
    warn_of_silence(v);
    if (v->capture && sn_capture_frame_count(v->capture) == 0) {
        sn_log(SN_LOG_WARNING, "%s: not written: there was no frame", v->capture_file.path);
    }
    return sn_capture_file_end(&v->capture_file, v->capture);
}

/* ---- the report ---- */

static json_t *drops_json(const sn_tracking_report *r)
{
    json_t *drops = json_object();
    for (int i = 0; i < SN_TRACKING_DROP_LIMIT && r->drops[i].cause; ++i) {
        json_object_set_new(drops, r->drops[i].cause, json_integer(r->drops[i].count));
    }
    return drops;
}

static json_t *source_json(const sn_tracking_source *source)
{
    sn_tracking_report r;
    source->report(source, &r);
    return json_pack("{s:s,s:I,s:I,s:I,s:I,s:o}", "name", source->name, "packets", (json_int_t)r.packet_count, "bytes",
                     (json_int_t)r.byte_count, "messages", (json_int_t)r.message_count, "moments",
                     (json_int_t)r.tracking_frame_count, "dropped", drops_json(&r));
}

/* Microseconds per frame of each stage, mean and maximum. */
static json_t *stages_json(const sn_puppet_report *r)
{
    json_t *stages = json_object();
    for (int i = 0; i < SN_PUPPET_STAGE_COUNT; ++i) {
        const double count = (double)(i == SN_PUPPET_WAIT ? r->tracking_frame_count : r->frame_count);
        json_object_set_new(stages, sn_puppet_stage_name((sn_puppet_stage)i),
                            json_pack("{s:o,s:o}", "mean", sn_json_real(count > 0 ? 1e6 * r->seconds[i] / count : 0),
                                      "most", sn_json_real(1e6 * r->max_seconds[i])));
    }
    return stages;
}

static json_t *bones_json(uint64_t tracked)
{
    json_t *bones = json_array();
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (tracked >> bone & 1) {
            json_array_append_new(bones, json_string(sn_humanoid_name(bone)));
        }
    }
    return bones;
}

static void report(void *user, json_t *report_json)
{
    const puppet_verb *v = user;
    const sn_puppet_report *r = sn_puppet_get_report(v->puppet);
    json_t *sources = json_array();
    for (int i = 0; i < sn_puppet_source_count(v->puppet); ++i) {
        json_array_append_new(sources, source_json(sn_puppet_source(v->puppet, i)));
    }
    if (v->capture) {
        json_object_set_new(report_json, "captured_frames", json_integer(sn_capture_frame_count(v->capture)));
    }
    json_object_set_new(report_json, "tracking",
                        json_pack("{s:o,s:I,s:I,s:o,s:o}", "sources", sources, "moments",
                                  (json_int_t)r->tracking_frame_count, "tracked_frames",
                                  (json_int_t)r->tracked_frame_count, "bones", bones_json(r->tracked), "microseconds",
                                  stages_json(r)));
}

static void close_puppet(void *user)
{
    puppet_verb *v = user;
    sn_capture_file_end(&v->capture_file, v->capture); /* after a failure, writes the frames up to it */
    sn_capture_destroy(&v->capture);
    sn_live_destroy(&v->live);
    sn_puppet_destroy(&v->puppet);
    sn_arena_finish(&v->arena);
}

int sn_verb_puppet(int argument_count, char **arguments)
{
    puppet_verb v = {0};
    const sn_option options[] = {
        {"--vmc", SN_OPTION_FLAG, &v.is_vmc, 0, 0, NULL,
         "listen for VMC (OSC over UDP); the default without another source", SN_GROUP_INPUT, true},
        {"--web", SN_OPTION_FLAG, &v.web.is_enabled, 0, 0, NULL, "serve a page that tracks with the browser's camera",
         SN_GROUP_INPUT, true},
        {"--listen", SN_OPTION_STRING, &v.listen, 0, 0, "ADDRESS:PORT",
         "address [127.0.0.1:39539, --web 127.0.0.1:39540]; 0.0.0.0 accepts all", SN_GROUP_INPUT, true},
        {"--web-cert", SN_OPTION_STRING, &v.web.certificate, 0, 0, "F.pem",
         "--web: serve HTTPS with this certificate; phones need it", SN_GROUP_INPUT, false},
        {"--web-key", SN_OPTION_STRING, &v.web.key, 0, 0, "F.pem", "--web: private key of the certificate",
         SN_GROUP_INPUT, false},
        {"--page", SN_OPTION_STRING, &v.web.page, 0, 0, "DIR",
         "--web: folder of the page to serve [the installed page]", SN_GROUP_INPUT, false},
        {"--origin", SN_OPTION_LIST, &v.web.origins, 0, 0, "ORIGIN",
         "--web: also accept a page from this origin, as https://example.org", SN_GROUP_INPUT, false},
        {"--web-host", SN_OPTION_LIST, &v.web.hosts, 0, 0, "NAME",
         "--web: also answer under this host name, as studio.example.org", SN_GROUP_INPUT, false},
        {"--in-place", SN_OPTION_FLAG, &v.web.is_in_place, 0, 0, NULL,
         "--web: keep the character centered when the person moves", SN_GROUP_INPUT, false},
        {"--face", SN_OPTION_STRING, &v.face, 0, 0, "F.csv", "play a face recording of Live Link Face", SN_GROUP_INPUT,
         true},
        {"--rest-pose", SN_OPTION_FLAG, &v.is_at_rest, 0, 0, NULL,
         "keep untracked arms in the rest pose instead of lowering them", SN_GROUP_INPUT, false},
        {"--capture", SN_OPTION_STRING, &v.capture_file.path, 0, 0, "F.vrma",
         "write the tracked motion; --motion F.vrma plays it", SN_GROUP_OUTPUT, true},
        {0},
    };
    const sn_play_live live = {
        .name = "puppet",
        .usage = "puppet MODEL.sinew|IN [--vmc] [--web] [--face F.csv] [options]",
        .summary = "Drives a character by live face and body tracking, in a window or to pictures.",
        .details = "Untracked parts follow --motion, or rest. All options of play for characters apply.",
        .examples = {"puppet avatar.vrm --vmc", "puppet avatar.sinew --web --capture wave.vrma",
                     "puppet avatar.sinew --face face.csv"},
        .options = options,
        .user = &v,
        .check = check,
        .open = open_puppet,
        .finish = finish,
        .report = report,
        .close = close_puppet};
    const int status = sn_play_characters(&live, argument_count, arguments);
    sn_capture_file_end(&v.capture_file, NULL);
    for (int i = 0; i < v.source_count; ++i) {
        sn_tracking_source_destroy(&v.sources[i]);
    }
    return status;
}
