/* SPDX-License-Identifier: MIT */
/* Reads .tgf, the trivial graph format of libigl's handles: lines "NUMBER X Y [Z]", a line "#", lines "FROM TO [bone
 * pseudo cage ...]" until the end or another "#". An edge belongs to a cage if its flags say so or, without flags, if
 * its vertices all have two such edges. Other edges are bones from FROM to TO; pseudo edges are ignored. */
#include <stdio.h>
#include <string.h>

#include "author/io/rig/rig_handles.h"
#include "author/io/text.h"

typedef enum edge_type { UNFLAGGED, BONE, PSEUDO, CAGE } edge_type;

typedef struct vertex {
    int64_t number;
    double position[3];
    int cage_edge_count, bone_count; /* number of edges */
    int32_t cage;                    /* index in the cage, or -1 */
    int32_t bone;                    /* first bone that ends here, or -1 */
} vertex;

typedef struct edge {
    int32_t from, to;
    edge_type type;
} edge;

typedef struct graph {
    const char *file;
    vertex *vertices;
    edge *edges;
    int vertex_count, edge_count;
} graph;

/* Reads up to `limit` words of a line; none for a blank line. */
static int read_words(sn_text *text, sn_token *words, int limit)
{
    const size_t line = text->line;
    int count = 0;
    while (count < limit) {
        const sn_text before = *text;
        const sn_token word = sn_text_next(text);
        if (word.size == 0 || text->item_line != line) {
            *text = before;
            break;
        }
        words[count++] = word;
    }
    sn_text_skip_line(text);
    return count;
}

/* A cursor over one word, for messages with the line number. */
static sn_text word_text(const sn_text *text, sn_token word, size_t line)
{
    const sn_source source = {text->name, (const uint8_t *)word.text, word.size};
    sn_text cursor = sn_text_begin(&source, 0);
    cursor.line = line;
    return cursor;
}

static sn_result read_integer(const sn_text *text, sn_token word, size_t line, const char *what, int64_t *value)
{
    sn_text cursor = word_text(text, word, line);
    return sn_text_integer(&cursor, what, value);
}

static sn_result read_vertex(graph *g, const sn_text *text, const sn_token *words, int count, size_t line)
{
    vertex *v = &g->vertices[g->vertex_count];
    *v = (vertex){.cage = -1, .bone = -1};
    if (count < 3) {
        return sn_fail(SN_ERROR_FORMAT, "%s: line %zu: a handle must have a number and a position", g->file, line);
    }
    if (g->vertex_count == SN_RIG_HANDLE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: line %zu: more than %d handles", g->file, line, SN_RIG_HANDLE_LIMIT);
    }
    sn_result result = read_integer(text, words[0], line, "the handle's number", &v->number);
    for (int d = 0; d < 3 && d + 1 < count && result == SN_OK; ++d) {
        sn_text cursor = word_text(text, words[d + 1], line);
        result = sn_text_double(&cursor, "a coordinate", &v->position[d]);
    }
    for (int i = 0; i < g->vertex_count && result == SN_OK; ++i) {
        if (g->vertices[i].number == v->number) {
            return sn_fail(SN_ERROR_FORMAT, "%s: line %zu: the handle %lld is defined twice", g->file, line,
                           (long long)v->number);
        }
    }
    g->vertex_count += result == SN_OK;
    return result;
}

