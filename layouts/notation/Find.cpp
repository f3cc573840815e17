#include "layouts/notation/Find.h"

#include "layouts/notation/cute/Cute.h"
#include "layouts/notation/cute/CutePieces.h"
#include "layouts/notation/mosaic/JaxPython.h"
#include "layouts/notation/mosaic/MlirAttribute.h"
#include "layouts/notation/mosaic/MosaicShared.h"
#include "layouts/notation/Notation.h"
#include "layouts/notation/OperationLine.h"
#include "layouts/notation/tpu/TpuNotation.h"
#include "layouts/notation/triton/Gluon.h"
#include "layouts/notation/triton/LinearText.h"
#include "layouts/notation/triton/Triton.h"
#include "layouts/notation/triton/TritonAttributes.h"
#include "layouts/notation/triton/TritonValue.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace lanescope::layouts {

namespace {

constexpr size_t kMaxText = 16 << 20;
constexpr size_t kMaxFound = 4096;
constexpr size_t kMaxLine = 4096; // bytes; only shorter lines are tried whole and searched for values
constexpr size_t kMaxLinesTried = 4096;
constexpr std::string_view kNoLayout = "#%\"{}^@[-/*"; // a line that starts with one of these characters is no layout
constexpr size_t kMaxSearch = 2048;                    // bytes that are searched around a place

class Finder {
public:
  explicit Finder(const SourceRef &source)
      : source_(source), text_(std::string_view(source->text()).substr(0, kMaxText)), in_(source),
        triton_(in_, nullptr) {}

  std::vector<FoundLayout> run() {
    defineAliases();
    size_t begin = 0;
    while (begin < text_.size() && found_.size() < kMaxFound) {
      size_t end = text_.find('\n', begin);
      if (end == std::string_view::npos)
        end = text_.size();
      line_ = text_.substr(begin, end - begin);
      lineBegin_ = begin;
      begin = std::max(end + 1, readLine());
    }
    if (begin < source_->text().size()) {
      Span rest{source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(begin)};
      found_.push_back(
          {rest,
           error("chunk-too-large", rest,
                 Message("the text is not read from here on: at most {limit} layouts are listed, in the first {} MiB",
                         kMaxFound, kMaxText >> 20))});
    }
    return std::move(found_);
  }

private:
  /// Reads the alias lines of the whole text first, so that lines above them can use them.
  void defineAliases() {
    for (size_t begin = 0; begin < text_.size();) {
      size_t end = std::min(text_.find('\n', begin), text_.size());
      auto [name, value] = aliasLine(text_.substr(begin, end - begin));
      if (!name.empty() && !triton_.knows(name))
        triton_.alias(name, static_cast<uint32_t>(begin + value));
      begin = end + 1;
    }
  }

  /// Returns the name in `#name = #ttg.…` and the place of its value; the name is empty for other lines.
  static std::pair<std::string, size_t> aliasLine(std::string_view line) {
    size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string_view::npos || line[hash] != '#')
      return {};
    size_t name = hash + 1;
    while (name < line.size() && isNameCharacter(line[name]))
      ++name;
    size_t equals = line.find_first_not_of(" \t", name);
    if (name == hash + 1 || equals == std::string_view::npos || line[equals] != '=')
      return {};
    size_t value = line.find_first_not_of(" \t", equals + 1);
    if (value == std::string_view::npos || !looksLikeTriton(line.substr(value, 64)) ||
        line.find('<', value) == std::string_view::npos)
      return {}; // a memory space has no parameters
    return {std::string(line.substr(hash + 1, name - hash - 1)), value};
  }

  /// Reads every layout that starts on the line. Returns the place where reading continues, because a layout may span
  /// several lines.
  size_t readLine() {
    size_t count = found_.size();
    bool any = false;
    size_t at = 0, reach = 0;
    std::string_view start = trimmed(line_.substr(0, kMaxSearch));
    if (line_.empty() || start.starts_with("//"))
      return 0;
    next_.fill(0);
    types_.reset();
    if (auto [name, value] = aliasLine(line_); !name.empty()) // each of several modules has its own aliases
      triton_.alias(name, static_cast<uint32_t>(lineBegin_ + value));
    if (looksLikeLinearText(line_))
      return readLinear();
    if (printoutLabel(line_.substr(0, kMaxSearch)))
      if (size_t next = readPrintedAtom(); next != 0)
        return next;
    while (at < line_.size() && found_.size() < kMaxFound) {
      size_t start = nextStart(at);
      if (start == std::string_view::npos)
        break;
      any = true;
      at = std::max(start + 1, readAt(start));
      reach = std::max(reach, lineBegin_ + at);
      if (lineBegin_ + at > lineBegin_ + line_.size())
        break;
    }
    if (!any && found_.size() == count)
      tryWhole();
    return reach > lineBegin_ + line_.size() ? reach : 0;
  }

