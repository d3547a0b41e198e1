/* SPDX-License-Identifier: MIT */
/* C interface to the C++ library libdraco. No exceptions leave this file. */
#include "author/io/gltf/draco.h"

#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>

#include <stdio.h>

struct sn_draco {
    draco::Mesh mesh;
};

namespace
{

/* A decoder with a memory limit: the size of the attributes depends on a few bytes of the data, so it is checked before
 * the library allocates them. Each value takes its own type plus a 32-bit integer, and each point an index. */
template <class Decoder> class limited : public Decoder
{
  public:
    explicit limited(size_t max_bytes_allowed) : max_bytes_(max_bytes_allowed)
    {
    }
    bool is_too_large() const
    {
        return is_too_large_;
    }

  protected:
    bool DecodeAllAttributes() override
    {
        const draco::PointCloud *cloud = this->point_cloud();
        double bytes = 0;
        for (int32_t i = 0; i < cloud->num_attributes(); ++i) {
            const draco::PointAttribute *a = cloud->attribute(i);
            const double component = 4.0 + draco::DataTypeLength(a->data_type());
            bytes += (4 + a->num_components() * component) * cloud->num_points();
        }
        is_too_large_ = bytes > static_cast<double>(max_bytes_);
        return !is_too_large_ && Decoder::DecodeAllAttributes();
    }

  private:
    size_t max_bytes_;
    bool is_too_large_ = false;
};

template <class Decoder>
bool decode(const uint8_t *bytes, size_t size, size_t max_bytes, draco::Mesh *mesh, char *cause)
{
    const draco::DecoderOptions options;
    limited<Decoder> decoder(max_bytes);
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(bytes), size);
    const draco::Status status = decoder.Decode(options, &buffer, mesh);
    if (status.ok()) {
        return true;
    }
    if (decoder.is_too_large()) {
        snprintf(cause, SN_DRACO_CAUSE_CHARS, "the decoded attributes would take more than %zu MiB", max_bytes >> 20);
    } else {
        snprintf(cause, SN_DRACO_CAUSE_CHARS, "the %zu bytes of Draco data are damaged", size);
    }
    return false;
}

} // namespace

sn_draco *sn_draco_decode(const uint8_t *bytes, size_t size, bool is_edgebreaker, size_t max_bytes, char *cause)
{
    sn_draco *mesh_decoded = nullptr;
    try {
        mesh_decoded = new sn_draco;
        const auto run = is_edgebreaker ? decode<draco::MeshEdgebreakerDecoder> : decode<draco::MeshSequentialDecoder>;
        if (run(bytes, size, max_bytes, &mesh_decoded->mesh, cause)) {
            return mesh_decoded;
        }
    } catch (...) { /* libdraco throws nothing itself, so this is out of memory */
        cause[0] = 0;
    }
    sn_draco_destroy(mesh_decoded);
    return nullptr;
}

void sn_draco_destroy(sn_draco *mesh)
{
    delete mesh;
}

uint32_t sn_draco_face_count(const sn_draco *mesh)
{
    return mesh->mesh.num_faces();
}

uint32_t sn_draco_point_count(const sn_draco *mesh)
{
    return mesh->mesh.num_points();
}

static sn_draco_type to_type(draco::DataType type)
{
    switch (type) {
    case draco::DT_INT8:
        return SN_DRACO_I8;
    case draco::DT_UINT8:
        return SN_DRACO_U8;
    case draco::DT_INT16:
        return SN_DRACO_I16;
    case draco::DT_UINT16:
        return SN_DRACO_U16;
    case draco::DT_INT32:
        return SN_DRACO_I32;
    case draco::DT_UINT32:
        return SN_DRACO_U32;
    case draco::DT_FLOAT32:
        return SN_DRACO_F32;
    default:
        return SN_DRACO_OTHER;
    }
}

bool sn_draco_find(const sn_draco *mesh, uint32_t id, sn_draco_attribute *attribute)
{
    const draco::PointAttribute *attribute_found = mesh->mesh.GetAttributeByUniqueId(id);
    if (attribute_found == nullptr) {
        return false;
    }
    attribute->type = to_type(attribute_found->data_type());
    attribute->width = attribute_found->num_components();
    return true;
}

void sn_draco_copy_faces(const sn_draco *mesh, uint32_t *points)
{
    for (uint32_t i = 0; i < mesh->mesh.num_faces(); ++i) {
        const draco::Mesh::Face &face = mesh->mesh.face(draco::FaceIndex(i));
        for (size_t k = 0; k < 3; ++k) {
            points[3 * static_cast<size_t>(i) + k] = face[k].value();
        }
    }
}

bool sn_draco_copy_values(const sn_draco *mesh, uint32_t id, void *values)
{
    const draco::PointAttribute *a = mesh->mesh.GetAttributeByUniqueId(id);
    uint8_t *to = static_cast<uint8_t *>(values);
    const size_t stride = static_cast<size_t>(a->byte_stride());
    for (uint32_t i = 0; i < mesh->mesh.num_points(); ++i) {
        const draco::AttributeValueIndex value = a->mapped_index(draco::PointIndex(i));
        if (value.value() >= a->size()) {
            return false;
        }
        a->GetValue(value, to + stride * i);
    }
    return true;
}
