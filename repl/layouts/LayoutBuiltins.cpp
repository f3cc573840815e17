// Builtins of the layout family: constructors as JAX prints them, the catalogue, and queries about a layout.
#include "repl/layouts/LayoutBuiltins.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/LayoutArgument.h"
#include "repl/lang/values/LayoutObjects.h"
#include "repl/layouts/LayoutArguments.h"

#include "layouts/Catalogue.h"
#include "layouts/notation/Find.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "layouts/tpu/TiledMemoryLayout.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using layouts::Shape;

/// The result, with an error placed at argument `index`.
template <typename T> Result<T> placed(const A &args, size_t index, Result<T> result) {
  if (!result)
    return at(args.has(index) ? args[index].span : args.call, std::move(result.error()));
  return result;
}

/// The shape in a tuple of ints; nothing for another value.
std::optional<Shape> shapeOf(const Value &value) {
  const auto *items = value.asListOrTuple();
  if (!items)
    return std::nullopt;
  Shape out;
  for (const Value &item : *items) {
    if (!item.asInt())
      return std::nullopt;
    out.push_back(*item.asInt());
  }
  return out;
}

R makeTiling(C &, const A &args) {
  std::vector<Value> tiles;
  auto all = [&](const Value &value) { // the value is a tuple of tiles
    const auto *items = value.asListOrTuple();
    if (items)
      tiles.insert(tiles.end(), items->begin(), items->end());
    return items != nullptr;
  };
  if (args.has(1)) {
    if (!args.rest().empty())
      return error("arguments", args[1].span, "`Tiling` takes its tiles as arguments or as `tiles=`, not both");
    if (!all(args[1].value))
      return args.wrongType(1, "a tuple of tiles, as ((64, 8), (8, 8))");
  } else if (args.rest().size() == 1 && args.rest()[0].value.asListOrTuple() && !shapeOf(args.rest()[0].value)) {
    all(args.rest()[0].value);
  } else {
    for (const Arg &tile : args.rest())
      tiles.push_back(tile.value);
  }
  std::vector<Shape> shapes;
  for (const Value &tile : tiles) {
    auto shape = shapeOf(tile);
    if (!shape)
      return error("type", args.call, Message("a tile must be a tuple of ints, not {}", repr(tile).substr(0, 60)));
    shapes.push_back(std::move(*shape));
  }
  auto tiling = placed(args, 1, layouts::Tiling::make(std::move(shapes)));
  return Value(std::make_shared<TilingObject>(LANESCOPE_TRY(std::move(tiling))));
}

/// The builtin for tiles of a TPU's memory. It takes one tuple of sizes, or a tuple of such tuples.
R makeTiledMemory(C &, const A &args) {
  std::vector<Shape> tiles;
  const auto *items = args[0].value.asListOrTuple();
  if (auto one = shapeOf(args[0].value); one && !one->empty())
    tiles.push_back(*std::move(one));
  else if (!items)
    return args.wrongType(0, "a tile, as (8, 128), or a tuple of tiles");
  else
    for (const Value &item : *items) {
      auto tile = shapeOf(item);
      if (!tile)
        return error("type", args[0].span, Message("a tile must be a tuple of ints, not {}", repr(item).substr(0, 60)));
      tiles.push_back(*std::move(tile));
    }
  if (args.has(1) == args.has(2))
    return error(
        "arguments", args.call,
        "`TiledMemoryLayout` takes the strides of the array's dimensions in tiles, as `strides=(2, 1)`, or the "
        "array's `shape` for tiles without gaps");
  bool packed = args.has(2);
  Shape sizes = LANESCOPE_TRY(args.shape(packed ? 2 : 1));
  auto made = packed ? layouts::TiledMemoryLayout::packed(std::move(tiles), sizes)
                     : layouts::TiledMemoryLayout::make(std::move(tiles), std::move(sizes));
  return Value(layouts::toLayout(LANESCOPE_TRY(placed(args, 0, std::move(made)))));
}

Result<layouts::Tiling> tilingOf(const A &args, size_t index) {
  if (const auto *object = args[index].value.as<TilingObject>())
    return object->tiling;
  return args.wrongType(index, "a Tiling");
}

