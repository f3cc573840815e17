// Builtins of CuTe's layout algebra, on layout values and on texts in any of CuTe's spellings.
#include "layouts/support/Try.h"
#include "repl/lang/layouts/LayoutArguments.h"
#include "repl/lang/layouts/LayoutBuiltins.h"
#include "repl/lang/values/LayoutText.h"

#include "layouts/cute/Division.h"
#include "layouts/notation/cute/Cute.h"
#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

namespace cute = layouts::cute;
using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using cute::CuteLayout;
using cute::IntTuple;

/// A failure as one of argument `index`.
template <typename T> Result<T> placed(const A &args, size_t index, Result<T> result) {
  if (result)
    return result;
  Span span = args.has(index) ? args[index].span : args.call;
  Diagnostics out = std::move(result.error());
  for (Diagnostic &diagnostic : out) {
    diagnostic.span = span;
    diagnostic.notes.clear();
  }
  return std::unexpected(std::move(out));
}

/// A failure in a text that argument `index` is, or holds: at its place in the text.
template <typename T> Result<T> readAt(const A &args, size_t index, const std::string &written, Result<T> result) {
  if (result)
    return result;
  for (Diagnostic &diagnostic : result.error())
    diagnostic.notes.clear();
  return std::unexpected(inSnippet(std::move(result.error()), args[index].span, written));
}

const std::vector<Value> *itemsOf(const Value &value) {
  if (const ListData *list = value.asList())
    return &list->items;
  return value.asTuple();
}

/// Nested ints; strings within may be what ints cannot say: "1@0", "_8", "?".
Result<IntTuple> tupleOf(const A &args, size_t index, const Value &value, int depth = 0) {
  if (const int64_t *n = value.asInt()) {
    if (*n > cute::kMaxInt || *n < -cute::kMaxInt)
      return args.wrongValue(index, text(*n, " is beyond the supported 2^60"));
    return IntTuple(*n);
  }
  if (value.isNone())
    return IntTuple::whole();
  if (const std::string *written = value.asStr())
    return readAt(args, index, *written, layouts::readCuteTuple(*written));
  const auto *items = itemsOf(value);
  if (!items)
    return args.wrongType(index, "an int, or a tuple of ints and such tuples");
  if (depth >= cute::kMaxDepth || items->size() > cute::kMaxLeaves)
    return args.wrongValue(index, "nested too deeply, or too long");
  std::vector<IntTuple> out;
  for (const Value &item : *items)
    out.push_back(LANESCOPE_TRY(tupleOf(args, index, item, depth + 1)));
  return IntTuple::of(std::move(out));
}

Result<CuteLayout> cuteOf(const A &args, size_t index, const Value &value) {
  if (const std::string *written = value.asStr())
    return readAt(args, index, *written, layouts::readCute(*written));
  if (const layouts::Layout *layout = value.asLayout()) {
    if (const CuteLayout *cute = cute::asCute(*layout))
      return *cute;
    return args.wrongValue(index, text("`", layouts::layoutText(*layout).substr(0, 80), "` is a layout of another ",
                                       "language; `notation(…, \"cute\", …)` writes it as CuTe's for a shape"));
  }
  if (value.asInt() || itemsOf(value)) { // a shape: column-major
    IntTuple shape = LANESCOPE_TRY(tupleOf(args, index, value));
    return CuteLayout(LANESCOPE_TRY(placed(args, index, cute::Layout::compact(std::move(shape)))));
  }
  return args.wrongType(index, "a CuTe layout, or its text");
}
Result<CuteLayout> cuteOf(const A &args, size_t index) { return cuteOf(args, index, args[index].value); }

/// The plain layout of an argument that must not be composed.
Result<cute::Layout> plainOf(const A &args, size_t index, const CuteLayout &layout, std::string_view why) {
  if (layout.parts().plain && std::holds_alternative<std::monostate>(layout.parts().outer))
    return *layout.parts().plain;
  return args.wrongValue(index, text("`", layout.text(), "` is not a plain layout `shape:stride`; ", why));
}
Result<cute::Layout> plainOf(const A &args, size_t index, std::string_view why) {
  return plainOf(args, index, LANESCOPE_TRY(cuteOf(args, index)), why);
}

