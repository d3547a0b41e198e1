// SPDX-License-Identifier: MIT
// libsinew in WebAssembly: models, worlds and bodies, as in include/sinew. Transforms are row-major 3 x 4 matrices in
// Float32Arrays, in model units and relative to bind.

type Pointer = number;
type Native = Record<string, (...values: number[]) => number> & { memory: WebAssembly.Memory };

/** Parameters of a body: the fields of sn_body_desc in world.h. Lengths are model units. */
export interface BodySettings {
    /** Factor on the cooked stiffness. */
    stiffness?: number;
    /** 1/s: velocity of the flesh relative to the bones decays by exp(-damping t). */
    damping?: number;
    /** Factor on the drawn displacement; 0 draws the skeleton alone. */
    amount?: number;
    /** Model units/s^2. */
    gravity?: [number, number, number];
    /** Velocity of the air, model units/s. */
    wind?: [number, number, number];
    /** Whether the model's spring bones are simulated. */
    springs?: boolean;
    iterationLimit?: number;
    tolerance?: number;
    /** Level of detail: use the first modes only; 0: all. */
    modeCount?: number;
    /** Level of detail: 0 is the finest. */
    clusterLevel?: number;
}

// The order of bridge_setting in bridge.c; vectors have one entry for each coordinate.
const settingOrder: (keyof BodySettings)[] = [
    'stiffness', 'damping', 'amount', 'gravity', 'gravity', 'gravity', 'wind', 'wind', 'wind', 'springs',
    'iterationLimit', 'tolerance', 'modeCount', 'clusterLevel',
];

export class SinewError extends Error {}

/** What WebAssembly.instantiateStreaming and compile accept, or an address. */
export type ModuleSource = string | URL | BufferSource | WebAssembly.Module;

async function readBytes(address: string | URL): Promise<Uint8Array<ArrayBuffer>> {
    const response = await fetch(address);
    if (!response.ok) {
        throw new SinewError(`${address}: ${response.status} ${response.statusText}`);
    }
    return new Uint8Array(await response.arrayBuffer());
}

export class Runtime {
    readonly native: Native;
    /** Receives warnings and errors; by default the console does. */
    log: (level: 'error' | 'warning' | 'info', message: string) => void = (level, message) =>
        (level === 'error' ? console.error : level === 'warning' ? console.warn : console.info)(`sinew: ${message}`);
    private lastError = '';

    private constructor(native: Native) {
        this.native = native;
    }

    /** Compiles the module; by default the sinew.wasm beside this file. */
    static async load(source: ModuleSource = new URL('./sinew.wasm', import.meta.url)): Promise<Runtime> {
        const bytes = typeof source === 'string' || source instanceof URL ? await readBytes(source) : source;
        const module = bytes instanceof WebAssembly.Module ? bytes : await WebAssembly.compile(bytes);
        let runtime: Runtime | undefined;
        const notSupported = 52; // WASI's ENOSYS: libsinew opens no file here
        const instance = await WebAssembly.instantiate(module, {
            sinew: { log: (level: number, text: Pointer, length: number) => runtime?.receive(level, text, length) },
            wasi_snapshot_preview1: {
                clock_time_get: (_clock: number, _precision: bigint, result: Pointer) => {
                    if (runtime) {
                        const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
                        new DataView(runtime.native.memory.buffer).setBigUint64(result, nanoseconds, true);
                    }
                    return 0;
                },
                fd_close: () => notSupported,
                fd_seek: () => notSupported,
                fd_write: () => notSupported,
            },
        });
        runtime = new Runtime(instance.exports as unknown as Native);
        runtime.native._initialize();
        runtime.native.start();
        return runtime;
    }

    private receive(level: number, text: Pointer, length: number): void {
        const message = new TextDecoder().decode(new Uint8Array(this.native.memory.buffer, text, length));
        if (level === 0) {
            this.lastError = message;
        }
        this.log((['error', 'warning', 'info'] as const)[level] ?? 'info', message);
    }

    /** The message of the last failure. */
    failure(): SinewError {
        return new SinewError(this.lastError || 'out of memory');
    }

    allocate(bytes: number): Pointer {
        const memory = this.native.malloc(Math.max(bytes, 1));
        if (memory === 0) {
            throw new SinewError('out of memory');
        }
        return memory;
    }

    /** A view of native memory, valid until the next call that may allocate. */
    floats(pointer: Pointer, count: number): Float32Array {
        return new Float32Array(this.native.memory.buffer, pointer, count);
    }

    text(pointer: Pointer): string {
        const bytes = new Uint8Array(this.native.memory.buffer);
        return pointer === 0 ? '' : new TextDecoder().decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
    }
}

/** A cooked character: the bytes of a .sinew file. */
export class Model {
    readonly pointer: Pointer;
    readonly boneCount: number;
    readonly modeCount: number;
    readonly morphCount: number;
    readonly levelCount: number;
    /** model = (file - origin) * scale */
    readonly scale: number;
    /** kg */
    readonly mass: number;
    readonly origin: [number, number, number];
    private readonly bytes: Pointer;

