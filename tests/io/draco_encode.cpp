/* SPDX-License-Identifier: MIT */
#include "tests/io/draco_encode.h"

#include <cstring>
#include <memory>

#include <draco/compression/encode.h>
#include <draco/compression/expert_encode.h>

static draco::DataType to_type(char type)
{
    return type == 'b'   ? draco::DT_INT8
           : type == 'B' ? draco::DT_UINT8
           : type == 'h' ? draco::DT_INT16
           : type == 'H' ? draco::DT_UINT16
           : type == 'i' ? draco::DT_INT32
           : type == 'I' ? draco::DT_UINT32
           : type == 'f' ? draco::DT_FLOAT32
                         : draco::DT_FLOAT64;
}

static draco::GeometryAttribute::Type to_kind(char kind)
{
    return kind == 'p'   ? draco::GeometryAttribute::POSITION
           : kind == 'n' ? draco::GeometryAttribute::NORMAL
           : kind == 'c' ? draco::GeometryAttribute::COLOR
           : kind == 't' ? draco::GeometryAttribute::TEX_COORD
                         : draco::GeometryAttribute::GENERIC;
}

static void add_values(const draco_source *source, draco::PointCloud *mesh)
{
    mesh->set_num_points(static_cast<uint32_t>(source->vertex_count));
    for (int i = 0; i < source->value_count; ++i) {
        const draco_values *from = &source->values[i];
        const draco::DataType type = to_type(from->type);
        const int stride = from->width * draco::DataTypeLength(type);
        auto attribute = std::make_unique<draco::PointAttribute>();
        attribute->Init(to_kind(from->kind), static_cast<int8_t>(from->width), type, from->is_normalized,
                        static_cast<size_t>(source->vertex_count));
        for (int v = 0; v < source->vertex_count; ++v) {
            attribute->SetAttributeValue(draco::AttributeValueIndex(static_cast<uint32_t>(v)),
                                         static_cast<const uint8_t *>(from->values) + stride * v);
        }
        mesh->attribute(mesh->AddAttribute(std::move(attribute)))->set_unique_id(static_cast<uint32_t>(i));
    }
}

/* Of the mesh, of an attribute, and inside of both: the data say all of it before they say what they hold. */
static void add_metadata(draco::PointCloud *mesh)
{
    auto all = std::make_unique<draco::GeometryMetadata>();
    auto inner = std::make_unique<draco::Metadata>(), innermost = std::make_unique<draco::Metadata>();
    innermost->AddEntryInt("depth", 2);
    inner->AddEntryString("words", "of no matter");
    inner->AddSubMetadata("innermost", std::move(innermost));
    all->AddEntryDouble("number", 0.5);
    all->AddSubMetadata("inner", std::move(inner));
    mesh->AddMetadata(std::move(all));
    auto of_attribute = std::make_unique<draco::AttributeMetadata>();
    of_attribute->AddEntryString("name", "of the first attribute");
    of_attribute->AddSubMetadata("empty", std::make_unique<draco::Metadata>());
    mesh->AddAttributeMetadata(0, std::move(of_attribute));
}

static size_t write_out(const draco::EncoderBuffer &buffer, uint8_t *bytes, size_t room)
{
    if (buffer.size() > room) {
        return 0;
    }
    memcpy(bytes, buffer.data(), buffer.size());
    return buffer.size();
}

size_t draco_encode(const draco_source *source, uint8_t *bytes, size_t room)
{
    draco::Mesh mesh;
    draco::EncoderBuffer buffer;
    add_values(source, &mesh);
    mesh.SetNumFaces(static_cast<size_t>(source->triangle_count));
    for (int i = 0; i < source->triangle_count; ++i) {
        draco::Mesh::Face face;
        for (int k = 0; k < 3; ++k) {
            face[static_cast<size_t>(k)] = draco::PointIndex(source->triangles[3 * i + k]);
        }
        mesh.SetFace(draco::FaceIndex(static_cast<uint32_t>(i)), face);
    }
    if (source->has_metadata) {
        add_metadata(&mesh);
    }
    if (!source->is_sequential) {
        mesh.DeduplicateAttributeValues();
    }
    draco::ExpertEncoder encoder(mesh);
    encoder.SetEncodingMethod(source->is_sequential ? draco::MESH_SEQUENTIAL_ENCODING
                                                    : draco::MESH_EDGEBREAKER_ENCODING);
    for (int i = 0; i < source->value_count; ++i) {
        if (source->values[i].kind == 'p' && source->position_bits > 0) {
            encoder.SetAttributeQuantization(i, source->position_bits);
        }
    }
    return encoder.EncodeToBuffer(&buffer).ok() ? write_out(buffer, bytes, room) : 0;
}

size_t draco_encode_cloud(const draco_source *source, uint8_t *bytes, size_t room)
{
    draco::PointCloud cloud;
    draco::EncoderBuffer buffer;
    draco::Encoder encoder;
    add_values(source, &cloud);
    encoder.SetSpeedOptions(10, 10);
    return encoder.EncodePointCloudToBuffer(cloud, &buffer).ok() ? write_out(buffer, bytes, room) : 0;
}
