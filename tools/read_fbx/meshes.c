/* SPDX-License-Identifier: MIT */
/* Converts meshes: one per node, with one primitive per material. Nodes with the same geometry share a mesh. */
#include "tools/read_fbx/read_fbx.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"

static float finite_or_zero(float value)
{
    return isfinite(value) ? value : 0;
}

/* Returns the determinant of the linear part; cofactors (3 x 3) transform normals. */
static double find_cofactors(const double *m, double *cofactors)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;
            cofactors[3 * i + k] = m[4 * a + c] * m[4 * b + d] - m[4 * a + d] * m[4 * b + c];
        }
    }
    return m[0] * cofactors[0] + m[1] * cofactors[1] + m[2] * cofactors[2];
}

static void load(const struct aiVector3D *from, double *to)
{
    to[0] = (double)from->x;
    to[1] = (double)from->y;
    to[2] = (double)from->z;
}

/* Points and lines are dropped; polygons are already triangulated. */
static sn_result read_triangles(fbx_reader *r, const struct aiMesh *mesh, const double *to_stored,
                                sn_scene_primitive *p)
{
    double cofactors[9];
    const bool is_flipped = r->is_mirrored != (find_cofactors(to_stored, cofactors) < 0);
    p->triangles = SN_NEW(&r->arena, int32_t, 3 * (size_t)mesh->mNumFaces);
    for (unsigned f = 0; p->triangles && f < mesh->mNumFaces; ++f) {
        const struct aiFace *face = &mesh->mFaces[f];
        bool is_good = face->mNumIndices == 3;
        for (unsigned k = 0; k < 3 && is_good; ++k) {
            is_good = face->mIndices[k] < mesh->mNumVertices;
        }
        for (unsigned k = 0; k < 3 && is_good; ++k) {
            const unsigned corner = is_flipped ? 2 - k : k;
            p->triangles[3 * (size_t)p->triangle_count + k] = (int32_t)face->mIndices[corner];
        }
        p->triangle_count += is_good;
    }
    return p->triangles ? SN_OK : SN_ERROR_MEMORY;
}

static float *read_points(fbx_reader *r, const struct aiVector3D *from, unsigned count, const double *to_stored)
{
    float *points = SN_NEW(&r->arena, float, 3 * (size_t)count);
    for (unsigned i = 0; points && i < count; ++i) {
        double point[3], transformed[3];
        load(&from[i], point);
        sn_affine_apply(to_stored, point, transformed);
        fbx_convert_point(r, transformed, points + 3 * (size_t)i);
    }
    return points;
}

/* Transforms and normalizes a normal; zero normals become up. */
static void convert_normal(const fbx_reader *r, const double *cofactors, double sign, const double *from, float *to)
{
    static const double up[3] = {0, 1, 0};
    double transformed[3];
    for (int i = 0; i < 3; ++i) {
        transformed[i] = sign * sn_dot3(cofactors + 3 * i, from);
    }
    const double length = sn_length3(transformed);
    for (int i = 0; i < 3; ++i) {
        transformed[i] = isfinite(length) && length > 0 ? transformed[i] / length : up[i];
    }
    fbx_convert_direction(r, transformed, to);
}

static float *read_normals(fbx_reader *r, const struct aiVector3D *from, unsigned count, const double *to_stored)
{
    double cofactors[9];
    const double sign = find_cofactors(to_stored, cofactors) < 0 ? -1 : 1;
    float *normals = SN_NEW(&r->arena, float, 3 * (size_t)count);
    for (unsigned i = 0; normals && i < count; ++i) {
        double normal[3];
        load(&from[i], normal);
        convert_normal(r, cofactors, sign, normal, normals + 3 * (size_t)i);
    }
    return normals;
}

/* v points up in the file. */
static float *read_uvs(fbx_reader *r, const struct aiVector3D *from, unsigned count)
{
    float *uvs = SN_NEW(&r->arena, float, 2 * (size_t)count);
    for (unsigned i = 0; uvs && i < count; ++i) {
        uvs[2 * (size_t)i] = finite_or_zero(from[i].x);
        uvs[2 * (size_t)i + 1] = finite_or_zero(1 - from[i].y);
    }
    return uvs;
}

/* Whether the mesh has vertex colors that matter. FBX viewers do not multiply textures by vertex colors, and uniform
 * colors are an artifact of exporters. */
