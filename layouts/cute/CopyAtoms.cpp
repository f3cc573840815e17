#include "layouts/cute/CopyAtoms.h"

#include "layouts/cute/AtomNames.h"
#include "layouts/cute/ThreadValue.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

constexpr int64_t kLanes = 32;
constexpr int64_t kRowBits = 128, kMatrixBits = 8 * kRowBits; // a row and a matrix of ldmatrix

std::unexpected<Diagnostics> noAtom(Message message) { return error("cute-atom", std::move(message)); }

/// A copy that one thread makes (CuTe's `Layout<Shape<_1,Int<bits>>>`).
CopyAtom ofThread(std::string name, int64_t bits) {
  Layout run = makeLayout({Layout{IntTuple(1, true), IntTuple(0, true)}, modeOf({{bits, 1}})});
  return {std::move(name), {IntTuple(1, true), IntTuple(0, true)}, run, run, run};
}

/// Rows of 128 bits: the first 8 threads per matrix have one row each, and the remaining threads repeat them.
Layout rows(int64_t matrices) {
  int64_t threads = 8 * matrices;
  return threadValue({{threads, kRowBits}, {kLanes / threads, 0}}, {{kRowBits, 1}});
}

enum class Direction { Load, Store };
CopyAtom ofMatrices(std::string name, Direction direction, Layout shared, Layout registers) {
  CopyAtom out{.name = std::move(name), .threads = modeOf({{kLanes, 1}})};
  out.source = direction == Direction::Load ? shared : registers;
  out.destination = direction == Direction::Load ? registers : shared;
  out.reference = registers;
  return out;
}

/// The word of each matrix that a thread holds. In a transposed matrix, it consists of two halves from two rows.
Layout words(int64_t matrices) { return threadValue({{kLanes, 32}}, {{32, 1}, {matrices, kMatrixBits}}); }
Layout halves(int64_t matrices) {
  return threadValue({{4, 2 * kRowBits}, {8, 16}}, {{16, 1}, {2, kRowBits}, {matrices, kMatrixBits}});
}
/// Blackwell's transposed matrices of bytes, 16 rows of 8.
Layout bytes(int64_t matrices) {
  return threadValue({{4, 2 * kRowBits}, {8, 8}}, {{8, 1}, {2, kRowBits}, {2, kRowBits / 2}, {matrices, kMatrixBits}});
}

std::optional<CopyAtom> matrixAtom(const std::string &name) {
  struct Kind {
    std::string_view prefix, unit, suffix;
    int64_t perMatrix; // registers per matrix, in the given unit
    Direction direction;
    Layout (*registers)(int64_t);
  };
  static constexpr Kind kKinds[] = {{"SM75_", "U32x", "_LDSM_N", 1, Direction::Load, words},
                                    {"SM75_", "U16x", "_LDSM_T", 2, Direction::Load, halves},
                                    {"SM90_", "U32x", "_STSM_N", 1, Direction::Store, words},
                                    {"SM90_", "U16x", "_STSM_T", 2, Direction::Store, halves},
                                    {"SM100_", "U8x", "_STSM_T", 4, Direction::Store, bytes}};
  for (const Kind &kind : kKinds)
    for (int64_t matrices : {1, 2, 4})
      if (name == text(kind.prefix, kind.unit, matrices * kind.perMatrix, kind.suffix))
        return ofMatrices(name, kind.direction, rows(matrices), kind.registers(matrices));
  // Matrices of bytes come in pairs of 16 rows, whose addresses interleave.
  for (int64_t matrices : {2, 4})
    if (name == text("SM100_U8x", 4 * matrices, "_LDSM_T"))
      return ofMatrices(
          name, Direction::Load,
          threadValue({{2, kRowBits}, {2, kMatrixBits}, {4, 2 * kRowBits}, {2, matrices == 4 ? 2 * kMatrixBits : 0}},
                      {{kRowBits, 1}}),
          bytes(matrices));
  for (std::string_view unit : {"SU4_DU8x16", "SU6_DU8x16"}) // the load widens these elements
    for (int64_t matrices : {1, 2, 4})
      if (name == text("SM100_", unit, "_x", matrices, "_LDSM_N"))
        return ofMatrices(name, Direction::Load, rows(matrices), words(matrices));
  if (name == "SM75_U32x1_MOVM_T")
    return ofMatrices(name, Direction::Load, words(1), words(1));
  Layout own = threadValue({{kLanes, 64}}, {{64, 1}});
  if (name == "SM50_Shuffle_U32_2x2Trans_XOR1")
    return CopyAtom{name, modeOf({{kLanes, 1}}), own, threadValue({{2, 32}, {16, 128}}, {{32, 1}, {2, 64}}), own};
  if (name == "SM50_Shuffle_U32_2x2Trans_XOR4")
    return CopyAtom{name, modeOf({{kLanes, 1}}), own, threadValue({{4, 64}, {2, 32}, {4, 512}}, {{32, 1}, {2, 256}}),
                    own};
  return std::nullopt;
}

