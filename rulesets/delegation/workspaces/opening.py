"""Whether a folder can be worked in as a git repository, and what an opening has to say of it (D-064)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sottovoce import SetupRefused
from sottovoce.rulesets.delegation.rules.names import FOLDER
from sottovoce.rulesets.delegation.workspaces.checkout import LEFT_OUT
from sottovoce.rulesets.delegation.workspaces.checks import is_allowed
from sottovoce.rulesets.delegation.workspaces.git import GitFailed, Repository
from sottovoce.rulesets.delegation.workspaces.worktrees import exclude_artifacts


def repository_options(folder: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as a game in that folder has them: with `workspace=worktree` where it is a repository and nothing is
    said, and with the branch that is checked out as `target`.

    Raises SetupRefused where the folder does not allow what the options ask for.
    """
    options = dict(given)
    asked = options.get("workspace")
    needed = next((name for name in ("check", "setup", "target") if options.get(name)), None)
    if asked == "none" or (asked is not None and asked not in ("worktree", "checkout")):
        if asked == "none" and needed:
            raise SetupRefused(f"The option {needed} needs a git repository. Leave out workspace=none.")
        return options  # what is no workspace at all the rules refuse
    repository = Repository(folder)
    why = unusable(repository)
    if why is not None:
        if asked is None and needed is None:
            return options
        without = f"leave out {needed}" if needed else "use workspace=none"
        raise SetupRefused(f"{folder} {why}, so tasks can't have branches. {_remedy(why)}, or {without}.")
    kind = options["workspace"] = asked or "worktree"
    try:
        if repository.holds("show-ref", "--verify", "-q", "refs/heads/task"):
            raise SetupRefused(
                f"{folder} has a branch called task, so none can be called task/…. Rename it: git branch -m task NAME"
            )
        options["target"] = _target(repository, options.get("target"))
        if kind == "checkout":
            _check_checkout(repository, options["target"])
        if lfs_lacking(repository, options["target"]) == "required":
            raise SetupRefused(
                f"{folder} has files in git-lfs, and git is set up to use it, but git-lfs is not installed. Install it."
            )
        exclude_artifacts(repository)
    except GitFailed as error:
        raise SetupRefused(f"{folder}: {error}") from None
    except OSError as error:
        raise SetupRefused(f"{folder}: {error.filename} cannot be written ({error.strerror}). Fix this.") from None
    return options


def unusable(repository: Repository) -> str | None:
    """Why the folder is no repository in which tasks can have branches, in a few words; None if it is."""
    try:
        if repository.text("rev-parse", "--is-bare-repository") == "true":
            top = Path(repository.text("rev-parse", "--absolute-git-dir"))
        elif repository.text("rev-parse", "--is-inside-git-dir") == "true":
            return "is the inside of a .git folder"
        else:
            top = Path(repository.text("rev-parse", "--show-toplevel"))
    except GitFailed as error:
        return "is not usable, since git is not installed" if "installed" in str(error) else "is not a git repository"
    if top.resolve() != repository.folder.resolve():
        return f"lies inside the git repository {top}"
    return None if repository.tip("HEAD") else "is a git repository without a commit"


def _remedy(why: str) -> str:
    """What makes a folder usable that is `unusable`."""
    if why.startswith("lies inside"):
        return "Give that folder"
    if why.endswith("without a commit"):
        return "Commit something: git add -A && git commit"
    if why.endswith("is not a git repository"):
        return "Make it one: git init && git add -A && git commit"
    return "Install git" if "installed" in why else "Give the folder above"


def _target(repository: Repository, named: Any) -> str:
    target = named or repository.branch()
    if not target and (under_way := repository.under_way()):
        raise SetupRefused(f"A {under_way} is under way in {repository.folder}. Finish it, or go back with --abort.")
    if not target:
        raise SetupRefused("No branch is checked out. Choose the branch to merge into: --rule target=NAME")
    if not isinstance(target, str) or not repository.holds("show-ref", "--verify", "-q", f"refs/heads/{target}"):
        raise SetupRefused(f"There is no branch {target!r} to merge into. Give a local branch: --rule target=NAME")
    return target


def _check_checkout(repository: Repository, target: str) -> None:
    if repository.text("rev-parse", "--is-bare-repository") == "true":
        raise SetupRefused("A bare repository has no checkout. Use workspace=worktree.")
    if (now := repository.branch()) != target:
        raise SetupRefused(f"{now or 'No branch'} is checked out, not {target}. Run: git switch {target}")
    if changed := repository.changed(*LEFT_OUT):
        raise SetupRefused(
            f"{changed} changed files are not committed. Commit or stash them, or use workspace=worktree."
        )


def check_commands_allowed(folder: str, options: Mapping[str, Any]) -> None:
    """SetupRefused for a check or set-up command that nobody at this computer named. A server runs no other."""
    for command in commands_in(options):
        if not is_allowed(folder, command):
            raise SetupRefused(
                f"The command {command!r} is not allowed on this computer. Add it to SOTTOVOCE_CHECKS, or leave it out."
            )


def commands_in(options: Mapping[str, Any]) -> list[str]:
    """The commands that a game with these options runs by itself; none where the options are not as they should be."""
    check, setup = options.get("check"), options.get("setup")
    found = [*check.values()] if isinstance(check, Mapping) else []
    return [command for command in (*found, setup) if isinstance(command, str) and command.strip()]


def lfs_lacking(repository: Repository, target: str) -> str | None:
    """Whether git-lfs is not installed though files of the target branch lie in it: None, `absent`, or `required` where
    git is set up to fail without it.
    """
    words = ("grep", "-q", "-E", r"filter=lfs( |\t|$)", target, "--", ":(top,glob)**/.gitattributes")
    if repository.ran(*words, ok=range(256))[0] != 0 or repository.ran("lfs", "version", ok=range(256))[0] == 0:
        return None
    needed = ("config", "--get-regexp", r"^filter\.lfs\.(process|required)$")
    return "required" if repository.ran(*needed, ok=(0, 1))[0] == 0 else "absent"


def notes_on(folder: Path, options: Mapping[str, Any]) -> Iterator[str]:
    """Lines on what of the folder no task will see: changes that are not committed, submodules, files in git-lfs."""
    if options.get("workspace") != "worktree":
        return
    repository, target = Repository(folder), str(options["target"])
    try:
        bare = repository.text("rev-parse", "--is-bare-repository") == "true"
        if changed := 0 if bare else repository.changed(FOLDER, "tasks"):
            files = "1 changed file stays" if changed == 1 else f"{changed} changed files stay"
            yield f"{files} out of the tasks, which begin at the last commit of {target}."
        modules = repository.ran("cat-file", "-e", f"{target}:.gitmodules", ok=range(256))[0] == 0
        if modules and not options.get("setup"):
            yield 'Submodules are empty in the tasks. To fill them: --rule "setup=git submodule update --init"'
        if lfs_lacking(repository, target):
            yield "Files in git-lfs are pointers in the tasks, since git-lfs is not installed."
    except GitFailed:
        return
