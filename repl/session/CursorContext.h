// What stands before a cursor in a text that is being typed: the value that a chain of members leads to, the call that
// is open. For completion, signatures and hover.
//
//   tokens of `show(WGMMA, sh`      openCall: `(` of show, one positional argument finished
//   tokens of `jnp.linalg`          chainValue: the module, where the session has imported it
//
// No snippet code is run: a chain is followed through values whose members are fixed, and through modules, which at
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

/// The member chain that ends the tokens (`a.b.c`, a name, a string's method); nothing where it is not known.
std::optional<Value> chainValue(Evaluator &evaluator, Tokens tokens);

struct OpenCall {
  size_t bracket = 0;               // index of its `(`
  size_t positional = 0;            // finished positional arguments
  std::set<std::string> given = {}; // keyword arguments that are there already
  std::string keyword = {};         // of the argument at the cursor; empty: positional
  bool atArgument = false;          // nothing of the argument at the cursor is there yet
};

/// The innermost call that the tokens leave open.
std::optional<OpenCall> openCall(Tokens tokens);

} // namespace lanescope::repl
