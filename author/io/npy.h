/* SPDX-License-Identifier: MIT */
/* Reads and writes NumPy .npy arrays (format versions 1 to 3). Reads booleans, integers of 1 to 8 bytes and floats of 2
 * to 8 bytes, in either byte order, in C or Fortran order, as double; writes f8 or i4. */
#ifndef SN_AUTHOR_IO_NPY_H
#define SN_AUTHOR_IO_NPY_H

#include "author/io/source.h"

#define SN_NPY_MAX_DIMENSIONS 8

typedef struct sn_npy {
    int dimension_count;
    size_t shape[SN_NPY_MAX_DIMENSIONS];
    size_t count;    /* product of the shape */
    bool is_integer; /* signed integers */
    double *values;  /* (shape), C order */
} sn_npy;

/* Errors: invalid magic number or header, an unsupported type, a size that does not match the file. */
sn_result sn_npy_read(const sn_source *source, sn_arena *arena, sn_npy *array);

/* Reads a .dmat text matrix: "columns rows", then the values column by column. */
sn_result sn_dmat_read(const sn_source *source, sn_arena *arena, sn_npy *array);

typedef enum sn_npy_type { SN_NPY_F64, SN_NPY_I32 } sn_npy_type;
/* Writes `values` (double or int32_t, C order). The file is replaced atomically. */
sn_result sn_npy_write(const char *path, sn_npy_type type, int dimension_count, const size_t *shape,
                       const void *values);

#endif
