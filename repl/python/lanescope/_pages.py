"""Makes the HTML that a notebook shows for findings, in the notebook's own colours, light or dark."""

import html
import linecache

_COLOURS = {"error": "#d1242f", "warning": "#bf8700", "note": "#57868c"}
_NAMES = {"error": "fault", "warning": "hazard", "note": "note"}
_CELL = "text-align: left; vertical-align: top; padding: 4px 10px; border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent)"


def _where(place):
    return f"{html.escape(place['path'])}:{place['line']}:{place['column']}" if place else ""


def _line(place):
    """The line of the source with the place marked; an empty text if the source is not available."""
    line = linecache.getline(place["path"], place["line"]).rstrip("\n") if place else ""
    if not line.strip():
        return ""
    begin = place["column"] - 1
    end = place["end_column"] - 1 if place["end_line"] == place["line"] else len(line)
    marked = f"{html.escape(line[:begin])}<u>{html.escape(line[begin:end])}</u>{html.escape(line[end:])}"
    return f'<pre style="margin: 4px 0 0; background: none; color: inherit">{marked.strip()}</pre>'


def _message(message, place):
    where = f'<div style="opacity: 0.7; font-size: 90%">{_where(place)}</div>' if place else ""
    return f"<div>{html.escape(message)}</div>{where}{_line(place)}"


def findings(found):
    """A table of findings with their places and notes."""
    if not len(found):
        return "<div>no findings</div>"
    rows = []
    for each in found:
        colour, name = _COLOURS.get(each.severity, "inherit"), _NAMES.get(each.severity, each.severity)
        notes = "".join(f'<div style="margin: 6px 0 0 1.5em">{_message(note["message"], note["place"])}</div>' for note in each.notes)
        rows.append(
            f'<tr style="background: none"><td style="{_CELL}; white-space: nowrap"><b style="color: {colour}">{name}</b><br>{html.escape(each.kind)}</td>'
            f'<td style="{_CELL}">{_message(each.message, each.place)}{notes}</td></tr>'
        )
    return f'<table style="border-collapse: collapse; color: inherit">{"".join(rows)}</table>'
