// The registry of diagnostics: one row for each kind, in one file of this folder for each area. docs/diagnostics.md is
// generated from the rows, and `lanescope explain KIND` prints one of them.
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

/// The form of an example's input: an expression, the text of a file in the snippet language, or the body of a PTX
/// kernel (docs/diagnostics.md lists the kernel's registers).
enum class ExampleForm : uint8_t { None, Expression, Snippet, Ptx };

struct KindExample {
  ExampleForm form = ExampleForm::None;
  std::string_view input, message; // a test runs the input and compares the message
};

struct KindEntry {
  std::string_view name;
  std::string_view meaning; // the fault
  std::string_view mend;    // the remedy, in sentences
  KindExample example = {};
  /// The reason why no test has an input that provokes the diagnostic; empty: a test has one.
  std::string_view untested = {};
  bool warns = false, notes = false, errs = true;
  bool internal = false; // the kind belongs to a stage of the work that no user sees

  /// These functions set further fields of a row.
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
  /// The severities of the kind's diagnostics, among "error", "warning" and "note". Without a call it is an error.
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
/// Returns null if there is no such kind, or if it belongs to a rule of the checker.
const KindEntry *findKind(std::string_view name);

} // namespace lanescope
