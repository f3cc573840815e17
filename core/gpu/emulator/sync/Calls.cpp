#include "core/gpu/emulator/sync/Calls.h"

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/sync/Divergence.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kMaxLocal = 512 << 10; // per thread; CUDA C++ Programming Guide, "Technical Specifications"
constexpr uint64_t kFrameAlign = 16;
constexpr size_t kMaxCalls = 1 << 14; // the most unfinished calls of a warp

std::byte *placeOf(Warp &warp, const CallValue &value, uint32_t lane, uint64_t frame) {
  if (!value.memory)
    return warp.regs + value.slot + static_cast<size_t>(value.bytes) * lane;
  return warp.local.data() + static_cast<size_t>(lane) * warp.localBytes + frame + value.offset;
}

/// The frame that contains a value of the caller.
uint64_t frameOf(Warp &warp, const CallValue &value, uint32_t lane) {
  return value.memory && value.slot != kNone ? warp.reg<uint64_t>(value.slot)[lane] : 0;
}

size_t rowBytes(const SavedRegister &one) { return one.laneBytes ? one.laneBytes * kLanes : sizeof(uint32_t); }

void save(Warp &warp, const Routine &caller, std::vector<std::byte> &to) {
  to.clear();
  for (const SavedRegister &one : caller.saved)
    to.insert(to.end(), warp.regs + one.slot, warp.regs + one.slot + rowBytes(one));
}

void restore(Warp &warp, const Routine &caller, const std::vector<std::byte> &from, uint32_t mask) {
  const std::byte *next = from.data();
  for (const SavedRegister &one : caller.saved) {
    if (one.laneBytes == 0) {
      uint32_t lanes = 0;
      std::memcpy(&lanes, next, sizeof lanes);
      commitPredicate(warp, one.slot, lanes, mask);
    } else {
      forLanes(mask, [&](uint32_t l) {
        std::memcpy(warp.regs + one.slot + l * one.laneBytes, next + l * one.laneBytes, one.laneBytes);
      });
    }
    next += rowBytes(one);
  }
}

int32_t newFrame(Warp &warp) {
  auto free = std::ranges::find(warp.frames, false, &CallFrame::used);
  if (free == warp.frames.end())
    free = warp.frames.insert(warp.frames.end(), CallFrame{});
  free->used = true;
  return static_cast<int32_t>(free - warp.frames.begin());
}

} // namespace

bool growLocal(Warp &warp, const Instr &i, uint64_t bytes, uint32_t lane) {
  if (bytes <= warp.localBytes)
    return true;
  if (bytes > kMaxLocal) {
    fault(warp, i, "stack-overflow",
          Message("the thread's stack needs more than {limit} KiB of local memory; does a recursion end?",
                  kMaxLocal >> 10),
          lane);
    return false;
  }
  auto grown = static_cast<uint32_t>(std::min(kMaxLocal, std::max<uint64_t>(bytes, uint64_t{warp.localBytes} * 2)));
  std::vector<std::byte> local(static_cast<size_t>(grown) * kLanes);
  for (size_t l = 0; l < kLanes; ++l)
    std::copy_n(warp.local.data() + l * warp.localBytes, warp.localBytes, local.data() + l * grown);
  warp.local = std::move(local);
  warp.localBytes = grown;
  return true;
}

