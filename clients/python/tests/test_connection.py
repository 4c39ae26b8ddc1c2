"""Tests of the connection with faulty and untrusted servers."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import socket
import tempfile
import threading
import unittest
from collections.abc import Callable
from unittest import mock

from tokenbroker import (
    BrokerError,
    Client,
    DeadlinePassed,
    Disconnected,
    Secret,
    Unreachable,
    UnreadableAnswer,
    UntrustedServer,
    UserHint,
)
from tokenbroker.connection import ANSWER_LIMIT, SERVICE_PATH, Connection, socket_paths, trusts


class ConnectionTests(unittest.TestCase):
    """Each test has its own server, which accepts a fixed number of connections."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(pathlib.Path(folder.name) / "s")

    def serve(self, *conversations: Callable[[socket.socket], None]) -> list[bytes]:
        """Handles one connection after the other. Returns the first line of each."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path)
        listener.listen()
        listener.settimeout(20)
        lines: list[bytes] = []

        def run() -> None:
            with listener:
                for conversation in conversations:
                    end, _ = listener.accept()
                    with end:
                        end.settimeout(20)
                        lines.append(end.makefile("rb").readline())
                        conversation(end)

        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join, 30)
        return lines

    @staticmethod
    def says(text: bytes) -> Callable[[socket.socket], None]:
        return lambda end: end.sendall(text)

    @staticmethod
    def hangs(end: socket.socket) -> None:
        end.recv(1)

    def client(self, deadline: float | None = 20) -> Client:
        client = Client(self.path, deadline=deadline)
        self.addCleanup(client.close)
        return client

    def test_nobody_listens(self) -> None:
        with self.assertRaisesRegex(Unreachable, "Start tokenbrokerd"):
            self.client().status()

    def test_a_server_of_somebody_else_hears_nothing(self) -> None:
        lines = self.serve(lambda end: None)
        with self.assertRaisesRegex(UntrustedServer, "Nothing was sent"):
            Connection.open([self.path], trust=lambda uid, path: False)
        self.doCleanups()
        self.assertEqual(lines, [b""])

    def test_own_user_and_root_are_trusted(self) -> None:
        self.assertTrue(trusts(os.geteuid(), "/anywhere"))
        self.assertTrue(trusts(0, "/anywhere"))
        self.assertFalse(trusts(54321, "/anywhere"))
        self.assertFalse(trusts(54321, SERVICE_PATH))

    def test_a_server_that_says_nothing_is_given_up(self) -> None:
        self.serve(self.hangs)
        with self.assertRaises(DeadlinePassed):
            self.client(deadline=0.2).status()

    def test_a_server_that_stops_in_the_middle_of_a_line_is_given_up(self) -> None:
        def drips(end: socket.socket) -> None:
            end.sendall(b'{"jsonrpc":')
            end.recv(1)

        self.serve(drips)
        with self.assertRaises(DeadlinePassed):
            self.client(deadline=0.2).status()

    def test_a_lost_answer_is_asked_for_once_more(self) -> None:
        answer = b'{"jsonrpc":"2.0","id":1,"result":{"version":"7","uptimeMs":1,"locked":false}}\n'
        lines = self.serve(lambda end: None, self.says(answer))
        self.assertEqual(self.client().status().version, "7")
        self.assertEqual(len(lines), 2)

    def test_the_steps_of_a_program_that_shows_browsers_have_providers(self) -> None:
        answer = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
        lines = self.serve(self.says(answer), self.says(answer))
        for browsing in (lambda place: None, None):
            client = Client(self.path, client_id="tasks-cli", browsing=browsing, deadline=20)
            self.addCleanup(client.close)
            with self.assertRaises(Disconnected):
                client.call("broker.lock")
        said = [json.loads(line)["params"] for line in lines]
        self.assertEqual([one.get("steps") for one in said], [["form", "provider"], None])

    def test_a_port_on_loopback_goes_with_its_request(self) -> None:
        lines = self.serve(self.hangs)
        with self.assertRaises(DeadlinePassed):
            self.client(deadline=0.5).acquire_token(["files.read"], policy="contoso", mode="browser", loopback_port=0)
        params = json.loads(lines[0])["params"]
        self.assertEqual((params["mode"], params["loopbackPort"]), ("browser", 0))

    def test_a_request_for_a_token_says_whom_it_is_for_and_how_they_sign_in(self) -> None:
        refused = b'{"jsonrpc":"2.0","id":1,"error":{"code":1012,"message":"m","data":{"reason":"scope_denied"}}}\n'
        lines = self.serve(self.says(refused))
        claims = {"id_token": {"auth_time": {"essential": True}}}
        with self.assertRaises(BrokerError):
            self.client().acquire_token(
                ["tasks.read"],
                policy="b2c_1_partner",
                user=UserHint("kim@example.org"),
                claims=claims,
                provider="partner",
                provider_token={"id_token": Secret("i1"), "access_token": "a1"},
                extra_query_parameters={"domain_hint": "example.org"},
            )
        params = json.loads(lines[0])["params"]
        self.assertTrue(params.pop("requestId"))
        self.assertEqual(
            params,
            {
                "scopes": ["tasks.read"],
                "policy": "b2c_1_partner",
                "user": {"id": "kim@example.org", "type": "RequiredDisplayableId"},
                "claims": claims,
                "provider": "partner",
                "providerToken": {"id_token": "i1", "access_token": "a1"},
                "extraQueryParameters": {"domain_hint": "example.org"},
            },
        )

    def test_a_flow_is_begun_with_a_provider_and_its_token(self) -> None:
        refused = b'{"jsonrpc":"2.0","id":1,"error":{"code":1012,"message":"m","data":{"reason":"scope_denied"}}}\n'
        lines = self.serve(self.says(refused))
        with self.assertRaises(BrokerError):
            self.client().run_flow(
                "b2c_1_partner",
                acr_values=["2"],
                max_age=300,
                provider="partner",
                provider_token={"access_token": Secret("a1")},
            )
        params = json.loads(lines[0])["params"]
        self.assertTrue(params.pop("requestId"))
        self.assertEqual(
            params,
            {
                "policy": "b2c_1_partner",
                "acrValues": ["2"],
                "maxAge": 300,
                "provider": "partner",
                "providerToken": {"access_token": "a1"},
            },
        )

    def test_what_is_not_given_is_not_sent(self) -> None:
        refused = b'{"jsonrpc":"2.0","id":1,"error":{"code":1001,"message":"m","data":{}}}\n'
        lines = self.serve(self.says(refused))
        with self.assertRaises(BrokerError):
            self.client().acquire_token(["tasks.read"])
        self.assertEqual(set(json.loads(lines[0])["params"]), {"scopes", "requestId"})

    def test_what_an_ending_service_did_not_begin_is_asked_once_more(self) -> None:
        ending = b'{"jsonrpc":"2.0","id":1,"error":{"code":1017,"message":"m","data":{"reason":"shutting_down"}}}\n'
        lines = self.serve(self.says(ending), self.says(b'{"jsonrpc":"2.0","id":1,"result":{}}\n'))
        self.client().lock("open sesame")
        self.assertEqual(len(lines), 2)

    def test_what_may_not_be_repeated_is_not(self) -> None:
        lines = self.serve(lambda end: None)
        with self.assertRaises(Disconnected):
            self.client().lock("open sesame")
        self.assertEqual(len(lines), 1)

    def test_an_answer_that_is_none_is_refused(self) -> None:
        for text in (b"no\n", b"[]\n", b"\xff\n", b'{"id":2,"result":{}}\n', b'{"id":1}\n', b"[" * 100_000 + b"\n"):
            with self.subTest(text[:20]):
                self.path += "x"
                self.serve(self.says(text))
                with self.assertRaises(UnreadableAnswer):
                    self.client().status()

    def test_an_answer_without_an_end_is_not_kept(self) -> None:
        def floods(end: socket.socket) -> None:
            try:
                for _ in range(64):
                    end.sendall(b"x" * (ANSWER_LIMIT // 16))
            except OSError:
                return

        self.serve(floods)
        with self.assertRaisesRegex(UnreadableAnswer, "more than"):
            self.client().status()

    def test_members_that_are_missing_or_wrong_are_named(self) -> None:
        self.serve(self.says(b'{"id":1,"result":{"version":7}}\n'))
        with self.assertRaisesRegex(UnreadableAnswer, "version is not a string"):
            self.client().status()

    def test_a_refusal_has_the_key_of_its_sentence(self) -> None:
        data = '{"reason":"unknown_client","key":"refusal.noSuchClient","parameters":{"client":"app"}}'
        self.serve(self.says(b'{"id":1,"error":{"code":1022,"message":"m","data":' + data.encode() + b"}}\n"))
        with self.assertRaises(BrokerError) as caught:
            self.client().status()
        self.assertEqual(str(caught.exception), "unknown_client (1022): m")
        self.assertEqual(caught.exception.key, "refusal.noSuchClient")
        self.assertEqual(caught.exception.parameters, {"client": "app"})
        without = BrokerError(1017, "m", {"key": 7, "parameters": []})
        self.assertEqual((without.key, without.parameters), (None, {}))

    def test_the_paths_are_those_of_the_environment(self) -> None:
        self.assertEqual(socket_paths("/a"), ("/a",))
        self.assertEqual(socket_paths(None, {"TOKENBROKER_SOCKET": "/b", "XDG_RUNTIME_DIR": "/c"}), ("/b",))
        own = "/c/tokenbroker/tokenbroker.sock"
        self.assertEqual(socket_paths(None, {"XDG_RUNTIME_DIR": "/c"}), (own, SERVICE_PATH))
        self.assertEqual(socket_paths(None, {"XDG_RUNTIME_DIR": "/c/"}), (own, SERVICE_PATH))
        own = "/run/user/7/tokenbroker/tokenbroker.sock"
        for variables in ({}, {"XDG_RUNTIME_DIR": "relative"}):
            self.assertEqual(socket_paths(None, variables, 7), (own, SERVICE_PATH))
            self.assertEqual(socket_paths(None, variables, 0), (SERVICE_PATH,))

    def test_without_a_runtime_directory_the_message_names_the_variables(self) -> None:
        with mock.patch.dict(os.environ), self.assertRaises(Unreachable) as caught:
            os.environ.pop("XDG_RUNTIME_DIR", None)
            Connection.open(["/nothing/a", "/nothing/b"])
        self.assertIn("XDG_RUNTIME_DIR is not set", str(caught.exception))
        self.assertIn("TOKENBROKER_SOCKET", str(caught.exception))

    def test_a_secret_is_neither_printed_nor_pickled(self) -> None:
        secret = Secret("hidden")
        self.assertEqual(f"{secret} {secret!r}", "<redacted> <redacted>")
        with self.assertRaises(TypeError):
            pickle.dumps(secret)
        self.assertEqual(secret.reveal(), "hidden")
