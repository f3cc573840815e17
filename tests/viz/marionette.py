"""Drives Firefox with its own protocol, Marionette, so it does not need geckodriver, which Debian lacks.

    browser = Firefox("/usr/bin/firefox-esr", folder)
    browser.call("POST", "/url", {"url": "file:///…"})     the calls of html.py's Browser
    browser.run("return document.title")

A message is its length, a colon and JSON: a request is [0, id, command, parameters], an answer is [1, id, error,
result]."""
import json
import pathlib
import socket
import subprocess
import sys
import time

COMMANDS = {("POST", "/url"): "WebDriver:Navigate", ("POST", "/actions"): "WebDriver:PerformActions",
            ("POST", "/execute/sync"): "WebDriver:ExecuteScript"}
# Turns off everything that the test does not request. The system chooses the port.
PREFERENCES = """user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("network.proxy.type", 0);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""


class Firefox:
    def __init__(self, program, folder):
        self.profile = pathlib.Path(folder) / "firefox"
        self.profile.mkdir()
        (self.profile / "user.js").write_text(PREFERENCES)
        self.log = open(pathlib.Path(folder) / "firefox.log", "wb")
        self.process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", str(self.profile), "--width", "1400", "--height",
             "1000"], stdout=self.log, stderr=self.log)
        self.wire, self.number, self.read = None, 0, b""
        self.wire = socket.create_connection(("127.0.0.1", self.port()), timeout=120)
        self.message()  # its greeting
        self.send("WebDriver:NewSession", {})
        self.send("WebDriver:SetWindowRect", {"x": 0, "y": 0, "width": 1400, "height": 1000})

    def port(self):
        deadline = time.monotonic() + 60
        place = self.profile / "MarionetteActivePort"
        while time.monotonic() < deadline and self.process.poll() is None:
            if place.exists() and place.read_text().strip():
                return int(place.read_text())
            time.sleep(0.05)
        sys.exit("html.py: Firefox did not start")

    def message(self):
        while b":" not in self.read:
            self.more()
        length, _, self.read = self.read.partition(b":")
        while len(self.read) < int(length):
            self.more()
        text, self.read = self.read[:int(length)], self.read[int(length):]
        return json.loads(text)

    def more(self):
        part = self.wire.recv(1 << 16)
        if not part:
            sys.exit("html.py: Firefox closed the connection")
        self.read += part

    def send(self, command, parameters):
        self.number += 1
        data = json.dumps([0, self.number, command, parameters]).encode()
        self.wire.sendall(f"{len(data)}:".encode() + data)
        _, _, error, result = self.message()
        if error:
            sys.exit(f"html.py: Firefox: {command}: {json.dumps(error)[:600]}")
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def call(self, method, path, body=None):
        return self.send(COMMANDS[method, path], body or {})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def close(self):
        if self.wire:
            self.wire.close()
        self.process.terminate()
        self.process.wait(20)
        self.log.close()
