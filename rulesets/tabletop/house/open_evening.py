"""An evening in the open: no beat sheet of the house's own form, only a campaign, and a party that does what it likes.

At each turn the GM takes what was done since its last one, rolls for what dice decide, tells what came of it and what
happens besides, and asks again. All that it remembers stands in its progress note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce.rulesets.tabletop.house import company, consultation, decisions, drama, open_fights, struggle
from sottovoce.rulesets.tabletop.house.account import woven
from sottovoce.rulesets.tabletop.house.acts import EFFECTS, roll_of, scene_for
from sottovoce.rulesets.tabletop.house.acts.surroundings import was_named
from sottovoce.rulesets.tabletop.house.beats import Ask
from sottovoce.rulesets.tabletop.house.choices import choose
from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.ledger import Done
from sottovoce.rulesets.tabletop.house.opinions import ASKED
from sottovoce.rulesets.tabletop.house.parts import Track
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.player import called
from sottovoce.rulesets.tabletop.house.table import GmTable, safe
from sottovoce.rulesets.tabletop.house.targets import ANYBODY, SPEECH, Act
from sottovoce.rulesets.tabletop.house.targets import named as names_in
from sottovoce.rulesets.tabletop.house.telling import in_third_person
from sottovoce.rulesets.tabletop.rules.documents import rebuild
from sottovoce.rulesets.tabletop.rules.lore.facts import papers_of, world_of
from sottovoce.rulesets.tabletop.rules.lore.known import Known, slug
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, lowered, stem, words
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS, carried_over, remembered
from sottovoce.rulesets.tabletop.rules.names import TEAM_LEAD

EVENING = "the-open-evening"
"""What the progress note calls such an evening."""
STIRRED = "say to that?"
"""How the question ends that asks somebody for an opinion on what was done."""


def play_of(table: GmTable) -> Play:
    """The evening as the note has it."""
    documents, played = table.state.documents, table.state.played
    world = world_of(documents, table.state.roster)
    memory = remembered(rebuild(documents.get(PROGRESS, ())))
    known = Known(world, papers_of(documents, played[0]), memory, table.state.roster)
    return Play(table, world, known, memory)


def begin(table: GmTable) -> None:
    """Begin the note; what lasts of an earlier evening's stays in it."""
    lasting = carried_over(rebuild(table.state.documents.get(PROGRESS, ())))
    lines = [f"- evening: {EVENING}", *(f"- {line}" for line in lasting)]
    table.reply.write(PROGRESS, "\n".join(lines), "set")
    table.lasting = lasting


def advance(table: GmTable) -> bool:
    """Go on by one turn; whether the evening is over."""
    play = play_of(table)
    for line in table.lasting:
        play.memory.apply(line)
    play.known.moved()
    if table.awaits(table.state.played):
        return False
    track = Track(None, table.state.played, ())
    if play.memory.lines and play.memory.clock and (over := _fight(play, track)) is not None:
        return over
    deeds = [d for d in table.ledger.deeds if d.seq > table.ledger.turned and d.character in table.state.played]
    deeds += [
        Done(seq, table.state.character or table.state.played[0], text)
        for seq, text in table.ledger.answers
        if seq > table.ledger.turned and _is_deed(play, text)
    ]
    opening = table.ledger.turned == 0
    told: list[str] = []
    if _called_on(play, deeds):
        deeds = [deed for deed in deeds if _is_persons(play, deed)]
    if opening:
        told += drama.open_evening(play)
        play.note("clock 1")
    else:
        acts = [(deed, _acts(play, deed)) for deed in deeds]
        if not table.plain and _roll(play, acts):
            return False
        play.manner = decisions.manner_of_answer(
            [act for deed, found in acts for act in found if _is_persons(play, deed)]
            or [act for _, found in acts for act in found]
        )
        choice = _choice(play)
        if choice is None:
            _finish(play)
            return False
        told += choice
        told += _told(play, acts)
        if play.asked and not told and not play.over:
            _ask_companions(play)
            _finish(play)
            return False
        if not play.over and play.fight is None:
            told += drama.tick(play)
        elif play.memory.asks:
            play.note("asks ")
    if not told and not play.over:
        told = [play.fresh("quiet.open") or table.line("quiet.open")] if not play.asked else []
    longest = decisions.length_of(play) + (3 * decisions.AFTER if play.world.facts or play.personal else 1)
    over = play.over or play.memory.clock >= (play.memory.ends or longest)
    if over:
        told += decisions.farewell(play)
    asks = [] if over or play.fight or play.asked else _asks(play)
    prose = _capitals(safe("\n\n".join(part for part in told if part)))
    if prose:
        spot = play.known.spot
        place = (spot.name[:1].upper() + spot.name[1:], "") if spot is not None else ("", "")
        table.narrate(table.with_prompt(prose, asks, track), track if track.label else None, place=place)
    if over:
        table.ending = decisions.summary(play)
        _finish(play)
        return True
    if play.fight:
        open_fights.begin(play, track)
    elif play.asked:
        _ask_companions(play)
    elif not opening and decisions.choice_due(play) and not play.asked:
        _put_choice(play)
    else:
        for ask in asks:
            table.ask(ask, ask.names)
    _finish(play)
    return False


