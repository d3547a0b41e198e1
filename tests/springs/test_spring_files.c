/* SPDX-License-Identifier: MIT */
/* Spring bones of real files, cooked as they are in a model, on a head that turns, nods and tilts: VRM's own algorithm
 * at sixty steps a second, the same at any other rate and scale, and out of the head. */
#include "author/cook/stages/stages.h"
#include "author/import/read_character.h"
#include "tests/springs/spring_test.h"

#define BONE_LIMIT 128
#define SKIPPED 77

typedef struct avatar {
    sn_arena arena;
    sn_scene_file scene;
    sn_cook_context cooking;
    sn_cook_desc desc;
    sn_model model;
    int32_t root; /* bone 0's node */
} avatar;

static void open_avatar(avatar *a, const char *file, double scale)
{
    char path[512];
    snprintf(path, sizeof path, SN_SHARED_DATA "/rigged/%s", file);
    *a = (avatar){.desc = sn_default_cook_desc()};
    sn_sidecar sidecar;
    assert_int_equal(sn_scene_file_read(path, &a->arena, &a->scene), SN_OK);
    assert_int_equal(sn_character_from_scene(&a->scene, path, &a->arena, &sidecar, &a->cooking.character), SN_OK);
    a->cooking.path = path;
    a->cooking.desc = &a->desc;
    a->cooking.has_character = true;
    a->cooking.scale = scale;
    a->cooking.bone_count = a->cooking.character.bone_count;
    a->model = (sn_model){.counts = {.bone_count = a->cooking.bone_count}, .scale = scale, .diagonal = 2 * scale};
    assert_true(a->cooking.bone_count <= BONE_LIMIT);
    assert_int_equal(sn_cook_context_add_springs(&a->cooking, &a->model), SN_OK);
}

static void close_avatar(avatar *a)
{
    sn_arena_finish(&a->cooking.arena);
    sn_arena_finish(&a->arena);
}

/* All bones about a place a metre up. */
static void pose_avatar(const avatar *a, int kind, double seconds, double *pose)
{
    const double angle = 0.6 * sin(2 * 3.14159265358979 * 1.2 * seconds), c = cos(angle), s = sin(angle);
    const double turns[3][9] = {
        {c, 0, s, 0, 1, 0, -s, 0, c}, {1, 0, 0, 0, c, -s, 0, s, c}, {c, -s, 0, s, c, 0, 0, 0, 1}};
    for (int b = 0; b < a->cooking.bone_count; ++b) {
        for (int i = 0; i < 12; ++i) {
            const double pivot = i % 4 < 3 ? 0 : (i / 4 == 1 ? 1 : 0) - turns[kind][3 * (i / 4) + 1];
            pose[12 * b + i] = i % 4 < 3 ? turns[kind][3 * (i / 4) + i % 4] : a->model.scale * pivot;
        }
    }
}

/* In metres. */
static void tail_of(const avatar *a, int joint, const double *posed, double *tail)
{
    const sn_spring_joint *j = &a->model.spring_joints[joint];
    int bone = 0;
    while (bone < a->cooking.bone_count && a->model.spring_bones[bone] != joint) {
        ++bone;
    }
    assert_true(bone < a->cooking.bone_count);
    sn_affine_apply(posed + 12 * bone, (double[3]){(double)j->tail[0], (double)j->tail[1], (double)j->tail[2]}, tail);
    for (int d = 0; d < 3; ++d) {
        tail[d] /= a->model.scale;
    }
}

/* Two seconds of a motion; the tails of the last step of every sixtieth second that the rate has: (joints x 3) each. */
static int run(const char *file, int kind, double scale, double rate, double (*tails)[3])
{
    avatar a;
    double pose[12 * BONE_LIMIT];
    sn_springs *springs = NULL;
    int count = 0;
    open_avatar(&a, file, scale);
    const int joints = sn_model_spring_count(&a.model);
    assert_int_equal(sn_springs_create(&a.model, 1 / rate, &springs), SN_OK);
    pose_avatar(&a, kind, 0, pose);
    sn_springs_reset(springs, pose);
    for (int step = 1; step <= (int)(2 * rate + 0.5); ++step) {
        pose_avatar(&a, kind, step / rate, pose);
        assert_true(sn_springs_step(springs, pose, NULL, pose));
        if (step % (int)(rate / 6 + 0.5) == 0) { /* sixths of a second: all rates have them */
            for (int j = 0; j < joints; ++j) {
                tail_of(&a, j, pose, tails[count++]);
            }
        }
    }
    sn_springs_destroy(&springs);
    close_avatar(&a);
    return count;
}

static double largest_difference(double (*a)[3], double (*b)[3], int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, sn_distance3(a[i], b[i]));
    }
    return largest;
}