static sn_result find_vertex(const graph *g, const sn_text *text, sn_token word, size_t line, int32_t *index)
{
    int64_t number = 0;
    SN_TRY(read_integer(text, word, line, "a handle's number", &number));
    for (*index = 0; *index < g->vertex_count; ++*index) {
        if (g->vertices[*index].number == number) {
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_FORMAT, "%s: line %zu: handle %lld does not exist", g->file, line, (long long)number);
}

static sn_result read_edge(graph *g, const sn_text *text, const sn_token *words, int count, size_t line)
{
    edge *e = &g->edges[g->edge_count];
    *e = (edge){.type = UNFLAGGED};
    if (count < 2) {
        return sn_fail(SN_ERROR_FORMAT, "%s: line %zu: an edge must have two handles", g->file, line);
    }
    if (g->edge_count == 2 * SN_RIG_HANDLE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: line %zu: more than %d edges", g->file, line,
                       2 * SN_RIG_HANDLE_LIMIT);
    }
    sn_result result = find_vertex(g, text, words[0], line, &e->from);
    result = result == SN_OK ? find_vertex(g, text, words[1], line, &e->to) : result;
    static const edge_type flag_types[] = {BONE, PSEUDO, CAGE};
    for (int i = 0; i < 3 && i + 2 < count && result == SN_OK; ++i) {
        int64_t flag = 0;
        result = read_integer(text, words[i + 2], line, "a flag", &flag);
        e->type = flag != 0 ? flag_types[i] : e->type;
    }
    if (result == SN_OK && e->from == e->to) {
        return sn_fail(SN_ERROR_FORMAT, "%s: line %zu: the edge joins a handle to itself", g->file, line);
    }
    for (int i = 0; i < g->edge_count && result == SN_OK; ++i) {
        const edge *other = &g->edges[i];
        if ((other->from == e->from && other->to == e->to) || (other->from == e->to && other->to == e->from)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: line %zu: the edge is defined twice", g->file, line);
        }
    }
    g->edge_count += result == SN_OK;
    return result;
}

static sn_result read_graph(const sn_source *source, graph *g)
{
    sn_text text = sn_text_begin(source, 0);
    int section = 0;
    while (section < 2 && sn_text_remaining(&text) > 0) {
        sn_token words[5];
        const size_t line = text.line;
        const int count = read_words(&text, words, 5);
        if (count == 0) {
            continue;
        }
        if (sn_token_is(words[0], "#")) {
            ++section;
        } else if (section == 0) {
            SN_TRY(read_vertex(g, &text, words, count, line));
        } else {
            SN_TRY(read_edge(g, &text, words, count, line));
        }
    }
    if (g->vertex_count == 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: line 1: the file has no handles", g->file);
    }
    return SN_OK;
}

/* Edges without flags form a cage if each of their vertices has two of them; otherwise they are bones. */
static void classify_edges(graph *g)
{
    bool is_loop = true;
    for (int i = 0; i < g->edge_count; ++i) {
        const edge *e = &g->edges[i];
        g->vertices[e->from].cage_edge_count += e->type == UNFLAGGED || e->type == CAGE;
        g->vertices[e->to].cage_edge_count += e->type == UNFLAGGED || e->type == CAGE;
    }
    for (int v = 0; v < g->vertex_count; ++v) {
        is_loop = is_loop && (g->vertices[v].cage_edge_count == 0 || g->vertices[v].cage_edge_count == 2);
    }
    for (int i = 0; i < g->edge_count; ++i) {
        edge *e = &g->edges[i];
        e->type = e->type == UNFLAGGED ? (is_loop ? CAGE : BONE) : e->type;
        g->vertices[e->from].bone_count += e->type == BONE;
        g->vertices[e->to].bone_count += e->type == BONE;
    }
}

static char *format_name(sn_arena *arena, const char *format, int64_t first, int64_t second)
{
    char *name = SN_NEW(arena, char, 64);
    if (name) {
        snprintf(name, 64, format, (long long)first, (long long)second);
    }
    return name;
}

static bool new_handle(sn_arena *arena, sn_rig_handles *handles, sn_rig_handle_type type, const char *name, int points)
{
    sn_rig_handle *h = &handles->handles[handles->count++];
    *h = (sn_rig_handle){
        .type = type, .name = name, .parent = -1, .point_count = points, .points = SN_NEW(arena, double, 3 * points)};
    return name && h->points;
}

