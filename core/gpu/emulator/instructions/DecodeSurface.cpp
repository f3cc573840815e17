// Loads and stores of surfaces (PTX ISA, "suld" and "sust", `.b`): bytes of an array, without conversion. All results
// are exact.
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/memory/TextureAccess.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <cstring>

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

/// A coordinate outside of the surface: `.trap` is the default.
enum class Beyond : uint8_t { Trap, Clamp, Zero };

/// Instr::imm
struct SurfaceForm {
  uint8_t shape = 0;         // index in kSurfaceShapes
  uint8_t elementBytes = 0;  // in memory
  uint8_t registerBytes = 0; // per lane
  Beyond beyond = Beyond::Trap;
};
static_assert(sizeof(SurfaceForm) <= sizeof(uint64_t));

SurfaceForm formOf(const Instr &i) {
  SurfaceForm form;
  std::memcpy(&form, &i.imm, sizeof form);
  return form;
}

enum class Found : uint8_t { Inside, Nowhere, Faulted };

/// a: the handle. b, c, e: the coordinates, of which the first one beside the layer counts bytes.
Found placeOnSurface(Warp &warp, const Instr &i, uint32_t lane, uint64_t &address) {
  SurfaceForm form = formOf(i);
  const SurfaceShape &shape = kSurfaceShapes[form.shape];
  auto surface = textureAt(warp, i, lane, warp.reg<uint64_t>(i.a)[lane], true);
  if (!surface)
    return Found::Faulted;
  const uint32_t slots[] = {i.b, i.c, i.e};
  auto at = [&](size_t n) { return static_cast<int64_t>(static_cast<int32_t>(warp.reg<uint32_t>(slots[n])[lane])); };
  uint64_t offset = 0;
  auto take = [&](std::string_view what, int64_t place, int64_t size, int64_t last, uint64_t step) {
    if (place < 0 || place > last) {
      if (form.beyond == Beyond::Zero)
        return Found::Nowhere;
      if (form.beyond == Beyond::Trap) {
        fault(warp, i, "global-out-of-bounds",
              text("`", warp.block->grid->opcodeOf(i), "` is at ", what, ' ', place, " of a surface that has ", size),
              lane);
        return Found::Faulted;
      }
      place = std::clamp<int64_t>(place, 0, last);
    }
    offset += static_cast<uint64_t>(place) * step;
    return Found::Inside;
  };
  constexpr std::string_view kNames[] = {"byte", "row", "plane"};
  auto row = static_cast<int64_t>(surface->sizes[0]) * surface->texelBytes();
  const int64_t sizes[] = {row, surface->sizes[1], surface->sizes[2]};
  const uint64_t steps[] = {1, surface->pitch, surface->slice};
  Found worst = Found::Inside;
  if (shape.layered) {
    int64_t layers = std::max<int64_t>(surface->layers, 1);
    worst = take("layer", at(0), layers, layers - 1, surface->slice);
  }
  for (size_t n = 0; n < shape.rank && worst == Found::Inside; ++n)
    worst = take(kNames[n], at(n + shape.layered), sizes[n], n == 0 ? row - i.access : sizes[n] - 1, steps[n]);
  address = surface->texels + offset;
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
    Found found = placeOnSurface(warp, i, l, addresses[l]);
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

bool decodeSurface(Decoder &d, Modifiers &mods, Instr &i, bool isLoad) {
  if (!mods.take("b"))
    return false;
  const SurfaceShape *shape =
      std::ranges::find_if(kSurfaceShapes, [&](const SurfaceShape &one) { return mods.take(one.name); });
  isLoad ? mods.takeOne({"ca", "cg", "cs", "cv"}) : mods.takeOne({"wb", "cg", "cs", "wt"});
  std::string_view vector = mods.takeOne({"v2", "v4"});
  std::string_view beyond = mods.takeOne({"trap", "clamp", "zero"});
  Type type = mods.takeType();
  size_t count = vector == "v2" ? 2 : vector == "v4" ? 4 : 1;
  if (shape == std::end(kSurfaceShapes) || type.kind != TypeKind::Bits || type.bits < 8 || type.bits * count > 128 ||
      !d.finish(mods, 2))
    return false;
  const Operand &place = d.operand(isLoad ? 1 : 0), &data = d.operand(isLoad ? 0 : 1);
  if (place.kind != Operand::Kind::Address || place.parts.size() != 2)
    return d.fail("expected `[surface, {coordinates}]`");
  bool isVector = place.parts[1].kind == Operand::Kind::Vector;
  size_t given = isVector ? place.parts[1].parts.size() : 1;
  if (given != shape->written)
    return d.fail(text("`.", shape->name, "` takes ", shape->written, " coordinates, not ", given));
  if ((data.kind == Operand::Kind::Vector ? data.parts.size() : 1) != count)
    return d.fail("the number of registers does not match the vector size");
  uint32_t *slots[] = {&i.b, &i.c, &i.e};
  for (size_t n = 0; n < shape->rank + shape->layered; ++n)
    *slots[n] = d.source(isVector ? place.parts[1].parts[n] : place.parts[1], 32);
  i.a = d.source(place.parts[0], 64);
  const Operand &first = data.kind == Operand::Kind::Vector ? data.parts[0] : data;
  uint32_t width = std::max<uint32_t>({d.widthOf(first), type.bits, 16});
  Type as{TypeKind::Bits, static_cast<uint8_t>(width), false, type.name};
  isLoad ? d.destList(data, as, i) : d.sourceList(data, as, i);
  SurfaceForm form{.shape = static_cast<uint8_t>(shape - kSurfaceShapes),
                   .elementBytes = static_cast<uint8_t>(type.bits / 8),
                   .registerBytes = static_cast<uint8_t>(width / 8),
                   .beyond = beyond == "clamp"  ? Beyond::Clamp
                             : beyond == "zero" ? Beyond::Zero
                                                : Beyond::Trap};
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
  static const Family family{{"suld", &decodeSurfaceLoad}, {"sust", &decodeSurfaceStore}};
  return family;
}

} // namespace lanescope::core::emulator
