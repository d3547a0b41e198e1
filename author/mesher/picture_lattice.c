/* SPDX-License-Identifier: MIT */
/* Cuts every run into segments at the cells that it overlaps. Touching segments of a cell form one fragment. Fragments
 * of neighbouring cells that share a pixel share the two corners between them. */
#include "author/mesher/picture_lattice.h"

#include <math.h>
#include <string.h>

#include "author/mesher/sets.h"

/* Margin around pixels, in pixels, that texture filtering blends them into. */
#define FILTER_MARGIN 0.5

typedef struct piece {
    sn_picture_segment segment;
    int32_t island;
} piece;

typedef struct builder {
    const sn_picture_runs *runs;
    const sn_picture_lattice *lattice;
    sn_arena *scratch;
    int32_t *starts; /* (cells + 2) */
    piece *pieces;   /* (piece_count) sorted by cell */
    int32_t *owners; /* (piece_count) fragment of each piece */
    int piece_count, fragment_count;
    sn_picture_fragment *fragments;
    int32_t *islands; /* (fragment_count) */
    int32_t *pixels;  /* (fragment_count) */
    int32_t *corners; /* (3 fragment_count) disjoint sets */
} builder;

void sn_picture_lattice_init(const sn_picture_runs *runs, double side, sn_picture_lattice *lattice)
{
    const double width = runs->high[0] - runs->low[0] + 1 + 2 * FILTER_MARGIN;
    const double height = runs->high[1] - runs->low[1] + 1 + 2 * FILTER_MARGIN;
    /* a node in the center, so that symmetric pictures get symmetric meshes */
    const double half = ceil(width / (2 * side)) + 1;
    lattice->side = side;
    lattice->height = side * sqrt(0.75);
    lattice->columns = 4 * (int)half;
    lattice->strips = (int)ceil(height / lattice->height) + 1;
    lattice->origin[0] = runs->low[0] - FILTER_MARGIN + width / 2 - half * side;
    lattice->origin[1] = runs->low[1] - FILTER_MARGIN + (height - lattice->strips * lattice->height) / 2;
}

/* Whether the long side is on top. */
static bool is_pointing_down(int strip, int column)
{
    return ((strip + column) & 1) == 0;
}

void sn_picture_lattice_corner(const sn_picture_lattice *l, int32_t cell, int corner, double *position)
{
    const int strip = cell / l->columns, column = cell % l->columns;
    const bool is_below = is_pointing_down(strip, column) == (corner == 2);
    const int u = column + (corner == 0 ? 0 : corner == 1 ? 2 : 1);
    position[0] = l->origin[0] + u * (l->side / 2);
    position[1] = l->origin[1] + (strip + is_below) * l->height;
}

/* Computes the horizontal extent of a cell between two heights. Returns false if it is empty. */
static bool cell_extent(const sn_picture_lattice *l, int strip, int column, double top, double bottom, double *low,
                        double *high)
{
    const double strip_top = l->origin[1] + strip * l->height, strip_bottom = strip_top + l->height;
    top = fmax(top, strip_top);
    bottom = fmin(bottom, strip_bottom);
    /* the fraction of the distance to the tip */
    const double along = (is_pointing_down(strip, column) ? top - strip_top : strip_bottom - bottom) / l->height;
    *low = l->origin[0] + (column + along) * (l->side / 2);
    *high = l->origin[0] + (column + 2 - along) * (l->side / 2);
    return bottom >= top && along <= 1;
}

/* Computes the pixels of a run that overlap a cell. Returns false if there are none. */
static bool cut_run(const sn_picture_lattice *l, const sn_picture_segment *run, int strip, int column,
                    sn_picture_segment *segment)
{
    double low, high;
    if (!cell_extent(l, strip, column, run->row - FILTER_MARGIN, run->row + 1 + FILTER_MARGIN, &low, &high)) {
        return false;
    }
    const int first = (int)ceil(low - 1 - FILTER_MARGIN), last = (int)floor(high + FILTER_MARGIN);
    *segment =
        (sn_picture_segment){run->row, first > run->first ? first : run->first, last < run->last ? last : run->last};
    return segment->first <= segment->last;
}

