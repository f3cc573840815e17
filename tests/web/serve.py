#!/usr/bin/env python3
"""Asks `lanescope serve` for what it gives and for what it must refuse: other hosts, origins, methods, tokens and paths.

    tests/web/serve.py LANESCOPE build/wasm/page .

Paths are made at random from the parts with which servers have been fooled. Then the page is opened in Chromium, with a
trace that is saved again. Ends with 77 if there is no page.
"""

import gzip
import http.client
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from page import check, chromium, failures  # noqa: E402
from traces import Traces  # noqa: E402

PARTS = ["..", ".", "%2e%2e", "%2E.", "..%2f", "%00", "\\", "..\\", "etc", "passwd", "files", "0", "1", "-1", "files.json", "traces.html", "index.html", "traces",
         "%", "%zz", "a" * 300, "~", "?files", "..;", "%c0%ae%c0%ae", "style.css", "TOKEN", "", "0/../0", "lanescope.wasm", "é", "//"]


class Server:
    def __init__(self, program, *arguments, cwd=None):
        self.process = subprocess.Popen([program, "serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.token = parts.port, parts.path.split("/")[1]

    def ask(self, path, method="GET", body=None, **headers):
        """Status and body. The path is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host="host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        given = answer.status, answer.read(), dict(answer.getheaders())
        connection.close()
        return given

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)


def given(server, site, trace):
    home = f"/{server.token}/"
    for name, kind in [("", "text/html; charset=utf-8"), ("index.html", "text/html; charset=utf-8"), ("traces.html?files", "text/html; charset=utf-8"), ("main.js", "text/javascript"),
                       ("style.css", "text/css"), ("lanescope.wasm", "application/wasm"), ("traces/emulated_matmul.json.gz", "application/gzip")]:
        status, body, headers = server.ask(home + name)
        check(f"{name} is given", (status, headers["Content-Type"]), (200, kind))
        check(f"{name} is the file", body, pathlib.Path(site, name.split("?")[0] or "index.html").read_bytes())
    check("the file is given", server.ask(home + "files/0")[:2], (200, trace.read_bytes()))
    for host in ["localhost", f"localhost:{server.port}", "127.0.0.1:9", "[::1]:8000"]:
        check(f"{host} is this machine", server.ask(home, host=host)[0], 200)
    check("its own page may ask", server.ask(home + "files.json", host="localhost:7", origin="http://localhost:7")[0], 200)
    check("browsers are told not to guess types", server.ask(home)[2]["X-Content-Type-Options"], "nosniff")
    check("HEAD has no body", server.ask(home, "HEAD")[:2], (200, b""))


def refused(server):
    home = f"/{server.token}/"
    for path in ["/", "/index.html", "/files/0", "/" + server.token, "//" + server.token + "/", f"/{server.token[:-1]}/", f"/{server.token}0/", f"/{'0' * 32}/files/0", "/favicon.ico"]:
        check(f"{path} lacks the token", server.ask(path)[0], 403)
    for host in ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example:8000", "localhost@evil.example", "", "[::2]:80", "127.0.0.2"]:
        check(f"host {host!r} is refused", server.ask(home + "files/0", host=host)[0], 403)
    for origin in ["http://evil.example", "https://127.0.0.1", "null", "http://localhost:1", "file://"]:
        check(f"origin {origin} is refused", server.ask(home + "files/0", origin=origin)[0], 403)
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]:
        status, body, _ = server.ask(home + "files/0", method, b"x" * 100 if method in ("POST", "PUT", "PATCH") else None)
        check(f"{method} is refused", (status in (403, 405, 413), len(body) < 200), (True, True))
    check("the server lives", server.ask(home)[0], 200)


def odd_paths(server, site, trace):
    """No path leads to anything but the page's own files and the one file that was given."""
    known = {file.read_bytes() for file in pathlib.Path(site).rglob("*") if file.is_file()} | {trace.read_bytes()}
    choose = random.Random(7)
    listing = server.ask(f"/{server.token}/files.json")[1]
    seen = 0
    for _ in range(400):
        path = f"/{server.token}/" + "/".join(choose.choice(PARTS) for _ in range(choose.randrange(1, 7)))
        path = urllib.parse.quote(path.replace("TOKEN", server.token), safe="/%\\?;~:")
        try:
            status, body, _ = server.ask(path)
        except http.client.HTTPException:
            continue # the connection was closed without an answer
        seen += 1
        if status == 200:
            check(f"{path} gives a file of the page", body in known or body == listing)
            check(f"{path} is the name of it", ".." not in urllib.parse.unquote(path.split("?")[0]))
        else:
            check(f"{path} is refused shortly", (status in (400, 403, 404, 414), len(body) < 300), (True, True))
    check("most paths are answered", seen > 300)
    check("the server still lives", server.ask(f"/{server.token}/")[0], 200)


def in_a_browser(server, trace, root):
    with tempfile.TemporaryDirectory() as folder:
        browser = chromium(root, folder)
        try:
            page = Traces(browser, server.address.split("traces.html")[0])
            browser.call("POST", "/url", {"url": server.address})
            page.until("return document.getElementById('title').textContent === arguments[0]", "the file is open", trace.name)
            page.drawn()
            check("the served trace is shown", "2 tracks, 50 slices" in page.text("scope"))
            trace.write_bytes(gzip.compress(gzip.decompress(trace.read_bytes()).replace(b'"multiply"', b'"product"')))
            page.until("return document.getElementById('said').textContent.includes('was saved')", "the saved file is opened again")
            page.drawn()
            check("with what was saved", "product" in page.text("regions") and "multiply" not in page.text("regions"))
            check("it can be compared with the one before", browser.run("return document.getElementById('compare').hidden"), False)
            check("the other page keeps the files", browser.run("return document.querySelector('nav a').href").endswith("/?files"))
            check("no errors in the browser's console", browser.problems(), [])
        finally:
            browser.close()


def main():
    program, site, root = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
    ran = subprocess.run([program, "serve", "--page", "/nowhere"], capture_output=True, text=True)
    check("without the page, the command says how to get it", (ran.returncode, "./dev site" in ran.stderr), (3, True))
    if not pathlib.Path(site, "traces.wasm").is_file():
        print(f"serve.py: skipped: {site} has no traces.wasm; `cmake --preset wasm && cmake --build --preset wasm` makes it")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "kernel's trace.json.gz")
        shutil.copyfile(pathlib.Path(root, "samples/traces/emulated_matmul.json.gz"), trace)
        ran = subprocess.run([program, "serve", "--page", site, folder + "/none.json"], capture_output=True, text=True)
        check("a missing file is told", (ran.returncode, "none.json" in ran.stderr), (1, True))
        server = Server(program, "--page", site, str(trace))
        try:
            check("the address is of this machine, with a token", (server.address.startswith("http://127.0.0.1:"), len(server.token), server.address.endswith("/traces.html?files")), (True, 32, True))
            other = Server(program, "--page", site)
            check("each server has its own token", other.token != server.token)
            other.end()
            taken = subprocess.run([program, "serve", "--page", site, "--port", str(server.port)], capture_output=True, text=True)
            check("a port that is taken is told", (taken.returncode, "is not free" in taken.stderr), (3, True))
            for own in {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}:
                if not own.startswith("127."):
                    check(f"others cannot connect to {own}", socket.socket().connect_ex((own, server.port)) != 0)
            given(server, site, trace)
            refused(server)
            odd_paths(server, site, trace)
            in_a_browser(server, trace, root)
        finally:
            server.end()
    if failures:
        sys.exit(f"serve.py: {len(failures)} checks failed")
    print("serve.py: all checks passed")


if __name__ == "__main__":
    main()
