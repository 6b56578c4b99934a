"""Builds the static executable and proves that it needs nothing but itself; the last line is its path.

The proof is a start in an empty root directory: no libraries, no shell, no certificates, no name service.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

READY_SECONDS = 20
STOP_SECONDS = 5


def host_triple() -> str:
    """The machine's own target, for instance x86_64-unknown-linux-gnu."""
    about = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.search(r"^host: (.*)$", about, re.MULTILINE)[1]


def build() -> pathlib.Path:
    """The release binary with the C library inside; without `--target` the build scripts would be static too, and fail."""
    triple = host_triple()
    flags = f"{os.environ.get('RUSTFLAGS', '')} -C target-feature=+crt-static".strip()
    command = ["cargo", "build", "--locked", "--release", "--bin", "satchel", "--target", triple]
    subprocess.run(command, check=True, env={**os.environ, "RUSTFLAGS": flags})
    return pathlib.Path(os.environ["CARGO_TARGET_DIR"]) / triple / "release" / "satchel"


def check_static(binary: pathlib.Path) -> None:
    """Fails unless the dynamic loader has nothing to do."""
    answer = subprocess.run(["ldd", binary], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout.strip()
    if "statically linked" not in answer and "not a dynamic executable" not in answer:
        sys.exit(f"dist: {binary} is not static, ldd says: {answer}")
    print(f"dist: ldd says: {answer}")


def empty_root(binary: pathlib.Path, root: pathlib.Path) -> list[str]:
    """Fills an empty root with the binary and the devices of randomness; the command that runs something inside it."""
    shutil.copy(binary, root / "satchel")
    (root / "data").mkdir(mode=0o700)
    (root / "dev").mkdir()
    if os.geteuid() == 0:
        for name, minor in (("random", 8), ("urandom", 9)):
            os.mknod(root / "dev" / name, 0o666 | 0o020000, os.makedev(1, minor))
        return ["chroot", str(root)]
    return ["unshare", "--user", "--map-root-user", "chroot", str(root)]


def get(url: str) -> str:
    """The body of a page; a status beyond 2xx is an exception."""
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


def check_alone(binary: pathlib.Path) -> None:
    """Starts it in the empty root, asks for its health and its console, and stops it."""
    with tempfile.TemporaryDirectory(prefix="satchel-dist-") as name:
        inside = empty_root(binary, pathlib.Path(name))
        command = [*inside, "/satchel", "serve", "--data", "/data", "--listen", "127.0.0.1:0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"]})
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.alarm(READY_SECONDS)
        try:
            ready = process.stdout.readline()
            found = re.match(r"satchel ready (http://\S+)", ready)
            if not found:
                sys.exit(f"dist: no ready line in an empty root within {READY_SECONDS} s, but: {ready!r}")
            health, page = get(f"{found[1]}/healthz"), get(f"{found[1]}/")
            if '"ok"' not in health or "<script" not in page:
                sys.exit(f"dist: the health or the console is not as it should be: {health!r}, {page[:200]!r}")
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            code = process.wait(timeout=STOP_SECONDS)
            if code != 0:
                sys.exit(f"dist: it stopped with {code} after SIGTERM")
            print(f"dist: started in an empty root, answered, stopped in {time.monotonic() - start:.2f} s: {health.strip()}")
        finally:
            signal.alarm(0)
            process.kill()
            process.wait()


def main() -> None:
    """Build, check, print."""
    if sys.platform != "linux":
        sys.exit("dist: a static executable is made on Linux only; use `make build` here")
    binary = build()
    check_static(binary)
    check_alone(binary)
    print(f"dist: {binary.stat().st_size / 1e6:.1f} MB")
    print(binary)


if __name__ == "__main__":
    main()
