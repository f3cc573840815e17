#include "core/gpu/emulator/tensor/TmemMma.h"

#include "core/gpu/emulator/tensor/TmemPlaces.h"
#include "core/gpu/emulator/tensor/ZeroColumns.h"
#include "layouts/support/Text.h"

#include <map>
#include <tuple>

namespace lanescope::core::emulator {

namespace {

using layouts::operands::DataPath;
using Answer = std::expected<std::shared_ptr<const TmemMma>, std::string>;

std::vector<CellBox> moved(const std::vector<CellBox> &boxes, uint32_t address) {
  TensorAddress to(address);
  std::vector<CellBox> out = boxes;
  for (CellBox &box : out) {
    box.lane = static_cast<uint16_t>(box.lane + to.lane);
    box.column = static_cast<uint16_t>(box.column + to.column);
  }
  return out;
}

/// Describes what is wrong with an operand's place in tensor memory.
std::string placeProblem(std::string_view what, const std::vector<CellBox> &boxes, uint32_t address, DataPath path) {
  TensorAddress at(address);
  bool halves = path == DataPath::LowerHalf;
  if (at.lane != 0 && !(halves && at.lane == 16))
    return text("the address of ", what, " has lane ", at.lane, ", but the layout needs lane ",
                halves ? "0 or 16" : "0");
  uint32_t end = 0;
  for (const CellBox &box : boxes)
    end = std::max<uint32_t>(end, at.column + box.column + box.columns);
  if (end > kTensorColumns)
    return text(what, " takes columns ", at.column, " to ", end - 1, " of tensor memory, which has ", kTensorColumns);
  return {};
}

/// An operand in shared memory.
struct SharedOperand {
  std::string_view what;
  uint64_t descriptor = 0;
  bool transposed = false;
  OperandExtent extent;
  bool tf32 = false;
};

std::string descriptorProblem(const SharedOperand &operand, uint32_t sharedBase, uint32_t sharedBytes) {
  const auto &[what, bits, transposed, extent, tf32] = operand;
  auto descriptor = layouts::decode(bits);
  if (!descriptor)
    return text("the descriptor of ", what, ' ', descriptor.error());
  auto because = [&](std::string_view problem) { return text("the descriptor of ", what, ' ', problem); };
  // PTX ISA, "Valid Combinations of Type-Size, Major-ness and Swizzling", "Layout for swizzle atoms".
  if (descriptor->wideAtoms && !transposed)
    return because("has a swizzle of 32-byte atoms, which needs lines along M or N, but its lines run along K");
  if (descriptor->wideAtoms != tf32 && transposed)
    return because(
        tf32 ? "has lines of 32-bit elements along M or N, which needs the 128-byte swizzle with 32-byte atoms"
             : "has a swizzle of 32-byte atoms, which is for 32-bit elements");
  // PTX ISA, "Restrictions on the Leading Dimension Absolute Address Stride".
  if (descriptor->leadingIsAddress &&
      (descriptor->swizzle != 128 || descriptor->wideAtoms || transposed || descriptor->base))
    return because("gives the leading dimension as an address, which needs the 128-byte swizzle, lines along K and no "
                   "base offset");
  SharedMatrix matrix(*descriptor, transposed);
  std::string problem = matrix.problem(extent.along(transposed), extent.across(transposed), sharedBase, sharedBytes);
  return problem.empty() ? std::string() : because(problem);
}

/// Identifies an instruction and its tables. The strings in the key are those of the matrix table.
using Key = std::tuple<std::string, int, bool, bool, int, int, bool, uint32_t>;

} // namespace

Answer TmemMma::of(const layouts::TmemMmaOpcode &opcode, bool aInTensorMemory, uint32_t descriptor) {
  constexpr size_t kMostKnown = 256; // a kernel uses only a few
  static thread_local std::map<Key, Answer> known;
  Key key(opcode.kind, opcode.ctas, opcode.sparse, opcode.weightStationary, opcode.scaleCount, opcode.scaleBlock,
          aInTensorMemory, descriptor);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  if (known.size() >= kMostKnown)
    known.clear();
  auto answer = [&]() -> Answer {
    auto shape = layouts::decode(opcode, descriptor);
    if (!shape)
      return std::unexpected(shape.error().message);
    if (aInTensorMemory && shape->transposeA)
      return std::unexpected("the instruction descriptor transposes A (bit 15), which is in tensor memory");
    auto found = layouts::rowOf(opcode, *shape);
    std::shared_ptr<TmemMma> mma(new TmemMma);
    mma->opcode_ = opcode;
    mma->opcode_.kind = found->row->kind;
    mma->shape_ = *shape;
    mma->row_ = found->row;
    mma->aInTensorMemory_ = aInTensorMemory;
    if (found->scales)
      mma->scales_ = *found->scales;
    mma->places_ = TmemPlaces::of(mma->opcode_, mma->shape_, *mma->row_, mma->scales_);
    return mma;
  }();
  known.emplace(std::move(key), answer);
  return answer;
}

std::string TmemMma::name() const {
  return text(layouts::shapeText({shape_.m, shape_.n, shape_.k}), ' ', ptxName(shape_.a), '*', ptxName(shape_.b), '+',
              ptxName(shape_.d));
}

OperandExtent TmemMma::extentOfA() const {
  auto bits = static_cast<uint32_t>(row_->elementBits()), k = static_cast<uint32_t>(shape_.k);
  return {.rows = rowsPerCta(),
          .rowBytes = (opcode_.sparse ? k / 2 : k) * bits / 8,
          .elementBytes = std::max(bits / 8, 1u)};
}

OperandExtent TmemMma::extentOfB(const TmemMmaOperands &operands) const {
  auto bits = static_cast<uint32_t>(row_->elementBits());
  OperandExtent out{.rows = columnsPerCta(),
                    .rowBytes = static_cast<uint32_t>(shape_.k) * bits / 8,
                    .elementBytes = std::max(bits / 8, 1u)};
  if (opcode_.weightStationary)
    out.rows += ZeroColumns(operands.zeroColumns).shift;
  uint32_t perChunk = shape_.transposeB ? 16 / out.elementBytes : 1;
  out.rows = (out.rows + perChunk - 1) / perChunk * perChunk;
  return out;
}

std::string TmemMma::problem(const TmemMmaOperands &operands, uint32_t sharedBase, uint32_t sharedBytes) const {
  if (operands.shiftD > 15)
    return text("scale-input-d is ", operands.shiftD, "; 0 to 15 are possible");
  if (operands.shiftD && opcode_.kind != "f16" && opcode_.kind != "tf32")
    return text("scale-input-d is for `kind::f16` and `kind::tf32`, not for `kind::", opcode_.kind, '`');
  if (operands.shiftA && (shape_.m < 128 || !aInTensorMemory_ || opcode_.weightStationary))
    return "`.ashift` needs A in tensor memory, with M = 128 or 256";
  if (opcode_.weightStationary)
    if (std::string wrong = ZeroColumns::problem(operands.zeroColumns, static_cast<uint32_t>(shape_.m)); !wrong.empty())
      return wrong;
  bool tf32 = row_->elementBits() == 32;
  if (!aInTensorMemory_)
    if (std::string wrong =
            descriptorProblem({"A", operands.a, shape_.transposeA, extentOfA(), tf32}, sharedBase, sharedBytes);
        !wrong.empty())
      return wrong;
  if (std::string wrong =
          descriptorProblem({"B", operands.b, shape_.transposeB, extentOfB(operands), tf32}, sharedBase, sharedBytes);
      !wrong.empty())
    return wrong;
  struct Place {
    std::string_view what;
    const TmemTable *table;
    uint32_t address;
    DataPath path;
  };
  std::vector<Place> places = {{"D", &places_->d, operands.d, places_->path}};
  if (aInTensorMemory_)
    places.push_back({"A", &places_->a, static_cast<uint32_t>(operands.a), places_->path});
  if (opcode_.sparse)
    places.push_back({"the sparsity metadata", &places_->metadata, operands.metadata, places_->path});
  if (scaled()) {
    places.push_back({"the scales of A", &places_->scaleA, operands.scaleA, DataPath::Full});
    places.push_back({"the scales of B", &places_->scaleB, operands.scaleB, DataPath::Full});
  }
  for (const Place &place : places)
    if (std::string wrong = placeProblem(place.what, place.table->boxes, place.address, place.path); !wrong.empty())
      return wrong;
  // PTX ISA, "Data Path Layout Organization": all operands use the same half.
  for (const Place &place : places)
    if (place.path == DataPath::LowerHalf && TensorAddress(place.address).lane != TensorAddress(operands.d).lane)
      return text("the address of ", place.what, " has lane ", TensorAddress(place.address).lane, ", that of D lane ",
                  TensorAddress(operands.d).lane, "; the layout needs the same lane");
  if (opcode_.sparse && row_->elementBits() >= 16 && TensorAddress(operands.metadata).column % 2 != 0)
    return text("the sparsity metadata begins at column ", TensorAddress(operands.metadata).column,
                "; it must be even, since the sparsity selector chooses that column or the next");
  return {};
}

void TmemMma::chunksOfA(const TmemMmaOperands &operands, std::vector<uint32_t> &out) const {
  if (!aInTensorMemory_)
    chunksOf(SharedMatrix(*layouts::decode(operands.a), shape_.transposeA), extentOfA(), out);
}

void TmemMma::chunksOfB(const TmemMmaOperands &operands, std::vector<uint32_t> &out) const {
  chunksOf(SharedMatrix(*layouts::decode(operands.b), shape_.transposeB), extentOfB(operands), out);
}

TmemMmaCells TmemMma::cells(const TmemMmaOperands &operands) const {
  TmemMmaCells out{.d = moved(places_->d.boxes, operands.d), .a = {}, .metadata = {}, .scaleA = {}, .scaleB = {}};
  if (aInTensorMemory_)
    out.a = moved(places_->a.boxes, static_cast<uint32_t>(operands.a));
  if (opcode_.sparse)
    out.metadata = moved(places_->metadata.boxes, operands.metadata + static_cast<uint32_t>(shape_.sparsitySelector));
  if (scaled()) {
    out.scaleA = moved(places_->scaleA.boxes, operands.scaleA);
    out.scaleB = moved(places_->scaleB.boxes, operands.scaleB);
  }
  return out;
}

} // namespace lanescope::core::emulator
