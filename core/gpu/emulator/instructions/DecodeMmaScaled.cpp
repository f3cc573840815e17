// mma.sync and mma.sp::ordered_metadata.sync with `.kind::`: 8-, 6- and 4-bit floats of sm_120a, with and without block
// scales (PTX ISA, "mma", "mma.sp", "Block Scaling").
//
// In f8f6f4 and mxf8f6f4, each element is a byte: a 6-bit float is in its lower six bits, a 4-bit one in bits 2 to 5.
// In mxf4 and mxf4nvf4, a byte holds two elements. Let s be the thread-id of a scale's selector. The scales of A are in
// lanes 4 g + 2 s (row g) and 4 g + 2 s + 1 (row g + 8). The scales of B are in lane 4 g + s (column g). The byte-id is
// the first byte of the scales, which follow each other along K. Both are constants or registers with one value in all
// lanes.
//
// A sparse A has twice the K, and its registers hold the stored half in the same places. Lane 4 g + 2 h + u holds the
// metadata of row g + 8 u: two bits for each of its fields 16 h to 16 h + 15. A field is one element that fills a byte,
// or two packed elements (PTX ISA, "Sparse matrix storage").
//
//   mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue8m0 d, a, b, c, sa, {0, 0}, sb,
//   {0, 0};
//
// Sums are computed as for tcgen05.mma (TensorSum.h, ScaledSum.h). No sm_120 hardware was available for measurements.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/MmaFragments.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/TensorRate.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "core/gpu/emulator/tensor/ScaledSum.h"
#include "core/gpu/emulator/tensor/SparsePositions.h"
#include "core/gpu/emulator/tensor/TensorSum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kTermDepth = 16, kWordsA = 4, kMostStored = 64; // elements that a row of a sparse A stores
constexpr uint32_t kFields = 32, kFieldBits = 2, kFieldsPerLane = kFields / 2; // the metadata for one row of A

struct ScaledVariant {
  MatrixType a = MatrixType::E4M3, b = MatrixType::E4M3, scale = MatrixType::UE8M0;
  bool packed = false; // two 4-bit elements per byte
  bool sparse = false;
  bool halfD = false, halfC = false;
  uint8_t scales = 0; // the number of scales along K; 0: no scales
  bool read = false;  // the selectors are in registers, which are read when the instruction runs
  uint8_t byteA = 0, threadA = 0, byteB = 0, threadB = 0;

  uint64_t pack() const {
    return static_cast<uint64_t>(a) | static_cast<uint64_t>(b) << 8 | static_cast<uint64_t>(scale) << 16 |
           static_cast<uint64_t>(packed) << 24 | static_cast<uint64_t>(halfD) << 25 |
           static_cast<uint64_t>(halfC) << 26 | static_cast<uint64_t>(sparse) << 27 |
           static_cast<uint64_t>(scales) << 28 | static_cast<uint64_t>(byteA) << 32 |
           static_cast<uint64_t>(threadA) << 36 | static_cast<uint64_t>(byteB) << 40 |
           static_cast<uint64_t>(threadB) << 44 | static_cast<uint64_t>(read) << 48;
  }
  static ScaledVariant unpack(uint64_t bits) {
    ScaledVariant v;
    v.a = static_cast<MatrixType>(bits & 0xFF);
    v.b = static_cast<MatrixType>(bits >> 8 & 0xFF);
    v.scale = static_cast<MatrixType>(bits >> 16 & 0xFF);
    v.packed = bits >> 24 & 1;
    v.halfD = bits >> 25 & 1;
    v.halfC = bits >> 26 & 1;
    v.sparse = bits >> 27 & 1;
    v.scales = bits >> 28 & 0xF;
    v.byteA = bits >> 32 & 0xF;
    v.threadA = bits >> 36 & 0xF;
    v.byteB = bits >> 40 & 0xF;
    v.threadB = bits >> 44 & 0xF;
    v.read = bits >> 48 & 1;
    return v;
  }
  uint32_t wordsOf(bool half) const { return half ? 2 : 4; }
  uint32_t wordsOfB() const { return sparse ? 4 : 2; }
  uint32_t stored() const { return packed ? 64 : 32; } // elements of a row of A
  uint32_t depth() const { return sparse ? 2 * stored() : stored(); }
};

constexpr uint32_t kScaleRegisters = 2, kThreadsOfA = 2, kThreadsOfB = 4;

