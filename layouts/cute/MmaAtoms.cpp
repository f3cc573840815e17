#include "layouts/cute/MmaAtoms.h"

#include "layouts/cute/AtomNames.h"
#include "layouts/cute/ThreadValue.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

using lanescope::text;

/// A family of instructions, whose names differ only in the parts that the members list, separated by blanks. `bits`:
/// bits per element of A and B.
struct Family {
  std::string_view arch, sizes, types, suffixes;
  int bits;
};
constexpr std::string_view kInt8 = "S32S8S8 S32S8U8 S32U8S8 S32U8U8";
constexpr std::string_view kFp8 = "F16E4M3E4M3 F16E4M3E5M2 F16E5M2E4M3 F16E5M2E5M2 F32E4M3E4M3 F32E4M3E5M2 F32E5M2E4M3 "
                                  "F32E5M2E5M2";
constexpr std::string_view kSaturate = "SS_TN RS_TN SS_TN_SATURATE RS_TN_SATURATE";
constexpr Family kFamilies[] = {
    {"SM70", "8x8x4", "F16F16F16F16 F32F16F16F32", "TN NT NN TT", 16},
    {"SM75", "16x8x8", "F32F16F16F32 F16F16F16F16", "TN", 16},
    {"SM75", "8x8x16", "S32S8S8S32", "TN", 8},
    {"SM80", "16x8x8 16x8x16", "F16F16F16F16 F32F16F16F32 F32BF16BF16F32", "TN", 16},
    {"SM80", "16x8x4 16x8x8", "F32TF32TF32F32", "TN", 32},
    {"SM80", "8x8x4", "F64F64F64F64 C64C64C64C64 GC64C64C64GC64", "TN", 64},
    {"SM80", "8x8x16 16x8x16 16x8x32", "S32S8S8S32 S32S8U8S32 S32U8S8S32 S32U8U8S32", "TN TN_SATURATE", 8},
    {"SM80", "8x8x32 16x8x32 16x8x64", "S32S4S4S32 S32S4U4S32 S32U4S4S32 S32U4U4S32", "TN TN_SATURATE", 4},
    {"SM80", "8x8x128 16x8x128 16x8x256", "S32U1U1S32", "TN_XORPOPC TN_ANDPOPC", 1},
    {"SM89", "16x8x32",
     "F32E4M3E4M3F32 F32E4M3E5M2F32 F32E5M2E5M2F32 F32E5M2E4M3F32 F16E4M3E4M3F16 F16E4M3E5M2F16 F16E5M2E5M2F16 "
     "F16E5M2E4M3F16",
     "TN", 8},
    {"SM90", "16x8x4 16x8x8 16x8x16", "F64F64F64F64 C64C64C64C64", "TN", 64},
    {"SM90", "64xNx16", "F16F16F16 F32F16F16 F32BF16BF16", "SS RS", 16},
    {"SM90", "64xNx8", "F32TF32TF32", "SS_TN RS_TN", 32},
    {"SM90", "64xNx32", kFp8, "SS_TN RS_TN", 8},
    {"SM90", "64xNx32", kInt8, kSaturate, 8},
    {"SM90_SPARSE", "64xNx32", "F16F16F16 F32F16F16 F32BF16BF16", "SS RS", 16},
    {"SM90_SPARSE", "64xNx16", "F32TF32TF32", "SS_TN RS_TN", 32},
    {"SM90_SPARSE", "64xNx64", kFp8, "SS_TN RS_TN", 8},
    {"SM90_SPARSE", "64xNx64", kInt8, kSaturate, 8},
};

/// Blackwell's instructions, whose types and sizes are template arguments. `bits`: bits per element of A; 0: the type
/// decides.
struct Blackwell {
  std::string_view name;
  int bits;
  int kBits = 256; // bits per row of A along K
};
constexpr Blackwell kBlackwell[] = {{"TF32", 32},    {"F16BF16", 16}, {"S8", 8},      {"F8F6F4", 8},
                                    {"MXF8F6F4", 8}, {"MXF4", 4},     {"MXF4NVF4", 4}};

