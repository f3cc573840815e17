#include "layouts/notation/mosaic/JaxPython.h"

#include "layouts/Catalogue.h"
#include "layouts/notation/mosaic/Canonical.h"
#include "layouts/notation/text/PythonCall.h"
#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

struct NamedConstant {
  std::string_view name;
  int64_t value;
};
// Constants by the names that JAX's sources use inside layouts.
constexpr NamedConstant kConstants[] = {{"WARP_SIZE", kLanesPerWarp},
                                        {"WARPS_IN_WARPGROUP", kWarpsPerWarpgroup},
                                        {"WARPGROUP_SIZE", kThreadsPerWarpgroup},
                                        {"TMEM_ROWS", kTmemLanes}};

bool opensList(char c) { return c == '(' || c == '['; }
char closing(char open) { return open == '(' ? ')' : ']'; }

/// Reads the last part of a dotted name: `Tiling` in `fa.Tiling`.
std::string_view lastName(Scanner &in) {
  std::string_view name = in.identifier();
  while (!name.empty() && in.peek() == '.') {
    in.eat('.');
    name = in.identifier();
  }
  return name;
}

Result<int64_t> integer(Scanner &in) {
  char c = in.peek();
  if (c == '-' || c == '+' || (c >= '0' && c <= '9'))
    return in.integer("an integer");
  uint32_t begin = in.offset();
  std::string_view name = lastName(in);
  for (const NamedConstant &constant : kConstants)
    if (constant.name == name)
      return constant.value;
  in.rewind(begin);
  return in.expected("an integer");
}

