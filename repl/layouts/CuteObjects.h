// CuTe's atoms and the tiled operations made from them, as values: records of their layouts that also keep the object.
#pragma once

#include "layouts/cute/CopyAtoms.h"
#include "layouts/cute/MmaAtoms.h"
#include "repl/layouts/CostObjects.h"

namespace lanescope::repl {

/// The result of `mma_atom`.
class MmaAtomObject : public RecordObject {
public:
  MmaAtomObject(layouts::cute::MmaAtom atom, Fields fields)
      : RecordObject("mma_atom", std::move(fields)), atom(std::move(atom)) {}
  const layouts::cute::MmaAtom atom;
};

/// The result of `copy_atom`.
class CopyAtomObject : public RecordObject {
public:
  CopyAtomObject(layouts::cute::CopyAtom atom, Fields fields)
      : RecordObject("copy_atom", std::move(fields)), atom(std::move(atom)) {}
  const layouts::cute::CopyAtom atom;
};

/// The result of `make_tiled_mma`. Its `get_slice(thread)` has the method `partition_A(layout)` and similar ones.
class TiledMmaObject : public RecordObject {
public:
  TiledMmaObject(layouts::cute::TiledMma mma, Fields fields)
      : RecordObject("tiled_mma", std::move(fields)), mma(std::move(mma)) {}
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  const layouts::cute::TiledMma mma;
};

/// The result of `make_tiled_copy` and of similar builtins.
class TiledCopyObject : public RecordObject {
public:
  TiledCopyObject(layouts::cute::TiledCopy copy, Fields fields)
      : RecordObject("tiled_copy", std::move(fields)), copy(std::move(copy)) {}
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  const layouts::cute::TiledCopy copy;
};

} // namespace lanescope::repl
