#include "core/gpu/emulator/machine/Grid.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::core::emulator {

uint64_t Grid::clusterBlocks() const { return uint64_t{cluster[0]} * cluster[1] * cluster[2]; }

uint64_t Grid::clusterCount() const {
  if (!chosen.empty())
    return chosen.size();
  uint64_t count = 1;
  for (size_t n = 0; n < 3; ++n)
    count *= size[n] / cluster[n];
  return count;
}

uint64_t Grid::clusterOf(uint64_t block) const {
  uint64_t index = 0, stride = 1;
  for (size_t n = 0; n < 3; ++n) {
    index += block % size[n] / cluster[n] * stride;
    stride *= size[n] / cluster[n];
    block /= size[n];
  }
  return index;
}

std::array<uint32_t, 3> Grid::firstBlockOf(uint64_t index) const {
  std::array<uint32_t, 3> first{};
  if (!chosen.empty())
    index = chosen[index];
  for (size_t n = 0; n < 3; ++n) {
    uint32_t count = size[n] / cluster[n];
    first[n] = static_cast<uint32_t>(index % count) * cluster[n];
    index /= count;
  }
  return first;
}

const SourceLoc *Grid::locOf(const Instr &instr) const {
  const std::vector<Instruction> &all = program->function->instructions;
  const Module &module = *program->module;
  // Code without a line (line 0: LLVM has moved it) is reported at the line of the code that runs before it. If there
  // is none, it is reported at the line of the code that runs after it.
  auto lineOf = [&](const Instruction &of) {
    const SourceLoc *loc = of.loc ? &module.locs[of.loc] : nullptr;
    bool known = loc && (snippet ? loc->file == 1 : loc->file < module.sources.size() && module.sources[loc->file]);
    return known && loc->line > 0 ? loc : nullptr;
  };
  auto begins = [&](size_t n) { // true if a stretch of straight-line code begins here
    return n == 0 || all[n - 1].opcode.starts_with("bra") || all[n - 1].opcode == "ret" ||
           std::ranges::any_of(program->function->labels, [n](const Label &label) { return label.instruction == n; });
  };
  if (!snippet && module.sources.empty())
    return nullptr;
  const SourceLoc *loc = lineOf(all[instr.source]);
  size_t n = instr.source;
  while (!loc && !begins(n))
    loc = lineOf(all[--n]);
  for (n = instr.source; !loc && n < all.size(); ++n)
    loc = lineOf(all[n]);
  return loc;
}

namespace {

/// Returns a place and the call sites at which its function is inlined, innermost first.
std::vector<const SourceLoc *> framesFrom(const Module &module, const SourceLoc *loc) {
  constexpr size_t kDeepest = 64;
  std::vector<const SourceLoc *> frames{loc};
  while (frames.back()->inlinedAt && frames.size() < kDeepest)
    frames.push_back(&module.frames[frames.back()->inlinedAt]);
  std::erase_if(frames, [&](const SourceLoc *frame) {
    return frame->line == 0 || frame->file >= module.sources.size() || !module.sources[frame->file];
  });
  return frames;
}

/// The source may be missing, or may have changed since the compilation. The place keeps the line that `.loc` names.
Span placeOf(const Module &module, const SourceLoc &loc) {
  const SourceRef &source = module.sources[loc.file];
  auto width = static_cast<uint32_t>(source->lineText(loc.line).size());
  return spanAt(source, loc.line, std::min(loc.column, width + 1));
}

/// Headers usually belong to libraries. So a finding is reported at the place where the program uses the header, if
/// that place is known.
bool isHeader(const Source &source) {
  std::string_view name = source.name();
  return std::ranges::any_of(std::array<std::string_view, 6>{".h", ".hpp", ".cuh", ".hxx", ".inl", ".inc"},
                             [&](std::string_view ending) { return name.ends_with(ending); }) ||
         !name.substr(name.rfind('/') + 1).contains('.');
}

/// True if the function is one line that wraps an instruction. Its caller shows what the instruction is used for.
bool isWrapper(const Module &module, const SourceLoc &frame) {
  const InlinedFunction &function = module.inlined[frame.function];
  return frame.function && frame.inlinedAt && function.firstLine == function.lastLine;
}

/// Returns the innermost frame in the kernel's own file that is not a wrapper. If this file is a header: the innermost
/// frame in another kind of file, or else the innermost one.
const SourceLoc *shownFrame(const Module &module, const std::vector<const SourceLoc *> &frames) {
  uint32_t own = frames.back()->file;
  bool ownCounts = !isHeader(*module.sources[own]);
  auto found = std::ranges::find_if(frames, [&](const SourceLoc *frame) {
    return (ownCounts ? frame->file == own : !isHeader(*module.sources[frame->file])) && !isWrapper(module, *frame);
  });
  return found == frames.end() ? frames.front() : *found;
}

} // namespace

Span Grid::spanOf(const Instr &instr) const {
  const Instruction &from = program->function->instructions[instr.source];
  if (const SourceLoc *loc = locOf(instr)) {
    if (snippet)
      return spanAt(snippet, loc->line, loc->column);
    const SourceLoc *shown = shownFrame(*program->module, framesFrom(*program->module, loc));
    return placeOf(*program->module, *shown);
  }
  return {program->module->source, from.begin, std::max(from.end, from.begin + 1)};
}

std::vector<Note> Grid::framesOf(const Instr &instr) const {
  const SourceLoc *loc = snippet ? nullptr : locOf(instr);
  if (!loc || !loc->inlinedAt)
    return {};
  const Module &module = *program->module;
  std::vector<const SourceLoc *> frames = framesFrom(module, loc);
  const SourceLoc *shown = shownFrame(module, frames);
  std::vector<Note> notes;
  bool within = true;
  for (const SourceLoc *frame : frames) {
    if (frame == shown)
      within = false;
    else
      notes.push_back(
          {placeOf(module, *frame), within ? "in a function that is inlined there" : "the function is inlined here"});
  }
  return notes;
}

std::string Grid::lineOf(const Instr &instr) const {
  Span span = spanOf(instr);
  return text(span.source->name(), ":", span.source->lineColumn(span.begin).line);
}

std::string_view Grid::opcodeOf(const Instr &instr) const {
  return program->function->instructions[instr.source].opcode;
}

std::string_view Grid::noteOf(const Instr &instr) const {
  constexpr std::string_view kMark = "// lanescope: ";
  std::string_view rest = program->module->source->text();
  rest.remove_prefix(std::min<size_t>(program->function->instructions[instr.source].end, rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(" ;"), rest.size()));
  return rest.starts_with(kMark) ? rest.substr(kMark.size(), rest.find('\n') - kMark.size()) : std::string_view();
}

} // namespace lanescope::core::emulator
