"""The form of a turn in a real browser, drawn from the class of its fields."""

from __future__ import annotations

import pytest
from browser.sessions import People
from guests import seat_guest
from playwright.sync_api import Page, expect
from remote import RemoteServer


def test_a_ruleset_from_outside_is_played_in_forms(
    people: People, remote: RemoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat_guest(monkeypatch, "liars-dice")
    one = remote.open(ruleset="liars-dice", names=["Ada", "Bram"], agent="outside", seed="3", options={"dice": 2})
    people.faults.expect("Failed to load resource: .* status of 422")

    def page(seat: str) -> Page:
        return people.page(f"{remote.base}/games/{one.game}#{one.seats[seat]}")

    ada, bram = page("Ada"), page("Bram")
    form = ada.get_by_role("group", name="Answer form")
    expect(form.get_by_text("How many dice, if you bid. 1 to 4.")).to_be_visible()
    form.get_by_label("Count").fill("9")
    form.get_by_label("Face").fill("2")
    form.get_by_label("Words").fill("Easily.")
    ada.get_by_role("button", name="Send").click()
    expect(ada.get_by_text("Count cannot be 9 here. Write 3 fives, or 3 5, or doubt.").first).to_be_visible()
    form.get_by_label("Count").fill("1")
    ada.get_by_role("button", name="Send").click()
    expect(bram.get_by_text("bids 1 two").first).to_be_visible()
    expect(bram.get_by_text("Easily.").first).to_be_visible()
    bram.get_by_role("group", name="Answer form").get_by_label("Call").select_option("doubt")
    bram.get_by_role("button", name="Send").click()
    for each in (ada, bram):
        expect(each.get_by_text("The dice show").first).to_be_visible()
