/* SPDX-License-Identifier: MIT */
/* Joins components that touch in one cell or across a face by Kruskal's algorithm over their pose distances. A pair of
 * components is joined at its best contact and at all contacts that move about as little; a looser bound glues hair to
 * shoulders. */
#include "author/mesher/connect.h"

#include <math.h>
#include <stdlib.h>

#include "author/mesher/elements.h"
#include "author/mesher/sets.h"
#include "host/math/vec3.h"

#define MAX_POSE_DISTANCE 4.0 /* max. pose distance of a contact, in cells; components further apart are bridged */
#define SLACK_RATIO 1.1
#define SLACK_CELLS 0.5
#define MOBILE_CONTACTS                                                                                                \
    16.0 /* contacts that move more than one cell are limited to this number, divided by their motion in cells */
#define CONTACT_LIMIT (1 << 20)
#define PAIR_LIMIT 64 /* max. fragments of a cell that are compared */
#define INSIDE_CELL (-1)

typedef struct contact {
    double motion;
    int32_t a, b;
    int32_t face; /* face of a's cell, or INSIDE_CELL */
} contact;

typedef struct connector {
    sn_fragments *fragments;
    const sn_motion *motion;   /* the file's own clips if it has any: in random poses, feet driven by inverse kinematics
                                  separate from their shins because they are not children of them */
    float **moved;             /* (element_count) posed centers, computed on demand */
    int32_t *members, *starts; /* elements by fragment */
    contact *contacts;         /* (capacity) */
    int count, capacity;
    sn_arena scratch;
} connector;

static bool list_members(connector *c)
{
    const sn_fragments *f = c->fragments;
    c->starts = SN_NEW(&c->scratch, int32_t, f->fragment_count + 2);
    c->members = SN_NEW(&c->scratch, int32_t, f->element_count);
    if (!c->starts || !c->members) {
        return false;
    }
    for (int e = 0; e < f->element_count; ++e) {
        ++c->starts[f->element_fragments[e] + 2];
    }
    for (int i = 0; i < f->fragment_count; ++i) {
        c->starts[i + 2] += c->starts[i + 1];
    }
    for (int32_t e = 0; e < f->element_count; ++e) {
        c->members[c->starts[f->element_fragments[e] + 1]++] = e;
    }
    return true;
}

static const float *posed_centre(connector *c, int32_t element)
{
    if (!c->moved[element]) {
        c->moved[element] = SN_NEW(&c->scratch, float, 3 * (size_t)c->motion->pose_count);
        if (c->moved[element]) {
            sn_elements_transform(c->fragments, c->motion, element, c->moved[element]);
        }
    }
    return c->moved[element];
}

/* Returns the smallest pose distance among the first four elements of each fragment. Also returns INFINITY if memory
 * runs out. */
static double contact_motion(connector *c, int32_t a, int32_t b)
{
    const sn_element *elements = c->fragments->elements;
    double min_motion = INFINITY;
    for (int32_t i = c->starts[a]; i < c->starts[a + 1] && i < c->starts[a] + 4; ++i) {
        for (int32_t j = c->starts[b]; j < c->starts[b + 1] && j < c->starts[b] + 4; ++j) {
            const float *x = posed_centre(c, c->members[i]), *y = posed_centre(c, c->members[j]);
            if (x && y) {
                const double distance = sn_distance3(elements[c->members[i]].centre, elements[c->members[j]].centre);
                min_motion = fmin(min_motion, sn_motion_growth(c->motion, distance, x, y));
            }
        }
    }
    return min_motion;
}

/* Adds a contact between two components. Before `contacts` is allocated, only counts the candidates. */
static void add_contact(connector *c, int32_t a, int32_t b, int32_t face)
{
    sn_fragments *f = c->fragments;
    if (sn_sets_find(f->component_sets, a) == sn_sets_find(f->component_sets, b)) {
        return;
    }
    if (!c->contacts) {
        c->capacity += c->capacity < CONTACT_LIMIT;
        return;
    }
    if (c->count == c->capacity) {
        return;
    }
    const double motion = contact_motion(c, a, b);
    if (motion <= MAX_POSE_DISTANCE * f->lattice->cell_size) {
        c->contacts[c->count++] = (contact){motion, a, b, face};
    }
}

