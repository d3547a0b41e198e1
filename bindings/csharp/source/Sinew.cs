// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using System.Text;
using Sinew.Native;

namespace Sinew
{
    /// <summary>A call that failed, with the library's message.</summary>
    public sealed class SinewException : Exception
    {
        public sn_result Result { get; }

        internal SinewException(sn_result result, string message) : base(message)
        {
            Result = result;
        }
    }

    /// <summary>AOT compilers find callbacks by an attribute of this name.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    sealed class MonoPInvokeCallbackAttribute : Attribute
    {
        public MonoPInvokeCallbackAttribute(Type type) { }
    }

    /// <summary>Messages of the library.</summary>
    public static unsafe class Log
    {
        /// <summary>Receives all messages, also those of errors that are thrown; null: none.</summary>
        public static Action<sn_log_level, string> Receiver;

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        delegate void LogFunction(sn_log_level level, IntPtr message, IntPtr user);

        static readonly LogFunction receive = Receive; // the library keeps it
        [ThreadStatic] static string lastError;

        static Log()
        {
            Api.sn_set_log(Marshal.GetFunctionPointerForDelegate(receive), null);
        }

        [MonoPInvokeCallback(typeof(LogFunction))]
        static void Receive(sn_log_level level, IntPtr message, IntPtr user)
        {
            string text = Text((byte*)message);
            if (level == sn_log_level.SN_LOG_ERROR)
            {
                lastError = text;
            }
            Receiver?.Invoke(level, text);
        }

        internal static void Check(sn_result result)
        {
            if (result != sn_result.SN_OK)
            {
                throw new SinewException(result, lastError ?? Text(Api.sn_result_name(result)));
            }
        }

        internal static void Start()
        {
            lastError = null;
        }

        internal static string Text(byte* text)
        {
            if (text == null)
            {
                return null;
            }
            int length = 0;
            while (text[length] != 0)
            {
                ++length;
            }
            return Encoding.UTF8.GetString(text, length);
        }
    }

    /// <summary>A cooked character: a .sinew file. Shared by bodies, which must be disposed first.</summary>
    public sealed unsafe class Model : IDisposable
    {
        IntPtr memory, model;

        /// <summary>Loads the bytes of a .sinew file.</summary>
        public Model(byte[] bytes)
        {
            Log.Start();
            memory = Marshal.AllocHGlobal(bytes.Length + 8);
            long aligned = ((long)memory + 7) & ~7L;
            Marshal.Copy(bytes, 0, (IntPtr)aligned, bytes.Length);
            IntPtr loaded;
            sn_result result = Api.sn_model_load((void*)aligned, (UIntPtr)bytes.Length, &loaded);
            if (result != sn_result.SN_OK)
            {
                Marshal.FreeHGlobal(memory);
            }
            Log.Check(result);
            model = loaded;
        }

        /// <summary>Reads a .sinew file.</summary>
        public static Model Open(string path)
        {
            return new Model(System.IO.File.ReadAllBytes(path));
        }

        /// <summary>The sn_model * for the functions of Sinew.Native.Api.</summary>
        public IntPtr Pointer => model != IntPtr.Zero ? model : throw new ObjectDisposedException(nameof(Model));

        public int BoneCount => Api.sn_model_bone_count(Pointer);
        public int ModeCount => Api.sn_model_mode_count(Pointer);
        public int MorphCount => Api.sn_model_morph_count(Pointer);
        public int ClipCount => Api.sn_model_clip_count(Pointer);
        /// <summary>model units = (file - origin) * scale</summary>
        public double Scale => Api.sn_model_scale(Pointer);
        public double Mass => Api.sn_model_mass(Pointer);

        /// <summary>Null if the index is out of range.</summary>
        public string BoneName(int bone) => Log.Text(Api.sn_model_bone_name(Pointer, bone));
        public string MorphName(int morph) => Log.Text(Api.sn_model_morph_name(Pointer, morph));
        public string ClipName(int clip) => Log.Text(Api.sn_model_clip_name(Pointer, clip));
        public double ClipSeconds(int clip) => Api.sn_model_clip_seconds(Pointer, clip);

        /// <summary>Samples a clip: row-major 3 x 4 matrices of the bones, relative to bind, in model units.</summary>
        public void ClipPose(int clip, double seconds, float[] bones)
        {
            if (clip < 0 || clip >= ClipCount || bones.Length != 12 * BoneCount)
            {
                throw new ArgumentException("no such clip, or bones has not 12 numbers a bone");
            }
            fixed (float* p = bones)
            {
                Api.sn_model_clip_pose(Pointer, clip, seconds, (sn_mat3x4*)p, BoneCount);
            }
        }

