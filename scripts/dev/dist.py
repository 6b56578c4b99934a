"""Builds the static executable for each target this machine can link for, and proves that it needs nothing but itself.

The proof is a start in an empty root directory: no libraries, no shell, no certificates, no name service, not even `/dev`.
In it the server answers, runs a shipped script in its confined worker, and stops. Targets of another machine are built and
looked at, and cannot be started here. The last line is the path of this machine's own.
"""

import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

READY_SECONDS = 60
STOP_SECONDS = 5
# What it may not grow beyond; docs/artifact.md says what it is made of.
MEGABYTES = 80
# What links for a target that is not this machine's own: cargo and the C library's crates are told of it by name.
CROSS_COMPILERS = {
    "aarch64-unknown-linux-gnu": "aarch64-linux-gnu-gcc",
    "aarch64-unknown-linux-musl": "aarch64-linux-musl-gcc",
    "x86_64-unknown-linux-gnu": "x86_64-linux-gnu-gcc",
    "x86_64-unknown-linux-musl": "x86_64-linux-musl-gcc",
}


def output(*command: str) -> str:
    """What a command prints; its failure ends this program."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def host_triple() -> str:
    """The machine's own target, for instance x86_64-unknown-linux-gnu."""
    return re.search(r"^host: (.*)$", output("rustc", "-vV"), re.MULTILINE)[1]


def targets(host: str) -> list[str]:
    """This machine's own target, then the others whose standard library and linker are here; says which are left out."""
    libraries = pathlib.Path(output("rustc", "--print", "sysroot").strip()) / "lib" / "rustlib"
    found = [host]
    for triple, compiler in CROSS_COMPILERS.items():
        if triple.split("-")[0] == host.split("-")[0]:
            continue
        if not (libraries / triple / "lib").is_dir():
            print(f"dist: not built for {triple}: 'rustup target add {triple}' adds its standard library")
        elif not shutil.which(compiler):
            print(f"dist: not built for {triple}: {compiler} is not installed")
        else:
            found.append(triple)
    return found


def build(triple: str) -> pathlib.Path:
    """The release binary; .cargo/config.toml says how it is linked."""
    variables = dict(os.environ)
    if triple != host_triple():
        name, compiler = triple.replace("-", "_"), CROSS_COMPILERS[triple]
        variables |= {f"CARGO_TARGET_{name.upper()}_LINKER": compiler, f"CC_{name}": compiler}
    command = ["cargo", "rustc", "--locked", "--release", "--bin", "satchel", "--target", triple]
    # Once more: cargo forgets what the profile says of it where the package has an optimisation level of its own.
    linking = ["-C", "strip=symbols", *packed_relocations(triple), *folded_functions(triple)]
    subprocess.run([*command, "--", *linking], check=True, env=variables)
    return pathlib.Path(os.environ["CARGO_TARGET_DIR"]) / triple / "release" / "satchel"


def packed_relocations(triple: str) -> list[str]:
    """What makes the table of relocations five megabytes smaller; glibc reads it since 2.36."""
    name, version = platform.libc_ver()
    known = name == "glibc" and tuple(map(int, version.split("."))) >= (2, 36)
    return ["-C", "link-arg=-Wl,-z,pack-relative-relocs"] if known and triple == "x86_64-unknown-linux-gnu" else []


def folded_functions(triple: str) -> list[str]:
    """What keeps functions that came out the same, such as those that several crates made of one generic function, once; rustc
    brings a linker that can for this target. Nothing of ours compares their addresses, and SQLite only those of some that are
    like no other. Constants are left as they are: mimalloc tells its empty pages by their addresses."""
    return ["-C", "link-arg=-Wl,--icf=all"] if triple == "x86_64-unknown-linux-gnu" else []


def check_static(binary: pathlib.Path) -> None:
    """Fails where the dynamic loader has something to do, or the file has grown."""
    headers = output("readelf", "--program-headers", "--dynamic", str(binary))
    if "INTERP" in headers or "NEEDED" in headers:
        sys.exit(f"dist: {binary} is not static:\n{headers}")
    size = binary.stat().st_size / 1e6
    print(f"dist: {binary.name} for {binary.parent.parent.name}: static, {size:.1f} MB")
    if size > MEGABYTES:
        sys.exit(f"dist: {size:.1f} MB is more than {MEGABYTES} MB: docs/artifact.md says what it is made of")


def inside(root: pathlib.Path) -> list[str]:
    """The command that runs something with `root` as its file system."""
    return ["chroot", str(root)] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "chroot", str(root)]


def get(url: str) -> str:
    """The body of a page; a status beyond 2xx is an exception."""
    with urllib.request.urlopen(url, timeout=READY_SECONDS) as answer:
        return answer.read().decode()


def check_script(command: list[str]) -> None:
    """Runs a shipped script through the running server: its worker may open nothing, so it needs nothing."""
    call = [*command, "/satchel", "call", "unit_convert", '{"value": 5, "from": "km", "to": "m"}', "--data", "/data"]
    ran = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=READY_SECONDS)
    if ran.returncode != 0 or "5000" not in ran.stdout:
        sys.exit(f"dist: a script did not run in an empty root: exit code {ran.returncode}, {ran.stdout!r}")
    print("dist: a script ran in an empty root")


def check_alone(binary: pathlib.Path) -> None:
    """Starts it in an empty root, asks for its health and its console, runs a script, and stops it."""
    with tempfile.TemporaryDirectory(prefix="satchel-dist-") as name:
        root = pathlib.Path(name)
        shutil.copy(binary, root / "satchel")
        (root / "data").mkdir(mode=0o700)
        command = inside(root)
        serve = [*command, "/satchel", "serve", "--data", "/data", "--listen", "127.0.0.1:0"]
        owner = {"SATCHEL_OWNER_NAME": "dist", "SATCHEL_OWNER_PASSWORD": "only in an empty root"}
        process = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"], **owner})
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.alarm(READY_SECONDS)
        try:
            ready = process.stdout.readline()
            signal.alarm(0)
            found = re.match(r"satchel ready (http://\S+)", ready)
            if not found:
                sys.exit(f"dist: no ready line in an empty root within {READY_SECONDS} s, but: {ready!r}")
            health, page = get(f"{found[1]}/healthz"), get(f"{found[1]}/")
            if '"ok"' not in health or "<script" not in page:
                sys.exit(f"dist: the health or the console is not as it should be: {health!r}, {page[:200]!r}")
            check_script(command)
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
    host = host_triple()
    binaries = {triple: build(triple) for triple in targets(host)}
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"dist: {(used.ru_utime + used.ru_stime) / 60:.1f} CPU minutes")
    for binary in binaries.values():
        check_static(binary)
    check_alone(binaries[host])
    print(binaries[host])


if __name__ == "__main__":
    main()
