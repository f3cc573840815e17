#include "layouts/notation/triton/LinearText.h"

#include "layouts/linear/LinearForm.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <map>

namespace lanescope::layouts {

namespace {

constexpr int kMaxLinearDepth = 32;
constexpr size_t kMaxBlocks = 64;

Result<int32_t> coordinate(Scanner &in) {
  in.peek();
  uint32_t begin = in.offset();
  Result<int64_t> value = in.integer("a coordinate");
  if (!value)
    return failure(value);
  if (*value < 0 || *value >= (int64_t(1) << 30))
    return in.fail(begin, Message("coordinates go from 0 to 2^30 - 1, not to {}", *value));
  return static_cast<int32_t>(*value);
}

Result<LinearLayout::Basis> basis(Scanner &in, char open, char close) {
  LinearLayout::Basis out;
  Result<void> read = readList(in, open, close, "a basis", [&]() -> Result<void> {
    Result<int32_t> value = coordinate(in);
    if (!value)
      return failure(value);
    out.push_back(*value);
    return {};
  });
  if (!read)
    return failure(read);
  return out;
}

Result<std::vector<LinearLayout::Output>> sizedOutputs(Scanner &in) {
  std::vector<LinearLayout::Output> outputs;
  Result<void> read = readList(in, '[', ']', "the out dims", [&]() -> Result<void> {
    std::string name(in.identifier());
    if (name.empty())
      return in.expected("the name of an out dim");
    if (!in.eat('(') || !in.eat("size"))
      return in.expected("`(size n)`");
    Result<int32_t> size = coordinate(in);
    if (!size)
      return failure(size);
    if (Result<void> closed = in.expect(')', "`(size n)`"); !closed)
      return closed;
    outputs.push_back({std::move(name), *size});
    return {};
  });
  if (!read)
    return failure(read);
  return outputs;
}

Result<LinearLayout> bullets(Scanner &in) {
  uint32_t begin = in.offset();
  std::vector<LinearLayout::Input> inputs;
  if (in.eat("(empty layout")) {
    std::vector<LinearLayout::Output> outputs;
    if (in.eat("with out-dims")) {
      Result<std::vector<LinearLayout::Output>> read = sizedOutputs(in);
      if (!read)
        return failure(read);
      outputs = *std::move(read);
    }
    if (Result<void> closed = in.expect(')', "`(empty layout)`"); !closed)
      return failure(closed);
    return located(in, begin, LinearLayout::make({}, std::move(outputs)));
  }
  while (!in.atEnd() && in.peek() != 'w') { // a bullet per input; then "where"
    if (!in.eat('-'))
      return in.expected("`-` and the name of an input, or `where out dims are: […]`");
    LinearLayout::Input input{std::string(in.identifier()), {}};
    if (input.name.empty())
      return in.expected("the name of an input");
    if (in.eat("is a size 1 dimension")) {
      inputs.push_back(std::move(input));
      continue;
    }
    while (true) {
      if (!in.eat('='))
        return in.expected("`=` and a power of two, or `is a size 1 dimension`");
      in.peek();
      uint32_t stepBegin = in.offset();
      Result<int64_t> step = in.integer("a power of two");
      if (!step)
        return failure(step);
      if (input.bases.size() >= LinearLayout::kMaxBits || *step != int64_t(1) << input.bases.size())
        return in.fail(stepBegin, Message("expected {}={}: the bases are those of 1, 2, 4, …", input.name,
                                          int64_t(1) << std::min<size_t>(input.bases.size(), 62)));
      if (!in.eat("->"))
        return in.expected("`->`");
      Result<LinearLayout::Basis> read = basis(in, '(', ')');
      if (!read)
        return failure(read);
      input.bases.push_back(*std::move(read));
      uint32_t next = in.offset();
      if (in.identifier() == input.name && in.peek() == '=')
        continue;
      in.rewind(next);
      break;
    }
    inputs.push_back(std::move(input));
    if (inputs.size() > kMaxBlocks)
      return in.expected("fewer inputs");
  }
  if (in.eat("where out dims are")) {
    in.eat(':');
    Result<std::vector<LinearLayout::Output>> outputs = sizedOutputs(in);
    if (!outputs)
      return failure(outputs);
    return located(in, begin, LinearLayout::make(std::move(inputs), *std::move(outputs)));
  }
  if (!in.atEnd())
    return in.expected("`where out dims are: […]`");
  size_t rank = 0;
  for (const LinearLayout::Input &input : inputs)
    if (!input.bases.empty())
      rank = input.bases.front().size();
  if (rank == 0)
    return in.expected("`where out dims are: […]`");
  return located(in, begin, LinearLayout::fitting(std::move(inputs), standardNames(rank)));
}

/// Reads the blocks of linear-layout-viz and the line that combines their names.
class BlockReader {
public:
  explicit BlockReader(Scanner &in) : in(in) {}

