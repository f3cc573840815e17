// Tensor memory (PTX ISA, "Tensor Memory Allocation and Management Instructions", "Tensor Memory and Register
// Load/Store Instructions", "Tensorcore 5th Generation Specialized Synchronization Operations"): tcgen05.alloc,
// .dealloc, .relinquish_alloc_permit, .ld, .st, .wait, .fence.
#include "core/gpu/emulator/async/Tcgen05.h"
#include "core/gpu/emulator/async/TmemTransfer.h"
#include "core/gpu/emulator/decode/TensorDecode.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/sync/TmemPool.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "layouts/support/Text.h"

#include <cstring>

namespace lanescope::core::emulator {

namespace {

// --- allocation ------------------------------------------------------------------------------------------------------

/// Gets a value that must be equal in all lanes. Returns false after a fault.
bool uniform(Warp &warp, const Instr &i, uint32_t mask, uint32_t slot, const char *what, uint32_t &out) {
  const uint32_t *values = warp.reg<uint32_t>(slot);
  auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  out = values[first];
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    if (auto lane = static_cast<uint32_t>(__builtin_ctz(rest)); values[lane] != out) {
      fault(warp, i, "tmem-address",
            Message("`{}` takes one {} for the whole warp, but lane {} gives {} and lane {} gives {}",
                    warp.block->grid->opcodeOf(i), what, first, out, lane, values[lane]),
            lane);
      return false;
    }
  return true;
}

/// b: the number of columns. The address operand: the place to which the result is written.
Step allocate(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t columns = 0, first = 0;
  if (!wholeWarp(warp, i, mask) || !uniform(warp, i, mask, i.b, "number of columns", columns))
    return Step::Fault;
  Step step = allocateTmem(warp, i, columns, warp.block->grid->program->tensorBlocks == 2, first);
  if (step != Step::Next)
    return step;
  std::byte *to[kLanes];
  if (!resolveLanes(warp, i, mask & (~mask + 1), 4, Access::Write, to))
    return Step::Fault;
  std::memcpy(to[__builtin_ctz(mask)], &first, 4);
  return settled(warp, i);
}

/// a: the address. b: the number of columns.
Step deallocate(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t address = 0, columns = 0;
  if (!wholeWarp(warp, i, mask) || !uniform(warp, i, mask, i.a, "address", address) ||
      !uniform(warp, i, mask, i.b, "number of columns", columns))
    return Step::Fault;
  return freeTmem(warp, i, address, columns, warp.block->grid->program->tensorBlocks == 2);
}

Step relinquish(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  warp.block->tmem.relinquished = &i;
  return Step::Next;
}

bool decodeAllocation(Decoder &d, Modifiers &mods, std::string_view op, Instr &i) {
  if (!takeTensorGroup(d, mods) || !mods.take("sync") || !mods.take("aligned"))
    return false;
  i.cost = cost::kBarrier;
  if (op == "relinquish_alloc_permit") {
    i.run = &relinquish;
    return d.finish(mods, 0);
  }
  if (op == "dealloc") {
    if (mods.takeType().name != "b32" || !d.finish(mods, 2))
      return false;
    i.a = d.source(d.operand(0), 32);
    i.b = d.source(d.operand(1), 32);
    i.run = &deallocate;
    return !d.failed();
  }
  Space space = mods.takeOne({"shared::cta", "shared"}).empty() ? Space::Generic : Space::Shared;
  if (mods.takeType().name != "b32" || !d.finish(mods, 2) || !d.address(d.operand(0), i, space))
    return false;
  i.b = d.source(d.operand(1), 32);
  i.access = 4;
  i.run = &allocate;
  return !d.failed();
}

// --- loads and stores ------------------------------------------------------------------------------------------------

constexpr std::string_view kShapes[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};

bool decodeReduction(Decoder &d, Modifiers &mods, TmemMove &move) {
  TmemReduction &reduction = move.reduction;
  std::string_view op = mods.takeOne({"min", "max"});
  reduction.maximum = op == "max";
  reduction.absolute = mods.take("abs");
  reduction.nan = mods.take("NaN");
  std::string_view type = mods.takeOne({"f32", "s32", "u32"});
  if (op.empty() || type.empty())
    return false;
  using Type = TmemReduction::Type;
  reduction.type = type == "f32" ? Type::F32 : type == "s32" ? Type::S32 : Type::U32;
  if (reduction.type != Type::F32 && (reduction.absolute || reduction.nan))
    return d.fail("`.abs` and `.NaN` are of `.f32` alone", "unknown-instruction");
  if (move.shape != TmemShape::L32x32b && move.shape != TmemShape::L16x32bx2)
    return d.fail("`tcgen05.ld.red` has the shapes `.32x32b` and `.16x32bx2` alone", "unknown-instruction");
  return true;
}

bool decodeMove(Decoder &d, Modifiers &mods, bool load, Instr &i) {
  bool reduces = load && mods.take("red");
  if (reduces && !requireTensor(d, TensorTargets::NotOf100, "`tcgen05.ld.red`"))
    return false;
  TmemMove move;
  if (!mods.take("sync") || !mods.take("aligned"))
    return false;
  std::string_view shape = mods.takeOne({kShapes[0], kShapes[1], kShapes[2], kShapes[3], kShapes[4]});
  std::string_view times = mods.takeOne({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
  move.packs = mods.take(load ? "pack::16b" : "unpack::16b");
  if (shape.empty() || times.empty())
    return false;
  for (size_t n = 0; n < std::size(kShapes); ++n)
    if (shape == kShapes[n])
      move.shape = static_cast<TmemShape>(n);
  uint32_t repeat = parseInteger<uint32_t>(times.substr(1)).value_or(1);
  move.registers = move.unit() * repeat;
  if (move.registers > 128)
    return d.fail(Message("`.{}.{}` takes {registers} registers; 128 are possible", shape, times, move.registers),
                  "unknown-instruction");
  if (reduces ? !decodeReduction(d, mods, move) : mods.takeType().name != "b32")
    return false;
  if (reduces && (repeat < 2 || move.packs))
    return d.fail("`tcgen05.ld.red` takes `.x2` at least, and no `.pack::16b`", "unknown-instruction");
  bool split = move.shape == TmemShape::L16x32bx2;
  if (!d.finish(mods, 2 + reduces + split))
    return false;
  // The operands of ld are registers, [reduced,] address [, offset]. Those of st are address, [offset,] registers.
  size_t place = load ? 1 + reduces : 0, offset = place + 1, list = load ? 0 : 1 + split;
  if (!tensorAddress(d, d.operand(place), move.address))
    return false;
  if (split) {
    uint64_t value = 0;
    if (!d.immediate(d.operand(offset), value))
      return false;
    if (value >= kTensorColumns)
      return d.fail(Message("immHalfSplitoff is a number of columns, below {}", kTensorColumns));
    move.splitOffset = static_cast<uint32_t>(value);
  }
  bool fine = load ? d.destList(d.operand(list), 32, i) : d.sourceList(d.operand(list), Type{}, i);
  if (!fine)
    return false;
  if (i.listSize != move.registers)
    return d.fail(Message("`.{}.{}` takes {registers} registers, not {}", shape, times, move.registers, i.listSize));
  if (reduces)
    i.d2 = d.dest(d.operand(1), 32);
  i.a = move.address.slot;
  i.imm = d.program().tmemMoves.size();
  d.program().tmemMoves.push_back(move);
  i.load = load;
  i.cost = cost::kAsyncIssue;
  i.run = load ? &loadTmem : &storeTmem;
  return !d.failed();
}

bool decodeMemory(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view op = mods.takeOne({"alloc", "dealloc", "relinquish_alloc_permit", "ld", "st", "wait::ld", "wait::st",
                                      "fence::before_thread_sync", "fence::after_thread_sync"});
  if (op.empty() || !requireTensor(d, TensorTargets::All, text("`tcgen05.", op, "`")))
    return false;
  if (op == "ld" || op == "st")
    return decodeMove(d, mods, op == "ld", i);
  if (op.starts_with("wait")) {
    if (!mods.take("sync") || !mods.take("aligned") || !d.finish(mods, 0))
      return false;
    i.waitsForLoads = op == "wait::ld";
    i.run = op == "wait::ld" ? &waitTmemLoads : &waitTmemStores;
    return true;
  }
  if (op.starts_with("fence")) {
    i.sub = op == "fence::before_thread_sync";
    i.run = &fenceTcgen05;
    return d.finish(mods, 0);
  }
  return decodeAllocation(d, mods, op, i);
}

} // namespace

const Family &tcgen05MemoryFamily() {
  static const Family family{{"tcgen05", &decodeMemory}};
  return family;
}

} // namespace lanescope::core::emulator
