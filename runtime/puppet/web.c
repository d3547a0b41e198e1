/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/web.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host/platform/platform.h"
#include "runtime/puppet/arkit.h"
#include "runtime/puppet/landmarks.h"

#define MIN_STEP 0.001 /* seconds by which time advances if the sender's clock goes back */

typedef struct web {
    sn_tracking_source source;
    sn_web_server *socket;
    sn_landmarks incoming; /* used by the server's thread only */
    pthread_mutex_t mutex; /* protects the members up to the next blank line */
    sn_landmarks newest;
    double arrived;
    bool is_new;
    int64_t result_counts[SN_MESSAGE_RESULT_COUNT];
    double read_seconds;

    bool is_in_place;
    sn_landmarks current; /* this and the following are used by poll only */
    sn_landmark_solver solver;
    sn_tracking tracking_frame;
    double clock_offset;        /* offset added to the sender's clock, which restarts when the page is reloaded */
    int shapes[SN_ARKIT_COUNT]; /* expression index of each ARKit shape, or -1: not received yet */
} web;

static bool receive(void *user, const char *text, size_t size, char reason[SN_WEB_SERVER_REASON_SIZE])
{
    web *w = user;
    const double start = sn_now();
    int version;
    const sn_message_result parse_result = sn_message_read(text, size, &w->incoming, &version);
    pthread_mutex_lock(&w->mutex);
    ++w->result_counts[parse_result];
    w->arrived = sn_now();
    w->read_seconds += w->arrived - start;
    if (parse_result == SN_MESSAGE_ACCEPTED) {
        w->newest = w->incoming;
        w->is_new = true;
    }
    pthread_mutex_unlock(&w->mutex);
    if (parse_result == SN_MESSAGE_WRONG_VERSION) {
        snprintf(reason, SN_WEB_SERVER_REASON_SIZE, "message version %d: this program takes version %d of landmarks",
                 version, SN_MESSAGE_VERSION);
    }
    return parse_result != SN_MESSAGE_WRONG_VERSION;
}

static bool take_newest(web *w)
{
    pthread_mutex_lock(&w->mutex);
    const bool is_new = w->is_new;
    if (is_new) {
        w->current = w->newest;
        w->tracking_frame.arrived = w->arrived;
    }
    w->is_new = false;
    pthread_mutex_unlock(&w->mutex);
    return is_new;
}

static void set_time(web *w)
{
    const double last = w->tracking_frame.seconds;
    if (w->current.seconds + w->clock_offset <= last && w->solver.has_before) {
        w->clock_offset = last + MIN_STEP - w->current.seconds;
    }
    w->current.seconds += w->clock_offset;
}

/* Sets the weights. Shapes missing from a message keep their weights; shapes never received are not reported. */
static void set_weights(web *w)
{
    double weights[SN_ARKIT_COUNT] = {0}, eyes[2][4];
    if (w->current.mirrored) {
        sn_arkit_mirror(&w->current.blendshapes, w->current.blendshape_weights);
    }
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        if (w->current.blendshapes >> i & 1) {
            const char *name = sn_arkit_name(i);
            w->shapes[i] =
                w->shapes[i] < 0 ? sn_tracking_expression(&w->tracking_frame, name, strlen(name)) : w->shapes[i];
            sn_tracking_set_weight(&w->tracking_frame, w->shapes[i], w->current.blendshape_weights[i]);
        }
        weights[i] = w->shapes[i] >= 0 ? w->tracking_frame.expressions[w->shapes[i]].weight : 0;
    }
    sn_arkit_eyes(weights, eyes);
    sn_tracking_set_rotation(&w->tracking_frame, SN_HUMANOID_LEFT_EYE, eyes[0], 1);
    sn_tracking_set_rotation(&w->tracking_frame, SN_HUMANOID_RIGHT_EYE, eyes[1], 1);
}

static bool poll_newest(sn_tracking_source *source, sn_tracking *tracking_frame)
{
    web *w = (web *)source;
    if (!take_newest(w)) {
        return false;
    }
    w->current.has_image = w->current.has_image && !w->is_in_place;
    set_time(w);
    sn_landmarks_solve(&w->solver, &w->current, &w->tracking_frame);
    w->tracking_frame.is_face_lost = w->current.blendshapes == 0;
    if (!w->tracking_frame.is_face_lost) {
        set_weights(w);
    }
    *tracking_frame = w->tracking_frame;
    return true;
}

static void report(const sn_tracking_source *source, sn_tracking_report *r)
{
    web *w = (web *)(uintptr_t)source;
    const sn_web_server_counts counts = sn_web_server_get_counts(w->socket);
    const sn_tracking_drop connection_drops[] = {{"origin", counts.rejected_origin}, {"host", counts.rejected_host},
                                                 {"idle", counts.dropped_idle},      {"crowd", counts.rejected_full},
                                                 {"size", counts.too_large},         {"binary", counts.binary}};
    int drops = 0;
    memset(r, 0, sizeof *r);
    r->packet_count = counts.frames;
    r->byte_count = counts.bytes;
    pthread_mutex_lock(&w->mutex);
    r->read_seconds = w->read_seconds;
    r->tracking_frame_count = w->result_counts[SN_MESSAGE_ACCEPTED];
    for (int i = 0; i < SN_MESSAGE_RESULT_COUNT; ++i) {
        r->message_count += w->result_counts[i];
        if (i != SN_MESSAGE_ACCEPTED && i != SN_MESSAGE_TOO_LARGE) {
            r->drops[drops++] = (sn_tracking_drop){sn_message_result_name((sn_message_result)i), w->result_counts[i]};
        }
    }
    pthread_mutex_unlock(&w->mutex);
    memcpy(r->drops + drops, connection_drops, sizeof connection_drops);
}

static void destroy(sn_tracking_source *source)
{
    web *w = (web *)source;
    sn_web_server_close(&w->socket);
    pthread_mutex_destroy(&w->mutex);
    sn_free(w, 1, sizeof *w);
}

sn_result sn_web_source_create(const sn_web_desc *desc, sn_tracking_source **source)
{
    *source = NULL;
    web *w = sn_alloc(1, sizeof *w);
    if (!w) {
        return SN_ERROR_MEMORY;
    }
    w->source = (sn_tracking_source){.name = "web", .poll = poll_newest, .report = report, .destroy = destroy};
    pthread_mutex_init(&w->mutex, NULL);
    w->is_in_place = desc->is_in_place;
    memset(w->shapes, -1, sizeof w->shapes);
    const sn_result result = sn_web_server_open(&(sn_web_server_desc){.listen = desc->listen,
                                                                      .default_port = SN_WEB_PORT,
                                                                      .folder = desc->folder,
                                                                      .certificate = desc->certificate,
                                                                      .key = desc->key,
                                                                      .origins = desc->origins,
                                                                      .origin_count = desc->origin_count,
                                                                      .hosts = desc->hosts,
                                                                      .host_count = desc->host_count,
                                                                      .message_limit = SN_MESSAGE_SIZE_LIMIT,
                                                                      .receive = receive,
                                                                      .user = w},
                                                &w->socket);
    if (result != SN_OK) {
        destroy(&w->source);
        return result;
    }
    *source = &w->source;
    return SN_OK;
}

int sn_web_source_port(const sn_tracking_source *source)
{
    return sn_web_server_port(((const web *)source)->socket);
}

void sn_web_source_urls(const sn_tracking_source *source, char local_url[SN_WEB_SERVER_URL_SIZE],
                        char remote_url[SN_WEB_SERVER_URL_SIZE])
{
    sn_web_server_urls(((const web *)source)->socket, local_url, remote_url);
}
