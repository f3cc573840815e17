#include "repl/python/native/PythonLaunch.h"

#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/kernel/TensorMapCheck.h"
#include "layouts/support/Try.h"
#include "repl/python/native/Loans.h"
#include "repl/python/native/PythonHost.h"
#include "repl/python/native/Reporter.h"
#include "repl/python/native/Support.h"

#include <algorithm>
#include <cstring>

namespace lanescope::python {
namespace {

using core::Dtype;
using core::Shape;

constexpr char kKernelCapsule[] = "lanescope.kernel";

struct LoadedKernel {
  SourceRef ptx;
  core::emulator::DecodedKernels decoded;
  std::vector<uint32_t> written; // buffers that former launches have written
};

/// A buffer in the caller's memory.
struct Memory {
  std::byte *begin = nullptr; // the first byte in the caller's memory
  size_t bytes = 0, pad = 0;
  Dtype dtype = Dtype::U8;
  Shape shape;
  bool writable = false;

  core::Array read(Loans &loans) const {
    return {.dtype = dtype, .shape = shape, .bytes = loans.lend(begin - pad, pad + bytes)};
  }
};

/// A parameter that is a TMA descriptor. The descriptor covers a part of a buffer.
struct Descriptor {
  size_t parameter = 0, buffer = 0, at = 0;
  core::TensorMapSpec map;
};

struct LaunchRequest {
  LoadedKernel *kernel = nullptr;
  SourceRef description;
  std::vector<Memory> memory;
  std::vector<Descriptor> descriptors;
  bool fast = false;
};

/// Reads a dtype's name. False with an exception set if there is no such dtype.
bool readDtype(const char *name, Dtype &out) {
  auto known = layouts::dtypeNamed(name);
  if (!known)
    return PyErr_Format(PyExc_TypeError, "there is no dtype `%s`", name), false;
  out = *known;
  return true;
}

/// Reads a tuple of sizes. False with an exception set if it is none.
bool readShape(PyObject *tuple, Shape &out) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
    out.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
  return !PyErr_Occurred();
}

/// Reads a buffer of launch()'s argument `memory`. False with an exception set if it is invalid.
bool readMemory(PyObject *item, Memory &out) {
  unsigned long long address = 0;
  Py_ssize_t bytes = 0, pad = 0;
  const char *dtype = nullptr;
  PyObject *shape = nullptr;
  int writable = 0;
  if (!PyArg_ParseTuple(item, "KnnsO!p", &address, &bytes, &pad, &dtype, &PyTuple_Type, &shape, &writable))
    return false;
  out.begin = reinterpret_cast<std::byte *>(static_cast<uintptr_t>(address));
  out.bytes = static_cast<size_t>(bytes);
  out.pad = static_cast<size_t>(pad);
  out.writable = writable != 0;
  return readDtype(dtype, out.dtype) && readShape(shape, out.shape);
}

/// Reads a descriptor of launch()'s argument `descriptors`. False with an exception set if it is invalid.
bool readDescriptor(PyObject *item, Descriptor &out) {
  Py_ssize_t parameter = 0, buffer = 0, at = 0;
  const char *dtype = nullptr;
  PyObject *shape = nullptr, *strides = nullptr, *box = nullptr;
  int nan = 0;
  if (!PyArg_ParseTuple(item, "nnnsO!O!O!ip", &parameter, &buffer, &at, &dtype, &PyTuple_Type, &shape, &PyTuple_Type,
                        &strides, &PyTuple_Type, &box, &out.map.swizzle, &nan))
    return false;
  out.parameter = static_cast<size_t>(parameter);
  out.buffer = static_cast<size_t>(buffer);
  out.at = static_cast<size_t>(at);
  out.map.oobNan = nan != 0;
  for (core::TmaFormat format : {core::TmaFormat::B4x16, core::TmaFormat::B4x16P64})
    if (dtype == name(format)) {
      out.map.format = format;
      dtype = "u4";
    }
  return readDtype(dtype, out.map.dtype) && readShape(shape, out.map.shape) &&
         readShape(strides, out.map.stridesBytes) && readShape(box, out.map.box);
}

std::optional<LaunchRequest> readLaunchRequest(PyObject *arguments) {
  PyObject *kernel = nullptr, *memory = nullptr, *descriptors = nullptr;
  const char *text = nullptr;
  Py_ssize_t size = 0;
  int fast = 0;
  if (!PyArg_ParseTuple(arguments, "Os#O!O!p", &kernel, &text, &size, &PyList_Type, &memory, &PyList_Type, &descriptors,
                        &fast))
    return std::nullopt;
  LaunchRequest out;
  out.kernel = static_cast<LoadedKernel *>(PyCapsule_GetPointer(kernel, kKernelCapsule));
  if (!out.kernel)
    return std::nullopt;
  out.description = Source::make("<launch>", std::string(text, static_cast<size_t>(size)));
  out.fast = fast != 0;
  for (Py_ssize_t i = 0; i < PyList_Size(memory); ++i)
    if (!readMemory(PyList_GetItem(memory, i), out.memory.emplace_back()))
      return std::nullopt;
  for (Py_ssize_t i = 0; i < PyList_Size(descriptors); ++i)
    if (!readDescriptor(PyList_GetItem(descriptors, i), out.descriptors.emplace_back()))
      return std::nullopt;
  return out;
}

/// Writes the descriptors into their parameters.
Result<void> encode(const LaunchRequest &request, core::Launch &launch) {
  if (request.descriptors.empty())
    return {};
  auto decoded = LANESCOPE_TRY(request.kernel->decoded.get(request.kernel->ptx, launch, nullptr));
  for (const Descriptor &one : request.descriptors) {
    if (one.parameter >= launch.params.size() || one.buffer >= request.memory.size())
      return error("launch", "a TMA descriptor is of no parameter or buffer of the launch");
    auto *block = std::get_if<core::BytesParam>(&launch.params[one.parameter]);
    if (!block || block->size != core::kTensorMapBytes)
      return error("launch", Message("parameter {} is no TMA descriptor", one.parameter));
    // The extent is not checked here, and the driver does not check it either: Triton's ragged descriptors are larger
    // than any memory, and their addresses wrap around. The addresses of each copy are checked.
    for (const core::TensorMapProblem &problem : core::tensorMapProblems(one.map))
      return error("tensor-map", Message("the TMA descriptor in parameter {}: {}", one.parameter, problem.message));
    block->data.resize(block->size);
    uint64_t address = core::emulator::addressOfBuffer(decoded->program, one.buffer) + one.at;
    LANESCOPE_CHECK(core::emulator::encodeTensorMap(one.map, address, {}, block->data.data()));
  }
  return {};
}

/// A pointer inside a buffer. `address` is the emulated address that the kernel sees there instead of the caller's.
struct Pointer {
  size_t buffer = 0, offset = 0;
  uint64_t address = 0;
};

Result<std::vector<Pointer>> pointersOf(const LaunchRequest &request, const core::Launch &launch) {
  std::vector<Pointer> out;
  if (launch.links.empty())
    return out;
  auto decoded = LANESCOPE_TRY(request.kernel->decoded.get(request.kernel->ptx, launch, nullptr));
  for (const core::BufferLink &link : launch.links)
    out.push_back({link.buffer, link.offset, core::emulator::addressOfBuffer(decoded->program, link.target) + link.at});
  return out;
}

struct Ran {
  core::RunResult result;
  std::vector<Pointer> pointers;
};

Result<Ran> run(const LaunchRequest &request, repl::Evaluator &evaluator, Loans &loans) {
  core::Launch launch = LANESCOPE_TRY(core::parseLaunch(request.description));
  LANESCOPE_CHECK(core::checkLaunch(launch));
  LANESCOPE_CHECK(encode(request, launch));
  std::vector<core::Array> arrays;
  for (const Memory &memory : request.memory)
    arrays.push_back(memory.read(loans));
  const repl::KernelOptions &options = Host::get().session().kernels().options();
  ++Host::launches;
  Ran out{LANESCOPE_TRY(core::emulate(request.kernel->ptx, launch, arrays,
                                      {.seed = options.emulation.seed,
                                       .instant = request.fast || options.emulation.fast,
                                       .strict = options.emulation.strict,
                                       .keepGoing = options.emulation.keepGoing,
                                       .strictRules = options.emulation.strictRules,
                                       .decoded = &request.kernel->decoded,
                                       .written = request.kernel->written,
                                       .timeoutSeconds = options.timeoutSeconds,
                                       .interrupted = &evaluator.interruptFlag()})),
          LANESCOPE_TRY(pointersOf(request, launch))};
  for (uint32_t n = 0; n < arrays.size() && n < out.result.outputs.size(); ++n)
    if (arrays[n].bytes.isLent() && !out.result.outputs[n].bytes.isLent())
      request.kernel->written.push_back(n);
  if (Reporter::get().active())
    Reporter::get().launched(request.kernel->ptx, std::move(launch), std::move(arrays), out.result);
  return out;
}

/// Restores the caller's pointers in buffers that may not be changed, except where the kernel has overwritten them.
void restorePointers(const std::vector<Memory> &memory, Ran &ran) {
  for (const Pointer &pointer : ran.pointers) {
    const Memory &in = memory[pointer.buffer];
    std::byte *word = ran.result.outputs[pointer.buffer].bytes.data() + pointer.offset;
    if (!in.writable && std::memcmp(word, &pointer.address, sizeof pointer.address) == 0)
      std::memcpy(word, in.begin - in.pad + pointer.offset, sizeof pointer.address);
  }
}

/// Writes the buffers back. Returns the numbers of those buffers that the kernel changed although it may not.
std::vector<size_t> writeBack(const std::vector<Memory> &memory, const std::vector<core::Array> &arrays) {
  std::vector<size_t> changed;
  for (size_t n = 0; n < memory.size(); ++n) {
    const Memory &to = memory[n];
    if (to.bytes == 0 || arrays[n].bytes.isLent()) // lent bytes are the caller's own
      continue;
    const std::byte *from = arrays[n].bytes.data() + to.pad;
    if (to.writable)
      std::memcpy(to.begin, from, to.bytes);
    else if (std::memcmp(to.begin, from, to.bytes) != 0)
      changed.push_back(n);
  }
  return changed;
}

PyObject *answer(const core::RunResult &result, const std::vector<size_t> &changed) {
  Ref faults(PyList_New(0)), numbers(PyList_New(0));
  for (const Diagnostic &each : result.diagnostics)
    if (each.severity == Severity::Error)
      if (Ref one = toPython(each); !one || PyList_Append(faults.get(), one.get()) != 0)
        return nullptr;
  for (size_t n : changed)
    if (Ref number(PyLong_FromSize_t(n)); !number || PyList_Append(numbers.get(), number.get()) != 0)
      return nullptr;
  Ref printed(PyUnicode_DecodeUTF8(result.printed.data(), static_cast<Py_ssize_t>(result.printed.size()), "replace"));
  return printed ? Py_BuildValue("{s:O,s:O,s:d,s:O}", "faults", faults.get(), "printed", printed.get(), "microseconds",
                                 result.timeUs, "changed", numbers.get())
                 : nullptr;
}

} // namespace

