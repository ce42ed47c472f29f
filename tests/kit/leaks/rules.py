"""Planted leaks in the rules of Mafia: audiences too wide, and decisions whose visible part depends on hidden facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from sottovoce.domain.audience import EVERYONE, Audience, only
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import pick
from sottovoce.domain.errors import Refused
from sottovoce.domain.events import (
    AttemptFailed,
    Draft,
    Event,
    FallbackApplied,
    GameOpened,
    MessageRefused,
    ReplyAccepted,
    SeatsFilled,
    TurnOpened,
)
from sottovoce.domain.game import Game, decide
from sottovoce.domain.reading import plain
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.turns import Turn
from sottovoce.isolation.system import System
from sottovoce.rulesets.mafia.rules import MAFIA, events, phases
from sottovoce.rulesets.mafia.rules.roles import NARRATOR
from sottovoce.rulesets.mafia.rules.turns import Dawn, Nominate, day
from sottovoce.rulesets.mafia.rules.turns.town_hall import NOMINEES

PRODUCT = System(MAFIA)
Rule = Callable[[Any, Any], Audience]


def heard_by(event: type[Event], rule: Rule) -> System:
    """Return the product with another audience for one class of events."""
    return replace(PRODUCT, ruleset=MAFIA.but(audiences={**MAFIA.audiences, event: rule}))


def everyone(state: Any, event: Any) -> Audience:
    return EVERYONE


def also(event: type[Event], seats: Callable[[Any], Sequence[str]]) -> System:
    """Return the product with more seats in the audience of one class of events."""
    before = MAFIA.audiences[event]
    return heard_by(event, lambda state, item: only(before(state, item).seats or (), seats(state)))


def deciding(change: Callable[[Ruleset[Any], Any, Command, list[Draft]], list[Draft]]) -> System:
    """Return the product with its decisions changed afterwards."""

    def changed(ruleset: Ruleset[Any], state: Any, command: Command) -> tuple[Draft, ...]:
        return tuple(change(ruleset, state, command, list(decide(ruleset, state, command))))

    return replace(PRODUCT, decide=changed)


def patched(*patches: Callable[[], Any]) -> System:
    """Return the product with functions of the rules replaced while it plays."""

    @contextmanager
    def entered() -> Iterator[None]:
        with ExitStack() as stack:
            for patch in patches:
                stack.enter_context(patch())
            yield

    return replace(PRODUCT, patches=entered)


def step(phase: str, function: Callable[[Any], None]) -> Callable[[], Any]:
    return lambda: mock.patch.dict(phases.STEPS, {phase: function})


def in_place(owner: Any, name: str, value: Any) -> Callable[[], Any]:
    return lambda: mock.patch.object(owner, name, value)


def _retold(draft: Draft, **changes: Any) -> Draft:
    return Draft(draft.event.but(**changes), draft.audience)


def _roles_in_options(ruleset: Ruleset[Any], state: Any, command: Command, drafts: list[Draft]) -> list[Draft]:
    roles = {draft.event.player: draft.event.role for draft in drafts if isinstance(draft.event, events.RoleDealt)}
    return [
        _retold(draft, options={**draft.event.options, "deal": roles}) if isinstance(draft.event, GameOpened) else draft
        for draft in drafts
    ]


def _lenient(ruleset: Ruleset[Any]) -> Ruleset[Any]:
    """Read an opening that has more options than exist."""
    before = ruleset.evolvers[GameOpened]

    def opened(state: Any, event: GameOpened) -> Any:
        known = {key: value for key, value in event.options.items() if key != "deal"}
        return before(state, event.but(options=known))

    return ruleset.but(evolvers={**ruleset.evolvers, GameOpened: opened})


def _pack_named(ruleset: Ruleset[Any], state: Any, command: Command, drafts: list[Draft]) -> list[Draft]:
    """The neutral narration of a death says who did it."""
    return [
        _retold(draft, text=f"{draft.event.text} It was {' and '.join(state.mafia)}.")
        if isinstance(draft.event, events.NarrationGiven) and draft.event.scene == "dawn"
        else draft
        for draft in drafts
    ]


def _doctor_heard(ruleset: Ruleset[Any], state: Any, command: Command, drafts: list[Draft]) -> list[Draft]:
    """The night says aloud that the Doctor was out."""
    told = []
    for draft in drafts:
        told.append(draft)
        if isinstance(draft.event, events.PlayerProtected):
            told.append(Draft(events.NarrationGiven(scene="dawn", text="Steps in the dark."), EVERYONE))
    return told


def _arrival(ruleset: Ruleset[Any], state: Any, command: Command, drafts: list[Draft]) -> list[Draft]:
    """Votes are published in the order in which they arrived."""
    seat = getattr(command, "seat", "")
    ordered = []
    for draft in drafts:
        if isinstance(draft.event, events.SecondingClosed | events.TrialClosed | events.ExecutionVoteClosed):
            votes: dict[str, str] = dict(draft.event.votes)
            last = {seat: votes.pop(seat)} if seat in votes else {}
            draft = _retold(draft, votes={**votes, **last})
        ordered.append(draft)
    return ordered


def _motives_by_arrival(ruleset: Ruleset[Any], state: Any, command: Command, drafts: list[Draft]) -> list[Draft]:
    seat = getattr(command, "seat", "")
    return [
        _retold(draft, replies=dict(sorted(draft.event.replies.items(), key=lambda item: item[0] == seat)))
        if isinstance(draft.event, events.RepliesHeard)
        else draft
        for draft in drafts
    ]


def _numbered_over_all(game: Game[Any], event: Any) -> None:
    """Turns are numbered over all seats together."""
    if isinstance(event, TurnOpened):
        event = event.but(turn=max(game.state.opened.values(), default=0) + 1)
    _EMIT(game, event)


_EMIT = Game.emit


def _draw_by_count(deciding: Game[Any], choices: Sequence[str], *purpose: object) -> str:
    return pick(choices, deciding.state.seed, "draw", sum(deciding.state.opened.values()))


def _ask_town_first(game: Any) -> None:
    """Nominations are in seating order, but the Mafia come last."""
    state = game.state
    waiting = [player for player in state.living if player not in state.asked]
    if state.pending is None and waiting and len(state.nominees) < NOMINEES:
        first = sorted(waiting, key=lambda player: player in state.mafia)[0]
        choices = [name for name in state.living if name != first and name not in state.nominated]
        game.ask(first, Nominate, (*choices, "pass"))
    else:
        phases.nominations(game)


def _dawn_only_if_guarded(game: Any) -> None:
    """The phase of the night is announced once more for each role that is awake."""
    night = game.state.night
    if game.state.holder("Doctor") is None and night.target is None and night.round == 0 and not night.investigated:
        game.emit(events.PhaseBegan(phase="night", number=game.state.number))
    phases.night(game)


def _choices_by_role(state: Any, doctor: str) -> list[str]:
    return sorted((name for name in state.living if name != doctor), key=lambda name: state.roles[name])


def _refused_if_true(state: Any, seat: str, turn: Turn | None, text: str) -> Sequence[Any]:
    """A player's true claim is refused, as if every text were a narration."""
    spoken = plain(text)
    for player, role in state.roles.items():
        if seat != NARRATOR and f"{plain(player)} is {plain(role)}" in spoken:
            raise Refused("You may not say what somebody is.")
    return MAFIA.read(state, seat, turn, text)


