/* SPDX-License-Identifier: MIT */
#include "author/weights/handle_pins.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/math/vec3.h"

#define FACE_TOLERANCE                                                                                                 \
    1e-6 /* of the box's diagonal: tolerance for vertices on cage faces, and for equal distances to two bones */
#define MAX_STEPS 4096 /* max. steps along a bone */
#define MAX_DISTANCE                                                                                                   \
    0.1 /* of the box's diagonal: max. distance of a handle from the mesh; larger ones suggest a different mesh or     \
           unit */

typedef struct finder {
    const sn_simplices *mesh;
    const sn_symmetric_rows *graph;
    const sn_weight_handles *in;
    const char *name;
    double *weights; /* (vertex_count x handle count) */
    bool *is_pinned;
    size_t width;          /* handle count */
    double *max_weights;   /* (handle count) largest weight on pinned vertices */
    double diagonal;       /* of the mesh's box */
    double tolerance;      /* a length */
    double *longest_edges; /* (vertex_count) length of the longest edge at each vertex */
    double mean_edge;
    double *distances;     /* (vertex_count) to the nearest bone */
    int32_t *point_owners; /* (vertex_count) point handle assigned to this vertex, plus one */
    int32_t *list;         /* vertices of the current bone; also used as a queue */
    double *list_distances;
    int32_t *near_vertices; /* (vertex_count) vertices near the current bone */
    bool is_isolated;       /* the current bone has no vertex near it */
} finder;

static const double *vertex_at(const finder *f, int v)
{
    return f->mesh->positions + 3 * (size_t)v;
}

static void measure(finder *f)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0;
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        const double *x = vertex_at(f, v);
        for (int d = 0; d < 3; ++d) {
            low[d] = fmin(low[d], x[d]);
            high[d] = fmax(high[d], x[d]);
        }
        for (int32_t i = f->graph->starts[v]; i < f->graph->starts[v + 1]; ++i) {
            const double length = sn_distance3(x, vertex_at(f, f->graph->columns[i]));
            f->longest_edges[v] = fmax(f->longest_edges[v], length);
            sum += length;
        }
    }
    /* each row also has an entry for its own vertex */
    f->mean_edge = sum / (f->graph->starts[f->mesh->vertex_count] - f->mesh->vertex_count);
    f->diagonal = sn_distance3(low, high);
    f->tolerance = FACE_TOLERANCE * f->diagonal;
}

#define LABEL_BYTES 200

/* Writes the handle's label to text (LABEL_BYTES). */
static const char *label(const finder *f, int j, char *text)
{
    if (f->in->labels) {
        snprintf(text, LABEL_BYTES, "%s", f->in->labels[j]);
    } else {
        snprintf(text, LABEL_BYTES, "handle %d", j);
    }
    return text;
}

/* Checks the distance of a handle from its nearest vertex: an error if it is far outside, a warning if it is outside.
 */
static sn_result check_distance(const finder *f, int j, int v, double distance)
{
    char text[LABEL_BYTES];
    if (distance <= f->longest_edges[v]) {
        return SN_OK;
    }
    if (distance > MAX_DISTANCE * f->diagonal) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s: lies outside the mesh, %.3g of its diagonal from the nearest vertex",
                       f->name, label(f, j, text), distance / f->diagonal);
    }
    sn_log(SN_LOG_WARNING, "%s: %s: lies outside the mesh; its nearest vertex, %.3g of the diagonal away, is used",
           f->name, label(f, j, text), distance / f->diagonal);
    return SN_OK;
}

/* ---- input checks and rows ---- */

