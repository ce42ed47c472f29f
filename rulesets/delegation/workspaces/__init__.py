"""Delegation in git repositories: worktrees for tasks, what is in them, checks that run there, and merges.

Everything here is the git command, bounded in time. Nothing decides anything: it finds facts for the rules.
"""

from sottovoce.rulesets.delegation.workspaces.finding import Repositories

__all__ = ["Repositories"]
