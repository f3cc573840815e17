// Fetches from textures (PTX ISA, "tex" and "tld4"), in the unified mode: a handle names the texture with its sampler.
// Texels that integers address are exact. Others may differ from the GPU's in the last bits of the place and of the
// interpolated value, as no public source has the GPU's rounding.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/TextureTaps.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/memory/TextureAccess.h"
#include "layouts/support/Text.h"

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
    {"1d", TextureShape::Line, 1, 1},   {"2d", TextureShape::Plane, 2, 2},   {"3d", TextureShape::Space, 3, 4},
    {"a1d", TextureShape::Lines, 2, 2}, {"a2d", TextureShape::Planes, 3, 4}, {"cube", TextureShape::Cube, 3, 4},
};

// Instr::sub: the shape, and
constexpr uint8_t kIntegers = 1 << 3; // integers are the coordinates
constexpr uint8_t kGathers = 1 << 4;  // tld4; the channel is in the upper bits
constexpr int kChannelShift = 5;

/// The lanes of a fetch that use one texture.
struct TextureGroup {
  Texture texture;
  uint32_t mask = 0;
};

/// a: the handle. b, c, e: the coordinates. The list has the four results.
void writeTexel(Warp &warp, const Instr &i, uint32_t lane, const TexelWords &words) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  for (size_t n = 0; n < words.size(); ++n)
    warp.reg<uint32_t>(slots[n])[lane] = words[n];
}

TextureCoordinates coordinatesOf(Warp &warp, const Instr &i, uint32_t lane) {
  TextureCoordinates at;
  at.shape = static_cast<TextureShape>(i.sub & 7);
  at.integers = (i.sub & kIntegers) != 0;
  const uint32_t slots[] = {i.b, i.c, i.e};
  for (size_t n = 0; n < 3; ++n)
    if (slots[n] != kNone)
      at.bits[n] = warp.reg<uint32_t>(slots[n])[lane];
  return at;
}

Step fetchFrom(Warp &warp, const Instr &i, const TextureGroup &group) {
  const Texture &texture = group.texture;
  bool gathers = (i.sub & kGathers) != 0;
  size_t channel = i.sub >> kChannelShift;
  std::array<TextureTaps, kLanes> taps;
  std::array<std::array<double, 4>, kLanes> sums{};
  std::array<TexelWords, kLanes> words{};
  size_t most = 0;
  forLanes(group.mask, [&](uint32_t l) {
    taps[l] = tapsOf(texture, coordinatesOf(warp, i, l), gathers);
    most = std::max(most, taps[l].count);
  });
  for (size_t n = 0; n < most; ++n) {
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
      else if (taps[l].count == 1)
        words[l] = texel;
      else
        for (size_t c = 0; c < texture.channels && taps[l].taps[n].weight != 0; ++c)
          sums[l][c] += taps[l].taps[n].weight * std::bit_cast<float>(texel[c]);
    });
  }
  forLanes(group.mask, [&](uint32_t l) {
    if (!gathers && taps[l].count > 1)
      for (size_t c = 0; c < 4; ++c)
        words[l][c] = std::bit_cast<uint32_t>(static_cast<float>(sums[l][c]));
    writeTexel(warp, i, l, words[l]);
  });
  return Step::Next;
}

Step fetchTexels(Warp &warp, const Instr &i, uint32_t mask) {
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kGlobalLatency);
  const uint64_t *handles = warp.reg<uint64_t>(i.a);
  while (mask) {
    auto first = static_cast<uint32_t>(__builtin_ctz(mask));
    auto texture = textureAt(warp, i, first, handles[first], false);
    if (!texture)
      return Step::Fault;
    TextureGroup group{*texture, 0};
    forLanes(mask, [&](uint32_t l) { group.mask |= static_cast<uint32_t>(handles[l] == handles[first]) << l; });
    if (Step step = fetchFrom(warp, i, group); step != Step::Next)
      return step;
    mask &= ~group.mask;
  }
  return Step::Next;
}

bool decodeFetch(Decoder &d, Modifiers &mods, Instr &i, bool gathers) {
  bool level = !gathers && mods.take("level"), gradient = !gathers && mods.take("grad");
  mods.take("base");
  const ShapeName *shape =
      std::ranges::find_if(kTextureShapes, [&](const ShapeName &one) { return mods.take(one.name); });
  if (shape == std::end(kTextureShapes) || !mods.take("v4"))
    return false;
  Type to = mods.takeType(), from = mods.takeType();
  bool integers = from.kind == TypeKind::Signed && from.bits == 32;
  bool known = to.bits == 32 && (to.kind == TypeKind::Unsigned || to.kind == TypeKind::Signed || to.isF32());
  if (!known || !(integers || from.isF32()) || (integers && (level || gradient || shape->shape == TextureShape::Cube)))
    return false;
  if (!d.finish(mods, 2u + level + 2 * gradient))
    return false;
  const Operand &place = d.operand(1);
  if (place.kind != Operand::Kind::Address || place.parts.size() != 2)
    return d.fail("expected `[texture, {coordinates}]`: the emulator has textures with their samplers in one object, "
                  "`.texmode_unified`");
  bool vector = place.parts[1].kind == Operand::Kind::Vector;
  size_t given = vector ? place.parts[1].parts.size() : 1;
  if (given != shape->written)
    return d.fail(text("`.", shape->name, "` takes ", shape->written, " coordinates, not ", given));
  if (d.operand(0).kind != Operand::Kind::Vector || d.operand(0).parts.size() != 4)
    return d.fail("expected a vector of four registers for the texel");
  bool layered = shape->shape == TextureShape::Lines || shape->shape == TextureShape::Planes;
  uint32_t *slots[] = {&i.b, &i.c, &i.e};
  for (size_t n = 0; n < shape->coordinates; ++n) {
    const Operand &part = vector ? place.parts[1].parts[n] : place.parts[1];
    *slots[n] = layered && n == 0 ? d.source(part, 32) : d.source(part, from);
  }
  i.a = d.source(place.parts[0], 64);
  d.destList(d.operand(0), to, i);
  i.sub = static_cast<uint8_t>(static_cast<uint8_t>(shape->shape) | (integers ? kIntegers : 0));
  i.run = &fetchTexels;
  i.load = true;
  i.noncoherent = true;
  i.space = Space::Global;
  i.cost = cost::kMemoryIssue;
  d.program().globalGranule = 1; // the texture's description has the size of its texels
  if (!integers)
    d.approximate();
  return !d.failed();
}

bool decodeTexFetch(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  return decodeFetch(d, mods, i, false);
}

bool decodeGather(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  constexpr std::string_view kChannels[] = {"r", "g", "b", "a"};
  const std::string_view *channel =
      std::ranges::find_if(kChannels, [&](std::string_view one) { return mods.take(one); });
  if (channel == std::end(kChannels) || !mods.has({"2d", "a2d"}) || !decodeFetch(d, mods, i, true))
    return false;
  i.sub = static_cast<uint8_t>(i.sub | kGathers | (channel - kChannels) << kChannelShift);
  return (i.sub & kIntegers) == 0;
}

} // namespace

const Family &textureFamily() {
  static const Family family{{"tex", &decodeTexFetch}, {"tld4", &decodeGather}};
  return family;
}

} // namespace lanescope::core::emulator
