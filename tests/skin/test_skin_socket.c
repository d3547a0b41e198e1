/* SPDX-License-Identifier: MIT */
/* Sockets: where the skin is, turned as its triangle is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sinew/surface.h"
#include "tests/world/posed_bar.h"

static sn_body_id make_posed(sn_world_id world, double seconds)
{
    const sn_body_id body = make_body(world, 0.3);
    for (int frame = 0; frame < (int)(60 * seconds); ++frame) {
        sn_mat3x4 bones[BONES];
        pose_at(frame / 60.0, bones);
        sn_body_set_pose(body, bones, BONES);
        sn_world_step(world, 1.0 / 60);
    }
    return body;
}

static void transform_point(const sn_mat3x4 *m, const double *x, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)m->m[d][3];
        for (int k = 0; k < 3; ++k) {
            result[d] += (double)m->m[d][k] * x[k];
        }
    }
}

static void position_in(const sn_surface *surface, const sn_socket *socket, const float *positions, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = 0;
        for (int k = 0; k < 3; ++k) {
            const int32_t vertex = surface->triangles[3 * socket->triangle + k];
            result[d] += (double)socket->barycentric[k] * (double)positions[3 * vertex + d];
        }
    }
}

static void sockets_stay_at_rest(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_posed(world, 0);
    const sn_surface surface = sn_model_surface(model);
    const sn_body_matrices output = sn_body_output(body);
    for (int t = 0; t < surface.triangle_count; t += 7) {
        const sn_socket socket = {.triangle = t, .barycentric = {0.2F, 0.3F, 0.5F}};
        sn_mat3x4 m;
        sn_surface_socket_transform(&surface, &output, &socket, &m);
        for (int i = 0; i < 12; ++i) {
            assert_true(fabs((double)m.m[i / 4][i % 4] - (i % 5 == 0)) < 2e-6);
        }
    }
    sn_world_destroy(world);
}

static void sockets_move_with_the_skin(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_posed(world, 0.6);
    const sn_surface surface = sn_model_surface(model);
    const sn_body_matrices output = sn_body_output(body);
    float *skin = malloc(3 * (size_t)surface.vertex_count * sizeof *skin);
    assert_non_null(skin);
    assert_int_equal(sn_surface_skin(&surface, &output, skin, NULL, NULL), SN_OK);
    double largest_turn = 0;
    for (int t = 0; t < surface.triangle_count; ++t) {
        const sn_socket socket = {.triangle = t, .barycentric = {0.1F, 0.6F, 0.3F}};
        double rest[3], expected[3], moved[3], product = 0, turned[3], normal[3] = {0}, edges[2][3];
        sn_mat3x4 m;
        sn_surface_socket_transform(&surface, &output, &socket, &m);
        position_in(&surface, &socket, surface.positions, rest);
        position_in(&surface, &socket, skin, expected);
        transform_point(&m, rest, moved);
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(moved[d] - expected[d]) < 2e-6);
        }
        for (int i = 0; i < 3; ++i) { /* the rotation's rows are orthonormal */
            for (int j = 0; j < 3; ++j) {
                product = 0;
                for (int k = 0; k < 3; ++k) {
                    product += (double)m.m[i][k] * (double)m.m[j][k];
                }
                assert_true(fabs(product - (i == j ? 1 : 0)) < 1e-5);
            }
        }
        /* the rest normal is turned to the normal of the drawn triangle */
        for (int pass = 0; pass < 2; ++pass) {
            const float *x = pass == 0 ? surface.positions : skin;
            const int32_t *corner = surface.triangles + 3 * (size_t)t;
            for (int d = 0; d < 3; ++d) {
                edges[0][d] = (double)x[3 * corner[1] + d] - (double)x[3 * corner[0] + d];
                edges[1][d] = (double)x[3 * corner[2] + d] - (double)x[3 * corner[0] + d];
            }
            double cross[3] = {edges[0][1] * edges[1][2] - edges[0][2] * edges[1][1],
                               edges[0][2] * edges[1][0] - edges[0][0] * edges[1][2],
                               edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0]};
            const double size = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
            if (pass == 0) {
                for (int i = 0; i < 3; ++i) {
                    turned[i] =
                        ((double)m.m[i][0] * cross[0] + (double)m.m[i][1] * cross[1] + (double)m.m[i][2] * cross[2]) /
                        size;
                }
            } else {
                for (int i = 0; i < 3; ++i) {
                    normal[i] = cross[i] / size;
                    assert_true(fabs(turned[i] - normal[i]) < 1e-4);
                }
            }
        }
        largest_turn = fmax(largest_turn, fabs((double)m.m[0][1]));
    }
    assert_true(largest_turn > 0.02); /* otherwise nothing was tested */
    free(skin);
    sn_world_destroy(world);
}

static void the_nearest_point_is_found(void **state)
{
    (void)state;
    const sn_surface surface = sn_model_surface(model);
    const float above[3] = {0.1F, 0.4F, 0.02F}, nowhere[3] = {NAN, 0, 0};
    const sn_socket socket = sn_surface_nearest_socket(&surface, above);
    double point[3];
    assert_true(socket.triangle >= 0);
    position_in(&surface, &socket, surface.positions, point);
    assert_true(fabs(point[0] - 0.1) < 1e-3 && fabs(point[2] - 0.02) < 1e-3);
    assert_true(point[1] > 0.11 && point[1] < 0.13); /* the bar's upper side */
    assert_int_equal(sn_surface_nearest_socket(&surface, nowhere).triangle, -1);
}

int test_skin_socket(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sockets_stay_at_rest),
                                       cmocka_unit_test(sockets_move_with_the_skin),
                                       cmocka_unit_test(the_nearest_point_is_found)};
    return cmocka_run_group_tests(tests, load, unload);
}
