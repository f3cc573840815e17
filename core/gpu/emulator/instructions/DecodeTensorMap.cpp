// TMA descriptors that kernels create or change (PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy"), in the
// emulator's own encoding (machine/TensorMap.h). A descriptor of zeros has not been filled yet. All results are exact.
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/TensorMap.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

enum class Field : uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  Interleave,
  Swizzle,
  SwizzleAtomicity,
  Fill,
};
struct FieldName {
  std::string_view name;
  Field field;
  bool ordinal = false; // there is one field with this name per dimension
};
constexpr FieldName kFields[] = {
    {"global_address", Field::GlobalAddress},
    {"rank", Field::Rank},
    {"box_dim", Field::BoxDim, true},
    {"global_dim", Field::GlobalDim, true},
    {"global_stride", Field::GlobalStride, true},
    {"element_stride", Field::ElementStride, true},
    {"elemtype", Field::ElementType},
    {"interleave_layout", Field::Interleave},
    {"swizzle_mode", Field::Swizzle},
    {"swizzle_atomicity", Field::SwizzleAtomicity},
    {"fill_mode", Field::Fill},
};
constexpr uint32_t kMaxRank = 5, kMaxElementStride = 8;

/// The values of `.elemtype` ("Tensormap new_val validity").
constexpr layouts::Dtype kElementTypes[] = {
    layouts::Dtype::U8,   layouts::Dtype::U16,  layouts::Dtype::U32, layouts::Dtype::I32, layouts::Dtype::U64,
    layouts::Dtype::I64,  layouts::Dtype::F16,  layouts::Dtype::F32, layouts::Dtype::F32, layouts::Dtype::F64,
    layouts::Dtype::BF16, layouts::Dtype::TF32, layouts::Dtype::TF32};
constexpr TmaFormat kNarrowTypes[] = {TmaFormat::B4x16, TmaFormat::B4x16P64, TmaFormat::B6x16P32}; // from 13 on

/// Replaces a field. Returns an error about the value, or an empty string if the value is valid.
std::string replace(TensorMap &map, Field field, uint32_t ordinal, uint64_t value) {
  auto refused = [&](std::string_view what) { return text(what, ' ', value, " is none that the emulator has"); };
  switch (field) {
  case Field::GlobalAddress:
    if (value % 16 != 0)
      return text("the address ", value, " of the array is not a multiple of 16");
    map.global = value;
    return {};
  case Field::Rank:
    if (value >= kMaxRank)
      return text("the rank less 1 is 0 to 4, not ", value);
    map.rank = static_cast<uint8_t>(value + 1);
    return {};
  case Field::BoxDim:
    if (value < 1 || value > 256)
      return text("a box has 1 to 256 elements in a dimension, not ", value);
    map.box[ordinal] = static_cast<uint16_t>(value);
    return {};
  case Field::GlobalDim:
    if (value < 1)
      return "an array has at least one element in a dimension";
    map.sizes[ordinal] = value;
    return {};
  case Field::GlobalStride:
    if (value % 16 != 0)
      return text("a stride of ", value, " bytes is not a multiple of 16");
    map.strides[ordinal + 1] = value;
    return {};
  case Field::ElementStride:
    if (value < 1 || value > kMaxElementStride)
      return text("an element stride is 1 to ", kMaxElementStride, ", not ", value);
    map.steps[ordinal] = static_cast<uint8_t>(value);
    return {};
  case Field::ElementType:
    map.format = TmaFormat::Plain;
    if (size_t narrow = value - std::size(kElementTypes); value >= std::size(kElementTypes)) {
      if (narrow >= std::size(kNarrowTypes))
        return refused("the element type");
      map.format = kNarrowTypes[narrow];
      map.dtype = layouts::Dtype::U8;
      map.elementBytes = 1;
      return {};
    }
    map.dtype = kElementTypes[value];
    map.elementBytes = static_cast<uint8_t>(layouts::bitwidth(map.dtype) / 8);
    map.strides[0] = map.elementBytes;
    return {};
  case Field::Interleave: return value == 0 ? std::string() : refused("the interleaved layout");
  case Field::Swizzle:
    if (value > 3)
      return refused("the swizzling mode");
    map.swizzle = static_cast<uint8_t>(value == 0 ? 0 : 16 << value);
    return {};
  case Field::SwizzleAtomicity:
    if (value > 1 || (value == 1 && map.swizzle != 128))
      return refused("the swizzle's atomicity");
    if (value == 1)
      map.swizzle = kSwizzleWide;
    return {};
  case Field::Fill:
    if (value > 1)
      return refused("the fill mode");
    map.oobNan = value == 1;
    return {};
  }
  return {};
}

