/* SPDX-License-Identifier: MIT */
/* A model of a person of sticks by hand, with a face of four morph targets; and a source whose moments the test makes.
 * Include it after cmocka.h. */
#ifndef SN_TESTS_PUPPET_PUPPET_MODEL_H
#define SN_TESTS_PUPPET_PUPPET_MODEL_H

#include "host/model/model.h"
#include "runtime/puppet/tracking.h"
#include "tests/support/rig_people.h"

#define PUPPET_MORPHS 4
#define PUPPET_EXPRESSIONS 3

typedef struct puppet_model {
    people sticks;
    sn_model model;
    char names[PERSON_JOINTS * 24];
    float bind[12 * PERSON_JOINTS];
} puppet_model;

static const char puppet_morph_names[] = "mouth\0lid\0jawOpen\0brow"; /* a rig of ARKit's: the third */
static const char puppet_plain_names[] = "mouth\0lid\0chin\0brow";
static const char puppet_expression_names[] = "aa\0blinkLeft\0happy";
static const float puppet_rest[PUPPET_MORPHS] = {0, 0, .25F, 0};
static const sn_expression puppet_expressions[PUPPET_EXPRESSIONS] = {
    {.first_bind = 0, .bind_count = 1}, {.first_bind = 1, .bind_count = 1}, {.first_bind = 2, .bind_count = 2}};
static const sn_expression_bind puppet_binds[] = {{0, 1}, {1, 1}, {0, .5F}, {3, 1}};

static inline void make_puppet_model(puppet_model *p, double arm_angle, bool has_arkit)
{
    memset(p, 0, sizeof *p);
    make_person(&p->sticks, &(person){.arm_angle = arm_angle});
    char *name = p->names;
    for (int j = 0; j < p->sticks.count; ++j) {
        name += sprintf(name, "%s", p->sticks.names[j]) + 1;
        for (int i = 0; i < 12; ++i) {
            p->bind[12 * j + i] = (float)p->sticks.rest[12 * j + i];
        }
    }
    sn_model *m = &p->model;
    m->scale = 1;
    m->has_roles = 1;
    m->counts.bone_count = p->sticks.count;
    m->counts.morph_count = PUPPET_MORPHS;
    m->counts.expression_count = PUPPET_EXPRESSIONS;
    m->bone_names = p->names;
    m->bone_parents = p->sticks.parents;
    m->bone_roles = p->sticks.roles;
    m->bone_bind = p->bind;
    m->morph_names = has_arkit ? puppet_morph_names : puppet_plain_names;
    m->morph_default_weights = puppet_rest;
    m->expression_names = puppet_expression_names;
    m->expressions = puppet_expressions;
    m->expression_binds = puppet_binds;
}

typedef struct made_source {
    sn_tracking_source face;
    sn_tracking tracking_frame;
    bool is_new, is_destroyed;
} made_source;

static inline bool poll_made(sn_tracking_source *source, sn_tracking *tracking_frame)
{
    made_source *s = (made_source *)source;
    const bool is_new = s->is_new;
    if (is_new) {
        *tracking_frame = s->tracking_frame;
    }
    s->is_new = false;
    return is_new;
}

static inline void report_made(const sn_tracking_source *source, sn_tracking_report *report)
{
    (void)source;
    *report = (sn_tracking_report){0};
}

static inline void destroy_made(sn_tracking_source *source)
{
    ((made_source *)source)->is_destroyed = true;
}

static inline void make_source(made_source *s)
{
    memset(s, 0, sizeof *s);
    s->face = (sn_tracking_source){"made", poll_made, report_made, NULL, destroy_made};
}

static inline void made_turn(made_source *s, int bone, double x, double y, double z)
{
    double q[4];
    const double vector[3] = {x, y, z};
    sn_quaternion_from_vector(vector, q);
    sn_tracking_set_rotation(&s->tracking_frame, bone, q, 1);
}

static inline void made_weigh(made_source *s, const char *name, double weight)
{
    sn_tracking_set_weight(&s->tracking_frame, sn_tracking_expression(&s->tracking_frame, name, strlen(name)), weight);
}

#endif
