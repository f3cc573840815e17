#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kEmulatorRows = std::to_array<KindEntry>({
    kind("global-out-of-bounds", "an access outside of the buffers in global memory",
         "Guard the access with the size, as in `if (i < n)`; the note names the buffer that is nearest.")
        .ptx("ld.global.b32 %r1, [%d51 + 128];",
              "`ld.global.b32` reads 4 bytes at byte 128 of buffer 1 (u32[32]), which has 128 bytes"),
    kind("shared-out-of-bounds", "an access outside of shared memory",
         "Ask for more dynamic shared memory in the launch, or correct the index.")
        .ptx("mov.u32 %r0, 4096;\nld.shared.b32 %r1, [%r0];",
              "`ld.shared.b32` reads 4 bytes at shared address 4096, outside the block's 0 bytes of shared memory"),
    kind("texture-object", "a texture or surface instruction gets a handle that names no such object",
         "Pass the handle of `cuTexObjectCreate` or `cuSurfObjectCreate`, while its object exists.")
        .ptx("tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%d50, {%r0}];",
              "`tex.1d.v4.u32.s32` needs a texture object, and this is byte 0 of buffer 0 (u32[32])"),
    kind("local-out-of-bounds", "an access outside of a thread's local memory",
         "Correct the index into the local array."),
    kind("param-out-of-bounds", "an access outside of the kernel's parameters, or a write to them",
         "Parameters are constant: copy one to a register first."),
    kind("read-only-memory", "a write to the collective metadata that the launch gives a kernel",
         "Do not write there."),
    kind("misaligned-access", "an address is no multiple of the size of the access",
         "Align the buffer, or use a narrower access.")
        .ptx("ld.global.b32 %r1, [%d50 + 2];",
              "`ld.global.b32` at byte 2 of buffer 0 (u32[32]), which is not a multiple of 4"),
    kind("ptx-syntax", "PTX that cannot be read",
         "The mark shows the first word that does not fit the grammar of the PTX ISA.")
        .ptx("mov.u32 %r1 0;",
              "expected `;` after `mov.u32`"),
    kind("ptx-operand", "an instruction does not take that operand or modifier",
         "The PTX ISA's section of the instruction lists its forms.")
        .ptx("add.s32 %r1, %r2;",
              "`add.s32` has 2 operands; expected 3"),
    kind("unknown-instruction", "the emulator does not know that instruction",
         "docs/ptx.md lists the instructions that it knows.")
        .ptx("nothing.b32 %r1, %r2;",
              "unknown instruction `nothing.b32`: the emulator does not run it"),
    kind("branch", "a branch through a table goes beyond its end",
         "Guard the index before `brx.idx`."),
    kind("bad-call", "an indirect call of an address that is not a function, or with other parameters",
         "The prototype of the call has to be that of the function."),
    kind("stack-overflow", "a thread's frames and `alloca` take more local memory than a thread may have",
         "End the recursion earlier, or use smaller local arrays."),
    kind("trap", "`trap` was executed",
         "The kernel itself stops so; look at the condition of the branch to it.")
        .ptx("trap;",
              "the kernel stopped itself with `trap`"),
    kind("kernel-assertion", "an assertion of the kernel failed (`__assertfail`)",
         "The message has its text and line."),
    kind("divergent-instruction", "only a part of a warp or warpgroup executes an instruction that the whole has to execute, or a lane of a member mask does not take part",
         "Move the instruction out of the branch. The lanes of a mask may execute it at several places with the same qualifiers.")
        .ptx(".reg .pred p;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 p, %r1, 16;\n@p barrier.sync.aligned 0;",
              "`barrier.sync.aligned` must be executed by all 32 live lanes of the warp, but only 16 execute it"),
    kind("barrier", "a barrier's number, or its count of threads, is out of range",
         "Numbers go from 0 to 15; the count is a multiple of 32 and no more than the block's threads.")
        .ptx("barrier.sync 16;",
              "barrier 16 does not exist; a block has barriers 0 to 15"),
    kind("mbarrier", "an mbarrier is used in a way that its rules do not allow",
         "Initialise it once, let as many arrivals come as its count says, and wait with the parity of the phase.")
        .ptx(".shared .align 8 .b64 m;\nmbarrier.init.shared.b64 [m], 0;",
              "the mbarrier is for 0 arrivals; it takes 1 to 1048575"),
    kind("cluster", "an access to another block of the cluster breaks a rule of the PTX ISA",
         "Ranks go from 0 to the cluster's size less one."),
    kind("multicast", "an instruction other than `multimem` or a TMA store uses the address of a multicast object, or `multimem` uses another address",
         "Use the object's address for `multimem`, and the device's own address for all other instructions."),
    kind("launch-response", "a cluster reads the response of `clusterlaunchcontrol.try_cancel` before it has arrived, or asks again after a refusal",
         "Wait for the response's mbarrier first; stop after a refusal."),
    kind("bulk-copy", "operands of a bulk copy are wrong",
         "Addresses and sizes are multiples of 16 bytes."),
    kind("cp-async", "a `cp.async` reads more bytes than it writes",
         "Its source size is at most its copy size."),
    kind("wgmma", "operands of a `wgmma` are wrong",
         "The message says what the operand has to be."),
    kind("wgmma-descriptor", "the shared-memory descriptor of a `wgmma` is wrong",
         "Its address is a multiple of 16 bytes, and its swizzle that of the tile."),
    kind("sparsity-metadata", "the metadata of a sparse `mma` or `wgmma` do not choose two of four elements",
         "Choose two of each four elements, in rising order."),
    kind("scale-selector", "the registers of a selector `{byte-id, thread-id}` of an `mma` with block scales select no scale",
         "Give all lanes one value; the message says which values there are."),
    kind("tcgen05-instruction", "the instruction descriptor of a `tcgen05.mma` describes no instruction",
         "The message names the field of the descriptor."),
    kind("tcgen05-operand", "operands of `tcgen05.mma`, `.cp` or `.shift` are wrong: descriptors, lanes, columns, or the values of scales and metadata",
         "The message names the operand and what it has to be."),
    kind("tmem-out-of-bounds", "an access outside of tensor memory, or of columns that are not allocated",
         "Allocate the columns that the access reaches."),
    kind("tmem-after-free", "an access of columns that have been given back",
         "Move `tcgen05.dealloc` after the last use."),
    kind("tmem-quarter", "a warp accesses lanes that only another warp of its warpgroup can access",
         "Warp w of a warpgroup can access the lanes 32 w to 32 w + 31."),
    kind("tmem-address", "an address in tensor memory, or a number of columns, differs within a warp; or no access begins at that lane",
         "Compute the address from what the whole warp shares."),
    kind("tmem-allocation", "a number of columns that cannot be allocated",
         "Allocate a power of two from 32 to 512."),
    kind("tmem-permit", "an allocation after the right to allocate was given up",
         "Allocate before `tcgen05.relinquish_alloc_permit`."),
    kind("tmem-leak", "columns are not given back before the block ends",
         "Give them back with `tcgen05.dealloc`, in a warp that is there to the end."),
    kind("tmem-deallocation", "columns are given back that were not allocated in that way",
         "Give back the address and the number that were allocated."),
    kind("deadlock", "every thread that is left waits",
         "The notes say what each warp waits for: an arrival is missing, or two warps wait for each other.")
        .ptx(".shared .align 8 .b64 m;\nmbarrier.init.shared.b64 [m], 1;\nL: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0;\n@!%p1 bra L;",
              "deadlock in block (0, 0, 0): every warp that is left waits, and nothing is in flight"),
    kind("endless-loop", "an endless loop: no warp will change what it waits for",
         "The loop polls what no other thread will write.")
        .ptx("L: bra L;",
              "endless loop in block (0, 0, 0): every warp that is left waits or does the same for ever"),
    kind("coverage-never-reached", "code that no run has reached",
         "Run with sizes or arguments that lead there (docs/checks.md).")
        .severities("note"),
    kind("coverage-never-waited", "a wait that never had to wait in any run",
         "Try more schedules, with `--adversaries`.")
        .severities("note"),
    kind("coverage-never-reused", "a buffer that no run used a second time",
         "Run with more rounds of the loop.")
        .severities("note"),
    kind("coverage-one-parity", "a wait that saw only one parity in all runs",
         "Run with more rounds of the loop.")
        .severities("note"),
    kind("coverage-one-round", "a loop that never went round a second time",
         "Run with a larger size.")
        .severities("note"),
    kind("coverage-one-way", "a branch that went one way only",
         "Run with sizes or arguments that take the other way.")
        .severities("note"),
    kind("coverage-stages", "no run used all stages of a pipeline",
         "Run with more rounds of the loop.")
        .severities("note"),
    kind("coverage-late-untried", "a place where one warp may come late, and no run tried it",
         "Give the check more time.")
        .severities("note"),
    kind("coverage-late-breaks", "a place where the kernel breaks if one warp comes late",
         "Look at the finding of that schedule.")
        .severities("note"),
    kind("lane-race", "a race between lanes of one warp, before a replay gives it another kind",
         "No result has this kind.")
        .unseen(),
    kind("verified-guess", "a racing load that `atom.cas` verifies, before the replays are done",
         "No result has this kind.")
        .unseen(),
});
// clang-format on

} // namespace

KindArea emulatorKinds() { return {"The emulator: PTX and what it may do", kEmulatorRows}; }

} // namespace lanescope
