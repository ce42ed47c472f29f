"""What a game needs that lies on the server's disk, in the group `sottovoce.server`."""

from __future__ import annotations

from server.extras import Laid as Laid
from server.extras import Offer as Offer
from server.extras import ServerExtras as ServerExtras
from server.extras import Wish as Wish