/* Counts the pieces of each cell, or adds them if `pieces` is allocated. */
static void list_pieces(builder *b)
{
    const sn_picture_lattice *l = b->lattice;
    for (int i = 0; i < b->runs->count; ++i) {
        const sn_picture_segment *run = &b->runs->runs[i];
        const int top = (int)floor((run->row - FILTER_MARGIN - l->origin[1]) / l->height);
        const int bottom = (int)floor((run->row + 1 + FILTER_MARGIN - l->origin[1]) / l->height);
        const int left = (int)floor(2 * (run->first - FILTER_MARGIN - l->origin[0]) / l->side) - 2;
        const int right = (int)floor(2 * (run->last + 1 + FILTER_MARGIN - l->origin[0]) / l->side);
        for (int strip = top > 0 ? top : 0; strip <= bottom && strip < l->strips; ++strip) {
            for (int column = left > 0 ? left : 0; column <= right && column < l->columns; ++column) {
                const size_t cell = (size_t)strip * (size_t)l->columns + (size_t)column;
                sn_picture_segment segment;
                if (!cut_run(l, run, strip, column, &segment)) {
                    continue;
                }
                if (b->pieces) {
                    b->pieces[b->starts[cell + 1]++] = (piece){segment, b->runs->islands[i]};
                } else {
                    ++b->starts[cell + 2];
                }
            }
        }
    }
}

static sn_result find_pieces(builder *b)
{
    const size_t cells = (size_t)b->lattice->columns * (size_t)b->lattice->strips;
    int64_t total = 0;
    b->starts = SN_NEW(b->scratch, int32_t, cells + 2);
    if (!b->starts) {
        return SN_ERROR_MEMORY;
    }
    list_pieces(b);
    for (size_t i = 2; i < cells + 2; ++i) {
        total += b->starts[i];
        if (total > INT32_MAX / 4) {
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "%s: pixels: too many separate runs; simplify the picture, or request fewer vertices",
                           b->runs->name);
        }
        b->starts[i] = (int32_t)total;
    }
    b->piece_count = (int)total;
    b->pieces = SN_NEW(b->scratch, piece, total);
    b->owners = SN_NEW(b->scratch, int32_t, total);
    if (!b->pieces || !b->owners) {
        return SN_ERROR_MEMORY;
    }
    list_pieces(b);
    return SN_OK;
}

static bool do_touch(const sn_picture_segment *a, const sn_picture_segment *b)
{
    return a->first <= b->last + 1 && b->first <= a->last + 1;
}

/* Merges touching pieces in [first, end), which belong to one cell and are sorted by row. */
static void merge_touching_pieces(const builder *b, int32_t *parents, int first, int end)
{
    int upper_corners = first;
    for (int i = first; i < end; ++i) {
        const sn_picture_segment *s = &b->pieces[i].segment;
        while (b->pieces[upper_corners].segment.row < s->row - 1) {
            ++upper_corners;
        }
        for (int j = upper_corners; j < i && b->pieces[j].segment.row < s->row; ++j) {
            if (do_touch(&b->pieces[j].segment, s)) {
                sn_sets_union(parents, j, i);
            }
        }
    }
}

/* Merges different islands that share a cell with the largest one there. */
static void merge_islands(const builder *b, int32_t *parents, int32_t *sizes, int first, int end)
{
    int largest_piece = -1;
    for (int i = first; i < end; ++i) {
        const int root = sn_sets_find(parents, i);
        sizes[root] += b->pieces[i].segment.last - b->pieces[i].segment.first + 1;
    }
    for (int i = first; i < end; ++i) {
        if (parents[i] == i && b->pieces[i].island >= 0 && (largest_piece < 0 || sizes[i] > sizes[largest_piece])) {
            largest_piece = i;
        }
    }
    for (int i = first; i < end && largest_piece >= 0; ++i) {
        const int32_t island = b->pieces[i].island;
        if (island >= 0 && island != b->pieces[largest_piece].island) {
            sn_sets_union(parents, i, largest_piece);
        }
    }
}

