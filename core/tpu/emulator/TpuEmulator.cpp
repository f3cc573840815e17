#include "core/tpu/emulator/TpuEmulator.h"

#include "core/data/MemoryReserve.h"
#include "core/data/Scratch.h"
#include "core/tpu/emulator/Capacity.h"
#include "core/tpu/emulator/KernelOperands.h"
#include "core/tpu/emulator/RunBuffers.h"
#include "core/tpu/emulator/Scheduler.h"
#include "core/tpu/emulator/TpuRecorder.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <chrono>
#include <cstring>

namespace lanescope::core::sparsecore {
namespace {

constexpr int64_t kMostSubcores = 4096;

int64_t sizeOf(const Function &function, Semantics semantics) {
  int64_t size = 1;
  for (size_t d = 0; d < function.grid.size(); ++d)
    if (function.semantics[d] == semantics)
      size *= function.grid[d];
  return size;
}

Result<void> checkProgram(const Program &program, const EmulatorOptions &options) {
  if (program.kernels().empty())
    return error("not-a-sparsecore-module", program.places.empty() ? Span{} : program.places.front(),
                 "no function of this module has `tpu.core_type`, which says what runs it");
  for (uint32_t kernel : program.kernels()) {
    const Function &function = program.functions[kernel];
    Span place = program.places[function.place];
    if (function.core == CoreType::TensorCore)
      return error("not-a-sparsecore-module", place,
                   Message("`{name}` is for the TensorCore; the emulator runs kernels of SparseCores", function.name));
    int64_t total = options.devices;
    for (int64_t size : function.grid)
      if (size < 0)
        return error("not-a-sparsecore-module", place, Message("a grid of {size} steps", size));
    for (Semantics semantics : {Semantics::CoreParallel, Semantics::SubcoreParallel})
      if (__builtin_mul_overflow(total, sizeOf(function, semantics), &total) || total > kMostSubcores)
        return error("not-a-sparsecore-module", place,
                     Message("`{name}` is for more than {limit} subcores", function.name, kMostSubcores));
    constexpr uint64_t kMostCells = 1 << 27; // the most cells of all frames
    if (function.cells * static_cast<uint64_t>(total) > kMostCells)
      return error("not-a-sparsecore-module", place,
                   Message("`{name}` has more values than the emulator keeps", function.name));
    uint64_t vmemBytes = options.vmemBytes != 0 ? options.vmemBytes : largestVmem();
    for (size_t k = 0; k < function.operands.size(); ++k) {
      const MemRefType &type = program.memrefs[function.values[function.operands[k].value].type];
      bool inHbm = !function.operands[k].scratch && reachOf(type.space) == Reach::Device;
      if (!inHbm && !couldHold(vmemBytes, type.element, type.space, type.shape, type.layout))
        return error("scratch-memory", place,
                     Message("operand {} of `{name}` is larger than {} can be", k, function.name, name(type.space)));
    }
    if (function.core == CoreType::ScalarSubcore && sizeOf(function, Semantics::SubcoreParallel) > 1)
      return error("not-a-sparsecore-module", place,
                   Message("`{name}` is for scalar subcores, and a core has one", function.name));
  }
  return {};
}

/// Error "out-of-memory" if there is no room for the operands' arrays, their shadow memory, and the outputs.
Result<void> reserveArrays(const OperandPlan &plan, const EmulatorOptions &options, const Span &place) {
  constexpr uint64_t kCopies = 3;
  uint64_t bytes = 0;
  for (const OperandPlan::Entry &entry : plan.operands)
    bytes += static_cast<uint64_t>(layouts::elementCount(entry.shape)) * entry.element.bytes();
  if (auto room = reserveBytes(bytes * kCopies * options.devices, "the kernel's arrays"); !room)
    return at(place, std::move(room.error()));
  return {};
}

/// The type of an operand's whole array in HBM; the block has its own type.
MemRefType arrayType(const OperandPlan::Entry &entry, const MemRefType &type, Space space) {
  MemRefType whole{.element = entry.element, .space = space, .shape = entry.shape};
  if (entry.shape == type.shape)
    whole.layout = type.layout;
  return whole;
}

/// Error, kind "scratch-memory": the arrays' tiles take more memory than can exist.
Result<void> checkLayouts(const Machine &m, const OperandPlan &plan) {
  const Function &function = m.program->functions[m.program->kernels()[0]];
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    const OperandPlan::Entry &entry = plan.operands[k];
    const MemRefType &type = m.program->memrefs[function.values[function.operands[k].value].type];
    auto layout = layoutOf(m, arrayType(entry, type, Space::Hbm), entry.shape, false);
    if (layout && !couldHold(m.vmemBytes, entry.element, Space::Hbm, entry.shape, layout))
      return error("scratch-memory", m.place(function.place),
                   Message("operand {} of `{name}` in tiles, {}, is larger than {} can be", k, function.name,
                           layout->text(), name(Space::Hbm)));
  }
  return {};
}

/// Builds the machine for a program and its arrays.
class Setup {
public:
  Setup(Machine &m, const Program &program, const OperandPlan &plan, std::span<const Array> inputs)
      : m_(m), program_(program), plan_(plan), inputs_(inputs) {}

