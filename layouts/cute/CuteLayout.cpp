#include "layouts/cute/CuteLayout.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

/// The sizes of the top-level modes; nothing if one is not known.
std::optional<Shape> topSizes(const Layout &layout) {
  if (!cute::known(layout.shape))
    return std::nullopt;
  Shape sizes;
  for (size_t i = 0; i < layout.rank(); ++i)
    sizes.push_back(productOf(layout.shape.mode(i)));
  return sizes;
}

/// The range of the coordinates of basis strides in each dimension; nothing for coordinates inside coordinates.
std::optional<Shape> reachOf(const Layout &layout) {
  if (!cute::known(layout.shape) || !cute::known(layout.stride))
    return std::nullopt;
  Shape reach;
  for (const FlatMode &mode : flatModes(layout)) {
    if (mode.stride.basis.size() > 1 || mode.stride.value < 0)
      return std::nullopt;
    if (mode.stride.basis.empty() && mode.stride.value != 0)
      return std::nullopt;
    if (mode.stride.basis.empty())
      continue;
    auto dim = static_cast<size_t>(mode.stride.basis[0]);
    if (reach.size() <= dim)
      reach.resize(dim + 1, 1);
    reach[dim] = std::min(kMaxInt, reach[dim] + saturatingMultiply(mode.size.value - 1, mode.stride.value));
  }
  return reach;
}

} // namespace

std::string cppText(const Engine &engine) {
  std::string bits = text('[', engine.bits, "b]");
  std::string sparse = engine.sparsity ? text("sparse<", engine.sparsity, ">_") : "";
  switch (engine.kind) {
  case Engine::Kind::Generic: return text(sparse, "ptr", bits, "(unset)");
  case Engine::Kind::Gmem: return text("gmem_", sparse, "ptr", bits, "(unset)");
  case Engine::Kind::Smem: return text("smem_", sparse, "ptr", bits, "(unset)");
  case Engine::Kind::Rmem: return text("rmem_", sparse, "ptr", bits, "(unset)");
  case Engine::Kind::Tmem: return text("tmem_", bits, "(0x0000.0000)");
  }
  return "";
}

Result<CuteLayout> CuteLayout::make(Parts parts) {
  bool composed = !std::holds_alternative<std::monostate>(parts.outer);
  if (parts.tile && (composed || parts.offset || parts.engine || parts.plain || parts.operand))
    return error("cute-parts", "a tile stands by itself");
  if (!parts.tile && !parts.plain && (!std::holds_alternative<Swizzle>(parts.outer) || parts.offset || parts.engine))
    return error("cute-parts", "a layout is missing");
  if (parts.offset && !composed)
    return error("cute-parts", "an offset stands between an outer layout or a swizzle and a layout");
  if (parts.swizzlesAddress && (!std::holds_alternative<Swizzle>(parts.outer) || !parts.engine || parts.offset))
    return error("cute-parts", "a swizzle of addresses belongs to a pointer");
  if (composed && parts.plain && !parts.offset && !parts.swizzlesAddress)
    parts.offset = IntTuple(0, true);
  if (parts.operand && (composed || parts.engine))
    return error("cute-parts", "a (thread, value) layout of an atom has neither a pointer nor a swizzle");
  return CuteLayout(std::move(parts));
}

CuteLayout CuteLayout::withPlain(Layout plain) const {
  Parts parts = parts_;
  parts.plain = std::move(plain);
  parts.operand.reset();
  return CuteLayout(std::move(parts));
}