    constructor(readonly runtime: Runtime, bytes: Uint8Array) {
        const { native } = runtime;
        this.bytes = runtime.allocate(bytes.length);
        new Uint8Array(native.memory.buffer).set(bytes, this.bytes);
        this.pointer = native.model_load(this.bytes, bytes.length);
        if (this.pointer === 0) {
            native.free(this.bytes);
            throw runtime.failure();
        }
        this.boneCount = native.model_bone_count(this.pointer);
        this.modeCount = native.model_mode_count(this.pointer);
        this.morphCount = native.model_morph_count(this.pointer);
        this.levelCount = native.model_level_count(this.pointer);
        this.scale = native.model_scale(this.pointer);
        this.mass = native.model_mass(this.pointer);
        this.origin = this.readVector((out) => native.model_origin(this.pointer, out));
    }

    static async open(runtime: Runtime, address: string | URL): Promise<Model> {
        return new Model(runtime, await readBytes(address));
    }

    private readVector(read: (out: Pointer) => void): [number, number, number] {
        const out = this.runtime.allocate(24);
        read(out);
        const [x, y, z] = new Float64Array(this.runtime.native.memory.buffer, out, 3);
        this.runtime.native.free(out);
        return [x, y, z];
    }

    boneName(bone: number): string {
        return this.runtime.text(this.runtime.native.model_bone_name(this.pointer, bone));
    }

    /** The parent bone, or -1. */
    boneParent(bone: number): number {
        return this.runtime.native.model_bone_parent(this.pointer, bone);
    }

    /** In model units, at bind. */
    bonePivot(bone: number): [number, number, number] {
        return this.readVector((out) => this.runtime.native.model_bone_pivot(this.pointer, bone, out));
    }

    morphName(morph: number): string {
        return this.runtime.text(this.runtime.native.model_morph_name(this.pointer, morph));
    }

    /** Names and lengths in seconds of the model's clips. */
    clips(): { name: string; seconds: number }[] {
        const { native } = this.runtime;
        return Array.from({ length: native.model_clip_count(this.pointer) }, (_, clip) => ({
            name: this.runtime.text(native.model_clip_name(this.pointer, clip)),
            seconds: native.model_clip_seconds(this.pointer, clip),
        }));
    }

    /** The drawn surface: see surface.h. Copies. */
    surface(): Surface {
        const { native } = this.runtime;
        const vertexCount = native.surface_vertex_count(this.pointer);
        const read = (pointer: Pointer, width: number) => this.runtime.floats(pointer, width * vertexCount).slice();
        const weightCount = vertexCount * this.modeCount;
        const modeWeights = native.surface_mode_weights(this.pointer);
        return {
            vertexCount,
            diagonal: native.surface_diagonal(this.pointer),
            tangents: read(native.surface_tangents(this.pointer), 4),
            modeWeights: new DataView(native.memory.buffer.slice(modeWeights, modeWeights + 8 * weightCount)),
        };
    }

    /** The surface's vertex for each vertex of a mesh, or -1: sn_surface_find_vertices. Positions (count x 3) in model
     *  units at rest, normals (count x 3) and texture coordinates (count x 2). */
    findVertices(positions: Float32Array, normals: Float32Array | null, uvs: Float32Array | null): Int32Array {
        const { native } = this.runtime;
        const count = positions.length / 3;
        const give = (values: Float32Array | null): Pointer => {
            const pointer = values ? this.runtime.allocate(values.byteLength) : 0;
            if (values) {
                this.runtime.floats(pointer, values.length).set(values);
            }
            return pointer;
        };
        const inputs = [positions, normals, uvs].map(give);
        const result = this.runtime.allocate(4 * count);
        const isDone = native.surface_find_vertices(this.pointer, count, ...inputs, result);
        const vertices = new Int32Array(native.memory.buffer, result, count).slice();
        [...inputs, result].forEach((pointer) => native.free(pointer));
        if (!isDone) {
            throw this.runtime.failure();
        }
        return vertices;
    }

    /** No body may use the model any more. */
    release(): void {
        this.runtime.native.model_release(this.pointer);
        this.runtime.native.free(this.bytes);
    }
}

export interface Surface {
    vertexCount: number;
    diagonal: number;
    /** 4 a vertex. */
    tangents: Float32Array;
    /** (vertexCount x modeCount) of a float32 weight and its two float16 derivatives. */
    modeWeights: DataView;
}

/** Steps its bodies with a fixed time step. */
export class World {
    readonly pointer: Pointer;

    constructor(readonly runtime: Runtime, timeStep = 1 / 60, stepLimit = 4) {
        this.pointer = runtime.native.world_create(timeStep, stepLimit);
        if (this.pointer === 0) {
            throw runtime.failure();
        }
    }

    /** Returns the number of steps that were taken. */
    step(seconds: number): number {
        return this.runtime.native.world_step(this.pointer, seconds);
    }

