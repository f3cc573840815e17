// Results of the comparing builtins: records that keep the report they were made from, for pictures.
#pragma once

#include "layouts/Diff.h"
#include "layouts/Equal.h"
#include "repl/layouts/CostObjects.h"

namespace lanescope::repl {

/// What `equal` returns: true in conditions when the layouts are.
class EqualObject : public RecordObject {
public:
  EqualObject(layouts::EqualResult result, Fields fields)
      : RecordObject("equal", std::move(fields), {"renaming"}), result(std::move(result)) {}
  Result<bool> truth(Context &) override { return result.exact; }
  const layouts::EqualResult result;
};

/// What `diff` returns.
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
