// The rules by which the checker finds faults, hazards and notes: the kinds of its diagnostics, each with what it rests
// on and the smallest program that breaks it; and what the checker lets pass on purpose.
//
// A new rule is a row here and one in docs/checks.md; `tests/docs/rules.py . --update` then writes docs/rules.md, and
// its test holds the three together.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lanescope::core {

/// OnRequest: `--strict-rule` tells it, and nothing else does.
enum class RuleGrade : uint8_t { Fault, Hazard, Note, OnRequest };

struct CheckerRule {
  std::string_view name;
  RuleGrade grade;         // the worst that it tells
  std::string_view isa;    // the section that it rests on, of the PTX ISA where nothing else is said
  std::string_view gist;   // its message in short
  std::string_view broken; // by two threads, or by one
};

/// Something undefined that passes, or that passes as less than a fault.
struct CheckerLeniency {
  std::string_view what, why;
  std::string_view strictRule; // the rule that tells it, for `--strict-rule`; empty: none can, and `why` says why
};

// clang-format off
inline constexpr auto kRules = std::to_array<CheckerRule>({
    {"race", RuleGrade::Fault, "Memory Consistency Model: causality order",
     "two accesses of the same bytes, one of which writes, without an order between them",
     "A: st.shared.b32 [x], 1;  B: ld.shared.b32 r, [x];"},
    {"racing-read", RuleGrade::Note, "Memory Consistency Model: conflict and data-races",
     "a plain load races with a store, and no result depends on what it gives",
     "A: st.global.b32 [x], 1;  B: ld.global.b32 r, [x]; (r is not used)"},
    {"racing-value", RuleGrade::Hazard, "Memory Consistency Model: conflict and data-races",
     "a plain load races with a store, and any of the values serves",
     "A: st.global.b32 [x], 1;  B: ld.global.b32 r, [x]; @r==0 atom.cas [x], 0, 1;"},
    {"dead-read", RuleGrade::Note, "Memory Consistency Model: causality order",
     "a loop reads ahead for a round that never comes while others write there",
     "A: ldmatrix r, [next]; exit loop;  B: st.shared.b32 [next], 1;"},
    {"unread-copy", RuleGrade::Note, "Async operations",
     "a copy fills what another copy still fills, and nothing reads it",
     "A: cp.async.bulk [s], [g];  A: cp.async.bulk [s], [h];"},
    {"phase-overrun", RuleGrade::Fault, "mbarrier.test_wait: phase parity",
     "a phase of an mbarrier can end before a warp has waited for the one before",
     "A: mbarrier.arrive [bar]; mbarrier.arrive [bar];  B: mbarrier.try_wait.parity p, [bar], 0;"},
    {"barrier-conflict", RuleGrade::Fault, "bar, barrier",
     "an arrival at a named barrier can be counted in the phase before its own",
     "A: bar.arrive 1, 64;  B: bar.sync 1, 64; bar.sync 1, 64;  C: bar.sync 1, 64;"},
    {"blocks-not-resident", RuleGrade::Fault, "CUDA C++ Programming Guide: grid synchronization",
     "blocks poll what only blocks do that have no room to start",
     "each of 300 blocks of 1024 threads: red.add [n], 1; L: ld.acquire r, [n]; @r!=300 bra L;"},
    {"copy-not-awaited", RuleGrade::Fault, "Completion mechanisms for asynchronous copy operations",
     "memory is used before the wait for the copy that writes it",
     "A: cp.async.bulk [s], [g], [bar];  B: ld.shared.b32 r, [s];"},
    {"overwritten-in-flight", RuleGrade::Fault, "cp.async.bulk.wait_group (.read), wgmma.wait_group",
     "memory is written that an operation in flight still reads",
     "A: cp.async.bulk.global [g], [s];  A: st.shared.b32 [s], 1;"},
    {"unawaited-store", RuleGrade::Hazard, "cp.async.bulk.wait_group",
     "a copy uses global memory that a store of the same thread writes, of which only the read has been awaited",
     "A: cp.async.bulk.global [g], [s]; cp.async.bulk.wait_group.read 0;  A: cp.async.bulk.shared [s], [g];"},
    {"unfinished-copy", RuleGrade::Hazard, "Completion mechanisms for asynchronous copy operations",
     "a block ends while a copy still uses its shared memory",
     "A: cp.async.bulk.global [g], [s];  A: exit;"},
    {"row-end", RuleGrade::Note, "cp.async.bulk.tensor",
     "a store of TMA goes on past the end of rows that are no multiple of 16 bytes",
     "A: cp.async.bulk.tensor.2d.global [rows of 20 bytes], [s];"},
    {"word-end", RuleGrade::Hazard, "CUDA C++ Programming Guide: device memory accesses",
     "a word of which the array has the first bytes alone is loaded",
     "A: ld.global.b32 r, [x + 4]; (x has 6 bytes)"},
    {"missing-proxy-fence", RuleGrade::Fault, "Async proxy",
     "threads write shared memory, and a copy or a tensor core reads it without fence.proxy.async",
     "A: st.shared.b32 [s], 1;  A: cp.async.bulk.global [g], [s];"},
    {"unfenced-overwrite", RuleGrade::Hazard, "Async proxy",
     "threads read shared memory, meet at a barrier, and a copy overwrites it",
     "A: ld.shared.b32 r, [s]; bar.sync 0;  B: bar.sync 0; cp.async.bulk [s], [g];"},
    {"unfenced-cp-async", RuleGrade::Hazard, "Async proxy",
     "the tensor core reads what cp.async filled, without fence.proxy.async",
     "A: cp.async [s], [g]; cp.async.wait_group 0;  A: wgmma [s];"},
    {"narrow-scope", RuleGrade::Hazard, "Morally strong operations",
     "what orders uses by two blocks of a cluster has the scope of one block",
     "A: ld.shared::cluster r, [of B]; mbarrier.arrive.shared::cluster _, [of B];  B, after its wait: st.shared.b32 [s], 1;"},
    {"unfinished-mma", RuleGrade::Hazard, "tcgen05.dealloc",
     "a block gives up tensor memory, or an mbarrier, that an operation of the tensor core still uses",
     "A: tcgen05.mma [d], …;  A: tcgen05.dealloc d, 32; exit;"},
    {"partial-setmaxnreg", RuleGrade::Hazard, "setmaxnreg",
     "some warps of a warpgroup give registers back, and the others end",
     "A: setmaxnreg.dec 40;  B: exit;"},
    {"unfenced-acquire", RuleGrade::Hazard, "Release and acquire patterns",
     "what another block published is used after a relaxed read of its flag, without a fence after that",
     "A: st.global.b32 [x], 1; fence.acq_rel.gpu; red.global.add [f], 1;  B: atom.global.add r, [f], 1; ld.global.b32 q, [x];"},
    {"unfenced-alias", RuleGrade::Hazard, "Proxies",
     "memory is used by its address and by a multicast object's without fence.proxy.alias",
     "A: multimem.st [m], 1;  A: ld.global.b32 r, [x];"},
    {"warpgroup-order", RuleGrade::Hazard, "wgmma.fence",
     "a wgmma reads what another warp of its warpgroup wrote and fenced, or copied, without a barrier",
     "A: st.shared.b32 [s], 1; fence.proxy.async;  B: wgmma [s];"},
    {"partial-barrier", RuleGrade::Hazard, "barrier: .aligned",
     "lanes that have ended are missing at a bar.sync of their warp",
     "A: ret;  B, of the same warp: bar.sync 0;"},
    {"warp-synchronous", RuleGrade::Hazard, "bar.warp.sync",
     "two lanes of a warp exchange data with no order but that lanes execute in step",
     "A: st.shared.b32 [s], 1;  B, of the same warp: ld.shared.b32 r, [s];"},
    {"tmem-allocation-order", RuleGrade::Hazard, "tcgen05.alloc",
     "a block allocates more columns than before",
     "A: tcgen05.alloc [s], 32;  A: tcgen05.alloc [t], 64;"},
    {"wgmma-in-flight", RuleGrade::Fault, "wgmma.wait_group",
     "registers of a wgmma are used before its wait",
     "A: wgmma {d}, …; wgmma.commit_group;  A: add.f32 e, d, 1;"},
    {"copied-in-flight", RuleGrade::Hazard, "wgmma.wait_group",
     "registers of a wgmma are copied before its wait",
     "A: wgmma {d}, …; wgmma.commit_group;  A: mov.b32 e, d;"},
    {"replaced-in-flight", RuleGrade::Hazard, "wgmma.wait_group",
     "registers that a wgmma reads get other values before its wait",
     "A: wgmma {d}, {a}, …; wgmma.commit_group;  A: ld.shared.b32 a, [s];"},
    {"early-end", RuleGrade::Fault, "CUDA C++ Programming Guide: distributed shared memory",
     "a block may end while another one of its cluster uses its shared memory",
     "A: ld.shared::cluster.b32 r, [of B];  B: exit;"},
    {"missing-wgmma-fence", RuleGrade::Fault, "wgmma.fence",
     "registers of a wgmma were written without wgmma.fence since",
     "A: add.f32 d, d, 1;  A: wgmma {d}, …;"},
    {"unfenced-constant", RuleGrade::Hazard, "wgmma.fence",
     "registers of a wgmma hold constants, without wgmma.fence since",
     "A: mov.f32 d, 0;  A: wgmma {d}, …;"},
    {"mbarrier-initialised-twice", RuleGrade::Hazard, "mbarrier.init",
     "mbarrier.init of what is an mbarrier",
     "A: mbarrier.init [b], 1;  A: mbarrier.init [b], 1;"},
    {"mbarrier-parity", RuleGrade::Hazard, "mbarrier.test_wait",
     "a wait for a parity other than 0 and 1",
     "A: mbarrier.try_wait.parity p, [b], 2;"},
    {"mbarrier-reused", RuleGrade::Hazard, "mbarrier.inval",
     "memory of an mbarrier is written before it is invalidated",
     "A: mbarrier.init [b], 1; …  A: st.shared.b32 [b], 1;"},
    {"unfenced-mbarrier-init", RuleGrade::Hazard, "Async proxy",
     "a copy signals an mbarrier that another warp initialised without a fence",
     "A: mbarrier.init [b], 1; bar.sync 0;  B: bar.sync 0; cp.async.bulk [s], [x], n, [b];"},
    {"generic-shared-address", RuleGrade::Hazard, "Generic addressing",
     "a generic address where the operand is in .shared",
     "A: cvta.shared.u64 g, s;  A: st.shared.b32 [g], 1;"},
    {"missing-tensormap-fence", RuleGrade::Fault, "membar, fence",
     "a copy uses a descriptor that the kernel wrote, without its release, its acquire, or an order between them",
     "A: st.global [map], …;  A: cp.async.bulk.tensor [s], [map, {…}], [b];"},
    {"register-pool", RuleGrade::Fault, "setmaxnreg",
     "a warpgroup asks for registers that no warp can give back, or only some of its warps ask",
     "A: setmaxnreg.inc 240;  B: setmaxnreg.inc 240;"},
    {"tcgen05-pair", RuleGrade::Fault, "tcgen05: issue granularity",
     "a pair of blocks allocates unlike, or gives back before the blocks have met",
     "A: tcgen05.alloc.cta_group::2; tcgen05.dealloc.cta_group::2;  B: the same"},
    {"uninitialised-shared", RuleGrade::Fault, "State spaces",
     "shared memory is read that was never written; a note where no result depends on it",
     "A: ld.shared.b32 r, [s];  A: st.global.b32 [x], r;"},
    {"outside-lane", RuleGrade::Fault, "shfl.sync",
     "a shuffle takes the value of a lane that is not in its member mask",
     "A: shfl.sync.idx.b32 r, q, 1, 31, 1;"},
    {"mma-not-awaited", RuleGrade::Fault, "tcgen05.commit",
     "tensor memory is used before the commit of what writes it has been awaited",
     "A: tcgen05.mma [d], …; tcgen05.commit [b];  A: tcgen05.ld r, [d];"},
    {"tmem-load-in-flight", RuleGrade::Fault, "tcgen05.wait",
     "tensor memory is written before tcgen05.wait::ld",
     "A: tcgen05.ld r, [t];  A: tcgen05.st [t], q;"},
    {"tmem-store-in-flight", RuleGrade::Fault, "tcgen05.wait",
     "tensor memory is used before tcgen05.wait::st",
     "A: tcgen05.st [t], q;  A: tcgen05.ld r, [t];"},
    {"tmem-overwritten-in-flight", RuleGrade::Fault, "tcgen05: memory consistency model",
     "tensor memory is written while an operation uses it",
     "A: tcgen05.mma [d], [t], …;  A: tcgen05.st [t], q;"},
    {"tmem-freed-in-flight", RuleGrade::Fault, "tcgen05.dealloc",
     "tensor memory is given back while an operation uses it",
     "A: tcgen05.mma [d], …;  A: tcgen05.dealloc d, 32;"},
    {"unawaited-tmem-load", RuleGrade::Note, "tcgen05: memory consistency model (register dependencies)",
     "tensor memory is given back after a use of what was loaded from it, without tcgen05.wait::ld",
     "A: tcgen05.ld r, [t]; add.u32 q, r, 1;  A: tcgen05.dealloc t, 32;"},
    {"tmem-race", RuleGrade::Fault, "tcgen05: memory consistency model",
     "two uses of tensor memory without an order between them",
     "A: tcgen05.st [t], q; tcgen05.wait::st;  B: tcgen05.ld r, [t];"},
    {"missing-tcgen05-fence", RuleGrade::Fault, "tcgen05.fence",
     "a barrier between tcgen05 operations of two threads without tcgen05.fence",
     "A: tcgen05.st [t], q; tcgen05.wait::st; bar.sync 0;  B: bar.sync 0; tcgen05.ld r, [t];"},
    {"uninitialised-tmem", RuleGrade::Fault, "Tensor Memory Allocation",
     "tensor memory is read that was never written; a note where no result depends on it",
     "A: tcgen05.alloc [s], 32;  A: tcgen05.ld r, [t];"},
    {"equal-write", RuleGrade::OnRequest, "Memory Consistency Model: conflict and data-races",
     "two threads write the same bytes to one place, or one writes what is there and another reads it, without an order",
     "A: st.shared.b32 [x], 1;  B: st.shared.b32 [x], 1;"},
    {"relaxed-in-block", RuleGrade::OnRequest, "Release and acquire patterns",
     "two threads of a block have no order but a relaxed or volatile flag without fences",
     "A: st.shared.b32 [x], 1; st.volatile.shared.b32 [f], 1;  B: L: ld.volatile.shared.b32 r, [f]; @r==0 bra L; ld.shared.b32 q, [x];"},
    {"carried-fence", RuleGrade::OnRequest, "Release and acquire patterns",
     "a fence and the relaxed operation that it is for are of two threads, with a barrier between them",
     "A: st.global.b32 [x], 1; fence.acq_rel.gpu; bar.sync 0;  B: bar.sync 0; red.relaxed.gpu.global.add.u32 [f], 1;"},
    {"relaxed-end", RuleGrade::OnRequest, "barrier.cluster",
     "a relaxed barrier, or an arrival of the scope .cta, is all that keeps a block whose shared memory another one uses",
     "A: ld.shared::cluster.b32 r, [of B]; barrier.cluster.arrive.relaxed; barrier.cluster.wait;  B: the barrier; exit;"},
    {"unwritten-matrix", RuleGrade::OnRequest, "State spaces",
     "ldmatrix reads shared memory that was never written, or that another thread writes, and no instruction uses its registers",
     "A: ldmatrix r, [s]; (r is not used)"},
    {"allocated-address", RuleGrade::OnRequest, "Async proxy",
     "the async proxy uses the word that tcgen05.alloc wrote, without fence.proxy.async",
     "A: tcgen05.alloc [s], 32; bar.sync 0;  B: bar.sync 0; cp.async.bulk [s], [g], [bar];"},
    {"copy-after-mma", RuleGrade::OnRequest, "tcgen05: memory consistency model",
     "tcgen05.cp overwrites what an earlier mma of its thread reads, and no commit has been awaited",
     "A: tcgen05.mma [d], [t], …;  A: tcgen05.cp [t], …;"},
    {"unit-reduction", RuleGrade::OnRequest, "cp.reduce.async.bulk: .relaxed.gpu",
     "copies of two devices reduce into the same bytes",
     "A: cp.reduce.async.bulk.global [x], [s];  B, of another device: cp.reduce.async.bulk.global [x], [s];"},
    {"vector-end", RuleGrade::OnRequest, "Addresses as operands",
     "a vector load ends past the block's shared memory, in registers that no instruction reads",
     "A: ld.shared.v4.b32 {a, b, c, d}, [the last 8 bytes]; (c and d are not used)"},
    {"global-proxy-fence", RuleGrade::OnRequest, "Async proxy",
     "a thread writes global memory, and a TMA or bulk copy of its cluster uses it without fence.proxy.async",
     "A: st.global.b32 [x], 1;  A: cp.async.bulk.shared::cluster.global [s], [x], 16, [bar];"},
});

