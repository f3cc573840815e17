// Builtins of CuTe's atoms: instructions by name, tiled MMAs and copies, tiles of shared memory, coordinates.
#include "layouts/support/Try.h"
#include "repl/layouts/CuteArguments.h"
#include "repl/layouts/CuteObjects.h"
#include "repl/layouts/LayoutBuiltins.h"

#include "layouts/cute/Coordinates.h"
#include "layouts/cute/SmemTiles.h"
#include "layouts/notation/cute/CuteAtoms.h"
#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

using namespace cutes;
using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using cute::CuteLayout;
using cute::IntTuple;
using cute::TiledMma;
using layouts::Shape;

Value sizesValue(std::span<const int64_t> sizes) { return Value::shape(Shape(sizes.begin(), sizes.end())); }

/// The operands as fields, which have the operands' labels as names.
Result<RecordObject::Fields> fieldsOf(Result<layouts::CuteOperands> operands) {
  if (!operands)
    return std::unexpected(std::move(operands.error()));
  RecordObject::Fields out;
  for (auto &[label, layout] : *operands)
    out.emplace_back(label, valueOf(std::move(layout)));
  return out;
}

/// The atom that the argument is or names.
Result<cute::MmaAtom> mmaAtomOf(const A &args, size_t index) {
  if (const auto *object = args[index].value.as<MmaAtomObject>())
    return object->atom;
  return placed(args, index, cute::mmaAtom(LANESCOPE_TRY(args.text(index))));
}

Result<cute::CopyAtom> copyAtomOf(const A &args, size_t index) {
  if (const auto *object = args[index].value.as<CopyAtomObject>())
    return object->atom;
  return placed(args, index, layouts::readCopyAtom(LANESCOPE_TRY(args.text(index))));
}

R mmaAtom(C &, const A &args) {
  cute::MmaAtom atom = LANESCOPE_TRY(mmaAtomOf(args, 0));
  RecordObject::Fields fields = {
      {"name", Value(atom.name)}, {"shape_mnk", sizesValue(atom.shape)}, {"thr_id", valueOf(atom.threads)}};
  auto operands = LANESCOPE_TRY(placed(args, 0, fieldsOf(layouts::operandsOf(atom))));
  fields.insert(fields.end(), operands.begin(), operands.end());
  return Value(std::make_shared<MmaAtomObject>(std::move(atom), std::move(fields)));
}

R copyAtom(C &, const A &args) {
  cute::CopyAtom atom = LANESCOPE_TRY(copyAtomOf(args, 0));
  if (args.has(1) && !args[1].value.isNone())
    atom = LANESCOPE_TRY(placed(args, 1, atom.as(static_cast<int>(LANESCOPE_TRY(bitsOf(args, 1))))));
  RecordObject::Fields fields = {
      {"name", Value(atom.name)}, {"thr_id", valueOf(atom.threads)}, {"value_bits", Value(atom.bits)}};
  auto operands = LANESCOPE_TRY(placed(args, 0, fieldsOf(layouts::operandsOf(atom))));
  fields.insert(fields.end(), operands.begin(), operands.end());
  return Value(std::make_shared<CopyAtomObject>(std::move(atom), std::move(fields)));
}

