// NumPy's .npy: magic, version, a Python dict literal as header, then the elements.
// Source: numpy.lib.format's documentation.
#include "core/data/Array.h"
#include "core/data/Files.h"
#include "core/data/Scratch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <array>
#include <cstring>

namespace lanescope::core {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr int kMaxRank = 32;
constexpr size_t kHeaderAlignment = 64; // alignment of the data, as NumPy writes it

struct Header {
  std::string descr, comment;
  bool columnMajor = false;
  Shape shape;
};

std::unexpected<Diagnostics> badNpy(const std::string &name, const std::string &what) {
  return error("npy", Message("`{name}` is not a usable .npy file: {}", name, what));
}

/// Reads the header: a dict literal with the keys `descr`, `fortran_order`, `shape` in any order.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &name) : text_(text), name_(name) {}

  Result<Header> parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    if (!accept('{'))
      return badNpy(name_, "its header is not a dict");
    while (!accept('}')) {
      std::optional<std::string> key = string();
      if (!key || !accept(':'))
        return badNpy(name_, text("its header is malformed at byte ", position_));
      if (*key == "descr") {
        std::optional<std::string> value = string();
        if (!value)
          return badNpy(name_, "its elements are a record; save a plain array");
        header.descr = *value;
        descr = true;
      } else if (*key == "fortran_order") {
        if (accept("True"))
          header.columnMajor = true;
        else if (!accept("False"))
          return badNpy(name_, "`fortran_order` is neither `True` nor `False`");
        order = true;
      } else if (*key == "shape") {
        if (!parseShape(header.shape))
          return badNpy(name_, "`shape` is not a tuple of sizes");
        shape = true;
      } else {
        return badNpy(name_, text("its header has the unknown key `", *key, "`"));
      }
      if (!accept(',') && !peek('}'))
        return badNpy(name_, text("its header is malformed at byte ", position_));
    }
    if (!descr || !order || !shape)
      return badNpy(name_, "its header lacks `descr`, `fortran_order` or `shape`");
    if (accept('#')) {
      skipSpace();
      while (position_ < text_.size() && static_cast<unsigned char>(text_[position_]) > ' ')
        header.comment += text_[position_++];
    } else if (skipSpace(); position_ != text_.size()) {
      return badNpy(name_, "its header goes on after the dict");
    }
    return header;
  }

private:
  void skipSpace() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n'))
      ++position_;
  }
  bool peek(char c) {
    skipSpace();
    return position_ < text_.size() && text_[position_] == c;
  }
  bool accept(char c) {
    if (!peek(c))
      return false;
    ++position_;
    return true;
  }
  bool accept(std::string_view word) {
    skipSpace();
    if (!text_.substr(position_).starts_with(word))
      return false;
    position_ += word.size();
    return true;
  }
  std::optional<std::string> string() {
    char quote = accept('\'') ? '\'' : accept('"') ? '"' : 0;
    size_t end = quote ? text_.find(quote, position_) : std::string_view::npos;
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string value(text_.substr(position_, end - position_));
    position_ = end + 1;
    return value;
  }
  bool parseShape(Shape &shape) {
    if (!accept('('))
      return false;
    while (!accept(')')) {
      skipSpace();
      size_t end = position_;
      while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9')
        ++end;
      auto size = parseInteger<int64_t>(text_.substr(position_, end - position_));
      if (!size || shape.size() == kMaxRank)
        return false;
      shape.push_back(*size);
      position_ = end;
      accept('L'); // Python 2 wrote long integers so
      if (!accept(',') && !peek(')'))
        return false;
    }
    return true;
  }

  std::string_view text_;
  const std::string &name_;
  size_t position_ = 0;
};

