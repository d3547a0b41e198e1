/* SPDX-License-Identifier: MIT */
/* Recordings of a face as Live Link Face writes them: a .csv of ARKit's 52 blend shapes, 60 or 30 rows a second, and
 * the angles of head and eyes. */
#ifndef SN_AUTHOR_IO_MOTION_ARKIT_CSV_H
#define SN_AUTHOR_IO_MOTION_ARKIT_CSV_H

#include "author/io/source.h"

#define SN_ARKIT_COUNT 52
/* ARKit's blend shapes in ARKit's order, "eyeBlinkLeft" to "tongueOut". */
const char *sn_arkit_name(int index);
/* In any case; -1: none. */
int sn_arkit_find(const char *name, size_t length);

/* Behind the blend shapes in a row: radians, yaw to the person's right, pitch down, roll to its left. */
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
    bool has[SN_ARKIT_COLUMNS]; /* the file's columns */
    int row_count;
    double *seconds;  /* (row_count) from the first row on, ascending */
    float *values;    /* (row_count x SN_ARKIT_COLUMNS) 0 .. 1, and angles within pi either way; 0: no such column */
    bool *is_tracked; /* (row_count) false: the recorder saw no face */
} sn_arkit_csv;

/* Columns by their names, in any case and order ("BlendshapeCount", "BlendShapeCount"); unknown ones are left out.
 * Time codes H:M:S:F with a fraction of a frame, or not; frames are sixtieths of a second if any number of them is 30
 * or more, else thirtieths. Values beyond their range are brought into it, with one warning. A row whose count is 0
 * has no face, and may end there. Memory is at most 32 times the file's size. Errors, with the line and the column: no
 * time code or blend shape in the header, a name twice, a row of more or fewer columns, what is no number, a time code
 * that is none or goes back, a recording without rows or longer than ten hours. */
sn_result sn_arkit_csv_read(const sn_source *source, sn_arena *arena, sn_arkit_csv *csv);

#endif