R makeTiledMma(C &, const A &args) {
  cute::MmaAtom atom = LANESCOPE_TRY(mmaAtomOf(args, 0));
  cute::Layout atoms{IntTuple(1, true), IntTuple(0, true)};
  if (args.has(1) && !args[1].value.isNone())
    atoms = LANESCOPE_TRY(plainOf(args, 1, "atoms are laid out by one"));
  cute::Tiler permutation;
  if (args.has(2) && !args[2].value.isNone())
    permutation = LANESCOPE_TRY(tilerOf(args, 2));
  TiledMma mma = LANESCOPE_TRY(placed(args, 1, cute::tiledMma(atom, atoms, permutation)));
  auto tile = [&](TiledMma::Operand operand) { return placed(args, args.has(2) ? 2 : 0, mma.tileOf(operand)); };
  std::array<int64_t, 2> c = LANESCOPE_TRY(tile(TiledMma::C)), a = LANESCOPE_TRY(tile(TiledMma::A));
  RecordObject::Fields fields = {{"atom", Value(atom.name)},
                                 {"thr_layout_vmnk", valueOf(mma.threads)},
                                 {"threads", Value(mma.threads.size())},
                                 {"tile_mnk", Value::shape({c[0], c[1], a[1]})}};
  auto operands = LANESCOPE_TRY(placed(args, 0, fieldsOf(layouts::operandsOf(mma, atom.threads))));
  fields.insert(fields.end(), operands.begin(), operands.end());
  return Value(std::make_shared<TiledMmaObject>(std::move(mma), std::move(fields)));
}

R tiledCopyValue(const A &args, cute::TiledCopy copy) {
  RecordObject::Fields fields = {{"atom", Value(copy.atom.name)},
                                 {"tiler_mn", Value::shape(LANESCOPE_TRY(placed(args, 0, copy.tile())))},
                                 {"threads", Value(copy.layout.mode(0).size())}};
  auto operands = LANESCOPE_TRY(placed(args, 0, fieldsOf(layouts::operandsOf(copy))));
  fields.insert(fields.end(), operands.begin(), operands.end());
  return Value(std::make_shared<TiledCopyObject>(std::move(copy), std::move(fields)));
}

R makeTiledCopy(C &, const A &args) {
  cute::CopyAtom atom = LANESCOPE_TRY(copyAtomOf(args, 0));
  cute::Layout one{IntTuple(1, true), IntTuple(0, true)};
  cute::Layout threads = LANESCOPE_TRY(plainOf(args, 1, "threads are laid out by one")), values = one;
  if (args.has(2) && !args[2].value.isNone())
    values = LANESCOPE_TRY(plainOf(args, 2, "values are laid out by one"));
  return tiledCopyValue(args, LANESCOPE_TRY(placed(args, 1, cute::tiledCopy(atom, threads, values))));
}

BuiltinCall copyOfOperand(TiledMma::Operand operand) {
  return [operand](C &, const A &args) -> R {
    cute::CopyAtom atom = LANESCOPE_TRY(copyAtomOf(args, 0));
    const auto *mma = args[1].value.as<TiledMmaObject>();
    if (!mma)
      return args.wrongType(1, "what `make_tiled_mma` returns");
    TiledMma::Tile tile = LANESCOPE_TRY(placed(args, 1, mma->mma.operand(operand)));
    Shape sizes(tile.tile.begin(), tile.tile.end());
    return tiledCopyValue(args, LANESCOPE_TRY(placed(args, 1, cute::tiledCopyOf(atom, tile.layout, sizes))));
  };
}

/// `make_layout_tv`: the pair (tiler, layout), as in CuTe DSL.
R makeLayoutTv(C &, const A &args) {
  cute::Layout threads = LANESCOPE_TRY(plainOf(args, 0, "threads are laid out by one"));
  cute::Layout values = LANESCOPE_TRY(plainOf(args, 1, "values are laid out by one"));
  cute::CopyAtom any = LANESCOPE_TRY(placed(args, 0, cute::copyAtom("AutoVectorizingCopy")));
  cute::TiledCopy copy = LANESCOPE_TRY(placed(args, 0, cute::tiledCopy(any, threads, values)));
  return Value::tuple({Value::shape(LANESCOPE_TRY(placed(args, 0, copy.tile()))), valueOf(copy.layout)});
}

R tileToShape(C &, const A &args) {
  CuteLayout block = LANESCOPE_TRY(cuteOf(args, 0));
  IntTuple shape = LANESCOPE_TRY(tupleOf(args, 1));
  if (!args.has(2) || args[2].value.isNone())
    return valueOf(LANESCOPE_TRY(placed(args, 1, cute::tileToShape(block, shape))));
  IntTuple order = LANESCOPE_TRY(tupleOf(args, 2));
  return valueOf(LANESCOPE_TRY(placed(args, 1, cute::tileToShape(block, shape, &order))));
}

