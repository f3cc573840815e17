// Python's older ways of putting values into a text: `"{:.2f} of {name}".format(x, name=y)` and `"%.2f of %s" % (x,
// y)`. The specifications are those of f-strings (formatValue).
#pragma once

#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

/// `format.format(*values, **names)`; the values are the call's. Errors carry no place.
Result<std::string> fillFields(Context &context, std::string_view format, const BoundArguments &args);
/// `format % values`: a tuple has several, a dict those of `%(name)s`, anything else is one. Errors carry no place.
Result<std::string> fillPercents(Evaluator &evaluator, std::string_view format, const Value &values, const Span &span);

} // namespace lanescope::repl
