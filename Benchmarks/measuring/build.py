"""Builds the measured programs, all with the same linkage."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCHMARKS = os.path.join(ROOT, "Benchmarks")
FLAGS = ["-c", "release", "--static-swift-stdlib", "--disable-local-rpath"]
STANDALONE = {"TOKENBROKER_STANDALONE": "1"}  # `tokenbroker` is linked as it is installed
LINKAGE = "release, Swift runtime linked statically"


def swift(package, scratch, products):
    """Builds products of a package and returns their folder."""
    command = ["swift", "build", *FLAGS, "--package-path", package, "--scratch-path", scratch]
    for product in products:
        subprocess.run([*command, "--product", product], check=True, env={**os.environ, **STANDALONE})
    shown = subprocess.run([*command, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True)
    return shown.stdout.strip()


def ours(products):
    """Builds this package's programs, with links next to the executable that contains them."""
    folder = swift(ROOT, os.path.join(ROOT, ".build-release"), products)
    subprocess.run([os.path.join(ROOT, "scripts", "link-programs"), folder], check=True)
    return folder


def compiled(name, folder):
    """Compiles one of the C programs."""
    program = os.path.join(folder, name)
    source = os.path.join(BENCHMARKS, "Sources", name, "main.c")
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-pthread", "-o", program, source], check=True)
    return program


def programs(work, build=True):
    """The paths of all programs, by name."""
    bare = os.path.join(BENCHMARKS, ".build-release")
    if build:
        folder = ours(["tokenbroker", "tokenbroker-programs"])
        bare_folder = swift(BENCHMARKS, bare, ["bare-hummingbird"])
    else:
        folder, bare_folder = ours([]), swift(BENCHMARKS, bare, [])
    found = {name: os.path.join(folder, name) for name in ("tokenbrokerd", "tokenbroker")}
    found["bare-hummingbird"] = os.path.join(bare_folder, "bare-hummingbird")
    for name in ("floor", "load"):
        found[name] = compiled(name, work)
    return found


def tables_programs(work, folders=None):
    """The paths of the programs for the tables: from `folders`, or built."""
    if not folders:
        folders = [
            ours(["tokenbroker-programs"]),
            swift(BENCHMARKS, os.path.join(BENCHMARKS, ".build-release"), ["bare-hummingbird"]),
        ]
    found = {}
    for name in ("tokenbrokerd", "tasksd", "bare-hummingbird"):
        paths = [os.path.join(folder, name) for folder in folders]
        found[name] = next((path for path in paths if os.access(path, os.X_OK)), None)
        if not found[name]:
            raise FileNotFoundError(f"{name} is in none of {', '.join(folders)}")
    for name in ("http-load", "sync-floor"):
        found[name] = compiled(name, work)
    return found
