/* SPDX-License-Identifier: MIT */
/* One color, from specialization constants of two types. */
#version 460

layout(constant_id = 0) const float red = 0;
layout(constant_id = 1) const uint green = 0;
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(red, float(green) / 255.0, 0, 1);
}
