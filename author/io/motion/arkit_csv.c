/* SPDX-License-Identifier: MIT */
#include "author/io/motion/arkit_csv.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "author/io/text.h"

#define MAX_SECONDS 36000.0
#define DAY_SECONDS 86400.0
#define MAX_COLUMNS 512
#define MIN_ROW_BYTES 9 /* bytes of the shortest row "0:0:0:0,0" without line end */
#define PI 3.141592653589793

/* Column types that are not the index of a value. */
enum { NOTHING = -1, TIME_CODE = -2, SHAPE_COUNT = -3 };

static const char *const arkit_names[SN_ARKIT_COUNT] = {
    "eyeBlinkLeft",      "eyeLookDownLeft",    "eyeLookInLeft",
    "eyeLookOutLeft",    "eyeLookUpLeft",      "eyeSquintLeft",
    "eyeWideLeft",       "eyeBlinkRight",      "eyeLookDownRight",
    "eyeLookInRight",    "eyeLookOutRight",    "eyeLookUpRight",
    "eyeSquintRight",    "eyeWideRight",       "jawForward",
    "jawLeft",           "jawRight",           "jawOpen",
    "mouthClose",        "mouthFunnel",        "mouthPucker",
    "mouthLeft",         "mouthRight",         "mouthSmileLeft",
    "mouthSmileRight",   "mouthFrownLeft",     "mouthFrownRight",
    "mouthDimpleLeft",   "mouthDimpleRight",   "mouthStretchLeft",
    "mouthStretchRight", "mouthRollLower",     "mouthRollUpper",
    "mouthShrugLower",   "mouthShrugUpper",    "mouthPressLeft",
    "mouthPressRight",   "mouthLowerDownLeft", "mouthLowerDownRight",
    "mouthUpperUpLeft",  "mouthUpperUpRight",  "browDownLeft",
    "browDownRight",     "browInnerUp",        "browOuterUpLeft",
    "browOuterUpRight",  "cheekPuff",          "cheekSquintLeft",
    "cheekSquintRight",  "noseSneerLeft",      "noseSneerRight",
    "tongueOut",
};

const char *sn_arkit_name(int index)
{
    return arkit_names[index];
}

static const char *const angle_names[SN_ARKIT_COLUMNS - SN_ARKIT_COUNT] = {
    "headYaw",     "headPitch",   "headRoll",      "leftEyeYaw",  "leftEyePitch",
    "leftEyeRoll", "rightEyeYaw", "rightEyePitch", "rightEyeRoll"};

static bool is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(text, name, length) == 0;
}

static int find(const char *const *names, int count, const char *text, size_t length)
{
    for (int i = 0; i < count; ++i) {
        if (is_name(text, length, names[i])) {
            return i;
        }
    }
    return -1;
}

int sn_arkit_find(const char *name, size_t length)
{
    return find(arkit_names, SN_ARKIT_COUNT, name, length);
}

typedef struct csv_reader {
    sn_text text;
    sn_arkit_csv *csv;
    int32_t columns[MAX_COLUMNS]; /* (column_count) value index, or an enumerator above */
    int column_count;
    double *frames;        /* (row_count) frame field of the time codes */
    double *whole_seconds; /* (row_count) time codes without the frame field, in s */
    double max_frame;
    int clamped_count;
    size_t clamped_line;
    int clamped_column;
} csv_reader;

/* ---- fields ---- */

/* Reads up to the next comma or the end of the line, without surrounding blanks. Returns false at the end of the line.
 */
static bool next_field(sn_text *t, bool is_first, sn_token *field)
{
    size_t at = t->offset, end;
    if (!is_first && (at >= t->size || t->bytes[at] != ',')) {
        return false;
    }
    at += !is_first;
    for (end = at; end < t->size && t->bytes[end] != ',' && t->bytes[end] != '\n' && t->bytes[end] != '\r'; ++end) {
    }
    t->offset = end;
    t->item_line = t->line;
    while (at < end && (t->bytes[at] == ' ' || t->bytes[at] == '\t')) {
        ++at;
    }
    while (end > at && (t->bytes[end - 1] == ' ' || t->bytes[end - 1] == '\t')) {
        --end;
    }
    *field = (sn_token){(const char *)t->bytes + at, end - at};
    return true;
}

