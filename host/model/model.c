/* SPDX-License-Identifier: MIT */
#include "host/model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/base/hash.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the binary form is little-endian");

#define MAGIC "SINEWMDL"

typedef struct file_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes; /* of this struct, counts and scalars */
    uint64_t file_bytes;
    uint64_t checksum; /* of everything behind this struct */
    uint64_t reserved[4];
} file_header;
_Static_assert(sizeof(file_header) == 64, "the header is one cache line");

enum {
#define SN_COUNT(name) COUNT_##name,
    SN_MODEL_COUNTS(SN_COUNT)
#undef SN_COUNT
        COUNT_TOTAL
};
enum {
#define SN_SCALAR(name) SCALAR_##name,
    SN_MODEL_SCALARS(SN_SCALAR)
#undef SN_SCALAR
        SCALAR_TOTAL
};

#define COUNT_BYTES ((sizeof(sn_model_counts) + 7) / 8 * 8)
#define PREFIX_BYTES (sizeof(file_header) + COUNT_BYTES + SCALAR_TOTAL * sizeof(double))

static size_t align64(size_t offset)
{
    return (offset + 63) / 64 * 64;
}

/* Offset behind an array that starts at the next multiple of 64 after `offset`; false when the size overflows. */
static bool place_array(size_t *offset, int64_t rows, int64_t columns, size_t element_size, size_t *start)
{
    size_t bytes = 0;
    *start = align64(*offset);
    return !__builtin_mul_overflow((size_t)rows, (size_t)columns, &bytes) &&
           !__builtin_mul_overflow(bytes, element_size, &bytes) && bytes < SIZE_MAX / 4 &&
           !__builtin_add_overflow(*start, bytes, offset) && *offset < SIZE_MAX / 4;
}

/* Sets the array pointers into `base` and returns the whole size, or 0 when the counts overflow. */
static size_t lay_out(sn_model *model, const uint8_t *base)
{
    const sn_model_counts *c = &model->counts;
    size_t offset = PREFIX_BYTES;
    size_t start = 0;
#define SN_ARRAY(name, type, rows, columns)                                                                            \
    if (!place_array(&offset, rows, columns, sizeof(type), &start)) {                                                  \
        return 0;                                                                                                      \
    }                                                                                                                  \
    model->name = base ? (const type *)(const void *)(base + start) : NULL;
    SN_MODEL_ARRAYS(SN_ARRAY)
#undef SN_ARRAY
    return align64(offset);
}

sn_result sn_model_write(const sn_model *model, sn_arena *arena, uint8_t **bytes, size_t *size)
{
    sn_model placed = *model;
    *size = lay_out(&placed, NULL);
    uint8_t *file = *size ? SN_NEW(arena, uint8_t, *size) : NULL;
    if (!file) {
        return SN_ERROR_MEMORY;
    }
    lay_out(&placed, file);
    const sn_model_counts *c = &model->counts;
#define SN_ARRAY(name, type, rows, columns)                                                                            \
    if ((int64_t)(rows) * (columns) > 0) {                                                                             \
        memcpy((void *)(uintptr_t)placed.name, model->name, (size_t)((int64_t)(rows) * (columns)) * sizeof(type));     \
    }
    SN_MODEL_ARRAYS(SN_ARRAY)
#undef SN_ARRAY
    memcpy(file + sizeof(file_header), c, sizeof *c);
    const double scalars[SCALAR_TOTAL] = {
#define SN_SCALAR(name) model->name,
        SN_MODEL_SCALARS(SN_SCALAR)
#undef SN_SCALAR
    };
    memcpy(file + sizeof(file_header) + COUNT_BYTES, scalars, sizeof scalars);
    file_header header = {.version = SN_MODEL_VERSION, .header_bytes = (uint32_t)PREFIX_BYTES, .file_bytes = *size};
    memcpy(header.magic, MAGIC, sizeof header.magic);
    header.checksum = sn_hash(SN_HASH_SEED, file + sizeof header, *size - sizeof header);
    memcpy(file, &header, sizeof header);
    *bytes = file;
    return SN_OK;
}

