/* SPDX-License-Identifier: MIT */
/* The meta data of a VRM (names, licence) and how its eyes look at things. Stored as the JSON text of VRM 1.0, so that
 * a bake is a VRM again; what 0.x says is converted as UniVRM does. Pictures and references to nodes are left out. */
#include "author/io/gltf/gltf_reader.h"

#include <stdlib.h>
#include <string.h>

#define LICENCE_URL "https://vrm.dev/licenses/1.0/"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool is_allowed(const json_t *meta, const char *key)
{
    return strcmp(text_of(meta, key), "Allow") == 0;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (*text) {
        json_object_set_new(object, key, json_string(text));
    }
}

/* What the licences of 0.x allow, beyond what has members of its own. */
static const struct {
    const char *name, *modification;
    bool is_redistributable, is_commercial_excluded, is_credit_unnecessary;
    const char *url;
} licences[] = {
    {"Redistribution_Prohibited", "prohibited", false, false, false, ""},
    {"CC0", "allowModificationRedistribution", true, false, true, "https://creativecommons.org/publicdomain/zero/1.0/"},
    {"CC_BY", "allowModificationRedistribution", true, false, false, "https://creativecommons.org/licenses/by/4.0/"},
    {"CC_BY_NC", "allowModificationRedistribution", true, true, false,
     "https://creativecommons.org/licenses/by-nc/4.0/"},
    {"CC_BY_SA", "allowModificationRedistribution", true, false, false,
     "https://creativecommons.org/licenses/by-sa/4.0/"},
    {"CC_BY_NC_SA", "allowModificationRedistribution", true, true, false,
     "https://creativecommons.org/licenses/by-nc-sa/4.0/"},
    {"CC_BY_ND", "prohibited", true, false, false, "https://creativecommons.org/licenses/by-nd/4.0/"},
    {"CC_BY_NC_ND", "prohibited", true, true, false, "https://creativecommons.org/licenses/by-nc-nd/4.0/"},
};

/* Unknown licences allow nothing. */
static void convert_licence(const json_t *from, json_t *meta)
{
    const char *name = text_of(from, "licenseName"), *other = text_of(from, "otherLicenseUrl");
    size_t known = 0;
    for (size_t i = 0; i < sizeof licences / sizeof licences[0]; ++i) {
        known = strcmp(name, licences[i].name) == 0 ? i : known;
    }
    const bool is_commercial = is_allowed(from, "commercialUssageName") && !licences[known].is_commercial_excluded;
    json_object_set_new(meta, "licenseUrl", json_string(LICENCE_URL));
    json_object_set_new(meta, "commercialUsage", json_string(is_commercial ? "personalProfit" : "personalNonProfit"));
    json_object_set_new(meta, "creditNotation",
                        json_string(licences[known].is_credit_unnecessary ? "unnecessary" : "required"));
    json_object_set_new(meta, "allowRedistribution", json_boolean(licences[known].is_redistributable));
    json_object_set_new(meta, "modification", json_string(licences[known].modification));
    set_text(meta, "otherLicenseUrl", *other ? other : licences[known].url);
    set_text(meta, "thirdPartyLicenses", name);
}

static json_t *convert_meta(const json_t *from)
{
    static const char *const permissions[][2] = {{"OnlyAuthor", "onlyAuthor"},
                                                 {"ExplicitlyLicensedPerson", "onlySeparatelyLicensedPerson"},
                                                 {"Everyone", "everyone"}};
    const char *author = text_of(from, "author"), *title = text_of(from, "title"), *permission = permissions[0][1];
    json_t *meta = json_object(), *references = json_array();
    for (int i = 0; i < 3; ++i) {
        permission = strcmp(text_of(from, "allowedUserName"), permissions[i][0]) == 0 ? permissions[i][1] : permission;
    }
    json_object_set_new(meta, "name", json_string(*title ? title : "unnamed"));
    set_text(meta, "version", text_of(from, "version"));
    json_object_set_new(meta, "authors", json_pack("[s]", *author ? author : "unknown"));
    set_text(meta, "contactInformation", text_of(from, "contactInformation"));
    if (*text_of(from, "reference")) {
        json_array_append_new(references, json_string(text_of(from, "reference")));
        json_object_set(meta, "references", references);
    }
    json_decref(references);
    json_object_set_new(meta, "avatarPermission", json_string(permission));
    json_object_set_new(meta, "allowExcessivelyViolentUsage", json_boolean(is_allowed(from, "violentUssageName")));
    json_object_set_new(meta, "allowExcessivelySexualUsage", json_boolean(is_allowed(from, "sexualUssageName")));
    convert_licence(from, meta);
    return meta;
}

static double number_of(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

static json_t *convert_range(const json_t *first_person, const char *key)
{
    const json_t *from = json_object_get(first_person, key);
    return json_pack("{s:f,s:f}", "inputMaxValue", number_of(from, "xRange", 90), "outputScale",
                     number_of(from, "yRange", 10));
}

/* Unity's z points the other way. */
static json_t *convert_look_at(const json_t *first_person)
{
    const json_t *offset = json_object_get(first_person, "firstPersonBoneOffset");
    const bool is_bone = strcmp(text_of(first_person, "lookAtTypeName"), "BlendShape") != 0;
    return json_pack("{s:s,s:[f,f,f],s:o,s:o,s:o,s:o}", "type", is_bone ? "bone" : "expression", "offsetFromHeadBone",
                     number_of(offset, "x", 0), number_of(offset, "y", 0.06), -number_of(offset, "z", 0),
                     "rangeMapHorizontalInner", convert_range(first_person, "lookAtHorizontalInner"),
                     "rangeMapHorizontalOuter", convert_range(first_person, "lookAtHorizontalOuter"),
                     "rangeMapVerticalDown", convert_range(first_person, "lookAtVerticalDown"), "rangeMapVerticalUp",
                     convert_range(first_person, "lookAtVerticalUp"));
}

/* The members of 1.0 without those that refer to pictures. */
static json_t *copy_meta(const json_t *from)
{
    json_t *meta = json_is_object(from) ? json_deep_copy(from) : json_object();
    json_object_del(meta, "thumbnailImage");
    json_object_del(meta, "extensions");
    return meta;
}

void sn_vrm_read_meta(sn_gltf *g, const sn_json *vrm, bool is_old)
{
    const json_t *meta = json_object_get(vrm->value, "meta"), *look_at = json_object_get(vrm->value, "lookAt");
    const json_t *first_person = json_object_get(vrm->value, "firstPerson");
    json_t *stored = json_pack("{s:o}", "meta", is_old ? convert_meta(meta) : copy_meta(meta));
    if (is_old && json_is_object(first_person)) {
        json_object_set_new(stored, "lookAt", convert_look_at(first_person));
    } else if (!is_old && json_is_object(look_at)) {
        json_object_set_new(stored, "lookAt", json_deep_copy(look_at));
    }
    char *text = json_dumps(stored, JSON_COMPACT);
    json_decref(stored);
    if (text) {
        g->scene->vrm = sn_gltf_copy_text(g, vrm, text);
    } else {
        sn_json_fail(vrm, SN_ERROR_MEMORY, "out of memory");
    }
    free(text);
}
