"""The ways to break a line. Each operator finds places in a source file; a place is a list of replacements
(start, end, new text) of the file's text, and nothing but the text is known about it: whether the result
compiles, and is another program, is found out later.
"""
import re

from source import HIDDEN, MESSAGES, closing, functions, language, masks

FLIP = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
TYPES = (r"const|static|struct|enum|union|unsigned|int|char|bool|float|double|long|short|void|size_t|ssize_t|"
         r"u?int\d+_t|typedef|extern|volatile|precise|uint|u?vec\d|d?vec\d|shared|layout|in|out|inout|node_id|buf_id|"
         r"complex|pthread_\w+|json_object|Vk\w+|vkr_\w+")
NO_STATEMENT = re.compile(r"(%s)\b[^(]|(return|case|default|else|do|goto|if|for|while|switch)\b" % TYPES)
SYNC = re.compile(r"barrier|mutex_|cond_(wait|signal|broadcast)|atomic_|memoryBarrier", re.I)
# Leaks are what the sanitized build looks for.
RELEASES = re.compile(r"(free|arena_finish|json_object_put|str_free|\w+_release|\*why\b|\(void\))\b")
NAME = r"(?:[\w.]|->|\[[\w>.\-]+\])+(?:\([\w., >\-]*\))?"
PLAIN = r"[\w.>&*\[\]\- ]+"
# Swapping these for another argument is a crash in every call.
STATE = {"b", "acc", "env", "state", "e", "c", "err", "d"}


def relational(path, code, strings):
    if language(path) == "elixir":
        found = re.finditer(r"(?<=\s)(<=|>=|==|!=|<|>)(?=\s)", code)
    else:
        found = re.finditer(r"(?<=\s)(<=|>=|==|!=|<|>)(?=\s)", strings)
    for m in found:
        yield [(m.start(), m.end(), FLIP[m.group()])]


def _integers(path, code, strings):
    number = r"(?<![\w.#@$?:&])(?<![eE][-+])(0[xX][0-9a-fA-F_]+|\d[\d_]*)([uUlL]*)(?![\w.:@]|\s*:\s)"
    for m in re.finditer(number, strings):
        before, after = strings[:m.start()].rstrip(), strings[m.end():m.end() + 1]
        line = strings[strings.rfind("\n", 0, m.start()) + 1:m.start()]
        if before.endswith("{") and after == "}":
            continue  # {0}: all of a struct
        if before.endswith("[") and re.match(r"\s*(static |const )*(%s)\b.*\w\[$" % TYPES, line):
            continue  # the size of an array
        if before.endswith("[") and re.match(r"\]\)\s*\{", strings[m.end():]):
            continue  # the same, of a compound literal
        if code[m.start()] == HIDDEN and not re.match(r"[uU]", m.group(2) or " "):
            continue  # in a string only what is GLSL for sure
        if language(path) == "elixir" and re.search(r"/$", before):
            continue  # fun/2
        yield m


def off_by_one(path, code, strings):
    for m in _integers(path, code, strings):
        if m.group(1)[:2].lower() == "0x":
            continue
        n = int(m.group(1).replace("_", ""))
        yield [(m.start(1), m.end(1), str(n + 1))]
        if n > 0:
            yield [(m.start(1), m.end(1), str(n - 1))]


