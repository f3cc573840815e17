// The annotations of a kernel's arrays, for any target: `GMEM((M, 64), f16)`, `Out(…)`, `InOut(…)`.
#pragma once

#include "core/build/KernelBuilder.h"
#include "repl/kernel/launch/DeviceMesh.h"
#include "repl/lang/values/Builtin.h"

#include <variant>
#include <vector>

namespace lanescope::repl {

/// A dimension that an annotation names before a call gives it a size. Sums and products of such names are dimensions,
/// too.
class SymbolicDim final : public Object {
public:
  SymbolicDim(std::string text, bool plain) : text_(std::move(text)), plain_(plain) {}
  const std::string &text() const { return text_; }
  /// True for a plain name, to which a call can give a size.
  bool plain() const { return plain_; }
  std::string typeName() const override { return "dimension"; }
  std::string repr() const override { return text_; }
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<bool> truth(Context &context) override;

private:
  std::string text_;
  bool plain_;
};

using Dim = std::variant<int64_t, std::shared_ptr<SymbolicDim>>;

/// The value of `GMEM(shape, dtype, sharding=None)`, `Out(…)` or `InOut(…)`.
class ArgumentSpec final : public Object {
public:
  core::ArgumentKind kind = core::ArgumentKind::In;
  std::vector<Dim> dims;
  layouts::Dtype dtype = layouts::Dtype::F32;
  /// The split over several devices; the shape is then that of one device's part. Empty: each device has the whole
  /// array.
  Sharding sharding;
  std::string typeName() const override;
  std::string repr() const override;
};

/// The builtins `GMEM`, `Out` and `InOut`.
Builtins argumentBuiltins();

} // namespace lanescope::repl
