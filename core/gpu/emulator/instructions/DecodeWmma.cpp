// wmma.load, .store, .mma (PTX ISA 9.7.14.4). The ISA does not specify which part of a fragment each lane holds. Here
// these parts are those of sm_80 and later: the fragments of mma.sync (DecodeMma.cpp), one after another. The fragments
// of f16 have room for twice as much, and hold each part twice. Sums are those of mma.sync.
#include "core/gpu/emulator/decode/MatrixDecode.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/Rounding.h"
#include "core/gpu/emulator/instructions/WmmaLines.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/TensorRate.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "core/gpu/emulator/tensor/WarpProduct.h"

#include <algorithm>
#include <cmath>

namespace lanescope::core::emulator {

namespace {

enum class WmmaPart : uint8_t { A, B, C };

struct WmmaForm {
  uint32_t m = 16, n = 16, k = 16;
  WmmaPart part = WmmaPart::A; // for a load or a store
  MatrixType type = MatrixType::F16, sum = MatrixType::F32,
             old = MatrixType::F32; // for mma: the types of A and B, of D, and of C
  bool column = false;              // for a load or a store: the elements of a column are adjacent
  bool saturate = false, exclusive = false;
  Rounding rounding = Rounding::Nearest; // for f64

  uint64_t pack() const {
    return m | uint64_t{n} << 8 | uint64_t{k} << 16 | static_cast<uint64_t>(part) << 28 |
           static_cast<uint64_t>(type) << 32 | static_cast<uint64_t>(sum) << 40 | static_cast<uint64_t>(old) << 48 |
           static_cast<uint64_t>(column) << 56 | static_cast<uint64_t>(saturate) << 57 |
           static_cast<uint64_t>(exclusive) << 58 | static_cast<uint64_t>(rounding) << 59;
  }
  static WmmaForm unpack(uint64_t bits) {
    WmmaForm f;
    f.m = bits & 0xFF;
    f.n = bits >> 8 & 0xFF;
    f.k = bits >> 16 & 0xFFF;
    f.part = static_cast<WmmaPart>(bits >> 28 & 3);
    f.type = static_cast<MatrixType>(bits >> 32 & 0xFF);
    f.sum = static_cast<MatrixType>(bits >> 40 & 0xFF);
    f.old = static_cast<MatrixType>(bits >> 48 & 0xFF);
    f.column = bits >> 56 & 1;
    f.saturate = bits >> 57 & 1;
    f.exclusive = bits >> 58 & 1;
    f.rounding = static_cast<Rounding>(bits >> 59 & 7);
    return f;
  }

