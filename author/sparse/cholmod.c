/* SPDX-License-Identifier: MIT */
/* Sparse Cholesky factors. CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008) computes the ordering and the column counts,
 * with int indices, by its LGPL modules alone: it is asked for a simplicial factor, and its GPL module Supernodal is
 * not called. Its memory bypasses the allocator hooks, since its own hooks do not pass the size to free. The supernodes
 * are found in find_supernodes.c, the values computed in supernodal_factor.inc. */
#include "author/sparse/sparse.h"

#include <cblas.h>
#include <cholmod.h>
#include <dlfcn.h>
#include <string.h>

#include "author/sparse/find_supernodes.h"
#include "author/sparse/schur.h"

/* Matrix sizes from which METIS's nested dissection is used. It gives the sparser factor on large meshes, but takes
 * longer; with long columns, as of a squared Laplacian, it pays off much earlier. */
#define METIS_MINIMUM_SIZE 60000
#define METIS_LONG_COLUMNS 20 /* average entries below the diagonal */
#define METIS_LONG_MINIMUM_SIZE 4000

/* Number of right-hand sides from which the wide solve is faster, and the most that one such solve takes. */
#define MULTI_MIN_COLUMNS 12
#define MULTI_MAX_COLUMNS 32

struct sn_factor {
    sn_arena arena; /* of order and list */
    int32_t *order; /* (size) the unknown that is eliminated i-th */
    sn_supernode_list list;
    size_t *value_starts; /* (list.count + 1) */
    size_t value_count;   /* value_starts[list.count] */
    double *values;       /* (value_count + SN_SUPERNODE_ALIGNMENT) or null, and */
    float *values32;      /* the same in float, or null */
    double *work;         /* (work_size) allocated by the first solve */
    size_t work_size;
    int size;
};

/* CHOLMOD starts OpenMP threads for each of its small loops, which is slow on few cores. Limiting the active levels to
 * 0 keeps it on this thread. The OpenMP runtime is looked up at run time, since CHOLMOD may be built without it.
 * Returns the former limit, or -1. */
static int set_openmp_levels(int levels)
{
    int (*get)(void) = NULL;
    void (*set)(int) = NULL;
    void *program = levels >= 0 ? dlopen(NULL, RTLD_LAZY) : NULL;
    if (!program) {
        return -1;
    }
    void *const symbols[2] = {dlsym(program, "omp_get_max_active_levels"), dlsym(program, "omp_set_max_active_levels")};
    memcpy(&get, &symbols[0],
           sizeof get); /* ISO C does not allow a cast from an object pointer to a function pointer */
    memcpy(&set, &symbols[1], sizeof set);
    int previous = -1;
    if (get && set) {
        previous = get();
        set(levels);
    }
    dlclose(program);
    return previous;
}

static int choose_ordering(const sn_sparse *matrix)
{
    const bool is_long = matrix->column_starts[matrix->size] / METIS_LONG_COLUMNS > matrix->size;
    return matrix->size < (is_long ? METIS_LONG_MINIMUM_SIZE : METIS_MINIMUM_SIZE) ? CHOLMOD_AMD : CHOLMOD_METIS;
}

static sn_result report(int status, int size, const char *name)
{
    switch (status) {
    case CHOLMOD_OUT_OF_MEMORY:
        return sn_fail_within(SN_ERROR_MEMORY, "%s: out of memory in the sparse factor of size %d", name, size);
    case CHOLMOD_TOO_LARGE:
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "%s: the sparse factor of size %d is too large", name, size);
    case CHOLMOD_NOT_POSDEF:
        return sn_fail_within(SN_ERROR_NUMERIC, "%s: the matrix of size %d is not positive definite", name, size);
    default:
        return sn_fail_within(SN_ERROR_NUMERIC, "%s: the sparse factor of size %d failed (CHOLMOD status %d)", name,
                              size, status);
    }
}

static sn_supernodes view_supernodes(const sn_factor *factor)
{
    return (sn_supernodes){.size = (size_t)factor->size,
                           .count = (size_t)factor->list.count,
                           .order = factor->order,
                           .first_columns = factor->list.first_columns,
                           .row_starts = factor->list.row_starts,
                           .rows = factor->list.rows,
                           .value_starts = factor->value_starts,
                           .values = factor->values,
                           .values32 = factor->values32};
}

