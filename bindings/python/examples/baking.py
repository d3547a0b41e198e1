# SPDX-License-Identifier: MIT
"""Baking: the drawn surface over a motion, compressed to shapes and their weights within an error bound."""

import numpy as np
import sinew

import bar

BOUND = 1e-3  # diagonals

model = bar.model()
shapes = []
with sinew.World() as world:
    body = world.create_body(model)
    frames = int(60 * model.clips[0][1]) if model.clip_count else 90
    for frame in range(frames):
        if model.clip_count:
            body.set_pose(model.clip_pose(0, frame / 60))
        else:
            transform = np.eye(3, 4, dtype=np.float32)
            transform[0, 3] = 0.1 * np.sin(0.3 * frame)
            body.set_rigid_pose(transform)
        if frame == 0:
            body.reset()
        world.step(1 / 60)
        shapes.append(body.skin()[0].astype(float).ravel())

shapes = np.array(shapes)
mean = shapes.mean(0)
left, sizes, right = np.linalg.svd(shapes - mean, full_matrices=False)
for count in range(len(sizes) + 1):
    rebuilt = mean + (left[:, :count] * sizes[:count]) @ right[:count]
    error = np.linalg.norm((rebuilt - shapes).reshape(len(shapes), -1, 3), axis=-1).max()
    if error <= BOUND:
        break
np.savez("baked.npz", mean=mean.reshape(-1, 3), shapes=right[:count].reshape(count, -1, 3),
         weights=left[:, :count] * sizes[:count], triangles=model.surface["triangles"])
print(f"baked.npz: {len(shapes)} frames of {shapes.shape[1] // 3} vertices in {count} shapes, error {error:.5f} diagonals")
