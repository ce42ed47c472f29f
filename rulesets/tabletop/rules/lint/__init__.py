"""What a campaign's own files may give away, for its GM to look at."""

from __future__ import annotations

from sottovoce.rulesets.tabletop.rules.lint.findings import LintFinding as LintFinding
from sottovoce.rulesets.tabletop.rules.lint.findings import leaking_terms as leaking_terms
from sottovoce.rulesets.tabletop.rules.lint.passages import Sources as Sources