Result<cute::Tiler> tilerOf(const A &args, size_t index, const Value &value, int depth = 0) {
  if (value.isNone())
    return cute::Tiler::whole();
  if (const std::string *written = value.asStr())
    return readAt(args, index, *written, layouts::readCuteTile(*written));
  if (value.asInt())
    return placed(args, index, cute::Tiler::ofShape(LANESCOPE_TRY(tupleOf(args, index, value))));
  if (const auto *items = itemsOf(value)) {
    if (depth >= cute::kMaxDepth || items->size() > cute::kMaxLeaves)
      return args.wrongValue(index, "nested too deeply, or too long");
    std::vector<cute::Tiler> modes;
    for (const Value &item : *items)
      modes.push_back(LANESCOPE_TRY(tilerOf(args, index, item, depth + 1)));
    return cute::Tiler::of(std::move(modes));
  }
  CuteLayout layout = LANESCOPE_TRY(cuteOf(args, index, value));
  if (layout.parts().tile)
    return *layout.parts().tile;
  return cute::Tiler::of(LANESCOPE_TRY(plainOf(args, index, layout, "tiles are")));
}
Result<cute::Tiler> tilerOf(const A &args, size_t index) { return tilerOf(args, index, args[index].value); }

Value valueOf(CuteLayout layout) { return Value(cute::toLayout(std::move(layout))); }
Value valueOf(cute::Layout layout) { return valueOf(CuteLayout(std::move(layout))); }

/// An operation on the inner layout: what is around it, a swizzle or a pointer, stays around the result.
template <typename Operation> R onInner(const A &args, const CuteLayout &layout, Operation &&operation) {
  if (!layout.parts().plain)
    return args.wrongValue(0, text("`", layout.text(), "` has no shape; compose it with a layout first"));
  return valueOf(layout.withPlain(LANESCOPE_TRY(placed(args, 0, operation(*layout.parts().plain)))));
}

using ByTiler = Result<cute::Layout> (*)(const cute::Layout &, const cute::Tiler &);
BuiltinCall byTiler(ByTiler operation) {
  return [operation](C &, const A &args) -> R {
    CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 0));
    cute::Tiler tiler = LANESCOPE_TRY(tilerOf(args, 1));
    return onInner(args, layout, [&](const cute::Layout &inner) { return operation(inner, tiler); });
  };
}

using ByLayout = Result<cute::Layout> (*)(const cute::Layout &, const cute::Layout &);
BuiltinCall byLayout(ByLayout operation) {
  return [operation](C &, const A &args) -> R {
    CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 0));
    cute::Layout other = LANESCOPE_TRY(plainOf(args, 1, "what a product repeats over is"));
    return onInner(args, layout, [&](const cute::Layout &inner) { return operation(inner, other); });
  };
}

BuiltinCall inverse(Result<cute::Layout> (*operation)(const cute::Layout &)) {
  return [operation](C &, const A &args) -> R {
    cute::Layout layout = LANESCOPE_TRY(plainOf(args, 0, "undo the swizzle first"));
    return valueOf(LANESCOPE_TRY(placed(args, 0, operation(layout))));
  };
}

R makeCute(C &, const A &args) {
  if (!args.has(1))
    return valueOf(LANESCOPE_TRY(cuteOf(args, 0)));
  IntTuple shape = LANESCOPE_TRY(tupleOf(args, 0, args[0].value));
  IntTuple stride = LANESCOPE_TRY(tupleOf(args, 1, args[1].value));
  return valueOf(LANESCOPE_TRY(placed(args, 1, cute::Layout::make(std::move(shape), std::move(stride)))));
}

