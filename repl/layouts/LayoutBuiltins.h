// Tables of the builtins about layouts.
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

/// Constructors of layouts, the catalogue, element_map, smem_map, owners, elements, ….
Builtins layoutBuiltins();
/// Receives remarks on a text that is not written in the present spelling of its language; may be null.
using RemarkSink = std::function<void(const Diagnostics &)>;
/// `layout(text)` with a receiver for its remarks. The `layout` in layoutBuiltins() drops them.
Builtin layoutBuiltin(RemarkSink remarks);
/// Builtins for instruction fragments: fragment, atoms, inputs_of, outputs_of.
Builtins fragmentBuiltins();
/// Builtins for costs: conflicts, smem_wavefronts, relayout, coalescing.
Builtins costBuiltins();
/// Builtins that compare layouts: equal, diff, explain, notation.
Builtins compareBuiltins();
/// Builtins of CuTe's layout algebra: cute, composition, complement, logical_divide, ….
Builtins cuteBuiltins();
/// Builtins for CuTe's atoms, tiled MMAs and copies, tiles and coordinates. cuteBuiltins() contains them.
Builtins cuteAtomBuiltins();
/// Builtins for linear layouts: linear, find_layouts.
Builtins linearBuiltins();

} // namespace lanescope::repl