/// The dimensions in `warp_dims` or `lane_dims`: ints and Replicated(times).
Result<std::vector<layouts::PartitionDim>> partition(const A &args, size_t index) {
  std::vector<Value> items;
  if (const auto *given = args[index].value.asListOrTuple())
    items = *given;
  else
    items = {args[index].value};
  std::vector<layouts::PartitionDim> out;
  for (const Value &item : items) {
    if (const int64_t *n = item.asInt())
      out.emplace_back(*n);
    else if (const auto *replicated = item.as<ReplicatedObject>())
      out.emplace_back(replicated->replicated);
    else
      return args.wrongType(index, "a tuple of negative ints and Replicated(…)");
  }
  return out;
}

Result<layouts::TiledLayout> tiledOf(const A &args) {
  layouts::Tiling tiling = LANESCOPE_TRY(tilingOf(args, 0));
  auto warps = LANESCOPE_TRY(partition(args, 1));
  auto lanes = LANESCOPE_TRY(partition(args, 2));
  return layouts::TiledLayout::make(std::move(tiling), std::move(warps), std::move(lanes),
                                    LANESCOPE_TRY(args.integer(3)));
}

R makeTmem(C &, const A &args) {
  if (auto reg = args[0].value.registerLayout())
    if (const auto *tiled = std::get_if<layouts::TiledLayout>(&*reg))
      return Value(layouts::TMEMLayout(*tiled));
  for (size_t i : {1, 2, 3})
    if (!args.has(i))
      return error("arguments", "`TMEMLayout` needs tiling, warp_dims, lane_dims and vector_dim, or one TiledLayout");
  return Value(layouts::TMEMLayout(LANESCOPE_TRY(tiledOf(args))));
}

R parseText(const RemarkSink &remarks, const A &args) {
  std::string written = LANESCOPE_TRY(args.text(0));
  std::string language;
  if (args.has(1) && !args[1].value.isNone())
    language = LANESCOPE_TRY(args.text(1));
  auto source = Source::make("<layout>", written);
  Diagnostics noted;
  auto layout = layouts::parseLayout(source, &noted, language);
  if (layout) {
    if (remarks && !noted.empty())
      remarks(inSnippet(std::move(noted), args[0].span, written));
    return Value(std::move(*layout));
  }
  if (layout.error().front().kind == "layout-language")
    return args.wrongValue(1, layout.error().front().message);
  Diagnostics problems = inSnippet(std::move(layout.error()), args[0].span, written);
  // A pasted part of a module is not a layout, but it may contain some.
  auto found = layouts::findLayouts(source);
  std::erase_if(found, [](const layouts::FoundLayout &one) { return !one.layout; });
  if (!found.empty())
    problems.front().notes.push_back(
        {args[0].span, text("the text holds ", counted(found.size(), "layout"), "; `find_layouts(…)` lists ",
                            found.size() == 1 ? "it" : "them")});
  return std::unexpected(std::move(problems));
}

/// The value for a placement's map.
Value mapObject(layouts::Placement placed, layouts::Dtype dtype) {
  if (auto *map = std::get_if<layouts::ElementMap>(&placed))
    return Value(std::make_shared<ElementMapObject>(std::move(*map)));
  if (auto *map = std::get_if<layouts::TmemMap>(&placed))
    return Value(std::make_shared<TmemMapObject>(std::move(*map), dtype));
  return Value(std::make_shared<AddressMapObject>(std::get<layouts::AddressMap>(std::move(placed)), dtype));
}

R elementMap(C &context, const A &args) {
  LayoutArguments given = LANESCOPE_TRY(layoutArguments(context, args, 0, 1, 2, 3));
  return mapObject(LANESCOPE_TRY(placementOf(context, args, 1, given)), given.dtype);
}

