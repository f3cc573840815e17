// Builtins that compare layouts of any language and translate between them: equal, diff, explain, notation.
#include "layouts/support/Try.h"
#include "repl/explain/ExplainKind.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/layouts/CompareObjects.h"
#include "repl/layouts/LayoutArguments.h"
#include "repl/layouts/LayoutBuiltins.h"

#include "layouts/DefaultArray.h"
#include "layouts/Diff.h"
#include "layouts/Equal.h"
#include "layouts/Explain.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using layouts::Layout;
using layouts::Move;
using layouts::Placement;
using layouts::Shape;

/// The most elements that `diff` lists for each class; the counts always cover all elements.
constexpr size_t kMaxListed = 1024;

struct Both {
  Layout left, right;
  Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Memory memory = layouts::Memory::Registers;
};

/// The layouts of equal(a, b, shape=None, dtype=None, memory=None), both read as layouts/Reading.h says. If the reading
/// is a guess, or if the call names no array and that of a layout is used, a remark says so.
Result<Both> bothLayouts(C &context, const A &args) {
  Both out{.left = LANESCOPE_TRY(layoutArgument(context, args, 0)),
           .right = LANESCOPE_TRY(layoutArgument(context, args, 1)),
           .shape = {}};
  layouts::ReadingRequest request;
  if (args.has(2) && !args[2].value.isNone())
    request.shape = LANESCOPE_TRY(args.shape(2));
  request.memory = LANESCOPE_TRY(memoryArgument(args, 4));
  auto reading = layouts::commonReading(out.left, out.right, request);
  if (!reading)
    return at(args.call, std::move(reading.error()));
  if (!reading->shape)
    return error(
        "arguments", args.call,
        Message(
            "`{function}` needs the shape of the array: neither layout, read as {}, says one; add it, as `(64, 64)`",
            args.function, layouts::name(reading->memory)));
  remarkReading(context, args.call, guessNote(out.left, out.right, *reading));
  out.shape = *reading->shape;
  out.memory = reading->memory;
  out.dtype = layouts::defaultDtype(layouts::ownBitwidth(out.left) ? out.left : out.right);
  if (args.has(3) && !args[3].value.isNone())
    out.dtype = LANESCOPE_TRY(args.dtype(3));
  return out;
}

Result<std::pair<Placement, Placement>> placements(C &context, const A &args, const Both &given) {
  auto placed =
      layouts::commonPlacements(given.left, given.right, given.shape, layouts::bitwidth(given.dtype), given.memory);
  if (!placed)
    return at(args.call, std::move(placed.error()));
  remarkCoverage(context, args[0].span, placed->first);
  remarkCoverage(context, args[1].span, placed->second);
  return placed;
}

Value indices(const std::vector<int32_t> &values) {
  std::vector<Value> out(values.begin(), values.end());
  return Value::list(std::move(out));
}

R equalLayouts(C &context, const A &args) {
  Both given = LANESCOPE_TRY(bothLayouts(context, args));
  auto placed = LANESCOPE_TRY(placements(context, args, given));
  auto result = layouts::equal(placed.first, placed.second);
  if (!result)
    return at(args.call, std::move(result.error()));
  RecordObject::Fields fields = {{"equal", Value(result->exact)},
                                 {"same_owners", Value(result->sameOwners)},
                                 {"memory", Value(layouts::name(result->memory))},
                                 {"shape", Value::shape(given.shape)},
                                 {"differing", Value(result->differing)}};
  if (const auto &example = result->counterexample) {
    fields.emplace_back("element", Value::shape(example->index));
    fields.emplace_back("left", Value(example->left));
    fields.emplace_back("right", Value(example->right));
  }
  if (!result->renaming.empty())
    fields.emplace_back("renaming", indices(result->renaming));
  return Value(std::make_shared<EqualObject>(*std::move(result), std::move(fields)));
}

R diffLayouts(C &context, const A &args) {
  Both given = LANESCOPE_TRY(bothLayouts(context, args));
  auto placed = LANESCOPE_TRY(placements(context, args, given));
  auto result = layouts::diff(placed.first, placed.second);
  if (!result)
    return at(args.call, std::move(result.error()));
  std::vector<Value> kinds, counts;
  RecordObject::Fields lists;
  for (int i = 0; i < layouts::kMoves; ++i) {
    auto move = static_cast<Move>(i);
    if (result->count(move) == 0 && move >= Move::OtherByte)
      continue;
    kinds.emplace_back(layouts::name(move));
    counts.emplace_back(result->count(move));
    if (move == Move::None || result->count(move) == 0)
      continue;
    std::vector<Value> listed;
    for (int64_t element : result->elements(move, kMaxListed))
      listed.push_back(coordinates(element, given.shape));
    std::string name(layouts::name(move));
    std::replace(name.begin(), name.end(), ' ', '_');
    lists.emplace_back(std::move(name), Value::list(std::move(listed)));
  }
  RecordObject::Fields fields = {
      {"counts", Value::dict({{"kind", Value::list(std::move(kinds))}, {"elements", Value::list(std::move(counts))}})}};
  std::vector<std::string> unprinted;
  for (auto &list : lists) {
    unprinted.push_back(list.first);
    fields.push_back(std::move(list));
  }
  return Value(std::make_shared<DiffObject>(*std::move(result), given.left, given.right, given.dtype, std::move(fields),
                                            std::move(unprinted)));
}

