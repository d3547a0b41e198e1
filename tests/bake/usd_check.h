/* SPDX-License-Identifier: MIT */
/* A strict reader of the USD text that a bake may be: its grammar, and of every prim's type which properties there are,
 * their types, whether they are uniform and how many values they have. Whatever is not listed is a failure. */
#ifndef SN_TESTS_BAKE_USD_CHECK_H
#define SN_TESTS_BAKE_USD_CHECK_H

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define USD_PATHS 1024
#define USD_TEXT 512

typedef struct usd_property {
    const char *prim, *type, *name;
    int width; /* numbers an element; 0: no numbers */
} usd_property;

/* A name that ends in '*' may go on. */
static const usd_property usd_properties[] = {
    {"Skeleton", "uniform token[]", "joints", 0},
    {"Skeleton", "uniform matrix4d[]", "bindTransforms", 16},
    {"Skeleton", "uniform matrix4d[]", "restTransforms", 16},
    {"Skeleton", "rel", "skel:animationSource", 0},
    {"SkelAnimation", "uniform token[]", "joints", 0},
    {"SkelAnimation", "float3[]", "translations", 3},
    {"SkelAnimation", "quatf[]", "rotations", 4},
    {"SkelAnimation", "half3[]", "scales", 3},
    {"SkelAnimation", "uniform token[]", "blendShapes", 0},
    {"SkelAnimation", "float[]", "blendShapeWeights", 1},
    {"Mesh", "uniform bool", "doubleSided", 1},
    {"Mesh", "rel", "material:binding", 0},
    {"Mesh", "int[]", "faceVertexCounts", 1},
    {"Mesh", "int[]", "faceVertexIndices", 1},
    {"Mesh", "float3[]", "extent", 3},
    {"Mesh", "point3f[]", "points", 3},
    {"Mesh", "normal3f[]", "normals", 3},
    {"Mesh", "texCoord2f[]", "primvars:st*", 2},
    {"Mesh", "color3f[]", "primvars:displayColor", 3},
    {"Mesh", "uniform token", "subdivisionScheme", 0},
    {"Mesh", "int[]", "primvars:skel:jointIndices", 1},
    {"Mesh", "float[]", "primvars:skel:jointWeights", 1},
    {"Mesh", "matrix4d", "primvars:skel:geomBindTransform", 16},
    {"Mesh", "rel", "skel:skeleton", 0},
    {"Mesh", "uniform token[]", "skel:blendShapes", 0},
    {"Mesh", "rel", "skel:blendShapeTargets", 0},
    {"BlendShape", "uniform vector3f[]", "offsets", 3},
    {"BlendShape", "uniform vector3f[]", "normalOffsets", 3},
    {"BlendShape", "uniform int[]", "pointIndices", 1},
    {"Material", "token", "outputs:surface", 0},
    {"Shader", "uniform token", "info:id", 0},
    {"Shader", "asset", "inputs:file", 0},
    {"Shader", "float2", "inputs:st", 2},
    {"Shader", "token", "inputs:wrap*", 0},
    {"Shader", "token", "inputs:sourceColorSpace", 0},
    {"Shader", "float4", "inputs:scale", 4},
    {"Shader", "float4", "inputs:bias", 4},
    {"Shader", "string", "inputs:varname", 0},
    {"Shader", "color3f", "inputs:diffuseColor", 3},
    {"Shader", "color3f", "inputs:emissiveColor", 3},
    {"Shader", "normal3f", "inputs:normal", 3},
    {"Shader", "float", "inputs:metallic", 1},
    {"Shader", "float", "inputs:roughness", 1},
    {"Shader", "float", "inputs:occlusion", 1},
    {"Shader", "float", "inputs:opacity*", 1},
    {"Shader", "float3", "outputs:rgb", 3},
    {"Shader", "float2", "outputs:result", 2},
    {"Shader", "float", "outputs:r", 1},
    {"Shader", "float", "outputs:g", 1},
    {"Shader", "float", "outputs:b", 1},
    {"Shader", "float", "outputs:a", 1},
    {"Shader", "token", "outputs:surface", 0},
};