/// NumPy's `descr` for a dtype; void types also carry our name in a comment.
std::string_view descrOf(Dtype dtype) {
  switch (dtype) {
  case Dtype::I1: return "|b1";
  case Dtype::I4:
  case Dtype::I8: return "|i1";
  case Dtype::U2:
  case Dtype::U4:
  case Dtype::U8: return "|u1";
  case Dtype::I16: return "<i2";
  case Dtype::U16: return "<u2";
  case Dtype::I32: return "<i4";
  case Dtype::U32: return "<u4";
  case Dtype::I64: return "<i8";
  case Dtype::U64: return "<u8";
  case Dtype::F16: return "<f2";
  case Dtype::F32:
  case Dtype::TF32: return "<f4";
  case Dtype::F64: return "<f8";
  case Dtype::BF16: return "<V2";
  default: return "|V1";
  }
}

/// NumPy's own type for a descr; nothing for void types and those that we lack.
std::optional<Dtype> plainDtype(std::string_view kindAndWidth) {
  for (Dtype dtype : {Dtype::I1, Dtype::I8, Dtype::U8, Dtype::I16, Dtype::U16, Dtype::I32, Dtype::U32, Dtype::I64,
                      Dtype::U64, Dtype::F16, Dtype::F32, Dtype::F64})
    if (descrOf(dtype).substr(1) == kindAndWidth)
      return dtype;
  return std::nullopt;
}

Result<Dtype> dtypeOf(const Header &header, const std::string &name, std::optional<Dtype> as) {
  std::string_view descr = header.descr;
  if (descr.size() < 2 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
    return badNpy(name, text("its element type `", descr, "` is unknown"));
  if (std::optional<Dtype> named = layouts::dtypeNamed(header.comment); named && descrOf(*named) == descr) {
    if (as && *as != *named)
      return badNpy(name, text("it holds ", layouts::name(*named), " where ", layouts::name(*as), " is wanted"));
    as = named;
  }
  std::string_view kind = descr.substr(1);
  std::optional<Dtype> found = plainDtype(kind);
  // Newer ml_dtypes writes the one-byte float as `<f1`.
  bool isVoid = kind == "V1" || kind == "V2" || kind == "f1";
  if (!found && !isVoid)
    return badNpy(name, text("its element type `", descr, "` has no counterpart here"));
  int width = found ? layouts::hostBytes(*found) : kind == "V2" ? 2 : 1;
  if (descr[0] == '>' && width > 1)
    return badNpy(name, text("its element type `", descr, "` is big-endian; save it with `.astype('<", kind, "')`"));
  if (as) {
    if (layouts::hostBytes(*as) != width || (found && descrOf(*as).substr(1) != kind))
      return badNpy(name, text("it holds `", descr, "` where ", layouts::name(*as), " is wanted"));
    return *as;
  }
  if (found)
    return *found;
  if (width == 2)
    return Dtype::BF16;
  return badNpy(name, text("its elements are bytes without a type (`", descr, "`); name one, such as f8e4m3fn"));
}

/// Converts column-major elements to row-major ones.
Bytes rowMajor(std::span<const std::byte> data, const Shape &shape, size_t width) {
  Bytes out(data.size());
  Shape index(shape.size(), 0);
  Shape strides(shape.size(), 1); // strides of the column-major source, in elements
  for (size_t d = 1; d < shape.size(); ++d)
    strides[d] = strides[d - 1] * shape[d - 1];
  int64_t from = 0;
  for (size_t to = 0; to < out.size(); to += width) {
    std::memcpy(out.data() + to, data.data() + static_cast<size_t>(from) * width, width);
    for (size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d])
        break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return out;
}

/// An array whose elements still lie in a file's bytes.
struct PlacedArray {
  Array array; // without elements
  std::span<const std::byte> data;
  bool columnMajor = false;
};

} // namespace

