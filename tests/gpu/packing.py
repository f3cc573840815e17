"""Stores arrays for pack.py: every run of elements once, and with no more bits than it needs.

  store = Writer(file)
  entry = store.add(npy_bytes)          # {"head": …, "width": 2, "palette": …, "bits": 4, "count": 4096, "chunks": [[0, 1]]}
  Reader(file_again).bytes_of(entry)    # npy_bytes

Test inputs are mostly prefixes of one another (the same seed at several shapes and dtypes) with few distinct values. So
an array of at most 256 distinct values is stored as their numbers in order of first appearance, which do not depend on
the dtype, with four or eight bits each. Another array becomes one stream for each byte of an element. Streams are cut
into chunks, and equal chunks are stored once. Needs only the standard library: bytes.translate and slices do the work.
"""
import array
import hashlib

CHUNK = 1 << 17
UPPER = bytes(code >> 4 for code in range(256))
LOWER = bytes(code & 15 for code in range(256))
CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


def split_npy(data):
    """The header of a .npy file and its elements' bytes."""
    wide = data[6] >= 2
    start = 12 + int.from_bytes(data[8:12], "little") if wide else 10 + int.from_bytes(data[8:10], "little")
    return data[:start], data[start:]


def describe(head):
    """('<f2', [64, 128], 'bfloat16' or another name in a comment)."""
    text = head[10 if head[6] < 2 else 12:].decode("latin-1")
    shape = [int(part) for part in text.split("'shape': (")[1].split(")")[0].split(",") if part.strip()]
    return text.split("'descr': '")[1].split("'")[0], shape, text.split("#")[1].split()[0] if "#" in text else ""


def halves(codes):
    """Pairs of numbers below 16 as bytes. An odd last number gets its own byte."""
    upper, lower = (int.from_bytes(codes[start::2], "little") for start in (0, 1))
    return (upper << 4 | lower).to_bytes((len(codes) + 1) // 2, "little")


def wholes(pairs, count):
    codes = bytearray(2 * len(pairs))
    codes[0::2], codes[1::2] = pairs.translate(UPPER), pairs.translate(LOWER)
    return bytes(codes[:count])


class Writer:
    def __init__(self, file):
        self.file, self.numbers, self.position, self.entries = file, {}, [], {}

    def chunks(self, stream):
        """The numbers of a stream's chunks. Writes new chunks."""
        found = []
        for start in range(0, len(stream), CHUNK):
            chunk = stream[start:start + CHUNK]
            key = hashlib.sha256(chunk).digest()
            if key not in self.numbers:
                self.numbers[key] = len(self.position)
                self.position.append([self.file.tell(), len(chunk)])
                self.file.write(chunk)
            found.append(self.numbers[key])
        return found

    def add(self, npy):
        head, data = split_npy(npy)
        descr, _, _ = describe(head)
        width = int(descr[2:])
        key = width, hashlib.sha256(data).digest()
        if key not in self.entries:
            self.entries[key] = self.encode(data, width)
        return {"head": head.decode("latin-1"), **self.entries[key]}

    def encode(self, data, width):
        entry = {"width": width, "count": len(data) // width}
        if width in CODES:
            elements = array.array(CODES[width], data)
            numbers = {value: number for number, value in enumerate(dict.fromkeys(elements))}
            if len(numbers) <= 256:
                codes = bytes(map(numbers.__getitem__, elements))
                entry.update(palette=list(numbers), bits=4 if len(numbers) <= 16 else 8)
                return {**entry, "chunks": [self.chunks(halves(codes) if len(numbers) <= 16 else codes)]}
        return {**entry, "chunks": [self.chunks(data[byte::width]) for byte in range(width)]}


class Reader:
    def __init__(self, file, position):
        self.file, self.position = file, position

    def stream(self, numbers):
        parts = []
        for number in numbers:
            start, size = self.position[number]
            self.file.seek(start)
            parts.append(self.file.read(size))
        return b"".join(parts)

    def bytes_of(self, entry):
        width, count = entry["width"], entry["count"]
        streams = [self.stream(numbers) for numbers in entry["chunks"]]
        if "palette" in entry:
            codes = wholes(streams[0], count) if entry["bits"] == 4 else streams[0]
            values = [value.to_bytes(width, "little") for value in entry["palette"]]
            values += [bytes(width)] * (256 - len(values))
            streams = [codes.translate(bytes(value[byte] for value in values)) for byte in range(width)]
        data = bytearray(width * count)
        for byte, stream in enumerate(streams):
            data[byte::width] = stream
        return entry["head"].encode("latin-1") + bytes(data)
