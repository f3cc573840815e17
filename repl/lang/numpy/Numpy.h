// NumPy's functions, and those of jax.numpy, which are the same over JAX's rules: one table of natives for both, one
// text in the language for what is put together of others (numpy.py), and what each has alone.
#pragma once

#include "repl/lang/modules/Modules.h"
#include "repl/lang/values/ArrayOps.h"

namespace lanescope::repl {

/// numpy, numpy.random, numpy.testing, numpy.linalg; jax.numpy and jax.random, as far as they work on host arrays.
std::vector<ModuleSpec> numpyModules();

// --- natives, by file
Builtins creationNatives(ArrayRules rules);    // zeros, arange, asarray, …
Builtins elementwiseNatives(ArrayRules rules); // power, isnan, clip, …
Builtins movingNatives(ArrayRules rules);      // concatenate, argsort, cumsum, …
Builtins einsumNatives(ArrayRules rules);      // einsum
Builtins testingNatives();                     // numpy.testing
Builtins numpyRandomNatives();                 // default_rng
Builtins jaxRandomNatives();                   // bits of threefry

/// Spellings that numpy and jax.numpy share: dtypes, and functions that are builtins.
std::vector<Spellings> arraySpellings();

/// An argument as an array: of numbers, of lists. Without `dtype` as the rules have it.
Result<Array> arrayArgument(const BoundArguments &args, size_t index, ArrayRules rules,
                            std::optional<Dtype> dtype = std::nullopt);
/// A dtype argument in any spelling, `np.float32`, `"float32"`, `float`; nothing for None.
Result<std::optional<Dtype>> dtypeArgument(const BoundArguments &args, size_t index, ArrayRules rules);
/// A shape; that of a number alone where there is none, or None.
Result<layouts::Shape> sizeArgument(const BoundArguments &args, size_t index);
/// An axis of an array of that rank, counted from the front.
Result<int64_t> axisArgument(const BoundArguments &args, size_t index, int64_t fallback, size_t rank);

} // namespace lanescope::repl
