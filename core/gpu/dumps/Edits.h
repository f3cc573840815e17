// Shows what happens if one operation has another layout: changes the layout in the module, and infers all others
// again.
//
//   auto edited = withCast(module, {.op = dump.ops[11].span, .result = true, .index = 0, .to = catalogue::wgmmaRow()});
//   pageOf(*edited)                   // and compare() it with the page before
//
// A cast is inserted before the first use of a result, for all uses, or before one operand, for that use only. If the
// operation is a cast, its own layout changes. The whole module is inferred again, so any layout that the module does
// not state may change.
#pragma once

#include "core/gpu/ir/SmemTransforms.h"
#include "layouts/RegisterLayout.h"
#include "layouts/support/Diagnostic.h"
#include "layouts/TmemLayout.h"

#include <variant>

namespace lanescope::core::dumps {

struct CastRequest {
  Span op; // DumpOp::span in the module
  bool result = true;
  size_t index = 0;
  std::variant<layouts::RegisterLayout, layouts::TMEMLayout, SmemTransforms> to;
};

/// Returns the edited module as a new text, with layouts. Errors: kind "what-if" if the value is not an array or
/// reference of the layout's kind; those of inference, with the operations that contradict the cast.
Result<SourceRef> withCast(const SourceRef &module, const CastRequest &request);

} // namespace lanescope::core::dumps
