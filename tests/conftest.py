"""What holds for all tests."""

from hypothesis import settings

# How long an example takes says more about the load of the machine than about the code.
settings.register_profile("ragqa", deadline=None)
settings.load_profile("ragqa")
