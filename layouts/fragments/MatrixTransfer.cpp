// ldmatrix and stmatrix: PTX ISA, "Warp-level matrix load instruction: ldmatrix" and "… store instruction: stmatrix".
//
// The array is the data in shared memory, row above row: lane r's address points to row r. The operand "p" gives the
// lane that provides the address of each row. The operand "r" gives the thread and register that hold each element.
#include "layouts/fragments/AtomFamilies.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

namespace {

constexpr std::string_view kRepeats = "x1 x2 x4";
constexpr std::string_view kNarrowFormats = "b6x16_p32 b4x16_p64";

struct MatrixShape {
  std::string_view name;
  int64_t rows, columns; // the sizes of one matrix in shared memory
  int bits;
  std::string_view repeats;
  enum { Optional, Always, Never } transposed;
};
constexpr MatrixShape kLoads[] = {{"m8n8", 8, 8, 16, "x1 x2 x4", MatrixShape::Optional},
                                  {"m16n16", 16, 16, 8, "x1 x2", MatrixShape::Always},
                                  {"m8n16", 8, 16, 8, "x1 x2 x4", MatrixShape::Never}};
constexpr MatrixShape kStores[] = {{"m8n8", 8, 8, 16, "x1 x2 x4", MatrixShape::Optional},
                                   // 16 x 8 in registers; each row in shared memory is one of its columns.
                                   {"m16n8", 8, 16, 8, "x1 x2 x4", MatrixShape::Always}};

Fragment registersOf(const MatrixShape &shape, bool transposed, int64_t count) {
  Fragment out;
  FragmentDigits &threads = out.parts[0], &registers = out.parts[1], &positions = out.parts[2];
  int64_t v = 32 / shape.bits;
  if (!transposed) {
    threads = {{4, 1, v}, {8, 0, 1}};
    positions = {{v, 1, 1}};
  } else if (shape.name == "m16n8") {
    // The lower half of each register belongs to the first eight rows in registers, the upper half to the others.
    threads = {{4, 0, 2}, {8, 1, 1}};
    positions = {{2, 0, 1}, {2, 1, 8}};
  } else {
    threads = {{4, 0, v}, {8, 1, 1}};
    positions = {{v, 0, 1}};
  }
  if (shape.name == "m16n16")
    registers = {{2, 1, 8}};
  if (count > 1)
    registers.push_back({count, 0, shape.rows});
  return out;
}

Fragment addressesOf(int64_t rows) {
  Fragment out;
  out.parts[0] = {{rows, 0, 1}};
  if (rows < kLanesPerWarp)
    out.parts[0].push_back({kLanesPerWarp / rows, -1, 0, 0});
  return out;
}

} // namespace

Atom readMatrixTransfer(Mnemonic &in, bool load) {
  Atom atom;
  atom.instruction = load ? Instruction::LoadMatrix : Instruction::StoreMatrix;
  std::string instruction = load ? "ldmatrix" : "stmatrix";
  in.eat("sync");
  in.eat("aligned");
  in.eatOneOf("shared shared::cta");
  bool transposed = in.eat("trans");
  std::string_view times = in.eatOneOf(kRepeats), element = in.eatOneOf("b16 b8"), format = in.eatOneOf(kNarrowFormats);
  in.eat("b8x16");
  std::string_view name = in.eatOneOf(load ? "m8n8 m16n16 m8n16" : "m8n8 m16n8");
  const MatrixShape *shape = nullptr;
  for (const MatrixShape &candidate :
       load ? std::span<const MatrixShape>(kLoads) : std::span<const MatrixShape>(kStores))
    if (candidate.name == (name.empty() ? std::string_view("m8n8") : name))
      shape = &candidate;
  if (times.empty()) {
    in.lacking(text("the name lacks the number of matrices: ", alternatives(shape->repeats)));
    return atom;
  }
  if (!hasWord(shape->repeats, times))
    in.fail(times, Message("`{}.{}` has {}, not `{}`", instruction, shape->name, alternatives(shape->repeats), times));
  if (shape->transposed == MatrixShape::Always && !transposed)
    in.fail(name, Message("`{}.{}` is always transposed: add `.trans`", instruction, shape->name));
  if (shape->transposed == MatrixShape::Never && transposed)
    in.fail(in.written("trans"), Message("`{}.{}` is never transposed: leave `.trans` out", instruction, shape->name));
  std::string_view ownElement = shape->bits == 16 ? "b16" : "b8";
  if (!element.empty() && element != ownElement)
    in.fail(element, Message("`{}.{}` moves `{}`, not `{}`", instruction, shape->name, ownElement, element));
  if (!format.empty() && (!load || shape->bits == 16))
    in.fail(format, Message("`{}` is for `ldmatrix` of `m16n16` and `m8n16`", format));
  if (shape->name == "m8n16" && format.empty())
    in.fail(name, Message("`ldmatrix.m8n16` needs the format of its source: {}", alternatives(kNarrowFormats)));
  if (in.failed())
    return atom;
  int64_t count = times[1] - '0', rows = shape->rows * count;
  std::string elementText = format.empty() ? std::string(ownElement) : text("b8x16.", format);
  Operand registers{.name = "r",
                    .type = format.empty() ? std::string(ownElement) : std::string(format.substr(0, 2)),
                    .bits = shape->bits,
                    .shape = {rows, shape->columns},
                    .doc = {},
                    .fragments = {registersOf(*shape, transposed, count)}};
  registers.doc = text("registers ", load ? "loaded" : "stored", "; row r of the array is at the address of lane r");
  Operand addresses{
      .name = "p", .type = "u32", .bits = 32, .shape = {rows}, .doc = {}, .fragments = {addressesOf(rows)}};
  addresses.doc =
      text("addresses of the array's rows, 16 bytes each", rows < kLanesPerWarp ? "; further lanes' are not used" : "");
  atom.operands = {std::move(registers), std::move(addresses)};
  std::string trans = transposed ? ".trans" : "";
  atom.name = shape->name == "m8n8" ? text(instruction, '.', times, trans)
                                    : text(instruction, '.', shape->name, '.', times, trans, '.', elementText);
  atom.ptx = text(instruction, ".sync.aligned.", shape->name, '.', times, trans, ".shared::cta.", elementText);
  atom.section = text("Warp-level matrix ", load ? "load" : "store", " instruction: ", instruction);
  atom.doc = text(load ? "matrices from shared memory to registers" : "matrices from registers to shared memory",
                  transposed ? ", transposed" : "");
  return atom;
}

std::vector<std::string> matrixNames() {
  std::vector<std::string> out;
  for (bool load : {true, false})
    for (const MatrixShape &shape : load ? std::span<const MatrixShape>(kLoads) : std::span<const MatrixShape>(kStores))
      for (std::string_view times : words(shape.repeats))
        for (bool transposed : {false, true}) {
          if (transposed ? shape.transposed == MatrixShape::Never : shape.transposed == MatrixShape::Always)
            continue;
          std::string stem = text(load ? "ldmatrix." : "stmatrix.", shape.name, '.', times, transposed ? ".trans" : "");
          if (shape.name != "m8n16")
            out.push_back(stem + (shape.bits == 16 ? ".b16" : ".b8"));
          if (load && shape.bits == 8)
            for (std::string_view format : words(kNarrowFormats))
              out.push_back(text(stem, ".b8x16.", format));
        }
  return out;
}

} // namespace lanescope::layouts::families
