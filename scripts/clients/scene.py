"""The built daemons on temporary state, and the clients that are registered there."""

import dataclasses
import json
import os
import pathlib
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60  # the timeout of a start, an end or a response

# A redirect address without a server: clients only read the address.
CALLBACK = "https://client.example/callback"
SIGNED_OUT = "https://client.example/signed-out"

# Third-party providers, which their tests start, by the paths of their issuers.
PROVIDERS = {"glewlwyd": "/api/op", "pypi": ""}
# Policies that sign in with them.
POLICIES = {
    "b2c_1_glewlwyd": "kind: social\nidentityProviders: [glewlwyd]\n",
    "b2c_1_pypi": "kind: social\nidentityProviders: [pypi]\n",
    "b2c_1_password_or_pypi": "kind: sign-in\nidentityProviders: [local, pypi]\n",
}

OPENSSL = """[req]
distinguished_name = name
prompt = no
[name]
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[server]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
"""


@dataclasses.dataclass
class Scene:
    """The settings for a client's test."""

    base: str
    tenant: str
    api: str
    authority_certificate: str
    outbox: str
    folder: str
    programs: str
    environment: dict
    clients: dict
    providers: dict

    def issuer(self, policy):
        return f"{self.base}/{self.tenant}/{policy.lower()}/v2.0"

    def metadata(self, policy):
        return self.issuer(policy) + "/.well-known/openid-configuration"

    def client(self, name):
        """A client's id and secret. The secret of a public client is empty."""
        return self.clients[name]["id"], self.clients[name].get("secret", "")

    def run(self, program, *arguments, **options):
        """The output of a built program."""
        environment = {**os.environ, **self.environment}
        done = subprocess.run(
            [f"{self.programs}/{program}", *arguments], env=environment, text=True, timeout=SECONDS,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **options,
        )
        if done.returncode:
            raise RuntimeError(f"{program} {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def write(self, path):
        pathlib.Path(path).write_text(json.dumps(dataclasses.asdict(self)))

    @staticmethod
    def current():
        """The scene that the runner created."""
        return Scene(**json.loads(pathlib.Path(os.environ["CLIENTS_SCENE"]).read_text()))


def free_ports(count):
    script = HERE.parent / "free-ports"
    return subprocess.run(
        [sys.executable, script, str(count)], stdout=subprocess.PIPE, text=True, check=True, timeout=SECONDS
    ).stdout.split()


def certificates(folder):
    """Creates a root and a certificate for localhost, and returns the paths of root, certificate and key."""
    for name in ("authority", "server"):
        (folder / f"{name}.cnf").write_text(OPENSSL.format(name=f"clients' {name}"))
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    def request(name, *options):
        subprocess.run(
            ["openssl", "req", "-x509", *key, "-days", "2", "-config", folder / f"{name}.cnf", "-extensions", name,
             "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem", *options],
            check=True, timeout=SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    request("authority")
    request("server", "-CA", folder / "authority.pem", "-CAkey", folder / "authority.key")
    return folder / "authority.pem", folder / "server.pem", folder / "server.key"


class Daemons:
    """Runs tokenbrokerd over https, and tasksd, both on free loopback ports, until the end of the block."""

    def __init__(self, programs, folder):
        self.programs, self.folder = pathlib.Path(programs).resolve(), pathlib.Path(folder)
        self.running = []

    def __enter__(self):
        try:
            self._start()
            return self.scene
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for program in reversed(self.running):
            program.send_signal(signal.SIGTERM)
            try:
                program.wait(SECONDS)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait(SECONDS)

    def _start(self):
        folder = self.folder
        names = ("home", "run", "config", "config/tokenbroker", "config/tasks", "data", "state")
        for name in names:
            (folder / name).mkdir(mode=0o700)
        root, certificate, key = certificates(folder)
        self.port, self.api_port, self.site_port, self.app_port, self.page_port, *provider_ports = free_ports(
            5 + len(PROVIDERS)
        )
        self.provider_ports = dict(zip(PROVIDERS, map(int, provider_ports)))
        base, api = f"https://localhost:{self.port}", f"https://localhost:{self.api_port}"
        configuration = folder / "config" / "tokenbroker"
        (configuration / "tokenbrokerd.yaml").write_text(self._authority(base, api, certificate, key))
        (configuration / "tasksd.yaml").write_text(self._tasks(base, certificate, key))
        self._policies(configuration / "policies")
        (folder / "config" / "tasks" / "tasks.yaml").write_text(f"api: {api}\n")
        environment = {
            "HOME": f"{folder}/home", "XDG_RUNTIME_DIR": f"{folder}/run", "XDG_CONFIG_HOME": f"{folder}/config",
            "XDG_DATA_HOME": f"{folder}/data", "XDG_STATE_HOME": f"{folder}/state", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        }
        self.scene = Scene(
            base=base, tenant="local", api=api, authority_certificate=str(root),
            outbox=f"{folder}/state/tokenbroker/outbox", folder=str(folder), programs=str(self.programs),
            environment=environment, clients=self.clients, providers=self.providers,
        )
        self._run("tokenbrokerd")
        self._run("tasksd")

    def _secret(self, name):
        """Writes a secret to a separate file, and returns its path."""
        secret, path = secrets.token_urlsafe(32), self.folder / f"{name}.secret"
        path.write_text(secret + "\n")
        path.chmod(0o600)
        return secret, path

    def _providers(self):
        """The identity providers of this daemon."""
        for name, path in PROVIDERS.items():
            secret, file = self._secret(name)
            port = self.provider_ports[name]
            self.providers[name] = {"id": "the-broker", "secret": secret, "port": port}
            yield (
                f'  {name}: {{kind: oidc, displayName: {name}, issuer: "http://localhost:{port}{path}", '
                f"clientId: the-broker, clientSecretFile: {file}}}"
            )

    def _authority(self, base, api, certificate, key):
        """The authority's configuration, with a client of each kind."""
        self.clients, self.providers = {}, {}
        lines, site = [], f"http://localhost:{self.site_port}"
        # idpy-oidc requires RS256 support, and by default accepts ID tokens of no other algorithm.
        algorithms = {"idpy": "RS256"}
        leaving = [SIGNED_OUT, f"{site}/signed-out"]
        grants = {
            "web": "authorization_code, refresh_token", "service": "client_credentials", "code": "authorization_code",
        }
        for name, uris, use in (
            ("oauthlib", [CALLBACK], "web"), ("google", ["http://localhost/"], "web"), ("idpy", [CALLBACK], "web"),
            ("curl", [CALLBACK], "web"), ("apache", [f"{site}/redirect"], "web"),
            ("browser", ["http://127.0.0.1/callback", "com.example.app:/back"], "web"), ("service", [], "service"),
            ("api", [f"{api}/.auth/login/callback"], "code"), ("partner", [f"{base}/local/oauth2/authresp"], "code"),
        ):
            secret, path = self._secret(name)
            self.clients[name] = {"id": f"{name}-client", "secret": secret}
            lines += [
                f"  {name}-client:", f"    type: confidential", f"    name: The {name} client",
                f"    secretFile: {path}", "    apis: [tasks]", f"    grants: [{grants[use]}]",
                f"    redirectURIs: {json.dumps(uris)}",
                f"    idTokenAlg: {algorithms.get(name, 'ES256')}",
                f"    postLogoutRedirectURIs: {json.dumps(leaving if uris else [])}",
            ]
        self.clients["apache"]["port"] = self.site_port
        self.clients["api"]["port"] = int(self.app_port)
        self.clients["mcp"] = {"id": "mcp-client"}
        lines += [
            "  mcp-client:", "    type: public", "    name: A client of mcp", "    apis: [tasks]",
            f"    redirectURIs: {json.dumps([CALLBACK])}",
        ]
        self.clients["page"] = {"id": "page-client", "port": int(self.page_port)}
        page = f"http://localhost:{self.page_port}"
        lines += [
            "  page-client:", "    type: browser", "    name: An app of one page", "    apis: [tasks]",
            f"    redirectURIs: {json.dumps([f'{page}/'])}",
            f"    postLogoutRedirectURIs: {json.dumps([f'{page}/signed-out'])}",
        ]
        self.clients["device"] = {"id": "device-client"}
        lines += [
            "  device-client:", "    type: public", "    name: A television", "    apis: [tasks]",
            "    grants: [device_code, refresh_token]",
        ]
        return "\n".join([
            f"issuerBase: {base}", f'listen: ["127.0.0.1:{self.port}", "[::1]:{self.port}"]',
            f"tls: {{certificate: {certificate}, privateKeyFile: {key}}}",
            "limits: {mailsPerUid: 1000, mailsPerUidPerDay: 10000, flowsPerUid: 64}",
            "log: {level: debug, format: text}",
            # The same daemon acts as a provider.
            f"outgoing: {{caFile: {self.folder}/authority.pem}}",
            "identityProviders:", f"  partner: {{kind: oidc, displayName: Partner, clientId: partner-client,",
            f'    issuer: "{base}/local/b2c_1_sign_up_or_in/v2.0", clientSecretFile: {self.folder}/partner.secret}}',
            *self._providers(),
            "apis:", "  tasks:", "    audience: tasks", f'    resources: ["{api}"]', f'    origins: ["{api}"]',
            "    scopes: {tasks.read: Read your tasks, tasks.write: Change your tasks}",
            "clients:", *lines, "",
        ])

    def _tasks(self, base, certificate, key):
        socket_path = self.folder / "run" / "tokenbroker" / "authority.sock"
        return "\n".join([
            f'listen: ["127.0.0.1:{self.api_port}", "[::1]:{self.api_port}"]',
            f"tls: {{certificate: {certificate}, privateKeyFile: {key}}}", f"resource: https://localhost:{self.api_port}",
            f'trust: [{{authority: "unix:{socket_path}", base: "{base}", tenant: local, audiences: [tasks]}}]',
            f'cors: ["http://localhost:{self.app_port}"]',
            f'signIn: {{client: api-client, secretFile: {self.folder}/api.secret, origins: ["https://localhost:{self.api_port}"]}}',
            "log: {level: debug, format: text}", "",
        ])

    def _policies(self, folder):
        """The shipped policies, and policies with a provider: alone, and next to a password."""
        shutil.copytree(HERE.parent.parent / "policies", folder)
        for name, text in POLICIES.items():
            claims = "claims: [oid, displayName, identityProvider]\nscopes: {tasks.read: []}\n"
            (folder / f"{name}.yaml").write_text(text + claims)
        scopes = "scopes: {tasks.read: [], tasks.write: []}\n"
        for name, kind, providers in (("partner", "social", "[partner]"), ("both", "sign-in", "[local, partner]")):
            (folder / f"b2c_1_{name}.yaml").write_text(f"kind: {kind}\nidentityProviders: {providers}\n{scopes}")

    def _run(self, name):
        """Starts a daemon and waits until it reports that it is ready."""
        path = self.folder / "run" / f"notify-{name}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, open(self.folder / f"{name}.log", "w") as log:
            notify.bind(str(path))
            environment = {**os.environ, **self.scene.environment, "NOTIFY_SOCKET": str(path)}
            for other in ("STATE_DIRECTORY", "CREDENTIALS_DIRECTORY", "LISTEN_FDS", "LISTEN_PID", "TOKENBROKER_SOCKET"):
                environment.pop(other, None)
            self.running.append(subprocess.Popen(
                [self.programs / name], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            ))
            while select.select([notify], [], [], SECONDS)[0]:
                if b"READY=1" in notify.recv(4096).splitlines():
                    return
        raise RuntimeError(f"{name} is not ready:\n" + (self.folder / f"{name}.log").read_text()[-4000:])
