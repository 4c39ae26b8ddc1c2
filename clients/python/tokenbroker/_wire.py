"""Reads JSON objects of the wire member by member."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone


class Members:
    """The members of a JSON object; one that is not as it must be is an `UnreadableAnswer`."""

    def __init__(self, values: object) -> None:
        if not isinstance(values, Mapping):
            raise self._problem("the answer is no object")
        self._values = values

    @staticmethod
    def _problem(text: str) -> Exception:
        from .errors import UnreadableAnswer

        return UnreadableAnswer(f"the daemon's answer cannot be read: {text}")

    def any(self, name: str) -> object:
        """Returns the member as it is; None where there is none."""
        return self._values.get(name)

    def maybe_text(self, name: str) -> str | None:
        """Returns a text; None where the member is missing."""
        value = self._values.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self._problem(f"{name} is no text")

    def text(self, name: str) -> str:
        """Returns a text that must be there."""
        value = self.maybe_text(name)
        if value is None:
            raise self._problem(f"{name} is missing")
        return value

    def maybe_number(self, name: str) -> int | None:
        """Returns a whole number; None where the member is missing."""
        value = self._values.get(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise self._problem(f"{name} is no whole number")

    def number(self, name: str) -> int:
        """Returns a whole number that must be there."""
        value = self.maybe_number(name)
        if value is None:
            raise self._problem(f"{name} is missing")
        return value

    def flag(self, name: str, missing: bool = False) -> bool:
        """Returns a boolean; `missing` where there is none."""
        value = self._values.get(name, missing)
        if isinstance(value, bool):
            return value
        raise self._problem(f"{name} is neither true nor false")

    def maybe_time(self, name: str) -> datetime | None:
        """Returns a time; None where the member is missing."""
        value = self.maybe_number(name)
        if value is None:
            return None
        try:
            return datetime.fromtimestamp(value / 1000, timezone.utc)
        except (OverflowError, ValueError, OSError):
            raise self._problem(f"{name} is no time") from None

    def time(self, name: str) -> datetime:
        """Returns a time that must be there."""
        value = self.maybe_time(name)
        if value is None:
            raise self._problem(f"{name} is missing")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Returns a list of texts; empty where the member is missing."""
        return tuple(value for value in self._list(name) if isinstance(value, str))

    def members(self, name: str) -> tuple[Members, ...]:
        """Returns a list of objects; empty where the member is missing."""
        return tuple(Members(value) for value in self._list(name))

    def maybe_member(self, name: str) -> Members | None:
        """Returns an object; None where the member is missing."""
        value = self._values.get(name)
        return None if value is None else Members(value)

    def member(self, name: str) -> Members:
        """Returns an object that must be there."""
        return Members(self._values.get(name))

    def mapping(self, name: str) -> Mapping[str, object]:
        """Returns an object as it is; empty where the member is missing."""
        value = self._values.get(name)
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return value
        raise self._problem(f"{name} is no object")

    def _list(self, name: str) -> list[object]:
        value = self._values.get(name)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        raise self._problem(f"{name} is no list")
