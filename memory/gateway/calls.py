"""Calls of tools in a streamed answer: the client's are passed on as they come, ours never reach it."""

from typing import Any

from memory.gateway.dialects import SearchCall

CallPart = dict[str, Any]


class CallSplitter:
    """Takes the parts of calls as they come.

    A part is held until its name says whose call it is, which most servers send in the first part and some in pieces.
    """

    def __init__(self, own_name: str) -> None:
        self._own_name = own_name
        self._names: dict[int, str] = {}
        self._ids: dict[int, str] = {}
        self._waiting: dict[int, list[CallPart]] = {}
        self._shown: dict[int, int] = {}
        self._own: dict[int, list[str]] = {}
        # Servers that send every call whole give all of them the position 0, or none.
        self._aliases: dict[int, int] = {}

    @property
    def has_clients(self) -> bool:
        return bool(self._shown)

    def take(self, parts: list[CallPart]) -> list[CallPart]:
        """Those parts that are the client's, numbered as if ours were not there."""
        shown: list[CallPart] = []
        for part in parts:
            key = self._find_key(part)
            function = part.get("function") or {}
            self._names[key] = self._names.get(key, "") + str(function.get("name") or "")
            self._waiting.setdefault(key, []).append(part)
            shown += self._settle(key, is_named=bool(function.get("arguments")))
        return shown

    def end(self) -> list[CallPart]:
        """What waited for more of its name and is the client's."""
        return [part for key in list(self._waiting) for part in self._settle(key, is_named=True)]

    def list_own(self) -> list[SearchCall]:
        return [SearchCall(self._ids.get(key, ""), "".join(said)) for key, said in self._own.items()]

    def _find_key(self, part: CallPart) -> int:
        index = part.get("index")
        place = index if isinstance(index, int) else 0
        key = self._aliases.get(place, place)
        given = str(part.get("id") or "")
        if given and self._ids.get(key, given) != given:
            key = max(self._ids) + 1
            self._aliases[place] = key
        if given:
            self._ids[key] = given
        return key

    def _settle(self, key: int, *, is_named: bool) -> list[CallPart]:
        """The parts that may go to the client now."""
        name = self._names[key]
        if key in self._own or (is_named and self._own_name and name == self._own_name):
            said = self._own.setdefault(key, [])
            said += [str((part.get("function") or {}).get("arguments") or "") for part in self._waiting.pop(key, [])]
            return []
        if key not in self._shown and self._own_name.startswith(name) and not is_named and self._own_name:
            return []
        place = self._shown.setdefault(key, len(self._shown))
        return [{**part, "index": place} for part in self._waiting.pop(key, [])]