R explainLayout(C &context, const A &args) {
  if (const std::string *name = args[0].value.asStr(); name && !args.has(1) && !args.has(2)) {
    auto words = explainKind(*name);
    if (!words)
      return at(args[0].span, std::move(words.error()));
    context.evaluator.print(*words);
    return Value();
  }
  if (!args.has(2) || args[2].value.isNone())
    return error("arguments", args.call,
                 "`explain` of a layout needs `shape` and `index`; `explain(\"race\")` is about a kind of diagnostic");
  LayoutArguments given = LANESCOPE_TRY(layoutArguments(context, args, 0, 1, 3, 4));
  Shape index = LANESCOPE_TRY(indexArgument(args, 2, given.shape));
  auto steps = layouts::explain(given.layout, given.shape, layouts::bitwidth(given.dtype), index, given.memory);
  if (!steps)
    return at(args.has(1) ? args[1].span : args.call, std::move(steps.error()));
  if (auto map = layouts::placement(given.layout, given.shape, layouts::bitwidth(given.dtype), given.memory))
    remarkCoverage(context, args.has(1) ? args[1].span : args.call, *map);
  // Without a type there are no bytes, so the map counts elements.
  const auto *foreign = std::get_if<layouts::Foreign>(&given.layout);
  bool typed = (args.has(3) && !args[3].value.isNone()) || !foreign || (*foreign)->bitwidth();
  if (!typed && given.memory == layouts::Memory::Shared)
    if (auto placed = layouts::placement(given.layout, given.shape, 32, given.memory))
      steps->back().value =
          text("offset ", std::get<layouts::AddressMap>(*placed).offset(layouts::ravelIndex(index, given.shape)),
               " in elements; bytes depend on the dtype");
  std::vector<Value> what, how, value;
  for (const layouts::ExplainStep &step : *steps) {
    what.emplace_back(step.what);
    how.emplace_back(step.how);
    value.emplace_back(step.value);
  }
  return Value::dict({{"step", Value::list(std::move(what))},
                      {"how", Value::list(std::move(how))},
                      {"value", Value::list(std::move(value))}});
}

R printNotation(C &context, const A &args) {
  Layout layout = LANESCOPE_TRY(layoutArgument(context, args, 0));
  std::string language = LANESCOPE_TRY(args.text(1));
  std::optional<Shape> shape;
  std::optional<int> bits;
  if (args.has(2) && !args[2].value.isNone())
    shape = LANESCOPE_TRY(args.shape(2));
  if (args.has(3) && !args[3].value.isNone())
    bits = layouts::bitwidth(LANESCOPE_TRY(args.dtype(3)));
  std::optional<layouts::Memory> memory = LANESCOPE_TRY(memoryArgument(args, 4));
  if (languageOf(layout) != "cute" || !language.starts_with("cute")) // otherwise, the layout's own text is the answer
    if (auto reading = layouts::readingOf(layout, {.shape = shape, .memory = memory}))
      remarkReading(context, args[0].span, guessNote(layout, *reading));
  auto printed = layouts::notation(layout, language, shape, bits, memory);
  if (printed) {
    if (shape) // the printed text describes the map for an array of that shape
      if (auto placed = layouts::placement(layout, *shape, bits.value_or(layouts::kTmemCellBits), memory))
        remarkCoverage(context, args[0].span, *placed);
    return Value(*std::move(printed));
  }
  if (printed.error().front().kind == "layout-language")
    return args.wrongValue(1, printed.error().front().message);
  return at(args.call, std::move(printed.error()));
}

} // namespace

Builtins compareBuiltins() {
  Builtins out = {
      {"equal", "equal(a, b, shape=None, dtype=None, memory=None)",
       "True if two layouts of any languages put every element in the same place, else a counterexample.\n\nIf a text "
       "does not say which memory it is for, `memory` does: \"registers\", \"shared\" or \"tmem\"; without it, or "
       "without a "
       "shape, a note says what was taken.\n\nTrue in "
       "conditions when they do. Attributes: equal, same_owners (the same threads, whatever the register), memory, "
       "differing (how many elements), element, left, right (the first that differs, and where each layout has it), "
       "renaming (when one permutation of registers is all the difference).\n\nequal(WGMMA, "
       "layout(\"((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))\"), (64, 64))",
       equalLayouts},
      {"diff", "diff(a, b, shape=None, dtype=None, memory=None)",
       "The elements whose place differs between two layouts, and by how far.\n\nCounts of unchanged elements, and "
       "of "
       "those that change the register in the same lane, the lane in the same warp, or the warp; shared memory: the "
       "byte. Attributes: counts, same_lane, same_warp, other_warp (the first 1024 elements each).",
       diffLayouts},
      {"explain", "explain(layout, shape=None, index=None, dtype=None, memory=None)",
       "The arithmetic from an element's index to its owner, step by step.\n\nexplain(WGMMA, (64, 64), (9, 2))\n\n"
       "With a text alone: what a kind of diagnostic means and what to do, as `lanescope explain` prints it.\n\n"
       "explain(\"race\")",
       explainLayout},
      {"notation", "notation(layout, language, shape=None, dtype=None, memory=None)",
       text("A layout in another language, for an array of that shape, where the language can say exactly that.\n\n"
            "Languages: ",
            layouts::writableNotations(),
            ". An error says why where there is none.\n\nnotation(WGMMA, \"cute\", (64, 64))"),
       printNotation},
  };
  for (Builtin &builtin : out)
    builtin.group = "layouts";
  return out;
}

} // namespace lanescope::repl
