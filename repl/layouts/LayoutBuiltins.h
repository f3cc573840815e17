// The layout family of builtins, as tables.
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

/// Layout constructors, the catalogue, element_map, smem_map, owners, elements, …
Builtins layoutBuiltins();
/// Receives remarks on a text whose spelling is not its language's present one; may be null.
using RemarkSink = std::function<void(const Diagnostics &)>;
/// `layout(text)` with a receiver for its remarks; the one in layoutBuiltins() drops them.
Builtin layoutBuiltin(RemarkSink remarks);
/// Instruction fragments: fragment, atoms, inputs_of, outputs_of.
Builtins fragmentBuiltins();
/// conflicts, smem_wavefronts, relayout, coalescing.
Builtins costBuiltins();
/// equal, diff, explain, notation.
Builtins compareBuiltins();
/// CuTe's layout algebra: cute, composition, complement, logical_divide, …
Builtins cuteBuiltins();
/// CuTe's atoms, tiled MMAs and copies, tiles, coordinates; cuteBuiltins() holds them.
Builtins cuteAtomBuiltins();
/// linear, find_layouts.
Builtins linearBuiltins();

} // namespace lanescope::repl
