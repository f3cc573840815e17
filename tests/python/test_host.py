"""Tests that every kernel call of a program reaches the process that started it (lanescope/_host.py): calls of a
snippet's kernel, of the stand-in for JAX, of PTX, of Triton's driver, and of modules that JAX lowered, which need no
JAX after they are recorded.

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

from warm_host import Host

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
BUILT = pathlib.Path(__import__("lanescope").__path__[0]).parents[1] / "bin" / "lanescope"
LANESCOPE = BUILT if BUILT.exists() else shutil.which("lanescope")  # an installed package has its program on PATH
GPU_MODULE = next((ROOT / "tests/golden/jax_dumps/tma_Warpgroup").glob("*.before_layout_inference.txt"))
SPARSECORE_MODULE = ROOT / "samples/modules/gather.mlir"
FENCE = "      nvvm.fence.proxy <async.shared>, space = <cta>\n"

# Does the work of JAX's callback (hooks.py). Each line of the module was made by line 3 of this program, which line 4
# called.
BRIDGE = '''import pathlib, sys
import numpy as np
def body(): ...
kernel = body
from lanescope.jax.bridge import Bridge, Kernel, Module
from lanescope.jax.hooks import from_numpy
from lanescope.jax.options import Options

text = pathlib.Path({module!r}).read_text().replace({left_out!r}, "")
lines = [f"{{line}} loc(#loc9)" if line else line for line in text.splitlines()]
located = "\\n".join([*lines, f'#loc1 = loc("{{__file__}}":3:0)', f'#loc2 = loc("{{__file__}}":4:0)', "#loc9 = loc(callsite(#loc1 at #loc2))"])
x = (np.arange(128 * 128) % 97).astype(np.float16).reshape(128, 128)
[out] = Bridge(Options()).call(Kernel(Module("twice", text, located), (1,), {{}}), [from_numpy(x)], [("f16", (128, 128))])
assert (np.frombuffer(out.data, np.float16).reshape(128, 128) == 2 * x).all()
'''
SPARSECORE = '''import pathlib, types
import numpy as np
from lanescope.jax.options import Options
from lanescope.jax.sparsecore import Kernel, SparseCores

text = "\\n".join(line for line in pathlib.Path({module!r}).read_text().splitlines() if not line.startswith("//"))
located = "\\n".join([*(f"{{line}} loc(#loc1)" if line else line for line in text.splitlines()), f'#loc1 = loc("{{__file__}}":2:0)'])
table, rows = np.arange(1024 * 128, dtype="f4").reshape(1024, 128), np.arange(16, dtype="i4")
cores = object.__new__(SparseCores)
cores.bridge = types.SimpleNamespace(options=Options(), count=iter(range(9)), faults=0)
[out] = cores.call(Kernel("gather", text, located, [(np.dtype("f4"), (16, 128))], {{}}, False), [table, rows])
assert (out == table[rows]).all()
'''
SNIPPET_KERNEL = """import lanescope as ls

@ls.kernel(grid=(1,))
def one(out: ls.Out((128,), ls.f32)):
    out[...] = ls.full((128,), 1.0, ls.f32)

one()
"""
STANDIN = """import numpy as np
import jax, jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

def body(x, out):
    out[...] = x[...] + 1

plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((64, 128), jnp.float32))(np.ones((64, 128), np.float32))
"""
PTX = '''import lanescope as ls

TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry both(.param .u64 p) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  st.global.u32 [%d1], %r1;
  ret;
}
"""
'''
LAUNCHES = {
    "ptx": PTX + "ls.ptx(TEXT).launch(1, 1, ls.zeros((1,), ls.i32))\n",
    "a driver's": PTX + """import json
import numpy as np
from lanescope import _native
out = np.zeros(1, np.int32)
launch = {"entry": "both", "grid": [1, 1, 1], "block": [1, 1, 1], "dynamic_smem": 0,
          "params": [{"kind": "buffer", "dtype": "i32", "shape": [1], "name": "p"}]}
_native.launch(_native.kernel("both.ptx", TEXT), json.dumps(launch), [(out.ctypes.data, 4, 0, "i32", (1,), True)], [], False)
""",
}


def messages(text, name="program.py"):
    """The messages of a program's process, and the program's path."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name).resolve()
        path.write_text(text)
        host = Host()
        host.send(text, path)
        found = []
        while (message := host.receive()) is not None:
            found.append(message)
        host.process.wait(60)
        return found, host.end(), str(path)


class Calls(unittest.TestCase):
    def one_call(self, text):
        found, said, path = messages(text)
        self.assertEqual([each["type"] for each in found], ["call", "ended"], said)
        self.assertEqual((found[1]["status"], found[1]["calls"], found[1]["faults"]), (0, 1, 0), said)
        return found[0], path

    def test_a_module_that_jax_lowered(self):
        call, path = self.one_call(BRIDGE.format(module=str(GPU_MODULE), left_out=""))
        self.assertEqual([each["id"] for each in call["stages"]], ["ir", "laid-out", "nvvm", "llvm", "ptx"])
        self.assertIn(b".visible .entry", call["blob"])
        self.assertEqual([(each["dtype"], each["shape"]) for each in call["inputs"]], [("f16", [128, 128])] * 2)
        self.assertEqual(len(call["result"]["outputs"]), 1)
        # The program's own text is among the sources, and the call's place is in it.
        self.assertTrue(call["blob"].endswith(b"== 2 * x).all()\n") or path.encode() in call["blob"])
        self.assertNotEqual(call["place"], [-1, -1, -1])
        # Other runs of it, and the debugger, name lines of the program.
        locations = set(re.findall(rb"^\t\.loc\t1 (\d+)", call["blob"].partition(b".visible .entry")[2].partition(b"\n}")[0], re.M))
        self.assertEqual(locations - {b"0"}, {b"3"})
        self.assertEqual(call["compiled"]["source"], call["place"][0])

    def test_a_sparsecore_module_that_jax_lowered(self):
        call, path = self.one_call(SPARSECORE.format(module=str(SPARSECORE_MODULE)))
        self.assertEqual((call["kernel"], [each["id"] for each in call["stages"]]), ("gather", ["ir"]))
        self.assertEqual([each["shape"] for each in call["inputs"]], [[1024, 128], [16]])
        self.assertIn(path.encode(), call["blob"])

    def test_kernels_of_the_package(self):
        for name, text in (("snippet", SNIPPET_KERNEL), *LAUNCHES.items()):
            with self.subTest(name):
                call, _ = self.one_call(text)
                self.assertIn(b".entry", call["blob"])

    def test_the_stand_in(self):
        if __import__("importlib.util").util.find_spec("jax"):
            self.skipTest("JAX is installed")
        self.assertIn(b".entry", self.one_call(STANDIN)[0]["blob"])

    def test_a_fault_is_one_call_although_the_program_goes_on(self):
        found, said, _ = messages(BRIDGE.format(module=str(GPU_MODULE), left_out=FENCE))
        self.assertEqual([each["type"] for each in found], ["call", "ended"], said)
        self.assertEqual((found[1]["calls"], found[1]["faults"]), (1, 1), said)

    def test_its_findings_are_at_lines_of_python(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "program.py").resolve()
            path.write_text(BRIDGE.format(module=str(GPU_MODULE), left_out=FENCE))
            done = subprocess.run([LANESCOPE, "check", path, "--python", sys.executable, "--format", "json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        [found] = json.loads(done.stdout)["findings"]
        self.assertEqual((found["rule"], found["file"], found["line"]), ("missing-proxy-fence", str(path), 3))
        self.assertIsInstance(found["parameters"]["warp"], int)


class Requests(unittest.TestCase):
    def test_the_options_of_a_request_are_the_bridges(self):
        """This holds if JAX is imported before the request, and if the program imports it."""
        from lanescope import _host

        request = {"seed": 7, "strict": True, "fast": False, "timeout": 3.0, "arch": "sm_100a"}
        device = type("Device", (), {})()
        fake = types.SimpleNamespace(devices=lambda backend=None: [device], effects_barrier=lambda: None)
        with unittest.mock.patch.dict(sys.modules, jax=fake):
            waiting = _host.Jax()
            waiting.bridge = types.SimpleNamespace(options=waiting.options, faults=0)
            waiting.configure(request)
            self.assertEqual(waiting.bridge.options, waiting.options)
            self.assertEqual(device.compute_capability, "10.0")
            self.assertEqual(waiting.status(), 0)
            waiting.bridge.faults = 2
            self.assertEqual(waiting.status(), 1)
        later = _host.Jax()
        later.configure(request)
        self.assertEqual((later.options.seed, later.options.strict, later.options.gpu, later.status()), (7, True, "b200", 0))
        later.configure({**request, "arch": "sm_120a"})
        self.assertEqual(later.options.gpu, "rtx5090")


if __name__ == "__main__":
    unittest.main()
