/* SPDX-License-Identifier: MIT */
/* Finds objects on the drawn surface by names of meshes and materials, by metal (also in textures), and by the shape of
 * connected pieces, and transfers them to the tet vertices. */
#include "author/cook/parts/part_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "author/cook/parts/parts.h"
#include "author/cook/stages/stages.h"
#include "author/mesher/node_graph.h"
#include "host/base/disjoint_sets.h"
#include "host/math/jacobi.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"

#define MIN_METALLIC 0.5
#define MAX_METAL_ROUGHNESS 0.7
#define MAX_PIECE_AREA 0.25  /* of the surface: a larger piece is the body */
#define MIN_SHEET_AREA 0.01  /* of the surface: smaller sheets are decals */
#define SHEET_THICKNESS 0.08 /* volume over area^1.5 of a closed sheet */
#define FLAT_SHEET 0.2       /* smallest over second extent of an open sheet */
#define STRAP_ELONGATION 4   /* first over second extent */
#define STRAP_WIDTH 0.05     /* second extent over the character's height */
#define STRAP_GAP 0.02       /* distance of its ends from other pieces, over the height */
#define MAX_BONE_SHARE 0.5   /* of the area that a bone moves: a piece with more is the limb itself */
#define MAX_SHEET_SHARE 0.9  /* likewise of a sheet: one with more is a wing or a fin */
#define STRAP_END 0.15       /* of its length */
#define SEGMENTED_AREA 0.30  /* of the surface: if single-bone pieces are more, the body consists of segments */
#define OPEN_EDGES 0.02      /* fraction of open edges of a closed piece */

typedef struct piece {
    double area, volume, centre[3], covariance[9], extents[3], axis[3], ends[2];
    int32_t only_bone; /* -1: several */
    int32_t main_bone;
    int32_t part;
    int edge_count, open_count;
    bool is_elongated, has_contact[2];
} piece;

typedef struct finder {
    sn_cook_context *cook;
    const sn_flesh_skeleton *skeleton;
    sn_flesh_objects *objects;
    int32_t *pieces;     /* (character.vertex_count) first vertex of the connected piece */
    piece *list;         /* (character.vertex_count), set at first vertices */
    int32_t *of_surface; /* (character.vertex_count) object, or -1 */
    bool *is_decided;    /* (character.vertex_count) the sidecar has decided */
    int capacity;
} finder;

const sn_named_part *sn_flesh_setting_find(const sn_cook_context *cook, const char *name)
{
    for (int i = 0; i < cook->sidecar.part_count; ++i) {
        if (strcmp(cook->sidecar.parts[i].name, name) == 0) {
            return &cook->sidecar.parts[i];
        }
    }
    return NULL;
}

const sn_named_part *sn_flesh_setting_of(const sn_cook_context *cook, const char *name)
{
    for (int kind = 0; kind < SN_FLESH_KIND_COUNT; ++kind) {
        if (strcmp(sn_flesh_preset_of((sn_flesh_kind)kind)->name, name) == 0) {
            return NULL;
        }
    }
    return sn_flesh_setting_find(cook, name);
}

sn_flesh_kind sn_flesh_setting_kind(const sn_named_part *setting, sn_flesh_kind kind)
{
    if (!setting || !setting->kind) {
        return kind;
    }
    const bool is_soft = strcasecmp(setting->kind, "soft") == 0;
    if (is_soft) {
        return sn_flesh_preset_of(kind)->is_rigid ? SN_FLESH_GENERIC : kind;
    }
    return strcasecmp(setting->kind, "rigid") == 0 ? SN_FLESH_HARD : sn_flesh_kind_find(setting->kind);
}

/* ---- objects by name and material ---- */

static int32_t add_object(finder *f, const char *name, sn_flesh_kind kind, const char *reason,
                          const sn_named_part *setting)
{
    for (int i = 0; i < f->objects->count; ++i) {
        const sn_flesh_object *other = &f->objects->list[i];
        if (other->kind == kind && strcmp(other->name, name) == 0 && other->setting == setting) {
            return i;
        }
    }
    if (f->objects->count == f->capacity) {
        return -1;
    }
    f->objects->list[f->objects->count] = (sn_flesh_object){name, kind, reason, setting};
    return f->objects->count++;
}