  /// The next place on the line where a layout may start. The place where each sign occurs next is cached, so that a
  /// line is searched only once.
  size_t nextStart(size_t from) {
    size_t best = std::string_view::npos;
    for (size_t i = 0; i < kSigns.size(); ++i) {
      size_t &at = next_[i];
      std::string_view sign = kSigns[i];
      while (at != std::string_view::npos && (at < from || !line_.substr(at).starts_with(sign) ||
                                              (isNameCharacter(sign[0]) && at > 0 && isNameCharacter(line_[at - 1]))))
        at = line_.find(sign, std::max(at + (at < from ? 0 : 1), from));
      best = std::min(best, at);
    }
    return best;
  }

  size_t readAt(size_t start) {
    uint32_t begin = static_cast<uint32_t>(lineBegin_ + start);
    std::string_view rest = line_.substr(start);
    in_.rewind(begin);
    if (rest.starts_with("[#mosaic_gpu") || rest.starts_with("SMEMTransforms") || rest.starts_with("("))
      return readTransforms(start);
    if (rest.starts_with("#mosaic_gpu"))
      return readMosaic(start);
    if (rest.starts_with("#tpu."))
      return readTpu(start);
    if (rest.starts_with("tensor<") || rest.starts_with("!t")) {
      if (!hasLayout(rest.substr(rest.find('<') + 1)))
        return start + 7;
      return keep(start, triton_.type(), valueName(start));
    }
    if (rest.starts_with("#")) {
      // The dialects also have attributes that are not layouts, such as memory spaces.
      size_t dot = rest.find('.'), end = dot + 1;
      while (end < rest.size() && isNameCharacter(rest[end]))
        ++end;
      bool braces = rest.substr(end).starts_with("<{");
      if (!rest.substr(end).starts_with("<") || (!braces && !findTritonAttribute(rest.substr(dot + 1, end - dot - 1))))
        return start + end;
      Result<TritonEncoding> encoding = triton_.encoding();
      Result<Layout> layout = encoding ? Result<Layout>(TritonLayout::make(*std::move(encoding)))
                                       : Result<Layout>(std::unexpected(std::move(encoding.error())));
      return keep(start, std::move(layout), aliasBefore(start));
    }
    // A module path before the name belongs to it.
    if (looksLikeGluon(rest))
      return keep(start, parseGluon(in_, nullptr), assignedName(start));
    return keep(start, parseJaxPython(in_, nullptr), assignedName(start));
  }

  /// Checks that a type's body names a layout before it ends: `128x!tt.ptr<f16>, #blocked>` does, `128xf32>` does not.
  static bool hasLayout(std::string_view body) {
    int depth = 0;
    for (char c : body.substr(0, kMaxSearch)) {
      if (c == '#')
        return true;
      if (c == '\n' || (c == '>' && depth-- == 0))
        return false;
      depth += c == '<';
    }
    return false;
  }

  size_t readMosaic(size_t start) {
    Result<Layout> layout = parseMlirAttribute(in_, nullptr);
    ListPlace place = placeInList(line_, start);
    bool tmem = place.key.find("tmem") != std::string::npos ||
                line_.substr(0, kMaxSearch).find("tmem_layout_cast") != std::string_view::npos;
    if (layout && tmem)
      if (const auto *registers = std::get_if<RegisterLayout>(&*layout))
        if (const auto *tiled = std::get_if<TiledLayout>(registers))
          layout = Layout(TMEMLayout(*tiled));
    if (!types_) {
      types_ = arrayTypes(line_);
      arrow_ = line_.rfind("->");
    }
    std::vector<ArrayType> types = *types_;
    std::erase_if(types, [&](const ArrayType &type) { return type.tmem != tmem || type.smem; });
    bool out = place.key.starts_with("out");
    std::vector<ArrayType> side;
    for (const ArrayType &type : types)
      if (arrow_ == std::string_view::npos || (type.begin > arrow_) == out)
        side.push_back(type);
    if (side.empty())
      side = types;
    const ArrayType *type = side.empty() ? nullptr : &side[std::min(place.index, side.size() - 1)];
    std::optional<Shape> shape;
    std::optional<int> bits;
    if (type) {
      shape = type->shape;
      bits = type->bitwidth;
    }
    return keep(start, std::move(layout), out || place.key.empty() ? resultName() : "", shape, bits);
  }

