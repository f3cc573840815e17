"""Makes pictures of layouts interactive: an image that a `lanescope show … -o IMAGE` above it writes becomes the element of the page
for browsers, which `./dev site` puts beside the documents (docs/browser.md). The image stays inside it, for a browser that opens the
documents from the disk, or without scripts."""
import html
import re
import shlex

SHOW = re.compile(r"^lanescope show (.*) -o docs/(\S+\.svg)$", re.M)
IMAGE = r"!\[([^\]]*)\]\({}\)"
# Options of `lanescope show`, and attributes of the element.
ATTRIBUTES = {"--shape": "shape", "--dtype": "dtype", "--memory": "memory", "--against": "compare", "--tiling": "tiling", "--swizzle": "swizzle", "--color": "colour-by"}
PICTURES = {"grid": "array", "lanes": "threads", "tmem": "tmem", "smem": "smem", "f2": "f2", "diff": "diff", "flow": "flow"}


def attributes(command):
    """The element's attributes for a command's words; None if it has an option that the element does not know."""
    words = shlex.split(command)
    if words[0].startswith("view("):
        return {"view": words[0]} if len(words) == 1 and ("None" not in words[0] or "arrays=" in words[0]) else None
    if re.match(r"\w+\(.*=", words[0]):  # an expression that the language alone reads
        return None
    out, rest = {"layout": words[0]}, words[1:]
    while rest:
        option, value, rest = rest[0], rest[1] if len(rest) > 1 else "", rest[2:]
        if option == "--view" and all(name in PICTURES for name in value.split(",")):
            out["pictures"] = " ".join(PICTURES[name] for name in value.split(","))
        elif option in ATTRIBUTES:
            out[ATTRIBUTES[option]] = value
        else:
            return None
    return out


def on_page_markdown(markdown, page, config, files):
    made = 0
    for command, name in SHOW.findall(markdown):
        found = attributes(command)
        image = re.search(IMAGE.format(re.escape(name)), markdown)
        if not found or not image:
            continue
        words = " ".join(f'{attribute}="{html.escape(value)}"' for attribute, value in found.items())
        markdown = markdown.replace(image[0], f'<lanescope-layout {words}><img src="{name}" alt="{html.escape(image[1])}"></lanescope-layout>')
        made += 1
    return markdown + '\n\n<script type="module" src="app/lanescope-layout.js"></script>\n' if made else markdown
