#include "repl/session/Show.h"

#include "layouts/Catalogue.h"
#include "layouts/DefaultArray.h"
#include "layouts/notation/Find.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/tpu/TiledMemoryLayout.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/LayoutArgument.h"
#include "repl/lang/values/LayoutObjects.h"
#include "repl/layouts/LayoutArguments.h"
#include "repl/session/ShowArguments.h"
#include "repl/session/ShowKernels.h"
#include "viz/scene/TraceScene.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

using namespace show;

constexpr std::string_view kSignature =
    "show(x, shape=None, dtype=None, *, view=\"auto\", color=None, tiling=None, swizzle=None, transpose=False, "
    "against=None, slice=None, memory=None)";
constexpr std::string_view kDoc =
    "Draws a layout, a map, a kernel's result or its trace; writes any other value as the REPL does.\n"
    "\n"
    "show(WGMMA)                                   a layout, at a small shape that fits it\n"
    "show(WGMMA, (64, 32), color=\"lane\")           color: warp, lane, register, vector or bank\n"
    "show(WGMMA, view=\"lanes\")                     what each thread holds; view: grid, lanes, tmem, smem or f2\n"
    "show(WGMMA, view=\"diff\", against=WGMMA_8BIT)  how far each element is from its place in another layout; or "
    "flow\n"
    "show(L, (2, 64, 64), slice=(1,))              the array at leading index 1\n"
    "show(\"(8,4):(4,1)\")                           a layout's text in any notation, or a text that holds some\n"
    "show(\"(8,4):(4,1)\", memory=\"registers\")       how to read a text that does not say it: registers\n"
    "                                              (thread, value), shared or tmem; a note says what was taken\n"
    "show(tmem_default_layout(), (128, 16))        tensor memory: lanes by columns\n"
    "show(smem_map((8, 64), f16))                  shared memory, swizzled; color: chunk, row or column\n"
    "show(WGMMA, (64, 64), f16, view=\"smem\", tiling=(8, 64), swizzle=128)   the same, coloured by the warps of a "
    "layout\n"
    "show(sharded(WGMMA, {\"x\": 2}, (\"x\", None)), (128, 64))    an array on two devices\n"
    "show(kernel, view=\"tmem\")                    what a kernel declares in tensor memory, and where it lies\n"
    "show(result.trace)                            a timeline and its summary\n"
    "show(open_dump(\"dumps/k_7\"))                 a kernel that JAX dumped, its layouts and what they cost";

/// The place for an error of a picture: the shape argument if there is one, else the layout.
Span placeOf(const BoundArguments &args) { return given(args, kShape) ? args[kShape].span : args[kWhat].span; }

/// Reads the options for pictures of shared memory. They apply to an array alone, or to an array with a layout.
Result<ShownView> smemArguments(const BoundArguments &args, ShownView shown) {
  viz::ViewSpec &spec = shown.spec;
  spec.view = viz::View::Smem;
  if (given(args, kShape))
    spec.shape = LANESCOPE_TRY(args.shape(kShape));
  if (given(args, kDtype))
    spec.dtype = LANESCOPE_TRY(args.dtype(kDtype));
  if (given(args, kTiling))
    spec.tiling = LANESCOPE_TRY(args.shape(kTiling));
  if (given(args, kSwizzle)) {
    int64_t swizzle = LANESCOPE_TRY(args.integer(kSwizzle));
    if (swizzle != 0 && swizzle != 16 && swizzle != 32 && swizzle != 64 && swizzle != 128)
      return args.wrongValue(kSwizzle, Message("a swizzle spans 32, 64 or 128 bytes, or 16 for none, not {}", swizzle));
    spec.swizzle = static_cast<int>(swizzle);
  }
  spec.transpose = LANESCOPE_TRY(args.booleanOr(kTranspose, spec.transpose));
  using enum viz::SmemColour;
  spec.smemColour =
      LANESCOPE_TRY(named(args, kColor, viz::smemColourNamed, shown.layout ? Warp : Chunk, {Chunk, Row, Column, Warp}));
  if (spec.smemColour == Warp && !shown.layout)
    return args.wrongValue(kColor, "only a layout has warps: `show(layout, shape, dtype, view=\"smem\", …)`");
  return shown;
}

