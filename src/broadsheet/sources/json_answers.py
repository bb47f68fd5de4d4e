"""Reading JSON that sources sent: an object or a list, or BadAnswer."""

from collections.abc import Mapping

import orjson

from broadsheet.errors import BadAnswer


def json_value(body: bytes, what: str) -> object:
    """What a JSON answer holds; raises BadAnswer for an empty or cut body, an error page, anything else."""
    if not body.strip():
        raise BadAnswer(f"{what} is empty")
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        raise BadAnswer(f"{what} is no whole JSON document: {fault}") from fault
    return value


def json_object(body: bytes, what: str) -> Mapping[str, object]:
    """The object that a JSON answer holds, or BadAnswer."""
    value = json_value(body, what)
    if not isinstance(value, dict):
        raise BadAnswer(f"{what} is no JSON object")
    return value


def json_objects(body: bytes, what: str) -> list[Mapping[str, object]]:
    """The objects of the list that a JSON answer holds, or BadAnswer where anything else stands in it."""
    value = json_value(body, what)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise BadAnswer(f"{what} is no list of JSON objects")
    return list(value)
