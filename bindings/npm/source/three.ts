// SPDX-License-Identifier: MIT
// Flesh for avatars that three.js draws. The avatar stays as it was loaded: its meshes, materials, morph targets and
// spring bones. Each mesh gets the weights of the model's modes, found by the positions of its vertices, and its
// materials one more sum in the vertex shader.

import * as THREE from 'three';
import { type Joint, type MatchedMesh, fileToModel, matchBones, matchMesh, matchMorphs } from './match.js';
import { Body, type BodySettings, Model, type ModuleSource, Runtime, SinewError, type Surface, World } from './runtime.js';
import { type FleshUniforms, addModes } from './shader.js';

export interface SinewOptions {
    /** Seconds; 1/60 by default. */
    timeStep?: number;
    /** Max steps for one update; 4 by default. */
    stepLimit?: number;
    /** Where sinew.wasm is; by default beside this file. */
    module?: ModuleSource;
}

/** Lengths are those of the scene, as seen at the avatar's scale when it was attached. */
export interface FleshOptions extends Omit<BodySettings, 'springs'> {
    /** The model, if several are loaded. */
    model?: FleshModel;
    /** Distances from the camera, in avatar heights, at which the flesh gets coarser; [] never. Default [8, 20, 60]:
     *  half the modes, a quarter, none. */
    detailDistances?: number[];
}

/** What VRMLoaderPlugin gives, or any object that GLTFLoader loaded. */
export type Avatar = THREE.Object3D | { scene: THREE.Object3D };

const matrixScratch = new THREE.Matrix4();

function toRows(matrix: THREE.Matrix4, out: { [index: number]: number }, at: number): void {
    const e = matrix.elements;
    for (let row = 0; row < 3; ++row) {
        for (let column = 0; column < 4; ++column) {
            out[at + 4 * row + column] = e[4 * column + row];
        }
    }
}

function dataTexture(data: Uint16Array | Float32Array, width: number, height: number, type: THREE.TextureDataType) {
    const texture = new THREE.DataTexture(data as Float32Array<ArrayBuffer>, width, height, THREE.RGBAFormat, type);
    texture.needsUpdate = true;
    return texture;
}

/** A cooked model and its weights as a texture, shared by the avatars that use it. */
export class FleshModel {
    readonly surface: Surface;
    readonly texture: THREE.DataTexture;

    constructor(readonly model: Model) {
        this.surface = model.surface();
        this.texture = this.packSurface();
    }

    /** Tangents and mode weights: see shader.ts. */
    private packSurface(): THREE.DataTexture {
        const { vertexCount, tangents, modeWeights } = this.surface;
        const modeCount = this.model.modeCount;
        const width = 2048;
        const height = Math.max(1, Math.ceil((vertexCount * (modeCount + 1)) / width));
        const texels = new Uint16Array(4 * width * height);
        let out = 0;
        for (let v = 0; v < vertexCount; ++v) {
            for (let c = 0; c < 4; ++c) {
                texels[out++] = THREE.DataUtils.toHalfFloat(tangents[4 * v + c]);
            }
            for (let mode = 0; mode < modeCount; ++mode, out += 4) {
                const at = 8 * (v * modeCount + mode);
                texels[out] = THREE.DataUtils.toHalfFloat(modeWeights.getFloat32(at, true));
                texels[out + 1] = modeWeights.getUint16(at + 4, true);
                texels[out + 2] = modeWeights.getUint16(at + 6, true);
            }
        }
        return dataTexture(texels, width, height, THREE.HalfFloatType);
    }

    /** No avatar may use it any more. */
    dispose(): void {
        this.texture.dispose();
        this.model.release();
    }
}

// Materials that are patched already, and for whom: an avatar's materials carry its matrices, so that a copy of an
// avatar (SkeletonUtils.clone) gets materials of its own.
const owners = new WeakMap<THREE.Material, Flesh>();

/** One avatar with flesh. */
export class Flesh {
    readonly body: Body;
    readonly root: THREE.Object3D;
    /** Vertices of the avatar that the model does not have; they move with the bones alone. */
    readonly unmatchedCount: number;
    private readonly fleshModel: FleshModel;
    private readonly meshes: MatchedMesh[] = [];
    private readonly joints: Joint[];
    private readonly morphs: ReturnType<typeof matchMorphs>;
    private readonly morphWeights: Float32Array;
    private readonly pose: Float32Array;
    private readonly rows: Float32Array;
    private readonly matrices: THREE.DataTexture;
    private readonly uniforms: FleshUniforms;
    private readonly undo: (() => void)[] = [];
    private readonly scale: number;
    private readonly toModel: THREE.Matrix4;
    private readonly fromModel: THREE.Matrix4;
    private readonly detailDistances: number[];
    private readonly height: number;
    private detail = 0;
    private isNew = true;

