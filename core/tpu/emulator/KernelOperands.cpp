#include "core/tpu/emulator/KernelOperands.h"

#include "core/tpu/emulator/TpuMachine.h"
#include "core/tpu/emulator/Transform.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <numeric>

namespace lanescope::core::sparsecore {
namespace {

/// Finds the values that may refer to the same memory.
class Roots {
public:
  explicit Roots(size_t values) : parent_(values) { std::iota(parent_.begin(), parent_.end(), 0u); }
  uint32_t of(uint32_t value) {
    while (parent_[value] != value)
      value = parent_[value] = parent_[parent_[value]];
    return value;
  }
  void join(uint32_t a, uint32_t b) { parent_[of(a)] = of(b); }

private:
  std::vector<uint32_t> parent_;
};

bool isView(Op op) {
  return op == Op::SliceRef || op == Op::SqueezeRef || op == Op::ReshapeRef || op == Op::BitcastRef ||
         op == Op::CastRef;
}

struct Uses {
  std::vector<bool> written, used;
  std::vector<bool> awaited; // the target of a copy that some subcore waits for
};

void findUses(const Function &function, Uses &found) {
  Roots roots(function.values.size());
  std::vector<uint32_t> writes, uses, waits;
  for (const Instruction &i : function.code) {
    for (uint32_t operand : i.operands)
      if (function.values[operand].memref)
        uses.push_back(operand);
    if (isView(i.op))
      roots.join(i.results[0], i.operands[0]);
    else if (i.op == Op::Move) {
      for (size_t k = 0; k < i.results.size(); ++k)
        if (function.values[i.results[k]].memref)
          roots.join(i.results[k], i.operands[k]);
    } else if (i.op == Op::Elementwise && function.values[i.results[0]].memref) {
      roots.join(i.results[0], i.operands[1]);
      roots.join(i.results[0], i.operands[2]);
    } else if (i.op == Op::Store || i.op == Op::VectorStore || i.op == Op::VectorStoreIdx) {
      writes.push_back(i.operands[1]);
    } else if (i.op == Op::FetchAndAdd) {
      writes.push_back(i.operands[0]);
    }
    bool copies = i.op == Op::EnqueueDma || i.op == Op::EnqueueIndirectDma;
    for (size_t k = 0; k < i.roles.size(); ++k)
      if (i.roles[k] == Role::Semaphore || i.roles[k] == Role::SourceSemaphore ||
          (copies && i.roles[k] == Role::Target))
        writes.push_back(i.operands[k]);
      else if (i.roles[k] == Role::Target)
        waits.push_back(i.operands[k]);
  }
  auto mark = [&](const std::vector<uint32_t> &values, std::vector<bool> &operands) {
    std::vector<bool> marked(function.values.size());
    for (uint32_t value : values)
      marked[roots.of(value)] = true;
    for (size_t k = 0; k < function.operands.size() && k < operands.size(); ++k)
      operands[k] = operands[k] || marked[roots.of(function.operands[k].value)];
  };
  mark(writes, found.written);
  mark(uses, found.used);
  mark(waits, found.awaited);
}

std::string shapeText(const Shape &shape) { return text("(", joined(shape, ", "), shape.size() == 1 ? ",)" : ")"); }

bool sameMemory(const OperandPlan::Entry &a, const OperandPlan::Entry &b) {
  return a.shape == b.shape && a.element == b.element;
}

/// Assumes that each of the last `count` operands, which the kernel does not use, is another name for an earlier
/// operand, in the same order. Empty if this is impossible. `mayRest`: also allows a name for an operand that is not
/// used, if at least one of the named operands is written.
std::vector<uint32_t> otherNames(const OperandPlan &plan, const Uses &uses, size_t count, bool mayRest) {
  std::vector<uint32_t> names;
  size_t first = plan.operands.size() - count, next = 0;
  bool some = false;
  for (size_t k = first; k < plan.operands.size(); ++k) {
    if (uses.used[k])
      return {};
    auto find = [&](auto &&good) {
      for (size_t f = next; f < first; ++f)
        if (good(f) && sameMemory(plan.operands[f], plan.operands[k]))
          return f;
      return first;
    };
    size_t found = find([&](size_t f) { return uses.written[f]; });
    if (found == first) // the operand is only a source of copies or waited for, so another kernel has started the copy
      found = find([&](size_t f) { return uses.awaited[f]; });
    some |= found != first;
    if (found == first && mayRest)
      found = find([&](size_t f) { return !uses.used[f]; });
    if (found == first)
      return {};
    names.push_back(static_cast<uint32_t>(found));
    next = found + 1;
  }
  return some ? names : std::vector<uint32_t>{};
}

} // namespace

/// The operands of a program before they are bound to inputs and outputs. Records in `uses` how the kernels use them.
static OperandPlan unboundOperands(const Program &program, Uses &uses) {
  OperandPlan plan;
  std::vector<uint32_t> kernels = program.kernels();
  const Function &function = program.functions[kernels[0]];
  size_t count = 0;
  while (count < function.operands.size() && !function.operands[count].scratch)
    ++count;
  uses = {std::vector<bool>(count), std::vector<bool>(count), std::vector<bool>(count)};
  for (uint32_t kernel : kernels)
    findUses(program.functions[kernel], uses);
  for (size_t k = 0; k < count; ++k) {
    const MemRefType &type = program.memrefs[function.values[function.operands[k].value].type];
    plan.operands.push_back({-1, -1, uses.written[k], uses.used[k], type.shape, type.element});
  }
  return plan;
}

/// The operands with inputs and outputs as the caller states them.
static OperandPlan boundOperands(const Program &program, std::span<const BoundOperand> bound) {
  Uses uses;
  OperandPlan plan = unboundOperands(program, uses);
  for (size_t k = 0; k < plan.operands.size() && k < bound.size(); ++k) {
    plan.operands[k].input = bound[k].input;
    plan.operands[k].output = bound[k].output;
    if (bound[k].output < 0)
      continue;
    auto number = static_cast<size_t>(bound[k].output);
    plan.outputs.resize(std::max(plan.outputs.size(), number + 1));
    plan.outputs[number] = static_cast<uint32_t>(k);
  }
  return plan;
}

OperandPlan planOperands(const Program &program, size_t given) {
  if (program.kernels().empty())
    return {};
  Uses uses;
  OperandPlan plan = unboundOperands(program, uses);
  size_t count = plan.operands.size();
  size_t missing = count > given ? count - given : 0;
  std::vector<uint32_t> outputs = otherNames(plan, uses, missing, false);
  bool twice = false; // neither the outputs nor their other names are given
  if (outputs.empty() && missing % 2 == 0) {
    outputs = otherNames(plan, uses, missing / 2, true);
    twice = !outputs.empty();
  }
  bool named = !outputs.empty();
  for (size_t k = count - missing; k < count && !named; ++k)
    outputs.push_back(static_cast<uint32_t>(k));
  std::vector<bool> isOutput(count);
  for (uint32_t operand : outputs)
    isOutput[operand] = true;
  int32_t input = 0;
  for (size_t k = 0; k < count && static_cast<size_t>(input) < given; ++k)
    if (!(twice && isOutput[k]))
      plan.operands[k].input = input++;
  for (size_t k = 0; k < count; ++k) // the caller may give an array for an output
    if (plan.operands[k].input >= 0 && uses.written[k] && !isOutput[k])
      outputs.push_back(static_cast<uint32_t>(k));
  for (uint32_t operand : outputs) {
    plan.operands[operand].output = static_cast<int32_t>(plan.outputs.size());
    plan.outputs.push_back(operand);
  }
  return plan;
}

/// True if an array of this dtype may be given for memory of that element. It may have the same type, the unsigned type
/// of the same width, the integer type with a float's bits, or be boolean if the memory has a word for each boolean.
static bool standsFor(Dtype dtype, const Element &element) {
  if (element.isSemaphore())
    return dtype == Dtype::I32 || dtype == Dtype::U32;
  if (dtype == element.dtype || (dtype == Dtype::I1 && element.kind == Element::Kind::Integer))
    return true;
  bool sameWidth = layouts::hostBytes(dtype) == static_cast<int>(element.bytes()) &&
                   layouts::bitwidth(dtype) == layouts::bitwidth(element.dtype);
  return sameWidth && layouts::isInteger(dtype) &&
         (element.kind == Element::Kind::Integer || layouts::isUnsignedInteger(dtype));
}

Array toMemory(const Array &array, const Element &element) {
  Array memory = array;
  memory.dtype = element.dtype;
  if (layouts::hostBytes(array.dtype) == static_cast<int>(element.bytes()))
    return memory;
  memory = Array::zeros(element.dtype, array.shape);
  for (int64_t k = 0; k < array.size(); ++k)
    memory.setInteger(k, array.integer(k));
  return memory;
}

Result<OperandPlan> planOperands(const Program &program, std::span<const Array> arrays,
                                 std::span<const Shape> outputShapes, std::span<const BoundOperand> bound) {
  std::vector<uint32_t> kernels = program.kernels();
  const Function &first = program.functions[kernels.at(0)];
  Span place = program.places[first.place];
  OperandPlan plan = bound.empty() ? planOperands(program, arrays.size()) : boundOperands(program, bound);
  for (uint32_t kernel : kernels) {
    size_t count = 0;
    for (const Operand &operand : program.functions[kernel].operands)
      count += !operand.scratch;
    if (count != plan.operands.size())
      return error("module-inputs", program.places[program.functions[kernel].place],
                   Message("`{name}` has {count} operands and `{other_name}`, which runs with it, has {other_count}",
                           program.functions[kernel].name, count, first.name, plan.operands.size()));
  }
  auto describe = [&](size_t k) {
    const OperandPlan::Entry &entry = plan.operands[k];
    bool windowed = !first.operands[k].window.empty() && first.operands[k].transform >= 0;
    return text("operand ", k, " (", name(entry.element), windowed ? " in blocks of " : " ", shapeText(entry.shape),
                ")");
  };
  size_t needed = 0; // the operands that are read and never written, which must be given
  bool lacks = false;
  for (const OperandPlan::Entry &entry : plan.operands) {
    bool read = entry.used && !entry.written;
    needed += read;
    lacks |= read && entry.input < 0 && bound.empty();
  }
  if (arrays.size() > plan.operands.size() || lacks) {
    std::vector<Note> notes;
    for (size_t k = 0; k < plan.operands.size(); ++k)
      notes.push_back({place, text(describe(k), plan.operands[k].written ? ": written"
                                                : plan.operands[k].used  ? ": read"
                                                                         : ": not used")});
    return error("module-inputs", place,
                 Message("`{name}` takes {}{}, and {count}{}", first.name,
                         needed == plan.operands.size() ? "" : text(needed, " to "),
                         counted(plan.operands.size(), "array"), arrays.size(),
                         arrays.size() == 1 ? " is given" : " are given"),
                 std::move(notes));
  }
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    OperandPlan::Entry &entry = plan.operands[k];
    if (entry.input < 0)
      continue;
    const Array &array = arrays[static_cast<size_t>(entry.input)];
    if (!standsFor(array.dtype, entry.element))
      return error(
          "module-inputs", place,
          Message("array {} is of {dtype}, and it is for {}", entry.input, layouts::name(array.dtype), describe(k)));
    bool windowed = !first.operands[k].window.empty();
    bool fits = array.shape.size() == entry.shape.size();
    for (size_t d = 0; fits && d < entry.shape.size(); ++d)
      fits = windowed || array.shape[d] == entry.shape[d];
    if (!fits)
      return error(
          "module-inputs", place,
          Message("array {} has shape {shape}, and it is for {}", entry.input, shapeText(array.shape), describe(k)));
    entry.shape = array.shape;
  }
  // An output has the requested shape, or that of its array, or it extends to the end of the grid's blocks.
  Machine machine;
  machine.program = &program;
  machine.checks = false;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    OperandPlan::Entry &entry = plan.operands[plan.outputs[o]];
    const Operand &operand = first.operands[plan.outputs[o]];
    if (entry.input >= 0)
      continue;
    if (o < outputShapes.size()) {
      if (outputShapes[o].size() != entry.shape.size())
        return error("module-inputs", place,
                     Message("the shape of output {} is of another rank than {}", o, describe(plan.outputs[o])));
      entry.shape = outputShapes[o];
      continue;
    }
    if (operand.window.empty() || operand.transform < 0)
      continue;
    std::vector<int64_t> index(first.grid.size(), 0);
    constexpr int64_t kMostSteps = 1 << 20;
    if (layouts::elementCount(first.grid) > kMostSteps)
      return error("module-inputs", place,
                   Message("the grid is too large to find the shape of output {} from its blocks", o));
    for (int64_t step = layouts::elementCount(first.grid); step-- > 0;) {
      std::vector<int64_t> start;
      if (!windowStart(machine, first, operand, index, start))
        return std::unexpected(Diagnostics{*machine.fault});
      for (size_t d = 0; d < start.size() && d < entry.shape.size(); ++d)
        entry.shape[d] = std::max(entry.shape[d], start[d] + operand.window[d]);
      for (size_t d = index.size(); d-- > 0;) {
        if (++index[d] < first.grid[d])
          break;
        index[d] = 0;
      }
    }
  }
  for (const OperandPlan::Entry &entry : plan.operands)
    if (!checkedArrayBytes(entry.element.dtype, entry.shape))
      return error("module-inputs", place, Message("an operand of shape {shape} is too large", shapeText(entry.shape)));
  return plan;
}

} // namespace lanescope::core::sparsecore
