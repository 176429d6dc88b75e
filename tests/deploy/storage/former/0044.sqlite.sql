CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE course (
	id INTEGER NOT NULL, 
	slug VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, time_zone VARCHAR DEFAULT 'UTC' NOT NULL, term VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_course PRIMARY KEY (id), 
	CONSTRAINT uq_course_slug UNIQUE (slug)
);
CREATE TABLE ended_session (
	sha256 VARCHAR NOT NULL, 
	ended_at DATETIME NOT NULL, 
	CONSTRAINT pk_ended_session PRIMARY KEY (sha256)
);
CREATE INDEX ix_ended_session_ended_at ON ended_session (ended_at);
CREATE TABLE maintenance (
	id INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	since DATETIME NOT NULL, 
	CONSTRAINT pk_maintenance PRIMARY KEY (id)
);
CREATE TABLE player (
	id INTEGER NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	source BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_player PRIMARY KEY (id), 
	CONSTRAINT uq_player_sha256 UNIQUE (sha256)
);
CREATE TABLE tally (
	metric VARCHAR NOT NULL, 
	sample VARCHAR NOT NULL, 
	labels VARCHAR NOT NULL, 
	value DOUBLE NOT NULL, 
	CONSTRAINT pk_tally PRIMARY KEY (metric, sample, labels)
);
CREATE TABLE user (
	id INTEGER NOT NULL, 
	login VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	password_hash VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	one_time BOOLEAN DEFAULT 0 NOT NULL, 
	once_taught BOOLEAN DEFAULT 0 NOT NULL, 
	signed_in_at DATETIME, 
	generation INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_user PRIMARY KEY (id), 
	CONSTRAINT uq_user_login UNIQUE (login)
);
CREATE TABLE worker (
	name VARCHAR NOT NULL, 
	queue VARCHAR NOT NULL, 
	started_at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	trouble VARCHAR NOT NULL, 
	process VARCHAR DEFAULT '' NOT NULL, offers VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_worker PRIMARY KEY (name)
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
	created_at DATETIME NOT NULL, 
	custom_games_hour INTEGER DEFAULT '20' NOT NULL, 
	gates JSON DEFAULT '{}' NOT NULL, 
	trial_games INTEGER DEFAULT '8' NOT NULL, version INTEGER DEFAULT '0' NOT NULL, visible_from DATETIME, archived BOOLEAN DEFAULT 0 NOT NULL, due_entered VARCHAR DEFAULT '' NOT NULL, full_kit VARCHAR(16) DEFAULT 'never' NOT NULL, section_dates JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_assignment PRIMARY KEY (id), 
	CONSTRAINT uq_assignment_course_id_slug UNIQUE (course_id, slug), 
	CONSTRAINT fk_assignment_course_id FOREIGN KEY(course_id) REFERENCES course (id)
);
CREATE TABLE fingerprint (
	player_id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	runs BLOB NOT NULL, 
	trouble VARCHAR NOT NULL, 
	made_at DATETIME NOT NULL, 
	CONSTRAINT pk_fingerprint PRIMARY KEY (player_id), 
	CONSTRAINT fk_fingerprint_player_id_player FOREIGN KEY(player_id) REFERENCES player (id)
);
CREATE TABLE former_member (
	user_id INTEGER NOT NULL, 
	course_id INTEGER NOT NULL, 
	pseudonym VARCHAR NOT NULL, 
	removed_by INTEGER NOT NULL, 
	removed_at DATETIME NOT NULL, student_number VARCHAR DEFAULT '' NOT NULL, email VARCHAR DEFAULT '' NOT NULL, section VARCHAR DEFAULT '' NOT NULL, "group" VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_former_member PRIMARY KEY (user_id, course_id), 
	CONSTRAINT fk_former_member_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT fk_former_member_course_id FOREIGN KEY(course_id) REFERENCES course (id), 
	CONSTRAINT fk_former_member_removed_by FOREIGN KEY(removed_by) REFERENCES user (id)
);
CREATE TABLE membership (
	user_id INTEGER NOT NULL, 
	course_id INTEGER NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	pseudonym VARCHAR NOT NULL, student_number VARCHAR DEFAULT '' NOT NULL, email VARCHAR DEFAULT '' NOT NULL, section VARCHAR DEFAULT '' NOT NULL, "group" VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_membership PRIMARY KEY (user_id, course_id), 
	CONSTRAINT fk_membership_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT fk_membership_course_id FOREIGN KEY(course_id) REFERENCES course (id)
);
CREATE TABLE extension (
	assignment_id INTEGER NOT NULL, 
	user_id INTEGER NOT NULL, 
	until DATETIME NOT NULL, entered VARCHAR DEFAULT '' NOT NULL, reason VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_extension PRIMARY KEY (assignment_id, user_id), 
	CONSTRAINT fk_extension_assignment_id_assignment FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_extension_user_id_user FOREIGN KEY(user_id) REFERENCES user (id)
);
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
CREATE TABLE regrade_batch (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	asked_by INTEGER, 
	reason VARCHAR NOT NULL, 
	asked_at DATETIME NOT NULL, 
	ended_at DATETIME, candidate VARCHAR, needs VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_regrade_batch PRIMARY KEY (id), 
	CONSTRAINT fk_regrade_batch_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_regrade_batch_asked_by FOREIGN KEY(asked_by) REFERENCES user (id)
);
CREATE INDEX ix_regrade_batch_assignment_id ON regrade_batch (assignment_id);
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
CREATE TABLE submission (
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
	trouble VARCHAR NOT NULL, 
	trace VARCHAR, 
	regraded_at DATETIME, version INTEGER, archive BLOB, needs VARCHAR DEFAULT '' NOT NULL, question_points JSON, 
	CONSTRAINT pk_submission PRIMARY KEY (id), 
	CONSTRAINT uq_submission_author_id_request_key UNIQUE (author_id, request_key), 
	CONSTRAINT fk_submission_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_submission_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_submission_player_id FOREIGN KEY(player_id) REFERENCES player (id)
);
CREATE INDEX ix_submission_state ON submission (state);
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
	created_at DATETIME NOT NULL, 
	rated_blocks INTEGER DEFAULT '0' NOT NULL, 
	kind VARCHAR(16) DEFAULT 'ladder' NOT NULL, 
	active_limit INTEGER DEFAULT '1' NOT NULL, 
	out_exclusion_s INTEGER DEFAULT '120' NOT NULL, season_ended DATETIME, since_version INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_tournament PRIMARY KEY (id), 
	CONSTRAINT uq_tournament_assignment_id_slug UNIQUE (assignment_id, slug), 
	CONSTRAINT fk_tournament_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id)
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
	CONSTRAINT uq_trial_assignment_id_player_id UNIQUE (assignment_id, player_id), 
	CONSTRAINT fk_trial_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_trial_player_id FOREIGN KEY(player_id) REFERENCES player (id)
);
CREATE INDEX ix_trial_state ON trial (state);
CREATE INDEX ix_trial_player_id ON trial (player_id);
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
	trouble VARCHAR NOT NULL, 
	finish VARCHAR DEFAULT '' NOT NULL, 
	deals INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_block PRIMARY KEY (id), 
	CONSTRAINT fk_block_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE INDEX ix_block_tournament_id ON block (tournament_id);
