// The result of `linear`: a layout's linear form over F2, as a value that prints like Triton's LinearLayout.
//
//   f = linear(WGMMA, (64, 8))
//   f.bases["lane"], f.matrix[0], f.invertible   ->  ([(0, 2), (0, 4), …], [0, 0, …], True)
#pragma once

#include "layouts/linear/LinearLayout.h"
#include "repl/lang/values/Value.h"

namespace lanescope::repl {

class LinearObject : public Object {
public:
  explicit LinearObject(layouts::LinearLayout linear) : linear(std::move(linear)) {}
  std::string typeName() const override { return "linear"; }
  std::string repr() const override { return linear.toString(); }
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  std::optional<std::string> json() const override;
  std::string key() const override { return repr(); }

  const layouts::LinearLayout linear;
};

} // namespace lanescope::repl
