"""`sottovoce audit`."""

from __future__ import annotations

from datetime import datetime

import click

from sottovoce.cli.auditor import Found, auditor
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import FindingsReported, Place, find_game, game_argument, json_option, print_json
from sottovoce.cli.source import RecordedGame
from sottovoce.cli.thinking import told_suspicion, told_thought
from sottovoce.cli.verify import heads, verify
from sottovoce.cli.view_options import LookingCommand
from sottovoce.domain.piece import AUDITOR
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.perspective import checked_seat
from sottovoce.projections.receipts import WITH_REPLY
from sottovoce.projections.who_knows import who_knows


@click.group()
def audit() -> None:
    """Audit who saw what; verify the log. Every number in these commands is a position in the log.

    \b
    Example:  sottovoce audit who-saw latest 42
    """


position_argument = click.argument("position", metavar="POSITION", type=WholeNumber())
seat_argument = click.argument("seat", metavar="SEAT")


@audit.command("who-knows", cls=LookingCommand)
@game_argument
@click.option("--seat", help="Only what this seat knows.")
@json_option
@click.pass_obj
def who_knows_what(place: Place, game: str, seat: str | None, as_json: bool) -> None:
    """Show which seat knows which secret, and from which event on: roles, files, clues of a campaign.

    
    Example:  sottovoce audit who-knows latest --seat Ada
    """
    with auditor(place, game) as asked:
        live = asked.game.live
        if seat is not None:
            checked_seat(live.recorded, seat)
        found = [fact for fact in who_knows(live.ruleset, live.recorded) if seat is None or seat in fact.seats]
    if as_json:
        for fact in found:
            print_json(fact.to_json())
        return
    for fact in found:
        say(f"{fact.position:>6}  {one_line(fact.says)}")
        who = [name for name in fact.seats if seat is None or name == seat]
        known = ", ".join(f"{one_line(name)} since {fact.seats[name]}" for name in who)
        say(f"        {known or 'nobody at the table'}")
    if not found:
        say("No secrets were told so far." if seat is None else f"{one_line(seat)} knows no secrets so far.")


@audit.command("who-saw", cls=LookingCommand)
@game_argument
@position_argument
@json_option
@click.pass_obj
def who_saw(place: Place, game: str, position: int, as_json: bool) -> None:
    """Show who could see event POSITION, and who received it when.

    \b
    Example:  sottovoce audit who-saw latest 42
    """
    with auditor(place, game) as asked:
        found = asked.who_saw(position)
    if as_json:
        print_json(found)
        return
    _told(asked.game, position)
    for seat in found["seats"]:
        handed = [
            f"{_clock(item)} by {item['by']}{f', turn {turn}' if (turn := item['turn']) else ''}"
            for item in seat["handed"]
        ]
        least = "at least " if any(item["since"] for item in seat["handed"]) else ""
        times = _times(sum(item["times"] for item in seat["handed"]))
        given = f"delivered {least}{times}, first {handed[0]}" if handed else "never delivered"
        say(f"  {one_line(seat['seat']):<20}{given if seat['allowed'] else '–'}")


@audit.command(cls=LookingCommand)
@game_argument
@seat_argument
@click.option("--at", "position", metavar="POSITION", type=WholeNumber(), help="Show the state right after POSITION.")
@json_option
@click.pass_obj
def saw(place: Place, game: str, seat: str, position: int | None, as_json: bool) -> None:
    """Show what a seat had seen, and when it received each event.

    \b
    Example:  sottovoce audit saw latest Ada --at 120
    """
    with auditor(place, game) as asked:
        entries = asked.saw(asked.game.seat(seat), position)
    if as_json:
        for entry in entries:
            print_json(entry)
        return
    say("position   seq  first delivered    what")
    for entry in entries:
        handed = f"{_clock(entry['handed'])} {entry['handed']['by']}" if entry["handed"] else "never"
        words = f" «{one_line(entry['words'])}»" if entry["words"] else ""
        told = entry["told"] or _plain(asked.game, entry["position"]) or entry["name"]
        say(f"{entry['position']:>8} {entry['seq']:>5}  {handed:<17}  {one_line(told)}{words}")


