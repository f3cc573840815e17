#include "core/gpu/emulator/DecodedKernels.h"

#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/LineSources.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/kernel/DeviceBytes.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <charconv>

namespace lanescope::core::emulator {

namespace {

/// The place in the snippet to which the PTX before `offset` belongs. It comes from the last `.loc` that has file
/// number 1 and names a line.
Span placeInSnippet(std::string_view ptx, size_t offset, const SourceRef &snippet) {
  constexpr std::string_view kLoc = ".loc";
  for (size_t at = ptx.rfind(kLoc, offset); at != std::string_view::npos;
       at = at ? ptx.rfind(kLoc, at - 1) : ptx.npos) {
    uint32_t numbers[3] = {};
    const char *text = ptx.data() + at + kLoc.size(), *end = ptx.data() + ptx.size();
    for (uint32_t &number : numbers) {
      while (text < end && (*text == ' ' || *text == '\t'))
        ++text;
      text = std::from_chars(text, end, number).ptr;
    }
    if (numbers[0] == 1 && numbers[1] > 0)
      return spanAt(snippet, numbers[1], numbers[2]);
  }
  return {};
}

/// Moves the problems of a PTX text to the lines of the snippet from which the PTX was compiled.
Diagnostics atSnippet(Diagnostics problems, const SourceRef &ptx, const SourceRef &snippet) {
  for (Diagnostic &problem : problems) {
    if (!snippet || problem.span.source != ptx)
      continue;
    if (Span place = placeInSnippet(ptx->text(), problem.span.begin, snippet); place.source) {
      problem.notes.insert(problem.notes.begin(), {problem.span, "this is the PTX"});
      problem.span = place;
    }
  }
  return problems;
}

/// The addresses of a buffer that numbers in the PTX name, and its place in the emulator.
struct MovedRange {
  uint64_t from = 0, bytes = 0, to = 0;
};

void moveNumbers(Operand &operand, std::span<const MovedRange> ranges) {
  if (operand.kind == Operand::Kind::Integer) {
    auto range =
        std::ranges::find_if(ranges, [&](const MovedRange &one) { return operand.bits - one.from < one.bytes; });
    if (range == ranges.end()) // a loop may end where its array does
      range = std::ranges::find_if(ranges, [&](const MovedRange &one) { return operand.bits == one.from + one.bytes; });
    if (range != ranges.end())
      operand.bits += range->to - range->from;
  }
  for (Operand &part : operand.parts)
    moveNumbers(part, ranges);
}

/// Numbers in the PTX that lie in a buffer with a fixed address, or at its end, become the emulator's address of the
/// same byte.
void moveAddresses(Module &module, const Launch &launch, const Program &program) {
  std::vector<const BufferSpec *> buffers = launch.buffers();
  std::vector<MovedRange> ranges;
  for (const FixedAddress &each : launch.addresses)
    if (each.buffer < launch.sharedBuffers())
      ranges.push_back({each.address, deviceBytes(buffers[each.buffer]->dtype, buffers[each.buffer]->shape),
                        addressOfRegion(static_cast<uint32_t>(program.globals.size() + each.buffer))});
  for (Function &function : module.functions)
    for (Instruction &instruction : function.instructions)
      for (Operand &operand : instruction.operands)
        moveNumbers(operand, ranges);
}

} // namespace

Result<std::shared_ptr<const DecodedKernel>> DecodedKernel::of(const SourceRef &ptx, const Launch &launch,
                                                               const SourceRef &snippet,
                                                               const StandingMemory *standing) {
  auto module = parsePtx(ptx);
  if (!module)
    return std::unexpected(atSnippet(std::move(module.error()), ptx, snippet));
  auto kernel = std::make_shared<DecodedKernel>();
  kernel->ptx = ptx;
  kernel->snippet = snippet;
  kernel->entry = launch.entry;
  kernel->dynamicSmem = launch.dynamicSmem;
  if (standing)
    kernel->variables = standing->variables;
  Program &program = kernel->program;
  program.module = std::make_shared<Module>(std::move(*module));
  if (!snippet)
    program.module->sources = lineSources(*program.module);
  Decoder decoder(program, instructionTable(), standing ? &kernel->variables : nullptr);
  if (auto decoded = decoder.run(launch.entry, launch.dynamicSmem); !decoded)
    return std::unexpected(atSnippet(std::move(decoded.error()), ptx, snippet));
  kernel->registers = decoder.registers();
  if (launch.addresses.empty() || standing)
    return kernel;
  // The buffers' places are known now that the module's variables are counted.
  auto moved = std::make_shared<Module>(std::move(*parsePtx(ptx)));
  moved->sources = program.module->sources;
  moveAddresses(*moved, launch, program);
  kernel->addresses = launch.addresses;
  kernel->program = {};
  kernel->program.module = std::move(moved);
  Decoder again(kernel->program, instructionTable());
  LANESCOPE_CHECK(again.run(launch.entry, launch.dynamicSmem));
  kernel->registers = again.registers();
  return kernel;
}

Result<std::shared_ptr<const DecodedKernel>> DecodedKernels::get(const SourceRef &ptx, const Launch &launch,
                                                                 const SourceRef &snippet,
                                                                 const StandingMemory *standing) {
  std::lock_guard lock(mutex_);
  bool same = last_ && launch.addresses.empty() && last_->addresses.empty() && last_->snippet == snippet &&
              last_->entry == launch.entry && last_->dynamicSmem == launch.dynamicSmem &&
              (last_->variables.empty() || standing) && (!standing || last_->variables == standing->variables) &&
              last_->ptx->name() == ptx->name() && last_->ptx->text() == ptx->text();
  if (!same)
    last_ = LANESCOPE_TRY(DecodedKernel::of(ptx, launch, snippet, standing));
  return last_;
}

} // namespace lanescope::core::emulator