static sn_result find_fragments(builder *b)
{
    const int cells = b->lattice->columns * b->lattice->strips;
    int32_t *parents = SN_NEW(b->scratch, int32_t, b->piece_count);
    int32_t *sizes = SN_NEW(b->scratch, int32_t, b->piece_count);
    b->fragments = SN_NEW(b->scratch, sn_picture_fragment, b->piece_count);
    if (!parents || !sizes || !b->fragments) {
        return SN_ERROR_MEMORY;
    }
    sn_sets_start(parents, b->piece_count);
    for (int cell = 0; cell < cells; ++cell) {
        const int first = b->starts[cell], end = b->starts[cell + 1];
        merge_touching_pieces(b, parents, first, end);
        merge_islands(b, parents, sizes, first, end);
        for (int i = first; i < end; ++i) {
            const int root = sn_sets_find(parents, i);
            if (root == i) {
                b->owners[i] = b->fragment_count;
                b->fragments[b->fragment_count++].cell = cell;
            }
            b->owners[i] = b->owners[root];
        }
    }
    return SN_OK;
}

/* Fragments of two cells that share a pixel share corners. pairs: corners of the first and second cell, alternating. */
static void join_cells(const builder *b, int32_t one, int32_t other, const int *pairs)
{
    int i = b->starts[one], j = b->starts[other];
    while (i < b->starts[one + 1] && j < b->starts[other + 1]) {
        const sn_picture_segment *s = &b->pieces[i].segment, *t = &b->pieces[j].segment;
        if (s->row == t->row && s->first <= t->last && t->first <= s->last) {
            for (int k = 0; k < 4; k += 2) {
                sn_sets_union(b->corners, 3 * b->owners[i] + pairs[k], 3 * b->owners[j] + pairs[k + 1]);
            }
        }
        if (s->row < t->row || (s->row == t->row && s->last < t->last)) {
            ++i;
        } else {
            ++j;
        }
    }
}

static sn_result join_fragments(builder *b)
{
    static const int right_corners[4] = {1, 2, 2, 0}, upper_corners[4] = {0, 0, 1, 1};
    const sn_picture_lattice *l = b->lattice;
    b->corners = SN_NEW(b->scratch, int32_t, 3 * (size_t)b->fragment_count);
    if (!b->corners) {
        return SN_ERROR_MEMORY;
    }
    sn_sets_start(b->corners, 3 * b->fragment_count);
    for (int strip = 0; strip < l->strips; ++strip) {
        for (int column = 0; column < l->columns; ++column) {
            const int32_t cell = strip * l->columns + column;
            if (column + 1 < l->columns) {
                join_cells(b, cell, cell + 1, right_corners);
            }
            if (strip > 0 && is_pointing_down(strip, column)) {
                join_cells(b, cell, cell - l->columns, upper_corners);
            }
        }
    }
    return SN_OK;
}

/* Returns whether two copies should be merged: they share all corners, or two corners while one of the copies uses its
 * third corner alone. */
static bool is_one_copy(const builder *b, const int32_t *uses, int32_t f, int32_t g)
{
    int common_count = 0, unshared_count = 0;
    for (int k = 0; k < 3; ++k) {
        const int32_t one = sn_sets_find(b->corners, 3 * f + k), other = sn_sets_find(b->corners, 3 * g + k);
        common_count += one == other;
        unshared_count += one != other && (uses[one] == 1 || uses[other] == 1);
    }
    return common_count == 3 || (common_count == 2 && unshared_count == 1);
}

/* Merges copies whose separating gap ends inside the cell: a small hole, a notch, the steps of a slanted outline.
 * merged (fragment_count): the first copy of each group. */
static sn_result merge_copies(const builder *b, int32_t *merged)
{
    const int corner_count = 3 * b->fragment_count;
    int32_t *uses = SN_NEW(b->scratch, int32_t, corner_count); /* number of corners in each set */
    if (!uses) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < corner_count; ++i) {
        ++uses[sn_sets_find(b->corners, i)];
    }
    for (int32_t f = 0; f < b->fragment_count; ++f) {
        merged[f] = f;
        for (int32_t g = f - 1; g >= 0 && b->fragments[g].cell == b->fragments[f].cell && merged[f] == f; --g) {
            if (!is_one_copy(b, uses, f, g)) {
                continue;
            }
            merged[f] = merged[g];
            for (int k = 0; k < 3; ++k) {
                const int32_t one = sn_sets_find(b->corners, 3 * f + k), other = sn_sets_find(b->corners, 3 * g + k);
                if (sn_sets_union(b->corners, one, other)) {
                    uses[one < other ? one : other] = uses[one] + uses[other];
                }
            }
        }
    }
    return SN_OK;
}

