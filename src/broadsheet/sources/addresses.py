"""Which hosts may be asked: a reader's feed must not reach into the machine's own network."""

import ipaddress
import socket

import httpx

from broadsheet.errors import BadAnswer, Unreachable


def pinned(url: httpx.URL) -> tuple[httpx.URL, dict[str, str]]:
    """The address with its host resolved and checked, so that what was checked is what is connected to.

    Gives the URL by number and the request extension that keeps the host's name for TLS. Raises
    BadAnswer for a host with any address that is not public, Unreachable for one that has none.
    """
    numbers = _resolve(url.host, url.port or 443)
    inner = [number for number in numbers if not _public(number)]
    if inner:
        raise BadAnswer(
            f"{url.host} is {inner[0]}, an address inside a private network, and is not asked",
            "For a feed on your own server, allow private addresses for feeds in the settings.",
            status=403,
        )
    return url.copy_with(host=numbers[0]), {"sni_hostname": url.host}


def _resolve(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as fault:
        raise Unreachable(f"{host} has no address: {fault}", "Check the address for a slip.") from fault
    return [str(entry[4][0]) for entry in found]


def _public(number: str) -> bool:
    address = ipaddress.ip_address(number.split("%", 1)[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_global and not address.is_multicast
