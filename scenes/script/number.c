/* SPDX-License-Identifier: MIT */
#include "scenes/script/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- visiting all numbers of a script ---- */

typedef struct visit {
    sn_number_visitor *visitor;
    void *user;
    bool is_continuing;
} visit;

__attribute__((format(printf, 3, 4))) static void visit_number(visit *v, const sn_scene_number *number,
                                                               const char *format, ...)
{
    char number_path[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(number_path, sizeof number_path, format, arguments);
    va_end(arguments);
    v->is_continuing = v->is_continuing && v->visitor(number, number_path, v->user);
}

__attribute__((format(printf, 3, 4))) static void visit_vector(visit *v, const sn_scene_vector *vector,
                                                               const char *format, ...)
{
    char number_path[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(number_path, sizeof number_path, format, arguments);
    va_end(arguments);
    for (int d = 0; d < 3; ++d) {
        visit_number(v, &vector->at[d], "%s[%d]", number_path, d);
    }
}

static void visit_body(visit *v, const sn_scene_body *body, int index)
{
    visit_number(v, &body->stiffness, "bodies[%d].stiffness", index);
    visit_number(v, &body->damping, "bodies[%d].damping", index);
    visit_number(v, &body->amount, "bodies[%d].amount", index);
    visit_number(v, &body->compliance, "bodies[%d].compliance", index);
    visit_number(v, &body->mass, "bodies[%d].mass", index);
    visit_number(v, &body->delay, "bodies[%d].delay", index);
    visit_vector(v, &body->translation, "bodies[%d].translation", index);
    visit_vector(v, &body->rotation, "bodies[%d].rotation", index);
    if (body->rigid) {
        visit_vector(v, &body->rigid->velocity, "bodies[%d].rigid.velocity", index);
        visit_vector(v, &body->rigid->angular_velocity, "bodies[%d].rigid.angular_velocity", index);
    }
    for (int i = 0; i < body->drive_count && v->is_continuing; ++i) {
        const sn_scene_drive *drive = &body->drives[i];
        visit_vector(v, &drive->translation, "bodies[%d].drives[%d].translation", index, i);
        visit_vector(v, &drive->rotation, "bodies[%d].drives[%d].rotation", index, i);
        visit_vector(v, &drive->stretch, "bodies[%d].drives[%d].stretch", index, i);
    }
}

bool sn_scene_visit_numbers(const sn_scene_script *script, sn_number_visitor *visitor, void *user)
{
    visit v = {visitor, user, true};
    visit_vector(&v, &script->gravity, "gravity");
    visit_vector(&v, &script->wind, "wind");
    for (int i = 0; i < script->body_count && v.is_continuing; ++i) {
        visit_body(&v, &script->bodies[i], i);
    }
    for (int i = 0; i < script->collider_count && v.is_continuing; ++i) {
        visit_vector(&v, &script->colliders[i].translation, "colliders[%d].translation", i);
        visit_vector(&v, &script->colliders[i].rotation, "colliders[%d].rotation", i);
    }
    for (int i = 0; i < script->grab_count && v.is_continuing; ++i) {
        visit_vector(&v, &script->grabs[i].path, "grabs[%d].path", i);
    }
    for (int i = 0; i < script->impulse_count && v.is_continuing; ++i) {
        visit_vector(&v, &script->impulses[i].impulse, "impulses[%d].impulse", i);
    }
    return v.is_continuing;
}

/* ---- expressions ---- */

static bool count_expression(const sn_scene_number *number, const char *number_path, void *user)
{
    (void)number_path;
    ((sn_number_programs *)user)->capacity += number->expression != NULL;
    return true;
}

/* The script has already been validated. */
static bool add_expression(const sn_scene_number *number, const char *number_path, void *user)
{
    sn_number_programs *programs = user;
    (void)number_path;
    if (number->expression) {
        sn_expression_error error;
        struct sn_number_program *program = &programs->programs[programs->count++];
        program->text = number->expression;
        sn_expression_compile(program->text, &program->expression, &error);
    }
    return true;
}

static int compare_addresses(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct sn_number_program *)a)->text;
    const uintptr_t y = (uintptr_t)((const struct sn_number_program *)b)->text;
    return (x > y) - (x < y);
}

sn_result sn_number_programs_create(const sn_scene_script *script, sn_number_programs *programs)
{
    *programs = (sn_number_programs){0};
    sn_scene_visit_numbers(script, count_expression, programs);
    programs->programs = calloc((size_t)programs->capacity + 1, sizeof *programs->programs);
    if (!programs->programs) {
        return SN_ERROR_MEMORY;
    }
    sn_scene_visit_numbers(script, add_expression, programs);
    qsort(programs->programs, (size_t)programs->count, sizeof *programs->programs, compare_addresses);
    return SN_OK;
}

void sn_number_programs_destroy(sn_number_programs *programs)
{
    free(programs->programs);
    *programs = (sn_number_programs){0};
}

static double expression_value(const char *text, const sn_number_context *context)
{
    const sn_number_programs *all = context->programs;
    int low = 0, high = all->count - 1;
    while (low < high) {
        const int mid = (low + high) / 2;
        if ((uintptr_t)all->programs[mid].text < (uintptr_t)text) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return sn_expression_value(&all->programs[low].expression, context->t, context->i, context->n);
}

/* ---- keys ---- */

static double keyed_value(const sn_scene_number *number, double t)
{
    const sn_scene_key *keys = number->keys;
    const int last = number->key_count - 1;
    const double length = keys[last].seconds - keys[0].seconds;
    if (number->is_looping && length > 0) {
        t -= length * floor((t - keys[0].seconds) / length);
    }
    if (t <= keys[0].seconds) {
        return keys[0].value;
    }
    int k = 0; /* the last key before t */
    while (k < last && keys[k + 1].seconds <= t) {
        ++k;
    }
    if (k == last || number->ease == SN_EASE_STEP) {
        return keys[k].value;
    }
    const double u = (t - keys[k].seconds) / (keys[k + 1].seconds - keys[k].seconds);
    return keys[k].value +
           (number->ease == SN_EASE_SMOOTH ? u * u * (3 - 2 * u) : u) * (keys[k + 1].value - keys[k].value);
}

double sn_number_value(const sn_scene_number *number, const sn_number_context *context)
{
    return number->constant + (number->expression ? expression_value(number->expression, context) : 0) +
           (number->key_count > 0 ? keyed_value(number, context->t) : 0);
}

void sn_vector_value(const sn_scene_vector *vector, const sn_number_context *context, double value[3])
{
    for (int d = 0; d < 3; ++d) {
        value[d] = sn_number_value(&vector->at[d], context);
    }
}
