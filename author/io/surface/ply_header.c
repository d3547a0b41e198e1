/* SPDX-License-Identifier: MIT */
#include "author/io/surface/ply_header.h"

const sn_ply_type_info sn_ply_types[SN_PLY_TYPE_COUNT] = {
    {"char", "int8", 1, INT8_MAX},       {"uchar", "uint8", 1, UINT8_MAX}, {"short", "int16", 2, INT16_MAX},
    {"ushort", "uint16", 2, UINT16_MAX}, {"int", "int32", 4, INT32_MAX},   {"uint", "uint32", 4, UINT32_MAX},
    {"float", "float32", 4, 0},          {"double", "float64", 8, 0},
};

static const struct {
    const char *name;
    sn_ply_role role;
} role_names[] = {
    {"x", SN_PLY_X},
    {"y", SN_PLY_Y},
    {"z", SN_PLY_Z},
    {"nx", SN_PLY_NX},
    {"ny", SN_PLY_NY},
    {"nz", SN_PLY_NZ},
    {"s", SN_PLY_U},
    {"t", SN_PLY_V},
    {"u", SN_PLY_U},
    {"v", SN_PLY_V},
    {"texture_u", SN_PLY_U},
    {"texture_v", SN_PLY_V},
    {"red", SN_PLY_RED},
    {"green", SN_PLY_GREEN},
    {"blue", SN_PLY_BLUE},
    {"alpha", SN_PLY_ALPHA},
    {"vertex_index", SN_PLY_INDICES},
    {"vertex_indices", SN_PLY_INDICES},
};

static sn_result read_format(sn_text *text, sn_ply_header *h)
{
    const sn_token token = sn_text_next(text);
    h->is_big_endian = sn_token_is(token, "binary_big_endian");
    h->is_binary = h->is_big_endian || sn_token_is(token, "binary_little_endian");
    if (!h->is_binary && !sn_token_is(token, "ascii")) {
        return sn_text_fail(text, "the format must be ascii, binary_little_endian or binary_big_endian");
    }
    h->has_format = true;
    return sn_text_expect(text, "1.0");
}

static bool has_vertices(const sn_ply_header *h)
{
    const sn_ply_element *elements = h->elements.items;
    for (size_t i = 0; i < h->elements.count; i++) {
        if (elements[i].type_of_element == SN_PLY_VERTEX) {
            return true;
        }
    }
    return false;
}

static sn_result read_element(sn_text *text, sn_ply_header *h)
{
    sn_token name;
    sn_ply_element added = {.type_of_element = SN_PLY_OTHER, .first_property = h->properties.count};
    sn_result result = sn_text_token(text, "name of an element", &name);
    if (result != SN_OK) {
        return result;
    }
    added.type_of_element = sn_token_is(name, "vertex")      ? SN_PLY_VERTEX
                            : sn_token_is(name, "face")      ? SN_PLY_FACE
                            : sn_token_is(name, "tristrips") ? SN_PLY_STRIPS
                                                             : SN_PLY_OTHER;
    if ((added.type_of_element == SN_PLY_VERTEX) == has_vertices(h) && added.type_of_element != SN_PLY_OTHER) {
        return sn_text_fail(text, added.type_of_element == SN_PLY_VERTEX ? "there is a second element vertex"
                                                                         : "faces must follow vertices");
    }
    result = sn_text_integer(text, "count of an element", &added.count);
    if (result == SN_OK) { /* a stricter check follows when the element is read */
        result = sn_text_check_count(text, "count of an element", added.count, 1);
    }
    sn_ply_element *element = result == SN_OK ? SN_LIST_ADD(&h->elements, sn_ply_element, 1) : NULL;
    if (!element) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    *element = added;
    return SN_OK;
}

static sn_result read_type(sn_text *text, sn_ply_type *type)
{
    sn_token token;
    const sn_result result = sn_text_token(text, "type of a property", &token);
    if (result != SN_OK) {
        return result;
    }
    for (int i = 0; i < SN_PLY_TYPE_COUNT; i++) {
        if (sn_token_is(token, sn_ply_types[i].name) || sn_token_is(token, sn_ply_types[i].other_name)) {
            *type = (sn_ply_type)i;
            return SN_OK;
        }
    }
    char printable[40];
    return sn_text_fail(text, "'%s' is not a type",
                        sn_text_printable(token.text, token.size, printable, sizeof printable));
}

