/* SPDX-License-Identifier: MIT */
#include "author/io/image/halve.h"

void sn_image_halve(sn_image *image)
{
    const int width = (image->width + 1) / 2, height = (image->height + 1) / 2;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            unsigned sum[4] = {0, 0, 0, 0}, count = 0;
            for (int i = 0; i < 4; ++i) {
                const int from_x = 2 * x + i % 2, from_y = 2 * y + i / 2;
                if (from_x < image->width && from_y < image->height) {
                    const uint8_t *p = image->pixels + 4 * ((size_t)from_y * (size_t)image->width + (size_t)from_x);
                    for (int k = 0; k < 3; ++k) {
                        sum[k] += (unsigned)p[k] * p[3];
                    }
                    sum[3] += p[3];
                    ++count;
                }
            }
            uint8_t *to = image->pixels + 4 * ((size_t)y * (size_t)width + (size_t)x);
            for (int k = 0; k < 3; ++k) {
                to[k] = (uint8_t)(sum[3] > 0 ? (sum[k] + sum[3] / 2) / sum[3] : 0);
            }
            to[3] = (uint8_t)((sum[3] + count / 2) / count);
        }
    }
    image->width = width;
    image->height = height;
}