  void run() {
    for (uint32_t device = 0; device < m_.devices; ++device)
      for (uint32_t kernel : program_.kernels())
        addSubcores(device, kernel);
    m_.agents = static_cast<uint32_t>(m_.subcores.size());
    for (Subcore &s : m_.subcores) {
      s.clock.raise(s.now());
      bindOperands(s);
    }
  }

  /// The k-th output of a device.
  Array output(uint32_t device, uint32_t number) const {
    uint32_t operand = plan_.outputs[number];
    const OperandPlan::Entry &entry = plan_.operands[operand];
    Array array = Array::zeros(entry.element.dtype, entry.shape);
    const Buffer *buffer = nullptr;
    if (entry.element.isSemaphore()) { // the first subcore's semaphores
      for (const auto &[key, found] : m_.groups)
        if (key.what == operand && key.device == device && (!buffer || found->semaphores[0].count != 0))
          buffer = found;
      for (size_t k = 0; buffer && k < buffer->semaphores.size(); ++k)
        array.setInteger(static_cast<int64_t>(k), buffer->semaphores[k].count);
      return array;
    }
    auto found = arrays_.find({device, operand});
    if (found != arrays_.end())
      move(*found->second, array, false);
    return array;
  }

private:
  void addSubcores(uint32_t device, uint32_t kernel) {
    const Function &function = program_.functions[kernel];
    uint32_t cores = static_cast<uint32_t>(sizeOf(function, Semantics::CoreParallel));
    uint32_t subcores = static_cast<uint32_t>(sizeOf(function, Semantics::SubcoreParallel));
    for (uint32_t core = 0; core < cores; ++core)
      for (uint32_t subcore = 0; subcore < subcores; ++subcore) {
        Subcore s;
        s.index = static_cast<uint32_t>(m_.subcores.size());
        s.function = &function;
        s.functionIndex = kernel;
        s.location = {device, core, subcore, function.core};
        s.cells.resize(function.cells);
        if (m_.checks)
          s.contents.resize(function.cells, kDefined);
        s.refs.resize(function.slots);
        s.gridIndex.assign(function.grid.size(), 0);
        uint32_t coreRest = core, subcoreRest = subcore;
        for (size_t d = function.grid.size(); d-- > 0;) {
          bool ofCores = function.semantics[d] == Semantics::CoreParallel;
          if (!ofCores && function.semantics[d] != Semantics::SubcoreParallel)
            continue;
          uint32_t &rest = ofCores ? coreRest : subcoreRest, size = static_cast<uint32_t>(function.grid[d]);
          s.gridIndex[d] = rest % size;
          rest /= size;
        }
        s.done = layouts::elementCount(function.grid) == 0;
        m_.subcores.push_back(std::move(s));
      }
  }

  Machine::GroupKey keyOf(uint32_t operand, Reach reach, const Location &where) const {
    return {operand,
            0,
            where.device,
            reach == Reach::Device ? 0 : where.core,
            reach == Reach::Subcore ? where.subcore : 0,
            reach == Reach::Subcore ? where.type : CoreType::VectorSubcore};
  }

