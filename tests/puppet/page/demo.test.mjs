// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import test from 'node:test';

import {demoMoment} from '../../../tools/puppet-page/demo.mjs';

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
const BONES = [[11, 13], [13, 15], [12, 14], [14, 16], [23, 25], [25, 27], [24, 26], [26, 28], [27, 29], [29, 31]];

test('a dancer keeps the lengths of bones, and moves by little from frame to frame', () => {
    const first = demoMoment(0).pose;
    let before = first;
    for (let time = 0; time < 8000; time += 20) {
        const {pose, leftHand, rightHand, blendshapes} = demoMoment(time);
        assert.equal(pose.length, 33);
        assert.ok(leftHand.length === 21 && rightHand.length === 21);
        for (const [a, b] of BONES) {
            assert.ok(Math.abs(distance(pose[a], pose[b]) - distance(first[a], first[b])) < 1e-9);
        }
        assert.ok(pose.every((p, i) => distance(p, before[i]) < 0.08));
        assert.ok(Object.values(blendshapes).every(weight => weight >= 0 && weight <= 1));
        before = pose;
    }
});

test('a dancer steps aside and crouches', () => {
    const asides = [], heights = [];
    for (let time = 0; time < 8000; time += 100) {
        const {pose, image} = demoMoment(time);
        asides.push(2.5 * ((image.pose[23].x + image.pose[24].x) / 2 - 0.5));
        heights.push(Math.max(...pose.map(p => p.y)));
        assert.ok(image.pose.every(p => p.x > 0 && p.x < 1 && p.y > 0 && p.y < 1));
    }
    assert.ok(Math.max(...asides) > 0.4 && Math.min(...asides) < -0.4);
    assert.ok(Math.max(...heights) > 0.85 && Math.min(...heights) < 0.6);
});

test('left is to the right in the picture', () => {
    const {pose} = demoMoment(0);
    assert.ok(pose[11].x > pose[12].x && pose[23].x > pose[24].x && pose[7].x > pose[8].x);
    assert.ok(pose[0].y < pose[23].y && pose[0].z < pose[7].z);
});
