#include "viz/scene/ViewText.h"

#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "viz/scene/Palette.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace lanescope::viz {
namespace {

constexpr size_t kMostText = 1 << 16;
constexpr size_t kMostItems = 64; // the most items in a tuple
constexpr size_t kMostViews = 64; // the most views in a text
constexpr int kMostDepth = 2;     // the deepest nesting of tuples

std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string number(double value) {
  char buffer[64];
  std::string out(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

/// A literal of the snippet language, of the kinds that arguments use.
struct Literal {
  enum Kind { None, Bool, Name, Number, Text, Tuple } kind = None;
  bool truth = false;
  std::string text = {}; // for a name or a string
  double number = 0;
  std::optional<int64_t> integer = std::nullopt; // for a number without a decimal point
  std::vector<Literal> items = {};
  Span span = {};
};

class Reader {
public:
  explicit Reader(const SourceRef &source) : source_(source), text_(source->text()) {}

  /// Reads one call, or several if `most` allows it.
  Result<std::vector<ViewSpec>> views(size_t most) {
    std::vector<ViewSpec> out;
    while (true) {
      Result<ViewSpec> next = view();
      if (!next)
        return std::unexpected(std::move(next.error()));
      out.push_back(*std::move(next));
      skip();
      bool another = most > 1 && take(';');
      skip();
      if (at_ >= text_.size())
        return out;
      if (!another)
        return fail(at_, text_.size(), "nothing may follow the call");
      if (out.size() == most)
        return fail(at_, text_.size(), Message("a text has at most {limit} views", most));
    }
  }

private:
  Result<ViewSpec> view() {
    spec_ = {}, seen_.clear();
    thread_.reset(), register_.reset(), position_.reset(), byte_.reset();
    if (text_.size() > kMostText)
      return fail(0, 1, "the text is longer than 64 KiB");
    skip();
    size_t begin = at_;
    start_ = static_cast<uint32_t>(begin);
    if (word() != "view")
      return fail(begin, std::max(at_, begin + 1), "a call `view(\"LAYOUT\", shape=…, …)` is expected here");
    skip();
    if (!take('('))
      return fail(at_, at_ + 1, "`(` is expected after `view`");
    bool first = true;
    while (true) {
      skip();
      if (take(')'))
        break;
      if (at_ >= text_.size())
        return fail(at_, at_, "`)` is expected: the call ends too early");
      if (Result<void> read = argument(first); !read)
        return std::unexpected(std::move(read.error()));
      first = false;
      skip();
      if (!take(',') && peek() != ')')
        return fail(at_, at_ + 1, "`,` or `)` is expected after an argument");
    }
    if (Result<void> joined = joinPlace(); !joined)
      return std::unexpected(std::move(joined.error()));
    return std::move(spec_);
  }

  std::unexpected<Diagnostics> fail(size_t begin, size_t end, Message message) const {
    end = std::min(end, text_.size());
    return error("bad-view", Span{source_, static_cast<uint32_t>(std::min(begin, end)), static_cast<uint32_t>(end)},
                 std::move(message));
  }
  std::unexpected<Diagnostics> wrong(const Literal &value, Message message) const {
    return error("bad-view", value.span, std::move(message));
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size())
      return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    size_t begin = at_;
    auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    while (at_ < text_.size() && (letter(text_[at_]) || (at_ > begin && text_[at_] >= '0' && text_[at_] <= '9')))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// `depth`: the number of tuples in which the literal is.
  Result<Literal> literal(int depth = 0) {
    skip();
    Literal out;
    size_t begin = at_;
    char c = peek();
    if (c == '"' || c == '\'') {
      ++at_;
      out.kind = Literal::Text;
      while (at_ < text_.size() && text_[at_] != c) {
        char next = text_[at_++];
        if (next == '\\' && at_ < text_.size()) {
          next = text_[at_++];
          if (next == 'n')
            next = '\n';
          else if (next != '\\' && next != '"' && next != '\'')
            return fail(at_ - 2, at_, "this escape means nothing here; `\\\\`, `\\\"` and `\\n` do");
        }
        out.text += next;
      }
      if (!take(c))
        return fail(begin, text_.size(), "the string does not end");
    } else if (c == '(') {
      if (depth > kMostDepth)
        return fail(at_, at_ + 1, "tuples nest too deep here");
      ++at_;
      out.kind = Literal::Tuple;
      while (true) {
        skip();
        if (take(')'))
          break;
        Result<Literal> item = literal(depth + 1);
        if (!item)
          return item;
        out.items.push_back(*std::move(item));
        if (out.items.size() > kMostItems)
          return fail(begin, at_, Message("a tuple has at most {limit} items here", kMostItems));
        skip();
        if (!take(',') && peek() != ')')
          return fail(at_, at_ + 1, "`,` or `)` is expected in the tuple");
      }
      if (out.items.size() == 1 && text_.substr(begin, at_ - begin).find(',') == std::string_view::npos)
        out = Literal(out.items[0]); // parentheses around a single number
    } else if (c == '-' || c == '.' || (c >= '0' && c <= '9')) {
      const char *first = text_.data() + at_, *last = text_.data() + text_.size();
      auto [end, problem] = std::from_chars(first, last, out.number);
      if (problem != std::errc() || !std::isfinite(out.number))
        return fail(begin, at_ + 1, "this is no number that fits");
      at_ += static_cast<size_t>(end - first);
      out.kind = Literal::Number;
      out.integer = parseInteger<int64_t>(text_.substr(begin, at_ - begin));
    } else if (std::string_view name = word(); !name.empty()) {
      out.kind = name == "None" ? Literal::None : name == "True" || name == "False" ? Literal::Bool : Literal::Name;
      out.truth = name == "True";
      out.text = std::string(name);
    } else {
      return fail(begin, begin + 1, "a value is expected: a string, a number, a tuple or a type's name");
    }
    out.span = Span{source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
    return out;
  }

  Result<void> argument(bool first) {
    size_t begin = at_;
    std::string_view name = word();
    size_t end = at_;
    skip();
    if (name.empty() || !take('=')) {
      at_ = begin;
      if (!first)
        return fail(begin, std::max(end, begin + 1), "arguments after the layout go by name: `shape=(64, 64)`");
      name = "layout";
    }
    Result<Literal> value = literal();
    if (!value)
      return std::unexpected(std::move(value.error()));
    std::string key(name == "color" ? "colour" : name);
    for (const std::string &known : seen_)
      if (known == key)
        return fail(begin, std::max(end, begin + 1), Message("`{key}` is given twice", key));
    seen_.push_back(key);
    if (value->kind == Literal::None)
      return {};
    return set(key, *value, Span{source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  }

  Result<void> set(const std::string &key, const Literal &value, Span place) {
    if (key == "layout")
      return words(value, spec_.layout);
    if (key == "against")
      return words(value, spec_.against);
    if (key == "shape")
      return sizes(value, spec_.shape);
    if (key == "slice")
      return sizes(value, spec_.slice);
    if (key == "tiling")
      return sizes(value, spec_.tiling);
    if (key == "transpose" || key == "whole") {
      if (value.kind != Literal::Bool)
        return wrong(value, "`True` or `False` is expected");
      (key == "whole" ? spec_.wholeMemory : spec_.transpose) = value.truth;
      return {};
    }
    if (key == "swizzle")
      return integer(value, 0, 128, [&](int64_t n) { spec_.swizzle = static_cast<int>(n); });
    if (key == "dtype")
      return named(value, layouts::dtypeNamed, "a type such as `f16` is expected",
                   [&](layouts::Dtype dtype) { spec_.dtype = dtype; });
    if (key == "view")
      return named(value, viewNamed, text("there is no such view; there are ", viewNames()),
                   [&](View view) { spec_.view = view; });
    if (key == "memory")
      return named(value, layouts::memoryNamed, "the memories are registers, shared and tmem",
                   [&](layouts::Memory memory) { spec_.memory = memory; });
    if (key == "theme")
      return named(value, themeNamed, "the themes are light and dark", [&](ColourTheme theme) { spec_.theme = theme; });
    if (key == "stage")
      return named(value, smemStageNamed, "the stages of shared memory are before, after and both",
                   [&](SmemStage stage) { spec_.stage = stage; });
    if (key == "colour")
      return colour(value);
    if (key == "zoom")
      return zoom(value);
    if (key == "arrays")
      return arrays(value);
    if (key == "mesh")
      return mesh(value);
    if (key == "sharding")
      return sharding(value);
    if (key == "select") {
      ElementPlace element;
      if (value.integer)
        element.index = {*value.integer};
      else if (Result<void> read = sizes(value, element.index); !read)
        return read;
      return select(element, place);
    }
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (key == "byte")
      return integer(value, 0, std::numeric_limits<int64_t>::max(), [&](int64_t n) { byte_ = BytePlace{n}; });
    if (key == "cell") {
      layouts::Shape numbers;
      if (Result<void> read = sizes(value, numbers); !read)
        return read;
      if (numbers.size() < 2 || numbers.size() > 3 || *std::max_element(numbers.begin(), numbers.end()) > kMost)
        return wrong(value, "`cell` takes a lane, a column and, where it packs several elements, a place in it");
      return select(TmemPlace{static_cast<int32_t>(numbers[0]), static_cast<int32_t>(numbers[1]),
                              numbers.size() > 2 ? static_cast<int32_t>(numbers[2]) : -1},
                    place);
    }
    for (auto [name, field] : {std::pair("thread", &thread_), {"register", &register_}, {"position", &position_}})
      if (key == name)
        return integer(value, 0, kMost, [&](int64_t n) { *field = static_cast<int32_t>(n); });
    return error("bad-view", place,
                 Message("`view` has no argument `{argument}`; it has shape, dtype, view, memory, colour, against, "
                         "slice, tiling, swizzle, transpose, stage, whole, arrays, mesh, sharding, select, thread, "
                         "register, position, byte, cell, theme, zoom",
                         key));
  }

  Result<void> words(const Literal &value, std::string &out) {
    if (value.kind != Literal::Text && value.kind != Literal::Name)
      return wrong(value, "a layout's text in quotes is expected");
    out = value.text;
    return {};
  }

  Result<void> sizes(const Literal &value, layouts::Shape &out) {
    if (value.kind == Literal::Number && value.integer && *value.integer >= 0) {
      out = {*value.integer};
      return {};
    }
    if (value.kind != Literal::Tuple)
      return wrong(value, "a tuple of numbers such as `(64, 64)` is expected");
    out.clear();
    for (const Literal &item : value.items) {
      if (!item.integer || *item.integer < 0)
        return wrong(item, "a whole number that is not negative is expected");
      out.push_back(*item.integer);
    }
    return {};
  }

  template <typename Set> Result<void> integer(const Literal &value, int64_t least, int64_t most, Set set) {
    if (!value.integer || *value.integer < least || *value.integer > most)
      return wrong(value, Message("a whole number from {} to {limit} is expected", least, most));
    set(*value.integer);
    return {};
  }

  template <typename Find, typename Set>
  Result<void> named(const Literal &value, Find find, std::string_view message, Set set) {
    if (value.kind == Literal::Text || value.kind == Literal::Name)
      if (auto found = find(value.text)) {
        set(*found);
        return {};
      }
    return wrong(value, std::string(message));
  }

  Result<void> colour(const Literal &value) {
    if (value.kind == Literal::Text || value.kind == Literal::Name) {
      if (auto found = colourByNamed(value.text)) {
        spec_.colourBy = *found;
        return {};
      }
      if (auto found = smemColourNamed(value.text)) {
        spec_.smemColour = found;
        return {};
      }
    }
    return wrong(value, "there is no such colouring; there are warp, lane, register, vector, bank, custom, and for "
                        "shared memory chunk, row, column");
  }

  Result<void> zoom(const Literal &value) {
    if (value.kind != Literal::Tuple || value.items.size() != 3)
      return wrong(value, "`zoom` takes three numbers: the scale, and the point at the top left");
    for (const Literal &item : value.items)
      if (item.kind != Literal::Number)
        return wrong(item, "a number is expected");
    if (!(value.items[0].number > 0))
      return wrong(value.items[0], "the scale must be above zero");
    spec_.zoom = ViewZoom{value.items[0].number, value.items[1].number, value.items[2].number};
    return {};
  }

  Result<void> arrays(const Literal &value) {
    if (value.kind != Literal::Tuple || value.items.empty())
      return wrong(value, "`arrays` takes a tuple of arrays, each `(name, layout, shape, dtype, column)`");
    // A single array may be written without the tuple around it.
    bool one = value.items[0].kind == Literal::Text;
    for (const Literal &item : one ? std::vector{value} : value.items)
      if (Result<void> read = array(item); !read)
        return read;
    return {};
  }
  Result<void> array(const Literal &value) {
    const std::vector<Literal> &items = value.items;
    if (value.kind != Literal::Tuple || items.size() < 5 || items.size() > 6 || items[0].kind != Literal::Text)
      return wrong(value,
                   "an array is `(name, layout, shape, dtype, column)`, with `True` behind it for a collective one");
    std::string written;
    if (Result<void> read = words(items[1], written); !read)
      return read;
    Result<layouts::TMEMLayout> layout = layouts::parseTmemLayout(Source::make("layout", written));
    if (!layout)
      return wrong(items[1], layout.error().front().message);
    layouts::TmemArray made{.name = items[0].text, .layout = *std::move(layout), .shape = {}};
    if (Result<void> read = sizes(items[2], made.shape); !read)
      return read;
    if (made.shape.size() < 2)
      return wrong(items[2], "an array of tensor memory has two dimensions or more");
    Result<void> dtype = named(items[3], layouts::dtypeNamed, "a type such as `f16` is expected",
                               [&](layouts::Dtype found) { made.dtype = found; });
    if (!dtype)
      return dtype;
    Result<void> column = integer(items[4], 0, layouts::kTmemColumns - 1, [&](int64_t n) { made.column = n; });
    if (!column)
      return column;
    if (items.size() == 6 && items[5].kind != Literal::Bool)
      return wrong(items[5], "`True` or `False` is expected");
    made.collective = items.size() == 6 && items[5].truth;
    spec_.arrays.push_back(std::move(made));
    return {};
  }

  Result<void> mesh(const Literal &value) {
    constexpr int64_t kMostAlong = kMostDevices;
    bool one = value.kind == Literal::Tuple && !value.items.empty() && value.items[0].kind == Literal::Text;
    for (const Literal &item : one ? std::vector{value} : value.items) {
      if (item.kind != Literal::Tuple || item.items.size() != 2 || item.items[0].kind != Literal::Text)
        return wrong(item, "an axis of the mesh is its name and size, `(\"x\", 2)`");
      spec_.devices.names.push_back(item.items[0].text);
      Result<void> size = integer(item.items[1], 1, kMostAlong, [&](int64_t n) { spec_.devices.sizes.push_back(n); });
      if (!size)
        return size;
    }
    return spec_.devices.names.empty() ? wrong(value, "`mesh` takes axes, `((\"x\", 2), (\"y\", 4))`") : Result<void>();
  }
  Result<void> sharding(const Literal &value) {
    for (const Literal &item : value.kind == Literal::Tuple ? value.items : std::vector{value}) {
      std::vector<std::string> &axes = spec_.devices.along.emplace_back();
      for (const Literal &axis : item.kind == Literal::Tuple ? item.items : std::vector{item})
        if (axis.kind == Literal::Text)
          axes.push_back(axis.text);
        else if (axis.kind != Literal::None || item.kind == Literal::Tuple)
          return wrong(axis, "a dimension is split along an axis of the mesh, a tuple of some, or `None`");
    }
    return {};
  }

  Result<void> select(Place place, Span span) {
    if (!std::holds_alternative<std::monostate>(spec_.select))
      return error("bad-view", span, "one thing can be selected at a time");
    spec_.select = std::move(place);
    return {};
  }

  Result<void> joinPlace() {
    Span all{source_, start_, static_cast<uint32_t>(at_)};
    if (byte_)
      if (Result<void> chosen = select(*byte_, all); !chosen)
        return chosen;
    if (!thread_) {
      if (register_ || position_)
        return error("bad-view", all, "`register` and `position` select in a thread: add `thread=…`");
      return {};
    }
    return select(ThreadPlace{*thread_, register_.value_or(-1), position_.value_or(-1)}, all);
  }

  SourceRef source_;
  std::string_view text_;
  size_t at_ = 0;
  uint32_t start_ = 0; // start of the call
  ViewSpec spec_;
  std::vector<std::string> seen_;
  std::optional<int32_t> thread_, register_, position_;
  std::optional<BytePlace> byte_;
};

struct PlaceText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const ElementPlace &place) const { return text(", select=", layouts::tupleText(place.index)); }
  std::string operator()(const ThreadPlace &place) const {
    return text(", thread=", place.thread, place.reg < 0 ? "" : text(", register=", place.reg),
                place.position < 0 ? "" : text(", position=", place.position));
  }
  std::string operator()(const BytePlace &place) const { return text(", byte=", place.byte); }
  std::string operator()(const TmemPlace &place) const {
    return text(", cell=(", place.lane, ", ", place.column, place.sub < 0 ? "" : text(", ", place.sub), ")");
  }
};

std::string devicesText(const DeviceSplit &devices) {
  if (devices.empty())
    return "";
  auto tuple = [](const std::vector<std::string> &items) {
    return text("(", joined(items, ", "), items.size() == 1 ? ",)" : ")");
  };
  std::vector<std::string> axes, along;
  for (size_t i = 0; i < devices.names.size(); ++i)
    axes.push_back(text("(", quoted(devices.names[i]), ", ", devices.sizes[i], ")"));
  for (const std::vector<std::string> &split : devices.along) {
    std::vector<std::string> named;
    for (const std::string &axis : split)
      named.push_back(quoted(axis));
    along.push_back(named.empty() ? "None" : named.size() == 1 ? named[0] : tuple(named));
  }
  return text(", mesh=", tuple(axes), along.empty() ? "" : text(", sharding=", tuple(along)));
}

} // namespace

std::string viewText(const ViewSpec &spec) {
  const ViewSpec plain;
  std::string out = text("view(", spec.layout.empty() ? "None" : quoted(spec.layout));
  auto tuple = [&](std::string_view name, const layouts::Shape &value) {
    if (!value.empty())
      out += text(", ", name, "=", layouts::tupleText(value));
  };
  tuple("shape", spec.shape);
  if (spec.dtype)
    out += text(", dtype=", layouts::name(*spec.dtype));
  if (spec.view != plain.view)
    out += text(", view=", quoted(name(spec.view)));
  if (spec.memory)
    out += text(", memory=", quoted(layouts::word(*spec.memory)));
  if (!spec.against.empty())
    out += text(", against=", quoted(spec.against));
  if (spec.smemColour)
    out += text(", colour=", quoted(name(*spec.smemColour)));
  else if (spec.colourBy != plain.colourBy)
    out += text(", colour=", quoted(name(spec.colourBy)));
  tuple("slice", spec.slice);
  tuple("tiling", spec.tiling);
  if (spec.swizzle != plain.swizzle)
    out += text(", swizzle=", spec.swizzle);
  if (spec.transpose)
    out += ", transpose=True";
  if (spec.stage != plain.stage)
    out += text(", stage=", quoted(name(spec.stage)));
  if (spec.wholeMemory)
    out += ", whole=True";
  if (!spec.arrays.empty()) {
    out += ", arrays=(";
    for (const layouts::TmemArray &array : spec.arrays)
      out += text("(", quoted(array.name), ", ", quoted(layouts::layoutName(array)), ", ",
                  layouts::tupleText(array.shape), ", ", layouts::name(array.dtype), ", ", array.column,
                  array.collective ? ", True)" : ")", &array == &spec.arrays.back() ? "" : ", ");
    out += spec.arrays.size() == 1 ? ",)" : ")";
  }
  out += devicesText(spec.devices);
  out += std::visit(PlaceText{}, spec.select);
  if (spec.theme != plain.theme)
    out += text(", theme=", quoted(name(spec.theme)));
  if (spec.zoom)
    out += text(", zoom=(", number(spec.zoom->scale), ", ", number(spec.zoom->x), ", ", number(spec.zoom->y), ")");
  return out + ")";
}

bool looksLikeView(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || !text.substr(begin).starts_with("view"))
    return false;
  size_t next = text.find_first_not_of(" \t\r\n", begin + 4);
  return next != std::string_view::npos && text[next] == '(';
}

std::string viewsText(const std::vector<ViewSpec> &specs) {
  std::string out;
  for (const ViewSpec &spec : specs)
    out += (out.empty() ? "" : "; ") + viewText(spec);
  return out;
}

Result<ViewSpec> parseView(const SourceRef &source) {
  Result<std::vector<ViewSpec>> one = Reader(source).views(1);
  if (!one)
    return std::unexpected(std::move(one.error()));
  return std::move(one->front());
}

Result<std::vector<ViewSpec>> parseViews(const SourceRef &source) { return Reader(source).views(kMostViews); }

} // namespace lanescope::viz
