// Reads the frames that CallMessage.cpp writes. A program's process may send anything, so every number is checked.
#include "core/data/JsonFields.h"
#include "core/data/ParametersJson.h"
#include "core/gpu/codegen/StageKinds.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/kernel/Profile.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/program/CallMessage.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace lanescope::repl {

namespace {

using core::Json;
using core::JsonFields;
constexpr int64_t kMany = int64_t{1} << 40;
constexpr int64_t kMostOffset = UINT32_MAX;

/// The stage kind of that id; null: no target of this program has it.
const core::StageKind *stageKind(std::string_view id) {
  if (id == core::kSourceStage.id)
    return &core::kSourceStage;
  auto found = std::ranges::find(core::kGpuStages, id, &core::StageKind::id);
  return found == std::end(core::kGpuStages) ? nullptr : &*found;
}

class Decoder {
public:
  Decoder(const core::Frame &frame, SourceRef text) : blob_(frame.blob), text_(std::move(text)) {}

  Result<KernelLaunch> call(const Json &root) {
    JsonFields fields = of(root, "a kernel's call");
    KernelLaunch launch;
    // The raw bytes come in the order in which they were written, and those of the sources come last.
    LANESCOPE_CHECK(sources(fields));
    launch.kernel = fields.string("kernel");
    launch.call = place(fields);
    launch.device = fields.string("device");
    auto stages = std::make_shared<core::KernelStages>();
    LANESCOPE_CHECK(readStages(fields, *stages));
    if (const Json *compiled = root.find("compiled"))
      stages->kernel = LANESCOPE_TRY(kernel(*compiled));
    launch.inputs = LANESCOPE_TRY(arrays(fields, "inputs"));
    if (const Json *result = root.find("result"))
      launch.result = std::make_shared<const core::RunResult>(LANESCOPE_TRY(readResult(*result, root)));
    launch.stages = std::move(stages);
    if (fields.failed())
      return fields.failure();
    if (at_ > end_)
      return malformed("it has fewer raw bytes than it says");
    return checked(std::move(launch));
  }

private:
  JsonFields of(const Json &json, std::string what) const { return {text_, json, std::move(what), kProgramKind}; }

  static std::unexpected<Diagnostics> malformed(std::string_view why) {
    return error(kProgramKind, Message("a kernel's call is not as the package `lanescope` sends it: {}", why));
  }

  /// The next raw bytes. There are fewer than asked for if the frame has fewer.
  std::span<const std::byte> raw(JsonFields &fields, std::string_view name) {
    return take(static_cast<uint64_t>(fields.integer(name, 0, kMany)));
  }
  std::span<const std::byte> take(uint64_t size) {
    std::span<const std::byte> left(blob_);
    left = left.first(static_cast<size_t>(end_)).subspan(static_cast<size_t>(std::min(at_, end_)));
    at_ += size;
    return size <= left.size() ? left.first(static_cast<size_t>(size)) : std::span<const std::byte>();
  }
  static std::string textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }

  const std::vector<Json> &items(JsonFields &fields, std::string_view name) const {
    static const std::vector<Json> none;
    const Json *list = fields.member(name, Json::Kind::Array, "a list");
    return list ? list->items : none;
  }

  Result<void> sources(JsonFields &fields) {
    uint64_t bytes = 0;
    std::vector<std::array<uint64_t, 2>> sizes;
    for (const Json &item : items(fields, "sources")) {
      JsonFields inner = of(item, "a source");
      sizes.push_back({static_cast<uint64_t>(inner.integer("name", 0, kMany)),
                       static_cast<uint64_t>(inner.integer("text", 0, kMostOffset - 1))});
      if (inner.failed())
        return inner.failure();
      bytes += sizes.back()[0] + sizes.back()[1];
    }
    end_ = blob_.size();
    if (bytes > end_)
      return malformed("its sources are longer than its raw bytes");
    at_ = end_ - bytes;
    for (auto [name, content] : sizes) {
      std::string called = textOf(take(name));
      sources_.push_back(Source::make(std::move(called), textOf(take(content))));
    }
    end_ -= bytes;
    at_ = 0;
    return {};
  }

