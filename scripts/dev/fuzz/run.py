"""Holds the running server against its own OpenAPI document with schemathesis; schemathesis.toml says what it looks at.

Usage: run.py BINARY [arguments of `schemathesis run`]. The server runs on an empty directory and on a free port of this
machine; nothing leaves it. Exit code 1 where an answer breaks what the document promises, where the server panicked or
logged an error, and where the run lost its key on the way, after which it would have tested nothing.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "satchel" / "fuzz"
STOP_SECONDS = 60
ANSWER_SECONDS = 30
# What a run does unless its arguments say otherwise: in a minute or two, and the same each time.
USUAL = {"--max-examples": "20", "--seed": "1"}
OWNER = {"SATCHEL_OWNER_NAME": "fuzz", "SATCHEL_OWNER_PASSWORD": "only on an empty directory"}


def schemathesis() -> pathlib.Path:
    """The program, installed into the cache where it is not there in the version that is asked for."""
    wanted = (HERE / "requirements.txt").read_text()
    kept, program = CACHE / "requirements.txt", CACHE / "venv" / "bin" / "schemathesis"
    if not program.exists() or not kept.exists() or kept.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", CACHE / "venv"], check=True)
        install = [CACHE / "venv" / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--requirement", HERE / "requirements.txt"], check=True)
        kept.write_text(wanted)
    return program


def read(base: str, path: str, key: str):
    """The JSON at a path."""
    request = urllib.request.Request(base + path, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
        return json.load(answer)


def attack(program: pathlib.Path, base: str, key: str, arguments: list[str], work: str) -> list[str]:
    """Runs schemathesis; gives back what is wrong."""
    own = [read(base, "/api/auth/me", key)["id"], *(one["id"] for one in read(base, "/api/keys", key))]
    given = {argument.partition("=")[0] for argument in arguments}
    usual = [word for option in USUAL.items() if option[0] not in given for word in option]
    run = [program, "--config-file", HERE / "schemathesis.toml", "run", f"{base}/api/openapi.json"]
    env = {**os.environ, "SATCHEL_FUZZ_OWN": " ".join(own), "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py")}
    done = subprocess.run([*run, "--header", f"Authorization: Bearer {key}", *usual, *arguments], cwd=work, env=env)
    wrong = [f"schemathesis ended with {done.returncode}"] if done.returncode else []
    try:
        read(base, "/api/auth/me", key)
    except (urllib.error.URLError, TimeoutError) as error:
        wrong.append(f"the run's own key opens nothing any more, so that little was tested: {error}")
    return wrong


def main() -> int:
    """Start, make a key, run, stop, look at the log."""
    binary, *arguments = sys.argv[1:]
    program = schemathesis()
    with tempfile.TemporaryDirectory(prefix="satchel-fuzz-") as work:
        data, log = pathlib.Path(work) / "data", pathlib.Path(work) / "log"
        serve = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0"]
        with log.open("w") as stderr:
            server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=stderr, text=True, env={**os.environ, **OWNER})
        try:
            found = re.match(r"satchel ready (http://[^/\s]+)", server.stdout.readline())
            if not found:
                sys.exit(f"fuzz: the server did not start: {log.read_text()}")
            create = [binary, "key", "create", "--user", OWNER["SATCHEL_OWNER_NAME"], "--data", data]
            key = subprocess.run(create, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
            wrong = attack(program, found[1], key, arguments, work)
        finally:
            server.terminate()
            code = server.wait(timeout=STOP_SECONDS)
        if code:
            wrong.append(f"the server ended with {code}")
        wrong += [f"the server logged: {line}" for line in log.read_text().splitlines() if re.search(r"\bERROR\b|panicked", line)]
    for one in wrong:
        print(f"fuzz: {one}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