/* One channel of a texture at a vertex, 0 .. 1; 1 without a texture. */
static double sample(const sn_character *c, const sn_scene_material *material, int use, int channel, int vertex)
{
    const int32_t index = material->values.textures[use];
    if (index < 0 || index >= c->texture_count) {
        return 1;
    }
    const sn_scene_texture *texture = &c->textures[index];
    const double *uv = c->uvs[material->values.uv_sets[use] == 1] + 2 * (size_t)vertex;
    const float *m = material->uv_transforms[use];
    const double u = (double)m[0] * uv[0] + (double)m[1] * uv[1] + (double)m[2];
    const double v = (double)m[3] * uv[0] + (double)m[4] * uv[1] + (double)m[5];
    if (!texture->pixels || texture->width < 1 || texture->height < 1 || !isfinite(u) || !isfinite(v)) {
        return 1;
    }
    const int x = (int)fmin((u - floor(u)) * texture->width, texture->width - 1);
    const int y = (int)fmin((v - floor(v)) * texture->height, texture->height - 1);
    return texture->pixels[4 * ((size_t)y * (size_t)texture->width + (size_t)x) + (size_t)channel] / 255.0;
}

static bool is_metal(const sn_character *c, const sn_scene_material *material, int vertex)
{
    const double metallic =
        (double)material->values.metallic * sample(c, material, SN_TEXTURE_METALLIC_ROUGHNESS, 2, vertex);
    const double roughness =
        (double)material->values.roughness * sample(c, material, SN_TEXTURE_METALLIC_ROUGHNESS, 1, vertex);
    return metallic > MIN_METALLIC && roughness < MAX_METAL_ROUGHNESS;
}

static void label_part(finder *f, const sn_character_part *part)
{
    sn_character *c = &f->cook->character;
    const sn_scene_material *material = part->material >= 0 ? &c->materials[part->material] : NULL;
    const sn_named_part *setting = sn_flesh_setting_of(f->cook, part->name);
    const char *name = part->name;
    if (!setting && material) {
        setting = sn_flesh_setting_of(f->cook, material->name);
        name = setting ? material->name : name;
    }
    sn_flesh_kind kind = sn_flesh_kind_of_object(part->name);
    if (!setting && kind == SN_FLESH_GENERIC && material) {
        kind = sn_flesh_kind_of_object(material->name);
        name = kind != SN_FLESH_GENERIC ? material->name : name;
    }
    kind = sn_flesh_setting_kind(setting, kind);
    const int32_t named =
        setting || kind != SN_FLESH_GENERIC ? add_object(f, name, kind, setting ? "sidecar" : "name", setting) : -1;
    for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v) {
        const bool is_hard = !setting && named < 0 && material && is_metal(c, material, v);
        f->of_surface[v] = is_hard ? add_object(f, name, SN_FLESH_HARD, "metal", NULL) : named;
        f->is_decided[v] = setting != NULL;
    }
}

/* ---- connected pieces ---- */

static sn_result connect(finder *f, int32_t *position_ids)
{
    const sn_character *c = &f->cook->character;
    const sn_tri_mesh mesh = {c->vertex_count, c->triangle_count, c->positions, c->triangles};
    int position_count = 0;
    sn_result result = sn_tri_groups(&mesh, NULL, position_ids, &position_count);
    int32_t *first = result == SN_OK ? SN_NEW(&f->cook->arena, int32_t, position_count) : NULL;
    if (!first) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    memset(first, -1, (size_t)position_count * sizeof *first);
    for (int32_t v = 0; v < c->vertex_count; ++v) {
        f->pieces[v] = v;
    }
    for (int i = 0; i < c->triangle_count; ++i) {
        sn_sets_merge(f->pieces, c->triangles[3 * (size_t)i], c->triangles[3 * (size_t)i + 1]);
        sn_sets_merge(f->pieces, c->triangles[3 * (size_t)i], c->triangles[3 * (size_t)i + 2]);
    }
    for (int32_t v = 0; v < c->vertex_count; ++v) {
        if (first[position_ids[v]] >= 0) {
            sn_sets_merge(f->pieces, first[position_ids[v]], v);
        }
        first[position_ids[v]] = v;
    }
    for (int32_t v = 0; v < c->vertex_count; ++v) {
        f->pieces[v] = sn_sets_root(f->pieces, v);
    }
    return SN_OK;
}

