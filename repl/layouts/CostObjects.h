// Results of the cost builtins. Their fields can be used like a dict and print as small tables. For pictures, they also
// keep the report from which they were made.
//
//   r = relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64), f16)
//   r["mechanism"], r.per_thread["shuffles"]   ->  'shuffles', 16
#pragma once

#include "layouts/cost/Coalescing.h"
#include "layouts/cost/Conflicts.h"
#include "layouts/cost/Relayout.h"
#include "repl/lang/values/Value.h"

#include <string>
#include <utility>
#include <vector>

namespace lanescope::repl {

/// Named fields in order. The object acts as a dict: subscripts, `len`, iteration over the names; its JSON is the
/// dict's.
class RecordObject : public Object {
public:
  using Fields = std::vector<std::pair<std::string, Value>>;
  RecordObject(std::string type, Fields fields, std::vector<std::string> unprinted = {})
      : type_(std::move(type)), fields_(std::move(fields)), unprinted_(std::move(unprinted)) {}
  std::string typeName() const override { return type_; }
  /// One line for each field, with tables (dicts of lists) below it. Rows that differ only in their first column are
  /// folded.
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<int64_t> length(Context &context) override;
  Result<std::vector<Value>> iterate(Context &context) override;
  std::optional<std::string> json() const override;

private:
  const Value *find(std::string_view name) const;

  std::string type_;
  Fields fields_;
  std::vector<std::string> unprinted_; // names of the fields that are too long to print
};

/// The result of `conflicts`.
class ConflictsObject : public RecordObject {
public:
  ConflictsObject(layouts::ConflictReport report, Fields fields)
      : RecordObject("conflicts", std::move(fields),
                     report.plan ? std::vector<std::string>{"registers", "addresses"}
                                 // These fields describe the access itself.
                                 : std::vector<std::string>{"registers", "addresses", "op"}),
        report(std::move(report)) {}
  const layouts::ConflictReport report;
};

/// The result of `relayout`.
class RelayoutObject : public RecordObject {
public:
  RelayoutObject(layouts::RelayoutReport report, Layout from, Layout to, layouts::Shape shape, Fields fields)
      : RecordObject("relayout", std::move(fields)), report(std::move(report)), from(std::move(from)),
        to(std::move(to)), shape(std::move(shape)) {}
  const layouts::RelayoutReport report;
  const Layout from, to;
  const layouts::Shape shape;
};

/// The result of `coalescing`.
class CoalescingObject : public RecordObject {
public:
  CoalescingObject(layouts::CoalescingReport report, Fields fields)
      : RecordObject("coalescing", std::move(fields)), report(std::move(report)) {}
  const layouts::CoalescingReport report;
};

} // namespace lanescope::repl