static sn_result check_handles(const finder *f)
{
    char text[LABEL_BYTES];
    if (f->in->count < 1) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: no handles; add at least one", f->name);
    }
    for (int j = 0; j < f->in->count; ++j) {
        const sn_weight_handle *h = &f->in->handles[j];
        const bool is_bone = h->type == SN_WEIGHT_HANDLE_BONE;
        for (int d = 0; d < 3; ++d) {
            if (!isfinite(h->start[d]) || (is_bone && !isfinite(h->end[d]))) {
                return sn_fail(SN_ERROR_ARGUMENT, "%s: %s: position is not finite", f->name, label(f, j, text));
            }
        }
        if (is_bone && !(h->radius >= 0 && isfinite(h->radius))) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: %s: radius is %g; it must be finite and not negative", f->name,
                           label(f, j, text), h->radius);
        }
    }
    return SN_OK;
}

static sn_result check_cage(const finder *f, const int32_t *faces, int face_count, int corner_count)
{
    for (int i = 0; i < face_count * corner_count; ++i) {
        if (faces[i] < 0 || faces[i] >= f->in->count || f->in->handles[faces[i]].type != SN_WEIGHT_HANDLE_CAGE) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: cage %s %d uses handle %d, which is not a cage vertex", f->name,
                           corner_count == 2 ? "edge" : "triangle", i / corner_count, faces[i]);
        }
    }
    return SN_OK;
}

static double *row_of(const finder *f, int v)
{
    return f->weights + (size_t)v * f->width;
}

/* Clears a vertex's row and pins the vertex. */
static double *pin_vertex(const finder *f, int v)
{
    double *row = row_of(f, v);
    memset(row, 0, f->width * sizeof *row);
    f->is_pinned[v] = true;
    return row;
}

/* Returns the nearest of the listed vertices, or of all vertices if `list` is null. */
static int nearest_of(const finder *f, const int32_t *list, int count, const double *x)
{
    int best = 0;
    double min_distance = INFINITY;
    for (int i = 0; i < count; ++i) {
        const int v = list ? list[i] : i;
        const double distance = sn_distance3(vertex_at(f, v), x);
        if (distance < min_distance) {
            min_distance = distance;
            best = v;
        }
    }
    return best;
}

/* ---- bones ---- */

static double bone_distance(const finder *f, const sn_weight_handle *bone, int v)
{
    return sn_segment_distance(vertex_at(f, v), bone->start, bone->end);
}

static int list_ball(const finder *f, const sn_weight_handle *bone)
{
    int count = 0;
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        const double distance = bone_distance(f, bone, v);
        if (distance <= bone->radius) {
            f->list[count] = v;
            f->list_distances[count++] = distance;
        }
    }
    return count;
}

/* Lists the vertices nearest to points along the bone. Parts of the bone outside the mesh get none. */
static int list_chain(const finder *f, const sn_weight_handle *bone)
{
    const double steps = ceil(2 * sn_distance3(bone->start, bone->end) / f->mean_edge);
    const int step_count = steps < MAX_STEPS ? (int)steps : MAX_STEPS;
    int near_count = 0, count = 0;
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        if (bone_distance(f, bone, v) <= f->longest_edges[v]) {
            f->near_vertices[near_count++] = v;
        }
    }
    for (int step = 0; step <= step_count && near_count > 0; ++step) {
        const double t = (double)step / (step_count > 0 ? step_count : 1);
        double x[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = bone->start[d] + t * (bone->end[d] - bone->start[d]);
        }
        const int v = nearest_of(f, f->near_vertices, near_count, x);
        if (sn_distance3(vertex_at(f, v), x) <= f->longest_edges[v]) {
            f->list[count] = v;
            f->list_distances[count++] = bone_distance(f, bone, v);
        }
    }
    return count;
}

/* Lists the single vertex nearest to a bone that has none near it. */
static int list_nearest(const finder *f, const sn_weight_handle *bone)
{
    f->list_distances[0] = INFINITY;
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        const double distance = bone_distance(f, bone, v);
        if (distance < f->list_distances[0]) {
            f->list[0] = v;
            f->list_distances[0] = distance;
        }
    }
    return 1;
}