/// For wgmma on integers, N grows by 16 from 32 on.
bool isN(int64_t n, std::string_view types) {
  bool integers = types.starts_with("S32");
  return n >= 8 && n <= 256 && n % 8 == 0 && (!integers || n <= 24 || n % 16 == 0);
}

/// Rows as a warp's registers hold them (with 64 rows, a warpgroup's). Four threads share a row; each has `packed`
/// adjacent elements of it. A thread's next elements are those of the row 8 rows below, and then those further along
/// the row.
Layout rowsOfFour(int64_t rows, int64_t columns, int64_t packed) {
  SizeStrides threads = {{4, packed * rows}, {8, 1}};
  if (rows == 64)
    threads.emplace_back(4, 16); // the warps, with 16 rows each
  return threadValue(threads, {{packed, rows}, {rows > 8 ? 2 : 1, 8}, {columns / (4 * packed), 4 * packed * rows}});
}

/// An operand in shared memory: each thread has the whole tile. (threads, (rows, columns)):(0, (1, rows)).
Layout sharedByAll(int64_t threads, int64_t rows, int64_t columns) {
  return {IntTuple::of({IntTuple(threads, true), IntTuple::of({IntTuple(rows, true), IntTuple(columns, true)})}),
          IntTuple::of({IntTuple(0, true), IntTuple::of({IntTuple(1, true), IntTuple(rows, true)})})};
}

/// Volta's instructions: a quad pair has eight threads, 0 to 3 and 16 to 19.
void quadPair(std::string_view types, std::string_view order, MmaAtom &atom) {
  Layout row = threadValue({{8, 1}}, {{4, 8}}), column = threadValue({{4, 8}, {2, 4}}, {{4, 1}});
  atom.threads = modeOf({{4, 1}, {2, 16}});
  atom.operand[TiledMma::A] = order[0] == 'T' ? row : column; // transposed: K runs along a thread's values
  atom.operand[TiledMma::B] = order[1] == 'N' ? row : column;
  atom.operand[TiledMma::C] = types.starts_with("F32")
                                  ? threadValue({{2, 1}, {2, 16}, {2, 4}}, {{2, 8}, {2, 2}, {2, 32}})
                                  : threadValue({{8, 1}}, {{8, 8}});
}

constexpr int kRegisterBits = 32;

void ofWarp(int bits, MmaAtom &atom) {
  auto [m, n, k] = atom.shape;
  int64_t packed = std::max(1, kRegisterBits / bits);
  atom.threads = modeOf({{32, 1}});
  atom.operand[TiledMma::A] = rowsOfFour(m, k, packed);
  atom.operand[TiledMma::B] = rowsOfFour(n, k, packed);
  atom.operand[TiledMma::C] = rowsOfFour(m, n, 2);
}

/// wgmma: B is in shared memory, A is there too (SS) or in registers (RS). A sparse A has two values for each stored
/// one.
void ofWarpgroup(const Family &family, bool registers, MmaAtom &atom) {
  constexpr int64_t kWarpgroup = 128;
  auto [m, n, k] = atom.shape;
  atom.threads = modeOf({{kWarpgroup, 1}});
  int64_t packed = kRegisterBits / family.bits * (family.arch == "SM90_SPARSE" ? 2 : 1);
  atom.operand[TiledMma::A] = registers ? rowsOfFour(m, k, packed) : sharedByAll(kWarpgroup, m, k);
  atom.operand[TiledMma::B] = sharedByAll(kWarpgroup, n, k);
  atom.operand[TiledMma::C] = rowsOfFour(m, n, 2);
}

