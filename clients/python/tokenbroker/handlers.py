"""What answers the steps of flows."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from .errors import BrokerError, Problem
from .values import Flow, Step


@dataclass(frozen=True)
class Challenge:
    """A step that must be answered; `refusal` is that of the previous answer, None the first time."""

    flow: Flow
    step: Step
    refusal: BrokerError | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the previous answer; empty the first time."""
        return self.refusal.problems if self.refusal else ()

    def offers(self, action: str) -> bool:
        """Returns true if the step offers `action`."""
        return action in self.step.actions


@dataclass(frozen=True)
class Action:
    """An action in place of an answer, such as `resend` or `back`."""

    name: str
    value: str | None = None


#: Input by the names of the nodes, or an action.
Answer = Mapping[str, object] | Action
#: Answers a step, or raises: that cancels the flow and reaches the caller. It is called again while the step stays open.
Handler = Callable[[Challenge], Answer]


@dataclass(frozen=True)
class Handlers:
    """The handlers of a client: for the steps of one check, else of one type, else for any step."""

    any: Handler | None = None
    by_type: Mapping[str, Handler] = field(default_factory=dict)
    by_check: Mapping[str, Handler] = field(default_factory=dict)

    def find(self, step: Step) -> Handler | None:
        """Returns the handler for a step."""
        return self.by_check.get(step.check or "") or self.by_type.get(step.type) or self.any


_scoped: contextvars.ContextVar[tuple[Handlers, ...]] = contextvars.ContextVar("tokenbroker_handlers", default=())


@contextmanager
def answering(handler: Handler, *, check: str | None = None, type: str | None = None) -> Iterator[None]:
    """Answers steps with `handler` in everything that is called within; it goes before the client's handlers.

    With `check` or `type`, only the steps of that check or type.
    """
    if check is not None and type is not None:
        raise ValueError("a handler is for a check or for a type, not for both")
    if check is not None:
        handlers = Handlers(by_check={check: handler})
    elif type is not None:
        handlers = Handlers(by_type={type: handler})
    else:
        handlers = Handlers(any=handler)
    before = _scoped.set((handlers, *_scoped.get()))
    try:
        yield
    finally:
        _scoped.reset(before)


def find_handler(step: Step, handlers: Handlers) -> Handler | None:
    """Returns the handler for a step: of the innermost `answering` that has one, else of `handlers`."""
    return next((found for scope in (*_scoped.get(), handlers) if (found := scope.find(step))), None)