/* A ball smaller than the mesh's edges may contain no vertex; the bone is then treated as having no radius. */
static int list_bone(finder *f, const sn_weight_handle *bone)
{
    int count = bone->radius > 0 ? list_ball(f, bone) : 0;
    count = count > 0 ? count : list_chain(f, bone);
    f->is_isolated = count == 0;
    return count > 0 ? count : list_nearest(f, bone);
}

static sn_result measure_bones(finder *f)
{
    sn_result result = SN_OK;
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        f->distances[v] = INFINITY;
    }
    for (int j = 0; j < f->in->count && result == SN_OK; ++j) {
        const sn_weight_handle *bone = &f->in->handles[j];
        const int count = bone->type == SN_WEIGHT_HANDLE_BONE ? list_bone(f, bone) : 0;
        if (bone->type == SN_WEIGHT_HANDLE_BONE && f->is_isolated) {
            result = check_distance(f, j, f->list[0], f->list_distances[0]);
        }
        for (int i = 0; i < count; ++i) {
            f->distances[f->list[i]] = fmin(f->distances[f->list[i]], f->list_distances[i]);
        }
    }
    return result;
}

static sn_result pin_bones(finder *f)
{
    SN_TRY(measure_bones(f));
    for (int j = 0; j < f->in->count; ++j) {
        const sn_weight_handle *bone = &f->in->handles[j];
        const int count = bone->type == SN_WEIGHT_HANDLE_BONE ? list_bone(f, bone) : 0;
        for (int i = 0; i < count; ++i) {
            const bool is_prefilled = f->in->is_prefilled && f->in->is_prefilled[f->list[i]];
            if (!is_prefilled && f->list_distances[i] <= f->distances[f->list[i]] + f->tolerance) {
                row_of(f, f->list[i])[j] = 1;
                f->is_pinned[f->list[i]] = true;
            }
        }
    }
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        double *row = row_of(f, v), sum = 0;
        for (size_t j = 0; j < f->width; ++j) {
            sum += row[j];
        }
        for (size_t j = 0; j < f->width && sum > 1; ++j) {
            row[j] /= sum;
        }
    }
    return SN_OK;
}

/* ---- cages ---- */

/* Computes the weights of a face's 2 or 3 corners at the point of its line or plane nearest to x. */
static void face_weights(const double *const *corners, int corner_count, const double *x, double *weights)
{
    if (corner_count == 2) {
        weights[1] = sn_segment_nearest(x, corners[0], corners[1]);
        weights[0] = 1 - weights[1];
        return;
    }
    double a[3], b[3], p[3];
    sn_subtract3(corners[1], corners[0], a);
    sn_subtract3(corners[2], corners[0], b);
    sn_subtract3(x, corners[0], p);
    const double aa = sn_dot3(a, a), ab = sn_dot3(a, b), bb = sn_dot3(b, b), determinant = aa * bb - ab * ab;
    weights[1] = (bb * sn_dot3(a, p) - ab * sn_dot3(b, p)) / determinant;
    weights[2] = (aa * sn_dot3(b, p) - ab * sn_dot3(a, p)) / determinant;
    weights[0] = 1 - weights[1] - weights[2];
}

/* Clamps the weights to the face. Returns false if x is not on the face. */
static bool is_on_face(const double *const *corners, int corner_count, const double *x, double tolerance,
                       double *weights)
{
    double on[3] = {0, 0, 0}, sum = 0;
    face_weights(corners, corner_count, x, weights);
    for (int k = 0; k < corner_count; ++k) {
        weights[k] = fmax(weights[k], 0);
        sum += weights[k];
    }
    for (int k = 0; k < corner_count; ++k) {
        weights[k] /= sum;
        for (int d = 0; d < 3; ++d) {
            on[d] += weights[k] * corners[k][d];
        }
    }
    return sn_distance3(on, x) <= tolerance;
}