R orderedLayout(C &, const A &args) {
  IntTuple shape = LANESCOPE_TRY(tupleOf(args, 0)), order = LANESCOPE_TRY(tupleOf(args, 1));
  return valueOf(LANESCOPE_TRY(placed(args, 1, cute::orderedLayout(shape, &order))));
}

R identityLayout(C &, const A &args) {
  IntTuple shape = LANESCOPE_TRY(tupleOf(args, 0));
  std::vector<IntTuple> strides;
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (shape.mode(i).isTuple)
      return args.wrongValue(0, "a shape of ints, not nested");
    strides.emplace_back(cute::Leaf{.isStatic = true, .value = 1, .basis = {static_cast<int>(i)}});
  }
  IntTuple stride = shape.isTuple ? IntTuple::of(std::move(strides)) : strides[0];
  return valueOf(LANESCOPE_TRY(placed(args, 0, cute::Layout::make(std::move(shape), std::move(stride)))));
}

/// A coordinate, which may be nested; several arguments are the parts of one coordinate.
Result<IntTuple> coordinateOf(const A &args, std::span<const Arg> parts) {
  std::vector<IntTuple> items;
  for (const Arg &part : parts)
    items.push_back(LANESCOPE_TRY(tupleOf(args, 0, part.value)));
  return items.size() == 1 ? std::move(items[0]) : IntTuple::of(std::move(items));
}

/// A layout applied to a coordinate: an offset, or the layout of the part that `_` leaves free.
R at(const A &args, size_t place, const CuteLayout &layout, const IntTuple &coordinate) {
  if (!layout.parts().plain)
    return args.wrongValue(place, Message("`{layout}` has no coordinates", layout.text()));
  if (hasWhole(coordinate))
    return valueOf(LANESCOPE_TRY(placed(args, place, cute::slice(coordinate, layout))));
  int64_t index = LANESCOPE_TRY(placed(args, place, cute::indexOf(coordinate, layout.parts().plain->shape)));
  return Value(LANESCOPE_TRY(placed(args, place, layout.offsetAt({index}))));
}

R layoutAt(C &, const A &args) {
  CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 0));
  if (args.rest().empty())
    return error("arguments", args.call, "a layout is called with a coordinate, as `L(1, 2)` or `L(None, 2)`");
  return at(args, 0, layout, LANESCOPE_TRY(coordinateOf(args, args.rest())));
}

R coordinateToIndex(C &, const A &args) {
  IntTuple coordinate = LANESCOPE_TRY(tupleOf(args, 0));
  if (hasWhole(coordinate))
    return args.wrongValue(0, "`_` leaves a part of the layout: `slice_and_offset(coord, layout)` gives that");
  if (!args.has(2) || args[2].value.isNone())
    return at(args, 0, LANESCOPE_TRY(cuteOf(args, 1)), coordinate);
  IntTuple shape = LANESCOPE_TRY(tupleOf(args, 1)), stride = LANESCOPE_TRY(tupleOf(args, 2));
  cute::Layout layout = LANESCOPE_TRY(placed(args, 2, cute::Layout::make(std::move(shape), std::move(stride))));
  return at(args, 0, CuteLayout(std::move(layout)), coordinate);
}

R indexToCoordinate(C &, const A &args) {
  int64_t index = LANESCOPE_TRY(args.integer(0));
  // An argument that is a shape becomes a layout, whose strides do not matter.
  CuteLayout layout = LANESCOPE_TRY(cuteOf(args, 1));
  if (!layout.parts().plain)
    return args.wrongValue(1, Message("`{layout}` has no shape", layout.text()));
  return valueOf(LANESCOPE_TRY(placed(args, 0, cute::coordinateOf(index, layout.parts().plain->shape))));
}

