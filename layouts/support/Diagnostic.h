// Errors, warnings and notes as data, and the Result that carries them.
//
//   Result<int> parse(...) { return error("layout-syntax", span, "expected a `,`"); }
//   return error("unknown-name", span, Message("name `{name}` is not defined", name));
//
// Messages are lower case, end without a full stop, put code in backticks, and describe the situation. `kind` is a
// stable kebab-case name ("shape-mismatch") that tests and tools match on; so are the names of its parameters.
#pragma once

#include "layouts/support/Message.h"
#include "layouts/support/Source.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

enum class Severity { Error, Warning, Note };

struct Note {
  Span span;
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string kind;
  Span span;
  std::string message;
  std::vector<Note> notes;
  std::vector<MessageParameter> parameters = {};
};

using Diagnostics = std::vector<Diagnostic>;

template <typename T> using Result = std::expected<T, Diagnostics>;

/// Makes a diagnostic. The message's parameters are among those that KindParameters.inc lists for the kind.
[[nodiscard]] Diagnostic diagnosed(Severity severity, std::string kind, Span span, Message message,
                                   std::vector<Note> notes = {});
/// Makes a failed Result of one error.
[[nodiscard]] std::unexpected<Diagnostics> error(std::string kind, Span span, Message message,
                                                 std::vector<Note> notes = {});
/// Makes an error without a place. The caller knows the place and adds it with `at`.
[[nodiscard]] std::unexpected<Diagnostics> error(std::string kind, Message message);
/// Passes a failure on, and gives the place `span` to the diagnostics that have none.
[[nodiscard]] std::unexpected<Diagnostics> at(Span span, Diagnostics diagnostics);

bool hasErrors(const Diagnostics &diagnostics);

/// The diagnostic as text: "file:line:col: error: message", the source line with a caret under it, then the notes. It
/// ends with a newline.
std::string render(const Diagnostic &diagnostic, bool colour = false);
std::string render(const Diagnostics &diagnostics, bool colour = false);

} // namespace lanescope
