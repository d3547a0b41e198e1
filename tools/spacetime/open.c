/* SPDX-License-Identifier: MIT */
/* Opens the files of a sequence: the tet mesh, generated from the surface if missing, and the shapes of its keys. */
#include <math.h>
#include <string.h>

#include "author/cook/cook.h"
#include "author/io/tets/tet_file.h"
#include "author/mesher/mesher.h"
#include "author/spacetime/fit.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"
#include "tools/fourier/shape_file.h"
#include "tools/spacetime/sequence.h"

#define MAX_DIAGONALS 1e6

typedef struct opener {
    const sn_spacetime_file *sequence;
    const char *name;
    sn_arena *arena;
    sn_spacetime_body *body;
    double *places; /* (surface.vertex_count x 3) rest positions of a surface file */
    sn_region_selector marker;
} opener;

static int count_vertices(const sn_scene_file *scene)
{
    int count = 0;
    for (int i = 0; i < scene->primitive_count; ++i) {
        count += scene->primitives[i].vertex_count;
    }
    return count;
}

/* Transforms the mesh by its node; the scene must have one mesh on one node. */
static sn_result read_places(const char *path, sn_arena *arena, sn_scene_file *scene, double **places)
{
    const sn_result result = sn_shape_file_read_scene(path, arena, scene, places);
    int visible_count = 0;
    for (int i = 0; i < scene->node_count && result == SN_OK; ++i) {
        visible_count += scene->nodes[i].mesh >= 0;
    }
    if (result == SN_OK && (scene->mesh_count != 1 || visible_count != 1 || count_vertices(scene) == 0)) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: has %d meshes on %d nodes; a surface file must have one mesh on one node", path,
                       scene->mesh_count, visible_count);
    }
    return result;
}

static sn_result join_triangles(opener *o, sn_spacetime_surface *surface)
{
    const sn_scene_file *scene = o->body->source;
    int32_t first = 0;
    size_t at = 0;
    for (int i = 0; i < scene->primitive_count; ++i) {
        surface->triangle_count += scene->primitives[i].triangle_count;
    }
    int32_t *triangles = SN_NEW(o->arena, int32_t, 3 * (size_t)surface->triangle_count);
    for (int i = 0; triangles && i < scene->primitive_count; ++i) {
        const sn_scene_primitive *p = &scene->primitives[i];
        for (size_t k = 0; k < 3 * (size_t)p->triangle_count; ++k) {
            triangles[at++] = first + p->triangles[k];
        }
        first += p->vertex_count;
    }
    surface->triangles = triangles;
    surface->vertex_count = first;
    return triangles ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result set_corners(opener *o, const int32_t *tets, const double *weights, sn_spacetime_surface *surface)
{
    const size_t count = 4 * (size_t)surface->vertex_count;
    int32_t *corners = SN_NEW(o->arena, int32_t, count);
    for (size_t i = 0; corners && i < count; ++i) {
        corners[i] = o->body->mesh.tets[4 * (size_t)tets[i / 4] + i % 4];
    }
    surface->corners = corners;
    surface->weights = weights;
    return corners ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result make_mesh(opener *o, sn_spacetime_surface *surface)
{
    sn_mesher_output mesher;
    const sn_mesher_input input = {.name = o->sequence->surface,
                                   .vertex_count = surface->vertex_count,
                                   .triangle_count = surface->triangle_count,
                                   .positions = o->places,
                                   .triangles = surface->triangles,
                                   .target_vertex_count = o->sequence->vertex_target};
    const sn_result result = sn_mesher_run(&input, o->arena, &mesher);
    if (result != SN_OK) {
        return result;
    }
    o->body->mesh = mesher.mesh;
    return set_corners(o, mesher.vertex_tets, mesher.vertex_weights, surface);
}

static sn_result place_in_mesh(opener *o, sn_spacetime_surface *surface)
{
    const sn_tet_mesh *mesh = &o->body->mesh;
    int32_t *neighbours = SN_NEW(o->arena, int32_t, 4 * (size_t)mesh->tet_count), *boundary = NULL;
    int32_t *tets = SN_NEW(o->arena, int32_t, surface->vertex_count);
    double *weights = SN_NEW(o->arena, double, 4 * (size_t)surface->vertex_count);
    int boundary_count = 0;
    SN_TRY(neighbours && tets && weights ? sn_tet_neighbours(mesh, o->arena, neighbours) : SN_ERROR_MEMORY);
    SN_TRY(sn_tet_boundary(mesh, neighbours, o->arena, &boundary, &boundary_count));
    SN_TRY(sn_tet_locate(mesh, boundary, boundary_count, o->places, surface->vertex_count, tets, weights));
    return set_corners(o, tets, weights, surface);
}

static sn_result open_mesh(opener *o)
{
    const char *path = o->sequence->mesh;
    sn_result result = path ? sn_tet_file_read(path, o->arena, &o->body->mesh) : SN_OK;
    return path && result == SN_OK ? sn_tet_mesh_validate(&o->body->mesh, path, o->arena, NULL) : result;
}

static sn_result open_surface(opener *o)
{
    sn_spacetime_surface *surface = SN_NEW(o->arena, sn_spacetime_surface, 1);
    o->body->surface = surface;
    if (!surface) {
        return SN_ERROR_MEMORY;
    }
    if (!o->sequence->surface) {
        return sn_spacetime_surface_of_mesh(&o->body->mesh, o->arena, surface);
    }
    o->body->source = SN_NEW(o->arena, sn_scene_file, 1);
    sn_result result =
        o->body->source ? read_places(o->sequence->surface, o->arena, o->body->source, &o->places) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = join_triangles(o, surface);
    }
    if (result != SN_OK) {
        return result;
    }
    return o->sequence->mesh ? place_in_mesh(o, surface) : make_mesh(o, surface);
}

/* Reads a shape of the tet mesh. */
static sn_result read_mesh_shape(opener *o, const char *path, double *positions)
{
    sn_tet_mesh shape;
    SN_TRY(sn_tet_file_read(path, o->arena, &shape));
    if (shape.vertex_count != o->body->mesh.vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %d vertices, but the mesh has %d", path, shape.vertex_count,
                       o->body->mesh.vertex_count);
    }
    memcpy(positions, shape.positions, 3 * (size_t)shape.vertex_count * sizeof *positions);
    return SN_OK;
}

