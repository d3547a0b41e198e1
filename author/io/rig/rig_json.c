/* SPDX-License-Identifier: MIT */
/* Reads rigs and clips in the JSON format of fast-complementary-dynamics with jansson. Arrays are nested lists, whose
 * shapes are checked level by level before memory is allocated, so that memory is bounded by the file's size. Error
 * messages name the JSON path. */
#include "author/io/json_load.h"
#include "author/io/rig/rig_file.h"
#include "author/io/rig/rig_handles.h"
#include "author/io/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_RANK 4
#define MAX_PATH_CHARS 128
/* Lower bound of |det| / (product of column lengths), which is 1 for a scaled rotation and 0 for a singular matrix. */
#define MIN_BIND_DETERMINANT_RATIO 1e-9

/* A member whose value is a nested list of a known shape. */
typedef struct tensor {
    const char *file;
    const char *member;
    const json_t *root;
    int rank;
    size_t shape[MAX_RANK];
} tensor;

/* The indices of entry `linear` of the first `depth` levels, in C order. */
static void split_index(const tensor *t, size_t linear, int depth, size_t *index)
{
    for (int k = depth - 1; k >= 0; k--) {
        index[k] = linear % t->shape[k];
        linear /= t->shape[k];
    }
}

static const json_t *value_at(const tensor *t, size_t linear, int depth)
{
    size_t index[MAX_RANK];
    const json_t *value = t->root;
    split_index(t, linear, depth, index);
    for (int k = 0; k < depth; k++) {
        value = json_array_get(value, index[k]);
    }
    return value;
}

/* Logs "FILE: W[17][2]: cause". */
static sn_result fail_at(const tensor *t, size_t linear, int depth, const char *cause)
{
    char path[MAX_PATH_CHARS] = "";
    size_t index[MAX_RANK];
    split_index(t, linear, depth, index);
    int length = snprintf(path, sizeof path, "%s", t->member);
    for (int k = 0; k < depth; k++) {
        length += snprintf(path + length, sizeof path - (size_t)length, "[%zu]", index[k]);
    }
    return sn_fail(SN_ERROR_FORMAT, "%s: %s: %s", t->file, path, cause);
}

static sn_result check_level(const tensor *t, int depth, size_t count)
{
    char cause[96];
    for (size_t i = 0; i < count; i++) {
        const json_t *value = value_at(t, i, depth);
        if (!json_is_array(value)) {
            return fail_at(t, i, depth, "is not an array");
        }
        if (json_array_size(value) != t->shape[depth]) {
            snprintf(cause, sizeof cause, "has %zu entries instead of %zu", json_array_size(value), t->shape[depth]);
            return fail_at(t, i, depth, cause);
        }
    }
    return SN_OK;
}

/* Checks the shape level by level, so that the number of visited entries never exceeds the file's. Returns the entry
 * count. */
static sn_result check_shape(const tensor *t, size_t *count)
{
    *count = 1;
    for (int depth = 0; depth < t->rank; depth++) {
        const sn_result result = check_level(t, depth, *count);
        if (result != SN_OK) {
            return result;
        }
        *count *= t->shape[depth];
    }
    return SN_OK;
}

/* Checks the shape and reads the values; *values is null on failure. */
static sn_result read_doubles(const tensor *t, sn_arena *arena, double **values)
{
    size_t count = 0;
    const sn_result result = check_shape(t, &count);
    if (result != SN_OK) {
        return result;
    }
    *values = SN_NEW(arena, double, count);
    if (!*values) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *value = value_at(t, i, t->rank);
        if (!json_is_number(value)) {
            return fail_at(t, i, t->rank, "is not a number");
        }
        (*values)[i] = json_number_value(value);
        if (!(fabs((*values)[i]) <= (double)FLT_MAX)) {
            return fail_at(t, i, t->rank, "exceeds the range of a float");
        }
    }
    return SN_OK;
}

