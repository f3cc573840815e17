// Prefixes: the names of NumPy's, JAX's and Pallas' modules for the language's functions, so that a kernel's body can
// be pasted unchanged.
//
//   jnp.exp(x)                   a spelling: the builtin `exp`
//   jnp.clip(x, 0, 1)            a function that is written in the language
//   jax.numpy.exp(x)             the same by its whole path
//
// A prefix is data: spellings of builtins, natives, and a text in the language that is read on first use. Names are
// looked up in that order. Nothing is imported, and no file is read.
#pragma once

#include "repl/lang/values/Builtin.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

struct PrefixSpec {
  std::string path;       // "jax.numpy"
  std::string alias = {}; // "jnp", the name in programs' imports; empty if there is only the path
  std::string doc;        // a description in one line
  /// The names of builtins: "exp exp2 log" under their own names, "float32=f32" under another one.
  std::string_view spellings = {};
  Builtins natives = {};
  const char *text = nullptr; // source text in the language; null if there is none
  std::string callable = {};  // the name in `text` that a call of the prefix calls (`plgpu.SMEM(…)`)
};

/// The prefixes as constants in the table of builtins, under their paths and aliases.
Builtins prefixBuiltins(std::vector<PrefixSpec> specs);

} // namespace lanescope::repl