static int32_t strongest_bone(const sn_character *c, int v)
{
    int32_t best = -1;
    double weight = 0;
    for (int32_t i = c->influence_starts[v]; i < c->influence_starts[v + 1]; ++i) {
        if (c->influence_weights[i] > weight) {
            weight = c->influence_weights[i];
            best = c->influence_bones[i];
        }
    }
    return best;
}

typedef struct edge {
    int32_t piece, low, high;
} edge;

static int compare_edges(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    return a->low != b->low ? (a->low > b->low) - (a->low < b->low) : (a->high > b->high) - (a->high < b->high);
}

static sn_result count_open_edges(finder *f, const int32_t *position_ids)
{
    const sn_character *c = &f->cook->character;
    const size_t count = 3 * (size_t)c->triangle_count;
    sn_arena scratch = {0};
    edge *edges = SN_NEW(&scratch, edge, count);
    for (size_t i = 0; i < count && edges; ++i) {
        const int32_t a = c->triangles[i], b = c->triangles[i - i % 3 + (i + 1) % 3];
        const int32_t p = position_ids[a], q = position_ids[b];
        edges[i] = (edge){f->pieces[a], p < q ? p : q, p < q ? q : p};
    }
    if (edges) {
        qsort(edges, count, sizeof *edges, compare_edges);
    }
    for (size_t i = 0, next; i < count && edges; i = next) {
        for (next = i + 1; next < count && compare_edges(&edges[i], &edges[next]) == 0; ++next) {
        }
        f->list[edges[i].piece].edge_count += 1;
        f->list[edges[i].piece].open_count += next - i == 1;
    }
    sn_arena_finish(&scratch);
    return edges ? SN_OK : SN_ERROR_MEMORY;
}

/* Area, volume, and extents along the principal axes (standard deviations). */
static void measure_pieces(finder *f)
{
    const sn_character *c = &f->cook->character;
    for (int v = 0; v < c->vertex_count; ++v) {
        piece *own = &f->list[f->pieces[v]];
        const int32_t bone = c->influence_starts[v + 1] - c->influence_starts[v] == 1 ? strongest_bone(c, v) : -1;
        own->only_bone = f->pieces[v] == v || own->only_bone == bone ? bone : -1;
        own->main_bone = f->pieces[v] == v ? strongest_bone(c, v) : own->main_bone;
    }
    for (int p = 0; p < c->part_count; ++p) {
        for (int i = c->parts[p].first_triangle; i < c->parts[p].first_triangle + c->parts[p].triangle_count; ++i) {
            const int32_t *t = c->triangles + 3 * (size_t)i;
            const double *x[3] = {c->positions + 3 * (size_t)t[0], c->positions + 3 * (size_t)t[1],
                                  c->positions + 3 * (size_t)t[2]};
            piece *own = &f->list[f->pieces[t[0]]];
            double a[3], b[3], normal[3];
            sn_subtract3(x[1], x[0], a);
            sn_subtract3(x[2], x[0], b);
            sn_cross3(a, b, normal);
            const double area = 0.5 * sn_length3(normal);
            own->part = p;
            own->area += area;
            own->volume += sn_dot3(normal, x[0]) / 6;
            for (int d = 0; d < 9; ++d) {
                for (int k = 0; k < 3; ++k) {
                    own->centre[d % 3] += d < 3 ? area / 3 * x[k][d] : 0;
                    own->covariance[d] += area / 3 * x[k][d / 3] * x[k][d % 3];
                }
            }
        }
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        piece *own = &f->list[v];
        if (f->pieces[v] != v || !(own->area > 0)) {
            continue;
        }
        double rotation[9];
        for (int d = 0; d < 3; ++d) {
            own->centre[d] /= own->area;
        }
        for (int d = 0; d < 9; ++d) {
            own->covariance[d] = own->covariance[d] / own->area - own->centre[d / 3] * own->centre[d % 3];
        }
        sn_jacobi_orthogonalise(3, 3, own->covariance, rotation); /* ascending */
        for (int d = 0; d < 3; ++d) {
            own->extents[d] = sqrt(sn_length3(own->covariance + 3 * (2 - d)));
        }
        memcpy(own->axis, rotation + 6, sizeof own->axis);
    }
}