static Result<PlacedArray> findArray(std::span<const std::byte> bytes, const std::string &name,
                                     std::optional<Dtype> as) {
  std::string_view all(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (!all.starts_with(kMagic) || all.size() < 10)
    return badNpy(name, "it does not start with NumPy's mark");
  int major = static_cast<unsigned char>(all[6]);
  if (major < 1 || major > 3)
    return badNpy(name, text("its format version is ", major, "; 1, 2 and 3 are known"));
  size_t lengthBytes = major == 1 ? 2 : 4, start = 8 + lengthBytes, length = 0;
  for (size_t i = 0; i < lengthBytes && 8 + i < all.size(); ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(all[8 + i])) << (8 * i);
  if (start > all.size() || length > all.size() - start)
    return badNpy(name, "it ends within its header");
  Result<Header> header = HeaderParser(all.substr(start, length), name).parse();
  if (!header)
    return std::unexpected(header.error());
  Result<Dtype> dtype = dtypeOf(*header, name, as);
  if (!dtype)
    return std::unexpected(dtype.error());
  std::optional<uint64_t> wanted = checkedArrayBytes(*dtype, header->shape);
  if (!wanted)
    return badNpy(name, text("its shape ", layouts::tupleText(header->shape), " is larger than this tool handles"));
  std::span<const std::byte> data = bytes.subspan(start + length);
  if (data.size() != *wanted)
    return badNpy(name, text("it holds ", data.size(), " bytes of elements where its shape ",
                             layouts::tupleText(header->shape), " needs ", *wanted));
  const bool turned = header->columnMajor && header->shape.size() > 1;
  return PlacedArray{{*dtype, std::move(header->shape), {}}, data, turned};
}

/// Copies the elements, in row-major order.
static Result<Array> copiedArray(PlacedArray placed, const std::string &name) {
  auto &[array, data, turned] = placed;
  if (Result<void> room = reserveBytes(data.size(), text("the array in `", name, "`")); !room)
    return std::unexpected(std::move(room.error()));
  if (turned)
    array.bytes = rowMajor(data, array.shape, static_cast<size_t>(layouts::hostBytes(array.dtype)));
  else
    array.bytes.assign(data);
  return std::move(array);
}

Result<Array> parseNpy(std::span<const std::byte> bytes, const std::string &name, std::optional<Dtype> as) {
  return copiedArray(LANESCOPE_TRY(findArray(bytes, name, as)), name);
}

static std::string npyHead(const Array &array) {
  std::string_view descr = descrOf(array.dtype);
  std::string header =
      text("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", layouts::tupleText(array.shape), ", }");
  if (plainDtype(descr.substr(1)) != array.dtype)
    header += text(" # ", layouts::name(array.dtype));
  while ((kMagic.size() + 4 + header.size() + 1) % kHeaderAlignment != 0)
    header += ' ';
  header += '\n';
  std::string head(kMagic);
  head += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  head += header;
  return head;
}

Bytes npyBytes(const Array &array) {
  const std::string head = npyHead(array);
  Bytes out(head.size() + array.bytes.size());
  std::memcpy(out.data(), head.data(), head.size());
  if (!array.bytes.empty())
    std::memcpy(out.data() + head.size(), array.bytes.data(), array.bytes.size());
  return out;
}

Result<Array> loadNpy(const std::filesystem::path &path, std::optional<Dtype> as) {
  Bytes bytes = LANESCOPE_TRY(readFile(path, FileRole::Array));
  PlacedArray placed = LANESCOPE_TRY(findArray(bytes, path.string(), as));
  if (placed.columnMajor)
    return copiedArray(std::move(placed), path.string());
  // The elements move to the start, because a copy would need as much memory again.
  bytes.erase(bytes.begin(), bytes.end() - static_cast<ptrdiff_t>(placed.data.size()));
  placed.array.bytes = std::move(bytes);
  return std::move(placed.array);
}

Result<void> saveNpy(const std::filesystem::path &path, const Array &array) {
  const std::string head = npyHead(array);
  return writePieces(path,
                     std::array{std::as_bytes(std::span(head)), std::span(array.bytes.data(), array.bytes.size())});
}

} // namespace lanescope::core
