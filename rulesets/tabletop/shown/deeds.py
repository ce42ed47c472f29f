"""A plain deed as it is told of somebody else."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 400
"""Characters of a deed that are looked at."""
MOST = 200
"""Characters of a deed that can still be told in one sentence."""
THEY = ("they", "them", "their")

VERBS = frozenset(
    "ache act activate add adjust aim announce apologise apologize approach arrange ask attach avoid back"
    " balance bandage bang bar bark"
    " barricade bash bathe beat beckon beg begin bend bet bind bite block blow boil bolt borrow bow brace braid break"
    " breathe bring brush build burn bury button buy call calm camp capture caress carry carve cast catch chain"
    " change charge chase check cheer chew chew chop circle collapse clap clean clear climb close collect comb"
    " come comfort compare concentrate contemplate creep cuddle curse"
    " consider cook copy cough count cover crack crawl creep cross crouch crush cry cup curse cut dance dash"
    " deal decide"
    " descend dig dip disarm dismount distract dive divide dodge douse drag draw dress drink drip drive drop dry duck"
    " dump dust duck eat edge empty end enter examine explain explore extinguish face fall fasten feed feel fetch fill"
    " find"
    " finish fire fish fix flee flick flip fold follow force free fry gather get give glance glare go grab greet grin"
    " grip groan growl guard hammer hand hang haul head heal hear heat heave help hide hit hold hop hug hum hunt hurry"
    " ignore inhale inspect introduce join jot jump keep kick kill kindle kiss kneel knit knock land laugh lay lead"
    " lean leap leave lend let lick lie lift light linger listen load lock look loosen lower make map march mark"
    " massage measure melt mend mix motion mount move nap nibble nod note notice nudge offer oil open order"
    " paddle paint"
    " pat patch pause pay peek peel peer pet pick pin pinch pitch place plant play plug point poke polish pour pray"
    " prepare press pretend prise probe promise prop protect pry pull pump punch push put race raise ransack rap risk"
    " rattle reach read rearrange recite recoil rehearse refill relax release relight remain remove repair"
    " repeat replace rest"
    " retrace"
    " return reveal ride ring rinse rip roast rock roll row rub rummage run rush saddle salute sand save say scan scare"
    " scatter scoop scrape scratch scream screw scrub seal search seat see seek seize sell send separate set settle"
    " shake"
    " shape share sharpen sheathe shift shine shoot shout shove show shred shrug shut sigh signal sing sip sit sketch"
    " skim"
    " skip slam slap slash sleep slice slide slip slow smash smear smell smile smoke smooth sneak snap sniff snuff soak"
    " sort speak spin spit splash split spot spray spread sprinkle squat squeeze squint stab stack stalk stand stare"
    " start startle stay steady steal steer step stir stitch stop store stow strap stretch strike strip stroke strum"
    " study stuff stumble surrender survey swallow sway sweep swim swing switch tackle take talk tap taste tear tell"
    " tend"
    " test thank think thread threaten throw thrust tickle tidy tie tighten tilt tip toast toss touch tow trace track"
    " trade trail trap travel tread treat trim trip trot trust try tuck tug turn twist unbar unbolt unbuckle unbutton"
    " uncork uncover undo undress unfold unhook unlatch unload unlock unpack unroll unscrew untie unwind unwrap use"
    " vault wade wait wake walk wander warm warn wash watch water wave wear weave wedge weigh whisper whistle whittle"
    " win wind wink wipe withdraw work wrap wrestle wring write yawn yell yield"
    " anoint assemble belch bellow blink bluster blush bob boast bolster bounce bow burp bustle buff chant"
    " chatter chuckle chug"
    " clasp clench clink clip cling coax coil comb conceal confess confront conjure core corner crumble crumple"
    " dab dangle"
    " declare deliver demonstrate devour disassemble dismantle doodle doze drape dream dribble drum dunk elbow"
    " embrace engrave"
    " etch fan fart fiddle fidget flap flatten flirt float flop fumble gag gallop gape gasp gawk gesture giggle"
    " glower gnaw"
    " gobble grease grill grimace grind groom grope grumble gulp gut guzzle hesitate hike hiss hobble hoist"
    " hover huddle"
    " imitate improvise itch jab jerk jiggle jog juggle knead lace lash latch leer limp loiter loot lounge"
    " lunge lurk mash"
    " meditate mimic mime mince miss moan mop mount mourn mumble murmur muse mutter nudge nuzzle pace pant"
    " parade paste patrol"
    " peg peep perch pile pledge plop pluck plunge ponder pop post pounce practise practice preen probe prod"
    " proclaim prop"
    " prowl quaff quench rehearse reload rig rinse rise ruffle rummage sail saunter scoff scold scour scout"
    " scowl scramble scrape"
    " scribble scrub scuff shade shave shepherd shiver shovel shrink shuffle skewer skin slap slather slump"
    " slurp smirk smack"
    " snare sneer sneeze snore snort sob somersault spar spill sprawl spring sprint spy squat squirt stagger"
    " stalk stamp stash"
    " steam stomp stoke stoop straighten straddle stroll strut stub swagger swab swat swig swipe swish tap"
    " tether thump thrash"
    " throttle thud tickle tiptoe tootle topple touch trek trudge tumble twiddle twirl unclip unfasten unfurl"
    " unhitch unload"
    " unplug untangle unveil vow waddle wail whack wheel whimper whirl whip whisk wiggle winch wobble wolf"
    " wrench yank zip".split()
)
"""Verbs of what somebody does, in their plain form."""
_STATES = frozenset("am be have need want know think do mean own carry live like love hope believe wish own".split())
_NOUNS = frozenset(
    "corner fan flap clip comb coil lace latch paste peg perch pile post core shade shovel skewer skin snare spring spy"
    " steam stamp tether wheel whip wolf drum grill boast buff dab float hoist jerk mop vow wrench dream hike"
    " jog stroll trek"
    " pop back bandage bar bark bed bolt bow brush button camp cast chain change charge chop cloth cook copy cover"
    " crack cross cup cut dance deal drink drive dust edge end face fire fish flip fold guard hammer hand"
    " head heat help hit land lead light load lock map march mark mount"
    " nap note oil open order paint patch pet pin pitch place plant play plug pot press pump punch "
    " race rest ride ring rock roll row sand saddle salute save scoop scratch screw seal seat set shape share shift"
    " shine shot show sign signal sip sketch slice smell smoke snap spin spit splash split spot spray"
    " spread stack stitch stock store strap strip stroke stuff sweep switch tackle  "
    " taste tear test thank thread tip toast touch tow trace track trade trail trap travel treat trim trip "
    " use vault warm wash watch water wear wedge wind work wrap yield dress dry clean clear"
    " empty free calm lower slow steady smooth trust love hope need".split()
)
"""Verbs that are as often nouns or adjectives: after `and` they are deeds only where the words behind them say so."""
_FUNCTION = frozenset(
    "a an the my our his her their its this that these those some any no all both each every one two three four five"
    " six at to in on of for from with by into onto over under up down off out about as so if or and but than when"
    " where while what which who how why because before after until till then there here now maybe perhaps just only"
    " not also too again very really please i we you he she it they me us him them myself ourselves everything"
    " everyone everybody nothing nobody something somebody someone anything anyone more less most least half"
    " back home aside away forward forwards backwards upstairs downstairs inside outside closer"
    " through across along around behind beside between near next past towards toward without within against".split()
)
_ADVERB = (
    r"(?:[a-z]+ly|then|just|also|still|first|now|both|all|together|again|even|only|simply|instead|finally|never|always)"
)

_LEAD = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|so|then|now|well|right|alright|all right|fine|yes|yeah|sure|great|cool|good|hm+|and"
    r"|but|first"
    r"|next|anyway|anyways|actually|maybe|perhaps|fuck it|screw it|in that case|meanwhile|at last|finally|please"
    r"|after that|while (?:he|she|they)(?:'s|'re| is| are) [a-z]+ing),? +)*"
    r"(?:i (?:think|guess|suppose|say|reckon|suggest) (?=i\b|we\b|let)|(?:maybe|perhaps|then|now|so|first),? )*"
    r"(?:(?P<asked>(?:why (?:don't|not|shouldn't)|how about|what about|what if|(?:can|could|may|might|shall"
    r"|should)(?! (?:i|we) (?:see|hear|smell|notice|feel|tell|ask|make out)\b)) )?"
    r"(?P<subject>let's|let us|let me(?! (?:in|go|out|through|past|pass)\b)|(?:i|we)\b)?"
    r"(?P<helper>(?:'d|'ll|(?:'m|'re| am| are)(?= (?:gonna|going to|about to|ready to|trying to|to)\b)"
    r"| (?:will|would|shall|can|could|should|must|may|might|had better|wanna|gonna"
    r"|gotta|going to|about to|ready to|trying to|would rather|rather|better|all|both|just|now|then|also|really"
    r"|probably|maybe|perhaps"
    r"|(?:have|had|got|want|need|decide|plan|intend|mean|prepare|proceed|get ready|choose|like|love|prefer"
    r"|hope) to(?! (?:know|hear)\b)"
    r"|go (?:on|ahead) and)(?= ))*))"
)
_TRIES = re.compile(
    r"(?i)^(?:try|attempt)(?: to| and) (?:(?:\w+ly|just) )?(?=(?:break|open|force|pry|prise|lift|move|pick|unlock|read"
    r"|decipher|make out|hear|see|spot|find|catch|reach|remember|fit|fix|repair|mend|stop|wake|climb|start|get"
    r"|loosen|free|pull|push|shift|bend|persuade|calm|follow|track|fly|jump|cut|identify|recall|figure|work out)\b)"
)
_TOLD = re.compile(
    r"(?i)^(?:tell|tells|say|says|ask|asks|warn|warns|promise|promises|threaten|threatens|swear|swears|explain|explains"
    r"|shout|shouts|whisper|whispers|answer|answers|reply|replies|claim|claims|insist|insists|demand|demands)\b"
    r".*\b(?:i|i'[a-z]+|we|we'[a-z]+|me|us|my|our|you|your)\b"
)
"""Words of somebody's own, which nobody else says in their place."""
_TO_YOU = re.compile(r"(?i)\b(?:you|your|yours|yourself|y'all)\b")
_TAIL = re.compile(
    r"(?i)(?:,? (?:please|ok|okay|right|alright|lol|haha|though|i guess|i think|if (?:that's|that is) (?:ok|okay|fine"
    r"|possible|allowed)|if (?:i|we) (?:can|may)))+$"
)
_JOIN = re.compile(
    rf"(?i)(?P<join>(?:, ?|;? )(?:and then|and|then|but|or) |, )(?P<adverb>(?:{_ADVERB} ){{0,2}})(?P<verb>[a-z]+)\b"
)
_OWN_PAST = frozenset(
    "saw found took came went heard said had made left got gave told knew thought felt lost met bought brought put hid"
    " kept stood sat ran did was were read wrote held sold ate drank fell began spoke broke wore tore stole drew threw"
    " caught dug hung lit led sent slept spent won".split()
)
_MODAL = frozenset("will would can could shall should may might must cannot can't couldn't won't wouldn't".split())
_SHORT = {"'m": "am", "'ve": "have", "'re": "are", "'ll": "will", "'d": "would"}
_SELF = {"he": "himself", "she": "herself", "they": "themselves"}
_NO_VERBS = frozenset(
    "which what who whose how why when where there this that these those it he she they you yes no not either neither"
    " should must would could may might shall ought will can at in on to of for with from the a an my our".split()
)


