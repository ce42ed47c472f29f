CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	game TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	append TEXT NOT NULL, 
	name TEXT NOT NULL, 
	at INTEGER NOT NULL, 
	actor TEXT, 
	audience TEXT NOT NULL, 
	cause INTEGER, 
	body BLOB NOT NULL, 
	salt BLOB NOT NULL, 
	hash BLOB NOT NULL, 
	CONSTRAINT events_game_position UNIQUE (game, position), 
	CONSTRAINT events_salt_length CHECK (length(salt) = 16), 
	CONSTRAINT events_hash_length CHECK (length(hash) = 32)
)
 STRICT

;
CREATE TABLE blocks (
	digest BLOB NOT NULL, 
	text BLOB NOT NULL, 
	PRIMARY KEY (digest)
)
 STRICT

;
CREATE TABLE turns (
	id INTEGER NOT NULL, 
	game TEXT NOT NULL, 
	seat TEXT NOT NULL, 
	turn INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	opened_at INTEGER NOT NULL, 
	expires INTEGER, 
	worker TEXT, 
	epoch INTEGER NOT NULL, 
	leased_until INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT turns_game_seat_turn UNIQUE (game, seat, turn)
)
 STRICT

;
CREATE TRIGGER events_insert BEFORE INSERT ON events
    WHEN NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM events WHERE game = NEW.game)
        OR EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'events are appended at the next position'); END;
CREATE TRIGGER events_update BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_delete BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER blocks_insert BEFORE INSERT ON blocks
    WHEN EXISTS (SELECT 1 FROM blocks WHERE digest = NEW.digest OR rowid = NEW.rowid)
    BEGIN SELECT RAISE(ABORT, 'a block is stored once'); END;
CREATE TRIGGER blocks_update BEFORE UPDATE ON blocks
    BEGIN SELECT RAISE(ABORT, 'blocks are never changed'); END;
CREATE TRIGGER blocks_delete BEFORE DELETE ON blocks
    BEGIN SELECT RAISE(ABORT, 'blocks are never deleted'); END;
CREATE TABLE receipts (
	game TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	at INTEGER NOT NULL, 
	seat TEXT NOT NULL, 
	data TEXT NOT NULL, 
	blocks BLOB, 
	hash BLOB NOT NULL, 
	CONSTRAINT receipts_game_number PRIMARY KEY (game, number), 
	CONSTRAINT receipts_hash_length CHECK (length(hash) = 32)
)
 WITHOUT ROWID,
 STRICT

;
CREATE TRIGGER receipts_insert BEFORE INSERT ON receipts
    WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM receipts WHERE game = NEW.game)
    BEGIN SELECT RAISE(ABORT, 'receipts are appended with the next number'); END;
CREATE TRIGGER receipts_update BEFORE UPDATE ON receipts
    BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER receipts_delete BEFORE DELETE ON receipts
    BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END;
CREATE TABLE batches (
	name TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	game TEXT, 
	"plan" TEXT NOT NULL, 
	CONSTRAINT batches_name_number PRIMARY KEY (name, number)
)
 WITHOUT ROWID,
 STRICT

;
CREATE TABLE game_summaries (
	game TEXT NOT NULL, 
	opened INTEGER NOT NULL, 
	ruleset TEXT NOT NULL, 
	status TEXT NOT NULL, 
	started TEXT NOT NULL, 
	ended TEXT, 
	winner TEXT, 
	fallbacks INTEGER NOT NULL, 
	finished INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	batch TEXT, 
	PRIMARY KEY (game)
)
 STRICT

;
CREATE INDEX game_summaries_opened ON game_summaries (opened);
CREATE INDEX game_summaries_finished ON game_summaries (finished, opened);
CREATE INDEX game_summaries_ruleset ON game_summaries (ruleset, opened);
CREATE INDEX game_summaries_winner ON game_summaries (winner, opened);
CREATE INDEX game_summaries_person ON game_summaries (person, opened);
CREATE INDEX game_summaries_batch ON game_summaries (batch, opened);
CREATE INDEX game_summaries_status ON game_summaries (batch, status);
CREATE TABLE game_seats (
	seat TEXT NOT NULL, 
	opened INTEGER NOT NULL, 
	game TEXT NOT NULL, 
	CONSTRAINT game_seats_seat_opened PRIMARY KEY (seat, opened)
)
 WITHOUT ROWID,
 STRICT

;
CREATE TABLE tracking (
	application_name TEXT NOT NULL, 
	notification_id INTEGER NOT NULL, 
	PRIMARY KEY (application_name)
)
 WITHOUT ROWID,
 STRICT

;
CREATE INDEX batches_game ON batches (game);
CREATE TABLE links (
	digest BLOB NOT NULL, 
	game TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	seat TEXT NOT NULL, 
	issued INTEGER NOT NULL, 
	claimed INTEGER, 
	ended INTEGER, 
	ending INTEGER, 
	CONSTRAINT links_digest PRIMARY KEY (digest), 
	CONSTRAINT links_game_number UNIQUE (game, number), 
	CONSTRAINT links_ending UNIQUE (ending), 
	CONSTRAINT links_digest_length CHECK (length(digest) = 32)
)
 WITHOUT ROWID,
 STRICT

;
CREATE UNIQUE INDEX links_live ON links (game, kind, seat) WHERE ended IS NULL;
CREATE TABLE heads (
	id INTEGER NOT NULL, 
	game TEXT NOT NULL, 
	length INTEGER NOT NULL, 
	hash BLOB NOT NULL, 
	secret BLOB NOT NULL, 
	created INTEGER NOT NULL, 
	receipts INTEGER NOT NULL, 
	receipts_hash BLOB NOT NULL, 
	taken_over INTEGER NOT NULL, 
	origin BLOB NOT NULL, mark INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT heads_game UNIQUE (game), 
	CONSTRAINT heads_origin_length CHECK (length(origin) = 32)
)
 STRICT

;
CREATE TRIGGER heads_insert BEFORE INSERT ON heads
    WHEN EXISTS (SELECT 1 FROM heads WHERE game = NEW.game OR id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'a game has one head'); END;
CREATE TRIGGER heads_update BEFORE UPDATE ON heads
    WHEN NEW.length < OLD.length OR NEW.receipts < OLD.receipts OR NEW.id IS NOT OLD.id
        OR NEW.game IS NOT OLD.game OR NEW.secret IS NOT OLD.secret OR NEW.created IS NOT OLD.created
        OR NEW.taken_over IS NOT OLD.taken_over OR NEW.origin IS NOT OLD.origin
    BEGIN SELECT RAISE(ABORT, 'a head only grows'); END;
CREATE TRIGGER heads_delete BEFORE DELETE ON heads
    BEGIN SELECT RAISE(ABORT, 'heads are never deleted'); END;
INSERT INTO alembic_version (version_num) VALUES ('0008');
