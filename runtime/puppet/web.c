/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/web.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host/base/clock.h"
#include "runtime/puppet/arkit.h"
#include "runtime/puppet/landmarks.h"

#define LEAST_STEP 0.001 /* seconds by which time advances if the sender's clock goes back */

typedef struct web {
    sn_tracking_source source;
    sn_socket *socket;
    sn_landmarks incoming; /* used by the server's thread only */
    pthread_mutex_t mutex; /* protects the members up to the next blank line */
    sn_landmarks newest;
    double arrived;
    bool is_new;
    int64_t verdicts[SN_MESSAGE_VERDICT_COUNT];
    double read_seconds;

    bool is_in_place;
    sn_landmarks taken; /* this and the following are used by poll only */
    sn_landmark_solver solver;
    sn_tracking moment;
    double ahead;               /* offset added to the sender's clock, which restarts when the page is reloaded */
    int shapes[SN_ARKIT_COUNT]; /* expression index of each ARKit shape, or -1: not received yet */
} web;

static bool receive(void *user, const char *text, size_t size, char reason[SN_SOCKET_REASON_SIZE])
{
    web *w = user;
    const double start = sn_now();
    int version;
    const sn_message_verdict verdict = sn_message_read(text, size, &w->incoming, &version);
    pthread_mutex_lock(&w->mutex);
    ++w->verdicts[verdict];
    w->arrived = sn_now();
    w->read_seconds += w->arrived - start;
    if (verdict == SN_MESSAGE_TAKEN) {
        w->newest = w->incoming;
        w->is_new = true;
    }
    pthread_mutex_unlock(&w->mutex);
    if (verdict == SN_MESSAGE_OTHER_VERSION) {
        snprintf(reason, SN_SOCKET_REASON_SIZE, "message version %d: this program takes version %d of landmarks",
                 version, SN_MESSAGE_VERSION);
    }
    return verdict != SN_MESSAGE_OTHER_VERSION;
}

static bool take(web *w)
{
    pthread_mutex_lock(&w->mutex);
    const bool is_new = w->is_new;
    if (is_new) {
        w->taken = w->newest;
        w->moment.arrived = w->arrived;
    }
    w->is_new = false;
    pthread_mutex_unlock(&w->mutex);
    return is_new;
}

static void set_time(web *w)
{
    const double last = w->moment.seconds;
    if (w->taken.seconds + w->ahead <= last && w->solver.has_before) {
        w->ahead = last + LEAST_STEP - w->taken.seconds;
    }
    w->taken.seconds += w->ahead;
}

/* Sets the weights. Shapes missing from a message keep their weights; shapes never received are not reported. */
static void weigh(web *w)
{
    double weights[SN_ARKIT_COUNT] = {0}, eyes[2][4];
    if (w->taken.mirrored) {
        sn_arkit_mirror(&w->taken.blendshapes, w->taken.blendshape_weights);
    }
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        if (w->taken.blendshapes >> i & 1) {
            const char *name = sn_arkit_name(i);
            w->shapes[i] = w->shapes[i] < 0 ? sn_tracking_expression(&w->moment, name, strlen(name)) : w->shapes[i];
            sn_tracking_weigh(&w->moment, w->shapes[i], w->taken.blendshape_weights[i]);
        }
        weights[i] = w->shapes[i] >= 0 ? w->moment.expressions[w->shapes[i]].weight : 0;
    }
    sn_arkit_eyes(weights, eyes);
    sn_tracking_rotate(&w->moment, SN_HUMANOID_LEFT_EYE, eyes[0], 1);
    sn_tracking_rotate(&w->moment, SN_HUMANOID_RIGHT_EYE, eyes[1], 1);
}

static bool poll_newest(sn_tracking_source *source, sn_tracking *moment)
{
    web *w = (web *)source;
    if (!take(w)) {
        return false;
    }
    w->taken.has_image = w->taken.has_image && !w->is_in_place;
    set_time(w);
    sn_landmarks_solve(&w->solver, &w->taken, &w->moment);
    w->moment.is_face_lost = w->taken.blendshapes == 0;
    if (!w->moment.is_face_lost) {
        weigh(w);
    }
    *moment = w->moment;
    return true;
}

static void report(const sn_tracking_source *source, sn_tracking_report *r)
{
    web *w = (web *)(uintptr_t)source;
    const sn_socket_counts counts = sn_socket_count(w->socket);
    const sn_tracking_drop turned_away[] = {
        {"origin", counts.foreign}, {"crowd", counts.crowded}, {"size", counts.too_large}, {"binary", counts.binary}};
    int drops = 0;
    memset(r, 0, sizeof *r);
    r->packet_count = counts.frames;
    r->byte_count = counts.bytes;
    pthread_mutex_lock(&w->mutex);
    r->read_seconds = w->read_seconds;
    r->moment_count = w->verdicts[SN_MESSAGE_TAKEN];
    for (int i = 0; i < SN_MESSAGE_VERDICT_COUNT; ++i) {
        r->message_count += w->verdicts[i];
        if (i != SN_MESSAGE_TAKEN && i != SN_MESSAGE_TOO_LARGE) {
            r->drops[drops++] = (sn_tracking_drop){sn_message_verdict_name((sn_message_verdict)i), w->verdicts[i]};
        }
    }
    pthread_mutex_unlock(&w->mutex);
    memcpy(r->drops + drops, turned_away, sizeof turned_away);
}

static void destroy(sn_tracking_source *source)
{
    web *w = (web *)source;
    sn_socket_close(&w->socket);
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
    const sn_result result = sn_socket_open(&(sn_socket_desc){.listen = desc->listen,
                                                              .default_port = SN_WEB_PORT,
                                                              .folder = desc->folder,
                                                              .certificate = desc->certificate,
                                                              .key = desc->key,
                                                              .origins = desc->origins,
                                                              .origin_count = desc->origin_count,
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
    return sn_socket_port(((const web *)source)->socket);
}

void sn_web_source_urls(const sn_tracking_source *source, char here[SN_SOCKET_URL_SIZE],
                        char elsewhere[SN_SOCKET_URL_SIZE])
{
    sn_socket_urls(((const web *)source)->socket, here, elsewhere);
}
