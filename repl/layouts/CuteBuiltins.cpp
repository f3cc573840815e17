// Builtins of CuTe's layout algebra, on layout values and on texts in any of CuTe's spellings.
#include "layouts/cute/AtomNames.h"
#include "layouts/support/Try.h"
#include "repl/layouts/CuteArguments.h"
#include "repl/layouts/LayoutBuiltins.h"

#include "layouts/cute/Division.h"
#include "layouts/cute/SmemTiles.h"
#include "layouts/notation/cute/Cute.h"
#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

namespace cute = layouts::cute;
using namespace cutes;
using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using cute::CuteLayout;
using cute::IntTuple;

/// Applies an operation to the inner layout. If a swizzle or a pointer surrounds it, it also surrounds the result.
template <typename Operation> R onInner(const A &args, const CuteLayout &layout, Operation &&operation) {
  if (!layout.parts().plain)
    return args.wrongValue(0, Message("`{layout}` has no shape; compose it with a layout first", layout.text()));
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

constexpr std::string_view kLeft = "LayoutLeft", kRight = "LayoutRight";

/// A shape, strides or a coordinate, which is the tuple itself.
R tuple(C &, const A &args) {
  std::vector<Value> items;
  for (const Arg &item : args.rest())
    items.push_back(item.value);
  return Value::tuple(std::move(items));
}

R makeSwizzle(C &, const A &args) {
  int64_t bits = LANESCOPE_TRY(args.integer(0)), base = LANESCOPE_TRY(args.integer(1));
  int64_t shift = LANESCOPE_TRY(args.integer(2));
  cute::Swizzle swizzle = LANESCOPE_TRY(placed(args, 0, cute::Swizzle::make(bits, base, shift)));
  return valueOf(LANESCOPE_TRY(placed(args, 0, CuteLayout::make({.outer = swizzle}))));
}

R makeCute(C &, const A &args) {
  if (!args.has(1))
    return valueOf(LANESCOPE_TRY(cuteOf(args, 0)));
  IntTuple shape = LANESCOPE_TRY(tupleOf(args, 0));
  if (const std::string *order = args[1].value.asStr(); order && (*order == kLeft || *order == kRight))
    return valueOf(
        LANESCOPE_TRY(placed(args, 0, *order == kRight ? cute::rowMajor(shape) : cute::Layout::compact(shape))));
  IntTuple stride = LANESCOPE_TRY(tupleOf(args, 1));
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
  if (outer.swizzle() && !outer.parts().plain) { // a bare swizzle and a layout make a composed layout
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

/// A builtin that returns a number of the layout's plain part.
BuiltinCall number(Result<int64_t> (*read)(const cute::Layout &)) {
  return [read](C &, const A &args) -> R {
    CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 0));
    if (!layout.parts().plain)
      return args.wrongValue(0, Message("`{layout}` has no shape", layout.text()));
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
  int64_t from = LANESCOPE_TRY(bitsOf(args, 1)), to = LANESCOPE_TRY(bitsOf(args, 2));
  cute::Layout plain = LANESCOPE_TRY(plainOf(args, 0, layout, "recast the layout inside"));
  return valueOf(LANESCOPE_TRY(placed(args, 0, recast(plain, from, to))));
}

R operands(C &, const A &args) {
  std::string written = LANESCOPE_TRY(args.text(0));
  layouts::Scanner in(Source::make("<printout>", written));
  if (auto sized = in.checkSize(); !sized)
    return at(args[0].span, std::move(sized.error()));
  auto read = LANESCOPE_TRY(readAt(args, 0, written, layouts::readOperands(in)));
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
       "2)))\n\nstride=LayoutRight is row-major, LayoutLeft column-major.",
       makeCute},
      {"make_layout", "make_layout(shape, stride=None)",
       "As `cute`: a layout of a shape and strides, column-major without; stride=LayoutRight is row-major.\n\n"
       "make_layout((4, 8), LayoutRight) is (4,8):(8,1)",
       makeCute},
      {"Swizzle", "Swizzle(bits, base, shift)",
       "CuTe's Swizzle<B,M,S>: bits M+S and up are xored onto bits M and up, B of them; composition puts it around a "
       "layout.\n\ncomposition(Swizzle(3, 3, 3), cute((8, 64), (64, 1))) is Sw<3,3,3> o _0 o (8,64):(64,1)",
       makeSwizzle},
      {"make_shape", "make_shape(*sizes)", "A shape: the tuple.\n\nmake_shape(4, 8) is (4, 8)", tuple},
      {"make_stride", "make_stride(*strides)", "Strides: the tuple.\n\nmake_stride(8, 1) is (8, 1)", tuple},
      {"make_coord", "make_coord(*parts)", "A coordinate: the tuple; None stands for `_`.\n\nmake_coord(1, None)",
       tuple},
      {"make_tile", "make_tile(*tilers)", "A tile: the tuple of its modes' tilers.\n\nmake_tile(32, \"8:2\")", tuple},
      {.name = "LayoutLeft",
       .doc = "Column-major strides, for make_layout.\n\nmake_layout((4, 8), LayoutLeft) is (4,8):(1,4)",
       .constant = Value(kLeft)},
      {.name = "LayoutRight",
       .doc = "Row-major strides, for make_layout.\n\nmake_layout((4, 8), LayoutRight) is (4,8):(8,1)",
       .constant = Value(kRight)},
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
       "The layout of the same bytes as elements of another type.\n\nA type is a dtype, a width that arrays do not "
       "have "
       "(u128, u256), a number of bits, or a name of C++, CuTe DSL or PTX: \"cute::uint128_t\", \"float4\", "
       "\"b128\", \"f64x2\".\n\nrecast(\"(8,64):(64,1)\", f16, f32) is "
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
      {"cute_operands", "cute_operands(text)",
       "The (thread, value) layouts in a printout of MMA_Atom, TiledMMA, TiledCopy or Copy_Atom, or of an atom's name, "
       "by "
       "their labels.\n\ncute_operands(printed)[\"LayoutA_TV\"]; of a TiledMMA LayoutA_TV is that of the whole tile, "
       "AtomLayoutA_TV that of the atom.",
       operands},
  };
  for (Builtin &builtin : out)
    builtin.group = "CuTe";
  for (Builtin &builtin : cuteAtomBuiltins())
    out.push_back(std::move(builtin));
  // These are widths of CuTe's vectors, and not element types of arrays.
  for (const char *name : {"u128", "i128", "b128", "u256", "b256", "uint128_t", "uint256_t"})
    out.push_back({name, "",
                   text("The width of ", *cute::bitsOfType(name),
                        " bits for `recast` and `copy_atom`; no array has such "
                        "elements.\nrecast('(64,16):(64,1)', f16, ",
                        name, ") counts vectors of them."),
                   nullptr, Value(std::string(name)), "CuTe"});
  return out;
}

} // namespace lanescope::repl
