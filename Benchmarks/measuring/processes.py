"""The time of programs to their first response, and from start to end."""

import os
import re
import statistics
import subprocess
import time

from .daemon import free_port, until_http


def whole(commands, times):
    """Milliseconds of complete processes. The commands take turns."""
    found = {name: [] for name, _ in commands}
    for _ in range(times):
        for name, words in commands:
            began = time.perf_counter()
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            found[name].append((time.perf_counter() - began) * 1e3)
    return {name: spread(values) for name, values in found.items()}


def spread(values):
    return {"p50": statistics.median(values), "min": min(values)}


def start_up(daemon, bare, times):
    """Milliseconds to the first response: of the daemon on existing state, and of a bare server with the same framework."""
    ours, bares = [], []
    for _ in range(times):
        ours.append(daemon.start())
        daemon.stop()
        port = free_port()
        began = time.perf_counter()
        process = subprocess.Popen([bare, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            bares.append(until_http(port, began, process))
        finally:
            process.kill()
            process.wait()
    return {
        "tokenbrokerd over HTTP": spread([one["http"] for one in ours]),
        "tokenbrokerd at the socket": spread([one["socket"] for one in ours]),
        "bare Hummingbird over HTTP": spread(bares),
    }


def cpu_seconds(pids):
    """The processor time of processes with all their threads, in seconds."""
    found = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        found += int(fields[11]) + int(fields[12])
    return found / os.sysconf("SC_CLK_TCK")


def written_bytes(pids):
    """The bytes that processes have written to a disk."""
    found = 0
    for pid in pids:
        with open(f"/proc/{pid}/io") as file:
            found += int(re.search(r"^write_bytes: (\d+)", file.read(), re.M)[1])
    return found
