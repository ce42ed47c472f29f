"""Planted leaks of the tabletop: documents, messages, rules, refusals and prompts that know too much, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any
from unittest import mock

from leaks.views import Omniscient
from sottovoce.domain import events as core
from sottovoce.domain import piece as pieces_told
from sottovoce.domain.audience import EVERYONE, Audience, only
from sottovoce.domain.commands import Command
from sottovoce.domain.errors import Refused
from sottovoce.domain.events import Draft, Event, TurnOpened
from sottovoce.domain.game import Game, decide
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.turns import Turn
from sottovoce.isolation.system import System
from sottovoce.rulesets.tabletop.rules import TABLETOP, events, records, turns, words
from sottovoce.rulesets.tabletop.rules.course import changes, team_lead
from sottovoce.rulesets.tabletop.rules.documents import deltas, secrecy
from sottovoce.rulesets.tabletop.rules.documents.pieces import Piece
from sottovoce.rulesets.tabletop.rules.messages import GmToPlayer, MessageSent, PlayerToGm
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

PRODUCT = System(TABLETOP)
Rule = Callable[[Any, Any], Audience]


def heard_by(event: type[Event], rule: Rule) -> System:
    """Return the product with another audience for one class of events."""
    return replace(PRODUCT, ruleset=TABLETOP.but(audiences={**TABLETOP.audiences, event: rule}))


def also(event: type[Event], *seats: str, when: Callable[[Any, Any], bool] = lambda state, item: True) -> System:
    """Return the product with more seats in the audience of one class of events; `party` means all characters."""
    before = TABLETOP.audiences[event]

    def rule(held: Any, item: Any) -> Audience:
        found = before(held, item)
        if found.seats is None or not when(held, item):
            return found
        more = [name for seat in seats for name in (held.roster if seat == "party" else (seat,)) if name in held.seats]
        return only(found.seats, more)

    return heard_by(event, rule)


def tagged(tag: str | None, *seats: str, when: Callable[[Any, Any], bool] = lambda state, item: True) -> System:
    """Return the product in which more seats see the messages with that tag."""
    return also(MessageSent, *seats, when=lambda held, item: item.tag == tag and when(held, item))


def in_place(owner: Any, name: str, value: Any) -> System:
    """Return the product with a function of the rules replaced while it plays."""

    @contextmanager
    def entered() -> Iterator[None]:
        with mock.patch.object(owner, name, value):
            yield

    return replace(PRODUCT, patches=entered)


def deciding(change: Callable[[Any, Command, Draft], Draft]) -> System:
    """Return the product with its decisions changed afterwards."""

    def changed(ruleset: Ruleset[Any], held: Any, command: Command) -> tuple[Draft, ...]:
        return tuple(change(held, command, draft) for draft in decide(ruleset, held, command))

    return replace(PRODUCT, decide=changed)


def telling(line: Callable[[Any, Any, str], str]) -> System:
    """Return the product with one more line in every request, made from the full state."""

    def builder() -> Any:
        plain = PRODUCT.prompts()
        return lambda view, turn: f"{plain(view, turn)}\n{line(view.full, turn, view.seat)}"

    return replace(PRODUCT, projection=Omniscient, prompts=builder)


# documents


def _keys_counted() -> System:
    """Keys count the pieces of a document, including hidden ones."""

    def counting(path: str, outline: Any, *rest: Any) -> Iterator[Piece]:
        for number, piece in enumerate(pieces(path, outline, *rest)):
            yield replace(piece, key=f"{piece.key}{number}")

    pieces = secrecy._pieces
    return in_place(secrecy, "_pieces", counting)


def _kept_in_place() -> System:
    """A hidden piece leaves an empty one in its place."""

    def imported(game: Any, found: Any) -> None:
        for piece in found:
            game.emit(events.PieceWritten(seat=None, after=None, **asdict(piece)))
            if piece.secret:
                held = replace(piece, key=f"{piece.key}x", text="", heading=None, secret=False, opens=False)
                readers = audience_of(piece.document, game.state.roster)
                game.emit(events.PieceWritten(seat=None, after=None, **asdict(replace(held, readers=readers))))

    return in_place(changes, "imported", imported)


def audience_of(path: str, roster: Any) -> tuple[str, ...]:
    from sottovoce.rulesets.tabletop.rules.documents.access import readers_of

    return readers_of(path, roster)


def _headings_left() -> System:
    """What follows a secret section keeps its heading."""
    pieces = secrecy._pieces

    def cut(path: str, outline: Any, *rest: Any) -> Iterator[Piece]:
        last = None
        for piece in pieces(path, outline, *rest):
            if piece.secret:
                last = piece.heading
            yield piece if piece.secret or piece.opens or last is None else replace(piece, heading=last)

    return in_place(secrecy, "_pieces", cut)


def _all_headings() -> System:
    """The refusal of an unknown heading lists those of the whole document."""
    applied = deltas.apply_delta

    def apply(held: Any, delta: Any, author: str, *rest: Any) -> Any:
        try:
            return applied(held, delta, author, *rest)
        except Refused as refused:
            titles = [piece.heading for piece in held.get(delta.document, ()) if piece.opens]
            raise Refused(f"{refused} All of them: {titles}.") from None

    return in_place(records, "apply_delta", apply)


def _exists(held: Any, delta: Any, author: str, *rest: Any) -> Any:
    """The refusal depends on whether a document exists, although its author can't read it."""
    if author != GM and delta.document not in held:
        raise Refused(f"There is no {delta.document!r}.")
    return deltas.apply_delta(held, delta, author, *rest)


