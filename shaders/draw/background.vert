/* SPDX-License-Identifier: MIT */
#version 460
/* One triangle over the whole screen, at the far plane. */

void main()
{
    gl_Position = vec4(4 * (gl_VertexIndex & 1) - 1, 2 * (gl_VertexIndex & 2) - 1, 1, 1);
}