R sliceAndOffset(C &, const A &args) {
  IntTuple coordinate = LANESCOPE_TRY(tupleOf(args, 0));
  cute::Layout layout = LANESCOPE_TRY(plainOf(args, 1, "slice the layout inside, or call the layout"));
  cute::Slice part = LANESCOPE_TRY(placed(args, 0, cute::slice(coordinate, layout)));
  return Value::tuple({valueOf(std::move(part.layout)), Value(part.offset)});
}

BuiltinCall smemAtom(std::string name) {
  return [name = std::move(name)](C &, const A &args) -> R {
    int bits = bitwidth(LANESCOPE_TRY(args.dtype(0)));
    return valueOf(LANESCOPE_TRY(placed(args, 0, cute::smemAtom(name, bits))));
  };
}

/// The result of `get_slice(thread)`: an object with the named methods, each of which takes a layout.
class ThreadSlice final : public Object {
public:
  using Cut = std::function<Result<std::pair<cute::Layout, int64_t>>(const cute::Layout &)>;
  ThreadSlice(std::string type, std::vector<std::pair<std::string, Cut>> cuts)
      : type_(std::move(type)), cuts_(std::move(cuts)) {}
  std::string typeName() const override { return type_; }
  std::vector<std::string> members() const override {
    std::vector<std::string> out;
    for (const auto &cut : cuts_)
      out.push_back(cut.first);
    return out;
  }
  Result<Value> attribute(Context &context, const std::string &name) override {
    auto found = std::ranges::find(cuts_, name, &std::pair<std::string, Cut>::first);
    if (found == cuts_.end())
      return Object::attribute(context, name);
    return BuiltinValue::make({.name = name,
                               .signature = name + "(layout)",
                               .doc = "(layout, offset): the thread's part of a layout, (V, Rest, Rest), and where it "
                                      "begins.",
                               .call = [cut = found->second](C &, const A &args) -> R {
                                 cute::Layout tensor = LANESCOPE_TRY(plainOf(args, 0, "partition the layout inside"));
                                 auto part = LANESCOPE_TRY(placed(args, 0, cut(tensor)));
                                 return Value::tuple({valueOf(std::move(part.first)), Value(part.second)});
                               }});
  }

private:
  std::string type_;
  std::vector<std::pair<std::string, Cut>> cuts_;
};

template <typename Part> Result<std::pair<cute::Layout, int64_t>> pairOf(Result<Part> part) {
  if (!part)
    return std::unexpected(std::move(part.error()));
  return std::pair(std::move(part->layout), part->offset);
}

/// The method `get_slice(thread)` of an object that has `threads` threads.
Value getSlice(std::string name, int64_t threads, std::function<Value(int64_t)> make) {
  return BuiltinValue::make({.name = std::move(name),
                             .signature = "get_slice(thread)",
                             .doc = "One thread's view, which partitions layouts.",
                             .call = [threads, make = std::move(make)](C &, const A &args) -> R {
                               int64_t thread = LANESCOPE_TRY(args.integer(0));
                               if (thread < 0 || thread >= threads)
                                 return args.wrongValue(0, Message("there are threads 0 to {}", threads - 1));
                               return make(thread);
                             }});
}

bool isSlice(const std::string &name) { return name == "get_slice" || name == "get_thread_slice"; }

} // namespace

Result<Value> TiledMmaObject::attribute(Context &context, const std::string &name) {
  if (!isSlice(name))
    return RecordObject::attribute(context, name);
  return getSlice(name, mma.threads.size(), [mma = mma](int64_t thread) {
    std::vector<std::pair<std::string, ThreadSlice::Cut>> cuts;
    for (auto [label, operand] :
         {std::pair("partition_A", TiledMma::A), {"partition_B", TiledMma::B}, {"partition_C", TiledMma::C}})
      cuts.emplace_back(label, [mma, thread, operand](const cute::Layout &tensor) {
        return pairOf(mma.partition(operand, tensor, thread));
      });
    return Value(std::make_shared<ThreadSlice>("thr_mma", std::move(cuts)));
  });
}
std::vector<std::string> TiledMmaObject::members() const {
  std::vector<std::string> out = RecordObject::members();
  out.insert(out.end(), {"get_slice", "get_thread_slice"});
  return out;
}

