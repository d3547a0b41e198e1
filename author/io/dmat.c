/* SPDX-License-Identifier: MIT */
/* Reads .dmat matrices as written by libigl: "COLUMNS ROWS", then the values, column by column. */
#include "author/io/npy.h"
#include "author/io/text.h"

sn_result sn_dmat_read(const sn_source *source, sn_arena *arena, sn_npy *array)
{
    sn_text text = sn_text_begin(source, 0);
    int64_t columns = 0, rows = 0;
    sn_result result = sn_text_integer(&text, "the number of columns", &columns);
    if (result == SN_OK) {
        result = sn_text_check_count(&text, "columns", columns, 1);
    }
    if (result == SN_OK) {
        result = sn_text_integer(&text, "the number of rows", &rows);
    }
    if (result == SN_OK) {
        result = sn_text_check_count(&text, "rows", rows, 1);
    }
    if (result == SN_OK) { /* each fits an int, so the product does not overflow */
        result = sn_text_check_count(&text, "values", columns * rows, 2);
    }
    const size_t count = result == SN_OK ? (size_t)(columns * rows) : 0;
    double *values = result == SN_OK ? SN_NEW(arena, double, count) : NULL;
    if (result == SN_OK && !values) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        const size_t column = i / (size_t)rows, row = i % (size_t)rows;
        result = sn_text_double(&text, "a value", &values[row * (size_t)columns + column]);
    }
    if (result == SN_OK && sn_text_peek(&text).size > 0) {
        sn_text_next(&text);
        return sn_text_fail(&text, "the file has more than %lld x %lld values", (long long)columns, (long long)rows);
    }
    if (result == SN_OK) {
        *array =
            (sn_npy){.dimension_count = 2, .shape = {(size_t)rows, (size_t)columns}, .count = count, .values = values};
    }
    return result;
}
