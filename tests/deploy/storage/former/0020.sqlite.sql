CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE course (
	id INTEGER NOT NULL, 
	slug VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_course PRIMARY KEY (id), 
	CONSTRAINT uq_course_slug UNIQUE (slug)
);
CREATE TABLE player (
	id INTEGER NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	source BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_player PRIMARY KEY (id), 
	CONSTRAINT uq_player_sha256 UNIQUE (sha256)
);
CREATE TABLE user (
	id INTEGER NOT NULL, 
	login VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	password_hash VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, one_time BOOLEAN DEFAULT 0 NOT NULL, once_taught BOOLEAN DEFAULT 0 NOT NULL, signed_in_at DATETIME, generation INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_user PRIMARY KEY (id), 
	CONSTRAINT uq_user_login UNIQUE (login)
);
CREATE TABLE api_token (
	id INTEGER NOT NULL, 
	user_id INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	used_at DATETIME, 
	CONSTRAINT pk_api_token PRIMARY KEY (id), 
	CONSTRAINT fk_api_token_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT uq_api_token_sha256 UNIQUE (sha256)
);
CREATE INDEX ix_api_token_user_id ON api_token (user_id);
CREATE TABLE assignment (
	id INTEGER NOT NULL, 
	course_id INTEGER NOT NULL, 
	slug VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	due_at DATETIME, 
	created_at DATETIME NOT NULL, custom_games_hour INTEGER DEFAULT '20' NOT NULL, gates JSON DEFAULT '{}' NOT NULL, trial_games INTEGER DEFAULT '8' NOT NULL, 
	CONSTRAINT pk_assignment PRIMARY KEY (id), 
	CONSTRAINT fk_assignment_course_id FOREIGN KEY(course_id) REFERENCES course (id), 
	CONSTRAINT uq_assignment_course_id_slug UNIQUE (course_id, slug)
);
CREATE TABLE membership (
	user_id INTEGER NOT NULL, 
	course_id INTEGER NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	pseudonym VARCHAR NOT NULL, 
	CONSTRAINT pk_membership PRIMARY KEY (user_id, course_id), 
	CONSTRAINT fk_membership_course_id FOREIGN KEY(course_id) REFERENCES course (id), 
	CONSTRAINT fk_membership_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);