PyObject *kernelOf(PyObject *, PyObject *arguments) {
  const char *path = nullptr, *text = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(arguments, "ss#", &path, &text, &size))
    return nullptr;
  auto kernel = std::make_unique<LoadedKernel>();
  kernel->ptx = Source::make(path, std::string(text, static_cast<size_t>(size)));
  PyObject *capsule = PyCapsule_New(kernel.get(), kKernelCapsule, [](PyObject *object) {
    delete static_cast<LoadedKernel *>(PyCapsule_GetPointer(object, kKernelCapsule));
  });
  if (capsule)
    (void)kernel.release(); // the capsule owns it
  return capsule;
}

PyObject *launch(PyObject *, PyObject *arguments) {
  auto request = readLaunchRequest(arguments);
  if (!request)
    return nullptr;
  Loans loans;
  Diagnostics remarks;
  std::vector<size_t> changed;
  auto ran = Host::get().enter([&](repl::Evaluator &evaluator) {
    auto out = run(*request, evaluator, loans);
    if (out && !hasErrors(out->result.diagnostics)) {
      restorePointers(request->memory, *out);
      changed = writeBack(request->memory, out->result.outputs);
    }
    return out;
  });
  if (!ran)
    return raise(ran.error());
  const core::RunResult &result = ran->result;
  std::ranges::copy_if(result.diagnostics, std::back_inserter(remarks),
                       [](const Diagnostic &each) { return each.severity != Severity::Error; });
  Host::remark(remarks);
  return answer(result, changed);
}

} // namespace lanescope::python
