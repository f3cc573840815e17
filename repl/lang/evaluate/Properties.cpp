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
#include <cmath>
#include <map>

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

/// The TiledLayout of a register or tensor-memory layout; null for the others.
const layouts::TiledLayout *tiledOf(const Value &value) {
  const Layout *layout = value.asLayout();
  if (!layout)
    return nullptr;
  if (const auto *tmem = std::get_if<layouts::TMEMLayout>(layout))
    return &tmem->tiled();
  const auto *registers = std::get_if<layouts::RegisterLayout>(layout);
  return registers ? std::get_if<layouts::TiledLayout>(registers) : nullptr;
}

/// `x.at[index]` of a host array: `.set(v)`, `.add(v)`, … give a changed copy, as in JAX.
class ArrayPart final : public Object {
public:
  ArrayPart(Value array, Arg index) : array_(std::move(array)), index_(std::move(index)) {}
  std::string typeName() const override { return "part of an array"; }
  std::vector<std::string> members() const override {
    return {"add", "apply", "divide", "get", "max", "min", "multiply", "power", "set", "subtract"};
  }
  Result<Value> attribute(Context &context, const std::string &name) override {
    static constexpr std::pair<std::string_view, std::optional<BinaryOp>> kKinds[] = {{"set", std::nullopt},
                                                                                      {"add", BinaryOp::Add},
                                                                                      {"multiply", BinaryOp::Multiply},
                                                                                      {"divide", BinaryOp::Divide},
                                                                                      {"subtract", BinaryOp::Subtract},
                                                                                      {"power", BinaryOp::Power},
                                                                                      {"mul", BinaryOp::Multiply},
                                                                                      {"max", std::nullopt},
                                                                                      {"min", std::nullopt},
                                                                                      {"apply", std::nullopt},
                                                                                      {"get", std::nullopt}};
    auto found = std::ranges::find(kKinds, name, [](const auto &kind) { return kind.first; });
    if (found == std::end(kKinds))
      return Object::attribute(context, name);
    std::string method = name;
    auto self = std::static_pointer_cast<ArrayPart>(shared_from_this());
    return BuiltinValue::make(
        {.name = name,
         .signature = text(
             name, name == "get" ? "(*, " : "(values, *, ",
             "mode=None, fill_value=None, indices_are_sorted=False, unique_indices=False, wrap_negative_indices=True)"),
         .doc = "A copy of the array with this part changed.",
         .call = [self, method, op = found->second](Context &context, const BoundArguments &args) -> R {
           return self->changed(context, method, op, args);
         }});
  }

private:
  R changed(Context &context, const std::string &method, std::optional<BinaryOp> op, const A &args) {
    const size_t options = method == "get" ? 0 : 1;
    if (args.has(options) && !args[options].value.isNone())
      if (std::string mode = LANESCOPE_TRY(args.text(options)); mode != "promise_in_bounds")
        return outside(context, method, mode, args, options);
    // Where an index occurs several times, each of its values counts.
    if (method != "get" && method != "set" && method != "apply")
      if (auto places = LANESCOPE_TRY(repeatedPlaces(context)))
        return accumulated(context, method, op, args[0], *places);
    Value part = LANESCOPE_TRY(context.evaluator.getItem({array_, context.span}, index_, context.span));
    if (method == "get")
      return part;
    Value value = args[0].value;
    if (method == "apply") {
      Arguments one;
      one.positional = {{part, context.span}};
      value = LANESCOPE_TRY(context.evaluator.call(args[0].value, one, context.span));
    } else if (op)
      value = LANESCOPE_TRY(context.evaluator.binary(*op, {part, context.span}, args[0], context.span));
    else if (method != "set") {
      Arguments both;
      both.positional = {{part, context.span}, args[0]};
      value = LANESCOPE_TRY(context.evaluator.call(*context.evaluator.builtin(method == "max" ? "maximum" : "minimum"),
                                                   both, context.span));
    }
    Array out = *array_.asArray();
    LANESCOPE_CHECK(arraySetItem(out, index_.value, value));
    return Value(std::move(out), array_.arrayRules());
  }

