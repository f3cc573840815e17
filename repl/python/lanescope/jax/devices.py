"""Runs a compiled kernel on the emulator in this process, or on a worker, which has a GPU.

    ran = Emulator().run(compiled, contents, [1], options)
    ran.outputs[1], ran.findings"""
import dataclasses

from . import arrays, findings
from .compiler import MODULE


@dataclasses.dataclass(frozen=True)
class Ran:
    outputs: dict  # an arrays.Array for the number of each wanted buffer; empty after an error
    findings: list  # a list of findings.Finding
    printed: str = ""

    def failed(self):
        return any(each.severity == "error" for each in self.findings)


class Emulator:
    """Runs kernels in this process. `contents`: an array for each buffer of the launch. `wanted`: the numbers of the
    buffers to return."""

    def run(self, compiled, contents, wanted, options, again=False):
        """`again`: this is a run without checks after a run that found faults. It does not count as a call of the
        program."""
        from .. import _native

        buffers = [(each.data, each.dtype, each.shape) for each in contents]
        answer = _native.run_gpu_module(compiled.module, buffers, options.seed, options.strict, options.fast or again, not again, options.timeout)
        found = [findings.of_run(each, MODULE, compiled.text, compiled.lines) for each in answer["findings"]]
        made = dict(zip(compiled.outputs, answer["outputs"]))
        failed = any(each.severity == "error" for each in found)
        outputs = {} if failed else {index: self.output(contents[index], made.get(index)) for index in wanted}
        return Ran(outputs, found, answer["printed"])

    @staticmethod
    def output(before, made):
        """The buffer after the run. A buffer that the kernel does not write stays the same."""
        return before if made is None else arrays.Array(before.dtype, before.shape, memoryview(made))

    def close(self):
        pass


class Remote:
    """Runs kernels on a worker. The kernel's module stays in this process; its PTX goes to the worker."""

    def __init__(self, worker):
        self.worker = worker

    def run(self, compiled, contents, wanted, options):
        from .capture import launch_text

        buffers = [b"" if arrays.all_zero(each) else arrays.to_device(each) for each in contents]
        reply = self.worker.run(compiled.kernel, compiled.arch, compiled.ptx, launch_text(compiled.launch), buffers, wanted, options.timeout)
        places = findings.Places(compiled.lines, compiled.ptx)
        found = [findings.of_worker(each, places) for each in reply.diagnostics]
        outputs = {index: arrays.from_device(contents[index].dtype, contents[index].shape, data) for index, data in zip(wanted, reply.buffers)}
        return Ran(outputs, found, reply.printed)

    def close(self):
        self.worker.close()