/* Skips the end of the line and empty lines. */
static void end_line(sn_text *t)
{
    while (t->offset < t->size && (t->bytes[t->offset] == '\n' || t->bytes[t->offset] == '\r')) {
        t->line += t->bytes[t->offset] == (uint8_t)t->line_end;
        ++t->offset;
    }
}

/* ---- header ---- */

static int32_t column_of(sn_token field)
{
    const int shape = sn_arkit_find(field.text, field.size);
    const int angle = find(angle_names, SN_ARKIT_COLUMNS - SN_ARKIT_COUNT, field.text, field.size);
    return shape >= 0                                           ? shape
           : angle >= 0                                         ? SN_ARKIT_COUNT + angle
           : is_name(field.text, field.size, "timecode")        ? TIME_CODE
           : is_name(field.text, field.size, "blendshapecount") ? SHAPE_COUNT
                                                                : NOTHING;
}

static sn_result read_header(csv_reader *r)
{
    sn_token field;
    int shapes = 0;
    bool has_time = false, has_count = false;
    while (next_field(&r->text, r->column_count == 0, &field)) {
        char name[48];
        if (r->column_count == MAX_COLUMNS) {
            return sn_text_fail(&r->text, "there are more than %d columns", MAX_COLUMNS);
        }
        const int32_t column = column_of(field);
        bool is_other = false;
        bool *has = column == TIME_CODE     ? &has_time
                    : column == SHAPE_COUNT ? &has_count
                    : column == NOTHING     ? &is_other
                                            : &r->csv->has[column];
        if (*has) {
            return sn_text_fail(&r->text, "column %d: the name '%s' occurs twice", r->column_count + 1,
                                sn_text_printable(field.text, field.size, name, sizeof name));
        }
        *has = true;
        shapes += column >= 0 && column < SN_ARKIT_COUNT;
        r->columns[r->column_count++] = column;
    }
    end_line(&r->text);
    return !has_time
               ? sn_text_fail(&r->text, "there is no column 'Timecode'; the file is not a recording of Live Link Face")
           : shapes < 1 ? sn_text_fail(&r->text, "there is no column with a blend shape of ARKit")
                        : SN_OK;
}

/* ---- rows ---- */

static sn_result fail_field(const csv_reader *r, int column, sn_token field, const char *cause)
{
    char printable[48];
    return sn_text_fail(&r->text, "column %d: '%s' %s", column + 1,
                        sn_text_printable(field.text, field.size, printable, sizeof printable), cause);
}

/* H:M:S:F, where F may have a fraction. */
static sn_result read_time(csv_reader *r, int column, sn_token field)
{
    const int row = r->csv->row_count;
    double parts[4];
    size_t at = 0;
    for (int k = 0; k < 4; ++k) {
        const char *end = k < 3 ? memchr(field.text + at, ':', field.size - at) : field.text + field.size;
        const sn_token part = {field.text + at, end ? (size_t)(end - field.text) - at : 0};
        if (part.size == 0 || !sn_text_decimal(&r->text, part, &parts[k]) || !(parts[k] >= 0 && parts[k] < 240) ||
            (k < 3 && parts[k] != floor(parts[k]))) {
            return fail_field(r, column, field, "is not a time code HH:MM:SS:FF");
        }
        at += part.size + (k < 3);
    }
    r->whole_seconds[row] = 3600 * parts[0] + 60 * parts[1] + parts[2];
    r->frames[row] = parts[3];
    r->max_frame = fmax(r->max_frame, parts[3]);
    return SN_OK;
}

static void store_value(csv_reader *r, int column, int32_t index, double value)
{
    const double min_value = index < SN_ARKIT_COUNT ? 0 : -PI, max_value = index < SN_ARKIT_COUNT ? 1 : PI;
    const double clamped = fmin(fmax(value, min_value), max_value);
    if (clamped != value && r->clamped_count++ == 0) {
        r->clamped_line = r->text.item_line;
        r->clamped_column = column + 1;
    }
    r->csv->values[(size_t)r->csv->row_count * SN_ARKIT_COLUMNS + (size_t)index] = (float)clamped;
}