R smemMap(C &, const A &args) {
  Shape shape = LANESCOPE_TRY(args.shape(0));
  layouts::Dtype dtype = LANESCOPE_TRY(args.dtype(1));
  Shape tiling = {8, 64};
  if (args.has(2))
    tiling = args[2].value.isNone() ? Shape{} : LANESCOPE_TRY(args.shape(2));
  std::optional<int> swizzle = 128;
  if (args.has(3)) {
    swizzle.reset();
    if (!args[3].value.isNone()) {
      int64_t given = LANESCOPE_TRY(args.integer(3));
      if (given != 16 && given != 32 && given != 64 && given != 128)
        return args.wrongValue(3, Message("a swizzle is 32, 64 or 128 bytes, or None, not {}", given));
      swizzle = static_cast<int>(given);
    }
  }
  bool transpose = LANESCOPE_TRY(args.booleanOr(4, false));
  auto map = placed(
      args, 0, layouts::SmemMap::of(std::move(shape), layouts::bitwidth(dtype), std::move(tiling), swizzle, transpose));
  return Value(std::make_shared<SmemMapObject>(LANESCOPE_TRY(std::move(map)), dtype));
}

/// The columns of a table, as a dict of lists of equal lengths.
class Table {
public:
  explicit Table(std::initializer_list<const char *> names) {
    for (const char *name : names)
      columns_.emplace_back(name, std::vector<Value>());
  }
  void row(std::vector<Value> values) {
    for (size_t i = 0; i < values.size(); ++i)
      columns_[i].second.push_back(std::move(values[i]));
  }
  Value take() {
    std::vector<std::pair<std::string, Value>> out;
    for (auto &[name, values] : columns_)
      out.emplace_back(name, Value::list(std::move(values)));
    return Value::dict(std::move(out));
  }

private:
  std::vector<std::pair<std::string, std::vector<Value>>> columns_;
};

/// A table of the places of elements in a memory. A place is a word and a tile in a TPU's memory, else a bank.
class PlaceTable {
public:
  PlaceTable(const layouts::Layout &layout, bool elements)
      : tiled_(layouts::asTiledMemory(layout)), elements_(elements),
        table_(tiled_     ? elements ? std::initializer_list<const char *>{"offset", "byte", "word", "tile", "element"}
                                     : std::initializer_list<const char *>{"offset", "byte", "word", "tile"}
               : elements ? std::initializer_list<const char *>{"offset", "byte", "bank", "element"}
                          : std::initializer_list<const char *>{"offset", "byte", "bank"}) {}
  void row(int64_t offset, int bitwidth, Value element = {}) {
    constexpr int kWordBytes = 4;
    int64_t byte = offset * bitwidth / 8;
    std::vector<Value> values = {Value(offset), Value(byte)};
    if (tiled_) {
      values.emplace_back(byte / kWordBytes);
      values.emplace_back(offset / tiled_->tileElements());
    } else {
      values.emplace_back(layouts::smemBank(byte));
    }
    if (elements_)
      values.push_back(std::move(element));
    table_.row(std::move(values));
  }
  Value take() { return table_.take(); }

private:
  const layouts::TiledMemoryLayout *tiled_;
  bool elements_;
  Table table_;
};

/// The builtin owners(layout, shape, index, dtype=None, memory=None).
R owners(C &context, const A &args) {
  LayoutArguments given = LANESCOPE_TRY(layoutArguments(context, args, 0, 1, 3, 4));
  layouts::Placement placed = LANESCOPE_TRY(placementOf(context, args, 1, given));
  int64_t element = layouts::ravelIndex(LANESCOPE_TRY(indexArgument(args, 2, given.shape)), given.shape);
  if (const auto *tmem = std::get_if<layouts::TmemMap>(&placed)) {
    Table table{"lane", "column", "sub"};
    for (const layouts::TmemCell &cell : tmem->cells(element))
      table.row({Value(cell.lane), Value(cell.column), Value(cell.sub)});
    return table.take();
  }
  if (const auto *shared = std::get_if<layouts::AddressMap>(&placed)) {
    PlaceTable table(given.layout, false);
    table.row(shared->offset(element), shared->bitwidth());
    return table.take();
  }
  Table table{"thread", "warp", "lane", "register", "vector"};
  const auto &map = std::get<layouts::ElementMap>(placed);
  for (const layouts::Owner &owner : map.owners(element))
    table.row({Value(owner.thread), Value(map.warpOf(owner.thread)), Value(map.laneOf(owner.thread)), Value(owner.reg),
               Value(owner.position)});
  return table.take();
}

