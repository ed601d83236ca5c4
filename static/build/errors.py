"""The one exception the build raises for what a person can mend."""

from __future__ import annotations


class BuildError(Exception):
    """A build step cannot go on; the message says what was wrong and what to do."""
