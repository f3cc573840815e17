#include "layouts/support/Message.h"

#include <algorithm>
#include <array>

namespace lanescope {

namespace {

struct KindParameters {
  std::string_view kind, parameters;
};

// Sorted by the kinds, for the search below.
constexpr auto kKindParameters = std::to_array<KindParameters>({
#include "layouts/support/KindParameters.inc"
});
static_assert(std::ranges::is_sorted(kKindParameters, {}, &KindParameters::kind),
              "the kinds of KindParameters.inc are not in order");

ParameterValue valueOf(const TextPart &part) {
  if (std::optional<int64_t> number = part.integer())
    return *number;
  return concatenation(std::span(&part, 1));
}

} // namespace

void Message::fill(std::string_view form, std::span<const TextPart> parts) {
  size_t next = 0;
  for (size_t at = 0; at < form.size(); ++at) {
    if (form[at] == '}') {
      ++at; // a doubled brace
      words += '}';
    } else if (form[at] != '{') {
      words += form[at];
    } else if (form[at + 1] == '{') {
      ++at;
      words += '{';
    } else {
      size_t end = form.find('}', at);
      const TextPart &part = parts[next++];
      words += concatenation(std::span(&part, 1));
      if (end > at + 1)
        parameters.push_back({std::string(form.substr(at + 1, end - at - 1)), valueOf(part)});
      at = end;
    }
  }
}

Message &&Message::with(std::string name, TextPart value) && {
  if (ParameterValue given = valueOf(value); given != ParameterValue(std::string()))
    parameters.push_back({std::move(name), std::move(given)});
  return std::move(*this);
}

std::string_view parametersOf(std::string_view kind) {
  auto found = std::ranges::lower_bound(kKindParameters, kind, {}, &KindParameters::kind);
  return found != kKindParameters.end() && found->kind == kind ? found->parameters : std::string_view();
}

bool declares(std::string_view kind, const std::vector<MessageParameter> &parameters) {
  std::string list = text(", ", parametersOf(kind), ",");
  return std::ranges::all_of(parameters, [&](const MessageParameter &each) {
    bool number = std::holds_alternative<int64_t>(each.value);
    // A large integer is given as its digits, so a text may be an integer.
    return list.find(text(", ", each.name, ": integer,")) != list.npos ||
           (!number && list.find(text(", ", each.name, ": text,")) != list.npos);
  });
}

} // namespace lanescope
