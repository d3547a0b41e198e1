// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import test from 'node:test';

import {hasNewPicture} from '../../../tools/puppet-page/source.mjs';

test('each picture of a video is taken once', () => {
    const source = {element: {currentTime: 0}};
    assert.deepEqual([hasNewPicture(source), hasNewPicture(source)], [true, false]);
    source.element.currentTime = 1 / 30;
    assert.deepEqual([hasNewPicture(source), hasNewPicture(source)], [true, false]);
    source.element.currentTime = 0; // it begins again
    assert.equal(hasNewPicture(source), true);
});

test('a picture that is no video goes on', () => {
    const source = {element: {naturalWidth: 640}};
    assert.deepEqual([hasNewPicture(source), hasNewPicture(source)], [true, true]);
});
