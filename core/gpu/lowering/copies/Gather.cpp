#include "core/gpu/lowering/copies/Gather.h"

#include "core/gpu/lowering/copies/Tma.h"
#include "core/gpu/lowering/memory/PeerDevices.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr int64_t kRows = 4; // rows per instruction

/// Elements of a dimension that are contiguous in shared memory: they begin at index `at` of the dimension, and lie
/// `offset` elements after the start.
struct Piece {
  int64_t at = 0, offset = 0;
};

/// The pieces of a dimension; its innermost sub-dimension is not split.
SmallVector<Piece> piecesOf(const RefDim &dim) {
  SmallVector<Piece> pieces{{}};
  int64_t below = dim.sizes.back();
  for (size_t i = dim.sizes.size() - 1; i-- > 0; below *= dim.sizes[i]) {
    SmallVector<Piece> more;
    for (int64_t n = 0; n < dim.sizes[i]; ++n)
      for (const Piece &piece : pieces)
        more.push_back({piece.at + n * below, piece.offset + n * dim.strides[i]});
    pieces = std::move(more);
  }
  return pieces;
}

class RowCopy {
public:
  RowCopy(KernelLowering &k, Operation *op, const Ref &global, const Ref &shared, ValueRange indices,
          ArrayRef<int64_t> lengths)
      : k_(k), op_(op), global_(global), shared_(shared), indices_(indices), lengths_(lengths) {}

  LogicalResult plan(bool GpuTarget::*feature) {
    if (!(k_.gpu->*feature))
      return fail(text("rows that an array chooses are copied ",
                       feature == &GpuTarget::tmaGather ? "into shared memory by TMA on sm_100 and newer"
                                                        : "from shared memory by TMA where tensor memory is",
                       ", and this kernel is for ", k_.gpu->name, "; compile with `--arch ",
                       targetWith(feature, *k_.gpu).name, "`, or copy row by row, with an index of each"));
    if (k_.inWarps)
      return fail("rows that an array chooses are copied by all warps of a warpgroup, not in warp-level code");
    if (indices_.size() != 2 || !isa<VectorType>(indices_[0].getType()) || lengths_[1] == -1)
      return fail("rows are chosen by an array along the first dimension of an array of two, with a slice of the "
                  "other");
    if (global_.argument < 0 || global_.computedOffset || global_.knownOffset != 0)
      return fail("an asynchronous copy needs a kernel argument as its global side; give the slice to the copy itself");
    if (global_.packing != 1)
      return fail("rows of 4-bit elements are not gathered; view the array as bytes");
    return success(succeeded(checkColumns()) && succeeded(checkRows()));
  }

  TensorMapSpec map() const {
    const BytesParam &block = std::get<BytesParam>(k_.result.launch.params.front());
    TensorMapSpec map;
    map.buffer = static_cast<uint32_t>(global_.argument);
    map.dtype = block.buffers[map.buffer].dtype;
    map.swizzle = shared_.swizzle;
    map.shape = {global_.dims[0].size(), global_.dims[1].size()};
    map.stridesBytes = {global_.dims[0].strides.front() * global_.elementBytes};
    map.box = {1, box_};
    return map;
  }

  /// Calls `emit(predicate, shared address, column and four rows)` for each instruction.
  template <typename Emit> void forInstructions(Emit emit) {
    ThreadBuilder &t = k_.t;
    // A constant array has no layout of its own, so it takes the layout that its length permits.
    bool sixteens = lengths_[0] % (kRows * layouts::kWarpsPerWarpgroup) == 0;
    RegisterArray rows =
        k_.array(indices_[0], sixteens ? layouts::catalogue::tmaIndices() : layouts::catalogue::tmaIndices4());
    bool byWarp = rows.layout == layouts::RegisterLayout(layouts::catalogue::tmaIndices());
    Value predicate = byWarp ? k_.electedOfWarp : k_.elected;
    Value column = k_.scalar(indices_[1]);
    SmallVector<Piece> pieces = piecesOf(shared_.dims[1]);
    for (auto [i, four] : llvm::enumerate(rows.registers)) {
      // TMA_INDICES: row 16 i + 4 warp; TMA_INDICES_4: row 4 i.
      int64_t known = static_cast<int64_t>(i) * kRows * (byWarp ? layouts::kWarpsPerWarpgroup : 1);
      Value first = byWarp ? t.add(t.multiply(k_.uniformWarp, kRows), known) : t.constant(known);
      Value offset = rowOffset(first);
      SmallVector<Value> chosen;
      for (int64_t n = 0; n < kRows; ++n)
        chosen.push_back(t.resize(t.extract(four, n), 32));
      for (const Piece &piece : pieces) {
        SmallVector<Value> coordinates{t.add(column, piece.at)};
        llvm::append_range(coordinates, chosen);
        emit(predicate,
             t.address(shared_.base, t.add(shared_.computedOffset, offset),
                       shared_.knownOffset + piece.offset * shared_.elementBytes),
             coordinates);
      }
    }
  }

private:
  LogicalResult fail(std::string message) { return op_->emitError(message); }