  Result<LinearLayout> read() {
    std::optional<LinearLayout> last;
    while (skipComments()) {
      uint32_t begin = in.offset();
      std::string name(in.identifier());
      if (name.empty() || in.peek() != ':') {
        in.rewind(begin);
        break;
      }
      in.eat(':');
      Result<LinearLayout> layout = block(begin);
      if (!layout)
        return layout;
      if (!named_.emplace(name, *layout).second)
        return in.fail(begin, Message("`{name}` is defined twice", name));
      if (named_.size() > kMaxBlocks)
        return in.fail(begin, Message("more than {limit} layouts are defined", kMaxBlocks));
      last = *std::move(layout);
    }
    if (!skipComments()) {
      if (!last)
        return in.expected("`name: [T,W,R] -> [Y,X]`");
      return *std::move(last);
    }
    Result<LinearLayout> result = product();
    if (result)
      skipComments();
    return result;
  }

private:
  /// Skips comments. Returns false at the end of the text.
  bool skipComments() {
    while (in.peek() == '#') {
      const std::string &text = in.spanFrom(in.offset()).source->text();
      size_t end = text.find('\n', in.offset());
      in.rewind(static_cast<uint32_t>(end == std::string::npos ? text.size() : end));
    }
    return !in.atEnd();
  }

  Result<std::vector<std::string>> labels() {
    std::vector<std::string> out;
    Result<void> read = readList(in, '[', ']', "a list of labels", [&]() -> Result<void> {
      std::string label(in.identifier());
      if (label.empty())
        return in.expected("a label such as T");
      out.push_back(std::move(label));
      return {};
    });
    if (!read)
      return failure(read);
    return out;
  }

  Result<LinearLayout> block(uint32_t begin) {
    Result<std::vector<std::string>> inputs = labels();
    if (!inputs)
      return failure(inputs);
    if (!in.eat("->"))
      return in.expected("`->` and the outputs");
    Result<std::vector<std::string>> outputs = labels();
    if (!outputs)
      return failure(outputs);
    std::vector<LinearLayout::Input> rows;
    for (const std::string &name : *inputs)
      rows.push_back({name, {}});
    std::vector<bool> given(rows.size(), false);
    for (size_t k = 0; k < rows.size(); ++k) {
      skipComments();
      uint32_t labelBegin = in.offset();
      std::string label(in.identifier());
      auto row = std::ranges::find(*inputs, label);
      if (row == inputs->end() || in.peek() != ':') {
        in.rewind(labelBegin);
        return in.expected("a line `label: [[…], …]` for each input");
      }
      auto index = static_cast<size_t>(row - inputs->begin());
      if (given[index])
        return in.fail(labelBegin, Message("`{}` is given twice", label));
      given[index] = true;
      in.eat(':');
      Result<void> read = readList(in, '[', ']', "the bases", [&]() -> Result<void> {
        in.peek();
        uint32_t basisBegin = in.offset();
        Result<LinearLayout::Basis> read = basis(in, '[', ']');
        if (!read)
          return failure(read);
        if (read->size() != outputs->size())
          return in.fail(basisBegin, Message("the basis has {count} coordinates for {}", read->size(),
                                             counted(outputs->size(), "output")));
        rows[index].bases.push_back(*std::move(read));
        return {};
      });
      if (!read)
        return failure(read);
    }
    return located(in, begin, LinearLayout::fitting(std::move(rows), *std::move(outputs)));
  }

  Result<LinearLayout> product() {
    in.peek();
    uint32_t begin = in.offset();
    Result<LinearLayout> left = application();
    while (left && in.eat('*')) {
      Result<LinearLayout> right = application();
      if (!right)
        return right;
      left = located(in, begin, left->product(*right));
    }
    return left;
  }

