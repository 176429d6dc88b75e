CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.api_token (
    id integer NOT NULL,
    user_id integer NOT NULL,
    label character varying NOT NULL,
    sha256 character varying NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);
CREATE SEQUENCE public.api_token_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.api_token_id_seq OWNED BY public.api_token.id;
CREATE TABLE public.assignment (
    id integer NOT NULL,
    course_id integer NOT NULL,
    slug character varying NOT NULL,
    title character varying NOT NULL,
    game character varying NOT NULL,
    due_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    custom_games_hour integer DEFAULT 20 NOT NULL,
    gates json DEFAULT '{}'::json NOT NULL,
    trial_games integer DEFAULT 8 NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    visible_from timestamp with time zone,
    archived boolean DEFAULT false NOT NULL,
    due_entered character varying DEFAULT ''::character varying NOT NULL,
    full_kit character varying(16) DEFAULT 'never'::character varying NOT NULL,
    section_dates json DEFAULT '{}'::json NOT NULL
);
CREATE TABLE public.assignment_draft (
    assignment_id integer NOT NULL,
    base integer NOT NULL,
    revision integer NOT NULL,
    content json NOT NULL,
    publish_at timestamp with time zone,
    saved_by integer NOT NULL,
    saved_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.assignment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.assignment_id_seq OWNED BY public.assignment.id;
CREATE TABLE public.assignment_version (
    id integer NOT NULL,
    assignment_id integer NOT NULL,
    number integer NOT NULL,
    definition character varying NOT NULL,
    digest character varying NOT NULL,
    summary character varying NOT NULL,
    published_by integer,
    published_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.assignment_version_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.assignment_version_id_seq OWNED BY public.assignment_version.id;
CREATE TABLE public.authoring_job (
    id integer NOT NULL,
    assignment_id integer NOT NULL,
    purpose character varying NOT NULL,
    definition character varying NOT NULL,
    base integer NOT NULL,
    revision integer NOT NULL,
    filename character varying NOT NULL,
    source bytea NOT NULL,
    asked_by integer NOT NULL,
    scheduled boolean DEFAULT false NOT NULL,
    progress character varying NOT NULL,
    result json NOT NULL,
    report bytea,
    state character varying NOT NULL,
    attempts integer NOT NULL,
    owner character varying,
    lease_until timestamp with time zone,
    queued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    trouble character varying NOT NULL,
    needs character varying DEFAULT ''::character varying NOT NULL
);
CREATE SEQUENCE public.authoring_job_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.authoring_job_id_seq OWNED BY public.authoring_job.id;
CREATE TABLE public.block (
    id integer NOT NULL,
    tournament_id integer NOT NULL,
    seed bigint NOT NULL,
    entries json NOT NULL,
    state character varying(16) NOT NULL,
    attempts integer NOT NULL,
    owner character varying,
    lease_until timestamp with time zone,
    queued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    trouble character varying NOT NULL,
    finish character varying DEFAULT ''::character varying NOT NULL,
    deals integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.block_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.block_id_seq OWNED BY public.block.id;
CREATE TABLE public.bracket (
    tournament_id integer NOT NULL,
    ladder_id integer NOT NULL,
    best_of integer NOT NULL,
    seed bigint NOT NULL,
    entries json NOT NULL
);
CREATE TABLE public.case_failures (
    submission_id integer NOT NULL,
    assignment_id integer NOT NULL,
    cases character varying NOT NULL,
    failed bytea NOT NULL
);
CREATE TABLE public.case_names (
    key character varying NOT NULL,
    names bytea NOT NULL
);
CREATE TABLE public.case_set (
    key character varying NOT NULL,
    cases bytea NOT NULL,
    count integer NOT NULL,
    made_at timestamp with time zone NOT NULL
);
CREATE TABLE public.chosen_upload (
    assignment_id integer NOT NULL,
    user_id integer NOT NULL,
    submission_id integer NOT NULL
);
CREATE TABLE public.code_comment (
    id integer NOT NULL,
    submission_id integer NOT NULL,
    path character varying NOT NULL,
    line integer NOT NULL,
    text character varying NOT NULL,
    written_by integer NOT NULL,
    written_at timestamp with time zone NOT NULL,
    changed_by integer,
    changed_at timestamp with time zone,
    deleted_at timestamp with time zone,
    revision integer DEFAULT 1 NOT NULL
);
CREATE SEQUENCE public.code_comment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.code_comment_id_seq OWNED BY public.code_comment.id;
CREATE TABLE public.compared_pair (
    comparison_id integer NOT NULL,
    number integer NOT NULL,
    seat integer NOT NULL,
    opponents json NOT NULL,
    no_contest boolean NOT NULL,
    parting integer,
    new_place integer NOT NULL,
    new_points double precision NOT NULL,
    new_verdict character varying,
    old_place integer NOT NULL,
    old_points double precision NOT NULL,
    old_verdict character varying,
    new_record bytea,
    old_record bytea,
    played_at timestamp with time zone
);
CREATE TABLE public.comparison (
    id integer NOT NULL,
    tournament_id integer NOT NULL,
    author_id integer NOT NULL,
    submission_id integer NOT NULL,
    player_id integer NOT NULL,
    entry_id integer NOT NULL,
    ranking character varying(16) NOT NULL,
    seed bigint NOT NULL,
    opponents json NOT NULL,
    most_pairs integer NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    state character varying(16) NOT NULL,
    attempts integer NOT NULL,
    owner character varying,
    lease_until timestamp with time zone,
    queued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    trouble character varying NOT NULL,
    trace character varying
);
CREATE SEQUENCE public.comparison_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.comparison_id_seq OWNED BY public.comparison.id;
CREATE TABLE public.course (
    id integer NOT NULL,
    slug character varying NOT NULL,
    title character varying NOT NULL,
    created_at timestamp with time zone NOT NULL,
    time_zone character varying DEFAULT 'UTC'::character varying NOT NULL,
    term character varying DEFAULT ''::character varying NOT NULL
);
CREATE SEQUENCE public.course_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.course_id_seq OWNED BY public.course.id;
CREATE TABLE public.course_marking (
    course_id integer NOT NULL,
    scheme json NOT NULL,
    revision integer NOT NULL
);
CREATE TABLE public.custom_batch (
    id integer NOT NULL,
    tournament_id integer NOT NULL,
    asker_id integer NOT NULL,
    seed bigint NOT NULL,
    rotates boolean NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    request_key character varying
);
CREATE SEQUENCE public.custom_batch_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.custom_batch_id_seq OWNED BY public.custom_batch.id;
CREATE TABLE public.custom_game (
    id integer NOT NULL,
    tournament_id integer NOT NULL,
    asker_id integer NOT NULL,
    seed bigint NOT NULL,
    record bytea,
    ended character varying NOT NULL,
    share character varying,
    state character varying(16) NOT NULL,
    attempts integer NOT NULL,
    owner character varying,
    lease_until timestamp with time zone,
    queued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    trouble character varying NOT NULL,
    request_key character varying,
    batch_id integer,
    number integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.custom_game_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.custom_game_id_seq OWNED BY public.custom_game.id;
CREATE TABLE public.custom_seat (
    game_id integer NOT NULL,
    seat integer NOT NULL,
    label character varying NOT NULL,
    author_id integer,
    entry_id integer,
    player_id integer,
    bot character varying,
    place integer,
    points double precision,
    verdict character varying,
    trace character varying
);
CREATE TABLE public.ended_session (
    sha256 character varying NOT NULL,
    ended_at timestamp with time zone NOT NULL
);
CREATE TABLE public.entry (
    id integer NOT NULL,
    tournament_id integer NOT NULL,
    author_id integer,
    player_id integer,
    bot character varying,
    name character varying NOT NULL,
    version integer NOT NULL,
    state character varying(16) NOT NULL,
    entered_at timestamp with time zone NOT NULL,
    left_at timestamp with time zone,
    games integer NOT NULL,
    wins integer NOT NULL,
    faults integer NOT NULL,
    places integer NOT NULL,
    points double precision NOT NULL,
    blocks integer DEFAULT 0 NOT NULL,
    games_games integer DEFAULT 0 NOT NULL,
    wins_wins integer DEFAULT 0 NOT NULL,
    wins_games integer DEFAULT 0 NOT NULL,
    places_places integer DEFAULT 0 NOT NULL,
    places_games integer DEFAULT 0 NOT NULL,
    points_points double precision DEFAULT '0'::double precision NOT NULL,
    points_games double precision DEFAULT '0'::double precision NOT NULL,
    rating double precision,
    withdrawn_by integer,
    exclusion_from timestamp with time zone,
    trace character varying,
    seated integer DEFAULT 0 NOT NULL,
    form character varying DEFAULT ''::character varying NOT NULL
);
CREATE SEQUENCE public.entry_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.entry_id_seq OWNED BY public.entry.id;
CREATE TABLE public.exclusion_override (
    id integer NOT NULL,
    tournament_id integer NOT NULL,
    author_id integer NOT NULL,
    seconds integer,
    last_entry integer,
    reason character varying NOT NULL,
    given_by integer NOT NULL,
    given_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);
CREATE SEQUENCE public.exclusion_override_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.exclusion_override_id_seq OWNED BY public.exclusion_override.id;
CREATE TABLE public.extension (
    assignment_id integer NOT NULL,
    user_id integer NOT NULL,
    until timestamp with time zone NOT NULL,
    entered character varying DEFAULT ''::character varying NOT NULL,
    reason character varying DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.final (
    tournament_id integer NOT NULL,
    phase character varying(16) NOT NULL,
    header character varying NOT NULL,
    entries json NOT NULL,
    rounds json NOT NULL,
    notes json NOT NULL,
    standings character varying NOT NULL,
    frozen_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    published_at timestamp with time zone,
    amendments json DEFAULT '[]'::json NOT NULL
);
CREATE TABLE public.fingerprint (
    player_id integer NOT NULL,
    version integer NOT NULL,
    runs bytea NOT NULL,
    trouble character varying NOT NULL,
    made_at timestamp with time zone NOT NULL
);
CREATE TABLE public.former_member (
    user_id integer NOT NULL,
    course_id integer NOT NULL,
    pseudonym character varying NOT NULL,
    removed_by integer NOT NULL,
    removed_at timestamp with time zone NOT NULL,
    student_number character varying DEFAULT ''::character varying NOT NULL,
    email character varying DEFAULT ''::character varying NOT NULL,
    section character varying DEFAULT ''::character varying NOT NULL,
    "group" character varying DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.game (
    id integer NOT NULL,
    block_id integer NOT NULL,
    seating integer NOT NULL,
    tournament_id integer NOT NULL,
    ended character varying NOT NULL,
    plays integer NOT NULL,
    record bytea NOT NULL,
    played_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.game_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.game_id_seq OWNED BY public.game.id;
CREATE TABLE public.game_package (
    sha256 character varying(64) NOT NULL,
    slug character varying NOT NULL,
    title character varying NOT NULL,
    version character varying NOT NULL,
    archive bytea NOT NULL,
    signature character varying NOT NULL,
    added_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone
);
CREATE TABLE public.given_file (
    assignment_id integer NOT NULL,
    player_id integer NOT NULL
);
CREATE TABLE public.hand_game (
    id integer NOT NULL,
    assignment_id integer NOT NULL,
    person_id integer NOT NULL,
    seat integer NOT NULL,
    bots json NOT NULL,
    practice boolean NOT NULL,
    record bytea NOT NULL,
    move json NOT NULL,
    revision integer NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    ended character varying NOT NULL,
    place integer,
    adviser_id integer,
    advice json NOT NULL,
    request_key character varying,
    state character varying NOT NULL,
    attempts integer NOT NULL,
    owner character varying,
    lease_until timestamp with time zone,
    queued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    trouble character varying NOT NULL
);
CREATE SEQUENCE public.hand_game_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.hand_game_id_seq OWNED BY public.hand_game.id;
CREATE TABLE public.join_code (
    course_id integer NOT NULL,
    code character varying NOT NULL,
    section character varying NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    made_by integer NOT NULL
);
CREATE TABLE public.maintenance (
    id integer NOT NULL,
    reason character varying NOT NULL,
    since timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.maintenance_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.maintenance_id_seq OWNED BY public.maintenance.id;
CREATE TABLE public.marking (
    assignment_id integer NOT NULL,
    scheme json NOT NULL,
    revision integer NOT NULL
);
CREATE TABLE public.marks_publication (
    id integer NOT NULL,
    assignment_id integer NOT NULL,
    header json NOT NULL,
    published_by integer NOT NULL,
    published_at timestamp with time zone NOT NULL,
    withdrawn_at timestamp with time zone
);
CREATE SEQUENCE public.marks_publication_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.marks_publication_id_seq OWNED BY public.marks_publication.id;
CREATE TABLE public.matchups (
    tournament_id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    entries json NOT NULL,
    games json NOT NULL,
    ahead json NOT NULL
);
CREATE TABLE public.membership (
    user_id integer NOT NULL,
    course_id integer NOT NULL,
    role character varying(16) NOT NULL,
    pseudonym character varying NOT NULL,
    student_number character varying DEFAULT ''::character varying NOT NULL,
    email character varying DEFAULT ''::character varying NOT NULL,
    section character varying DEFAULT ''::character varying NOT NULL,
    "group" character varying DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.notice (
    id integer NOT NULL,
    user_id integer NOT NULL,
    assignment_id integer,
    subject character varying NOT NULL,
    text character varying NOT NULL,
    links json NOT NULL,
    told_at timestamp with time zone NOT NULL,
    read_at timestamp with time zone
);
CREATE SEQUENCE public.notice_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.notice_id_seq OWNED BY public.notice.id;
CREATE TABLE public.outcome (
    submission_id integer NOT NULL,
    tournament_id integer NOT NULL,
    entry_id integer,
    refusal character varying NOT NULL,
    wanted_from timestamp with time zone
);
CREATE TABLE public.player (
    id integer NOT NULL,
    sha256 character varying NOT NULL,
    source bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.player_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.player_id_seq OWNED BY public.player.id;
CREATE TABLE public.published_mark (
    publication_id integer NOT NULL,
    user_id integer NOT NULL,
    total double precision,
    excused boolean DEFAULT false NOT NULL,
    account json NOT NULL
);
CREATE TABLE public.rank_sample (
    entry_id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    rank integer NOT NULL,
    ranked integer NOT NULL,
    games integer NOT NULL
);
CREATE TABLE public.regrade (
    id integer NOT NULL,
    batch_id integer NOT NULL,
    submission_id integer NOT NULL,
    former bytea,
    difference json,
    changed boolean,
    told boolean NOT NULL,
    state character varying(16) NOT NULL,
    attempts integer NOT NULL,
    owner character varying,
    lease_until timestamp with time zone,
    queued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    trouble character varying NOT NULL
);
CREATE TABLE public.regrade_batch (
    id integer NOT NULL,
    assignment_id integer NOT NULL,
    asked_by integer,
    reason character varying NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    candidate character varying,
    needs character varying DEFAULT ''::character varying NOT NULL
);
CREATE SEQUENCE public.regrade_batch_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.regrade_batch_id_seq OWNED BY public.regrade_batch.id;
CREATE SEQUENCE public.regrade_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.regrade_id_seq OWNED BY public.regrade.id;
CREATE TABLE public.review_request (
    id integer NOT NULL,
    submission_id integer NOT NULL,
    question character varying NOT NULL,
    kind character varying(16) NOT NULL,
    text character varying NOT NULL,
    state character varying(16) NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    answer character varying DEFAULT ''::character varying NOT NULL,
    answered_by integer,
    answered_at timestamp with time zone
);
CREATE SEQUENCE public.review_request_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.review_request_id_seq OWNED BY public.review_request.id;
CREATE TABLE public.seat (
    game_id integer NOT NULL,
    seat integer NOT NULL,
    entry_id integer NOT NULL,
    place integer NOT NULL,
    points double precision NOT NULL,
    counts boolean NOT NULL,
    verdict character varying,
    rule character varying NOT NULL,
    message character varying NOT NULL,
    block_id integer DEFAULT 0 NOT NULL,
    call_ms double precision,
    slowest_ms double precision
);
CREATE TABLE public.setting_change (
    id integer NOT NULL,
    assignment_id integer NOT NULL,
    changed_by integer NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    setting character varying NOT NULL,
    former character varying NOT NULL,
    value character varying NOT NULL
);
CREATE SEQUENCE public.setting_change_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.setting_change_id_seq OWNED BY public.setting_change.id;
CREATE TABLE public.shared_game (
    game_id integer NOT NULL,
    token character varying NOT NULL,
    shared_by integer NOT NULL,
    shared_at timestamp with time zone NOT NULL
);
CREATE TABLE public.staff_decision (
    assignment_id integer NOT NULL,
    user_id integer NOT NULL,
    rubric json NOT NULL,
    remark character varying NOT NULL,
    excused boolean DEFAULT false NOT NULL,
    override double precision,
    reason character varying NOT NULL,
    decided_by integer NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    revision integer NOT NULL
);
CREATE TABLE public.submission (
    id integer NOT NULL,
    assignment_id integer NOT NULL,
    author_id integer NOT NULL,
    player_id integer NOT NULL,
    filename character varying NOT NULL,
    wants_entry boolean NOT NULL,
    entry_name character varying NOT NULL,
    request_key character varying,
    progress json NOT NULL,
    report bytea,
    qualifies boolean,
    points double precision,
    state character varying(16) NOT NULL,
    attempts integer NOT NULL,
    owner character varying,
    lease_until timestamp with time zone,
    queued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    trouble character varying NOT NULL,
    trace character varying,
    regraded_at timestamp with time zone,
    version integer,
    archive bytea,
    needs character varying DEFAULT ''::character varying NOT NULL,
    question_points json
);
CREATE SEQUENCE public.submission_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.submission_id_seq OWNED BY public.submission.id;
CREATE TABLE public.tally (
    metric character varying NOT NULL,
    sample character varying NOT NULL,
    labels character varying NOT NULL,
    value double precision NOT NULL
);
CREATE TABLE public.tournament (
    id integer NOT NULL,
    assignment_id integer,
    slug character varying NOT NULL,
    title character varying NOT NULL,
    game character varying NOT NULL,
    state character varying(16) NOT NULL,
    ranking character varying(16) NOT NULL,
    target_games integer NOT NULL,
    exclusion_s integer NOT NULL,
    fault_limit integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    rated_blocks integer DEFAULT 0 NOT NULL,
    kind character varying(16) DEFAULT 'ladder'::character varying NOT NULL,
    active_limit integer DEFAULT 1 NOT NULL,
    out_exclusion_s integer DEFAULT 120 NOT NULL,
    season_ended timestamp with time zone,
    since_version integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.tournament_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.tournament_id_seq OWNED BY public.tournament.id;
CREATE TABLE public.trial (
    id integer NOT NULL,
    assignment_id integer NOT NULL,
    player_id integer NOT NULL,
    game character varying NOT NULL,
    games integer NOT NULL,
    played integer NOT NULL,
    offence bytea,
    trace character varying,
    state character varying(16) NOT NULL,
    attempts integer NOT NULL,
    owner character varying,
    lease_until timestamp with time zone,
    queued_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    trouble character varying NOT NULL
);
CREATE SEQUENCE public.trial_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.trial_id_seq OWNED BY public.trial.id;
CREATE TABLE public.unsent_mail (
    id integer NOT NULL,
    subject character varying NOT NULL,
    text character varying NOT NULL,
    also json NOT NULL,
    made_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.unsent_mail_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.unsent_mail_id_seq OWNED BY public.unsent_mail.id;
CREATE TABLE public."user" (
    id integer NOT NULL,
    login character varying NOT NULL,
    name character varying NOT NULL,
    password_hash character varying NOT NULL,
    created_at timestamp with time zone NOT NULL,
    one_time boolean DEFAULT false NOT NULL,
    once_taught boolean DEFAULT false NOT NULL,
    signed_in_at timestamp with time zone,
    generation integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.user_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.user_id_seq OWNED BY public."user".id;
CREATE TABLE public.void_attempt (
    block_id integer NOT NULL,
    attempt integer NOT NULL,
    reason character varying NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.watch (
    tournament_id integer NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    done_at timestamp with time zone,
    took_s double precision NOT NULL,
    trouble character varying NOT NULL,
    found json NOT NULL
);
CREATE TABLE public.worker (
    name character varying NOT NULL,
    queue character varying NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    trouble character varying NOT NULL,
    process character varying DEFAULT ''::character varying NOT NULL,
    offers character varying DEFAULT ''::character varying NOT NULL
);
ALTER TABLE ONLY public.api_token ALTER COLUMN id SET DEFAULT nextval('public.api_token_id_seq'::regclass);
ALTER TABLE ONLY public.assignment ALTER COLUMN id SET DEFAULT nextval('public.assignment_id_seq'::regclass);
ALTER TABLE ONLY public.assignment_version ALTER COLUMN id SET DEFAULT nextval('public.assignment_version_id_seq'::regclass);
ALTER TABLE ONLY public.authoring_job ALTER COLUMN id SET DEFAULT nextval('public.authoring_job_id_seq'::regclass);
ALTER TABLE ONLY public.block ALTER COLUMN id SET DEFAULT nextval('public.block_id_seq'::regclass);
ALTER TABLE ONLY public.code_comment ALTER COLUMN id SET DEFAULT nextval('public.code_comment_id_seq'::regclass);
ALTER TABLE ONLY public.comparison ALTER COLUMN id SET DEFAULT nextval('public.comparison_id_seq'::regclass);
ALTER TABLE ONLY public.course ALTER COLUMN id SET DEFAULT nextval('public.course_id_seq'::regclass);
ALTER TABLE ONLY public.custom_batch ALTER COLUMN id SET DEFAULT nextval('public.custom_batch_id_seq'::regclass);
ALTER TABLE ONLY public.custom_game ALTER COLUMN id SET DEFAULT nextval('public.custom_game_id_seq'::regclass);
ALTER TABLE ONLY public.entry ALTER COLUMN id SET DEFAULT nextval('public.entry_id_seq'::regclass);
ALTER TABLE ONLY public.exclusion_override ALTER COLUMN id SET DEFAULT nextval('public.exclusion_override_id_seq'::regclass);
ALTER TABLE ONLY public.game ALTER COLUMN id SET DEFAULT nextval('public.game_id_seq'::regclass);
ALTER TABLE ONLY public.hand_game ALTER COLUMN id SET DEFAULT nextval('public.hand_game_id_seq'::regclass);
ALTER TABLE ONLY public.maintenance ALTER COLUMN id SET DEFAULT nextval('public.maintenance_id_seq'::regclass);
ALTER TABLE ONLY public.marks_publication ALTER COLUMN id SET DEFAULT nextval('public.marks_publication_id_seq'::regclass);
ALTER TABLE ONLY public.notice ALTER COLUMN id SET DEFAULT nextval('public.notice_id_seq'::regclass);
ALTER TABLE ONLY public.player ALTER COLUMN id SET DEFAULT nextval('public.player_id_seq'::regclass);
ALTER TABLE ONLY public.regrade ALTER COLUMN id SET DEFAULT nextval('public.regrade_id_seq'::regclass);
ALTER TABLE ONLY public.regrade_batch ALTER COLUMN id SET DEFAULT nextval('public.regrade_batch_id_seq'::regclass);
ALTER TABLE ONLY public.review_request ALTER COLUMN id SET DEFAULT nextval('public.review_request_id_seq'::regclass);
ALTER TABLE ONLY public.setting_change ALTER COLUMN id SET DEFAULT nextval('public.setting_change_id_seq'::regclass);
ALTER TABLE ONLY public.submission ALTER COLUMN id SET DEFAULT nextval('public.submission_id_seq'::regclass);
ALTER TABLE ONLY public.tournament ALTER COLUMN id SET DEFAULT nextval('public.tournament_id_seq'::regclass);
ALTER TABLE ONLY public.trial ALTER COLUMN id SET DEFAULT nextval('public.trial_id_seq'::regclass);
ALTER TABLE ONLY public.unsent_mail ALTER COLUMN id SET DEFAULT nextval('public.unsent_mail_id_seq'::regclass);
ALTER TABLE ONLY public."user" ALTER COLUMN id SET DEFAULT nextval('public.user_id_seq'::regclass);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT pk_api_token PRIMARY KEY (id);
ALTER TABLE ONLY public.assignment
    ADD CONSTRAINT pk_assignment PRIMARY KEY (id);
ALTER TABLE ONLY public.assignment_draft
    ADD CONSTRAINT pk_assignment_draft PRIMARY KEY (assignment_id);
ALTER TABLE ONLY public.assignment_version
    ADD CONSTRAINT pk_assignment_version PRIMARY KEY (id);
ALTER TABLE ONLY public.authoring_job
    ADD CONSTRAINT pk_authoring_job PRIMARY KEY (id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT pk_block PRIMARY KEY (id);
ALTER TABLE ONLY public.bracket
    ADD CONSTRAINT pk_bracket PRIMARY KEY (tournament_id);
ALTER TABLE ONLY public.case_failures
    ADD CONSTRAINT pk_case_failures PRIMARY KEY (submission_id);
ALTER TABLE ONLY public.case_names
    ADD CONSTRAINT pk_case_names PRIMARY KEY (key);
ALTER TABLE ONLY public.case_set
    ADD CONSTRAINT pk_case_set PRIMARY KEY (key);
ALTER TABLE ONLY public.chosen_upload
    ADD CONSTRAINT pk_chosen_upload PRIMARY KEY (assignment_id, user_id);
ALTER TABLE ONLY public.code_comment
    ADD CONSTRAINT pk_code_comment PRIMARY KEY (id);
ALTER TABLE ONLY public.compared_pair
    ADD CONSTRAINT pk_compared_pair PRIMARY KEY (comparison_id, number);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT pk_comparison PRIMARY KEY (id);
ALTER TABLE ONLY public.course
    ADD CONSTRAINT pk_course PRIMARY KEY (id);
ALTER TABLE ONLY public.course_marking
    ADD CONSTRAINT pk_course_marking PRIMARY KEY (course_id);
ALTER TABLE ONLY public.custom_batch
    ADD CONSTRAINT pk_custom_batch PRIMARY KEY (id);
ALTER TABLE ONLY public.custom_game
    ADD CONSTRAINT pk_custom_game PRIMARY KEY (id);
ALTER TABLE ONLY public.custom_seat
    ADD CONSTRAINT pk_custom_seat PRIMARY KEY (game_id, seat);
ALTER TABLE ONLY public.ended_session
    ADD CONSTRAINT pk_ended_session PRIMARY KEY (sha256);
ALTER TABLE ONLY public.entry
    ADD CONSTRAINT pk_entry PRIMARY KEY (id);
ALTER TABLE ONLY public.exclusion_override
    ADD CONSTRAINT pk_exclusion_override PRIMARY KEY (id);
ALTER TABLE ONLY public.extension
    ADD CONSTRAINT pk_extension PRIMARY KEY (assignment_id, user_id);
ALTER TABLE ONLY public.final
    ADD CONSTRAINT pk_final PRIMARY KEY (tournament_id);
ALTER TABLE ONLY public.fingerprint
    ADD CONSTRAINT pk_fingerprint PRIMARY KEY (player_id);
ALTER TABLE ONLY public.former_member
    ADD CONSTRAINT pk_former_member PRIMARY KEY (user_id, course_id);
ALTER TABLE ONLY public.game
    ADD CONSTRAINT pk_game PRIMARY KEY (id);
ALTER TABLE ONLY public.game_package
    ADD CONSTRAINT pk_game_package PRIMARY KEY (sha256);
ALTER TABLE ONLY public.given_file
    ADD CONSTRAINT pk_given_file PRIMARY KEY (assignment_id, player_id);
ALTER TABLE ONLY public.hand_game
    ADD CONSTRAINT pk_hand_game PRIMARY KEY (id);
ALTER TABLE ONLY public.join_code
    ADD CONSTRAINT pk_join_code PRIMARY KEY (course_id);
ALTER TABLE ONLY public.maintenance
    ADD CONSTRAINT pk_maintenance PRIMARY KEY (id);
ALTER TABLE ONLY public.marking
    ADD CONSTRAINT pk_marking PRIMARY KEY (assignment_id);
ALTER TABLE ONLY public.marks_publication
    ADD CONSTRAINT pk_marks_publication PRIMARY KEY (id);
ALTER TABLE ONLY public.matchups
    ADD CONSTRAINT pk_matchups PRIMARY KEY (tournament_id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT pk_membership PRIMARY KEY (user_id, course_id);
ALTER TABLE ONLY public.notice
    ADD CONSTRAINT pk_notice PRIMARY KEY (id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT pk_outcome PRIMARY KEY (submission_id, tournament_id);
ALTER TABLE ONLY public.player
    ADD CONSTRAINT pk_player PRIMARY KEY (id);
ALTER TABLE ONLY public.published_mark
    ADD CONSTRAINT pk_published_mark PRIMARY KEY (publication_id, user_id);
ALTER TABLE ONLY public.rank_sample
    ADD CONSTRAINT pk_rank_sample PRIMARY KEY (entry_id, at);
ALTER TABLE ONLY public.regrade
    ADD CONSTRAINT pk_regrade PRIMARY KEY (id);
ALTER TABLE ONLY public.regrade_batch
    ADD CONSTRAINT pk_regrade_batch PRIMARY KEY (id);
ALTER TABLE ONLY public.review_request
    ADD CONSTRAINT pk_review_request PRIMARY KEY (id);
ALTER TABLE ONLY public.seat
    ADD CONSTRAINT pk_seat PRIMARY KEY (game_id, seat);
ALTER TABLE ONLY public.setting_change
    ADD CONSTRAINT pk_setting_change PRIMARY KEY (id);
ALTER TABLE ONLY public.shared_game
    ADD CONSTRAINT pk_shared_game PRIMARY KEY (game_id);
ALTER TABLE ONLY public.staff_decision
    ADD CONSTRAINT pk_staff_decision PRIMARY KEY (assignment_id, user_id);
ALTER TABLE ONLY public.submission
    ADD CONSTRAINT pk_submission PRIMARY KEY (id);
ALTER TABLE ONLY public.tally
    ADD CONSTRAINT pk_tally PRIMARY KEY (metric, sample, labels);
ALTER TABLE ONLY public.tournament
    ADD CONSTRAINT pk_tournament PRIMARY KEY (id);
ALTER TABLE ONLY public.trial
    ADD CONSTRAINT pk_trial PRIMARY KEY (id);
ALTER TABLE ONLY public.unsent_mail
    ADD CONSTRAINT pk_unsent_mail PRIMARY KEY (id);
ALTER TABLE ONLY public."user"
    ADD CONSTRAINT pk_user PRIMARY KEY (id);
ALTER TABLE ONLY public.void_attempt
    ADD CONSTRAINT pk_void_attempt PRIMARY KEY (block_id, attempt);
ALTER TABLE ONLY public.watch
    ADD CONSTRAINT pk_watch PRIMARY KEY (tournament_id);
ALTER TABLE ONLY public.worker
    ADD CONSTRAINT pk_worker PRIMARY KEY (name);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT uq_api_token_sha256 UNIQUE (sha256);
ALTER TABLE ONLY public.assignment
    ADD CONSTRAINT uq_assignment_course_id_slug UNIQUE (course_id, slug);
ALTER TABLE ONLY public.assignment_version
    ADD CONSTRAINT uq_assignment_version_assignment_id_number UNIQUE (assignment_id, number);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT uq_comparison_entry_id_player_id UNIQUE (entry_id, player_id);
ALTER TABLE ONLY public.course
    ADD CONSTRAINT uq_course_slug UNIQUE (slug);
ALTER TABLE ONLY public.custom_game
    ADD CONSTRAINT uq_custom_game_share UNIQUE (share);
ALTER TABLE ONLY public.entry
    ADD CONSTRAINT uq_entry_tournament_id_author_id_version UNIQUE (tournament_id, author_id, version);
ALTER TABLE ONLY public.game
    ADD CONSTRAINT uq_game_block_id_seating UNIQUE (block_id, seating);
ALTER TABLE ONLY public.join_code
    ADD CONSTRAINT uq_join_code_code UNIQUE (code);
ALTER TABLE ONLY public.player
    ADD CONSTRAINT uq_player_sha256 UNIQUE (sha256);
ALTER TABLE ONLY public.shared_game
    ADD CONSTRAINT uq_shared_game_token UNIQUE (token);
ALTER TABLE ONLY public.submission
    ADD CONSTRAINT uq_submission_author_id_request_key UNIQUE (author_id, request_key);
ALTER TABLE ONLY public.tournament
    ADD CONSTRAINT uq_tournament_assignment_id_slug UNIQUE (assignment_id, slug);
ALTER TABLE ONLY public.trial
    ADD CONSTRAINT uq_trial_assignment_id_player_id UNIQUE (assignment_id, player_id);
ALTER TABLE ONLY public."user"
    ADD CONSTRAINT uq_user_login UNIQUE (login);
CREATE INDEX ix_api_token_user_id ON public.api_token USING btree (user_id);
CREATE INDEX ix_authoring_job_assignment_id ON public.authoring_job USING btree (assignment_id);
CREATE INDEX ix_authoring_job_state ON public.authoring_job USING btree (state);
CREATE INDEX ix_block_pairing ON public.block USING btree (tournament_id, state);
CREATE INDEX ix_block_state ON public.block USING btree (state);
CREATE INDEX ix_block_tournament_id ON public.block USING btree (tournament_id);
CREATE INDEX ix_bracket_ladder_id ON public.bracket USING btree (ladder_id);
CREATE INDEX ix_case_failures_assignment_id ON public.case_failures USING btree (assignment_id);
CREATE INDEX ix_code_comment_submission_id ON public.code_comment USING btree (submission_id);
CREATE INDEX ix_code_comment_written_by ON public.code_comment USING btree (written_by);
CREATE INDEX ix_comparison_author ON public.comparison USING btree (author_id, state);
CREATE INDEX ix_comparison_state ON public.comparison USING btree (state);
CREATE INDEX ix_comparison_submission_id ON public.comparison USING btree (submission_id);
CREATE INDEX ix_comparison_tournament_id ON public.comparison USING btree (tournament_id);
CREATE INDEX ix_custom_batch_asker ON public.custom_batch USING btree (asker_id, tournament_id);
CREATE UNIQUE INDEX ix_custom_batch_request ON public.custom_batch USING btree (asker_id, request_key);
CREATE INDEX ix_custom_batch_tournament_id ON public.custom_batch USING btree (tournament_id);
CREATE INDEX ix_custom_game_asker ON public.custom_game USING btree (asker_id, tournament_id, queued_at);
CREATE INDEX ix_custom_game_batch_id ON public.custom_game USING btree (batch_id);
CREATE UNIQUE INDEX ix_custom_game_request ON public.custom_game USING btree (asker_id, request_key);
CREATE INDEX ix_custom_game_state ON public.custom_game USING btree (state);
CREATE INDEX ix_custom_game_tournament_id ON public.custom_game USING btree (tournament_id);
CREATE INDEX ix_ended_session_ended_at ON public.ended_session USING btree (ended_at);
CREATE INDEX ix_entry_author_id ON public.entry USING btree (author_id);
CREATE INDEX ix_entry_standings ON public.entry USING btree (tournament_id, state, games);
CREATE INDEX ix_exclusion_override_author ON public.exclusion_override USING btree (tournament_id, author_id);
CREATE INDEX ix_game_package_slug ON public.game_package USING btree (slug);
CREATE INDEX ix_game_tournament_id ON public.game USING btree (tournament_id);
CREATE INDEX ix_hand_game_assignment_id ON public.hand_game USING btree (assignment_id);
CREATE INDEX ix_hand_game_person ON public.hand_game USING btree (person_id, assignment_id, begun_at);
CREATE INDEX ix_hand_game_state ON public.hand_game USING btree (state);
CREATE INDEX ix_hand_game_waiting ON public.hand_game USING btree (ended, finished_at);
CREATE INDEX ix_marks_publication_assignment_id ON public.marks_publication USING btree (assignment_id);
CREATE INDEX ix_notice_unread ON public.notice USING btree (user_id, read_at);
CREATE INDEX ix_outcome_wanted_from ON public.outcome USING btree (wanted_from);
CREATE INDEX ix_regrade_batch_assignment_id ON public.regrade_batch USING btree (assignment_id);
CREATE INDEX ix_regrade_batch_id ON public.regrade USING btree (batch_id);
CREATE INDEX ix_regrade_state ON public.regrade USING btree (state);
CREATE INDEX ix_regrade_submission_id ON public.regrade USING btree (submission_id);
CREATE INDEX ix_review_request_submission_id ON public.review_request USING btree (submission_id);
CREATE INDEX ix_seat_entry_game ON public.seat USING btree (entry_id, game_id);
CREATE INDEX ix_setting_change_assignment_id ON public.setting_change USING btree (assignment_id);
CREATE INDEX ix_submission_author ON public.submission USING btree (assignment_id, author_id, id, qualifies, points);
CREATE INDEX ix_submission_finished ON public.submission USING btree (finished_at, state);
CREATE INDEX ix_submission_state ON public.submission USING btree (state);
CREATE INDEX ix_submission_times ON public.submission USING btree (assignment_id, queued_at, author_id, finished_at);
CREATE INDEX ix_trial_player_id ON public.trial USING btree (player_id);
CREATE INDEX ix_trial_state ON public.trial USING btree (state);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT fk_api_token_user_id FOREIGN KEY (user_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.assignment
    ADD CONSTRAINT fk_assignment_course_id FOREIGN KEY (course_id) REFERENCES public.course(id);
ALTER TABLE ONLY public.assignment_draft
    ADD CONSTRAINT fk_assignment_draft_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.assignment_draft
    ADD CONSTRAINT fk_assignment_draft_saved_by FOREIGN KEY (saved_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.assignment_version
    ADD CONSTRAINT fk_assignment_version_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.assignment_version
    ADD CONSTRAINT fk_assignment_version_published_by FOREIGN KEY (published_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.authoring_job
    ADD CONSTRAINT fk_authoring_job_asked_by FOREIGN KEY (asked_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.authoring_job
    ADD CONSTRAINT fk_authoring_job_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.block
    ADD CONSTRAINT fk_block_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.bracket
    ADD CONSTRAINT fk_bracket_ladder_id_tournament FOREIGN KEY (ladder_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.bracket
    ADD CONSTRAINT fk_bracket_tournament_id_tournament FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.case_failures
    ADD CONSTRAINT fk_case_failures_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.case_failures
    ADD CONSTRAINT fk_case_failures_cases FOREIGN KEY (cases) REFERENCES public.case_names(key);
ALTER TABLE ONLY public.case_failures
    ADD CONSTRAINT fk_case_failures_submission_id FOREIGN KEY (submission_id) REFERENCES public.submission(id);
ALTER TABLE ONLY public.chosen_upload
    ADD CONSTRAINT fk_chosen_upload_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.chosen_upload
    ADD CONSTRAINT fk_chosen_upload_submission_id FOREIGN KEY (submission_id) REFERENCES public.submission(id);
ALTER TABLE ONLY public.chosen_upload
    ADD CONSTRAINT fk_chosen_upload_user_id FOREIGN KEY (user_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.code_comment
    ADD CONSTRAINT fk_code_comment_changed_by FOREIGN KEY (changed_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.code_comment
    ADD CONSTRAINT fk_code_comment_submission_id FOREIGN KEY (submission_id) REFERENCES public.submission(id);
ALTER TABLE ONLY public.code_comment
    ADD CONSTRAINT fk_code_comment_written_by FOREIGN KEY (written_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.compared_pair
    ADD CONSTRAINT fk_compared_pair_comparison_id FOREIGN KEY (comparison_id) REFERENCES public.comparison(id);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT fk_comparison_author_id FOREIGN KEY (author_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT fk_comparison_entry_id FOREIGN KEY (entry_id) REFERENCES public.entry(id);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT fk_comparison_player_id FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT fk_comparison_submission_id FOREIGN KEY (submission_id) REFERENCES public.submission(id);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT fk_comparison_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.course_marking
    ADD CONSTRAINT fk_course_marking_course_id FOREIGN KEY (course_id) REFERENCES public.course(id);
ALTER TABLE ONLY public.custom_batch
    ADD CONSTRAINT fk_custom_batch_asker_id FOREIGN KEY (asker_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.custom_batch
    ADD CONSTRAINT fk_custom_batch_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.custom_game
    ADD CONSTRAINT fk_custom_game_asker_id FOREIGN KEY (asker_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.custom_game
    ADD CONSTRAINT fk_custom_game_batch_id FOREIGN KEY (batch_id) REFERENCES public.custom_batch(id);
ALTER TABLE ONLY public.custom_game
    ADD CONSTRAINT fk_custom_game_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.custom_seat
    ADD CONSTRAINT fk_custom_seat_author_id FOREIGN KEY (author_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.custom_seat
    ADD CONSTRAINT fk_custom_seat_entry_id FOREIGN KEY (entry_id) REFERENCES public.entry(id);
ALTER TABLE ONLY public.custom_seat
    ADD CONSTRAINT fk_custom_seat_game_id FOREIGN KEY (game_id) REFERENCES public.custom_game(id);
ALTER TABLE ONLY public.custom_seat
    ADD CONSTRAINT fk_custom_seat_player_id FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.entry
    ADD CONSTRAINT fk_entry_author_id FOREIGN KEY (author_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.entry
    ADD CONSTRAINT fk_entry_player_id FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.entry
    ADD CONSTRAINT fk_entry_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.exclusion_override
    ADD CONSTRAINT fk_exclusion_override_author_id FOREIGN KEY (author_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.exclusion_override
    ADD CONSTRAINT fk_exclusion_override_given_by FOREIGN KEY (given_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.exclusion_override
    ADD CONSTRAINT fk_exclusion_override_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.extension
    ADD CONSTRAINT fk_extension_assignment_id_assignment FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.extension
    ADD CONSTRAINT fk_extension_user_id_user FOREIGN KEY (user_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.final
    ADD CONSTRAINT fk_final_tournament_id_tournament FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.fingerprint
    ADD CONSTRAINT fk_fingerprint_player_id_player FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.former_member
    ADD CONSTRAINT fk_former_member_course_id FOREIGN KEY (course_id) REFERENCES public.course(id);
ALTER TABLE ONLY public.former_member
    ADD CONSTRAINT fk_former_member_removed_by FOREIGN KEY (removed_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.former_member
    ADD CONSTRAINT fk_former_member_user_id FOREIGN KEY (user_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.game
    ADD CONSTRAINT fk_game_block_id FOREIGN KEY (block_id) REFERENCES public.block(id);
ALTER TABLE ONLY public.game
    ADD CONSTRAINT fk_game_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.given_file
    ADD CONSTRAINT fk_given_file_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.given_file
    ADD CONSTRAINT fk_given_file_player_id FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.hand_game
    ADD CONSTRAINT fk_hand_game_adviser_id FOREIGN KEY (adviser_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.hand_game
    ADD CONSTRAINT fk_hand_game_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.hand_game
    ADD CONSTRAINT fk_hand_game_person_id FOREIGN KEY (person_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.join_code
    ADD CONSTRAINT fk_join_code_course_id FOREIGN KEY (course_id) REFERENCES public.course(id);
ALTER TABLE ONLY public.join_code
    ADD CONSTRAINT fk_join_code_made_by FOREIGN KEY (made_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.marking
    ADD CONSTRAINT fk_marking_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.marks_publication
    ADD CONSTRAINT fk_marks_publication_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.marks_publication
    ADD CONSTRAINT fk_marks_publication_published_by FOREIGN KEY (published_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.matchups
    ADD CONSTRAINT fk_matchups_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT fk_membership_course_id FOREIGN KEY (course_id) REFERENCES public.course(id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT fk_membership_user_id FOREIGN KEY (user_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.notice
    ADD CONSTRAINT fk_notice_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.notice
    ADD CONSTRAINT fk_notice_user_id FOREIGN KEY (user_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_entry_id FOREIGN KEY (entry_id) REFERENCES public.entry(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_submission_id FOREIGN KEY (submission_id) REFERENCES public.submission(id);
ALTER TABLE ONLY public.outcome
    ADD CONSTRAINT fk_outcome_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
ALTER TABLE ONLY public.published_mark
    ADD CONSTRAINT fk_published_mark_publication_id FOREIGN KEY (publication_id) REFERENCES public.marks_publication(id);
ALTER TABLE ONLY public.published_mark
    ADD CONSTRAINT fk_published_mark_user_id FOREIGN KEY (user_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.rank_sample
    ADD CONSTRAINT fk_rank_sample_entry_id FOREIGN KEY (entry_id) REFERENCES public.entry(id);
ALTER TABLE ONLY public.regrade_batch
    ADD CONSTRAINT fk_regrade_batch_asked_by FOREIGN KEY (asked_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.regrade_batch
    ADD CONSTRAINT fk_regrade_batch_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.regrade
    ADD CONSTRAINT fk_regrade_batch_id FOREIGN KEY (batch_id) REFERENCES public.regrade_batch(id);
ALTER TABLE ONLY public.regrade
    ADD CONSTRAINT fk_regrade_submission_id FOREIGN KEY (submission_id) REFERENCES public.submission(id);
ALTER TABLE ONLY public.review_request
    ADD CONSTRAINT fk_review_request_answered_by FOREIGN KEY (answered_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.review_request
    ADD CONSTRAINT fk_review_request_submission_id FOREIGN KEY (submission_id) REFERENCES public.submission(id);
ALTER TABLE ONLY public.seat
    ADD CONSTRAINT fk_seat_entry_id FOREIGN KEY (entry_id) REFERENCES public.entry(id);
ALTER TABLE ONLY public.seat
    ADD CONSTRAINT fk_seat_game_id FOREIGN KEY (game_id) REFERENCES public.game(id);
ALTER TABLE ONLY public.setting_change
    ADD CONSTRAINT fk_setting_change_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.setting_change
    ADD CONSTRAINT fk_setting_change_changed_by FOREIGN KEY (changed_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.shared_game
    ADD CONSTRAINT fk_shared_game_game_id FOREIGN KEY (game_id) REFERENCES public.game(id);
ALTER TABLE ONLY public.shared_game
    ADD CONSTRAINT fk_shared_game_shared_by FOREIGN KEY (shared_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.staff_decision
    ADD CONSTRAINT fk_staff_decision_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.staff_decision
    ADD CONSTRAINT fk_staff_decision_decided_by FOREIGN KEY (decided_by) REFERENCES public."user"(id);
ALTER TABLE ONLY public.staff_decision
    ADD CONSTRAINT fk_staff_decision_user_id FOREIGN KEY (user_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.submission
    ADD CONSTRAINT fk_submission_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.submission
    ADD CONSTRAINT fk_submission_author_id FOREIGN KEY (author_id) REFERENCES public."user"(id);
ALTER TABLE ONLY public.submission
    ADD CONSTRAINT fk_submission_player_id FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.tournament
    ADD CONSTRAINT fk_tournament_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.trial
    ADD CONSTRAINT fk_trial_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.trial
    ADD CONSTRAINT fk_trial_player_id FOREIGN KEY (player_id) REFERENCES public.player(id);
ALTER TABLE ONLY public.void_attempt
    ADD CONSTRAINT fk_void_attempt_block_id FOREIGN KEY (block_id) REFERENCES public.block(id);
ALTER TABLE ONLY public.watch
    ADD CONSTRAINT fk_watch_tournament_id FOREIGN KEY (tournament_id) REFERENCES public.tournament(id);