# messages and rules


def _narrative_to_all(held: Any, event: Any) -> Audience:
    return EVERYONE


def _scene_of_secrets(sent: Any, game: Any, before: Any) -> None:
    turns.change_scene(game, sent.scene_number, sent.scene_slug)
    turns.replace_request(game, sent.to or "", before)


def _turns_over_all(game: Any, seat: str, kind: str, choices: Any = (), **rest: Any) -> None:
    number = max(game.state.opened.values(), default=0) + 1
    game.emit(TurnOpened(seat=seat, turn=number, kind=kind, choices=tuple(choices), **rest))


def _dice_over_all() -> System:
    """Dice depend on how many were rolled in the whole game."""

    def roll(game: Any, seat: str, item: Any) -> None:
        held = game.state
        count = sum(held.rolls.values())
        game.state = held.but(rolls=dict.fromkeys(((seat, item.who), *held.rolls), count))
        rolling(game, seat, item)
        game.state = game.state.but(rolls={**held.rolls, (seat, item.who): held.rolls.get((seat, item.who), 0) + 1})

    rolling = changes.roll
    return in_place(changes, "roll", roll)


def _responses_by_arrival() -> System:
    gather = team_lead.gather

    def gathered(game: Any) -> None:
        held = game.state
        arrived = tuple(held.replies.get(f"tasks.{held.task_round}", {}))
        game.state = held.but(tasks=(*arrived, *(name for name in held.tasks if name not in arrived)))
        gather(game)

    return in_place(team_lead, "gather", gathered)


def _split_shared(game: Any) -> None:
    """What one group was told is shared with all who write journals (F-064)."""
    if game.state.last_shown:
        changes.write_quietly(
            game, TEAM_LEAD, deltas.Delta("tmp/narrative-for-journal.md", "set", game.state.last_shown + "\n")
        )


def _secret_deeds(sent: Any, held: Any) -> Any:
    request, after = held.requests.get(sent.seat), answered(sent, held)
    if sent.type == "VETO" or request is None or not request.secret:
        return after
    return after.with_deed_of_absence(sent.seat, sent.to, sent.body)


answered = PlayerToGm.fold


def _pairs_by_any_beat(held: Any, event: Any) -> Any:
    """When anyone's beat begins, everyone can speak again."""
    return state_beat(held, event).but(pairs={}, notes_asked=0)


state_beat = TABLETOP.evolvers[events.BeatBegun]