/* All cage edges form one handle. */
static sn_result add_cage(graph *g, sn_arena *arena, sn_rig_handles *handles)
{
    int points = 0, edges = 0;
    for (int i = 0; i < g->edge_count; ++i) {
        const edge *e = &g->edges[i];
        const int32_t ends[2] = {e->from, e->to};
        edges += e->type == CAGE;
        for (int k = 0; k < 2 && e->type == CAGE; ++k) {
            g->vertices[ends[k]].cage = g->vertices[ends[k]].cage < 0 ? points++ : g->vertices[ends[k]].cage;
        }
    }
    if (points == 0) {
        return SN_OK;
    }
    sn_rig_handle *h = &handles->handles[handles->count];
    int32_t *list = SN_NEW(arena, int32_t, 2 * edges);
    if (!list || !new_handle(arena, handles, SN_RIG_CAGE, "cage", points)) {
        return SN_ERROR_MEMORY;
    }
    h->edges = list;
    for (int i = 0; i < g->edge_count; ++i) {
        const edge *e = &g->edges[i];
        if (e->type == CAGE) {
            h->edges[2 * h->edge_count] = g->vertices[e->from].cage;
            h->edges[2 * h->edge_count++ + 1] = g->vertices[e->to].cage;
        }
    }
    for (int v = 0; v < g->vertex_count; ++v) {
        if (g->vertices[v].cage >= 0 && g->vertices[v].cage_edge_count != 2) {
            return sn_fail(SN_ERROR_FORMAT,
                           "%s: handle %lld has %d cage edges instead of 2; a cage must be a closed loop", g->file,
                           (long long)g->vertices[v].number, g->vertices[v].cage_edge_count);
        }
        if (g->vertices[v].cage >= 0) {
            memcpy(h->points + 3 * (size_t)g->vertices[v].cage, g->vertices[v].position, 3 * sizeof(double));
        }
    }
    return SN_OK;
}

/* Adds a bone per edge, in file order; its parent is the first bone that ends where it begins. Call it before add_cage,
 * so that handle indices equal bone indices. */
static sn_result add_bones(graph *g, sn_arena *arena, sn_rig_handles *handles)
{
    const int first = handles->count;
    for (int i = 0; i < g->edge_count; ++i) {
        const edge *e = &g->edges[i];
        if (e->type != BONE) {
            continue;
        }
        vertex *from = &g->vertices[e->from], *to = &g->vertices[e->to];
        sn_rig_handle *h = &handles->handles[handles->count];
        if (!new_handle(arena, handles, SN_RIG_BONE, format_name(arena, "bone%lld-%lld", from->number, to->number),
                        2)) {
            return SN_ERROR_MEMORY;
        }
        memcpy(h->points, from->position, sizeof from->position);
        memcpy(h->points + 3, to->position, sizeof to->position);
        to->bone = to->bone < 0 ? handles->count - 1 : to->bone;
    }
    for (int i = 0, next = first; i < g->edge_count; ++i) {
        if (g->edges[i].type == BONE) {
            handles->handles[next++].parent = g->vertices[g->edges[i].from].bone;
        }
    }
    for (int i = first; i < handles->count; ++i) {
        int32_t at = i;
        for (int steps = 0; at >= 0; ++steps) {
            if (steps > handles->count) {
                return sn_fail(SN_ERROR_FORMAT, "%s: %s: the bones form a cycle", g->file, handles->handles[i].name);
            }
            at = handles->handles[at].parent;
        }
    }
    return SN_OK;
}

static sn_result build_handles(graph *g, sn_arena *arena, sn_rig_handles *handles)
{
    classify_edges(g);
    *handles = (sn_rig_handles){.handles = SN_NEW(arena, sn_rig_handle, g->vertex_count + g->edge_count + 1)};
    if (!handles->handles) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < g->vertex_count; ++v) {
        const vertex *from = &g->vertices[v];
        if (from->bone_count > 0 || from->cage_edge_count > 0) {
            continue;
        }
        sn_rig_handle *h = &handles->handles[handles->count];
        SN_TRY(new_handle(arena, handles, SN_RIG_POINT, format_name(arena, "point%lld", from->number, 0), 1)
                   ? SN_OK
                   : SN_ERROR_MEMORY);
        memcpy(h->points, from->position, sizeof from->position);
    }
    SN_TRY(add_bones(g, arena, handles));
    return add_cage(g, arena, handles);
}

sn_result sn_tgf_read(const sn_source *source, sn_arena *arena, sn_rig_handles *handles)
{
    graph g = {.file = source->name,
               .vertices = SN_NEW(arena, vertex, SN_RIG_HANDLE_LIMIT + 1),
               .edges = SN_NEW(arena, edge, 2 * SN_RIG_HANDLE_LIMIT + 1)};
    sn_rig_handles built = {.count = 0};
    SN_TRY(g.vertices && g.edges ? read_graph(source, &g) : SN_ERROR_MEMORY);
    SN_TRY(build_handles(&g, arena, &built));
    SN_TRY(sn_rig_handles_finish(source->name, arena, &built));
    *handles = built;
    return SN_OK;
}
