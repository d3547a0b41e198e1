/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/puppet.h"

#include <math.h>
#include <string.h>

#include "author/retarget/model_skeleton.h"
#include "host/base/clock.h"
#include "host/math/affine.h"
#include "host/model/model.h"

typedef struct feed {
    sn_tracking_source *source;
    sn_tracking moment;
    sn_steady steady;
    sn_expressions expressions;
} feed;

struct sn_puppet {
    const sn_model *model;
    sn_arena arena;
    sn_rig_skeleton skeleton;
    sn_person *person; /* null: the model is not a humanoid */
    sn_person_pose pose;
    double *values; /* (expression_count) scratch of a frame */
    double *base;   /* (bone_count x 12) */
    feed *feeds;    /* (SN_PUPPET_SOURCE_LIMIT) of which source_count are used */
    int source_count;
    sn_puppet_report report;
};

const char *sn_puppet_stage_name(sn_puppet_stage stage)
{
    static const char *const names[SN_PUPPET_STAGE_COUNT] = {"read", "filter", "pose", "wait"};
    return names[stage];
}

/* ---- lifetime ---- */

/* A model that is not a humanoid is a warning if it has a face, else an error. */
static sn_result make_person(sn_puppet *p, const char *name)
{
    const sn_model *m = p->model;
    const sn_person_desc desc = {
        .target = &p->skeleton,
        .floor = {-m->scale * m->origin_x, -m->scale * m->origin_y, -m->scale * m->origin_z},
        .metre = m->scale,
    };
    sn_kept_log kept = {0};
    sn_kept_log *before = sn_keep_log(&kept);
    sn_result result = sn_model_skeleton(m, &p->arena, &p->skeleton);
    p->skeleton.name = name;
    result = result ? result : sn_person_create(&desc, &p->arena, &p->person);
    sn_keep_log(before);
    if (result == SN_OK || result == SN_ERROR_MEMORY) {
        return result;
    }
    p->person = NULL;
    if (m->counts.morph_count == 0 || !kept.is_kept) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s", kept.line);
    }
    sn_log(SN_LOG_WARNING, "%s; only its face is animated", kept.line);
    return SN_OK;
}

sn_result sn_puppet_create(const sn_model *model, const char *name, sn_puppet **puppet)
{
    sn_puppet *p = sn_alloc(1, sizeof *p);
    *puppet = p;
    if (!p) {
        return SN_ERROR_MEMORY;
    }
    p->model = model;
    p->base = SN_NEW(&p->arena, double, 12 * (size_t)model->counts.bone_count);
    p->values = SN_NEW(&p->arena, double, model->counts.expression_count);
    p->feeds = SN_NEW(&p->arena, feed, SN_PUPPET_SOURCE_LIMIT);
    sn_result result = p->base && p->values && p->feeds ? make_person(p, name) : SN_ERROR_MEMORY;
    for (int i = 0; i < SN_PUPPET_SOURCE_LIMIT && result == SN_OK; ++i) {
        result = sn_expressions_init(model, &p->arena, &p->feeds[i].expressions);
    }
    if (result != SN_OK) {
        sn_puppet_destroy(puppet);
    }
    return result;
}

void sn_puppet_destroy(sn_puppet **puppet)
{
    sn_puppet *p = *puppet;
    *puppet = NULL;
    if (p) {
        for (int i = 0; i < p->source_count; ++i) {
            sn_tracking_source_destroy(&p->feeds[i].source);
        }
        sn_arena_finish(&p->arena);
        sn_free(p, 1, sizeof *p);
    }
}

void sn_puppet_add(sn_puppet *p, sn_tracking_source *source)
{
    SN_ASSERT(p->source_count < SN_PUPPET_SOURCE_LIMIT);
    feed *f = &p->feeds[p->source_count++];
    f->source = source;
    f->steady.is_recorded = source->advance != NULL;
}

int sn_puppet_source_count(const sn_puppet *p)
{
    return p->source_count;
}

const sn_tracking_source *sn_puppet_source(const sn_puppet *p, int index)
{
    return p->feeds[index].source;
}

/* ---- frames ---- */

static double lap(sn_puppet *p, sn_puppet_stage stage, double since)
{
    const double now = sn_now(), seconds = now - since;
    p->report.seconds[stage] += seconds;
    p->report.most[stage] = fmax(p->report.most[stage], seconds);
    return now;
}

static void read_source(sn_puppet *p, feed *f, double seconds)
{
    const double start = sn_now();
    if (f->source->advance && f->steady.has_moment) { /* the first frame shows the recording's first frame */
        f->source->advance(f->source, seconds);
    }
    const bool is_new = f->source->poll(f->source, &f->moment);
    const double read = lap(p, SN_PUPPET_READ, start);
    if (is_new) {
        ++p->report.moment_count;
        p->report.tracked |= f->moment.tracked;
    }
    if (is_new && f->moment.arrived > 0) {
        lap(p, SN_PUPPET_WAIT, f->moment.arrived);
    }
    sn_steady_advance(&f->steady, is_new ? &f->moment : NULL, seconds);
    lap(p, SN_PUPPET_STEADY, read);
}

void sn_puppet_advance(sn_puppet *p, double seconds, double *pose, float *morphs)
{
    const size_t size = 12 * (size_t)p->model->counts.bone_count * sizeof *pose;
    bool is_tracked = false;
    memset(&p->pose, 0, sizeof p->pose);
    memset(p->values, 0, (size_t)p->model->counts.expression_count * sizeof *p->values);
    for (int i = 0; i < p->source_count; ++i) {
        read_source(p, &p->feeds[i], seconds);
        is_tracked = is_tracked || p->feeds[i].moment.tracked != 0 || p->feeds[i].steady.weight_count > 0;
    }
    const double start = sn_now();
    for (int i = 0; i < p->source_count; ++i) {
        sn_steady_add(&p->feeds[i].steady, &p->pose);
        sn_expressions_take(&p->feeds[i].expressions, &p->feeds[i].steady, p->values, morphs);
    }
    sn_expressions_show(p->model, p->values, morphs);
    if (p->person) {
        sn_steady_limit_twists(&p->pose);
        memcpy(p->base, pose, size);
        sn_person_apply(p->person, &p->pose, p->base, pose);
    }
    lap(p, SN_PUPPET_POSE, start);
    ++p->report.frame_count;
    p->report.tracked_frame_count += is_tracked;
}

bool sn_puppet_stand(sn_puppet *p, double *pose)
{
    if (!p->person) {
        return false;
    }
    for (int32_t bone = 0; bone < p->model->counts.bone_count; ++bone) {
        sn_affine_identity(p->base + 12 * (size_t)bone);
    }
    sn_person_stand(p->person, p->base, pose);
    return true;
}

const sn_person *sn_puppet_person(const sn_puppet *p)
{
    return p->person;
}

const sn_steady *sn_puppet_steady(const sn_puppet *p, int source)
{
    return &p->feeds[source].steady;
}

const sn_puppet_report *sn_puppet_get_report(const sn_puppet *p)
{
    return &p->report;
}
