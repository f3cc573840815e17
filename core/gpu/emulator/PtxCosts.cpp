#include "core/gpu/emulator/PtxCosts.h"

#include "core/gpu/emulator/costs/Liveness.h"
#include "core/gpu/emulator/ptx/PtxParser.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::core {

namespace {

using emulator::Function;
using emulator::Instruction;

enum Column : size_t {
  kInstructions,
  kRegisters,
  kShuffles,
  kSharedAccesses,
  kGlobalAccesses,
  kProducts,
  kCopies,
  kWaits,
  kStatic, // the number of columns that need no run
  kExecuted = kStatic,
  kCycles,
  kConflicts,
  kSharedBytes,
  kGlobalBytes,
  kCopiedBytes,
  kAll,
};

/// `record`: the record of the run; null if there was no run.
std::vector<CostColumn> columns(const RunRecord *record) {
  std::vector<CostColumn> all = {
      {"instr", "instruction", "instructions", "PTX instructions of the line"},
      {"live", "live register", "live registers",
       "the most registers of PTX, of 32 bits, that hold a needed value at one of the line's instructions", true},
      {"shuffles", "shuffle", "shuffles", "shfl.sync: values that move between lanes"},
      {"shared", "shared access", "shared accesses", "loads, stores and atomics of shared memory, ldmatrix, stmatrix"},
      {"global", "global access", "global accesses", "loads, stores and atomics of global memory"},
      {"mma", "matrix product", "matrix products", "instructions of the tensor cores"},
      {"copies", "copy", "copies", "asynchronous copies: TMA, cp.async, tcgen05.cp"},
      {"sync", "barrier or wait", "barriers and waits", "barriers, fences, waits for copies and products"},
      {"executed", "warp instruction", "warp instructions", "instructions that warps executed in the run"},
      {"cycles", "warp cycle", "warp cycles",
       "cycles of the emulator's model that warps spent there in the run, waits included, summed over warps"},
      {"conflicts", "bank conflict", "bank conflicts", "wavefronts of shared memory beyond one per phase in the run"},
      {"smem_bytes", "byte of shared memory", "bytes of shared memory", "that loads and stores moved in the run"},
      {"gmem_bytes", "byte of global memory", "bytes of global memory", "that loads and stores moved in the run"},
      {"copy_bytes", "byte of copies", "bytes of copies",
       "that asynchronous copies moved in the run: TMA, cp.async, st.async; those to several blocks count in each"}};
  if (!record)
    all.resize(kStatic);
  else if (!record->copies)
    all.resize(kCopiedBytes);
  return all;
}

/// Adds an instruction to the columns of the kinds to which it belongs.
void classify(std::string_view opcode, std::vector<double> &line) {
  auto begins = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return opcode.starts_with(word); });
  };
  auto names = [&](std::string_view space) { return opcode.find(space) != std::string_view::npos; };
  bool access = begins({"ld.", "st.", "atom.", "red.", "ldu."});
  if (opcode.starts_with("shfl"))
    ++line[kShuffles];
  if ((access && names(".shared")) || begins({"ldmatrix", "stmatrix"}))
    ++line[kSharedAccesses];
  if (access && names(".global"))
    ++line[kGlobalAccesses];
  if (begins({"wgmma.mma_async", "mma.", "wmma.mma", "tcgen05.mma"}))
    ++line[kProducts];
  bool bookkeeping = names("commit_group") || names("wait_group") || names("wait_all") || names("mbarrier");
  if (begins({"cp.async", "cp.reduce.async", "tcgen05.cp"}) &&
      (!bookkeeping || opcode.starts_with("cp.async.bulk.tensor") || names("complete_tx")))
    ++line[kCopies];
  else if (bookkeeping || begins({"bar.", "barrier", "fence", "membar", "wgmma.fence", "wgmma.commit", "wgmma.wait",
                                  "tcgen05.wait", "tcgen05.fence", "tcgen05.commit"}))
    ++line[kWaits];
}

void addRecord(const RunRecord &record, const Source &ptx, LineCosts &out) {
  for (const InstructionRecord &entry : record.instructions) {
    uint32_t line = ptx.lineColumn(entry.place).line;
    if (line > out.lines.size())
      continue;
    std::vector<double> &of = out.lines[line - 1];
    of.resize(out.columns.size());
    of[kExecuted] += static_cast<double>(entry.executed);
    of[kCycles] += static_cast<double>(entry.cycles);
    of[kConflicts] += static_cast<double>(entry.conflicts);
    of[kSharedBytes] += static_cast<double>(entry.sharedBytes);
    of[kGlobalBytes] += static_cast<double>(entry.globalBytes);
    if (record.copies)
      of[kCopiedBytes] += static_cast<double>(entry.copiedBytes);
  }
}

} // namespace

Result<LineCosts> ptxCosts(const SourceRef &ptx, const RunRecord *record) {
  emulator::Module module = LANESCOPE_TRY(emulator::parsePtx(ptx));
  bool ran = record && record->ptx && record->ptx->text() == ptx->text();
  LineCosts out{.columns = columns(ran ? record : nullptr), .lines = {}};
  out.notes.emplace_back("live: registers of PTX, of 32 bits; an assembler's number is another one");
  if (ran)
    out.notes.emplace_back(
        "cycles: of the emulator's model, summed over warps; bytes of a memory: of loads and stores, not of copies");
  out.lines.resize(ptx->lineColumn(static_cast<uint32_t>(ptx->text().size())).line);
  for (const Function &function : module.functions) {
    std::vector<uint32_t> live = emulator::liveRegisters(function);
    for (size_t i = 0; i < function.instructions.size(); ++i) {
      const Instruction &instruction = function.instructions[i];
      std::vector<double> &line = out.lines[ptx->lineColumn(instruction.begin).line - 1];
      line.resize(out.columns.size());
      ++line[kInstructions];
      line[kRegisters] = std::max(line[kRegisters], static_cast<double>(live[i]));
      classify(instruction.opcode, line);
    }
  }
  if (ran)
    addRecord(*record, *ptx, out);
  return out;
}

} // namespace lanescope::core
