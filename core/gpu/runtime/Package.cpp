#include "core/gpu/runtime/Package.h"

#include "core/data/Beneath.h"
#include "core/data/Files.h"
#include "core/data/JsonFields.h"
#include "core/data/Scratch.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/kernel/PtxArchitectures.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace lanescope::core {

namespace {

namespace fs = std::filesystem;
using Out = nlohmann::ordered_json;
constexpr char kPackageKind[] = "package";
constexpr int kFormat = 1;
constexpr int64_t kMany = 1 << 24;

/// Turns a buffer's name into a file name that is not in `taken`.
std::string fileName(const BufferSpec &buffer, size_t index, std::set<std::string> &taken) {
  std::string name;
  for (char c : buffer.name) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    name += plain ? c : '_';
  }
  if (name.empty())
    name = text("buffer", index);
  while (!taken.insert(name).second)
    name += "_";
  return name;
}

bool allZero(const Array &array) {
  return std::ranges::all_of(array.bytes, [](std::byte b) { return b == std::byte{0}; });
}

/// The buffers of Launch::buffers as mutable pointers.
std::vector<BufferSpec *> mutableBuffers(Launch &launch) {
  std::vector<BufferSpec *> all;
  for (Param &param : launch.params) {
    if (auto *buffer = std::get_if<BufferParam>(&param))
      all.push_back(&buffer->buffer);
    else if (auto *block = std::get_if<BytesParam>(&param))
      for (BufferSpec &own : block->buffers)
        all.push_back(&own);
  }
  for (BufferSpec &buffer : launch.memory)
    all.push_back(&buffer);
  for (ModuleVariable &variable : launch.variables)
    all.push_back(&variable.buffer);
  return all;
}

Result<TensorArray> readTensorArray(const SourceRef &source, const Json &json) {
  JsonFields fields(source, json, "an array in tensor memory", kPackageKind);
  auto layout = layouts::parseTmemLayout(Source::make(source->name(), fields.string("layout")));
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  TensorArray out{
      {.name = fields.string("name"), .layout = *std::move(layout), .shape = fields.integers("shape", 1, kMany)}};
  out.array.dtype = fields.dtype("dtype");
  out.array.column = fields.integer("column", 0, layouts::kTmemColumns);
  out.array.collective = fields.integer("collective", 0, 1) != 0;
  for (int64_t line : fields.integers("written_at", 0, INT32_MAX))
    out.writtenAt.push_back(static_cast<uint32_t>(line));
  if (!fields.failed() && out.array.shape.size() < 2)
    fields.problem(*json.find("shape"), "an array in tensor memory has two dimensions or more");
  if (fields.failed())
    return fields.failure();
  return out;
}

} // namespace

std::string packageMeta(const Package &package) {
  const CompiledKernel &kernel = package.kernel;
  Out json = {{"format", kFormat}, {"kernel", kernel.name}, {"arch", kernel.arch}, {"outputs", kernel.outputs}};
  if (kernel.profiled)
    json["profile"] = {{"names", kernel.profile.names},
                       {"entries_per_trace", kernel.profile.entriesPerTrace},
                       {"traces_per_block", kernel.profile.tracesPerBlock},
                       {"threads_per_trace", kernel.profile.threadsPerTrace}};
  for (const TensorArray &each : kernel.tensorArrays)
    json["tensor_memory"].push_back({{"name", each.array.name},
                                     {"layout", layouts::jaxText(each.array.layout)},
                                     {"shape", each.array.shape},
                                     {"dtype", layouts::name(each.array.dtype)},
                                     {"column", each.array.column},
                                     {"collective", int{each.array.collective}},
                                     {"written_at", each.writtenAt}});
  if (!package.expectedError.empty())
    json["expected_error"] = package.expectedError;
  if (!package.expectedPrinted.empty())
    json["expected_printed"] = package.expectedPrinted;
  return json.dump(1, ' ', false, Out::error_handler_t::replace) + "\n";
}

