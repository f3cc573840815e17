#include "repl/workbench/LaunchForm.h"

#include "core/gpu/emulator/LaunchSketch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace lanescope::repl {

namespace {

using core::Array;
using core::Launch;
using Sizes = std::array<uint32_t, 3>;

constexpr uint32_t kMostSharedBytes = 256 * 1024;
constexpr int64_t kMostBytes = int64_t{1} << 32; // limit for the size of an array that is made here

std::unexpected<Diagnostics> wrong(std::string_view name, std::string_view value, std::string_view wanted) {
  return error("launch-field", Message("`{name}` cannot be `{}`: {}", name, value, wanted));
}

/// The sizes as a text: "4" for {4, 1, 1}, "4, 2" for {4, 2, 1}.
std::string sizesText(const Sizes &sizes) {
  std::string out = text(sizes[0]);
  for (size_t axis = 1; axis <= (sizes[2] != 1 ? 2u : sizes[1] != 1 ? 1u : 0u); ++axis)
    out += text(", ", sizes[axis]);
  return out;
}

/// The whole numbers in `value`, which the characters of `between` separate. Empty if it contains anything else.
std::vector<uint64_t> numbersIn(std::string_view value, std::string_view between) {
  std::vector<uint64_t> out;
  while (!value.empty()) {
    size_t skip = value.find_first_not_of(between);
    if (skip == std::string_view::npos)
      break;
    value.remove_prefix(skip);
    uint64_t number = 0;
    auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (problem != std::errc())
      return {};
    out.push_back(number);
    value.remove_prefix(static_cast<size_t>(end - value.data()));
  }
  return out;
}

Result<Sizes> sizesOf(std::string_view name, std::string_view value) {
  std::vector<uint64_t> numbers = numbersIn(value, " ,x*()[]");
  bool fits = !numbers.empty() && numbers.size() <= 3 && std::ranges::all_of(numbers, [](uint64_t number) {
    return number >= 1 && number <= std::numeric_limits<int32_t>::max();
  });
  if (!fits)
    return wrong(name, value, "it is one to three whole numbers, such as `4` or `4, 2`");
  Sizes out{1, 1, 1};
  std::ranges::transform(numbers, out.begin(), [](uint64_t number) { return static_cast<uint32_t>(number); });
  return out;
}

/// A number or an array of the launch, with its name in the form.
struct Entry {
  std::string name;
  core::ScalarParam *scalar = nullptr; // null: the entry is an array
  core::BufferSpec *buffer = nullptr;
  size_t array = 0;       // index in Launch::buffers()
  bool described = false; // a TMA descriptor gives its shape
};

std::vector<Entry> entriesOf(Launch &launch) {
  std::vector<Entry> out;
  size_t array = 0;
  auto named = [](const std::string &name, const std::string &otherwise) {
    bool number = name.find_first_not_of("0123456789") == std::string::npos;
    return number ? otherwise : name;
  };
  for (size_t n = 0; n < launch.params.size(); ++n) {
    core::Param &param = launch.params[n];
    const std::string place = text("param ", n);
    if (auto *scalar = std::get_if<core::ScalarParam>(&param)) {
      out.push_back({.name = named(scalar->name, place), .scalar = scalar});
    } else if (auto *buffer = std::get_if<core::BufferParam>(&param)) {
      out.push_back({.name = named(buffer->buffer.name, place), .buffer = &buffer->buffer, .array = array++});
    } else if (auto *bytes = std::get_if<core::BytesParam>(&param)) {
      for (size_t k = 0; k < bytes->buffers.size(); ++k) {
        bool described = std::ranges::count(bytes->tensorMaps, k, &core::TensorMapSpec::buffer) > 0;
        out.push_back({.name = named(bytes->buffers[k].name, text(place, ".", k)),
                       .buffer = &bytes->buffers[k],
                       .array = array++,
                       .described = described});
      }
    }
  }
  for (core::ModuleVariable &variable : launch.variables)
    out.push_back({.name = variable.variable, .buffer = &variable.buffer, .array = array++, .described = true});
  return out;
}

std::string scalarText(const core::ScalarParam &scalar) {
  Array one = Array::zeros(scalar.dtype, {1});
  std::memcpy(one.bytes.data(), &scalar.bits, std::min(one.bytes.size(), sizeof scalar.bits));
  if (!layouts::isFloat(scalar.dtype))
    return text(one.integer(0));
  char room[64];
  auto written = std::to_chars(room, room + sizeof room, one.number(0));
  return {room, written.ptr};
}

Result<void> setScalar(core::ScalarParam &scalar, std::string_view name, std::string_view value) {
  Array one = Array::zeros(scalar.dtype, {1});
  const char *end = value.data() + value.size();
  if (layouts::isFloat(scalar.dtype)) {
    double number = 0;
    if (auto read = std::from_chars(value.data(), end, number); read.ec != std::errc() || read.ptr != end)
      return wrong(name, value, text("it is a number of type ", layouts::name(scalar.dtype)));
    one.setNumber(0, number);
  } else {
    int64_t number = 0;
    if (auto read = std::from_chars(value.data(), end, number); read.ec != std::errc() || read.ptr != end)
      return wrong(name, value, text("it is a whole number of type ", layouts::name(scalar.dtype)));
    one.setInteger(0, number);
    if (layouts::bitwidth(scalar.dtype) < 64 && one.integer(0) != number)
      return wrong(name, value, text("a number of type ", layouts::name(scalar.dtype), " does not hold it"));
  }
  scalar.bits = 0;
  std::memcpy(&scalar.bits, one.bytes.data(), std::min(one.bytes.size(), sizeof scalar.bits));
  return {};
}

std::string bufferText(const core::BufferSpec &buffer) {
  return text(layouts::name(buffer.dtype), "[", joined(buffer.shape, ", "), "]");
}

constexpr std::string_view kArrayWanted =
    "it is a type and a shape, what it holds, or both: `f32[64, 128]`, `zeros`, `i32[1024] ramp` (random, zeros, ones, "
    "ramp); or the path of a `.npy` file";

/// An array filled as a word of the form says: random, zeros, ones or ramp. Nothing for any other word.
std::optional<Array> filled(const core::BufferSpec &buffer, std::string_view with, uint32_t seed) {
  if (with.empty() || with == "random")
    return core::sampleArray(buffer, seed);
  Array out = Array::zeros(buffer.dtype, buffer.shape);
  if (with == "zeros")
    return out;
  if (with != "ones" && with != "ramp")
    return std::nullopt;
  constexpr int64_t kRamp = 128; // narrow types can represent the smaller numbers
  for (int64_t i = 0; i < out.size(); ++i)
    out.setNumber(i, with == "ones" ? 1 : static_cast<double>(layouts::hostBytes(buffer.dtype) > 2 ? i : i % kRamp));
  return out;
}

/// The array in a file.
Result<Array> fromFile(const Entry &entry, const core::BufferSpec &wanted, bool typed, std::string_view name,
                       const std::filesystem::path &folder) {
  std::filesystem::path path(name);
  if (path.is_relative() && !folder.empty())
    path = folder / path;
  auto read = core::loadNpy(path, typed ? std::optional(wanted.dtype) : std::nullopt);
  if (!read)
    return wrong(entry.name, name,
                 text(read.error().front().message, "; give the path of a `.npy` file, or `random`, `zeros`, `ones`, ",
                      "`ramp`"));
  if (typed && (read->dtype != wanted.dtype || read->shape != wanted.shape))
    return wrong(entry.name, name,
                 text("the file holds ", layouts::name(read->dtype), "[", joined(read->shape, ", "), "], and ",
                      entry.described ? "its descriptor" : "the text before its path", " says ", bufferText(wanted)));
  return read;
}

Result<void> setArray(const Entry &entry, Array &array, std::string_view value, const std::filesystem::path &folder) {
  core::BufferSpec spec = *entry.buffer;
  std::string_view rest = value;
  // A path may contain a bracket, too. The text is a type only if the name of a dtype stands before the bracket.
  size_t open = value.find('[');
  bool typeFirst = open != std::string_view::npos && layouts::dtypeNamed(trimmed(value.substr(0, open)));
  if (open != std::string_view::npos && (typeFirst || !value.ends_with(".npy"))) {
    size_t close = value.find(']', open);
    auto dtype = layouts::dtypeNamed(trimmed(value.substr(0, open)));
    if (!dtype || close == std::string_view::npos)
      return wrong(entry.name, value, kArrayWanted);
    spec.dtype = *dtype;
    spec.shape.clear();
    int64_t bytes = layouts::hostBytes(*dtype);
    for (uint64_t size : numbersIn(value.substr(open + 1, close - open - 1), " ,x*")) {
      if (size > uint64_t(kMostBytes) || (size != 0 && bytes > kMostBytes / int64_t(size)))
        return wrong(entry.name, value, "the window makes arrays of at most 4 GiB");
      bytes *= static_cast<int64_t>(size);
      spec.shape.push_back(static_cast<int64_t>(size));
    }
    if (spec.shape.empty())
      return wrong(entry.name, value, kArrayWanted);
    rest = value.substr(close + 1);
  }
  rest = trimmed(rest);
  const bool same = spec.dtype == entry.buffer->dtype && spec.shape == entry.buffer->shape;
  if (entry.described && !same)
    return wrong(entry.name, value, text("its descriptor says that it is ", bufferText(*entry.buffer)));
  if (same && rest.empty())
    return {};
  if (rest.ends_with(".npy")) {
    bool typed = entry.described || typeFirst;
    array = LANESCOPE_TRY(fromFile(entry, spec, typed, rest, folder));
    entry.buffer->dtype = array.dtype;
    entry.buffer->shape = array.shape;
    entry.buffer->data.clear();
    return {};
  }
  std::optional<Array> made = filled(spec, rest, static_cast<uint32_t>(entry.array));
  if (!made)
    return wrong(entry.name, value, kArrayWanted);
  array = *std::move(made);
  entry.buffer->dtype = spec.dtype;
  entry.buffer->shape = spec.shape;
  entry.buffer->data.clear();
  return {};
}

} // namespace

