"""Reads the members of JSON objects from the daemon."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone


class Members:
    """The members of a JSON object. A member of the wrong type raises `UnreadableAnswer`."""

    def __init__(self, values: object) -> None:
        if not isinstance(values, Mapping):
            raise self._problem("it is not an object")
        self._values = values

    @staticmethod
    def _problem(text: str) -> Exception:
        from .errors import UnreadableAnswer

        return UnreadableAnswer(f"The daemon's response cannot be read: {text}")

    def any(self, name: str) -> object:
        """Returns the member unchanged, or `None` if it is missing."""
        return self._values.get(name)

    def maybe_text(self, name: str) -> str | None:
        """Returns a string, or `None` if the member is missing."""
        value = self._values.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self._problem(f"{name} is not a string")

    def text(self, name: str) -> str:
        """Returns a required string."""
        value = self.maybe_text(name)
        if value is None:
            raise self._problem(f"{name} is missing")
        return value

    def maybe_number(self, name: str) -> int | None:
        """Returns a whole number, or `None` if the member is missing."""
        value = self._values.get(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise self._problem(f"{name} is not a whole number")

    def number(self, name: str) -> int:
        """Returns a required whole number."""
        value = self.maybe_number(name)
        if value is None:
            raise self._problem(f"{name} is missing")
        return value

    def flag(self, name: str, missing: bool = False) -> bool:
        """Returns a Boolean, or `missing` if the member is missing."""
        value = self._values.get(name, missing)
        if isinstance(value, bool):
            return value
        raise self._problem(f"{name} is neither true nor false")

    def maybe_time(self, name: str) -> datetime | None:
        """Returns a time, or `None` if the member is missing."""
        value = self.maybe_number(name)
        if value is None:
            return None
        try:
            return datetime.fromtimestamp(value / 1000, timezone.utc)
        except (OverflowError, ValueError, OSError):
            raise self._problem(f"{name} is not a time") from None

    def time(self, name: str) -> datetime:
        """Returns a required time."""
        value = self.maybe_time(name)
        if value is None:
            raise self._problem(f"{name} is missing")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Returns a list of strings, empty if the member is missing."""
        return tuple(value for value in self._list(name) if isinstance(value, str))

    def members(self, name: str) -> tuple[Members, ...]:
        """Returns a list of objects, empty if the member is missing."""
        return tuple(Members(value) for value in self._list(name))

    def maybe_member(self, name: str) -> Members | None:
        """Returns an object, or `None` if the member is missing."""
        value = self._values.get(name)
        return None if value is None else Members(value)

    def member(self, name: str) -> Members:
        """Returns a required object."""
        return Members(self._values.get(name))

    def mapping(self, name: str) -> Mapping[str, object]:
        """Returns an object unchanged, empty if the member is missing."""
        value = self._values.get(name)
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return value
        raise self._problem(f"{name} is not an object")

    def _list(self, name: str) -> list[object]:
        value = self._values.get(name)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        raise self._problem(f"{name} is not a list")
