/* SPDX-License-Identifier: MIT */
#include "author/motions/curves.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "author/motions/monotone_cubic.h"

/* Key `i` of the endless sequence. */
static void key_at(const sn_motion_curve_keys *curve, int i, double key[2])
{
    const int loops = (int)floor((double)i / curve->key_count);
    key[0] = curve->keys[i - loops * curve->key_count][0] + loops;
    key[1] = curve->keys[i - loops * curve->key_count][1];
}

/* Evaluates a curve in [0, 1), with four keys around the time. */
static double value_at(const sn_motion_curve_keys *curve, double time)
{
    if (curve->key_count == 1) {
        return curve->keys[0][1];
    }
    int i = curve->key_count - 1;
    while (i >= 0 && time < curve->keys[i][0]) {
        --i;
    }
    double keys[4][2], secants[3];
    for (int k = 0; k < 4; ++k) {
        key_at(curve, i - 1 + k, keys[k]);
    }
    for (int k = 0; k < 3; ++k) {
        secants[k] = (keys[k + 1][1] - keys[k][1]) / (keys[k + 1][0] - keys[k][0]);
    }
    const double width = keys[2][0] - keys[1][0];
    return sn_hermite(
        (time - keys[1][0]) / width, width, (double[2]){keys[1][1], keys[2][1]},
        (double[2]){sn_monotone_slope(secants[0], secants[1]), sn_monotone_slope(secants[1], secants[2])});
}

void sn_motion_evaluate(const sn_motion_table *table, double time, double values[2][SN_MOTION_CHANNEL_COUNT])
{
    memset(values, 0, 2 * sizeof *values);
    for (int i = 0; i < table->curve_count; ++i) {
        const sn_motion_curve_keys *curve = &table->curves[i];
        for (int side = 0; side < 2; ++side) {
            const double delay = side == 1 && curve->sides == SN_ALTERNATE && curve->channel >= SN_FOOT_OUT ? 0.5 : 0;
            const double repeated = curve->repeat_count * (time + delay);
            const bool is_other_side = curve->sides == (side == 0 ? SN_RIGHT : SN_LEFT);
            if (!is_other_side || curve->channel < SN_FOOT_OUT) {
                values[side][curve->channel] += value_at(curve, repeated - floor(repeated));
            }
        }
    }
}
