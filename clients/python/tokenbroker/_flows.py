"""Runs flows. Handlers answer the steps, except those that the user completes in a browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ._wire import Members
from .errors import BrokerError, FlowEnded, Reason, TokenbrokerError, UnhandledChallenge
from .handlers import Action, Challenge, Handlers, find_handler
from .values import BrowserPlace, Flow, Step, Token

#: Errors after which the step stays open and is answered again.
_ANSWER_AGAIN = {
    Reason.INVALID_ANSWER, Reason.LIMIT_EXCEEDED, Reason.PROVIDER_UNAVAILABLE, Reason.PROVIDER_PROTOCOL,
}
#: Errors after which the flow is fetched again.
_LOOK_AGAIN = {Reason.STALE_STEP, Reason.EXPIRED_STEP, Reason.SUBMISSION_IN_PROGRESS, Reason.FLOW_FINISHED}

_SENTENCES = {
    "blocked": "There were too many failed attempts. Try again later.",
    "denied": "The broker denied the request.",
    "wrong_user": "The wrong user signed in. Sign in as the required user.",
    "user_cancelled": "The flow was cancelled.",
    "cancelled": "The flow was cancelled.",
    "expired": "The flow expired. Try again.",
}


@dataclass(frozen=True)
class FlowRunner:
    """Runs flows with a client's calls."""

    call: Callable[[str, Mapping[str, object]], Members]
    handlers: Handlers
    browsing: Callable[[BrowserPlace], None] | None
    random_name: Callable[[], str]
    wait_ms: int

    def finish(self, flow: Flow) -> tuple[Flow, Token | None]:
        """Runs a flow until it succeeds. Returns it, and its token if the flow was started for one."""
        place: BrowserPlace | None = None
        token: Token | None = None
        refusal: BrokerError | None = None
        try:
            while flow.is_open:
                if flow.browser is not None and flow.browser != place:
                    place = flow.browser
                    if self.browsing is not None:
                        self.browsing(place)
                if place is not None or flow.state != "challenge":
                    flow, refusal = self._waited(flow), None
                elif flow.step is None:
                    flow, refusal = self._looked(flow), None
                else:
                    flow, token, refusal = self._answered(flow, flow.step, refusal)
        except BaseException:
            # After any error, including Ctrl-C, no handler answers the flow any more.
            self._cancel(flow)
            raise
        if flow.state != "succeeded":
            raise FlowEnded(_sentence(flow), flow)
        return flow, token

    def _waited(self, flow: Flow) -> Flow:
        answer = self.call("flow.wait", {"flow": flow.id, "sinceRev": flow.rev, "timeoutMs": self.wait_ms})
        return Flow._read(answer.member("flow"))

    def _looked(self, flow: Flow) -> Flow:
        return Flow._read(self.call("flow.get", {"flow": flow.id}).member("flow"))

    def _answered(
        self, flow: Flow, step: Step, refusal: BrokerError | None
    ) -> tuple[Flow, Token | None, BrokerError | None]:
        handler = find_handler(step, self.handlers)
        if handler is None:
            raise UnhandledChallenge(
                f"There is no handler for the step {step.title}. "
                "Add one, or sign in with `tokenbroker sign-in`."
            )
        answer = handler(Challenge(flow, step, refusal))
        try:
            return *self._sent(answer, flow, step), None
        except BrokerError as error:
            if error.reason in _ANSWER_AGAIN:
                return flow, None, error
            if error.reason in _LOOK_AGAIN:
                return self._looked(flow), None, None
            raise

    def _sent(self, answer: Mapping[str, object] | Action, flow: Flow, step: Step) -> tuple[Flow, Token | None]:
        params: dict[str, object] = {"flow": flow.id, "step": step.id, "submissionId": self.random_name()}
        if isinstance(answer, Action):
            params["action"] = answer.name
            if answer.value is not None:
                params["value"] = answer.value
            return Flow._read(self.call("flow.action", params).member("flow")), None
        result = self.call("flow.submit", params | {"answers": dict(answer)})
        token = result.maybe_member("token")
        return Flow._read(result.member("flow")), Token._read(token) if token else None

    def _cancel(self, flow: Flow) -> None:
        try:
            self.call("flow.cancel", {"flow": flow.id})
        except TokenbrokerError:
            # The flow expires by itself.
            return


def _sentence(flow: Flow) -> str:
    word = flow.reason or flow.state
    return _SENTENCES.get(word, f"The flow failed ({word}). Try again.")