/// Reports a lane's access to a whole descriptor to the checker. Returns false after a fault.
bool checkAccess(Warp &warp, const Instr &i, uint32_t lane, uint64_t address, Space space, Access access) {
  Checker *checks = warp.block->checks;
  if (!checks)
    return true;
  alignas(64) uint64_t addresses[kLanes] = {};
  bool window = space == Space::Generic && address >> 56 == kSharedWindow >> 56;
  addresses[lane] = address;
  if (window || space == Space::Shared) {
    uint32_t at = 0;
    if (!sharedAddress(warp, i, lane, addresses[lane], at, space))
      return false;
    addresses[lane] = at;
    return checks->shared.access(warp, i, 1u << lane, addresses, kTensorMapBytes, access, warp.block->clusterRank);
  }
  return address >> 56 != 0 || checks->global.access(warp, i, 1u << lane, addresses, kTensorMapBytes, access);
}

/// sub: the field. access: the dimension. b: the slot of the value. addresses: the descriptor.
Step replaceField(Warp &warp, const Instr &i, uint32_t mask) {
  auto field = static_cast<Field>(i.sub);
  bool wide = field == Field::GlobalAddress || field == Field::GlobalStride;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    const AddressRef &ref = warp.block->grid->program->addresses[i.imm];
    uint64_t address = addressIn(warp, ref, l);
    std::byte *at = resolve(warp, i, l, address, ref.space, {kTensorMapBytes, 64, Access::Write});
    if (!at || !checkAccess(warp, i, l, address, ref.space, Access::Write))
      return Step::Fault;
    std::optional<TensorMap> map = decode(at);
    bool blank = std::all_of(at, at + kTensorMapBytes, [](std::byte b) { return b == std::byte{0}; });
    if (!map && !blank)
      return fault(warp, i, "tensor-map", "the address is not that of a TMA descriptor, nor of zeros to make one of",
                   l);
    if (!map)
      map.emplace();
    if (map->mode != TmaMode::Tiled)
      return fault(
          warp, i, "tensor-map",
          Message("`tensormap.replace.tile` takes a descriptor of the mode `.tile`, not `.{}`", name(map->mode)), l);
    uint64_t value = wide ? warp.reg<uint64_t>(i.b)[l] : warp.reg<uint32_t>(i.b)[l];
    if (std::string problem = replace(*map, field, i.access, value); !problem.empty())
      return fault(warp, i, "tensor-map", problem, l);
    encode(*map, at);
  }
  ++warp.block->effects;
  return settled(warp, i);
}