    constructor(world: World, fleshModel: FleshModel, avatar: Avatar, options: FleshOptions) {
        const { model: _model, detailDistances, ...settings } = options;
        const isObject = avatar instanceof THREE.Object3D;
        const { model, surface } = fleshModel;
        this.root = isObject ? avatar : avatar.scene;
        this.fleshModel = fleshModel;
        this.root.updateWorldMatrix(true, true);
        this.scale = new THREE.Vector3().setFromMatrixScale(this.root.matrixWorld).y;
        this.toModel = fileToModel(model).multiply(matrixScratch.makeScale(1 / this.scale, 1 / this.scale, 1 / this.scale));
        this.fromModel = this.toModel.clone().invert();
        this.root.traverse((object) => {
            const mesh = object as THREE.Mesh;
            if (mesh.isMesh && mesh.geometry.getAttribute('position')) {
                this.meshes.push(matchMesh(model, surface, this.root, mesh));
            }
        });
        const matched = this.meshes.reduce((sum, mesh) => sum + mesh.matchedCount, 0);
        this.unmatchedCount = this.meshes.reduce((sum, mesh) => sum + mesh.vertices.length, -matched);
        if (matched === 0) {
            throw new SinewError('no vertex of the avatar is in the model: the model was cooked from another file, or ' +
                'the avatar was not in its rest pose when it was attached');
        }
        for (const { mesh, vertices, matchedCount } of this.meshes) {
            if (matchedCount < vertices.length) {
                // A mesh that the cook left out, such as one of several swords, is not an error.
                world.runtime.log(matchedCount > 0 ? 'warning' : 'info', `mesh "${mesh.name}": ` +
                    `${vertices.length - matchedCount} of ${vertices.length} vertices are not in the model and move ` +
                    'with the bones alone');
            }
        }
        this.joints = matchBones(model, surface, this.root, this.meshes);
        this.morphs = matchMorphs(model, this.meshes);
        this.morphWeights = new Float32Array(model.morphCount);
        this.pose = new Float32Array(12 * model.boneCount);
        // three.js draws its own bones, so spring bones are moved there, as by three-vrm.
        this.body = new Body(world, model, { ...settings, springs: false });
        this.detailDistances = detailDistances ?? [8, 20, 60];
        this.height = (surface.diagonal / model.scale) * this.scale;

        const rowCount = 2 * this.meshes.length + model.modeCount;
        this.rows = new Float32Array(12 * rowCount);
        this.matrices = dataTexture(this.rows, 3, rowCount, THREE.FloatType);
        this.uniforms = {
            sinewSurface: { value: fleshModel.texture },
            sinewMatrices: { value: this.matrices },
            sinewModeCount: { value: model.modeCount },
            sinewStride: { value: model.modeCount + 1 },
            sinewDiagonal: { value: surface.diagonal },
        };
        this.meshes.forEach((matchedMesh, index) => this.attachMesh(matchedMesh, index));
    }

    private attachMesh({ mesh, toFile, vertices }: MatchedMesh, index: number): void {
        const { geometry, material, customDepthMaterial, customDistanceMaterial } = mesh;
        toRows(fileToModel(this.fleshModel.model).multiply(toFile), this.rows, 24 * index);
        const places = new Float32Array(3 * vertices.length);
        vertices.forEach((vertex, v) => places.set([vertex, 2 * index, 2 * this.meshes.length], 3 * v));
        const copy = new THREE.BufferGeometry(); // shares all attributes
        copy.name = geometry.name;
        copy.setIndex(geometry.getIndex());
        for (const [name, attribute] of Object.entries(geometry.attributes)) {
            copy.setAttribute(name, attribute);
        }
        copy.morphAttributes = geometry.morphAttributes;
        copy.morphTargetsRelative = geometry.morphTargetsRelative;
        copy.groups = geometry.groups;
        copy.drawRange = geometry.drawRange;
        copy.boundingBox = geometry.boundingBox;
        copy.boundingSphere = geometry.boundingSphere;
        copy.userData = geometry.userData;
        copy.setAttribute('sinewVertex', new THREE.BufferAttribute(places, 3));
        mesh.geometry = copy;
        mesh.material = Array.isArray(material) ? material.map((one) => this.patch(one)) : this.patch(material);
        mesh.customDepthMaterial = this.patch(customDepthMaterial ?? new THREE.MeshDepthMaterial());
        mesh.customDistanceMaterial = this.patch(customDistanceMaterial ?? new THREE.MeshDistanceMaterial());
        this.undo.push(() => {
            Object.assign(mesh, { geometry, material, customDepthMaterial, customDistanceMaterial });
            copy.deleteAttribute('sinewVertex');
            copy.dispose();
        });
    }

