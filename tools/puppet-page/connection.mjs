// SPDX-License-Identifier: MIT
// The socket to `sinew puppet`. It reconnects after a loss and has no queue: messages that cannot be sent at once are
// dropped.

export const PROTOCOL = 'sinew-landmarks';

const FIRST_WAIT = 500, LONGEST_WAIT = 5000; // milliseconds
const MOST_BUFFERED = 32768;                 // bytes in the send buffer

// onState(state, words): 'connecting', 'open' or 'lost', and the text to display.
export class Connection {
    constructor(url, onState, {Socket = WebSocket, later = setTimeout} = {}) {
        Object.assign(this, {url, onState, Socket, later, wait: FIRST_WAIT, sent: 0, skipped: 0});
        this.open();
    }

    open() {
        this.onState('connecting', `connecting to ${this.url}`);
        this.socket = new this.Socket(this.url, PROTOCOL);
        this.socket.onopen = () => {
            this.wait = FIRST_WAIT;
            this.onState('open', 'connected');
        };
        this.socket.onclose = event => this.closed(event);
    }

    // 1008 is final: the program refuses the messages of this page.
    closed(event) {
        if (event.code === 1008) {
            this.onState('lost', `refused: ${event.reason}. Build the page anew and reload it.`);
            return;
        }
        const why = event.reason ? `: ${event.reason}` : '; is sinew puppet running?';
        this.onState('lost', `connection lost${why} Trying again in ${(this.wait / 1000).toFixed(1)} s.`);
        this.later(() => this.open(), this.wait);
        this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    }

    // Returns false if the message was dropped.
    send(text) {
        const canGo = this.socket.readyState === 1 && this.socket.bufferedAmount < MOST_BUFFERED;
        if (canGo) {
            this.socket.send(text);
        }
        canGo ? ++this.sent : ++this.skipped;
        return canGo;
    }
}