Result<ShownView> layoutArguments(Context &context, const BoundArguments &args, ShownView shown) {
  viz::ViewSpec &spec = shown.spec;
  if (given(args, kShape))
    spec.shape = LANESCOPE_TRY(args.shape(kShape));
  if (given(args, kMemory))
    spec.memory = LANESCOPE_TRY(memoryArgument(args, kMemory));
  if (given(args, kDtype))
    spec.dtype = LANESCOPE_TRY(args.dtype(kDtype));
  using enum viz::View;
  spec.view = LANESCOPE_TRY(named(args, kView, viz::viewNamed, Auto, viz::allViews()));
  if (given(args, kSlice))
    spec.slice = LANESCOPE_TRY(args.shape(kSlice));
  auto picture = viz::readPicture(std::move(spec), *shown.layout, layouts::ReadingSwitch::Argument);
  if (!picture)
    return at(args[given(args, kMemory) ? kMemory : kWhat].span, std::move(picture.error()));
  remarkReading(context, args[kWhat].span, picture->note);
  spec = std::move(picture->spec);
  if (given(args, kAgainst)) {
    Layout against = LANESCOPE_TRY(layoutArgument(context, args, kAgainst));
    if (spec.view != Flow && spec.view != Diff)
      return args.wrongValue(kAgainst, "a second layout is for `view=\"diff\"` and `view=\"flow\"`");
    shown.against = std::move(against);
  } else if (spec.view == Flow || spec.view == Diff) {
    return args.wrongValue(kView, Message("`view=\"{}\"` compares two layouts: add `against=`", viz::name(spec.view)));
  }
  if (spec.view == Smem && std::holds_alternative<layouts::TMEMLayout>(*shown.layout))
    return args.wrongValue(kView, "a tensor-memory layout holds nothing in shared memory");
  if (spec.view == Smem && std::holds_alternative<layouts::RegisterLayout>(*shown.layout))
    return smemArguments(args, std::move(shown));
  for (size_t index : {kTiling, kSwizzle, kTranspose})
    if (given(args, index))
      return args.wrongValue(index, "this is for shared memory: add `view=\"smem\"`");
  using enum viz::ColourBy;
  spec.colourBy = LANESCOPE_TRY(named(args, kColor, viz::colourByNamed, Warp, {Warp, Lane, Register, Vector, Bank}));
  return shown;
}

struct ToText {
  const viz::TerminalOptions &terminal;

  Result<std::string> operator()(const ShownView &shown) const {
    viz::LayoutSceneOptions plain{.tooltips = false};
    return viz::terminalText(LANESCOPE_TRY(shown.layout ? viz::viewScene(shown.spec, shown.layout, shown.against, plain)
                                                        : viz::viewScene(shown.spec, plain)),
                             terminal);
  }
  Result<std::string> operator()(const ShownTrace &shown) const {
    return viz::terminalText(viz::traceScene(shown.trace), terminal) + core::summarize(*shown.trace);
  }
  Result<std::string> operator()(const ShownDump &shown) const { return dumpText(*shown.page); }
  Result<std::string> operator()(const ShownCode &shown) const {
    std::string out;
    for (const ShownCode::Page &page : shown.pages) {
      if (shown.pages.size() > 1)
        out += text(out.empty() ? "" : "\n", "--- ", page.title, " ---\n");
      out += page.text;
      if (!out.empty() && out.back() != '\n')
        out += '\n';
    }
    return out;
  }
};

/// The picture of a layout, with the array's shape and bit width if the text around it gives them.
ShownView layoutShown(const Layout &layout, std::optional<layouts::Shape> shape = std::nullopt,
                      std::optional<int> bitwidth = std::nullopt) {
  ShownView shown{.spec = {}, .layout = layout};
  if (shape)
    shown.spec.shape = *std::move(shape);
  std::optional<layouts::Dtype> named = bitwidth ? layouts::dtypeOfWidth(*bitwidth) : std::nullopt;
  shown.spec.dtype = named.value_or(layouts::defaultDtype(layout));
  return shown;
}