    private patch(material: THREE.Material): THREE.Material {
        const owner = owners.get(material);
        if (owner === this) {
            return material;
        }
        const own = owner ? material.clone() : material;
        const { onBeforeCompile, customProgramCacheKey } = own;
        addModes(own, this.uniforms);
        owners.set(own, this);
        this.undo.push(() => {
            Object.assign(own, { onBeforeCompile, customProgramCacheKey });
            own.needsUpdate = true;
            owners.delete(own);
        });
        return own;
    }

    /** Changes parameters of the flesh. */
    set(settings: Omit<BodySettings, 'springs'>): void {
        this.body.set(settings);
    }

    /** Puts the flesh to rest in the avatar's present pose: call it after a jump in space or time. */
    reset(): void {
        this.isNew = true;
    }

    /** Reads the avatar's bones and morph targets. Sinew.update calls it. */
    readPose(): void {
        this.root.updateWorldMatrix(true, true);
        this.joints.forEach(({ object, bindInverse }, bone) => {
            // P = S F^-1 W B^-1 S^-1: from model units at bind to the file, by the bone, to the scene and back.
            const file = matrixScratch.copy(object.matrixWorld).multiply(bindInverse);
            file.multiply(fileFromModel(this.fleshModel.model));
            toRows(file.premultiply(this.toModel), this.pose, 12 * bone);
        });
        this.body.setPose(this.pose);
        if (this.morphs.length > 0) {
            this.morphs.forEach((morph, index) => {
                this.morphWeights[index] = morph?.mesh.morphTargetInfluences?.[morph.index] ?? 0;
            });
            this.body.setMorphs(this.morphWeights);
        }
        if (this.isNew) {
            this.body.reset();
            this.isNew = false;
        }
    }

    /** Chooses the level of detail. Sinew.update calls it. */
    chooseDetail(camera: THREE.Camera): void {
        const eye = new THREE.Vector3().setFromMatrixPosition(camera.matrixWorld);
        const here = new THREE.Vector3().setFromMatrixPosition(this.root.matrixWorld);
        const distance = eye.distanceTo(here) / this.height;
        const detail = this.detailDistances.filter((limit) => distance > limit).length;
        if (detail !== this.detail) {
            const isOff = detail >= 3;
            this.detail = detail;
            this.body.set({
                modeCount: Math.max(1, this.fleshModel.model.modeCount >> detail),
                clusterLevel: Math.min(detail, this.fleshModel.model.levelCount - 1),
            });
            this.uniforms.sinewModeCount.value = isOff ? 0 : this.fleshModel.model.modeCount;
        }
    }

    /** Gives the shaders the result of the last step. Sinew.update calls it. */
    writeOutput(): void {
        const { model } = this.fleshModel;
        const output = this.body.output();
        const lengths = this.scale / model.scale;
        this.rows.set(output.subarray(12 * model.boneCount), 24 * this.meshes.length);
        this.meshes.forEach(({ mesh }, index) => {
            const back = matrixScratch.copy(mesh.matrixWorld).invert();
            back.scale(new THREE.Vector3(lengths, lengths, lengths));
            toRows(back, this.rows, 24 * index + 12);
        });
        if (this.detail < 3) {
            this.uniforms.sinewModeCount.value = this.body.outputModeCount();
        }
        this.matrices.needsUpdate = true;
    }

    private point(scene: THREE.Vector3): number[] {
        return scene.clone().applyMatrix4(this.toModel).toArray();
    }

