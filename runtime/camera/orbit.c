/* SPDX-License-Identifier: MIT */
#include "runtime/camera/orbit.h"

#include <math.h>

#define PI 3.14159265358979323846
#define PITCH_LIMIT (89 * PI / 180) /* keeps the camera upright */

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

sn_orbit sn_orbit_start(const sn_stage *stage)
{
    return (sn_orbit){.yaw = stage->yaw, .pitch = sn_stage_pitch(), .scale = 1};
}

void sn_orbit_rotate(sn_orbit *orbit, double x, double y)
{
    orbit->yaw = remainder(orbit->yaw - PI * x, 2 * PI);
    orbit->pitch = clamp(orbit->pitch + PI * y, -PITCH_LIMIT, PITCH_LIMIT);
}

void sn_orbit_zoom(sn_orbit *orbit, double notches)
{
    orbit->scale = clamp(orbit->scale * pow(0.9, notches), 0.05, 20);
}

void sn_orbit_pan(sn_orbit *orbit, const sn_stage *stage, double x, double y)
{
    const double s = sin(orbit->yaw), c = cos(orbit->yaw), sp = sin(orbit->pitch), cp = cos(orbit->pitch);
    const double right[3] = {c, 0, -s}, up[3] = {-s * sp, cp, -c * sp};
    const double height = 2 * orbit->scale * stage->distance * tan(sn_stage_vertical_angle() / 2);
    for (int d = 0; d < 3; ++d) {
        orbit->pan[d] =
            clamp(orbit->pan[d] + height * (y * up[d] - x * right[d]), -20 * stage->distance, 20 * stage->distance);
    }
}

double sn_orbit_center(sn_orbit *orbit, const sn_stage *stage, double aspect, const int size[2], int covered)
{
    const double widening = fmax(aspect * size[1] / (size[0] - covered), 1);
    sn_orbit_pan(orbit, stage, -0.5 * widening * covered / size[1], 0);
    return widening;
}

void sn_orbit_apply(const sn_orbit *orbit, const sn_stage *stage, double widening, sn_camera *camera)
{
    const double s = sin(orbit->yaw), c = cos(orbit->yaw), sp = sin(orbit->pitch), cp = cos(orbit->pitch);
    const double towards_eye[3] = {s * cp, sp, c * cp};
    const double distance = orbit->scale * widening * stage->distance;
    double offset = 0;
    for (int d = 0; d < 3; ++d) {
        offset += orbit->pan[d] * orbit->pan[d];
        camera->target[d] += (float)orbit->pan[d];
        camera->eye[d] = camera->target[d] + (float)(distance * towards_eye[d]);
    }
    camera->near_distance = (float)(0.02 * distance); /* colliders may be closer than bodies */
    camera->far_distance = (float)(distance + sqrt(offset) + 30 * stage->radius);
}
