# Writes OUT, which defines the texts of viz/export/PageTexts.h. TEXTS: NAME=FILE,FILE|NAME=FILE. A text is its files one
# after another, without imports of modules by name, exports, and comments that have lines of their own.
set(definitions "")
string(REPLACE "|" ";" texts "${TEXTS}")
foreach(entry ${texts})
  string(REGEX MATCH "^([^=]+)=(.*)$" entry "${entry}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "," ";" files "${CMAKE_MATCH_2}")
  set(text "")
  foreach(file ${files})
    file(READ ${file} code)
    string(REGEX REPLACE "(^|\n)import {[^\n]*" "\\1" code "${code}")
    string(REGEX REPLACE "(^|\n)export " "\\1" code "${code}")
    string(REGEX REPLACE "(^|\n) *//[^\n]*" "\\1" code "${code}")
    string(REGEX REPLACE "(^|\n) */\\*[^*]*\\*/" "\\1" code "${code}")
    string(REGEX REPLACE "\n\n+" "\n" code "${code}")
    string(APPEND text "${code}")
  endforeach()
  string(APPEND definitions "const std::string_view ${name} = R\"text(${text})text\";\n")
endforeach()
file(WRITE ${OUT} "#include \"viz/export/PageTexts.h\"

namespace lanescope::viz {
${definitions}} // namespace lanescope::viz
")