std::string CuteLayout::text() const {
  if (parts_.tile)
    return cppText(*parts_.tile);
  std::string out;
  if (parts_.operand) {
    if (parts_.operand->threadIds)
      out += lanescope::text("ThrID: ", cppText(*parts_.operand->threadIds), ' ');
    if (parts_.operand->tile) {
      std::string sizes;
      for (int64_t size : *parts_.operand->tile)
        sizes += (sizes.empty() ? "_" : ",_") + lanescope::text(size);
      out += lanescope::text("Tiler_MN: (", sizes, ") ");
    }
    return lanescope::text(out, parts_.operand->label, ": ", cppText(*parts_.plain));
  }
  // The text has the pointer before a swizzle of offsets, and after a swizzle of addresses.
  if (parts_.engine && !parts_.swizzlesAddress)
    out += cppText(*parts_.engine) + " o ";
  if (const Swizzle *swizzle = this->swizzle())
    out += cute::text(*swizzle, "Sw") + (parts_.plain ? " o " : "");
  if (const auto *outer = std::get_if<Layout>(&parts_.outer))
    out += cppText(*outer) + " o ";
  if (parts_.swizzlesAddress)
    out += cppText(*parts_.engine) + " o ";
  if (parts_.offset)
    out += cppText(*parts_.offset) + " o ";
  return parts_.plain ? out + cppText(*parts_.plain) : out;
}

std::vector<Memory> CuteLayout::memories() const {
  if (parts_.tile)
    return {};
  if (!parts_.plain)
    return {Memory::Shared};
  if (parts_.operand)
    return {Memory::Registers};
  if (parts_.engine)
    return {parts_.engine->kind == Engine::Kind::Tmem ? Memory::Tmem : Memory::Shared};
  if (hasBasis(parts_.plain->stride) && std::holds_alternative<std::monostate>(parts_.outer))
    return {Memory::Registers, Memory::Tmem};
  return {Memory::Shared, Memory::Registers};
}

bool CuteLayout::saysMemory() const {
  return memories().size() < 2 || !std::holds_alternative<std::monostate>(parts_.outer) ||
         hasBasis(parts_.plain->stride);
}

std::optional<Shape> CuteLayout::statedTile() const { return parts_.operand ? parts_.operand->tile : std::nullopt; }

std::string CuteLayout::application(const Shape &shape) const {
  std::optional<Shape> tile = statedTile();
  if (!tile || *tile == shape || tile->size() != shape.size())
    return "";
  std::string times;
  for (size_t d = 0; d < shape.size(); ++d)
    times += lanescope::text(d ? " x " : "", shape[d] / (*tile)[d]);
  return lanescope::text("the layout's tile of ", tupleText(*tile), " repeats ", times,
                         " times over the array of shape ", tupleText(shape));
}

std::string CuteLayout::whereShort() const {
  bool plain = parts_.plain && !parts_.operand && !parts_.engine &&
               std::holds_alternative<std::monostate>(parts_.outer) && !hasBasis(parts_.plain->stride);
  return plain ? "a (thread, value) layout without a tile counts the whole array in column-major order; "
                 "`Tiler_MN: (_16,_8) TiledLayout_TV: …` states a tile, which repeats"
               : "";
}

std::optional<Shape> CuteLayout::shape() const {
  if (parts_.operand)
    return parts_.operand->tile;
  if (!parts_.plain)
    return std::nullopt;
  if (hasBasis(parts_.plain->stride) && std::holds_alternative<std::monostate>(parts_.outer) && !parts_.engine)
    return reachOf(*parts_.plain);
  std::optional<Shape> sizes = topSizes(*parts_.plain);
  // Accumulators in tensor memory are ((M,N),1,1): the MMA's tile, then its repetitions.
  if (sizes && parts_.engine && parts_.engine->kind == Engine::Kind::Tmem && parts_.plain->shape.isTuple &&
      parts_.plain->mode(0).rank() > 1 && (*sizes)[0] == productOf(parts_.plain->shape))
    return topSizes(parts_.plain->mode(0));
  return sizes;
}

std::optional<int> CuteLayout::bitwidth() const {
  if (parts_.engine && parts_.engine->bits > 0)
    return parts_.engine->bits;
  return std::nullopt;
}

const CuteLayout *asCute(const layouts::Layout &layout) {
  const auto *foreign = std::get_if<Foreign>(&layout);
  return foreign ? foreign->as<CuteLayout>() : nullptr;
}

layouts::Layout toLayout(CuteLayout layout) { return Foreign(std::make_shared<const CuteLayout>(std::move(layout))); }

} // namespace lanescope::layouts::cute
