"""The options of the command line and of `install`."""
import argparse
import dataclasses
import pathlib
import shlex

DESCRIPTION = """Runs a JAX program. Its Mosaic GPU kernels (Pallas: plgpu.kernel, pl.pallas_call; mosaic_gpu.as_gpu_kernel) are
lowered by JAX, compiled by Lanescope and run on its emulator, with checks, or on a GPU's worker; its SparseCore kernels (pl.kernel over
meshes of plsc) run on an emulator of SparseCores; all else runs on JAX's CPU backend."""
EPILOG = """Examples:
  python3 -m lanescope run my_kernel.py
  python3 -m lanescope run --capture calls my_kernel.py --size 512
  python3 -m lanescope run --worker "ssh gpu1 lanescope-worker serve" my_kernel.py"""




def beside(program):
    """The path of a program in the build or installation of this package. If it is not there, its name, which the
    shell looks up in PATH."""
    # This file is …/python/lanescope/jax/options.py, and programs are in …/bin.
    path = pathlib.Path(__file__).absolute().parents[3] / "bin" / program
    return str(path) if path.exists() else program


@dataclasses.dataclass(frozen=True)
class Options:
    lanescope_worker: str = beside("lanescope-worker")
    device: str = "emulator"  # "emulator" or "gpu"
    stop: bool = False  # stop at the first fault; otherwise the program continues with the results of an unchecked run
    worker: str = ""  # a shell command that starts a worker, which gives access to another machine's GPU
    # "jax": JAX chooses layouts and lowers to the code of each thread, and our compiler continues from there.
    lowering: str = "ours"
    gpu: str = "h200"  # the GPU that the program sees
    tpu: str = ""  # the TPU that the program sees instead of a GPU; kernels are lowered for its SparseCores
    capture: str = ""  # the folder in which each call is kept
    fast: bool = False
    strict: bool = False
    seed: int = 0
    timeout: float = 600  # limit in seconds for one call of a kernel
    quiet: bool = False  # do not report hazards

    def worker_command(self):
        if self.worker:
            return ["/bin/sh", "-c", "exec " + self.worker]
        return [*shlex.split(self.lanescope_worker), "serve", "--device", "gpu"]


def parse(arguments):
    """Reads the command line: (Options, the program's words). The program's words follow the options: `-m NAME …` or
    `FILE …`."""
    parser = argparse.ArgumentParser("python3 -m lanescope run", description=DESCRIPTION, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="emulator", choices=("emulator", "gpu"), help="where kernels run: here, emulated, or on this machine's GPU")
    parser.add_argument("--worker", default="", metavar="CMD", help="run them on the GPU of the worker that CMD starts")
    parser.add_argument("--gpu", default="h200", choices=("h100", "h200", "b200", "rtx5090"), help="the GPU that the program sees, and is compiled for")
    parser.add_argument("--tpu", default="", choices=("v5p", "v6e", "7x"), help="the TPU that the program sees in its place; SparseCore kernels are lowered "
                        "for it (without it: for a 7x)")
    parser.add_argument("--lowering", default="ours", choices=("ours", "jax"), help="the compiler that lays arrays out and writes each thread's code; Lanescope makes the PTX in any case")
    parser.add_argument("--capture", default="", metavar="DIR", help="keep each call: modules, PTX, launch, inputs, outputs")
    parser.add_argument("--fast", action="store_true", help="emulate without checks")
    parser.add_argument("--strict", action="store_true", help="hazards are faults")
    parser.add_argument("--stop", action="store_true", help="end the program at the first fault; otherwise it goes on, as it does on a GPU, with what "
                        "an unchecked run gives, and exit status 1 at the end")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another schedule")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds that one call of a kernel may take")
    parser.add_argument("--quiet", action="store_true", help="tell faults alone")
    parser.add_argument("--lanescope-worker", default=beside("lanescope-worker"), metavar="FILE", help="the worker of `--device gpu`")
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="a module in place of a file, and its arguments")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="FILE [ARGUMENT …]")
    read = vars(parser.parse_args(arguments))
    module, program = read.pop("module"), read.pop("program")
    if not module and not program:
        parser.error("which program?")
    return Options(**read), ["-m", *module] if module else program
