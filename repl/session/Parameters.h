// Parameters of a snippet: values that `param(...)` gives a name, so that a command line, the REPL or a slider can set
// them and run the snippet again.
//
//   stages = param("stages", 4, range(2, 7), "steps of K in flight")     # in the snippet: 4
//   parameters.set("stages", "6");                                       // from the next run on: 6
//   parameters.declared()[0].choices                                     // 2, 3, 4, 5, 6
//
// What is set is text, read by the type of the parameter's default, or the choice that is spelled so. Nothing is
// evaluated.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <map>
#include <memory>

namespace lanescope::repl {

/// One that a text has declared.
struct SnippetParameter {
  std::string name, about;
  Value value, initial;
  std::vector<Value> choices; // empty: any value of the default's type
  bool ranged = false;        // the choices are those of a `range`
  Span place;                 // of the call
};

class Parameters {
public:
  /// `strict`: a value that a parameter does not take is an error. Otherwise it keeps its default, with a remark: an
  /// edit may have taken a choice away that a slider still stands on.
  bool strict = false;

  /// A run begins: nothing is declared yet. What is set stays.
  void begin() { declared_.clear(); }
  /// From the next declaration on `name` has the value of this text; without one, its default.
  void set(const std::string &name, std::optional<std::string> text);
  void clear() { given_.clear(); }
  /// In the order of their first calls.
  const std::vector<SnippetParameter> &declared() const { return declared_; }
  /// An error for each name that was set and that nothing has declared.
  Diagnostics undeclared() const;
  /// The value of one that is declared now. Errors: a default that is no choice; a name that another call of the same
  /// text declares; with `strict`, a text that is no value of it.
  Result<Value> declare(Context &context, SnippetParameter parameter);

private:
  Result<Value> valueOf(Context &context, const SnippetParameter &parameter) const;

  std::map<std::string, std::string> given_;
  std::vector<SnippetParameter> declared_;
};

/// How a value of a parameter is written where it is set: a str as it is, all others as the REPL shows them.
std::string parameterText(const Value &value);

/// `param` and `set_param`.
Builtins parameterBuiltins(std::shared_ptr<Parameters> parameters);

} // namespace lanescope::repl