/// The atom of SM100_TMEM_LOAD_32dp32b4x, which copies a warp's part of tensor memory to registers, or of
/// SM100_TMEM_STORE_…, which copies it back. All threads of the warp share the side in tensor memory.
std::optional<CopyAtom> tmemAtom(const std::string &name) {
  bool load = name.starts_with("SM100_TMEM_LOAD_"), store = name.starts_with("SM100_TMEM_STORE_");
  if (!load && !store)
    return std::nullopt;
  std::string_view rest = std::string_view(name).substr(load ? 16 : 17);
  if (rest.ends_with("_16b"))
    rest.remove_suffix(4);
  bool wide = rest.starts_with("16dp256b");
  if ((!wide && !rest.starts_with("32dp32b")) || !rest.ends_with('x'))
    return std::nullopt;
  rest.remove_prefix(wide ? 8 : 7);
  rest.remove_suffix(1);
  std::optional<int64_t> times = parseInteger<int64_t>(rest);
  if (!times || *times < 1 || *times > (wide ? 32 : 128) || (*times & (*times - 1)) != 0)
    return std::nullopt;
  int64_t laneBits = (wide ? 256 : 32) * *times, lanes = wide ? 16 : 32;
  Layout memory = threadValue({{kLanes, 0}}, {{lanes * laneBits, 1}});
  Layout registers = wide ? threadValue({{4, 64}, {8, laneBits}}, {{64, 1}, {2, 8 * laneBits}, {*times, 256}})
                          : threadValue({{kLanes, laneBits}}, {{laneBits, 1}});
  return CopyAtom{name, modeOf({{kLanes, 1}}), load ? memory : registers, load ? registers : memory, memory};
}

/// CuTe DSL's copies by one thread. A program gives their width when it makes an atom of them.
constexpr std::string_view kThreadOfDsl[] = {"CopyUniversalOp", "CopyG2SOp", "CopyG2ROp",
                                             "CopyR2GOp",       "CopyS2ROp", "CopyR2SOp"};
bool isThreadOfDsl(std::string_view name) { return std::ranges::find(kThreadOfDsl, name) != std::end(kThreadOfDsl); }

/// The C++ name of the DSL's `LdMatrix8x8x16bOp(transpose, num_matrices)` and its `StMatrix`; nothing for others.
std::optional<std::string> nameOfMatrixOp(const AtomName &given) {
  bool load = given.name == "LdMatrix8x8x16bOp";
  if (!load && given.name != "StMatrix8x8x16bOp")
    return std::nullopt;
  bool transposed = false;
  int64_t matrices = 1;
  for (std::string_view argument : given.arguments) {
    argument.remove_prefix(std::min(argument.find_first_not_of(' ', argument.find('=') + 1), argument.size()));
    if (std::optional<int64_t> count = parseInteger<int64_t>(argument))
      matrices = *count;
    else
      transposed = argument == "True";
  }
  return text(load ? "SM75" : "SM90", transposed ? "_U16x" : "_U32x", matrices * (transposed ? 2 : 1),
              load ? "_LDSM_" : "_STSM_", transposed ? "T" : "N");
}