  /// Copies between a host's array and its emulated memory, whose elements may lie in tiles.
  static void move(Buffer &buffer, Array &array, bool in) {
    size_t size = buffer.element.bytes();
    if (!buffer.layout) {
      if (in)
        buffer.bytes = core::ArrayBytes(array.bytes).take();
      else
        array.bytes = buffer.bytes;
      return;
    }
    for (size_t k = 0; k < buffer.elements(); ++k) {
      std::byte *inMemory = buffer.bytes.data() + buffer.addressOf(static_cast<int64_t>(k));
      std::byte *inArray = array.bytes.data() + k * size;
      std::memcpy(in ? inMemory : inArray, in ? inArray : inMemory, size);
    }
  }

  /// The array of an operand in HBM.
  Buffer *arrayOf(uint32_t device, uint32_t operand, const MemRefType &type, Space space) {
    Buffer *&buffer = arrays_[{device, operand}];
    if (buffer)
      return buffer;
    const OperandPlan::Entry &entry = plan_.operands[operand];
    MemRefType whole = arrayType(entry, type, space);
    buffer = makeBuffer(m_, {entry.element,
                             space,
                             entry.shape,
                             layoutOf(m_, whole, entry.shape, false),
                             {device, 0, 0, CoreType::VectorSubcore},
                             text("operand ", operand),
                             program_.functions[program_.kernels()[0]].place});
    buffer->operand = static_cast<int32_t>(operand);
    buffer->outlives = true;
    size_t perDevice = inputs_.size() / m_.devices;
    if (entry.input >= 0) {
      Array array = toMemory(inputs_[device * perDevice + static_cast<size_t>(entry.input)], entry.element);
      move(*buffer, array, true);
      if (buffer->watched)
        buffer->shadow = Shadow(buffer->bytes.size(), kDefined);
    }
    buffer->watched = m_.checks && (entry.written || entry.output >= 0 || entry.input < 0);
    return buffer;
  }

  Buffer *scratch(uint32_t operand, const MemRefType &type, Location where) {
    Reach reach = reachOf(type.space);
    if (reach == Reach::Subcore && type.ofCore)
      // For memory of another core, start with the core's first subcore; an operation may name another subcore.
      where.type = type.core;
    if (reach == Reach::Subcore && type.ofCore && type.core == CoreType::ScalarSubcore)
      where.subcore = 0;
    Machine::GroupKey key = keyOf(operand, reach, where);
    if (auto found = m_.groups.find(key); found != m_.groups.end())
      return found->second;
    Buffer *buffer = makeBuffer(m_, {type.element, type.space, type.shape, layoutOf(m_, type, type.shape, true), where,
                                     text("operand ", operand), program_.functions[program_.kernels()[0]].place});
    buffer->operand = static_cast<int32_t>(operand);
    addToGroup(m_, key, buffer);
    for (Subcore &s : m_.subcores)
      if (reach == Reach::Subcore && s.location == where)
        takeRoom(m_, s, *buffer, s.function->place);
    return buffer;
  }

  void bindOperands(Subcore &s) {
    const Function &function = *s.function;
    for (uint32_t k = 0; k < function.operands.size(); ++k) {
      const Operand &operand = function.operands[k];
      const MemRefType &type = program_.memrefs[function.values[operand.value].type];
      MemRef &slot = s.refs[function.values[operand.value].at];
      if (operand.scratch) {
        slot = whole(*scratch(k, type, s.location));
        continue;
      }
      if (type.element.isSemaphore()) {
        Buffer *buffer = scratch(k, type, s.location);
        buffer->outlives = true;
        size_t perDevice = inputs_.size() / m_.devices;
        int32_t input = plan_.operands[k].input;
        for (size_t n = 0; input >= 0 && n < buffer->semaphores.size(); ++n)
          buffer->semaphores[n].count =
              inputs_[s.location.device * perDevice + static_cast<size_t>(input)].integer(static_cast<int64_t>(n));
        slot = whole(*buffer);
        continue;
      }
      bool direct = reachOf(type.space) == Reach::Device;
      Buffer *array = arrayOf(s.location.device, k, type, direct ? type.space : Space::Hbm);
      bool isWhole = operand.persistent || operand.window.empty() || operand.window == array->shape;
      if (direct && isWhole) {
        addToGroup(m_, keyOf(k, Reach::Device, s.location), array);
        slot = whole(*array);
        continue;
      }
      Buffer *block = scratch(k, type, s.location);
      Window window;
      window.operand = k;
      window.array = array;
      window.block = block;
      window.input = plan_.operands[k].input >= 0;
      window.output = plan_.operands[k].output >= 0 && plan_.operands[k].written;
      s.windows.windows.push_back(std::move(window));
      slot = whole(*block);
    }
  }

