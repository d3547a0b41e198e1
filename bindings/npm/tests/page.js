// SPDX-License-Identifier: MIT
// What run.mjs calls in the browser.

import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js';
import { VRMLoaderPlugin } from '@pixiv/three-vrm';
import { Body, Sinew } from 'sinew';
import { addModes } from '/dist/shader.js';

const size = 480;
const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
renderer.setSize(size, size);
renderer.setClearColor(0x99aabb);
renderer.shadowMap.enabled = true;
document.body.append(renderer.domElement);
const problems = [];
renderer.debug.onShaderError = (gl, program, vertex) => problems.push(
    `${gl.getShaderInfoLog(vertex)} ${gl.getProgramInfoLog(program)}`);

const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser));

/** What tests/house/platforms/largest_mode.c prints, and the time of the fastest step. */
window.playClip = async (address) => {
    const sinew = await Sinew.load(address);
    const model = sinew.models[0].model;
    const body = new Body(sinew.world, model);
    let largest = 0;
    let milliseconds = Infinity;
    for (let frame = 0; frame < 240; ++frame) {
        body.setClipPose(0, frame / 60);
        if (frame === 0) {
            body.reset();
        }
        const start = performance.now();
        sinew.world.step(1 / 60);
        milliseconds = Math.min(milliseconds, performance.now() - start);
        for (const value of body.output().subarray(12 * model.boneCount)) {
            largest = Math.max(largest, Math.abs(value));
        }
    }
    sinew.dispose();
    return { largest, milliseconds };
};

/** What the vertex shader computes for each vertex of a mesh: positions or normals in the scene. */
function readVertices(flesh, mesh, isNormal) {
    const count = mesh.geometry.getAttribute('position').count;
    const side = Math.ceil(Math.sqrt(count));
    const target = new THREE.WebGLRenderTarget(side, side, { type: THREE.FloatType, depthBuffer: false });
    const material = new THREE.ShaderMaterial({
        depthTest: false,
        vertexShader: `
            #include <common>
            #include <morphtarget_pars_vertex>
            #include <skinning_pars_vertex>
            varying vec3 result;
            void main() {
                #include <beginnormal_vertex>
                #include <morphnormal_vertex>
                #include <skinbase_vertex>
                #include <skinnormal_vertex>
                #include <begin_vertex>
                #include <morphtarget_vertex>
                #include <skinning_vertex>
                result = ${isNormal ? 'normalize(mat3(modelMatrix) * objectNormal)' :
        '(modelMatrix * vec4(transformed, 1.0)).xyz'};
                vec2 place = vec2(gl_VertexID % ${side}, gl_VertexID / ${side});
                gl_Position = vec4((place + 0.5) / ${side}.0 * 2.0 - 1.0, 0.0, 1.0);
                gl_PointSize = 1.0;
            }`,
        fragmentShader: 'varying vec3 result; void main() { gl_FragColor = vec4(result, 1.0); }',
    });
    addModes(material, flesh.uniforms);
    const probe = mesh.isSkinnedMesh ? new THREE.SkinnedMesh(mesh.geometry, material) :
        new THREE.Mesh(mesh.geometry, material);
    probe.morphTargetInfluences = mesh.morphTargetInfluences;
    probe.isMesh = false;
    probe.isPoints = true; // one pixel a vertex
    probe.frustumCulled = false;
    probe.matrixAutoUpdate = false;
    probe.matrix.copy(mesh.matrixWorld);
    probe.matrixWorldNeedsUpdate = true;
    if (mesh.isSkinnedMesh) {
        probe.bind(mesh.skeleton, mesh.bindMatrix);
    }
    const scene = new THREE.Scene();
    scene.add(probe);
    renderer.setRenderTarget(target);
    renderer.clear();
    renderer.render(scene, new THREE.Camera());
    const pixels = new Float32Array(4 * side * side);
    renderer.readRenderTargetPixels(target, 0, 0, side, side, pixels);
    renderer.setRenderTarget(null);
    target.dispose();
    material.dispose();
    return pixels;
}

