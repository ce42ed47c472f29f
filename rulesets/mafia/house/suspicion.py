"""What can be said against each player: facts of the public record, as any townsman would tell them.

`weigh` finds them. Which of them counts is a matter of the belief (`grounds`): what moved it is the reason given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sottovoce.rulesets.mafia.house.belief import Belief
from sottovoce.rulesets.mafia.house.memory import Memory, Statement

TOWN = frozenset({"Detective", "Doctor", "Villager"})
POWERS = ("Detective", "Doctor")
CERTAIN = 20.0


@dataclass(frozen=True, slots=True)
class Reason:
    """One public fact that speaks against `target`: its kind, and the other names in it."""

    kind: str
    target: str
    other: str = ""
    day: int = 0
    weight: float = 0.0


@dataclass(slots=True)
class Weighed:
    """Public suspicion per living player, with the reasons; and how far each claimant is believed, 0 to 1."""

    score: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    reasons: list[Reason] = field(default_factory=list)
    favours: list[Reason] = field(default_factory=list)
    """Facts that speak for their `target`."""
    credit: dict[str, float] = field(default_factory=dict)

    def add(self, kind: str, target: str, weight: float, other: str = "", day: int = 0) -> None:
        self.score[target] += weight
        (self.reasons if weight > 0 else self.favours).append(Reason(kind, target, other, day, weight))


def weigh(memory: Memory, viewer: str) -> Weighed:
    """What the public record says against each living player, as `viewer` feels it."""
    weighed = Weighed(score=defaultdict(float, dict.fromkeys(memory.living, 0.0)))
    _executions(memory, weighed)
    _spared(memory, weighed)
    _victims(memory, weighed)
    _against_viewer(memory, weighed, viewer)
    _claims(memory, weighed, viewer)
    _silence(memory, weighed, viewer)
    _words_and_deeds(memory, weighed, viewer)
    _voices(memory, weighed, viewer)
    return weighed


def _alive(memory: Memory, player: str) -> bool:
    return player not in memory.fallen


def _executions(memory: Memory, weighed: Weighed) -> None:
    """Votes and nominations against those whose role is public by now."""
    for vote in memory.verdicts:
        role = memory.revealed.get(vote.condemned)
        if role is None or not vote.executed:
            continue
        guilty = role == "Mafia"
        for voter, choice in vote.votes.items():
            if not _alive(memory, voter):
                continue
            if choice == "execute":
                weighed.add("hanged", voter, -0.6 if guilty else 0.55, vote.condemned, vote.day)
            else:
                weighed.add("spared_mafia", voter, 1.6 if guilty else -0.5, vote.condemned, vote.day)
        nominator = memory.nominator_of(vote.condemned, vote.day)
        if nominator and _alive(memory, nominator):
            weighed.add("named", nominator, -0.9 if guilty else 0.6, vote.condemned, vote.day)
        if guilty:
            for day, by, about in memory.vouchings:
                if about == vote.condemned and _alive(memory, by):
                    weighed.add("vouched", by, 0.7, about, day)
            for _, by, about in memory.accusations:
                if by == vote.condemned and _alive(memory, about):
                    weighed.add("by_mafia", about, -0.35, by)
            for day, by, about in memory.vouchings:
                if by == vote.condemned and _alive(memory, about):
                    weighed.add("friend_of", about, 0.4, by, day)
    _with_the_mafia(memory, weighed)


def _with_the_mafia(memory: Memory, weighed: Weighed) -> None:
    """Votes of the living for, with and by those who turned out to be Mafia."""
    guilty = [player for player, role in memory.revealed.items() if role == "Mafia"]
    for seconding in memory.secondings:
        for voter in guilty:
            refused = voter != seconding.nominee and seconding.votes.get(voter) == "no"
            if refused and _alive(memory, seconding.nominee):
                weighed.add("kept_by", seconding.nominee, 0.5, voter, seconding.day)
        if memory.revealed.get(seconding.nominee) == "Mafia":
            for voter, seconds in seconding.votes.items():
                if seconds == "no" and voter != seconding.nominee and _alive(memory, voter):
                    weighed.add("shielded", voter, 0.6, seconding.nominee, seconding.day)
    for trial in memory.trials:
        for mafia in guilty:
            for voter, choice in trial.votes.items():
                if choice == trial.votes.get(mafia) and choice not in guilty and _alive(memory, voter):
                    weighed.add("sided", voter, 0.2, mafia, trial.day)


def _spared(memory: Memory, weighed: Weighed) -> None:
    for vote in memory.verdicts:
        if not vote.executed and _alive(memory, vote.condemned):
            weighed.add("was_spared", vote.condemned, 0.15, "", vote.day)


def _victims(memory: Memory, weighed: Weighed) -> None:
    """Whom the night's dead had been against: a killer silences accusers, or wants it to look so."""
    for victim, (day, how) in memory.fallen.items():
        if how != "night":
            continue
        seen = set()
        for _, by, about in memory.accusations:
            if by == victim and _alive(memory, about) and about not in seen:
                seen.add(about)
                weighed.add("victim_named", about, 0.45, victim, day)
        for trial in memory.trials:
            about = trial.votes.get(victim, "")
            if about and _alive(memory, about) and about not in seen:
                seen.add(about)
                weighed.add("victim_voted", about, 0.3, victim, trial.day)


