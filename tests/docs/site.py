#!/usr/bin/env python3
"""Checks the documents' site: it builds, every link and anchor has a target, every document is in the navigation, and
pages load nothing from other hosts.

    site.py REPOSITORY"""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

REPOSITORY = pathlib.Path(sys.argv[1]).resolve()


class Page(html.parser.HTMLParser):
    """The links, anchors and loaded files of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loads = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if named.get("id"):
            self.anchors.add(named["id"])
        if tag == "a" and named.get("href"):
            self.links.append(named["href"])
        if tag in ("script", "img", "iframe", "source") and named.get("src"):
            self.loads.append(named["src"])
        if tag == "link" and named.get("href") and named.get("rel") not in ("canonical",):
            self.loads.append(named["href"])


def problems(site):
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        if path.name == "404.html":
            continue
        for load in page.loads:
            if re.match(r"(\w+:)?//", load):
                yield f"{path.name} loads {load} from elsewhere"
            elif load.startswith("app/") and (REPOSITORY / "viz/web/page" / load[4:]).is_file():
                continue  # `./dev site` puts the page there
            elif not (path.parent / urllib.parse.unquote(load.split("?")[0])).exists():
                yield f"{path.name} loads {load}, which is not there"
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"\w+:", target) or link in (".", "./"):
                continue
            there = (path.parent / urllib.parse.unquote(target)).resolve() if target else path
            if not there.exists():
                yield f"{path.name} links to {link}, which is not there"
            elif anchor and there in pages and urllib.parse.unquote(anchor) not in pages[there].anchors:
                yield f"{path.name} links to {link}: no such place on that page"
    front = pages[site / "index.html"]
    for document in sorted((REPOSITORY / "docs").rglob("*.md")):
        name = document.relative_to(REPOSITORY / "docs")
        made = name.with_name("index.html" if name.name == "README.md" else name.stem + ".html")
        if made.as_posix() not in front.links:
            yield f"{name} is not in the navigation (.mkdocs/mkdocs.yml)"
    for path in site.rglob("*.css"):
        if found := re.search(r"url\(\s*[\"']?(https?:)?//[^)]*", path.read_text()):
            yield f"{path.name} loads {found[0]}"


def main():
    if not shutil.which("mkdocs"):
        print("skipped: mkdocs is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        built = subprocess.run(["mkdocs", "build", "--quiet", "-f", REPOSITORY / ".mkdocs/mkdocs.yml", "-d", folder], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if built.returncode:
            print(built.stdout)
            return 1
        found = list(problems(pathlib.Path(folder).resolve()))
    print("\n".join(found) or "all links lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
