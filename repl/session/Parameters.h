// Parameters of a snippet: values that `param(...)` gives a name, so that a command line, the REPL or a slider can set
// them and run the snippet again.
//
//   stages = param("stages", 4, range(2, 7), "steps of K in flight")     # in the snippet: 4
//   parameters.set("stages", "6");                                       // from the next run on: 6
//   parameters.declared()[0].choices                                     // 2, 3, 4, 5, 6
//
// A setting is a text. It is the spelling of a choice, or a value of the type that the parameter's default has. The
// text is not evaluated.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <map>
#include <memory>

namespace lanescope::repl {

/// A parameter that a snippet has declared.
struct SnippetParameter {
  std::string name, about;
  Value value, initial;
  std::vector<Value> choices; // empty: any value of the default's type
  bool ranged = false;        // the choices come from a `range`
  Span place;                 // place of the call
};

class Parameters {
public:
  /// True: a setting that is no value of the parameter is an error. False: the parameter then keeps its default, with a
  /// remark, since an edit may have removed the choice that a slider is set to.
  bool strict = false;

  /// Begins a run: drops the declarations and keeps the settings.
  void begin() { declared_.clear(); }
  /// Sets `name` to the value of this text, or to its default if there is no text. The setting applies from the next
  /// declaration on.
  void set(const std::string &name, std::optional<std::string> text);
  void clear() { given_.clear(); }
  /// The declared parameters, in the order of the first call for each.
  const std::vector<SnippetParameter> &declared() const { return declared_; }
  /// An error for each name that is set but not declared.
  Diagnostics undeclared() const;
  /// Declares a parameter and returns its value. Errors: its default is no choice; another call of the same text
  /// declares the name; with `strict`, the setting is no value of the parameter.
  Result<Value> declare(Context &context, SnippetParameter parameter);

private:
  Result<Value> valueOf(Context &context, const SnippetParameter &parameter) const;

  std::map<std::string, std::string> given_;
  std::vector<SnippetParameter> declared_;
};

/// The text that sets a parameter to this value. It is a str itself, or another value as the REPL shows it.
std::string parameterText(const Value &value);

/// The builtins `param` and `set_param`.
Builtins parameterBuiltins(std::shared_ptr<Parameters> parameters);

} // namespace lanescope::repl
