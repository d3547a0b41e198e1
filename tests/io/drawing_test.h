/* SPDX-License-Identifier: MIT */
/* What tests of drawings and their skeletons share.. */
#ifndef SN_TESTS_IO_DRAWING_TEST_H
#define SN_TESTS_IO_DRAWING_TEST_H

#include "author/io/drawing/drawing.h"
#include "tests/io/io_test.h"

static inline sn_source source_text(const char *name, const char *text)
{
    return (sn_source){name, (const uint8_t *)text, strlen(text)};
}

static inline const uint8_t *pixel(const sn_drawing *d, int x, int y)
{
    return d->image.pixels + 4 * (y * d->image.width + x);
}

#endif
