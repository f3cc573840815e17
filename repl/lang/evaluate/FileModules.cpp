#include "repl/lang/evaluate/FileModules.h"

#include "core/data/Beneath.h"
#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/syntax/Parser.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

class FileModule final : public Object {
public:
  FileModule(std::string name, std::shared_ptr<Scope> scope) : name_(std::move(name)), scope_(std::move(scope)) {}
  std::string typeName() const override { return "module"; }
  std::string repr() const override { return text("<module '", name_, "'>"); }
  std::string key() const override { return text("module ", name_); }
  std::vector<std::string> members() const override {
    std::vector<std::string> out;
    for (const auto &[name, value] : scope_->names)
      if (!name.starts_with('_'))
        out.push_back(name);
    return out;
  }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (auto found = scope_->names.find(name); found != scope_->names.end())
      return found->second;
    std::string near(layouts::nearest(name, members()));
    return context.fail("no-attribute", text("`", name_, "` has no `", name, "`",
                                             near.empty() ? std::string() : text("; did you mean `", near, "`?")));
  }

private:
  std::string name_;
  std::shared_ptr<Scope> scope_;
};

/// The folder of JAX's kernels.
class JaxKernels final : public Object {
public:
  std::string typeName() const override { return "module"; }
  std::string repr() const override { return text("<module '", kJaxKernels, "'>"); }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (auto module = LANESCOPE_TRY(fileModule(context.evaluator, name, context.span)))
      return *std::move(module);
    return context.fail(
        "import", text("`", kJaxKernels, ".", name, "` is a file of JAX's; put its `", name, ".py` beside this one"));
  }
};

} // namespace

Value jaxKernels() { return std::make_shared<JaxKernels>(); }

Result<std::optional<Value>> fileModule(Evaluator &evaluator, const std::string &path, const Span &span) {
  if (!span.source)
    return std::nullopt;
  std::string relative = path;
  std::ranges::replace(relative, '.', '/');
  const std::filesystem::path folder = std::filesystem::path(span.source->name()).parent_path();
  const std::filesystem::path file = folder / (relative + ".py");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    return std::nullopt;
  auto read = core::readSourceBeneath(folder, relative + ".py", core::FileRole::Snippet);
  if (!read)
    return at(span, std::move(read.error()));
  const SourceRef &source = *read;
  // By its text: a file that was edited since an earlier run is another module.
  const std::string key = text("file ", file.lexically_normal().string(), '\n', source->text());
  std::shared_ptr<Scope> known = evaluator.libraryScope(key);
  if (!known) {
    Parsed parsed = parse(source);
    if (hasErrors(parsed.diagnostics))
      return std::unexpected(std::move(parsed.diagnostics));
    known = std::make_shared<Scope>();
    known->names.emplace("__name__", Value(path));
    evaluator.libraryScope(key) = known; // before it is read: two files may import each other
    if (auto done = evaluator.runIn(parsed.module, known); !done) {
      evaluator.libraryScope(key) = nullptr;
      return std::unexpected(std::move(done.error()));
    }
  }
  return std::optional<Value>(std::make_shared<FileModule>(path, std::move(known)));
}

} // namespace lanescope::repl
