// `@kernel(...)`, `@sc_kernel(...)`: what decorators of all targets have in common.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::repl {

/// Makes a target's kernel of a function.
using MakeKernel = std::function<Result<Value>(Context &context, std::shared_ptr<const Function> function)>;

/// What `@name(...)` gives: the kernel where the argument `function` is a function (`@name` without brackets), else a
/// decorator, called with the function below it. Error where what is below is no `def`.
Result<Value> decorated(Context &context, const BoundArguments &args, size_t function, std::string_view name,
                        MakeKernel make);

/// A string, or several in a tuple or a list; none where it is None or not given.
Result<std::vector<std::string>> stringsOf(const BoundArguments &args, size_t index);
/// The same, of axes. Error where one is named twice.
Result<std::vector<std::string>> axisNames(const BoundArguments &args, size_t index);
/// `name=`: empty where it is None or not given. Error for what cannot name a function of a module.
Result<std::string> kernelName(const BoundArguments &args, size_t index);

} // namespace lanescope::repl