static bool is_closed(const piece *own)
{
    return own->open_count <= OPEN_EDGES * own->edge_count;
}

/* A sheet that hangs: thin and closed, or open and nearly flat. */
static bool is_sheet(const piece *own, double total_area)
{
    if (own->area < MIN_SHEET_AREA * total_area || own->area > MAX_PIECE_AREA * total_area) {
        return false;
    }
    const bool is_thin = fabs(own->volume) < SHEET_THICKNESS * own->area * sqrt(own->area);
    return is_closed(own) ? is_thin && own->extents[2] < FLAT_SHEET * own->extents[0]
                          : own->extents[2] < FLAT_SHEET * own->extents[1];
}

static double distance_to_triangle(const sn_character *c, int triangle, const double *point, double limit)
{
    const int32_t *t = c->triangles + 3 * (size_t)triangle;
    const double *corners[3] = {c->positions + 3 * (size_t)t[0], c->positions + 3 * (size_t)t[1],
                                c->positions + 3 * (size_t)t[2]};
    double barycentric[3];
    for (int d = 0; d < 3; ++d) {
        if (fmin(corners[0][d], fmin(corners[1][d], corners[2][d])) > point[d] + limit ||
            fmax(corners[0][d], fmax(corners[1][d], corners[2][d])) < point[d] - limit) {
            return INFINITY;
        }
    }
    return sqrt(sn_triangle_nearest(corners, point, barycentric));
}

/* Whether both ends of elongated, narrow pieces touch other pieces. */
static void find_contacts(finder *f)
{
    const sn_character *c = &f->cook->character;
    const double gap = STRAP_GAP * f->cook->height / f->cook->scale;
    for (int v = 0; v < c->vertex_count; ++v) {
        piece *own = &f->list[f->pieces[v]];
        const double at = sn_dot3(own->axis, c->positions + 3 * (size_t)v);
        own->ends[0] = f->pieces[v] == v ? at : fmin(own->ends[0], at);
        own->ends[1] = f->pieces[v] == v ? at : fmax(own->ends[1], at);
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        piece *own = &f->list[f->pieces[v]];
        const double *x = c->positions + 3 * (size_t)v, at = sn_dot3(own->axis, x);
        const double near = STRAP_END * (own->ends[1] - own->ends[0]);
        const int end = at < own->ends[0] + near ? 0 : at > own->ends[1] - near ? 1 : -1;
        for (int t = 0; t < c->triangle_count && own->is_elongated && end >= 0 && !own->has_contact[end]; ++t) {
            own->has_contact[end] =
                f->pieces[c->triangles[3 * (size_t)t]] != f->pieces[v] && distance_to_triangle(c, t, x, gap) < gap;
        }
    }
}

static bool is_of_head(const finder *f, int32_t bone)
{
    const sn_flesh_kind kind = f->skeleton->bones[bone].kind;
    return kind == SN_FLESH_HEAD || kind == SN_FLESH_FACE || kind == SN_FLESH_HAIR;
}

