"""Crash tests: run the real command line in processes that die, and check what they leave behind.

`durability.child` runs in those processes: it reports every acknowledged append, dies at a given point, and can have a
planted fault. `durability.processes` starts and kills them, `durability.checks` reads the log afterwards, and
`durability.rounds` combines both.
"""