Step callLanes(Warp &warp, const Instr &i, uint32_t mask, uint32_t number) {
  const Program &program = *warp.block->grid->program;
  const Call &call = program.calls[i.imm];
  const Routine &callee = program.routines[number], &caller = program.routines[call.caller];
  auto *top = warp.reg<uint64_t>(program.stackTop);
  bool fine = true;
  forLanes(mask, [&](uint32_t l) {
    uint64_t begin = std::min(top[l], 2 * kMaxLocal); // `stackrestore` accepts any number
    fine = fine && growLocal(warp, i, begin + callee.frameBytes + kFrameAlign, l);
  });
  if (!fine)
    return Step::Fault;
  if (warp.frames.size() > kMaxCalls)
    return fault(warp, i, "stack-overflow",
                 Message("a warp has more than {limit} calls that have not returned", kMaxCalls),
                 static_cast<uint32_t>(__builtin_ctz(mask)));
  int32_t frame = newFrame(warp);
  CallFrame &kept = warp.frames[static_cast<size_t>(frame)];
  kept.call = warp.split().pc;
  save(warp, caller, kept.saved);
  // The callee may be the same function and write the registers that hold arguments. So all arguments are read first.
  std::vector<std::byte> arguments;
  forLanes(mask, [&](uint32_t l) {
    uint64_t base = (top[l] + kFrameAlign - 1) / kFrameAlign * kFrameAlign;
    arguments.clear();
    for (const CallValue &argument : call.arguments) {
      const std::byte *from = placeOf(warp, argument, l, frameOf(warp, argument, l));
      arguments.insert(arguments.end(), from, from + argument.bytes);
    }
    for (const FrameAddress &address : callee.frameAddresses)
      warp.reg<uint64_t>(address.slot)[l] = base + address.offset;
    const std::byte *next = arguments.data();
    for (size_t n = 0; n < callee.params.size(); ++n) {
      std::copy_n(next, std::min(callee.params[n].bytes, call.arguments[n].bytes),
                  placeOf(warp, callee.params[n], l, base));
      next += call.arguments[n].bytes;
    }
    top[l] = base + callee.frameBytes;
  });
  auto self = warp.current;
  uint32_t inside = newSplit(warp);
  Split &waiting = warp.splits[self], &running = warp.splits[inside];
  waiting.state = SplitState::Merging;
  waiting.arrived = waiting.mask & ~mask;
  waiting.children = 1;
  waiting.pc += 1;
  waiting.frame = frame;
  running.state = SplitState::Ready;
  running.pc = callee.begin;
  running.mask = mask;
  running.parent = static_cast<int32_t>(self);
  warp.current = inside;
  return Step::Jump;
}

Step returnLanes(Warp &warp, const Instr &i, uint32_t mask) {
  int32_t up = warp.split().parent;
  while (up >= 0 && warp.splits[static_cast<size_t>(up)].frame < 0)
    up = warp.splits[static_cast<size_t>(up)].parent;
  if (up < 0)
    return exitLanes(warp, mask);
  const Program &program = *warp.block->grid->program;
  Split &waiting = warp.splits[static_cast<size_t>(up)];
  const CallFrame &kept = warp.frames[static_cast<size_t>(waiting.frame)];
  const Call &call = program.calls[program.code[kept.call].imm];
  const Routine &callee = program.routines[i.imm], &caller = program.routines[call.caller];
  auto *top = warp.reg<uint64_t>(program.stackTop);
  const auto *frame = warp.reg<uint64_t>(callee.frameAddresses[0].slot);
  // The results, by lane. They are read before the caller's registers are restored, because the caller may be the same
  // function.
  std::vector<std::byte> values;
  forLanes(mask, [&](uint32_t l) {
    top[l] = frame[l];
    for (const CallValue &result : callee.results) {
      const std::byte *from = placeOf(warp, result, l, frame[l]);
      values.insert(values.end(), from, from + result.bytes);
    }
  });
  restore(warp, caller, kept.saved, mask);
  const std::byte *next = values.data();
  forLanes(mask, [&](uint32_t l) {
    for (size_t n = 0; n < callee.results.size(); ++n) {
      if (n < call.results.size())
        std::copy_n(next, std::min(callee.results[n].bytes, call.results[n].bytes),
                    placeOf(warp, call.results[n], l, frameOf(warp, call.results[n], l)));
      next += callee.results[n].bytes;
    }
  });
  waiting.arrived |= mask;
  return leaveSplit(warp, mask);
}

} // namespace lanescope::core::emulator
