// Rewrites operations whose own form our dialects cannot parse. Each becomes an operation in generic form that keeps
// the text, so that MLIR can read the rest of the module.
//
//   %1 = mosaic_gpu.frobnicate %0, 7 : i32
//   -> %1 = "mosaic_gpu.frobnicate"(%0) {text = "mosaic_gpu.frobnicate %0, 7 : i32"} : (i32) -> i32
//
// The types at the operation's end, if there are any, are a first guess. Only MLIR's parser knows the right ones: at a
// use of a value it reports the type that it expected, and then the reader calls it again with this type. All
// operations of a name are rewritten together.
#pragma once

#include "core/ir/EditedText.h"

#include "layouts/support/Diagnostic.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace lanescope::core {

class UnknownOperations {
public:
  explicit UnknownOperations(SourceRef source) : source_(std::move(source)) {}

  /// Learns from an error that the parser reported when it read the text with the present edits(). `problem` has its
  /// place in the source. Returns false if the error does not concern an unknown operation.
  bool learn(const Diagnostic &problem);
  /// The edits for the operations known so far.
  std::vector<TextEdit> edits() const;

private:
  struct Value {
    std::string name, type;
  };
  struct Operation {
    uint32_t begin = 0, end = 0; // starts at its name
    std::string name;
    std::vector<Value> results, operands;
  };

  bool addAt(uint32_t place);
  void addOthers(std::string_view name);
  static void guessTypes(Operation &operation, std::string_view body);
  bool setType(const Diagnostic &problem, std::string_view value, std::string_view atUse, std::string_view before);

  SourceRef source_;
  std::vector<Operation> operations_;
  llvm::DenseSet<uint32_t> places_; // starts of the operations
};

} // namespace lanescope::core
