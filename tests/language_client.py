"""A scripted editor for `lanescope lsp`. It sends requests and changes, and keeps the server's notifications."""
import json
import queue
import subprocess
import threading
import time

PATIENCE = 60  # seconds after which an answer counts as missing


class Client:
    def __init__(self, program, arguments=(), capabilities=None):
        self.process = subprocess.Popen([program, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.incoming, self.next_id, self.latencies = queue.Queue(), 0, []
        self.diagnostics, self.versions, self.shown, self.messages, self.replies = {}, {}, [], [], {}
        self.progress, self.checked = {}, {}  # title and versions by token; versions by title
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.capabilities = capabilities if capabilities is not None else {
            "window": {"workDoneProgress": True, "showDocument": {"support": True}},
            "workspace": {"inlayHint": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}}}

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while (line := out.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line or length is None:
                self.incoming.put(None)
                return
            self.incoming.put(json.loads(out.read(length)))

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, params=None):
        self.send({"method": method, "params": params})

    def pump(self, until):
        """Takes messages until `until()` is true."""
        deadline = time.monotonic() + PATIENCE
        while not until():
            try:
                message = self.incoming.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError("the server did not answer") from None
            if message is None:
                raise AssertionError(f"the server ended with status {self.process.wait()}")
            self._take(message)

    def _take(self, message):
        params = message.get("params") or {}
        method = message.get("method")
        if method is None:
            self.replies[json.dumps(message["id"])] = message
        elif "id" in message:
            if method == "window/showDocument":
                self.shown.append(params["uri"])
            self.send({"id": message["id"], "result": {"success": True} if method == "window/showDocument" else None})
        elif method == "textDocument/publishDiagnostics":
            self.diagnostics[params["uri"]] = params["diagnostics"]
            self.versions[params["uri"]] = params.get("version")
        elif method == "$/progress":
            value = params["value"]
            if value["kind"] == "begin":
                self.progress[params["token"]] = value["title"], dict(self.versions)
            else:
                title, versions = self.progress.pop(params["token"])
                self.checked[title] = versions
        elif method == "window/showMessage":
            self.messages.append(params["message"])

    def request(self, method, params=None):
        """The answer's result, or `{"error": …}`."""
        self.next_id += 1
        mine = self.next_id
        begin = time.perf_counter()
        self.send({"id": mine, "method": method, "params": params})
        self.pump(lambda: str(mine) in self.replies)
        self.latencies.append((method, time.perf_counter() - begin))
        answer = self.replies.pop(str(mine))
        return answer["result"] if "result" in answer else {"error": answer["error"]}

    def initialize(self):
        result = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": self.capabilities})
        self.notify("initialized", {})
        return result["capabilities"]

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": version, "text": text}})

    def change(self, uri, version, changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def settled(self, uri, version=1):
        """The diagnostics after compiler and checker have finished this version."""
        title = "checking " + uri.rsplit("/", 1)[1]
        self.pump(lambda: self.checked.get(title, {}).get(uri) == version)
        return self.diagnostics[uri]

    def compiled(self, uri, version=1):
        self.pump(lambda: self.versions.get(uri) == version)
        return self.diagnostics[uri]

    def at(self, method, uri, line, character, **more):
        """Sends a request at a place. Lines and characters count from 0, as in the protocol."""
        return self.request("textDocument/" + method,
                            {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more})

    def of(self, method, uri, **more):
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri}, **more})

    def close(self):
        """Shuts the server down. Returns its exit status."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(PATIENCE)
