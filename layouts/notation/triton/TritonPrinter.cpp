#include "layouts/notation/triton/TritonPrinter.h"

#include "layouts/linear/LinearForm.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/linear/TritonLinear.h"

#include <algorithm>
#include <numeric>

namespace lanescope::layouts {

namespace {

using Candidates = std::vector<TritonEncoding>;

void add(Candidates &out, TritonEncoding::Data data) {
  if (Result<TritonEncoding> encoding = TritonEncoding::make(std::move(data)))
    out.push_back(*std::move(encoding));
}

/// All orders of the dimensions, row-major first.
std::vector<Shape> ordersOf(size_t rank) {
  Shape order = matrixOrder(rank, true);
  std::vector<Shape> orders;
  if (rank > 4)
    return {order};
  do
    orders.push_back(order);
  while (std::prev_permutation(order.begin(), order.end()));
  return orders;
}

/// Counts the bases that move along each dimension; zero bases count for dimension `zeros`.
Shape countsPerDimension(std::span<const LinearLayout::Basis> bases, size_t rank, size_t zeros) {
  Shape sizes(rank, 1);
  for (const LinearLayout::Basis &basis : bases) {
    auto moved = std::find_if(basis.begin(), basis.end(), [](int32_t v) { return v != 0; });
    sizes[moved == basis.end() ? zeros : static_cast<size_t>(moved - basis.begin())] *= 2;
  }
  return sizes;
}

/// Adds the blocked encodings that could have these bases. `sliced` is a dimension that the tensor lacks; the zero
/// bases are assumed to move along it.
void addBlocked(Candidates &out, const LinearLayout &layout, std::optional<size_t> sliced) {
  std::vector<LinearLayout::Basis> registers = layout.bases(kRegister), lanes = layout.bases(kLane),
                                   warps = layout.bases(kWarp);
  size_t rank = layout.outputs().size() + (sliced ? 1 : 0);
  if (sliced)
    for (auto *bases : {&registers, &lanes, &warps})
      for (LinearLayout::Basis &basis : *bases)
        basis.insert(basis.begin() + static_cast<std::ptrdiff_t>(*sliced), 0);
  for (const Shape &order : ordersOf(rank))
    for (size_t own = 0; own <= registers.size(); ++own)
      for (size_t laneZeros = 0; laneZeros < rank; ++laneZeros)
        for (size_t warpZeros = 0; warpZeros < rank; ++warpZeros) {
          if (sliced && (laneZeros != *sliced || warpZeros != *sliced))
            continue;
          std::span<const LinearLayout::Basis> first(registers.data(), own);
          add(out, Blocked{countsPerDimension(first, rank, laneZeros), countsPerDimension(lanes, rank, laneZeros),
                           countsPerDimension(warps, rank, warpZeros), order});
        }
}

void addMma(Candidates &out, size_t rank, int64_t warps, int64_t columns) {
  if (rank != 2)
    return;
  // An accumulator of a warpgroup that is wider than one tile is written as wgmma's, although repeated accumulators of
  // mma.sync have the same map.
  if (warps % 4 == 0 && columns >= 16 && columns <= 256)
    add(out, NvidiaMma{3, 0, {warps, 1}, {16, columns, 16}});
  for (int64_t m = warps; m >= 1; m /= 2) {
    add(out, NvidiaMma{2, 0, {m, warps / m}, {16, 8}});
    if (m % 4 == 0)
      for (int64_t n = std::min<int64_t>(256, columns); n >= 8; n /= 2)
        add(out, NvidiaMma{3, 0, {m, warps / m}, {16, n, 16}});
  }
}

Candidates registerCandidates(const LinearLayout &layout) {
  Candidates out;
  size_t rank = layout.outputs().size();
  int64_t warps = int64_t(1) << layout.inputBits(kWarp);
  addBlocked(out, layout, std::nullopt);
  if (layout.inputBits(kLane) == 5) {
    addMma(out, rank, warps, layout.outputs().back().size);
    Candidates parents;
    addMma(parents, 2, warps, 256);
    for (const TritonEncoding &parent : parents) {
      const auto *mma = parent.as<NvidiaMma>();
      if (mma->versionMajor == 3 && mma->instrShape[1] != 256)
        continue; // N is independent of the operands
      TritonParent shared = TritonEncoding::share(parent);
      for (int opIdx = 0; opIdx < (mma->versionMajor == 3 ? 1 : 2); ++opIdx)
        for (int kWidth = 1; kWidth <= 16; kWidth *= 2)
          if (rank == 2)
            add(out, DotOperand{opIdx, shared, kWidth});
    }
    if (rank == 1)
      for (const TritonEncoding &parent : parents)
        for (int dim = 1; dim >= 0; --dim)
          add(out, Slice{dim, TritonEncoding::share(parent)});
  }
  if (rank < 3)
    for (size_t dim = rank + 1; dim-- > 0;) {
      Candidates parents;
      addBlocked(parents, layout, dim);
      for (TritonEncoding &parent : parents)
        add(out, Slice{static_cast<int>(dim), TritonEncoding::share(std::move(parent))});
    }
  return out;
}

Candidates sharedCandidates(const LinearLayout &layout, int bitwidth) {
  Candidates out;
  size_t rank = layout.outputs().size();
  for (const Shape &order : ordersOf(rank))
    add(out, SwizzledShared{1, 1, 1, order});
  if (rank < 2)
    return out;
  for (int bytes : {128, 64, 32, 0})
    for (bool transposed : {false, true})
      add(out, NvmmaShared{bytes, transposed, bitwidth, false, static_cast<int>(rank), {}});
  for (const Shape &order : ordersOf(rank))
    for (int vec = 1; vec <= 64; vec *= 2)
      for (int perPhase = 1; perPhase <= 16; perPhase *= 2)
        for (int maxPhase = 2; maxPhase <= 64; maxPhase *= 2)
          add(out, SwizzledShared{vec, perPhase, maxPhase, order});
  return out;
}

Candidates tmemCandidates(const Shape &shape) {
  Candidates out;
  for (int blockM : {128, 64})
    for (int stride : {1, 2, 4})
      for (int blockN = static_cast<int>(std::min<int64_t>(512, shape.back())); blockN >= 1; blockN /= 2)
        add(out, TensorMemory{blockM, blockN, stride});
  for (bool kThenMn : {false, true})
    add(out, TensorMemoryScales{{}, kThenMn});
  return out;
}

/// The layout's inputs for comparisons, without a block input that is absent or empty.
std::vector<LinearLayout::Input> places(const LinearLayout &layout) {
  std::vector<LinearLayout::Input> inputs = layout.inputs();
  std::erase_if(inputs, [](const LinearLayout::Input &input) { return input.name == kBlock && input.bases.empty(); });
  return inputs;
}

std::unexpected<Diagnostics> lossy(Message message) { return error("notation-lossy", std::move(message)); }

/// Writes offsets with gaps: one padding after each fixed number of elements.
Result<std::string> paddedText(const AddressMap &map, const Diagnostics &why) {
  std::vector<std::pair<int64_t, int64_t>> guesses;
  std::span<const int32_t> image = map.sparse() ? std::span<const int32_t>() : map.image();
  auto hole = std::ranges::find(image, -1);
  if (hole != image.end()) {
    int64_t interval = hole - image.begin(), padding = 0;
    while (padding + interval < map.extent() && map.element(interval + padding) < 0)
      ++padding;
    if (isPowerOfTwo(interval) && isPowerOfTwo(padding))
      guesses.emplace_back(interval, padding);
  }
  bool powers = std::ranges::all_of(map.shape(), isPowerOfTwo);
  for (auto [interval, padding] : guesses) {
    if (!powers)
      break;
    // Without the padding the offsets must be linear.
    std::vector<int32_t> offsets;
    bool good = true;
    for (int32_t offset : map.offsets()) {
      int64_t group = offset / (interval + padding), rest = offset % (interval + padding);
      good = good && rest < interval;
      offsets.push_back(static_cast<int32_t>(group * interval + rest));
    }
    if (!good)
      break;
    Result<AddressMap> dense = AddressMap::make(map.title(), map.shape(), map.bitwidth(), std::move(offsets));
    if (!dense)
      break;
    Result<LinearLayout> layout = linearForm(Placement(*std::move(dense)));
    if (!layout)
      break;
    std::vector<LinearLayout::Input> inputs = layout->inputs();
    inputs.push_back({std::string(kBlock), {}});
    Result<LinearLayout> withBlock = LinearLayout::make(std::move(inputs), layout->outputs());
    if (!withBlock)
      break;
    Result<TritonEncoding> encoding = TritonEncoding::make(PaddedShared{{{interval, padding}}, *std::move(withBlock)});
    if (encoding)
      return tritonAttribute(*encoding);
  }
  return lossy(Message("Triton has no such layout of shared memory: {}", why.front().message));
}

} // namespace

Result<std::string> tritonText(const Placement &placement) {
  std::optional<ThreadGrid> grid;
  if (const auto *map = std::get_if<ElementMap>(&placement))
    if (const auto *foreign = std::get_if<Foreign>(&map->layout())) {
      // The layout may cover several blocks, which its map does not show.
      if (const auto *own = foreign->as<TritonLayout>())
        if (Result<LinearLayout> layout = own->linear(map->shape()))
          grid =
              ThreadGrid{1 << layout->inputBits(kLane), 1 << layout->inputBits(kWarp), 1 << layout->inputBits(kBlock)};
    }
  Result<LinearLayout> form = linearForm(placement, grid);
  const auto *shared = std::get_if<AddressMap>(&placement);
  if (!form) {
    if (shared)
      return paddedText(*shared, form.error());
    return lossy(Message("Triton's layouts are linear: {}", form.error().front().message));
  }
  bool registers = std::holds_alternative<ElementMap>(placement);
  Shape shape = form->outputShape();
  if (shape.empty())
    return lossy("the layout is for a scalar, and Triton's are for tensors");
  Candidates candidates = registers ? registerCandidates(*form)
                          : shared  ? sharedCandidates(*form, shared->bitwidth())
                                    : tmemCandidates(shape);
  for (const TritonEncoding &candidate : candidates) {
    if (candidate.rank() != shape.size())
      continue;
    Result<LinearLayout> made = toLinear(candidate, shape);
    if (made && places(*made) == places(*form))
      return tritonAttribute(candidate);
  }
  if (!registers && !shared)
    return lossy(
        "no `tensor_memory_encoding` and no `tensor_memory_scales_encoding` puts the elements there, and Triton "
        "has no other layouts of tensor memory");
  LinearLayout whole = *form;
  whole.mutableBases(kBlock);
  std::string reason;
  std::vector<TritonEncoding::Data> general;
  if (registers)
    general = {LinearEncoding{whole, false}, LinearEncoding{whole, true}};
  else
    general = {SharedLinear{whole, 16}};
  for (TritonEncoding::Data &data : general) {
    Result<TritonEncoding> encoding = TritonEncoding::make(std::move(data));
    if (encoding)
      return tritonAttribute(*encoding);
    reason = encoding.error().front().message;
  }
  return lossy(Message("Triton has no such layout: {}; `linear` gives its linear form", reason));
}

} // namespace lanescope::layouts