static sn_ply_role find_role(sn_token name, sn_ply_element_type type_of_element, bool is_list)
{
    const bool has_roles =
        is_list ? type_of_element == SN_PLY_FACE || type_of_element == SN_PLY_STRIPS : type_of_element == SN_PLY_VERTEX;
    for (size_t i = 0; has_roles && i < sizeof role_names / sizeof role_names[0]; i++) {
        if (sn_token_is(name, role_names[i].name) && (role_names[i].role == SN_PLY_INDICES) == is_list) {
            return role_names[i].role;
        }
    }
    return SN_PLY_NO_ROLE;
}

static sn_result read_property_types(sn_text *text, sn_ply_property *p)
{
    p->is_list = sn_token_is(sn_text_peek(text), "list");
    if (!p->is_list) {
        return read_type(text, &p->type);
    }
    sn_text_next(text);
    SN_TRY(read_type(text, &p->count_type));
    if (sn_ply_types[p->count_type].full_intensity == 0) {
        return sn_text_fail(text, "the length of a list must have an integer type");
    }
    return read_type(text, &p->type);
}

static sn_result read_property(sn_text *text, sn_ply_header *h)
{
    sn_token name;
    if (h->elements.count == 0) {
        return sn_text_fail(text, "a property must follow an element");
    }
    sn_ply_element *owner = (sn_ply_element *)h->elements.items + h->elements.count - 1;
    sn_ply_property *p = SN_LIST_ADD(&h->properties, sn_ply_property, 1);
    sn_result result = p ? read_property_types(text, p) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_text_token(text, "name of a property", &name);
    }
    if (result != SN_OK) {
        return result;
    }
    p->role = find_role(name, owner->type_of_element, p->is_list);
    owner->property_count++;
    if (p->role < SN_PLY_INDICES) {
        h->has[p->role] = true;
        h->has_srgb |= p->role >= SN_PLY_RED && p->role <= SN_PLY_BLUE && sn_ply_types[p->type].full_intensity > 0;
    }
    return SN_OK;
}

static sn_result read_header_line(sn_text *text, sn_ply_header *h, sn_token keyword)
{
    if (sn_token_is(keyword, "comment") || sn_token_is(keyword, "obj_info")) {
        sn_text_skip_line(text);
        return SN_OK;
    }
    if (sn_token_is(keyword, "format")) {
        SN_TRY(read_format(text, h));
    } else if (sn_token_is(keyword, "element")) {
        SN_TRY(read_element(text, h));
    } else if (sn_token_is(keyword, "property")) {
        SN_TRY(read_property(text, h));
    } else {
        char printable[40];
        return sn_text_fail(text, "'%s' is not a keyword of the header",
                            sn_text_printable(keyword.text, keyword.size, printable, sizeof printable));
    }
    return sn_text_line_end(text);
}

static sn_result check_header(const sn_text *text, const sn_ply_header *h)
{
    if (!h->has_format) {
        return sn_text_fail(text, "the header has no format");
    }
    if (!has_vertices(h) || !h->has[SN_PLY_X] || !h->has[SN_PLY_Y] || !h->has[SN_PLY_Z]) {
        return sn_text_fail(text, "the file has no vertices with x, y and z");
    }
    return SN_OK;
}

sn_result sn_ply_read_header(sn_text *text, sn_ply_header *h)
{
    sn_token keyword = {0};
    sn_result result = sn_text_expect(text, "ply");
    while (result == SN_OK) {
        result = sn_text_token(text, "end_header", &keyword);
        if (result == SN_OK && sn_token_is(keyword, "end_header")) {
            break;
        }
        result = result == SN_OK ? read_header_line(text, h, keyword) : result;
    }
    if (result == SN_OK) {
        result = sn_text_line_end(text);
    }
    return result == SN_OK ? check_header(text, h) : result;
}

void sn_ply_header_finish(sn_ply_header *h)
{
    sn_list_finish(&h->elements);
    sn_list_finish(&h->properties);
}