def _late(game: Any, seat: str, turn: int | None, text: str, message: str) -> None:
    """The refusal of a reply without a turn says whose turn it is."""
    awaited = sorted({open_turn.seat for open_turn in game.state.turns.values()})
    message = f"{message} Awaited: {', '.join(awaited)}." if turn is not None else message
    game.emit(core.MessageRefused(seat=seat, turn=turn, text=text, message=message))


def _speech_refused_by_chat(held: Any, seat: str, turn: Turn | None, text: str) -> Any:
    """A reply to the human's whisper blocks: everyone else is refused meanwhile."""
    if seat not in (HUMAN, GM) and turn is None and any(open_turn.kind == "chat" for open_turn in held.turns.values()):
        raise Refused("Wait: the human is talking.")
    return TABLETOP.read(held, seat, turn, text)


def _vetoed(held: Any, item: Any) -> bool:
    return bool(item.fields.get("type") == "VETO")


def _answers_secret(held: Any, item: Any) -> bool:
    request = held.requests.get(item.seat)
    return item.fields.get("type") != "VETO" and request is not None and request.secret


def _of_document(part: str) -> Callable[[Any, Any], bool]:
    return lambda held, item: part in item.document and not item.secret and item.coding == "text"


def _request_in_all_prompts(full: Any, turn: Turn, seat: str) -> str:
    return "\n".join(held.body.splitlines()[1] for name, held in full.requests.items() if name != seat)


def _hit_points(full: Any, turn: Turn, seat: str) -> str:
    held = {name: now.amount for (name, what), now in full.resources.items() if what == "hit-points" and name != seat}
    return f"The others have: {held}."


def _unmarked() -> System:
    return in_place(words, "marked", lambda title, text: f"{title}\n{text.strip()}")


def _check_in_the_lead() -> System:
    def told(event: Any, chair: Any) -> pieces_told.Piece:
        return pieces_told.Piece(f"{event.character} rolls for {event.check}: {event.roll}.")

    return in_place(events.DiceRolled, "tell", told)


