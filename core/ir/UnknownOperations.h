// Operations whose own form our dialects cannot parse. Each becomes an operation in generic form that keeps the text,
// so that the rest of the module can be read.
//
//   %1 = mosaic_gpu.frobnicate %0, 7 : i32
//   -> %1 = "mosaic_gpu.frobnicate"(%0) {text = "mosaic_gpu.frobnicate %0, 7 : i32"} : (i32) -> i32
//
// The types at the operation's end, if there are any, are a first guess. Only MLIR's parser knows the types: where
// values are used, it reports the type that it expected, and then it is called again. Operations of one name become
// known together.
#pragma once

#include "core/ir/EditedText.h"

#include "layouts/support/Diagnostic.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace lanescope::core {

class UnknownOperations {
public:
  explicit UnknownOperations(SourceRef source) : source_(std::move(source)) {}

  /// Learns from the parser's error about the text with these edits; `problem` has its place in the source. False if
  /// the error does not concern an unknown operation.
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