/* Pins the vertices nearest to each cage edge, since an edge inside a mesh has few vertices exactly on it. */
static void pin_edges(const finder *f)
{
    for (int i = 0; i < f->in->cage_edge_count; ++i) {
        const int32_t *ends = f->in->cage_edges + 2 * (size_t)i;
        sn_weight_handle edge = {.type = SN_WEIGHT_HANDLE_BONE};
        memcpy(edge.start, f->in->handles[ends[0]].start, sizeof edge.start);
        memcpy(edge.end, f->in->handles[ends[1]].start, sizeof edge.end);
        const int count = list_chain(f, &edge);
        for (int k = 0; k < count; ++k) {
            const double along = sn_segment_nearest(vertex_at(f, f->list[k]), edge.start, edge.end);
            double *row = pin_vertex(f, f->list[k]);
            row[ends[0]] = 1 - along;
            row[ends[1]] += along;
        }
    }
}

static void pin_cage(const finder *f, const int32_t *faces, int face_count, int corner_count)
{
    for (int i = 0; i < face_count; ++i) {
        const int32_t *face = faces + (size_t)i * (size_t)corner_count;
        const double *corners[3];
        for (int k = 0; k < corner_count; ++k) {
            corners[k] = f->in->handles[face[k]].start;
        }
        for (int v = 0; v < f->mesh->vertex_count; ++v) {
            double corner_weights[3];
            if (is_on_face(corners, corner_count, vertex_at(f, v), f->tolerance, corner_weights)) {
                double *row = pin_vertex(f, v);
                for (int k = 0; k < corner_count; ++k) {
                    row[face[k]] += corner_weights[k];
                }
            }
        }
    }
}

/* ---- points ---- */

static void find_max_weights(const finder *f)
{
    memset(f->max_weights, 0, f->width * sizeof *f->max_weights);
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        for (size_t j = 0; j < f->width; ++j) {
            f->max_weights[j] = fmax(f->max_weights[j], row_of(f, v)[j]);
        }
    }
}

static sn_result pin_point(const finder *f, int j)
{
    char one[LABEL_BYTES], other[LABEL_BYTES];
    const sn_weight_handle *h = &f->in->handles[j];
    const int v = nearest_of(f, NULL, f->mesh->vertex_count, h->start);
    const sn_result result = check_distance(f, j, v, sn_distance3(vertex_at(f, v), h->start));
    if (result != SN_OK) {
        return result;
    }
    if (f->point_owners[v] > 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s and %s: have the same nearest vertex %d of the mesh", f->name,
                       label(f, f->point_owners[v] - 1, one), label(f, j, other), v);
    }
    f->point_owners[v] = j + 1;
    pin_vertex(f, v)[j] = 1;
    return SN_OK;
}

static sn_result pin_points(const finder *f)
{
    sn_result result = SN_OK;
    char text[LABEL_BYTES];
    find_max_weights(f);
    for (int j = 0; j < f->in->count && result == SN_OK; ++j) {
        const sn_weight_handle_type type = f->in->handles[j].type;
        if (type == SN_WEIGHT_HANDLE_POINT || (type == SN_WEIGHT_HANDLE_CAGE && f->max_weights[j] == 0)) {
            result = pin_point(f, j);
        }
    }
    find_max_weights(f);
    for (int j = 0; j < f->in->count && result == SN_OK; ++j) {
        if (f->max_weights[j] == 0 || (f->max_weights[j] < 1 && f->in->handles[j].type == SN_WEIGHT_HANDLE_BONE)) {
            result = sn_fail(SN_ERROR_ARGUMENT,
                             "%s: %s: has no vertex of its own; other handles are nearer to all of its vertices",
                             f->name, label(f, j, text));
        }
    }
    return result;
}

/* ---- components without a handle ---- */

/* Lists the component of v and flags its vertices in `visited`. */
static int list_component(const finder *f, int v, bool *visited)
{
    int count = 0;
    f->list[count++] = v;
    visited[v] = true;
    for (int i = 0; i < count; ++i) {
        const int at = f->list[i];
        for (int32_t k = f->graph->starts[at]; k < f->graph->starts[at + 1]; ++k) {
            const int32_t other = f->graph->columns[k];
            if (!visited[other]) {
                visited[other] = true;
                f->list[count++] = other;
            }
        }
    }
    return count;
}

