"""Who is who by their address: what an address counts as, and which are proxies that stand for many people."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address


def place(address: str) -> str:
    """Return what an address counts as: an IPv6 address by its first 64 bits, because one customer has all of those."""
    if ":" not in address:
        return address
    found = _known(address)
    return str(found) if found is None or found.version == 4 else str(IPv6Network((int(found) >> 64 << 64, 64)))


def is_among(address: str, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    """Return whether an address is in one of the networks. Text that is not an address is in none."""
    known = _known(address)
    return known is not None and any(known in network for network in networks)


def _known(address: str) -> IPv4Address | IPv6Address | None:
    """An address, one of IPv4 as such where it is written as one of IPv6."""
    try:
        found = ip_address(address)
    except ValueError:
        return None
    return found if found.version == 4 else found.ipv4_mapped or found
