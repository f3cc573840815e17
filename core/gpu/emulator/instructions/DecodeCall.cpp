// Calls and returns, the stack (PTX ISA 9.7.12.5-6, 9.7.17), and functions that the driver provides: vprintf,
// __assertfail, malloc, free.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/Print.h"
#include "core/gpu/emulator/machine/Addresses.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/sync/Calls.h"
#include "core/gpu/emulator/sync/Divergence.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

bool decodeReturn(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  mods.take("uni");
  i.ends = true;
  i.imm = d.currentRoutine();
  i.run = d.currentRoutine() == 0 ? [](Warp &warp, const Instr &, uint32_t mask) { return exitLanes(warp, mask); }
                                  : &returnLanes;
  return d.finish(mods, 0);
}

/// Gets the local offsets of a call's parameters, which are variables in the call's scope. Parameter `word` has 4
/// bytes, and the others have 8.
bool localParameters(Decoder &d, const Operand &list, size_t word, std::vector<uint32_t> &offsets) {
  return std::ranges::all_of(list.parts, [&](const Operand &parameter) {
    uint64_t offset = 0;
    Space space;
    size_t number = static_cast<size_t>(&parameter - list.parts.data());
    bool found = d.variableAddress(parameter.name, offset, space) && space == Space::Local &&
                 d.variableBytes(parameter.name) >= (number == word ? 4u : 8u);
    offsets.push_back(static_cast<uint32_t>(offset));
    return found;
  });
}

/// malloc: gives each lane a part of the heap, or null. list: the local offsets of the size and the result.
Step allocateHeap(Warp &warp, const Instr &i, uint32_t mask) {
  Grid &grid = *warp.block->grid;
  const uint32_t *offsets = grid.program->lists.data() + i.list;
  forLanes(mask, [&](uint32_t l) {
    std::byte *frame =
        warp.local.data() + static_cast<size_t>(l) * warp.localBytes + (i.a == kNone ? 0 : warp.reg<uint64_t>(i.a)[l]);
    uint64_t size = 0, address = 0;
    std::memcpy(&size, frame + offsets[0], sizeof size);
    size = (std::max<uint64_t>(size, 1) + 15) / 16 * 16;
    if (size <= kHeapBytes - grid.heapUsed) {
      address = grid.heapAddress + grid.heapUsed;
      grid.heapUsed += size;
    }
    std::memcpy(frame + offsets[1], &address, sizeof address);
  });
  ++warp.block->effects;
  return Step::Next;
}

/// Decodes calls of functions that have no body here. Returns false if the name is not one of theirs.
bool decodeSystemCall(Decoder &d, std::string_view name, const Operand *results, const Operand *arguments, Instr &i) {
  static const Operand kEmpty;
  const Operand &in = arguments ? *arguments : kEmpty, &out = results ? *results : kEmpty;
  bool prints = name == "vprintf" && out.parts.size() == 1 && in.parts.size() == 2;
  bool asserts = name == "__assertfail" && out.parts.empty() && in.parts.size() == 5;
  bool allocates = name == "malloc" && out.parts.size() == 1 && in.parts.size() == 1;
  bool frees = name == "free" && out.parts.empty() && in.parts.size() == 1;
  if (!prints && !asserts && !allocates && !frees)
    return false;
  std::vector<uint32_t> offsets; // arguments, then results
  constexpr size_t kNoWord = SIZE_MAX, kLineOfAssertion = 2;
  if (!localParameters(d, in, asserts ? kLineOfAssertion : kNoWord, offsets) ||
      !localParameters(d, out, prints ? 0 : kNoWord, offsets))
    return d.fail(Message("the arguments of `{name}` are not parameters of this call", name), "unknown-instruction");
  i.a = d.frameSlot();
  i.cost = cost::kGlobalLatency;
  i.list = static_cast<uint32_t>(d.program().lists.size());
  d.program().lists.insert(d.program().lists.end(), offsets.begin(), offsets.end());
  if (prints)
    i.run = &printLanes;
  else if (asserts)
    i.run = &failAssertion;
  else if (allocates)
    i.run = &allocateHeap;
  else // freed memory is not reused
    i.run = [](Warp &, const Instr &, uint32_t) { return Step::Next; };
  if (allocates)
    d.program().usesHeap = d.program().communicates = true;
  return true;
}

