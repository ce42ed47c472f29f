"""Experiments: many games by a plan in one file, and reports that people can cite.

`file` is the plan, `designs` who sits where, `running` plays it, `outcomes` reads finished games, and
`reports` counts them.
"""
