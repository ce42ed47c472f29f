"""Crash tests: the real command line in processes that die, and checks of what they leave behind.

`durability.child` runs in those processes: it reports every acknowledged append, dies where it is told to, and bears a
planted fault if it is told to. `durability.processes` starts and kills them, `durability.checks` reads the log
afterwards, and `durability.rounds` puts both together.
"""