static sn_result allocate_starts(sn_factor *factor)
{
    const size_t count = (size_t)factor->list.count;
    factor->value_starts = sn_alloc(count + 1, sizeof *factor->value_starts);
    if (!factor->value_starts) {
        return SN_ERROR_MEMORY;
    }
    const sn_supernodes f = view_supernodes(factor);
    for (size_t s = 0; s < count; s++) {
        const size_t size = sn_supernode_column_count(&f, s) * sn_supernode_stride(sn_supernode_row_count(&f, s));
        factor->value_starts[s + 1] = factor->value_starts[s] + size;
    }
    factor->value_count = factor->value_starts[count];
    return SN_OK;
}

static void free_values(sn_factor *factor)
{
    const size_t count = factor->value_count + SN_SUPERNODE_ALIGNMENT;
    sn_free(factor->values, count, sizeof(double));
    sn_free(factor->values32, count, sizeof(float));
    factor->values = NULL;
    factor->values32 = NULL;
}

/* Computes the values; frees them again if the matrix is not positive definite in their precision. */
static sn_result fill_values(sn_factor *factor, const sn_sparse *matrix, bool is_f32, bool *is_definite)
{
    const sn_supernodes supernodes = view_supernodes(factor);
    const size_t count = factor->value_count + SN_SUPERNODE_ALIGNMENT; /* tiles read slightly beyond the end */
    sn_result result = SN_ERROR_MEMORY;
    if (is_f32) {
        factor->values32 = sn_alloc(count, sizeof(float));
        result =
            factor->values32 ? sn_supernodal_factorize_f32(&supernodes, matrix, factor->values32, is_definite) : result;
    } else {
        factor->values = sn_alloc(count, sizeof(double));
        result = factor->values ? sn_supernodal_factorize(&supernodes, matrix, factor->values, is_definite) : result;
    }
    if (result != SN_OK || !*is_definite) {
        free_values(factor);
    }
    return result;
}

