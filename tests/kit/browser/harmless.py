"""Check that foreign text is only text in a page: it makes no element, attribute, address or style, runs nothing,
makes no line wider than the page, and none of its characters turns the text next to it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from playwright.sync_api import Page

from browser.looks import settled
from sottovoce.domain.safe_text import visible

TAGS = """
html head meta link title style script noscript body main header footer nav section article aside div span p bdi a b i
h1 h2 h3 ul ol li dl dt dd details summary dialog form fieldset legend label input select option textarea button meter
table caption thead tbody tr th td pre code q em strong ins kbd blockquote hr time
svg g path circle ellipse line polyline polygon rect text
""".split()
"""All elements that the page uses."""
NAMED = """
class id name type title role lang dir value checked disabled open hidden tabindex for rows min max maxlength
placeholder autocomplete spellcheck inputmode method selected multiple draggable start colspan scope novalidate
datetime style href target rel src charset content http-equiv media crossorigin d x y r cx cy rx ry x1 x2 y1 y2 width
height points transform viewBox fill fill-opacity fill-rule stroke stroke-width stroke-dasharray stroke-linecap
stroke-linejoin preserveAspectRatio shape-rendering font-size text-anchor xmlns step readonly
""".split()
"""All attributes in it except `aria-` and `data-`."""

_FOREIGN = r"""
([tags, named]) => {
    const found = [];
    const drawn = (element) => getComputedStyle(element);
    const own = (address) => address.startsWith('data:') || new URL(address, location).origin === location.origin;
    for (const element of document.querySelectorAll('*')) {
        const { localName: tag } = element;
        const foreign = (tag === 'b' || tag === 'i') && !element.className;
        if (!tags.includes(tag) || foreign) found.push(`element: ${element.outerHTML.slice(0, 200)}`);
        for (const { name, value } of element.attributes) {
            const plain = /^(aria|data)-[a-z-]+$/.test(name) || named.includes(name);
            const leads = name === 'href' || name === 'src';
            const shown = `${tag} ${name}=${value.slice(0, 200)}`;
            if (!plain) found.push(`attribute: ${shown}`);
            if (leads && !own(value)) found.push(`address: ${shown}`);
            if (leads && tag !== 'a' && !/^(data:|\/assets\/|\/lamp)/.test(value)) found.push(`address: ${shown}`);
            if (name === 'style' && /url|expression|import/i.test(value)) found.push(`style: ${shown}`);
        }
    }
    if (globalThis.ran !== undefined || {}.ran !== undefined) found.push(`ran: ${globalThis.ran}`);
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth + 1) {
        const out = (one) => one.getBoundingClientRect().right > innerWidth + 1;
        const wide = [...document.querySelectorAll('body *')].filter(out).map((one) => one.outerHTML.slice(0, 120));
        found.push(`wide: ${scrollWidth} of ${innerWidth}: ${wide.slice(0, 3)}`);
    }
    for (const words of document.querySelectorAll('main p, dialog p')) {
        const over = words.clientWidth > 0 && words.scrollWidth > words.clientWidth + 1;
        if (over && drawn(words).overflowX === 'visible') found.push(`wide: ${words.outerHTML.slice(0, 200)}`);
    }
    // A mark that turns what follows it reaches to the end of what is set apart from its neighbours: block or isolate.
    const joined = (element) => drawn(element).display === 'inline'
        && !/isolate|plaintext/.test(drawn(element).unicodeBidi);
    const beside = (node) => node.nodeType === Node.TEXT_NODE
        || (node.nodeType === Node.ELEMENT_NODE && drawn(node).display === 'inline');
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text !== null; text = walk.nextNode()) {
        if (!/[\u202a-\u202e\u2066-\u2069]/.test(text.data) || text.parentElement.closest('script, .prose')) continue;
        let apart = text.parentElement;
        while (joined(apart)) apart = apart.parentElement;
        const rest = [...apart.childNodes].filter((node) => !node.contains(text) && beside(node));
        if (rest.some((node) => node.textContent.trim() !== ''))
            found.push(`turns its neighbours: ${apart.outerHTML.slice(0, 300)}`);
    }
    return [...new Set(found)];
}
"""


def harm(page: Page) -> list[str]:
    """Return what foreign text caused in the page other than text."""
    settled(page, 40)
    found: list[str] = page.evaluate(_FOREIGN, [TAGS, NAMED])
    return found


def letters(text: str) -> str:
    """Return the part of a text that survives every typesetting: its letters in one case, except what a fence says
    about its code."""
    spelled = re.sub(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}", "", visible(text))
    plain = re.sub(r"^\s*(```|~~~).*$", "", spelled, flags=re.MULTILINE)
    return "".join(char for char in plain if unicodedata.category(char)[0] == "L").casefold()


_SHOW_THE_REST = """
() => document.querySelectorAll('.rest button:last-of-type').forEach((button) => button.click())
"""


def show_the_rest(page: Page) -> None:
    """Show the rest of every long text."""
    page.evaluate(_SHOW_THE_REST)


def unread(page: Page, texts: Iterable[str]) -> Iterator[str]:
    """Return the texts that can't be read in the page as they were written, after the rest of long ones is shown."""
    show_the_rest(page)
    shown = letters(page.evaluate("document.getElementById('page').textContent"))
    yield from (text for text in texts if letters(text) not in shown)
