"""Words that are for the whole party, or for whoever of it has or can what is asked for: `who's got a light?`"""

from __future__ import annotations

import re

OPENERS = (
    r"(?:(?:hey|psst|oi|ok(?:ay)?|alright|all right|right|so|well|and|but|now|then|oh|ah|no|yes|yeah|nah|please"
    r"|quick(?:ly)?"
    r"|come on|listen|look|hm+|(?:ha)+h?|lol|hehe|thanks?|thank you|sorry|good (?:one|work|job|thinking|idea"
    r"|point|catch|eye)"
    r"|nice(?: one| work| shot)?|well done|dear|my dear|my friend|excuse me|tell me|great|wait|careful"
    r"|what about|how about"
    r"|damn it|god|hello|hi|morning|good morning|good night)\b[\s,.!:-]{0,4}){0,5}"
)
"""What may stand before a name that is called."""
_ALL = (
    r"(?:you (?:two|three|four|five|all(?! right)|both|guys|lot|others|people)|y'all|all of you|both of you"
    r"|each of you|everyone"
    r"|everybody|guys|team|gang|folks|friends|my friends|people|lads|ladies|gentlemen|boys|girls|mates|comrades"
    r"|companions|fellas|party|crew|all three of you"
    r"|the (?:two|three|four|rest) of you)"
)
TO_ALL = re.compile(
    rf"(?i)^\W*{OPENERS}(?:is |are |does |do |did |has |have |shall |will )?{_ALL}\b(?!'s)(?! (?:is|are|was"
    rf"|were|has|had) (?:the|a|an|in"
    r"|at|gone|dead)\b)"
    rf"|[,!?.]\s*{_ALL}\W*$|\b(?:ready|think|say|want|ok|okay|alright|hurt|here|there|on|up|idea|thanks?"
    rf"|thank you|listen|sorry|you"
    rf"|going|coming|with|done|work|job|now|quiet|night|plan|for|move|back|down|out) {_ALL}\W*$"
    r"|\bwhat(?:'s| is| are) (?:everyone|everybody|you (?:all|two|three|guys)) [a-z]"
    r"|\bhow(?:'s| is| are) (?:everyone|everybody|you (?:all|two|three|both|guys)|we all)\b"
    r"|^\W*(?:thanks|thank you|cheers|well done|good (?:job|work)|sorry),? (?:both|all|everyone|guys)\b"
    r"|\b(?:you two|you three|you guys|you lot|you both|both of you|all of you|you all(?! right))\b"
)
_ANYBODY = re.compile(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|and|well|hey|right|but),? ){0,4}(?:(?:has|have|does|do|did|can|could|would|will"
    r"|is|are) )?"
    r"(?:any(?:one|body)|someone|somebody|any of (?:you|us)|either of (?:you|us)|one of (?:you"
    r"|us))(?: else)?(?: here)?(?: of us| of you)? "
    r"(?:got|have|has|carry|bring|brought|pack|hungry|thirsty|hurt|injured|wounded|bleeding|tired|cold|scared"
    r"|ready|up for|know how"
    r"|knows how|good at|good with|speak|read|swim|ride|climb|cook|sing|want|wants|fancy|mind|object|agree"
    r"|disagree|remember"
    r"|with me|care to|willing|bored|against|notice|noticed|catch|see that|hear that|feel that|else (?:feel"
    r"|think|see|hear)"
    r"|thinking|of (?:you|us))\b"
    r"|\bany(?:one|body) of us\b"
    r"|^\W*(?:so |and |hey |ok )?(?:do|does|can|could|have|has|are|is|did|would|will) (?:any|either|one"
    r"|some) of (?:you|us)\b"
    r"|^\W*(?:one|some) of you (?!is\b|are\b|was\b|were\b|has\b|have\b|must\b|did\b|knows?\b|lied\b|killed\b)\w+"
    r"|^\W*(?:can|could|will|would) (?:some|any)(?:one|body) (?:please |just )?(?!have\b|be\b|tell|say|explain"
    r"|direct|see"
    r"|hear|know|help (?:me|us)\W*$|here\b)\w+"
)
WHO = re.compile(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|and|well|right|but),? ){0,4}(?:who(?:'s| is| are) (?:hungry|thirsty|ready|coming"
    r"|in\b(?! (?:charge|there"
    r"|here|command|the|this))|with me|up for|first|going|next|hurt|tired|cold|best|good at|good with|strongest"
    r"|fastest|afraid"
    r"|scared|for|against|got (?:a|an|any|some|the rope|the lantern|food|water|money)|taking|watching"
    r"|on (?:first |second |last |the )?watch|keeping|driving|paying|joining|willing)"
    r"|who else (?:thinks|feels|wants|believes)|who (?:wants|votes|agrees|remembers|goes first|goes next"
    r"|will (?:come|go|help|take)|takes|can (?:swim|climb|read|cook|sing|ride"
    r"|fix|pick|cast|heal|track|speak|carry|sneak|shoot|fight)|knows how|speaks|has (?:a|an|any|some)\b)"
    r"|which one of us|(?:who|which) of us)\b"
)
WHICH = re.compile(r"(?i)\b(?:who|which)(?: one)? of you\b")
ABLE = re.compile(
    r"(?i)\b(?:can|could|knows? how|(?:is|are) (?:good|best)|speaks?|wants?|will|has|have|is coming|remembers?)\b"
)
TOGETHER = re.compile(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|and|well|hey|right|hmm+|but|now|alright|all right)[,. ]{1,4}){0,4}"
    r"(?:(?:any (?:good |better |other |more )?)?(?:ideas|thoughts|suggestions|opinions|objections|volunteers"
    r"|takers|questions)"
    r"|what'?s (?:the|our) (?:plan|next move|move|move now)|what do we do(?: now| next)?|what now|now what"
    r"|what next|what are we doing"
    r"|what'?s our [\w' -]{2,30}|have we (?:forgotten|got everything|checked|missed|overlooked|agreed"
    r"|decided)\b[^?]{0,40}|what do we do (?:with|about)\b[^?]{2,50}|ready|all set|agreed|deal"
    r"|are we (?:all )?(?:ready|good|agreed|set|all here|going|sure|in|doing this|done|clear|ok|okay)\b[^?]{0,30}"
    r"|shall we|shall we go|do we (?:really )?(?:trust|believe|go|dare|risk|want|bury|leave|stay|take|tell|fight"
    r"|run|wait|help|open|keep"
    r"|split|turn|try|attack|follow|agree|all agree|wanna)\b[^?]{0,80}|(?:should|must|ought|shall"
    r"|(?:can|could)(?= we (?:really |even )?(?:trust|afford|risk|make it|manage|do this|do it|win"
    r"|believe))) we\b[^?]{2,90}|(?:let's vote|all in favou?r"
    r"|show of hands)[^?]{0,60})"
    r"(?:,? (?:then|guys|team|all|everyone))?[?!. ]{0,6}$"
)
_CALLED_OUT = re.compile(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|and|right|but|now|alright|quick|everyone)[,. ]{1,4}){0,4}(?:come on|come along"
    r"|come with me|follow me|stay (?:close|together|behind me|back|here|low|sharp)"
    r"|wait here|wait for me|this way|hurry up|move it|quiet|shh+|hush|keep (?:quiet|up|close|together|low"
    r"|moving|your (?:eyes|ears) open)|get (?:down|behind me|back|ready)"
    r"|watch out|look out|watch yourselves?|be (?:careful|quiet|ready)|careful|on me|after me|after you"
    r"|spread out|take cover|hold it|hold your fire|don't move|cover me|back to back"
    r"|with me|be right back|keep watch)"
    r"(?:,? (?:then|now|please|guys|all|everyone|let's go|we're leaving|i need to think))*[!. ]{0,6}$"
)


def is_for_all(text: str) -> bool:
    """Whether words are for the whole party, so that what one does the others do too."""
    return bool(TO_ALL.search(text) or _CALLED_OUT.search(text))


def asks_the_party(text: str) -> bool:
    """Whether a sentence asks who of the party has, can or wants something, or calls out to all of it."""
    return any(form.search(text) for form in (_ANYBODY, WHO, TOGETHER, _CALLED_OUT))
