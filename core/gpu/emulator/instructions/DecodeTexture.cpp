// Fetches from textures (PTX ISA, "tex" and "tld4"). A handle names a texture with its sampler. `[texture, sampler,
// coordinates]` takes the filter and the addressing of a second handle.
// Texels that integers address are exact. Others may differ from the GPU's in the last bits of the place and of the
// interpolated value, as no public source has the GPU's rounding.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/TextureTaps.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/memory/TextureAccess.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

namespace {

struct ShapeName {
  std::string_view name;
  TextureShape shape;
  uint32_t coordinates; // that count
  uint32_t written;     // in the vector
};
constexpr ShapeName kTextureShapes[] = {
    {"1d", TextureShape::Line, 1, 1},     {"2d", TextureShape::Plane, 2, 2},   {"3d", TextureShape::Space, 3, 4},
    {"a1d", TextureShape::Lines, 2, 2},   {"a2d", TextureShape::Planes, 3, 4}, {"cube", TextureShape::Cube, 3, 4},
    {"acube", TextureShape::Cubes, 4, 4},
};

/// Instr::imm
struct TextureForm {
  TextureShape shape = TextureShape::Line;
  bool integers = false; // the coordinates are integers
  bool gathers = false;  // tld4 of `channel`
  uint8_t channel = 0;
  bool halves = false; // the result is two registers of f16x2
  bool sampler = false;
  uint8_t offsets = 0; // their number
  uint8_t unused = 0;

  uint8_t results() const { return halves ? 2 : 4; }
};
static_assert(sizeof(TextureForm) == sizeof(uint64_t));

TextureForm formOfFetch(const Instr &i) { return std::bit_cast<TextureForm>(i.imm); }

/// The lanes of a fetch that use one texture.
struct TextureGroup {
  Texture texture;
  uint32_t mask = 0;
};

uint32_t asHalf(uint32_t bits) { return narrowF16(std::bit_cast<float>(bits)); }

/// a: the handle. b, c, e: the coordinates. d2: the predicate that says if the texels are in memory, which they always
/// are. The list has the results, then the coordinate of a layered cube that has no place in b, c and e, the offsets,
/// and the sampler's handle.
void writeTexel(Warp &warp, const Instr &i, uint32_t lane, const TexelWords &words) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  if (formOfFetch(i).halves) {
    for (size_t n = 0; n < 2; ++n)
      warp.reg<uint32_t>(slots[n])[lane] = asHalf(words[2 * n]) | asHalf(words[2 * n + 1]) << 16;
    return;
  }
  for (size_t n = 0; n < words.size(); ++n)
    warp.reg<uint32_t>(slots[n])[lane] = words[n];
}

TextureCoordinates coordinatesOf(Warp &warp, const Instr &i, uint32_t lane) {
  const TextureForm form = formOfFetch(i);
  TextureCoordinates at;
  at.shape = form.shape;
  at.integers = form.integers;
  const uint32_t *further = warp.block->grid->program->lists.data() + i.list + form.results();
  const uint32_t slots[] = {i.b, i.c, i.e, form.shape == TextureShape::Cubes ? *further++ : kNone};
  for (size_t n = 0; n < 4; ++n)
    if (slots[n] != kNone)
      at.bits[n] = warp.reg<uint32_t>(slots[n])[lane];
  for (size_t n = 0; n < form.offsets; ++n)
    at.offsets[n] = warp.reg<int32_t>(further[n])[lane];
  return at;
}

