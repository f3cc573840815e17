// mma.sp.sync (PTX ISA 9.7.14.6, "Matrix multiply-accumulate operation using mma.sp instruction with sparse matrix A").
// layouts/fragments defines the fragments. A is expanded with its zeros, and then multiplied like a dense matrix. For
// floats, it is an assumption that the hardware gives the same sums.
#include "core/gpu/emulator/decode/MatrixDecode.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/TensorRate.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "core/gpu/emulator/tensor/SparsePositions.h"
#include "core/gpu/emulator/tensor/WarpProduct.h"
#include "layouts/fragments/Atom.h"
#include "layouts/support/Text.h"

#include <array>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kRows = 16, kColumns = 8;
enum Part : uint8_t { D, A, B, C, E };
constexpr std::string_view kPartNames[] = {"d", "a", "b", "c", "e"};

/// The contents of Instr::imm.
struct SparseMma {
  uint32_t depth = 16; // K
  MatrixType a = MatrixType::F16, b = MatrixType::F16;
  bool half = false, integers = false, saturate = false, ordered = false;
  std::array<uint8_t, 5> registers{}, positions{}; // per lane, for each operand

  uint64_t pack() const {
    uint64_t bits = depth | static_cast<uint64_t>(a) << 8 | static_cast<uint64_t>(b) << 12 |
                    static_cast<uint64_t>(half) << 16 | static_cast<uint64_t>(integers) << 17 |
                    static_cast<uint64_t>(saturate) << 18 | static_cast<uint64_t>(ordered) << 19;
    for (size_t n = 0; n < 5; ++n) // up to 8 registers, up to 16 positions
      bits |= static_cast<uint64_t>(registers[n] - 1) << (20 + 3 * n) | static_cast<uint64_t>(positions[n] - 1)
                                                                            << (35 + 4 * n);
    return bits;
  }
  static SparseMma unpack(uint64_t bits) {
    SparseMma v;
    v.depth = bits & 0xFF;
    v.a = static_cast<MatrixType>(bits >> 8 & 0xF);
    v.b = static_cast<MatrixType>(bits >> 12 & 0xF);
    v.half = bits >> 16 & 1;
    v.integers = bits >> 17 & 1;
    v.saturate = bits >> 18 & 1;
    v.ordered = bits >> 19 & 1;
    for (size_t n = 0; n < 5; ++n) {
      v.registers[n] = static_cast<uint8_t>((bits >> (20 + 3 * n) & 7) + 1);
      v.positions[n] = static_cast<uint8_t>((bits >> (35 + 4 * n) & 15) + 1);
    }
    return v;
  }
  SparseRow row() const {
    uint32_t bits = bitsOf(a);
    return {depth / 2, bits == 32 ? 4u : 2u, bits == 4 ? 2u : 1u};
  }
};

/// An operand: its registers, and the element at each position of each lane's registers. All of these are stored in
/// Program::lists.
struct OperandPlaces {
  Warp &warp;
  const uint32_t *slots, *elements;
  uint32_t registers, positions;

  /// Calls visit(element, register's word, bit in it).
  template <class F> void visit(F each) const {
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      for (uint32_t r = 0; r < registers; ++r)
        for (uint32_t p = 0; p < positions; ++p) {
          uint32_t element = elements[(lane * registers + r) * positions + p];
          if (element != kNone)
            each(element, warp.reg<uint32_t>(slots[r])[lane], 32 / positions * p);
        }
  }
};

std::array<OperandPlaces, 5> placesOf(Warp &warp, const Instr &i, const SparseMma &v) {
  const uint32_t *next = warp.block->grid->program->lists.data() + i.list;
  auto one = [&](size_t part) {
    OperandPlaces places{warp, next, next + v.registers[part], v.registers[part], v.positions[part]};
    next += v.registers[part] * (1u + static_cast<uint32_t>(kLanes) * v.positions[part]);
    return places;
  };
  // In the order of the list.
  OperandPlaces d = one(D), a = one(A), b = one(B), c = one(C), e = one(E);
  return {d, a, b, c, e};
}

