"""A user with a browser that has cookies, follows links and fills in forms, but runs no script.

As a program it is the value of BROWSER: it opens the address, answers the pages for CLIENTS_EMAIL (and CLIENTS_INTENT,
sign-up or sign-in), and sends the response to the client.
"""

import dataclasses
import email.message
import email.parser
import email.policy
import html.parser
import os
import pathlib
import re
import secrets
import sys
import time
import urllib.parse

import requests

from scene import Scene

PASSWORD = "Correct-horse-7"
SECONDS = 30  # for a response, and for a mail
MOST_PAGES = 20


@dataclasses.dataclass
class Form:
    """A form of a page: its fields with their values, and its named buttons."""

    action: str
    fields: dict
    buttons: list


class Forms(html.parser.HTMLParser):
    """The forms of a page, by id or number."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.open, self.name, self.later = {}, None, None, []
        self.feed(text)
        for form, button in self.later:
            self.forms[form].buttons.append(button)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "form":
            self.open = self.forms.setdefault(a.get("id") or len(self.forms), Form(a["action"], {}, []))
        elif tag == "button" and "name" in a:
            button = (a["name"], a.get("value", ""))
            if "form" in a:
                self.later.append((a["form"], button))
            elif self.open:
                self.open.buttons.append(button)
        elif self.open is None or "name" not in a:
            return
        elif tag == "select":
            self.open.fields[a["name"]] = ""
            self.name = a["name"]
        elif tag == "input" and a.get("type") not in ("checkbox", "radio", "submit"):
            # A secret may have two fields, hidden and shown: the first one counts.
            self.open.fields.setdefault(a["name"], a.get("value", ""))

    def handle_endtag(self, tag):
        if tag == "form":
            self.open = None


class Person:
    """A user with an e-mail address and a browser."""

    def __init__(self, scene, address=None, intent="sign-up"):
        self.scene, self.intent = scene, intent
        self.address = address or f"p{secrets.token_hex(6)}@example.org"
        self.browser = requests.Session()
        self.browser.verify = scene.authority_certificate
        self.browser.trust_env = False
        self.pages, self.user_code, self.words, self.posted = [], None, None, None

    def visit(self, address):
        """Opens an address, answers all pages, and returns the final address outside the authority.

        `posted` has the fields of a final form, or None if the response is in the address.
        """
        self.posted = None
        return self.read(self.browser.get(address, allow_redirects=False, timeout=SECONDS))

    def post(self, address, fields):
        return self.browser.post(address, data=fields, allow_redirects=False, timeout=SECONDS)

    def read(self, answer):
        for _ in range(MOST_PAGES):
            # A page that only announces a redirect continues by itself.
            onward = answer.headers.get("Refresh", "").removeprefix("0; url=")
            if answer.is_redirect or onward:
                target = urllib.parse.urljoin(answer.url, onward or answer.headers["Location"])
                if not target.startswith(self.scene.base + "/"):
                    return target
                answer = self.browser.get(target, allow_redirects=False, timeout=SECONDS)
                continue
            title = re.search("<title>(.*?)</title>", answer.text, re.S)
            self.pages.append(title[1] if title else answer.text[:80])
            if answer.status_code != 200:
                raise AssertionError(f"{answer.url} answered {answer.status_code}:\n{answer.text}")
            forms = Forms(answer.text).forms
            if not forms:
                return answer.url
            form = next(iter(forms.values()))
            if not urllib.parse.urljoin(answer.url, form.action).startswith(self.scene.base + "/"):
                self.posted = form.fields
                return form.action
            answer = self._answer(answer.url, forms)
        raise AssertionError(f"no end after {self.pages}")

    def _answer(self, url, forms):
        """Answers a page according to the user's intent."""
        form = next(iter(forms.values()))
        fields = dict(form.fields)
        if "actions" in forms and ("_action", "create") in forms["actions"].buttons and self.intent == "sign-up":
            form = forms["actions"]
            fields = {**form.fields, "_action": "create"}
        elif ("allow", "true") in form.buttons:
            fields["allow"] = "true"
        elif ("_decision", "allow") in form.buttons:
            fields["_decision"] = "allow"
            if "_words" in fields:
                fields["_words"] = self.words
        else:
            known = {
                "username": self.address, "email": self.address, "displayName": "Pat Person", "city": "Oslo",
                "extension_team": "red", "password": PASSWORD,
            }
            fields.update({name: known[name] for name in fields if name in known})
            if "user_code" in fields:
                fields["user_code"] = self.user_code
            if "code" in fields:
                fields["code"] = self.code()
        return self.post(urllib.parse.urljoin(url, form.action), fields)

    def code(self):
        """The code in the newest mail to this user."""
        end, parser = time.monotonic() + SECONDS, email.parser.BytesParser(policy=email.policy.default)
        while time.monotonic() < end:
            mails = sorted(pathlib.Path(self.scene.outbox).glob("*.eml"), key=lambda path: path.stat().st_mtime_ns)
            for path in reversed(mails):
                mail = parser.parsebytes(path.read_bytes())
                if self.address in mail["To"]:
                    return re.search(r"\b([0-9]{6})\b", mail.get_content())[1]
            time.sleep(0.05)
        raise AssertionError(f"no mail for {self.address} within {SECONDS} s")


def main():
    scene = Scene.current()
    person = Person(scene, os.environ["CLIENTS_EMAIL"], os.environ.get("CLIENTS_INTENT", "sign-in"))
    target = person.visit(sys.argv[1])
    # The client's listener on loopback. No page of the authority follows.
    method = "GET" if person.posted is None else "POST"
    requests.request(method, target, data=person.posted, timeout=SECONDS).raise_for_status()


if __name__ == "__main__":
    main()