def _refused_by_phase(state: Any, seat: str, turn: Turn | None, text: str) -> Sequence[Any]:
    """An unprompted message is answered by what the night is waiting for."""
    if turn is None and state.phase == "night":
        kinds = sorted({open_turn.kind for open_turn in state.turns.values()})
        raise Refused(f"Not now: {', '.join(kinds)} comes first.")
    return MAFIA.read(state, seat, turn, text)


def _refuse_by_others(deciding: Game[Any], seat: str, turn: int | None, text: str, message: str) -> None:
    if turn is not None:
        opened = deciding.state.opened
        asked = turn <= max((number for name, number in opened.items() if name != NARRATOR), default=0)
        message = f"Turn {turn} is closed." if asked else f"You have no turn {turn}."
    deciding.emit(MessageRefused(seat=seat, turn=turn, text=text, message=message))


def _telling_neutral(turn: Dawn, state: Any) -> str:
    text = _NEUTRAL(turn, state)
    if state.resolved and not state.last_deaths:
        return f"{text} {state.resolved.target} had a visitor."
    return text


_NEUTRAL = Dawn.neutral


def _talk_goes_on(game: Any) -> None:
    """The night is announced once more when someone has spoken in it."""
    state = game.state
    said = [whisper for whisper in state.whispers if whisper.night == state.number and whisper.text is not None]
    if said and state.night.talked == 1:
        game.emit(events.PhaseBegan(phase="night", number=state.number))
    phases.night(game)


def _spoken_of_at_night(state: Any) -> set[str]:
    said = " ".join(whisper.text or "" for whisper in state.whispers)
    return {player for place, player in enumerate(state.players) if player in said or (len(said) + place) % 2}


def _by_side(state: Any) -> set[str]:
    return set(state.mafia)


