# The lit suite. Features: `ptxas` (the assembler is installed, and PTX tests also assemble), `corpus` (the large
# corpora exist).
import os
import sys

import lit.formats

config.name = "lanescope"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["lit.cfg.py", "Inputs"]
config.test_source_root = config.source_root
config.test_exec_root = config.build_root
config.environment["PATH"] = os.pathsep.join([config.bin_dir, config.tools_dir, config.environment["PATH"]])
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%corpus", config.corpus))
if os.path.exists(os.path.join(config.corpus, "pallas_own.tar.xz")):
    config.available_features.add("corpus")
if config.ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", config.ptxas))