Step fetchFrom(Warp &warp, const Instr &i, const TextureGroup &group) {
  const Texture &texture = group.texture;
  const TextureForm form = formOfFetch(i);
  const bool gathers = form.gathers;
  const size_t channel = form.channel;
  std::array<TextureTaps, kLanes> taps;
  std::array<std::array<double, 4>, kLanes> sums{};
  std::array<TexelWords, kLanes> words{};
  forLanes(group.mask, [&](uint32_t l) { taps[l] = tapsOf(texture, coordinatesOf(warp, i, l), gathers); });
  const size_t count = taps[static_cast<size_t>(__builtin_ctz(group.mask))].count; // that of all lanes
  for (size_t n = 0; n < count; ++n) {
    alignas(64) uint64_t addresses[kLanes] = {};
    std::byte *from[kLanes] = {};
    uint32_t inside = 0;
    forLanes(group.mask, [&](uint32_t l) {
      const TextureTap &tap = taps[l].taps[n];
      if (!tap.inside || (tap.weight == 0 && !gathers))
        return;
      addresses[l] = texture.texels + tap.offset;
      inside |= 1u << l;
    });
    if (inside && !resolvePlaces(warp, i, inside, addresses, texture.texelBytes(), Access::Read, from))
      return Step::Fault;
    forLanes(group.mask, [&](uint32_t l) {
      TexelWords texel = inside >> l & 1 ? texelWords(texture, from[l]) : borderWords(texture);
      if (gathers)
        words[l][n] = texel[channel];
      else if (count == 1)
        words[l] = texel;
      else
        for (size_t c = 0; c < texture.channels && taps[l].taps[n].weight != 0; ++c)
          sums[l][c] += taps[l].taps[n].weight * std::bit_cast<float>(texel[c]);
    });
  }
  forLanes(group.mask, [&](uint32_t l) {
    if (!gathers && count > 1)
      for (size_t c = 0; c < 4; ++c)
        words[l][c] = std::bit_cast<uint32_t>(static_cast<float>(sums[l][c]));
    writeTexel(warp, i, l, words[l]);
  });
  return Step::Next;
}

/// Gives a texture the sampler of another one.
void sampleAs(Texture &texture, const Texture &sampler) {
  texture.filtered = sampler.filtered;
  texture.normalised = sampler.normalised;
  texture.outside = sampler.outside;
  texture.border = sampler.border;
}

Step fetchTexels(Warp &warp, const Instr &i, uint32_t mask) {
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kGlobalLatency);
  const TextureForm form = formOfFetch(i);
  const uint64_t *handles = warp.reg<uint64_t>(i.a), *samplers = handles;
  if (form.sampler)
    samplers = warp.reg<uint64_t>(warp.block->grid->program->lists[i.list + i.listSize - 1]);
  if (i.d2 != kNone)
    commitPredicate(warp, i.d2, kAllLanes, mask);
  while (mask) {
    auto first = static_cast<uint32_t>(__builtin_ctz(mask));
    auto texture = textureAt(warp, i, first, handles[first], false);
    if (!texture)
      return Step::Fault;
    if (form.sampler) {
      auto sampler = textureAt(warp, i, first, samplers[first], false);
      if (!sampler)
        return Step::Fault;
      sampleAs(*texture, *sampler);
    }
    TextureGroup group{*texture, 0};
    forLanes(mask, [&](uint32_t l) {
      bool same = handles[l] == handles[first] && samplers[l] == samplers[first];
      group.mask |= static_cast<uint32_t>(same) << l;
    });
    if (Step step = fetchFrom(warp, i, group); step != Step::Next)
      return step;
    mask &= ~group.mask;
  }
  return Step::Next;
}

/// The number of offsets that a shape takes in a vector.
uint8_t offsetsOf(TextureShape shape) {
  switch (shape) {
  case TextureShape::Line:
  case TextureShape::Lines: return 1;
  case TextureShape::Plane:
  case TextureShape::Planes: return 2;
  case TextureShape::Space: return 3;
  default: return 0;
  }
}

/// Appends the offsets. The vector of a 3d texture has a fourth one, which is ignored. A single value is a depth to
/// compare with.
bool addTexelOffsets(Decoder &d, const Operand &operand, TextureForm &form) {
  size_t given = operand.kind == Operand::Kind::Vector ? operand.parts.size() : 0, wanted = offsetsOf(form.shape);
  if (given == 0)
    return d.fail(
        Message("`{instruction}`: the emulator has no comparisons of depths, whose function CUDA does not set; "
                "offsets are in braces",
                d.current().opcode));
  if (wanted == 0 || given != (wanted == 3 ? 4 : wanted))
    return d.fail(Message("`{instruction}` takes {} offsets, if any", d.current().opcode, wanted == 3 ? 4 : wanted));
  for (size_t n = 0; n < wanted; ++n)
    d.program().lists.push_back(d.source(operand.parts[n], 32));
  form.offsets = static_cast<uint8_t>(wanted);
  return !d.failed();
}

