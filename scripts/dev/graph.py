"""Checks every crate of the build against deny.toml: banned names, licences, sources.

Usage: graph.py deny.toml
"""

import json
import re
import subprocess
import sys
import tomllib

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def accepted(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met with allowed licences alone; `A/B` is the old way to write `A OR B`."""
    words = re.findall(r"[()]|[^\s()/]+|/", expression)
    words = ["OR" if word == "/" else word for word in words]
    python = []
    for index, word in enumerate(words):
        if word in ("(", ")"):
            python.append(word)
        elif word in ("AND", "OR"):
            python.append(word.lower())
        elif word != "WITH" and not (index and words[index - 1] == "WITH"):
            # An exception after WITH only gives more rights.
            python.append(str(word in allowed))
    try:
        return bool(eval(" ".join(python), {"__builtins__": {}}))  # only True, False, and, or, brackets
    except SyntaxError:
        return False


def self_test() -> None:
    """The reader of licences refuses what it must; run each time, it costs nothing."""
    allowed = {"MIT", "Apache-2.0"}
    for good in ("MIT", "MIT OR GPL-3.0", "(MIT OR AGPL-3.0) AND Apache-2.0", "MIT/Apache-2.0", "Apache-2.0 WITH LLVM-exception"):
        assert accepted(good, allowed), good
    for bad in ("GPL-3.0", "MIT AND AGPL-3.0", "", "GPL-2.0 WITH Classpath-exception-2.0"):
        assert not accepted(bad, allowed), bad


def offences(rules: dict, packages: list[dict]) -> list[str]:
    """One line for each crate that breaks a rule."""
    allowed = set(rules["licenses"]["allow"])
    banned = set(rules["bans"]["deny"])
    found = []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if package["name"] in banned:
            found.append(f"{name} is banned: find who brings it with `cargo tree -i {package['name']}`")
        if not accepted(package["license"] or "", allowed):
            found.append(f"{name} has the licence {package['license'] or 'none'!r}, which deny.toml does not allow")
        if package["source"] not in (None, CRATES_IO):
            found.append(f"{name} comes from {package['source']}, not from crates.io")
    return found


def main() -> int:
    """Prints the offences; 1 where there are any."""
    self_test()
    with open(sys.argv[1], "rb") as file:
        rules = tomllib.load(file)
    about = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    host = re.search(r"^host: (.*)$", about, re.MULTILINE)[1]
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--all-features", "--filter-platform", host]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    built = {node["id"] for node in metadata["resolve"]["nodes"]}
    packages = [package for package in metadata["packages"] if package["id"] in built]
    found = offences(rules, packages)
    print("\n".join(found) if found else f"graph: {len(packages)} crates, none banned, every licence allowed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