static int nearest_handle(const finder *f, int listed_count)
{
    int best = 0;
    double min_distance = INFINITY;
    for (int j = 0; j < f->in->count; ++j) {
        sn_weight_handle h = f->in->handles[j];
        if (h.type != SN_WEIGHT_HANDLE_BONE) {
            memcpy(h.end, h.start, sizeof h.end);
        }
        for (int i = 0; i < listed_count; ++i) {
            const double distance = bone_distance(f, &h, f->list[i]);
            if (distance < min_distance) {
                min_distance = distance;
                best = j;
            }
        }
    }
    return best;
}

static void pin_unreached_components(const finder *f, bool *visited, sn_handle_pins *pins)
{
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        const int count = visited[v] ? 0 : list_component(f, v, visited);
        bool is_reached = count == 0;
        for (int i = 0; i < count; ++i) {
            is_reached = is_reached || f->is_pinned[f->list[i]];
        }
        const int handle = is_reached ? 0 : nearest_handle(f, count);
        for (int i = 0; i < count && !is_reached; ++i) {
            pin_vertex(f, f->list[i])[handle] = 1;
        }
        pins->unreached_count += !is_reached;
    }
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        pins->free_count += !f->is_pinned[v];
    }
}

static bool start_finder(finder *f, sn_arena *scratch)
{
    const size_t n = (size_t)f->mesh->vertex_count;
    f->longest_edges = SN_NEW(scratch, double, n);
    f->distances = SN_NEW(scratch, double, n);
    f->point_owners = SN_NEW(scratch, int32_t, n);
    f->list = SN_NEW(scratch, int32_t, n + MAX_STEPS + 1);
    f->list_distances = SN_NEW(scratch, double, n + MAX_STEPS + 1);
    f->near_vertices = SN_NEW(scratch, int32_t, n);
    f->max_weights = SN_NEW(scratch, double, f->width);
    return f->max_weights && f->is_pinned && f->longest_edges && f->distances && f->point_owners && f->list &&
           f->list_distances && f->near_vertices;
}

static void start_rows(const finder *f)
{
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        f->is_pinned[v] = f->in->is_prefilled && f->in->is_prefilled[v];
        if (!f->is_pinned[v]) {
            memset(row_of(f, v), 0, f->width * sizeof(double));
        }
    }
}

static sn_result find(finder *f)
{
    measure(f);
    SN_TRY(check_handles(f));
    SN_TRY(check_cage(f, f->in->cage_edges, f->in->cage_edge_count, 2));
    SN_TRY(check_cage(f, f->in->cage_triangles, f->in->cage_triangle_count, 3));
    SN_TRY(pin_bones(f));
    pin_edges(f);
    pin_cage(f, f->in->cage_edges, f->in->cage_edge_count, 2);
    pin_cage(f, f->in->cage_triangles, f->in->cage_triangle_count, 3);
    return pin_points(f);
}

sn_result sn_handle_pins_find(const sn_simplices *simplices, const sn_symmetric_rows *graph,
                              const sn_weight_handles *handles, const char *name, sn_arena *arena, double *weights,
                              sn_handle_pins *pins)
{
    sn_arena scratch = {0};
    finder f = {.mesh = simplices, .graph = graph, .in = handles, .name = name, .weights = weights};
    bool *visited = SN_NEW(&scratch, bool, simplices->vertex_count);
    f.width = handles->count > 0 ? (size_t)handles->count : 0;
    *pins = (sn_handle_pins){.is_pinned = SN_NEW(arena, bool, simplices->vertex_count)};
    f.is_pinned = pins->is_pinned;
    sn_result result = start_finder(&f, &scratch) && visited ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        start_rows(&f);
        result = find(&f);
    }
    if (result == SN_OK) {
        pin_unreached_components(&f, visited, pins);
    }
    sn_arena_finish(&scratch);
    return result;
}