std::vector<LaunchField> launchFields(const Launch &launch) {
  std::vector<LaunchField> out = {{"grid", sizesText(launch.grid), "blocks along x, y and z"},
                                  {"block", sizesText(launch.block), "threads of a block along x, y and z"}};
  if (launch.cluster != Sizes{1, 1, 1})
    out.push_back({"cluster", sizesText(launch.cluster), "blocks of a cluster along x, y and z"});
  out.push_back({"dynamic smem", text(launch.dynamicSmem), "bytes of shared memory that the launch gives a block"});
  Launch copy = launch; // entriesOf() takes a launch that it may change
  for (const Entry &entry : entriesOf(copy))
    out.push_back(entry.scalar ? LaunchField{entry.name, scalarText(*entry.scalar),
                                             text("a number of type ", layouts::name(entry.scalar->dtype))}
                               : LaunchField{entry.name, bufferText(*entry.buffer),
                                             "an array: its type and shape, and random, zeros, ones or ramp; or a "
                                             "`.npy` file",
                                             true});
  return out;
}

Result<void> setLaunchField(Launch &launch, std::vector<Array> &arrays, std::string_view name, std::string_view given,
                            const std::filesystem::path &folder) {
  const std::string_view value = trimmed(given);
  for (auto [field, sizes] : {std::pair("grid", &launch.grid), {"block", &launch.block}, {"cluster", &launch.cluster}})
    if (name == field) {
      *sizes = LANESCOPE_TRY(sizesOf(name, value));
      return {};
    }
  if (name == "dynamic smem") {
    std::vector<uint64_t> numbers = numbersIn(value, " ");
    if (numbers.size() != 1 || numbers[0] > kMostSharedBytes)
      return wrong(name, value, text("it is a number of bytes, at most ", kMostSharedBytes));
    launch.dynamicSmem = static_cast<uint32_t>(numbers[0]);
    return {};
  }
  std::vector<Entry> entries = entriesOf(launch);
  auto entry = std::ranges::find(entries, name, &Entry::name);
  if (entry == entries.end())
    return error("launch-field", Message("the launch has no `{name}`", name));
  return entry->scalar ? setScalar(*entry->scalar, name, value) : setArray(*entry, arrays[entry->array], value, folder);
}

} // namespace lanescope::repl
