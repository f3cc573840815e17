// multimem.ld_reduce, multimem.st and multimem.red (PTX ISA 9.7.9.15). One instruction accesses the copies of all
// devices through the address of a multicast object. Results are exact, except for the order of float reductions, which
// the hardware does not document. Here they go in the order of devices, and each step is rounded to the type or to
// `.acc::…`.
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/numbers/Reduce.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace lanescope::core::emulator {

namespace {

using layouts::Dtype;

constexpr uint8_t kWideSum = 0x80; // in Instr::sub, with the ReduceOp: floats are summed as f32
constexpr uint32_t kMostBytes = 16;

/// Gets the lanes' copies on one device, and informs the checker. Returns false after a fault.
bool copiesOn(Warp &warp, const Instr &i, uint32_t mask, const SpreadPlace *places, uint32_t device, Access access,
              std::byte **out) {
  const Grid &grid = *warp.block->grid;
  uint64_t addresses[kLanes] = {};
  forLanes(mask, [&](uint32_t l) {
    addresses[l] = copyAddress(grid, *places[l].spread, device, places[l].offset);
    uint64_t offset = 0;
    out[l] = regionOf(grid, addresses[l], offset)->data + places[l].offset;
  });
  Checker *checks = warp.block->checks;
  return !checks || checks->global.access(warp, i, mask, addresses, i.access, access, true);
}

/// Copies between the list's registers, of `width` bytes each, and a lane's bytes.
void registersToBytes(Warp &warp, const Instr &i, uint32_t lane, std::byte *bytes) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  uint32_t width = i.access / i.listSize;
  for (uint32_t n = 0; n < i.listSize; ++n)
    std::memcpy(bytes + n * width, warp.reg<std::byte>(slots[n]) + lane * width, width);
}
void bytesToRegisters(Warp &warp, const Instr &i, uint32_t lane, const std::byte *bytes) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  uint32_t width = i.access / i.listSize;
  for (uint32_t n = 0; n < i.listSize; ++n)
    std::memcpy(warp.reg<std::byte>(slots[n]) + lane * width, bytes + n * width, width);
}

ReduceOp opOf(const Instr &i) { return static_cast<ReduceOp>(i.sub & ~kWideSum); }
/// The type, which follows the registers in the list.
Dtype typeOf(const Warp &warp, const Instr &i) {
  return static_cast<Dtype>(warp.block->grid->program->lists[i.list + i.listSize]);
}

Step loadReduce(Warp &warp, const Instr &i, uint32_t mask) {
  const Grid &grid = *warp.block->grid;
  SpreadPlace places[kLanes];
  if (!resolveSpread(warp, i, mask, i.access, places))
    return Step::Fault;
  std::byte sums[kLanes][kMostBytes];
  std::vector<const std::byte *> copies[kLanes];
  for (uint32_t device = 0; device < grid.devices; ++device) {
    std::byte *at[kLanes];
    if (!copiesOn(warp, i, mask, places, device, Access::Read, at))
      return Step::Fault;
    forLanes(mask, [&](uint32_t l) { copies[l].push_back(at[l]); });
  }
  forLanes(mask, [&](uint32_t l) {
    reduceAll(opOf(i), typeOf(warp, i), i.sub & kWideSum, copies[l], sums[l], i.access);
    bytesToRegisters(warp, i, l, sums[l]);
  });
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kGlobalLatency + cost::kLinkLatency);
  return Step::Next;
}

/// sub: the reduction; for a store, ReduceOp::None.
Step storeReduce(Warp &warp, const Instr &i, uint32_t mask) {
  const Grid &grid = *warp.block->grid;
  SpreadPlace places[kLanes];
  if (!resolveSpread(warp, i, mask, i.access, places))
    return Step::Fault;
  Access access = opOf(i) == ReduceOp::None ? Access::Write : Access::Atomic;
  for (uint32_t device = 0; device < grid.devices; ++device) {
    std::byte *at[kLanes];
    if (!copiesOn(warp, i, mask, places, device, access, at))
      return Step::Fault;
    forLanes(mask, [&](uint32_t l) {
      std::byte bytes[kMostBytes];
      registersToBytes(warp, i, l, bytes);
      if (access == Access::Write)
        std::memcpy(at[l], bytes, i.access);
      else
        reduceInto(opOf(i), typeOf(warp, i), at[l], bytes, i.access);
    });
  }
  ++warp.block->effects;
  return settled(warp, i);
}

struct SpreadType {
  std::string_view name;
  Dtype dtype;
  uint8_t bits; // bits per register
  enum Kind : uint8_t { Bits, Integer, Half, Byte, Float } kind;
};
constexpr SpreadType kSpreadTypes[] = {
    {"b32", Dtype::U32, 32, SpreadType::Bits},         {"b64", Dtype::U64, 64, SpreadType::Bits},
    {"u32", Dtype::U32, 32, SpreadType::Integer},      {"s32", Dtype::I32, 32, SpreadType::Integer},
    {"u64", Dtype::U64, 64, SpreadType::Integer},      {"s64", Dtype::I64, 64, SpreadType::Integer},
    {"f16", Dtype::F16, 16, SpreadType::Half},         {"f16x2", Dtype::F16, 32, SpreadType::Half},
    {"bf16", Dtype::BF16, 16, SpreadType::Half},       {"bf16x2", Dtype::BF16, 32, SpreadType::Half},
    {"e4m3x2", Dtype::F8E4M3FN, 16, SpreadType::Byte}, {"e4m3x4", Dtype::F8E4M3FN, 32, SpreadType::Byte},
    {"e5m2x2", Dtype::F8E5M2, 16, SpreadType::Byte},   {"e5m2x4", Dtype::F8E5M2, 32, SpreadType::Byte},
    {"f32", Dtype::F32, 32, SpreadType::Float},        {"f64", Dtype::F64, 64, SpreadType::Float},
};