  /// The number of distinct registers of A or B. Each covers 16 bytes of K for 8 rows (columns). f64 has one.
  uint32_t distinct(bool ofA) const {
    uint32_t lines = ofA ? m : n;
    return type == MatrixType::F64 ? 1 : lines / 8 * (k * bitsOf(type) / 128);
  }
  uint32_t registers(bool ofA) const { return type == MatrixType::F16 ? 8 : distinct(ofA); }
  uint32_t registersOf(MatrixType accumulator) const { return m * n / 32 / (accumulator == MatrixType::F16 ? 2 : 1); }
};

struct Place {
  uint32_t line = 0, at = 0; // A and B: row or column, first element of K; C: row, column
};

/// The part of A or B in register r of a lane, named by its first element.
Place placeOf(const WmmaForm &f, bool ofA, uint32_t r, uint32_t lane) {
  uint32_t group = lane / 4, t = lane % 4;
  if (f.type == MatrixType::F64)
    return {group, t};
  uint32_t halves = f.k * bitsOf(f.type) / 128, perWord = 32 / bitsOf(f.type), block, half;
  r %= f.distinct(ofA);
  if (ofA && f.m >= 16) { // as in mma.m16: rows g and g + 8, then the next 16 bytes
    block = r / (2 * halves) * 2 + r % 2;
    half = r / 2 % halves;
  } else {
    block = r / halves;
    half = r % halves;
  }
  return {8 * block + group, (4 * half + t) * perWord};
}

/// The place of element e of a lane's accumulators.
Place placeOfSum(const WmmaForm &f, uint32_t e, uint32_t lane) {
  uint32_t group = lane / 4, column = 2 * (lane % 4) + e % 2;
  if (f.m == 8)
    return {group, 8 * (e / 2) + column};
  uint32_t row = group + 8 * (e % 4 / 2);
  return f.m == 32 ? Place{row + 16 * (e / 4), column} : Place{row, column + 8 * (e / 4)};
}

// --- loads and stores ------------------------------------------------------------------------------------------------

/// Gets the operands that must be equal in all lanes: the matrix's address, and its stride in elements. Returns false
/// after a fault.
bool sharedOperands(Warp &warp, const Instr &i, uint64_t &address, uint32_t &stride) {
  uint64_t addresses[kLanes];
  uint64_t offset = *warp.reg<uint64_t>(i.c); // imm holds the form
  for (uint32_t l = 0; l < kLanes; ++l)
    addresses[l] = offset + (i.a == kNone    ? 0
                             : i.wideAddress ? warp.reg<uint64_t>(i.a)[l]
                                             : warp.reg<uint32_t>(i.a)[l]);
  const uint32_t *strides = i.b == kNone ? nullptr : warp.reg<uint32_t>(i.b);
  address = addresses[0];
  stride = strides ? strides[0] : i.d2;
  for (uint32_t l = 1; l < kLanes; ++l)
    if (addresses[l] != address || (strides && strides[l] != stride)) {
      fault(warp, i, std::string(kDivergentKind),
            Message("`{}` needs the same address and stride in all lanes", warp.block->grid->opcodeOf(i)), l);
      return false;
    }
  return true;
}

/// Gets the host addresses, for all lanes, of one element or, if they are adjacent, of all elements of a register.
template <class At>
bool placesOf(Warp &warp, const Instr &i, uint32_t bytes, Access access, At addressAt, std::byte **out) {
  alignas(32) uint64_t addresses[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l)
    addresses[l] = addressAt(l);
  return resolvePlaces(warp, i, kAllLanes, addresses, bytes, access, out);
}

template <Access HowTo> Step moveMatrix(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  WmmaForm f = WmmaForm::unpack(i.imm);
  uint64_t base = 0;
  uint32_t stride = 0;
  if (!sharedOperands(warp, i, base, stride))
    return Step::Fault;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  bool sum = f.part == WmmaPart::C, ofA = f.part == WmmaPart::A;
  MatrixType type = sum ? f.sum : f.type;
  uint32_t bits = bitsOf(type), word = type == MatrixType::F64 ? 64 : 32, perWord = word / bits;
  // Elements of one register are adjacent if memory runs along K. Those of sums are never adjacent.
  bool together = !sum && f.column != ofA;
  uint32_t step = together ? perWord : 1;
  for (uint32_t r = 0; r < i.listSize; ++r)
    for (uint32_t e = 0; e < perWord; e += step) {
      std::byte *at[kLanes];
      auto addressAt = [&](uint32_t lane) {
        Place place = sum ? placeOfSum(f, r * perWord + e, lane) : placeOf(f, ofA, r, lane);
        uint32_t row = sum || ofA ? place.line : place.at + e,
                 column = sum || !ofA ? (sum ? place.at : place.line) : place.at + e;
        uint64_t index = f.column ? row + uint64_t{column} * stride : uint64_t{row} * stride + column;
        return base + index * bits / 8;
      };
      uint32_t bytes = step * bits / 8;
      if (!placesOf(warp, i, bytes, HowTo, addressAt, at))
        return Step::Fault;
      for (uint32_t l = 0; l < kLanes; ++l) {
        std::byte *reg = reinterpret_cast<std::byte *>(warp.regs + slots[r] + l * (word / 8)) + e * bits / 8;
        if (HowTo == Access::Read)
          std::memcpy(reg, at[l], bytes);
        else
          std::memcpy(at[l], reg, bytes);
      }
    }
  if (HowTo == Access::Read) {
    warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kGlobalLatency);
    return Step::Next;
  }
  ++warp.block->effects;
  return settled(warp, i);
}

// --- products --------------------------------------------------------------------------------------------------------

struct WmmaSlots {
  const uint32_t *d, *a, *b, *c;
};

/// Gathers the packed rows of A (columns of B).
std::vector<uint8_t> gatherLines(Warp &warp, const WmmaForm &f, bool ofA, const uint32_t *slots) {
  uint32_t lines = ofA ? f.m : f.n, rowBytes = f.k * bitsOf(f.type) / 8, word = f.type == MatrixType::F64 ? 8 : 4;
  std::vector<uint8_t> out(size_t{lines} * rowBytes);
  for (uint32_t r = 0; r < f.distinct(ofA); ++r)
    for (uint32_t l = 0; l < kLanes; ++l) {
      Place place = placeOf(f, ofA, r, l);
      std::memcpy(out.data() + size_t{place.line} * rowBytes + place.at * bitsOf(f.type) / 8,
                  warp.regs + slots[r] + l * word, word);
    }
  return out;
}

void multiplyDoubles(Warp &warp, const WmmaForm &f, const WmmaSlots &slots, const uint8_t *left, const uint8_t *right) {
  double a[8][4], b[8][4];
  std::memcpy(a, left, sizeof a);
  std::memcpy(b, right, sizeof b);
  RoundedArithmetic in(f.rounding);
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t e = 0; e < 2; ++e) {
      Place place = placeOfSum(f, e, l);
      double sum = warp.reg<double>(slots.c[e])[l];
      for (uint32_t k = 0; k < 4; ++k)
        sum = tensorFma(in, a[place.line][k], b[place.at][k], sum);
      warp.reg<double>(slots.d[e])[l] = sum;
    }
}