/// A copy by one thread. A template argument gives its width.
std::optional<Result<CopyAtom>> threadAtom(const AtomName &given) {
  const std::string &name = given.name;
  auto width = [&](int64_t otherwise) -> Result<int64_t> {
    if (given.arguments.empty())
      return otherwise;
    if (std::optional<int64_t> bits = parseInteger<int64_t>(given.arguments[0]); bits && *bits > 0 && *bits <= 1024)
      return *bits;
    if (std::optional<int> bits = bitsOfType(given.arguments[0]))
      return *bits;
    return noAtom(Message("`{}` is no type whose bits are known, as `uint128_t`", given.arguments[0].substr(0, 60)));
  };
  auto atom = [&](int64_t otherwise) -> Result<CopyAtom> {
    Result<int64_t> bits = width(otherwise);
    return bits ? Result<CopyAtom>(ofThread(name, *bits)) : std::unexpected(std::move(bits.error()));
  };
  constexpr int64_t kVector = 128; // bits, the widest cp.async
  if (name.starts_with("SM80_CP_ASYNC_CACHEALWAYS") || name.starts_with("SM80_CP_ASYNC_CACHEGLOBAL"))
    if (std::string_view rest = std::string_view(name).substr(25); rest.empty() || rest == "_ZFILL")
      return atom(kVector);
  if (isThreadOfDsl(name) && !given.arguments.empty())
    return atom(0);
  if (isThreadOfDsl(name) || name == "AutoVectorizingCopy" || name == "DefaultCopy" ||
      name == "AutoVectorizingCopyWithAssumedAlignment") {
    Layout one{IntTuple(1, true), IntTuple(0, true)}, value = makeLayout({one, one}); // the tensors decide the width
    return CopyAtom{name, one, value, value, value};
  }
  if (name == "UniversalCopy") {
    if (given.arguments.empty())
      return noAtom("`UniversalCopy` needs its type, as `UniversalCopy<uint128_t>`");
    return atom(0);
  }
  if (name == "SM100_LOAD_256bit_CACHE_NOALLOCATION" || name == "SM100_STORE_256bit_CACHE_NOALLOCATION")
    return ofThread(name, 256);
  return std::nullopt;
}

constexpr std::string_view kTma[] = {"SM90_TMA_", "SM100_TMA_", "SM90_BULK_COPY"};

} // namespace

Result<CopyAtom> CopyAtom::as(int valueBits) const {
  CopyAtom out = *this;
  if (valueBits < 1 || valueBits % bits != 0)
    return noAtom(Message("`{name}` counts in {bits}-bit values; {other_bits} bits are not several of them", name, bits,
                          valueBits));
  for (Layout *side : {&out.source, &out.destination, &out.reference}) {
    if (int64_t run = side->mode(1).size(); run > 1 && run % (valueBits / bits) != 0)
      return noAtom(Message("`{name}` moves {bits} bits a thread, no whole values of {}", name, run * bits, valueBits));
    Result<Layout> wider = upcast(*side, valueBits / bits);
    if (!wider)
      return noAtom(
          Message("`{name}` does not move values of {bits} bits: {}", name, valueBits, wider.error().front().message));
    *side = *std::move(wider);
  }
  out.bits = valueBits;
  return out;
}

namespace {

/// The sizes of an atom's layouts. A value has one index, whatever its width, because the layouts describe a thread's
/// run of values.
int64_t threadCount(const CopyAtom &atom) { return atom.reference.mode(0).size(); }
int64_t valueCount(const CopyAtom &atom) { return atom.reference.mode(1).size(); }

Layout shapeLayout(int64_t first, int64_t second) {
  return {IntTuple::of({IntTuple(first, true), IntTuple(second, true)}),
          IntTuple::of({IntTuple(1, true), IntTuple(first, true)})};
}

} // namespace