  /// Reads `A(B)`. The outputs of B are the inputs of A, matched by name, or in order if the names differ.
  Result<LinearLayout> application() {
    if (++depth_ > kMaxLinearDepth) {
      --depth_;
      return in.expected("fewer parentheses");
    }
    in.peek();
    uint32_t begin = in.offset();
    Result<LinearLayout> outer = term();
    while (outer && in.eat('(')) {
      Result<LinearLayout> inner = product();
      if (inner)
        if (Result<void> closed = in.expect(')', "`A(B)`"); !closed)
          inner = failure(closed);
      if (!inner) {
        --depth_;
        return inner;
      }
      outer = located(in, begin, composed(*outer, *inner));
    }
    --depth_;
    return outer;
  }

  static Result<LinearLayout> composed(const LinearLayout &outer, const LinearLayout &inner) {
    std::vector<LinearLayout::Input> inputs = outer.inputs();
    bool byName = std::ranges::all_of(
        inner.outputs(), [&](const LinearLayout::Output &output) { return outer.inputIndex(output.name) >= 0; });
    if (!byName && inputs.size() == inner.outputs().size())
      for (size_t i = 0; i < inputs.size(); ++i)
        inputs[i].name = inner.outputs()[i].name;
    Result<LinearLayout> renamed = LinearLayout::make(std::move(inputs), outer.outputs());
    if (!renamed)
      return renamed;
    return inner.compose(*renamed);
  }

  Result<LinearLayout> term() {
    in.peek();
    uint32_t begin = in.offset();
    if (in.eat('(')) {
      Result<LinearLayout> inner = product();
      if (inner)
        if (Result<void> closed = in.expect(')', "`(…)`"); !closed)
          return failure(closed);
      return inner;
    }
    std::string name(in.identifier());
    if (name.empty())
      return in.expected("a layout's name, `inv(…)` or `(…)`");
    if (name == "inv" && in.eat('(')) {
      Result<LinearLayout> inner = product();
      if (!inner)
        return inner;
      if (Result<void> closed = in.expect(')', "`inv(…)`"); !closed)
        return failure(closed);
      return located(in, begin, inner->invert());
    }
    auto known = named_.find(name);
    if (known == named_.end())
      return in.fail(begin, Message("no layout is called `{name}` here", name));
    return known->second;
  }

  Scanner &in;
  std::map<std::string, LinearLayout> named_;
  int depth_ = 0;
};

/// True if a line begins with `name: [`, after comments.
bool looksLikeBlock(std::string_view text) {
  while (true) {
    size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos)
      return false;
    text.remove_prefix(begin);
    if (!text.starts_with('#'))
      break;
    size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return false;
    text.remove_prefix(end);
  }
  size_t name = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
  if (name == 0 || name == std::string_view::npos)
    return false;
  text.remove_prefix(name);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  if (!text.starts_with(':'))
    return false;
  text.remove_prefix(1);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  size_t close = text.find(']');
  if (!text.starts_with('[') || close == std::string_view::npos)
    return false;
  text.remove_prefix(close + 1);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  return text.starts_with("->");
}

} // namespace

bool looksLikeLinearText(std::string_view text) {
  if (looksLikeBlock(text))
    return true;
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    return false;
  text.remove_prefix(begin);
  if (text.starts_with("(empty layout"))
    return true;
  if (!text.starts_with("- "))
    return false;
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ', 1)));
  size_t name = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
  if (name == 0 || name == std::string_view::npos)
    return false;
  text.remove_prefix(name);
  return text.starts_with("=") || text.starts_with(" is a size 1");
}

Result<Layout> parseLinearText(Scanner &in, Diagnostics *) {
  char first = in.peek();
  Result<LinearLayout> layout = first == '-' || first == '(' ? bullets(in) : BlockReader(in).read();
  if (!layout)
    return failure(layout);
  return LinearForeign::make(*std::move(layout));
}

Result<std::string> linearText(const Placement &placement) {
  Result<LinearLayout> layout = linearForm(placement);
  if (!layout)
    return failure(layout);
  return layout->toString();
}

} // namespace lanescope::layouts