        /// <summary>The surface's vertex for each vertex of a mesh in model units at rest, or -1: positions (count x 3), normals
        /// (count x 3) or null, and texture coordinates (count x 2) or null.</summary>
        public int[] FindVertices(float[] positions, float[] normals, float[] uvs)
        {
            int count = positions.Length / 3;
            var vertices = new int[count];
            sn_surface surface = Api.sn_model_surface(Pointer);
            fixed (float* p = positions, n = normals, u = uvs)
            fixed (int* v = vertices)
            {
                var mesh = new sn_mesh_vertices { count = count, positions = p, normals = n, uvs = u };
                Log.Check(Api.sn_surface_find_vertices(&surface, &mesh, v));
            }
            return vertices;
        }

        public void Dispose()
        {
            if (model != IntPtr.Zero)
            {
                Api.sn_model_release(model);
                Marshal.FreeHGlobal(memory);
                model = memory = IntPtr.Zero;
            }
        }
    }

    /// <summary>Steps bodies with a fixed time step. One thread at a time uses it.</summary>
    public sealed unsafe class World : IDisposable
    {
        internal sn_world_id Id;

        /// <param name="workerCount">Threads, with the caller's; 0: one a processor.</param>
        public World(double timeStep = 1.0 / 60, int workerCount = 1)
        {
            Log.Start();
            sn_world_desc desc = Api.sn_default_world_desc();
            desc.time_step = timeStep;
            desc.worker_count = workerCount;
            sn_world_id id;
            Log.Check(Api.sn_world_create(&desc, &id));
            Id = id;
        }

        /// <summary>Advances all bodies, and returns the number of steps.</summary>
        public int Step(double seconds) => Api.sn_world_step(Id, seconds).step_count;

        /// <summary>Ends the world and its bodies.</summary>
        public void Dispose()
        {
            Api.sn_world_destroy(Id);
            Id = default(sn_world_id);
        }
    }

    /// <summary>The flesh of one character.</summary>
    public sealed unsafe class Body : IDisposable
    {
        sn_body_id id;
        readonly Model model;

        /// <summary>For the functions of Sinew.Native.Api.</summary>
        public sn_body_id Id => id;

        public Body(World world, Model model)
        {
            Log.Start();
            sn_body_desc desc = Api.sn_default_body_desc();
            desc.model = model.Pointer;
            sn_body_id created;
            Log.Check(Api.sn_body_create(world.Id, &desc, &created));
            id = created;
            this.model = model;
        }

        /// <summary>Changes parameters: body.Set((ref sn_body_desc d) => d.damping = 2). Those that are not set have their
        /// defaults.</summary>
        public delegate void Change(ref sn_body_desc desc);

        public void Set(Change change)
        {
            Log.Start();
            sn_body_desc desc = Api.sn_default_body_desc();
            change(ref desc);
            desc.model = model.Pointer;
            Log.Check(Api.sn_body_set_desc(id, &desc));
        }

        /// <summary>Row-major 3 x 4 matrices of all bones, relative to bind, in model units.</summary>
        public void SetPose(float[] bones)
        {
            if (bones.Length != 12 * model.BoneCount)
            {
                throw new ArgumentException("bones has not 12 numbers a bone");
            }
            fixed (float* p = bones)
            {
                Api.sn_body_set_pose(id, (sn_mat3x4*)p, model.BoneCount);
            }
        }

        public void SetMorphs(float[] weights)
        {
            if (weights.Length != model.MorphCount)
            {
                throw new ArgumentException("weights has not one number a morph target");
            }
            fixed (float* p = weights)
            {
                Api.sn_body_set_morphs(id, p, weights.Length);
            }
        }

        /// <summary>Puts the flesh to rest in the pose that was set last.</summary>
        public void Reset() => Api.sn_body_reset(id);

        /// <summary>Copies the modes' matrices, 12 numbers each, and returns how many of them are in use; the others are
        /// zero.</summary>
        public int CopyModes(float[] modes)
        {
            if (modes.Length != 12 * model.ModeCount)
            {
                throw new ArgumentException("modes has not 12 numbers a mode");
            }
            sn_body_matrices output = Api.sn_body_output(id);
            Array.Clear(modes, 0, modes.Length);
            Marshal.Copy((IntPtr)(output.matrices + output.bone_count), modes, 0, 12 * output.mode_count);
            return output.mode_count;
        }

        public void Dispose()
        {
            if (Api.sn_body_is_valid(id))
            {
                Api.sn_body_destroy(id);
            }
            id = default(sn_body_id);
        }
    }
}