/// The builtin elements(layout, shape, warp, lane, register, column, dtype, memory).
R elements(C &context, const A &args) {
  LayoutArguments given = LANESCOPE_TRY(layoutArguments(context, args, 0, 1, 6, 7));
  layouts::Placement placed = LANESCOPE_TRY(placementOf(context, args, 1, given));
  std::optional<int64_t> warp, lane, reg, column;
  auto filter = [&](size_t index, std::optional<int64_t> &out, int64_t limit) -> Result<void> {
    if (!args.has(index) || args[index].value.isNone())
      return {};
    out = LANESCOPE_TRY(args.integer(index));
    if (*out < 0 || *out >= limit)
      return args.wrongValue(index, Message("{} is not between 0 and {limit}", *out, limit - 1));
    return {};
  };
  constexpr size_t kMaxRows = 1 << 20;
  if (const auto *tmem = std::get_if<layouts::TmemMap>(&placed)) {
    LANESCOPE_CHECK(filter(3, lane, tmem->lanes()));
    LANESCOPE_CHECK(filter(5, column, tmem->columns()));
    if (args.has(2) || args.has(4))
      return args.wrongValue(args.has(2) ? 2 : 4, "a tensor-memory layout has lanes and columns only");
    Table table{"lane", "column", "sub", "element"};
    for (int l = 0; l < tmem->lanes(); ++l)
      for (int c = 0; c < tmem->columns(); ++c)
        for (int s = 0; s < tmem->packing(); ++s)
          if (int32_t element = tmem->element(l, c, s);
              element >= 0 && (!lane || *lane == l) && (!column || *column == c))
            table.row({Value(l), Value(c), Value(s), coordinates(element, tmem->shape())});
    return table.take();
  }
  if (const auto *shared = std::get_if<layouts::AddressMap>(&placed)) {
    for (size_t index : {2, 3, 4, 5})
      if (args.has(index) && !args[index].value.isNone())
        return args.wrongValue(index, "a layout of shared memory has bytes, neither threads nor columns");
    if (shared->image().size() > kMaxRows)
      return error("too-large", Message("more than {limit} elements; ask `element_map` for the image", kMaxRows));
    PlaceTable table(given.layout, true);
    for (int64_t offset = 0; offset < shared->extent(); ++offset)
      if (int32_t element = shared->element(offset); element >= 0)
        table.row(offset, shared->bitwidth(), coordinates(element, shared->shape()));
    return table.take();
  }
  const auto &owned = std::get<layouts::ElementMap>(placed);
  LANESCOPE_CHECK(filter(2, warp, owned.warps()));
  LANESCOPE_CHECK(filter(3, lane, owned.threadsPerWarp()));
  LANESCOPE_CHECK(filter(4, reg, owned.registers()));
  if (args.has(5))
    return args.wrongValue(5, "a register layout has no columns; `register=` selects one register");
  Table table{"warp", "lane", "register", "vector", "element"};
  size_t rows = 0;
  for (int t = 0; t < owned.threads(); ++t) {
    int w = owned.warpOf(t), l = owned.laneOf(t);
    if ((warp && *warp != w) || (lane && *lane != l))
      continue;
    for (int r = 0; r < owned.registers(); ++r) {
      if (reg && *reg != r)
        continue;
      for (int v = 0; v < owned.vector(); ++v) {
        if (owned.element(t, r, v) < 0)
          continue;
        if (++rows > kMaxRows)
          return error("too-large", Message("more than {limit} elements; name a warp, lane or register", kMaxRows));
        table.row({Value(w), Value(l), Value(r), Value(v), coordinates(owned.element(t, r, v), owned.shape())});
      }
    }
  }
  return table.take();
}