CREATE INDEX ix_block_state ON block (state);
CREATE INDEX ix_block_pairing ON block (tournament_id, state);
CREATE TABLE bracket (
	tournament_id INTEGER NOT NULL, 
	ladder_id INTEGER NOT NULL, 
	best_of INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	entries JSON NOT NULL, 
	CONSTRAINT pk_bracket PRIMARY KEY (tournament_id), 
	CONSTRAINT fk_bracket_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT fk_bracket_ladder_id_tournament FOREIGN KEY(ladder_id) REFERENCES tournament (id)
);
CREATE INDEX ix_bracket_ladder_id ON bracket (ladder_id);
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
	points DOUBLE NOT NULL, 
	blocks INTEGER DEFAULT '0' NOT NULL, 
	games_games INTEGER DEFAULT '0' NOT NULL, 
	wins_wins INTEGER DEFAULT '0' NOT NULL, 
	wins_games INTEGER DEFAULT '0' NOT NULL, 
	places_places INTEGER DEFAULT '0' NOT NULL, 
	places_games INTEGER DEFAULT '0' NOT NULL, 
	points_points DOUBLE DEFAULT '0' NOT NULL, 
	points_games DOUBLE DEFAULT '0' NOT NULL, 
	rating DOUBLE, 
	withdrawn_by INTEGER, 
	exclusion_from DATETIME, 
	trace VARCHAR, 
	seated INTEGER DEFAULT '0' NOT NULL, form VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_entry PRIMARY KEY (id), 
	CONSTRAINT uq_entry_tournament_id_author_id_version UNIQUE (tournament_id, author_id, version), 
	CONSTRAINT fk_entry_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT fk_entry_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_entry_player_id FOREIGN KEY(player_id) REFERENCES player (id)
);
CREATE INDEX ix_entry_standings ON entry (tournament_id, state, games);
CREATE INDEX ix_entry_author_id ON entry (author_id);
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
	published_at DATETIME, amendments JSON DEFAULT '[]' NOT NULL, 
	CONSTRAINT pk_final PRIMARY KEY (tournament_id), 
	CONSTRAINT fk_final_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
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
CREATE INDEX ix_regrade_state ON regrade (state);
CREATE INDEX ix_regrade_batch_id ON regrade (batch_id);
CREATE INDEX ix_regrade_submission_id ON regrade (submission_id);
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
	trouble VARCHAR NOT NULL, 
	trace VARCHAR, 
	CONSTRAINT pk_comparison PRIMARY KEY (id), 
	CONSTRAINT uq_comparison_entry_id_player_id UNIQUE (entry_id, player_id), 
	CONSTRAINT fk_comparison_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT fk_comparison_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_comparison_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id), 
	CONSTRAINT fk_comparison_player_id FOREIGN KEY(player_id) REFERENCES player (id), 
	CONSTRAINT fk_comparison_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id)
);
CREATE INDEX ix_comparison_author ON comparison (author_id, state);
CREATE INDEX ix_comparison_tournament_id ON comparison (tournament_id);
CREATE INDEX ix_comparison_state ON comparison (state);
CREATE INDEX ix_comparison_submission_id ON comparison (submission_id);
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
	verdict VARCHAR, 
	trace VARCHAR, 
	CONSTRAINT pk_custom_seat PRIMARY KEY (game_id, seat), 
	CONSTRAINT fk_custom_seat_game_id FOREIGN KEY(game_id) REFERENCES custom_game (id), 
	CONSTRAINT fk_custom_seat_author_id FOREIGN KEY(author_id) REFERENCES user (id), 
	CONSTRAINT fk_custom_seat_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id), 
	CONSTRAINT fk_custom_seat_player_id FOREIGN KEY(player_id) REFERENCES player (id)
);
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
	CONSTRAINT uq_game_block_id_seating UNIQUE (block_id, seating), 
	CONSTRAINT fk_game_block_id FOREIGN KEY(block_id) REFERENCES block (id), 
	CONSTRAINT fk_game_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE INDEX ix_game_tournament_id ON game (tournament_id);