/* Matches a surface's vertices by their file indices if available; readers split them at different normals in different
 * files. */
static sn_result match_places(opener *o, const char *path, const sn_scene_file *shape, const double *places,
                              double *out)
{
    const sn_scene_file *rest = o->body->source;
    const size_t file_count = (size_t)rest->file_vertex_count;
    if (file_count == 0 || shape->file_vertex_count != rest->file_vertex_count) {
        if (count_vertices(shape) != o->body->surface->vertex_count) {
            return sn_fail(SN_ERROR_FORMAT, "%s: %d vertices, but the surface at rest has %d", path,
                           count_vertices(shape), o->body->surface->vertex_count);
        }
        memcpy(out, places, 3 * (size_t)o->body->surface->vertex_count * sizeof *out);
        return SN_OK;
    }
    int32_t *numbers = SN_NEW(o->arena, int32_t, file_count);
    if (!numbers) {
        return SN_ERROR_MEMORY;
    }
    memset(numbers, -1, file_count * sizeof *numbers);
    int32_t at = 0;
    for (int i = 0; i < shape->primitive_count; ++i) {
        const sn_scene_primitive *p = &shape->primitives[i];
        for (int v = 0; v < p->vertex_count; ++v, ++at) {
            numbers[p->file_vertices ? p->file_vertices[v] : at] = at;
        }
    }
    at = 0;
    for (int i = 0; i < rest->primitive_count; ++i) {
        const sn_scene_primitive *p = &rest->primitives[i];
        for (int v = 0; v < p->vertex_count; ++v, ++at) {
            const int32_t from = numbers[p->file_vertices ? p->file_vertices[v] : at];
            if (from < 0) {
                return sn_fail(SN_ERROR_FORMAT, "%s: no triangle has vertex %d of the surface at rest", path, (int)at);
            }
            memcpy(out + 3 * (size_t)at, places + 3 * (size_t)from, 3 * sizeof *out);
        }
    }
    return SN_OK;
}

static sn_result read_surface_shape(opener *o, const char *path, double *out)
{
    sn_scene_file shape;
    double *places = NULL;
    if (!o->body->source) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the shape of a mesh without a surface is a .msh or a .mesh", path);
    }
    SN_TRY(read_places(path, o->arena, &shape, &places));
    return match_places(o, path, &shape, places, out);
}

