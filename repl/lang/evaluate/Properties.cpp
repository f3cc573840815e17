// Properties of arrays and layouts, and the methods of layouts.
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayViews.h"
#include "repl/lang/values/DtypeNames.h"
#include "repl/lang/values/LayoutObjects.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

Value partitionValue(const std::vector<layouts::PartitionDim> &dims) {
  std::vector<Value> out;
  for (const layouts::PartitionDim &dim : dims) {
    if (const int64_t *n = std::get_if<int64_t>(&dim))
      out.emplace_back(*n);
    else
      out.emplace_back(std::make_shared<ReplicatedObject>(std::get<layouts::Replicated>(dim)));
  }
  return Value::tuple(std::move(out));
}

/// The TiledLayout of a layout of registers or tensor memory; null for other layouts.
const layouts::TiledLayout *tiledOf(const Value &value) {
  const Layout *layout = value.asLayout();
  if (!layout)
    return nullptr;
  if (const auto *tmem = std::get_if<layouts::TMEMLayout>(layout))
    return &tmem->tiled();
  const auto *registers = std::get_if<layouts::RegisterLayout>(layout);
  return registers ? std::get_if<layouts::TiledLayout>(registers) : nullptr;
}

Value name(const Layout &layout) {
  auto found = layouts::catalogueName(layout);
  return found ? Value(*found) : Value();
}

std::optional<Value> foreignProperty(const layouts::Foreign &layout, const std::string &property) {
  if (property == "language")
    return Value(layout->language());
  if (property == "text")
    return Value(layout->text());
  if (property == "memory")
    return Value(layouts::name(layouts::memoryOf(Layout(layout))));
  if (property == "shape")
    return layout->shape() ? Value::shape(*layout->shape()) : Value();
  return std::nullopt;
}

} // namespace

std::vector<std::string> propertyNames(const Value &value) {
  if (value.asArray())
    return {"T", "dtype", "itemsize", "nbytes", "ndim", "shape", "size"};
  if (value.asDtype())
    return {"bits", "itemsize", "kind", "name"};
  if (value.asLayout()) {
    if (tiledOf(value)) {
      std::vector<std::string> out = {"base_tile_shape", "lane_dims",  "name",          "tiled_tiling_shape",
                                      "tiling",          "vector_dim", "vector_length", "warp_dims"};
      out.push_back(value.tmemLayout() ? "packing" : "replication");
      return out;
    }
    if (std::holds_alternative<layouts::Foreign>(*value.asLayout()))
      return {"language", "memory", "name", "shape", "text"};
    return value.typeName() == "WGStridedFragLayout" ? std::vector<std::string>{"shape", "vec_size", "name"}
                                                     : std::vector<std::string>{"shape", "name"};
  }
  return {};
}

Result<std::optional<Value>> propertyOf(const Value &value, const std::string &property) {
  if (const Array *array = value.asArray()) {
    if (property == "shape")
      return Value::shape(array->shape);
    if (property == "dtype")
      return Value(array->dtype, value.arrayRules());
    if (property == "itemsize")
      return Value(layouts::hostBytes(array->dtype));
    if (property == "ndim")
      return Value(array->shape.size());
    if (property == "size")
      return Value(array->size());
    if (property == "nbytes")
      return Value(array->bytes.size());
    if (property == "T")
      return LANESCOPE_TRY(transposed(value, {}));
    return std::nullopt;
  }
  if (const layouts::Dtype *dtype = value.asDtype()) {
    if (property == "itemsize")
      return Value(layouts::hostBytes(*dtype));
    if (property == "kind")
      return Value(*dtype == Dtype::I1                  ? "b"
                   : layouts::isFloat(*dtype)           ? "f"
                   : layouts::isUnsignedInteger(*dtype) ? "u"
                                                        : "i");
    if (property == "bits")
      return Value(layouts::bitwidth(*dtype));
    if (property == "name" || property == "__name__" || property == "__qualname__")
      return Value(value.arrayRules() == ArrayRules::Snippet ? layouts::name(*dtype) : numpyName(*dtype));
    return std::nullopt;
  }
  const Layout *layout = value.asLayout();
  if (!layout)
    return std::nullopt;
  if (property == "name")
    return name(*layout);
  if (const layouts::TiledLayout *tiled = tiledOf(value)) {
    if (property == "tiling")
      return Value(std::make_shared<TilingObject>(tiled->tiling()));
    if (property == "warp_dims")
      return partitionValue(tiled->warpDims());
    if (property == "lane_dims")
      return partitionValue(tiled->laneDims());
    if (property == "vector_dim")
      return Value(tiled->vectorDim());
    if (property == "vector_length" || (property == "packing" && value.tmemLayout()))
      return Value(tiled->vectorLength());
    if (property == "replication" && !value.tmemLayout())
      return Value(tiled->replication());
    if (property == "base_tile_shape")
      return Value::shape(tiled->baseTile());
    if (property == "tiled_tiling_shape")
      return Value::shape(tiled->tiledTilingShape());
    return std::nullopt;
  }
  if (const auto *foreign = std::get_if<layouts::Foreign>(layout))
    return foreignProperty(*foreign, property);
  const auto &reg = std::get<layouts::RegisterLayout>(*layout);
  if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&reg)) {
    if (property == "shape")
      return Value::shape(strided->shape());
    if (property == "vec_size")
      return Value(strided->vecSize());
  } else if (const auto *splat = std::get_if<layouts::WGSplatFragLayout>(&reg); splat && property == "shape") {
    return Value::shape(splat->shape);
  }
  return std::nullopt;
}

const Builtins &layoutMethods(const Value &value) {
  static const Builtins kNone;
  static const Builtins kTiled = {
      {"reduce", "reduce(axes)", "The layout of the result of reducing over `axes` (an int or a tuple).",
       [](C &, const A &args) -> R {
         return Value(LANESCOPE_TRY(tiledOf(*args.self)->reduce(LANESCOPE_TRY(args.integers(0)))));
       }},
      {"registers_shape", "registers_shape(shape)",
       "The shape of each thread's array of registers for an array of `shape`.",
       [](C &, const A &args) -> R {
         return Value::shape(LANESCOPE_TRY(tiledOf(*args.self)->registersShape(LANESCOPE_TRY(args.shape(0)))));
       }},
      {"canonicalize", "canonicalize()", "The same layout in its shortest spelling.",
       [](C &, const A &args) -> R { return Value(tiledOf(*args.self)->canonicalize()); }},
  };
  static const Builtins kTmem = {
      {"columns", "columns(shape, dtype)", "How many 32-bit columns an array takes.",
       [](C &, const A &args) -> R {
         Shape shape = LANESCOPE_TRY(args.shape(0));
         return Value(
             LANESCOPE_TRY(args.self->tmemLayout()->columnsIn(shape, layouts::bitwidth(LANESCOPE_TRY(args.dtype(1))))));
       }},
  };
  return value.tmemLayout() ? kTmem : tiledOf(value) ? kTiled : kNone;
}

} // namespace lanescope::repl
