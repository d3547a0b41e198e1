// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import test from 'node:test';

import {Connection, PROTOCOL} from '../../../tools/puppet-page/connection.mjs';

class Socket {
    static made = [];
    constructor(url, protocol) {
        Object.assign(this, {url, protocol, readyState: 0, bufferedAmount: 0, texts: []});
        Socket.made.push(this);
    }
    send(text) { this.texts.push(text); }
}

function connect() {
    const states = [], waits = [];
    Socket.made = [];
    const later = (action, wait) => waits.push({action, wait});
    const connection = new Connection('ws://localhost:1/', state => states.push(state), {Socket, later});
    return {connection, states, waits};
}

test('what cannot go at once does not go', () => {
    const {connection, states} = connect(), [socket] = Socket.made;
    assert.equal(socket.protocol, PROTOCOL);
    assert.equal(connection.send('too early'), false);
    socket.readyState = 1;
    socket.onopen();
    assert.equal(connection.send('one'), true);
    socket.bufferedAmount = 1e6;
    assert.equal(connection.send('two'), false);
    assert.deepEqual(socket.texts, ['one']);
    assert.deepEqual([connection.sent, connection.skipped], [1, 2]);
    assert.deepEqual(states, ['connecting', 'open']);
});

test('tries again, ever later, and at once after it was open', () => {
    const {states, waits} = connect();
    for (let i = 0; i < 6; ++i) {
        Socket.made.at(-1).onclose({code: 1006, reason: ''});
        waits.at(-1).action();
    }
    assert.deepEqual(waits.map(w => w.wait), [500, 1000, 2000, 4000, 5000, 5000]);
    Socket.made.at(-1).onopen();
    Socket.made.at(-1).onclose({code: 1001, reason: 'going'});
    assert.equal(waits.at(-1).wait, 500);
    assert.equal(states.at(-1), 'lost');
});

test('a refusal is for good', () => {
    const {states, waits} = connect();
    Socket.made[0].onclose({code: 1008, reason: 'message version 1: this program takes version 2 of landmarks'});
    assert.equal(waits.length, 0);
    assert.equal(states.at(-1), 'lost');
});
