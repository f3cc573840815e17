#include "layouts/notation/mosaic/MosaicShared.h"

#include "layouts/AddressMap.h"
#include "layouts/notation/mosaic/JaxPython.h"
#include "layouts/notation/text/PythonCall.h"
#include "layouts/support/Text.h"

#include <memory>

namespace lanescope::layouts {

namespace {

struct Transforms {
  Shape tiling;
  std::optional<int> swizzle;
  bool transpose = false;
};

Result<std::optional<int>> checkedSwizzle(const Scanner &in, uint32_t begin, int64_t bytes) {
  if (bytes == 16)
    return std::nullopt;
  if (bytes != 32 && bytes != 64 && bytes != 128)
    return in.fail(begin, Message("a swizzle is of 16 (none), 32, 64 or 128 bytes, not {bytes}", bytes));
  return static_cast<int>(bytes);
}

Result<std::optional<int>> swizzleNumber(Scanner &in) {
  in.peek();
  uint32_t begin = in.offset();
  if (in.identifier() == "None")
    return std::nullopt;
  in.rewind(begin);
  Result<int64_t> bytes = in.integer("a number of bytes");
  if (!bytes)
    return std::unexpected(std::move(bytes.error()));
  return checkedSwizzle(in, begin, *bytes);
}

/// Reads `(8, 64)`, `None`, or a `Tiling((8, 64))` with one tile.
Result<Shape> tile(Scanner &in) {
  in.peek();
  uint32_t begin = in.offset();
  if (in.identifier() == "None")
    return Shape{};
  in.rewind(begin);
  if (in.peek() == '(' || in.peek() == '[')
    return readIntegers(in, "a tile");
  Result<Tiling> tiling = parseJaxTiling(in);
  if (!tiling)
    return std::unexpected(std::move(tiling.error()));
  if (tiling->tiles().size() > 1)
    return in.fail(begin, "shared memory takes one tile");
  return tiling->tiles().empty() ? Shape{} : tiling->tiles().front();
}

void remark(Diagnostics *remarks, const Scanner &in, uint32_t begin, std::string message) {
  if (remarks)
    remarks->push_back({Severity::Note, "layout-canonicalized", in.spanFrom(begin), std::move(message), {}});
}

/// Reads one `#mosaic_gpu.…` transform, or one of Python's classes.
Result<void> transform(Scanner &in, Transforms &out, Diagnostics *remarks) {
  in.peek();
  uint32_t begin = in.offset();
  bool attribute = in.eat("#mosaic_gpu.");
  std::string_view name = in.identifier();
  while (!attribute && in.eat('.'))
    name = in.identifier();
  if (!attribute) {
    static const std::vector<std::string_view> tilingNames = {"tiling", "rounding"}, swizzleNames = {"swizzle"};
    std::vector<bool> given;
    if (name == "TilingTransform" || name == "TileTransform")
      return readArguments(in, name, tilingNames, given, [&](size_t index) -> Result<void> {
        if (index == 0)
          return store(tile(in), out.tiling);
        in.peek();
        uint32_t at = in.offset();
        return in.identifier() == "None" ? Result<void>() : in.fail(at, "tiles that are rounded have no layout here");
      });
    if (name == "SwizzleTransform")
      return readArguments(in, name, swizzleNames, given,
                           [&](size_t) { return store(swizzleNumber(in), out.swizzle); });
    in.rewind(begin);
    return in.expected("`TilingTransform` or `SwizzleTransform`");
  }
  if (Result<void> opened = in.expect('<', text("`#mosaic_gpu.", name, '`')); !opened)
    return opened;
  in.peek();
  uint32_t body = in.offset();
  if (name == "tile") {
    if (Result<void> read = store(readIntegers(in, "the tile"), out.tiling); !read)
      return read;
  } else if (name == "swizzle") {
    if (in.eat("swizzle_"))
      remark(remarks, in, begin, "an older spelling of `#mosaic_gpu.swizzle<… : i32>`");
    if (Result<void> read = store(swizzleNumber(in), out.swizzle); !read)
      return read;
    if (in.eat(':') && in.identifier().empty())
      return in.expected("an integer type");
  } else if (name == "transpose") {
    Result<Shape> order = readIntegers(in, "a permutation");
    if (!order)
      return std::unexpected(std::move(order.error()));
    if (out.tiling.size() != 2 || *order != Shape{1, 0, 2, 3})
      return in.fail(body,
                     "only `transpose<[1, 0, 2, 3]>`, after a tile of two dimensions, has a meaning here: tiles in "
                     "column-major order");
    out.transpose = true;
    remark(remarks, in, begin,
           "`#mosaic_gpu.transpose` is of older versions; it was read as tiles in column-major order");
  } else {
    return in.fail(begin,
                   Message("`#mosaic_gpu.{}` is not a transform of shared memory; `tile` and `swizzle` are", name));
  }
  return in.expect('>', text("`#mosaic_gpu.", name, '`'));
}

Layout layoutOf(Transforms transforms, std::optional<Shape> shape = std::nullopt,
                std::optional<Dtype> dtype = std::nullopt) {
  return Foreign(std::make_shared<MosaicShared>(std::move(transforms.tiling), transforms.swizzle, transforms.transpose,
                                                std::move(shape), dtype));
}

Result<Layout> smemMapCall(Scanner &in, uint32_t begin) {
  static const std::vector<std::string_view> names = {"shape", "dtype", "tiling", "swizzle", "transpose"};
  Transforms transforms{{8, 64}, 128, false};
  Shape shape;
  Dtype dtype = Dtype::F32;
  std::vector<bool> given;
  Result<void> read = readArguments(in, "smem_map", names, given, [&](size_t index) -> Result<void> {
    in.peek();
    uint32_t at = in.offset();
    switch (index) {
    case 0: return store(readIntegers(in, "a shape"), shape);
    case 2: return store(tile(in), transforms.tiling);
    case 3: return store(swizzleNumber(in), transforms.swizzle);
    default: break;
    }
    std::string_view word = in.identifier();
    if (index == 1) {
      std::optional<Dtype> named = dtypeNamed(word);
      if (!named)
        return in.fail(at, Message("`{}` is not a dtype such as `f16`", word));
      dtype = *named;
      return {};
    }
    if (word != "True" && word != "False") {
      in.rewind(at);
      return in.expected("`True` or `False`");
    }
    transforms.transpose = word == "True";
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (Result<void> all = checkGiven(in, begin, "smem_map", names, given, 2); !all)
    return std::unexpected(std::move(all.error()));
  Result<SmemMap> map = located(
      in, begin, SmemMap::of(shape, bitwidth(dtype), transforms.tiling, transforms.swizzle, transforms.transpose));
  if (!map)
    return std::unexpected(std::move(map.error()));
  return layoutOf(std::move(transforms), std::move(shape), dtype);
}

} // namespace

MosaicShared MosaicShared::of(const SmemMap &map) {
  return {map.tiling(), map.swizzle(), map.transpose(), map.shape(), dtypeOfWidth(map.bitwidth())};
}

std::optional<int> MosaicShared::bitwidth() const {
  return dtype_ ? std::optional(layouts::bitwidth(*dtype_)) : std::nullopt;
}

std::string MosaicShared::text() const {
  if (shape_ && dtype_)
    return lanescope::text("smem_map(", tupleText(*shape_), ", ", name(*dtype_),
                           ", tiling=", tiling_.empty() ? "None" : tupleText(tiling_),
                           ", swizzle=", swizzle_ ? lanescope::text(*swizzle_) : "None",
                           transpose_ ? ", transpose=True" : "", ')');
  return transformsText();
}

std::string MosaicShared::transformsText() const {
  if (transpose_)
    return shape_ && dtype_ ? text() : mlirText();
  std::string tiling = tiling_.empty() ? "" : lanescope::text("TilingTransform(tiling=", tupleText(tiling_), ')');
  std::string swizzle = swizzle_ ? lanescope::text("SwizzleTransform(swizzle=", *swizzle_, ')') : "";
  if (tiling.empty() || swizzle.empty())
    return tiling.empty() && swizzle.empty() ? "()" : lanescope::text('(', tiling, swizzle, ",)");
  return lanescope::text('(', tiling, ", ", swizzle, ')');
}

std::string MosaicShared::mlirText() const {
  std::string out;
  auto add = [&](std::string transform) { out += (out.empty() ? "" : ", ") + transform; };
  if (!tiling_.empty())
    add(lanescope::text("#mosaic_gpu.tile<[", joined(tiling_, ", "), "]>"));
  if (transpose_)
    add("#mosaic_gpu.transpose<[1, 0, 2, 3]>");
  if (swizzle_)
    add(lanescope::text("#mosaic_gpu.swizzle<", *swizzle_, " : i32>"));
  return '[' + out + ']';
}

Result<SmemMap> MosaicShared::smemMap(const Shape &shape, int bitwidth) const {
  if (shape_ && shape != *shape_)
    return error("layout-shape",
                 Message("`{}` is for shape {shape}, not {other_shape}", text(), tupleText(*shape_), tupleText(shape)));
  return SmemMap::of(shape, this->bitwidth().value_or(bitwidth), tiling_, swizzle_, transpose_);
}

Result<AddressMap> MosaicShared::addressMap(const Shape &shape, int bitwidth) const {
  Result<SmemMap> map = smemMap(shape, bitwidth);
  if (!map)
    return std::unexpected(std::move(map.error()));
  return AddressMap::of(*map);
}

Result<std::vector<ExplainStep>> MosaicShared::explain(const Shape &shape, const Shape &index) const {
  int bits = bitwidth().value_or(0);
  Result<SmemMap> map = SmemMap::of(shape, bits ? bits : 32, tiling_, std::nullopt, transpose_);
  if (!map)
    return std::unexpected(std::move(map.error()));
  std::vector<ExplainStep> steps;
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    const SmemDim &dim = map->dims()[d];
    int64_t part = index[d] / dim.tile * dim.tileStride + index[d] % dim.tile * dim.elementStride;
    steps.push_back({lanescope::text("dimension ", d),
                     lanescope::text('(', index[d], " / ", dim.tile, ") * ", dim.tileStride, " + (", index[d], " % ",
                                     dim.tile, ") * ", dim.elementStride),
                     lanescope::text(part)});
    offset += part;
  }
  steps.push_back({"element offset", "the sum", lanescope::text(offset)});
  if (!bits)
    return steps;
  int64_t byte = offset * bits / 8;
  steps.push_back({"byte", lanescope::text(offset, " * ", bits, " / 8"), lanescope::text(byte)});
  if (swizzle_) {
    int64_t line = byte / kSwizzleLineBytes % (*swizzle_ / kSwizzleChunkBytes);
    steps.push_back({"swizzled byte",
                     lanescope::text("16-byte chunk XOR ", line, " (line ", byte / kSwizzleLineBytes, " modulo ",
                                     *swizzle_ / kSwizzleChunkBytes, ')'),
                     lanescope::text(swizzledByte(static_cast<uint64_t>(byte), *swizzle_))});
  }
  return steps;
}

bool looksLikeMosaicShared(std::string_view text) {
  Scanner in(Source::make("", std::string(text.substr(0, 256))));
  if (in.eat('(') && in.eat(')'))
    return in.atEnd();
  in.rewind(0);
  while (in.eat('[') || in.eat('('))
    ;
  if (in.eat("#mosaic_gpu.tile") || in.eat("#mosaic_gpu.swizzle") || in.eat("#mosaic_gpu.transpose"))
    return true;
  std::string_view name = in.identifier();
  while (!name.empty() && in.eat('.'))
    name = in.identifier();
  if (name == "C" && in.eat('(')) {
    // C(<tiling>, <swizzle>) is read here; C(TiledLayout(…)) is a register layout.
    std::string_view inner = in.identifier();
    while (!inner.empty() && in.eat('.'))
      inner = in.identifier();
    return inner.empty() || inner == "Tiling" || inner == "None";
  }
  return name == "TilingTransform" || name == "TileTransform" || name == "SwizzleTransform" ||
         name == "SMEMTransforms" || name == "smem_map";
}

Result<Layout> parseMosaicShared(Scanner &in, Diagnostics *remarks) {
  in.peek();
  uint32_t begin = in.offset();
  std::string_view name = in.identifier();
  if (name == "smem_map")
    return smemMapCall(in, begin);
  Transforms out;
  if (name == "SMEMTransforms") { // from the constraints that layout inference prints
    static const std::vector<std::string_view> names = {"tiling", "swizzle"};
    std::vector<bool> given;
    Result<void> read = readArguments(in, name, names, given, [&](size_t index) -> Result<void> {
      if (index == 1)
        return store(swizzleNumber(in), out.swizzle);
      in.peek();
      uint32_t at = in.offset();
      if (in.identifier() == "None")
        return {};
      in.rewind(at);
      return transform(in, out, remarks);
    });
    if (!read)
      return std::unexpected(std::move(read.error()));
    return layoutOf(std::move(out));
  }
  if (name == "C" && in.eat('(')) {
    Result<void> read = store(tile(in), out.tiling);
    if (read)
      read = in.expect(',', "`C(tiling, swizzle)`");
    if (read)
      read = store(swizzleNumber(in), out.swizzle);
    if (read)
      read = in.expect(')', "`C(tiling, swizzle)`");
    if (!read)
      return std::unexpected(std::move(read.error()));
    return layoutOf(std::move(out));
  }
  in.rewind(begin);
  int brackets = 0;
  std::string closers;
  while (brackets < 2 && (in.peek() == '[' || in.peek() == '(')) {
    closers += in.peek() == '[' ? ']' : ')';
    in.eat(in.peek());
    ++brackets;
  }
  if (closers != ")" || in.peek() != ')') // `()`: no transform at all
    do {
      if (Result<void> read = transform(in, out, remarks); !read)
        return std::unexpected(std::move(read.error()));
    } while (in.eat(',') && (closers.empty() || in.peek() != closers.back()));
  while (!closers.empty()) {
    if (Result<void> closed = in.expect(closers.back(), "the transforms"); !closed)
      return std::unexpected(std::move(closed.error()));
    closers.pop_back();
  }
  return layoutOf(std::move(out));
}

} // namespace lanescope::layouts