/// PTX ISA, the table of operations and types: logic only for bits, no sum of s64, f32 and f64 only in sums, and `red`
/// of floats only as a sum.
bool exists(ReduceOp op, const SpreadType &type, bool load) {
  switch (op) {
  case ReduceOp::And:
  case ReduceOp::Or:
  case ReduceOp::Xor: return type.kind == SpreadType::Bits;
  case ReduceOp::Add:
    return type.kind != SpreadType::Bits && type.dtype != Dtype::I64 && (load || type.kind != SpreadType::Byte);
  case ReduceOp::Min:
  case ReduceOp::Max:
    return type.kind == SpreadType::Integer ||
           (load && (type.kind == SpreadType::Half || type.kind == SpreadType::Byte));
  default: return false;
  }
}

ReduceOp takeOp(Modifiers &mods) {
  std::string_view op = mods.takeOne({"add", "min", "max", "and", "or", "xor"});
  return op == "add"   ? ReduceOp::Add
         : op == "min" ? ReduceOp::Min
         : op == "max" ? ReduceOp::Max
         : op == "and" ? ReduceOp::And
         : op == "or"  ? ReduceOp::Or
         : op == "xor" ? ReduceOp::Xor
                       : ReduceOp::None;
}

bool decodeMultimem(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool load = mods.take("ld_reduce"), red = !load && mods.take("red");
  if ((!load && !red && !mods.take("st")) || !d.requireTarget(90, "`multimem`"))
    return false;
  // By default, a load or store is weak. By default, a reduction is relaxed and has system scope.
  bool weak = mods.take("weak");
  std::string_view order = mods.takeOne({"relaxed", load ? "acquire" : "release"});
  std::string_view scope = mods.takeOne({"cta", "cluster", "gpu", "sys"});
  if ((weak && (red || !order.empty() || !scope.empty())) || (!red && order.empty() != scope.empty()))
    return false;
  i.strong = red || !order.empty();
  i.acquires = order == "acquire";
  i.releases = order == "release";
  i.system = scope == "sys" || (red && scope.empty());
  mods.take("global");
  ReduceOp op = load || red ? takeOp(mods) : ReduceOp::None;
  std::string_view wide = load ? mods.takeOne({"acc::f32", "acc::f16"}) : std::string_view();
  std::string_view vector = mods.takeOne({"v2", "v4", "v8"});
  uint32_t count = vector.empty() ? 1 : static_cast<uint32_t>(vector[1] - '0');
  const SpreadType *type = nullptr;
  for (const SpreadType &one : kSpreadTypes)
    if (!type && mods.take(one.name))
      type = &one;
  if (!type || !d.finish(mods, 2))
    return false;
  uint32_t bytes = type->bits / 8 * count;
  bool whole = type->kind == SpreadType::Bits || type->kind == SpreadType::Integer;
  bool fits =
      whole ? count == 1 : (bytes == 4 || bytes == 8 || bytes == 16) && (type->dtype != Dtype::F64 || count == 1);
  bool sums = wide.empty() || (wide == "acc::f32" ? type->kind == SpreadType::Half : type->kind == SpreadType::Byte);
  if (!fits || !sums || ((load || red) && !exists(op, *type, load)))
    return d.fail(Message("`{instruction}` does not exist", d.current().opcode), "unknown-instruction");
  if (type->kind == SpreadType::Byte && !d.requireTarget(100, "`multimem` of 8-bit floats"))
    return false;
  i.access = static_cast<uint8_t>(bytes);
  i.sub = static_cast<uint8_t>(static_cast<uint8_t>(op) | (wide == "acc::f32" ? kWideSum : 0));
  i.imm = 0;
  const Operand &data = d.operand(load ? 0 : 1);
  size_t given = data.kind == Operand::Kind::Vector ? data.parts.size() : 1;
  if (given != count)
    return d.fail("the number of registers does not match the vector size");
  TypeKind kind = type->kind == SpreadType::Integer ? TypeKind::Unsigned
                  : type->name.starts_with("bf16")  ? TypeKind::BFloat
                                                    : TypeKind::Bits;
  Type as{kind, type->bits, false, type->name};
  if (load)
    d.destList(data, type->bits, i);
  else
    d.sourceList(data, as, i);
  d.program().lists.push_back(static_cast<uint32_t>(type->dtype));
  if (load && !whole && op == ReduceOp::Add)
    d.approximate();
  i.load = load;
  i.cost = cost::kMemoryIssue * 2;
  i.run = load ? &loadReduce : &storeReduce;
  d.program().communicates = true;
  d.program().globalGranule = std::min<uint32_t>(d.program().globalGranule, bytes);
  return d.address(d.operand(load ? 1 : 0), i, Space::Global) && !d.failed();
}

} // namespace

const Family &multimemFamily() {
  static const Family family{{"multimem", &decodeMultimem}};
  return family;
}

} // namespace lanescope::core::emulator
