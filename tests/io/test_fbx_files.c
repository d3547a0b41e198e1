/* SPDX-License-Identifier: MIT */
/* FBX files of other programs: their counts, and every joint where the Open Asset Import Library's own nodes and keys
 * put it. The library keeps its chains of nodes for pivots here as in the reader; what is compared is everything else:
 * axes, units, merged chains, bind matrices and sampling. */
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>

#include "tests/io/fbx_test.h"

#include <dirent.h>

#define FOLDER SN_SHARED_DATA "/rigged"
#define BAD SN_SHARED_DATA "/bad/fbx"

/* The library's side, in the file's axes and units. */

static const struct aiScene *import(const char *path)
{
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    const struct aiScene *scene = aiImportFileExWithProperties(path, 0, NULL, properties);
    aiReleasePropertyStore(properties);
    assert_non_null(scene);
    return scene;
}

static const struct aiNode *find_ai_node(const struct aiNode *node, const char *name)
{
    const struct aiNode *found = strcmp(node->mName.data, name) == 0 ? node : NULL;
    for (unsigned i = 0; i < node->mNumChildren && !found; ++i) {
        found = find_ai_node(node->mChildren[i], name);
    }
    return found;
}

static void load(const struct aiMatrix4x4 *m, double *affine)
{
    for (int k = 0; k < 12; ++k) {
        affine[k] = (double)(&m->a1)[k];
    }
}

/* At a key: every track of these files has one there. */
static unsigned find_key(const void *keys, unsigned count, size_t stride, double ticks)
{
    unsigned best = 0;
    for (unsigned i = 0; i < count; ++i) {
        const double time = *(const double *)(const void *)((const char *)keys + i * stride);
        const double nearest = *(const double *)(const void *)((const char *)keys + best * stride);
        best = fabs(time - ticks) < fabs(nearest - ticks) ? i : best;
    }
    return best;
}

/* Clip null: at rest. */
static void ai_local(const struct aiAnimation *clip, const struct aiNode *node, double ticks, double *local)
{
    load(&node->mTransformation, local);
    for (unsigned i = 0; clip && i < clip->mNumChannels; ++i) {
        const struct aiNodeAnim *c = clip->mChannels[i];
        if (strcmp(c->mNodeName.data, node->mName.data) == 0) {
            const struct aiVector3D t =
                c->mPositionKeys[find_key(c->mPositionKeys, c->mNumPositionKeys, sizeof *c->mPositionKeys, ticks)]
                    .mValue;
            const struct aiVector3D s =
                c->mScalingKeys[find_key(c->mScalingKeys, c->mNumScalingKeys, sizeof *c->mScalingKeys, ticks)].mValue;
            const struct aiQuaternion q =
                c->mRotationKeys[find_key(c->mRotationKeys, c->mNumRotationKeys, sizeof *c->mRotationKeys, ticks)]
                    .mValue;
            sn_trs trs = {.translation = {(double)t.x, (double)t.y, (double)t.z},
                          .rotation = {(double)q.x, (double)q.y, (double)q.z, (double)q.w},
                          .scale = {(double)s.x, (double)s.y, (double)s.z}};
            sn_quaternion_normalize(trs.rotation);
            sn_trs_compose(&trs, local);
        }
    }
}

static void ai_world(const struct aiAnimation *clip, const struct aiNode *node, double ticks, double *world)
{
    sn_affine_identity(world);
    for (; node; node = node->mParent) {
        double local[12], below[12];
        ai_local(clip, node, ticks, local);
        memcpy(below, world, sizeof below);
        sn_affine_multiply(local, below, world);
    }
}

static const struct aiNode *find_mesh_node(const struct aiNode *node)
{
    const struct aiNode *found = node->mNumMeshes > 0 ? node : NULL;
    for (unsigned i = 0; i < node->mNumChildren && !found; ++i) {
        found = find_mesh_node(node->mChildren[i]);
    }
    return found;
}

/* All these files have Y up; their unit is `metres`. The largest difference of a joint's skinning matrix, of the mesh
 * as the file has it, in units of its largest entry: those of files in centimetres scale by 100. */
static double compare_pose(const sn_scene_file *s, const struct aiScene *from, int clip, unsigned frame, double metres)
{
    const struct aiAnimation *animation = from->mAnimations[clip];
    const struct aiMesh *mesh = from->mMeshes[0];
    const sn_scene_skin *skin = &s->skins[0];
    double worst = 0, placing[12];
    ai_world(NULL, find_mesh_node(from->mRootNode), 0, placing); /* where vertices are stored */
    for (int row = 0; row < 3; ++row) {
        placing[4 * row + 3] *= metres;
    }
    assert_int_equal(skin->joint_count, mesh->mNumBones);
    for (unsigned b = 0; b < mesh->mNumBones; ++b) {
        const struct aiBone *bone = mesh->mBones[b];
        double offset[12], world[12], expected[12], bound[12], found[12], size = 0;
        load(&bone->mOffsetMatrix, offset);
        ai_world(animation, find_ai_node(from->mRootNode, bone->mName.data), frame, world);
        sn_affine_multiply(world, offset, expected);
        const int32_t joint = skin->joints[b];
        assert_string_equal(s->nodes[joint].name, bone->mName.data);
        node_world(s, clip, frame / animation->mTicksPerSecond, joint, world);
        sn_affine_multiply(world, skin->inverse_bind + 12 * (size_t)b, bound);
        sn_affine_multiply(bound, placing, found);
        for (int k = 0; k < 12; ++k) {
            expected[k] *= k % 4 == 3 ? metres : 1;
            size = fmax(size, fabs(expected[k]));
        }
        for (int k = 0; k < 12; ++k) {
            worst = fmax(worst, fabs(found[k] - expected[k]) / size);
        }
    }
    return worst;
}

