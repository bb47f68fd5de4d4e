"""Values out of decoded JSON, which may be anything: text, numbers and lists, or nothing."""

from collections.abc import Iterator, Mapping


def text(record: Mapping[str, object], *keys: str) -> str:
    """The first of these keys that holds text or a number, as text; else the empty string."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str):
            if value:
                return value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return ""


def number(record: Mapping[str, object], key: str) -> float | None:
    """The number under a key, also where it is written as text; else None."""
    value = record.get(key)
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return float(value)
    return float(value) if isinstance(value, int | float) and abs(value) < 1e15 else None


def texts(record: Mapping[str, object], key: str) -> list[str]:
    """The texts of a list, or the one text that stands where a list was meant."""
    value = record.get(key)
    if isinstance(value, str):
        return [value] if value else []
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def records(record: Mapping[str, object], key: str) -> Iterator[Mapping[str, object]]:
    """The objects of a list, or the one object that stands where a list was meant."""
    value = record.get(key)
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def record_of(record: Mapping[str, object], key: str) -> Mapping[str, object]:
    """The object under a key; an empty one where there is none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}
