// Loads, stores and reductions of surfaces (PTX ISA, "suld", "sust" and "sured"). `.b` accesses bytes of an array
// without conversion. `.p` counts samples: sust.p clamps and converts its values to them. All results are exact.
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/memory/TextureAccess.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/numbers/Reduce.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace lanescope::core::emulator {

namespace {

struct SurfaceShape {
  std::string_view name;
  uint32_t rank; // coordinates beside the layer
  bool layered;
  uint32_t written; // coordinates in the vector
};
constexpr SurfaceShape kSurfaceShapes[] = {
    {"1d", 1, false, 1}, {"2d", 2, false, 2}, {"3d", 3, false, 4}, {"a1d", 1, true, 2}, {"a2d", 2, true, 4}};

/// The rule for a coordinate outside of the surface.
enum class Beyond : uint8_t { Trap, Clamp, Zero };

/// The type of the values of sust.p.
enum class SampleType : uint8_t { Bits, Unsigned, Signed, Float };

/// Instr::imm
struct SurfaceForm {
  uint8_t shape = 0;         // index in kSurfaceShapes
  uint8_t elementBytes = 0;  // in memory
  uint8_t registerBytes = 0; // per lane
  Beyond beyond = Beyond::Trap;
  bool samples = false; // `.p`: the first coordinate counts samples
  SampleType from = SampleType::Bits;
  ReduceOp op = ReduceOp::None; // sured
  bool isSigned = false;        // sured: of signed integers
};
static_assert(sizeof(SurfaceForm) <= sizeof(uint64_t));

SurfaceForm formOf(const Instr &i) {
  SurfaceForm form;
  std::memcpy(&form, &i.imm, sizeof form);
  return form;
}

enum class Found : uint8_t { Inside, Nowhere, Faulted };

/// a: the handle. b, c, e: the coordinates, of which the first one beside the layer counts bytes or samples. `bytes`:
/// those of an access.
Found placeOnSurface(Warp &warp, const Instr &i, uint32_t lane, const Texture &surface, uint32_t bytes,
                     uint64_t &address) {
  SurfaceForm form = formOf(i);
  const SurfaceShape &shape = kSurfaceShapes[form.shape];
  const uint32_t slots[] = {i.b, i.c, i.e};
  auto at = [&](size_t n) { return static_cast<int64_t>(static_cast<int32_t>(warp.reg<uint32_t>(slots[n])[lane])); };
  uint64_t offset = 0;
  auto take = [&](std::string_view what, int64_t place, int64_t size, int64_t last, uint64_t step) {
    if (place < 0 || place > last) {
      if (form.beyond == Beyond::Zero)
        return Found::Nowhere;
      if (form.beyond == Beyond::Trap) {
        fault(
            warp, i, "global-out-of-bounds",
            Message("`{}` is at {} {} of a surface that has {size}", warp.block->grid->opcodeOf(i), what, place, size),
            lane);
        return Found::Faulted;
      }
      place = std::clamp<int64_t>(place, 0, last);
    }
    offset += static_cast<uint64_t>(place) * step;
    return Found::Inside;
  };
  const std::string_view names[] = {form.samples ? "sample" : "byte", "row", "plane"};
  const uint32_t unit = form.samples ? surface.texelBytes() : 1;
  const int64_t row = static_cast<int64_t>(surface.sizes[0]) * surface.texelBytes() / unit;
  const int64_t sizes[] = {row, surface.sizes[1], surface.sizes[2]};
  const uint64_t steps[] = {unit, surface.pitch, surface.slice};
  Found worst = Found::Inside;
  if (shape.layered) {
    int64_t layers = std::max<int64_t>(surface.layers, 1);
    worst = take("layer", at(0), layers, layers - 1, surface.slice);
  }
  for (size_t n = 0; n < shape.rank && worst == Found::Inside; ++n)
    worst = take(names[n], at(n + shape.layered), sizes[n],
                 n == 0 ? row - std::max<int64_t>(bytes / unit, 1) : sizes[n] - 1, steps[n]);
  address = surface.texels + offset;
  return worst;
}

/// Finds the host's places of the lanes that are `inside`. Returns false after a fault.
bool placesOnSurface(Warp &warp, const Instr &i, uint32_t mask, Access access, uint32_t &inside, std::byte **out) {
  alignas(64) uint64_t addresses[kLanes] = {};
  inside = 0;
  bool fine = true;
  forLanes(mask, [&](uint32_t l) {
    if (!fine)
      return;
    auto surface = textureAt(warp, i, l, warp.reg<uint64_t>(i.a)[l], true);
    Found found = surface ? placeOnSurface(warp, i, l, *surface, i.access, addresses[l]) : Found::Faulted;
    fine = found != Found::Faulted;
    inside |= static_cast<uint32_t>(found == Found::Inside) << l;
  });
  return fine && (!inside || resolvePlaces(warp, i, inside, addresses, i.access, access, out));
}

template <class F> void forElements(Warp &warp, const Instr &i, uint32_t mask, F visit) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  SurfaceForm form = formOf(i);
  forLanes(mask, [&](uint32_t l) {
    for (uint32_t n = 0; n < i.listSize; ++n)
      visit(l, n * form.elementBytes, warp.reg<std::byte>(slots[n]) + l * form.registerBytes, form);
  });
}

Step loadSurface(Warp &warp, const Instr &i, uint32_t mask) {
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kGlobalLatency);
  std::byte *from[kLanes] = {};
  uint32_t inside = 0;
  if (!placesOnSurface(warp, i, mask, Access::Read, inside, from))
    return Step::Fault;
  forElements(warp, i, mask, [&](uint32_t l, uint32_t at, std::byte *to, SurfaceForm form) {
    std::memset(to, 0, form.registerBytes);
    if (inside >> l & 1)
      std::memcpy(to, from[l] + at, form.elementBytes);
  });
  return Step::Next;
}

