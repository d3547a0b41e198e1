/* SPDX-License-Identifier: MIT */
/* Reads facial recordings of Live Link Face: a .csv with ARKit's 52 blend shapes and the angles of head and eyes, with
 * 60 or 30 rows per second. */
#ifndef SN_AUTHOR_IO_MOTION_ARKIT_CSV_H
#define SN_AUTHOR_IO_MOTION_ARKIT_CSV_H

#include "author/io/source.h"

#define SN_ARKIT_COUNT 52
/* The name of a blend shape in ARKit's order, "eyeBlinkLeft" to "tongueOut". */
const char *sn_arkit_name(int index);
/* Case-insensitive; -1: none. */
int sn_arkit_find(const char *name, size_t length);

/* Columns after the blend shapes, in rad: yaw to the person's right, pitch down, roll to the person's left. */
typedef enum sn_arkit_angle {
    SN_ARKIT_HEAD_YAW = SN_ARKIT_COUNT,
    SN_ARKIT_HEAD_PITCH,
    SN_ARKIT_HEAD_ROLL,
    SN_ARKIT_LEFT_EYE_YAW,
    SN_ARKIT_LEFT_EYE_PITCH,
    SN_ARKIT_LEFT_EYE_ROLL,
    SN_ARKIT_RIGHT_EYE_YAW,
    SN_ARKIT_RIGHT_EYE_PITCH,
    SN_ARKIT_RIGHT_EYE_ROLL,
    SN_ARKIT_COLUMNS
} sn_arkit_angle;

typedef struct sn_arkit_csv {
    bool has[SN_ARKIT_COLUMNS]; /* the file has this column */
    int row_count;
    double *seconds; /* (row_count) time since the first row, ascending */
    float *
        values; /* (row_count x SN_ARKIT_COLUMNS) blend shapes 0 .. 1, angles -pi .. pi; 0 if there is no such column */
    bool *is_tracked; /* (row_count) false: no face was detected */
} sn_arkit_csv;

/* Reads a recording. Columns are matched by name, case-insensitive, in any order; unknown ones are ignored. Time codes
 * are H:M:S:F, where F may have a fraction; the rate is 60 frames per second if any frame number is 30 or more, else
 * 30. Values out of range are clamped, with one warning. A row with blend shape count 0 has no face and may end there.
 * Memory is at most 32 times the file's size. Errors, with line and column: no time code or blend shape in the header,
 * a duplicate name, a row with more or fewer columns, an invalid number, a time code that is invalid or decreasing, a
 * recording that is empty or longer than 10 hours. */
sn_result sn_arkit_csv_read(const sn_source *source, sn_arena *arena, sn_arkit_csv *csv);

#endif
