// Copies from shared to tensor memory, issued by one thread: tcgen05.cp. PTX ISA, "tcgen05.cp".
#include "core/gpu/ir/MosaicGpuTensor.h"
#include "core/gpu/lowering/tensor/LowerTensorMemory.h"
#include "core/gpu/lowering/tensor/Tcgen05Operand.h"

#include "layouts/Catalogue.h"
#include "layouts/fragments/MatrixDescriptor.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr int64_t kCellBytes = 4;
constexpr int kNoSwizzle = 16;

/// One instruction: the bytes from the start of the source, and the columns from the start of the destination.
struct Piece {
  int64_t bytes, column;
};

struct Copy {
  std::string_view shape; // ".32x128b.warpx4"
  layouts::MatrixDescriptor source;
  SmallVector<Piece> pieces;
};

LogicalResult emit(KernelLowering &k, const Ref &from, const TensorRef &to, bool collective, const Copy &copy) {
  ThreadBuilder &t = k.t;
  uint64_t fixed = layouts::encode(copy.source);
  Value low = t.add(descriptorStart(t, from), static_cast<int64_t>(fixed & 0xFFFFFFFF));
  std::string body = "{ .reg .b32 low, to; .reg .b64 from;\n";
  for (const Piece &piece : copy.pieces)
    body += text("add.u32 low, $1, ", piece.bytes >> 4, "; mov.b64 from, {low, ", fixed >> 32, "}; add.u32 to, $0, ",
                 piece.column, ";\ntcgen05.cp", groupOf(collective), copy.shape, " [to], from;\n");
  Value address = tensorAddress(t, to);
  k.when(k.elected, [&] { t.ptx(body + "}", "r,r", {address, low}); });
  return success();
}

/// The bytes between adjacent indices of each dimension; nullopt if a dimension is tiled.
std::optional<SmallVector<int64_t>> plainStrides(const Ref &ref) {
  SmallVector<int64_t> strides;
  for (const RefDim &dim : ref.dims) {
    if (dim.sizes.size() != 1)
      return std::nullopt;
    strides.push_back(strideBytes(ref, dim.strides[0]));
  }
  return strides;
}

bool isContiguous(const Ref &ref) {
  layouts::Shape wanted = layouts::contiguousStrides(ref.shape());
  for (size_t d = 0; d < ref.dims.size(); ++d)
    if (ref.dims[d].sizes.size() != 1 || (ref.dims[d].sizes[0] != 1 && ref.dims[d].strides[0] != wanted[d]))
      return false;
  return !ref.swizzle;
}

template <typename Op> LogicalResult check(KernelLowering &k, Op op) {
  if (failed(needsTensorMemory(k, op)) || (op.getCollective() && failed(needsPair(k, op))))
    return failure();
  return success();
}

/// Scales and metadata must be contiguous blocks of groups of 8 rows of 16 bytes.
LogicalResult checkBlocks(KernelLowering &k, Operation *op, const Ref &from) {
  constexpr int64_t kUnit = 16;
  if (!isContiguous(from))
    return op->emitError("data that is copied to tensor memory here must be contiguous in shared memory");
  if (from.knownOffset % kUnit != 0 || (from.computedOffset && from.computedAlignment % kUnit != 0))
    return op->emitError(text("data that is copied to tensor memory must begin at a multiple of ", kUnit, " bytes"));
  return success();
}