/// The registers of D, A, B, C, the metadata, the scales, and the selectors that are in registers: byte and thread of
/// A, then of B.
struct ScaledSlots {
  std::span<const uint32_t> d, a, b, c, metadata, scales, selectors;
  ScaledSlots(Warp &warp, const Instr &i, const ScaledVariant &v) {
    std::span<const uint32_t> all(warp.block->grid->program->lists.data() + i.list, i.listSize);
    auto next = [&](size_t count) {
      auto out = all.first(count);
      all = all.subspan(count);
      return out;
    };
    d = next(v.wordsOf(v.halfD));
    a = next(kWordsA);
    b = next(v.wordsOfB());
    c = next(v.wordsOf(v.halfC));
    metadata = next(v.sparse ? 1 : 0);
    scales = next(v.scales ? kScaleRegisters : 0);
    selectors = all;
  }
};

/// The accumulator in element e of lane l: row l / 4 + 8 * (e / 2), column 2 * (l % 4) + e % 2.
float accumulator(Warp &warp, std::span<const uint32_t> slots, bool half, uint32_t element, uint32_t lane) {
  if (!half)
    return warp.reg<float>(slots[element])[lane];
  return widenF16(static_cast<uint16_t>(warp.reg<uint32_t>(slots[element / 2])[lane] >> (16 * (element & 1))));
}

void giveResult(Warp &warp, std::span<const uint32_t> slots, bool half, uint32_t element, uint32_t lane, float value) {
  if (!half) {
    warp.reg<float>(slots[element])[lane] = value;
    return;
  }
  uint32_t &word = warp.reg<uint32_t>(slots[element / 2])[lane];
  uint32_t shift = 16 * (element & 1);
  word = (word & ~(0xFFFFu << shift)) | static_cast<uint32_t>(narrowF16(value)) << shift;
}

uint8_t scaleOfRow(Warp &warp, const ScaledVariant &v, const ScaledSlots &slots, uint32_t row, uint32_t along) {
  uint32_t lane = row % 8 * 4 + 2 * v.threadA + row / 8;
  return static_cast<uint8_t>(warp.reg<uint32_t>(slots.scales[0])[lane] >> (8 * (v.byteA + along)));
}
uint8_t scaleOfColumn(Warp &warp, const ScaledVariant &v, const ScaledSlots &slots, uint32_t column, uint32_t along) {
  uint32_t lane = column * 4 + v.threadB;
  return static_cast<uint8_t>(warp.reg<uint32_t>(slots.scales[1])[lane] >> (8 * (v.byteB + along)));
}

float elementValue(MatrixType type, uint8_t byte) {
  return valuesByCode(type)[type == MatrixType::E2M1 ? byte >> 2 & 0xF : byte];
}

/// For each row of A: the k of each element that it stores.
using Positions = std::array<std::array<uint8_t, kMostStored>, kTensorRows>;

/// Returns the row whose metadata is invalid.
std::optional<uint32_t> readPositions(Warp &warp, const ScaledVariant &v, const ScaledSlots &slots, Positions &out) {
  const SparseRow sparse{v.stored(), kFieldBits, v.packed ? 2u : 1u};
  for (uint32_t row = 0; row < kTensorRows; ++row) {
    uint8_t fields[kFields];
    for (uint32_t n = 0; n < kFields; ++n) {
      uint32_t lane = row % 8 * 4 + n / kFieldsPerLane * 2 + row / 8;
      fields[n] = warp.reg<uint32_t>(slots.metadata[0])[lane] >> (kFieldBits * (n % kFieldsPerLane)) & 3;
    }
    if (!sparsePositions(sparse, fields, true, out[row].data()))
      return row;
  }
  return std::nullopt;
}

