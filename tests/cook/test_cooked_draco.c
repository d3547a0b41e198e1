/* SPDX-License-Identifier: MIT */
/* A character that Draco has coded, with its vertices in another order and its positions quantised, cooks to what it
 * cooks to uncoded. */
#include "tests/io/draco_tube.h"

#include "author/io/gltf/gltf_write.h"
#include "host/model/model.h"
#include "sinew/author.h"

enum { MODES = 6 };

static void write_bytes(const char *path, const bytes *file)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file->data, 1, file->size, out), file->size);
    assert_int_equal(fclose(out), 0);
}

/* The tube as exactly coded, written uncoded. */
static void write_uncoded(const char *path, const draco_source *source)
{
    bytes coded = {0}, file = {0};
    sn_arena arena = {0};
    sn_scene_file scene;
    code_tube(&coded, source);
    put_tube(&file, &coded, NULL);
    read_bytes(&file, &arena, &scene);
    assert_int_equal(sn_gltf_write(path, &scene), SN_OK);
    sn_arena_finish(&arena);
}

static void write_coded(const char *path, const draco_source *source)
{
    bytes coded = {0}, file = {0};
    code_tube(&coded, source);
    put_tube(&file, &coded, NULL);
    write_bytes(path, &file);
}

static sn_model *cook(const char *path, sn_blob *blob, sn_cook_report *report)
{
    sn_cook_desc desc = sn_default_cook_desc();
    sn_model *model = NULL;
    desc.tet_vertex_count = 600;
    desc.mode_count = MODES;
    desc.cluster_count = 20;
    desc.young = 1e4;
    desc.units = SN_UNITS_KEEP;
    begin_log();
    if (sn_cook(path, &desc, blob, report) != SN_OK) {
        fail_msg("%s", logged.last);
    }
    assert_int_equal(sn_model_load(blob->bytes, blob->size, &model), SN_OK);
    remove(path);
    return model;
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fabs(b))) {
        fail_msg("%g is not within %g of %g", a, tolerance, b);
    }
}

static void cooks_to_a_like_model(void **state)
{
    (void)state;
    tube t = make_tube();
    for (int v = 0; v < TUBE_VERTICES; ++v) { /* of one stuff: the numbers are of no matter here */
        t.numbers[v] = 1;
    }
    draco_values values[TUBE_VALUES];
    sn_blob blobs[2];
    sn_cook_report reports[2];
    char path[4096];
    list_tube_values(&t, values);
    draco_source source = tube_source(&t, values);
    snprintf(path, sizeof path, "%s/test_cooked_draco.%ld.glb", SN_BINARY_DIR, (long)getpid());
    write_uncoded(path, &source);
    sn_model *plain = cook(path, &blobs[0], &reports[0]);
    source.is_sequential = false;
    source.position_bits = 14;
    write_coded(path, &source);
    sn_model *coded = cook(path, &blobs[1], &reports[1]);
    assert_int_equal(reports[0].bone_count, 3);
    assert_int_equal(reports[1].bone_count, 3);
    assert_int_equal(coded->counts.mode_count, plain->counts.mode_count);
    assert_int_equal(coded->counts.surface_vertex_count, plain->counts.surface_vertex_count);
    assert_int_equal(coded->counts.surface_triangle_count, plain->counts.surface_triangle_count);
    assert_near(reports[1].tet_count, reports[0].tet_count, 0.05);
    assert_near(coded->total_mass, plain->total_mass, 0.02);
    assert_near(coded->diagonal, plain->diagonal, 1e-4);
    assert_int_equal(coded->counts.coordinate_count, plain->counts.coordinate_count);
    for (int k = 0; k < plain->counts.coordinate_count; ++k) {
        assert_near(coded->coordinate_stiffness[k], plain->coordinate_stiffness[k], 0.05);
    }
    sn_model_release(plain);
    sn_model_release(coded);
    sn_blob_release(&blobs[0]);
    sn_blob_release(&blobs[1]);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_cooked_draco(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cooks_to_a_like_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