static sn_result check_header(const char *name, const uint8_t *bytes, size_t size)
{
    file_header header;
    if (size < sizeof header || memcmp(bytes, MAGIC, sizeof header.magic) != 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 0: not a .sinew file", name);
    }
    memcpy(&header, bytes, sizeof header);
    if (header.version != SN_MODEL_VERSION) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: byte 8: format version %u, this program knows version %d: %s", name,
                       header.version, SN_MODEL_VERSION,
                       header.version > SN_MODEL_VERSION ? "update it" : "cook the model again");
    }
    if (header.file_bytes != size || header.header_bytes != PREFIX_BYTES || size < PREFIX_BYTES) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 16: the file should have %llu bytes and has %zu: cut or damaged",
                       name, (unsigned long long)header.file_bytes, size);
    }
    if (header.checksum != sn_hash(SN_HASH_SEED, bytes + sizeof header, size - sizeof header)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: byte 24: checksum mismatch: damaged", name);
    }
    return SN_OK;
}

static bool all_within(const int32_t *values, int64_t count, int32_t least, int32_t limit)
{
    for (int64_t i = 0; i < count; ++i) {
        if (values[i] < least || values[i] >= limit) {
            return false;
        }
    }
    return true;
}

/* As many strings as there should be, the last one closed. */
static bool are_names_sound(const char *names, int bytes, int count)
{
    int found = 0;
    for (int i = 0; i < bytes; ++i) {
        found += names[i] == '\0';
    }
    return found == count && (bytes == 0 || names[bytes - 1] == '\0');
}

/* Frames must add up. */
static bool clips_are_sound(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    int64_t frames = 0;
    for (int i = 0; i < c->clip_count; ++i) {
        if (model->clip_frame_counts[i] < 1 || !(model->clip_frame_rates[i] > 0) ||
            !isfinite(model->clip_frame_rates[i])) {
            return false;
        }
        frames += model->clip_frame_counts[i];
    }
    return frames == c->clip_frame_total && are_names_sound(model->clip_names, c->clip_name_bytes, c->clip_count);
}

/* starts: (count + 1), ascending from 0 to total. */
static bool are_starts_sound(const int32_t *starts, int count, int total)
{
    bool is_sound = starts[0] == 0 && starts[count] == total;
    for (int i = 0; i < count && is_sound; ++i) {
        is_sound = starts[i] <= starts[i + 1];
    }
    return is_sound;
}

static bool are_morphs_sound(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_sound = are_names_sound(model->morph_names, c->morph_name_bytes, c->morph_count) &&
                    all_within(model->morph_tracks, c->morph_track_count, 0, c->morph_count);
    if (is_sound && c->morph_count > 0) {
        is_sound = are_starts_sound(model->morph_starts, c->surface_vertex_count, c->morph_delta_count);
    }
    for (int i = 0; i < c->morph_delta_count && is_sound; ++i) {
        is_sound = all_within(&model->morph_deltas[i].morph, 1, 0, c->morph_count);
    }
    return is_sound;
}

static bool are_expressions_sound(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_sound = are_names_sound(model->expression_names, c->expression_name_bytes, c->expression_count);
    for (int i = 0; i < c->expression_count && is_sound; ++i) {
        const sn_expression *e = &model->expressions[i];
        is_sound =
            e->first_bind >= 0 && e->bind_count >= 0 && e->first_bind <= c->expression_bind_count - e->bind_count;
    }
    for (int i = 0; i < c->expression_bind_count && is_sound; ++i) {
        is_sound = all_within(&model->expression_binds[i].morph, 1, 0, c->morph_count);
    }
    return is_sound;
}

/* The drawn surface: every index in its range. */
static bool is_surface_sound(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_sound =
        all_within(model->surface_triangles, (int64_t)3 * c->surface_triangle_count, 0, c->surface_vertex_count) &&
        are_starts_sound(model->influence_starts, c->surface_vertex_count, c->influence_count);
    for (int i = 0; i < c->influence_count && is_sound; ++i) {
        is_sound = model->influences[i].bone >= 0 && model->influences[i].bone < c->bone_count;
    }
    is_sound =
        is_sound && all_within(model->sample_vertices, c->sample_count, 0, c->surface_vertex_count) &&
        all_within(model->sample_extremes, (int64_t)SN_SAMPLE_EXTREMES * c->sample_count, 0, c->surface_vertex_count);
    for (int i = 0; i < c->part_count && is_sound; ++i) {
        const sn_part *part = &model->parts[i];
        is_sound = part->first_triangle >= 0 && part->triangle_count >= 0 && part->material >= 0 &&
                   part->material < c->material_count &&
                   part->first_triangle <= c->surface_triangle_count - part->triangle_count;
    }
    return is_sound;
}