static void label_piece(finder *f, int v, bool is_segmented, double total, const double *bone_areas)
{
    const sn_character *c = &f->cook->character;
    const piece *own = &f->list[f->pieces[v]];
    const char *name = c->parts[own->part].name;
    const double share = own->area / fmax(bone_areas[own->main_bone], 1e-300);
    if (own->is_elongated && own->has_contact[0] && own->has_contact[1]) {
        f->of_surface[v] = add_object(f, name, SN_FLESH_STRAP, "strap", NULL);
    } else if (share < MAX_SHEET_SHARE && !is_of_head(f, own->main_bone) && is_sheet(own, total)) {
        f->of_surface[v] = add_object(f, name, SN_FLESH_CLOTH, "sheet", NULL);
    } else if (own->only_bone >= 0 && is_closed(own) && !is_segmented && share < MAX_BONE_SHARE &&
               own->area < MAX_PIECE_AREA * total) {
        f->of_surface[v] = add_object(f, name, SN_FLESH_HARD, "piece", NULL);
    }
}

static sn_result label_pieces(finder *f)
{
    const sn_character *c = &f->cook->character;
    const double height = f->cook->height / f->cook->scale;
    double total = 0, single = 0;
    double *bone_areas = SN_NEW(&f->cook->arena, double, c->bone_count);
    for (int v = 0; v < c->vertex_count && bone_areas; ++v) {
        const piece *own = &f->list[v];
        if (f->pieces[v] == v && own->main_bone >= 0 && !c->parts[own->part].is_hidden) {
            total += own->area;
            single += own->only_bone >= 0 && !c->is_rigid[v] ? own->area : 0;
            bone_areas[own->main_bone] += own->area;
        }
    }
    for (int v = 0; v < c->vertex_count && bone_areas; ++v) {
        piece *own = &f->list[v];
        own->is_elongated = f->pieces[v] == v && own->main_bone >= 0 && !is_of_head(f, own->main_bone) &&
                            own->area < MAX_BONE_SHARE * bone_areas[own->main_bone] &&
                            own->extents[0] > STRAP_ELONGATION * own->extents[1] &&
                            own->extents[1] < STRAP_WIDTH * height;
    }
    if (bone_areas) {
        find_contacts(f);
    }
    for (int v = 0; v < c->vertex_count && bone_areas; ++v) {
        if (f->of_surface[v] < 0 && !f->is_decided[v] && f->list[f->pieces[v]].main_bone >= 0 && !c->is_rigid[v]) {
            label_piece(f, v, single > SEGMENTED_AREA * total, total, bone_areas);
        }
    }
    return bone_areas ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- transfer to the tets ---- */

/* The surface triangle nearest to a tet vertex, from the mesher; else the surface vertices in the tets around it vote;
 * interior vertices take the object of the nearest vertex, counted in edges. */
static sn_result transfer(finder *f)
{
    sn_cook_context *cook = f->cook;
    const sn_character *c = &cook->character;
    const size_t n = (size_t)cook->mesh.vertex_count, width = (size_t)f->objects->count + 1;
    sn_arena scratch = {0};
    sn_node_graph graph = {0};
    int32_t *soft = NULL, *queue = SN_NEW(&scratch, int32_t, n);
    bool *is_known = SN_NEW(&scratch, bool, n);
    double *votes = SN_NEW(&scratch, double, n *width);
    int soft_count = 0;
    sn_result result = queue && is_known && votes ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_node_graph_build(&cook->mesh, &scratch, &graph);
    }
    if (result == SN_OK) {
        result = sn_cook_context_list_soft_triangles(cook, &soft, &soft_count);
    }
    for (int v = 0; v < c->vertex_count && result == SN_OK; ++v) {
        for (size_t k = 0; k < 4 && cook->embedding_tets[v] >= 0; ++k) {
            const size_t node = (size_t)cook->mesh.tets[4 * (size_t)cook->embedding_tets[v] + k];
            votes[node * width + (size_t)(f->of_surface[v] + 1)] += cook->embedding_weights[4 * (size_t)v + k];
        }
    }
    int count = 0;
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        const int32_t triangle = cook->is_meshed ? cook->mesher_output.node_triangles[v] : -1;
        double most = 0;
        if (triangle >= 0 && triangle < soft_count) {
            const double *w = cook->mesher_output.node_barycentric + 3 * v;
            const int corner = w[0] >= w[1] && w[0] >= w[2] ? 0 : w[1] >= w[2] ? 1 : 2;
            f->objects->of_vertex[v] = f->of_surface[c->triangles[3 * (size_t)soft[triangle] + (size_t)corner]];
            is_known[v] = true;
        }
        for (size_t k = 0; k < width && triangle < 0; ++k) {
            if (votes[v * width + k] > most) {
                most = votes[v * width + k];
                f->objects->of_vertex[v] = (int32_t)k - 1;
                is_known[v] = true;
            }
        }
        if (is_known[v]) {
            queue[count++] = (int32_t)v;
        }
    }
    for (int next = 0; next < count && result == SN_OK; ++next) {
        for (int32_t i = graph.starts[queue[next]]; i < graph.starts[queue[next] + 1]; ++i) {
            const int32_t other = graph.others[i];
            if (!is_known[other]) {
                is_known[other] = true;
                f->objects->of_vertex[other] = f->objects->of_vertex[queue[next]];
                queue[count++] = other;
            }
        }
    }
    sn_arena_finish(&scratch);
    return result;
}