/// Multiplies elements in bytes. Scales that are powers of two are added to the exponents. A scale may be NaN (ue8m0's
/// 0xFF).
void multiplyBytes(Warp &warp, const ScaledVariant &v, const ScaledSlots &slots, const uint8_t *a, const uint8_t *b,
                   const Positions *positions) {
  const uint32_t depth = v.depth();
  float left[kTensorRows * kTensorDepth] = {}, right[kTensorDepth * kTileSide];
  int16_t rowScales[kTensorRows] = {}, columnScales[kTileSide] = {};
  auto scaled = [&](float value, uint8_t code, int16_t &exponent) {
    exponent = code == 0xFF ? 0 : static_cast<int16_t>(code - 127);
    return code == 0xFF ? std::nanf("") : std::ldexp(value, exponent);
  };
  for (uint32_t row = 0; row < kTensorRows; ++row)
    for (uint32_t n = 0; n < v.stored(); ++n) {
      float value = elementValue(v.a, a[row * kFragmentRowBytes + n]);
      left[row * depth + (positions ? (*positions)[row][n] : n)] =
          v.scales ? scaled(value, scaleOfRow(warp, v, slots, row, 0), rowScales[row]) : value;
    }
  for (uint32_t column = 0; column < kTileSide; ++column)
    for (uint32_t k = 0; k < depth; ++k) {
      float value = elementValue(v.b, b[column * kFragmentRowBytes + k]);
      right[k * kTileSide + column] =
          v.scales ? scaled(value, scaleOfColumn(warp, v, slots, column, 0), columnScales[column]) : value;
    }
  TensorRows rows(v.a, left, depth, v.scales ? rowScales : nullptr);
  TensorColumns columns;
  columns.prepare(v.b, right, depth, v.scales ? columnScales : nullptr);
  for (uint32_t down = 0; down < 2; ++down) {
    float sums[kTileSide * kTileSide];
    for (uint32_t n = 0; n < 2 * kLanes; ++n)
      sums[n] = accumulator(warp, slots.c, v.halfC, 2 * down + n % 2, n / 2);
    sumTile(TensorSum::ofTcgen05(v.halfD), rows, down, columns, 0, depth, sums);
    for (uint32_t n = 0; n < 2 * kLanes; ++n)
      giveResult(warp, slots.d, v.halfD, 2 * down + n % 2, n / 2, sums[n]);
  }
}

/// Twice the value of a 4-bit float.
int halves(uint8_t byte, uint32_t k) {
  return static_cast<int>(2 * valuesByCode(MatrixType::E2M1)[byte >> (4 * (k & 1)) & 0xF]);
}

/// A term has the products of sixteen stored elements of A.
void multiplyPacked(Warp &warp, const ScaledVariant &v, const ScaledSlots &slots, const uint8_t *a, const uint8_t *b,
                    const Positions *positions) {
  constexpr uint32_t kTerms = kMostStored / kTermDepth;
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t e = 0; e < 4; ++e) {
      uint32_t row = l / 4 + 8 * (e / 2), column = 2 * (l % 4) + e % 2;
      ScaledTerm terms[kTerms];
      for (uint32_t n = 0; n < kTerms; ++n) {
        for (uint32_t s = n * kTermDepth; s < (n + 1) * kTermDepth; ++s) {
          uint32_t k = positions ? (*positions)[row][s] : s;
          terms[n].dot +=
              halves(a[row * kFragmentRowBytes + s / 2], s) * halves(b[column * kFragmentRowBytes + k / 2], k);
        }
        uint32_t along = n * v.scales / kTerms;
        terms[n].scaleA = ScaleFactor::of(v.scale, scaleOfRow(warp, v, slots, row, along));
        terms[n].scaleB = ScaleFactor::of(v.scale, scaleOfColumn(warp, v, slots, column, along));
      }
      giveResult(warp, slots.d, false, e, l, scaledSum(terms, accumulator(warp, slots.c, false, e, l)));
    }
}

bool selects(const ScaledVariant &v, uint64_t byte, uint64_t thread, uint64_t threads) {
  return byte <= 4u - v.scales && byte % v.scales == 0 && thread < threads;
}
Message noScale(const ScaledVariant &v, uint64_t byte, uint64_t thread, uint64_t threads) {
  return Message("`{{{}, {}}}` selects no scale: the byte is a multiple of {} up to {}, the thread less than {}", byte,
                 thread, int{v.scales}, 4 - v.scales, threads);
}

/// Reads the selectors that are in registers. Returns what is wrong with their values.
std::optional<Message> readSelectors(Warp &warp, const ScaledSlots &slots, ScaledVariant &v) {
  uint16_t values[4];
  for (size_t n = 0; n < slots.selectors.size(); ++n) {
    const uint16_t *lanes = warp.reg<uint16_t>(slots.selectors[n]);
    values[n] = lanes[0];
    if (std::any_of(lanes, lanes + kLanes, [&](uint16_t lane) { return lane != values[n]; }))
      return Message("the selector `{byte-id, thread-id}` of a scale has several values in the lanes of its warp");
  }
  if (!selects(v, values[0], values[1], kThreadsOfA))
    return noScale(v, values[0], values[1], kThreadsOfA);
  if (!selects(v, values[2], values[3], kThreadsOfB))
    return noScale(v, values[2], values[3], kThreadsOfB);
  v.byteA = static_cast<uint8_t>(values[0]);
  v.threadA = static_cast<uint8_t>(values[1]);
  v.byteB = static_cast<uint8_t>(values[2]);
  v.threadB = static_cast<uint8_t>(values[3]);
  return std::nullopt;
}