/* Computes the opaque area of a segment inside a cell; exact for rows that the segment fills. */
static double opaque_area(const sn_picture_lattice *l, int32_t cell, const sn_picture_segment *s)
{
    const double strip_top = l->origin[1] + cell / l->columns * l->height;
    const double top = fmax(s->row, strip_top), bottom = fmin(s->row + 1, strip_top + l->height);
    const double mid_height = (top + bottom) / 2;
    double low, high;
    if (bottom <= top || !cell_extent(l, cell / l->columns, cell % l->columns, mid_height, mid_height, &low, &high)) {
        return 0;
    }
    return (bottom - top) * fmax(0, fmin(high, s->last + 1) - fmax(low, s->first));
}

/* Writes the remaining fragments with their segments, and numbers nodes in the order of first use. */
static sn_result write_fragments(builder *b, const int32_t *merged, sn_arena *arena, sn_picture_fragments *to)
{
    int32_t *index = SN_NEW(b->scratch, int32_t, b->fragment_count);
    int32_t *nodes = SN_NEW(b->scratch, int32_t, 3 * (size_t)b->fragment_count);
    to->fragments = SN_NEW(arena, sn_picture_fragment, b->fragment_count);
    to->segments = SN_NEW(arena, sn_picture_segment, b->piece_count);
    to->segment_count = b->piece_count;
    if (!index || !nodes || !to->fragments || !to->segments) {
        return SN_ERROR_MEMORY;
    }
    memset(nodes, -1, 3 * (size_t)b->fragment_count * sizeof *nodes);
    for (int32_t f = 0; f < b->fragment_count; ++f) {
        if (merged[f] != f) {
            index[f] = index[merged[f]];
            continue;
        }
        index[f] = to->count;
        sn_picture_fragment *fragment = &to->fragments[to->count++];
        *fragment = b->fragments[f];
        for (int k = 0; k < 3; ++k) {
            int32_t *node = &nodes[sn_sets_find(b->corners, 3 * f + k)];
            *node = *node < 0 ? to->node_count++ : *node;
            fragment->corners[k] = *node;
        }
    }
    for (int i = 0; i < b->piece_count; ++i) {
        ++to->fragments[index[b->owners[i]]].segment_count;
    }
    for (int f = 1; f < to->count; ++f) {
        to->fragments[f].first_segment = to->fragments[f - 1].first_segment + to->fragments[f - 1].segment_count;
        to->fragments[f - 1].segment_count = 0;
    }
    if (to->count > 0) {
        to->fragments[to->count - 1].segment_count = 0;
    }
    for (int i = 0; i < b->piece_count; ++i) { /* the pieces of a cell are sorted by row already */
        sn_picture_fragment *fragment = &to->fragments[index[b->owners[i]]];
        to->segments[fragment->first_segment + fragment->segment_count++] = b->pieces[i].segment;
        fragment->area += opaque_area(b->lattice, fragment->cell, &b->pieces[i].segment);
    }
    return SN_OK;
}

static sn_result build(builder *b, sn_arena *arena, sn_picture_fragments *fragments)
{
    sn_result result = find_pieces(b);
    if (result == SN_OK) {
        result = find_fragments(b);
    }
    if (result == SN_OK) {
        result = join_fragments(b);
    }
    int32_t *merged = result == SN_OK ? SN_NEW(b->scratch, int32_t, b->fragment_count) : NULL;
    if (result != SN_OK || !merged) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    result = merge_copies(b, merged);
    return result == SN_OK ? write_fragments(b, merged, arena, fragments) : result;
}

sn_result sn_picture_fragments_build(const sn_picture_runs *runs, const sn_picture_lattice *lattice, sn_arena *arena,
                                     sn_picture_fragments *fragments)
{
    sn_arena scratch = {0};
    builder b = {.runs = runs, .lattice = lattice, .scratch = &scratch};
    *fragments = (sn_picture_fragments){.count = 0};
    const sn_result result = build(&b, arena, fragments);
    sn_arena_finish(&scratch);
    return result;
}