R coalesceOf(C &, const A &args) {
  CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 0));
  if (!args.has(1) || args[1].value.isNone())
    return onInner(args, layout, [](const cute::Layout &inner) { return Result<cute::Layout>(coalesce(inner)); });
  IntTuple profile = LANESCOPE_TRY(tupleOf(args, 1, args[1].value));
  return onInner(args, layout, [&](const cute::Layout &inner) { return coalesce(inner, profile); });
}

R compose(C &, const A &args) {
  CuteLayout outer = LANESCOPE_TRY(cuteOf(args, 0));
  if (outer.swizzle() && !outer.parts().plain) { // a swizzle of a layout: a composed layout
    cute::Layout inner = LANESCOPE_TRY(plainOf(args, 1, "a swizzle takes one"));
    return valueOf(
        LANESCOPE_TRY(placed(args, 1, CuteLayout::make({.outer = *outer.swizzle(), .plain = std::move(inner)}))));
  }
  cute::Tiler tiler = LANESCOPE_TRY(tilerOf(args, 1));
  return onInner(args, outer, [&](const cute::Layout &inner) { return composition(inner, tiler); });
}

R complementOf(C &, const A &args) {
  cute::Layout layout = LANESCOPE_TRY(plainOf(args, 0, "a swizzled one has no complement"));
  std::optional<int64_t> target;
  if (args.has(1) && !args[1].value.isNone())
    target = args[1].value.asInt() ? *args[1].value.asInt()
                                   : LANESCOPE_TRY(plainOf(args, 1, "a target is a number or a shape")).size();
  return valueOf(LANESCOPE_TRY(placed(args, 0, complement(layout, target))));
}

/// A number read off the layout's plain part.
BuiltinCall number(Result<int64_t> (*read)(const cute::Layout &)) {
  return [read](C &, const A &args) -> R {
    CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 0));
    if (!layout.parts().plain)
      return args.wrongValue(0, text("`", layout.text(), "` has no shape"));
    return Value(LANESCOPE_TRY(placed(args, 0, read(*layout.parts().plain))));
  };
}

Result<int64_t> sizeNumber(const cute::Layout &layout) {
  if (!known(layout.shape))
    return std::unexpected(std::move(requireKnown(layout, "a size").error()));
  return layout.size();
}
Result<int64_t> cosizeNumber(const cute::Layout &layout) {
  if (auto integers = requireIntegers(layout, "a cosize"); !integers)
    return std::unexpected(std::move(integers.error()));
  return cosizeOf(layout);
}

R commonVector(C &, const A &args) {
  cute::Layout a = LANESCOPE_TRY(plainOf(args, 0, "compare the layouts inside"));
  cute::Layout b = LANESCOPE_TRY(plainOf(args, 1, "compare the layouts inside"));
  return Value(LANESCOPE_TRY(placed(args, 1, maxCommonLayout(a, b))).size());
}

R recastOf(C &, const A &args) {
  CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 0));
  int64_t from = bitwidth(LANESCOPE_TRY(args.dtype(1))), to = bitwidth(LANESCOPE_TRY(args.dtype(2)));
  cute::Layout plain = LANESCOPE_TRY(plainOf(args, 0, layout, "recast the layout inside"));
  return valueOf(LANESCOPE_TRY(placed(args, 0, recast(plain, from, to))));
}

R offsetAt(C &, const A &args) {
  CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 1));
  std::vector<int64_t> coordinate = LANESCOPE_TRY(args.integers(0));
  return Value(LANESCOPE_TRY(placed(args, 0, layout.offsetAt(layouts::Shape(coordinate.begin(), coordinate.end())))));
}

R operands(C &, const A &args) {
  std::string written = LANESCOPE_TRY(args.text(0));
  layouts::Scanner in(Source::make("<printout>", written));
  if (auto sized = in.checkSize(); !sized)
    return at(args[0].span, std::move(sized.error()));
  auto read = LANESCOPE_TRY(readAt(args, 0, written, layouts::readPrintout(in)));
  std::vector<std::pair<std::string, Value>> out;
  for (auto &[label, layout] : read)
    out.emplace_back(label, valueOf(std::move(layout)));
  return Value::dict(std::move(out));
}

} // namespace

