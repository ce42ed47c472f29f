"""A whole game on a server that everybody attacks at once."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from served import eventually
from siege import NAMES, Serving, Siege, call, play, token_of


def test_a_game_goes_on_to_its_end_beside_every_attack_at_once(tmp_path: Path) -> None:
    with Serving(tmp_path, "--quiet") as server:
        victim = server.open()
        bram, spectator = token_of(victim["links"]["seats"]["Bram"]), token_of(victim["links"]["spectator"])
        siege = Siege(server, victim["game"], bram, spectator)
        opened = server.open(seed="7")
        path, ada = f"/v1/games/{opened['game']}", token_of(opened["links"]["seats"]["Ada"])
        streamed: list[Any] = []
        with server.wire() as stream:
            stream.request("GET", f"{path}/stream", authorization=f"Bearer {ada}")
            assert stream.head()[0] == 200

            def follow() -> None:
                while item := stream.frame():
                    if item.startswith(b"id: "):
                        streamed.append(json.loads(item.split(b"\n")[2].removeprefix(b"data: ")))

            following = threading.Thread(target=follow, daemon=True)
            following.start()
            with siege.under_attack(*siege.attacks):
                eventually(lambda: siege.done >= 3)
                assert len(play(server, opened, (*NAMES, "narrator"))) > 50
                following.join()
        with server.wire() as wire:
            assert streamed == call(wire, "GET", f"{path}/view?limit=1000", ada).json["entries"]
            assert server.call("GET", path, ada).json["status"] == "over"
        eventually(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) < 60)
        status = Path(f"/proc/{server.process.pid}/status").read_text().split()
        assert int(status[status.index("VmHWM:") + 1]) < 250_000
        server.served()
        assert server.end() == 0
        assert not [line for line in server.said() if "error" in line]
