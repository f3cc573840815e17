// Code that the decorators of all targets share: `@kernel(...)`, `@sc_kernel(...)`.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::repl {

/// Makes a target's kernel from a function.
using MakeKernel = std::function<Result<Value>(Context &context, std::shared_ptr<const Function> function)>;

/// The value of `@name(...)`: the kernel, if the argument `function` is a function (`@name` without brackets), else a
/// decorator, which is called with the function below it. Error: the decorated object is not a `def`.
Result<Value> decorated(Context &context, const BoundArguments &args, size_t function, std::string_view name,
                        MakeKernel make);

/// The strings of an argument: one, or several in a tuple or a list; none if it is None or not given.
Result<std::vector<std::string>> stringsOf(const BoundArguments &args, size_t index);
/// The names of axes in a string, or in a tuple or list of strings. Error: an axis is named twice.
Result<std::vector<std::string>> axisNames(const BoundArguments &args, size_t index);
/// The argument `name=`; empty if it is None or not given. Error: it cannot name a function of a module.
Result<std::string> kernelName(const BoundArguments &args, size_t index);

} // namespace lanescope::repl