CREATE TABLE outcome (
	submission_id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	entry_id INTEGER, 
	refusal VARCHAR NOT NULL, 
	wanted_from DATETIME, 
	CONSTRAINT pk_outcome PRIMARY KEY (submission_id, tournament_id), 
	CONSTRAINT fk_outcome_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id), 
	CONSTRAINT fk_outcome_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT fk_outcome_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id)
);
CREATE INDEX ix_outcome_wanted_from ON outcome (wanted_from);
CREATE TABLE void_attempt (
	block_id INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_void_attempt PRIMARY KEY (block_id, attempt), 
	CONSTRAINT fk_void_attempt_block_id FOREIGN KEY(block_id) REFERENCES block (id)
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
	old_record BLOB, played_at DATETIME, 
	CONSTRAINT pk_compared_pair PRIMARY KEY (comparison_id, number), 
	CONSTRAINT fk_compared_pair_comparison_id FOREIGN KEY(comparison_id) REFERENCES comparison (id)
);
CREATE TABLE seat (
	game_id INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	entry_id INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	points DOUBLE NOT NULL, 
	counts BOOLEAN NOT NULL, 
	verdict VARCHAR, 
	rule VARCHAR NOT NULL, 
	message VARCHAR NOT NULL, block_id INTEGER DEFAULT '0' NOT NULL, call_ms DOUBLE, slowest_ms DOUBLE, 
	CONSTRAINT pk_seat PRIMARY KEY (game_id, seat), 
	CONSTRAINT fk_seat_game_id FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_seat_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id)
);
CREATE INDEX ix_seat_entry_game ON seat (entry_id, game_id);
CREATE TABLE assignment_version (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	definition VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	summary VARCHAR NOT NULL, 
	published_by INTEGER, 
	published_at DATETIME NOT NULL, 
	CONSTRAINT pk_assignment_version PRIMARY KEY (id), 
	CONSTRAINT fk_assignment_version_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_assignment_version_published_by FOREIGN KEY(published_by) REFERENCES user (id), 
	CONSTRAINT uq_assignment_version_assignment_id_number UNIQUE (assignment_id, number)
);
CREATE TABLE assignment_draft (
	assignment_id INTEGER NOT NULL, 
	base INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	content JSON NOT NULL, 
	publish_at DATETIME, 
	saved_by INTEGER NOT NULL, 
	saved_at DATETIME NOT NULL, 
	CONSTRAINT pk_assignment_draft PRIMARY KEY (assignment_id), 
	CONSTRAINT fk_assignment_draft_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_assignment_draft_saved_by FOREIGN KEY(saved_by) REFERENCES user (id)
);
CREATE TABLE case_set (
	"key" VARCHAR NOT NULL, 
	cases BLOB NOT NULL, 
	count INTEGER NOT NULL, 
	made_at DATETIME NOT NULL, 
	CONSTRAINT pk_case_set PRIMARY KEY ("key")
);
CREATE TABLE game_package (
	sha256 VARCHAR(64) NOT NULL, 
	slug VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	archive BLOB NOT NULL, 
	signature VARCHAR NOT NULL, 
	added_at DATETIME NOT NULL, 
	retired_at DATETIME, 
	CONSTRAINT pk_game_package PRIMARY KEY (sha256)
);
CREATE INDEX ix_game_package_slug ON game_package (slug);
CREATE TABLE authoring_job (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	purpose VARCHAR NOT NULL, 
	definition VARCHAR NOT NULL, 
	base INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	filename VARCHAR NOT NULL, 
	source BLOB NOT NULL, 
	asked_by INTEGER NOT NULL, 
	scheduled BOOLEAN DEFAULT 0 NOT NULL, 
	progress VARCHAR NOT NULL, 
	result JSON NOT NULL, 
	report BLOB, 
	state VARCHAR NOT NULL, 
	attempts INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	queued_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	trouble VARCHAR NOT NULL, needs VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_authoring_job PRIMARY KEY (id), 
	CONSTRAINT fk_authoring_job_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_authoring_job_asked_by FOREIGN KEY(asked_by) REFERENCES user (id)
);
CREATE INDEX ix_authoring_job_assignment_id ON authoring_job (assignment_id);
CREATE INDEX ix_authoring_job_state ON authoring_job (state);
CREATE TABLE given_file (
	assignment_id INTEGER NOT NULL, 
	player_id INTEGER NOT NULL, 
	CONSTRAINT pk_given_file PRIMARY KEY (assignment_id, player_id), 
	CONSTRAINT fk_given_file_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_given_file_player_id FOREIGN KEY(player_id) REFERENCES player (id)
);
CREATE TABLE shared_game (
	game_id INTEGER NOT NULL, 
	token VARCHAR NOT NULL, 
	shared_by INTEGER NOT NULL, 
	shared_at DATETIME NOT NULL, 
	CONSTRAINT pk_shared_game PRIMARY KEY (game_id), 
	CONSTRAINT fk_shared_game_game_id FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_shared_game_shared_by FOREIGN KEY(shared_by) REFERENCES user (id), 
	CONSTRAINT uq_shared_game_token UNIQUE (token)
);
CREATE TABLE hand_game (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	bots JSON NOT NULL, 
	practice BOOLEAN NOT NULL, 
	record BLOB NOT NULL, 
	move JSON NOT NULL, 
	revision INTEGER NOT NULL, 
	begun_at DATETIME NOT NULL, 
	ended VARCHAR NOT NULL, 
	place INTEGER, 
	adviser_id INTEGER, 
	advice JSON NOT NULL, 
	request_key VARCHAR, 
	state VARCHAR NOT NULL, 
	attempts INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	queued_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	trouble VARCHAR NOT NULL, 
	CONSTRAINT pk_hand_game PRIMARY KEY (id), 
	CONSTRAINT fk_hand_game_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_hand_game_person_id FOREIGN KEY(person_id) REFERENCES user (id), 
	CONSTRAINT fk_hand_game_adviser_id FOREIGN KEY(adviser_id) REFERENCES player (id)
);
CREATE INDEX ix_hand_game_assignment_id ON hand_game (assignment_id);
CREATE INDEX ix_hand_game_person ON hand_game (person_id, assignment_id, begun_at);
CREATE INDEX ix_hand_game_waiting ON hand_game (ended, finished_at);
CREATE INDEX ix_hand_game_state ON hand_game (state);
CREATE TABLE marking (
	assignment_id INTEGER NOT NULL, 
	scheme JSON NOT NULL, 
	revision INTEGER NOT NULL, 
	CONSTRAINT pk_marking PRIMARY KEY (assignment_id), 
	CONSTRAINT fk_marking_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
CREATE TABLE course_marking (
	course_id INTEGER NOT NULL, 
	scheme JSON NOT NULL, 
	revision INTEGER NOT NULL, 
	CONSTRAINT pk_course_marking PRIMARY KEY (course_id), 
	CONSTRAINT fk_course_marking_course_id FOREIGN KEY(course_id) REFERENCES course (id)
);
CREATE TABLE chosen_upload (
	assignment_id INTEGER NOT NULL, 
	user_id INTEGER NOT NULL, 
	submission_id INTEGER NOT NULL, 
	CONSTRAINT pk_chosen_upload PRIMARY KEY (assignment_id, user_id), 
	CONSTRAINT fk_chosen_upload_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_chosen_upload_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT fk_chosen_upload_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id)
);
CREATE TABLE staff_decision (
	assignment_id INTEGER NOT NULL, 
	user_id INTEGER NOT NULL, 
	rubric JSON NOT NULL, 
	remark VARCHAR NOT NULL, 
	excused BOOLEAN DEFAULT 0 NOT NULL, 
	override DOUBLE, 
	reason VARCHAR NOT NULL, 
	decided_by INTEGER NOT NULL, 
	decided_at DATETIME NOT NULL, 
	revision INTEGER NOT NULL, 
	CONSTRAINT pk_staff_decision PRIMARY KEY (assignment_id, user_id), 
	CONSTRAINT fk_staff_decision_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_staff_decision_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT fk_staff_decision_decided_by FOREIGN KEY(decided_by) REFERENCES user (id)
);
CREATE TABLE marks_publication (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	header JSON NOT NULL, 
	published_by INTEGER NOT NULL, 
	published_at DATETIME NOT NULL, 
	withdrawn_at DATETIME, 
	CONSTRAINT pk_marks_publication PRIMARY KEY (id), 
	CONSTRAINT fk_marks_publication_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_marks_publication_published_by FOREIGN KEY(published_by) REFERENCES user (id)
);
CREATE INDEX ix_marks_publication_assignment_id ON marks_publication (assignment_id);
CREATE TABLE published_mark (
	publication_id INTEGER NOT NULL, 
	user_id INTEGER NOT NULL, 
	total DOUBLE, 
	excused BOOLEAN DEFAULT 0 NOT NULL, 
	account JSON NOT NULL, 
	CONSTRAINT pk_published_mark PRIMARY KEY (publication_id, user_id), 
	CONSTRAINT fk_published_mark_publication_id FOREIGN KEY(publication_id) REFERENCES marks_publication (id), 
	CONSTRAINT fk_published_mark_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);