static bool has_relevant_colors(const fbx_reader *r, const struct aiMesh *mesh)
{
    const struct aiColor4D *colors = mesh->mColors[0];
    if (!colors || r->scene.materials[mesh->mMaterialIndex].values.textures[SN_TEXTURE_BASE_COLOR] >= 0) {
        return false;
    }
    for (unsigned i = 1; i < mesh->mNumVertices; ++i) {
        if (memcmp(&colors[i], &colors[0], sizeof colors[0]) != 0) {
            return true;
        }
    }
    return false;
}

static sn_result read_attributes(fbx_reader *r, const struct aiMesh *mesh, const double *to_stored,
                                 sn_scene_primitive *p)
{
    const unsigned count = mesh->mNumVertices;
    p->vertex_count = (int)count;
    p->positions = read_points(r, mesh->mVertices, count, to_stored);
    p->normals = mesh->mNormals ? read_normals(r, mesh->mNormals, count, to_stored) : NULL;
    bool is_allocated = p->positions && (p->normals || !mesh->mNormals);
    for (int set = 0; set < 2 && mesh->mTextureCoords[set]; ++set) {
        p->uvs[set] = read_uvs(r, mesh->mTextureCoords[set], count);
        is_allocated &= p->uvs[set] != NULL;
    }
    if (has_relevant_colors(r, mesh)) {
        p->colors = SN_NEW(&r->arena, float, 4 * (size_t)count);
        is_allocated &= p->colors != NULL;
        for (size_t i = 0; p->colors && i < 4 * (size_t)count; ++i) {
            p->colors[i] = fminf(fmaxf(finite_or_zero((&mesh->mColors[0]->r)[i]), 0), 1);
        }
    }
    for (size_t i = 0; p->positions && i < 3 * (size_t)count; ++i) {
        if (!isfinite(p->positions[i])) {
            return sn_fail(SN_ERROR_FORMAT, "mesh %s: vertex %zu is not finite", fbx_name(r, &mesh->mName), i / 3);
        }
    }
    return is_allocated ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_influences(fbx_reader *r, const fbx_influences *in, sn_scene_primitive *p)
{
    int32_t max_count = 0;
    for (int i = 0; i < p->vertex_count; ++i) {
        const int32_t count = in->first[i + 1] - in->first[i];
        max_count = count > max_count ? count : max_count;
    }
    p->influence_count = (max_count + 3) / 4 * 4;
    const size_t stride = (size_t)p->influence_count;
    p->joints = SN_NEW(&r->arena, int32_t, stride * (size_t)p->vertex_count);
    p->weights = SN_NEW(&r->arena, float, stride *(size_t)p->vertex_count);
    for (size_t i = 0; p->joints && p->weights && i < (size_t)p->vertex_count; ++i) {
        const size_t first = (size_t)in->first[i], count = (size_t)(in->first[i + 1] - in->first[i]);
        memcpy(p->joints + stride * i, in->joints + first, count * sizeof *in->joints);
        memcpy(p->weights + stride * i, in->weights + first, count * sizeof *in->weights);
    }
    return p->joints && p->weights ? SN_OK : SN_ERROR_MEMORY;
}

/* Returns b - a in b, for transformed points; differences that are not finite become 0. */
static float *compute_offsets(const float *a, float *b, unsigned count)
{
    for (size_t i = 0; b && i < 3 * (size_t)count; ++i) {
        b[i] = finite_or_zero(b[i] - a[i]);
    }
    return b;
}

static sn_result read_morphs(fbx_reader *r, const struct aiMesh *mesh, const double *to_stored, int morph_count,
                             sn_scene_primitive *p)
{
    p->morph_positions = SN_NEW(&r->arena, float *, morph_count);
    p->morph_normals = SN_NEW(&r->arena, float *, morph_count);
    bool is_allocated = p->morph_positions && p->morph_normals;
    for (int m = 0; m < morph_count && is_allocated; ++m) {
        const struct aiAnimMesh *shape = (unsigned)m < mesh->mNumAnimMeshes ? mesh->mAnimMeshes[m] : NULL;
        if (!shape || shape->mNumVertices != mesh->mNumVertices) {
            continue;
        }
        if (shape->mVertices) {
            p->morph_positions[m] = compute_offsets(
                p->positions, read_points(r, shape->mVertices, mesh->mNumVertices, to_stored), mesh->mNumVertices);
            is_allocated = p->morph_positions[m];
        }
        if (shape->mNormals && mesh->mNormals && is_allocated) {
            p->morph_normals[m] = compute_offsets(
                p->normals, read_normals(r, shape->mNormals, mesh->mNumVertices, to_stored), mesh->mNumVertices);
            is_allocated = p->morph_normals[m];
        }
    }
    return is_allocated ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_primitive(fbx_reader *r, const struct aiMesh *mesh, const double *to_stored,
                                const fbx_influences *in, sn_scene_mesh *out)
{
    sn_scene_primitive *p = &r->scene.primitives[r->scene.primitive_count];
    *p = (sn_scene_primitive){.material = (int32_t)mesh->mMaterialIndex};
    sn_result result = read_triangles(r, mesh, to_stored, p);
    if (result != SN_OK || p->triangle_count == 0) {
        return result;
    }
    result = read_attributes(r, mesh, to_stored, p);
    if (result == SN_OK && in) {
        result = read_influences(r, in, p);
    }
    if (result == SN_OK && out->morph_count > 0) {
        result = read_morphs(r, mesh, to_stored, out->morph_count, p);
    }
    if (result == SN_OK) {
        result = fbx_weld(r, p, out->morph_count);
    }
    r->scene.primitive_count++;
    out->primitive_count++;
    return result;
}

static sn_result name_morphs(fbx_reader *r, const struct aiMesh *mesh, sn_scene_mesh *out)
{
    out->morph_count = (int)mesh->mNumAnimMeshes;
    out->morph_names = SN_NEW(&r->arena, const char *, out->morph_count);
    out->morph_weights = SN_NEW(&r->arena, float, out->morph_count);
    for (int m = 0; out->morph_names && m < out->morph_count; ++m) {
        out->morph_names[m] = fbx_name(r, &mesh->mAnimMeshes[m]->mName);
        if (!out->morph_names[m]) {
            return SN_ERROR_MEMORY;
        }
    }
    return out->morph_names && out->morph_weights ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_mesh(fbx_reader *r, fbx_node *node, sn_scene_node *draws)
{
    const struct aiNode *from = node->from;
    sn_scene_mesh *mesh = &r->scene.meshes[r->scene.mesh_count];
    fbx_influences *influences = SN_NEW(&r->arena, fbx_influences, from->mNumMeshes);
    const struct aiMesh *first = r->from->mMeshes[from->mMeshes[0]];
    *mesh = (sn_scene_mesh){.name = fbx_name(r, &first->mName), .first_primitive = r->scene.primitive_count};
    sn_result result = influences && mesh->name ? name_morphs(r, first, mesh) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = fbx_skin_read(r, node, &draws->skin, influences);
    }
    for (unsigned i = 0; i < from->mNumMeshes && result == SN_OK; ++i) {
        result = read_primitive(r, r->from->mMeshes[from->mMeshes[i]], node->to_stored,
                                draws->skin >= 0 ? &influences[i] : NULL, mesh);
    }
    if (mesh->primitive_count > 0) {
        draws->mesh = r->scene.mesh_count++;
    } else {
        draws->skin = -1;
    }
    return result;
}

/* An earlier node with the same meshes, or null. Skinned meshes are stored in the world and cannot be shared. */
static const fbx_node *find_instance(const fbx_reader *r, const fbx_node *node)
{
    const struct aiNode *from = node->from;
    for (const fbx_node *other = r->nodes; other < node; ++other) {
        if (other->from->mNumMeshes == from->mNumMeshes &&
            memcmp(other->from->mMeshes, from->mMeshes, from->mNumMeshes * sizeof *from->mMeshes) == 0 &&
            r->scene.nodes[other->mesh_node].skin < 0) {
            return other;
        }
    }
    return NULL;
}

sn_result fbx_meshes_read(fbx_reader *r)
{
    size_t count = 0;
    for (int i = 0; i < r->node_count; ++i) {
        count += r->nodes[i].from->mNumMeshes;
    }
    r->scene.meshes = SN_NEW(&r->arena, sn_scene_mesh, count);
    r->scene.primitives = SN_NEW(&r->arena, sn_scene_primitive, count);
    r->scene.skins = SN_NEW(&r->arena, sn_scene_skin, count);
    if (!r->scene.meshes || !r->scene.primitives || !r->scene.skins) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < r->node_count; ++i) {
        fbx_node *node = &r->nodes[i];
        if (node->from->mNumMeshes == 0) {
            continue;
        }
        sn_scene_node *draws = &r->scene.nodes[node->mesh_node];
        const fbx_node *same = find_instance(r, node);
        if (same) {
            draws->mesh = r->scene.nodes[same->mesh_node].mesh;
            draws->skin = r->scene.nodes[same->mesh_node].skin;
        } else {
            SN_TRY(read_mesh(r, node, draws));
        }
    }
    return SN_OK;
}