/** The shader's vertices against the library's skin on the CPU, as fractions of the diagonal, and normals in degrees. */
function compareWithLibrary(flesh) {
    const { positions, meshes } = flesh.skin();
    const { normals } = flesh.body.skin();
    const diagonal = flesh.height;
    const index = new Set();
    let error = 0;
    let normalError = 0;
    let count = 0;
    for (const { mesh, vertices } of meshes) {
        const gpu = readVertices(flesh, mesh, false);
        const gpuNormals = readVertices(flesh, mesh, true);
        const used = mesh.geometry.index ? new Set(mesh.geometry.index.array) : vertices.keys();
        for (const v of used) {
            const at = 3 * vertices[v];
            if (at >= 0 && gpu[4 * v + 3] === 1) {
                error = Math.max(error, Math.hypot(gpu[4 * v] - positions[at], gpu[4 * v + 1] - positions[at + 1],
                    gpu[4 * v + 2] - positions[at + 2]) / diagonal);
                const cosine = gpuNormals[4 * v] * normals[at] + gpuNormals[4 * v + 1] * normals[at + 1] +
                    gpuNormals[4 * v + 2] * normals[at + 2];
                normalError += (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
                index.add(vertices[v]);
                ++count;
            }
        }
    }
    return { error, normalError: normalError / count, compared: index.size };
}

function makeScene(root) {
    root.updateMatrixWorld(true); // the box of a skinned mesh uses its bones
    const scene = new THREE.Scene();
    const box = new THREE.Box3().setFromObject(root);
    const center = box.getCenter(new THREE.Vector3());
    const length = box.getSize(new THREE.Vector3()).length();
    const camera = new THREE.PerspectiveCamera(30, 1, 0.01 * length, 10 * length);
    camera.position.copy(center).add(new THREE.Vector3(0.6, 0.2, 2.2).multiplyScalar(length));
    camera.lookAt(center);
    camera.updateMatrixWorld();
    const light = new THREE.DirectionalLight(0xffffff, 2.5);
    light.position.copy(center).add(new THREE.Vector3(length, 2 * length, 2 * length));
    light.target.position.copy(center);
    light.castShadow = true;
    Object.assign(light.shadow.camera, { left: -length, right: length, top: length, bottom: -length, far: 6 * length });
    scene.add(light, light.target, new THREE.HemisphereLight(0xffffff, 0x777777, 1.2), root);
    root.traverse((object) => {
        object.castShadow = true;
        object.frustumCulled = false;
    });
    return { scene, camera, length };
}

/** Loads an avatar and its model, moves it for some frames, and compares and draws it. */
window.playAvatar = async ({ avatar, model, frames, clip, scale }) => {
    const gltf = await loader.loadAsync(avatar);
    const vrm = gltf.userData.vrm;
    const root = vrm ? vrm.scene : gltf.scene;
    root.position.set(3, 0, -2);
    root.rotation.y = scale === 1 ? 0 : 2.5;
    root.scale.setScalar(scale);
    const { scene, camera, length } = makeScene(root);
    renderer.render(scene, camera); // materials are compiled before they are patched
    const sinew = await Sinew.load(model);
    const flesh = sinew.attach(vrm ?? root);
    const mixer = new THREE.AnimationMixer(root);
    if (gltf.animations.length > 0) {
        mixer.clipAction(gltf.animations.find(({ name }) => name === clip) ?? gltf.animations[0]).play();
    }
    let seconds = 0;
    for (let frame = 0; frame < frames; ++frame) {
        mixer.update(1 / 60);
        if (gltf.animations.length === 0) {
            root.position.y = 0.06 * length * Math.abs(Math.sin(frame * 0.2));
        }
        vrm?.update(1 / 60);
        const start = performance.now();
        sinew.update(1 / 60);
        seconds += (performance.now() - start) / 1000;
    }
    const result = { unmatched: flesh.unmatchedCount, milliseconds: (1000 * seconds) / frames, ...compareWithLibrary(flesh) };
    const draw = () => {
        renderer.render(scene, camera);
        return renderer.domElement.toDataURL();
    };
    result.pictures = { flesh: draw() };
    flesh.set({ amount: 0 });
    sinew.update(0);
    result.pictures.bones = draw();
    sinew.detach(flesh);
    result.pictures.detached = draw();
    result.problems = problems.splice(0);
    sinew.dispose();
    return result;
};

/** Many copies of one avatar in full detail: the median of an update's milliseconds, and a picture. */
window.playCrowd = async ({ avatar, model, count }) => {
    const gltf = await loader.loadAsync(avatar);
    const group = new THREE.Group();
    const sinew = await Sinew.load(model);
    const mixers = [];
    for (let i = 0; i < count; ++i) {
        const copy = SkeletonUtils.clone(gltf.scene);
        copy.position.set((i % 5) - 2, 0, -Math.floor(i / 5)).multiplyScalar(1.5);
        group.add(copy);
        const mixer = new THREE.AnimationMixer(copy);
        sinew.attach(copy);
        mixer.clipAction(gltf.animations[i % gltf.animations.length]).play();
        mixers.push(mixer);
    }
    const { scene, camera } = makeScene(group);
    const times = [];
    for (let frame = 0; frame < 30; ++frame) {
        mixers.forEach((mixer) => mixer.update(1 / 60));
        const start = performance.now();
        sinew.update(1 / 60);
        times.push(performance.now() - start);
    }
    renderer.render(scene, camera);
    const picture = renderer.domElement.toDataURL();
    const result = { milliseconds: times.sort((a, b) => a - b)[15], picture, problems: problems.splice(0) };
    sinew.dispose();
    return result;
};
window.isReady = true;