def _capitals(prose: str) -> str:
    """Every sentence begins with a capital, whatever name it begins with."""
    return re.sub(r"(?:^|(?<=\n\n)|(?<=[.!?] ))(?:the|a|an|it|somebody) ", lambda found: found[0].capitalize(), prose)


def _finish(play: Play) -> None:
    table = play.table
    table.reply.write(PROGRESS, "\n".join((*table.progress, "- turn")))
    table.progress.clear()


# what was done


def _is_deed(play: Play, answer: str) -> bool:
    """Whether an answer to the choice is no choice but something that the person does instead."""
    chosen = choose(answer, play.table.ledger.choices)
    if chosen.option is not None or (play.memory.meant and re.match(r"(?i)\W*(?:yes|yeah|aye|sure|no)\b", answer)):
        return False
    return any(
        act.kind not in ("unsure", "none", "yes", "no")
        for act in parse(answer, scene_for(play, play.table.state.character or ""))
    )


def _called_on(play: Play, deeds: Sequence[Done]) -> bool:
    """Whether the person has words for one of the party alone: they are answered before anybody does anything else."""
    acts = [act for deed in deeds if _is_persons(play, deed) for act in _acts(play, deed)]
    return bool(acts) and all(act.kind in ("companion", "counsel") for act in acts)


def _is_persons(play: Play, deed: Done) -> bool:
    state = play.table.state
    return state.has_human and not state.alone and deed.character == state.character


def _acts(play: Play, deed: Done) -> list[Act]:
    """The acts of a deed; none for what goes on inside somebody or between two. Each deed is read once a turn."""
    if deed.seq not in play.read:
        play.read[deed.seq] = _read(play, deed)
    return play.read[deed.seq]


def _read(play: Play, deed: Done) -> list[Act]:
    if deed.to or deed.inward:
        return []
    if deed.character in _answering(play):
        return consultation.granted(play, deed)
    return parse(_plain(play, deed), scene_for(play, deed.character))


def _plain(play: Play, deed: Done) -> str:
    """The deed in plain words: the option that it takes up, where it takes one up."""
    offered = play.table.ledger.offered.get(deed.character, ())
    text = deed.text.replace("’", "'").casefold()
    return next((option for option in offered if option.replace("’", "'").casefold() in text), deed.text)


def _answering(play: Play) -> set[str]:
    """Those who were asked by one of the party: what they say is an answer, and no act."""
    return {
        name
        for name, question in play.table.ledger.questions.items()
        if question.startswith(ASKED) or question.partition("\n")[0].endswith(STIRRED)
    }


def _roll(play: Play, acts: Sequence[tuple[Done, list[Act]]]) -> bool:
    """Ask for the dice that the acts need and that have not fallen; whether any are out."""
    out = False
    for deed, found in acts:
        if _is_persons(play, deed) and _stranger(play, deed, found):
            continue
        for act in found:
            need = roll_of(play, deed.character, act)
            if need is not None and play.rolled(need) is None:
                bonus = play.table.sheet(deed.character).bonus(need.skill)
                play.table.reply.roll(need.who, need.check, f"1d20{bonus:+d}", need.dc)
                out = True
    return out


