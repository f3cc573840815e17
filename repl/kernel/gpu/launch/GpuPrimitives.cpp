#include "repl/kernel/gpu/launch/GpuPrimitives.h"

#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/gpu/arrays/Arrays.h"
#include "repl/kernel/gpu/launch/KernelFunction.h"
#include "repl/kernel/gpu/memory/GpuMemory.h"
#include "repl/kernel/gpu/memory/GpuRefs.h"
#include "repl/kernel/gpu/specs/GpuSpecs.h"
#include "repl/kernel/gpu/specs/ScratchSpecs.h"
#include "repl/kernel/gpu/tensor/Tensor.h"
#include "repl/kernel/gpu/threads/GpuDevices.h"
#include "repl/kernel/gpu/threads/GpuThreads.h"
#include "repl/kernel/gpu/tmem/Tmem.h"
#include "repl/kernel/launch/ShardedLayout.h"

namespace lanescope::repl {

const Primitives &gpuPrimitives() {
  static const Primitives kAll = [] {
    Primitives all("kernels of a GPU", "other");
    for (auto family :
         {mathPrimitives(), compoundPrimitives(), shapePrimitives(), reductionPrimitives(), probePrimitives()})
      all.add(family);
    for (auto family :
         {layoutPrimitives(),        inlinePtxPrimitives(),   axisPrimitives(),         devicePrimitives(),
          warpPrimitives(),          barrierPrimitives(),     namedBarrierPrimitives(), semaphorePrimitives(),
          refPrimitives(),           copyPrimitives(),        otherBlockPrimitives(),   otherDevicePrimitives(),
          clusterCancelPrimitives(), printLayoutPrimitives(), tmemTransferPrimitives(), tmemCopyPrimitives(),
          accumulatorPrimitives(),   mmaPrimitives(),         tcgen05Primitives(),      scopePrimitives()})
      all.add(family);
    return all;
  }();
  return kAll;
}

void addGpuBuiltins(BuiltinTable &table, std::shared_ptr<KernelRuntime> runtime) {
  table.add(specBuiltins());
  table.add({kernelBuiltin(std::move(runtime)), dynamicSliceBuiltin(), copyPartitionBuiltin(), warpMeshBuiltin(),
             shardedBuiltin()});
  gpuPrimitives().addTo(table);
}

} // namespace lanescope::repl