/* What one prim has said of itself. */
typedef struct usd_prim {
    char type[32], path[USD_TEXT];
    int joints, bind, rest, translations, rotations, scales, shapes, weights, samples;
    int points, normals, corners, faces, element_size, influences, influence_weights, shape_targets;
    int offsets, normal_offsets, indices;
    double most_corner, most_joint, corner_sum;
} usd_prim;

typedef struct usd_checker {
    const char *text, *at;
    char paths[USD_PATHS][USD_TEXT], targets[USD_PATHS][USD_TEXT];
    int path_count, target_count, prim_count;
    usd_prim skeleton, animation; /* the last met */
    double largest_joint;         /* of all meshes */
    int mesh_count, mesh_shapes;
} usd_checker;

static inline void usd_fail(const usd_checker *c, const char *what)
{
    int line = 1;
    for (const char *p = c->text; p < c->at; ++p) {
        line += *p == '\n';
    }
    fail_msg("line %d: %s: %.60s", line, what, c->at);
}

static inline void usd_space(usd_checker *c)
{
    while (isspace((unsigned char)*c->at)) {
        ++c->at;
    }
}

static inline bool usd_take(usd_checker *c, const char *word)
{
    usd_space(c);
    const size_t size = strlen(word);
    if (strncmp(c->at, word, size) != 0 ||
        (isalnum((unsigned char)word[size - 1]) && isalnum((unsigned char)c->at[size]))) {
        return false;
    }
    c->at += size;
    return true;
}

static inline void usd_need(usd_checker *c, const char *word)
{
    if (!usd_take(c, word)) {
        usd_fail(c, word);
    }
}

/* Up to one of `ends`, which stays. */
static inline void usd_word(usd_checker *c, const char *ends, char word[USD_TEXT])
{
    usd_space(c);
    const size_t size = strcspn(c->at, ends);
    if (size == 0 || size >= USD_TEXT) {
        usd_fail(c, "a word");
    }
    memcpy(word, c->at, size);
    word[size] = '\0';
    c->at += size;
}

typedef struct usd_value {
    int count;   /* elements of the array; 1: none */
    int numbers; /* of all */
    double most, least, sum;
} usd_value;

/* Numbers, strings, paths, assets, tuples and arrays. */
static inline void usd_read_value(usd_checker *c, int depth, usd_value *v)
{
    usd_space(c);
    if (*c->at == '[' || *c->at == '(') {
        const char *end = *c->at++ == '[' ? "]" : ")";
        for (bool is_first = true; !usd_take(c, end); is_first = false) {
            if (!is_first) {
                usd_need(c, ",");
            }
            v->count += depth == 0 && *end == ']';
            usd_read_value(c, depth + 1, v);
        }
        return;
    }
    const char close = *c->at == '"' ? '"' : *c->at == '<' ? '>' : *c->at == '@' ? '@' : '\0';
    if (close) {
        const char *end = strchr(c->at + 1, close);
        if (!end || memchr(c->at, '\n', (size_t)(end - c->at))) {
            usd_fail(c, "open to the end of the line");
        }
        if (close == '>') {
            assert_true(c->target_count < USD_PATHS);
            snprintf(c->targets[c->target_count++], USD_TEXT, "%.*s", (int)(end - c->at - 1), c->at + 1);
        }
        c->at = end + 1;
        return;
    }
    char *end;
    const double number = strtod(c->at, &end);
    if (end == c->at || !(number - number == 0)) {
        usd_fail(c, "a finite number");
    }
    v->most = v->numbers == 0 || number > v->most ? number : v->most;
    v->least = v->numbers == 0 || number < v->least ? number : v->least;
    v->sum += number;
    ++v->numbers;
    c->at = end;
}

static inline const usd_property *usd_find(const char *prim, const char *type, const char *name)
{
    for (size_t i = 0; i < sizeof usd_properties / sizeof usd_properties[0]; ++i) {
        const usd_property *p = &usd_properties[i];
        const size_t size = strlen(p->name);
        const bool is_name =
            p->name[size - 1] == '*' ? strncmp(name, p->name, size - 1) == 0 : strcmp(name, p->name) == 0;
        if (is_name && strcmp(prim, p->prim) == 0 && strcmp(type, p->type) == 0) {
            return p;
        }
    }
    return NULL;
}

