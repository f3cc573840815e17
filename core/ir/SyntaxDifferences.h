// The spellings in which another version of MLIR differs from ours, as data: a table of pairs.
//
//   constexpr SyntaxDifference kKnown[] = {{"nvvm.cp.async.bulk.wait_group $n read",
//                                           "nvvm.cp.async.bulk.wait_group $n {read}"}};
//   toOurSyntax(text, kKnown)    // the edits that make MLIR read `text`
//
// A spelling begins with the operation's or the attribute's name. `$n` matches one item: a word, a value, a number, a
// string, or a bracket with its contents. `$...` matches an attribute dictionary, if the text has one at this place. If
// `ours` has `$...` inside of braces, the dictionary's entries are added after the entries in the braces. The text
// after the spelling stays as it is.
#pragma once

#include "core/ir/EditedText.h"

#include <span>

namespace lanescope::core {

struct SyntaxDifference {
  std::string_view theirs, ours;
};

/// A target's options for the reader of its modules (ModuleReader.h).
struct ModuleDialects {
  std::span<const SyntaxDifference> differences; // in addition to those of MLIR's own dialects (CommonSyntax.h)
  /// Operations without operands whose results may have any type, even if their dialect forbids it.
  std::span<const std::string_view> anyValues;
  /// True to keep operations that no dialect has; otherwise they are errors.
  bool keepsUnknown = false;
};

/// One edit for each place where an operation is written as the table's `theirs`; the first entry that matches is used.
std::vector<TextEdit> toOurSyntax(std::string_view text, std::span<const SyntaxDifference> known);

} // namespace lanescope::core
