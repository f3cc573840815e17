match = {1, *"ab", (2, 3)} - {x for x in range(3) if x}
match (match, [1, 2]):
  case (0 | -1, _) | None: pass
  case [first, *rest] as whole if first == rest: y = whole
  case Point(0, x=lib.NAME, y="a" as b), {"k": 1}: pass
  case *_, last: last
match[0]: int = match(1)
