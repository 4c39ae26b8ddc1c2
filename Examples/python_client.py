#!/usr/bin/env python3
"""Prints a bearer token for SCOPE... that the broker has cached or can renew. Any language can use the socket."""
import json, os, socket, struct, sys

SERVICE = "/run/tokenbroker/tokenbroker.sock"
own = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}") + "/tokenbroker/tokenbroker.sock"
path = os.environ.get("TOKENBROKER_SOCKET") or (own if os.path.exists(own) else SERVICE)

with socket.socket(socket.AF_UNIX) as broker:
    broker.settimeout(35)
    broker.connect(path)
    _, uid, _ = struct.unpack("3I", broker.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    if uid not in {0, os.getuid(), os.stat(os.path.dirname(SERVICE)).st_uid if path == SERVICE else 0}:
        sys.exit(f"python_client: error: the server at {path} runs as uid {uid}")
    params = {"scopes": sys.argv[1:] or ["tasks.read"], "prompt": "none"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "token.acquire", "params": params}
    broker.sendall(json.dumps(call).encode() + b"\n")
    answer = json.loads(broker.makefile().readline())

if "error" in answer:
    sys.exit(f"python_client: error: {answer['error']['message']} ({answer['error']['data']['reason']})")
print(answer["result"]["token"]["accessToken"])