  /// The row-major places that an index selects, where one of them occurs twice.
  Result<std::optional<Array>> repeatedPlaces(Context &context) {
    const std::vector<Value> parts = index_.value.asTuple() ? *index_.value.asTuple() : std::vector{index_.value};
    if (std::ranges::none_of(parts, [](const Value &part) { return part.asArray() || part.asList(); }))
      return std::nullopt;
    const Array &array = *array_.asArray();
    LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::I64, array.shape, context.span));
    Array numbers = Array::zeros(Dtype::I64, array.shape);
    for (int64_t i = 0; i < array.size(); ++i)
      numbers.setInteger(i, i);
    Value selected =
        LANESCOPE_TRY(context.evaluator.getItem({Value(std::move(numbers)), context.span}, index_, context.span));
    const Array *places = selected.asArray();
    if (!places)
      return std::nullopt;
    std::vector<bool> seen(static_cast<size_t>(array.size()));
    for (int64_t i = 0; i < places->size(); ++i) {
      auto place = static_cast<size_t>(places->integer(i));
      if (seen[place])
        return *places;
      seen[place] = true;
    }
    return std::nullopt;
  }

  /// In rounds in which every place occurs once: the first values of all, then the second ones, …
  R accumulated(Context &context, const std::string &method, std::optional<BinaryOp> op, const Arg &given,
                const Array &places) {
    Array values = given.value.asArray() ? *given.value.asArray()
                                         : LANESCOPE_TRY(arrayOf(given.value.plain(), array_.asArray()->dtype));
    values = LANESCOPE_TRY(broadcastTo(values, places.shape));
    std::vector<int64_t> round(static_cast<size_t>(places.size()));
    std::map<int64_t, int64_t> times;
    int64_t rounds = 0;
    for (int64_t i = 0; i < places.size(); ++i) {
      round[static_cast<size_t>(i)] = times[places.integer(i)]++;
      rounds = std::max(rounds, round[static_cast<size_t>(i)] + 1);
    }
    std::vector<std::vector<int64_t>> members(static_cast<size_t>(rounds));
    for (int64_t i = 0; i < places.size(); ++i)
      members[static_cast<size_t>(round[static_cast<size_t>(i)])].push_back(i);
    const Array &array = *array_.asArray();
    Array flat{array.dtype, {array.size()}, array.bytes};
    for (const std::vector<int64_t> &mine : members) {
      LANESCOPE_CHECK(context.evaluator.poll(context.span));
      Array at = Array::zeros(Dtype::I64, {static_cast<int64_t>(mine.size())});
      Array more = Array::zeros(values.dtype, {static_cast<int64_t>(mine.size())});
      for (size_t k = 0; k < mine.size(); ++k) {
        at.setInteger(static_cast<int64_t>(k), places.integer(mine[k]));
        setElement(more, static_cast<int64_t>(k), elementOf(values, mine[k]));
      }
      ArrayPart part(Value(flat, array_.arrayRules()), {Value(std::move(at)), index_.span});
      flat =
          *LANESCOPE_TRY(part.combined(context, method, op, {Value(std::move(more), array_.arrayRules()), given.span}))
               .asArray();
    }
    flat.shape = array.shape;
    return Value(std::move(flat), array_.arrayRules());
  }

  /// What changes where every place occurs once.
  R combined(Context &context, const std::string &method, std::optional<BinaryOp> op, const Arg &more) {
    Arg part{LANESCOPE_TRY(context.evaluator.getItem({array_, context.span}, index_, context.span)), context.span};
    Value value;
    if (op) {
      value = LANESCOPE_TRY(context.evaluator.binary(*op, part, more, context.span));
    } else {
      Arguments both;
      both.positional = {part, more};
      value = LANESCOPE_TRY(context.evaluator.call(*context.evaluator.builtin(method == "max" ? "maximum" : "minimum"),
                                                   both, context.span));
    }
    Array out = *array_.asArray();
    LANESCOPE_CHECK(arraySetItem(out, index_.value, value));
    return Value(std::move(out), array_.arrayRules());
  }

  /// With a `mode` that says what an index beyond the end does: "drop" (and "fill"), "clip". One array of ints, or one
  /// int, chooses along the first dimension.
  R outside(Context &context, const std::string &method, const std::string &mode, const A &args, size_t options) {
    if (mode != "drop" && mode != "fill" && mode != "clip" && mode != "wrap")
      return args.wrongValue(
          options, text("the modes are \"drop\", \"fill\", \"clip\" and \"promise_in_bounds\", not \"", mode, "\""));
    const Array &array = *array_.asArray();
    Value index = index_.value.plain();
    Array places = index.asArray() ? *index.asArray() : LANESCOPE_TRY(arrayOf(index, Dtype::I64));
    if (!layouts::isInteger(places.dtype) || array.shape.empty())
      return error("unsupported", index_.span,
                   "with a `mode`, one array of ints chooses along the first dimension here");
    const int64_t rows = array.shape[0];
    Array inside = Array::zeros(Dtype::I64, places.shape), keep = Array::zeros(Dtype::I1, places.shape);
    for (int64_t i = 0; i < places.size(); ++i) {
      int64_t at = places.integer(i);
      at += at < 0 ? rows : 0;
      const bool fits = at >= 0 && at < rows;
      keep.setInteger(i, fits || mode == "clip" || mode == "wrap");
      inside.setInteger(i, mode == "wrap" ? ((at % rows) + rows) % rows : std::clamp<int64_t>(at, 0, rows - 1));
    }
    Arg at{Value(inside), index_.span}, kept{Value(keep), index_.span};
    if (method == "get") {
      Value found = LANESCOPE_TRY(context.evaluator.getItem({array_, context.span}, at, context.span));
      if (mode == "clip" || mode == "wrap")
        return found;
      Value fill = args.has(options + 1) && !args[options + 1].value.isNone() ? args[options + 1].value
                   : layouts::isFloat(array.dtype)                            ? Value(NAN)
                                                                              : Value(0);
      Array out = *found.asArray();
      const int64_t width = places.size() == 0 ? 0 : out.size() / places.size();
      for (int64_t i = 0; i < places.size(); ++i)
        for (int64_t k = 0; k < width && keep.integer(i) == 0; ++k)
          setElement(out, i * width + k, fill.plain());
      return Value(std::move(out), array_.arrayRules());
    }
    // Those that are dropped are left out of the index and of the values.
    std::vector<int64_t> chosen;
    for (int64_t i = 0; i < places.size(); ++i)
      if (keep.integer(i) != 0)
        chosen.push_back(i);
    Array fewer = Array::zeros(Dtype::I64, {static_cast<int64_t>(chosen.size())});
    for (size_t k = 0; k < chosen.size(); ++k)
      fewer.setInteger(static_cast<int64_t>(k), inside.integer(chosen[k]));
    Value values = args[0].value;
    if (const Array *all = values.asArray(); all && all->shape.size() + 1 > array.shape.size() && !all->shape.empty() &&
                                             places.shape.size() == 1 && all->shape[0] == places.size())
      values = LANESCOPE_TRY(context.evaluator.getItem(args[0],
                                                       {Value([&] {
                                                          Array rows = Array::zeros(Dtype::I64, fewer.shape);
                                                          for (size_t k = 0; k < chosen.size(); ++k)
                                                            rows.setInteger(static_cast<int64_t>(k), chosen[k]);
                                                          return rows;
                                                        }()),
                                                        index_.span},
                                                       context.span));
    auto part = std::make_shared<ArrayPart>(array_, Arg{Value(std::move(fewer)), index_.span});
    Value function = LANESCOPE_TRY(part->attribute(context, method));
    Arguments one;
    one.positional = {{values, args[0].span}};
    return context.evaluator.call(function, one, context.span);
  }

  Value array_;
  Arg index_;
};

class ArrayAt final : public Object {
public:
  explicit ArrayAt(Value array) : array_(std::move(array)) {}
  std::string typeName() const override { return "array view"; }
  Result<Value> getItem(Context &, const Arg &index) override {
    return Value(std::make_shared<ArrayPart>(array_, index));
  }

private:
  Value array_;
};

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
    return {"T", "at", "dtype", "itemsize", "mT", "nbytes", "ndim", "real", "shape", "size"};
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
    if (property == "at")
      return Value(std::make_shared<ArrayAt>(value));
    if (property == "T")
      return LANESCOPE_TRY(transposed(value, {}));
    if (property == "real")
      return value;
    if (property == "mT" && array->shape.size() > 1) {
      std::vector<int64_t> axes;
      for (size_t i = 0; i < array->shape.size(); ++i)
        axes.push_back(static_cast<int64_t>(i));
      std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
      return LANESCOPE_TRY(transposed(value, std::move(axes)));
    }
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
    if (property == "dtype" && value.namesDtype())
      return Value(*dtype, value.arrayRules());
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
