// Programs of Pallas' users in tests.
#pragma once

#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {

/// A program with the usual imports.
inline Snippet program(const std::string &text) {
  return Snippet(
      "import functools, math\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n"
      "from jax.experimental import pallas as pl\n"
      "from jax.experimental.pallas import mosaic_gpu as plgpu\n" +
      text);
}

} // namespace lanescope::repl
