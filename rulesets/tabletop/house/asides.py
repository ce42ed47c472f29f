"""Asides: questions that the game master answers, since they are put to nobody at the table.

Such a question names none of the people here, has no `you` in it, and asks for what the one at the table can see, read on
the sheet, or has been told: who is here, what the party knows and has, how it stands with it. Everything else that is
asked goes to whoever is spoken to.
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST

_LEAD = r"(?i)^\W*(?:(?:so|ok|okay|and|but|well|now|hey|hm+|wait|right|then|actually|sorry|also|um|oh|still|just),?\s+){0,3}"
_WE = r"(?:i|we)"
_KINDS = tuple(
    (kind, re.compile(_LEAD + pattern))
    for pattern, kind in (
        (
            rf"(?:(?:what|everything|how much|anything)(?: else)?(?:'ve| (?:do|did|have|had))? {_WE} (?:\w+ )?(?:know|learn|learned|learnt"
            rf"|find out|found out|find|found|discover|discovered|hear|heard|got|gathered|remember|been told)\b"
            rf"|(?:do|did|have) {_WE} (?:\w+ )?(?:know|learn|learned|heard?|remember|find out|found) (?:of|about|any|some|who|what|where|why|how|if|whether)\b"
            r"|where do we stand\b|remind (?:me|us)\b|recap\b|what(?:'s| is) the (?:story|situation|state of)\b"
            r"|what(?:'s| has)? happened (?:so far|last time|before|yesterday|until now)\b|(?:can|could) (?:i|we) (?:get|have) a (?:recap|summary)\b)",
            "recap",
        ),
        (
            rf"(?:what(?:'re| are| were)? {_WE} (?:\w+ )?(?:supposed|meant|here|doing|looking for|after|trying)\b|why (?:are|am) {_WE} here\b"
            r"|what(?:'s| is| was) (?:our|my|the) (?:job|task|mission|errand|goal|quest|plan|purpose|objective|assignment)\b"
            rf"|who (?:sent|hired|asked|pays|is paying|called) (?:us|me)\b|what do {_WE} (?:want|need) (?:here|from)\b"
            rf"|what (?:did|does) (?:he|she|they|the letter|the message) want (?:from|of) us\b|how much (?:are|do|will) {_WE} (?:\w+ )?(?:paid|get paid|get for)\b)",
            "errand",
        ),
        (
            r"(?:who(?:'s| is| are| else is)(?: all)? (?:(?:still )?here|around|about|there|present|nearby|with us|with me|in (?:here|the|this)\b)"
            rf"|(?:are|am) {_WE} (?:really |all |still )?alone\b|who(?: else)? (?:can|do) {_WE} (?:see|talk to|speak to|ask)\b"
            r"|(?:is|are) (?:there )?(?:any(?:body|one)|some(?:body|one)|people|others)(?: else)?(?: (?:here|around|about|there|near|nearby|inside|outside|home|in|on|at|among|behind|up|down|with)\b|\W*$)"
            r"|any(?:body|one)(?: else)? (?:here|around|about|home|in (?:here|there)|there)\b|who are (?:these|those) people\b|how many (?:people|of them|guests|men|folk) )",
            "people",
        ),
        (
            r"(?:(?:what|which|where)\b[^?]{0,30}\b(?:exits?|ways? (?:out|on|lead)|doors? (?:are|out)|else is (?:there|here)|paths?|rooms?)\b"
            rf"|(?:where|what(?: else)?|which places?) (?:can|could|might|should) {_WE} (?:go|get to|visit|look at|explore|walk)\b(?! (?:we|i)\b)|(?:any|are there) (?:other )?(?:exits?|ways? out|doors?)\b"
            r"|exits\W*$|how do (?:i|we) get out\b|is there (?:a|another|some other|any) (?:way|exit|door|path)\b|what(?:'s| is) (?:nearby|around here|close by)\b)",
            "ways",
        ),
        (
            rf"(?:how (?:am i|are we)(?: doing| feeling| looking| now)?\W*$|how (?:badly|bad)\b[^?]{{0,24}}\b(?:hurt|wounded|injured|it|am|are|wounds?)\b|(?:am|are) {_WE} (?:\w+ )?(?:hurt|wounded|injured|bleeding|ok|okay|all right|alright|fine|dying|tired|well|in pain|unhurt)\b"
            r"|how (?:many|much) (?:hp|hit points|health|life)\b|(?:what(?:'s| is| are) )?(?:my|our) (?:hp|hit points|health|ac|armou?r class|level|status|wounds?|condition)\b"
            r"|(?:is|are) (?:anyone|anybody|any) of us (?:hurt|wounded|injured|bleeding)\b|(?:is|are) (?:everyone|everybody|we all) (?:ok|okay|all right|alright|unhurt|well|fine)\b|does (?:it|my \w+) (?:hurt|still hurt)\b)",
            "health",
        ),
        (
            rf"(?:what (?:do|have|am|are|did) {_WE} (?:\w+ )?(?:have|got|carry|carrying|bring|brought|own|wearing|on me)\b|what(?:'s| is) in (?:my|our) (?:pack|bag|bags|pockets?|purse|satchel|backpack|inventory|kit)\b"
            rf"|(?:do|have|did) {_WE} (?:\w+ )?(?:have|got|bring|carry|own|pack)\b(?! (?:to|heard|seen|been|met)\b)"
            r"|how much (?:money|gold|silver|coin|cash)\b[^?]{0,24}\b(?:i|we|left)\b|how (?:many|much)\b[^?]{0,30}\b(?:do|have) (?:i|we) (?:have|got|left|carry|still)\b"
            rf"|(?:what|which) (?:weapons?|spells?|skills?|tools?|gear)\b[^?]{{0,12}}\b{_WE}\b|what (?:can|are) (?:i|my)(?: \w+)? (?:good at|skills?|spells?|weapons?)\b|(?:my |our )?inventory\W*$)",
            "kit",
        ),
        (
            r"(?:who am i\b|who are we\b|what am i(?: again)?\W*$|what(?:'s| is) my (?:name|class|background|job|trade)\b|what do (?:i|we) look like\b|what kind of (?:person|people) (?:am i|are we)\b)",
            "identity",
        ),
        (
            rf"(?:what (?:else )?(?:can|could|may|might) {_WE} (?:do|try|use)\b(?! (?:to help )?(?:for|about) )|what(?:'s| is| are) (?:my|our) (?:options?|choices?|possibilities)\b|what now\W*$|(?:ok(?:ay)?[.,]? )?(?:and )?now what\W*$|what next\W*$|hints?\W*$|i(?:'m| am) stuck\b)",
            "options",
        ),
        (
            rf"(?:do {_WE} (?:need|have) to roll|what (?:do|should) {_WE} roll|should {_WE} roll|(?:can|may) {_WE} roll\W*$|what(?:'s| is) the dc\b|which dice\b)",
            "dice",
        ),
        (
            r"(?:(?:does|did|do|is|are|has|have) (?:any(?:body|one)|some(?:body|one)|he|she|they|the [\w-]+)(?: \w+)? (?:notice|noticed|react|follow|following|followed|watch|watching|see (?:me|us|that|it)|seen (?:me|us)|hear (?:me|us|that|it)|answer|come|coming|open|look(?:ing)? (?:at|back|up)|recognise|recognize|move|mind|respond)\b"
            rf"|(?:am|are|were|was) {_WE} (?:being )?(?:followed|watched|seen|noticed|heard|safe|hidden)\b|who(?:'s| is) (?:watching|following|looking at) (?:us|me)\b|what happens(?: (?:now|then|next))?\W*$|does anything happen|anything happen|any(?: \w+)? (?:reaction|answer|response|reply)\W*$|does (?:it|that) (?:work|help|fit|open|move|hold|give)\W*$)",
            "reaction",
        ),
    )
)


_TO_SOMEBODY = re.compile(r"(?i)\b(?:you|your|yours|yourself|ya)\b")
"""Words to somebody, whatever else is in them."""


def aside_in(text: str) -> str:
    """What kind of aside a sentence is; empty for words to somebody, and for what is no question of the kind."""
    text = text[:LONGEST].replace("\u2019", "'")
    if _TO_SOMEBODY.search(text):
        return ""
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "")