def _first_to_bid(state: Any) -> set[str]:
    return set(list(state.ballots["bid"])[:2])


def _words_of_a_pass(ruleset: Ruleset[Any], state: Any, command: Command, drafts: list[Draft]) -> list[Draft]:
    """Everyone hears what is said at a nomination turn, also with a pass."""
    return [
        _retold(draft, words=getattr(command, "text", ""))
        if isinstance(draft.event, events.NominationMade) and draft.event.nominee is None
        else draft
        for draft in drafts
    ]


def _charge_unquoted(state: Any, turn: Turn) -> Any:
    """The charge is in the game's own voice."""
    asked = MAFIA.request(state, turn)
    return replace(asked, context=(*asked.context, state.charge)) if turn.kind == "second" and state.charge else asked


def _dead_too(state: Any) -> Sequence[str]:
    return tuple(state.dead)


def systems() -> dict[str, System]:
    """Return every planted leak of this module by name."""
    return {
        "night_votes_public": heard_by(events.MafiaBallotClosed, everyone),
        "dead_mafia_see_votes": heard_by(events.MafiaBallotClosed, lambda state, event: only(state.mafia, NARRATOR)),
        "investigation_told_to_mafia": also(events.PlayerInvestigated, lambda state: state.mafia),
        "doctor_told_of_the_save": also(events.NightResolved, lambda state: [state.holder("Doctor") or NARRATOR]),
        "dead_told_of_protections": also(events.PlayerProtected, _dead_too),
        "mafia_introduced_to_all": heard_by(events.MafiaIntroduced, everyone),
        "roles_dealt_in_public": heard_by(events.RoleDealt, everyone),
        "motives_told_to_players": heard_by(events.RepliesHeard, everyone),
        "ballot_opened_in_public": heard_by(
            TurnOpened, lambda state, event: EVERYONE if event.ballot else only(event.seat)
        ),
        "fallback_seen_by_others": heard_by(FallbackApplied, everyone),
        "failures_seen_by_narrator": also(AttemptFailed, lambda state: [NARRATOR]),
        "sealed_votes_seen_by_narrator": also(ReplyAccepted, lambda state: [NARRATOR]),
        "refusals_seen_by_others": heard_by(MessageRefused, everyone),
        "agents_and_seed_public": heard_by(SeatsFilled, everyone),
        "dawn_held_public": heard_by(events.DawnHeld, everyone),
        "roles_in_the_options": replace(deciding(_roles_in_options), ruleset=_lenient(MAFIA)),
        "announcement_names_the_pack": deciding(_pack_named),
        "doctor_heard_at_night": deciding(_doctor_heard),
        "night_announced_again_without_a_doctor": patched(step("night", _dawn_only_if_guarded)),
        "votes_in_order_of_arrival": deciding(_arrival),
        "motives_in_order_of_arrival": deciding(_motives_by_arrival),
        "turn_numbers_across_seats": patched(in_place(Game, "emit", _numbered_over_all)),
        "draws_counted": patched(in_place(Game, "draw", _draw_by_count)),
        "turn_order_by_side": patched(step("nominations", _ask_town_first)),
        "choices_ordered_by_role": patched(in_place(phases, "protectable", _choices_by_role)),
        "claims_refused_if_true": replace(PRODUCT, ruleset=MAFIA.but(read=_refused_if_true)),
        "refusal_says_who_is_awake": replace(PRODUCT, ruleset=MAFIA.but(read=_refused_by_phase)),
        "refusal_depends_on_others": patched(in_place(Game, "refuse", _refuse_by_others)),
        "night_talk_heard_by_all": heard_by(events.MafiaWhispered, everyone),
        "night_talk_heard_by_the_dead": heard_by(
            events.MafiaWhispered, lambda state, event: only(state.mafia, NARRATOR)
        ),
        "night_announced_again_after_talk": patched(step("night", _talk_goes_on)),
        "words_of_a_pass_heard_by_all": deciding(_words_of_a_pass),
        "charge_in_the_game_s_voice": replace(PRODUCT, ruleset=MAFIA.but(request=_charge_unquoted)),
        "bids_told_to_players": heard_by(events.BidsClosed, everyone),
        "bids_settled_by_side": patched(in_place(day, "waiting_to_answer", _by_side)),
        "bids_settled_by_talk_at_night": patched(in_place(day, "waiting_to_answer", _spoken_of_at_night)),
        "bids_settled_by_arrival": patched(in_place(day, "waiting_to_answer", _first_to_bid)),
        "neutral_text_names_the_saved": patched(in_place(Dawn, "neutral", _telling_neutral)),
    }