std::vector<int64_t> sizesOf(std::string_view words) {
  std::vector<int64_t> out;
  while (!words.empty()) {
    size_t end = std::min(words.find('x'), words.size());
    std::optional<int64_t> size = parseInteger<int64_t>(words.substr(0, end));
    if (!size)
      return {};
    out.push_back(*size);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out;
}

bool has(std::string_view words, std::string_view word) {
  std::vector<std::string_view> all = wordsOf(words);
  return std::ranges::find(all, word) != all.end();
}

/// The parts of a name: "SM80", "16x8x16", "F32F16F16F32", "TN".
struct NameParts {
  std::string_view arch, sizes, types, suffix;
};
NameParts partsOf(std::string_view name) {
  NameParts out;
  size_t arch = name.starts_with("SM90_SPARSE_") ? 11 : std::min(name.find('_'), name.size());
  out.arch = name.substr(0, arch);
  std::string_view rest = name.substr(std::min(arch + 1, name.size()));
  for (std::string_view *part : {&out.sizes, &out.types}) {
    size_t end = std::min(rest.find('_'), rest.size());
    *part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  out.suffix = rest;
  return out;
}

const Family *familyOf(const NameParts &parts, const std::vector<int64_t> &sizes) {
  for (const Family &family : kFamilies) {
    if (family.arch != parts.arch || !has(family.types, parts.types) || !has(family.suffixes, parts.suffix))
      continue;
    bool ofWgmma = family.sizes.starts_with("64xN");
    if (ofWgmma ? sizes[0] == 64 && text("64xNx", sizes[2]) == family.sizes && isN(sizes[1], family.types)
                : has(family.sizes, parts.sizes))
      return &family;
  }
  return nullptr;
}

/// One thread's multiply-add of any type, in CuTe's C++ and in its DSL. Its layouts do not depend on the types.
constexpr std::string_view kUniversal = "UniversalFMA", kUniversalOfDsl = "MmaUniversalOp";
/// The DSL's warp-level products of 16-bit floats: `MmaF16BF16Op(Float16, Float32, (16, 8, 16))`.
constexpr std::string_view kWarpOfDsl = "MmaF16BF16Op";

std::unexpected<Diagnostics> noAtom(Message message) { return error("cute-atom", std::move(message)); }

/// SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, …>: one thread starts the product. In a pair of CTAs
/// (`2x1SM`), each CTA has half of M and of B's N.
Result<MmaAtom> blackwellAtom(const AtomName &given) {
  std::string_view rest = std::string_view(given.name).substr(10);
  std::string_view kind = rest.substr(0, rest.find('_'));
  const auto *known = std::ranges::find(kBlackwell, kind, &Blackwell::name);
  rest.remove_prefix(std::min(kind.size() + 1, rest.size()));
  bool pair = rest.starts_with("2x1SM_");
  if (pair)
    rest.remove_prefix(6);
  bool sparse = rest.ends_with("_SPARSE");
  if (sparse)
    rest.remove_suffix(7);
  if (rest.ends_with("_SCALED"))
    rest.remove_suffix(7);
  if (known == std::end(kBlackwell) || (rest != "SS" && rest != "TS"))
    return noAtom(
        Message("`{name}` is no instruction of CuTe's{}", given.name, nearestAtom(given.name, mmaAtomNames())));
  std::vector<int64_t> sizes;
  for (const std::string &argument : given.arguments)
    if (std::optional<int64_t> size = parseInteger<int64_t>(argument); size && sizes.size() < 2)
      sizes.push_back(*size);
  if (sizes.size() < 2)
    return noAtom(Message(
        "`{name}` needs its types, M and N, as `{}<half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>`",
        given.name, given.name));
  int64_t m = sizes[0], n = sizes[1], k = known->kBits / known->bits * (sparse ? 2 : 1);
  if (m < 32 || m > 256 || m % 32 != 0 || n < 8 || n > 256 || n % 8 != 0)
    return noAtom(Message("`{name}` has M of 64, 128 or 256 and N up to 256, not {}x{}", given.name, m, n));
  MmaAtom out{.name = given.name, .shape = {m, n, k}};
  int64_t ctas = pair ? 2 : 1;
  out.threads = modeOf({{ctas, 1}});
  if (!pair)
    out.threads = {IntTuple(1, true), IntTuple(0, true)};
  auto part = [&](int64_t rows, int64_t columns) {
    return Layout{
        IntTuple::of({IntTuple(ctas, true), IntTuple::of({IntTuple(rows / ctas, true), IntTuple(columns, true)})}),
        IntTuple::of(
            {IntTuple(pair ? rows / ctas : 0, true), IntTuple::of({IntTuple(1, true), IntTuple(rows, true)})})};
  };
  out.operand = {part(m, k), part(n, k), part(m, n)};
  return out;
}

/// Products by one thread (UniversalFMA, SM61's dot products and SM100's pairs), and SM120's, whose types are template
/// arguments.
std::optional<MmaAtom> otherAtom(const AtomName &given) {
  MmaAtom out{.name = given.name};
  if (given.name == kUniversal || given.name == kUniversalOfDsl) {
    out.shape = {1, 1, 1};
    out.threads = {IntTuple(1, true), IntTuple(0, true)};
    out.operand.fill(threadValue({}, {}));
    return out;
  }
  if (given.name == "SM100_2x1x1_F32F32F32F32" || given.name == "SM100_1x2x1_F32F32F32F32") { // two sums at once
    bool rows = given.name.starts_with("SM100_2");
    out.shape = {rows ? 2 : 1, rows ? 1 : 2, 1};
    out.threads = {IntTuple(1, true), IntTuple(0, true)};
    Layout one = threadValue({}, {}), two = threadValue({}, {{2, 1}});
    out.operand = {rows ? two : one, rows ? one : two, two};
    return out;
  }
  if (given.name == "SM61_DP4A" || given.name == "SM61_DP2A") {
    out.shape = {1, 1, given.name == "SM61_DP4A" ? 4 : 2};
    out.threads = {IntTuple(1, true), IntTuple(0, true)};
    Layout row = makeLayout({Layout{IntTuple(1, true), IntTuple(0, true)}, modeOf({{out.shape[2], 1}})});
    out.operand = {row, row, threadValue({}, {})};
    return out;
  }
  bool scaled = given.name.ends_with("_VS");
  if (given.name == "SM120_16x8x32_TN" || given.name == "SM120_16x8x32_TN_VS") {
    out.shape = {16, 8, 32};
    ofWarp(8, out); // also elements of 4 and 6 bits, because each has its own byte
    return out;
  }
  if (scaled && given.name == "SM120_16x8x64_TN_VS") {
    out.shape = {16, 8, 64};
    ofWarp(4, out);
    return out;
  }
  return std::nullopt;
}

/// The C++ name of the DSL's `MmaF16BF16Op(type, accumulator, (m, n, k))`.
Result<std::string> nameOfWarpOp(const AtomName &given) {
  std::array<std::string, 3> parts; // by position or by keyword
  constexpr std::array<std::string_view, 3> kKeywords = {"ab_dtype", "acc_dtype", "shape_mnk"};
  for (size_t i = 0; i < given.arguments.size(); ++i) {
    std::string_view argument = given.arguments[i];
    size_t at = i, equals = argument.find('=');
    if (equals != std::string_view::npos) {
      std::string_view keyword = argument.substr(0, std::min(argument.find(' '), equals));
      at = static_cast<size_t>(std::ranges::find(kKeywords, keyword) - kKeywords.begin());
      argument.remove_prefix(equals + 1);
    }
    if (at < parts.size())
      for (char c : argument)
        if (c != ' ')
          parts[at] += c;
  }
  auto type = [](std::string_view name) -> std::string_view {
    return name.ends_with("BFloat16")  ? "BF16"
           : name.ends_with("Float16") ? "F16"
           : name.ends_with("Float32") ? "F32"
                                       : "";
  };
  std::string sizes;
  for (char c : parts[2])
    if (c != '(' && c != ')')
      sizes += c == ',' ? 'x' : c;
  std::string_view operands = type(parts[0]), sum = type(parts[1]);
  if (operands.empty() || sum.empty() || sizesOf(sizes).size() != 3)
    return noAtom("`MmaF16BF16Op` needs its types and its shape, as `MmaF16BF16Op(Float16, Float32, (16, 8, 16))`");
  return text("SM80_", sizes, '_', sum, operands, operands, sum, "_TN");
}

} // namespace

bool looksLikeMmaAtom(std::string_view written) {
  std::string name = atomName(written).name;
  if (name.starts_with("SM61_DP") || name.starts_with("SM100_MMA_") || name == kUniversal || name == kUniversalOfDsl ||
      name == kWarpOfDsl)
    return true;
  if (!name.starts_with("SM"))
    return false;
  NameParts parts = partsOf(name);
  return std::ranges::count(parts.sizes, 'x') == 2 && sizesOf(parts.sizes).size() == 3;
}

Result<MmaAtom> mmaAtom(std::string_view written) {
  AtomName given = atomName(written);
  if (given.name == kWarpOfDsl) {
    Result<std::string> name = nameOfWarpOp(given);
    return name ? mmaAtom(*name) : std::unexpected(std::move(name.error()));
  }
  if (given.name.starts_with("SM100_MMA_"))
    return blackwellAtom(given);
  if (std::optional<MmaAtom> other = otherAtom(given))
    return *std::move(other);
  NameParts parts = partsOf(given.name);
  std::vector<int64_t> sizes = sizesOf(parts.sizes);
  const Family *family = sizes.size() == 3 ? familyOf(parts, sizes) : nullptr;
  if (!family)
    return noAtom(Message("`{}` is no instruction of CuTe's{}", given.name.substr(0, 80),
                          nearestAtom(given.name, mmaAtomNames())));
  MmaAtom out{.name = given.name, .shape = {sizes[0], sizes[1], sizes[2]}};
  if (family->arch == "SM70")
    quadPair(parts.types, parts.suffix, out);
  else if (sizes[0] == 64)
    ofWarpgroup(*family, parts.suffix.starts_with("RS"), out);
  else
    ofWarp(family->bits, out);
  return out;
}

const std::vector<std::string> &mmaAtomNames() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out = {std::string(kUniversal), "SM61_DP4A", "SM61_DP2A", "SM100_2x1x1_F32F32F32F32",
                                    "SM100_1x2x1_F32F32F32F32"};
    auto add = [&](const Family &family, const std::string &sizes) {
      for (std::string_view types : wordsOf(family.types))
        for (std::string_view suffix : wordsOf(family.suffixes))
          out.push_back(text(family.arch, '_', sizes, '_', types, '_', suffix));
    };
    for (const Family &family : kFamilies)
      for (std::string_view sizes : wordsOf(family.sizes)) {
        if (!sizes.starts_with("64xN")) {
          add(family, std::string(sizes));
          continue;
        }
        for (int64_t n = 8; n <= 256; n += 8)
          if (isN(n, family.types))
            add(family, text("64x", n, sizes.substr(4)));
      }
    for (const Blackwell &each : kBlackwell)
      for (std::string_view ctas : {"", "2x1SM_"})
        for (std::string_view memory : {"SS", "TS"})
          out.push_back(text("SM100_MMA_", each.name, '_', ctas, memory));
    for (std::string_view name : {"SM120_16x8x32_TN", "SM120_16x8x32_TN_VS", "SM120_16x8x64_TN_VS"})
      out.emplace_back(name);
    return out;
  }();
  return all;
}

