// SPDX-License-Identifier: MIT
// Runs page.js in a real Chromium.
//   node run.mjs KNOWN AVATAR MODEL [AVATAR MODEL]...
// KNOWN: the largest mode entry that a native build prints for 240 frames of the first model's first clip. Pictures go
// to the folder in PICTURES.

import assert from 'node:assert/strict';
import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [known, ...files] = process.argv.slice(2);
const folder = fileURLToPath(new URL('..', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const file = path.startsWith('/file/') ? files[Number(path.split('/')[2])] : join(folder, path);
    if (!existsSync(file)) {
        response.writeHead(path === '/favicon.ico' ? 204 : 404).end();
        return;
    }
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = (index) => `/file/${index}/${encodeURIComponent(basename(files[index]))}`;

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const page = await browser.newPage();
const messages = [];
page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
page.on('pageerror', (error) => messages.push(`error: ${error.stack}`));
const call = (name, value) => page.evaluate(([f, v]) => window[f](v), [name, value]);
const save = (name, picture) => {
    if (process.env.PICTURES) {
        mkdirSync(process.env.PICTURES, { recursive: true });
        writeFileSync(join(process.env.PICTURES, `${name}.png`), Buffer.from(picture.split(',')[1], 'base64'));
    }
};

try {
    await page.goto(`http://127.0.0.1:${server.address().port}/tests/page.html`);
    await page.waitForFunction('window.isReady', null, { timeout: 60000 });

    const { largest, milliseconds } = await call('playClip', address(1));
    console.log(`known number ${largest.toPrecision(10)}, best step ${milliseconds.toFixed(3)} ms`);
    assert.equal(largest.toPrecision(10), Number(known).toPrecision(10));

    for (let index = 0; index < files.length; index += 2) {
        const name = basename(files[index]);
        const result = await call('playAvatar', {
            avatar: address(index), model: address(index + 1), frames: 45, clip: 'jump',
            scale: index === 0 ? 1 : 1.7,
        });
        const { pictures, problems, ...figures } = result;
        console.log(`${name}: ${JSON.stringify(figures)}`);
        for (const [kind, picture] of Object.entries(pictures)) {
            save(`${name}-${kind}`, picture);
        }
        assert.deepEqual(problems, []);
        assert.equal(result.unmatched, 0, 'every vertex is found in the model');
        assert.ok(result.error < 2e-4, 'the shader draws what the library computes');
        assert.notEqual(pictures.flesh, pictures.bones);
        assert.equal(pictures.bones, pictures.detached, 'an amount of 0 draws the avatar as three.js does');
    }
    const crowd = await call('playCrowd', { avatar: address(0), model: address(1), count: 20 });
    save('crowd', crowd.picture);
    console.log(`20 avatars: ${crowd.milliseconds.toFixed(2)} ms an update`);
    assert.deepEqual(crowd.problems, []);
    assert.deepEqual(messages.filter((message) => /^error/.test(message)), []);
} finally {
    await browser.close();
    server.close();
}