_QUOTE = re.compile(r"[\"“”][^\"“”]*(?:[\"”]|$)|”+")
_MARK = "§"
"""Stands for words in quotation marks."""


@dataclass(frozen=True, slots=True)
class Bare:
    """A deed without what leads up to it: `open the door` of `well, I'd like to open the door`."""

    text: str
    own: bool
    many: bool


def bare(text: str) -> Bare:
    """The deed itself, whether it was said in the first person, and whether it is the whole party's."""
    text = _QUOTE.sub(" ", text[:LONGEST]).replace("’", "'")
    text = re.sub(r"(?i)\bplease\b,? ?", "", " ".join(text.split()))
    text = re.sub(r"^[A-Z][\w' ]{2,30}: (?=[A-Za-z])", "", text.strip(" .!,;:-"))
    asked = text.endswith("?")
    text = _TAIL.sub("", text.rstrip(" ?.!"))
    found = _LEAD.match(text)
    if found is None or (asked and not (found["asked"] or (found["subject"] or "").lower().startswith("let"))):
        return Bare("" if asked else text, False, False)
    subject = (found["subject"] or "").lower()
    about = (found["asked"] or "").lower().startswith(("how about", "what about", "why not"))
    if not subject and not about and (found["helper"] or "").strip():
        return Bare(text, False, False)
    rest = text[found.end() :].lstrip(" ,")
    if _TRIES.match(rest) is None:
        rest = re.sub(r"(?i)^(?:try|attempt) (?:to|and) ", "", rest)
    rest = re.sub(r"^'(?:m|re|ve)\b", lambda short: _SHORT[short[0]], rest)
    if about and not subject and (going := re.match(r"([a-z]+)ing\b", rest)):
        plain = next((v for v in (going[1], f"{going[1]}e", going[1][:-1]) if v in VERBS), "")
        rest = f"{plain}{rest[going.end() :]}" if plain else rest
    return Bare(rest, bool(subject) or about, subject in ("we", "let's", "let us") or about)


