#!/usr/bin/env python3
"""Holds the tree against the house rules that a machine can check: layers, sizes, heads, banned calls.

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


def main():
    findings = []
    files = tracked()
    for path in files:
        check(path, findings)
    for finding in findings:
        print(finding)
    print(f"tidy: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
