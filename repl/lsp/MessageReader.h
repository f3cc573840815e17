// The incoming end of the protocol: whatever a client sends, noise too, costs at most a message and never the server.
//
//   "Content-Length: 17\r\n\r\n{\"jsonrpc\":\"2.0\"}"      one message
//
// LLVM's own reader ends the server at a message that is no request, loses bytes of a body that comes in pieces, and
// parses JSON of any depth; this one has limits, skips headers that it does not know (LSP 3.17, "Header Part"), and
// looks for the next header after what is no message.
#pragma once

#include "llvm/Support/JSON.h"

#include <functional>
#include <optional>
#include <string>

namespace lanescope::repl::lsp {

/// Largest message, and how deep its JSON may nest.
constexpr size_t kMostMessageBytes = size_t{64} << 20;
constexpr int kMostMessageNesting = 200;

/// What was read: a message, or why there is none (a sentence).
struct Incoming {
  std::optional<llvm::json::Value> message;
  std::string problem;
};

class MessageReader {
public:
  /// Gives up to `size` bytes into `buffer`; 0 at the end of the input.
  using Read = std::function<size_t(char *buffer, size_t size)>;
  explicit MessageReader(Read read) : read_(std::move(read)) {}

  /// Nothing at the end of the input.
  std::optional<Incoming> next();

private:
  bool fill();
  /// Without its line break; of one that is too long for a header the begin.
  bool line(std::string &out);
  bool body(size_t length, std::string &out);

  Read read_;
  std::string buffer_;
  size_t at_ = 0;
};

} // namespace lanescope::repl::lsp
