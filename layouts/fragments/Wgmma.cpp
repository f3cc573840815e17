// wgmma.mma_async and its sparse form: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
// Each of the four warps holds 16 rows, laid out as mma's; N comes in blocks of 8 columns.
#include "layouts/fragments/Families.h"
#include "layouts/fragments/Operands.h"

#include "layouts/support/Text.h"

namespace lanescope::layouts::families {

namespace {

using operands::MetadataSpread;

constexpr int64_t kRows = 64, kWarps = 4, kMaxColumns = 256;
/// Bits of a dense instruction's K.
constexpr int64_t kDepthBits = 256;

struct Form {
  std::string_view inputs, outputs;
  bool integer; // fewer sizes of N; A and B of one type
  bool hasSparse;
};
constexpr Form kForms[] = {
    {"f16", "f32 f16", false, true}, {"bf16", "f32", false, true},
    {"tf32", "f32", false, true},    {"e4m3 e5m2", "f32 f16", false, true},
    {"s8", "s32", true, true},       {"u8", "s32", true, true},
    {"b1", "s32", true, false},
};

/// PTX ISA, "Matrix Shape": steps of 8; for integers steps of 16 above 32.
bool columnsFit(int64_t n, bool integer) {
  return n >= 8 && n <= kMaxColumns && n % 8 == 0 && (!integer || n <= 32 || n % 16 == 0);
}

MetadataSpread spreadOf(int bits) { return bits == 8 ? MetadataSpread::AllLanes : MetadataSpread::HalvesOfRows; }

} // namespace

Atom readWgmma(Mnemonic &in) {
  Atom atom;
  atom.instruction = Instruction::Wgmma;
  atom.threads = kThreadsPerWarpgroup;
  in.eat("mma_async");
  atom.sparse = in.eat("sp");
  in.eat("sync");
  in.eat("aligned");
  bool saturating = in.eat("satfinite");
  std::string_view bitOperation = in.eatOneOf("and");
  in.eat("popc");
  std::optional<Mnk> shape = in.shape();
  std::vector<std::string_view> types = in.types();
  if (!shape)
    in.lacking("the name lacks the sizes, as in `wgmma.m64n128k16.f32.f16`");
  if (types.empty())
    in.lacking("the types of D, A and B are expected, as in `wgmma.m64n128k16.f32.f16.f16`, or that of A alone");
  if (types.size() > 3)
    in.fail(types[3], text("at most three types are expected (d, a, b), `", types[3], "` is one more"));
  if (in.failed())
    return atom;
  std::string_view a = types[types.size() > 1 ? 1 : 0], b = types.size() > 2 ? types[2] : a,
                   d = types.size() > 1 ? types[0] : std::string_view{};
  const Form *form = nullptr;
  for (const Form &candidate : kForms)
    if (hasWord(candidate.inputs, a) && (!atom.sparse || candidate.hasSparse))
      form = &candidate;
  if (!form) {
    in.fail(a, text("`wgmma", atom.sparse ? ".sp" : "", "` does not multiply `", a, "`; there is ",
                    alternatives(atom.sparse ? "f16 bf16 tf32 e4m3 e5m2 s8 u8" : "f16 bf16 tf32 e4m3 e5m2 s8 u8 b1")));
    return atom;
  }
  if (!hasWord(form->inputs, b))
    in.fail(b, text('`', a, "` and `", b, "` are not multiplied together; B must be ", alternatives(form->inputs)));
  if (!d.empty() && !hasWord(form->outputs, d))
    in.fail(d, text('`', d, "` is no accumulator for `", a, "`; there is ", alternatives(form->outputs)));
  if (saturating && !form->integer)
    in.fail(in.written("satfinite"), text("`satfinite` is for integers, not `", a, '`'));
  if (!bitOperation.empty() && a != "b1")
    in.fail(bitOperation, text('`', bitOperation, "` is for b1, not `", a, '`'));
  if (d.empty())
    d = words(form->outputs).front();
  int bits = typeBits(a);
  int64_t depth = kDepthBits / bits * (atom.sparse ? 2 : 1);
  if (shape->k == 0)
    shape->k = depth;
  std::string size = shapeText(*shape);
  if (shape->m != kRows || shape->k != depth || !columnsFit(shape->n, form->integer))
    in.fail(in.written(size),
            text('`', size, "` is no shape of `wgmma", atom.sparse ? ".sp" : "", "` with `", a, "`; there is `m64nNk",
                 depth, "` with N a multiple of 8 up to 256", form->integer ? ", of 16 above 32" : ""));
  if (in.failed())
    return atom;
  atom.m = shape->m, atom.n = shape->n, atom.k = shape->k;

  int64_t stored = atom.sparse ? atom.k / 2 : atom.k;
  atom.operands.push_back({"a",
                           std::string(a),
                           bits,
                           {atom.m, stored},
                           "left multiplicand from registers; from shared memory a descriptor places it",
                           {operands::multiplicandA(atom.m, stored, bits, kWarps)}});
  atom.operands.push_back({"b", std::string(b), bits, {atom.k, atom.n}, "right multiplicand, in shared memory", {}});
  atom.operands.push_back({"d",
                           std::string(d),
                           typeBits(d),
                           {atom.m, atom.n},
                           "accumulator: summand and result",
                           {operands::accumulator(atom.m, atom.n, typeBits(d), kWarps)}});
  std::string selectors;
  if (atom.sparse) {
    int64_t selector = in.number("selector", operands::selectorChoices(spreadOf(bits)));
    if (selector != 0)
      selectors = text(".selector::", selector);
    atom.operands.push_back(
        operands::metadata(atom.m, atom.k / 2, bits == 32 ? 4 : 2, spreadOf(bits), selector, kWarps));
  }
  atom.name = text(atom.sparse ? "wgmma.sp." : "wgmma.", size, '.', d, '.', a, a == b ? std::string() : text('.', b),
                   selectors);
  atom.ptx = text("wgmma.mma_async.", atom.sparse ? "sp." : "", "sync.aligned.", size, '.', d, '.', a, '.', b,
                  a == "b1" ? ".and.popc" : "");
  int64_t sectionDepth = atom.k;
  atom.section = text("Matrix Fragments for ", atom.sparse ? "sparse " : "", "wgmma.mma_async.m64nNk", sectionDepth);
  atom.doc = text("D = A*B + D by a warpgroup", atom.sparse ? ", half of A's elements zero" : "", "; n = 8, 16, … 256",
                  form->integer ? " (steps of 16 above 32)" : "");
  return atom;
}

std::vector<std::string> wgmmaNames() {
  std::vector<std::string> out;
  for (bool sparse : {false, true})
    for (const Form &form : kForms)
      if (!sparse || form.hasSparse)
        for (std::string_view input : words(form.inputs))
          for (std::string_view output : words(form.outputs))
            out.push_back(text(sparse ? "wgmma.sp.m64n64k" : "wgmma.m64n64k",
                               kDepthBits / typeBits(input) * (sparse ? 2 : 1), '.', output, '.', input));
  return out;
}

} // namespace lanescope::layouts::families