R catalogueTable(C &, const A &) {
  Table table{"name", "kind", "what"};
  for (const layouts::CatalogueEntry &entry : layouts::catalogueEntries()) {
    Value kind = "layout";
    if (!entry.callable && entry.parameters.empty())
      if (auto layout = entry.make({}))
        kind = Value(std::move(*layout)).typeName();
    table.row({Value(entry.signature()), std::move(kind), Value(entry.doc)});
  }
  return table.take();
}

/// The builtin for a catalogue entry under one of its names. It is a constant, or a function of the entry's parameters.
Builtin catalogueBuiltin(const layouts::CatalogueEntry &entry, std::string_view name) {
  Builtin out{.name = std::string(name),
              .signature = {},
              .doc = std::string(entry.doc),
              .call = nullptr,
              .group = "layout catalogue"};
  if (!entry.callable && entry.parameters.empty()) {
    if (auto layout = entry.make({}))
      out.constant = Value(std::move(*layout));
    return out;
  }
  std::string signature = entry.signature();
  out.signature = out.name + (signature.find('(') == std::string::npos ? "()" : signature.substr(signature.find('(')));
  out.call = [&entry](C &, const A &args) -> R {
    std::vector<layouts::CatalogueArgument> given;
    for (size_t i = 0; i < entry.parameters.size(); ++i) {
      const layouts::CatalogueParameter &parameter = entry.parameters[i];
      if (!args.has(i)) {
        given.push_back(*parameter.fallback); // in the signature, a parameter is optional only if it has a default
        continue;
      }
      switch (parameter.kind) {
      case layouts::ParameterKind::Integer: given.emplace_back(LANESCOPE_TRY(args.integer(i))); break;
      case layouts::ParameterKind::Boolean: given.emplace_back(LANESCOPE_TRY(args.booleanOr(i, false))); break;
      case layouts::ParameterKind::Shape: given.emplace_back(LANESCOPE_TRY(args.shape(i))); break;
      case layouts::ParameterKind::Dtype:
        if (const int64_t *width = args[i].value.asInt())
          given.emplace_back(*width);
        else
          given.emplace_back(LANESCOPE_TRY(args.dtype(i)));
        break;
      }
    }
    return Value(LANESCOPE_TRY(entry.make(std::span<const layouts::CatalogueArgument>(given))));
  };
  return out;
}

} // namespace

Builtin layoutBuiltin(RemarkSink remarks) {
  return {
      .name = "layout",
      .signature = "layout(text, language=None)",
      .doc = "The layout that a text describes, in any notation.\n\nJAX's Python form and catalogue names, #mosaic_gpu "
             "attributes and transforms, CuTe as C++, the DSL or a type prints it, Triton attributes and types, linear "
             "layouts, Tilus expressions, TIRx `S[…] + R[…]`, TPU tiles `#tpu.tiled<…>`, TileLang fragments, "
             "`fragment(…)`. The notation is found "
             "from "
             "the text; `language` forces one.\n\nlayout(\"local(2, 1).spatial(8, 4).local(1, 2)\")",
      .call = [remarks = std::move(remarks)](C &, const A &args) { return parseText(remarks, args); },
      .group = "layouts"};
}

