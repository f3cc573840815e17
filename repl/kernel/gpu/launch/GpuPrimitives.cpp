#include "repl/kernel/gpu/launch/GpuPrimitives.h"

#include "repl/kernel/functions/Functions.h"
#include "repl/kernel/gpu/arrays/Arrays.h"
#include "repl/kernel/gpu/memory/Memory.h"
#include "repl/kernel/gpu/specs/Scratch.h"
#include "repl/kernel/gpu/tensor/Tensor.h"
#include "repl/kernel/gpu/threads/Threads.h"
#include "repl/kernel/gpu/tmem/Tmem.h"

namespace lanescope::repl {

const Primitives &gpuPrimitives() {
  static const Primitives kAll = [] {
    Primitives all("kernels of a GPU", "other");
    for (auto family :
         {mathPrimitives(), compoundPrimitives(), shapePrimitives(), reductionPrimitives(), probePrimitives()})
      all.add(family);
    for (auto family :
         {layoutPrimitives(), inlinePtxPrimitives(), axisPrimitives(), warpPrimitives(), barrierPrimitives(),
          namedBarrierPrimitives(), semaphorePrimitives(), refPrimitives(), copyPrimitives(), otherBlockPrimitives(),
          clusterCancelPrimitives(), printLayoutPrimitives(), tmemTransferPrimitives(), tmemCopyPrimitives(),
          accumulatorPrimitives(), tcgen05Primitives(), scopePrimitives()})
      all.add(family);
    return all;
  }();
  return kAll;
}

} // namespace lanescope::repl