/* Replaces a shape by its residual to the fitted mesh. */
static sn_result keep_offsets(opener *o, const double *positions, double *shape)
{
    const size_t size = 3 * (size_t)o->body->surface->vertex_count;
    double *places = SN_NEW(o->arena, double, size);
    if (!places) {
        return SN_ERROR_MEMORY;
    }
    sn_spacetime_surface_positions(o->body->surface, positions, places);
    for (size_t i = 0; i < size; ++i) {
        shape[i] -= places[i];
    }
    return SN_OK;
}

/* Fits the tet mesh to all keys that are surfaces, together. */
static sn_result fit_shapes(opener *o, double *const *positions)
{
    const sn_spacetime_file *s = o->sequence;
    const size_t keys = (size_t)s->key_count;
    double **shapes = SN_NEW(o->arena, double *, keys), **fitted = SN_NEW(o->arena, double *, keys);
    const double **offsets = SN_NEW(o->arena, const double *, keys);
    int count = 0;
    sn_result result = shapes && fitted && offsets ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < keys && result == SN_OK; ++i) {
        const char *path = s->keys[i].shape;
        if (!path || sn_is_tet_file(path) || sn_spacetime_file_shared_key(s, (int)i) != (int)i) {
            continue;
        }
        double *shape = SN_NEW(o->arena, double, 3 * (size_t)o->body->surface->vertex_count);
        result = shape ? read_surface_shape(o, path, shape) : SN_ERROR_MEMORY;
        offsets[i] = shapes[count] = shape;
        fitted[count++] = positions[i];
    }
    if (result == SN_OK && count > 0) {
        result = sn_spacetime_fit(&o->body->mesh, &s->material, o->body->surface, count, (const double *const *)shapes,
                                  fitted, &o->body->fit_error);
    }
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = keep_offsets(o, fitted[i], shapes[i]);
    }
    for (int i = 0; i < s->key_count && result == SN_OK; ++i) {
        offsets[i] = offsets[sn_spacetime_file_shared_key(s, i)];
    }
    o->body->surface->offsets = offsets;
    return result;
}

/* Rotation about x, then y, then z. */
static void rotate(const double *degrees, double *x)
{
    for (int axis = 0; axis < 3; ++axis) {
        const double angle = degrees[axis] * acos(-1.0) / 180, c = cos(angle), s = sin(angle);
        double *a = x + (axis + 1) % 3, *b = x + (axis + 2) % 3;
        const double rotated[2] = {c * *a - s * *b, s * *a + c * *b};
        *a = rotated[0];
        *b = rotated[1];
    }
}

static sn_result move(opener *o, const sn_spacetime_file_move *m, bool *is_in, double *positions)
{
    SN_TRY(sn_region_select(&o->marker, &m->region, is_in));
    for (size_t v = 0; v < (size_t)o->body->mesh.vertex_count; ++v) {
        double *x = positions + 3 * v;
        for (int d = 0; d < 3 && is_in[v]; ++d) {
            x[d] = m->scale[d] * (x[d] - m->pivot[d]);
        }
        if (is_in[v]) {
            rotate(m->rotation, x);
        }
        for (int d = 0; d < 3 && is_in[v]; ++d) {
            x[d] += m->pivot[d] + m->translation[d];
        }
    }
    return SN_OK;
}

/* Checks that positions, and displacements within an interval, stay in the range of float. */
static sn_result check_range(const opener *o, int index, const double *positions)
{
    const sn_spacetime_file_key *key = &o->sequence->keys[index];
    double low[3], high[3];
    const double diagonal = sn_tet_mesh_box(&o->body->mesh, low, high), most = MAX_DIAGONALS * diagonal;
    const double before = index > 0 ? key[-1].duration : 0, seconds = fmax(before, key->duration);
    for (size_t i = 0; i < 3 * (size_t)o->body->mesh.vertex_count; ++i) {
        const double away = fabs(positions[i] - 0.5 * (low[i % 3] + high[i % 3]));
        if (!(away <= most)) {
            return sn_fail(SN_ERROR_FORMAT,
                           "%s: keys[%d].%s: moves a vertex by %g diagonals of the mesh; the maximum is %g", o->name,
                           index, key->move_count > 0 ? "move" : "shape", away / diagonal, MAX_DIAGONALS);
        }
    }
    for (int d = 0; d < 3; ++d) {
        if (!(fabs(key->velocity[d]) * seconds <= most)) {
            return sn_fail(SN_ERROR_FORMAT,
                           "%s: keys[%d].velocity: is %g diagonals of the mesh in an interval: at "
                           "most %g",
                           o->name, index, fabs(key->velocity[d]) * seconds / diagonal, MAX_DIAGONALS);
        }
    }
    return SN_OK;
}

