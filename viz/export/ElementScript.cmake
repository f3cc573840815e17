# Joins the modules PARTS of the page into one script, which OUT defines for the program: without imports of modules by
# name, exports, and comments on lines of their own.
set(script "")
foreach(part ${PARTS})
  file(READ ${part} code)
  string(REGEX REPLACE "(^|\n)import {[^\n]*" "\\1" code "${code}")
  string(REGEX REPLACE "(^|\n)export " "\\1" code "${code}")
  string(REGEX REPLACE "(^|\n) *//[^\n]*" "\\1" code "${code}")
  string(REGEX REPLACE "\n */\\*\\*[^\n]*\\*/" "" code "${code}")
  string(REGEX REPLACE "\n\n+" "\n" code "${code}")
  string(APPEND script "${code}")
endforeach()
file(WRITE ${OUT} "#include \"viz/export/ElementScript.h\"

namespace lanescope::viz {
const std::string_view kElementScript = R\"js(${script})js\";
} // namespace lanescope::viz
")
