// tcgen05.ld and tcgen05.st: the lane and the column of tensor memory for each register. PTX ISA, "Data Movement Shape"
// and "Matrix fragments for shape .32x32b" … ".16x32bx2".
//
// The layouts cover four warps, because each warp reaches only its own 32 lanes: warp w reaches the lanes from 32*w on.
// Shapes of 16 lanes use only the lower half of these, so row r of the array is lane 32*(r/16) + r%16.
#include "layouts/fragments/AtomFamilies.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

namespace {

struct MovementShape {
  std::string_view name;
  int64_t rows;      // lanes of one warp
  int64_t columns;   // 32-bit columns, for .x1
  int64_t registers; // for .x1
};
constexpr MovementShape kShapes[] = {
    {"32x32b", 32, 1, 1}, {"16x64b", 16, 2, 1}, {"16x128b", 16, 4, 2}, {"16x256b", 16, 8, 4}, {"16x32bx2", 16, 2, 1}};
constexpr std::string_view kShapeNames = "32x32b 16x64b 16x128b 16x256b 16x32bx2";
constexpr std::string_view kRepeats = "x1 x2 x4 x8 x16 x32 x64 x128";
constexpr int64_t kMaxRegisters = 128;

/// `packed`: the number of columns whose 16-bit halves share a register.
Fragment registersOf(const MovementShape &shape, int64_t repeat, int64_t packed) {
  Fragment out;
  FragmentDigits &threads = out.parts[0], &registers = out.parts[1];
  if (shape.name == "32x32b") {
    threads = {{32, 0, 1}};
  } else if (shape.name == "16x32bx2") {
    // There are two accesses of 16 lanes. The second is immHalfSplitoff columns further on, but the ISA draws it beside
    // the first.
    threads = {{16, 0, 1}, {2, 1, repeat * packed}};
  } else if (shape.name == "16x64b") {
    threads = {{2, 0, 8}, {2, 1, packed}, {8, 0, 1}};
  } else if (shape.name == "16x128b") {
    threads = {{4, 1, packed}, {8, 0, 1}};
    registers = {{2, 0, 8}};
  } else {
    threads = {{4, 1, 2 * packed}, {8, 0, 1}};
    registers = {{2, 1, packed}, {2, 0, 8}};
  }
  threads.push_back({kWarpsPerWarpgroup, 0, shape.rows});
  int64_t step = shape.name == "16x32bx2" ? packed : shape.columns * packed;
  if (repeat > 1)
    registers.push_back({repeat, 1, step});
  if (packed > 1)
    out.parts[2] = {{packed, 1, 1}};
  return out;
}

Fragment cellsOf(const MovementShape &shape, int64_t columns) {
  Fragment out;
  out.memory = Memory::Tmem;
  if (shape.rows == 32)
    out.parts[0] = {{kTmemLanes, 0, 1}};
  else
    out.parts[0] = {{16, 0, 1}, {2, -1, 0, 0}, {kWarpsPerWarpgroup, 0, 16}};
  out.parts[1] = {{columns, 1, 1}};
  return out;
}

} // namespace

Atom readTmemTransfer(Mnemonic &in, bool load) {
  Atom atom;
  atom.instruction = load ? Instruction::TmemLoad : Instruction::TmemStore;
  atom.threads = kThreadsPerWarpgroup;
  std::string instruction = load ? "tcgen05.ld" : "tcgen05.st";
  in.eat("sync");
  in.eat("aligned");
  in.eat("b32");
  std::string_view name = in.eatOneOf(kShapeNames), times = in.eatOneOf(kRepeats);
  std::string packing = load ? "pack::16b" : "unpack::16b";
  bool packs = in.eat(packing);
  if (in.eat("red"))
    in.fail(in.written("red"), "`tcgen05.ld.red` is not supported; its data registers are those of `tcgen05.ld`");
  if (in.eat(load ? "unpack::16b" : "pack::16b"))
    in.fail(in.written(load ? "unpack::16b" : "pack::16b"),
            Message("`{instruction}` takes `{}`", instruction, packing));
  if (name.empty())
    in.lacking(text("the name lacks the shape: ", alternatives(kShapeNames)));
  if (times.empty())
    in.lacking(text("the name lacks the repeat: ", alternatives(kRepeats)));
  if (in.failed())
    return atom;
  const MovementShape *shape = nullptr;
  for (const MovementShape &candidate : kShapes)
    if (candidate.name == name)
      shape = &candidate;
  int64_t repeat = parseInteger<int64_t>(times.substr(1)).value_or(1);
  if (repeat * shape->registers > kMaxRegisters) {
    in.fail(times, Message("`{name}` takes {registers} registers per repeat, at most {limit} times", name,
                           shape->registers, kMaxRegisters / shape->registers));
    return atom;
  }
  int64_t packed = packs ? 2 : 1, columns = shape->columns * repeat * packed;
  Operand registers{.name = "r",
                    .type = packs ? "b16" : "b32",
                    .bits = packs ? 16 : 32,
                    .shape = {shape->rows * kWarpsPerWarpgroup, columns},
                    .doc = {},
                    .fragments = {}};
  registers.doc =
      text("registers ", load ? "loaded" : "stored", "; row r is lane ", shape->rows == 32 ? "r" : "32*(r/16) + r%16",
           " of tensor memory, column c the c-th from the address",
           name == "16x32bx2" ? text(" (from ", columns / 2, " on from that plus immHalfSplitoff)") : std::string());
  registers.fragments = {registersOf(*shape, repeat, packed), cellsOf(*shape, columns)};
  atom.operands.push_back(std::move(registers));
  atom.name = text(instruction, '.', name, '.', times, packs ? text('.', packing) : std::string());
  atom.ptx = text(instruction, ".sync.aligned.", name, '.', times, packs ? text('.', packing) : std::string(), ".b32");
  atom.section = text("Matrix fragments for shape .", name);
  atom.doc = text(load ? "tensor memory to registers" : "registers to tensor memory",
                  ", by each of four warps; x1, x2, … x", kMaxRegisters / shape->registers);
  return atom;
}

std::vector<std::string> tmemNames() {
  std::vector<std::string> out;
  for (std::string_view instruction : {"tcgen05.ld.", "tcgen05.st."})
    for (const MovementShape &shape : kShapes)
      for (bool packs : {false, true})
        out.push_back(text(instruction, shape.name, ".x1",
                           !packs                         ? ""
                           : instruction == "tcgen05.ld." ? ".pack::16b"
                                                          : ".unpack::16b"));
  for (std::string_view mma :
       {"m256n128k16.cta_group::2.f32.f16", "m128n128k16.cta_group::2.f32.f16", "sp.m128n128k32.cta_group::2.f32.f16",
        "m128n128k16.f32.f16", "ws.m64n128k16.f32.f16", "m64n128k16.f32.f16", "ws.m32n128k16.f32.f16",
        "m128n128k16.f16.f16", "m128n128k16.f32.bf16", "m128n128k8.f32.tf32", "m128n128k32.f32.e4m3",
        "m128n128k32.s32.s8", "sp.m128n128k32.f32.f16", "sp.m128n128k16.f32.tf32", "sp.m128n128k64.s32.s8",
        "m128n128k32.kind::mxf8f6f4.f32.e4m3", "m128n128k64.kind::mxf4.f32.e2m1",
        "m128n128k64.kind::mxf4nvf4.f32.e2m1"})
    out.push_back(text("tcgen05.mma.", mma));
  return out;
}

} // namespace lanescope::layouts::families