static int32_t fragments_end(const sn_fragments *f, int32_t cell)
{
    const int32_t first = f->fragment_starts[cell], end = f->fragment_starts[cell + 1];
    return end - first > PAIR_LIMIT ? first + PAIR_LIMIT : end;
}

static void list_contacts(connector *c)
{
    const sn_fragments *f = c->fragments;
    for (int32_t cell = 0; cell < f->cell_count; ++cell) {
        const int32_t first = f->fragment_starts[cell], end = fragments_end(f, cell);
        for (int32_t a = first; a < end; ++a) {
            for (int32_t b = a + 1; b < end; ++b) {
                add_contact(c, a, b, INSIDE_CELL);
            }
            for (int k = 0; k < 4; ++k) {
                const int32_t other = f->neighbours[4 * (size_t)cell + (size_t)k];
                for (int32_t b = other > cell ? f->fragment_starts[other] : 0;
                     other > cell && b < fragments_end(f, other); ++b) {
                    add_contact(c, a, b, k);
                }
            }
        }
    }
}

static int by_motion(const void *left, const void *right)
{
    const contact *x = left, *y = right;
    if (x->motion != y->motion) {
        return x->motion < y->motion ? -1 : 1;
    }
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static void join_contact(sn_fragments *f, const contact *at)
{
    if (at->face == INSIDE_CELL) {
        sn_fragments_merge(f, at->a, at->b);
    } else {
        sn_fragments_link(f, at->a, at->face, at->b);
    }
}

/* Joins two components at contact `first` and at all contacts that are about as good. Contacts are flagged before the
 * first join merges the two components. */
static void join_components(connector *c, int first, bool *is_joined)
{
    sn_fragments *f = c->fragments;
    const int32_t root_a = sn_sets_find(f->component_sets, c->contacts[first].a);
    const int32_t root_b = sn_sets_find(f->component_sets, c->contacts[first].b);
    const double best = c->contacts[first].motion;
    const double bound = fmax(SLACK_RATIO * best, best + SLACK_CELLS * f->lattice->cell_size);
    const double cells = best / f->lattice->cell_size;
    const int max_joined = cells > 1 ? (int)ceil(MOBILE_CONTACTS / cells) : c->count;
    int end = first, joined_count = 0;
    for (; end < c->count && c->contacts[end].motion <= bound && joined_count < max_joined; ++end) {
        const int32_t a = sn_sets_find(f->component_sets, c->contacts[end].a);
        const int32_t b = sn_sets_find(f->component_sets, c->contacts[end].b);
        is_joined[end] = (a == root_a && b == root_b) || (a == root_b && b == root_a);
        joined_count += is_joined[end];
    }
    for (int i = first; i < end; ++i) {
        if (is_joined[i]) {
            join_contact(f, &c->contacts[i]);
        }
    }
}

static int count_components(sn_fragments *f)
{
    int count = 0;
    for (int32_t i = 0; i < f->fragment_count; ++i) {
        count += f->component_sets[i] == i;
    }
    return count;
}

sn_result sn_connect_contacts(sn_fragments *fragments)
{
    if (count_components(fragments) < 2) {
        return SN_OK;
    }
    const sn_mesher_context *context = fragments->context;
    connector c = {.fragments = fragments, .motion = context->clips.pose_count > 0 ? &context->clips : &context->tests};
    c.moved = SN_NEW(&c.scratch, float *, fragments->element_count);
    list_contacts(&c);
    c.contacts = SN_NEW(&c.scratch, contact, c.capacity);
    bool *is_joined = SN_NEW(&c.scratch, bool, c.capacity);
    const bool is_ok = c.moved && c.contacts && is_joined && list_members(&c);
    if (is_ok) {
        list_contacts(&c);
        qsort(c.contacts, (size_t)c.count, sizeof *c.contacts, by_motion);
        for (int i = 0; i < c.count; ++i) {
            if (sn_sets_find(fragments->component_sets, c.contacts[i].a) !=
                sn_sets_find(fragments->component_sets, c.contacts[i].b)) {
                join_components(&c, i, is_joined);
            }
        }
    }
    sn_arena_finish(&c.scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
