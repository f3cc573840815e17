#include "repl/lang/builtins/FileBuiltins.h"

#include "core/data/Npz.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

namespace lanescope::repl {

namespace {

Result<Value> load(const SnippetFiles &files, const BoundArguments &args) {
  std::string path = LANESCOPE_TRY(args.text(0));
  auto placed = [&](Diagnostics diagnostics) { return at(args[0].span, std::move(diagnostics)); };
  if (!path.ends_with(".npz") && !path.ends_with(".npy"))
    return args.wrongValue(0, "only `.npy` and `.npz` files are read");
  std::optional<core::Dtype> dtype;
  if (args.has(1) && !args[1].value.isNone())
    dtype = LANESCOPE_TRY(args.dtype(1));
  auto bytes = files.read(path, path.ends_with(".npz") ? core::FileRole::Archive : core::FileRole::Array);
  if (!bytes)
    return placed(std::move(bytes.error()));
  auto arrays = arraysIn(*bytes, path, dtype);
  if (!arrays)
    return placed(std::move(arrays.error()));
  return arrays;
}

Result<Value> save(Context &context, SnippetFiles &files, const BoundArguments &args) {
  std::string path = LANESCOPE_TRY(args.text(0));
  if (!path.ends_with(".npy")) // the ending ensures that a snippet can only replace arrays
    return args.wrongValue(0, "only `.npy` files are written");
  const core::Array *array = LANESCOPE_TRY(args.array(1));
  LANESCOPE_CHECK(context.evaluator.reserveArray(array->dtype, array->shape, context.span));
  auto done = files.save(path, core::npyBytes(*array));
  if (!done)
    return at(args[0].span, std::move(done.error()));
  return Value();
}

} // namespace

Result<Value> arraysIn(std::span<const std::byte> bytes, const std::string &name, std::optional<core::Dtype> dtype) {
  if (!name.ends_with(".npz"))
    return Value(LANESCOPE_TRY(core::parseNpy(bytes, name, dtype)));
  std::vector<core::NamedArray> arrays = LANESCOPE_TRY(core::parseNpz(bytes, name));
  std::vector<std::pair<std::string, Value>> out;
  for (core::NamedArray &named : arrays)
    out.emplace_back(std::move(named.name), Value(std::move(named.array)));
  return Value::dict(std::move(out));
}

Builtins fileBuiltins(std::shared_ptr<SnippetFiles> files) {
  auto chosen = [files] { return files ? files : std::make_shared<SnippetFiles>(); };
  Builtins out = {
      {"load", "load(path, dtype=None)",
       "The array of a `.npy` file, or a dict of the arrays of a `.npz` file.\n\n`dtype` names what NumPy stores as "
       "raw bytes (bf16, f8…). Files are read from the folder that `save` writes to, the snippet's, the working "
       "directory, and those that `--read` names.",
       [chosen](Context &, const BoundArguments &args) { return load(*chosen(), args); }},
      {"save", "save(path, x)",
       "Writes an array as a `.npy` file.\n\nIt goes to the snippet's folder, or to the one that `--out` names. A file "
       "that the snippet did not make is replaced only with `--overwrite`.",
       [chosen](Context &context, const BoundArguments &args) { return save(context, *chosen(), args); }}};
  for (Builtin &builtin : out) {
    builtin.group = "arrays";
    builtin.worksIn = WorksIn::Host;
  }
  return out;
}

} // namespace lanescope::repl
