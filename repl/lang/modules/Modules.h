// Modules: the names of Python's, NumPy's, JAX's and Pallas' modules over the language's functions.
//
//   import jax.numpy as jnp      jnp is a ModuleValue
//   jnp.exp(x)                   a spelling: the builtin `exp`, its result as an array of JAX
//   np.tril(x)                   a function of NumPy's own library, written in the language (numpy.py) or native
//
// A module is data: spellings of builtins, natives, and a text in the language that is read when it is first needed. A
// name of it is looked for in that order. Nothing here reaches a file or another program.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

/// Names of a module that stand for builtins: "exp exp2 log" under their own names, "float32=f32" under another. Where
/// there is no such builtin, for a name of the module's own text: "sum=_sum", whose text may need Python's `sum`.
struct Spellings {
  std::string_view names;
  /// Integers become floats first, as NumPy's and JAX's functions of floats do with them.
  bool ofFloats = false;
};

struct ModuleSpec {
  std::string path;                               // "jax.numpy"
  std::string doc;                                // a line
  std::optional<ArrayRules> rules = std::nullopt; // what arrays its functions give; nothing: those that they gave
  std::vector<Spellings> spellings = {};
  Builtins natives = {};
  const char *text = nullptr; // in the language; null: none
  const char *more = nullptr; // more of it, read when a name is first asked that `text` does not have
  std::string callable = {};  // the name of its library that it stands for when called (`plgpu.SMEM(…)`)
};

/// The modules as constants of the table of builtins; those of the same path are one module.
Builtins moduleBuiltins(std::vector<ModuleSpec> specs);

/// An array as one of those rules: with Jax, 64-bit dtypes become 32-bit ones. Numbers become arrays of rank 0; other
/// values stay what they are, but for lists and tuples, whose parts are converted.
Value underRules(const Value &value, ArrayRules rules);

/// math, functools, itertools, dataclasses, …
std::vector<ModuleSpec> pythonModules();

} // namespace lanescope::repl
