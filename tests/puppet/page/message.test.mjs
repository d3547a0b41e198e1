// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';

import {demoMoment} from '../../../tools/puppet-page/demo.mjs';
import {buildMessage, HAND_COUNT, isAnything, POSE_COUNT} from '../../../tools/puppet-page/message.mjs';

const point = {x: 0.1, y: -0.2, z: 0.3333333, visibility: 0.5};
const points = count => Array.from({length: count}, () => ({...point}));

test('a moment without anything is a message', () => {
    assert.deepEqual(JSON.parse(buildMessage({time: 12.5})), {sinew: 'landmarks', version: 1, time: 12.5});
});

test('a moment in which nobody is seen is not worth a message', () => {
    assert.equal(isAnything({time: 1, mirrored: true, image: {}, blendshapes: {}}), false);
    assert.equal(isAnything({time: 1, face: new Float32Array(16)}), true);
    assert.equal(isAnything({time: 1, blendshapes: {jawOpen: 0}}), true);
});

test('points are rounded, and visibilities kept within 0 and 1', () => {
    const pose = points(POSE_COUNT);
    pose[1].visibility = 1.0000002;
    delete pose[2].visibility;
    const message = JSON.parse(buildMessage({time: 0, mirrored: true, pose, leftHand: points(HAND_COUNT)}));
    assert.equal(message.mirrored, true);
    assert.deepEqual(message.pose[0], [0.1, -0.2, 0.33333, 0.5]);
    assert.equal(message.pose[1][3], 1);
    assert.equal(message.pose[2][3], 1);
    assert.deepEqual(message.leftHand[20], [0.1, -0.2, 0.33333]);
    assert.equal(message.rightHand, undefined);
});

test('parts that are not whole are left out', () => {
    const pose = points(POSE_COUNT), rightHand = points(HAND_COUNT - 1);
    pose[7].y = NaN;
    const moment = {time: 0, pose, rightHand, face: new Array(15).fill(1), blendshapes: {jawOpen: NaN}};
    assert.deepEqual(JSON.parse(buildMessage(moment)), {sinew: 'landmarks', version: 1, time: 0});
});

test('a pose in the picture is in heights from its middle', () => {
    const pose = points(POSE_COUNT), image = {pose: points(POSE_COUNT)};
    const message = JSON.parse(buildMessage({time: 0, pose, image, aspect: 1.5}));
    assert.deepEqual(message.image[32], [-0.6, -0.7]);
    assert.equal(message.image.length, POSE_COUNT);
    assert.equal(JSON.parse(buildMessage({time: 0, pose, image})).image, undefined);
    assert.equal(JSON.parse(buildMessage({time: 0, pose, image: {}, aspect: 1.5})).image, undefined);
    assert.equal(JSON.parse(buildMessage({time: 0, image, aspect: 1.5})).image, undefined);
});

test('faces', () => {
    const face = new Float32Array(16).fill(0.1);
    const message = JSON.parse(buildMessage({time: 0, face, blendshapes: {jawOpen: 0.123456, tongueOut: 1}}));
    assert.equal(message.face.length, 16);
    assert.equal(message.face[0], 0.1);
    assert.deepEqual(message.blendshapes, {jawOpen: 0.12346, tongueOut: 1});
});

// The same file is a seed of the fuzz target, and read by test_web.c: both ends of the socket agree on it.
test('the message that the reader of messages is tested with', () => {
    const seed = readFileSync(new URL('../../fuzz/corpus/landmarks/dance.json', import.meta.url), 'utf8');
    assert.equal(buildMessage(demoMoment(1700, true)), seed.trimEnd());
});
