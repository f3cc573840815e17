"""A tree of files beside the scratch folder. No input may change it or add files to it."""
import hashlib
import os


class Sentinel:
    def __init__(self, folder):
        self.folder = folder
        for name, content in {"plain.txt": b"mine\n", "array.npy": b"\x93NUMPY not really", "deep/er/code.py": b"print(1)\n", "launch.json": b"{}\n",
                              "k.ptx": b"// nothing\n", "trace.json": b"[]\n", "empty": b""}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (folder / "link").symlink_to("plain.txt")
        self.before = self.state()

    def state(self):
        out = {}
        for place, folders, files in os.walk(self.folder):
            for name in folders + files:
                path = os.path.join(place, name)
                status = os.lstat(path)
                content = hashlib.sha256(open(path, "rb").read()).hexdigest() if os.path.isfile(path) else ""
                out[path] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino, content)
        return out

    def problem(self):
        now = self.state()
        changed = sorted({path for path in now.keys() | self.before.keys() if now.get(path) != self.before.get(path)} - {str(self.folder)})
        return f"files outside of the scratch folder were touched: {changed[:5]}" if changed else ""