def _against_viewer(memory: Memory, weighed: Weighed, viewer: str) -> None:
    for day, by, about in memory.accusations:
        if about == viewer and _alive(memory, by):
            weighed.add("accused_me", by, 0.25, viewer, day)
    for nomination in memory.nominations:
        if nomination.nominee == viewer and _alive(memory, nomination.player):
            weighed.add("nominated_me", nomination.player, 0.4, viewer, nomination.day)
    for trial in memory.trials:
        for voter, choice in trial.votes.items():
            if choice == viewer and voter != viewer and _alive(memory, voter):
                weighed.add("trial_me", voter, 0.25, viewer, trial.day)


def _claims(memory: Memory, weighed: Weighed, viewer: str) -> None:
    """Claims of power and what their makers say: believed until contradicted, damned once refuted."""
    claimants = {role: [who for who, (claimed, _) in memory.claims.items() if claimed == role] for role in POWERS}
    for role, makers in claimants.items():
        living = [who for who in makers if _alive(memory, who)]
        proven = next((who for who in makers if memory.revealed.get(who) == role), None)
        for who in living:
            others = [other for other in makers if other != who]
            first = who == makers[0]
            weighed.credit[who] = 0.04 if proven else 0.75 if not others else 0.6 if first else 0.25
            if proven:
                weighed.add("false_claim", who, 5.0, proven)
            elif viewer in others:
                weighed.add("copied", who, 0.1 if first else 1.3, viewer)
            elif others:
                weighed.add("rival", who, 0.1 if first else 1.3, others[0])
            else:
                weighed.add("claimed", who, -1.7)
    for who, (claimed, day) in memory.claims.items():
        if claimed in ("Mafia", "Jester") and _alive(memory, who):
            weighed.add("slipped", who, 0.5, "", day)
    for statement in memory.statements:
        _statement(memory, weighed, statement, viewer)


def _statement(memory: Memory, weighed: Weighed, said: Statement, viewer: str) -> None:
    truth = memory.revealed.get(said.about)
    if truth is not None:
        right = (truth == said.role) != said.denied
        if _alive(memory, said.by) and (said.role == "Mafia" or not said.denied):
            weighed.add("refuted", said.by, -1.2 if right else 2.2, said.about, said.day)
            if said.by in weighed.credit:
                weighed.credit[said.by] = min(0.97, weighed.credit[said.by] + 0.3) if right else 0.05
        return
    if not _alive(memory, said.about) or said.about == viewer:
        if said.about == viewer and said.hostile and _alive(memory, said.by):
            weighed.add("lied_of_me", said.by, 1.2, viewer, said.day)
        return
    credit = _credit(memory, weighed, said.by)
    if said.by == viewer:
        if said.hostile and credit:
            weighed.add("found", said.about, 6.0, viewer, said.day)
    elif said.hostile:
        weighed.add("result_by", said.about, 0.3 + 5.5 * credit, said.by, said.day)
    elif credit:
        weighed.add("cleared_by", said.about, -2.5 * credit, said.by, said.day)