static bool are_textures_sound(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_sound = true;
    for (int i = 0; i < c->material_count && is_sound; ++i) {
        const sn_material *material = &model->materials[i];
        is_sound = all_within(material->textures, SN_TEXTURE_USE_COUNT, -1, c->texture_count) &&
                   all_within(material->uv_sets, SN_TEXTURE_USE_COUNT, 0, 2) &&
                   all_within(&material->alpha_mode, 1, 0, SN_ALPHA_MODE_COUNT);
    }
    for (int i = 0; i < c->texture_count && is_sound; ++i) {
        const sn_texture *texture = &model->textures[i];
        is_sound = texture->width > 0 && texture->height > 0 && texture->first_byte >= 0 &&
                   all_within(&texture->wrap_u, 1, 0, SN_WRAP_COUNT) &&
                   all_within(&texture->wrap_v, 1, 0, SN_WRAP_COUNT) &&
                   (int64_t)texture->width * texture->height <= ((int64_t)c->texture_bytes - texture->first_byte) / 4;
    }
    return is_sound;
}

/* What every solver may rely on; the rest of the counts follows from the size of the file. */
static sn_result check_counts(const char *name, const sn_model_counts *c)
{
    if (c->vertex_count < 1 || c->tet_count < 1 || c->bone_count < 1 || c->mode_count < 1 || c->cluster_count < 1 ||
        c->coordinate_count < 1 || c->coordinate_count > (int64_t)4 * c->mode_count ||
        c->cluster_count > c->tet_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the counts do not fit each other: damaged", name);
    }
    return SN_OK;
}

