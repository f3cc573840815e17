// Results of the builtins that compare layouts: records that also keep their reports, for pictures.
#pragma once

#include "layouts/Diff.h"
#include "layouts/Equal.h"
#include "repl/layouts/CostObjects.h"

namespace lanescope::repl {

/// The result of `equal`. It is true in a condition if the layouts are equal.
class EqualObject : public RecordObject {
public:
  EqualObject(layouts::EqualResult result, Fields fields)
      : RecordObject("equal", std::move(fields), {"renaming"}), result(std::move(result)) {}
  Result<bool> truth(Context &) override { return result.exact; }
  const layouts::EqualResult result;
};

/// The result of `diff`.
class DiffObject : public RecordObject {
public:
  DiffObject(layouts::DiffResult result, Layout from, Layout to, layouts::Dtype dtype, Fields fields,
             std::vector<std::string> unprinted)
      : RecordObject("diff", std::move(fields), std::move(unprinted)), result(std::move(result)), from(std::move(from)),
        to(std::move(to)), dtype(dtype) {}
  const layouts::DiffResult result;
  const Layout from, to;
  const layouts::Dtype dtype;
};

} // namespace lanescope::repl
