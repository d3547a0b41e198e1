// SPDX-License-Identifier: MIT
// The page: a source, MediaPipe's tasks, the socket, and the user interface.
//   ?demo        starts the dance
//   ?mirrored=0  the character's left is the person's left
//   ?models=A,B  loads .task files by paths relative to the page
//   ?delegate=cpu tracks without WebGL
//   ?socket=URL  connects a page that `sinew` does not serve to this server; the served page connects only to its own
import {Connection} from './connection.mjs';
import {demoMoment} from './demo.mjs';
import {buildMessage, isAnything} from './message.mjs';
import {draw} from './overlay.mjs';
import {hasNewPicture, openCamera, openFile} from './source.mjs';
import {Tracker} from './tracker.mjs';

const query = new URLSearchParams(location.search);
const at = id => document.getElementById(id);
const canvas = at('stage'), mirrored = at('mirrored');
const tracker = new Tracker(query.get('delegate') === 'cpu' ? 'CPU' : 'GPU');

let source = null; // null, 'demo', or a source of source.mjs
let frames = 0, sentBefore = 0, counted = performance.now();

function complain(error) {
    at('errors').textContent = error ? String(error.message ?? error) : '';
}

// Runs the action of a button and displays its error.
async function attempt(action) {
    complain(null);
    try {
        await action();
    } catch (error) {
        complain(error);
    }
}

function showConnection(state, words) {
    at('connection').className = state;
    at('connection').textContent = words;
}

const socketUrl = query.get('socket') ?? `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`;
const connection = new Connection(socketUrl, showConnection);

function setSource(next, name) {
    source?.stop?.();
    source = next;
    canvas.width = next?.width ?? 640;
    canvas.height = next?.height ?? 640;
    at('source-name').textContent = name;
}

function showModels() {
    at('model-names').textContent = tracker.names.length > 0 ? `loaded: ${tracker.names.join(', ')}` : 'none is loaded';
}

async function addModel(name, bytes) {
    at('model-names').textContent = `loading ${name} ...`;
    try {
        await tracker.add(name, bytes);
    } finally {
        showModels();
    }
}

async function addModelByPath(path) {
    const answer = await fetch(path);
    if (!answer.ok) {
        throw new Error(`${path}: the server says ${answer.status} ${answer.statusText}`);
    }
    await addModel(path.split('/').pop(), new Uint8Array(await answer.arrayBuffer()));
}

function momentNow(time) {
    if (source === 'demo') {
        return demoMoment(time, mirrored.checked);
    }
    const aspect = source.width / source.height;
    return tracker.names.length > 0 ? {...tracker.track(source.element, time, mirrored.checked), aspect}
                                    : {time, mirrored: mirrored.checked, image: {}};
}

function showRates(time) {
    if (time - counted >= 1000) {
        const seconds = (time - counted) / 1000;
        at('rates').textContent = `${(frames / seconds).toFixed(0)} pictures a second, ` +
            `${((connection.sent - sentBefore) / seconds).toFixed(0)} messages sent, ${connection.skipped} skipped in all`;
        frames = 0;
        sentBefore = connection.sent;
        counted = time;
    }
}

function step() {
    const time = performance.now();
    if (source === 'demo' || (source && hasNewPicture(source))) {
        try {
            const moment = momentNow(time);
            if (isAnything(moment)) {
                connection.send(buildMessage(moment));
            }
            draw(canvas, moment, source === 'demo' ? null : source.element);
        } catch (error) {
            setSource(null, 'stopped');
            complain(error);
        }
        ++frames;
    }
    showRates(time);
}

// Background tabs get no animation frames; a slow timer continues there.
function loop() {
    step();
    document.hidden ? setTimeout(loop, 100) : requestAnimationFrame(loop);
}

at('demo').onclick = () => attempt(() => setSource('demo', 'a dance, without a camera'));
at('camera').onclick = () => attempt(async () => setSource(await openCamera(), 'camera'));
at('file').onchange = event => attempt(async () => {
    const [file] = event.target.files;
    if (file) {
        setSource(await openFile(file), file.name);
    }
});
at('models').onchange = event => attempt(async () => {
    for (const file of event.target.files) {
        await addModel(file.name, new Uint8Array(await file.arrayBuffer()));
    }
});
at('load-path').onclick = () => attempt(() => addModelByPath(at('path').value));

document.addEventListener('securitypolicyviolation', event => {
    if (event.effectiveDirective === 'connect-src') {
        complain(`${event.blockedURI}: the server of this page lets it connect to nothing but itself`);
    }
});
mirrored.checked = query.get('mirrored') !== '0';
showModels();
if (query.has('demo')) {
    at('demo').click();
}
if (query.has('models')) {
    attempt(async () => {
        for (const path of query.get('models').split(',')) {
            await addModelByPath(path);
        }
    });
}
loop();
