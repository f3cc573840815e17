// Operations in a form of their own that our dialects cannot parse. Each becomes an operation in generic form that
// keeps the text, so that the rest of the module can be read.
//
//   %1 = mosaic_gpu.frobnicate %0, 7 : i32
//   -> %1 = "mosaic_gpu.frobnicate"(%0) {text = "mosaic_gpu.frobnicate %0, 7 : i32"} : (i32) -> i32
//
// Only MLIR's parser knows the types: it says which it expected where values are used, and is asked again.
#pragma once

#include "core/ir/EditedText.h"

#include "layouts/support/Diagnostic.h"

#include <optional>

namespace lanescope::core {

class UnknownOperations {
public:
  explicit UnknownOperations(SourceRef source) : source_(std::move(source)) {}

  /// Learns from what the parser said of the text with these edits; `problem` has its place in the source. False where
  /// that is no matter of an unknown operation.
  bool learn(const Diagnostic &problem);
  /// The edits for what is known so far.
  std::vector<TextEdit> edits() const;

private:
  struct Value {
    std::string name, type;
  };
  struct Operation {
    uint32_t begin = 0, end = 0; // from its name on
    std::string name;
    std::vector<Value> results, operands;
  };

  bool addAt(uint32_t place);
  bool setType(const Diagnostic &problem, std::string_view value, std::string_view atUse, std::string_view before);

  SourceRef source_;
  std::vector<Operation> operations_;
};

} // namespace lanescope::core
