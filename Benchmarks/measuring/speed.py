"""The cached token at the socket, compared with the floor and, if installed, with oidc-agent."""

import json
import os
import statistics
import subprocess
import sys
import time

from .daemon import PATIENCE, Connection

CLIENTS = (1, 32)


class Server:
    """A local program that listens at a socket until it is stopped."""

    def __init__(self, socket, *command):
        self.socket = socket
        self.process = subprocess.Popen(command)
        began = time.monotonic()
        while True:
            try:
                Connection(socket).close()
                return
            except OSError:
                if time.monotonic() - began > PATIENCE:
                    self.stop()
                    raise
                time.sleep(0.01)

    def stop(self):
        self.process.kill()
        self.process.wait()


def own_rounds(load, targets, rounds, seconds):
    """Rounds of the local load: `{(name, clients): [result]}`. The targets take turns in each round."""
    found = {}
    for _ in range(rounds):
        for clients in CLIENTS:
            for name, socket, request, expected in targets:
                run = subprocess.run(
                    [load, socket, request, str(clients), str(seconds), expected],
                    stdout=subprocess.PIPE, text=True, timeout=seconds + 60,
                )
                result = json.loads(run.stdout)
                if result["errors"]:
                    raise RuntimeError(f"{name} with {clients} clients: {result['errors']} wrong responses")
                found.setdefault((name, clients), []).append(result)
    return found


def summary(results):
    """Medians over rounds, and the best round."""
    middle = {key: statistics.median(one[key] for one in results) for key in ("per_second", "p50_us", "p99_us")}
    return {
        **middle,
        "max_us": statistics.median(one["max_us"] for one in results),
        "best_p50_us": min(one["p50_us"] for one in results),
        "best_p99_us": min(one["p99_us"] for one in results),
        "best_per_second": max(one["per_second"] for one in results),
    }


def peer_run(folder, work, targets, commands, rounds, seconds):
    """Runs the peer's own measurement with the local servers and programs in its rounds, and returns its result."""
    command = [
        sys.executable, os.path.join(folder, "measure.py"), "--work", work,
        "--rounds", str(rounds), "--secs", str(seconds),
    ]
    for name, socket, request, expected in targets:
        command += ["--extra", f"{name},{socket},nl,1,{request},{expected}"]
    for name, words in commands:
        command += ["--extra-cli", f"{name}={' '.join(words)}"]
    with open(work + ".log", "wb") as log:
        subprocess.run(command, check=True, stdout=log, stderr=subprocess.STDOUT, timeout=3600)
    with open(os.path.join(work, "result.json")) as file:
        return json.load(file)