inline constexpr auto kLeniencies = std::to_array<CheckerLeniency>({
    {"a write of the bytes that are there already races with nothing",
     "whichever write comes last, the bytes are the same: replicated layouts store so", "equal-write"},
    {"a generic read before a copy overwrites it needs a barrier alone",
     "shipping pipelines rely on the delay of TMA", "unfenced-overwrite"},
    {"a copy into `cp.async`'s data needs no proxy fence before the tensor core",
     "Triton before 3.7 leaves it out", "unfenced-cp-async"},
    {"an mbarrier arrival or wait of the scope `.cta` may tell another block that a buffer is free or a copy landed",
     "CUTLASS' and JAX's cluster pipelines do", "narrow-scope"},
    {"a relaxed read of a flag may acquire without a fence, between blocks of one device",
     "CUDA's sample threadFenceReduction does", "unfenced-acquire"},
    {"within a block, relaxed atomics and volatile accesses count as release and acquire",
     "polls of shared flags go without fences, and one multiprocessor runs the block", "relaxed-in-block"},
    {"a fence before a barrier, or a read of a flag before one, counts for whoever passes it",
     "`__threadfence(); __syncthreads();` is in CUDA's own samples", "carried-fence"},
    {"a relaxed barrier or an arrival of any scope may end uses of another block's shared memory",
     "JAX's kernels end so", "relaxed-end"},
    {"a loop may read ahead for a round that never comes", "software pipelines end so", "dead-read"},
    {"a plain load may race where no result depends on it", "loops of atomicCAS() begin so", "racing-read"},
    {"a plain load may race where each of the values serves", "graph algorithms do", "racing-value"},
    {"lanes of a warp may rely on executing in step", "reductions written before Volta do", "warp-synchronous"},
    {"what one lane has observed, or waited for, its warp knows where lanes run together",
     "kernels elect a lane to wait; lanes that run together share one clock, so that no form of the checker can part them", ""},
    {"lanes of a warp whose atomics fall on several words of global memory count as ordered with each other",
     "the marks would cost each atomic of a histogram more than the atomic", ""},
    {"a block may end while a store still reads its shared memory", "kernels of JAX's tests end so", "unfinished-copy"},
    {"a block may end while the tensor core still writes its tensor memory, or signals an mbarrier that is invalidated",
     "Triton gives them back at a kernel's end, whatever is in flight", "unfinished-mma"},
    {"one warp of a warpgroup may give registers back alone", "DeepGEMM's TMA warps do", "partial-setmaxnreg"},
    {"an mbarrier may be initialised twice without `mbarrier.inval`", "Triton's warp specialisation does", "mbarrier-initialised-twice"},
    {"`ldmatrix` may read memory that was never written if no instruction uses its registers", "stores by `stmatrix` begin so", "unwritten-matrix"},
    {"a use of registers that `tcgen05.ld` fills counts as its wait before `tcgen05.dealloc`", "the load is over then; most of JAX's kernels do so", "unawaited-tmem-load"},
    {"a vector load may end past shared memory in registers that no instruction reads", "blocks get their memory in larger units", "vector-end"},
    {"the async proxy may use a word that `tcgen05.alloc` alone wrote without a proxy fence",
     "Triton puts tiles there at once; an operand that was never written is told as that", "allocated-address"},
    {"`tcgen05.cp` may overwrite what an earlier `mma` of its thread reads", "the tensor core runs both in order", "copy-after-mma"},
    {"reductions of asynchronous units are atomic for all devices", "NVLink's are; the ISA does not say", "unit-reduction"},
    {"a grid of more than 4096 clusters that communicate is not followed between them", "the order takes memory for each cluster; a smaller grid of the same kernel is followed", ""},
    {"a copy may use global memory that a thread of its cluster wrote without a proxy fence",
     "what the proxies cache is not modelled", "global-proxy-fence"},
    {"a copy may use global memory that a thread of another cluster wrote without a proxy fence",
     "releases of global memory do not keep which writes a proxy fence came after", ""},
});
// clang-format on

namespace detail {
constexpr auto namesOfRules() {
  std::array<std::string_view, kRules.size()> names;
  for (size_t n = 0; n < names.size(); ++n)
    names[n] = kRules[n].name;
  return names;
}
} // namespace detail

inline constexpr auto kCheckerRules = detail::namesOfRules();

/// Error "no-rule": one of these is no rule's name; it says which may be meant.
Result<void> checkRuleNames(std::span<const std::string> names);

} // namespace lanescope::core