def systems() -> dict[str, System]:
    """Return every planted leak of this module by name."""
    return {
        "gm_section_read_by_its_character": also(
            events.PieceWritten, "party", when=lambda held, item: item.secret and item.document.startswith("party/")
        ),
        "marked_paragraph_not_cut": in_place(secrecy, "_marked_leads", lambda outline: iter(())),
        "keys_count_hidden_pieces": _keys_counted(),
        "hidden_pieces_leave_a_gap": _kept_in_place(),
        "heading_of_a_secret_left_behind": _headings_left(),
        "refusal_lists_hidden_headings": _all_headings(),
        "refusal_tells_that_a_document_exists": in_place(records, "apply_delta", _exists),
        "tmp_open_to_all": also(events.PieceWritten, "party", when=_of_document("tmp/")),
        "journal_read_by_another": also(events.PieceWritten, "party", when=_of_document("-journal.md")),
        "narrator_reads_sheets": also(events.PieceWritten, NARRATOR, when=_of_document("party/")),
        "story_state_open_to_the_team_lead": also(events.PieceWritten, TEAM_LEAD, when=_of_document("story-state")),
        "scene_files_open_to_players": also(events.PieceWritten, "party", when=_of_document("scenes/")),
        "removal_told_to_all": heard_by(events.PieceRemoved, lambda held, event: EVERYONE),
        "opened_document_seen_by_a_player": also(events.DocumentOpened, "party"),
        "opened_document_seen_by_the_narrator": also(events.DocumentOpened, NARRATOR),
        "facts_for_the_gm_seen_by_a_player": also(events.FactsShown, "party"),
        "facts_for_the_gm_seen_by_the_team_lead": also(events.FactsShown, TEAM_LEAD),
        "veto_seen_by_the_narrator": tagged("PLAYER_TO_GM", NARRATOR, when=_vetoed),
        "secret_answer_seen_by_the_narrator": tagged("PLAYER_TO_GM", NARRATOR, when=_answers_secret),
        "whisper_heard_by_a_third": tagged(None, "party", when=lambda held, item: item.to in held.roster),
        "speech_heard_by_the_party": tagged("PLAYER_TO_PLAYER", "party"),
        "split_narrative_to_all": tagged("NARRATIVE", "party", when=lambda held, item: item.to is not None),
        "split_narrative_to_the_human": tagged("NARRATIVE", HUMAN, when=lambda held, item: item.to is not None),
        "group_note_leaks": heard_by(events.BeatBegun, _narrative_to_all),
        "human_sees_prompts": tagged("GM_TO_PLAYER", HUMAN),
        "prompt_of_another": tagged("GM_TO_PLAYER", "party"),
        "relay_seen_by_the_gm": tagged("RELAY_TO_HUMAN", GM),
        "decision_seen_by_the_gm": tagged("HUMAN_DECISION", GM),
        "mode_switch_seen_by_all": tagged("MODE_SWITCH", GM, "party"),
        "refresh_seen_by_the_gm": tagged("CONTEXT_REFRESH", GM),
        "clerk_s_talk_seen_by_the_gm": tagged(None, GM, when=lambda held, item: TEAM_LEAD in (item.seat, item.to)),
        "chat_overheard_by_the_gm": also(events.ChatSaid, GM),
        "note_read_by_players": tagged("NARRATOR_NOTE", "party"),
        "pass_told_to_all": heard_by(events.RequestPassed, lambda held, event: EVERYONE),
        "person_reads_the_parts_closed_to_their_character": also(
            events.PieceWritten, HUMAN, when=lambda held, item: item.secret and item.document.startswith("party/")
        ),
        "person_reads_a_companion_s_sheet": also(events.PieceWritten, HUMAN, when=_of_document("party/")),
        "person_reads_working_files": also(events.PieceWritten, HUMAN, when=_of_document("tmp/")),
        "person_is_told_what_companions_have": also(events.ResourceChanged, HUMAN),
        "person_sees_companions_rolls": also(events.DiceRolled, HUMAN),
        "place_of_a_group_told_to_all": heard_by(events.PlaceNamed, lambda held, event: EVERYONE),
        "roll_shown_to_all": heard_by(events.DiceRolled, lambda held, event: EVERYONE),
        "resources_shown_to_all": heard_by(events.ResourceChanged, lambda held, event: EVERYONE),
        "pause_told_to_all": heard_by(core.HoldPlaced, lambda held, event: EVERYONE),
        "task_sees_the_broadcast": tagged("NARRATIVE", "party", when=lambda held, item: item.to is None),
        "task_sees_another_entry": also(events.ActionAsked, "party"),
        "responses_seen_by_tasks": tagged("PLAYER_RESPONSES", "party"),
        "scene_changes_after_a_secret": in_place(GmToPlayer, "effect", _scene_of_secrets),
        "turn_numbers_count_others": in_place(Game, "ask", _turns_over_all),
        "dice_move_with_hidden_rolls": _dice_over_all(),
        "responses_in_order_of_arrival": _responses_by_arrival(),
        "split_narrative_shared_for_journals": in_place(changes, "share_narrative", _split_shared),
        "secret_deed_in_the_summary": in_place(PlayerToGm, "fold", _secret_deeds),
        "limits_by_another_group_s_beat": replace(
            PRODUCT,
            ruleset=TABLETOP.but(evolvers={**TABLETOP.evolvers, events.BeatBegun: _pairs_by_any_beat}),
        ),
        "refusal_says_who_is_awaited": in_place(Game, "refuse", _late),
        "refused_while_the_human_chats": replace(PRODUCT, ruleset=TABLETOP.but(read=_speech_refused_by_chat)),
        "others_requests_in_the_prompt": telling(_request_in_all_prompts),
        "hit_points_in_the_prompt": telling(_hit_points),
        "words_unmarked_in_the_context": _unmarked(),
        "check_in_the_game_s_voice": _check_in_the_lead(),
    }
