#include "layouts/notation/OperationLine.h"

#include "layouts/linear/TritonLayout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

static constexpr size_t kMaxList = 2048; // bytes searched from an attribute back to the key of its list

std::vector<ArrayType> arrayTypes(std::string_view line) {
  std::vector<ArrayType> types;
  for (size_t at = 0; at < line.size();) {
    size_t vector = line.find("vector<", at), memref = line.find("memref<", at);
    size_t begin = std::min(vector, memref);
    if (begin == std::string_view::npos || types.size() > 64)
      break;
    size_t from = begin + 7, close = line.find('>', from);
    at = from;
    if (close == std::string_view::npos)
      break;
    std::string_view body = line.substr(from, close - from);
    bool tmem =
        begin == memref && line.substr(from, line.find(')', from) - from).find("tmem") != std::string_view::npos;
    // Shared memory is `#gpu.address_space<workgroup>`, or a short form of it. The type's body ends before the last
    // `>`.
    bool smem = begin == memref && !tmem && body.find("address_space<workgroup") != std::string_view::npos;
    bool tpu = begin == memref && body.find("#tpu.tiled<") != std::string_view::npos;
    ArrayType type{begin, {}, 0, tmem, smem};
    bool good = true;
    while (true) {
      size_t digits = body.find_first_not_of("0123456789");
      if (digits == 0 || digits == std::string_view::npos || body[digits] != 'x')
        break;
      std::optional<int64_t> size = parseInteger<int64_t>(body.substr(0, digits));
      good = good && size && *size < (int64_t(1) << 31);
      type.shape.push_back(size.value_or(0));
      body.remove_prefix(digits + 1);
    }
    type.bitwidth = elementBits(body.substr(0, body.find_first_of(", ")));
    if (good && !type.shape.empty() && type.bitwidth > 0 && (begin == vector || tmem || smem || tpu))
      types.push_back(std::move(type));
  }
  return types;
}

ListPlace placeInList(std::string_view line, size_t attribute) {
  ListPlace place;
  int depth = 0;
  size_t least = attribute > kMaxList ? attribute - kMaxList : 0;
  for (size_t i = attribute; i-- > least;) {
    char c = line[i];
    if (c == ']' || c == '>' || c == ')')
      depth += c != '>' || i == 0 || line[i - 1] != '-';
    else if ((c == '<' || c == '(') && depth > 0)
      --depth;
    else if (c == '[' && depth > 0)
      --depth;
    else if (c == ',' && depth == 0)
      ++place.index;
    else if (depth == 0 && (c == '[' || c == '=')) {
      size_t end = line.find_last_not_of(" =[", i);
      size_t begin = end;
      while (end != std::string_view::npos && begin > 0 && isNameCharacter(line[begin - 1]))
        --begin;
      if (end != std::string_view::npos)
        place.key = line.substr(begin, end - begin + 1);
      if (c == '=')
        place.index = 0;
      return place;
    } else if (depth == 0 && (c == '{' || c == '(' || c == '<')) {
      return {};
    }
  }
  return {};
}

} // namespace lanescope::layouts