def constant(path, code, strings):
    for m in _integers(path, code, strings):
        if m.group(1)[:2].lower() == "0x":
            n = int(m.group(1), 16)
            yield [(m.start(1), m.end(1), hex(n ^ (1 << max(n.bit_length() // 2, 0))))]
        elif int(m.group(1).replace("_", "")) > 1:
            n = int(m.group(1).replace("_", ""))
            yield [(m.start(1), m.end(1), str(2 * n))]
            yield [(m.start(1), m.end(1), "0")]
    for m in re.finditer(r"(?<![\w.])(\d+\.\d+(?:[eE][-+]?\d+)?)(?![\w.])", code):
        value = float(m.group())
        yield [(m.start(), m.end(), "1.0" if value == 0 else repr(value * 2))]
        if value:
            yield [(m.start(), m.end(), repr(value * (1 + 2.0 ** -12)))]
    for m in re.finditer(r"\b(true|false)\b", code):
        yield [(m.start(), m.end(), "false" if m.group() == "true" else "true")]


def _c_statements(path, code):
    """(start, end, text) of statements that are assignments or calls."""
    for m in re.finditer(r"^[ \t]+(?=[A-Za-z_*(]|\+\+|--)", code, re.M):
        start = m.end()
        before = code[max(m.start() - 400, 0):m.start()].rstrip()
        if not before or not re.search(r"[;{})]$|\b(else|do)$|\b(case \w+|default):$", before):
            continue
        depth, i = 0, start
        while i < len(code) and not (code[i] == ";" and depth == 0):
            if code[i] in "([{":
                depth += 1
            elif code[i] in ")]}":
                depth -= 1
                if depth < 0:
                    break
            i += 1
        text = code[start:i]
        if i >= len(code) or code[i] != ";" or depth or text.count("\n") > 4:
            continue
        if NO_STATEMENT.match(text) or RELEASES.match(text) or re.match(r"\w+ \**\w+( =|$|,|\[)", text):
            continue
        if re.match(r"(%s)\(" % MESSAGES, text):
            continue
        yield start, i + 1, text


def _dropped(code, start, end):
    return ";" + "\n" * code[start:end].count("\n")


def statement(path, code, strings):
    if language(path) == "elixir":
        for m in re.finditer(r"^[ \t]*\|>[^\n]*(?=\n)|[ ]\|> [\w.]+\([^()\n]*\)", code, re.M):
            yield [(m.start(), m.end(), "")]
        for m in re.finditer(r"^([ \t]+)[\w.]+\([^\n]*\)(?=\n\1\S)", code, re.M):
            yield [(m.start() + len(m.group(1)), m.end(), ":ok")]
        return
    for start, end, text in _c_statements(path, code):
        if not SYNC.search(text):
            yield [(start, end, _dropped(code, start, end))]
    for m in re.finditer(r"^[ \t]+(break|continue|goto \w+);", code, re.M):
        yield [(m.start(1), m.end(), ";")]


def synchronisation(path, code, strings):
    """A dropped barrier, wait or signal; a lock dropped with its unlocks."""
    if language(path) == "elixir":
        return
    for start, end, text in _c_statements(path, code):
        lock = re.match(r"pthread_mutex_lock\((.*)\)$", text, re.S)
        if lock:
            body = next((b for b in functions(code) if b[1] <= start < b[2]), None)
            if body:
                unlock = "pthread_mutex_unlock(%s);" % lock.group(1)
                places = [m.start() for m in re.finditer(re.escape(unlock), code[:body[2]]) if m.start() > start]
                yield [(start, end, ";")] + [(p, p + len(unlock), ";") for p in places]
        elif SYNC.search(text) and "mutex_unlock" not in text and "_init(" not in text and "_destroy(" not in text:
            yield [(start, end, _dropped(code, start, end))]
    for m in re.finditer(r"(?<=[ @\"])(barrier|memoryBarrierShared|memoryBarrierBuffer)\(\);", strings):
        if code[m.start()] == HIDDEN:
            yield [(m.start(), m.end(), "")]


# What these make of their first two arguments does not depend on which is first, or only by its sign.
COMMUTE = re.compile(r"\w*(max|min|_equal)|f?(max|min)|min32|memcmp|strn?cmp")


def swapped(path, code, strings):
    for m in re.finditer(r"(?<![\w.>\])])(%s) (-|/|%%|<<|>>) (%s)(?![\w.\[(>-])" % (NAME, NAME), code):
        if m.group(1) != m.group(3) and not re.fullmatch(r"\d+[uUlL]*", m.group(1) + m.group(3)):
            yield [(m.start(), m.end(), "%s %s %s" % (m.group(3), m.group(2), m.group(1)))]
    for m in re.finditer(r"(?<=\s)(\+|-|\*)(?=\s)", strings):
        if code[m.start()] != HIDDEN or m.group() != "*":
            yield [(m.start(), m.end(), {"+": "-", "-": "+", "*": "+"}[m.group()])]
    for m in re.finditer(r"\? (%s) : (%s)(?=[;,)])" % (NAME, NAME), code):
        if m.group(1) != m.group(2):
            yield [(m.start(), m.end(), "? %s : %s" % (m.group(2), m.group(1)))]
    for m in re.finditer(r"\b([a-z_][\w.]*)\(", code):
        line = code[code.rfind("\n", 0, m.start()) + 1:m.start()]
        if m.group(1) in ("if", "while", "for", "switch", "sizeof", "return", "fn") or re.search(r"\bdefp? $", line):
            continue
        if language(path) != "elixir" and not line.startswith((" ", "\t")):
            continue
        end = closing(code, m.end() - 1)
        args = _arguments(code, m.end(), end) if end > 0 else []
        commute = COMMUTE.fullmatch(m.group(1))
        for (s, e), (t, f) in zip(args[1 if commute else 0:], args[2 if commute else 1:]):
            a, b = code[s:e], code[t:f]
            is_plain = re.fullmatch(PLAIN, a) and re.fullmatch(PLAIN, b) and not re.match(r"(%s)\b" % TYPES, a)
            if a != b and is_plain and not {a, b} & STATE:
                yield [(s, e, b), (t, f, a)]


def _arguments(code, start, end):
    """Where each argument between two brackets is, without the blanks around it."""
    found, depth, at = [], 0, start
    for i in range(start, end + 1):
        if code[i] in "([{" and i < end:
            depth += 1
        elif code[i] in ")]}" and i < end:
            depth -= 1
        elif i == end or (code[i] == "," and depth == 0):
            s, e = at, i
            while s < e and code[s].isspace():
                s += 1
            while e > s and code[e - 1].isspace():
                e -= 1
            found.append((s, e))
            at = i + 1
    return found


def _extent(code, at, step, stops):
    """How far an operand reaches from an operator: to a bracket that is not its own, or one of the stops."""
    depth, i = 0, at
    opening, ending = ("([{", ")]}") if step > 0 else (")]}", "([{")
    while 0 <= i < len(code):
        c = code[i]
        if c in opening:
            depth += 1
        elif c in ending:
            if depth == 0:
                return i
            depth -= 1
        elif depth == 0:
            ahead = code[i:i + 8] if step > 0 else code[max(i - 7, 0):i + 1][::-1]
            if c in ";,?:" or re.match(stops, ahead):
                return i
        i += step
    return i


def condition(path, code, strings):
    if language(path) == "elixir":
        for m in re.finditer(r"\bif (?=[^\n]*(\bdo\b|, do:))|(?<=\()if ", code):
            yield [(m.start(), m.end(), "unless ")]
        for m in re.finditer(r"\bunless ", code):
            yield [(m.start(), m.end(), "if ")]
        for m in re.finditer(r"\bnot ", code):
            if code[max(m.start() - 1, 0)] != "_" and code[m.end():m.end() + 3] != "in ":
                yield [(m.start(), m.end(), "")]
        for m in re.finditer(r" (and|or|&&|\|\|) ", code):
            end = re.compile(r"\n| do\b|, do:|->| and | or | && | \|\| |\)").search(code, m.end())
            piece = code[m.start():end.start()] if end else "("
            if piece.count("(") == piece.count(")") and piece.count("[") == piece.count("]"):
                yield [(m.start(), end.start(), " " if code[end.start():end.start() + 2] == "->" else "")]
        return
    for m in re.finditer(r"\bif \(", code):
        end = closing(code, m.end() - 1)
        if end > 0:
            yield [(m.end(), m.end(), "!("), (end, end, ")")]
    for m in re.finditer(r"(?<=[( ])!(?=[\w(])", code):
        yield [(m.start(), m.end(), "")]
    for m in re.finditer(r" (&&|\|\|)(?=\s)", code):
        left = _extent(code, m.start() - 1, -1, r"(&&|\|\|)|=(?![=!<>])|nruter") + 1
        right = _extent(code, m.end(), 1, r"(&&|\|\|)")
        while left < m.start() and code[left].isspace():
            left += 1
        lines = code[m.start():right].count("\n")
        yield [(m.start(), right, "\n" * lines)]
        gap = re.compile(r"\s*").match(code, m.end()).end()
        yield [(left, gap, "\n" * code[left:gap].count("\n"))]
    for m in re.finditer(r" && ", strings):
        if code[m.start() + 1] == HIDDEN:
            end = re.compile(r" && | \|\||[\")?]").search(strings, m.end())
            piece = strings[m.end():end.start()] if end else ""
            if end and "%" not in piece and piece.count("(") == piece.count(")"):
                yield [(m.start(), end.start(), "")]


OPERATORS = {
    "relation": relational,
    "off by one": off_by_one,
    "constant": constant,
    "statement": statement,
    "synchronisation": synchronisation,
    "swap": swapped,
    "condition": condition,
}


def mutants(path, text):
    """{operator: [edits, ...]}, where edits are (line number, old line, new line)."""
    code, strings = masks(path, text)
    lines = text.split("\n")
    found = {}
    for name, operator in OPERATORS.items():
        for places in operator(path, code, strings):
            edits = _line_edits(text, lines, places)
            if edits and edits not in found.setdefault(name, []):
                found[name].append(edits)
    return found


def _line_edits(text, lines, places):
    new = text
    for start, end, replacement in sorted(places, reverse=True):
        # an operator sees masks, the operands it moves have to come from the text
        new = new[:start] + replacement + new[end:]
    after = new.split("\n")
    if len(after) != len(lines) or HIDDEN in new:
        return None
    return [(i + 1, a, b) for i, (a, b) in enumerate(zip(lines, after)) if a != b]
