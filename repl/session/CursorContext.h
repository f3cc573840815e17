// The context before the cursor in a half-typed text: the value of the chain of members, and the open call. Completion,
// signatures and hover use it.
//
//   tokens of `show(WGMMA, sh`      openCall: `(` of show, one positional argument finished
//   tokens of `jnp.linalg`          chainValue: the module, if the session has imported it
//
// No snippet code is run. A chain is followed only through values with fixed members, and through modules, which at
// most read their own library.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/syntax/Lexer.h"

#include <optional>
#include <set>
#include <span>
#include <string>

namespace lanescope::repl {

using Tokens = std::span<const Token>;

/// The value of the chain of members at the end of the tokens (`a.b.c`, a name, a string's method); nothing if it is
/// unknown.
std::optional<Value> chainValue(Evaluator &evaluator, Tokens tokens);

struct OpenCall {
  size_t bracket = 0;               // index of the call's `(`
  size_t positional = 0;            // number of finished positional arguments
  std::set<std::string> given = {}; // keywords of the arguments before the cursor
  std::string keyword = {};         // keyword of the argument at the cursor; empty if it is positional
  bool atArgument = false;          // the argument at the cursor is still empty
};

/// The innermost call whose bracket is still open at the end of the tokens.
std::optional<OpenCall> openCall(Tokens tokens);

} // namespace lanescope::repl