  LogicalResult checkColumns() {
    const RefDim &columns = shared_.dims[1];
    box_ = columns.sizes.back();
    int64_t row = box_ * shared_.elementBytes, global = global_.dims[0].strides.front() * global_.elementBytes;
    if (columns.strides.back() != 1 || global_.dims[1].strides.front() != 1)
      return fail("rows are contiguous in global and in shared memory; a copy cannot transpose");
    if (box_ > kTmaMaxBox)
      return fail(text("a row of the copy has ", box_, " elements side by side, but TMA takes at most ", kTmaMaxBox,
                       "; tile the shared memory with `TilingTransform`, or copy it in parts"));
    if (shared_.swizzle && row != shared_.swizzle)
      return fail(text("with a swizzle of ", shared_.swizzle, " bytes a row of the copy's tiles must be ",
                       shared_.swizzle, " bytes, but it is ", row));
    if (kRows * row % kTmaSharedUnit != 0)
      return fail(text("rows are copied four at a time, and four rows of ", row, " bytes are ", kRows * row,
                       ", which is not a multiple of ", kTmaSharedUnit, "; take more columns"));
    if (global % kTmaUnit != 0)
      return fail(text("the global array has a stride of ", global, " bytes, but TMA needs multiples of ", kTmaUnit,
                       "; make its last dimension a multiple of ", kTmaUnit / shared_.elementBytes, " elements"));
    int64_t unit = std::max<int64_t>(1, kTmaUnit / shared_.elementBytes), size = global_.dims[1].size();
    if (auto start = ThreadBuilder::knownInteger(k_.scalar(indices_[1]))) {
      if (*start % unit != 0)
        return fail(text("the copy starts at column ", *start, "; the hardware starts at multiples of ", kTmaUnit,
                         " bytes only, which is ", unit, " elements"));
      if (*start + lengths_[1] <= 0 || *start >= size)
        return fail(text("the slice [", *start, ", ", *start + lengths_[1],
                         ") is outside dimension 1 of the global array, whose size is ", size));
    }
    return success();
  }

  LogicalResult checkRows() {
    const RefDim &rows = shared_.dims[0];
    if (rows.sizes.back() % kRows != 0)
      return fail(text("rows are copied four at a time, but shared memory has ", rows.sizes.back(),
                       " of them together; make it a multiple of ", kRows));
    if (rows.strides.back() != box_)
      return fail("the rows of a tile lie one after the other in shared memory, and here they do not; copy whole tiles "
                  "of it");
    if (shared_.knownOffset % kTmaSharedUnit != 0 ||
        (shared_.computedOffset && shared_.computedAlignment % kTmaSharedUnit != 0))
      return fail(text("the shared memory side of an asynchronous copy must begin at a multiple of ", kTmaSharedUnit,
                       " bytes"));
    return success();
  }

  /// Bytes from the start of shared memory to row `row`.
  Value rowOffset(Value row) {
    const RefDim &rows = shared_.dims[0];
    Value offset;
    int64_t below = 1;
    for (size_t i = rows.sizes.size(); i-- > 0; below *= rows.sizes[i]) {
      Value here = k_.t.divide(row, below);
      if (i != 0)
        here = k_.t.modulo(here, rows.sizes[i]);
      offset = k_.t.add(offset, k_.t.multiply(here, rows.strides[i] * shared_.elementBytes));
    }
    return offset;
  }

  KernelLowering &k_;
  Operation *op_;
  const Ref &global_, &shared_;
  ValueRange indices_;
  ArrayRef<int64_t> lengths_;
  int64_t box_ = 0; // elements of a row that are contiguous in shared memory
};

} // namespace

bool choosesRows(ValueRange indices) {
  return llvm::any_of(indices, [](Value index) { return isa<VectorType>(index.getType()); });
}

LogicalResult gather(KernelLowering &k, mosaic_gpu::AsyncLoadOp load, const Ref &global) {
  if (!load.getCollective().empty() || load.getPredicate())
    return load->emitError("a copy of rows that an array chooses is each block's own, and has no predicate");
  RowCopy copy(k, load, global, k.ref(load.getDestination()), load.getIndices(), load.getSliceLengths());
  if (failed(copy.plan(&GpuTarget::tmaGather)))
    return failure();
  TensorMapSpec map = copy.map();
  if (failed(fillWithNan(load, map)))
    return failure();
  if (k.fencesReads)
    k.fenceAsyncShared();
  k.warpgroupBarrier(); // threads of the warpgroup may still read the copy's target
  Value descriptor = descriptorOf(k, global, map), barrier = k.scalar(load.getBarrier());
  copy.forInstructions([&](Value predicate, Value shared, ArrayRef<Value> coordinates) {
    SmallVector<Value> operands{predicate, shared, descriptor, barrier};
    llvm::append_range(operands, coordinates);
    k.t.ptx("@$0 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [$1], "
            "[$2, {$4, $5, $6, $7, $8}], [$3];",
            "b,r,l,r,r,r,r,r,r", operands);
  });
  return success();
}

LogicalResult scatter(KernelLowering &k, mosaic_gpu::AsyncStoreOp store, const Ref &global) {
  if (store.getReductionOp() || store.getPredicate())
    return store->emitError("a copy to rows that an array chooses overwrites them, and has no predicate");
  RowCopy copy(k, store, global, k.ref(store.getSource()), store.getIndices(), store.getSliceLengths());
  if (failed(copy.plan(&GpuTarget::tmaScatter)))
    return failure();
  Value descriptor = descriptorOf(k, global, copy.map());
  copy.forInstructions([&](Value predicate, Value shared, ArrayRef<Value> coordinates) {
    SmallVector<Value> operands{predicate, descriptor, shared};
    llvm::append_range(operands, coordinates);
    k.t.ptx("@$0 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [$1, {$3, $4, $5, $6, $7}], "
            "[$2];",
            "b,l,r,r,r,r,r,r", operands);
  });
  if (store.getCommitGroup())
    k.t.commitBulkGroup();
  return success();
}

} // namespace lanescope::core
