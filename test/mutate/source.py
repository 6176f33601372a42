"""What of a source file may be mutated: text with comments, messages and declarations blanked out.

A mask is as long as the text that it stands for, so that offsets in one are offsets in the other.
"""
import re

BLANK = " "
HIDDEN = "\x01"  # stands for a character of a string

# Calls whose arguments are words for people, or how much memory: too little of it is what the sanitizers find.
MESSAGES = (r"FAIL|FAIL_AT|DIAG|diag_\w+|error_set|error_memory|emit_fail|emit_note|log_\w+|v?f?printf|perror|"
            r"trace_\w+|static_assert|_Static_assert|profile_print|no_memory|fail|refuse|VKR_FORMAT|BAD\w*|ARENA_ARRAY|"
            r"why_not")
# Functions that write for people: their whole bodies.
FOR_PEOPLE = re.compile(
    r"label|explain|describe|usage|_help|print_|_print|dot_|debug|trace|error_text|summary|stats|log_to"
)
# C files that write GLSL in their strings.
WRITES_GLSL = re.compile(r"compiler/(codegen|plan/group)/.*\.c$")


def language(path):
    if path.endswith((".ex", ".exs")):
        return "elixir"
    return "glsl" if path.endswith((".glsl", ".comp")) else "c"


def _blank(text, start, end, fill=BLANK):
    return text[:start] + "".join("\n" if c == "\n" else fill for c in text[start:end]) + text[end:]


def closing(mask, at):
    """The position of the bracket that closes the one at `at`, or -1."""
    depth = 0
    for i in range(at, len(mask)):
        if mask[i] in "([{":
            depth += 1
        elif mask[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return -1


C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|'
                     r'^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)


def _mask_c(text, keep_strings):
    def hide(m):
        t = m.group()
        if t.startswith(('"', "'")):
            if keep_strings and t[0] == '"' and "//" not in t:
                return t
            return t[0] + re.sub(r"[^\n]", HIDDEN, t[1:-1]) + t[0]
        return re.sub(r"[^\n]", BLANK, t)
    return C_TOKEN.sub(hide, text)


ELIXIR_TOKEN = re.compile(r'"""(?:\\.|.)*?"""|~[a-zA-Z]\((?:\\.|[^)])*\)|~[a-zA-Z]\{[^}]*\}|~[a-zA-Z]\[[^\]]*\]|'
                          r'~[a-zA-Z]/(?:\\.|[^/\n])*/|"(?:\\.|[^"\\])*"|\?.|#[^\n]*', re.S)
ELIXIR_WORDS = (r"^\s*@(moduledoc|doc|typedoc|spec|type|typep|opaque|callback|enforce_keys|behaviour|impl)\b[^\n]*"
                r"(\n\s+(?!def)[^\n]*(::|\|[^>])[^\n]*)*|"
                r"^\s*(alias|import|require|use)\b[^\n]*(\n\s+[^\n]*\})?|\braise\b[^\n]*")


def _mask_elixir(text):
    def hide(m):
        t = m.group()
        if t[0] == "#":
            return re.sub(r"[^\n]", BLANK, t)
        return t[0] + re.sub(r"[^\n]", HIDDEN, t[1:-1]) + t[-1]
    mask = ELIXIR_TOKEN.sub(hide, text)
    # documentation, specifications, and what an error says
    for m in re.finditer(ELIXIR_WORDS, mask, re.M):
        mask = _blank(mask, m.start(), m.end())
    return mask


def _without_messages(mask):
    for m in list(re.finditer(r"\b(?:%s)\(" % MESSAGES, mask)):
        end = closing(mask, m.end() - 1)
        if end > 0:
            mask = _blank(mask, m.end(), end, HIDDEN)
    return mask


def functions(mask):
    """(name, start of the body, its end) of every function of a C or GLSL file."""
    for m in re.finditer(r"^[A-Za-z][^;{}=\n]*?(\w+)\([^;{}]*\)\s*\n\{", mask, re.M):
        end = closing(mask, m.end() - 1)
        if end > 0:
            yield m.group(1), m.end(), end


def _without_functions_for_people(mask):
    for name, start, end in list(functions(mask)):
        if FOR_PEOPLE.search(name):
            mask = _blank(mask, start, end)
    return mask


def masks(path, text):
    """(mask for code, mask in which the strings that hold GLSL are legible)."""
    if language(path) == "elixir":
        mask = _mask_elixir(text)
        return mask, mask
    code = _without_functions_for_people(_without_messages(_mask_c(text, False)))
    if not WRITES_GLSL.search(path):
        return code, code
    strings = _mask_c(text, True)
    strings = "".join(s if c == HIDDEN else c for c, s in zip(code, strings))
    # what was hidden as a message is legible again, so hide it for good
    for m in list(re.finditer(r"\b(?:%s)\(" % MESSAGES, code)):
        end = closing(code, m.end() - 1)
        if end > 0:
            strings = _blank(strings, m.end(), end, HIDDEN)
    return code, strings
