// Prefixes: the names of NumPy's, JAX's and Pallas' modules over the language's functions, so that a kernel's body may
// be pasted as it is.
//
//   jnp.exp(x)                   a spelling: the builtin `exp`
//   jnp.clip(x, 0, 1)            a function that is written in the language
//   jax.numpy.exp(x)             the same by its whole path
//
// A prefix is data: spellings of builtins, natives, and a text in the language that is read when it is first needed. A
// name is looked for in that order. Nothing is imported, and nothing here reaches a file.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

struct PrefixSpec {
  std::string path;       // "jax.numpy"
  std::string alias = {}; // "jnp", as programs import it; empty: the path alone
  std::string doc;        // a line
  /// Names that stand for builtins: "exp exp2 log" under their own names, "float32=f32" under another.
  std::string_view spellings = {};
  Builtins natives = {};
  const char *text = nullptr; // in the language; null: none
  std::string callable = {};  // the name of its text that it stands for when called (`plgpu.SMEM(…)`)
};

/// The prefixes as constants of the table of builtins, under their paths and aliases.
Builtins prefixBuiltins(std::vector<PrefixSpec> specs);

} // namespace lanescope::repl