/* Shape, triangles and weights against the library's polygons. */
static void check_mesh(const sn_scene_primitive *p, const struct aiScene *from, double metres)
{
    const struct aiMesh *mesh = from->mMeshes[0];
    double placing[12];
    ai_world(NULL, find_mesh_node(from->mRootNode), 0, placing);
    double low[2][3] = {{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};
    double high[2][3] = {{-INFINITY, -INFINITY, -INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    unsigned triangle_count = 0;
    for (int i = 0; i < 3 * p->vertex_count; ++i) {
        low[0][i % 3] = fmin(low[0][i % 3], (double)p->positions[i]);
        high[0][i % 3] = fmax(high[0][i % 3], (double)p->positions[i]);
    }
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        const struct aiVector3D v = mesh->mVertices[i];
        double placed[3];
        sn_affine_apply(placing, (const double[3]){(double)v.x, (double)v.y, (double)v.z}, placed);
        for (int k = 0; k < 3; ++k) {
            low[1][k] = fmin(low[1][k], metres * placed[k]);
            high[1][k] = fmax(high[1][k], metres * placed[k]);
        }
    }
    for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
        triangle_count += mesh->mFaces[f].mNumIndices - 2;
    }
    assert_int_equal(p->triangle_count, triangle_count);
    for (int k = 0; k < 3; ++k) {
        assert_true(fabs(low[0][k] - low[1][k]) < 1e-6 * (high[1][k] - low[1][k]));
        assert_true(fabs(high[0][k] - high[1][k]) < 1e-6 * (high[1][k] - low[1][k]));
    }
}

static const struct {
    const char *name;
    int vertices, joints, clips, influences;
    double metres; /* of a unit */
} files[] = {
    {"assimp_animation_with_skeleton", 4218, 14, 1, 8, 0.01},
    {"blender_279_sausage_7400_binary", 729, 3, 3, 4, 1},
    {"dembones_Bone_All", 808, 6, 1, 4, 0.01},
    {"maya_kenney_character_7700_binary", 1029, 45, 1, 4, 0.01},
};

static void test_files(void **state)
{
    (void)state;
    skip_without(FOLDER);
    use_reader();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        char path[1024];
        sn_arena arena = {0};
        sn_scene_file s;
        snprintf(path, sizeof path, "%s/%s.fbx", FOLDER, files[i].name);
        read_fbx(path, &arena, &s);
        assert_int_equal(logged.lines, 0);
        assert_int_equal(s.primitive_count, 1);
        assert_int_equal(s.primitives[0].vertex_count, files[i].vertices);
        assert_int_equal(s.primitives[0].influence_count, files[i].influences);
        assert_int_equal(s.skins[0].joint_count, files[i].joints);
        assert_int_equal(s.clip_count, files[i].clips);
        const struct aiScene *from = import(path);
        check_mesh(&s.primitives[0], from, files[i].metres);
        for (int clip = 0; clip < s.clip_count; ++clip) {
            const unsigned last = (unsigned)from->mAnimations[clip]->mDuration;
            for (unsigned frame = 0; frame <= last; frame += last / 7 + 1) {
                const double worst = compare_pose(&s, from, clip, frame, files[i].metres);
                if (!(worst < 1e-5)) {
                    fail_msg("%s: clip %d, frame %u: a joint is off by %g of its size", files[i].name, clip, frame,
                             worst);
                }
            }
        }
        aiReleaseImport(from);
        sn_arena_finish(&arena);
    }
}

/* A skeleton without a mesh: nodes and nothing to draw. */
static void test_skeleton(void **state)
{
    (void)state;
    skip_without(FOLDER);
    use_reader();
    sn_arena arena = {0};
    sn_scene_file s;
    read_fbx(FOLDER "/maya_character_7500_binary.fbx", &arena, &s);
    assert_int_equal(s.mesh_count, 0);
    const int32_t toes = find_node(&s, "Character1_LeftToeBase"); /* below chains of nodes for rotations */
    assert_string_equal(s.nodes[s.nodes[toes].parent].name, "Character1_LeftFoot");
    double world[12];
    node_world(&s, -1, 0, find_node(&s, "Character1_Hips"), world);
    assert_true(fabs(world[7] - 1) < 0.01); /* 100 cm above the ground */
    sn_arena_finish(&arena);
}

/* Damaged files: an error or a scene, in one line or none. */
static void test_bad_files(void **state)
{
    (void)state;
    skip_without(BAD);
    use_reader();
    DIR *folder = opendir(BAD);
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[1024];
        sn_arena arena = {0};
        sn_scene_file s;
        if (!strstr(entry->d_name, ".fbx")) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", BAD, entry->d_name);
        begin_log();
        const sn_result result = sn_scene_file_read(path, &arena, &s);
        assert_int_equal(logged.errors, result == SN_OK ? 0 : 1);
        assert_true(result == SN_OK || strstr(logged.last_error, path) == logged.last_error);
        sn_arena_finish(&arena);
        ++count;
    }
    closedir(folder);
    assert_int_equal(count, 5);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_fbx_files(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_skeleton),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