/// Reads `(64, 8)`, `[64, 8]`, `(2,)`, also `(2)`.
Result<Shape> shape(Scanner &in) {
  char open = in.peek();
  if (!opensList(open))
    return in.expected("a tuple of integers");
  Shape sizes;
  Result<void> read = readList(in, open, closing(open), "a tuple of integers", [&]() -> Result<void> {
    Result<int64_t> value = integer(in);
    if (!value)
      return std::unexpected(std::move(value.error()));
    sizes.push_back(*value);
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  return sizes;
}

Result<void> appendShape(Scanner &in, std::vector<Shape> &tiles) {
  if (tiles.size() >= Scanner::kMaxListEntries)
    return in.expected("fewer tiles");
  Result<Shape> tile = shape(in);
  if (!tile)
    return std::unexpected(std::move(tile.error()));
  tiles.push_back(*std::move(tile));
  return {};
}

/// Reads `((64, 8), (16, 8))`, `(64, 8), (16, 8)` or `(64, 8)(16, 8)`, up to a text that cannot be a tile.
Result<std::vector<Shape>> tiles(Scanner &in) {
  std::vector<Shape> out;
  uint32_t begin = in.offset();
  char open = in.peek();
  if (opensList(open)) {
    in.eat(open);
    bool nested = opensList(in.peek());
    bool empty = in.peek() == closing(open);
    in.rewind(begin);
    if (nested || empty) {
      Result<void> read = readList(in, open, closing(open), "a tuple of tiles", [&] { return appendShape(in, out); });
      if (!read)
        return std::unexpected(std::move(read.error()));
      return out;
    }
  }
  while (opensList(in.peek())) {
    if (Result<void> read = appendShape(in, out); !read)
      return std::unexpected(std::move(read.error()));
    uint32_t comma = in.offset();
    if (in.eat(',') && !opensList(in.peek()) && in.peek() != ')')
      in.rewind(comma);
  }
  return out;
}

Result<PartitionDim> jaxPartitionEntry(Scanner &in) {
  uint32_t begin = in.offset();
  if (lastName(in) != "Replicated") {
    in.rewind(begin);
    Result<int64_t> dim = integer(in);
    if (!dim)
      return std::unexpected(std::move(dim.error()));
    return PartitionDim(*dim);
  }
  if (Result<void> opened = in.expect('(', "`Replicated`"); !opened)
    return std::unexpected(std::move(opened.error()));
  uint32_t keyword = in.offset();
  if (in.identifier() == "times" && in.eat('='))
    keyword = in.offset();
  in.rewind(keyword);
  Result<int64_t> times = integer(in);
  if (!times)
    return std::unexpected(std::move(times.error()));
  in.eat(',');
  if (Result<void> closed = in.expect(')', "`Replicated`"); !closed)
    return std::unexpected(std::move(closed.error()));
  return PartitionDim(Replicated{*times});
}

Result<std::vector<PartitionDim>> partition(Scanner &in) {
  char open = in.peek();
  if (!opensList(open))
    return in.expected("a tuple of dimensions");
  std::vector<PartitionDim> entries;
  Result<void> read = readList(in, open, closing(open), "a tuple of dimensions", [&]() -> Result<void> {
    Result<PartitionDim> entry = jaxPartitionEntry(in);
    if (!entry)
      return std::unexpected(std::move(entry.error()));
    entries.push_back(*entry);
    return {};
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  return entries;
}

Result<Layout> tiledCall(Scanner &in, uint32_t begin, std::string_view callee, Diagnostics *remarks) {
  static const std::vector<std::string_view> names = {"tiling", "warp_dims", "lane_dims", "vector_dim"};
  Tiling tiling;
  std::vector<PartitionDim> warpDims, laneDims;
  int64_t vectorDim = -1;
  std::vector<bool> given;
  Result<void> read = readArguments(in, callee, names, given, [&](size_t index) -> Result<void> {
    switch (index) {
    case 0: return store(parseJaxTiling(in), tiling);
    case 1: return store(partition(in), warpDims);
    case 2: return store(partition(in), laneDims);
    default: return store(integer(in), vectorDim);
    }
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (Result<void> all = checkGiven(in, begin, callee, names, given, names.size()); !all)
    return std::unexpected(std::move(all.error()));
  Result<TiledLayout> layout =
      readTiled(in, begin, std::move(tiling), std::move(warpDims), std::move(laneDims), vectorDim, remarks);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  if (callee == "TMEMLayout")
    return Layout(TMEMLayout(*std::move(layout)));
  return Layout(RegisterLayout(*std::move(layout)));
}

Result<Layout> stridedCall(Scanner &in, uint32_t begin, std::string_view callee) {
  static const std::vector<std::string_view> names = {"shape", "vec_size"};
  Shape sizes;
  int64_t vecSize = 1;
  std::vector<bool> given;
  Result<void> read = readArguments(in, callee, names, given, [&](size_t index) -> Result<void> {
    return index == 0 ? store(shape(in), sizes) : store(integer(in), vecSize);
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (Result<void> all = checkGiven(in, begin, callee, names, given, names.size()); !all)
    return std::unexpected(std::move(all.error()));
  Result<WGStridedFragLayout> layout = located(in, begin, WGStridedFragLayout::make(std::move(sizes), vecSize));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return Layout(RegisterLayout(*std::move(layout)));
}

Result<Layout> splatCall(Scanner &in, uint32_t begin, std::string_view callee) {
  static const std::vector<std::string_view> names = {"shape"};
  Shape sizes;
  std::vector<bool> given;
  Result<void> read = readArguments(in, callee, names, given, [&](size_t) { return store(shape(in), sizes); });
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (Result<void> all = checkGiven(in, begin, callee, names, given, names.size()); !all)
    return std::unexpected(std::move(all.error()));
  if (Result<int64_t> count = located(in, begin, checkedElementCount(sizes)); !count)
    return std::unexpected(std::move(count.error()));
  return Layout(RegisterLayout(WGSplatFragLayout{std::move(sizes)}));
}

/// A type by its name in jax.numpy: `bfloat16` in `jnp.bfloat16`.
std::optional<Dtype> numpyDtype(std::string_view name) {
  struct Named {
    std::string_view numpy, ours;
  };
  static constexpr Named kNames[] = {
      {"float16", "f16"},
      {"bfloat16", "bf16"},
      {"float32", "f32"},
      {"float64", "f64"},
      {"float8_e4m3fn", "f8e4m3fn"},
      {"float8_e5m2", "f8e5m2"},
      {"float8_e8m0fnu", "f8e8m0fnu"},
      {"float4_e2m1fn", "f4e2m1fn"},
      {"bool_", "i1"},
      {"int4", "i4"},
      {"int8", "i8"},
      {"int16", "i16"},
      {"int32", "i32"},
      {"int64", "i64"},
      {"uint4", "u4"},
      {"uint8", "u8"},
      {"uint16", "u16"},
      {"uint32", "u32"},
      {"uint64", "u64"},
  };
  for (const Named &named : kNames)
    if (named.numpy == name)
      return dtypeNamed(named.ours);
  return std::nullopt;
}

Result<CatalogueArgument> catalogueArgument(Scanner &in) {
  if (opensList(in.peek())) {
    Result<Shape> sizes = shape(in);
    if (!sizes)
      return std::unexpected(std::move(sizes.error()));
    return CatalogueArgument(*std::move(sizes));
  }
  uint32_t begin = in.offset();
  std::string_view name = lastName(in);
  if (name == "True" || name == "False")
    return CatalogueArgument(name == "True");
  std::optional<Dtype> dtype = dtypeNamed(name);
  if (!dtype)
    dtype = numpyDtype(name);
  if (dtype)
    return CatalogueArgument(*dtype);
  in.rewind(begin);
  Result<int64_t> value = integer(in);
  if (!value)
    return std::unexpected(std::move(value.error()));
  return CatalogueArgument(*value);
}

Result<Layout> catalogueCall(Scanner &in, uint32_t begin, const CatalogueEntry &entry) {
  std::vector<CatalogueArgument> values;
  // `SCALES_LAYOUT()` and Pallas' constant `SCALES_LAYOUT` are the same.
  if (in.peek() == '(' || (entry.callable && !entry.parameters.empty())) {
    std::vector<std::string_view> names;
    for (const CatalogueParameter &parameter : entry.parameters) {
      names.push_back(parameter.name);
      values.push_back(parameter.fallback.value_or(CatalogueArgument(int64_t(0))));
    }
    std::vector<bool> given;
    Result<void> read = readArguments(in, entry.name, names, given,
                                      [&](size_t index) { return store(catalogueArgument(in), values[index]); });
    if (!read)
      return std::unexpected(std::move(read.error()));
    for (size_t i = 0; i < given.size(); ++i)
      if (!given[i] && !entry.parameters[i].fallback)
        return in.fail(begin, Message("`{}` needs the argument `{argument}`", entry.signature(), names[i]));
  }
  return located(in, begin, entry.make(values));
}

std::string suggestion(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CatalogueEntry &entry : catalogueEntries())
    names.push_back(entry.name);
  std::string_view near = nearest(name, names);
  return near.empty() ? "; `catalogue()` lists the names" : didYouMean(near);
}

Result<Layout> primary(Scanner &in, uint32_t begin, std::string_view name, Diagnostics *remarks) {
  if (name == "TiledLayout" || name == "TMEMLayout" || name == "TILED") // plgpu.Layout.TILED
    return tiledCall(in, begin, name, remarks);
  if (name == "WGStridedFragLayout")
    return stridedCall(in, begin, name);
  if (name == "WGSplatFragLayout")
    return splatCall(in, begin, name);
  if (const CatalogueEntry *entry = findLayout(name))
    return catalogueCall(in, begin, *entry);
  return in.fail(begin, Message("there is no layout `{layout}`{}", name, suggestion(name)));
}

/// Reads `.reduce(axis)` or `.reduce((0, 1))`, from the parenthesis on.
Result<Layout> reduceCall(Scanner &in, uint32_t begin, const Layout &layout) {
  std::vector<int64_t> axes;
  std::vector<bool> given;
  static const std::vector<std::string_view> names = {"axes"};
  Result<void> read = readArguments(in, "reduce", names, given, [&](size_t) -> Result<void> {
    if (opensList(in.peek()))
      return store(shape(in), axes);
    axes.resize(1);
    return store(integer(in), axes[0]);
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  if (Result<void> all = checkGiven(in, begin, "reduce", names, given, names.size()); !all)
    return std::unexpected(std::move(all.error()));
  const auto *registers = std::get_if<RegisterLayout>(&layout);
  const auto *tiled = registers ? std::get_if<TiledLayout>(registers) : nullptr;
  if (!tiled)
    return in.fail(begin, "only tiled register layouts can be reduced");
  Result<TiledLayout> reduced = located(in, begin, tiled->reduce(std::move(axes)));
  if (!reduced)
    return std::unexpected(std::move(reduced.error()));
  return Layout(RegisterLayout(*std::move(reduced)));
}

} // namespace

Result<Tiling> parseJaxTiling(Scanner &in) {
  in.peek();
  uint32_t begin = in.offset();
  bool called = lastName(in) == "Tiling";
  if (called) {
    if (Result<void> opened = in.expect('(', "`Tiling`"); !opened)
      return std::unexpected(std::move(opened.error()));
    uint32_t keyword = in.offset();
    if (in.identifier() == "tiles" && in.eat('='))
      keyword = in.offset();
    in.rewind(keyword);
  } else {
    in.rewind(begin);
    if (!opensList(in.peek()))
      return in.expected("a `Tiling`");
  }
  Result<std::vector<Shape>> list = tiles(in);
  if (!list)
    return std::unexpected(std::move(list.error()));
  if (called) {
    in.eat(',');
    if (Result<void> closed = in.expect(')', "`Tiling`"); !closed)
      return std::unexpected(std::move(closed.error()));
  }
  return located(in, begin, Tiling::make(*std::move(list)));
}

bool looksLikeJaxPython(std::string_view text) {
  Scanner in(Source::make("", std::string(text.substr(0, 256))));
  std::string_view name = in.identifier();
  while (!name.empty() && !findLayout(name) && in.eat('.'))
    name = in.identifier();
  return name == "TiledLayout" || name == "TMEMLayout" || name == "WGStridedFragLayout" ||
         name == "WGSplatFragLayout" || name == "TILED" || findLayout(name) || (name == "C" && in.peek() == '(');
}

Result<Layout> parseJaxPython(Scanner &in, Diagnostics *remarks) {
  in.peek();
  uint32_t begin = in.offset();
  std::string_view name = in.identifier();
  if (name.empty())
    return in.expected("the name of a layout");
  // Skips module prefixes until a name is known or nothing follows.
  while (in.peek() == '.' && !findLayout(name)) {
    in.eat('.');
    name = in.identifier();
    if (name.empty())
      return in.expected("a name");
  }
  if (name == "C" && in.peek() == '(') {
    // Errors of layout inference wrap the layouts that they name in `C(…)`.
    in.eat('(');
    Result<Layout> inner = in.eat("C(") ? in.expected("a layout") : parseJaxPython(in, remarks);
    if (!inner)
      return inner;
    if (Result<void> closed = in.expect(')', "`C(…)`"); !closed)
      return std::unexpected(std::move(closed.error()));
    if (remarks)
      remarks->push_back({Severity::Note,
                          "layout-canonicalized",
                          in.spanFrom(begin),
                          text("read without the `C(…)` that errors of layout inference write"),
                          {}});
    return inner;
  }
  Result<Layout> layout = primary(in, begin, name, remarks);
  while (layout && in.eat('.')) {
    if (in.identifier() != "reduce")
      return in.fail(begin, "layouts in this notation have the method `reduce(axes)` only");
    layout = reduceCall(in, begin, *layout);
  }
  return layout;
}

} // namespace lanescope::layouts