  Machine &m_;
  const Program &program_;
  const OperandPlan &plan_;
  std::span<const Array> inputs_;
  std::map<std::pair<uint32_t, uint32_t>, Buffer *> arrays_; // keyed by device and operand
};

} // namespace

std::vector<uint32_t> outputOperands(const Program &program, size_t given) {
  return planOperands(program, given).outputs;
}

static Result<RunResult> runModule(const Program &program, std::span<const Array> inputs,
                                   const EmulatorOptions &options, EmulatorStatistics *statistics) {
  LANESCOPE_CHECK(checkProgram(program, options));
  size_t perDevice = inputs.size() / options.devices;
  if (perDevice * options.devices != inputs.size())
    return error(
        "module-inputs", program.places[program.functions[program.kernels()[0]].place],
        Message("{count} arrays cannot be divided evenly among {devices} devices", inputs.size(), options.devices));
  OperandPlan plan =
      LANESCOPE_TRY(planOperands(program, inputs.first(perDevice), options.outputShapes, options.operands));
  for (uint32_t device = 1; device < options.devices; ++device)
    LANESCOPE_CHECK(
        planOperands(program, inputs.subspan(device * perDevice, perDevice), options.outputShapes, options.operands));
  LANESCOPE_CHECK(reserveArrays(plan, options, program.places[program.functions[program.kernels()[0]].place]));
  Recorder recorder;
  Machine machine;
  machine.program = &program;
  machine.devices = options.devices;
  machine.instant = options.instant;
  machine.checks = options.checks && !options.instant;
  machine.tensorCoreTiles = options.tensorCoreTiles;
  machine.seed = options.seed;
  machine.vmemBytes = options.vmemBytes != 0 ? options.vmemBytes : largestVmem();
  machine.random.seed(options.seed);
  machine.recorder = options.trace ? &recorder : nullptr;
  LANESCOPE_CHECK(checkLayouts(machine, plan));
  Setup setup(machine, program, plan, inputs);
  setup.run();
  auto start = std::chrono::steady_clock::now();
  runAll(machine, {options.timeoutSeconds, options.interrupted});
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  RunResult result;
  result.device = "SparseCore emulator";
  result.printed = std::move(machine.printed);
  uint64_t instructions = 0;
  for (const Subcore &s : machine.subcores) {
    instructions += s.instructions;
    result.timeUs = std::max(result.timeUs, s.time / 1000);
  }
  if (statistics)
    *statistics = {instructions, machine.copies.size(), seconds};
  for (uint32_t device = 0; device < options.devices; ++device)
    for (uint32_t number = 0; number < plan.outputs.size(); ++number)
      result.outputs.push_back(setup.output(device, number));
  if (options.trace)
    result.trace = recorder.take(machine);
  result.note = text("emulated ", instructions, " operations and ", machine.copies.size(), " copies of ",
                     counted(machine.subcores.size(), "subcore"));
  result.diagnostics = std::move(machine.warnings);
  if (machine.fault)
    result.diagnostics.push_back(std::move(*machine.fault));
  return result;
}

Result<RunResult> emulate(const Program &program, std::span<const Array> inputs, const EmulatorOptions &options,
                          EmulatorStatistics *statistics) {
  if (options.interrupted) // the caller knows why it raised the flag
    return runModule(program, inputs, options, statistics);
  std::atomic<bool> stopped{false};
  StopWithoutMemory stop(stopped);
  EmulatorOptions own = options;
  own.interrupted = &stopped;
  Result<RunResult> result = runModule(program, inputs, own, statistics);
  if (stop.happened())
    return StopWithoutMemory::error();
  return result;
}

} // namespace lanescope::core::sparsecore