Step multiplyScaled(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  if (mask != kAllLanes)
    return fault(warp, i, std::string(kDivergentKind), "`mma.sync` needs all 32 lanes of its warp");
  ScaledVariant v = ScaledVariant::unpack(i.imm);
  ScaledSlots slots(warp, i, v);
  if (auto wrong = v.read ? readSelectors(warp, slots, v) : std::nullopt)
    return fault(warp, i, "scale-selector", *std::move(wrong));
  uint8_t a[16 * kFragmentRowBytes], b[8 * kFragmentRowBytes];
  gatherFragments(warp, slots.a, slots.b, true, a, b);
  constexpr uint32_t kByte = 8, kHalfByte = 4;
  warp.block->work.tensorCycles +=
      mmaCycles(*warp.block->grid->program->machine, {.products = uint64_t{kTensorRows} * kTileSide * v.stored(),
                                                      .bits = v.packed ? kHalfByte : kByte,
                                                      .floatSums = !v.halfD});
  Positions positions;
  if (auto row = v.sparse ? readPositions(warp, v, slots, positions) : std::nullopt)
    return fault(warp, i, "sparsity-metadata", Message("the metadata of row {row} of A have no meaning", *row));
  (v.packed ? multiplyPacked : multiplyBytes)(warp, v, slots, a, b, v.sparse ? &positions : nullptr);
  return Step::Next;
}

// --- decoding ------------------------------------------------------------------------------------------------------

/// Takes a kind and sets its properties (PTX ISA, "Block Scaling", the table of kinds, scale types and vector sizes).
bool takeKind(Modifiers &mods, ScaledVariant &v) {
  std::string_view kind = mods.takeOne({"kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"});
  std::string_view size = mods.takeOne({"scale_vec::1X", "scale_vec::2X", "scale_vec::4X"});
  bool scaled = mods.take("block_scale");
  v.packed = kind == "kind::mxf4" || kind == "kind::mxf4nvf4";
  if (kind.empty() || scaled != (kind != "kind::f8f6f4") ||
      !mods.take(v.depth() == 32   ? "m16n8k32"
                 : v.depth() == 64 ? "m16n8k64"
                                   : "m16n8k128"))
    return false;
  if (!scaled)
    return size.empty();
  if (kind == "kind::mxf4nvf4" ? size != "scale_vec::2X" && size != "scale_vec::4X"
                               : !size.empty() && size != (v.packed ? "scale_vec::2X" : "scale_vec::1X"))
    return false;
  v.scales = size == "scale_vec::4X" ? 4 : v.packed ? 2 : 1;
  return true;
}

bool takeTypes(Modifiers &mods, ScaledVariant &v) {
  auto take = [&] {
    return layouts::matrixTypeNamed(
        mods.takeIf([](std::string_view part) { return layouts::matrixTypeNamed(part).has_value(); }));
  };
  auto d = take(), a = take(), b = take(), c = take();
  auto fits = [&](auto type) {
    return type &&
           (*type == MatrixType::E2M1 || (!v.packed && (*type == MatrixType::E4M3 || *type == MatrixType::E5M2 ||
                                                        *type == MatrixType::E3M2 || *type == MatrixType::E2M3)));
  };
  if (!d || !c || !fits(a) || !fits(b))
    return false;
  v.a = *a;
  v.b = *b;
  v.halfD = *d == MatrixType::F16;
  v.halfC = *c == MatrixType::F16;
  if ((!v.halfD && *d != MatrixType::F32) || v.halfD != v.halfC || (v.halfD && v.scales))
    return false;
  if (v.scales == 0)
    return true;
  auto scale = take();
  v.scale = scale.value_or(MatrixType::F32);
  return v.scale == MatrixType::UE8M0 || (v.scales == 4 && v.scale == MatrixType::UE4M3);
}

bool isSelector(const Operand &operand) { return operand.kind == Operand::Kind::Vector && operand.parts.size() == 2; }
bool isConstant(const Operand &selector) {
  return std::ranges::all_of(selector.parts, [](const Operand &part) { return part.kind == Operand::Kind::Integer; });
}