/* Godette is 1.4 m tall, her joints .07 to .28 m long. */
static void same_at_any_rate_and_scale(void **state)
{
    (void)state;
    static double sixty[512][3], other[512][3];
    const double rates[] = {30, 72, 90, 144}, scales[] = {0.1, 10};
    for (int kind = 0; kind < 3; ++kind) {
        const int count = run("Godette_vrm_v4.vrm", kind, 1, 60, sixty);
        assert_true(count > 100 && count <= 512);
        for (int i = 0; i < 4; ++i) {
            assert_int_equal(run("Godette_vrm_v4.vrm", kind, 1, rates[i], other), count);
            const double apart = largest_difference(sixty, other, count);
            assert_true(apart < 0.003);
        }
        for (int i = 0; i < 2; ++i) {
            run("Godette_vrm_v4.vrm", kind, scales[i], 60, other);
            assert_true(largest_difference(sixty, other, count) < 1e-4);
        }
    }
}

static void push_deepest(const sn_scene_file *scene, const sn_vrm_springs *reference, const sn_spring_link *link,
                         const double *tail, double *deepest)
{
    const sn_spring_group *group = &scene->springs[link->group];
    for (int i = 0; i < group->collider_count; ++i) {
        const sn_spring_collider *c = &scene->colliders[scene->spring_colliders[group->first_collider + i]];
        double world[12], middle[3];
        sn_vrm_springs_world(reference, c->node, world);
        sn_affine_apply(world, c->offset, middle);
        *deepest = fmax(*deepest, c->radius + link->hit_radius - sn_distance3(tail, middle));
    }
}

/* A second to forget where each began, then the motion; and how deep tails are in the spheres that they name. */
static void the_reference_at_sixty(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        avatar a;
        double pose[12 * BONE_LIMIT], largest = 0, deepest = 0, published = 0;
        sn_springs *springs = NULL;
        sn_vrm_springs *reference = NULL;
        open_avatar(&a, "Godette_vrm_v4.vrm", 1);
        assert_int_equal(sn_springs_create(&a.model, 1.0 / 60, &springs), SN_OK);
        assert_int_equal(sn_vrm_springs_create(&a.scene, &a.arena, &reference), SN_OK);
        for (int frame = -300; frame < 120; ++frame) {
            const double seconds = frame > 0 ? frame / 60.0 : 0;
            double q[4];
            pose_avatar(&a, kind, seconds, pose);
            for (int32_t node = 0; node < a.scene.node_count; ++node) { /* roots go with the pose */
                sn_vrm_node *n = &sn_vrm_springs_nodes(reference)[node];
                if (a.scene.nodes[node].parent < 0) {
                    const double turn[9] = {pose[0], pose[1], pose[2], pose[4], pose[5],
                                            pose[6], pose[8], pose[9], pose[10]};
                    sn_quaternion_from_matrix(turn, q);
                    sn_quaternion_multiply(q, a.scene.nodes[node].rotation, n->rotation);
                    sn_affine_apply(pose, a.scene.nodes[node].translation, n->translation);
                }
            }
            sn_vrm_springs_update(reference, 1.0 / 60);
            assert_true(sn_springs_step(springs, pose, NULL, pose));
            for (int j = 0; j < sn_model_spring_count(&a.model) && frame >= 0; ++j) {
                const sn_character_link *link = &a.cooking.character.links[j];
                double ours[3], theirs[3];
                int index = 0;
                while (a.scene.spring_links[index].node != link->values.node) {
                    ++index;
                }
                tail_of(&a, j, pose, ours);
                sn_vrm_springs_tail(reference, index, theirs);
                largest = fmax(largest, sn_distance3(ours, theirs));
                push_deepest(&a.scene, reference, &link->values, ours, &deepest);
                push_deepest(&a.scene, reference, &link->values, theirs, &published);
            }
        }
        assert_true(largest < 5e-6 && deepest < 5e-4 && fabs(deepest - published) < 1e-5);
        sn_springs_destroy(&springs);
        close_avatar(&a);
    }
}

/* The examples of VRMC_springBone's colliders: a sphere, a plane, and the inside of a sphere. */
static void examples(void **state)
{
    (void)state;
    const char *const files[] = {"springbone/sphere-collider.gltf", "springbone/plane-collider.gltf",
                                 "springbone/inside-collider.gltf"};
    for (int i = 0; i < 3; ++i) {
        static double tails[512][3], again[512][3];
        const int count = run(files[i], 2, 1, 60, tails);
        assert_int_equal(count, 12 * 4);
        run(files[i], 2, 10, 60, again);
        for (int k = 0; k < count; ++k) {
            assert_true(sn_length3(tails[k]) < 20);
        }
        assert_true(largest_difference(tails, again, count) < 1e-2);
    }
}

int test_spring_files(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_at_any_rate_and_scale),
        cmocka_unit_test(the_reference_at_sixty),
        cmocka_unit_test(examples),
    };
    FILE *found = fopen(SN_SHARED_DATA "/rigged/Godette_vrm_v4.vrm", "rb");
    if (!found) {
        printf("no " SN_SHARED_DATA "/rigged/Godette_vrm_v4.vrm: skipped\n");
        return SKIPPED;
    }
    fclose(found);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