/* positions (vertex_count x 3) hold the rest shape or the fitted shape. */
static sn_result place_key(opener *o, int index, bool *is_in, double *positions)
{
    const sn_spacetime_file_key *from = &o->sequence->keys[index];
    if (from->shape && sn_is_tet_file(from->shape)) {
        SN_TRY(read_mesh_shape(o, from->shape, positions));
    }
    for (int i = 0; i < from->move_count; ++i) {
        SN_TRY(move(o, &from->moves[i], is_in, positions));
    }
    return SN_OK;
}

static sn_result open_key(opener *o, int index, double *const *positions, sn_spacetime_key *key)
{
    const sn_spacetime_file_key *from = &o->sequence->keys[index];
    const size_t n = (size_t)o->body->mesh.vertex_count;
    const int shared = sn_spacetime_file_shared_key(o->sequence, index);
    bool *is_fixed = SN_NEW(o->arena, bool, n), *is_velocity_fixed = SN_NEW(o->arena, bool, n);
    double *velocities = SN_NEW(o->arena, double, 3 * n);
    sn_result result = is_fixed && is_velocity_fixed && velocities ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && shared == index) {
        result = place_key(o, index, is_fixed, positions[index]);
    } else if (result == SN_OK) {
        memcpy(positions[index], positions[shared], 3 * n * sizeof(double));
    }
    if (result == SN_OK) {
        result = check_range(o, index, positions[index]);
    }
    if (result == SN_OK) {
        result = sn_region_select(&o->marker, &from->hold, is_fixed);
    }
    if (result == SN_OK) {
        result = sn_region_select(&o->marker, &from->hold_velocity, is_velocity_fixed);
    }
    for (size_t i = 0; i < 3 * n && result == SN_OK; ++i) {
        velocities[i] = from->velocity[i % 3];
    }
    *key = (sn_spacetime_key){.positions = positions[index],
                              .velocities = velocities,
                              .is_fixed = is_fixed,
                              .is_velocity_fixed = is_velocity_fixed,
                              .duration = from->duration,
                              .sample_count = from->sample_count};
    return result;
}

static sn_result open_keys(opener *o)
{
    const sn_spacetime_file *s = o->sequence;
    const size_t width = 3 * (size_t)o->body->mesh.vertex_count;
    sn_spacetime_key *keys = SN_NEW(o->arena, sn_spacetime_key, s->key_count);
    double **positions = SN_NEW(o->arena, double *, s->key_count);
    bool *masks = SN_NEW(o->arena, bool, (SN_REGION_DEPTH + 1) * (size_t)o->body->mesh.vertex_count);
    sn_result result = keys && positions && masks ? SN_OK : SN_ERROR_MEMORY;
    o->marker = (sn_region_selector){.name = o->name, .mesh = &o->body->mesh, .masks = masks};
    for (int i = 0; i < s->key_count && result == SN_OK; ++i) {
        positions[i] = SN_NEW(o->arena, double, width);
        result = positions[i] ? SN_OK : SN_ERROR_MEMORY;
        if (positions[i]) {
            memcpy(positions[i], o->body->mesh.positions, width * sizeof(double));
        }
    }
    if (result == SN_OK) {
        result = fit_shapes(o, positions);
    }
    for (int i = 0; i < s->key_count && result == SN_OK; ++i) {
        result = open_key(o, i, positions, &keys[i]);
    }
    o->body->input.keys = keys;
    return result;
}

sn_result sn_spacetime_file_open(const sn_spacetime_file *sequence, const char *name, sn_arena *arena,
                                 sn_spacetime_body *body)
{
    opener o = {.sequence = sequence, .name = name, .arena = arena, .body = body};
    *body = (sn_spacetime_body){0};
    sn_result result = open_mesh(&o);
    if (result == SN_OK) {
        result = open_surface(&o);
    }
    if (result == SN_OK) {
        result = open_keys(&o);
    }
    body->input.mesh = &body->mesh;
    body->input.material = sequence->material;
    body->input.damping = sequence->damping;
    memcpy(body->input.gravity, sequence->gravity, sizeof sequence->gravity);
    body->input.key_count = sequence->key_count;
    body->input.is_cyclic = sequence->is_cyclic;
    body->input.obstacle_count = sequence->obstacle_count;
    body->input.obstacles = sequence->obstacles;
    return result;
}
