// Snippets for Blackwell: everything is compiled for sm_100a.
#pragma once

#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {

inline KernelOptions blackwell() { return {.arch = "sm_100a", .device = "emulator"}; }

inline void expectRunsThere(const std::string &text) {
  Snippet done(text, blackwell());
  EXPECT_TRUE(done.ok) << text << "\n" << done.errors;
}

/// The first error has this kind, place and message.
inline void expectMistake(const std::string &text, const std::string &kind, const std::string &place,
                          const std::string &message, KernelOptions options = blackwell()) {
  Snippet done(text, std::move(options));
  ASSERT_FALSE(done.ok) << text;
  EXPECT_EQ(done.diagnostics.front().kind, kind) << text << "\n" << done.errors;
  EXPECT_EQ(done.place(), place) << text << "\n" << done.errors;
  EXPECT_NE(done.diagnostics.front().message.find(message), std::string::npos)
      << text << "\nwanted: " << message << "\n"
      << done.errors;
}

} // namespace lanescope::repl