    /** Destroys its bodies, too. */
    destroy(): void {
        this.runtime.native.world_destroy(this.pointer);
    }
}

/** A character's flesh in a world. */
export class Body {
    private readonly pointer: Pointer;
    private readonly input: Pointer;
    private readonly runtime: Runtime;

    constructor(world: World, readonly model: Model, settings: BodySettings = {}) {
        this.runtime = world.runtime;
        this.pointer = this.runtime.native.body_create(world.pointer, model.pointer);
        if (this.pointer === 0) {
            throw this.runtime.failure();
        }
        this.input = this.runtime.allocate(Math.max(48 * model.boneCount, 4 * model.morphCount, 64));
        this.set(settings);
    }

    /** Changes the given settings. Throws, and changes nothing, if one is out of range. */
    set(settings: BodySettings): void {
        const { native } = this.runtime;
        let coordinate = 0;
        settingOrder.forEach((name, index) => {
            coordinate = index > 0 && settingOrder[index - 1] === name ? coordinate + 1 : 0;
            const value = settings[name];
            if (value !== undefined) {
                native.body_set(this.pointer, index, Number(Array.isArray(value) ? value[coordinate] : value));
            }
        });
        if (!native.body_apply(this.pointer)) {
            throw this.runtime.failure();
        }
    }

    private write(values: ArrayLike<number>): Pointer {
        this.runtime.floats(this.input, values.length).set(values);
        return this.input;
    }

    private writeVectors(first: ArrayLike<number>, second?: ArrayLike<number>): Pointer {
        const doubles = new Float64Array(this.runtime.native.memory.buffer, this.input, 6);
        doubles.set(first);
        doubles.set(second ?? [], 3);
        return this.input;
    }

    /** bones: 12 numbers each. */
    setPose(bones: ArrayLike<number>): void {
        if (bones.length !== 12 * this.model.boneCount) {
            throw new SinewError(`a pose has ${12 * this.model.boneCount} numbers, not ${bones.length}`);
        }
        this.runtime.native.body_set_pose(this.pointer, this.write(bones));
    }

    /** Sets the pose of a clip of the model. */
    setClipPose(clip: number, seconds: number): void {
        this.runtime.native.model_clip_pose(this.model.pointer, clip, seconds, this.input);
        this.runtime.native.body_set_pose(this.pointer, this.input);
    }

    /** weights: one for each morph target of the model. */
    setMorphs(weights: ArrayLike<number>): void {
        if (weights.length !== this.model.morphCount) {
            throw new SinewError(`the model has ${this.model.morphCount} morph targets, not ${weights.length}`);
        }
        this.runtime.native.body_set_morphs(this.pointer, this.write(weights));
    }

    /** Puts the body to rest in the last pose. */
    reset(): void {
        this.runtime.native.body_reset(this.pointer);
    }

    /** Moves the body by a rigid transform (12) without exciting the flesh. */
    teleport(transform: ArrayLike<number>): void {
        this.runtime.native.body_teleport(this.pointer, this.write(transform));
    }

    /** An impulse (kg model units/s) on the skin nearest to a point. */
    applyImpulse(point: ArrayLike<number>, impulse: ArrayLike<number>): void {
        const vectors = this.writeVectors(point, impulse);
        this.runtime.native.body_apply_impulse(this.pointer, vectors, vectors + 24);
    }

    /** Grabs the skin nearest to a point; returns -1 if there is none within the distance. */
    grab(point: ArrayLike<number>, maxDistance: number): number {
        return this.runtime.native.body_grab(this.pointer, this.writeVectors(point), maxDistance);
    }

    drag(grab: number, target: ArrayLike<number>): void {
        this.runtime.native.body_drag(this.pointer, grab, this.writeVectors(target));
    }

    letGo(grab: number): void {
        this.runtime.native.body_let_go(this.pointer, grab);
    }

    /** 12 numbers for each bone, then for each mode of the model; a view that is valid until the next step. */
    output(): Float32Array {
        const pointer = this.runtime.native.body_output(this.pointer);
        return this.runtime.floats(pointer, 12 * (this.model.boneCount + this.model.modeCount));
    }

    /** The modes of the level of detail; the matrices of further modes are zero. */
    outputModeCount(): number {
        return this.runtime.native.body_output_mode_count(this.pointer);
    }

    /** The drawn surface skinned on the CPU, as a reference for shaders. */
    skin(): { positions: Float32Array; normals: Float32Array } {
        const count = 3 * this.runtime.native.surface_vertex_count(this.model.pointer);
        const memory = this.runtime.allocate(8 * count);
        const isDone = this.runtime.native.body_skin(this.pointer, memory, memory + 4 * count);
        const positions = this.runtime.floats(memory, count).slice();
        const normals = this.runtime.floats(memory + 4 * count, count).slice();
        this.runtime.native.free(memory);
        if (!isDone) {
            throw this.runtime.failure();
        }
        return { positions, normals };
    }

    destroy(): void {
        this.runtime.native.body_destroy(this.pointer);
        this.runtime.native.free(this.input);
    }
}