  SourceRef source(int64_t number) const {
    return number >= 0 && static_cast<size_t>(number) < sources_.size() ? sources_[static_cast<size_t>(number)]
                                                                        : nullptr;
  }
  Span span(int64_t number, int64_t begin, int64_t end) const {
    SourceRef in = source(number);
    if (!in || begin < 0 || end < begin || end > static_cast<int64_t>(in->text().size()))
      return {};
    return {in, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  Span place(JsonFields &fields) const {
    layouts::Shape parts = fields.integers("place", -1, kMostOffset, 3);
    return parts.size() == 3 ? span(parts[0], parts[1], parts[2]) : Span();
  }

  Result<Diagnostics> diagnostics(JsonFields &fields, std::string_view name) const {
    Diagnostics out;
    for (const Json &item : items(fields, name)) {
      JsonFields inner = of(item, "a finding");
      Diagnostic each;
      each.severity = static_cast<Severity>(inner.integer("severity", 0, static_cast<int>(Severity::Note)));
      each.kind = inner.string("kind");
      each.span = place(inner);
      each.message = inner.string("message");
      each.parameters = core::readParameters(item);
      for (const Json &note : items(inner, "notes")) {
        JsonFields of = this->of(note, "a note");
        Span at = place(of);
        each.notes.push_back({at, of.string("message")});
        if (of.failed())
          return of.failure();
      }
      if (inner.failed())
        return inner.failure();
      out.push_back(std::move(each));
    }
    return out;
  }

  /// The origins of lines as 32-bit numbers: for each line its kind, the line of the stage before, the number of
  /// places, and three numbers for each place.
  Result<std::vector<core::LineOrigin>> origins(uint64_t lines, std::span<const std::byte> bytes) const {
    std::vector<int32_t> words(bytes.size() / sizeof(int32_t));
    if (!words.empty())
      std::memcpy(words.data(), bytes.data(), words.size() * sizeof(int32_t));
    std::vector<core::LineOrigin> out;
    size_t at = 0;
    auto next = [&] { return at < words.size() ? words[at++] : -1; };
    for (uint64_t line = 0; line < lines; ++line) {
      if (words.size() - at < 3)
        return malformed("a stage has more lines than it says the origin of");
      int32_t kind = next(), before = next(), places = next();
      if (kind < 0 || kind > static_cast<int32_t>(core::LineOrigin::Kind::Source) || before < 0 || places < 0 ||
          static_cast<size_t>(places) > (words.size() - at) / 3)
        return malformed("a line's origin makes no sense");
      core::LineOrigin origin{static_cast<core::LineOrigin::Kind>(kind), {}, static_cast<uint32_t>(before)};
      for (int32_t n = 0; n < places; ++n) {
        int32_t in = next(), begin = next(), end = next();
        if (Span found = span(in, begin, end); found.source)
          origin.places.push_back(std::move(found));
      }
      out.push_back(std::move(origin));
    }
    return out;
  }

  Result<void> readStages(JsonFields &fields, core::KernelStages &stages) {
    for (const Json &item : items(fields, "stages")) {
      JsonFields inner = of(item, "a stage");
      const core::StageKind *kind = stageKind(inner.string("id"));
      std::string madeFrom = inner.string("made_from");
      core::Stage stage{kind ? *kind : core::kSourceStage, source(inner.integer("source", -1, kMany))};
      if (const core::StageKind *from = stageKind(madeFrom); from && !madeFrom.empty())
        stage.madeFrom = from->id;
      auto lines = static_cast<uint64_t>(inner.integer("lines", 0, kMostOffset));
      std::span<const std::byte> bytes = raw(inner, "origins");
      if (inner.failed())
        return inner.failure();
      stage.origins = LANESCOPE_TRY(origins(lines, bytes));
      if (kind && stage.source)
        stages.stages.push_back(std::move(stage));
    }
    for (int64_t number : fields.integers("stage_sources", -1, kMany))
      if (SourceRef in = source(number))
        stages.sources.push_back(std::move(in));
    stages.diagnostics = LANESCOPE_TRY(diagnostics(fields, "stage_diagnostics"));
    return {};
  }

  Result<core::CompiledKernel> kernel(const Json &json) {
    JsonFields fields = of(json, "a compiled kernel");
    core::Package described;
    LANESCOPE_CHECK(core::readPackageMeta(Source::make("<meta>", fields.string("meta")), described));
    core::CompiledKernel out = std::move(described.kernel);
    out.launch = LANESCOPE_TRY(core::parseLaunch(Source::make("<launch>", fields.string("launch"))));
    out.source = source(fields.integer("source", -1, kMany));
    out.ptx = textOf(raw(fields, "ptx"));
    for (const Json &item : items(fields, "values")) {
      JsonFields inner = of(item, "a value");
      Span at = place(inner);
      out.values.push_back({at, inner.string("name"), inner.string("type"), inner.string("layout")});
      if (inner.failed())
        return inner.failure();
    }
    if (fields.failed())
      return fields.failure();
    return out;
  }

  Result<std::vector<core::Array>> arrays(JsonFields &fields, std::string_view name) {
    std::vector<core::Array> out;
    for (const Json &item : items(fields, name)) {
      JsonFields inner = of(item, "an array");
      core::Array array{.dtype = inner.dtype("dtype"), .shape = inner.integers("shape", 0, kMany), .bytes = {}};
      std::span<const std::byte> bytes = raw(inner, "bytes");
      if (inner.failed())
        return inner.failure();
      if (core::checkedArrayBytes(array.dtype, array.shape) != bytes.size())
        return malformed("an array has another size than its shape");
      array.bytes.assign(bytes);
      out.push_back(std::move(array));
    }
    return out;
  }

  Result<core::RunResult> readResult(const Json &json, const Json &root) {
    JsonFields fields = of(json, "a result");
    core::RunResult out;
    out.outputs = LANESCOPE_TRY(arrays(fields, "outputs"));
    if (const Json *time = json.find("time_us"))
      out.timeUs = time->number;
    out.device = fields.string("device");
    out.printed = textOf(raw(fields, "printed"));
    out.note = fields.string("note");
    out.diagnostics = LANESCOPE_TRY(diagnostics(fields, "diagnostics"));
    if (fields.failed())
      return fields.failure();
    if (root.find("trace")) {
      JsonFields whole = of(root, "a kernel's call");
      SourceRef trace = Source::make("<trace>", textOf(raw(whole, "trace")));
      if (whole.failed())
        return whole.failure();
      out.trace = LANESCOPE_TRY(core::parseGpuTrace(trace));
    }
    return out;
  }

  /// Checks what the views rely on: one output for each of the kernel's outputs, and one input for each of its buffers.
  static Result<KernelLaunch> checked(KernelLaunch launch) {
    if (!launch.stages->kernel)
      return launch;
    const core::CompiledKernel &kernel = *launch.stages->kernel;
    size_t buffers = kernel.launch.buffers().size();
    if (std::ranges::any_of(kernel.outputs, [&](uint32_t output) { return output >= buffers; }))
      return malformed("an output of the kernel is none of its buffers");
    if (kernel.profiled && buffers == 0)
      return malformed("it has no buffer for the kernel's trace");
    if (!launch.inputs.empty()) {
      LANESCOPE_CHECK(core::checkLaunch(kernel.launch));
      LANESCOPE_CHECK(core::checkInputs(kernel, launch.inputs));
    }
    return launch;
  }

  const core::Bytes &blob_;
  const SourceRef text_; // the JSON text
  std::vector<SourceRef> sources_;
  uint64_t at_ = 0, end_ = 0; // in blob_
};

} // namespace

Result<KernelLaunch> decodeCall(const core::Frame &frame) {
  SourceRef source = Source::make("<call>", frame.json);
  auto json = core::parseJson(source);
  if (!json || !json->is(Json::Kind::Object))
    return error(kProgramKind,
                 "a kernel's call is not as the package `lanescope` sends it: its text is no JSON object");
  return Decoder(frame, source).call(*json);
}

} // namespace lanescope::repl
