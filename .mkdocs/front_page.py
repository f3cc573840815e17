"""Makes pages of the two texts that lie outside of docs/: the README is the front page, .github/CONTRIBUTING.md one of the others.
Links to what the site does not have become names."""
import os
import pathlib
import re
import shutil
import tempfile

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# Pages are read from here while the site is built.
PAGES = tempfile.TemporaryDirectory()
LINK = re.compile(r"\[([^\]]*)\]\(([^)#]+)(#[^)]*)?\)")


def moved(text, folder, page=DOCS):
    """The same text for a page in the folder `page` of docs/; `folder` has the text's file. Links into docs/ stay links, names of other
    files stay names."""

    def link(match):
        words, target, anchor = match[1], match[2], match[3] or ""
        if re.match(r"\w+:", target):
            return match[0]
        path = (folder / target).resolve()
        if path == ROOT / ".github" / "CONTRIBUTING.md":
            path = DOCS / "contributing.md"
        elif path == ROOT / "README.md":
            path = DOCS / "index.md"
        elif not path.is_relative_to(DOCS) or not path.exists():
            return f"`{path.relative_to(ROOT)}`"
        return f"[{words}]({os.path.relpath(path, page)}{anchor})"

    return LINK.sub(link, text)


def on_files(files, config):
    for source, page in ((ROOT / "README.md", "index.md"), (ROOT / ".github" / "CONTRIBUTING.md", "contributing.md")):
        (pathlib.Path(PAGES.name) / page).write_text(moved(source.read_text(), source.parent))
        files.append(File(page, PAGES.name, config["site_dir"], config["use_directory_urls"]))
    shutil.copy(ROOT / ".mkdocs" / "site.css", PAGES.name)
    files.append(File("site.css", PAGES.name, config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    folder = pathlib.Path(page.file.abs_src_path).parent
    return moved(markdown, folder, folder) if folder.is_relative_to(ROOT) else markdown
