"""apache2 with mod_auth_openidc, configured with the output of `tokenbroker client show`: page, refresh, single sign-on, logout."""

import contextlib
import pathlib
import secrets
import socket
import subprocess
import time

from proof import *  # noqa: F403

MODULES = "/usr/lib/apache2/modules"
scene = Scene.current()
port = scene.clients["apache"]["port"]
site = f"http://localhost:{port}"
folder = pathlib.Path(scene.folder) / "apache"


def configuration():
    lines = pasted(scene, "apache", "mod_auth_openidc").replace("PASSPHRASE", secrets.token_urlsafe(16))
    modules = ("mpm_event", "authn_core", "authz_core", "authz_user", "auth_openidc")
    return "\n".join([
        f"ServerRoot {folder}", "ServerName localhost", f"Listen 127.0.0.1:{port}", f"PidFile {folder}/pid",
        f"ErrorLog {folder}/error.log", "LogLevel info", f"DocumentRoot {folder}/pages",
        *(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules),
        "User www-data", "Group www-data",
        lines,
        f"OIDCCABundlePath {scene.authority_certificate}", "OIDCInfoHook iat access_token refresh_token id_token userinfo",
        "<Location />", "AuthType openid-connect", "Require valid-user", "</Location>",
        "<Location /signed-out>", "AuthType None", "Require all granted", "</Location>", "",
    ])


@contextlib.contextmanager
def apache():
    (folder / "pages").mkdir(parents=True)
    (folder / "pages" / "index.txt").write_text("only for signed-in users\n")
    (folder / "pages" / "signed-out").write_text("good bye\n")
    for path in (folder, *folder.rglob("*"), pathlib.Path(scene.authority_certificate)):
        path.chmod(0o755)
    (folder / "apache.conf").write_text(configuration())
    server = subprocess.Popen(["/usr/sbin/apache2", "-DFOREGROUND", "-f", folder / "apache.conf"])
    try:
        end = time.monotonic() + SECONDS
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert server.poll() is None and time.monotonic() < end, "apache2 did not start"
            time.sleep(0.05)
        yield
    except BaseException:
        print((folder / "error.log").read_text()[-6000:])
        raise
    finally:
        server.terminate()
        server.wait(SECONDS)


class Visitor:
    """A browser at the site, which redirects the user to the authority."""

    def __init__(self, person):
        self.person, self.browser = person, requests.Session()
        self.browser.trust_env = False

    def get(self, address):
        """Opens an address of the site, through the authority if the site redirects there."""
        answer = self.browser.get(address, allow_redirects=False, timeout=SECONDS)
        for _ in range(10):
            if not answer.is_redirect:
                return answer
            target = answer.headers["Location"]
            if target.startswith(scene.base + "/"):
                target = self.person.visit(target)
            answer = self.browser.get(target, allow_redirects=False, timeout=SECONDS)
        raise AssertionError("redirects without an end")


with apache():
    person = Person(scene)
    visitor = Visitor(person)
    page = f"{site}/index.txt"
    answer = visitor.get(page)
    assert answer.status_code == 200 and answer.text.startswith("only for signed-in"), (answer.status_code, answer.text)
    asked = len(person.pages)
    assert asked > 0

    # A second browser window without the site's cookies: the user is still signed in at the authority.
    again = Visitor(person)
    assert again.get(page).status_code == 200 and len(person.pages) == asked

    info = visitor.get(f"{site}/redirect?info=json").json()
    assert info["userinfo"]["name"] == "Pat Person" and info["id_token"]["email"] == person.address, info
    assert userinfo(scene, info["access_token"])["sub"] == info["id_token"]["sub"]
    renewed = visitor.get(f"{site}/redirect?info=json&access_token_refresh_interval=0").json()
    assert renewed["access_token"] != info["access_token"] and renewed["refresh_token"] != info["refresh_token"]

    assert visitor.get(f"{site}/redirect?logout={site}/signed-out").text == "good bye\n"
    person.intent = "sign-in"
    assert visitor.get(page).status_code == 200 and len(person.pages) > asked, "the session outlived the logout"
