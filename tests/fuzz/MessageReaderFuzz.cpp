// The reader of JSON-RPC messages on any bytes. It ends, consumes no more than the input, and gives the same messages
// whatever the sizes of the pieces. An accepted message can be sent again and is then equal.
#include "repl/lsp/MessageReader.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using lanescope::repl::lsp::Incoming;
using lanescope::repl::lsp::MessageReader;

void require(bool condition) {
  if (!condition)
    std::abort();
}

/// All messages read from the bytes, which arrive `piece` at a time.
std::vector<Incoming> messagesIn(std::string_view bytes, size_t piece) {
  MessageReader reader([&](char *buffer, size_t size) {
    size_t count = std::min({size, piece, bytes.size()});
    std::copy_n(bytes.data(), count, buffer);
    bytes.remove_prefix(count);
    return count;
  });
  std::vector<Incoming> out;
  while (auto incoming = reader.next()) {
    require(incoming->message.has_value() == incoming->problem.empty());
    out.push_back(*std::move(incoming));
  }
  require(bytes.empty());
  require(!reader.next());
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  std::vector<Incoming> whole = messagesIn(bytes, SIZE_MAX);
  for (size_t piece : {1, 3, 64}) {
    std::vector<Incoming> pieces = messagesIn(bytes, piece);
    require(pieces.size() == whole.size());
    for (size_t i = 0; i < whole.size(); ++i)
      require(pieces[i].message == whole[i].message && pieces[i].problem == whole[i].problem);
  }
  std::string again;
  size_t messages = 0;
  for (const Incoming &each : whole)
    if (each.message) {
      std::string body = llvm::formatv("{0}", *each.message).str();
      again += llvm::formatv("Content-Length: {0}\r\n\r\n", body.size()).str() + body;
      ++messages;
    }
  std::vector<Incoming> sent = messagesIn(again, SIZE_MAX);
  require(sent.size() == messages);
  return 0;
}
