"""Tasks whose code has two rounds with lines that stay, move and change, and what is remarked at them."""

from __future__ import annotations

import json
from typing import Any

import delegating as kit
from delegating import TASK, Game, message, task

from sottovoce.domain import commands
from sottovoce.rulesets.delegation.rules.evidence import (
    ChangedFile,
    Difference,
    FoundCode,
    FoundWorkspace,
    Offered,
    Workspace,
)

BASE, HEAD, NEXT = "a" * 40, "b" * 40, "c" * 40
SPACE = Workspace("worktree", f"task/{TASK}", BASE, "main", BASE)
FIRST = """diff --git a/src/roof.py b/src/roof.py
index 111..222 100644
--- a/src/roof.py
+++ b/src/roof.py
@@ -1,4 +1,5 @@
 def mend(roof):
-    return roof
+    nails = 3
+    return roof + nails

 mend(1)
diff --git a/über uns.md b/über uns.md
new file mode 100644
--- /dev/null
+++ b/über uns.md\t
@@ -0,0 +1,2 @@
+# Über uns
+Wir decken.
"""
"""The task's code in round 1."""
SINCE = """diff --git a/src/roof.py b/src/roof.py
index 222..333 100644
--- a/src/roof.py
+++ b/src/roof.py
@@ -1,5 +1,6 @@
+import nails
 def mend(roof):
     nails = 3
-    return roof + nails
+    return nails.mend(roof)

 mend(1)
"""
WHOLE = """diff --git a/src/roof.py b/src/roof.py
index 111..333 100644
--- a/src/roof.py
+++ b/src/roof.py
@@ -1,4 +1,6 @@
+import nails
 def mend(roof):
-    return roof
+    nails = 3
+    return nails.mend(roof)

 mend(1)
diff --git a/über uns.md b/über uns.md
new file mode 100644
--- /dev/null
+++ b/über uns.md\t
@@ -0,0 +1,2 @@
+# Über uns
+Wir decken.
"""
ROOF, ABOUT = ChangedFile("src/roof.py", None, 2, 1), ChangedFile("über uns.md", None, 2, 0)
LOGO = ChangedFile("logo.png")


def difference(text: str, *files: ChangedFile) -> Difference:
    return Difference(files, len(text.encode()), "0" * 64, text, True)


ONE = Offered(BASE, HEAD, difference(FIRST, ROOF, ABOUT, LOGO), None)
TWO = Offered(BASE, NEXT, difference(WHOLE, ROOF, ABOUT, LOGO), difference(SINCE, ROOF))
CODE = {1: ONE, 2: TWO}


def sent(game: Game, fields: dict[str, Any], content: str, evidence: Any = None) -> Game:
    files = {fields["artifact_path"]: content.encode()}
    return game.when(commands.Say(game.at, fields["from_session_id"], json.dumps(fields), files, evidence))


def begun(**options: Any) -> Game:
    """A task in a repository, delegated."""
    game = kit.opened(workspace="worktree", target="main", **options)
    return sent(game, message("execute_delegate_task"), "# Task\n", FoundWorkspace(TASK, SPACE))


def requested(game: Game | None = None, text: str = "# Request\n") -> Game:
    """The review of the next round is requested, with its code."""
    game = game or begun()
    round = task(game).round + 1
    return sent(game, message("review_requested", round), text, FoundCode(TASK, CODE[round], True))


def reported(game: Game | None = None, report: str = kit.FINE, action: str = "stop_recommended", **beside: Any) -> Game:
    """The round is concluded with that report."""
    game = game or requested()
    return sent(game, {**message(action, task(game).round), **beside}, report)


def iterating(words: str, game: Game | None = None) -> Game:
    """The user asks for another iteration in these words, and the reviewer passes it on."""
    game = kit.choose(game or reported(), "user", words)
    return sent(game, message("user_requested_iteration", task(game).round), kit.FINE)
