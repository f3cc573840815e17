// A diagnostic's message together with its parameters: the names, numbers and sizes that it speaks of, so that a
// program need not take them out of the words again.
//
//   Message("name `{name}` is not defined", name)            words "name `x` is not defined", parameters name = "x"
//   Message("expected {expected}, found {found}{}", e, f, hint)  `{}` takes a text that is no parameter
//   Message("a single `}}` in an f-string")                  only words, taken as they are
//
// A form with parts is checked while it is compiled: it has one pair of braces for each part, and a brace that stands
// for itself is doubled. layouts/support/KindParameters.inc lists the parameters of each kind of diagnostic.
#pragma once

#include "layouts/support/Text.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lanescope {

/// An integer that does not fit into an int64_t is given as its digits.
using ParameterValue = std::variant<std::string, int64_t>;

struct MessageParameter {
  std::string name; // in lower case: "name", "axis_size"
  ParameterValue value;

  bool operator==(const MessageParameter &) const = default;
};

namespace detail {

/// This function is not constexpr. A call of it during constant evaluation makes the compiler show its name.
void theFormDoesNotFitItsParts();

} // namespace detail

/// The form of a message that is put together from `Parts` parts.
template <size_t Parts> class MessageForm {
public:
  consteval MessageForm(const char *form) : form_(form) {
    size_t fields = 0;
    for (size_t at = 0; at < form_.size(); ++at) {
      char brace = form_[at];
      if (brace != '{' && brace != '}')
        continue;
      if (at + 1 < form_.size() && form_[at + 1] == brace) {
        ++at;
        continue;
      }
      if (brace == '}')
        detail::theFormDoesNotFitItsParts();
      for (++at; at < form_.size() && form_[at] != '}'; ++at)
        if (form_[at] != '_' && (form_[at] < 'a' || form_[at] > 'z'))
          detail::theFormDoesNotFitItsParts();
      if (at == form_.size())
        detail::theFormDoesNotFitItsParts();
      ++fields;
    }
    if (fields != Parts)
      detail::theFormDoesNotFitItsParts();
  }
  constexpr std::string_view form() const { return form_; }

private:
  std::string_view form_;
};

class Message {
public:
  template <std::convertible_to<std::string> Text> Message(Text &&words) : words(std::forward<Text>(words)) {}
  Message(std::string_view words) : words(words) {}
  Message(std::string words, std::vector<MessageParameter> parameters)
      : words(std::move(words)), parameters(std::move(parameters)) {}
  template <typename... Parts>
    requires(sizeof...(Parts) > 0)
  Message(MessageForm<sizeof...(Parts)> form, const Parts &...parts) {
    fill(form.form(), std::initializer_list<TextPart>{parts...});
  }

  /// Adds a parameter that the words do not show, unless it is an empty text.
  Message &&with(std::string name, TextPart value) &&;

  std::string words;
  std::vector<MessageParameter> parameters;

private:
  void fill(std::string_view form, std::span<const TextPart> parts);
};

/// The parameters that the diagnostics of a kind may have, as "name: text, index: integer"; empty: none.
std::string_view parametersOf(std::string_view kind);
/// True if a diagnostic of the kind may have the parameters.
bool declares(std::string_view kind, const std::vector<MessageParameter> &parameters);

} // namespace lanescope
