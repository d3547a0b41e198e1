# SPDX-License-Identifier: MIT
"""Skinning eigenmodes: how well do the first k modes represent a smooth bend of the surface?"""

import numpy as np

import bar

model = bar.model(mode_count=24)
surface = model.surface
points, weights = surface["positions"], surface["mode_weights"]
print(f"{model.vertex_count} vertices, {model.tet_count} tets, {model.mode_count} modes")

# A mode is a weight w; its displacements are w (A x + b) for any 3 x 4 matrix. The bend is the best fit of all of them.
height = points[:, 1] / np.ptp(points[:, 1])
bend = np.stack([0.2 * height**2, np.zeros_like(height), np.zeros_like(height)], -1)
affine = np.concatenate([points, np.ones((len(points), 1))], 1)
for count in (1, 2, 4, 8, 16, model.mode_count):
    basis = (weights[:, :count, None] * affine[:, None, :]).reshape(len(points), -1)
    fit = basis @ np.linalg.lstsq(basis, bend, rcond=None)[0]
    print(f"{count:3} modes: relative error {np.linalg.norm(fit - bend) / np.linalg.norm(bend):.4f}")
