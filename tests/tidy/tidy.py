#!/usr/bin/env python3
"""Holds the tree against the house rules that a machine can check: layers, sizes, heads, banned calls; docs/cases.md
against the tests that it names.

Run with the tests; prints one line per finding and exits 1 when there is any.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_LINES = 600

# What a folder may include, besides itself; the longest matching prefix of a file's path counts.
LAYERS = {
    "schemas": [],
    "engine/base": ["schemas"],
    "engine/core": ["schemas", "engine/base"],
    "engine/host/ring": ["schemas/runtime", "engine/base"],
    "engine/host/shard": ["schemas/runtime", "engine/base", "engine/host/ring"],
    "engine/host/driver": ["schemas", "engine/base", "engine/core", "engine/host"],
    "log": ["schemas", "engine"],
    "net": ["schemas", "engine"],
    "tools": ["schemas", "engine", "log", "net"],
    "bench": ["schemas", "engine", "log", "net", "tools", "tests"],
    "tests": ["schemas", "engine", "log", "net", "tools"],
}
OUR_TOPS = ("schemas/", "engine/", "log/", "net/", "tools/", "bench/", "tests/")

# engine/core and schemas: no clock, thread, global randomness, syscall, or order of a hash.
PURE = ("engine/core/", "engine/base/", "schemas/runtime/", "schemas/batch/", "schemas/records/")
PURE_BANNED_INCLUDES = re.compile(r"#include <(thread|mutex|atomic|random|chrono|future|condition_variable|iostream|fstream|"
                                  r"filesystem|sys/.*|unistd\.h|fcntl\.h|time\.h|ctime)>")
PURE_BANNED_CALLS = re.compile(r"\b(std::chrono|clock_gettime|gettimeofday|std::rand|getrandom|std::shuffle)\b|\btry\s*\{|\bthrow\b|"
                               r"\bdynamic_cast\b")
HASH_LOOP = re.compile(r"for \([^;)]*:[^;)]*unordered")
LEFT_OPEN = re.compile(r"\b(TODO|FIXME|XXX)\b")

# docs/cases.md: its rows, in their order, and how a test names them.
CASES = [*(str(n) for n in (
    1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38, 40, 41, 43, 44, 46, 47, 49, 50,
    52, 53, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68, 70, 71, 73, 74, 76, 77, 79, 80, 82, 83, 85, 86, 88, 89, 91, 92, 94, 95)),
    *(f"P{n}" for n in range(1, 13)), "strangers"]
CASE = r"(?:P?\d+|strangers)"
NAMED_CASES = re.compile(rf"cases\.md (?:rows? )?({CASE}(?:(?:, and |, | and ){CASE})*)")


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [p for p in listed if (ROOT / p).is_file()]


def layer_of(path):
    fitting = [layer for layer in LAYERS if path == layer or path.startswith(layer + "/")]
    return max(fitting, key=len, default=None)


def check_includes(path, text, findings):
    layer = layer_of(path)
    if layer is None:
        return
    for number, line in enumerate(text.splitlines(), 1):
        included = re.match(r'#include "([^"]+)"', line)
        if not included or not included.group(1).startswith(OUR_TOPS):
            continue
        target = included.group(1)
        allowed = [layer, *LAYERS[layer]]
        if not any(target.startswith(a + "/") for a in allowed):
            findings.append(f"{path}:{number}: {layer} must not include {target}")
    if not path.startswith("engine/host/ring/") and re.search(r"^#include <liburing", text, re.M):
        findings.append(f"{path}: only engine/host/ring includes liburing")


def check_head(path, text, findings):
    first = text.lstrip("\ufeff").split("\n", 2)
    if path.endswith((".h", ".cc")):
        head = "\n".join(text.splitlines()[:12])
        is_pair = path.endswith(".cc") and (ROOT / path[:-3]).with_suffix(".h").exists()
        if not is_pair and not first[0].startswith("//"):
            findings.append(f"{path}:1: the head does not say what the file is for")
        if path.endswith(".h") and not path.startswith(("tests/", "bench/")) and "Owner:" not in head:
            findings.append(f"{path}:1: the head does not name an owner")
    if path.endswith(".py") and path.split("/")[-1] != "__init__.py" and '"""' not in text[:200]:
        findings.append(f"{path}:1: the head does not say what the file is for")


def check_pure(path, text, findings):
    if not path.startswith(PURE):
        return
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        code = re.sub(r'"(\\.|[^"\\])*"', '""', code) if not code.startswith("#include") else code
        for banned in (PURE_BANNED_INCLUDES, PURE_BANNED_CALLS, HASH_LOOP):
            if banned.search(code):
                findings.append(f"{path}:{number}: not in pure code: {code.strip()}")


def check(path, findings):
    if not path.endswith((".h", ".cc", ".inc", ".py", ".java", ".sh", ".txt", ".cmake")):
        return
    text = (ROOT / path).read_text()
    lines = text.count("\n")
    if lines > MOST_LINES and not path.endswith((".inc", ".txt")):
        findings.append(f"{path}: {lines} lines; {MOST_LINES} is the most")
    for number, line in enumerate(text.splitlines(), 1):
        if LEFT_OPEN.search(line) and path != "tests/tidy/tidy.py":
            findings.append(f"{path}:{number}: left open: {line.strip()}")
        if line != line.rstrip() and "/testdata/" not in path:
            findings.append(f"{path}:{number}: white space at the end of the line")
    check_includes(path, text, findings)
    check_head(path, text, findings)
    check_pure(path, text, findings)


def check_case_tests(row, shown_by, findings):
    """`file`: Test, Test; `file`: Test"""
    for part in shown_by.split("; "):
        file, _, tests = part.partition(": ")
        path = ROOT / "tests" / file.strip("`")
        if not tests or not path.is_file():
            findings.append(f"docs/cases.md: row {row}: no file and tests in {part!r}")
            continue
        text = path.read_text()
        named = {row for found in NAMED_CASES.finditer(text) for row in re.findall(CASE, found.group(1))}
        if row not in named:
            findings.append(f"tests/{file.strip('`')}: does not name cases.md row {row}, which docs/cases.md says it shows")
        for test in tests.split(", "):
            if not re.search(rf"^(def {test}\(|TEST(_F|_P)?\(\w+, {test}\))", text, re.M):
                findings.append(f"docs/cases.md: row {row}: {file} has no test {test}")


def check_cases(findings):
    rows = re.findall(r"^\| (\S+) \| .+ \| (.+) \|$", (ROOT / "docs/cases.md").read_text(), re.M)[1:]
    if [row for row, _ in rows] != CASES:
        findings.append(f"docs/cases.md: rows missing or out of place: {sorted(set(CASES) ^ {row for row, _ in rows})}")
    for row, shown_by in rows:
        check_case_tests(row, shown_by, findings)


def main():
    findings = []
    files = tracked()
    for path in files:
        check(path, findings)
    check_cases(findings)
    for finding in findings:
        print(finding)
    print(f"tidy: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
