# SPDX-License-Identifier: MIT
"""One jolt, then free vibration: its frequency and how fast it decays."""

import numpy as np
import sinew

import bar

model = bar.model()
rate = 240
with sinew.World(time_step=1 / rate) as world:
    body = world.create_body(model, stiffness=0.2, damping=1)
    rest, _ = body.skin()
    top = np.argmax(rest[:, 1])
    transform = np.eye(3, 4, dtype=np.float32)
    track = []
    for frame in range(2 * rate):
        transform[0, 3] = 0.1 * min(frame / (0.05 * rate), 1)  # a tenth of the diagonal in 0.05 s
        body.set_rigid_pose(transform)
        world.step(1 / rate)
        track.append(body.skin()[0][top, 0] - rest[top, 0] - transform[0, 3])
    track = np.array(track)

spectrum = np.abs(np.fft.rfft(track * np.hanning(len(track)), 8 * len(track)))
frequency = np.fft.rfftfreq(8 * len(track), 1 / rate)[np.argmax(spectrum)]
halves = [np.abs(track[part]).max() for part in (slice(None, rate), slice(rate, None))]
print(f"displacement of the top: at most {np.abs(track).max():.4f} diagonals")
print(f"frequency {frequency:.2f} Hz; amplitude in the second second: {halves[1] / halves[0]:.2f} of the first "
      f"(half of the damping, 1/s, for small motions: {np.exp(-0.5):.2f})")
