"""Debian's Chromium: sign-up, consent, wrong password, sign-in, keyboard, device, flow of a terminal, account, sign-out,
back button, double click.

Each runs with and without scripts, in the light and the dark theme. A console message of a page is a failure.
"""

import contextlib
import os
import re
import subprocess
import threading

from callback import Site
from person import PASSWORD
from proof import *  # noqa: F403
from tab import Tab, trust

scene = Scene.current()
name, secret = scene.client("browser")
endpoints = metadata(scene)


class Visit:
    """A user of a browser with one theme and scripts on or off."""

    def __init__(self, tab, site):
        self.tab, self.site, self.person = tab, site, Person(scene)

    def authorize(self, policy=SIGN_UP_OR_IN, scope="openid tasks.read", **more):
        query = urllib.parse.urlencode({
            "client_id": name, "response_type": "code", "redirect_uri": f"{self.site.base}/callback", "scope": scope,
            "state": "s1", "nonce": "n1", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256", **more,
        })
        return f"{scene.base}/{scene.tenant}/{policy}/oauth2/v2.0/authorize?{query}"

    def redeem(self, answer):
        """Redeems a code."""
        assert answer.get("state") == "s1" and answer.get("iss", "").startswith(scene.base), answer
        endpoint = answer["iss"].replace("/v2.0", "/oauth2/v2.0/token")
        tokens = requests.post(endpoint, auth=(name, secret), timeout=SECONDS, data={
            "grant_type": "authorization_code", "code": answer["code"],
            "redirect_uri": f"{self.site.base}/callback",
            "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        }).json()
        assert "id_token" in tokens, tokens
        return tokens

    def sign_up(self):
        """Signs up with double clicks and the back button."""
        tab = self.tab
        tab.open(self.authorize())
        tab.click("button[value=create]", times=2)
        tab.shows("[name=displayName]")
        tab.fill(email=self.person.address, displayName="Chris Chromium", city="Oslo", password=PASSWORD)
        tab.fill(extension_team="blue")
        tab.send(times=2)
        tab.shows("[name=code]")
        tab.back()
        tab.until("document.readyState === 'complete'")
        tab.open(tab.address())
        mails = len([path for path in os.listdir(scene.outbox) if path.endswith(".eml")])
        self.enter(self.person.code())
        tab.shows("button[name=allow][value=true]")
        assert mails == len([path for path in os.listdir(scene.outbox) if path.endswith(".eml")]), "a second mail was sent"
        assert "The browser client" in tab.text() and "Read your tasks" in tab.text(), tab.text()
        tab.click("button[name=allow][value=true]", times=2)
        tab.shows("#client")
        _, answer = self.site.answer()
        tokens = self.redeem(answer)
        assert verified(scene, tokens["id_token"], name, nonce="n1")["email"] == self.person.address
        assert self.site.has_only(answer), "a double click gave two codes"
        tab.back()
        tab.until("document.readyState === 'complete'")
        assert self.site.is_quiet(), "the back button gave another code"

    def enter(self, code):
        """Enters a wrong code, then a right one. With scripts the page submits it at the last digit, typed or pasted."""
        tab, field = self.tab, "document.querySelector('[name=code]')"
        wrong = "000000" if code != "000000" else "000001"
        for digits, is_pasted in ((wrong, False), (code, True)):
            tab.until("document.readyState === 'complete'")
            if not self.scripts:
                tab.fill(code=digits)
                tab.leave(lambda: tab.send(times=2))
                continue
            tab.until(f"!!{field} && {field}.getAttribute('aria-describedby').includes('-sent')")
            assert "as soon as you enter the last digit" in tab.text(), tab.text()
            tab.value(f"{field}.focus()")
            if is_pasted:
                tab.leave(lambda: tab.call("Input.insertText", text=digits))
                continue
            for digit in digits[:-1]:
                tab.call("Input.insertText", text=digit)
            assert tab.value(f"{field}.value") == digits[:-1], "it was sent too early"
            tab.leave(lambda: tab.call("Input.insertText", text=digits[-1]))
            tab.shows("[name=code][aria-invalid=true]")

    def wrong_password(self):
        tab = self.tab
        tab.forget()
        tab.open(self.authorize(SIGN_IN))
        tab.fill(username=self.person.address, password="Wrong-horse-7")
        tab.send()
        tab.shows("[name=password][aria-invalid=true]")
        said = tab.value("""(() => {
            const field = document.querySelector('[name=password]');
            return field.getAttribute('aria-describedby').split(' ')
                .map(id => document.getElementById(id)).filter(e => e && e.matches('.wrong, [role=alert]'))
                .map(e => e.innerText).join();
        })()""")
        assert said.strip(), "no message belongs to the field"
        assert tab.value("document.querySelector('[name=username]').value") == self.person.address
        assert tab.value("document.querySelector('[name=password]').value") == ""
        assert tab.value("document.querySelector('[role=alert]').innerText").strip()
        tab.fill(password=PASSWORD)
        tab.send(times=2)
        tab.shows("#client")
        _, answer = self.site.answer()
        self.redeem(answer)
        assert self.site.has_only(answer), "a double click gave two codes"

    def keyboard(self):
        """Signs in and consents with the keyboard only: Tab, typing, Enter in a field, Space on a button."""
        tab = self.tab
        tab.forget()
        tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
        tab.open(self.authorize(SIGN_IN, prompt="login consent"))
        tab.shows("[name=password]")
        for field, answer in (("username", self.person.address), ("password", PASSWORD)):
            tab.reach(f"[name={field}]")
            tab.call("Input.insertText", text=answer)
        tab.press("Enter")
        tab.shows("button[name=allow][value=true]")
        tab.reach("button[name=allow][value=false]")
        tab.reach("button[name=allow][value=true]")
        tab.press("Space")
        tab.shows("#client")
        self.redeem(self.site.answer()[1])
        assert self.site.is_quiet()

    def form_post(self):
        """Gets the response as a form, which a script submits, or a button without scripts. Single sign-on shows no prompt."""
        tab = self.tab
        tab.open(self.authorize(SIGN_IN, response_mode="form_post"))
        if not self.scripts:
            tab.send()
        tab.shows("#client")
        method, answer = self.site.answer()
        assert method == "POST", answer
        self.redeem(answer)

    def refuse(self):
        """Refuses a repeated consent. The refusal comes first, and the client gets the error."""
        tab = self.tab
        tab.open(self.authorize(SIGN_IN, prompt="consent"))
        tab.shows("button[name=allow]")
        assert tab.value("document.querySelector('button[name=allow]').value") == "false"
        tab.click("button[name=allow][value=false]")
        tab.shows("#client")
        _, answer = self.site.answer()
        assert answer["error"] == "access_denied", answer

    def go_on(self, asked, words=None):
        """Answers pages until one has no prompt. A decision names its subject, and refusal comes first."""
        tab = self.tab
        kinds = "['[name=_words]', '[name=_decision]', '[name=password]', '[name=allow]'].find(s => document.querySelector(s))"
        while (kind := tab.value(kinds)) is not None:
            if kind == "[name=password]":
                tab.fill(username=self.person.address, password=PASSWORD)
                tab.leave(tab.send)
            elif kind == "[name=_words]":
                assert asked in tab.text(), tab.text()
                tab.fill(_words=words)
                tab.leave(tab.send)
            elif kind == "[name=allow]":
                tab.leave(lambda: tab.click("button[name=allow][value=true]"))
            else:
                assert tab.value("document.querySelector('[name=_decision]').value") == "deny", "refusal is not first"
                assert asked in tab.text(), tab.text()
                tab.leave(lambda: tab.click("button[name=_decision][value=allow]", times=2))

    def device(self):
        tab = self.tab
        tab.forget()
        client, _ = scene.client("device")
        begun = requests.post(endpoints["device_authorization_endpoint"], timeout=SECONDS, data={
            "client_id": client, "scope": "openid offline_access tasks.read",
        }).json()
        tab.open(begun["verification_uri_complete"])
        tab.shows("[name=user_code]")
        assert tab.value("document.querySelector('[name=user_code]').value"), "the link's code is not filled in"
        assert not tab.value("!!document.querySelector('[name=_decision]')"), "the link's code was submitted automatically"
        tab.leave(tab.send)
        self.go_on("A television")
        tokens = requests.post(endpoints["token_endpoint"], timeout=SECONDS, data={
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": begun["device_code"],
            "client_id": client,
        }).json()
        assert "id_token" in tokens, tokens
        assert verified(scene, tokens["id_token"], client)["email"] == self.person.address, tokens
        self.television = client, tokens["refresh_token"]

    def terminal(self):
        """Answers the command line's flow in the browser."""
        environment = {**os.environ, **scene.environment}
        environment.pop("BROWSER", None)
        program = subprocess.Popen(
            [f"{scene.programs}/tasks", "sign-in", "--browser"], env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        killer = threading.Timer(SECONDS, program.kill)
        killer.start()
        try:
            said = ""
            while not (words := re.search(r"type these words: (\S+ \S+)", said)):
                line = program.stdout.readline()
                assert line, f"tasks sign-in --browser ended: {said}"
                said += line
            tab = self.tab
            tab.forget()
            tab.open(re.search(r"https://\S+", said)[0])
            self.go_on("tasks", words[1])
            rest, _ = program.communicate(timeout=SECONDS)
            assert program.returncode == 0, said + rest
        finally:
            killer.cancel()
            program.kill()
            program.wait(SECONDS)
        assert self.person.address in scene.run("tasks", "whoami")
        scene.run("tasks", "sign-out", "--all")

    def account(self):
        """Lists and revokes a device, then a consent, which the client must request again."""
        tab, silent = self.tab, self.authorize(SIGN_IN, prompt="none")
        tab.forget()
        tab.open(self.authorize(SIGN_IN))
        self.go_on("")
        assert "code" in self.site.answer()[1]
        tab.open(f"{scene.base}/{scene.tenant}/account")
        tab.shows("main.wide")
        assert "A television" in tab.text() and "The browser client" in tab.text(), tab.text()
        device = """[...document.querySelectorAll('button[name=_endDevice]')]
            .filter(button => button.closest('li').innerText.includes('A television'))"""
        assert tab.value(f"{device}.map(button => button.dataset.device = 'television').length") == 1, tab.text()
        tab.leave(lambda: tab.click("[data-device=television]", times=2))
        self.go_on("")
        assert tab.value(f"{device}.length") == 0, tab.text()
        client, refresh_token = self.television
        answer = requests.post(endpoints["token_endpoint"], timeout=SECONDS, data={
            "grant_type": "refresh_token", "client_id": client, "refresh_token": refresh_token,
        })
        assert answer.json()["error"] == "invalid_grant", answer.text
        tab.leave(lambda: tab.click(f"button[name=_endConsent][value={name}]"))
        tab.open(silent)
        assert self.site.answer()[1]["error"] == "consent_required"

    def sign_out(self):
        tab = self.tab
        silent = self.authorize(SIGN_IN, prompt="none")
        tab.open(self.authorize(SIGN_IN))
        self.go_on("")
        tab.shows("#client")
        tokens = self.redeem(self.site.answer()[1])
        tab.open(silent)
        assert "code" in self.site.answer()[1]
        tab.open(endpoints["end_session_endpoint"] + "?" + urllib.parse.urlencode({
            "id_token_hint": tokens["id_token"], "client_id": name,
        }))
        tab.until("document.readyState === 'complete' && !!document.querySelector('h1')")
        if tab.value("!!document.querySelector('form:not([hidden]) button.primary')"):
            tab.send()
        tab.until("!document.querySelector('form:not([hidden])') && !!document.querySelector('h1')")
        tab.open(silent)
        assert self.site.answer()[1]["error"] == "login_required"

    def sign_out_for_client(self):
        """Signs out without a hint: the user must confirm, and the form leads to the client's page."""
        tab = self.tab
        tab.open(self.authorize(SIGN_IN))
        self.go_on("")
        tab.shows("#client")
        self.site.answer()
        end = f"http://localhost:{scene.clients['apache']['port']}/signed-out"
        with Site(int(end.split(":")[2].split("/")[0])) as last:
            tab.open(endpoints["end_session_endpoint"] + "?" + urllib.parse.urlencode({
                "client_id": name, "post_logout_redirect_uri": end, "state": "bye",
            }))
            tab.shows("button[name=_decision][value=allow]")
            tab.click("button[name=_decision][value=allow]")
            tab.shows("#client")
            assert last.answer("/signed-out")[1] == {"state": "bye"}


def complaints(tab):
    """The console messages of the authority's pages.

    Expected messages are left out: the status of a rejected answer, and a focus before `autofocus`, as in this test.
    """
    usual = re.compile(r"status of 4\d\d|favicon|^Autofocus processing was blocked")
    return [text for text in (*tab.said, *tab.complaints()) if not usual.search(text)]


with Site() as site:
    for scripts in (True, False):
        for theme, size in (("light", (1280, 900)), ("dark", (320, 640))):
            with Tab(trust(f"{scene.folder}/server.pem")) as tab:
                tab.look(*size, theme)
                if not scripts:
                    tab.without_scripts()
                visit = Visit(tab, site)
                visit.scripts = scripts
                try:
                    visit.sign_up()
                    visit.wrong_password()
                    visit.keyboard()
                    visit.form_post()
                    visit.refuse()
                    visit.device()
                    visit.terminal()
                    visit.account()
                    visit.sign_out()
                    visit.sign_out_for_client()
                    found = complaints(tab)
                    assert not found, found
                except BaseException:
                    with contextlib.suppress(Exception):
                        print(f"scripts {scripts}, {theme}: at {tab.address()}:\n{tab.text()}\n{tab.complaints()}")
                    raise
