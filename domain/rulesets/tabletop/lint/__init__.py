"""What a campaign's own files may give away, for its GM to look at."""

from __future__ import annotations

from sottovoce.domain.rulesets.tabletop.lint.findings import Finding as Finding
from sottovoce.domain.rulesets.tabletop.lint.findings import leaking_terms as leaking_terms
