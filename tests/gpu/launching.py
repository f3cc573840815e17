"""Launches Lanescope's packages from Python on PyTorch's tensors, through the CUDA driver, without a worker and without
copies.

  kernel = Kernel("matmul.lspkg")             # loads the PTX with the driver's assembler, or kernel.cubin beside it
  launch = kernel.bind([a, b, out])           # tensors in the order of the launch description's buffers
  launch()                                    # on PyTorch's current stream

Needs a driver and PyTorch. It is for timing, so it lacks the worker's guards, watchdog and process.
"""
import ctypes
import json
import pathlib

TENSOR_MAP_TYPES = {"f16": 6, "f32": 7, "f64": 8, "bf16": 9, "tf32": 11, "i16": 1, "u16": 1, "i32": 3, "u32": 2, "i64": 5, "u64": 4}
SWIZZLES = {0: 0, 16: 0, 32: 1, 64: 2, 128: 3}
MAX_DYNAMIC_SHARED, CLUSTER_DIMENSION = 8, 4


class _Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint32 * 16)]


class _Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(_Attribute)), ("count", ctypes.c_uint)]


_cuda = None


def driver(name, *arguments):
    """Calls a function of the driver. A failure raises an exception with the driver's message."""
    global _cuda
    if _cuda is None:
        _cuda = ctypes.CDLL("libcuda.so.1")
    status = getattr(_cuda, name)(*arguments)
    if status:
        words = ctypes.c_char_p()
        _cuda.cuGetErrorString(status, ctypes.byref(words))
        raise RuntimeError(f"{name}: {(words.value or b'?').decode()}")


def _array(kind, values):
    return (kind * max(1, len(values)))(*values)


class Kernel:
    def __init__(self, folder, promotion=0):
        folder = pathlib.Path(folder)
        self.name, self.launch, self.promotion = folder.stem, json.loads((folder / "launch.json").read_text()), promotion
        cubin = folder / "kernel.cubin"
        image = cubin.read_bytes() if cubin.exists() else (folder / "kernel.ptx").read_bytes() + b"\0"
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        driver("cuModuleLoadData", ctypes.byref(self.module), image)
        driver("cuModuleGetFunction", ctypes.byref(self.function), self.module, self.launch["entry"].encode())
        if self.launch.get("dynamic_smem", 0):
            driver("cuFuncSetAttribute", self.function, MAX_DYNAMIC_SHARED, self.launch["dynamic_smem"])

    def buffers(self):
        """The launch description's buffers, in order: dicts with `dtype`, `shape`, and `out` for outputs."""
        return [buffer for param in self.launch["params"] for buffer in param.get("buffers", [param])
                if param["kind"] in ("buffer", "bytes")]

    def bind(self, tensors):
        values, tensors, next_buffer = [], list(tensors), 0
        for param in self.launch["params"]:
            if param["kind"] == "buffer":
                values.append(ctypes.c_uint64(tensors[next_buffer].data_ptr()))
                next_buffer += 1
            elif param["kind"] == "bytes":
                # Aligned by hand, because a tensor map is encoded in the memory from which it is passed.
                raw = ctypes.create_string_buffer(param["size"] + 128)
                base = (ctypes.addressof(raw) + 127) // 128 * 128
                for pointer in param.get("pointers", []):
                    address = tensors[next_buffer + pointer["buffer"]].data_ptr()
                    ctypes.c_uint64.from_address(base + pointer["offset"]).value = address
                for tensor_map in param.get("tensor_maps", []):
                    self._encode(base + tensor_map["offset"], tensor_map, tensors[next_buffer + tensor_map["buffer"]])
                next_buffer += len(param["buffers"])
                values.append((raw, base))
            else:
                raise ValueError(f"{self.name}: parameters of kind {param['kind']} are not known here")
        return Launch(self, values, tensors)

    def _encode(self, address, spec, tensor):
        shape, box = spec["shape"][::-1], spec["box"][::-1]
        strides = spec["strides_bytes"][::-1]
        driver("cuTensorMapEncodeTiled", ctypes.c_void_p(address), TENSOR_MAP_TYPES.get(spec["dtype"], 0), len(shape),
               ctypes.c_void_p(tensor.data_ptr()), _array(ctypes.c_uint64, shape), _array(ctypes.c_uint64, strides),
               _array(ctypes.c_uint32, box), _array(ctypes.c_uint32, [1] * len(box)), 0, SWIZZLES[spec["swizzle"]],
               self.promotion, 0)


class Launch:
    def __init__(self, kernel, values, tensors):
        self.kernel, self.values, self.tensors = kernel, values, tensors
        launch, cluster = kernel.launch, kernel.launch.get("cluster", [1, 1, 1])
        pointers = [value[1] if isinstance(value, tuple) else ctypes.addressof(value) for value in values]
        self.parameters = _array(ctypes.c_void_p, pointers)
        self.attribute = _Attribute(id=CLUSTER_DIMENSION)
        self.attribute.value[:3] = cluster
        grouped = cluster[0] * cluster[1] * cluster[2] > 1
        self.config = _Config((ctypes.c_uint * 3)(*launch["grid"]), (ctypes.c_uint * 3)(*launch["block"]),
                              launch.get("dynamic_smem", 0), None, ctypes.pointer(self.attribute), 1 if grouped else 0)

    def __call__(self):
        import torch
        self.config.stream = torch.cuda.current_stream().cuda_stream
        driver("cuLaunchKernelEx", ctypes.byref(self.config), self.kernel.function, self.parameters, None)
