import signal

from hypothesis import settings
from sizes import NIGHTLY

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what it runs in the background with interrupts ignored, and the processes that tests interrupt
    # would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The suite says the same of the same code every time, however slow the machine; the nightly size draws examples that
# nobody has seen.
settings.register_profile("sottovoce", derandomize=not NIGHTLY, deadline=None)
settings.load_profile("sottovoce")
