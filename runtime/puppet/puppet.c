/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/puppet.h"

#include <math.h>
#include <string.h>

#include "author/retarget/model_skeleton.h"
#include "host/math/affine.h"
#include "host/model/model.h"
#include "host/platform/platform.h"

typedef struct source_state {
    sn_tracking_source *source;
    sn_tracking tracking_frame;
    sn_tracking_filter tracking_filter;
    sn_expressions expressions;
} source_state;

struct sn_puppet {
    const sn_model *model;
    sn_arena arena;
    sn_rig_skeleton skeleton;
    sn_person *person; /* null: the model is not a humanoid */
    sn_person_pose pose;
    float *values;         /* (expression_count) scratch of a frame */
    double *base;          /* (bone_count x 12) */
    source_state *sources; /* (SN_PUPPET_SOURCE_LIMIT) of which source_count are used */
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
static sn_result create_person(sn_puppet *p, const char *name)
{
    const sn_model *m = p->model;
    const sn_person_desc desc = {
        .target = &p->skeleton,
        .floor = {-m->scale * m->origin_x, -m->scale * m->origin_y, -m->scale * m->origin_z},
        .metre = m->scale,
    };
    sn_captured_log log = {0};
    sn_captured_log *previous = sn_capture_log(&log);
    sn_result result = sn_model_skeleton(m, &p->arena, &p->skeleton);
    p->skeleton.name = name;
    result = result ? result : sn_person_create(&desc, &p->arena, &p->person);
    sn_capture_log(previous);
    if (result == SN_OK || result == SN_ERROR_MEMORY) {
        return result;
    }
    p->person = NULL;
    if (m->counts.morph_count == 0 || !log.is_captured) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s", log.line);
    }
    sn_log(SN_LOG_WARNING, "%s; only its face is animated", log.line);
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
    p->values = SN_NEW(&p->arena, float, model->counts.expression_count);
    p->sources = SN_NEW(&p->arena, source_state, SN_PUPPET_SOURCE_LIMIT);
    sn_result result = p->base && p->values && p->sources ? create_person(p, name) : SN_ERROR_MEMORY;
    for (int i = 0; i < SN_PUPPET_SOURCE_LIMIT && result == SN_OK; ++i) {
        result = sn_expressions_init(model, &p->arena, &p->sources[i].expressions);
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
            sn_tracking_source_destroy(&p->sources[i].source);
        }
        sn_arena_finish(&p->arena);
        sn_free(p, 1, sizeof *p);
    }
}

void sn_puppet_add(sn_puppet *p, sn_tracking_source *source)
{
    SN_ASSERT(p->source_count < SN_PUPPET_SOURCE_LIMIT);
    source_state *f = &p->sources[p->source_count++];
    f->source = source;
    f->tracking_filter.is_recorded = source->advance != NULL;
}

int sn_puppet_source_count(const sn_puppet *p)
{
    return p->source_count;
}

const sn_tracking_source *sn_puppet_source(const sn_puppet *p, int index)
{
    return p->sources[index].source;
}

/* ---- frames ---- */

static double add_stage_time(sn_puppet *p, sn_puppet_stage stage, double since)
{
    const double now = sn_now(), seconds = now - since;
    p->report.seconds[stage] += seconds;
    p->report.max_seconds[stage] = fmax(p->report.max_seconds[stage], seconds);
    return now;
}

static void read_source(sn_puppet *p, source_state *f, double seconds)
{
    const double start = sn_now();
    if (f->source->advance && f->tracking_filter.has_frame) { /* the first frame shows the recording's first frame */
        f->source->advance(f->source, seconds);
    }
    const bool is_new = f->source->poll(f->source, &f->tracking_frame);
    const double read = add_stage_time(p, SN_PUPPET_READ, start);
    if (is_new) {
        ++p->report.tracking_frame_count;
        p->report.tracked |= f->tracking_frame.tracked;
    }
    if (is_new && f->tracking_frame.arrived > 0) {
        add_stage_time(p, SN_PUPPET_WAIT, f->tracking_frame.arrived);
    }
    sn_tracking_filter_advance(&f->tracking_filter, is_new ? &f->tracking_frame : NULL, seconds);
    add_stage_time(p, SN_PUPPET_FILTER, read);
}

void sn_puppet_advance(sn_puppet *p, double seconds, double *pose, float *morphs)
{
    const size_t size = 12 * (size_t)p->model->counts.bone_count * sizeof *pose;
    bool is_tracked = false;
    memset(&p->pose, 0, sizeof p->pose);
    memset(p->values, 0, (size_t)p->model->counts.expression_count * sizeof *p->values);
    for (int i = 0; i < p->source_count; ++i) {
        read_source(p, &p->sources[i], seconds);
        is_tracked =
            is_tracked || p->sources[i].tracking_frame.tracked != 0 || p->sources[i].tracking_filter.weight_count > 0;
    }
    const double start = sn_now();
    for (int i = 0; i < p->source_count; ++i) {
        sn_tracking_filter_add(&p->sources[i].tracking_filter, &p->pose);
        sn_expressions_blend(&p->sources[i].expressions, &p->sources[i].tracking_filter, p->values, morphs);
    }
    sn_model_add_expressions(p->model, p->values, morphs, p->model->counts.morph_count);
    if (p->person) {
        sn_tracking_filter_limit_twists(&p->pose);
        memcpy(p->base, pose, size);
        sn_person_apply(p->person, &p->pose, p->base, pose);
    }
    add_stage_time(p, SN_PUPPET_POSE, start);
    ++p->report.frame_count;
    p->report.tracked_frame_count += is_tracked;
}

bool sn_puppet_standing_pose(sn_puppet *p, double *pose)
{
    if (!p->person) {
        return false;
    }
    for (int32_t bone = 0; bone < p->model->counts.bone_count; ++bone) {
        sn_affine_identity(p->base + 12 * (size_t)bone);
    }
    sn_person_apply_relaxed(p->person, p->base, pose);
    return true;
}

const sn_person *sn_puppet_person(const sn_puppet *p)
{
    return p->person;
}

const sn_tracking_filter *sn_puppet_filter(const sn_puppet *p, int source)
{
    return &p->sources[source].tracking_filter;
}

const sn_puppet_report *sn_puppet_get_report(const sn_puppet *p)
{
    return &p->report;
}