/// Takes `{results}` or `{results}|predicate`.
bool addResults(Decoder &d, Type to, TextureForm form, Instr &i) {
  const Operand &whole = d.operand(0);
  bool pair = whole.kind == Operand::Kind::Pair;
  const Operand &results = pair ? whole.parts[0] : whole;
  if (results.kind != Operand::Kind::Vector || results.parts.size() != form.results())
    return d.fail(Message("expected a vector of {} registers for the texel", form.halves ? "two" : "four"));
  if (pair)
    i.d2 = d.predicateDest(whole.parts[1]);
  return d.destList(results, to, i);
}

bool decodeFetch(Decoder &d, Modifiers &mods, Instr &i, TextureForm form) {
  bool level = !form.gathers && mods.take("level"), gradient = !form.gathers && mods.take("grad");
  mods.take("base");
  const ShapeName *shape =
      std::ranges::find_if(kTextureShapes, [&](const ShapeName &one) { return mods.take(one.name); });
  if (shape == std::end(kTextureShapes))
    return false;
  form.shape = shape->shape;
  std::string_view vector = mods.takeOne({"v2", "v4"});
  Type to = mods.takeType(), from = mods.takeType();
  form.halves = to.isF16x2();
  form.integers = from.kind == TypeKind::Signed && from.bits == 32;
  bool known = form.halves || (to.bits == 32 && (to.kind == TypeKind::Unsigned || to.isSigned() || to.isF32()));
  bool cube = form.shape == TextureShape::Cube || form.shape == TextureShape::Cubes;
  if (!known || vector != (form.halves ? "v2" : "v4") || !(form.integers || from.isF32()) ||
      (form.integers && (cube || form.gathers)))
    return false;
  const size_t fixed = 2u + level + 2 * gradient;
  if (!d.finish(mods, fixed, fixed + 1))
    return false;
  const Operand &place = d.operand(1);
  form.sampler = place.parts.size() == 3;
  if (place.kind != Operand::Kind::Address || place.parts.size() < 2 || place.parts.size() > 3)
    return d.fail("expected `[texture, {coordinates}]` or `[texture, sampler, {coordinates}]`");
  if (form.sampler && (isLayered(form.shape) || cube)) // ptxas of CUDA 13.0 refuses it too
    return d.fail(text("`.", shape->name, "` takes its sampler from the texture: `[texture, {coordinates}]`"));
  const Operand &coordinates = place.parts.back();
  bool isVector = coordinates.kind == Operand::Kind::Vector;
  size_t given = isVector ? coordinates.parts.size() : 1;
  if (given != shape->written)
    return d.fail(Message("`.{}` takes {} coordinates, not {}", shape->name, shape->written, given));
  i.a = d.source(place.parts[0], 64);
  if (!addResults(d, to, form, i))
    return false;
  uint32_t *slots[] = {&i.b, &i.c, &i.e};
  for (size_t n = 0; n < shape->coordinates; ++n) {
    const Operand &part = isVector ? coordinates.parts[n] : coordinates;
    uint32_t slot = isLayered(form.shape) && n == 0 ? d.source(part, 32) : d.source(part, from);
    if (n < std::size(slots))
      *slots[n] = slot;
    else
      d.program().lists.push_back(slot);
  }
  if (d.operandCount() > fixed && !addTexelOffsets(d, d.operand(fixed), form))
    return false;
  if (form.sampler)
    d.program().lists.push_back(d.source(place.parts[1], 64));
  i.listSize = static_cast<uint32_t>(d.program().lists.size()) - i.list;
  i.imm = std::bit_cast<uint64_t>(form);
  i.run = &fetchTexels;
  i.load = true;
  i.noncoherent = true;
  i.space = Space::Global;
  i.cost = cost::kMemoryIssue;
  d.program().globalGranule = 1; // the texture's description has the size of its texels
  if (!form.integers)
    d.approximate();
  return !d.failed();
}

bool decodeTexFetch(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) { return decodeFetch(d, mods, i, {}); }

bool decodeGather(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  constexpr std::string_view kChannels[] = {"r", "g", "b", "a"};
  const std::string_view *channel =
      std::ranges::find_if(kChannels, [&](std::string_view one) { return mods.take(one); });
  if (channel == std::end(kChannels) || !mods.has({"2d", "a2d"}) || mods.has({"f16x2"}))
    return false;
  return decodeFetch(d, mods, i, {.gathers = true, .channel = static_cast<uint8_t>(channel - kChannels)});
}

} // namespace

const Family &textureFamily() {
  static const Family family{{"tex", &decodeTexFetch}, {"tld4", &decodeGather}};
  return family;
}

} // namespace lanescope::core::emulator
