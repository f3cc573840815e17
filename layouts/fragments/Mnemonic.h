// An instruction's name in parts, and errors that point at a part. Private to fragments/.
//
//   Mnemonic in("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", span);
//   in.eat("mma"); in.eat("sync"); in.shape(); in.types(); in.finish(…)
//
// Parts may come in any order, because PTX's own order differs between instructions; only the order of types counts.
// The first problem is kept and later ones are dropped, so a reader can run to its end and check for errors once.
#pragma once

#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/support/Diagnostic.h"
#include "layouts/support/Nearest.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// The words in a table's cell: "f16 bf16" -> {"f16", "bf16"}.
std::vector<std::string_view> words(std::string_view cell);
bool hasWord(std::string_view cell, std::string_view word);

/// The bits of a PTX type for multiplicands and accumulators; 0 for other words.
int typeBits(std::string_view type);

class Mnemonic {
public:
  static constexpr size_t kMaxName = 256;
  static constexpr size_t kMaxParts = 32;

  Mnemonic(std::string_view name, Span span);

  /// Takes the name's first part if it equals `part`.
  bool begin(std::string_view part);
  /// Takes the first part that equals `part`.
  bool eat(std::string_view part);
  /// Takes the first part that is one of the words; empty if there is none.
  std::string_view eatOneOf(std::string_view words);
  /// Takes `name::value` and returns the value, or an empty text.
  std::string_view qualifier(std::string_view name);
  /// Like qualifier(), for a number that is one of the words in `allowed`; returns the first of them if the name does
  /// not have the qualifier.
  int64_t number(std::string_view name, std::string_view allowed);
  /// Takes `m…n…k…`.
  std::optional<Mnk> shape();
  /// Takes all parts that are types, in order.
  std::vector<std::string_view> types();
  /// The part as it is written in the name, for fail(); the whole name if there is no such part.
  std::string_view written(std::string_view part) const;

  /// Records an error at a part, or at the whole name if no part equals the text.
  void fail(std::string_view part, Message message);
  /// Records that a part is missing. A part that no reader took is reported first, because it is probably the missing
  /// part, misspelt.
  void lacking(std::string message);
  bool failed() const { return !errors_.empty() || !lacking_.empty(); }
  /// Reports a part that no reader took; `known` are the words that may stand in such a name.
  Diagnostics finish(std::string_view known);

private:
  struct Part {
    std::string_view text;
    bool taken = false;
  };
  std::string_view name_;
  Span span_;
  std::vector<Part> parts_;
  Diagnostics errors_;
  std::string lacking_;
};

/// Lists words as alternatives: "`x`, `y` or `z`".
std::string alternatives(const std::vector<std::string> &words);
std::string alternatives(std::string_view words);

} // namespace lanescope::layouts