def in_third_person(
    text: str, name: str, pronouns: tuple[str, str, str] = THEY, party: str = "", *, asked: bool = False
) -> str:
    """A plain deed as it is told of somebody: `I open the window` becomes `Ada opens the window`.

    `pronouns` are those of subject, object and possessive. `party` is what the whole party is called, as `You`: with it
    `We open the window` becomes `You open the window`, and else that, too, is told of `name`. Empty where it would not
    come out as a sentence: a question, or words of the speaker's own. With `party`, words in quotation marks stay.
    `asked` says that `you` in it is the one who has asked for the deed: `reads you the letter`.
    """
    text = text.replace("””", "") if "“" in text else text
    said = [each.strip('"“” ') for each in _QUOTE.findall(text[:LONGEST])] if party else []
    said = [each for each in said if each]
    deed = bare(_QUOTE.sub(f" {_MARK} ", text[:LONGEST]) if len(said) == 1 else text)
    text = _placed(deed.text)
    found = re.match(rf"((?:{_ADVERB} )*)([a-z]+)\b(.*)", text, re.DOTALL | re.IGNORECASE)
    if not found or "?" in text or len(text) > MOST or _TOLD.match(text) or (not asked and _TO_YOU.search(text)):
        return ""
    verb = found[2].lower()
    helping = verb in _MODAL or found[3].startswith(("'t", "n't"))
    if (verb in _NO_VERBS and not helping) or (
        not (deed.own or verb in VERBS or (verb[:-1] in VERBS and verb.endswith("s")))
    ):
        return ""
    if verb == "is" or (helping and not deed.own):
        return ""
    many = deed.many and bool(party)
    subject = party if many else name
    if (helped := re.match(r"(?i)('t|n't)\b", found[3])) or verb in _MODAL:
        helper = f"{verb}{helped[0] if helped else ''}"
        helper = {"don't": "doesn't", "haven't": "hasn't", "am": "is"}.get(helper, helper) if not many else helper
        rest = found[3][len(helped[0]) if helped else 0 :]
        return f"{subject} {found[1].lower()}{helper}{_pronouns(rest, name, pronouns, many, bool(party))}."
    told = f"{found[1].lower()}{verb if many else _third(verb)}{_rest(verb, found[3], many)}"
    told = f"{subject} {_pronouns(told, name, pronouns, many, bool(party))}"
    if _MARK in told:
        told = re.sub(rf",? ?{_MARK} ?", f" “{said[0][:1].upper()}{said[0][1:]}” ", told).strip()
    return told if re.search(r"[.!?]”$", told) else f"{told}."


