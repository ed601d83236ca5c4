"""The exceptions the build raises for what a person can mend."""

from __future__ import annotations

import errno


class BuildError(Exception):
    """A build step cannot go on; the message says what was wrong and what to do."""


def raise_if_disk_is_full(messages: str) -> None:
    """Turn a client's word of a full disk into the error Python itself raises for one."""
    for line in messages.splitlines():
        # Long lines are sources that Node.js quotes, in which every error has its name.
        if len(line) < 400 and ("ENOSPC" in line or "No space left on device" in line):
            raise OSError(errno.ENOSPC, "No space left on device")