Builtins layoutBuiltins() {
  Builtins out = {
      {"Tiling", "Tiling(*tile, tiles=None)",
       "A list of tiles, each applied to the result of the one before.\n\nTiling((64, 8), (8, 8)) and "
       "Tiling(tiles=((64, 8), (8, 8))) are the same.",
       makeTiling},
      {"Replicated", "Replicated(times)", "In warp_dims or lane_dims: this part of the threads holds `times` copies.",
       [](C &, const A &args) -> R {
         int64_t times = LANESCOPE_TRY(args.integer(0));
         if (times < 1)
           return args.wrongValue(0, Message("{} is not a number of copies", times));
         return Value(std::make_shared<ReplicatedObject>(layouts::Replicated{times}));
       }},
      {"TiledLayout", "TiledLayout(tiling, warp_dims, lane_dims, vector_dim)",
       "A register layout: the tiled dimensions that are spread over the four warps and the 32 lanes, and the one that "
       "is a register's vector.\n\nDimensions are negative, counted from the end of the tiled shape.",
       [](C &, const A &args) -> R { return Value(LANESCOPE_TRY(tiledOf(args))); }},
      {"WGStridedFragLayout", "WGStridedFragLayout(shape, vec_size)",
       "Row-major chunks of vec_size elements dealt to the 128 threads in turn.",
       [](C &, const A &args) -> R {
         Shape shape = LANESCOPE_TRY(args.shape(0));
         return Value(layouts::RegisterLayout(
             LANESCOPE_TRY(layouts::WGStridedFragLayout::make(std::move(shape), LANESCOPE_TRY(args.integer(1))))));
       }},
      {"WGSplatFragLayout", "WGSplatFragLayout(shape=())", "Every thread holds the one value of a constant array.",
       [](C &, const A &args) -> R {
         Shape shape = args.has(0) ? LANESCOPE_TRY(args.shape(0)) : Shape{};
         return Value(layouts::RegisterLayout(layouts::WGSplatFragLayout{std::move(shape)}));
       }},
      {"TMEMLayout", "TMEMLayout(tiling, warp_dims=None, lane_dims=None, vector_dim=None)",
       "The place of an array in tensor memory: a TiledLayout whose warps are the 32-lane quarters, whose lanes are "
       "the lanes in them, and whose registers number the columns.",
       makeTmem},
      {"TiledMemoryLayout", "TiledMemoryLayout(tiles, strides=None, shape=None)",
       "How a TPU's memory stores an array: tile by tile, tiles cut into smaller tiles, padded to whole "
       "ones.\n\n`tiles` "
       "is a tile or a tuple of them, first to last: (8, 128), ((8, 128), (2, 1)). `strides` has a number for each "
       "dimension of the array, in first tiles; with `shape` instead they are those of a new array of that shape. It "
       "prints as the attribute `#tpu.tiled<(8,128)(2,1),[2,1]>`, which `layout` reads.",
       makeTiledMemory},
      layoutBuiltin(nullptr),
      {"element_map", "element_map(layout, shape=None, dtype=None, memory=None)",
       "The element that each thread's register position holds, each lane's column of tensor memory, or each offset of "
       "shared memory.\n\nThe shape and type are taken from the layout where it says them. `memory` (\"registers\", "
       "\"shared\", \"tmem\") decides where a layout can be read as several. Attributes: layout, shape, threads, "
       "threads_per_warp, registers, vector, replication, map (an array); of tensor memory lanes, columns, packing; of "
       "shared memory offsets, image.",
       elementMap},
      {"smem_map", "smem_map(shape, dtype, tiling=(8, 64), swizzle=128, transpose=False)",
       "The place of each element of a row-major array in shared memory that is cut into tiles and "
       "swizzled.\n\nAttributes: bytes (of an element), buffer_bytes, shape, dtype, tiling, swizzle, transpose, image "
       "(the "
       "element at each offset).\n\nThe defaults are those of operands of 16 bits, (TilingTransform((8, 64)), "
       "SwizzleTransform(128)). A kernel's SMEM(shape, dtype) without transforms lies in rows: tiling=None, "
       "swizzle=None; "
       "smem_map(SMEM(…)) takes it from there.",
       smemMap},
      {"owners", "owners(layout, shape, index, dtype=None, memory=None)",
       "The owners of an element, as a table: threads and registers, lanes and columns of tensor memory, or bytes of "
       "shared memory; for a TPU's tiled memory with words and tiles.",
       owners},
      {"elements", "elements(layout, shape, warp=None, lane=None, register=None, column=None, dtype=None, memory=None)",
       "The elements that a warp, lane or register (or a lane and column of tensor memory) holds, as a table.",
       elements},
      {"catalogue", "catalogue()", "The named layouts, as a table: name, kind, what for.", catalogueTable},
  };
  for (Builtin &builtin : out)
    builtin.group = "layouts";
  for (const layouts::CatalogueEntry &entry : layouts::catalogueEntries()) {
    out.push_back(catalogueBuiltin(entry, entry.name));
    for (std::string_view alias : entry.aliases)
      out.push_back(catalogueBuiltin(entry, alias));
  }
  return out;
}

} // namespace lanescope::repl