/// Returns the elements, with `bits` bits each, packed into rows of `length`. `swapped`: the operand stores rows and
/// columns swapped.
std::vector<uint8_t> packed(const OperandPlaces &places, uint32_t bits, uint32_t length, uint32_t lines, bool swapped) {
  uint32_t rowBytes = length * bits / 8;
  std::vector<uint8_t> out(size_t{rowBytes} * lines);
  places.visit([&](uint32_t element, uint32_t word, uint32_t bit) {
    uint32_t line = swapped ? element % lines : element / length, at = swapped ? element / lines : element % length;
    uint32_t value = bits == 32 ? word : word >> bit & ((1u << bits) - 1);
    for (uint32_t n = 0; n < bits; n += 8) {
      uint32_t place = at * bits + n;
      out[line * rowBytes + place / 8] |= static_cast<uint8_t>(value >> n << place % 8);
    }
  });
  return out;
}

template <class T> std::vector<T> widened(MatrixType type, const std::vector<uint8_t> &bytes) {
  std::vector<T> out(bytes.size() * 8 / static_cast<size_t>(bitsOf(type)));
  widen(type, bytes.data(), static_cast<uint32_t>(out.size()), out.data());
  return out;
}

/// Expands A with its zeros, and B. `chosen`: the position of each stored element of A.
template <class T, class Chosen>
void fill(const SparseMma &v, const std::vector<T> &a, const std::vector<T> &b, const std::vector<uint8_t> &positions,
          std::vector<T> &dense, std::vector<T> &right, Chosen chosen) {
  uint32_t stored = v.depth / 2;
  std::ranges::fill(dense, T{});
  for (uint32_t row = 0; row < kRows; ++row)
    for (uint32_t s = 0; s < stored; ++s)
      if (chosen(s))
        dense[row * v.depth + positions[row * stored + s]] = a[row * stored + s];
  for (uint32_t column = 0; column < kColumns; ++column)
    for (uint32_t k = 0; k < v.depth; ++k)
      right[k * kColumns + column] = b[column * v.depth + k];
}

void multiplyFloats(const SparseMma &v, const std::array<OperandPlaces, 5> &places,
                    const std::vector<uint8_t> &positions) {
  auto a = widened<float>(v.a, packed(places[A], bitsOf(v.a), v.depth / 2, kRows, false)),
       b = widened<float>(v.b, packed(places[B], bitsOf(v.b), v.depth, kColumns, true));
  WarpProduct product(kRows, kColumns, v.depth, false);
  std::vector<float> old(product.sums.size());
  places[C].visit([&](uint32_t element, uint32_t word, uint32_t bit) {
    old[element] = v.half ? widenF16(static_cast<uint16_t>(word >> bit)) : std::bit_cast<float>(word);
  });
  if (bitsOf(v.a) == 8) { // in two sums, as in the dense form (DecodeMma.cpp)
    for (uint32_t part = 0; part < 2; ++part) {
      fill(v, a, b, positions, product.a, product.b, [&](uint32_t s) { return s % 4 / 2 == part; });
      product.addFloats(MatrixType::F16, MatrixType::F16, v.half);
    }
    for (size_t n = 0; n < old.size(); ++n)
      product.sums[n] = canonical(old[n] + product.sums[n]);
  } else {
    fill(v, a, b, positions, product.a, product.b, [](uint32_t) { return true; });
    product.sums = old;
    product.addFloats(v.a, v.b, v.half);
  }
  places[D].visit([&](uint32_t element, uint32_t &word, uint32_t bit) {
    if (v.half)
      word = (word & ~(0xFFFFu << bit)) | static_cast<uint32_t>(narrowF16(product.sums[element])) << bit;
    else
      word = std::bit_cast<uint32_t>(product.sums[element]);
  });
}

void multiplyIntegers(const SparseMma &v, const std::array<OperandPlaces, 5> &places,
                      const std::vector<uint8_t> &positions) {
  auto a = widened<int32_t>(v.a, packed(places[A], bitsOf(v.a), v.depth / 2, kRows, false)),
       b = widened<int32_t>(v.b, packed(places[B], bitsOf(v.b), v.depth, kColumns, true));
  WarpProduct product(kRows, kColumns, v.depth, true);
  fill(v, a, b, positions, product.ia, product.ib, [](uint32_t) { return true; });
  places[C].visit(
      [&](uint32_t element, uint32_t word, uint32_t) { product.isums[element] = static_cast<int32_t>(word); });
  product.addIntegers(v.saturate);
  places[D].visit(
      [&](uint32_t element, uint32_t &word, uint32_t) { word = static_cast<uint32_t>(product.isums[element]); });
}

