// The registry of diagnostics: one row for each kind, in one file of this folder for each area. The rows are made into
// docs/diagnostics.md and are what `lanescope explain KIND` prints.
//
//   findKind("unknown-name")->meaning     // "a name is not defined"
//   findKind("unknown-name")->example     // `lenght([1])`, and the message that it gives
//
// The kinds of the checker's rules have their rows in core/gpu/emulator/check/Rules.h.
#pragma once

#include "layouts/support/DiagnosticKind.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace lanescope {

/// What the input of an example is: an expression, the text of a file of the snippet language, or the body of a PTX
/// kernel (docs/diagnostics.md says which registers it has).
enum class ExampleForm : uint8_t { None, Expression, Snippet, Ptx };

struct KindExample {
  ExampleForm form = ExampleForm::None;
  std::string_view input, message; // a test runs the input and compares the message
};

struct KindEntry {
  std::string_view name;
  std::string_view meaning; // what is at fault
  std::string_view mend;    // what to do about it, in sentences
  KindExample example = {};
  std::string_view untested = {}; // why no input of a test provokes it; empty: some test does
  bool warns = false, notes = false, errs = true;
  bool internal = false; // a stage of the work that no user sees

  /// These change a row as it is written.
  constexpr KindEntry eval(std::string_view input, std::string_view message) const {
    return withExample({ExampleForm::Expression, input, message});
  }
  constexpr KindEntry run(std::string_view input, std::string_view message) const {
    return withExample({ExampleForm::Snippet, input, message});
  }
  constexpr KindEntry ptx(std::string_view input, std::string_view message) const {
    return withExample({ExampleForm::Ptx, input, message});
  }
  constexpr KindEntry withExample(KindExample given) const {
    KindEntry out = *this;
    out.example = given;
    return out;
  }
  /// The severities that it comes with, of "error", "warning" and "note"; without this it is an error.
  constexpr KindEntry severities(std::string_view names) const {
    KindEntry out = *this;
    out.errs = names.find("error") != names.npos;
    out.warns = names.find("warning") != names.npos;
    out.notes = names.find("note") != names.npos;
    return out;
  }
  constexpr KindEntry noTest(std::string_view why) const {
    KindEntry out = *this;
    out.untested = why;
    return out;
  }
  constexpr KindEntry unseen() const {
    KindEntry out = *this;
    out.internal = true;
    return out;
  }
};

/// A row as the files of this folder write it; its name has a line in layouts/support/KindNames.inc.
constexpr KindEntry kind(DiagnosticKind name, std::string_view meaning, std::string_view mend) {
  return {.name = name.name(), .meaning = meaning, .mend = mend};
}

struct KindArea {
  std::string_view title;
  std::span<const KindEntry> kinds;
};

/// The areas in the order in which docs/diagnostics.md has them.
std::span<const KindArea> kindAreas();
/// Null where there is no such kind, or a rule of the checker has it.
const KindEntry *findKind(std::string_view name);

} // namespace lanescope