  /// Reads a TPU layout. Inside a type, `memref<16x256xbf16, #tpu.tiled<…>, …>`, the type gives the array's shape.
  size_t readTpu(size_t start) {
    Result<Layout> layout = parseTpu(in_, nullptr);
    std::optional<Shape> shape;
    std::optional<int> bits;
    for (const ArrayType &type : arrayTypes(line_))
      if (type.begin < start) {
        shape = type.shape;
        bits = type.bitwidth;
      }
    return keep(start, std::move(layout), resultName(), shape, bits);
  }

  /// `in_transforms = [[#mosaic_gpu.tile<…>, …], …]` has one list per reference to shared memory. In other texts, such
  /// as a dump of constraints, there is only a list of transforms.
  size_t readTransforms(size_t start) {
    Result<Layout> layout = parseMosaicShared(in_, nullptr);
    ListPlace place = placeInList(line_, start);
    bool out = place.key == "out_transforms";
    std::optional<Shape> shape;
    std::optional<int> bits;
    if (out || place.key == "in_transforms") {
      size_t arrow = line_.rfind("->"), index = place.index;
      for (const ArrayType &type : arrayTypes(line_))
        if (type.smem && (arrow == std::string_view::npos || (type.begin > arrow) == out) && index-- == 0) {
          shape = type.shape;
          bits = type.bitwidth;
        }
    }
    return keep(start, std::move(layout), out ? resultName() : "", shape, bits);
  }

  /// Reads one of CuTe's printouts that starts on this line, and returns the place where reading continues. Returns 0
  /// if no printout can be read as a whole; the caller then tries the lines one by one.
  size_t readPrintedAtom() {
    std::optional<PrintedBlock> block = printedBlock(source_, lineBegin_);
    if (!block)
      return 0;
    for (PrintedBlock::Operand &operand : block->operands)
      record(std::move(operand.span), cute::toLayout(std::move(operand.layout)), std::move(operand.label), std::nullopt,
             std::nullopt);
    return block->end + 1;
  }

  size_t readLinear() {
    in_.rewind(static_cast<uint32_t>(lineBegin_));
    // The block ends with the line that names the out dims, or with its last line.
    bool bullets = trimmed(line_).starts_with("- ") || trimmed(line_).starts_with("(empty");
    if (!bullets && std::exchange(blocksTried_, true))
      return 0;
    std::string_view window = text_.substr(lineBegin_, Scanner::kMaxText);
    // Blocks of linear-layout-viz are read together with the line above that uses their names.
    size_t end = window.size();
    if (bullets) {
      size_t where = window.find("where out dims are");
      end = std::min(window.find("\n\n"), window.size());
      if (where != std::string_view::npos && where < end)
        end = std::min(window.find('\n', where), window.size());
    }
    tryText(lineBegin_, lineBegin_ + end, "", false);
    return lineBegin_ + std::max(end, line_.size());
  }

  /// Tries the line as a layout in some notation, whole or after a label.
  void tryWhole() {
    if (line_.size() > kMaxLine)
      return;
    std::string_view body = trimmed(line_);
    if (body.empty() || kNoLayout.find(body[0]) != std::string_view::npos)
      return;
    size_t begin = static_cast<size_t>(body.data() - text_.data());
    std::string name;
    // A label, as in `LayoutC_TV: (…)` or `layout = (…)`.
    size_t label = 0;
    while (label < body.size() && isNameCharacter(body[label]))
      ++label;
    size_t sign = body.find_first_not_of(' ', label);
    if (label > 0 && sign != std::string_view::npos && (body[sign] == ':' || body[sign] == '=') &&
        sign + 1 < body.size() && body[sign + 1] == ' ' && !(body[0] >= '0' && body[0] <= '9') && body[0] != '_') {
      size_t value = body.find_first_not_of(' ', sign + 1);
      if (value == std::string_view::npos)
        return;
      name = body.substr(0, label);
      if (name.starts_with("Shape") || name.starts_with("Permutation"))
        return; // CuTe's atoms are tuples, not layouts
      begin += value;
      body.remove_prefix(value);
    }
    bool brackets = body.find_first_of("([<") != std::string_view::npos,
         colon = body.find(':') != std::string_view::npos;
    bool stride = (body[0] == '(' || body[0] == '_') && colon && body.find("):(") != std::string_view::npos;
    // Words and plain numbers in a text are not layouts.
    bool constant = body.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string_view::npos &&
                    body.size() < 64 && body[0] >= 'A';
    if ((!brackets && !(colon && body[0] == '_') && !constant) || kNoLayout.find(body[0]) != std::string_view::npos ||
        ++linesTried_ > kMaxLinesTried)
      return;
    tryText(begin, begin + body.size(), name, !stride);
  }