bool decodeReplace(Decoder &d, Modifiers &mods, Instr &i) {
  if (!mods.take("tile"))
    return false;
  const FieldName *found = nullptr;
  for (const FieldName &name : kFields)
    if (!found && mods.take(name.name))
      found = &name;
  Space space = takeSpace(mods);
  bool wide = found && (found->field == Field::GlobalAddress || found->field == Field::GlobalStride);
  if (!found || !mods.take("b1024") || mods.takeType().bits != (wide ? 64 : 32) ||
      !d.finish(mods, found->ordinal ? 3 : 2))
    return false;
  uint64_t ordinal = 0;
  if (found->ordinal && !d.immediate(d.operand(1), ordinal))
    return false;
  if (ordinal + (found->field == Field::GlobalStride) >= kMaxRank)
    return d.fail(Message("there is no dimension {dimension} in a tensor map for `.{}`", ordinal, found->name));
  i.sub = static_cast<uint8_t>(found->field);
  i.access = static_cast<uint8_t>(ordinal);
  const Operand &value = d.operand(found->ordinal ? 2 : 1);
  bool chosen = found->field == Field::ElementType || found->field == Field::Interleave ||
                found->field == Field::Swizzle || found->field == Field::SwizzleAtomicity ||
                found->field == Field::Fill;
  if (chosen && value.kind != Operand::Kind::Integer)
    return d.fail(Message("`{instruction}` needs a constant here: one of the field's codes", d.current().opcode));
  i.b = d.source(value, wide ? 64 : 32);
  i.imm = d.program().addresses.size();
  i.cost = cost::kMemoryIssue;
  i.run = &replaceField;
  return d.addAddress(d.operand(0), space) && !d.failed();
}

/// addresses: the target in global memory, the source in shared memory. All lanes together make one copy.
Step copyDescriptor(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  const Program &program = *warp.block->grid->program;
  auto lane = static_cast<uint32_t>(__builtin_ctz(mask));
  const AddressRef &to = program.addresses[i.imm], &from = program.addresses[i.imm + 1];
  std::byte *target =
      resolve(warp, i, lane, addressIn(warp, to, lane), to.space, {kTensorMapBytes, kTensorMapBytes, Access::Write});
  const std::byte *source =
      target ? resolve(warp, i, lane, addressIn(warp, from, lane), from.space, {kTensorMapBytes, 16, Access::Read})
             : nullptr;
  if (!source || !checkAccess(warp, i, lane, addressIn(warp, from, lane), from.space, Access::Read) ||
      !checkAccess(warp, i, lane, addressIn(warp, to, lane), to.space, Access::Write))
    return Step::Fault;
  std::memcpy(target, source, kTensorMapBytes);
  ++warp.block->effects;
  if (settled(warp, i) == Step::Fault)
    return Step::Fault;
  if (Checker *checks = warp.block->checks)
    checks->maps.released(warp, static_cast<FenceScope>(i.sub));
  return Step::Next;
}

bool decodeFencedCopy(Decoder &d, Modifiers &mods, Instr &i) {
  if (!mods.take("global") || !mods.take("shared::cta") || !mods.take("tensormap::generic") || !mods.take("release") ||
      !mods.has({"cta", "cluster", "gpu", "sys"}))
    return false;
  std::string_view scope = mods.takeOne({"cta", "cluster", "gpu", "sys"});
  i.sub = static_cast<uint8_t>(scope == "cta"       ? FenceScope::Block
                               : scope == "cluster" ? FenceScope::Cluster
                                                    : FenceScope::Gpu);
  if (!mods.take("sync") || !mods.take("aligned") || !d.finish(mods, 3))
    return false;
  uint64_t bytes = 0;
  if (!d.immediate(d.operand(2), bytes))
    return false;
  if (bytes != kTensorMapBytes)
    return d.fail(Message("a tensor map has {bytes} bytes, not {other_bytes}", kTensorMapBytes, bytes));
  i.imm = d.program().addresses.size();
  i.cost = cost::kFence;
  i.run = &copyDescriptor;
  return d.addAddress(d.operand(0), Space::Global) && d.addAddress(d.operand(1), Space::Shared) && !d.failed();
}

bool decodeTensorMap(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.take("replace"))
    return decodeReplace(d, mods, i);
  return mods.take("cp_fenceproxy") && decodeFencedCopy(d, mods, i);
}

} // namespace

const Family &tensorMapFamily() {
  static const Family family{{"tensormap", &decodeTensorMap}};
  return family;
}

} // namespace lanescope::core::emulator