def _placed(text: str) -> str:
    """How hard or fast it is done, without the comma before it: `hit him again, hard`."""
    return re.sub(r"(?i),(?= (?:hard|fast|quick|quickly|slowly|gently|twice|again|too|this time)(?:,|$))", "", text)


def _rest(verb: str, rest: str, many: bool) -> str:
    """What follows the verb, with the other verbs of the same subject in their form."""
    tries = verb in ("try", "tries", "attempt") and re.match(r"(?i) to\b", rest) is not None
    if many or tries:
        return rest
    told, at = "", 0
    for again in _JOIN.finditer(rest):
        if _is_deed(again, rest):
            told += f"{rest[at : again.start('verb')]}{_third(again['verb'].lower())}"
            at = again.end("verb")
    return told + rest[at:]


def joins(join: str, text: str, at: int) -> bool:
    """Whether a deed begins at a place of a text, behind `join`: a verb of the same subject, and no noun of a list."""
    rest = f"{text[:at].rstrip(' ,').removesuffix(' and')}{join}{text[at:]}"
    found = _JOIN.match(rest, len(rest) - len(text[at:]) - len(join))
    return found is not None and _is_deed(found, rest)


def _is_deed(again: re.Match[str], rest: str) -> bool:
    """Whether a word behind `and` or a comma is a verb of the same subject, and no noun of a list."""
    verb, before, after = again["verb"].lower(), rest[: again.start()], rest[again.end() :]
    following = re.match(r"[ ,]*([\w']*)", after)
    follows = following[1].lower() if following else ""
    if verb in _FUNCTION or re.match(r"(?i) (?:of|is|are|was|were)\b", after) or _goes_on(before):
        return False
    theirs = follows in _FUNCTION and follows not in ("and", "or", "but", "of", "then", "with")
    if verb not in VERBS | _STATES:
        return follows in _OBJECTS and not verb.endswith(("s", "ed", "ly"))
    if theirs or again["adverb"] or re.match(r" [a-z]+ly\b", after):
        return True
    listed = again["join"].strip() == ","
    if verb in _NOUNS:
        then = re.match(r" and ([a-z]+)", after)
        if then and listed:
            return then[1] in VERBS - _NOUNS
        return not follows and not listed and _ends_in_verb(before)
    return not listed or follows in ("", "and", "or", "then")


