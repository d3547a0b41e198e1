# SPDX-License-Identifier: MIT
"""Two-way coupling: a body whose bones follow its flesh falls on the floor and comes to rest."""

import numpy as np
import sinew

import bar

model = bar.model()
with sinew.World() as world:
    floor = np.eye(3, 4, dtype=np.float32)
    floor[1, 3] = -0.8
    world.create_collider(transform=floor)
    body = world.create_body(model, solver=sinew.COUPLED, gravity=(0, -3, 0), damping=1, is_rigid_damped=True)
    for bone in range(model.bone_count):
        body.set_locks(bone, 0)
    for frame in range(181):
        if frame % 30 == 0:
            positions = body.tet_positions()
            print(f"{frame / 60:.1f} s: lowest point {positions[:, 1].min() - floor[1, 3]:+.4f} diagonals above the floor, "
                  f"height {np.ptp(positions[:, 1]):.4f}")
        world.step(1 / 60)
