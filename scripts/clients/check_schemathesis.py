"""schemathesis: valid and invalid requests from the authority's OpenAPI document. No response is 5xx."""

import re
import subprocess
import sys

from proof import *  # noqa: F403

# The seconds of a run, with some 30 requests a second, or fewer on a busy machine.
MOST = 40
# Fewer requests test almost nothing: the examples and boundaries of all operations are more.
LEAST = 200

scene = Scene.current()
name, secret = scene.client("curl")
document = f"{scene.base}/openapi.json"
served = requests.get(document, timeout=SECONDS)
assert served.json()["openapi"] == "3.1.0"

for proof in ([], ["--auth", f"{name}:{secret}"]):
    command = [
        f"{sys.prefix}/bin/schemathesis", "run", document, *proof, "--checks", "not_a_server_error",
        "--phases", "examples,coverage,fuzzing", "--mode", "all", "--max-examples", "10", "--max-time", str(MOST),
        "--seed", "1", "--request-timeout", "10", "--max-redirects", "1", "--generation-database", "none",
        "--workers", "2", "--warnings", "off", "--continue-on-failure", "--no-color",
        "--tls-verify", scene.authority_certificate,
    ]
    done = subprocess.run(
        command, timeout=100, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        cwd=scene.folder,
    )
    assert done.returncode == 0, done.stdout[-8000:]
    sent = re.search(r"(\d+) generated", done.stdout)
    assert sent and int(sent[1]) >= LEAST, done.stdout[-4000:]