/// Takes the constant selector of a scale. `threads`: the number of valid thread-ids.
bool takeConstant(Decoder &d, const Operand &selector, const ScaledVariant &v, uint64_t threads, uint8_t &byte,
                  uint8_t &thread) {
  uint64_t first = selector.parts[0].bits, second = selector.parts[1].bits;
  if (!selects(v, first, second, threads))
    return d.fail(noScale(v, first, second, threads));
  byte = static_cast<uint8_t>(first);
  thread = static_cast<uint8_t>(second);
  return true;
}

/// Takes the selectors `{byte-id, thread-id}` of both scales. Those in registers follow the scales in the list.
bool takeSelectors(Decoder &d, const Operand &ofA, const Operand &ofB, ScaledVariant &v, Instr &i) {
  if (!isSelector(ofA) || !isSelector(ofB))
    return d.fail("a scale's selector is `{byte-id, thread-id}`");
  v.read = !isConstant(ofA) || !isConstant(ofB);
  if (!v.read)
    return takeConstant(d, ofA, v, kThreadsOfA, v.byteA, v.threadA) &&
           takeConstant(d, ofB, v, kThreadsOfB, v.byteB, v.threadB);
  for (const Operand *selector : {&ofA, &ofB})
    for (const Operand &part : selector->parts)
      d.program().lists.push_back(d.source(part, 16));
  i.listSize += 4;
  return !d.failed();
}

bool decodeMmaScaled(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.has({"kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"}))
    return false;
  ScaledVariant v;
  v.sparse = mods.take("sp::ordered_metadata");
  const size_t extra = v.sparse ? 2 : 0; // operands: the metadata and their selector
  if (d.current().opcode.find(".row") > d.current().opcode.find(".col"))
    return false;
  if (!mods.take("sync") || !mods.take("aligned") || !mods.take("row") || !mods.take("col") || !takeKind(mods, v) ||
      !takeTypes(mods, v) || !d.finish(mods, (v.scales ? 8 : 4) + extra))
    return false;
  constexpr int kPtxOfFineExponents = 91;
  if (v.scales == 4 && v.scale == MatrixType::UE8M0 && d.program().module->version < kPtxOfFineExponents)
    return d.fail("`.scale_vec::4X` with `.ue8m0` needs `.version 9.1` or a later one");
  std::string_view target = d.program().module->target;
  bool bytes = !v.scales && !(v.sparse && v.halfD) && bitsOf(v.a) == 8 &&
               bitsOf(v.b) == 8; // the families of sm_100 have these forms, too
  bool family = target.starts_with("sm_12") || (bytes && (target.starts_with("sm_10") || target.starts_with("sm_110")));
  bool own = target.ends_with('a') || (target.ends_with('f') && !(v.sparse && v.packed));
  if (!family || !own)
    return d.fail(
        Message("`{instruction}` is for `.target sm_120a` and its kin, and this is `{}`", d.current().opcode, target));
  uint32_t wanted[4] = {v.wordsOf(v.halfD), kWordsA, v.wordsOfB(), v.wordsOf(v.halfC)};
  Type word{TypeKind::Bits, 32, false, "b"};
  for (size_t n = 0; n < 4; ++n) {
    Instr part;
    if (n == 0 ? !d.destList(d.operand(0), 32, part) : !d.sourceList(d.operand(n), word, part))
      return false;
    if (part.listSize != wanted[n])
      return d.fail(Message("operand {} of `{instruction}` has {registers} registers; it needs {}", n + 1,
                            d.current().opcode, part.listSize, wanted[n]));
    if (n == 0)
      i.list = part.list;
    i.listSize += part.listSize;
  }
  if (v.sparse) {
    uint64_t selector = 0;
    if (!d.immediate(d.operand(5), selector))
      return false;
    if (selector != 0)
      return d.fail(
          Message("the sparsity selector of `{instruction}` is 0: all lanes hold metadata", d.current().opcode));
    d.program().lists.push_back(d.source(d.operand(4), 32));
    ++i.listSize;
  }
  if (v.scales) {
    for (size_t n : {4, 6})
      d.program().lists.push_back(d.source(d.operand(n + extra), 32));
    i.listSize += kScaleRegisters;
    if (!takeSelectors(d, d.operand(5 + extra), d.operand(7 + extra), v, i))
      return false;
  }
  d.approximate();
  i.imm = v.pack();
  i.cost = cost::kMma;
  i.run = &multiplyScaled;
  return !d.failed();
}

} // namespace

const Family &mmaScaledFamily() {
  static const Family family{{"mma", &decodeMmaScaled}};
  return family;
}

} // namespace lanescope::core::emulator