void multiplyBits(Warp &warp, const WmmaForm &f, const WmmaSlots &slots, const uint8_t *left, const uint8_t *right) {
  uint32_t rowBytes = f.k / 8;
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t e = 0; e < 2; ++e) {
      Place place = placeOfSum(f, e, l);
      int32_t sum = warp.reg<int32_t>(slots.c[e])[l];
      for (uint32_t n = 0; n < rowBytes; ++n) {
        uint32_t a = left[place.line * rowBytes + n], b = right[place.at * rowBytes + n];
        sum += __builtin_popcount(f.exclusive ? a ^ b : a & b);
      }
      warp.reg<int32_t>(slots.d[e])[l] = sum;
    }
}

/// Calls `each` for the sums and their registers.
template <class F> void visitSums(Warp &warp, const WmmaForm &f, MatrixType type, const uint32_t *slots, F each) {
  bool half = type == MatrixType::F16;
  for (uint32_t e = 0; e < f.m * f.n / kLanes; ++e)
    for (uint32_t l = 0; l < kLanes; ++l) {
      Place place = placeOfSum(f, e, l);
      each(place.line * f.n + place.at, warp.reg<uint32_t>(slots[half ? e / 2 : e])[l], half ? 16 * (e % 2) : 0);
    }
}

template <class T>
void fill(const WmmaForm &f, const std::vector<uint8_t> &left, const std::vector<uint8_t> &right, std::vector<T> &a,
          std::vector<T> &b) {
  widen(f.type, left.data(), f.m * f.k, a.data());
  std::vector<T> columns(b.size());
  widen(f.type, right.data(), f.n * f.k, columns.data());
  for (uint32_t column = 0; column < f.n; ++column)
    for (uint32_t k = 0; k < f.k; ++k)
      b[size_t{k} * f.n + column] = columns[size_t{column} * f.k + k];
}

Step multiplyWmma(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  WmmaForm f = WmmaForm::unpack(i.imm);
  warp.block->work.tensorCycles +=
      mmaCycles(*warp.block->grid->program->machine, {.products = uint64_t{f.m} * f.n * f.k,
                                                      .bits = static_cast<uint32_t>(bitsOf(f.type)),
                                                      .floatSums = f.sum == MatrixType::F32});
  const uint32_t *list = warp.block->grid->program->lists.data() + i.list;
  WmmaSlots slots{list, list + f.registersOf(f.sum), nullptr, nullptr};
  slots.b = slots.a + f.registers(true);
  slots.c = slots.b + f.registers(false);
  auto left = gatherLines(warp, f, true, slots.a), right = gatherLines(warp, f, false, slots.b);
  if (f.type == MatrixType::F64) {
    multiplyDoubles(warp, f, slots, left.data(), right.data());
  } else if (f.type == MatrixType::B1) {
    multiplyBits(warp, f, slots, left.data(), right.data());
  } else if (f.sum == MatrixType::S32) {
    WarpProduct product(f.m, f.n, f.k, true);
    fill(f, left, right, product.ia, product.ib);
    visitSums(warp, f, f.old, slots.c,
              [&](uint32_t at, uint32_t word, uint32_t) { product.isums[at] = static_cast<int32_t>(word); });
    product.addIntegers(f.saturate);
    visitSums(warp, f, f.sum, slots.d,
              [&](uint32_t at, uint32_t &word, uint32_t) { word = static_cast<uint32_t>(product.isums[at]); });
  } else {
    WarpProduct product(f.m, f.n, f.k, false);
    fill(f, left, right, product.a, product.b);
    visitSums(warp, f, f.old, slots.c, [&](uint32_t at, uint32_t word, uint32_t bit) {
      product.sums[at] =
          f.old == MatrixType::F16 ? widenF16(static_cast<uint16_t>(word >> bit)) : std::bit_cast<float>(word);
    });
    // An H200 multiplies tf32 by two instructions of depth 4.
    product.addFloats(f.type, f.type, f.sum == MatrixType::F16, f.type == MatrixType::TF32 ? 2 : 1);
    visitSums(warp, f, f.sum, slots.d, [&](uint32_t at, uint32_t &word, uint32_t bit) {
      if (f.sum == MatrixType::F16)
        word = (word & ~(0xFFFFu << bit)) | static_cast<uint32_t>(narrowF16(product.sums[at])) << bit;
      else
        word = std::bit_cast<uint32_t>(product.sums[at]);
    });
  }
  return Step::Next;
}