static inline void usd_note(usd_prim *prim, const char *name, const usd_value *v)
{
    const struct {
        const char *name;
        int *count;
    } counts[] = {{"joints", &prim->joints},
                  {"bindTransforms", &prim->bind},
                  {"restTransforms", &prim->rest},
                  {"translations", &prim->translations},
                  {"rotations", &prim->rotations},
                  {"scales", &prim->scales},
                  {"blendShapes", &prim->shapes},
                  {"skel:blendShapes", &prim->shapes},
                  {"blendShapeWeights", &prim->weights},
                  {"skel:blendShapeTargets", &prim->shape_targets},
                  {"points", &prim->points},
                  {"normals", &prim->normals},
                  {"faceVertexIndices", &prim->corners},
                  {"faceVertexCounts", &prim->faces},
                  {"primvars:skel:jointIndices", &prim->influences},
                  {"primvars:skel:jointWeights", &prim->influence_weights},
                  {"offsets", &prim->offsets},
                  {"normalOffsets", &prim->normal_offsets},
                  {"pointIndices", &prim->indices}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        if (strcmp(name, counts[i].name) == 0) {
            *counts[i].count = v->count;
        }
    }
    prim->most_corner = strcmp(name, "faceVertexIndices") == 0 ? v->most : prim->most_corner;
    prim->corner_sum = strcmp(name, "faceVertexCounts") == 0 ? v->sum : prim->corner_sum;
    prim->most_joint = strcmp(name, "primvars:skel:jointIndices") == 0 ? v->most : prim->most_joint;
    if (strcmp(name, "primvars:skel:jointWeights") == 0) {
        assert_true(v->least >= 0);
        assert_true(v->sum > prim->points * 0.999 && v->sum < prim->points * 1.001);
    }
}

static inline void usd_read_metadata(usd_checker *c, usd_prim *prim)
{
    if (!usd_take(c, "(")) {
        return;
    }
    while (!usd_take(c, ")")) {
        char key[USD_TEXT];
        usd_value v = {0};
        usd_take(c, "prepend ");
        usd_word(c, " =", key);
        usd_need(c, "=");
        usd_read_value(c, 0, &v);
        if (prim && strcmp(key, "elementSize") == 0) {
            prim->element_size = (int)v.most;
        }
    }
}

static inline void usd_read_samples(usd_checker *c, const usd_property *p, int count)
{
    double before = -1;
    usd_need(c, "{");
    while (!usd_take(c, "}")) {
        usd_value time = {0}, v = {0};
        usd_read_value(c, 0, &time);
        usd_need(c, ":");
        usd_read_value(c, 0, &v);
        usd_need(c, ",");
        assert_true(time.most > before && v.count == count && v.numbers == count * p->width);
        before = time.most;
    }
    assert_true(before >= 0);
}

static inline void usd_read_property(usd_checker *c, usd_prim *prim)
{
    char type[USD_TEXT] = "", name[USD_TEXT], word[USD_TEXT];
    usd_value v = {0};
    usd_word(c, " \n", word);
    snprintf(type, sizeof type, "%s", word);
    if (strcmp(word, "uniform") == 0) {
        usd_word(c, " \n", word);
        snprintf(type, sizeof type, "uniform %.400s", word);
    }
    usd_word(c, " \n", name);
    char *dot = strchr(name, '.');
    const char *suffix = dot ? dot + 1 : "";
    if (dot) {
        *dot = '\0';
    }
    const usd_property *p = usd_find(prim->type, type, name);
    if (!p) {
        fail_msg("%s: no '%s %s'", prim->path, type, name);
    }
    if (!usd_take(c, "=")) {
        assert_true(strncmp(name, "outputs:", 8) == 0); /* declared alone */
        return;
    }
    if (strcmp(suffix, "timeSamples") == 0) {
        assert_string_equal(prim->type, "SkelAnimation");
        ++prim->samples;
        usd_read_samples(c, p, strcmp(name, "blendShapeWeights") == 0 ? prim->shapes : prim->joints);
        return;
    }
    assert_true(*suffix == '\0' || strcmp(suffix, "connect") == 0);
    usd_read_value(c, 0, &v);
    if (*suffix == '\0' && p->width > 0) {
        const bool is_array = strstr(type, "[]") != NULL;
        assert_int_equal(v.numbers, (is_array ? v.count : 1) * p->width);
    }
    usd_read_metadata(c, prim);
    usd_note(prim, name, &v);
}

