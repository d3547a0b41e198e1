/* SPDX-License-Identifier: MIT */
/* Numbers in both encodings of Gmsh files, and block headers. */
#include "author/io/tets/msh.h"

static sn_result read_int(sn_msh_reader *r, const char *what, int64_t *value)
{
    return r->text.is_binary ? sn_text_i32(&r->text, what, value) : sn_text_integer(&r->text, what, value);
}

sn_result sn_msh_read_id(sn_msh_reader *r, const char *what, int64_t *value)
{
    if (r->text.is_binary && r->is_version_4) {
        return sn_text_size(&r->text, what, r->size_bytes, value);
    }
    return read_int(r, what, value);
}

sn_result sn_msh_read_ints(sn_msh_reader *r, int count, const char *const *names, int64_t *values)
{
    for (int i = 0; i < count; i++) {
        SN_TRY(read_int(r, names[i], &values[i]));
    }
    return SN_OK;
}

sn_result sn_msh_read_double(sn_msh_reader *r, const char *what, double *value)
{
    return r->text.is_binary ? sn_text_f64(&r->text, what, value) : sn_text_double(&r->text, what, value);
}

sn_result sn_msh_end_record(sn_msh_reader *r)
{
    return r->text.is_binary ? SN_OK : sn_text_line_end(&r->text);
}

/* ---- headers of 4.1 ---- */

sn_result sn_msh_read_header_4(sn_msh_reader *r, int64_t *block_count, int64_t *total)
{
    int64_t tag = 0;
    sn_result result = sn_msh_read_id(r, "block count", block_count);
    if (result == SN_OK) {
        result = sn_text_check_count(&r->text, "block count", *block_count, 4);
    }
    if (result == SN_OK) {
        result = sn_msh_read_id(r, "total count", total);
    }
    const size_t total_offset = r->text.item_offset;
    const size_t total_line = r->text.item_line;
    for (int i = 0; i < 2 && result == SN_OK; i++) {
        result = sn_msh_read_id(r, "tag range", &tag);
    }
    if (result == SN_OK) {
        result = sn_msh_end_record(r);
    }
    if (result == SN_OK) { /* errors about the total name its own location */
        r->text.item_offset = total_offset;
        r->text.item_line = total_line;
    }
    return result;
}

sn_result sn_msh_read_block_header(sn_msh_reader *r, int64_t *dimension, int64_t *third, int64_t *count)
{
    static const char *const names[3] = {"dimension of a block", "entity of a block", "third number of a block"};
    int64_t values[3] = {0};
    sn_result result = sn_msh_read_ints(r, 3, names, values);
    if (result == SN_OK && (values[0] < 0 || values[0] > 3)) {
        return sn_text_fail(&r->text, "the dimension of a block is %lld; it must be from 0 to 3", (long long)values[0]);
    }
    if (result == SN_OK) {
        result = sn_msh_read_id(r, "count of a block", count);
    }
    if (result == SN_OK) {
        result = sn_text_check_count(&r->text, "count of a block", *count, SN_MSH_MIN_ELEMENT_BYTES);
    }
    *dimension = values[0];
    r->entity = values[1];
    *third = values[2];
    return result == SN_OK ? sn_msh_end_record(r) : result;
}
