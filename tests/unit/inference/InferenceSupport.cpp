#include "InferenceSupport.h"

#include "core/gpu/inference/demands/Derivation.h"
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/Context.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <sstream>

namespace lanescope::core {

namespace {

std::string layoutText(const std::string &name) {
  const layouts::CatalogueEntry *entry = layouts::findLayout(name);
  if (!entry)
    return {};
  auto layout = entry->make({});
  return layout ? mlirText(std::get<layouts::RegisterLayout>(*layout)) : std::string();
}

std::string typeOf(const std::string &space, const std::string &shape, const std::string &element) {
  const std::string body = shape + "x" + element;
  return space.empty() ? "vector<" + body + ">" : "memref<" + body + ", $" + space + ">";
}

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

std::string lineOf(const std::string &line) {
  std::istringstream words(line);
  std::vector<std::string> word;
  for (std::string each; words >> each;)
    word.push_back(each);
  auto at = [&](size_t i) { return i < word.size() ? word[i] : std::string(); };
  if (at(0) == "any") {
    const bool array = at(1) != "smem" && at(1) != "tmem";
    const size_t shape = array ? 1 : 2;
    return at(shape + 3) + " = \"llvm.mlir.undef\"() : () -> " + typeOf(array ? "" : at(1), at(shape), at(shape + 1));
  }
  if (at(0) == "cast") {
    const std::string type = typeOf("", at(2), at(3));
    return at(6) + " = \"mosaic_gpu.layout_cast\"(" + at(1) + ") <{new_layout = $" + at(4) + "}> : (" + type + ") -> " +
           type;
  }
  return line;
}

std::string moduleOf(const std::string &text) {
  std::istringstream lines(text);
  std::string out = "\"builtin.module\"() ({\n";
  for (std::string line; std::getline(lines, line);)
    out += lineOf(line) + "\n";
  out += "}) : () -> ()\n";
  out = replaced(std::move(out), "$smem", "#gpu.address_space<workgroup>");
  out = replaced(std::move(out), "$tmem", "#mosaic_gpu.tmem");
  for (size_t at = 0; (at = out.find('$', at)) != std::string::npos;) {
    size_t end = out.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", at + 1);
    const std::string layout = layoutText(out.substr(at + 1, end - at - 1));
    EXPECT_FALSE(layout.empty()) << out.substr(at, end - at);
    out.replace(at, end - at, layout);
  }
  return out;
}

/// The short text of one attribute entry.
std::string shortText(mlir::Attribute entry, constraints::MemorySpace space) {
  if (auto transforms = llvm::dyn_cast<mlir::ArrayAttr>(entry)) {
    auto value = *toTransforms(transforms);
    return text(value.tiling ? layouts::tupleText(*value.tiling) : "-", value.swizzle ? text("/", value.swizzle) : "");
  }
  auto layout = *toLayout(entry);
  if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout))
    return text("strided(", strided->vecSize(), ")");
  if (std::holds_alternative<layouts::WGSplatFragLayout>(layout))
    return "splat";
  const auto &tiled = std::get<layouts::TiledLayout>(layout);
  const bool tensor = space == constraints::MemorySpace::Tensor;
  if (auto name = tensor ? catalogueName(layouts::TMEMLayout(tiled)) : catalogueName(tiled))
    return *name;
  return jaxText(tiled);
}

/// The entries of one side, in the order of the values.
std::string side(mlir::Operation *op, mlir::TypeRange types, llvm::StringRef layouts, llvm::StringRef transforms,
                 llvm::StringRef tensors) {
  size_t used[3] = {};
  std::vector<std::string> out;
  for (mlir::Type type : types) {
    auto space = memorySpaceOf(type);
    if (!space)
      continue;
    auto entries = op->getAttrOfType<mlir::ArrayAttr>(*space == constraints::MemorySpace::Registers ? layouts
                                                      : *space == constraints::MemorySpace::Shared  ? transforms
                                                                                                    : tensors);
    size_t &i = used[static_cast<size_t>(*space)];
    out.push_back(entries && i < entries.size() ? shortText(entries[i++], *space) : "?");
  }
  return joined(out, ", ");
}

struct Module {
  explicit Module(const std::string &text) : context(makeMlirContext()) {
    context->allowUnregisteredDialects();
    context->printOpOnDiagnostic(false);
    handler = std::make_unique<mlir::ScopedDiagnosticHandler>(context.get(), [this](mlir::Diagnostic &problem) {
      errors += problem.str() + "\n";
      for (mlir::Diagnostic &note : problem.getNotes())
        errors += note.str() + "\n";
      return mlir::success();
    });
    // The verifier is off: `llvm.mlir.undef` represents any value, as in JAX's own tests.
    mlir::ParserConfig config(context.get(), /*verifyAfterParse=*/false);
    module = mlir::parseSourceString<mlir::ModuleOp>(moduleOf(text), config);
    EXPECT_TRUE(module) << errors << moduleOf(text);
  }

  std::shared_ptr<mlir::MLIRContext> context;
  std::string errors;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

LaidOut layOut(const std::string &text, const InferenceOptions &options) {
  Module module(text);
  if (!module.module)
    return {"", module.errors};
  bool ok = mlir::succeeded(inferBySystem(*module.module, options));
  EXPECT_EQ(ok, module.errors.empty()) << module.errors;
  LaidOut out{"", module.errors};
  if (!ok)
    return out;
  module.module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    const std::string in = side(op, op->getOperandTypes(), kInLayouts, kInTransforms, kInTmemLayouts),
                      result = side(op, op->getResultTypes(), kOutLayouts, kOutTransforms, kOutTmemLayouts);
    if (in.empty() && result.empty())
      return;
    llvm::StringRef name = op->getName().getStringRef();
    out.lines += lanescope::text(std::string_view(name.split('.').second), in.empty() ? "" : " " + in,
                                 result.empty() ? "" : " -> " + result, "\n");
  });
  return out;
}

std::string systemOf(const std::string &text) {
  Module module(text);
  auto system = constraintSystemText(*module.module);
  return mlir::succeeded(system) ? *system : module.errors;
}

} // namespace lanescope::core