// --- decoding --------------------------------------------------------------------------------------------------------

/// True if the shape exists (PTX ISA, "wmma.mma", the table of shapes).
bool known(const WmmaForm &f) {
  switch (f.type) {
  case MatrixType::F16:
  case MatrixType::BF16:
  case MatrixType::S8:
  case MatrixType::U8: return f.k == 16 && f.m * f.n == 256 && f.m >= 8 && f.n >= 8;
  case MatrixType::TF32: return f.m == 16 && f.n == 16 && f.k == 8;
  case MatrixType::F64: return f.m == 8 && f.n == 8 && f.k == 4;
  case MatrixType::S4:
  case MatrixType::U4: return f.m == 8 && f.n == 8 && f.k == 32;
  case MatrixType::B1: return f.m == 8 && f.n == 8 && f.k == 128;
  default: return false;
  }
}

bool takeWmmaShape(Modifiers &mods, WmmaForm &f) {
  std::optional<layouts::Mnk> shape = takeShape(mods);
  if (!shape || shape->m > 32 || shape->n > 32 || shape->k > 128)
    return false;
  f.m = static_cast<uint32_t>(shape->m);
  f.n = static_cast<uint32_t>(shape->n);
  f.k = static_cast<uint32_t>(shape->k);
  return true;
}

bool decodeMove(Decoder &d, Modifiers &mods, Instr &i, bool isLoad) {
  std::string_view part = isLoad ? mods.takeOne({"a", "b", "c"}) : mods.takeOne({"d"});
  WmmaForm f;
  f.part = part == "a" ? WmmaPart::A : part == "b" ? WmmaPart::B : WmmaPart::C;
  if (part.empty() || !mods.take("sync") || !mods.take("aligned"))
    return false;
  std::string_view layout = mods.takeOne({"row", "col"});
  f.column = layout == "col";
  Space space = takeSpace(mods);
  auto type = layouts::matrixTypeNamed(mods.takeType().name);
  if (layout.empty() || !type || !takeWmmaShape(mods, f) || !d.finish(mods, 2, 3))
    return false;
  bool sum = f.part == WmmaPart::C;
  f.type = f.sum = *type;
  bool sums = f.k == 16  ? *type == MatrixType::F16 || *type == MatrixType::F32 || *type == MatrixType::S32
              : f.k == 8 ? *type == MatrixType::F32
              : f.k == 4 ? *type == MatrixType::F64
                         : *type == MatrixType::S32;
  bool narrow = !sum && bitsOf(f.type) < 8;
  if (sum ? !sums : !known(f) || (narrow && f.column != (f.part == WmmaPart::B)))
    return false;
  uint32_t word = *type == MatrixType::F64 ? 64 : 32;
  const Operand &data = d.operand(isLoad ? 0 : 1), &place = d.operand(isLoad ? 1 : 0);
  if (isLoad ? !d.destList(data, word, i)
             : !d.sourceList(data, Type{TypeKind::Bits, static_cast<uint8_t>(word), false, "b"}, i))
    return false;
  uint32_t wanted = sum ? f.registersOf(f.sum) : f.registers(f.part == WmmaPart::A);
  if (i.listSize != wanted)
    return d.fail(Message("the fragment has {registers} registers; this shape needs {}", i.listSize, wanted));
  // The default stride: rows, or columns, without gaps.
  uint32_t rows = f.part == WmmaPart::B ? f.k : f.m, columns = f.part == WmmaPart::A ? f.k : f.n;
  if (d.operandCount() == 3)
    i.b = d.source(d.operand(2), 32);
  i.d2 = f.column ? rows : columns;
  uint32_t bytes = narrow ? 4 : static_cast<uint32_t>(bitsOf(f.type)) / 8;
  if (space == Space::Global || space == Space::Generic)
    d.program().globalGranule = std::min(d.program().globalGranule, bytes);
  i.imm = 0;
  if (!d.address(place, i, space))
    return false;
  i.c = d.constant(i.imm, 64);
  i.load = isLoad;
  i.cost = cost::kMemoryIssue;
  i.run = isLoad ? &moveMatrix<Access::Read> : &moveMatrix<Access::Write>;
  i.imm = f.pack();
  return !d.failed();
}