/// The picture of the first layout in a string, which is a layout's text, or a piece of a module or of a printout.
/// Nothing for other strings, and for numbers, which CuTe would read as layouts.
std::optional<Shown> textShown(const std::string &written, Diagnostics &remarks) {
  if (written.find_first_not_of("0123456789 \n") == std::string::npos)
    return std::nullopt;
  SourceRef source = Source::make("<layout>", written);
  if (auto layout = layouts::parseLayout(source, &remarks))
    return layoutShown(*layout);
  if (auto found = layouts::firstLayout(layouts::findLayouts(source)))
    return layoutShown(*found->layout, found->shape, found->bitwidth);
  return std::nullopt;
}

/// The picture of all operands of the instruction or tiled MMA that a string names. Nothing if an argument applies to a
/// single operand.
std::optional<Shown> operandsShown(const BoundArguments &args, const std::string &written) {
  for (size_t index : {kShape, kDtype, kColor, kTiling, kSwizzle, kTranspose, kAgainst, kSlice, kMemory})
    if (given(args, index))
      return std::nullopt;
  if (const std::string *view = given(args, kView) ? args[kView].value.asStr() : nullptr;
      given(args, kView) && (!view || *view != viz::name(viz::View::Operands)))
    return std::nullopt;
  viz::ViewSpec spec{.layout = written};
  if (!viz::showsOperands(spec))
    return std::nullopt;
  spec.view = viz::View::Operands;
  return ShownView{.spec = std::move(spec)};
}

std::string textFor(const layouts::Layout &layout) {
  return layouts::catalogueName(layout).value_or(layouts::layoutText(layout));
}

/// The view that shows the memory in which the layout is read.
viz::View viewFor(const layouts::Layout &layout, const viz::ViewSpec &spec) {
  auto reading = viz::readingOf(spec, layout);
  if (layouts::asTiledMemory(layout) || !reading)
    return viz::View::Grid;
  switch (reading->memory) {
  case layouts::Memory::Shared: return viz::View::Smem;
  case layouts::Memory::Tmem: return viz::View::Tmem;
  case layouts::Memory::Registers: break;
  }
  return viz::View::Grid;
}

} // namespace

std::optional<Shown> toShown(const Value &value) {
  if (const Layout *layout = value.asLayout()) {
    auto picture = viz::readPicture({}, *layout, layouts::ReadingSwitch::Argument);
    return layoutShown(*layout, picture ? picture->spec.shape : layouts::exampleShape(*layout));
  }
  if (const auto *map = value.as<ElementMapObject>()) {
    ShownView shown = layoutShown(map->map.layout(), map->map.shape());
    shown.spec.memory = layouts::Memory::Registers;
    return shown;
  }
  if (const auto *map = value.as<TmemMapObject>()) {
    ShownView shown = layoutShown(map->map.layout(), map->map.shape());
    shown.spec.dtype = map->dtype;
    shown.spec.memory = layouts::Memory::Tmem;
    return shown;
  }
  if (const auto *map = value.as<SmemMapObject>()) {
    ShownView shown;
    shown.spec.view = viz::View::Smem;
    shown.spec.shape = map->map.shape();
    shown.spec.dtype = map->dtype;
    shown.spec.tiling = map->map.tiling();
    shown.spec.swizzle = map->map.swizzle().value_or(0);
    shown.spec.transpose = map->map.transpose();
    return shown;
  }
  return kernelShown(value);
}

viz::ViewSpec writtenSpec(const ShownView &shown) {
  viz::ViewSpec spec = shown.spec;
  if (shown.layout) {
    spec.layout = textFor(*shown.layout);
    if (spec.view == viz::View::Auto)
      spec.view = viewFor(*shown.layout, spec);
  }
  if (shown.against)
    spec.against = textFor(*shown.against);
  return spec;
}

Result<std::string> shownText(const Shown &shown, const viz::TerminalOptions &terminal) {
  return std::visit(ToText{terminal}, shown);
}