Result<void> readPackageMeta(const SourceRef &source, Package &package) {
  CompiledKernel &kernel = package.kernel;
  Result<Json> json = parseJson(source);
  if (!json)
    return std::unexpected(json.error());
  JsonFields fields(source, *json, "a package's meta data", kPackageKind);
  fields.integer("format", kFormat, kFormat);
  kernel.name = fields.string("kernel");
  kernel.arch = fields.string("arch");
  if (const Json *arch = json->find("arch"); arch && !kernel.arch.empty() && !findPtxArchitecture(kernel.arch))
    fields.problem(*arch, noPtxArchitectureText(kernel.arch));
  for (int64_t output : fields.integers("outputs", 0, kMany))
    kernel.outputs.push_back(static_cast<uint32_t>(output));
  if (fields.has("expected_error"))
    package.expectedError = fields.string("expected_error");
  if (fields.has("expected_printed"))
    package.expectedPrinted = fields.string("expected_printed");
  if (const Json *profile = json->find("profile")) {
    kernel.profiled = true;
    JsonFields inner(source, *profile, "the profile", kPackageKind);
    if (const Json *names = inner.member("names", Json::Kind::Array, "a list of names"))
      for (const Json &name : names->items)
        kernel.profile.names.push_back(name.string);
    kernel.profile.entriesPerTrace = static_cast<uint32_t>(inner.integer("entries_per_trace", 3, kMany));
    kernel.profile.tracesPerBlock = static_cast<uint32_t>(inner.integer("traces_per_block", 1, kMany));
    kernel.profile.threadsPerTrace = static_cast<uint32_t>(inner.integer("threads_per_trace", 1, kMany));
    if (inner.failed())
      return inner.failure();
  }
  if (fields.has("tensor_memory"))
    if (const Json *arrays = fields.member("tensor_memory", Json::Kind::Array, "a list of arrays"))
      for (const Json &array : arrays->items) {
        auto read = readTensorArray(source, array);
        if (!read)
          return std::unexpected(std::move(read.error()));
        kernel.tensorArrays.push_back(*std::move(read));
      }
  if (fields.failed())
    return fields.failure();
  return {};
}

bool isPlainRelative(const std::string &name) {
  fs::path path(name);
  return path.is_relative() && std::ranges::find(path, fs::path("..")) == path.end();
}

Result<void> saveOutput(const fs::path &folder, const std::string &name, const Array &array) {
  if (!isPlainRelative(name) || !name.ends_with(".npy"))
    return error(
        "launch",
        Message("an output is saved as `{name}`, which has to be a `.npy` file in the launch description's folder",
                name));
  LANESCOPE_CHECK(writeBeneath(folder, name, npyBytes(array), stampBeneath(folder, name)));
  return {};
}

Span placeOfFile(const SourceRef &json, const std::string &file) {
  size_t found = json->text().find(text("\"", file, "\""));
  if (found == std::string::npos)
    return {json, 0, 0};
  auto begin = static_cast<uint32_t>(found);
  return {json, begin, begin + static_cast<uint32_t>(file.size()) + 2};
}