  /// Reads text_[begin, end) with any notation. With `onlyGood`, drops a text that has an error; otherwise keeps it as
  /// an error.
  void tryText(size_t begin, size_t end, std::string name, bool onlyGood) {
    SourceRef part = Source::make(source_->name(), std::string(text_.substr(begin, end - begin)));
    bool linear = looksLikeLinearText(part->text());
    Result<Layout> layout = [&]() -> Result<Layout> {
      if (!linear)
        return parseLayout(part);
      Scanner in(part);
      Result<Layout> read = parseLinearText(in, nullptr);
      if (read && !in.atEnd())
        return in.expected("the end of the layout");
      return read;
    }();
    if (!layout) {
      if (onlyGood)
        return;
      auto shifted = [&](Span &span) {
        if (span.source == part)
          span = {source_, static_cast<uint32_t>(span.begin + begin), static_cast<uint32_t>(span.end + begin)};
      };
      for (Diagnostic &diagnostic : layout.error()) {
        shifted(diagnostic.span);
        for (Note &note : diagnostic.notes)
          shifted(note.span);
      }
    }
    record(Span{source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, std::move(layout), std::move(name),
           std::nullopt, std::nullopt);
  }

  /// Records what was read from `start` to the scanner's head, and returns the place where reading continues. After an
  /// error this is the error's place, because all text before it was read.
  size_t keep(size_t start, Result<Layout> layout, std::string name, std::optional<Shape> shape = std::nullopt,
              std::optional<int> bits = std::nullopt) {
    auto begin = static_cast<uint32_t>(lineBegin_ + start);
    size_t end = std::min<size_t>(in_.offset(), text_.size());
    if (!layout) {
      const Span &place = layout.error().front().span;
      end = place.begin > begin && place.begin <= lineBegin_ + line_.size() ? place.begin : begin + 1;
    }
    record(Span{source_, begin, static_cast<uint32_t>(std::max<size_t>(end, begin + 1))}, std::move(layout),
           std::move(name), std::move(shape), bits);
    return end - lineBegin_;
  }

  void record(Span span, Result<Layout> layout, std::string name, std::optional<Shape> shape, std::optional<int> bits) {
    std::string key = layout ? layoutText(*layout) : layout.error().front().message;
    if (layout)
      if (const auto *foreign = std::get_if<Foreign>(&*layout)) {
        if (!shape)
          shape = (*foreign)->shape();
        if (!bits)
          bits = (*foreign)->bitwidth();
      }
    key += shape ? tupleText(*shape) : "";
    // A definition is listed in addition to its uses. Several values of the same type are listed once.
    if (name.starts_with('#'))
      key += name;
    auto [known, fresh] = known_.try_emplace(std::move(key), found_.size());
    if (!fresh) {
      FoundLayout &earlier = found_[known->second];
      ++earlier.uses;
      if (earlier.name.empty())
        earlier.name = std::move(name);
      return;
    }
    found_.push_back({std::move(span), std::move(layout), std::move(shape), bits, std::move(name)});
  }

  /// The name `%x` of a line `%x = …` or `%x:2 = …`.
  std::string resultName() const {
    if (line_.size() > kMaxLine)
      return {};
    std::string_view line = trimmed(line_);
    if (!line.starts_with('%'))
      return {};
    size_t end = 1;
    while (end < line.size() && isNameCharacter(line[end]))
      ++end;
    return line.find('=', end) == std::string_view::npos ? std::string() : std::string(line.substr(0, end));
  }

  /// The value that a type belongs to: `%arg0: tensor<…>`, or the line's result when the type is the last one.
  std::string valueName(size_t start) const {
    if (line_.size() > kMaxLine)
      return {};
    size_t end = start;
    while (end > 0 && (line_[end - 1] == ' ' || line_[end - 1] == ':'))
      --end;
    size_t begin = end;
    while (begin > 0 && isNameCharacter(line_[begin - 1]))
      --begin;
    if (begin > 0 && line_[begin - 1] == '%' && begin < end && line_.find(':', end) < start &&
        line_.substr(0, begin).find(" : ") == std::string_view::npos && resultName().empty())
      return std::string(line_.substr(begin - 1, end - begin + 1));
    // The only type on these lines is the operands' type: the result of a load is the data at the pointers.
    for (std::string_view op : {" tt.load ", " arith.cmpi ", " arith.cmpf "})
      if (size_t at = line_.find(op); at < start && line_.find("->") == std::string_view::npos &&
                                      (op != " tt.load " || line_.find("!tt.ptr", start) != std::string_view::npos)) {
        size_t value = line_.find('%', at);
        size_t stop = value + 1;
        while (stop < line_.size() && isNameCharacter(line_[stop]))
          ++stop;
        return value < start ? std::string(line_.substr(value, stop - value)) : std::string();
      }
    // The line names the types of the pointers and the offsets. The result has the type of the pointers.
    if (size_t at = line_.find(" tt.addptr "); at < start)
      return line_.rfind("tensor<", start - 1) == std::string_view::npos ? resultName() : std::string();
    bool last = line_.find("tensor<", start + 1) == std::string_view::npos &&
                line_.find("memdesc<", start + 8) == std::string_view::npos;
    return last ? resultName() : std::string();
  }

  /// The name `#name` of an alias line whose value starts here.
  std::string aliasBefore(size_t start) const {
    if (start > kMaxLine)
      return {};
    std::string_view before = trimmed(line_.substr(0, start));
    if (!before.starts_with('#') || !before.ends_with('='))
      return {};
    before.remove_suffix(1);
    return std::string(trimmed(before));
  }

  /// The name `x` in `x = Constructor(…)`.
  std::string assignedName(size_t start) const {
    if (start > kMaxLine)
      return {};
    std::string_view before = trimmed(line_.substr(0, start));
    while (before.ends_with('.') || (!before.empty() && before.find('=') != std::string_view::npos &&
                                     !before.ends_with('=') && isNameCharacter(before.back())))
      before.remove_suffix(1); // a module path
    before = trimmed(before);
    if (!before.ends_with('='))
      return {};
    before.remove_suffix(1);
    before = trimmed(before);
    size_t begin = before.size();
    while (begin > 0 && isNameCharacter(before[begin - 1]))
      --begin;
    return begin == 0 ? std::string(before) : std::string();
  }

  static constexpr std::array<std::string_view, 33> kSigns = {{
      "#ttg.",
      "#ttng.",
      "#triton_gpu.",
      "#triton_nvidia_gpu.",
      "#mosaic_gpu.TiledLayout",
      "#mosaic_gpu.WGStridedFragLayout",
      "#mosaic_gpu.WGSplatFragLayout",
      "#mosaic_gpu<",
      "#tpu.tiled<",
      "tensor<",
      "!ttg.memdesc<",
      "!tt.memdesc<",
      "!triton_gpu.memdesc<",
      "TiledLayout(",
      "TMEMLayout(",
      "WGStridedFragLayout(",
      "WGSplatFragLayout(",
      "BlockedLayout(",
      "SliceLayout(",
      "DotOperandLayout(",
      "NVMMADistributedLayout(",
      "NVMMASharedLayout(",
      "SwizzledSharedLayout(",
      "DistributedLinearLayout(",
      "SharedLinearLayout(",
      "PaddedSharedLayout(",
      "TensorMemoryLayout(",
      "TensorMemoryScalesLayout(",
      "[#mosaic_gpu.tile",
      "[#mosaic_gpu.swizzle",
      "SMEMTransforms(",
      "(TilingTransform(",
      "(SwizzleTransform(",
  }};

  SourceRef source_;
  std::string_view text_;
  Scanner in_;
  TritonReader triton_;
  std::unordered_map<std::string, size_t> known_;
  std::vector<FoundLayout> found_;
  std::string_view line_;
  size_t lineBegin_ = 0;
  std::array<size_t, kSigns.size()> next_ = {};
  std::optional<std::vector<ArrayType>> types_; // the line's types, read on first use
  size_t arrow_ = std::string_view::npos;
  size_t linesTried_ = 0;
  bool blocksTried_ = false;
};

} // namespace

std::vector<FoundLayout> findLayouts(const SourceRef &chunk) { return Finder(chunk).run(); }

std::optional<FoundLayout> firstLayout(const std::vector<FoundLayout> &found) {
  std::optional<FoundLayout> out;
  for (const FoundLayout &one : found) {
    if (!one.layout)
      continue;
    if (!out)
      out = one;
    // A type on the line names this layout together with its array.
    if (one.shape && layoutText(*one.layout).find(layoutText(*out->layout)) != std::string::npos) {
      out->shape = one.shape;
      out->bitwidth = one.bitwidth;
      break;
    }
  }
  return out;
}

} // namespace lanescope::layouts
