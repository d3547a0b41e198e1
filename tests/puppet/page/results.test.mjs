// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import test from 'node:test';

import {momentOf, shapesOf, sideOfHand} from '../../../tools/puppet-page/results.mjs';
import {taskOfFile} from '../../../tools/puppet-page/tracker.mjs';

const shapes = [{categories: [{index: 0, categoryName: '_neutral', score: 0.9}, {index: 25, categoryName: 'jawOpen', score: 0.4}]}];
const hand = x => Array.from({length: 21}, () => ({x, y: 0.5, z: 0}));
const pose = Array.from({length: 33}, (_, i) => ({x: i === 15 ? 0.8 : i === 16 ? 0.2 : 0.5, y: 0.5, z: 0, visibility: i / 33}));
const world = pose.map(p => ({...p, visibility: 0}));

test('blend shapes by their names, without the one that is none', () => {
    assert.deepEqual(shapesOf(shapes), {jawOpen: 0.4});
    assert.deepEqual(shapesOf([]), {});
    assert.deepEqual(shapesOf(undefined), {});
});

test('a hand is on the side of the nearest wrist', () => {
    assert.equal(sideOfHand(hand(0.75), [{categoryName: 'Right'}], pose), 0);
    assert.equal(sideOfHand(hand(0.25), [{categoryName: 'Right'}], pose), 1);
});

test('without a pose, handedness is that of a mirror', () => {
    assert.equal(sideOfHand(hand(0.75), [{categoryName: 'Left'}], undefined), 1);
    assert.equal(sideOfHand(hand(0.75), [{categoryName: 'Right'}], undefined), 0);
});

test('a holistic result', () => {
    const holistic = {
        poseLandmarks: [pose], poseWorldLandmarks: [world], leftHandLandmarks: [hand(0.8)],
        leftHandWorldLandmarks: [hand(0)], rightHandLandmarks: [], rightHandWorldLandmarks: [],
        faceLandmarks: [], faceBlendshapes: shapes
    };
    const moment = momentOf({holistic}, 40, true);
    assert.equal(moment.time, 40);
    assert.equal(moment.mirrored, true);
    assert.equal(moment.pose[32].visibility, 32 / 33);
    assert.equal(moment.leftHand.length, 21);
    assert.equal(moment.rightHand, undefined);
    assert.deepEqual(moment.blendshapes, {jawOpen: 0.4});
});

test('a holistic result of nobody', () => {
    const moment = momentOf({holistic: {poseLandmarks: [], poseWorldLandmarks: [], faceLandmarks: [], faceBlendshapes: []}}, 0, false);
    assert.equal(moment.pose, undefined);
    assert.deepEqual(moment.blendshapes, {});
});

test('results of tasks of their own', () => {
    const matrix = {rows: 4, columns: 4, data: new Array(16).fill(1)};
    const results = {
        pose: {landmarks: [pose], worldLandmarks: [world]},
        hand: {landmarks: [hand(0.3), hand(0.75), hand(0.22)], worldLandmarks: [hand(1), hand(2), hand(3)],
               handedness: [[], [], []]},
        face: {faceLandmarks: [[]], faceBlendshapes: shapes, facialTransformationMatrixes: [matrix]}
    };
    const moment = momentOf(results, 0, false);
    assert.equal(moment.leftHand[0].x, 2);
    assert.equal(moment.rightHand[0].x, 3); // of two on one side, the nearer one
    assert.deepEqual(moment.face, matrix.data);
    assert.equal(momentOf({pose: {landmarks: [], worldLandmarks: []}}, 0, false).pose, undefined);
});

test('tasks by the names of their files', () => {
    assert.equal(taskOfFile('pose_landmarker_full.task'), 'pose');
    assert.equal(taskOfFile('Holistic_Landmarker.task'), 'holistic');
    assert.equal(taskOfFile('hand_landmarker (1).task'), 'hand');
    assert.equal(taskOfFile('gesture.task'), null);
});