/* Ordering and column counts by CHOLMOD, supernodes by sn_find_supernodes. */
static sn_result analyze(sn_factor *factor, const sn_sparse *matrix, const char *name)
{
    cholmod_common common;
    cholmod_start(&common);
    common.print = 0;
    common.try_catch = 1; /* CHOLMOD stays silent: report() logs a failure once */
    common.supernodal = CHOLMOD_SIMPLICIAL;
    common.nmethods = 1;
    common.method[0].ordering = choose_ordering(matrix);
    common.postorder = 1;
    cholmod_sparse lower = {.nrow = (size_t)matrix->size,
                            .ncol = (size_t)matrix->size,
                            .nzmax = (size_t)matrix->column_starts[matrix->size],
                            .p = matrix->column_starts,
                            .i = matrix->rows,
                            .x = matrix->values,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
    cholmod_factor *symbolic = cholmod_analyze(&lower, &common);
    int status = common.status;
    if (symbolic && status == CHOLMOD_OK) {
        sn_arena scratch = {0};
        factor->order = SN_NEW(&factor->arena, int32_t, factor->size);
        sn_result result = factor->order ? SN_OK : SN_ERROR_MEMORY;
        if (result == SN_OK) {
            memcpy(factor->order, symbolic->Perm, (size_t)factor->size * sizeof *factor->order);
            result =
                sn_find_supernodes(matrix, factor->order, symbolic->ColCount, &scratch, &factor->arena, &factor->list);
        }
        sn_arena_finish(&scratch);
        status = result == SN_OK ? status : result == SN_ERROR_MEMORY ? CHOLMOD_OUT_OF_MEMORY : CHOLMOD_TOO_LARGE;
    }
    cholmod_free_factor(&symbolic, &common);
    cholmod_finish(&common);
    return status == CHOLMOD_OK ? allocate_starts(factor) : report(status, factor->size, name);
}

static sn_result factorize(sn_factor *factor, const sn_sparse *matrix, bool is_f32, const char *name)
{
    bool is_definite = false;
    SN_TRY(analyze(factor, matrix, name));
    if (is_f32) {
        SN_TRY(fill_values(factor, matrix, true, &is_definite));
    }
    if (!is_definite) {
        SN_TRY(fill_values(factor, matrix, false, &is_definite));
    }
    if (!is_definite) {
        return report(CHOLMOD_NOT_POSDEF, factor->size, name);
    }
    return SN_OK;
}

static sn_result create(const sn_sparse *matrix, bool is_f32, const char *name, sn_factor **factor)
{
    *factor = sn_alloc(1, sizeof **factor);
    if (!*factor) {
        return SN_ERROR_MEMORY;
    }
    openblas_set_num_threads(1); /* a fixed order of summation on every machine */
    (*factor)->size = matrix->size;
    const int previous_levels = set_openmp_levels(0);
    const sn_result result = factorize(*factor, matrix, is_f32, name);
    set_openmp_levels(previous_levels);
    if (result != SN_OK) {
        sn_factor_destroy(factor);
    }
    return result;
}

sn_result sn_factor_create(const sn_sparse *matrix, const char *name, sn_factor **factor)
{
    return create(matrix, false, name, factor);
}

sn_result sn_factor_create_f32(const sn_sparse *matrix, const char *name, sn_factor **factor)
{
    return create(matrix, true, name, factor);
}

bool sn_factor_is_f32(const sn_factor *factor)
{
    return factor->values32;
}

void sn_factor_destroy(sn_factor **factor)
{
    if (*factor) {
        free_values(*factor);
        sn_free((*factor)->value_starts, (size_t)(*factor)->list.count + 1, sizeof(size_t));
        sn_free((*factor)->work, (*factor)->work_size, sizeof(double));
        sn_arena_finish(&(*factor)->arena);
        sn_free(*factor, 1, sizeof **factor);
        *factor = NULL;
    }
}

size_t sn_factor_value_count(const sn_factor *factor)
{
    return factor->value_count;
}

static sn_result prepare_work(sn_factor *factor, const sn_supernodes *supernodes)
{
    if (!factor->work) {
        factor->work_size = sn_supernodal_work_size(supernodes);
        factor->work = sn_alloc(factor->work_size, sizeof(double));
        if (!factor->work) {
            return SN_ERROR_MEMORY;
        }
        sn_supernodal_work_init(supernodes, factor->work);
    }
    return SN_OK;
}

/* Solves panel by panel, in the factor's precision. */
static sn_result solve_multi(const sn_supernodes *supernodes, const sn_right_hand_sides *right)
{
    const bool is_f32 = supernodes->values32;
    const int panel = right->column_count < MULTI_MAX_COLUMNS ? right->column_count : MULTI_MAX_COLUMNS;
    const size_t work_size = is_f32 ? sn_supernodal_multi_work_size_f32(supernodes, panel)
                                    : sn_supernodal_multi_work_size(supernodes, panel);
    const size_t element_size = is_f32 ? sizeof(float) : sizeof(double);
    void *work = sn_alloc(work_size, element_size);
    for (int c = 0; work && c < right->column_count; c += panel) {
        const int left = right->column_count - c;
        sn_right_hand_sides part = *right;
        part.column_count = left < panel ? left : panel;
        part.x += (size_t)c * right->column_stride;
        if (is_f32) {
            sn_supernodal_multi_solve_f32(supernodes, &part, work);
        } else {
            sn_supernodal_multi_solve(supernodes, &part, work);
        }
    }
    sn_free(work, work_size, element_size);
    return work ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_factor_solve_rows(const sn_factor *factor, int column_count, double *x)
{
    if (factor->size == 0 || column_count == 0) {
        return SN_OK;
    }
    const sn_supernodes supernodes = view_supernodes(factor);
    return solve_multi(&supernodes, &(sn_right_hand_sides){column_count, x, (size_t)column_count, 1});
}

sn_result sn_factor_solve(sn_factor *factor, int column_count, double *x)
{
    if (factor->size == 0) {
        return SN_OK;
    }
    const sn_supernodes supernodes = view_supernodes(factor);
    if (column_count >= MULTI_MIN_COLUMNS || (factor->values32 && column_count > 0)) {
        return solve_multi(&supernodes, &(sn_right_hand_sides){column_count, x, 1, supernodes.size});
    }
    SN_TRY(prepare_work(factor, &supernodes));
    for (int c = 0; c < column_count; c += SN_SUPERNODAL_COLUMNS) {
        const int left = column_count - c;
        sn_supernodal_solve(&supernodes, left < SN_SUPERNODAL_COLUMNS ? left : SN_SUPERNODAL_COLUMNS,
                            x + (size_t)c * supernodes.size, factor->work);
    }
    return SN_OK;
}

sn_result sn_factor_schur(const sn_factor *factor, const sn_sparse_columns *q, double *schur)
{
    const sn_supernodes supernodes = view_supernodes(factor);
    SN_ASSERT(!factor->values32);
    return sn_supernodal_schur(&supernodes, q, schur);
}