_OBJECTS = frozenset("a an the my our his her their it him them this that me us".split())


_PARTICLES = frozenset("up down back around about away here there in out it him them".split())


def _ends_in_verb(before: str) -> bool:
    """Whether what stands before ends in a verb or its particle: `sit down and drink`, `eat and drink`."""
    last = before.split()[-1].lower() if before.split() else ""
    return not last or last in VERBS or last in _PARTICLES


def _goes_on(before: str) -> bool:
    """Whether an infinitive goes on: `to eat and drink`."""
    found = re.search(r"(?i)\bto ([a-z]+)(?: [a-z']+)?$", before)
    return found is not None and found[1].lower() in VERBS | _STATES


def _pronouns(told: str, name: str, his: tuple[str, str, str], many: bool, party: bool) -> str:
    """The first person of a deed in the third; in a deed of the whole party `I` is called by name.

    `we` are `you` where the party is told of its own deeds.
    """
    subject, object_, theirs = his
    one = name if many else subject
    we, our = ("you", "your") if party else ("they", "their")
    told = re.sub(r"(?i)\bmyself\b", _SELF[subject], told)
    told = re.sub(r"(?i)\bourselves\b", "yourselves" if party else "themselves", told)
    told = re.sub(r"(?i)\bmy\b", f"{name}'s" if many else theirs, told)
    told = re.sub(r"(?i)\bmine\b", theirs if theirs == "his" else f"{theirs}s", told)
    told = re.sub(r"(?i)\bours?\b", lambda each: f"{our}s" if each[0][-1] in "sS" else our, told)
    told = re.sub(
        r"\b(?:I|i)('(?:m|ve|ll|d))?((?: (?:never|always|still|just|also|only|really))?)(?: ([\w']+))?\b(?!')",
        lambda each: _clause(each, one, many=not many and subject == "they"),
        told,
    )
    told = re.sub(r"(?i)\bwe('(?:re|ve|ll|d))?()(?: ([\w']+))?\b(?!')", lambda each: _clause(each, we, many=True), told)
    told = re.sub(r"\bme\b", name if many else object_, told)
    return re.sub(r"\bus\b", "you" if party else "them", told)


def _clause(found: re.Match[str], subject: str, many: bool) -> str:
    """`I've`, `we are`, `I keep`, `I don't` with another subject."""
    short, adverb, verb = found[1], found[2] or "", found[3] or ""
    if short:
        plain = _SHORT[short]
        helper = {"am": "are" if many else "is", "have": "have" if many else "has"}.get(plain, plain)
        return f"{subject} {helper}{adverb}{' ' + verb if verb else ''}"
    if not verb:
        return f"{subject}{adverb}"
    low = verb.lower()
    if low in ("am", "are"):
        return f"{subject} {'are' if many else 'is'}{adverb}"
    if low in ("was", "wasn't"):
        return f"{subject} {low.replace('was', 'were') if many else low}{adverb}"
    if low in ("don't", "haven't"):
        return f"{subject}{adverb} {low if many else {'don': 'doesn', 'haven': 'hasn'}[low[:-2]] + low[-2:]}"
    past = low in _OWN_PAST or low in _MODAL or low.endswith(("ed", "ly", "n't"))
    if many or past or (low in _FUNCTION and low not in VERBS):
        return f"{subject}{adverb} {verb}"
    return f"{subject}{adverb} {_third(low)}"


def _third(verb: str) -> str:
    if verb in ("am", "be"):
        return "is"
    if verb == "have":
        return "has"
    if verb.endswith("s") and not verb.endswith("ss"):
        return verb
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else f"{verb}s"
