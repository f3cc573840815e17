"""Converts the native functions' errors to JAX's exceptions, with JAX's messages."""

import re

from .. import _errors

# From a pattern of the native message to JAX's exception and message. `{0}` stands for the pattern's first group.
_WORDS = [
    (r"loading from (\w+) is not supported", NotImplementedError, "Get does not support loading from {0}."),
    (r"storing to (\w+) is not supported", NotImplementedError, "Swap does not support storing to {0}."),
    (r"scalars are loaded from SMEM only, and .* is in (\w+)", NotImplementedError,
     "Get only supports loading scalars from SMEM. To load a scalar from {0}, load a vector and take its element."),
    (r"scalars are stored to SMEM only, and .* is in (\w+)", NotImplementedError,
     "Swap only supports scalars in SMEM. Trying to swap a scalar in {0}."),
    (r"only scalars are loaded from SMEM", NotImplementedError, "Get can only load scalars from SMEM."),
    (r"only scalars are stored to SMEM", NotImplementedError, "Swap can only store scalars to SMEM."),
    (r"integer indexing that follows a slice", NotImplementedError,
     "Integer indexing of refs that follows a non-trivial slice is not supported on SC"),
    (r"only 1D indices are supported", NotImplementedError,
     "Only 1D indices are supported by scatter/gather via `pltpu.async_copy` on SparseCore"),
    (r"there cannot be any views following", NotImplementedError,
     "The indexed ref in scatter/gather via `pltpu.async_copy` cannot have any transforms following the indexer"),
    (r"only the (source|destination) of a (gather|scatter) can be indexed", ValueError,
     "Only the {0} ref can be indexed when doing a {1} via `pltpu.async_copy`"),
    (r"a gather or scatter from (\w+) to (\w+) is not supported", NotImplementedError,
     "Scatter/gather via `pltpu.async_copy` from {0} to {1} is not supported"),
    (r"indices of a gather or scatter must be in VMEM, and .* is in (\w+)", NotImplementedError,
     "Indices for scatter/gather via `pltpu.async_copy` must be in VMEM, got {0}"),
    (r"the shape of the rows that are named", NotImplementedError,
     "The indexer shape in scatter/gather via `pltpu.async_copy` does not match the expected shape."),
    (r"only indexing along the major", NotImplementedError, "Only indexing along the major dimension is supported"),
    (r"a copy that adds names the rows", NotImplementedError, "DMAs with `add=True` must (for now) specify offsets of the majormost dimension."),
    (r"copies that add are only supported", ValueError, "DMAs with `add=True` are only supported between VMEM and HBM/VMEM_SHARED."),
    (r"must be an array of truth values(?: \(this holds (\w+)\))?", TypeError, "Mask must be a boolean array, got {0}"),
    (r"the mask has shape", ValueError, "Mask must have the shape of what it masks"),
    (r"is a union: unpack it", ValueError, "A union of references can't be assigned to."),
    (r"two arrays with different layouts meet here: `(.*?)` and `(.*?)`;", ValueError,
     "Failed to infer a possible set of layouts: an array has layout {0}, when it should be {1}."),
    (r"cannot be read by one warp", ValueError, "Can only load scalars (warp-level semantics)."),
    (r"must be rank 1", NotImplementedError, "must be rank 1"),
    (r"reduce must be >= 1, not (-?\d+)", ValueError, "reduce must be >=1, got {0}"),
    (r"reduce=(\d+) must divide the dimension's size (\d+)", ValueError, "reduce={0} must divide the dimension size {1}"),
]  # fmt: skip

_MIXED = {base: type(f"Kernel{base.__name__}", (_errors.Error, base), {}) for base in (NotImplementedError, TypeError, ValueError)}


def as_jax(problem):
    """An exception of JAX's type, with JAX's message in front of ours."""
    text = str(problem)
    for pattern, base, words in _WORDS:
        found = re.search(pattern, text)
        if found:
            out = _MIXED[base](problem.findings)
            out.args = (f"{words.format(*(group or '' for group in found.groups()))}\n{text}",)
            return out
    return problem
