// The on-device profiler: JAX Mosaic GPU's buffer format.
//
// Per block and warpgroup, u32[entries]: [0] globaltimer at the start, low half; [1] SM id; [2] words of events; then
// pairs (name id, bit 31 set at the end of a region; %clock). Events stay in shared memory while the kernel runs. An
// event that does not fit is counted but not stored: word 2 then exceeds entries - 3, and the decoder reports it.
#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/lowering/thread/KernelLowering.h"

#include <algorithm>

namespace lanescope::core {

using namespace mlir;

constexpr int64_t kHeaderWords = 3, kWordBytes = 4;
constexpr int64_t kEndBit = int64_t{1} << 31;

void KernelLowering::profilerBegin() {
  int64_t begin = (userSmem + 7) / 8 * 8;
  int64_t bytes = profiler.entries * kWordBytes;
  profiler.buffer = t.address(smem, t.multiply(warpgroup, bytes), begin);
  profiler.used = t.slot(t.i32());
  t.store(t.constant(0), profiler.used, 4);
  profiler.start = t.ptx(t.i32(), "mov.u32 $0, %globaltimer_lo;", "=r", {});
}

LogicalResult KernelLowering::record(Operation *op, bool end) {
  if (!result.profiled)
    return success();
  std::string name = op->getAttrOfType<StringAttr>("name").str();
  auto &names = result.profile.names;
  auto found = std::ranges::find(names, name);
  int64_t tag = found - names.begin();
  if (found == names.end())
    names.push_back(name);
  if (end)
    tag |= kEndBit;

  Value used = t.load(t.i32(), profiler.used, 4);
  Value fits = t.compare(LLVM::ICmpPredicate::ule, used, profiler.entries - kHeaderWords - 2);
  Value isFirst = t.compare(LLVM::ICmpPredicate::eq, thread, 0);
  Value recorder = t.create<LLVM::AndOp>(fits, isFirst);
  Value address = t.address(profiler.buffer, t.multiply(used, kWordBytes), 0);
  t.ptx("{ .reg .b32 now; mov.u32 now, %clock; @$0 st.shared.v2.b32 [$1], {$2, now}; }", "b,r,r",
        {recorder, address, t.constant(tag)});
  t.store(t.add(used, 2), profiler.used, 4);
  return success();
}

void KernelLowering::profilerEnd() {
  t.blockBarrier();
  const Launch &launch = result.launch;
  Value used = t.load(t.i32(), profiler.used, 4);
  // Blocks are in row-major order over (x, y, z); then come the warpgroups of a block.
  Value block = t.add(t.multiply(t.blockId(0), launch.grid[1]), t.blockId(1));
  block = t.add(t.multiply(block, launch.grid[2]), t.blockId(2));
  Value trace = t.add(t.multiply(block, warpgroups), warpgroup);
  Value offset = t.multiply(t.resize(trace, 64), profiler.entries * kWordBytes);
  const auto &buffers = std::get<BytesParam>(result.launch.params.front()).buffers;
  Value out = t.address(argumentPointer(static_cast<int>(buffers.size()) - 1), offset,
                        0); // the profiler's own buffer is the last

  when(t.compare(LLVM::ICmpPredicate::eq, thread, 0), [&] {
    t.store(profiler.start, out, 4);
    t.store(t.ptx(t.i32(), "mov.u32 $0, %smid;", "=r", {}), t.address(out, Value(), 4), 4);
    t.store(used, t.address(out, Value(), 8), 4);
  });
  // The warpgroup's threads copy the stored words together, each of them every 128th word.
  Value stored = t.create<LLVM::UMinOp>(used, t.constant((profiler.entries - kHeaderWords) / 2 * 2));
  Block *header = newBlock(t.i32()), *body = newBlock({}), *after = newBlock({});
  branch(header, thread);
  enter(header);
  Value word = header->getArgument(0);
  branchIf(t.compare(LLVM::ICmpPredicate::ult, word, stored), body, {}, after, {});
  enter(body);
  Value bytes = t.multiply(word, kWordBytes);
  Value value = t.load(t.i32(), t.address(profiler.buffer, bytes, 0), 4);
  t.store(value, t.address(out, t.resize(bytes, 64), kHeaderWords * kWordBytes), 4);
  branch(header, t.add(word, layouts::kThreadsPerWarpgroup));
  enter(after);
}

} // namespace lanescope::core