Result<Value> TiledCopyObject::attribute(Context &context, const std::string &name) {
  if (!isSlice(name))
    return RecordObject::attribute(context, name);
  return getSlice(name, copy.layout.mode(0).size(), [copy = copy](int64_t thread) {
    return Value(std::make_shared<ThreadSlice>(
        "thr_copy",
        std::vector<std::pair<std::string, ThreadSlice::Cut>>{
            {"partition_S", [copy, thread](const cute::Layout &t) { return pairOf(copy.partitionSource(t, thread)); }},
            {"partition_D",
             [copy, thread](const cute::Layout &t) { return pairOf(copy.partitionDestination(t, thread)); }}}));
  });
}
std::vector<std::string> TiledCopyObject::members() const {
  std::vector<std::string> out = RecordObject::members();
  out.insert(out.end(), {"get_slice", "get_thread_slice"});
  return out;
}

Builtins cuteAtomBuiltins() {
  Builtins out = {
      {"mma_atom", "mma_atom(name)",
       "A tensor-core instruction by CuTe's name: its shape, ThrID and (thread, value) layouts of A, B and C.\n\nThe "
       "names are those of SM61 to SM120; the name alone (with or without quotes) is a layout too, that of C. SM100's "
       "need their template "
       "arguments.\n\nmma_atom(\"SM80_16x8x16_F32F16F16F32_TN\").LayoutA_TV is "
       "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))",
       mmaAtom},
      {"copy_atom", "copy_atom(name, dtype=None)",
       "A copy instruction by CuTe's name: the (thread, value) layouts of what it reads and writes, in bits or in "
       "values of `dtype`.\n\ncopy_atom(\"SM75_U32x4_LDSM_N\", f16).ValLayoutDst is (_32,(_2,_4)):(_2,(_1,_64))",
       copyAtom},
      {"make_tiled_mma", "make_tiled_mma(atom, thr_layout=None, permutation=None)",
       "An instruction repeated over warps: the (thread, value) layouts of the whole tile.\n\natom: a mma_atom or its "
       "name; thr_layout: how many atoms along M, N, K; permutation: a tile of M, N, K. `get_slice(thread)` has "
       "partition_A, partition_B and partition_C.\n\nmake_tiled_mma(\"SM80_16x8x16_F32F16F16F32_TN\", (2, 2, 1), (32, "
       "32, 16)).threads is 128",
       makeTiledMma},
      {"make_tiled_copy", "make_tiled_copy(atom, thr_layout, val_layout=None)",
       "A copy repeated over threads and values: TiledLayout_TV, and what is read and written.\n\natom: a copy_atom or "
       "its name; thr_layout and val_layout: from (m, n) to the thread and to the value. `get_slice(thread)` has "
       "partition_S and partition_D.\n\nmake_tiled_copy(copy_atom(\"UniversalCopy<uint128_t>\", f16), "
       "\"(32,8):(8,1)\", "
       "\"(1,8):(8,1)\").tiler_mn is (32, 64)",
       makeTiledCopy},
      {"make_tiled_copy_A", "make_tiled_copy_A(atom, tiled_mma)",
       "The copy of what a tiled MMA's A needs.\n\nmake_tiled_copy_A(copy_atom(\"SM75_U32x4_LDSM_N\", f16), "
       "make_tiled_mma(\"SM80_16x8x16_F32F16F16F32_TN\")).LayoutS_TV",
       copyOfOperand(TiledMma::A)},
      {"make_tiled_copy_B", "make_tiled_copy_B(atom, tiled_mma)",
       "The copy of what a tiled MMA's B needs.\n\nmake_tiled_copy_B(copy_atom(\"SM75_U32x2_LDSM_N\", f16), "
       "make_tiled_mma(\"SM80_16x8x16_F32F16F16F32_TN\")).LayoutS_TV",
       copyOfOperand(TiledMma::B)},
      {"make_tiled_copy_C", "make_tiled_copy_C(atom, tiled_mma)",
       "The copy of what a tiled MMA's C holds.\n\nmake_tiled_copy_C(copy_atom(\"SM90_U32x2_STSM_N\", f16), "
       "make_tiled_mma(\"SM80_16x8x16_F16F16F16F16_TN\")).LayoutD_TV",
       copyOfOperand(TiledMma::C)},
      {"make_layout_tv", "make_layout_tv(thr_layout, val_layout)",
       "(tiler, layout): the (thread, value) layout that repeats the values over the "
       "threads.\n\nmake_layout_tv(\"(2,3):(3,1)\", \"(2,2):(2,1)\") is ((4, 6), ((3,2),(2,2)):((8,2),(4,1)))",
       makeLayoutTv},
      {"tile_to_shape", "tile_to_shape(block, shape, order=None)",
       "A block of shared memory repeated until it covers the shape, along the modes in that order (column-major "
       "without one).\n\ntile_to_shape(Layout_K_SW128_Atom(f16), (128, 64)) is Sw<3,4,3> o smem_ptr[16b](unset) o "
       "((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
       tileToShape},
      {"make_ordered_layout", "make_ordered_layout(shape, order)",
       "The compact layout whose strides grow in that order of the modes.\n\nmake_ordered_layout((4, 8, 2), (2, 0, 1)) "
       "is (4,8,2):(16,1,8)",
       orderedLayout},
      {"make_identity_layout", "make_identity_layout(shape)",
       "The layout of coordinates: (i, j) at (i, j).\n\nmake_identity_layout((4, 8)) is (4,8):(_1@0,_1@1)",
       identityLayout},
      {"layout_at", "layout_at(layout, *coordinate)",
       "The offset of a coordinate, nested or not; with None or \"_\" in it the part of the layout that is "
       "left.\n\nA layout called with a coordinate is this: cute((4, (2, 8)))(1, (1, 3)), and with None in it "
       "cute((4, 8))(None, 3).\n\nlayout_at(cute((4, (2, 8))), 1, (1, 3)) is 29",
       layoutAt},
      {"crd2idx", "crd2idx(coord, layout, stride=None)",
       "The offset of a coordinate in a CuTe layout, or in a shape with its strides; swizzle included.\n\nOne number a "
       "mode, nested as the shape is, or one index for all.\n\ncrd2idx((3, 10), \"Sw<3,3,3> o 0 o (8,64):(64,1)\") is "
       "210",
       coordinateToIndex},
      {"idx2crd", "idx2crd(index, shape)",
       "The coordinate of an index in a shape (or a layout's), nested as it is.\n\nidx2crd(14, (4, (2, 8))) is (2, (1, "
       "1))",
       indexToCoordinate},
      {"slice_and_offset", "slice_and_offset(coord, layout)",
       "(layout, offset): the modes where the coordinate is None or \"_\", and where they "
       "begin.\n\nslice_and_offset((None, 3), \"(4,8):(8,1)\") is ((4):(8), 3)",
       sliceAndOffset},
  };
  for (const std::string &name : cute::smemAtomNames())
    out.push_back({name, name + "(dtype)",
                   text("Shared memory as wgmma and tcgen05.mma read it: ",
                        name.find("_MN_") == std::string::npos ? "K" : "M or N", " runs along rows of ",
                        name.find("INTER") != std::string::npos  ? "16 bytes, without a swizzle"
                        : name.find("SW32") != std::string::npos ? "32 bytes, swizzled over as much"
                        : name.find("SW64") != std::string::npos ? "64 bytes, swizzled over as much"
                                                                 : "128 bytes, swizzled over as much",
                        "; tile_to_shape repeats it.\n\n", name, "(f16)"),
                   smemAtom(name)});
  for (Builtin &builtin : out)
    builtin.group = "CuTe";
  return out;
}

} // namespace lanescope::repl