Result<Layout> TiledCopy::layoutOf(const Layout &side) const {
  Result<Layout> inverse = rightInverse(atom.reference);
  Result<Layout> toSide = inverse ? composition(*inverse, side) : inverse;
  Result<Tiler> block =
      Tiler::ofShape(IntTuple::of({IntTuple(threadCount(atom), true), IntTuple(valueCount(atom), true)}));
  Result<Layout> divided = toSide && block ? zippedDivide(layout, *block) : toSide;
  // ((thread, value) of the atom, (its repetitions)), with the atom's layout seen from this side.
  Result<Layout> seen =
      divided ? composition(*divided, Tiler::of({Tiler::of(*toSide), Tiler::whole()})) : std::move(divided);
  if (!seen)
    return seen;
  Layout own = seen->mode(0), rest = seen->mode(1);
  Layout joined = makeLayout({makeLayout({own.mode(0), rest.mode(0)}), makeLayout({own.mode(1), rest.mode(1)})});
  IntTuple one(1, true);
  return coalesce(joined, IntTuple::of({one, IntTuple::of({one, one})}));
}

Result<Layout> TiledCopy::sourceLayout() const { return layoutOf(atom.source); }
Result<Layout> TiledCopy::destinationLayout() const { return layoutOf(atom.destination); }

Result<TiledCopy::Part> TiledCopy::partition(const Layout &side, const Layout &tensor, int64_t thread) const {
  Result<Layout> own = layoutOf(side);
  Result<Layout> divided = own ? zippedDivide(tensor, tiler) : std::move(own);
  if (divided) // the layout is ((tile), (rest…)); read each tile by thread and value
    divided = composition(*divided, Tiler::of({Tiler::of(*layoutOf(side)), Tiler::whole()}));
  if (!divided)
    return std::unexpected(std::move(divided.error()));
  Layout dealt = divided->mode(0), rest = divided->mode(1);
  if (thread < 0 || thread >= dealt.mode(0).size())
    return error("index-range",
                 Message("the tiled copy has no thread {thread}; it has {count}", thread, dealt.mode(0).size()));
  std::vector<Layout> modes = {dealt.mode(1)};
  for (size_t i = 0; i < rest.rank(); ++i)
    modes.push_back(rest.mode(i));
  return Part{makeLayout(modes), valueAt(dealt.mode(0), thread)};
}

Result<TiledCopy::Part> TiledCopy::partitionSource(const Layout &tensor, int64_t thread) const {
  return partition(atom.source, tensor, thread);
}
Result<TiledCopy::Part> TiledCopy::partitionDestination(const Layout &tensor, int64_t thread) const {
  return partition(atom.destination, tensor, thread);
}

Result<Shape> TiledCopy::tile() const {
  Shape out;
  for (const Tiler &mode : tiler.modes) {
    if (mode.kind != Tiler::Kind::Layout)
      return error("cute-rank", Message("the tiler `{tiler}` has a mode without a size", cppText(tiler)));
    out.push_back(mode.layout.size());
  }
  return out;
}

Result<TiledCopy> tiledCopyOf(const CopyAtom &atom, const Layout &layout, const Shape &tile) {
  std::vector<IntTuple> sizes;
  for (int64_t size : tile)
    sizes.emplace_back(size, true);
  Result<Tiler> tiler = Tiler::ofShape(IntTuple::of(std::move(sizes)));
  if (!tiler)
    return std::unexpected(std::move(tiler.error()));
  if (layout.rank() != 2)
    return error("cute-rank", Message("`{layout}` is no (thread, value) layout", cppText(layout)));
  for (auto [have, need, what] : {std::tuple(layout.mode(0).size(), threadCount(atom), "threads"),
                                  std::tuple(layout.mode(1).size(), valueCount(atom), "values")})
    if (need < 1 || have % need != 0)
      return error("cute-divide", Message("the tiled copy has {} {}, but `{instruction}` moves {} at a time: that "
                                          "many, or several times as many, are needed",
                                          have, what, atom.name, need));
  return TiledCopy{atom, layout, *std::move(tiler)};
}

Result<TiledCopy> tiledCopy(const CopyAtom &atom, const Layout &threads, const Layout &values) {
  Result<Layout> places = rakedProduct(threads, values);
  Result<Layout> inverse = places ? rightInverse(*places) : places;
  Result<Layout> layout =
      inverse ? composition(*inverse, shapeLayout(threads.size(), values.size())) : std::move(inverse);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  Shape tile;
  for (size_t i = 0; i < places->rank(); ++i)
    tile.push_back(places->mode(i).size());
  return tiledCopyOf(atom, *layout, tile);
}