bool decodeProduct(Decoder &d, Modifiers &mods, Instr &i) {
  WmmaForm f;
  std::string_view bitwise = mods.takeOne({"and", "xor"});
  f.exclusive = bitwise == "xor";
  if (!bitwise.empty() && !mods.take("popc"))
    return false;
  if (!mods.take("sync") || !mods.take("aligned") || mods.takeOne({"row", "col"}).empty() ||
      mods.takeOne({"row", "col"}).empty() || !takeWmmaShape(mods, f))
    return false;
  f.saturate = mods.take("satfinite");
  std::string_view mode = mods.takeOne({"rn", "rz", "rm", "rp"});
  f.rounding = roundingNamed(mode);
  MatrixType types[4];
  size_t count = 0;
  for (Type type = mods.takeType(); type.bits != 0; type = mods.takeType()) {
    auto named = layouts::matrixTypeNamed(type.name);
    if (!named || count == 4)
      return false;
    types[count++] = *named;
  }
  if (count == 2) { // for f16, only the types of D and C are named
    f.type = MatrixType::F16;
    f.sum = types[0];
    f.old = types[1];
  } else if (count == 4 && types[1] == types[2]) {
    f.sum = types[0];
    f.type = types[1];
    f.old = types[3];
  } else {
    return false;
  }
  bool half = f.type == MatrixType::F16;
  bool fits =
      half ? (f.sum == MatrixType::F16 || f.sum == MatrixType::F32) &&
                 (f.old == MatrixType::F16 || f.old == MatrixType::F32)
           : f.sum == f.old && f.sum == (f.type == MatrixType::F64                                  ? MatrixType::F64
                                         : f.type == MatrixType::BF16 || f.type == MatrixType::TF32 ? MatrixType::F32
                                                                                                    : MatrixType::S32);
  if (!known(f) || !fits || bitwise.empty() == (f.type == MatrixType::B1) ||
      (!mode.empty() && f.type != MatrixType::F64))
    return false;
  if (!d.finish(mods, 4))
    return false;
  uint32_t wanted[] = {f.registersOf(f.sum), f.registers(true), f.registers(false), f.registersOf(f.old)};
  Type word{TypeKind::Bits, static_cast<uint8_t>(f.type == MatrixType::F64 ? 64 : 32), false, "b"};
  i.list = static_cast<uint32_t>(d.program().lists.size());
  for (size_t n = 0; n < 4; ++n) {
    Instr part;
    if (n == 0 ? !d.destList(d.operand(0), word.bits, part) : !d.sourceList(d.operand(n), word, part))
      return false;
    if (part.listSize != wanted[n])
      return d.fail(
          Message("operand {} has {registers} registers; this shape needs {}", n + 1, part.listSize, wanted[n]));
    i.listSize += part.listSize;
  }
  i.imm = f.pack();
  i.cost = cost::kMma;
  i.run = &multiplyWmma;
  return !d.failed();
}

bool decodeWmma(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.take("load"))
    return decodeMove(d, mods, i, true);
  if (mods.take("store"))
    return decodeMove(d, mods, i, false);
  return mods.take("mma") && decodeProduct(d, mods, i);
}

} // namespace

WmmaLines wmmaLines(Warp &warp, const Instr &i) {
  WmmaForm f = WmmaForm::unpack(i.imm);
  uint32_t rows = f.part == WmmaPart::B ? f.k : f.m, columns = f.part == WmmaPart::A ? f.k : f.n;
  uint64_t bits = bitsOf(f.part == WmmaPart::C ? f.sum : f.type), offset = *warp.reg<uint64_t>(i.c);
  uint64_t place = i.a == kNone ? 0 : i.wideAddress ? *warp.reg<uint64_t>(i.a) : *warp.reg<uint32_t>(i.a);
  uint64_t stride = i.b == kNone ? i.d2 : *warp.reg<uint32_t>(i.b);
  return {offset + place, f.column ? columns : rows, (f.column ? rows : columns) * bits / 8, stride * bits / 8};
}

const Family &wmmaFamily() {
  static const Family family{{"wmma", &decodeWmma}};
  return family;
}

} // namespace lanescope::core::emulator