/* Finds `member`, a non-empty array, and its length. */
static sn_result find_array(const char *file, const json_t *root, const char *member, tensor *t, int *count)
{
    *t = (tensor){.file = file, .member = member, .root = json_object_get(root, member)};
    if (!t->root) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %s: is missing", file, member);
    }
    if (!json_is_array(t->root)) {
        return fail_at(t, 0, 0, "is not an array");
    }
    const size_t size = json_array_size(t->root);
    if (size == 0 || size > INT32_MAX) {
        return fail_at(t, 0, 0, size == 0 ? "is empty" : "is too long");
    }
    t->rank = 1;
    t->shape[0] = size;
    *count = (int)size;
    return SN_OK;
}

/* Reads a member of known shape; shape[2] = 0 means two levels. */
static sn_result read_member(const char *file, const json_t *root, const char *member, const size_t shape[3],
                             sn_arena *arena, double **values)
{
    tensor t;
    int count = 0;
    const sn_result result = find_array(file, root, member, &t, &count);
    if (result != SN_OK) {
        return result;
    }
    t.rank = shape[2] > 0 ? 3 : 2;
    memcpy(t.shape, shape, 3 * sizeof *shape);
    return read_doubles(&t, arena, values);
}

static sn_result read_type(const char *file, const json_t *root, sn_rig_file *rig)
{
    const char *type = json_string_value(json_object_get(root, "rig_type"));
    if (!json_object_get(root, "rig_type")) {
        return sn_fail(SN_ERROR_FORMAT, "%s: document: must have handles or a rig_type", file);
    }
    rig->is_volume = type && strcmp(type, "volume") == 0;
    if (!rig->is_volume && (!type || strcmp(type, "surface") != 0)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: rig_type: must be \"surface\" or \"volume\"", file);
    }
    return SN_OK;
}

static sn_result read_positions(const char *file, const json_t *root, sn_arena *arena, sn_rig_file *rig)
{
    tensor t;
    const sn_result result = find_array(file, root, "V", &t, &rig->vertex_count);
    if (result != SN_OK) {
        return result;
    }
    t.rank = 2;
    t.shape[1] = 3;
    return read_doubles(&t, arena, &rig->positions);
}

/* All faces have 3 or all have 4 corners, as the first one has. */
static sn_result read_faces(const char *file, const json_t *root, sn_arena *arena, sn_rig_file *rig)
{
    tensor t;
    sn_result result = find_array(file, root, "F", &t, &rig->face_count);
    if (result != SN_OK) {
        return result;
    }
    size_t count = 0;
    t.rank = 2;
    t.shape[1] = json_array_size(json_array_get(t.root, 0)) == 4 ? 4 : 3;
    rig->corner_count = (int)t.shape[1];
    result = check_shape(&t, &count);
    if (result != SN_OK) {
        return result;
    }
    rig->faces = SN_NEW(arena, int32_t, count);
    for (size_t i = 0; rig->faces && i < count; i++) {
        const json_t *value = value_at(&t, i, 2);
        const json_int_t vertex = json_integer_value(value);
        if (!json_is_integer(value) || vertex < 0 || vertex >= rig->vertex_count) {
            return fail_at(&t, i, 2, "is not the index of a vertex");
        }
        rig->faces[i] = (int32_t)vertex;
    }
    return rig->faces ? SN_OK : SN_ERROR_MEMORY;
}

/* Fails if a bone is its own ancestor. Each bone is visited once, in linear time. */
static sn_result check_cycles(const tensor *t, sn_arena *scratch, const sn_rig_file *rig)
{
    int32_t *visitor = SN_NEW(scratch, int32_t, rig->bone_count); /* 1 + the bone whose walk visited it first */
    if (!visitor) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t start = 0; start < rig->bone_count; start++) {
        int32_t bone = start;
        while (bone >= 0 && visitor[bone] == 0) {
            visitor[bone] = start + 1;
            bone = rig->parents[bone];
        }
        if (bone >= 0 && visitor[bone] == start + 1) {
            return fail_at(t, (size_t)bone, 1, "the bone is its own ancestor");
        }
    }
    return SN_OK;
}

