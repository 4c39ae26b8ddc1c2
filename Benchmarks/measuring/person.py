"""A user at the socket that signs up normally, with the code from the mail."""

import email
import os
import re
import time
import uuid

from .daemon import Answer, Connection

SCOPES = ["tasks.read"]
SIGN_UP = "b2c_1_sign_up"
PASSWORD = "Corr3ct-horse-battery"


class Person:
    def __init__(self, number, daemon, uid=None):
        self.address = f"person{number}@bench.example"
        self.daemon = daemon
        self.uid = uid

    def sign_up(self, scopes=SCOPES):
        """Signs up and returns the token."""
        connection = Connection(self.daemon.socket, self.uid)
        try:
            answer = connection.call(
                "token.acquire", policy=SIGN_UP, scopes=scopes, prompt="create", requestId=str(uuid.uuid4())
            )
            for _ in range(8):
                if answer.get("token"):
                    return answer["token"]
                answer = self.answered(connection, answer["flow"])
            raise RuntimeError(f"the flow does not end: {answer}")
        finally:
            connection.close()

    def answered(self, connection, flow):
        step = flow.get("step")
        if not step:
            raise RuntimeError(f"the flow ended as {flow['state']}: {flow}")
        answers = {node["name"]: self.value(node) for node in step["nodes"] if node["required"]}
        submission = str(uuid.uuid4())
        while True:
            try:
                return connection.call(
                    "flow.submit", flow=flow["id"], step=step["id"], submissionId=submission, answers=answers
                )
            except Answer as error:
                # Evaluations are limited per minute, in total and per uid, and hashing by its queue.
                if "retryAfterMs" not in error.data and error.code != 1013:
                    raise
                time.sleep(error.data.get("retryAfterMs", 1000) / 1000)
                submission = str(uuid.uuid4())

    def value(self, node):
        if node["kind"] == "secret":
            return PASSWORD
        if node["kind"] == "email":
            return self.address
        if node["kind"] == "code":
            return self.code()
        if node["kind"] == "bool":
            return True
        if node["kind"] == "select":
            return node["options"][0]
        return "Person"

    def code(self):
        """Returns the code from the mail, and deletes the mail."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for name in os.listdir(self.daemon.outbox) if os.path.isdir(self.daemon.outbox) else []:
                path = os.path.join(self.daemon.outbox, name)
                if not name.endswith(".eml"):
                    continue
                try:
                    with open(path) as file:
                        mail = email.message_from_file(file)
                except FileNotFoundError:
                    continue
                if mail["To"] and self.address in mail["To"]:
                    os.unlink(path)
                    text = mail.get_payload(decode=True).decode()
                    return re.search(r"^(\d{6})\s*$", text, re.MULTILINE).group(1)
            time.sleep(0.005)
        raise TimeoutError(f"no mail for {self.address}")