CREATE TABLE tournament (
	id INTEGER NOT NULL, 
	assignment_id INTEGER, 
	slug VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	ranking VARCHAR(16) NOT NULL, 
	target_games INTEGER NOT NULL, 
	exclusion_s INTEGER NOT NULL, 
	fault_limit INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, rated_blocks INTEGER DEFAULT '0' NOT NULL, kind VARCHAR(16) DEFAULT 'ladder' NOT NULL, active_limit INTEGER DEFAULT '1' NOT NULL, out_exclusion_s INTEGER DEFAULT '120' NOT NULL, 
	CONSTRAINT pk_tournament PRIMARY KEY (id), 
	CONSTRAINT fk_tournament_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT uq_tournament_assignment_id_slug UNIQUE (assignment_id, slug)
);
CREATE TABLE block (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	entries JSON NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	attempts INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	queued_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	trouble VARCHAR NOT NULL, finish VARCHAR DEFAULT '' NOT NULL, deals INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_block PRIMARY KEY (id), 
	CONSTRAINT fk_block_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE INDEX ix_block_state ON block (state);
CREATE INDEX ix_block_tournament_id ON block (tournament_id);
CREATE TABLE entry (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	author_id INTEGER, 
	player_id INTEGER, 
	bot VARCHAR, 
	name VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	entered_at DATETIME NOT NULL, 
	left_at DATETIME, 
	games INTEGER NOT NULL, 
	wins INTEGER NOT NULL, 
	faults INTEGER NOT NULL, 
	places INTEGER NOT NULL, 
	points DOUBLE NOT NULL, blocks INTEGER DEFAULT '0' NOT NULL, games_games INTEGER DEFAULT '0' NOT NULL, wins_wins INTEGER DEFAULT '0' NOT NULL, wins_games INTEGER DEFAULT '0' NOT NULL, places_places INTEGER DEFAULT '0' NOT NULL, places_games INTEGER DEFAULT '0' NOT NULL, points_points DOUBLE DEFAULT '0' NOT NULL, points_games DOUBLE DEFAULT '0' NOT NULL, rating DOUBLE, withdrawn_by INTEGER, exclusion_from DATETIME, trace VARCHAR, seated INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_entry PRIMARY KEY (id), 
	CONSTRAINT fk_entry_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_entry_player_id FOREIGN KEY(player_id) REFERENCES player (id), 
	CONSTRAINT fk_entry_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_entry_tournament_id_author_id_version UNIQUE (tournament_id, author_id, version)
);
CREATE INDEX ix_entry_author_id ON entry (author_id);
CREATE INDEX ix_entry_standings ON entry (tournament_id, state, games);
CREATE TABLE game (
	id INTEGER NOT NULL, 
	block_id INTEGER NOT NULL, 
	seating INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	ended VARCHAR NOT NULL, 
	plays INTEGER NOT NULL, 
	record BLOB NOT NULL, 
	played_at DATETIME NOT NULL, 
	CONSTRAINT pk_game PRIMARY KEY (id), 
	CONSTRAINT fk_game_block_id FOREIGN KEY(block_id) REFERENCES block (id), 
	CONSTRAINT fk_game_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_game_block_id_seating UNIQUE (block_id, seating)
);
CREATE INDEX ix_game_tournament_id ON game (tournament_id);
CREATE TABLE seat (
	game_id INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	entry_id INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	points DOUBLE NOT NULL, 
	counts BOOLEAN NOT NULL, 
	verdict VARCHAR, 
	rule VARCHAR NOT NULL, 
	message VARCHAR NOT NULL, 
	CONSTRAINT pk_seat PRIMARY KEY (game_id, seat), 
	CONSTRAINT fk_seat_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id), 
	CONSTRAINT fk_seat_game_id FOREIGN KEY(game_id) REFERENCES game (id)
);
CREATE INDEX ix_seat_entry_game ON seat (entry_id, game_id);
CREATE INDEX ix_block_pairing ON block (tournament_id, state);
CREATE TABLE final (
	tournament_id INTEGER NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	header VARCHAR NOT NULL, 
	entries JSON NOT NULL, 
	rounds JSON NOT NULL, 
	notes JSON NOT NULL, 
	standings VARCHAR NOT NULL, 
	frozen_at DATETIME NOT NULL, 
	started_at DATETIME, 
	ended_at DATETIME, 
	published_at DATETIME, 
	CONSTRAINT pk_final PRIMARY KEY (tournament_id), 
	CONSTRAINT fk_final_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE TABLE extension (
	assignment_id INTEGER NOT NULL, 
	user_id INTEGER NOT NULL, 
	until DATETIME NOT NULL, 
	CONSTRAINT pk_extension PRIMARY KEY (assignment_id, user_id), 
	CONSTRAINT fk_extension_assignment_id_assignment FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_extension_user_id_user FOREIGN KEY(user_id) REFERENCES user (id)
);
CREATE TABLE IF NOT EXISTS "submission" (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	author_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	filename VARCHAR NOT NULL, 
	wants_entry BOOLEAN NOT NULL, 
	entry_name VARCHAR NOT NULL, 
	request_key VARCHAR, 
	progress JSON NOT NULL, 
	report BLOB, 
	qualifies BOOLEAN, 
	points DOUBLE, 
	state VARCHAR(16) NOT NULL, 
	attempts INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	queued_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	trouble VARCHAR NOT NULL, trace VARCHAR, regraded_at DATETIME, 
	CONSTRAINT pk_submission PRIMARY KEY (id), 
	CONSTRAINT fk_submission_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_submission_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_submission_player_id FOREIGN KEY(player_id) REFERENCES player (id), 
	CONSTRAINT uq_submission_author_id_request_key UNIQUE (author_id, request_key)
);
CREATE INDEX ix_submission_author ON submission (assignment_id, author_id, id);
CREATE INDEX ix_submission_finished ON submission (finished_at);
CREATE INDEX ix_submission_state ON submission (state);
CREATE TABLE outcome (
	submission_id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	entry_id INTEGER, 
	refusal VARCHAR NOT NULL, wanted_from DATETIME, 
	CONSTRAINT pk_outcome PRIMARY KEY (submission_id, tournament_id), 
	CONSTRAINT fk_outcome_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id), 
	CONSTRAINT fk_outcome_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id), 
	CONSTRAINT fk_outcome_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE TABLE worker (
	name VARCHAR NOT NULL, 
	queue VARCHAR NOT NULL, 
	started_at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	trouble VARCHAR NOT NULL, process VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_worker PRIMARY KEY (name)
);
CREATE TABLE bracket (
	tournament_id INTEGER NOT NULL, 
	ladder_id INTEGER NOT NULL, 
	best_of INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	entries JSON NOT NULL, 
	CONSTRAINT pk_bracket PRIMARY KEY (tournament_id), 
	CONSTRAINT fk_bracket_ladder_id_tournament FOREIGN KEY(ladder_id) REFERENCES tournament (id), 
	CONSTRAINT fk_bracket_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE INDEX ix_bracket_ladder_id ON bracket (ladder_id);
CREATE TABLE maintenance (
	id INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	since DATETIME NOT NULL, 
	CONSTRAINT pk_maintenance PRIMARY KEY (id)
);
CREATE TABLE exclusion_override (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	author_id INTEGER NOT NULL, 
	seconds INTEGER, 
	last_entry INTEGER, 
	reason VARCHAR NOT NULL, 
	given_by INTEGER NOT NULL, 
	given_at DATETIME NOT NULL, 
	revoked_at DATETIME, 
	CONSTRAINT pk_exclusion_override PRIMARY KEY (id), 
	CONSTRAINT fk_exclusion_override_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT fk_exclusion_override_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_exclusion_override_given_by FOREIGN KEY(given_by) REFERENCES user (id)
);
CREATE INDEX ix_exclusion_override_author ON exclusion_override (tournament_id, author_id);
CREATE TABLE notice (
	id INTEGER NOT NULL, 
	user_id INTEGER NOT NULL, 
	assignment_id INTEGER, 
	subject VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	links JSON NOT NULL, 
	told_at DATETIME NOT NULL, 
	read_at DATETIME, 
	CONSTRAINT pk_notice PRIMARY KEY (id), 
	CONSTRAINT fk_notice_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT fk_notice_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
CREATE INDEX ix_notice_unread ON notice (user_id, read_at);
CREATE TABLE setting_change (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	changed_by INTEGER NOT NULL, 
	changed_at DATETIME NOT NULL, 
	setting VARCHAR NOT NULL, 
	former VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	CONSTRAINT pk_setting_change PRIMARY KEY (id), 
	CONSTRAINT fk_setting_change_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_setting_change_changed_by FOREIGN KEY(changed_by) REFERENCES user (id)
);
CREATE INDEX ix_setting_change_assignment_id ON setting_change (assignment_id);
CREATE TABLE watch (
	tournament_id INTEGER NOT NULL, 
	asked_at DATETIME NOT NULL, 
	done_at DATETIME, 
	took_s DOUBLE NOT NULL, 
	trouble VARCHAR NOT NULL, 
	found JSON NOT NULL, 
	CONSTRAINT pk_watch PRIMARY KEY (tournament_id), 
	CONSTRAINT fk_watch_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE TABLE former_member (
	user_id INTEGER NOT NULL, 
	course_id INTEGER NOT NULL, 
	pseudonym VARCHAR NOT NULL, 
	removed_by INTEGER NOT NULL, 
	removed_at DATETIME NOT NULL, 
	CONSTRAINT pk_former_member PRIMARY KEY (user_id, course_id), 
	CONSTRAINT fk_former_member_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT fk_former_member_course_id FOREIGN KEY(course_id) REFERENCES course (id), 
	CONSTRAINT fk_former_member_removed_by FOREIGN KEY(removed_by) REFERENCES user (id)
);
CREATE TABLE custom_game (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	asker_id INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	record BLOB, 
	ended VARCHAR NOT NULL, 
	share VARCHAR, 
	state VARCHAR(16) NOT NULL, 
	attempts INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	queued_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	trouble VARCHAR NOT NULL, request_key VARCHAR, 
	CONSTRAINT pk_custom_game PRIMARY KEY (id), 
	CONSTRAINT fk_custom_game_asker_id FOREIGN KEY(asker_id) REFERENCES user (id), 
	CONSTRAINT fk_custom_game_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_custom_game_share UNIQUE (share)
);
CREATE INDEX ix_custom_game_asker ON custom_game (asker_id, tournament_id, queued_at);
CREATE INDEX ix_custom_game_state ON custom_game (state);
CREATE INDEX ix_custom_game_tournament_id ON custom_game (tournament_id);
CREATE TABLE comparison (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	author_id INTEGER NOT NULL, 
	submission_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	entry_id INTEGER NOT NULL, 
	ranking VARCHAR(16) NOT NULL, 
	seed BIGINT NOT NULL, 
	opponents JSON NOT NULL, 
	most_pairs INTEGER NOT NULL, 
	begun_at DATETIME NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	attempts INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	queued_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	trouble VARCHAR NOT NULL, trace VARCHAR, 
	CONSTRAINT pk_comparison PRIMARY KEY (id), 
	CONSTRAINT fk_comparison_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_comparison_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id), 
	CONSTRAINT fk_comparison_player_id FOREIGN KEY(player_id) REFERENCES player (id), 
	CONSTRAINT fk_comparison_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id), 
	CONSTRAINT fk_comparison_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_comparison_entry_id_player_id UNIQUE (entry_id, player_id)
);
CREATE INDEX ix_comparison_author ON comparison (author_id, state);
CREATE INDEX ix_comparison_state ON comparison (state);
CREATE INDEX ix_comparison_submission_id ON comparison (submission_id);
CREATE INDEX ix_comparison_tournament_id ON comparison (tournament_id);
CREATE TABLE custom_seat (
	game_id INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	author_id INTEGER, 
	entry_id INTEGER, 
	player_id INTEGER, 
	bot VARCHAR, 
	place INTEGER, 
	points DOUBLE, 
	verdict VARCHAR, trace VARCHAR, 
	CONSTRAINT pk_custom_seat PRIMARY KEY (game_id, seat), 
	CONSTRAINT fk_custom_seat_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_custom_seat_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id), 
	CONSTRAINT fk_custom_seat_game_id FOREIGN KEY(game_id) REFERENCES custom_game (id), 
	CONSTRAINT fk_custom_seat_player_id FOREIGN KEY(player_id) REFERENCES player (id)
);
CREATE TABLE compared_pair (
	comparison_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	opponents JSON NOT NULL, 
	no_contest BOOLEAN NOT NULL, 
	parting INTEGER, 
	new_place INTEGER NOT NULL, 
	new_points DOUBLE NOT NULL, 
	new_verdict VARCHAR, 
	old_place INTEGER NOT NULL, 
	old_points DOUBLE NOT NULL, 
	old_verdict VARCHAR, 
	new_record BLOB, 
	old_record BLOB, 
	CONSTRAINT pk_compared_pair PRIMARY KEY (comparison_id, number), 
	CONSTRAINT fk_compared_pair_comparison_id FOREIGN KEY(comparison_id) REFERENCES comparison (id)
);
CREATE TABLE tally (
	metric VARCHAR NOT NULL, 
	sample VARCHAR NOT NULL, 
	labels VARCHAR NOT NULL, 
	value DOUBLE NOT NULL, 
	CONSTRAINT pk_tally PRIMARY KEY (metric, sample, labels)
);
CREATE TABLE regrade_batch (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	asked_by INTEGER, 
	reason VARCHAR NOT NULL, 
	asked_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	CONSTRAINT pk_regrade_batch PRIMARY KEY (id), 
	CONSTRAINT fk_regrade_batch_asked_by FOREIGN KEY(asked_by) REFERENCES user (id), 
	CONSTRAINT fk_regrade_batch_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
CREATE INDEX ix_regrade_batch_assignment_id ON regrade_batch (assignment_id);
CREATE TABLE regrade (
	id INTEGER NOT NULL, 
	batch_id INTEGER NOT NULL, 
	submission_id INTEGER NOT NULL, 
	former BLOB, 
	difference JSON, 
	changed BOOLEAN, 
	told BOOLEAN NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	attempts INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	queued_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	trouble VARCHAR NOT NULL, 
	CONSTRAINT pk_regrade PRIMARY KEY (id), 
	CONSTRAINT fk_regrade_batch_id FOREIGN KEY(batch_id) REFERENCES regrade_batch (id), 
	CONSTRAINT fk_regrade_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id)
);
CREATE INDEX ix_regrade_batch_id ON regrade (batch_id);
CREATE INDEX ix_regrade_state ON regrade (state);
CREATE INDEX ix_regrade_submission_id ON regrade (submission_id);
CREATE UNIQUE INDEX ix_custom_game_request ON custom_game (asker_id, request_key);
CREATE TABLE void_attempt (
	block_id INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_void_attempt PRIMARY KEY (block_id, attempt), 
	CONSTRAINT fk_void_attempt_block_id FOREIGN KEY(block_id) REFERENCES block (id)
);
CREATE TABLE trial (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	games INTEGER NOT NULL, 
	played INTEGER NOT NULL, 
	offence BLOB, 
	trace VARCHAR, 
	state VARCHAR(16) NOT NULL, 
	attempts INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	queued_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	trouble VARCHAR NOT NULL, 
	CONSTRAINT pk_trial PRIMARY KEY (id), 
	CONSTRAINT fk_trial_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_trial_player_id FOREIGN KEY(player_id) REFERENCES player (id), 
	CONSTRAINT uq_trial_assignment_id_player_id UNIQUE (assignment_id, player_id)
);
CREATE INDEX ix_trial_player_id ON trial (player_id);
CREATE INDEX ix_trial_state ON trial (state);
CREATE INDEX ix_outcome_wanted_from ON outcome (wanted_from);
CREATE TABLE fingerprint (
	player_id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	runs BLOB NOT NULL, 
	trouble VARCHAR NOT NULL, 
	made_at DATETIME NOT NULL, 
	CONSTRAINT pk_fingerprint PRIMARY KEY (player_id), 
	CONSTRAINT fk_fingerprint_player_id_player FOREIGN KEY(player_id) REFERENCES player (id)
);
CREATE TABLE ended_session (
	sha256 VARCHAR NOT NULL, 
	ended_at DATETIME NOT NULL, 
	CONSTRAINT pk_ended_session PRIMARY KEY (sha256)
);
CREATE INDEX ix_ended_session_ended_at ON ended_session (ended_at);
