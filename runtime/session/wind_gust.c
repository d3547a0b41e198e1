/* SPDX-License-Identifier: MIT */
#include "runtime/session/wind_gust.h"

#include <math.h>

#define TAU 6.28318530717958647693

double sn_wind_gust(double seconds)
{
    return 1 + 0.4 * sin(TAU * seconds / 2.9) + 0.25 * sin(TAU * seconds / 1.27) + 0.15 * sin(TAU * seconds / 0.53);
}