CREATE TABLE rank_sample (
	entry_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	rank INTEGER NOT NULL, 
	ranked INTEGER NOT NULL, 
	games INTEGER NOT NULL, 
	CONSTRAINT pk_rank_sample PRIMARY KEY (entry_id, at), 
	CONSTRAINT fk_rank_sample_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id)
);
CREATE TABLE custom_batch (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	asker_id INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	rotates BOOLEAN NOT NULL, 
	asked_at DATETIME NOT NULL, 
	request_key VARCHAR, 
	CONSTRAINT pk_custom_batch PRIMARY KEY (id), 
	CONSTRAINT fk_custom_batch_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT fk_custom_batch_asker_id FOREIGN KEY(asker_id) REFERENCES user (id)
);
CREATE INDEX ix_custom_batch_asker ON custom_batch (asker_id, tournament_id);
CREATE UNIQUE INDEX ix_custom_batch_request ON custom_batch (asker_id, request_key);
CREATE INDEX ix_custom_batch_tournament_id ON custom_batch (tournament_id);
CREATE TABLE "custom_game" (
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
	trouble VARCHAR NOT NULL, 
	request_key VARCHAR, 
	batch_id INTEGER, 
	number INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_custom_game PRIMARY KEY (id), 
	CONSTRAINT fk_custom_game_asker_id FOREIGN KEY(asker_id) REFERENCES user (id), 
	CONSTRAINT fk_custom_game_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_custom_game_share UNIQUE (share), 
	CONSTRAINT fk_custom_game_batch_id FOREIGN KEY(batch_id) REFERENCES custom_batch (id)
);
CREATE INDEX ix_custom_game_asker ON custom_game (asker_id, tournament_id, queued_at);
CREATE INDEX ix_custom_game_state ON custom_game (state);
CREATE UNIQUE INDEX ix_custom_game_request ON custom_game (asker_id, request_key);
CREATE INDEX ix_custom_game_tournament_id ON custom_game (tournament_id);
CREATE INDEX ix_custom_game_batch_id ON custom_game (batch_id);
CREATE TABLE join_code (
	course_id INTEGER NOT NULL, 
	code VARCHAR NOT NULL, 
	section VARCHAR NOT NULL, 
	expires_at DATETIME NOT NULL, 
	made_by INTEGER NOT NULL, 
	CONSTRAINT pk_join_code PRIMARY KEY (course_id), 
	CONSTRAINT fk_join_code_course_id FOREIGN KEY(course_id) REFERENCES course (id), 
	CONSTRAINT uq_join_code_code UNIQUE (code), 
	CONSTRAINT fk_join_code_made_by FOREIGN KEY(made_by) REFERENCES user (id)
);
CREATE TABLE review_request (
	id INTEGER NOT NULL, 
	submission_id INTEGER NOT NULL, 
	question VARCHAR NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	text VARCHAR NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	asked_at DATETIME NOT NULL, 
	answer VARCHAR DEFAULT '' NOT NULL, 
	answered_by INTEGER, 
	answered_at DATETIME, 
	CONSTRAINT pk_review_request PRIMARY KEY (id), 
	CONSTRAINT fk_review_request_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id), 
	CONSTRAINT fk_review_request_answered_by FOREIGN KEY(answered_by) REFERENCES user (id)
);
CREATE INDEX ix_review_request_submission_id ON review_request (submission_id);
CREATE TABLE code_comment (
	id INTEGER NOT NULL, 
	submission_id INTEGER NOT NULL, 
	path VARCHAR NOT NULL, 
	line INTEGER NOT NULL, 
	text VARCHAR NOT NULL, 
	written_by INTEGER NOT NULL, 
	written_at DATETIME NOT NULL, 
	changed_by INTEGER, 
	changed_at DATETIME, 
	deleted_at DATETIME, 
	revision INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_code_comment PRIMARY KEY (id), 
	CONSTRAINT fk_code_comment_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id), 
	CONSTRAINT fk_code_comment_written_by FOREIGN KEY(written_by) REFERENCES user (id), 
	CONSTRAINT fk_code_comment_changed_by FOREIGN KEY(changed_by) REFERENCES user (id)
);
CREATE INDEX ix_code_comment_submission_id ON code_comment (submission_id);
CREATE INDEX ix_code_comment_written_by ON code_comment (written_by);
CREATE TABLE case_names (
	"key" VARCHAR NOT NULL, 
	names BLOB NOT NULL, 
	CONSTRAINT pk_case_names PRIMARY KEY ("key")
);
CREATE TABLE case_failures (
	submission_id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	cases VARCHAR NOT NULL, 
	failed BLOB NOT NULL, 
	CONSTRAINT pk_case_failures PRIMARY KEY (submission_id), 
	CONSTRAINT fk_case_failures_submission_id FOREIGN KEY(submission_id) REFERENCES submission (id), 
	CONSTRAINT fk_case_failures_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_case_failures_cases FOREIGN KEY(cases) REFERENCES case_names ("key")
);
CREATE INDEX ix_case_failures_assignment_id ON case_failures (assignment_id);
CREATE INDEX ix_submission_times ON submission (assignment_id, queued_at, author_id, finished_at);
CREATE TABLE matchups (
	tournament_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	entries JSON NOT NULL, 
	games JSON NOT NULL, 
	ahead JSON NOT NULL, 
	CONSTRAINT pk_matchups PRIMARY KEY (tournament_id), 
	CONSTRAINT fk_matchups_tournament_id FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
CREATE TABLE unsent_mail (
	id INTEGER NOT NULL, 
	subject VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	also JSON NOT NULL, 
	made_at DATETIME NOT NULL, 
	CONSTRAINT pk_unsent_mail PRIMARY KEY (id)
);
CREATE INDEX ix_submission_author ON submission (assignment_id, author_id, id, qualifies, points);
CREATE INDEX ix_submission_finished ON submission (finished_at, state);
