"""Handlers that answer the steps of flows."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from .errors import BrokerError, Problem
from .values import Flow, Step


@dataclass(frozen=True)
class Challenge:
    """A step to answer. `refusal` is the error of the previous answer, or `None` the first time."""

    flow: Flow
    step: Step
    refusal: BrokerError | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the previous answer, empty the first time."""
        return self.refusal.problems if self.refusal else ()

    def offers(self, action: str) -> bool:
        """Returns whether the step offers `action`."""
        return action in self.step.actions


@dataclass(frozen=True)
class Action:
    """An action instead of an answer, such as `resend` or `back`."""

    name: str
    value: str | None = None


#: Input by the names of the nodes, or an action.
Answer = Mapping[str, object] | Action
#: Answers a step. If it raises, the flow is cancelled and the caller gets the error. It is called again while the step
#: stays open.
Handler = Callable[[Challenge], Answer]


@dataclass(frozen=True)
class Handlers:
    """The handlers of a client. The handler of the check takes precedence, then that of the type, then `any`."""

    any: Handler | None = None
    by_type: Mapping[str, Handler] = field(default_factory=dict)
    by_check: Mapping[str, Handler] = field(default_factory=dict)

    def find(self, step: Step) -> Handler | None:
        """Returns the handler for a step."""
        return self.by_check.get(step.check or "") or self.by_type.get(step.type) or self.any


_scoped: contextvars.ContextVar[tuple[Handlers, ...]] = contextvars.ContextVar("tokenbroker_handlers", default=())


@contextmanager
def answering(handler: Handler, *, check: str | None = None, type: str | None = None) -> Iterator[None]:
    """Answers steps with `handler` inside the block. It takes precedence over the handlers of the client.

    With `check` or `type`, only the steps of that check or type.
    """
    if check is not None and type is not None:
        raise ValueError("A handler is for a check or for a type, not for both.")
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
    """Returns the handler for a step: that of the innermost matching `answering`, else that of `handlers`."""
    return next((found for scope in (*_scoped.get(), handlers) if (found := scope.find(step))), None)
