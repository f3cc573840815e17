// Queries of textures and surfaces (PTX ISA, "txq" and "suq"), and whether a value is a handle of one ("istypep").
// Sizes, layers and flags of the descriptor are known. Formats, filters and addressing are numbers of the source
// language, for which CUDA has none: they are refused by name.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Grid.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/TextureAccess.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

struct Query {
  std::string_view name;
  uint32_t (*value)(const Texture &texture);
  bool texture = true, surface = true;
};
constexpr Query kQueries[] = {
    {"width", [](const Texture &t) { return t.sizes[0]; }},
    {"height", [](const Texture &t) { return t.sizes[1]; }},
    {"depth", [](const Texture &t) { return t.sizes[2]; }},
    {"array_size", [](const Texture &t) { return t.layers; }},
    {"normalized_coords", [](const Texture &t) { return uint32_t{t.normalised}; }, true, false},
    {"force_unnormalized_coords", [](const Texture &t) { return uint32_t{!t.normalised}; }, true, false},
    {"num_mipmap_levels", [](const Texture &) { return 1u; }, true, false},
    {"num_samples", [](const Texture &) { return 1u; }, true, false},
    {"memory_layout", [](const Texture &) { return 0u; }, false, true}, // 1: linear memory, of which no surface is
};

/// a: the handle. b: the level, if there is one: a texture has one level, and each further one half of the size. sub:
/// the index of the query.
template <bool Surface> Step query(Warp &warp, const Instr &i, uint32_t mask) {
  alignas(32) uint32_t out[kLanes] = {};
  bool fine = true;
  forLanes(mask, [&](uint32_t l) {
    auto found = fine ? textureAt(warp, i, l, warp.reg<uint64_t>(i.a)[l], Surface) : std::nullopt;
    fine = found.has_value();
    if (!fine)
      return;
    uint32_t value = kQueries[i.sub].value(*found), level = i.b == kNone ? 0 : warp.reg<uint32_t>(i.b)[l];
    out[l] = level == 0 || value == 0 ? value : std::max(level < 32 ? value >> level : 0, 1u);
  });
  if (!fine)
    return Step::Fault;
  commit(warp, i.d, out, mask);
  return Step::Next;
}

template <bool Surface> bool decodeQuery(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool level = !Surface && mods.take("level");
  const Query *found = std::ranges::find_if(
      kQueries, [&](const Query &one) { return (Surface ? one.surface : one.texture) && mods.take(one.name); });
  for (std::string_view name :
       {"channel_data_type", "channel_order", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"})
    if (mods.has({name}))
      return d.fail(Message("`{instruction}`: CUDA has no number for this attribute, so the result is not known",
                            d.current().opcode),
                    "unknown-instruction");
  if (found == std::end(kQueries) || (level && found - kQueries > 2) || !mods.take("b32") ||
      !d.finish(mods, 2u + level))
    return false;
  const Operand &handle = d.operand(1);
  if (handle.kind != Operand::Kind::Address || handle.parts.size() != 1 || handle.offset != 0)
    return d.fail("expected `[texture]` or `[surface]`");
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(handle.parts[0], 64);
  if (level)
    i.b = d.source(d.operand(2), 32);
  i.sub = static_cast<uint8_t>(found - kQueries);
  i.cost = cost::kMemoryIssue;
  i.run = &query<Surface>;
  return !d.failed();
}

/// No variable of the module is a sampler of its own, so nothing points to one.
enum class Opaque : uint8_t { Texture, Surface, Sampler };

/// a: any value. It is a handle if a descriptor of the kind is at that address.
Step isOpaque(Warp &warp, const Instr &i, uint32_t mask) {
  const uint64_t *values = warp.reg<uint64_t>(i.a);
  auto kind = static_cast<Opaque>(i.sub);
  uint32_t flags = 0;
  forLanes(mask, [&](uint32_t l) {
    uint64_t offset = 0;
    const Region *region = regionOf(*warp.block->grid, values[l], offset);
    bool whole = region && offset == 0 && region->bytes >= kTextureBytes;
    auto found = whole && kind != Opaque::Sampler ? decodeTexture(region->data) : std::nullopt;
    flags |= static_cast<uint32_t>(found && found->surface == (kind == Opaque::Surface)) << l;
  });
  commitPredicate(warp, i.d, flags, mask);
  return Step::Next;
}

bool decodeIsOpaque(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view kind = mods.takeOne({"texref", "surfref", "samplerref"});
  if (kind.empty() || !d.finish(mods, 2))
    return false;
  i.sub = static_cast<uint8_t>(kind == "texref"    ? Opaque::Texture
                               : kind == "surfref" ? Opaque::Surface
                                                   : Opaque::Sampler);
  i.d = d.predicateDest(d.operand(0));
  i.a = d.source(d.operand(1), 64);
  i.run = &isOpaque;
  return !d.failed();
}

} // namespace

const Family &textureQueryFamily() {
  static const Family family{{"txq", &decodeQuery<false>}, {"suq", &decodeQuery<true>}, {"istypep", &decodeIsOpaque}};
  return family;
}

} // namespace lanescope::core::emulator