bool looksLikeCopyAtom(std::string_view written) {
  std::string name = atomName(written).name;
  if (name == "UniversalCopy" || name == "AutoVectorizingCopy" || name == "DefaultCopy" ||
      name == "AutoVectorizingCopyWithAssumedAlignment" || isThreadOfDsl(name) || name == "LdMatrix8x8x16bOp" ||
      name == "StMatrix8x8x16bOp")
    return true;
  auto tma = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return name.starts_with("SM") &&
         (name.find("_LDSM_") != std::string::npos || name.find("_STSM_") != std::string::npos ||
          name.find("_CP_ASYNC") != std::string::npos || name.find("_MOVM_") != std::string::npos ||
          name.find("_TMEM_") != std::string::npos || name.find("Shuffle") != std::string::npos ||
          name.find("_CACHE_NOALLOCATION") != std::string::npos || std::ranges::any_of(kTma, tma));
}

Result<CopyAtom> copyAtom(std::string_view written) {
  AtomName given = atomName(written);
  if (std::optional<std::string> name = nameOfMatrixOp(given))
    return copyAtom(*name);
  if (std::optional<CopyAtom> atom = matrixAtom(given.name))
    return *std::move(atom);
  if (std::optional<CopyAtom> atom = tmemAtom(given.name))
    return *std::move(atom);
  if (std::optional<Result<CopyAtom>> atom = threadAtom(given))
    return *std::move(atom);
  for (std::string_view prefix : kTma)
    if (given.name.starts_with(prefix))
      return noAtom(
          Message("`{}` moves boxes whose size its descriptor says, not its name; `smem_map(…)` shows where a box lies",
                  given.name.substr(0, 80)));
  return noAtom(
      Message("`{}` is no copy of CuTe's{}", given.name.substr(0, 80), nearestAtom(given.name, copyAtomNames())));
}

const std::vector<std::string> &copyAtomNames() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (int n : {1, 2, 4}) {
      out.push_back(text("SM75_U32x", n, "_LDSM_N"));
      out.push_back(text("SM75_U16x", 2 * n, "_LDSM_T"));
      out.push_back(text("SM90_U32x", n, "_STSM_N"));
      out.push_back(text("SM90_U16x", 2 * n, "_STSM_T"));
      out.push_back(text("SM100_U8x", 4 * n, "_STSM_T"));
      out.push_back(text("SM100_SU4_DU8x16_x", n, "_LDSM_N"));
      out.push_back(text("SM100_SU6_DU8x16_x", n, "_LDSM_N"));
    }
    for (const char *name :
         {"SM100_U8x8_LDSM_T", "SM100_U8x16_LDSM_T", "SM75_U32x1_MOVM_T", "SM50_Shuffle_U32_2x2Trans_XOR1",
          "SM50_Shuffle_U32_2x2Trans_XOR4", "SM80_CP_ASYNC_CACHEALWAYS", "SM80_CP_ASYNC_CACHEGLOBAL",
          "SM80_CP_ASYNC_CACHEALWAYS_ZFILL", "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL", "SM100_LOAD_256bit_CACHE_NOALLOCATION",
          "SM100_STORE_256bit_CACHE_NOALLOCATION", "UniversalCopy", "DefaultCopy", "AutoVectorizingCopy",
          "AutoVectorizingCopyWithAssumedAlignment"})
      out.emplace_back(name);
    for (const char *direction : {"LOAD", "STORE"}) {
      for (int n = 1; n <= 128; n *= 2)
        out.push_back(text("SM100_TMEM_", direction, "_32dp32b", n, "x"));
      for (int n = 1; n <= 32; n *= 2)
        out.push_back(text("SM100_TMEM_", direction, "_16dp256b", n, "x"));
    }
    return out;
  }();
  return all;
}

} // namespace lanescope::layouts::cute