    /** Pushes the skin nearest to a point of the scene: the velocity, in scene units a second, that a hundredth of the
     *  flesh's mass would get. */
    poke(point: THREE.Vector3, velocity: THREE.Vector3): void {
        const mass = 0.01 * this.fleshModel.model.mass;
        const impulse = velocity.clone().multiplyScalar((mass * this.fleshModel.model.scale) / this.scale);
        this.body.applyImpulse(this.point(point), impulse.toArray());
    }

    /** Grabs the skin nearest to a point of the scene; returns a number for drag and letGo, or -1. */
    grab(point: THREE.Vector3, maxDistance: number): number {
        return this.body.grab(this.point(point), (maxDistance * this.fleshModel.model.scale) / this.scale);
    }

    drag(grab: number, target: THREE.Vector3): void {
        this.body.drag(grab, this.point(target));
    }

    letGo(grab: number): void {
        this.body.letGo(grab);
    }

    /** The drawn surface as the CPU computes it, in the scene, for tests and tools: vertex v of a matched mesh is vertex
     *  vertices[v] here. */
    skin(): { positions: Float32Array; meshes: readonly MatchedMesh[] } {
        const { positions } = this.body.skin();
        const point = new THREE.Vector3();
        for (let v = 0; v < positions.length; v += 3) {
            point.fromArray(positions, v).applyMatrix4(this.fromModel).toArray(positions, v);
        }
        return { positions, meshes: this.meshes };
    }

    /** Gives the avatar back as it was. */
    dispose(): void {
        this.undo.reverse().forEach((step) => step());
        this.matrices.dispose();
        this.body.destroy();
    }
}

const fromModelCache = new WeakMap<Model, THREE.Matrix4>();

function fileFromModel(model: Model): THREE.Matrix4 {
    let matrix = fromModelCache.get(model);
    if (!matrix) {
        matrix = fileToModel(model).invert();
        fromModelCache.set(model, matrix);
    }
    return matrix;
}

/** A world of avatars.
 *
 *      const flesh = await Sinew.load('avatar.sinew');
 *      flesh.attach(vrm);
 *      // each frame, after the animation, vrm.update(delta) and the like:
 *      flesh.update(delta, camera);
 */
export class Sinew {
    readonly avatars: Flesh[] = [];
    readonly models: FleshModel[] = [];

    private constructor(readonly runtime: Runtime, readonly world: World) {}

    /** Starts a world with one model: the bytes of a .sinew file, or its address. */
    static async load(model: string | URL | Uint8Array, options: SinewOptions = {}): Promise<Sinew> {
        const runtime = await Runtime.load(options.module);
        const sinew = new Sinew(runtime, new World(runtime, options.timeStep, options.stepLimit));
        await sinew.add(model);
        return sinew;
    }

    /** Loads one more model. */
    async add(model: string | URL | Uint8Array): Promise<FleshModel> {
        const opened = model instanceof Uint8Array ? new Model(this.runtime, model) :
            await Model.open(this.runtime, model);
        const fleshModel = new FleshModel(opened);
        this.models.push(fleshModel);
        return fleshModel;
    }

    /** Gives an avatar flesh. It must be as it was loaded: not animated yet. */
    attach(avatar: Avatar, options: FleshOptions = {}): Flesh {
        const flesh = new Flesh(this.world, options.model ?? this.models[0], avatar, options);
        this.avatars.push(flesh);
        return flesh;
    }

    /** Takes an avatar's flesh away. */
    detach(flesh: Flesh): void {
        const index = this.avatars.indexOf(flesh);
        if (index >= 0) {
            this.avatars.splice(index, 1);
            flesh.dispose();
        }
    }

    /** Steps all avatars: after their bones have moved, before they are drawn. delta: seconds. With a camera, avatars
     *  far from it get less detail. */
    update(delta: number, camera?: THREE.Camera): void {
        for (const flesh of this.avatars) {
            if (camera) {
                flesh.chooseDetail(camera);
            }
            flesh.readPose();
        }
        this.world.step(delta);
        for (const flesh of this.avatars) {
            flesh.writeOutput();
        }
    }

    /** Ends the world, its avatars and its models. */
    dispose(): void {
        [...this.avatars].forEach((flesh) => this.detach(flesh));
        this.world.destroy();
        this.models.splice(0).forEach((model) => model.dispose());
    }
}

export { Model, Runtime, SinewError, World, Body, type BodySettings } from './runtime.js';
