#include "core/gpu/ir/NewerSyntax.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

namespace {

/// Takes `<word>` off the front of `text`.
bool takeBracketed(std::string_view &text, std::string_view &word) {
  if (!text.starts_with('<'))
    return false;
  size_t close = text.find_first_of(">\n");
  if (close == std::string_view::npos || text[close] != '>')
    return false;
  word = text.substr(1, close - 1);
  text.remove_prefix(close + 1);
  return true;
}

std::string withFences(std::string_view input) {
  constexpr std::string_view kFence = "nvvm.fence.proxy ", kSpace = ", space = ";
  std::string out;
  out.reserve(input.size() + 64);
  while (true) {
    size_t found = input.find(kFence);
    if (found == std::string_view::npos)
      break;
    out += input.substr(0, found + kFence.size());
    input.remove_prefix(found + kFence.size());
    std::string_view rest = input, kind, space;
    if (!takeBracketed(rest, kind))
      continue;
    out += text("{kind = #nvvm.proxy_kind<", kind, ">");
    input = rest;
    if (rest.starts_with(kSpace)) {
      rest.remove_prefix(kSpace.size());
      if (takeBracketed(rest, space)) {
        out += text(", space = #nvvm.shared_space<", space, ">");
        input = rest;
      }
    }
    out += "}";
  }
  out += input;
  return out;
}

std::string withWaits(std::string_view input) {
  constexpr std::string_view kWait = "nvvm.cp.async.bulk.wait_group ", kRead = " read";
  std::string out;
  out.reserve(input.size());
  for (size_t found; (found = input.find(kWait)) != std::string_view::npos;) {
    size_t end = std::min(input.find_first_not_of("0123456789", found + kWait.size()), input.size());
    out += input.substr(0, end);
    input.remove_prefix(end);
    std::string_view rest = input.substr(std::min(kRead.size(), input.size()));
    if (input.starts_with(kRead) && (rest.empty() || rest.starts_with('\n') || rest.starts_with(' '))) {
      out += " {read}";
      input = rest;
    }
  }
  out += input;
  return out;
}

} // namespace

std::string withMlir22Syntax(std::string_view input) { return withWaits(withFences(input)); }

} // namespace lanescope::core