Builtin showBuiltin(ShowSink sink) {
  auto call = [sink = std::move(sink)](Context &context, const BoundArguments &args) -> Result<Value> {
    const Layout *layout = args[kWhat].value.asLayout();
    std::optional<Shown> shown = layout ? Shown(layoutShown(*layout)) : toShown(args[kWhat].value);
    const std::string *written = args[kWhat].value.asStr();
    std::optional<Shown> whole; // drawn as it is: tensor memory, an array on devices, all operands
    if (written) {
      Diagnostics remarks;
      shown = textShown(*written, remarks);
      if (shown)
        whole = operandsShown(args, *written);
      if (whole)
        remarks.clear(); // the remarks only say which layout was taken
      for (Diagnostic &remark : inSnippet(std::move(remarks), args[kWhat].span, *written))
        context.evaluator.remark(std::move(remark));
    }
    if (written && !shown) // if arguments of a layout are given, the string must be a layout
      for (size_t index : {kShape, kDtype, kView, kColor, kTiling, kSwizzle, kTranspose, kAgainst, kSlice, kMemory})
        if (given(args, index))
          return std::unexpected(layoutArgument(args, kWhat).error());
    if (!whole)
      whole = LANESCOPE_TRY(kernelPicture(context, args));
    bool hasOptions = shown && std::holds_alternative<ShownView>(*shown);
    if (!hasOptions && !whole)
      for (size_t index : {kShape, kDtype, kView, kColor, kTiling, kSwizzle, kTranspose, kAgainst, kSlice, kMemory})
        if (given(args, index))
          return args.wrongValue(index,
                                 Message("`{type}` is shown as it is, so it takes no such argument; a layout does",
                                         args[kWhat].value.typeName()));
    if (whole)
      shown = std::move(whole);
    else if (auto code = LANESCOPE_TRY(kernelCode(context, args[kWhat].value)))
      shown = *std::move(code);
    if (!shown) {
      if (written && layouts::looksLikeLayout(*written))
        if (auto layout = layouts::parseLayout(Source::make("<layout>", *written)); !layout)
          context.evaluator.remark(
              {.severity = Severity::Note,
               .kind = "shown-as-text",
               .span = args[kWhat].span,
               .message = text("shown as text: it looks like a layout, but ", layout.error().front().message),
               .notes = {}});
      sink.value(args[kWhat].value);
      return Value();
    }
    if (auto *view = std::get_if<ShownView>(&*shown);
        view && view->spec.arrays.empty() && view->spec.devices.empty() && view->spec.view != viz::View::Operands)
      shown = LANESCOPE_TRY(view->layout ? layoutArguments(context, args, std::move(*view))
                                         : smemArguments(args, std::move(*view)));
    Result<std::string> drawn = shownText(*shown, sink.terminal());
    if (!drawn)
      return at(placeOf(args), std::move(drawn.error()));
    sink.picture(*shown, *drawn);
    return Value();
  };
  return {.name = "show",
          .signature = std::string(kSignature),
          .doc = std::string(kDoc),
          .call = std::move(call),
          .group = "session"};
}

Builtin viewBuiltin(ShowSink sink) {
  auto call = [sink = std::move(sink)](Context &, const BoundArguments &args) -> Result<Value> {
    // Writes the arguments as a text, and parses it with the reader that the window and the command line use.
    std::string written = "view(";
    for (const Arg &arg : args.rest())
      written += text(repr(arg.value), ", ");
    for (const KeywordArg &keyword : args.keywords())
      written += text(keyword.name, "=", repr(keyword.value), ", ");
    Result<viz::ViewSpec> spec = viz::parseView(Source::make("view", written + ")"));
    if (!spec) {
      Diagnostics problems = std::move(spec.error());
      for (Diagnostic &problem : problems)
        problem.span = {};
      return at(args.call, std::move(problems));
    }
    Shown shown = ShownView{*std::move(spec)};
    Result<std::string> drawn = shownText(shown, sink.terminal());
    if (!drawn) {
      Diagnostics problems = std::move(drawn.error());
      for (Diagnostic &problem : problems)
        problem.span = {};
      return at(args.call, std::move(problems));
    }
    sink.picture(shown, *drawn);
    return Value();
  };
  return {.name = "view",
          .signature = "view(*layout, **options)",
          .doc = "Shows a picture by the one-line text that the window's \"copy view\" gives, and `lanescope show` and "
                 "`lanescope gui --view` read.\n\n"
                 "view(\"WGMMA\", shape=(64, 64), dtype=f16, view=\"lanes\", colour=\"register\", select=(9, 2))\n"
                 "view(\"WGMMA\", shape=(64, 64), view=\"diff\", against=\"WGMMA_UPCAST_2X\")",
          .call = std::move(call),
          .group = "session"};
}

} // namespace lanescope::repl