Step storeSurface(Warp &warp, const Instr &i, uint32_t mask) {
  ++warp.block->effects;
  std::byte *to[kLanes] = {};
  uint32_t inside = 0;
  if (!placesOnSurface(warp, i, mask, Access::Write, inside, to))
    return Step::Fault;
  forElements(warp, i, inside, [&](uint32_t l, uint32_t at, const std::byte *from, SurfaceForm form) {
    std::memcpy(to[l] + at, from, form.elementBytes);
  });
  return settled(warp, i);
}

/// The bits of a channel of a surface for a value of sust.p, which is clamped to the channel's range.
uint32_t sampleOf(const Texture &surface, SampleType type, uint32_t word) {
  const uint32_t bits = surface.channelBytes * 8u;
  if (type == SampleType::Bits)
    return word;
  if (type == SampleType::Float)
    return bits == 16 ? narrowF16(std::bit_cast<float>(word)) : word;
  int64_t value = type == SampleType::Signed ? static_cast<int64_t>(static_cast<int32_t>(word)) : word;
  bool isSigned = surface.channel == Channel::Signed;
  int64_t least = isSigned ? -(int64_t{1} << (bits - 1)) : 0, most = (int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
  return static_cast<uint32_t>(std::clamp(value, least, most));
}

/// Why sust.p cannot write values of the type to the surface; empty if it can. Without a conversion (`.b32`), channels
/// must have 32 bits.
std::string_view noSample(const Texture &surface, SampleType type) {
  bool isFloat = surface.channel == Channel::Float;
  if (type == SampleType::Bits)
    return surface.channelBytes == 4 ? "" : "`.b32` is for channels of 32 bits";
  return isFloat == (type == SampleType::Float) ? ""
         : isFloat                              ? "its channels are floats"
                                                : "its channels are integers";
}

Step storeSamples(Warp &warp, const Instr &i, uint32_t mask) {
  ++warp.block->effects;
  const SurfaceForm form = formOf(i);
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  Step step = Step::Next;
  for (uint32_t l = 0; l < kLanes && step == Step::Next; ++l) {
    if (!(mask >> l & 1))
      continue;
    auto surface = textureAt(warp, i, l, warp.reg<uint64_t>(i.a)[l], true);
    if (!surface)
      return Step::Fault;
    if (std::string_view why = noSample(*surface, form.from); !why.empty())
      return fault(warp, i, "texture-object",
                   Message("`{}` cannot write this surface: {}", warp.block->grid->opcodeOf(i), why), l);
    alignas(64) uint64_t addresses[kLanes] = {};
    std::byte *to[kLanes] = {};
    Found found = placeOnSurface(warp, i, l, *surface, surface->texelBytes(), addresses[l]);
    if (found == Found::Faulted)
      return Step::Fault;
    if (found == Found::Nowhere)
      continue;
    if (!resolvePlaces(warp, i, 1u << l, addresses, surface->texelBytes(), Access::Write, to))
      return Step::Fault;
    for (uint32_t n = 0; n < surface->channels && n < i.listSize; ++n) {
      uint32_t bits = sampleOf(*surface, form.from, warp.reg<uint32_t>(slots[n])[l]);
      std::memcpy(to[l] + n * surface->channelBytes, &bits, surface->channelBytes);
    }
    step = settled(warp, i);
  }
  return step;
}

template <class T> T reduced(ReduceOp op, T old, T value) {
  switch (op) {
  case ReduceOp::Add: return static_cast<T>(old + value);
  case ReduceOp::Min: return std::min(old, value);
  case ReduceOp::Max: return std::max(old, value);
  case ReduceOp::And: return old & value;
  default: return old | value;
  }
}

/// The list has the operand. Its type has the element's bytes.
template <class Unsigned, class Signed> Step reduceSurface(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *to[kLanes] = {};
  uint32_t inside = 0;
  if (!placesOnSurface(warp, i, mask, Access::Atomic, inside, to))
    return Step::Fault;
  const SurfaceForm form = formOf(i);
  const Unsigned *values = warp.reg<Unsigned>(warp.block->grid->program->lists[i.list]);
  forLanes(inside, [&](uint32_t l) {
    Unsigned old = 0;
    std::memcpy(&old, to[l], sizeof old);
    Unsigned fresh =
        form.isSigned && (form.op == ReduceOp::Min || form.op == ReduceOp::Max)
            ? static_cast<Unsigned>(reduced(form.op, static_cast<Signed>(old), static_cast<Signed>(values[l])))
            : reduced(form.op, old, values[l]);
    std::memcpy(to[l], &fresh, sizeof fresh);
  });
  ++warp.block->effects;
  ++warp.block->signals;
  return settled(warp, i);
}

/// Decodes `[surface, {coordinates}]`.
bool takePlace(Decoder &d, const Operand &place, const SurfaceShape &shape, Instr &i) {
  if (place.kind != Operand::Kind::Address || place.parts.size() != 2)
    return d.fail("expected `[surface, {coordinates}]`");
  bool isVector = place.parts[1].kind == Operand::Kind::Vector;
  size_t given = isVector ? place.parts[1].parts.size() : 1;
  if (given != shape.written)
    return d.fail(Message("`.{}` takes {} coordinates, not {}", shape.name, shape.written, given));
  uint32_t *slots[] = {&i.b, &i.c, &i.e};
  for (size_t n = 0; n < shape.rank + shape.layered; ++n)
    *slots[n] = d.source(isVector ? place.parts[1].parts[n] : place.parts[1], 32);
  i.a = d.source(place.parts[0], 64);
  return !d.failed();
}

/// nullopt if the instruction does not say it; PTX has no default.
std::optional<Beyond> takeBeyond(Modifiers &mods) {
  std::string_view beyond = mods.takeOne({"trap", "clamp", "zero"});
  if (beyond.empty())
    return std::nullopt;
  return beyond == "clamp" ? Beyond::Clamp : beyond == "zero" ? Beyond::Zero : Beyond::Trap;
}

/// sust.p
bool decodeSamples(Decoder &d, Modifiers &mods, Instr &i) {
  const SurfaceShape *shape =
      std::ranges::find_if(kSurfaceShapes, [&](const SurfaceShape &one) { return mods.take(one.name); });
  std::string_view vector = mods.takeOne({"v2", "v4"});
  const std::optional<Beyond> beyond = takeBeyond(mods);
  Type type = mods.takeType();
  // The ISA describes `.u32`, `.s32` and `.f32`, which ptxas of CUDA 13.0 does not implement.
  if (shape == std::end(kSurfaceShapes) || !beyond || type.bits != 32 || type.packed || !d.finish(mods, 2))
    return false;
  const Operand &data = d.operand(1);
  size_t count = vector == "v2" ? 2 : vector == "v4" ? 4 : 1;
  if ((data.kind == Operand::Kind::Vector ? data.parts.size() : 1) != count)
    return d.fail("the number of registers does not match the vector size");
  SurfaceForm form{.shape = static_cast<uint8_t>(shape - kSurfaceShapes), .beyond = *beyond, .samples = true};
  form.from = type.isF32()         ? SampleType::Float
              : type.isSigned()    ? SampleType::Signed
              : type.name == "u32" ? SampleType::Unsigned
                                   : SampleType::Bits;
  if (!takePlace(d, d.operand(0), *shape, i) || !d.sourceList(data, type, i))
    return false;
  i.imm = std::bit_cast<uint64_t>(form);
  i.access = 4;
  i.run = &storeSamples;
  i.space = Space::Global;
  i.cost = cost::kMemoryIssue;
  d.program().globalGranule = 1; // the surface's description has the size of its samples
  return !d.failed();
}

bool decodeReduction(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool samples = mods.take("p");
  if (!samples && !mods.take("b"))
    return false;
  struct NamedOp {
    std::string_view name;
    ReduceOp op;
  };
  static constexpr NamedOp kOps[] = {{"add", ReduceOp::Add},
                                     {"min", ReduceOp::Min},
                                     {"max", ReduceOp::Max},
                                     {"and", ReduceOp::And},
                                     {"or", ReduceOp::Or}};
  const NamedOp *op = std::ranges::find_if(kOps, [&](const NamedOp &one) { return mods.take(one.name); });
  const SurfaceShape *shape =
      std::ranges::find_if(kSurfaceShapes, [&](const SurfaceShape &one) { return mods.take(one.name); });
  const std::optional<Beyond> beyond = takeBeyond(mods);
  Type type = mods.takeType();
  // PTX ISA, "sured": bits alone are combined, and `.b32` is the one type of `.p`.
  bool combines = op != std::end(kOps) && (op->op == ReduceOp::And || op->op == ReduceOp::Or);
  bool fits = samples    ? type.name == "b32"
              : combines ? type.name == "b32"
                         : type.name == "u32" || type.name == "s32" || type.name == "u64" ||
                               (type.name == "s64" && op->op != ReduceOp::Add);
  if (op == std::end(kOps) || shape == std::end(kSurfaceShapes) || shape->layered || !beyond)
    return false;
  if (samples && type.name == "b64" && !combines && op->op != ReduceOp::Add)
    return d.fail("the emulator has no surfaces with samples of 64 bits, which CUDA does not make");
  if (!fits || !d.finish(mods, 2))
    return false;
  SurfaceForm form{.beyond = *beyond, .samples = samples};
  form.shape = static_cast<uint8_t>(shape - kSurfaceShapes);
  form.elementBytes = static_cast<uint8_t>(type.bits / 8);
  form.op = op->op;
  form.isSigned = type.isSigned();
  if (!takePlace(d, d.operand(0), *shape, i) || !d.sourceList(d.operand(1), type, i))
    return false;
  i.imm = std::bit_cast<uint64_t>(form);
  i.access = static_cast<uint8_t>(type.bits / 8);
  i.run = type.bits == 64 ? &reduceSurface<uint64_t, int64_t> : &reduceSurface<uint32_t, int32_t>;
  i.space = Space::Global;
  i.cost = cost::kMemoryIssue;
  i.strong = true;
  d.program().communicates = true;
  d.program().globalGranule = std::min<uint32_t>(d.program().globalGranule, i.access);
  return !d.failed();
}

bool decodeSurface(Decoder &d, Modifiers &mods, Instr &i, bool isLoad) {
  if (!isLoad && mods.take("p"))
    return decodeSamples(d, mods, i);
  if (!mods.take("b"))
    return false;
  const SurfaceShape *shape =
      std::ranges::find_if(kSurfaceShapes, [&](const SurfaceShape &one) { return mods.take(one.name); });
  isLoad ? mods.takeOne({"ca", "cg", "cs", "cv"}) : mods.takeOne({"wb", "cg", "cs", "wt"});
  std::string_view vector = mods.takeOne({"v2", "v4"});
  const std::optional<Beyond> beyond = takeBeyond(mods);
  Type type = mods.takeType();
  size_t count = vector == "v2" ? 2 : vector == "v4" ? 4 : 1;
  if (shape == std::end(kSurfaceShapes) || !beyond || type.kind != TypeKind::Bits || type.bits < 8 ||
      type.bits * count > 128 || !d.finish(mods, 2))
    return false;
  const Operand &place = d.operand(isLoad ? 1 : 0), &data = d.operand(isLoad ? 0 : 1);
  if ((data.kind == Operand::Kind::Vector ? data.parts.size() : 1) != count)
    return d.fail("the number of registers does not match the vector size");
  if (!takePlace(d, place, *shape, i))
    return false;
  const Operand &first = data.kind == Operand::Kind::Vector ? data.parts[0] : data;
  uint32_t width = std::max<uint32_t>({d.widthOf(first), type.bits, 16});
  Type as{TypeKind::Bits, static_cast<uint8_t>(width), false, type.name};
  isLoad ? d.destList(data, as, i) : d.sourceList(data, as, i);
  SurfaceForm form{.shape = static_cast<uint8_t>(shape - kSurfaceShapes),
                   .elementBytes = static_cast<uint8_t>(type.bits / 8),
                   .registerBytes = static_cast<uint8_t>(width / 8),
                   .beyond = *beyond};
  std::memcpy(&i.imm, &form, sizeof form);
  i.access = static_cast<uint8_t>(type.bits / 8 * count);
  i.run = isLoad ? &loadSurface : &storeSurface;
  i.load = isLoad;
  i.space = Space::Global;
  i.cost = cost::kMemoryIssue;
  d.program().globalGranule = std::min<uint32_t>(d.program().globalGranule, i.access);
  return !d.failed();
}

bool decodeSurfaceLoad(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  return decodeSurface(d, mods, i, true);
}
bool decodeSurfaceStore(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  return decodeSurface(d, mods, i, false);
}

} // namespace

const Family &surfaceFamily() {
  static const Family family{{"suld", &decodeSurfaceLoad}, {"sust", &decodeSurfaceStore}, {"sured", &decodeReduction}};
  return family;
}

} // namespace lanescope::core::emulator
