# SPDX-License-Identifier: MIT
"""Levels of detail: the time of a step, and the difference from the finest level."""

import statistics
import time

import numpy as np
import sinew

import bar

model = bar.model()


def play(mode_count, cluster_level):
    with sinew.World() as world:
        body = world.create_body(model, mode_count=mode_count, cluster_level=cluster_level)
        shapes, seconds = [], []
        for frame in range(60):
            transform = np.eye(3, 4, dtype=np.float32)
            transform[0, 3] = 0.1 * np.sin(0.4 * frame)
            body.set_rigid_pose(transform)
            start = time.perf_counter()
            world.step(1 / 60)
            seconds.append(time.perf_counter() - start)
            shapes.append(body.skin()[0])
        return np.array(shapes), statistics.median(seconds)


finest, _ = play(0, 0)
print("modes  cluster level  us/step  difference (diagonals)")
for level in range(model.cluster_level_count):
    for count in (model.mode_count, model.mode_count // 2, model.mode_count // 4):
        shapes, seconds = play(count, level)
        difference = np.linalg.norm(shapes - finest, axis=-1).max()
        print(f"{count:5}  {level:13}  {1e6 * seconds:7.0f}  {difference:.4f}")