static sn_result check_contents(const char *name, const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    if (!all_within(model->tets, (int64_t)4 * c->tet_count, 0, c->vertex_count) ||
        !all_within(model->triangles, (int64_t)3 * c->triangle_count, 0, c->vertex_count) ||
        !all_within(model->tet_clusters, c->tet_count, 0, c->cluster_count) ||
        !all_within(model->bone_parents, c->bone_count, -1, c->bone_count) || !clips_are_sound(model) ||
        !is_surface_sound(model) || !are_textures_sound(model) || !are_morphs_sound(model) ||
        !are_expressions_sound(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: an index is out of range: damaged", name);
    }
    if (!(model->scale > 0) || !(model->diagonal > 0) || !isfinite(model->scale) || !isfinite(model->diagonal)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the scale is not positive: damaged", name);
    }
    return SN_OK;
}

static sn_result load_into(const char *file, sn_model *model, const uint8_t *bytes, size_t size)
{
    double scalars[SCALAR_TOTAL];
    memcpy(&model->counts, bytes + sizeof(file_header), sizeof model->counts);
    memcpy(scalars, bytes + sizeof(file_header) + COUNT_BYTES, sizeof scalars);
#define SN_SCALAR(name) model->name = scalars[SCALAR_##name];
    SN_MODEL_SCALARS(SN_SCALAR)
#undef SN_SCALAR
    const sn_model_counts *c = &model->counts;
#define SN_COUNT(name)                                                                                                 \
    if (c->name < 0) {                                                                                                 \
        return sn_fail(SN_ERROR_FORMAT, "%s: " #name " is negative: damaged", file);                                   \
    }
    SN_MODEL_COUNTS(SN_COUNT)
#undef SN_COUNT
    if (lay_out(model, bytes) != size) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the counts do not match the size: damaged", file);
    }
    const sn_result result = check_counts(file, c);
    return result == SN_OK ? check_contents(file, model) : result;
}

sn_result sn_model_load(const void *bytes, size_t size, sn_model **model)
{
    return sn_model_load_named("model", bytes, size, model);
}

sn_result sn_model_load_named(const char *name, const void *bytes, size_t size, sn_model **model)
{
    *model = NULL;
    SN_ASSERT(((uintptr_t)bytes & 7) == 0);
    sn_result result = check_header(name, bytes, size);
    if (result != SN_OK) {
        return result;
    }
    sn_model *loaded = sn_alloc(1, sizeof *loaded);
    if (!loaded) {
        return SN_ERROR_MEMORY;
    }
    result = load_into(name, loaded, bytes, size);
    if (result != SN_OK) {
        sn_model_release(loaded);
        return result;
    }
    *model = loaded;
    return SN_OK;
}

static sn_result map_file(const char *path, void **mapping, size_t *size)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    sn_result result = SN_OK;
    *mapping = MAP_FAILED;
    if (file < 0 || fstat(file, &status) != 0) {
        result = sn_fail(SN_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: byte 0: not a .sinew file", path);
    } else {
        *size = (size_t)status.st_size;
        *mapping = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
        if (*mapping == MAP_FAILED) {
            result = sn_fail(SN_ERROR_FILE, "%s: cannot map: %s", path, strerror(errno));
        }
    }
    if (file >= 0) {
        close(file);
    }
    return result;
}

sn_result sn_model_open(const char *path, sn_model **model)
{
    void *mapping = NULL;
    size_t size = 0;
    *model = NULL;
    sn_result result = map_file(path, &mapping, &size);
    if (result != SN_OK) {
        return result;
    }
    result = sn_model_load_named(path, mapping, size, model);
    if (result != SN_OK) {
        munmap(mapping, size);
        return result;
    }
    (*model)->mapping = mapping;
    (*model)->mapping_size = size;
    return SN_OK;
}

void sn_model_release(sn_model *model)
{
    if (model && model->mapping) {
        munmap(model->mapping, model->mapping_size);
    }
    sn_free(model, 1, sizeof *model);
}

int sn_model_vertex_count(const sn_model *model)
{
    return model->counts.vertex_count;
}

int sn_model_tet_count(const sn_model *model)
{
    return model->counts.tet_count;
}

int sn_model_bone_count(const sn_model *model)
{
    return model->counts.bone_count;
}

int sn_model_mode_count(const sn_model *model)
{
    return model->counts.mode_count;
}

int sn_model_cluster_count(const sn_model *model)
{
    return model->counts.cluster_count;
}

int sn_model_clip_count(const sn_model *model)
{
    return model->counts.clip_count;
}

/* One of `count` names that follow each other; null for an index out of range. */
static const char *name_at(const char *names, int count, int index)
{
    if (index < 0 || index >= count) {
        return NULL;
    }
    for (int i = 0; i < index; ++i) {
        names += strlen(names) + 1;
    }
    return names;
}

const char *sn_model_clip_name(const sn_model *model, int clip)
{
    return name_at(model->clip_names, model->counts.clip_count, clip);
}

double sn_model_clip_seconds(const sn_model *model, int clip)
{
    if (clip < 0 || clip >= model->counts.clip_count) {
        return 0;
    }
    return (model->clip_frame_counts[clip] - 1) / model->clip_frame_rates[clip];
}

sn_skin_mesh sn_model_skin(const sn_model *model)
{
    return (sn_skin_mesh){.vertex_count = model->counts.surface_vertex_count,
                          .mode_count = model->counts.mode_count,
                          .diagonal = model->diagonal,
                          .positions = model->surface_positions,
                          .normals = model->surface_normals,
                          .tangents = model->surface_tangents,
                          .influence_starts = model->influence_starts,
                          .influences = model->influences,
                          .modes = model->surface_modes,
                          .morph_count = model->counts.morph_count,
                          .morph_starts = model->morph_starts,
                          .morph_deltas = model->morph_deltas};
}

bool sn_model_is_vertex_rigid(const sn_model *model, size_t vertex)
{
    const size_t modes = (size_t)model->counts.mode_count;
    for (size_t j = 0; j < modes; ++j) {
        if (model->surface_modes[vertex * modes + j].weight != 0) {
            return false;
        }
    }
    return true;
}

int sn_model_clip_start(const sn_model *model, int clip)
{
    int start = 0;
    for (int i = 0; i < clip; ++i) {
        start += model->clip_frame_counts[i];
    }
    return start;
}

int sn_model_find_clip(const sn_model *model, const char *name)
{
    for (int i = 0; i < model->counts.clip_count; ++i) {
        if (strcmp(sn_model_clip_name(model, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Between two frames of a clip, numbered over all clips. */
typedef struct clip_place {
    size_t from, to;
    double fraction;
} clip_place;

static clip_place find_place(const sn_model *model, int clip, double seconds)
{
    const int frame_count = model->clip_frame_counts[clip];
    const double period = sn_model_clip_seconds(model, clip);
    double time = period > 0 && isfinite(seconds) ? fmod(seconds, period) : 0;
    time += time < 0 ? period : 0;
    /* a hair of slack, so that sampling at the frame rate meets the frames themselves */
    const double position = time * model->clip_frame_rates[clip] + 1e-9;
    const int frame = (int)position < frame_count - 1 ? (int)position : frame_count - 1;
    const int next = frame + 1 < frame_count ? frame + 1 : frame;
    const size_t start = (size_t)sn_model_clip_start(model, clip);
    return (clip_place){start + (size_t)frame, start + (size_t)next, fmax(position - frame - 1e-9, 0)};
}

/* Entry i of a table with a row of `width` a frame. */
static double blend_rows(const float *rows, size_t width, const clip_place *place, size_t i)
{
    const double a = (double)rows[place->from * width + i], b = (double)rows[place->to * width + i];
    return a + place->fraction * (b - a);
}

void sn_model_sample_clip(const sn_model *model, int clip, double seconds, double *pose)
{
    const clip_place place = find_place(model, clip, seconds);
    const size_t width = 12 * (size_t)model->counts.bone_count;
    for (size_t i = 0; i < width; ++i) {
        pose[i] = blend_rows(model->clip_transforms, width, &place, i);
    }
}

void sn_model_clip_pose(const sn_model *model, int clip, double seconds, sn_mat3x4 *bones, int count)
{
    SN_ASSERT(clip >= 0 && clip < model->counts.clip_count && count == model->counts.bone_count);
    const clip_place place = find_place(model, clip, seconds);
    const size_t width = 12 * (size_t)count;
    for (size_t i = 0; i < width; ++i) {
        bones[i / 12].m[i % 12 / 4][i % 4] = (float)blend_rows(model->clip_transforms, width, &place, i);
    }
}

/* ---- morph targets ---- */

int sn_model_morph_count(const sn_model *model)
{
    return model->counts.morph_count;
}

const char *sn_model_morph_name(const sn_model *model, int morph)
{
    return name_at(model->morph_names, model->counts.morph_count, morph);
}

void sn_model_rest_morphs(const sn_model *model, float *weights, int count)
{
    SN_ASSERT(count == model->counts.morph_count);
    for (int m = 0; m < count; ++m) {
        weights[m] = model->morph_rest[m];
    }
}

void sn_model_clip_morphs(const sn_model *model, int clip, double seconds, float *weights, int count)
{
    SN_ASSERT(clip >= 0 && clip < model->counts.clip_count);
    const clip_place place = find_place(model, clip, seconds);
    const size_t width = (size_t)model->counts.morph_track_count;
    sn_model_rest_morphs(model, weights, count);
    for (size_t i = 0; i < width; ++i) {
        weights[model->morph_tracks[i]] = (float)blend_rows(model->clip_morphs, width, &place, i);
    }
}

int sn_model_expression_count(const sn_model *model)
{
    return model->counts.expression_count;
}

const char *sn_model_expression_name(const sn_model *model, int expression)
{
    return name_at(model->expression_names, model->counts.expression_count, expression);
}

void sn_model_add_expression(const sn_model *model, int expression, float value, float *weights, int count)
{
    SN_ASSERT(expression >= 0 && expression < model->counts.expression_count && count == model->counts.morph_count);
    const sn_expression *e = &model->expressions[expression];
    const float share = e->is_binary ? (value > 0.5F ? 1.0F : 0.0F) : value;
    for (int i = e->first_bind; i < e->first_bind + e->bind_count; ++i) {
        weights[model->expression_binds[i].morph] += share * model->expression_binds[i].weight;
    }
}