@audit.command(cls=LookingCommand)
@game_argument
@seat_argument
@position_argument
@json_option
@click.pass_obj
def how(place: Place, game: str, seat: str, position: int, as_json: bool) -> None:
    """Show how a seat could know event POSITION.

    The answer is: directly, by the rules, from what others said, or not at all.

    \b
    Example:  sottovoce audit how latest Ada 42
    """
    with auditor(place, game) as asked:
        found = asked.how(asked.game.seat(seat), position)
    if as_json:
        print_json(found)
        return
    _told(asked.game, position)
    say(f"{found['seat']}: {_VERDICTS[found['verdict']]}")
    for fact in found["facts"]:
        say(f"  {' '.join(map(one_line, fact['fact']))}: {_VERDICTS[fact['verdict']]}")
        if fact["events"]:
            say(f"    by the events at {', '.join(map(str, fact['events']))}")
        for telling in fact["words"]:
            _telling(telling, "said")
        for telling in fact["unfounded"]:
            _telling(telling, "guessed")
        for telling in fact["denied"]:
            _telling(telling, "denied")


_VERDICTS = {
    "direct": "saw it directly",
    "before": "knew it already",
    "rule": "learned it by the rules, from a later event",
    "words": "could have learned it from what a player said",
    "unfounded": "only heard a guess from a player who did not know",
    "impossible": "could not have learned it",
}


def _telling(telling: Found, verb: str) -> None:
    chain = "".join(f" ← {link['seat']} (knew it at {link['learnt']})" for link in telling["chain"])
    say(f"    {verb} at {telling['position']} by {one_line(telling['author'])}{one_line(chain)}")
    say(f"      «{one_line(telling['words'])}»")


@audit.command(cls=LookingCommand)
@game_argument
@seat_argument
@click.argument("turn", metavar="TURN", type=WholeNumber())
@json_option
@click.pass_obj
def prompt(place: Place, game: str, seat: str, turn: int, as_json: bool) -> None:
    """Show the exact prompt a seat received for one turn.

    Also shows the agent's error or recorded thoughts, and what its endpoint was found not to take, if there is any.

    \b
    Example:  sottovoce audit prompt latest Ada 3
    """
    with auditor(place, game) as asked:
        found = asked.prompt(asked.game.seat(seat), turn)
    if as_json:
        print_json(found)
        return
    say(f"Turn {found['turn']} of {found['seat']} ({found['kind']}), opened at position {found['position']}.")
    if not found["handed"]:
        say("Nothing was delivered for this turn.")
    for item in found["handed"]:
        ending = item["ended"]
        if item["by"] == WITH_REPLY:
            say(f"{_moment(item['at'])}: thoughts sent with the reply.")
            _mind(ending["mind"])
            continue
        ended = f"; it ended {ending['how']} after {ending['seconds'] or 0:.3f} s" if ending else ""
        say(f"{_moment(item['at'])}: seqs {item['from']} to {item['to']}, by {item['by']} to {item['agent']}{ended}.")
        if ending and isinstance(error := ending["notes"].get("error"), str):
            say(f"  What went wrong: {one_line(error)}")
        if ending and (manner := _manner(ending["notes"].get("manner"))):
            say(f"  The endpoint was asked differently than usual: {manner}")
        if item["since"]:
            say(f"  Delivered again at least {_times(item['times'])} since {_moment(item['since'])}.")
            continue
        for digest in item["blocks"]:
            say(f"--- {digest[:16]}\n{_shown(found['texts'][digest])}")
        if not item["blocks"]:
            show = place.command("view", asked.game.id, "--as", found["seat"], "--at", str(item["to"]))
            say(f"  No prompt: this bot reads its view directly. To show the view: {show}")
        if ending and (mind := ending.get("mind")):
            _mind(mind)


def _manner(manner: object) -> str:
    """What this endpoint was found not to take, and what it was asked instead."""
    told = []
    for name, value in manner.items() if isinstance(manner, dict) else ():
        match name:
            case "format":
                told.append("without a schema" if value == "none" else f"format {value}")
            case "system":
                told.append("system text within the user's message")
            case "stream":
                told.append("as a stream")
            case "api":
                told.append(f"by the {value} API")
            case "most":
                told.append(f"at most {value} tokens")
            case "dropped" if isinstance(value, list):
                told += [f"without {dropped}" for dropped in value if dropped != "limit"]
            case "limit":
                told.append(f"limit as {value}")
    return one_line(", ".join(map(str, told)))


