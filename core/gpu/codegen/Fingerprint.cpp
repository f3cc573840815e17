#include "core/gpu/codegen/Fingerprint.h"

#include "core/ir/KernelModuleImpl.h"

#include "mlir/Bytecode/BytecodeWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>

namespace lanescope::core {

namespace {

std::string hashed(const KernelModule &module, const CompileOptions &options, bool texts) {
  std::string content;
  llvm::raw_string_ostream stream(content);
  stream << (texts ? "texts" : "places") << '\0' << options.arch << '\0' << options.until << '\0';
  if (options.markValues)
    stream << "marked" << '\0';
  for (const SourceRef &source : module.impl().sources)
    stream << source->name() << '\0' << (texts ? source->text() : std::string()) << '\0';
  mlir::ModuleOp op = *module.impl().module;
  if (mlir::failed(mlir::writeBytecodeToFile(op, stream)))
    op.print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  llvm::SHA256 hash;
  hash.update(content);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

/// Moves places to the same lines and columns of other sources.
class Mover {
public:
  Mover(const std::vector<SourceRef> &from, const std::vector<SourceRef> &to) : from_(from), to_(to) {}

  void move(SourceRef &source) const {
    if (auto at = std::ranges::find(from_, source); source && at != from_.end())
      source = to_[static_cast<size_t>(at - from_.begin())];
  }
  void move(Span &span) const {
    SourceRef before = span.source;
    move(span.source);
    if (!before || span.source == before)
      return;
    auto moved = [&](uint32_t offset) {
      LineColumn at = before->lineColumn(offset);
      return spanAt(span.source, at.line, at.column).begin;
    };
    span.begin = moved(span.begin), span.end = moved(span.end);
  }

private:
  const std::vector<SourceRef> &from_, &to_;
};

} // namespace

std::string placedFingerprint(const KernelModule &module, const CompileOptions &options) {
  return hashed(module, options, false);
}

std::string fingerprint(const KernelModule &module, const CompileOptions &options) {
  return hashed(module, options, true);
}

std::shared_ptr<const KernelStages> movedTo(const KernelModule &module, const KernelStages &stages) {
  const std::vector<SourceRef> &now = module.impl().sources;
  auto name = [](const SourceRef &source) -> const std::string & { return source->name(); };
  if (!std::ranges::equal(stages.sources, now, {}, name, name))
    return nullptr;
  Mover mover(stages.sources, now);
  auto out = std::make_shared<KernelStages>(stages);
  for (Stage &stage : out->stages)
    for (LineOrigin &origin : stage.origins)
      for (Span &place : origin.places)
        mover.move(place);
  if (out->kernel) {
    mover.move(out->kernel->source);
    for (ValueLayout &value : out->kernel->values)
      mover.move(value.span);
  }
  out->sources = now;
  return out;
}

} // namespace lanescope::core
