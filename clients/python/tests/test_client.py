"""Tests of the client with the built daemon."""

from __future__ import annotations

import os
import threading
import unittest
from datetime import datetime, timezone

from tokenbroker import (
    Action,
    Answer,
    BrokerError,
    BrowserPlace,
    Challenge,
    Client,
    FlowEnded,
    Handlers,
    Reason,
    UnhandledChallenge,
    UserHint,
    answering,
)

from .machine import Machine

PASSWORD = "Correct horse 9"
#: A provider to which the daemon sends no request before a browser goes there.
PROVIDER = (
    "identityProviders: {partner: {kind: oauth2, issuer: https://p.example, clientId: broker, authMethod: none, "
    "authorizationEndpoint: https://p.example/a, tokenEndpoint: https://p.example/t, "
    "userinfoEndpoint: https://p.example/u, claims: {subject: sub}}}\n"
)
#: A policy that signs in with a password or with that provider.
BOTH = (
    "kind: sign-in\nidentityProviders: [local, partner]\nclaims: [oid, displayName, email, identityProvider]\n"
    "scopes: {tasks.read: []}\n"
)


class Person:
    """A user who answers the prompts of a flow."""

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine = machine
        self.name = name
        self.email = f"{name}@example.org"
        self.password = PASSWORD
        self.pin = "4711"
        self.seen: list[str] = []

    def __call__(self, challenge: Challenge) -> Answer:
        self.seen.append(challenge.step.type)
        known = {
            "email": self.email, "username": self.email, "signInName": self.email, "displayName": self.name,
            "password": self.password, "city": "Oslo", "extension_team": "red", "pin": self.pin, "newPin": self.pin,
        }
        answers: dict[str, object] = {}
        for node in challenge.step.nodes:
            if node.kind == "code" and challenge.step.type == "code":
                answers[node.name] = self.machine.code(self.email)
            elif node.name in known:
                answers[node.name] = known[node.name]
            elif node.is_secret:
                answers[node.name] = self.pin if "pin" in challenge.step.type else self.password
        return answers


