import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what it runs in the background with interrupts ignored, and the processes that tests interrupt
    # would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