Builtins cuteBuiltins() {
  constexpr std::string_view kDivided =
      "\n\nThe tiler is a layout, a shape, or a tuple of tilers, one a mode (None: the whole mode).\n\n";
  auto divided = [&](std::string summary, std::string example) { return text(summary, kDivided, example); };
  Builtins out = {
      {"cute", "cute(shape, stride=None)",
       "A CuTe layout of a shape and strides, ints or nested tuples; column-major without strides.\n\nStrings may "
       "stand "
       "for what ints cannot say: \"1@0\", \"_8\", \"?\". One string is a layout's text.\n\ncute((8, (2, 4)), (8, (1, "
       "2)))",
       makeCute},
      {"coalesce", "coalesce(layout, profile=None)",
       "The same function of an index, with the fewest modes; mode by mode where `profile` is a "
       "tuple.\n\ncoalesce(\"(2,(1,6)):(1,(6,2))\") is 12:1",
       coalesceOf},
      {"composition", "composition(outer, inner)",
       "R(c) = outer(inner(c)); by mode where `inner` is a tile; of a swizzle and a layout, the swizzled "
       "layout.\n\ncomposition(\"(6,2):(8,2)\", \"(4,3):(3,1)\") is ((2,2),3):((24,2),8)",
       compose},
      {"compose", "compose(outer, inner)", "As `composition`.\n\ncompose(\"20:2\", \"(5,4):(4,1)\") is (5,4):(8,2)",
       compose},
      {"complement", "complement(layout, target=None)",
       "The layout that repeats `layout` so that together they fill up to `target`, by default its "
       "cosize.\n\ncomplement(\"(2,2):(1,6)\", 24) is (3,2):(2,12)",
       complementOf},
      {"logical_divide", "logical_divide(layout, tiler)",
       divided("Cuts a layout into tiles: (tile, rest), mode by mode.",
               "logical_divide(\"(4,2,3):(2,1,8)\", \"4:2\") is ((2,2),(2,3)):((4,1),(2,8))"),
       byTiler(cute::logicalDivide)},
      {"zipped_divide", "zipped_divide(layout, tiler)",
       divided("Cuts a layout into tiles: ((TileM,TileN),(RestM,RestN)).",
               "zipped_divide(\"(6,8):(8,1)\", (3, 4)) is ((3,4),(2,2)):((8,1),(24,4))"),
       byTiler(cute::zippedDivide)},
      {"tiled_divide", "tiled_divide(layout, tiler)",
       divided("Cuts a layout into tiles: ((TileM,TileN),RestM,RestN).",
               "tiled_divide(\"(6,8):(8,1)\", (3, 4)) is ((3,4),2,2):((8,1),24,4)"),
       byTiler(cute::tiledDivide)},
      {"flat_divide", "flat_divide(layout, tiler)",
       divided("Cuts a layout into tiles: (TileM,TileN,RestM,RestN).",
               "flat_divide(\"(6,8):(8,1)\", (3, 4)) is (3,4,2,2):(8,1,24,4)"),
       byTiler(cute::flatDivide)},
      {"logical_product", "logical_product(block, tiler)",
       divided("Repeats a block over a tiler: (block, repetition).",
               "logical_product(\"(2,2):(4,1)\", \"6:1\") is ((2,2),(2,3)):((4,1),(2,8))"),
       byTiler(cute::logicalProduct)},
      {"zipped_product", "zipped_product(block, tiler)",
       divided("Repeats a block over a tiler: ((M,N),(TileM,TileN)).",
               "zipped_product(\"(3,4):(4,1)\", \"(2,5):(1,2)\") is ((3,4),(2,5)):((4,1),(12,24))"),
       byTiler(cute::zippedProduct)},
      {"tiled_product", "tiled_product(block, tiler)",
       divided("Repeats a block over a tiler: ((M,N),TileM,TileN).",
               "tiled_product(\"(3,4):(4,1)\", \"(2,5):(1,2)\") is ((3,4),2,5):((4,1),12,24)"),
       byTiler(cute::tiledProduct)},
      {"flat_product", "flat_product(block, tiler)",
       divided("Repeats a block over a tiler: (M,N,TileM,TileN).",
               "flat_product(\"(3,4):(4,1)\", \"(2,5):(1,2)\") is (3,4,2,5):(4,1,12,24)"),
       byTiler(cute::flatProduct)},
      {"blocked_product", "blocked_product(block, tiler)",
       "Repeats a block over a layout, mode beside mode, in blocks.\n\nblocked_product(\"(2,5):(5,1)\", "
       "\"(3,4):(1,3)\") is ((2,3),(5,4)):((5,10),(1,30))",
       byLayout(cute::blockedProduct)},
      {"raked_product", "raked_product(block, tiler)",
       "Repeats a block over a layout, interleaved.\n\nraked_product(\"(2,5):(5,1)\", \"(3,4):(1,3)\") is "
       "((3,2),(4,5)):((10,5),(30,1))",
       byLayout(cute::rakedProduct)},
      {"right_inverse", "right_inverse(layout)",
       "The largest R with layout(R(i)) = i.\n\nright_inverse(\"(4,3):(3,1)\") is (3,4):(4,1)",
       inverse(cute::rightInverse)},
      {"left_inverse", "left_inverse(layout)",
       "L with layout(L(layout(i))) = layout(i).\n\nleft_inverse(\"(4,3):(3,1)\") is (3,4):(4,1)",
       inverse(cute::leftInverse)},
      {"max_common_vector", "max_common_vector(a, b)",
       "How many elements both layouts store one after the other: what a copy between them can move at "
       "once.\n\nmax_common_vector(\"(8,4):(4,1)\", \"(8,4):(8,1)\") is 4",
       commonVector},
      {"recast", "recast(layout, from_dtype, to_dtype)",
       "The layout of the same bytes as elements of another type.\n\nrecast(\"(8,64):(64,1)\", f16, f32) is "
       "(8,32):(32,1)",
       recastOf},
      {"size", "size(layout)", "The number of a CuTe layout's coordinates.\n\nsize(\"(4,(2,3))\") is 24",
       number(sizeNumber)},
      {"cosize", "cosize(layout)", "One more than a CuTe layout's largest offset.\n\ncosize(\"(4,2):(1,8)\") is 12",
       number(cosizeNumber)},
      {"rank", "rank(layout)", "The number of a CuTe layout's modes.\n\nrank(\"(4,(2,3))\") is 2",
       number([](const cute::Layout &layout) { return Result<int64_t>(static_cast<int64_t>(layout.rank())); })},
      {"depth", "depth(layout)", "How deep a CuTe layout's shape nests.\n\ndepth(\"(4,(2,3))\") is 2",
       number([](const cute::Layout &layout) { return Result<int64_t>(depthOf(layout.shape)); })},
      {"crd2idx", "crd2idx(coord, layout)",
       "The offset of a coordinate in a CuTe layout, swizzle included: one int a mode, or one index for "
       "all.\n\ncrd2idx((3, 10), \"Sw<3,3,3> o 0 o (8,64):(64,1)\") is 210",
       offsetAt},
      {"cute_operands", "cute_operands(text)",
       "The (thread, value) layouts in a printout of MMA_Atom, TiledMMA, TiledCopy or Copy_Atom, by their "
       "labels.\n\ncute_operands(printed)[\"LayoutA_TV\"]; of a TiledMMA LayoutA_TV is that of the whole tile, "
       "AtomLayoutA_TV that of the atom.",
       operands},
  };
  for (Builtin &builtin : out)
    builtin.group = "CuTe";
  return out;
}

} // namespace lanescope::repl