class ClientTests(unittest.TestCase):
    """Tests with one shared daemon. Each test that signs in creates its own user."""

    machine: Machine

    @classmethod
    def setUpClass(cls) -> None:
        cls.machine = Machine(PROVIDER, {"b2c_1_both": BOTH})
        cls.machine.start()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.machine.remove()

    def client(
        self, person: Person | None = None, *, language: str | None = None, correlation_id: str | None = None
    ) -> Client:
        client = Client(
            self.machine.socket,
            client_id="tasks-cli",
            handlers=Handlers(any=person),
            language=language,
            correlation_id=correlation_id,
        )
        self.addCleanup(client.close)
        return client

    def signed_up(self, name: str) -> tuple[Client, Person]:
        person = Person(self.machine, name)
        client = self.client(person)
        flow = client.run_flow("b2c_1_sign_up")
        self.assertEqual(flow.state, "succeeded")
        self.addCleanup(client.sign_out_all)
        return client, person

    def test_a_person_signs_up_and_a_token_comes_from_the_cache(self) -> None:
        client, person = self.signed_up("jo")
        first = client.acquire_token(["tasks.read"])
        again = client.acquire_token(["tasks.read"])
        self.assertIn("attributes", person.seen)
        self.assertEqual(first.username, person.email)
        self.assertIn("tasks.read", " ".join(first.scopes))
        self.assertGreater(first.expires_at, datetime.now(timezone.utc))
        self.assertTrue(again.from_cache)
        self.assertEqual(again.access_token.reveal(), first.access_token.reveal())
        self.assertEqual(first.authorization, f"Bearer {first.access_token.reveal()}")
        self.assertNotIn(first.access_token.reveal(), repr(first))
        self.assertEqual([one.username for one in client.accounts()], [person.email])
        self.assertEqual(client.account(first.account).display_name, person.name)
        self.assertEqual(client.use(first.account).account, first.account)
        self.assertIn(first.scopes, [one.scopes for one in client.tokens(first.account)])
        renewed = client.acquire_token(["tasks.read"], force_refresh=True)
        self.assertNotEqual(renewed.access_token.reveal(), first.access_token.reveal())

    def test_events_follow_a_renewal_and_a_sign_out(self) -> None:
        client, person = self.signed_up("eve")
        first = client.acquire_token(["tasks.read"])
        events = client.events(first.account)
        renewed = client.acquire_token(["tasks.read"], force_refresh=True)
        rotated = next(event for event in events if event.name == "token.rotated")
        self.assertEqual(rotated.account, first.account)
        assert rotated.token is not None
        self.assertEqual(rotated.token.username, person.email)
        self.assertNotIn(renewed.access_token.reveal(), repr(rotated))
        client.sign_out(first.account)
        self.assertEqual(next(event for event in events if event.name == "session.changed").change, "signedOut")
        with self.assertRaises(BrokerError) as caught:
            client.events(first.account)
        self.assertEqual(caught.exception.reason, Reason.ACCOUNT_NOT_FOUND)

    def test_nobody_signed_in_is_a_refusal_with_its_reason(self) -> None:
        with self.assertRaises(BrokerError) as caught:
            self.client().acquire_token(["tasks.read"], prompt="none")
        self.assertEqual(caught.exception.reason, Reason.INTERACTION_REQUIRED)
        self.assertEqual(caught.exception.code, 1001)
        self.assertEqual(caught.exception.code, Reason.INTERACTION_REQUIRED.code)
        self.assertTrue(caught.exception.correlation_id)

    def test_the_correlation_id_is_the_callers(self) -> None:
        correlation = "5a0c4e2e-6d8f-4f0e-9d55-0d1f0a4f7d11"
        with self.assertRaises(BrokerError) as caught:
            self.client(correlation_id=correlation).policy("b2c_1_nothing")
        self.assertEqual(caught.exception.reason, Reason.UNKNOWN_POLICY)
        self.assertEqual(caught.exception.correlation_id, correlation)

    def test_wrong_parameters_are_refused_by_name(self) -> None:
        with self.assertRaises(BrokerError) as caught:
            self.client().call("policy.list", {"nonsense": 1})
        self.assertEqual(caught.exception.reason, Reason.INVALID_PARAMS)
        self.assertEqual(caught.exception.data["member"], "nonsense")

    def test_a_handler_hears_of_the_problem_and_answers_again(self) -> None:
        person = Person(self.machine, "kim")
        problems: list[str] = []

        def handler(challenge: Challenge) -> Answer:
            problems.extend(problem.name for problem in challenge.problems)
            person.password = PASSWORD if challenge.problems else "short"
            return person(challenge)

        with answering(handler, type="attributes"):
            flow = self.client(person).run_flow("b2c_1_sign_up")
        self.addCleanup(self.client().sign_out_all)
        self.assertEqual(flow.state, "succeeded")
        self.assertEqual(problems, ["password"])

    def test_what_a_handler_raises_cancels_the_flow_and_is_raised(self) -> None:
        def handler(challenge: Challenge) -> Answer:
            raise KeyboardInterrupt

        client = self.client()
        with self.assertRaises(KeyboardInterrupt), answering(handler):
            client.run_flow("b2c_1_sign_up")
        self.assertEqual(client.flows(), ())

    def test_a_step_without_a_handler_cancels_the_flow(self) -> None:
        client = self.client()
        with self.assertRaises(UnhandledChallenge):
            client.run_flow("b2c_1_sign_up")
        self.assertEqual(client.flows(), ())

    def test_a_flow_that_is_cancelled_has_ended(self) -> None:
        with self.assertRaises(FlowEnded) as caught, answering(lambda challenge: Action("cancel")):
            self.client().run_flow("b2c_1_sign_up")
        self.assertEqual(caught.exception.flow.state, "cancelled")
        self.assertEqual(str(caught.exception), "The flow was cancelled.")

    def test_the_steps_are_in_the_persons_language(self) -> None:
        titles: list[str] = []

        def handler(challenge: Challenge) -> Answer:
            titles.append(challenge.step.title)
            return Action("cancel")

        for language in ("en", "de"):
            with self.assertRaises(FlowEnded), answering(handler):
                self.client(language=language).run_flow("b2c_1_sign_up")
        self.assertEqual(len(set(titles)), 2)

    def test_a_flow_for_a_browser_shows_its_place(self) -> None:
        places: list[BrowserPlace] = []

        def browsing(place: BrowserPlace) -> None:
            places.append(place)
            raise InterruptedError

        client = Client(self.machine.socket, browsing=browsing)
        self.addCleanup(client.close)
        with self.assertRaises(InterruptedError):
            client.run_flow("b2c_1_sign_in", mode="browser")
        self.assertTrue(places[0].url.startswith(self.machine.base + "/local/flow/"))
        self.assertEqual(len(places[0].words), 2)
        with self.assertRaises(InterruptedError):
            client.run_flow("b2c_1_sign_in", mode="device")
        self.assertTrue(places[1].user_code)
        self.assertEqual(client.flows(), ())

    def test_a_provider_is_chosen_where_browsers_are_shown_and_not_offered_elsewhere(self) -> None:
        places: list[BrowserPlace] = []
        offered: list[bool] = []

        def browsing(place: BrowserPlace) -> None:
            places.append(place)
            raise InterruptedError

        def chooses(challenge: Challenge) -> Answer:
            offered.append(challenge.offers("choose"))
            return Action("choose", "partner") if offered[-1] else Action("cancel")

        client = Client(self.machine.socket, browsing=browsing)
        self.addCleanup(client.close)
        with self.assertRaises(InterruptedError), answering(chooses):
            client.run_flow("b2c_1_both")
        self.assertTrue(places[0].url.startswith(self.machine.base + "/local/flow/"))
        with self.assertRaises(FlowEnded), answering(chooses):
            self.client().run_flow("b2c_1_both")
        self.assertEqual((offered, len(places)), ([True, False], 1))

    def test_a_named_provider_is_gone_to_at_once(self) -> None:
        places: list[BrowserPlace] = []

        def browsing(place: BrowserPlace) -> None:
            places.append(place)
            raise InterruptedError

        client = Client(self.machine.socket, browsing=browsing)
        self.addCleanup(client.close)
        with self.assertRaises(InterruptedError):
            client.acquire_token(["tasks.read"], policy="b2c_1_both", provider="partner")
        with self.assertRaises(InterruptedError):
            client.run_flow("b2c_1_both", provider="partner")
        self.assertEqual(len(places), 2)

    def test_what_does_not_go_together_is_refused(self) -> None:
        client = self.client()
        token = {"access_token": "of-the-provider"}
        for reason, call in (
            (Reason.INVALID_PARAMS, lambda: client.acquire_token(policy="b2c_1_both", provider_token=token)),
            (Reason.INVALID_PARAMS, lambda: client.acquire_token(extra_query_parameters={"domain_hint": "x"})),
            (Reason.INVALID_PARAMS, lambda: client.acquire_token(extra_query_parameters={"scope": "x"})),
            (Reason.UNSUPPORTED_STEP, lambda: client.acquire_token(policy="b2c_1_both", provider="missing")),
            (Reason.UNSUPPORTED_STEP, lambda: client.run_flow("b2c_1_both", provider="missing")),
        ):
            with self.assertRaises(BrokerError) as caught:
                call()
            self.assertEqual(caught.exception.reason, reason, caught.exception)

    def test_a_token_is_for_the_user_who_is_named(self) -> None:
        client, person = self.signed_up("named")
        token = client.acquire_token(["tasks.read"], user=UserHint(person.email), prompt="none")
        self.assertEqual(token.username, person.email)
        oid = token.claims["oid"]
        assert isinstance(oid, str)
        by_id = client.acquire_token(["tasks.read"], user=UserHint(oid, "UniqueId"), prompt="none")
        self.assertEqual(by_id.account, token.account)
        with self.assertRaises(BrokerError) as caught:
            client.acquire_token(["tasks.read"], user=UserHint("unknown@example.org"), prompt="none")
        self.assertEqual(caught.exception.reason, Reason.INTERACTION_REQUIRED)

    def test_a_port_goes_with_pasting_only(self) -> None:
        with self.assertRaises(BrokerError) as caught:
            self.client().acquire_token(["tasks.read"], loopback_port=8400)
        self.assertEqual(caught.exception.reason, Reason.INVALID_PARAMS)

    def test_a_restart_of_the_daemon_is_not_noticed(self) -> None:
        client, person = self.signed_up("restart")
        before = client.acquire_token(["tasks.read"])
        self.machine.stop()
        self.machine.start()
        after = client.acquire_token(["tasks.read"])
        self.assertEqual(after.access_token.reveal(), before.access_token.reveal())

    def test_threads_share_a_client(self) -> None:
        client, person = self.signed_up("threads")
        expected = client.acquire_token(["tasks.read"]).access_token.reveal()
        found: list[str] = []

        def ask() -> None:
            for _ in range(10):
                found.append(client.acquire_token(["tasks.read"]).access_token.reveal())

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(found, [expected] * 80)

    def test_a_forked_process_does_not_read_its_parents_answers(self) -> None:
        client = self.client()
        version = client.status().version
        child = os.fork()
        if child == 0:
            os._exit(0 if client.status().version == version else 1)
        self.assertEqual(client.status().version, version)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_a_lock_seals_the_cache_until_the_passphrase_comes(self) -> None:
        client, person = self.signed_up("lock")
        account = client.acquire_token(["tasks.read"]).account
        key = client.store_key(account, "notes").reveal()
        client.lock("open sesame")
        self.assertTrue(client.status().locked)
        with self.assertRaises(BrokerError) as caught:
            client.acquire_token(["tasks.read"])
        self.assertEqual(caught.exception.reason, Reason.LOCKED)
        client.unlock("open sesame")
        self.assertEqual(client.store_key(account, "notes").reveal(), key)

    def test_sign_out_ends_what_there_was(self) -> None:
        client, person = self.signed_up("leaver")
        account = client.acquire_token(["tasks.read"]).account
        removed = client.sign_out(account)
        self.assertEqual((removed.tokens > 0, removed.sessions), (True, 1))
        self.assertEqual(client.accounts(), ())
        with self.assertRaises(BrokerError) as caught:
            client.acquire_token(["tasks.read"], account=account, prompt="none")
        self.assertEqual(caught.exception.reason, Reason.ACCOUNT_NOT_FOUND)

    def test_the_policies_are_listed(self) -> None:
        policies = {policy.policy: policy for policy in self.client().policies()}
        self.assertTrue(policies["b2c_1_sign_up"].available)
        self.assertEqual(policies["b2c_1_sign_up"].kind, "sign-up")
        self.assertEqual(self.client().policy("B2C_1_sign_up"), policies["b2c_1_sign_up"])