static sn_result read_parents(const char *file, const json_t *root, sn_arena *arena, sn_rig_file *rig)
{
    tensor t;
    sn_result result = find_array(file, root, "pI", &t, &rig->bone_count);
    if (result != SN_OK) {
        return result;
    }
    rig->parents = SN_NEW(arena, int32_t, rig->bone_count);
    for (int i = 0; rig->parents && i < rig->bone_count; i++) {
        const json_t *value = json_array_get(t.root, (size_t)i);
        const json_int_t parent = json_integer_value(value);
        if (!json_is_integer(value)) {
            return fail_at(&t, (size_t)i, 1, "is not an integer");
        }
        const bool is_bone = parent >= 0 && parent < rig->bone_count;
        if (!is_bone && parent != -1) {
            sn_log(SN_LOG_WARNING, "%s: pI[%d]: the parent %lld of %d bones does not exist; the bone becomes a root",
                   file, i, (long long)parent, rig->bone_count);
        }
        rig->parents[i] = is_bone ? (int32_t)parent : -1;
    }
    if (!rig->parents) {
        return SN_ERROR_MEMORY;
    }
    sn_arena scratch = {0};
    result = check_cycles(&t, &scratch, rig);
    sn_arena_finish(&scratch);
    return result;
}

static sn_result check_row(const char *prefix, int vertex, int bone_count, const double *row)
{
    double sum = 0;
    for (int b = 0; b < bone_count; b++) {
        if (!(row[b] >= 0)) {
            return sn_fail(SN_ERROR_FORMAT, "%s[%d][%d]: the weight is %s: %g", prefix, vertex, b,
                           isnan(row[b]) ? "not a number" : "negative", row[b]);
        }
        sum += row[b];
    }
    if (!(sum > 0) || !isfinite(sum)) {
        return sn_fail(SN_ERROR_FORMAT, "%s[%d]: the weights of the vertex sum to %g", prefix, vertex, sum);
    }
    return SN_OK;
}

sn_result sn_rig_weights_check(const char *prefix, int vertex_count, int bone_count, const double *weights)
{
    for (int i = 0; i < vertex_count; i++) {
        SN_TRY(check_row(prefix, i, bone_count, weights + (size_t)i * (size_t)bone_count));
    }
    return SN_OK;
}

static sn_result read_weights(const char *file, const json_t *root, const char *member, sn_arena *arena,
                              sn_rig_file *rig)
{
    const size_t shape[3] = {(size_t)rig->vertex_count, (size_t)rig->bone_count, 0};
    char prefix[1024];
    const sn_result result = read_member(file, root, member, shape, arena, &rig->weights);
    snprintf(prefix, sizeof prefix, "%s: %s", file, member);
    return result == SN_OK ? sn_rig_weights_check(prefix, rig->vertex_count, rig->bone_count, rig->weights) : result;
}

/* Transposes 4 x 3 to 3 x 4, in place. */
static void transpose_bind(double *bind)
{
    double transposed[12];
    for (int k = 0; k < 12; k++) {
        transposed[k] = bind[k % 4 * 3 + k / 4];
    }
    memcpy(bind, transposed, sizeof transposed);
}

/* Whether the linear part is singular, independent of the unit of length. Overflow to infinity or NaN counts as
 * singular. */
static bool is_singular(const double *m)
{
    const double det =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    double lengths = 1;
    for (int k = 0; k < 3; k++) {
        lengths *= sqrt(m[k] * m[k] + m[k + 4] * m[k + 4] + m[k + 8] * m[k + 8]);
    }
    return !(fabs(det) > MIN_BIND_DETERMINANT_RATIO * lengths);
}

static sn_result read_bind(const char *file, const json_t *root, sn_arena *arena, sn_rig_file *rig)
{
    const size_t shape[3] = {(size_t)rig->bone_count, rig->is_volume ? 4 : 3, rig->is_volume ? 3 : 4};
    const sn_result result = read_member(file, root, "p0", shape, arena, &rig->bind);
    if (result != SN_OK) {
        return result;
    }
    for (int b = 0; b < rig->bone_count; b++) {
        double *bind = rig->bind + (size_t)b * 12;
        if (rig->is_volume) {
            transpose_bind(bind);
        }
        if (is_singular(bind)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: p0[%d]: the transform is singular", file, b);
        }
    }
    return SN_OK;
}

