/* SPDX-License-Identifier: MIT */
/* The surface beside a tet mesh file: drawn with its texture, and moved by the tets around it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/io/image/png.h"
#include "author/io/source.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

static char folder[512], path[600];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A bar from 0 to 3, in tets. */
static void write_tets(void)
{
    sn_arena arena = {0};
    const sn_tet_mesh bar = sn_test_bar(&arena, 6, 2, 2, 0.5);
    FILE *file = fopen(in_folder("bar.mesh"), "w");
    assert_non_null(file);
    fprintf(file, "MeshVersionFormatted 1\nDimension 3\nVertices\n%d\n", bar.vertex_count);
    for (int i = 0; i < bar.vertex_count; ++i) {
        const double *x = bar.positions + 3 * i;
        fprintf(file, "%g %g %g 0\n", x[0], x[1], x[2]);
    }
    fprintf(file, "Tetrahedra\n%d\n", bar.tet_count);
    for (int i = 0; i < bar.tet_count; ++i) {
        const int32_t *t = bar.tets + 4 * i;
        fprintf(file, "%d %d %d %d 0\n", t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1);
    }
    fprintf(file, "End\n");
    fclose(file);
    sn_arena_finish(&arena);
}

/* A tetrahedron inside of the bar, at 0.1 to 0.9, moved along x. */
static void write_surface(double x)
{
    FILE *file = fopen(in_folder("bar_tex.obj"), "w");
    assert_non_null(file);
    fprintf(file, "v %g 0.1 0.1\nv %g 0.1 0.1\nv %g 0.9 0.1\nv %g 0.1 0.9\n", x + 0.1, x + 0.9, x + 0.1, x + 0.1);
    fprintf(file, "vt 0 0\nvt 1 0\nvt 0 1\nf 1/1 3/3 2/2\nf 1/1 2/2 4/3\nf 1/1 4/2 3/3\nf 2/1 3/2 4/3\n");
    fclose(file);
}

static sn_model *cook(bool has_boundary_surface, sn_blob *blob)
{
    sn_cook_desc desc = sn_default_cook_desc();
    sn_model *model = NULL;
    char mesh[600];
    snprintf(mesh, sizeof mesh, "%s/bar.mesh", folder);
    desc.units = SN_UNITS_KEEP;
    desc.mode_count = 4;
    desc.cluster_count = 8;
    desc.has_boundary_surface = has_boundary_surface;
    begin_log();
    assert_int_equal(sn_cook(mesh, &desc, blob, NULL), SN_OK);
    assert_int_equal(sn_model_load_named("bar", blob->bytes, blob->size, &model), SN_OK);
    return model;
}

static void test_surface_with_texture(void **state)
{
    (void)state;
    uint8_t pixels[2 * 4] = {77, 2, 3, 255, 4, 5, 6, 255};
    write_surface(1);
    assert_int_equal(sn_png_write(in_folder("bar_tex.png"), &(sn_image){2, 1, pixels}, false), SN_OK);
    sn_blob blob = {0};
    sn_model *m = cook(false, &blob);
    assert_int_equal(m->counts.surface_triangle_count, 4);
    assert_int_equal(m->counts.texture_count, 1);
    assert_int_equal(m->texture_pixels[0], 77);
    assert_int_equal(m->materials[m->parts[0].material].textures[SN_TEXTURE_BASE_COLOR], 0);
    for (int v = 0; v < m->counts.surface_vertex_count; ++v) {
        assert_true(m->surface_tets[v] >= 0);
        for (int d = 0; d < 3; ++d) { /* the tets reproduce its position */
            double sum = 0;
            for (int k = 0; k < 4; ++k) {
                const int32_t corner = m->tets[4 * m->surface_tets[v] + k];
                sum += (double)m->surface_barycentric[4 * v + k] * (double)m->rest_positions[3 * corner + d];
            }
            assert_true(fabs(sum - (double)m->surface_positions[3 * v + d]) < 1e-5);
        }
        double weight = 0; /* and its only bone carries it */
        for (int i = m->influence_starts[v]; i < m->influence_starts[v + 1]; ++i) {
            weight += (double)m->influences[i].weight;
        }
        assert_true(fabs(weight - 1) < 1e-5);
    }
    sn_model_release(m);
    sn_blob_release(&blob);
    m = cook(true, &blob);
    assert_int_equal(m->counts.texture_count, 0);
    assert_true(m->counts.surface_triangle_count > 4);
    assert_int_equal(logged.warnings, 0);
    sn_model_release(m);
    sn_blob_release(&blob);
}

/* A surface that lies elsewhere belongs to something else. */
static void test_surface_elsewhere(void **state)
{
    (void)state;
    write_surface(50);
    sn_blob blob = {0};
    sn_model *m = cook(false, &blob);
    assert_int_equal(m->counts.texture_count, 0);
    assert_true(m->counts.surface_triangle_count > 4);
    assert_non_null(strstr(logged.last, "bar_tex.obj: not drawn"));
    sn_model_release(m);
    sn_blob_release(&blob);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/test_render_surface.XXXXXX", SN_BINARY_DIR);
    if (!mkdtemp(folder)) {
        return 1;
    }
    write_tets();
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(in_folder("bar.mesh"));
    unlink(in_folder("bar_tex.obj"));
    unlink(in_folder("bar_tex.png"));
    sn_set_log(NULL, NULL);
    return rmdir(folder);
}

int test_render_surface(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_surface_with_texture),
                                       cmocka_unit_test(test_surface_elsewhere)};
    return cmocka_run_group_tests(tests, begin, end);
}
