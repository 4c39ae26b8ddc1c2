"""nginx, Caddy and Apache with the recipes of docs/proxies.md: a client that forges both headers keeps its own origin."""

import contextlib
import os
import pathlib
import re
import select
import socket
import ssl
import subprocess
import time
import uuid

from scene import HERE, SECONDS, Scene, free_ports

HOST = "login.example"
CLIENT = "127.0.0.2"
FORGED = "198.51.100.7"
MODULES = "/usr/lib/apache2/modules"

scene = Scene.current()
folder = pathlib.Path(scene.folder) / "proxies"
folder.mkdir()
recipes = dict(re.findall(
    r"<!-- recipe: (\w+) -->\n```\w+\n(.*?)```", (HERE.parent.parent / "docs" / "proxies.md").read_text(), re.DOTALL
))
assert sorted(recipes) == ["apache", "caddy", "nginx"], sorted(recipes)


def certificate():
    """Creates a certificate for the host of the recipes, and returns its path and the path of its key."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", folder / "key.pem",
         "-out", folder / "certificate.pem"],
        check=True, timeout=SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    return folder / "certificate.pem", folder / "key.pem"


def recipe(name, port, backend):
    """The recipe with the ports and the files of this test."""
    text, (public, key) = recipes[name], files
    for printed, ours in (
        ("/etc/ssl/private/login.example.key", key), ("/etc/ssl/login.example.pem", public),
        ("127.0.0.1:8420", f"127.0.0.1:{backend}"), ("443", port),
    ):
        assert printed in text, (name, printed)
        text = text.replace(printed, str(ours))
    return text


def nginx(port, backend):
    paths = "".join(
        f"{kind}_temp_path {folder}/nginx-{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nerror_log {folder}/nginx.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{paths}{recipe('nginx', port, backend)}}}\n"
    )
    debian = os.environ["CLIENTS_DEBIAN"]
    return [f"{debian}/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "nginx.log"]


def caddy(port, backend):
    (folder / "Caddyfile").write_text(
        f"{{\nadmin off\nauto_https disable_redirects\n}}\n{recipe('caddy', port, backend)}"
    )
    return [f"{os.environ['CLIENTS_DEBIAN']}/usr/bin/caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]


def apache(port, backend):
    modules = ("mpm_event", "authz_core", "socache_shmcb", "ssl", "headers", "proxy", "proxy_http")
    (folder / "apache.conf").write_text("\n".join([
        f"ServerRoot {folder}", f"ServerName {HOST}", f"Listen 127.0.0.1:{port}", f"PidFile {folder}/apache.pid",
        f"ErrorLog {folder}/apache.log", f"DefaultRuntimeDir {folder}",
        *(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules),
        "User www-data", "Group www-data", recipe("apache", port, backend),
    ]))
    return ["/usr/sbin/apache2", "-DFOREGROUND", "-f", folder / "apache.conf"]


@contextlib.contextmanager
def running(name, program, environment):
    """Runs a program until the end of the block."""
    with open(folder / f"{name}.out", "w") as output:
        process = subprocess.Popen(
            program, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        yield process
    except BaseException:
        print((folder / f"{name}.out").read_text()[-4000:])
        raise
    finally:
        process.terminate()
        process.wait(SECONDS)


def wait_for(port, process):
    end = time.monotonic() + SECONDS
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert process.poll() is None and time.monotonic() < end, f"nothing listens at port {port}"
        time.sleep(0.05)


@contextlib.contextmanager
def broker(port, header):
    """Runs tokenbrokerd behind a proxy on this machine."""
    own = folder / header
    variables = {}
    for variable, name in (
        ("HOME", "home"), ("XDG_RUNTIME_DIR", "run"), ("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
    ):
        (own / name).mkdir(mode=0o700, parents=True)
        variables[variable] = str(own / name)
    (own / "config" / "tokenbroker").mkdir(mode=0o700)
    (own / "config" / "tokenbroker" / "tokenbrokerd.yaml").write_text("\n".join([
        f"issuerBase: https://{HOST}", f'listen: ["127.0.0.1:{port}"]', "behindProxy: true", 'proxies: ["127.0.0.1"]',
        f"forwardedHeader: {header}", "log: {level: info, format: text}", "",
    ]))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(own / "notify"))
        variables["NOTIFY_SOCKET"] = str(own / "notify")
        with running(f"broker-{header}", [f"{scene.programs}/tokenbrokerd"], variables):
            while select.select([notify], [], [], SECONDS)[0]:
                if b"READY=1" in notify.recv(4096).splitlines():
                    break
            else:
                raise AssertionError("tokenbrokerd is not ready")
            yield folder / f"broker-{header}.out"


def forged(port):
    """Sends a request that forges both headers and asks the proxy to remove them, and returns its correlation id."""
    number = str(uuid.uuid4())
    context = ssl.create_default_context(cafile=files[0])
    with socket.create_connection(("127.0.0.1", port), SECONDS, source_address=(CLIENT, 0)) as plain:
        with context.wrap_socket(plain, server_hostname=HOST) as connection:
            connection.sendall("\r\n".join([
                "GET /local/b2c_1_sign_in/v2.0/.well-known/openid-configuration HTTP/1.1", f"Host: {HOST}",
                f"Forwarded: for={FORGED};proto=https", f"X-Forwarded-For: {FORGED}", f"client-request-id: {number}",
                "Connection: close, X-Forwarded-For, Forwarded", "", "",
            ]).encode())
            answer = b""
            while part := connection.recv(65536):
                answer += part
    assert answer.startswith(b"HTTP/1.1 200"), answer[:500]
    assert f"https://{HOST}/local/b2c_1_sign_in/v2.0".encode() in answer, answer[:2000]
    return number


def origin(log, number):
    """The origin that the daemon logs for a request."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for line in log.read_text().splitlines():
            if number in line and "request answered" in line:
                return re.search(r"\borigin=(\S+)", line)[1]
        time.sleep(0.05)
    raise AssertionError(f"{log} has no line for {number}")


files = certificate()
backend, *ports = map(int, free_ports(4))
proxies = {"nginx": nginx, "caddy": caddy, "apache": apache}
private = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
with contextlib.ExitStack() as stack:
    for (name, program), port in zip(proxies.items(), ports):
        wait_for(port, stack.enter_context(running(name, program(port, backend), private)))
    # The recipes set X-Forwarded-For. With the other header, all requests have the origin of the proxy.
    for header, expected in (("X-Forwarded-For", CLIENT), ("Forwarded", "127.0.0.1")):
        with broker(backend, header) as log:
            for name, port in zip(proxies, ports):
                found = origin(log, forged(port))
                assert found == expected, f"{name} with {header}: the origin is {found}, not {expected}"
            assert FORGED not in log.read_text()
