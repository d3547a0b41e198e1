/* SPDX-License-Identifier: MIT */
/* Files that Draco has coded, in a build without it: author/io/gltf/gltf_draco.c is compiled here as there. What has
 * the same uncoded is read in any build. */
#include "tests/io/gltf_test.h"

#define DOCUMENT(ACCESSOR)                                                                                             \
    "{'asset':{'version':'2.0'},'extensionsRequired':['KHR_draco_mesh_compression'],'nodes':[{'mesh':0}],"             \
    "'buffers':[{'byteLength':36}],'bufferViews':[{'buffer':0,'byteLength':36}],"                                      \
    "'accessors':[{" ACCESSOR "'componentType':5126,'count':3,'type':'VEC3'}],"                                        \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0},"                                                           \
    "'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,'attributes':{'POSITION':0}}}}]}]}"

static void coded_meshes_are_refused_and_uncoded_ones_read(void **state)
{
    (void)state;
    bytes binary = {0};
    sn_arena arena = {0};
    sn_scene_file scene;
    put_floats(&binary, 9, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    check_document_failure(
        DOCUMENT(""), &binary, SN_ERROR_UNSUPPORTED,
        "meshes[0].primitives[0].extensions: KHR_draco_mesh_compression is not supported by this build "
        "(SN_DRACO=OFF)");
    read_document(DOCUMENT("'bufferView':0,"), &binary, &arena, &scene);
    assert_true(scene.primitives[0].positions[3] == 1);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_gltf_draco_absent(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coded_meshes_are_refused_and_uncoded_ones_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