/// Calls the function that the first lane's register names. All lanes that name the same function take part. The other
/// lanes execute the instruction again later.
Step callNamed(Warp &warp, const Instr &i, uint32_t mask) {
  const Program &program = *warp.block->grid->program;
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  const auto *address = warp.reg<uint64_t>(i.a);
  uint64_t number = address[first] - kFunctionWindow;
  if (number >= program.routines.size() || number == 0)
    return fault(warp, i, "bad-call", "the address that is called is of no function", first);
  const Routine &routine = program.routines[number];
  const Call &call = program.calls[i.imm];
  if (routine.params.size() != call.arguments.size() || routine.results.size() != call.results.size())
    return fault(
        warp, i, "bad-call",
        Message("`{name}` has {parameters} parameters and {count} results; the call gives {other_count} and takes {}",
                routine.name, routine.params.size(), routine.results.size(), call.arguments.size(),
                call.results.size()),
        first);
  uint32_t alike = 0;
  forLanes(mask, [&](uint32_t l) { alike |= static_cast<uint32_t>(address[l] == address[first]) << l; });
  if (alike == mask)
    return callLanes(warp, i, mask, static_cast<uint32_t>(number));
  // These lanes split off. Their meeting point is after the call.
  Instr apart = i;
  apart.target = warp.split().pc; // these lanes, or the other lanes, make the call there
  apart.reconverge = warp.split().pc + 1;
  return partLanes(warp, apart, alike);
}

bool decodeCall(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  mods.take("uni");
  if (!d.finish(mods, 1, 4))
    return false;
  // The operands: call [(results),] name [, (arguments)] [, prototype or targets]
  size_t at = d.operand(0).kind == Operand::Kind::List ? 1 : 0;
  if (at >= d.operandCount() || d.operand(at).kind != Operand::Kind::Name)
    return d.fail("`call` needs a function's name", "unknown-instruction");
  std::string_view name = d.operand(at).name;
  const Operand *results = at ? &d.operand(0) : nullptr, *arguments = nullptr;
  size_t next = at + 1;
  if (next < d.operandCount() && d.operand(next).kind == Operand::Kind::List)
    arguments = &d.operand(next++);
  bool indirect = d.widthOf(d.operand(at)) != 0;
  if (!indirect && decodeSystemCall(d, name, results, arguments, i))
    return !d.failed();
  uint32_t number = indirect ? kNone : d.routineNamed(name);
  if (!indirect && number == kNone)
    return d.fail(Message("unknown function `{name}`: the file has none of that name, and the emulator knows "
                          "`vprintf`, `__assertfail`, `malloc` and `free` besides",
                          name),
                  "unknown-instruction");
  auto named = [&](const Function &function) { return function.name == name; };
  auto declared = [&](const Function &function) { return named(function) && function.begin < d.current().begin; };
  const std::vector<Function> &functions = d.program().module->functions;
  if (!indirect && std::ranges::any_of(functions, named) &&
      std::ranges::none_of(functions, declared)) // the name may be an alias
    return d.fail(Message(
        "`{name}` is declared after this call; `.func {}` with its parameters and `;` stands before it", name, name));
  if (!indirect &&
      std::ranges::any_of(functions, [&](const Function &function) { return named(function) && function.entry; }))
    return d.fail(Message("`{name}` is an entry, and `call` is for a `.func`", name));
  const Program &program = d.program();
  const Routine *routine = indirect ? nullptr : &program.routines[number];
  size_t argumentCount = arguments ? arguments->parts.size() : 0, resultCount = results ? results->parts.size() : 0;
  if (routine && (routine->params.size() != argumentCount || routine->results.size() != resultCount))
    return d.fail(Message("`{name}` has {parameters} parameters and {count} results", name, routine->params.size(),
                          routine->results.size()));
  if (auto callee = std::ranges::find_if(functions, named);
      routine && callee != functions.end()) // the name is not an alias
    for (auto [given, formal] : {std::pair(arguments, &callee->params), std::pair(results, &callee->results)})
      for (size_t n = 0; given && n < given->parts.size(); ++n)
        if (!d.passesAs(given->parts[n], (*formal)[n]))
          return false;
  Call call{.caller = d.currentRoutine(), .routine = number, .arguments = {}, .results = {}};
  // In an indirect call, the sizes of the callee's parameters are used if they are smaller.
  auto bytesOf = [&](const std::vector<CallValue> &values, size_t n, const Operand &operand) {
    return routine ? values[n].bytes : d.variableBytes(operand.name);
  };
  static const std::vector<CallValue> kNothing;
  for (size_t n = 0; n < argumentCount; ++n)
    if (!d.callValue(arguments->parts[n], bytesOf(routine ? routine->params : kNothing, n, arguments->parts[n]),
                     call.arguments.emplace_back()))
      return false;
  for (size_t n = 0; n < resultCount; ++n)
    if (!d.callValue(results->parts[n], bytesOf(routine ? routine->results : kNothing, n, results->parts[n]),
                     call.results.emplace_back()))
      return false;
  i.imm = d.program().calls.size();
  i.cost = cost::kBranch;
  d.stackTop();
  d.program().calls.push_back(std::move(call));
  if (indirect) {
    i.a = d.source(d.operand(at), 64);
    i.run = &callNamed;
  } else {
    i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
      return callLanes(warp, i, mask, warp.block->grid->program->calls[i.imm].routine);
    };
  }
  return !d.failed();
}

