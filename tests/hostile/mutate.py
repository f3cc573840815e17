"""Damages inputs with a seeded generator: bytes, words, and the structure of JSON."""
import json
import re

INTERESTING_BYTES = [b"\0", b"\xff", b"\x80", b"\n", b"\r", b"\"", b"\\", b"{", b"}", b"[", b"]", b"(", b")", b"<", b">", b"%", b"\x1b[2J",
                     b"\x1b]0;t\x07", b"\xe2\x80\xae", b"\xc2\x9b", b"'", b"/*", b"//", b"#", b",", b";", b":", b"-", b"0x", b"\xef\xbb\xbf"]
NUMBERS = ["0", "-1", "1", "2", "3", "7", "8", "15", "16", "31", "32", "33", "63", "64", "127", "128", "129", "255", "256", "1023", "1024", "4096",
           "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
           "18446744073709551615", "18446744073709551616", "99999999999999999999", "-9223372036854775808", "1e400", "0.5", "1e-400", "-0.0"]
WORD = re.compile(r"[A-Za-z_%$][\w$]*|\d+(?:\.\d+)?|\s+|.", re.S)


def damage_bytes(random, data, other=b""):
    """Makes a few changes: flips, inserts, deletes or doubles bytes, cuts the end off, or joins one input's head and
    another's tail."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 3, 8])):
        at = random.randrange(len(data) + 1)
        length = random.choice([1, 1, 2, 4, 8, 64, 1000])
        way = random.randrange(8)
        if way == 0 and data:
            data[at % len(data)] ^= 1 << random.randrange(8)
        elif way == 1:
            data[at:at] = random.choice(INTERESTING_BYTES)
        elif way == 2:
            del data[at:at + length]
        elif way == 3:
            data[at:at] = data[at:at + length] * random.choice([1, 1, 2, 50])
        elif way == 4 and random.random() < 0.5:
            del data[at:]
        elif way == 5 and other:
            data[at:] = other[random.randrange(len(other)):]
        elif way == 6:
            data[at:at + length] = bytes(random.randrange(256) for _ in range(min(length, 64)))
        else:
            data[at:at + 4] = random.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80"])
    return bytes(data)


def _class(word):
    return "name" if word[0].isalpha() or word[0] in "_%$" else "number" if word[0].isdigit() else "blank" if word.isspace() else \
        word if word in "()[]{}\"'#,:;" else "operator"


def _like_for_like(random, words, pool):
    """Replaces words by others of their class, which mostly keeps the syntax valid."""
    words = list(words)
    places = [n for n, word in enumerate(words) if _class(word) in ("name", "number", "operator")]
    for at in random.sample(places, min(len(places), random.choice([1, 1, 2, 4]))):
        kind = _class(words[at])
        choices = [word for word in pool if _class(word) == kind]
        words[at] = random.choice(NUMBERS if kind == "number" and random.random() < 0.5 else choices)
    return words


def damage_words(random, text, others=(), changes=None):
    """Makes a few changes: deletes, doubles or exchanges a word, or replaces it by a word of this or another text."""
    words = WORD.findall(text)
    pool = words + [word for other in others for word in WORD.findall(other)[:2000]]
    if words and random.random() < 0.5:
        return "".join(_like_for_like(random, words, pool))
    for _ in range(changes or random.choice([1, 1, 2, 3])):
        if not words:
            break
        at = random.randrange(len(words))
        way = random.randrange(7)
        if way == 0:
            del words[at]
        elif way == 1:
            words.insert(at, words[at])
        elif way == 2:
            other = random.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif way == 3:
            words[at] = random.choice(pool)
        elif way == 4:
            numbers = [n for n, word in enumerate(words) if word[0].isdigit()]
            if numbers:
                words[random.choice(numbers)] = random.choice(NUMBERS)
        elif way == 5:
            words.insert(at, random.choice(pool))
        else:
            end = min(len(words), at + random.randrange(1, 20))
            words[at:end] = words[at:end] * random.choice([0, 2, 3])
    return "".join(words)


def _values(random):
    return random.choice([None, True, False, 0, -1, 1, 2 ** 31, 2 ** 32, 2 ** 63, 2 ** 64, -2 ** 63, 0.5, 1e308, "", "x", "../../x", "/dev/null", "a\0b",
                          "\u202e", "f99", "f32", [], {}, [0], [-1], [2 ** 40], [1] * 9, [[1]], {"x": 1}])


def _places(value, out):
    if isinstance(value, dict):
        for key in value:
            out.append((value, key))
            _places(value[key], out)
    elif isinstance(value, list):
        for n in range(len(value)):
            out.append((value, n))
            _places(value[n], out)
    return out


def _nudged(random, value):
    """Replaces one value by another of its kind. The reader accepts it, but later checks may not."""
    places = [(holder, key) for holder, key in _places([value], []) if not isinstance(holder[key], (dict, list))]
    for holder, key in random.sample(places, min(len(places), random.choice([1, 1, 2]))):
        old = holder[key]
        if isinstance(old, bool):
            holder[key] = not old
        elif isinstance(old, (int, float)):
            holder[key] = random.choice([old + 1, max(old - 1, 0), old * 2, old * 8, old // 2, 0, 1, 3, 16, 127, 1024, 65536])
        elif isinstance(old, str):
            same = [each[at] for each, at in places if isinstance(each[at], str)]
            holder[key] = random.choice(same + ["f16", "u8", "f8E4M3FN", "i4", "zeros", "nan"])
    return value


def damage_json(random, text):
    """Makes a few changes: deletes, doubles, renames or replaces a member, changes a number by one, or rarely damages
    bytes."""
    root = [json.loads(text)]
    if random.random() < 0.4:
        return json.dumps(_nudged(random, root[0]))
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        places = _places(root, [])
        if not places:
            break
        holder, key = random.choice(places)
        way = random.randrange(7)
        if way == 0 and holder is not root:
            del holder[key]
        elif way == 1:
            holder[key] = _values(random)
        elif way == 2 and isinstance(holder, list):
            holder.insert(key, json.loads(json.dumps(holder[key])))
        elif way == 3 and isinstance(holder, dict):
            holder[random.choice(["", "kind", key + "x", "offset", "shape", "buffer"])] = holder.pop(key)
        elif way == 4 and isinstance(holder[key], int):
            holder[key] += random.choice([-1, 1, 1000, 2 ** 32])
        elif way == 5:
            other_holder, other_key = random.choice(places)
            holder[key] = json.loads(json.dumps(other_holder[other_key]))
        else:
            holder[key] = [holder[key]]
    out = json.dumps(root[0])
    if random.random() < 0.1:
        out = damage_bytes(random, out.encode()).decode("utf-8", "replace")
    return out