static inline void usd_judge(usd_checker *c, const usd_prim *p)
{
    if (strcmp(p->type, "Skeleton") == 0) {
        assert_true(p->joints > 0 && p->bind == p->joints && p->rest == p->joints);
        c->skeleton = *p;
    } else if (strcmp(p->type, "SkelAnimation") == 0) {
        assert_true(p->joints > 0 && p->translations == p->joints && p->rotations == p->joints);
        assert_true(p->scales == p->joints && p->weights == p->shapes && p->samples > 0);
        c->animation = *p;
    } else if (strcmp(p->type, "Mesh") == 0) {
        assert_true(p->points > 0 && p->normals == p->points && p->faces > 0);
        assert_true(p->corner_sum == p->corners && p->most_corner < p->points);
        assert_true(p->element_size >= 4 && p->influences == p->points * p->element_size);
        assert_true(p->influence_weights == p->influences && p->shape_targets == p->shapes);
        c->largest_joint = p->most_joint > c->largest_joint ? p->most_joint : c->largest_joint;
        c->mesh_shapes = p->shapes > c->mesh_shapes ? p->shapes : c->mesh_shapes;
        ++c->mesh_count;
    } else if (strcmp(p->type, "BlendShape") == 0) {
        assert_true(p->offsets > 0 && p->offsets == p->indices &&
                    (p->normal_offsets == 0 || p->normal_offsets == p->offsets));
    }
}

static inline void usd_read_prim(usd_checker *c, const char *parent)
{
    static const char *const types[] = {"SkelRoot",   "Skeleton", "SkelAnimation", "Mesh",
                                        "BlendShape", "Scope",    "Material",      "Shader"};
    usd_prim prim = {0};
    char word[USD_TEXT], name[USD_TEXT];
    bool is_known = false;
    usd_word(c, " ", word);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        is_known |= strcmp(word, types[i]) == 0;
    }
    assert_true(is_known);
    snprintf(prim.type, sizeof prim.type, "%.31s", word);
    usd_need(c, "\"");
    usd_word(c, "\"", name);
    usd_need(c, "\"");
    for (const char *p = name; *p; ++p) {
        assert_true(isalpha((unsigned char)*p) || *p == '_' || (p > name && isdigit((unsigned char)*p)));
    }
    snprintf(prim.path, sizeof prim.path, "%.250s/%.250s", parent, name);
    for (int i = 0; i < c->path_count; ++i) {
        assert_string_not_equal(c->paths[i], prim.path);
    }
    assert_true(c->path_count < USD_PATHS);
    memcpy(c->paths[c->path_count++], prim.path, sizeof prim.path);
    usd_read_metadata(c, NULL);
    usd_need(c, "{");
    while (!usd_take(c, "}")) {
        if (usd_take(c, "def ")) {
            usd_read_prim(c, prim.path);
        } else {
            usd_read_property(c, &prim);
        }
    }
    usd_judge(c, &prim);
}

/* What paths name must be there. */
static inline void usd_check_targets(const usd_checker *c)
{
    for (int i = 0; i < c->target_count; ++i) {
        char path[USD_TEXT];
        bool is_there = false;
        snprintf(path, sizeof path, "%s", c->targets[i]);
        path[strcspn(path, ".")] = '\0';
        for (int k = 0; k < c->path_count && !is_there; ++k) {
            is_there = strcmp(path, c->paths[k]) == 0;
        }
        if (!is_there) {
            fail_msg("nothing is at <%s>", c->targets[i]);
        }
    }
}

/* text ends with a null byte. */
static inline void usd_check(const char *text, usd_checker *c)
{
    memset(c, 0, sizeof *c);
    c->text = c->at = text;
    usd_need(c, "#usda 1.0\n");
    usd_read_metadata(c, NULL);
    usd_need(c, "def ");
    usd_read_prim(c, "");
    usd_space(c);
    assert_int_equal(*c->at, '\0');
    usd_check_targets(c);
    assert_true(c->mesh_count > 0 && c->skeleton.joints == c->animation.joints);
    assert_true(c->largest_joint < c->skeleton.joints && c->mesh_shapes <= c->animation.shapes);
}

#endif