LogicalResult scales(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::AsyncStoreScalesSmemToTmemOp>(op);
  const Ref &from = k.ref(store.getSource());
  const TensorRef &to = k.tensor(store.getDestination());
  if (failed(check(k, store)) || failed(checkBlocks(k, op, from)))
    return failure();
  auto strides = plainStrides(from);
  int64_t rowTiles = from.dims[0].size(), depthTiles = from.dims[1].size();
  bool halves = *to.layout == layouts::catalogue::bScalesM64Collective();
  if (halves != (from.dims[2].size() == 64))
    return op->emitError(halves ? "scales of the right operand for 64 rows in each of two blocks are stored as (1, "
                                  "columns / 4, 64, 16)"
                                : "scales are stored as (rows / 128, columns / 4, 32, 16)");
  constexpr int64_t kMostTiles = 2;
  if (rowTiles > kMostTiles)
    return op->emitError(text("scales of at most 256 rows are copied at once, not of ", rowTiles * 128));
  Copy copy{halves ? ".64x128b.warpx2::01_23" : ".32x128b.warpx4", {.stride = 8 * 16, .swizzle = kNoSwizzle}, {}};
  // In tensor memory the index of row tiles varies faster.
  for (int64_t row = 0; row < rowTiles; ++row)
    for (int64_t depth = 0; depth < depthTiles; ++depth)
      copy.pieces.push_back({row * (*strides)[0] + depth * (*strides)[1], 4 * rowTiles * depth + 4 * row});
  return emit(k, from, to, store.getCollective(), copy);
}

LogicalResult metadata(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::AsyncStoreSparseMetadataSmemToTmemOp>(op);
  const Ref &from = k.ref(store.getSource());
  if (failed(check(k, store)) || failed(checkBlocks(k, op, from)))
    return failure();
  if (from.dims[0].size() != 1)
    return op->emitError("sparsity metadata of 128 rows is copied at once");
  auto strides = plainStrides(from);
  Copy copy{".128x128b", {.stride = 8 * 16, .swizzle = kNoSwizzle}, {}};
  for (int64_t depth = 0; depth < from.dims[1].size(); ++depth)
    copy.pieces.push_back({depth * (*strides)[1], 4 * depth});
  return emit(k, from, k.tensor(store.getDestination()), store.getCollective(), copy);
}

LogicalResult data(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::AsyncStoreSmemToTmemOp>(op);
  const Ref &from = k.ref(store.getSource());
  const TensorRef &to = k.tensor(store.getDestination());
  if (failed(check(k, store)))
    return failure();
  constexpr int64_t kCoreRows = 8;
  if (to.shape[0] != layouts::kTmemLanes)
    return op->emitError(text("128 rows are copied to tensor memory at once, not ", to.shape[0]));
  int64_t swizzle = from.swizzle ? from.swizzle : kNoSwizzle, row = swizzle * from.packing / from.elementBytes;
  const RefDim &rows = from.dims[0], &columns = from.dims[1];
  bool tiled = rows.sizes.size() == 2 && columns.sizes.size() == 2 && rows.sizes[1] == kCoreRows &&
               rows.strides[1] == row && columns.sizes[1] == row && columns.strides[1] == 1;
  if (!tiled)
    return op->emitError(text("data that is copied to tensor memory must be stored in tiles of (8, ", row,
                              "); give its "
                              "buffer `transforms=(TilingTransform((8, ",
                              row, "))", from.swizzle ? text(", SwizzleTransform(", from.swizzle, ")") : "", ",)`"));
  int64_t period = kCoreRows * swizzle;
  if (from.knownOffset % period != 0 || (from.computedOffset && from.computedAlignment % period != 0))
    return op->emitError(text("data that is copied to tensor memory must begin at a multiple of ", period, " bytes"));
  int64_t chunk = from.swizzle ? 32 : 16, perTile = swizzle / chunk;
  Copy copy{from.swizzle ? ".128x256b" : ".128x128b",
            {.leading = 16,
             .stride = static_cast<uint32_t>(strideBytes(from, rows.strides[0])),
             .swizzle = static_cast<int>(swizzle)},
            {}};
  for (int64_t tile = 0; tile < columns.sizes[0]; ++tile)
    for (int64_t part = 0; part < perTile; ++part)
      copy.pieces.push_back(
          {tile * strideBytes(from, columns.strides[0]) + part * chunk, (tile * perTile + part) * chunk / kCellBytes});
  return emit(k, from, to, store.getCollective(), copy);
}

} // namespace

void addTensorCopies(HandlerTable &table) {
  table["mosaic_gpu.async_store_smem_to_tmem"] = data;
  table["mosaic_gpu.async_store_scales_smem_to_tmem"] = scales;
  table["mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"] = metadata;
}

} // namespace lanescope::core