def _mind(mind: Found) -> None:
    """What the agent had in mind, the most suspected first."""
    if mind["thoughts"]:
        say(f"--- Thoughts\n{_shown(mind['thoughts'])}")
    if mind["suspicion"]:
        told = told_suspicion({name: (much, None) for name, much in mind["suspicion"].items()})
        say(f"Suspicion of other seats (below 0 means trust): {told}")


def _shown(text: str) -> str:
    return "\n".join(one_line(line) if line.strip() else "" for line in text.splitlines())


@audit.command(cls=LookingCommand)
@game_argument
@click.argument("seat", metavar="[SEAT]", required=False)
@json_option
@click.pass_obj
def thoughts(place: Place, game: str, seat: str | None, as_json: bool) -> None:
    """Show what the agents thought, whom they suspected, and what they noted, in the order of the game.

    With SEAT, shows only that seat's. For suspicion, the number in brackets says how far it moved since the last time.

    \b
    Example:  sottovoce audit thoughts latest Ada
    """
    with auditor(place, game) as asked:
        found = asked.thoughts(None if seat is None else asked.game.seat(seat))
    if as_json:
        for one in found:
            print_json(one.to_json())
        return
    if not found:
        say("No thoughts are recorded.")
    for one in found:
        turn = f", turn {one.turn}" if one.turn is not None else ""
        say(f"Position {one.position}: {one_line(one.seat)}{turn}")
        for line in told_thought(one):
            say(f"  {line}")


@audit.command(cls=LookingCommand)
@game_argument
@json_option
@click.pass_obj
def leaks(place: Place, game: str, as_json: bool) -> None:
    """Find leaked secrets. Reports secrets said aloud, wrong audiences, and deliveries beyond a seat's view.

    Also finds files that were changed after they were recorded, and reasoning that an agent said aloud. A player who
    tells what it knows is only a note, and so is a review without an answer. Anything else is a finding (exit code 1).

    \b
    Example:  sottovoce audit leaks latest
    """
    with auditor(place, game) as asked:
        found = asked.leaks()
    for finding in found:
        if as_json:
            print_json(finding)
        else:
            where = f" at position {finding['position']}" if finding["position"] else ""
            say(f"{finding['severity']}: {finding['kind']}{where}: {one_line(finding['what'])}")
    count = sum(finding["severity"] != "note" for finding in found)
    if count:
        raise FindingsReported(f"{count} finding{'s' if count > 1 else ''}; see above.")
    if not as_json:
        say(f"No leak found; {_times(len(found), 'note')}.")


@audit.command()
@game_argument
@json_option
@click.pass_obj
def links(place: Place, game: str, as_json: bool) -> None:
    """List a game's links: who they are for and when they were created.

    Tokens are shown only once, when a link is created.

    \b
    Example:  sottovoce audit links latest
    """
    from sottovoce.server.links import attested

    with place.games() as games:
        found = attested(games.log, find_game(games.log, game))
    if as_json:
        for link in found:
            print_json(link.to_json())
        return
    if not found:
        say("This game has no links.")
        return
    say("number  kind       seat                 created              first used           revoked")
    for link in found:
        times = (link.issued, link.claimed, link.ended)
        told = "  ".join(f"{time:%Y-%m-%d %H:%M:%S}" if time else f"{'–':<19}" for time in times)
        say(f"{link.number:>6}  {link.kind.value:<9}  {one_line(link.seat or '–'):<19}  {told}".rstrip())


audit.add_command(verify)
audit.add_command(heads)


def _moment(at: str) -> str:
    return f"{datetime.fromisoformat(at):%Y-%m-%d %H:%M:%S} UTC"


def _clock(handed: Found) -> str:
    return f"{datetime.fromisoformat(handed['at']):%H:%M:%S}"


def _told(game: RecordedGame, position: int) -> None:
    item = game.live.recorded[position - 1]
    told = game.ruleset.tell(item.event, AUDITOR)
    seen = item.audience.to_json()
    by = "everyone" if seen == "everyone" else ", ".join(seen) or "nobody"
    say(f"Position {item.position}, {item.name}, for {one_line(by)}:")
    if told:
        say(f"  {one_line(told.text)}{f' «{one_line(told.said)}»' if told.said else ''}")


def _plain(game: RecordedGame, position: int) -> str | None:
    told = game.ruleset.tell(game.live.recorded[position - 1].event, AUDITOR)
    return told.text if told else None


def _times(count: int, what: str = "time") -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
