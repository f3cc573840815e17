// The incoming end of the protocol. Input that is no valid message costs at most one message and never ends the server.
//
//   "Content-Length: 17\r\n\r\n{\"jsonrpc\":\"2.0\"}"      one message
//
// LLVM's own reader ends the server at a message that is no request, loses bytes of a body that comes in pieces, and
// parses JSON of any depth. This reader has limits, and skips unknown headers (LSP 3.17, "Header Part"). After input
// that is no message, it looks for the next header.
#pragma once

#include "llvm/Support/JSON.h"

#include <functional>
#include <optional>
#include <string>

namespace lanescope::repl::lsp {

/// The largest message, and the deepest nesting of its JSON.
constexpr size_t kMostMessageBytes = size_t{64} << 20;
constexpr int kMostMessageNesting = 200;

/// A message, or a sentence that says why there is none.
struct Incoming {
  std::optional<llvm::json::Value> message;
  std::string problem;
};

class MessageReader {
public:
  /// Reads up to `size` bytes into `buffer` and returns their number; 0 at the end of the input.
  using Read = std::function<size_t(char *buffer, size_t size)>;
  explicit MessageReader(Read read) : read_(std::move(read)) {}

  /// Reads the next message; nothing at the end of the input.
  std::optional<Incoming> next();

private:
  bool fill();
  /// Reads a line and removes its line break. A line that is too long for a header is cut.
  bool line(std::string &out);
  bool body(size_t length, std::string &out);

  Read read_;
  std::string buffer_;
  size_t at_ = 0;
};

} // namespace lanescope::repl::lsp