def _told(play: Play, acts: Sequence[tuple[Done, list[Act]]]) -> list[str]:
    """What came of it all, the person's own deed first."""
    told: list[str] = []
    manner = play.table.manner
    ordered = sorted(acts, key=lambda each: not _is_persons(play, each[0]))
    for deed, found in ordered:
        mine = _is_persons(play, deed)
        if not found:
            told += _said(play, deed)
            continue
        lead = ""
        if manner.labelled:
            told += _said(play, deed)
        elif not mine:
            lead = _lead(play, deed)
        came: list[str] = []
        play.doer = deed.character
        if mine and play.memory.mate and not any(act.kind in ("companion", "counsel") for act in found):
            play.note("mate ")
        if mine and (stranger := _stranger(play, deed, found)):
            told += _unheard(play, stranger, found)
            continue
        for act in found:
            came += _effect(play, deed.character, act)
        if came and lead.endswith("."):
            came[0] = _once(lead, came[0], play.name(deed.character))
            if found[0].kind == "take" and "” " in lead:
                lead = f"{lead.rpartition('” ')[0]}”"
        text = " ".join(part for part in (lead, *came[:1]) if part)
        told += [text, *came[1:]] if text else []
    return [each for each in told if each]


def _once(lead: str, came: str, name: str) -> str:
    """What came of a deed without the deed itself, where that has just been told."""
    head, _, rest = came.partition(". ")
    return rest if head.startswith(name) and lead.endswith(f"{head.removeprefix(name).rstrip('.')}.") else came


def _stranger(play: Play, deed: Done, acts: Sequence[Act]) -> str:
    """The first name in a person's words that the party has not heard, where it stands in the way of the acts.

    Words to somebody who is here, and deeds that are no words, go on without it: only what is asked about it is lost.
    """
    if all(act.kind in ("companion", "counsel") for act in acts):
        return ""
    name = "" if any(act.nobody for act in acts) else play.known.stranger(deed.text)
    aimed = [act for act in acts if act.target in play.world.entities]
    if aimed and not _calls(deed.text, name) and all(act.kind not in ("ask", "talk", "go") for act in aimed):
        return ""
    return name


def _calls(text: str, name: str) -> bool:
    """Whether the name is that of whom the words are for, or of where they lead."""
    before = text[: text.find(name)]
    return not before.strip(" \"“‘'(*-") or bool(_FOR.search(before))


_FOR = re.compile(
    r"(?i)\b(?:ask|tell|tells|to|with|at|greet|thank|warn|threaten|attack|help|show|give|offer|persuade|convince|follow"
    r"|visit|see|meet|find|promise|accuse|call|hand|pay)"
    r"(?: (?:the|old|young|master|mistress|mother|father|brother|sister|lady|lord))* $"
)


def _unheard(play: Play, name: str, acts: Sequence[Act]) -> list[str]:
    """What is made of a name that the party has not heard: the same for every such name, the campaign's and others."""
    asked = next((act for act in acts if act.kind in ("ask", "talk")), None)
    person = play.entity(asked.target) if asked is not None and not asked.meant else None
    if person is not None and person.kind == "person" and person in play.known.present:
        intro = play.meet(person)
        call = play.known.call(person)
        said = play.line("stranger.asked", what=name, name=call, Name=capital(call))
        return [" ".join(part for part in (intro, said) if part)]
    said = play.fresh("stranger", name=name) or play.line("stranger", name=name)
    came = company.introduced(play, "comes.asked")
    return [said, came] if came else [_word_about(play, said, name)]


def _word_about(play: Play, said: str, what: str) -> str:
    """It gets about whom the party asks for, and brings trouble nearer: once for each."""
    if f"word {slug(what)}" in play.memory.done:
        return said
    play.note(f"done word {slug(what)}")
    return f"{said} {play.line('word.about', what=what)}"