Step multiplySparse(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  SparseMma v = SparseMma::unpack(i.imm);
  auto places = placesOf(warp, i, v);
  SparseRow row = v.row();
  std::vector<uint8_t> fields(size_t{kRows} * row.fields()), positions(size_t{kRows} * row.stored);
  places[E].visit([&](uint32_t element, uint32_t word, uint32_t bit) {
    fields[element] = static_cast<uint8_t>(word >> bit & ((1u << row.fieldBits) - 1));
  });
  for (uint32_t r = 0; r < kRows; ++r)
    if (!sparsePositions(row, fields.data() + size_t{r} * row.fields(), v.ordered,
                         positions.data() + size_t{r} * row.stored))
      return fault(warp, i, "sparsity-metadata", Message("the metadata of row {row} of A have no meaning", r));
  warp.block->work.tensorCycles +=
      mmaCycles(*warp.block->grid->program->machine, {.products = uint64_t{kRows} * kColumns * row.stored,
                                                      .bits = static_cast<uint32_t>(bitsOf(v.a)),
                                                      .floatSums = !v.integers && !v.half});
  if (v.integers)
    multiplyIntegers(v, places, positions);
  else
    multiplyFloats(v, places, positions);
  return Step::Next;
}

/// Appends an operand's registers, and the elements that they hold, to Program::lists.
bool addOperand(Decoder &d, const layouts::Atom &atom, Part part, size_t operand, SparseMma &v) {
  const layouts::Operand *known = atom.find(kPartNames[part]);
  if (!known || known->fragments.empty())
    return d.unknown();
  const layouts::Fragment &fragment = known->fragments[0];
  v.registers[part] = static_cast<uint8_t>(fragment.size(1));
  v.positions[part] = static_cast<uint8_t>(fragment.size(2));
  Instr one;
  if (part == D ? !d.destList(d.operand(operand), 32, one) : !d.sourceList(d.operand(operand), Type{}, one))
    return false;
  if (one.listSize != v.registers[part])
    return d.fail(Message("operand {} has {registers} registers; this shape needs {}", operand + 1, one.listSize,
                          v.registers[part]));
  for (int32_t element : fragment.elements(known->shape))
    d.program().lists.push_back(static_cast<uint32_t>(element));
  return true;
}

bool decodeMmaSparse(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (d.current().opcode.find(".kind::") != std::string_view::npos) // DecodeMmaScaled.cpp handles these
    return false;
  SparseMma v;
  v.ordered = mods.take("sp::ordered_metadata");
  if (!v.ordered && !mods.take("sp"))
    return false;
  if (!mods.take("sync") || !mods.take("aligned") || !mods.take("row") || !mods.take("col"))
    return false;
  std::optional<layouts::Mnk> shape = takeShape(mods);
  v.saturate = mods.take("satfinite");
  auto takeType = [&] { return layouts::matrixTypeNamed(mods.takeType().name); };
  auto result = takeType(), a = takeType(), b = takeType(), sum = takeType();
  uint64_t selector = 0;
  if (!shape || !result || !a || !b || !sum || !d.finish(mods, 6) || !d.immediate(d.operand(5), selector))
    return false;
  constexpr std::string_view kSaturates = ".satfinite"; // may be written twice
  std::string name(d.current().opcode);
  if (size_t last = name.rfind(kSaturates); last != name.npos && name.find(kSaturates) != last)
    name.erase(last, kSaturates.size());
  auto atom = layouts::parseAtom(text(name, ".selector::", selector));
  if (!atom)
    return d.fail(atom.error().front().message);
  if (bitsOf(*a) == 8 && !isInteger(*a) && !d.requireTarget(89, "a product of 8-bit floats"))
    return false;
  v.depth = static_cast<uint32_t>(shape->k);
  v.a = *a;
  v.b = *b;
  v.half = *result == MatrixType::F16;
  v.integers = *result == MatrixType::S32;
  constexpr std::pair<Part, size_t> kOrder[] = {{D, 0}, {A, 1}, {B, 2}, {C, 3}, {E, 4}};
  i.list = static_cast<uint32_t>(d.program().lists.size());
  for (auto [part, operand] : kOrder)
    if (!addOperand(d, *atom, part, operand, v))
      return false;
  i.listSize = 0; // the list contains registers and elements, and only the handlers know its layout
  i.imm = v.pack();
  i.cost = cost::kMma;
  i.run = &multiplySparse;
  return !d.failed();
}

} // namespace

const Family &mmaSparseFamily() {
  static const Family family{{"mma", &decodeMmaSparse}};
  return family;
}

} // namespace lanescope::core::emulator
