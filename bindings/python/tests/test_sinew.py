# SPDX-License-Identifier: MIT
"""python3 test_sinew.py MODEL KNOWN: KNOWN is what tests/house/platforms/largest_mode.c prints for the model."""

import gc
import logging
import os
import sys
import tempfile
import unittest

import numpy as np
import sinew

MODEL, KNOWN = sys.argv[1], float(sys.argv[2])
TETRAHEDRA = [[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]]
CUBE = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]


def cook_tower(**desc):
    """Five cubes on each other."""
    points = [[x, y, z] for y in range(6) for x in (0, 1) for z in (0, 1)]
    tets = []
    for floor in range(5):
        corner = {(x, y, z): 4 * (floor + y) + 2 * x + z for x, y, z in CUBE}
        tets += [[corner[tuple(CUBE[vertex])] for vertex in tet] for tet in TETRAHEDRA]
    return sinew.cook_mesh(points, tets=tets, **desc)


class Steps(unittest.TestCase):
    def test_same_numbers_as_in_c(self):
        model = sinew.Model.open(MODEL)
        largest = 0
        with sinew.World() as world:
            body = world.create_body(model)
            for frame in range(240):
                body.set_pose(model.clip_pose(0, frame / 60))
                if frame == 0:
                    body.reset()
                world.step(1 / 60)
                largest = max(largest, np.abs(body.output()[model.bone_count:]).max())
        self.assertEqual(f"{largest:.10g}", f"{KNOWN:.10g}")

    def test_views_are_not_copies_and_keep_their_owner(self):
        model = sinew.Model.open(MODEL)
        positions = model.surface["positions"]
        self.assertFalse(positions.flags.owndata)
        self.assertFalse(positions.flags.writeable)
        self.assertEqual(positions.ctypes.data, model.surface["positions"].ctypes.data)
        copy = positions.copy()
        del model
        gc.collect()
        self.assertTrue((positions == copy).all())

    def test_weights_sum_to_one(self):
        surface = sinew.Model.open(MODEL).surface
        sums = np.add.reduceat(surface["influences"]["weight"], surface["influence_starts"][:-1])
        self.assertLess(np.abs(sums - 1).max(), 1e-5)

    def test_rest_is_the_surface(self):
        model = sinew.Model.open(MODEL)
        with sinew.World() as world:
            body = world.create_body(model)
            world.step(1 / 60)
            self.assertLess(np.abs(body.skin()[0] - model.surface["positions"]).max(), 1e-5)

    def test_a_free_coupled_body_falls(self):
        model = cook_tower()
        with sinew.World() as world:
            body = world.create_body(model, solver=sinew.COUPLED, gravity=(0, -1, 0))
            body.set_locks(0, 0)
            before = body.tet_positions()
            for _ in range(60):
                world.step(1 / 60)
            fall = (body.tet_positions() - before)[:, 1]
            self.assertLess(np.abs(fall + 0.5).max(), 0.02)
            sideways, down, forwards = body.motion().momentum
            self.assertLess(max(abs(sideways), abs(forwards)), 1e-3 * abs(down))


class Cooking(unittest.TestCase):
    def test_cook_save_and_open(self):
        stages = []
        model = cook_tower(mode_count=6, progress=lambda stage: stages.append(stage))
        self.assertEqual((model.tet_count, model.mode_count, model.report.tet_count), (30, 6, 30))
        self.assertTrue(stages)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tower.sinew")
            model.save(path)
            self.assertEqual(os.listdir(folder), ["tower.sinew"])
            again = sinew.Model.open(path)
        self.assertTrue((again.surface["positions"] == model.surface["positions"]).all())

    def test_values_per_tet_and_pins_are_arrays(self):
        pinned = cook_tower(mode_count=3, pins=[0, 1, 2, 3])
        self.assertEqual(pinned.report.pin_count, 4)

    def test_cancel(self):
        with self.assertRaises(sinew.SinewError) as caught:
            cook_tower(progress=lambda stage: False)
        self.assertEqual(caught.exception.result, sinew.lib.SN_ERROR_CANCELLED)

    def test_an_exception_of_progress_is_raised(self):
        def stop(stage):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            cook_tower(progress=stop)


class Errors(unittest.TestCase):
    def test_files(self):
        with self.assertRaises(FileNotFoundError):
            sinew.Model.open("/nonexistent.sinew")
        with self.assertRaisesRegex(sinew.SinewError, "/nonexistent.glb"):
            sinew.cook("/nonexistent.glb")
        with self.assertRaises(sinew.SinewError) as caught:
            sinew.Model(b"not a model")
        self.assertEqual(caught.exception.result, sinew.lib.SN_ERROR_FORMAT)

    def test_arguments(self):
        model = cook_tower()
        with sinew.World() as world:
            with self.assertRaisesRegex(TypeError, "stifness.*stiffness"):
                world.create_body(model, stifness=1)
            with self.assertRaisesRegex(sinew.SinewError, "stiffness"):
                world.create_body(model, stiffness=-1)
            body = world.create_body(model)
            with self.assertRaises(ValueError):
                body.set_pose(np.eye(4))
            with self.assertRaises(ValueError):
                body.tet_positions()
            with self.assertRaises(IndexError):
                model.clip_pose(99, 0)
            with self.assertRaises(sinew.SinewError):
                body.set_desc(tolerance=-1)
            body.set_desc(damping=2)
            body.destroy()
            with self.assertRaises(ValueError):
                body.reset()
        with self.assertRaises(ValueError):
            world.step(1)

    def test_warnings_are_logged(self):
        model = cook_tower()
        with sinew.World() as world, self.assertLogs("sinew", logging.WARNING):
            body = world.create_body(model)
            body.set_rigid_pose(np.full((3, 4), np.nan))
            world.step(1 / 60)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