def _nobody(play: Play, act: Act) -> list[str]:
    """What is said where the words are for somebody who is not here, and who is."""
    met = drama.met_by_label(play, act.nobody)
    if met:
        return [met]
    bare = re.sub(r"^(?:the|that|this|those|these|an?|some) ", "", act.nobody)
    if not play.known.present and bare in ANYBODY:
        return [play.line("see.nobody"), company.comes_and_speaks(play, "comes.asked", again=True)]
    told = [play.line("nobody.many" if _MANY.search(bare) else "nobody", what=bare)]
    if act.kind in SPEECH and _MANY.search(bare) and was_named(play, stem(words(bare)[-1]) if words(bare) else ""):
        return [play.line("crowd.asked" if act.kind == "ask" else "crowd", what=bare, What=capital(bare))]
    people = [play.known.call(each) for each in play.known.present][:3]
    if people:
        told.append(play.line("nobody.here.many" if len(people) > 1 else "nobody.here", people=listed(people)))
    if act.kind == "attack" and people:
        watcher = play.known.present[0]
        play.like(watcher.id, -1)
        return [" ".join([*told, play.line("fist", name=people[0], Name=capital(people[0]))])]
    if company.loud(act.text):
        return [" ".join(told), company.heard_far(play)]
    came = "" if people else company.comes_and_speaks(play, "comes.asked")
    if came or act.kind not in SPEECH | {"go", "search"}:
        return [" ".join(told), came]
    return [_word_about(play, " ".join(told), act.nobody)]


_MANY = re.compile(r"(?i)(?:men|women|people|children|folk|[^s]s)$")


def _lead(play: Play, deed: Done) -> str:
    """Whose deed it is, as the rest see it."""
    name = play.name(deed.character)
    plain = _plain(play, deed)
    if plain != deed.text or re.match(r"(?i)(?:i|we|let)\b", deed.text):
        told = (
            f"{plain}."
            if plain.startswith(called(deed.character))
            else in_third_person(
                plain[:1].lower() + plain[1:] if not plain.startswith("I ") else plain,
                name,
                play.table.sheet(deed.character).pronouns,
            )
        )
        said = [
            each
            for each in re.findall(r"“([^”]{3,90})”", deed.text)
            if plain.casefold() not in each.replace("’", "'").casefold()
        ]
        return f"{told} “{said[0]}”" if said and told and not play.table.manner.reported else told
    return " ".join(_said(play, deed))


def _said(play: Play, deed: Done) -> list[str]:
    table = play.table
    return woven([deed], table.names, table.phrases, table.random, table.worn, table.manner)


def _effect(play: Play, who: str, act: Act) -> list[str]:
    """What an act brings about; where it is not understood, one question back."""
    if act.kind in ("companion", "counsel"):
        return consultation.consult(play, who, act)
    if act.nobody:
        return _nobody(play, act)
    if act.kind == "yes" and (options := play.table.ledger.offered.get(who, ())):
        return _first_of(play, who, options)
    if act.kind == "unsure":
        return [_asked_back(play, who, act)]
    if act.kind == "none":
        return []
    if act.kind in ("wait", "no", "do", "use") and struggle.gives_up(act.text):
        return [
            play.line(
                "fight.over" if any(d.startswith("fight ") for d in play.memory.done) else "fight.none",
                who=play.name(who),
            )
        ]
    effect = EFFECTS.get(act.kind)
    return effect(play, who, act) if effect else []


def _first_of(play: Play, who: str, options: Sequence[str]) -> list[str]:
    """Who only says yes to what was offered does the first of it that needs no dice."""
    for option in options:
        acts = [act for act in parse(option, scene_for(play, who)) if act.kind not in ("unsure", "none", "yes")]
        if acts and roll_of(play, who, acts[0]) is None:
            deed = in_third_person(option, play.name(who))
            return [" ".join(part for part in (deed, *_effect(play, who, acts[0])) if part)]
    return [play.line("yes.which", options=" ".join(f"{option.rstrip('.?!')}?" for option in options[:3]))]


def _asked_back(play: Play, who: str, act: Act) -> str:
    named = scene_for(play, who)
    found = names_in(act.text, named)
    entity = play.entity(found[0].id) if found else None
    if entity is not None:
        return play.line("back.thing", who=play.name(who), name=play.known.call(entity))
    return play.line("back", who=play.name(who))


# what is asked


