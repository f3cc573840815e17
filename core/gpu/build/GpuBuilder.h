// Emits a GPU kernel as warpgroup-level `mosaic_gpu` IR. core/build has values and control flow; this adds the frame.
// Each other concern is a base class with its own header: scopes, memory, copies and barriers, the launch, other
// devices, warps, tensor cores and tensor memory. No MLIR type appears here.
//
//   auto builder = *GpuBuilder::make(context, frame);              // arguments, shared memory, barriers laid out
//   IrValue tile = builder->load(builder->buffer(0), true);        // f16[128, 128]
//   builder->store(builder->binary(BinaryKind::Multiply, tile, builder->constant(Dtype::F16, {128, 128}, 2.0)),
//                  builder->buffer(0));
//   KernelModule module = *builder->finish();
//
// Like its base, it does not check the snippet; the caller does, because it knows the user's terms.
#pragma once

#include "core/gpu/build/CopyEmitter.h"
#include "core/gpu/build/DeviceEmitter.h"
#include "core/gpu/build/KernelFrame.h"
#include "core/gpu/build/LaunchEmitter.h"
#include "core/gpu/build/MemoryEmitter.h"
#include "core/gpu/build/ScopeEmitter.h"
#include "core/gpu/build/TensorCoreEmitter.h"
#include "core/gpu/build/TensorMemoryEmitter.h"
#include "core/gpu/build/WarpEmitter.h"
#include "layouts/RegisterLayout.h"

namespace lanescope::core {

struct GpuBuilderImpl; // GpuBuilderImpl.h

class GpuBuilder final : public KernelBuilder,
                         public ScopeEmitter,
                         public MemoryEmitter,
                         public CopyEmitter,
                         public LaunchEmitter,
                         public DeviceEmitter,
                         public WarpEmitter,
                         public TensorCoreEmitter,
                         public TensorMemoryEmitter {
public:
  using KernelBuilder::reshape;
  using KernelBuilder::slice;
  using MemoryEmitter::reshape;
  using MemoryEmitter::slice;

  /// Error if the frame needs more shared or tensor memory than a block may have; the message lists each buffer.
  static Result<std::unique_ptr<GpuBuilder>> make(IrContext &context, const KernelFrame &frame);

  /// The finished module, checked by MLIR's verifier. The builder cannot be used afterwards.
  Result<KernelModule> finish();
  /// Bytes of shared memory for the frame: buffers, barriers and, when profiled, the profiler's area.
  static int64_t sharedBytes(const KernelFrame &frame);
  /// The columns of tensor memory that the frame's buffers take together. An allocation rounds this number up.
  static int64_t tensorColumns(const KernelFrame &frame);

  // --- the frame's arguments and buffers
  IrRef argument(size_t index) const;
  /// True if anything emitted so far reads or writes that argument.
  bool touches(size_t argument) const;
  IrRef buffer(size_t index) const;
  IrRef tensorBuffer(size_t index) const;
  IrVariable accumulator(size_t index) const;
  /// Adds global memory that is zero at the kernel's start, as an argument after all others.
  IrRef addScratch(const KernelFrame::Argument &argument);

  // --- arrays (BuildArrays.cpp)
  IrValue iota(layouts::Dtype dtype, const layouts::Shape &shape, int64_t dimension) override;
  IrValue broadcastInDim(const IrValue &value, const layouts::Shape &shape,
                         const std::vector<int64_t> &dimensions) override;
  IrValue concatenate(const std::vector<IrValue> &values, int64_t dimension) override;
  std::vector<IrValue> optimizationBarrier(const std::vector<IrValue> &values) override;
  /// `layout` must fit the shape and not be a splat.
  IrValue layoutCast(const IrValue &value, const layouts::RegisterLayout &layout);

  // --- inspection (BuildProbes.cpp)
  void regionBegin(const std::string &name) override;
  void regionEnd(const std::string &name) override;
  void debugPrint(const std::string &format, const std::vector<IrValue> &values) override;
  void printLayout(const std::string &format, const IrValue &value);
  void printLayout(const std::string &format, const IrRef &ref);
  void check(const IrValue &condition, const std::string &message) override;

private:
  explicit GpuBuilder(GpuBuilderImpl *impl); // the base KernelBuilder owns it from here on
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
