// What if: a module with another layout at an operation, laid out anew.
//
//   auto edited = withCast(module, {.op = dump.ops[11].span, .result = true, .index = 0, .to = catalogue::wgmmaRow()});
//   pageOf(*edited)                   // and compare() it with the page before
//
// A cast stands before the first use of a result, for all who use it, or before one operand, for that one alone. On an
// operation that is a cast itself its own layout changes. What is free to follow does: the whole module is inferred
// anew.
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

/// The edited module as a text of its own, with layouts. Errors: kind "what-if" where the value is no array or
/// reference that such a layout is for; those of inference, with the operations that contradict the cast.
Result<SourceRef> withCast(const SourceRef &module, const CastRequest &request);

} // namespace lanescope::core::dumps