Result<std::vector<Array>> loadBuffers(const Launch &launch, const fs::path &folder, const SourceRef &json) {
  std::vector<Array> arrays;
  std::vector<const BufferSpec *> buffers = launch.buffers();
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec &buffer = *buffers[i];
    Span place = json ? placeOfFile(json, buffer.data) : Span();
    std::optional<uint64_t> bytes = checkedArrayBytes(buffer.dtype, buffer.shape);
    if (!bytes)
      return error("launch", Message("{} is too large", bufferText(buffer, i)));
    if (Result<void> room = reserveBytes(*bytes, bufferText(buffer, i)); !room)
      return at(place, std::move(room.error()));
    if (buffer.data.empty()) {
      arrays.push_back(Array::zeros(buffer.dtype, buffer.shape));
      continue;
    }
    Result<Array> array = loadNpy(folder / buffer.data, buffer.dtype);
    if (!array)
      return at(place, std::move(array.error()));
    if (array->shape != buffer.shape)
      return error("launch", place,
                   Message("`{}` has shape {shape}; {} has {other_shape}", (folder / buffer.data).string(),
                           layouts::tupleText(array->shape), bufferText(buffer, i), layouts::tupleText(buffer.shape)));
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

Result<void> savePackage(const fs::path &folder, const Package &package) {
  const CompiledKernel &kernel = package.kernel;
  if (Result<void> good = checkInputs(kernel, package.inputs); !good)
    return good;
  if (!package.expected.empty() && package.expected.size() != kernel.outputs.size())
    return error(kPackageKind, Message("kernel `{kernel}` has {count} outputs; {other_count} expected ones are given",
                                       kernel.name, kernel.outputs.size(), package.expected.size()));
  std::error_code problem;
  fs::create_directories(package.expected.empty() ? folder : folder / "expected", problem);
  if (problem)
    return error("unwritable-file", Message("cannot create `{path}`: {}", folder.string(), problem.message()));

  Launch launch = kernel.launch;
  std::vector<BufferSpec *> buffers = mutableBuffers(launch);
  std::set<std::string> taken;
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::string name = fileName(*buffers[i], i, taken);
    buffers[i]->data = i < package.inputs.size() && !allZero(package.inputs[i]) ? name + ".npy" : "";
    bool isOutput = std::ranges::find(kernel.outputs, i) != kernel.outputs.end();
    buffers[i]->out = isOutput ? name + (buffers[i]->data.empty() ? ".npy" : ".out.npy") : "";
    if (!buffers[i]->data.empty())
      if (Result<void> saved = saveNpy(folder / buffers[i]->data, package.inputs[i]); !saved)
        return saved;
  }
  for (size_t i = 0; i < package.expected.size(); ++i)
    if (Result<void> saved = saveNpy(folder / "expected" / buffers[kernel.outputs[i]]->out, package.expected[i]);
        !saved)
      return saved;
  for (const auto &[name, content] : {std::pair("kernel.ptx", kernel.ptx), std::pair("launch.json", toJson(launch)),
                                      std::pair("meta.json", packageMeta(package))})
    if (Result<void> saved = writeFile(folder / name, std::string_view(content)); !saved)
      return saved;
  return {};
}

Result<Package> loadPackage(const fs::path &folder) {
  Package package;
  CompiledKernel &kernel = package.kernel;
  for (const char *name : {"meta.json", "launch.json", "kernel.ptx"}) {
    Result<SourceRef> source =
        readSource(folder / name, std::string_view(name) == "kernel.ptx" ? FileRole::Ptx : FileRole::Json);
    if (!source)
      return error(kPackageKind, {}, Message("`{path}` is no package: {}", folder.string(), source.error()[0].message));
    if (std::string_view(name) == "kernel.ptx") {
      kernel.ptx = (*source)->text();
    } else if (std::string_view(name) == "meta.json") {
      if (Result<void> good = readPackageMeta(*source, package); !good)
        return std::unexpected(good.error());
    } else {
      Result<Launch> launch = parseLaunch(*source);
      if (!launch)
        return std::unexpected(launch.error());
      kernel.launch = std::move(*launch);
    }
  }
  std::vector<const BufferSpec *> buffers = kernel.launch.buffers();
  for (uint32_t output : kernel.outputs)
    if (output >= buffers.size())
      return error(kPackageKind,
                   Message("`{path}` names output {} of {buffers} buffers", folder.string(), output, buffers.size()));
  for (const BufferSpec *buffer : buffers)
    if (!isPlainRelative(buffer->data) || !isPlainRelative(buffer->out))
      return error(kPackageKind, Message("`{path}` names files outside of itself", folder.string()));
  Result<std::vector<Array>> arrays = loadBuffers(kernel.launch, folder);
  if (!arrays)
    return std::unexpected(arrays.error());
  package.inputs = std::move(*arrays);
  if (kernel.profiled) {
    if (package.inputs.empty())
      return error(kPackageKind, Message("`{path}` is profiled but has no buffer for it", folder.string()));
    package.inputs.pop_back();
  }
  if (std::error_code problem; !fs::is_directory(folder / "expected", problem))
    return package;
  for (uint32_t output : kernel.outputs) {
    Result<Array> array = loadNpy(folder / "expected" / buffers[output]->out, buffers[output]->dtype);
    if (!array)
      return std::unexpected(array.error());
    package.expected.push_back(std::move(*array));
  }
  return package;
}

} // namespace lanescope::core