static sn_result read_rig(const char *file, const json_t *root, sn_arena *arena, sn_rig_file *rig)
{
    SN_TRY(read_type(file, root, rig));
    SN_TRY(read_positions(file, root, arena, rig));
    SN_TRY(read_faces(file, root, arena, rig));
    SN_TRY(read_parents(file, root, arena, rig));
    SN_TRY(read_weights(file, root, "W", arena, rig));
    return read_bind(file, root, arena, rig);
}

/* The weights are a list of rows, or the path of an array. */
static sn_result read_handle_weights(const char *file, const json_t *root, sn_arena *arena, sn_rig_file *rig)
{
    const json_t *value = json_object_get(root, "weights");
    tensor t;
    if (json_is_string(value)) {
        const size_t size = json_string_length(value) + 1;
        char *path = SN_NEW(arena, char, size);
        rig->weights_path = path;
        return path ? (memcpy(path, json_string_value(value), size), SN_OK) : SN_ERROR_MEMORY;
    }
    SN_TRY(find_array(file, root, "weights", &t, &rig->vertex_count));
    return read_weights(file, root, "weights", arena, rig);
}

/* Other members are rejected, since they are probably misspelled. */
static sn_result read_handle_rig(const char *file, json_t *root, sn_arena *arena, sn_rig_file *rig)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(root, key, value)
    {
        if (strcmp(key, "handles") != 0 && strcmp(key, "weights") != 0) {
            char printable[MAX_PATH_CHARS];
            sn_text_printable(key, strlen(key), printable, sizeof printable);
            return sn_fail(SN_ERROR_FORMAT, "%s: %s: is an unknown key of a rig of handles", file, printable);
        }
    }
    const sn_result result = sn_rig_handles_read(file, json_object_get(root, "handles"), arena, &rig->handles);
    rig->bone_count = rig->handles.bone_count;
    return result == SN_OK && json_object_get(root, "weights") ? read_handle_weights(file, root, arena, rig) : result;
}

sn_result sn_rig_read(const sn_source *source, sn_arena *arena, sn_rig_file *rig)
{
    SN_ASSERT(source && arena && rig);
    json_t *root = NULL;
    sn_rig_file read = {0};
    sn_result result = sn_json_load(source, JSON_REJECT_DUPLICATES, &root);
    if (result == SN_OK && json_object_get(root, "handles")) {
        result = read_handle_rig(source->name, root, arena, &read);
    } else if (result == SN_OK) {
        result = read_rig(source->name, root, arena, &read);
    }
    if (result == SN_OK) {
        *rig = read;
    }
    json_decref(root);
    return result;
}

static sn_result read_clip(const char *file, const json_t *root, int bone_count, sn_arena *arena, sn_clip_file *clip)
{
    tensor t;
    const sn_result result = find_array(file, root, "P", &t, &clip->frame_count);
    if (result != SN_OK) {
        return result;
    }
    t.rank = 4;
    t.shape[1] = (size_t)bone_count;
    t.shape[2] = 3;
    t.shape[3] = 4;
    clip->bone_count = bone_count;
    return read_doubles(&t, arena, &clip->transforms);
}

sn_result sn_clip_read(const sn_source *source, int bone_count, sn_arena *arena, sn_clip_file *clip)
{
    SN_ASSERT(source && bone_count > 0 && arena && clip);
    json_t *root = NULL;
    sn_clip_file read = {0};
    sn_result result = sn_json_load(source, JSON_REJECT_DUPLICATES, &root);
    if (result == SN_OK) {
        result = read_clip(source->name, root, bone_count, arena, &read);
    }
    if (result == SN_OK) {
        *clip = read;
    }
    json_decref(root);
    return result;
}
