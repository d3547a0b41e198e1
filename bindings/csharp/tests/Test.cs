// SPDX-License-Identifier: MIT
// What tests/house/test_csharp.sh runs by mono: Test MODEL prints what tests/house/platforms/largest_mode.c prints.
using System;
using System.Globalization;
using Sinew;
using Sinew.Native;

static class Test
{
    static void Expect(bool isSo, string what)
    {
        if (!isSo)
        {
            Console.Error.WriteLine("FAIL: not so: " + what);
            Environment.Exit(1);
        }
    }

    static unsafe void Main(string[] arguments)
    {
        using (Model model = Model.Open(arguments[0]))
        using (var world = new World())
        using (var body = new Body(world, model))
        {
            var pose = new float[12 * model.BoneCount];
            var modes = new float[12 * model.ModeCount];
            float largest = 0;
            for (int frame = 0; frame < 240; ++frame)
            {
                model.ClipPose(0, frame / 60.0, pose);
                body.SetPose(pose);
                if (frame == 0)
                {
                    body.Reset();
                }
                world.Step(1.0 / 60);
                Expect(body.CopyModes(modes) == model.ModeCount, "all modes are in use");
                foreach (float value in modes)
                {
                    largest = Math.Max(largest, Math.Abs(value));
                }
            }
            Console.WriteLine(largest.ToString("G9", CultureInfo.InvariantCulture));

            // the layout of every struct that is passed by value or filled in
            sn_body_desc desc = Api.sn_default_body_desc();
            Expect(desc.stiffness == 1 && desc.amount == 1 && desc.iteration_limit == 30 && desc.tolerance == 1e-5, "defaults");
            Expect(desc.spring_wind_area == 1 && desc.mass == 1 && desc.consolidation_sweep_count == 6, "defaults at the end");
            sn_surface surface = Api.sn_model_surface(model.Pointer);
            Expect(surface.vertex_count > 1000 && surface.mode_count == model.ModeCount && surface.diagonal > 0, "surface");
            var positions = new float[3 * surface.vertex_count];
            System.Runtime.InteropServices.Marshal.Copy((IntPtr)surface.positions, positions, 0, positions.Length);
            int[] found = model.FindVertices(positions, null, null);
            for (int v = 0; v < found.Length; ++v)
            {
                Expect(found[v] >= 0, "each vertex is found at its own position");
            }
            sn_material material = surface.materials[0];
            Expect(material.alpha_cutoff >= 0 && material.textures[0] < surface.texture_count, "material");
            body.Set((ref sn_body_desc d) => { d.damping = 2; d.is_neo_hookean = false; });
            try
            {
                body.Set((ref sn_body_desc d) => d.damping = -1);
                Expect(false, "a negative damping throws");
            }
            catch (SinewException error)
            {
                Expect(error.Result == sn_result.SN_ERROR_ARGUMENT && error.Message.Contains("damping"), "its message: " + error.Message);
            }
            Expect(model.BoneName(0).Length > 0 && model.BoneName(-1) == null, "names");
        }
        try
        {
            new Model(new byte[100]);
            Expect(false, "no model throws");
        }
        catch (SinewException error)
        {
            Expect(error.Result == sn_result.SN_ERROR_FORMAT, error.Message);
        }
    }
}
