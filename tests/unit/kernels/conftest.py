"""A busy machine is no reason for a property to fail: no deadline a case."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