static sn_result read_row(csv_reader *r)
{
    bool *is_tracked = &r->csv->is_tracked[r->csv->row_count];
    sn_token field;
    int column = 0;
    bool has_time = false;
    *is_tracked = true;
    for (; next_field(&r->text, column == 0, &field); ++column) {
        const int32_t index = column < r->column_count ? r->columns[column] : NOTHING;
        double value;
        if (column == r->column_count) {
            return sn_text_fail(&r->text, "the row has more than the %d columns of the header", r->column_count);
        }
        if (index == TIME_CODE) {
            const sn_result result = read_time(r, column, field);
            has_time = true;
            if (result != SN_OK) {
                return result;
            }
            continue;
        }
        if (index == NOTHING || (!*is_tracked && field.size == 0)) {
            continue;
        }
        if (!sn_text_decimal(&r->text, field, &value)) {
            return fail_field(r, column, field, "is not a number");
        }
        if (index == SHAPE_COUNT) {
            *is_tracked = value > 0;
        } else {
            store_value(r, column, index, value);
        }
    }
    if (column < r->column_count && (*is_tracked || !has_time)) {
        return sn_text_fail(&r->text, "the row ends before column %d of %d", column + 1, r->column_count);
    }
    end_line(&r->text);
    ++r->csv->row_count;
    return SN_OK;
}

/* Converts the time codes to seconds; recordings may cross midnight. */
static sn_result find_seconds(csv_reader *r)
{
    sn_arkit_csv *c = r->csv;
    const double rate = r->max_frame >= 30 ? 60 : 30;
    double day = 0, last = 0;
    for (int i = 0; i < c->row_count; ++i) {
        double at = r->whole_seconds[i] + r->frames[i] / rate + day;
        if (i > 0 && at < last - DAY_SECONDS / 2) {
            day += DAY_SECONDS;
            at += DAY_SECONDS;
        }
        c->seconds[i] = at;
        if (i > 0 && at < last) {
            return sn_fail(SN_ERROR_FORMAT, "%s: row %d: its time code is earlier than the previous one", r->text.name,
                           i + 1);
        }
        last = at;
    }
    const double first = c->seconds[0];
    for (int i = 0; i < c->row_count; ++i) {
        c->seconds[i] -= first;
    }
    return last - first <= MAX_SECONDS
               ? SN_OK
               : sn_fail(SN_ERROR_UNSUPPORTED, "%s: a recording of %g s is too long", r->text.name, last - first);
}

static sn_result read_rows(csv_reader *r)
{
    while (sn_text_remaining(&r->text) > 0) {
        SN_TRY(read_row(r));
    }
    if (r->csv->row_count == 0) {
        SN_TRY(sn_text_fail(&r->text, "the recording has no rows"));
    }
    SN_TRY(find_seconds(r));
    if (r->clamped_count > 0) {
        sn_log(SN_LOG_WARNING, "%s: line %zu, column %d: %s", r->text.name, r->clamped_line, r->clamped_column,
               r->clamped_count > 1 ? "this value and others are out of range and clamped"
                                    : "this value is out of range and clamped");
    }
    return SN_OK;
}

static sn_result allocate(csv_reader *r, size_t size, sn_arena *arena, sn_arena *scratch)
{
    const size_t rows = size / MIN_ROW_BYTES + 1;
    r->csv->seconds = SN_NEW(arena, double, rows);
    r->csv->values = SN_NEW(arena, float, rows *SN_ARKIT_COLUMNS);
    r->csv->is_tracked = SN_NEW(arena, bool, rows);
    r->frames = SN_NEW(scratch, double, rows);
    r->whole_seconds = SN_NEW(scratch, double, rows);
    const bool is_ok = r->csv->seconds && r->csv->values && r->csv->is_tracked && r->frames && r->whole_seconds;
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_arkit_csv_read(const sn_source *source, sn_arena *arena, sn_arkit_csv *csv)
{
    csv_reader r = {.text = sn_text_begin(source, 0), .csv = csv};
    sn_arena scratch = {0};
    *csv = (sn_arkit_csv){0};
    sn_result result = read_header(&r);
    result = result ? result : allocate(&r, sn_text_remaining(&r.text), arena, &scratch);
    result = result ? result : read_rows(&r);
    sn_arena_finish(&scratch);
    return result;
}