/// alloca: the lane's stack grows by `a` bytes. imm: the alignment.
Step growStack(Warp &warp, const Instr &i, uint32_t mask) {
  auto *top = warp.reg<uint64_t>(warp.block->grid->program->stackTop);
  bool fine = true;
  forLanes(mask, [&](uint32_t l) {
    uint64_t size = i.sub ? warp.reg<uint64_t>(i.a)[l] : warp.reg<uint32_t>(i.a)[l];
    uint64_t begin = (std::min<uint64_t>(top[l], UINT32_MAX) + i.imm - 1) / i.imm * i.imm;
    fine = fine && growLocal(warp, i, begin + std::min<uint64_t>(size, UINT32_MAX), l);
    if (!fine)
      return;
    top[l] = begin + size;
    if (i.sub)
      warp.reg<uint64_t>(i.d)[l] = begin;
    else
      warp.reg<uint32_t>(i.d)[l] = static_cast<uint32_t>(begin);
  });
  return fine ? Step::Next : Step::Fault;
}

bool decodeAlloca(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if ((type.bits != 32 && type.bits != 64) || !d.finish(mods, 2, 3))
    return false;
  i.imm = 8;
  if (d.operandCount() == 3 && !d.immediate(d.operand(2), i.imm))
    return false;
  if (i.imm == 0 || (i.imm & (i.imm - 1)) != 0 || i.imm > 1024)
    return d.fail("the alignment of `alloca` is a power of two");
  i.sub = type.bits == 64;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type.bits);
  d.stackTop();
  i.run = &growStack;
  return !d.failed();
}

template <class To, class From> Step copyRegister(Warp &warp, const Instr &i, uint32_t mask) {
  const From *a = warp.reg<From>(i.a);
  To *d = warp.reg<To>(i.d);
  forLanes(mask, [&](uint32_t l) { d[l] = static_cast<To>(a[l]); });
  return Step::Next;
}

template <bool Save> bool decodeStack(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if ((type.bits != 32 && type.bits != 64) || !d.finish(mods, 1))
    return false;
  bool wide = type.bits == 64;
  if (Save) {
    i.d = d.dest(d.operand(0), type);
    i.a = d.stackTop();
    i.run = wide ? &copyRegister<uint64_t, uint64_t> : &copyRegister<uint32_t, uint64_t>;
  } else {
    i.a = d.source(d.operand(0), type.bits);
    i.d = d.stackTop();
    i.run = wide ? &copyRegister<uint64_t, uint64_t> : &copyRegister<uint64_t, uint32_t>;
  }
  return !d.failed();
}

} // namespace

const Family &callFamily() {
  static const Family family{{"ret", &decodeReturn},
                             {"call", &decodeCall},
                             {"alloca", &decodeAlloca},
                             {"stacksave", &decodeStack<true>},
                             {"stackrestore", &decodeStack<false>}};
  return family;
}

} // namespace lanescope::core::emulator
