# SPDX-License-Identifier: MIT
"""The body of the examples: a model file given as the first argument, or an upright bar of tets."""

import sys

import numpy as np
import sinew

CORNERS = ((0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7))


def bar(cells=(3, 12, 3)):
    """Vertices (n, 3) and tets (m, 4) of a bar of unit cells, six tets each."""
    counts = np.array(cells) + 1
    positions = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), -1).reshape(-1, 3).astype(float)
    places = np.arange(counts.prod()).reshape(counts)
    corners = np.stack([places[x:x + cells[0], y:y + cells[1], z:z + cells[2]].ravel()
                        for x in (0, 1) for y in (0, 1) for z in (0, 1)], -1)
    return positions, np.concatenate([corners[:, list(tet)] for tet in CORNERS])


def model(**desc):
    if len(sys.argv) > 1:
        return sinew.Model.open(sys.argv[1])
    positions, tets = bar()
    return sinew.cook_mesh(positions, tets=tets, **desc)
