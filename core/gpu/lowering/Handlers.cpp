// The table of all families' handlers. A new operation needs one entry, in its family's file.
#include "core/gpu/lowering/Handlers.h"

namespace lanescope::core {

const HandlerTable &handlers() {
  static const HandlerTable table = [] {
    HandlerTable table;
    addElementwise(table);
    addMath(table);
    addConversions(table);
    addControlFlow(table);
    addRefs(table);
    addTransfers(table);
    addAsyncCopies(table);
    addBarriers(table);
    addArrays(table);
    addReductions(table);
    addShapes(table);
    addPrints(table);
    addStatements(table);
    addWgmma(table);
    addMma(table);
    addTensorMemory(table);
    addTensorTransfers(table);
    addTensorCopies(table);
    addTcgen05(table);
    addClusterLaunch(table);
    return table;
  }();
  return table;
}

} // namespace lanescope::core