def _credit(memory: Memory, weighed: Weighed, who: str) -> float:
    if memory.revealed.get(who) == "Detective":
        return 1.0
    if memory.claims.get(who, ("", 0))[0] != "Detective":
        return 0.0
    if who in memory.revealed:
        return 0.05
    return weighed.credit.get(who, 0.75)


def _silence(memory: Memory, weighed: Weighed, viewer: str) -> None:
    """A speaker who had the chance and said nothing; not having been called is no fault, or hardly."""
    today = memory.today
    if memory.phase != "discussion" or len(today) < 4:
        return
    spoken = {speech.player for speech in today}
    for player in memory.living:
        if player not in spoken and player != viewer:
            weighed.add("silent", player, 0.12, "", memory.day)


SCATTERED = 3
"""From how many names somebody seems to try one after the other."""


def _words_and_deeds(memory: Memory, weighed: Weighed, viewer: str) -> None:
    """Players who name one after the other, and those who talk of somebody and then vote or nominate otherwise."""
    named: dict[str, dict[str, None]] = {}
    spoke: dict[tuple[int, str], list[str]] = {}
    for day, by, about in memory.accusations:
        if _alive(memory, by):
            named.setdefault(by, {})[about] = None
            spoke.setdefault((day, by), []).append(about)
    for who, names in named.items():
        if len(names) >= SCATTERED:
            weighed.add("scatter", who, 0.1, "", memory.day)
    for trial in memory.trials:
        if trial.round == 0:
            for voter, choice in trial.votes.items():
                spoken = spoke.get((trial.day, voter), [])
                left = next((about for about in spoken if about in trial.tally and about != viewer), None)
                if left and choice not in spoken and choice != voter:
                    weighed.add("swung", voter, 0.15, left, trial.day)
    for made in memory.nominations:
        if made.nominee is None and (made.day, made.player) in spoke:
            weighed.add("passed", made.player, 0.08, "", made.day)


def _voices(memory: Memory, weighed: Weighed, viewer: str) -> None:
    """The room's opinion pulls a little."""
    for day, by, about in memory.accusations:
        if day == memory.day and by != viewer and about != viewer and _alive(memory, about) and _alive(memory, by):
            weighed.add("echo", about, 0.22, by, day)
    for day, by, about in memory.vouchings:
        if day == memory.day and by != viewer and _alive(memory, about) and _alive(memory, by):
            weighed.score[about] -= 0.15


MOVED_BY: Mapping[str, tuple[str, bool, bool]] = {
    "hanged": ("executes", True, False),
    "spared_mafia": ("executes", False, False),
    "named": ("nominates", True, False),
    "vouched": ("vouches", True, False),
    "shielded": ("seconds", False, False),
    "kept_by": ("seconds", False, True),
    "friend_of": ("vouches", True, True),
    "by_mafia": ("accuses", True, True),
    "cleared_by": ("damns", False, True),
    "victim_named": ("outlives", True, False),
    "victim_voted": ("outlives", True, False),
    "accused_me": ("accuses", True, False),
    "nominated_me": ("nominates", True, False),
    "trial_me": ("votes", True, False),
    "rival": ("contradicts", True, False),
    "copied": ("contradicts", True, False),
    "refuted": ("damns", True, False),
    "lied_of_me": ("damns", True, False),
    "slipped": ("invites", True, False),
    "result_by": ("damns", True, True),
    "echo": ("accuses", True, True),
}
"""The act behind each kind of reason: its kind, whether it was done, and whether the other did it to the suspect."""


def grounds(reasons: Sequence[Reason], belief: Belief, me: str) -> list[float]:
    """By how much the acts behind each reason made the seat suspect its target, in the order of the reasons."""
    return [_moved(reason, belief, me) for reason in reasons]


def _moved(reason: Reason, belief: Belief, me: str) -> float:
    if reason.kind in ("false_claim", "found"):
        return 5.0
    if reason.kind not in MOVED_BY:
        return 0.0
    kind, how, by_other = MOVED_BY[reason.kind]
    actor, target = (reason.other, reason.target) if by_other else (reason.target, reason.other or me)
    acts = belief.evidence.acts.get((kind, actor, how), ())
    return sum(belief.moved(act, reason.target) for act in acts if act.target in (None, target))
