#include "layouts/notation/mosaic/MlirAttribute.h"

#include "layouts/notation/mosaic/Canonical.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

/// An integer with an optional type: `64`, `64 : i64`.
Result<int64_t> typedInteger(Scanner &in) {
  Result<int64_t> value = in.integer("an integer");
  if (value && in.eat(':') && in.identifier().empty())
    return in.expected("an integer type");
  return value;
}

Result<Shape> integerList(Scanner &in) {
  Shape sizes;
  Result<void> read = readList(in, '[', ']', "a list of integers", [&]() -> Result<void> {
    Result<int64_t> value = typedInteger(in);
    if (!value)
      return std::unexpected(std::move(value.error()));
    sizes.push_back(*value);
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  return sizes;
}

Result<PartitionDim> mlirPartitionEntry(Scanner &in) {
  if (in.peek() != '#') {
    Result<int64_t> dim = typedInteger(in);
    if (!dim)
      return std::unexpected(std::move(dim.error()));
    return PartitionDim(*dim);
  }
  bool wrapped = in.eat("#mosaic_gpu<");
  if (!wrapped && !in.eat("#mosaic_gpu."))
    return in.expected("`#mosaic_gpu.Replicated`");
  if (!in.eat("Replicated"))
    return in.expected("`Replicated`");
  if (Result<void> opened = in.expect('<', "`#mosaic_gpu.Replicated`"); !opened)
    return std::unexpected(std::move(opened.error()));
  if (!in.eat("times"))
    return in.expected("`times`");
  if (Result<void> equals = in.expect('=', "`times = n`"); !equals)
    return std::unexpected(std::move(equals.error()));
  Result<int64_t> times = typedInteger(in);
  if (!times)
    return std::unexpected(std::move(times.error()));
  for (int i = 0; i < (wrapped ? 2 : 1); ++i)
    if (Result<void> closed = in.expect('>', "`#mosaic_gpu.Replicated`"); !closed)
      return std::unexpected(std::move(closed.error()));
  return PartitionDim(Replicated{*times});
}

/// Reads `, key_dims = [ … ]`, or the older scalar `, key_dim = n`.
Result<std::vector<PartitionDim>> partitionField(Scanner &in, std::string_view key) {
  if (Result<void> comma = in.expect(',', "`TiledLayout`"); !comma)
    return std::unexpected(std::move(comma.error()));
  std::string scalar(key.substr(0, key.size() - 1));
  uint32_t begin = in.offset();
  std::string_view name = in.identifier();
  if (name != key && name != scalar) {
    in.rewind(begin);
    return in.expected(text('`', key, '`'));
  }
  if (Result<void> equals = in.expect('=', "`TiledLayout`"); !equals)
    return std::unexpected(std::move(equals.error()));
  std::vector<PartitionDim> entries;
  auto item = [&]() -> Result<void> {
    Result<PartitionDim> entry = mlirPartitionEntry(in);
    if (!entry)
      return std::unexpected(std::move(entry.error()));
    entries.push_back(*entry);
    return {};
  };
  Result<void> read = name == scalar ? item() : readList(in, '[', ']', "a list of dimensions", item);
  if (!read)
    return std::unexpected(std::move(read.error()));
  return entries;
}

Result<Layout> tiledBody(Scanner &in, uint32_t begin, Diagnostics *remarks) {
  std::vector<Shape> tiles;
  uint32_t tilesBegin = in.offset();
  Result<void> read = readList(in, '[', ']', "a list of tiles", [&]() -> Result<void> {
    Result<Shape> tile = integerList(in);
    if (!tile)
      return std::unexpected(std::move(tile.error()));
    tiles.push_back(*std::move(tile));
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  Result<Tiling> tiling = located(in, tilesBegin, Tiling::make(std::move(tiles)));
  if (!tiling)
    return std::unexpected(std::move(tiling.error()));
  Result<std::vector<PartitionDim>> warpDims = partitionField(in, "warp_dims");
  if (!warpDims)
    return std::unexpected(std::move(warpDims.error()));
  Result<std::vector<PartitionDim>> laneDims = partitionField(in, "lane_dims");
  if (!laneDims)
    return std::unexpected(std::move(laneDims.error()));
  if (Result<void> comma = in.expect(',', "`TiledLayout`"); !comma)
    return std::unexpected(std::move(comma.error()));
  if (in.peek() != 'v' || in.identifier() != "vector_dim")
    return in.expected("`vector_dim`");
  if (Result<void> equals = in.expect('=', "`TiledLayout`"); !equals)
    return std::unexpected(std::move(equals.error()));
  Result<int64_t> vectorDim = typedInteger(in);
  if (!vectorDim)
    return std::unexpected(std::move(vectorDim.error()));
  if (Result<void> closed = in.expect('>', "`TiledLayout`"); !closed)
    return std::unexpected(std::move(closed.error()));
  Result<TiledLayout> layout =
      readTiled(in, begin, *std::move(tiling), *std::move(warpDims), *std::move(laneDims), *vectorDim, remarks);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(RegisterLayout(*std::move(layout)));
}

Result<Layout> stridedBody(Scanner &in, uint32_t begin) {
  Result<Shape> shape = integerList(in);
  if (!shape)
    return std::unexpected(std::move(shape.error()));
  if (Result<void> comma = in.expect(',', "`WGStridedFragLayout`"); !comma)
    return std::unexpected(std::move(comma.error()));
  Result<int64_t> vecSize = typedInteger(in);
  if (!vecSize)
    return std::unexpected(std::move(vecSize.error()));
  if (Result<void> closed = in.expect('>', "`WGStridedFragLayout`"); !closed)
    return std::unexpected(std::move(closed.error()));
  Result<WGStridedFragLayout> layout = located(in, begin, WGStridedFragLayout::make(*std::move(shape), *vecSize));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(RegisterLayout(*std::move(layout)));
}

Result<Layout> splatBody(Scanner &in, uint32_t begin) {
  Result<Shape> shape = integerList(in);
  if (!shape)
    return std::unexpected(std::move(shape.error()));
  if (Result<void> closed = in.expect('>', "`WGSplatFragLayout`"); !closed)
    return std::unexpected(std::move(closed.error()));
  if (Result<int64_t> count = located(in, begin, checkedElementCount(*shape)); !count)
    return std::unexpected(std::move(count.error()));
  return Layout(RegisterLayout(WGSplatFragLayout{*std::move(shape)}));
}

} // namespace

Result<Layout> parseMlirAttribute(Scanner &in, Diagnostics *remarks) {
  in.peek();
  uint32_t begin = in.offset();
  bool wrapped = in.eat("#mosaic_gpu<");
  if (!wrapped && !in.eat("#mosaic_gpu."))
    return in.expected("an attribute of the `#mosaic_gpu` dialect");
  uint32_t nameBegin = in.offset();
  std::string_view name = in.identifier();
  if (name != "TiledLayout" && name != "WGStridedFragLayout" && name != "WGSplatFragLayout")
    return in.fail(
        nameBegin,
        Message("`{name}` is not a layout; `TiledLayout`, `WGStridedFragLayout` and `WGSplatFragLayout` are", name));
  if (Result<void> opened = in.expect('<', name); !opened)
    return std::unexpected(std::move(opened.error()));
  Result<Layout> layout = name == "TiledLayout"           ? tiledBody(in, begin, remarks)
                          : name == "WGStridedFragLayout" ? stridedBody(in, begin)
                                                          : splatBody(in, begin);
  if (layout && wrapped)
    if (Result<void> closed = in.expect('>', "`#mosaic_gpu<…>`"); !closed)
      return std::unexpected(std::move(closed.error()));
  return layout;
}

} // namespace lanescope::layouts
