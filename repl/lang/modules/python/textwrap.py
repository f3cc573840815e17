def dedent(text):
  """The text without the blanks that all its lines begin with."""
  lines = text.split("\n")
  widths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
  width = min(widths) if len(widths) > 0 else 0
  return "\n".join([line[width:] if line.strip() else "" for line in lines])

def indent(text, prefix):
  """The text with `prefix` before each line that is not empty."""
  return "\n".join([prefix + line if line.strip() else line for line in text.split("\n")])
