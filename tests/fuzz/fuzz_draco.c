/* SPDX-License-Identifier: MIT */
/* Fuzz target: what Draco has coded, without the glTF around it. */
#include "author/io/gltf/draco.h"
#include "host/base/base.h"
#include "tests/fuzz/fuzz.h"

#define MOST_COUNT 100000 /* of triangles and vertices: mutations have time for others */
#define MOST_BYTES ((size_t)1 << 26)

static void copy_values(const sn_draco *mesh, uint32_t id)
{
    sn_draco_attribute attribute;
    if (sn_draco_find(mesh, id, &attribute)) {
        SN_ASSERT(attribute.width > 0 && attribute.width <= 255);
        uint8_t *values = malloc(8 * (size_t)attribute.width * sn_draco_point_count(mesh) + 1);
        if (values) {
            sn_draco_copy_values(mesh, id, values);
        }
        free(values);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char cause[SN_DRACO_CAUSE_CHARS] = {0};
    sn_draco_header header;
    sn_source source = sn_fuzz_source(data, size);
    const char *failure = source.bytes ? sn_draco_header_read(source.bytes, size, &header, cause) : "";
    if (!failure && header.face_count <= MOST_COUNT && header.vertex_count <= MOST_COUNT) {
        sn_draco *mesh = sn_draco_decode(source.bytes, size, header.is_edgebreaker, MOST_BYTES, cause);
        uint32_t *faces = mesh ? malloc(12 * (size_t)sn_draco_face_count(mesh) + 1) : NULL;
        SN_ASSERT(mesh || strlen(cause) < sizeof cause);
        if (faces) {
            SN_ASSERT(sn_draco_face_count(mesh) <= header.face_count);
            sn_draco_copy_faces(mesh, faces);
        }
        for (uint32_t id = 0; mesh && id < 8; ++id) {
            copy_values(mesh, id);
        }
        free(faces);
        sn_draco_destroy(mesh);
    }
    sn_fuzz_finish(&source);
    return 0;
}