Result<TiledMma> tiledMma(const MmaAtom &atom, const Layout &atoms, const Tiler &permutation) {
  constexpr size_t kModes = 3; // M, N, K
  if (atoms.rank() > kModes)
    return error("cute-rank", Message("the atoms' layout `{}` has {modes} modes; M, N and K are all that there are",
                                      cppText(atoms), atoms.rank()));
  std::vector<Layout> modes;
  for (size_t i = 0; i < kModes; ++i)
    modes.push_back(i < atoms.rank() ? atoms.mode(i) : Layout{IntTuple(1, true), IntTuple(0, true)});
  TiledMma out{.shape = atom.shape, .atom = atom.operand};
  // This is what tiled_product does: first the threads of the atom, then the atoms in their order.
  Result<Layout> product = tiledProduct(atom.threads, Tiler::of(makeLayout(modes)));
  if (!product)
    return std::unexpected(std::move(product.error()));
  out.threads = *std::move(product);
  if (permutation.kind == Tiler::Kind::Layout)
    return error("cute-rank",
                 Message("the permutation `{permutation}` needs a mode for each of M, N, K", cppText(permutation)));
  if (permutation.modes.size() > kModes)
    return error("cute-rank",
                 Message("the permutation `{permutation}` has more modes than M, N and K", cppText(permutation)));
  std::ranges::copy(permutation.modes, out.permutation.begin());
  return out;
}

} // namespace lanescope::layouts::cute