def _asks(play: Play) -> list[Ask]:
    """What is asked now: the person always, one companion at times, and two of them where nobody sits there."""
    state = play.table.state
    asks: list[Ask] = []
    personal = state.has_human and not state.alone and state.character is not None
    options = tuple(decisions.suggestions(play))
    if personal:
        asks.append(_ask(play, state.character or "", "QUICK_REACTION", options))
    companions = [
        name for name in state.played if not (personal and name == state.character) and not play.table.fallen(name)
    ]
    if not companions:
        return asks
    at = play.memory.clock
    options = tuple(each for each in decisions.suggestions(play, moving=not personal) if not personal or _tells(each))
    if not personal:
        for step in range(min(2, len(companions))):
            kind = (
                "QUICK_REACTION",
                "FULL_CONTEXT",
                "OPTIONAL_REACTION",
                "REFLECTION",
                "SECRET_ACTION",
                "INTERACTION",
            )[(at + 2 * step) % 6 if step else 0]
            asks.append(_ask(play, companions[(at + step) % len(companions)], kind, (*options[step:], *options[:step])))
    elif play.stirred and len(companions) > 1:
        asks += [
            _ask(
                play,
                name,
                "OPTIONAL_REACTION",
                (),
                play.line(f"stirred.{play.stirred}", who=play.name(state.character or "")),
            )
            for name in (companions[at % len(companions)], companions[(at + 1) % len(companions)])
        ]
    elif at % 3 == 0 and options:
        asks.append(_ask(play, companions[(at // 3) % len(companions)], "OPTIONAL_REACTION", options[1:] or options))
    return asks


def _tells(option: str) -> bool:
    """Whether what one of the party might do by themself has something to tell."""
    return not re.match(r"(?i)(?:wait|talk|persuade|search the place)\b", option)


def _ask(play: Play, name: str, kind: str, options: tuple[str, ...], happened: str = "") -> Ask:
    first = called(name)
    mine = play.personal and name == play.table.state.character
    options = options if mine else tuple(_named_deed(each, first) for each in options)
    request = play.line("ask.stirred" if happened else "ask.open", first=first)
    return Ask(
        (name,),
        kind,
        consultation.scene_of(play, name),
        happened or play.line("ask.happened", first=first),
        request,
        "",
        options,
    )


def _named_deed(option: str, first: str) -> str:
    return in_third_person(option, first).rstrip(".") or f"{first}: {option}"


def _ask_companions(play: Play) -> None:
    """Put the words of one to the others whom they were for, and ask as ever where none of them can answer."""
    consultation.put_questions(play)
    if not play.table.awaiting:
        for ask in _asks(play):
            play.table.ask(ask, ask.names)


# the choice


def _put_choice(play: Play) -> None:
    play.note("done choice")
    found = decisions.options(play)
    play.note(f"offers {' || '.join(label for label, _ in found)}")
    _question(play, play.line("choice"), "The way on", found)


def _question(play: Play, question: str, header: str, found: Sequence[tuple[str, str]]) -> None:
    given = tuple({"label": label, "description": about} for label, about in found)
    play.table.reply.send(TEAM_LEAD, "ASK_PLAYER", question=question, header=header, options=given)
    play.table.awaiting.add(play.table.state.character or "")


def _choice(play: Play) -> list[str] | None:
    """What the party's answer to the choice brings; nothing where none was put, None where it is asked back."""
    if "choice" not in play.memory.done or play.memory.decided:
        return []
    answers = [answer for seq, answer in play.table.ledger.answers if seq > play.table.ledger.turned]
    if not answers:
        return []
    labels = play.table.ledger.choices
    told = decisions.settle(play, answers[-1], labels)
    if told is None:
        meant = play.memory.meant
        found = [(meant, "Yes, that."), *((label, "Rather that.") for label in labels if label != meant)]
        _question(play, play.line("back.choice", what=lowered(meant)), "To be sure", found[:4])
    return told


# fights


def _fight(play: Play, track: Track) -> bool | None:
    """The next step of a fight that goes on; None where there is none."""
    table = play.table
    if not open_fights.running(play):
        return None
    deeds = [deed for deed in table.ledger.deeds if _is_persons(play, deed)]
    prose = open_fights.go_on(
        play, track, [(deed, parse(_plain(play, deed), scene_for(play, deed.character))) for deed in deeds[-1:]]
    )
    if prose is None:
        return False
    play.note(f"clock {play.memory.clock + 1}")
    asks = _asks(play)
    table.narrate(table.with_prompt(_capitals(safe(prose)), asks, track), None)
    for ask in asks:
        table.ask(ask, ask.names)
    _finish(play)
    return False


__all__ = ["EVENING", "advance", "begin", "ended", "play_of"]