static sn_result find_on_surface(finder *f)
{
    sn_cook_context *cook = f->cook;
    const size_t n = (size_t)cook->character.vertex_count;
    int32_t *position_ids = SN_NEW(&cook->arena, int32_t, n);
    f->pieces = SN_NEW(&cook->arena, int32_t, n);
    f->list = SN_NEW(&cook->arena, piece, n);
    f->of_surface = SN_NEW(&cook->arena, int32_t, n);
    f->is_decided = SN_NEW(&cook->arena, bool, n);
    f->capacity = 5 * cook->character.part_count + 1;
    f->objects->list = SN_NEW(&cook->arena, sn_flesh_object, f->capacity);
    if (!position_ids || !f->pieces || !f->list || !f->of_surface || !f->is_decided || !f->objects->list) {
        return SN_ERROR_MEMORY;
    }
    memset(f->of_surface, -1, n * sizeof *f->of_surface);
    SN_TRY(connect(f, position_ids));
    measure_pieces(f);
    SN_TRY(count_open_edges(f, position_ids));
    for (int p = 0; p < cook->character.part_count; ++p) {
        label_part(f, &cook->character.parts[p]);
    }
    return label_pieces(f);
}

sn_result sn_flesh_objects_find(sn_cook_context *cook, const sn_flesh_skeleton *skeleton, sn_flesh_objects *objects)
{
    *objects = (sn_flesh_objects){.of_vertex = SN_NEW(&cook->arena, int32_t, cook->mesh.vertex_count)};
    if (!objects->of_vertex) {
        return SN_ERROR_MEMORY;
    }
    memset(objects->of_vertex, -1, (size_t)cook->mesh.vertex_count * sizeof *objects->of_vertex);
    const bool is_own = cook->bone_count == cook->character.bone_count; /* else other bones replace the character's */
    if (!cook->has_character || !is_own || cook->character.triangle_count == 0 || !cook->embedding_tets) {
        return SN_OK;
    }
    finder f = {.cook = cook, .skeleton = skeleton, .objects = objects};
    SN_TRY(find_on_surface(&f));
    return transfer(&f);
}

int sn_flesh_soften_cloth(sn_cook_context *cook)
{
    sn_character *c = &cook->character;
    int count = 0;
    for (int p = 0; p < c->part_count && cook->has_character; ++p) {
        sn_character_part *part = &c->parts[p];
        const sn_named_part *setting = sn_flesh_setting_find(cook, part->name);
        sn_flesh_kind kind = sn_flesh_kind_of_object(part->name);
        if (kind == SN_FLESH_GENERIC && part->material >= 0) {
            kind = sn_flesh_kind_of_object(c->materials[part->material].name);
        }
        if (sn_flesh_setting_kind(setting, kind) != SN_FLESH_CLOTH || part->is_hidden || part->rigid_piece_count == 0 ||
            sn_name_is_listed(&cook->sidecar.rigid, part->name)) {
            continue;
        }
        memset(c->is_rigid + part->first_vertex, 0, (size_t)part->vertex_count * sizeof *c->is_rigid);
        part->rigid_piece_count = 0;
        ++count;
    }
    return count;
}
