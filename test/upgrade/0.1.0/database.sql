--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)


--
-- Name: incoming; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA incoming;


--
-- Name: SCHEMA incoming; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA incoming IS 'Records of runs that are being read; a table a run and resource, dropped when it is merged into staging. Not for readers.';


--
-- Name: migration; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA migration;


--
-- Name: SCHEMA migration; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA migration IS 'Which migrations and views of the product this database has.';


--
-- Name: published; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA published;


--
-- Name: SCHEMA published; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA published IS 'What readers may build on: complete runs only. A run appears here when all of its plan has landed.';


--
-- Name: staging; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA staging;


--
-- Name: SCHEMA staging; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA staging IS 'Records of the sources as read, one row for each version, with history. Current rows: valid_to_run is null.';


--
-- Name: sync; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA sync;


--
-- Name: SCHEMA sync; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA sync IS 'State of the product: integrations, runs, certificates, plans and what the platform has. Written by the product only.';




--
-- Name: applied; Type: TABLE; Schema: migration; Owner: -
--

CREATE TABLE migration.applied (
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: TABLE applied; Type: COMMENT; Schema: migration; Owner: -
--

COMMENT ON TABLE migration.applied IS 'Files of sql/migrations and sql/views that were applied.';


--
-- Name: COLUMN applied.name; Type: COMMENT; Schema: migration; Owner: -
--

COMMENT ON COLUMN migration.applied.name IS 'File.';


--
-- Name: COLUMN applied.sha256; Type: COMMENT; Schema: migration; Owner: -
--

COMMENT ON COLUMN migration.applied.sha256 IS 'SHA-256 of the file as it was applied.';


--
-- Name: COLUMN applied.applied_at; Type: COMMENT; Schema: migration; Owner: -
--

COMMENT ON COLUMN migration.applied.applied_at IS 'When.';


--
-- Name: runs; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.runs (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    command text NOT NULL,
    status text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    planned_at timestamp with time zone,
    applied_at timestamp with time zone,
    finished_at timestamp with time zone,
    product_version text NOT NULL,
    started_by text NOT NULL,
    approved_by text,
    approved_at timestamp with time zone,
    config_hash text NOT NULL,
    contents text[] NOT NULL,
    base bigint NOT NULL,
    fence bigint,
    plan_hash text,
    certified boolean,
    held jsonb,
    counts jsonb,
    error text,
    manifest_sha256 text,
    CONSTRAINT runs_command_check CHECK ((command = ANY (ARRAY['run'::text, 'plan'::text]))),
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'planned'::text, 'held'::text, 'applying'::text, 'applied'::text, 'finished'::text, 'failed'::text, 'abandoned'::text])))
);


--
-- Name: TABLE runs; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.runs IS 'One execution for one integration.';


--
-- Name: COLUMN runs.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.integration_id IS 'Integration.';


--
-- Name: COLUMN runs.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.run_id IS 'UUIDv7; grows with time.';


--
-- Name: COLUMN runs.command; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.command IS 'run or plan.';


--
-- Name: COLUMN runs.status; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.status IS 'running; planned or held (stored, nothing sent); applying; applied (platform done, pack not yet); finished; failed; abandoned (died before its plan was stored).';


--
-- Name: COLUMN runs.started_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.started_at IS 'When the run started.';


--
-- Name: COLUMN runs.planned_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.planned_at IS 'When the plan was stored.';


--
-- Name: COLUMN runs.applied_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.applied_at IS 'When the platform had every planned change.';


--
-- Name: COLUMN runs.finished_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.finished_at IS 'When the run ended, in success or failure; of an applied run, when its pack was begun.';


--
-- Name: COLUMN runs.product_version; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.product_version IS 'Version of event-content-sync.';


--
-- Name: COLUMN runs.started_by; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.started_by IS 'User at the operating system who started the run. Personal.';


--
-- Name: COLUMN runs.approved_by; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.approved_by IS 'Who approved the plan with apply; null where nobody had to. Personal.';


--
-- Name: COLUMN runs.approved_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.approved_at IS 'When the plan was approved.';


--
-- Name: COLUMN runs.config_hash; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.config_hash IS 'SHA-256 over the effective configuration, without secrets.';


--
-- Name: COLUMN runs.contents; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.contents IS 'Contents that this run plans.';


--
-- Name: COLUMN runs.base; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.base IS 'State of the platform that the plan starts from.';


--
-- Name: COLUMN runs.fence; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.fence IS 'Number that the platform tells stale runs by; null until the run is applied.';


--
-- Name: COLUMN runs.plan_hash; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.plan_hash IS 'SHA-256 of the plan; null before it is stored.';


--
-- Name: COLUMN runs.certified; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.certified IS 'Whether every resource was proved to be read completely.';


--
-- Name: COLUMN runs.held; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.held IS 'The guard that held the plan and what it saw; null where none did.';


--
-- Name: COLUMN runs.counts; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.counts IS 'Changes by content and action, excluded by reason, quarantined.';


--
-- Name: COLUMN runs.error; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.error IS 'What went wrong, without personal values; null where nothing did.';


--
-- Name: COLUMN runs.manifest_sha256; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.manifest_sha256 IS 'SHA-256 of the manifest of the audit pack, to which the next one refers; null without a pack.';


--
-- Name: runs; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.runs AS
 SELECT run.integration_id,
    run.run_id,
    run.started_at,
    run.planned_at,
    run.applied_at,
    run.finished_at,
    run.contents,
    run.certified,
    run.plan_hash,
    run.counts,
    run.product_version,
    (NOT (EXISTS ( SELECT
           FROM sync.runs later
          WHERE ((later.integration_id = run.integration_id) AND (later.status = 'finished'::text) AND (later.run_id > run.run_id))))) AS is_latest
   FROM sync.runs run
  WHERE (run.status = 'finished'::text);


--
-- Name: VIEW runs; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.runs IS 'Runs whose plan has landed on the platform; withheld in counts tells the removals that were left out.';


--
-- Name: COLUMN runs.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.integration_id IS 'Integration.';


--
-- Name: COLUMN runs.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.run_id IS 'UUIDv7; grows with time.';


--
-- Name: COLUMN runs.started_at; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.started_at IS 'When the run started.';


--
-- Name: COLUMN runs.planned_at; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.planned_at IS 'When the plan was stored.';


--
-- Name: COLUMN runs.applied_at; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.applied_at IS 'When the platform had every planned change.';


--
-- Name: COLUMN runs.finished_at; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.finished_at IS 'When the run ended.';


--
-- Name: COLUMN runs.contents; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.contents IS 'Contents that the run planned.';


--
-- Name: COLUMN runs.certified; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.certified IS 'Whether every resource was proved to be read completely.';


--
-- Name: COLUMN runs.plan_hash; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.plan_hash IS 'SHA-256 of the plan.';


--
-- Name: COLUMN runs.counts; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.counts IS 'Changes by content and action, excluded by reason, quarantined; JSON as of run --json.';


--
-- Name: COLUMN runs.product_version; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.product_version IS 'Version of event-content-sync.';


--
-- Name: COLUMN runs.is_latest; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.is_latest IS 'Whether it is the last such run of its integration: the one the other views show.';


--
-- Name: b_sessions; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.b_sessions (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    description text,
    start_time timestamp with time zone,
    start_time_status text NOT NULL,
    end_time timestamp with time zone,
    end_time_status text NOT NULL,
    time_zone text,
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid,
    CONSTRAINT b_sessions_end_time_status_check CHECK ((end_time_status = ANY (ARRAY['absent'::text, 'read'::text, 'ambiguous'::text, 'unreadable'::text]))),
    CONSTRAINT b_sessions_start_time_status_check CHECK ((start_time_status = ANY (ARRAY['absent'::text, 'read'::text, 'ambiguous'::text, 'unreadable'::text])))
);


--
-- Name: TABLE b_sessions; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.b_sessions IS 'Source B: sessions (GET sessions.json), spec 2.6.';


--
-- Name: COLUMN b_sessions.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN b_sessions.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.source_id IS 'Id of the record at the source, digits as written.';


--
-- Name: COLUMN b_sessions.name; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.name IS 'name; platform field name.';


--
-- Name: COLUMN b_sessions.description; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.description IS 'description, HTML as received; platform field description.';


--
-- Name: COLUMN b_sessions.start_time; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.start_time IS 'date with start_time in time_zone, as an instant; null where start_time_status is absent or unreadable.';


--
-- Name: COLUMN b_sessions.start_time_status; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.start_time_status IS 'absent, read, ambiguous (a local time that occurs twice: the earlier instant) or unreadable (also a local time that a clock change skips).';


--
-- Name: COLUMN b_sessions.end_time; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.end_time IS 'date with end_time in time_zone, as an instant; on the next day where the clock on the wall is before the start.';


--
-- Name: COLUMN b_sessions.end_time_status; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.end_time_status IS 'As start_time_status.';


--
-- Name: COLUMN b_sessions.time_zone; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.time_zone IS 'Zone the local times were read in: timezone of the record where that is an IANA name, else source.timeZone.';


--
-- Name: COLUMN b_sessions.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN b_sessions.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.doc IS 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';


--
-- Name: COLUMN b_sessions.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN b_sessions.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN b_sessions.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_sessions.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: desired_items; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.desired_items (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C",
    unique_id text NOT NULL COLLATE pg_catalog."C",
    fields jsonb NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid
);


--
-- Name: TABLE desired_items; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.desired_items IS 'What the platform should have, with history.';


--
-- Name: COLUMN desired_items.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.desired_items.integration_id IS 'Integration.';


--
-- Name: COLUMN desired_items.content; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.desired_items.content IS 'agenda, speakers or attendees.';


--
-- Name: COLUMN desired_items.unique_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.desired_items.unique_id IS 'Unique ID of the item. Personal.';


--
-- Name: COLUMN desired_items.fields; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.desired_items.fields IS 'Platform fields; those without a value are left out. Personal.';


--
-- Name: COLUMN desired_items.valid_from_run; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.desired_items.valid_from_run IS 'First run with these fields.';


--
-- Name: COLUMN desired_items.valid_to_run; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.desired_items.valid_to_run IS 'First run without them; null while current.';


--
-- Name: integrations; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.integrations (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL,
    source_url text NOT NULL,
    source_event_id text NOT NULL,
    platform text NOT NULL,
    platform_url text NOT NULL,
    platform_event_id text NOT NULL,
    time_zone text,
    base bigint NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    contents_read_back text[] DEFAULT '{}'::text[] NOT NULL
);


--
-- Name: TABLE integrations; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.integrations IS 'One source event synced to one platform event; bound to both at its first run.';


--
-- Name: COLUMN integrations.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.integration_id IS 'Id in event-sync.yaml.';


--
-- Name: COLUMN integrations.source; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.source IS 'a or b.';


--
-- Name: COLUMN integrations.source_url; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.source_url IS 'Address of the source, without credentials.';


--
-- Name: COLUMN integrations.source_event_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.source_event_id IS 'Event id at the source.';


--
-- Name: COLUMN integrations.platform; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.platform IS 'Kind of target: jsonl or http.';


--
-- Name: COLUMN integrations.platform_url; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.platform_url IS 'Address of the platform; empty for jsonl.';


--
-- Name: COLUMN integrations.platform_event_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.platform_event_id IS 'Event id at the platform; empty for jsonl.';


--
-- Name: COLUMN integrations.time_zone; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.time_zone IS 'source.timeZone of the last run; null where none is configured.';


--
-- Name: COLUMN integrations.base; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.base IS 'Counts the states of the platform as known here; a plan is current while its base is.';


--
-- Name: COLUMN integrations.fence; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.fence IS 'Highest fence number of a run; the platform refuses a run with a lower one than it has seen.';


--
-- Name: COLUMN integrations.contents_read_back; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.contents_read_back IS 'Contents of which it is known what the platform had before these runs: they were read back.';


--
-- Name: agenda; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.agenda AS
 SELECT item.integration_id,
    item.unique_id,
    (item.fields ->> 'name'::text) AS name,
    ((item.fields ->> 'startTime'::text))::timestamp with time zone AS start_time,
    ((item.fields ->> 'endTime'::text))::timestamp with time zone AS end_time,
    (((item.fields ->> 'startTime'::text))::timestamp with time zone AT TIME ZONE zone.name) AS local_start,
    (((item.fields ->> 'endTime'::text))::timestamp with time zone AT TIME ZONE zone.name) AS local_end,
    zone.name AS time_zone,
    (item.fields ->> 'description'::text) AS description,
    (item.fields ->> 'location'::text) AS location,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'sessionTracks'::text)) AS jsonb_array_elements_text) AS session_tracks,
    (item.fields ->> 'filterGroup'::text) AS filter_group,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'subFilters'::text)) AS jsonb_array_elements_text) AS sub_filters,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'speakerIds'::text)) AS jsonb_array_elements_text) AS speaker_ids,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'linkUrls'::text)) AS jsonb_array_elements_text) AS link_urls,
    run.run_id
   FROM ((((published.runs run
     JOIN sync.integrations integration ON ((integration.integration_id = run.integration_id)))
     JOIN sync.desired_items item ON (((item.integration_id = run.integration_id) AND (item.content = 'agenda'::text) AND (item.valid_from_run <= run.run_id) AND ((item.valid_to_run IS NULL) OR (item.valid_to_run > run.run_id)))))
     LEFT JOIN staging.b_sessions session ON (((session.integration_id = item.integration_id) AND (session.source_id = item.unique_id) AND (session.valid_from_run <= run.run_id) AND ((session.valid_to_run IS NULL) OR (session.valid_to_run > run.run_id)))))
     LEFT JOIN pg_timezone_names zone ON ((lower(zone.name) = lower(COALESCE(session.time_zone, integration.time_zone)))))
  WHERE run.is_latest;


--
-- Name: VIEW agenda; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.agenda IS 'Agenda items that the platform should have (spec 2.2, 2.6).';


--
-- Name: COLUMN agenda.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.integration_id IS 'Integration.';


--
-- Name: COLUMN agenda.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.unique_id IS 'Unique ID of the item; id of the session at the source.';


--
-- Name: COLUMN agenda.name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.name IS 'Platform field name.';


--
-- Name: COLUMN agenda.start_time; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.start_time IS 'Platform field startTime.';


--
-- Name: COLUMN agenda.end_time; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.end_time IS 'Platform field endTime.';


--
-- Name: COLUMN agenda.local_start; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.local_start IS 'start_time on the clock on the wall in time_zone; null where the zone is not known.';


--
-- Name: COLUMN agenda.local_end; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.local_end IS 'end_time on the clock on the wall in time_zone; null where the zone is not known.';


--
-- Name: COLUMN agenda.time_zone; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.time_zone IS 'Zone of the session (Source B), else source.timeZone; null where neither is known to this database.';


--
-- Name: COLUMN agenda.description; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.description IS 'Platform field description, HTML as received.';


--
-- Name: COLUMN agenda.location; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.location IS 'Platform field location (Source A).';


--
-- Name: COLUMN agenda.session_tracks; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.session_tracks IS 'Platform field sessionTracks (Source A); empty where there are none.';


--
-- Name: COLUMN agenda.filter_group; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.filter_group IS 'Platform field filterGroup: Types where there are sub-filters (Source A).';


--
-- Name: COLUMN agenda.sub_filters; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.sub_filters IS 'Platform field subFilters (Source A); empty where there are none.';


--
-- Name: COLUMN agenda.speaker_ids; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.speaker_ids IS 'Platform field speakerIds (Source A), in the order of the source; join published.speakers.';


--
-- Name: COLUMN agenda.link_urls; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.link_urls IS 'Platform field linkUrls (Source A), in the order of the source.';


--
-- Name: COLUMN agenda.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.run_id IS 'Run that the row is of.';


--
-- Name: attendees; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.attendees AS
 SELECT item.integration_id,
    item.unique_id,
    (item.fields ->> 'firstName'::text) AS first_name,
    (item.fields ->> 'lastName'::text) AS last_name,
    (item.fields ->> 'emailAddress'::text) AS email_address,
    (item.fields ->> 'title'::text) AS title,
    (item.fields ->> 'company'::text) AS company,
    (item.fields ->> 'biography'::text) AS biography,
    (item.fields ->> 'phone'::text) AS phone,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'personalAgenda'::text)) AS jsonb_array_elements_text) AS personal_agenda,
    run.run_id
   FROM (published.runs run
     JOIN sync.desired_items item ON (((item.integration_id = run.integration_id) AND (item.content = 'attendees'::text) AND (item.valid_from_run <= run.run_id) AND ((item.valid_to_run IS NULL) OR (item.valid_to_run > run.run_id)))))
  WHERE run.is_latest;


--
-- Name: VIEW attendees; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.attendees IS 'Attendees that the platform should have (spec 2.4, 2.8).';


--
-- Name: COLUMN attendees.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.integration_id IS 'Integration.';


--
-- Name: COLUMN attendees.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.unique_id IS 'Unique ID of the item; id of the user or registrant at the source, or the e-mail address of a user without one. Personal.';


--
-- Name: COLUMN attendees.first_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.first_name IS 'Platform field firstName. Personal.';


--
-- Name: COLUMN attendees.last_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.last_name IS 'Platform field lastName. Personal.';


--
-- Name: COLUMN attendees.email_address; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.email_address IS 'Platform field emailAddress. Personal.';


--
-- Name: COLUMN attendees.title; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.title IS 'Platform field title. Personal.';


--
-- Name: COLUMN attendees.company; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.company IS 'Platform field company. Personal.';


--
-- Name: COLUMN attendees.biography; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.biography IS 'Platform field biography (Source B). Personal.';


--
-- Name: COLUMN attendees.phone; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.phone IS 'Platform field phone (Source B). Personal.';


--
-- Name: COLUMN attendees.personal_agenda; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.personal_agenda IS 'Platform field personalAgenda (Source B); join published.agenda. Empty where there is none.';


--
-- Name: COLUMN attendees.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.run_id IS 'Run that the row is of.';


--
-- Name: attendee_sessions; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.attendee_sessions AS
 SELECT attendee.integration_id,
    attendee.unique_id AS attendee_id,
    session_id.session_id
   FROM (published.attendees attendee
     CROSS JOIN LATERAL unnest(attendee.personal_agenda) session_id(session_id));


--
-- Name: VIEW attendee_sessions; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.attendee_sessions IS 'Which attendee has which session in the personal agenda (Source B).';


--
-- Name: COLUMN attendee_sessions.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendee_sessions.integration_id IS 'Integration.';


--
-- Name: COLUMN attendee_sessions.attendee_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendee_sessions.attendee_id IS 'Joins published.attendees.unique_id.';


--
-- Name: COLUMN attendee_sessions.session_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendee_sessions.session_id IS 'Joins published.agenda.unique_id.';


--
-- Name: changes; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.changes (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    seq bigint NOT NULL,
    content text NOT NULL COLLATE pg_catalog."C",
    unique_id text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL,
    reason text NOT NULL,
    before jsonb,
    after jsonb,
    change_hash bytea NOT NULL,
    inferred boolean DEFAULT false NOT NULL,
    state text NOT NULL,
    batch integer,
    alone boolean DEFAULT false NOT NULL,
    result text,
    code text,
    retryable boolean,
    CONSTRAINT changes_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'remove'::text]))),
    CONSTRAINT changes_result_check CHECK ((result = ANY (ARRAY['created'::text, 'updated'::text, 'unchanged'::text, 'removed'::text, 'failed'::text]))),
    CONSTRAINT changes_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sent'::text, 'applied'::text, 'failed'::text, 'withheld'::text])))
);


--
-- Name: TABLE changes; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.changes IS 'The plan of a run: each item to create, update or remove, in the order in which it is sent.';


--
-- Name: COLUMN changes.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.integration_id IS 'Integration.';


--
-- Name: COLUMN changes.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.run_id IS 'Run that planned the change.';


--
-- Name: COLUMN changes.seq; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.seq IS 'Place in the plan, from 1.';


--
-- Name: COLUMN changes.content; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.content IS 'agenda, speakers or attendees.';


--
-- Name: COLUMN changes.unique_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.unique_id IS 'Unique ID of the item. Personal.';


--
-- Name: COLUMN changes.action; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.action IS 'create, update or remove.';


--
-- Name: COLUMN changes.reason; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.reason IS 'Why the item is removed; empty for create and update.';


--
-- Name: COLUMN changes.before; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.before IS 'Platform fields before; null for create. Personal.';


--
-- Name: COLUMN changes.after; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.after IS 'Platform fields after; null for remove. Personal.';


--
-- Name: COLUMN changes.change_hash; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.change_hash IS 'SHA-256 over the change; the plan hash is made of these.';


--
-- Name: COLUMN changes.inferred; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.inferred IS 'For a removal: true where no record that was read states it, as for removed_at_source.';


--
-- Name: COLUMN changes.state; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.state IS 'pending; sent: in a batch whose answer is not known, so the platform may have it; applied: acknowledged; failed: rejected by the platform; withheld: left out of this run.';


--
-- Name: COLUMN changes.batch; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.batch IS 'Batch that the change is sent in; null before.';


--
-- Name: COLUMN changes.alone; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.alone IS 'Whether it is sent in a batch of its own, after a batch with it was refused.';


--
-- Name: COLUMN changes.result; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.result IS 'What the platform said: created, updated, unchanged, removed or failed; null before.';


--
-- Name: COLUMN changes.code; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.code IS 'Why the platform rejected the change, as it says.';


--
-- Name: COLUMN changes.retryable; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.changes.retryable IS 'Whether the platform says that the same change may succeed later.';


--
-- Name: changes; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.changes AS
 SELECT change.integration_id,
    change.run_id,
    change.content,
    change.unique_id,
    change.action,
    NULLIF(change.reason, ''::text) AS reason,
    field.name AS field,
    (change.before -> field.name) AS before,
    (change.after -> field.name) AS after
   FROM ((published.runs run
     JOIN sync.changes change ON (((change.integration_id = run.integration_id) AND (change.run_id = run.run_id) AND (change.state <> 'withheld'::text))))
     CROSS JOIN LATERAL ( SELECT jsonb_object_keys((COALESCE(change.before, '{}'::jsonb) || COALESCE(change.after, '{}'::jsonb))) AS jsonb_object_keys) field(name))
  WHERE ((change.before -> field.name) IS DISTINCT FROM (change.after -> field.name));


--
-- Name: VIEW changes; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.changes IS 'Fields that runs changed on the platform.';


--
-- Name: COLUMN changes.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.integration_id IS 'Integration.';


--
-- Name: COLUMN changes.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.run_id IS 'Run; joins published.runs.';


--
-- Name: COLUMN changes.content; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.content IS 'agenda, speakers or attendees.';


--
-- Name: COLUMN changes.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.unique_id IS 'Unique ID of the item. Personal.';


--
-- Name: COLUMN changes.action; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.action IS 'create, update or remove.';


--
-- Name: COLUMN changes.reason; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.reason IS 'Why the item was removed; null for create and update.';


--
-- Name: COLUMN changes.field; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.field IS 'Platform field.';


--
-- Name: COLUMN changes.before; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.before IS 'Value before, as JSON; null where the field was absent. Personal.';


--
-- Name: COLUMN changes.after; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.after IS 'Value after, as JSON; null where the field is absent now. Personal.';


--
-- Name: decisions; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.decisions (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C",
    resource text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    unique_id text COLLATE pg_catalog."C",
    decision text NOT NULL,
    reason text NOT NULL,
    detail text NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid,
    CONSTRAINT decisions_decision_check CHECK ((decision = ANY (ARRAY['synced'::text, 'excluded'::text])))
);


--
-- Name: TABLE decisions; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.decisions IS 'What became of each staged record for each content, with history; repeated and quarantined records stand in sync.unstaged.';


--
-- Name: COLUMN decisions.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.integration_id IS 'Integration.';


--
-- Name: COLUMN decisions.content; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.content IS 'agenda, speakers or attendees.';


--
-- Name: COLUMN decisions.resource; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.resource IS 'Resource of the record.';


--
-- Name: COLUMN decisions.source_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.source_id IS 'Id of the record. Personal.';


--
-- Name: COLUMN decisions.unique_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.unique_id IS 'Unique ID of the platform item; null where the record has none. Personal.';


--
-- Name: COLUMN decisions.decision; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.decision IS 'synced or excluded.';


--
-- Name: COLUMN decisions.reason; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.reason IS 'Why the record is excluded; empty where it is synced.';


--
-- Name: COLUMN decisions.detail; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.detail IS 'Marks in byte order, joined with "; ".';


--
-- Name: COLUMN decisions.valid_from_run; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.valid_from_run IS 'First run with this decision.';


--
-- Name: COLUMN decisions.valid_to_run; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.decisions.valid_to_run IS 'First run with another; null while current.';


--
-- Name: unstaged; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.unstaged (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    ordinal bigint NOT NULL,
    source_id text COLLATE pg_catalog."C",
    id text COLLATE pg_catalog."C",
    reason text NOT NULL,
    path text NOT NULL,
    detail text NOT NULL,
    CONSTRAINT unstaged_reason_check CHECK ((reason = ANY (ARRAY['invalid_record'::text, 'duplicate_id'::text])))
);


--
-- Name: TABLE unstaged; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.unstaged IS 'Records of a run that have no row in staging: repeated ids (the later record counts) and quarantined records.';


--
-- Name: COLUMN unstaged.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.integration_id IS 'Integration.';


--
-- Name: COLUMN unstaged.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.run_id IS 'Run that read the record.';


--
-- Name: COLUMN unstaged.resource; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.resource IS 'Resource.';


--
-- Name: COLUMN unstaged.ordinal; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.ordinal IS 'Place of the record in source order, from 1.';


--
-- Name: COLUMN unstaged.source_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.source_id IS 'Id of the record; null where it has none. Personal.';


--
-- Name: COLUMN unstaged.id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.id IS 'Id that the source gave; null where the e-mail address stands in.';


--
-- Name: COLUMN unstaged.reason; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.reason IS 'duplicate_id, or invalid_record: quarantined.';


--
-- Name: COLUMN unstaged.path; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.path IS 'JSON path of the fault; empty for repeated ids.';


--
-- Name: COLUMN unstaged.detail; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.detail IS 'What is wrong, without personal values.';


--
-- Name: decisions; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.decisions AS
 SELECT decision.integration_id,
    decision.content,
    decision.resource,
    decision.source_id,
    decision.unique_id,
    decision.decision,
    NULLIF(decision.reason, ''::text) AS reason,
    NULLIF(decision.detail, ''::text) AS detail,
    run.run_id
   FROM (published.runs run
     JOIN sync.decisions decision ON (((decision.integration_id = run.integration_id) AND (decision.content = ANY (run.contents)) AND (decision.valid_from_run <= run.run_id) AND ((decision.valid_to_run IS NULL) OR (decision.valid_to_run > run.run_id)))))
  WHERE run.is_latest
UNION ALL
 SELECT aside.integration_id,
    content.content,
    aside.resource,
    aside.source_id,
        CASE
            WHEN (content.content = 'attendees'::text) THEN aside.source_id
            ELSE aside.id
        END AS unique_id,
        CASE
            WHEN (aside.reason = 'duplicate_id'::text) THEN 'excluded'::text
            ELSE 'quarantined'::text
        END AS decision,
    aside.reason,
    NULL::text AS detail,
    run.run_id
   FROM ((published.runs run
     JOIN sync.unstaged aside ON (((aside.integration_id = run.integration_id) AND (aside.run_id = run.run_id))))
     JOIN ( VALUES ('sessions'::text,'agenda'::text), ('users'::text,'speakers'::text), ('users'::text,'attendees'::text), ('registrants'::text,'speakers'::text), ('registrants'::text,'attendees'::text)) content(resource, content) ON (((content.resource = aside.resource) AND (content.content = ANY (run.contents)))))
  WHERE run.is_latest;


--
-- Name: VIEW decisions; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.decisions IS 'What became of each source record, for each content that it could serve.';


--
-- Name: COLUMN decisions.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.integration_id IS 'Integration.';


--
-- Name: COLUMN decisions.content; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.content IS 'agenda, speakers or attendees.';


--
-- Name: COLUMN decisions.resource; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.resource IS 'Resource of the record.';


--
-- Name: COLUMN decisions.source_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.source_id IS 'Id of the record; null where it has none. Personal.';


--
-- Name: COLUMN decisions.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.unique_id IS 'Unique ID of the platform item; null where the record has no id. Personal.';


--
-- Name: COLUMN decisions.decision; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.decision IS 'synced, excluded or quarantined.';


--
-- Name: COLUMN decisions.reason; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.reason IS 'Why the record is excluded or quarantined; null where it is synced.';


--
-- Name: COLUMN decisions.detail; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.detail IS 'Marks in byte order, joined with "; "; null where there are none.';


--
-- Name: COLUMN decisions.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.decisions.run_id IS 'Run that the row is of.';


--
-- Name: load_results; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.load_results AS
 SELECT change.integration_id,
    change.run_id,
    change.seq,
    change.content,
    change.unique_id,
        CASE
            WHEN (change.action = 'remove'::text) THEN 'remove'::text
            ELSE 'upsert'::text
        END AS op,
    change.state AS status
   FROM (published.runs run
     JOIN sync.changes change ON (((change.integration_id = run.integration_id) AND (change.run_id = run.run_id) AND (change.state <> 'withheld'::text))));


--
-- Name: VIEW load_results; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.load_results IS 'What became of each operation that runs sent.';


--
-- Name: COLUMN load_results.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.load_results.integration_id IS 'Integration.';


--
-- Name: COLUMN load_results.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.load_results.run_id IS 'Run; joins published.runs.';


--
-- Name: COLUMN load_results.seq; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.load_results.seq IS 'Place in the plan, from 1.';


--
-- Name: COLUMN load_results.content; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.load_results.content IS 'agenda, speakers or attendees.';


--
-- Name: COLUMN load_results.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.load_results.unique_id IS 'Unique ID of the item. Personal.';


--
-- Name: COLUMN load_results.op; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.load_results.op IS 'upsert or remove.';


--
-- Name: COLUMN load_results.status; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.load_results.status IS 'applied when the platform acknowledged it.';


--
-- Name: speakers; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.speakers AS
 SELECT item.integration_id,
    item.unique_id,
    (item.fields ->> 'firstName'::text) AS first_name,
    (item.fields ->> 'lastName'::text) AS last_name,
    (item.fields ->> 'title'::text) AS title,
    (item.fields ->> 'company'::text) AS company,
    (item.fields ->> 'description'::text) AS description,
    (item.fields ->> 'imageUrl'::text) AS image_url,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'sessionIds'::text)) AS jsonb_array_elements_text) AS session_ids,
    (item.fields ->> 'attendeeId'::text) AS attendee_id,
    (item.fields ->> 'facebookUrl'::text) AS facebook_url,
    (item.fields ->> 'linkedinUrl'::text) AS linkedin_url,
    (item.fields ->> 'twitter'::text) AS twitter,
    run.run_id
   FROM (published.runs run
     JOIN sync.desired_items item ON (((item.integration_id = run.integration_id) AND (item.content = 'speakers'::text) AND (item.valid_from_run <= run.run_id) AND ((item.valid_to_run IS NULL) OR (item.valid_to_run > run.run_id)))))
  WHERE run.is_latest;


--
-- Name: VIEW speakers; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.speakers IS 'Speakers that the platform should have (spec 2.3, 2.7).';


--
-- Name: COLUMN speakers.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.integration_id IS 'Integration.';


--
-- Name: COLUMN speakers.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.unique_id IS 'Unique ID of the item; id of the user or registrant at the source.';


--
-- Name: COLUMN speakers.first_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.first_name IS 'Platform field firstName. Personal.';


--
-- Name: COLUMN speakers.last_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.last_name IS 'Platform field lastName. Personal.';


--
-- Name: COLUMN speakers.title; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.title IS 'Platform field title. Personal.';


--
-- Name: COLUMN speakers.company; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.company IS 'Platform field company. Personal.';


--
-- Name: COLUMN speakers.description; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.description IS 'Platform field description. Personal.';


--
-- Name: COLUMN speakers.image_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.image_url IS 'Platform field imageUrl (Source A). Personal.';


--
-- Name: COLUMN speakers.session_ids; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.session_ids IS 'Platform field sessionIds; join published.agenda. Empty where there are none.';


--
-- Name: COLUMN speakers.attendee_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.attendee_id IS 'Platform field attendeeId; join published.attendees.';


--
-- Name: COLUMN speakers.facebook_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.facebook_url IS 'Platform field facebookUrl (Source A). Personal.';


--
-- Name: COLUMN speakers.linkedin_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.linkedin_url IS 'Platform field linkedinUrl (Source A). Personal.';


--
-- Name: COLUMN speakers.twitter; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.twitter IS 'Platform field twitter (Source B). Personal.';


--
-- Name: COLUMN speakers.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.run_id IS 'Run that the row is of.';


--
-- Name: session_speakers; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.session_speakers AS
 SELECT agenda.integration_id,
    agenda.unique_id AS session_id,
    speaker_id.speaker_id
   FROM (published.agenda agenda
     CROSS JOIN LATERAL unnest(agenda.speaker_ids) speaker_id(speaker_id))
UNION
 SELECT speaker.integration_id,
    session_id.session_id,
    speaker.unique_id AS speaker_id
   FROM (published.speakers speaker
     CROSS JOIN LATERAL unnest(speaker.session_ids) session_id(session_id));


--
-- Name: VIEW session_speakers; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.session_speakers IS 'Who speaks in which session, whether the session or the speaker says so.';


--
-- Name: COLUMN session_speakers.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.session_speakers.integration_id IS 'Integration.';


--
-- Name: COLUMN session_speakers.session_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.session_speakers.session_id IS 'Joins published.agenda.unique_id.';


--
-- Name: COLUMN session_speakers.speaker_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.session_speakers.speaker_id IS 'Joins published.speakers.unique_id.';


--
-- Name: a_rooms; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.a_rooms (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    location text,
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid
);


--
-- Name: TABLE a_rooms; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.a_rooms IS 'Source A: rooms (GET Rooms), spec 2.2.';


--
-- Name: COLUMN a_rooms.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN a_rooms.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.source_id IS 'Id of the record at the source, digits as written.';


--
-- Name: COLUMN a_rooms.name; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.name IS 'Name; second part of platform field location.';


--
-- Name: COLUMN a_rooms.location; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.location IS 'Location; first part of platform field location.';


--
-- Name: COLUMN a_rooms.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN a_rooms.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.doc IS 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';


--
-- Name: COLUMN a_rooms.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN a_rooms.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN a_rooms.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_rooms.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: a_session_types; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.a_session_types (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    title text,
    title_folded text COLLATE pg_catalog."C",
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid
);


--
-- Name: TABLE a_session_types; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.a_session_types IS 'Source A: session types (GET SessionTypes), spec 2.2.';


--
-- Name: COLUMN a_session_types.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN a_session_types.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.source_id IS 'Id of the record at the source, digits as written.';


--
-- Name: COLUMN a_session_types.title; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.title IS 'Title, else Name; platform field subFilters.';


--
-- Name: COLUMN a_session_types.title_folded; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.title_folded IS 'title in lower case, to find 1:1 meetings (source.oneToOneTypes).';


--
-- Name: COLUMN a_session_types.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN a_session_types.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.doc IS 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';


--
-- Name: COLUMN a_session_types.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN a_session_types.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN a_session_types.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_session_types.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: a_sessions; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.a_sessions (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    title text,
    description text,
    enabled boolean,
    visible_to_anonymous_users boolean,
    status text,
    time_slot_id text COLLATE pg_catalog."C",
    room_id text COLLATE pg_catalog."C",
    track_id text COLLATE pg_catalog."C",
    session_type_id text COLLATE pg_catalog."C",
    speaker_ids text[] NOT NULL COLLATE pg_catalog."C",
    link_urls text[] NOT NULL,
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid
);


--
-- Name: TABLE a_sessions; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.a_sessions IS 'Source A: sessions (GET Sessions?$expand=Speakers), spec 2.2.';


--
-- Name: COLUMN a_sessions.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN a_sessions.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.source_id IS 'Id of the record at the source, digits as written.';


--
-- Name: COLUMN a_sessions.title; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.title IS 'Title; platform field name.';


--
-- Name: COLUMN a_sessions.description; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.description IS 'Description, HTML as received; platform field description.';


--
-- Name: COLUMN a_sessions.enabled; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.enabled IS 'Enabled; only JSON true and false count. false: not_published.';


--
-- Name: COLUMN a_sessions.visible_to_anonymous_users; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.visible_to_anonymous_users IS 'VisibleToAnonymousUsers; false: not_published.';


--
-- Name: COLUMN a_sessions.status; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.status IS 'Status, for example Accepted; see source.sessionStatuses.';


--
-- Name: COLUMN a_sessions.time_slot_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.time_slot_id IS 'TimeSlotId; joins a_time_slots.source_id.';


--
-- Name: COLUMN a_sessions.room_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.room_id IS 'RoomId; joins a_rooms.source_id.';


--
-- Name: COLUMN a_sessions.track_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.track_id IS 'TrackId; joins a_tracks.source_id.';


--
-- Name: COLUMN a_sessions.session_type_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.session_type_id IS 'SessionTypeId; joins a_session_types.source_id.';


--
-- Name: COLUMN a_sessions.speaker_ids; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.speaker_ids IS 'Ids in Speakers, those of SpeakerOrder first and in its order, repeats dropped; join a_users.id.';


--
-- Name: COLUMN a_sessions.link_urls; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.link_urls IS 'http(s) addresses of Links in source order, repeats dropped.';


--
-- Name: COLUMN a_sessions.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN a_sessions.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.doc IS 'The record as received, with users in Speakers, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';


--
-- Name: COLUMN a_sessions.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN a_sessions.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN a_sessions.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_sessions.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: a_time_slots; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.a_time_slots (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    start_time timestamp with time zone,
    start_time_status text NOT NULL,
    end_time timestamp with time zone,
    end_time_status text NOT NULL,
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid,
    CONSTRAINT a_time_slots_end_time_status_check CHECK ((end_time_status = ANY (ARRAY['absent'::text, 'read'::text, 'ambiguous'::text, 'unreadable'::text]))),
    CONSTRAINT a_time_slots_start_time_status_check CHECK ((start_time_status = ANY (ARRAY['absent'::text, 'read'::text, 'ambiguous'::text, 'unreadable'::text])))
);


--
-- Name: TABLE a_time_slots; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.a_time_slots IS 'Source A: time slots (GET TimeSlots), spec 2.2.';


--
-- Name: COLUMN a_time_slots.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN a_time_slots.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.source_id IS 'Id of the record at the source, digits as written.';


--
-- Name: COLUMN a_time_slots.start_time; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.start_time IS 'StartTime as an instant; null where start_time_status is absent or unreadable.';


--
-- Name: COLUMN a_time_slots.start_time_status; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.start_time_status IS 'absent, read, ambiguous (a local time that occurs twice: the earlier instant) or unreadable (also a local time that a clock change skips).';


--
-- Name: COLUMN a_time_slots.end_time; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.end_time IS 'EndTime as an instant; null where end_time_status is absent or unreadable.';


--
-- Name: COLUMN a_time_slots.end_time_status; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.end_time_status IS 'As start_time_status.';


--
-- Name: COLUMN a_time_slots.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN a_time_slots.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.doc IS 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';


--
-- Name: COLUMN a_time_slots.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN a_time_slots.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN a_time_slots.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_time_slots.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: a_tracks; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.a_tracks (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    title text,
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid
);


--
-- Name: TABLE a_tracks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.a_tracks IS 'Source A: tracks (GET Tracks), spec 2.2.';


--
-- Name: COLUMN a_tracks.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_tracks.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN a_tracks.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_tracks.source_id IS 'Id of the record at the source, digits as written.';


--
-- Name: COLUMN a_tracks.title; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_tracks.title IS 'Title; platform field sessionTracks.';


--
-- Name: COLUMN a_tracks.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_tracks.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN a_tracks.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_tracks.doc IS 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';


--
-- Name: COLUMN a_tracks.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_tracks.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN a_tracks.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_tracks.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN a_tracks.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_tracks.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: a_users; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.a_users (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    id text COLLATE pg_catalog."C",
    first_name text,
    last_name text,
    email_address text,
    title text,
    company text,
    biography text,
    photo_link text,
    facebook_url text,
    linkedin_url text,
    has_speaker_role boolean NOT NULL,
    is_pending boolean,
    speaking_at text[] NOT NULL COLLATE pg_catalog."C",
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid
);


--
-- Name: TABLE a_users; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.a_users IS 'Source A: users (GET Users), spec 2.3 and 2.4.';


--
-- Name: COLUMN a_users.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN a_users.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.source_id IS 'Id of the user at the source, digits as written; without one, the e-mail address. Personal.';


--
-- Name: COLUMN a_users.id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.id IS 'Id as the source gave it; null where it gave none and the e-mail address stands in as source_id.';


--
-- Name: COLUMN a_users.first_name; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.first_name IS 'FirstName; platform field firstName. Personal.';


--
-- Name: COLUMN a_users.last_name; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.last_name IS 'LastName; platform field lastName. Personal.';


--
-- Name: COLUMN a_users.email_address; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.email_address IS 'EmailAddress; platform field emailAddress. Personal.';


--
-- Name: COLUMN a_users.title; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.title IS 'Title; platform field title. Personal.';


--
-- Name: COLUMN a_users.company; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.company IS 'Company; platform field company. Personal.';


--
-- Name: COLUMN a_users.biography; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.biography IS 'Biography; platform field description of speakers. Personal.';


--
-- Name: COLUMN a_users.photo_link; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.photo_link IS 'PhotoLink, an http(s) address; platform field imageUrl. Personal.';


--
-- Name: COLUMN a_users.facebook_url; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.facebook_url IS 'Facebook (source.fields.facebook) as an https address; platform field facebookUrl. Personal.';


--
-- Name: COLUMN a_users.linkedin_url; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.linkedin_url IS 'LinkedIn (source.fields.linkedin) as an https address; platform field linkedinUrl. Personal.';


--
-- Name: COLUMN a_users.has_speaker_role; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.has_speaker_role IS 'Whether Roles names Speaker; used with source.speakers role and both.';


--
-- Name: COLUMN a_users.is_pending; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.is_pending IS 'IsPending; true: no speaker yet.';


--
-- Name: COLUMN a_users.speaking_at; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.speaking_at IS 'Session ids in SpeakingAt, in byte order; join a_sessions.source_id.';


--
-- Name: COLUMN a_users.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN a_users.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.doc IS 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';


--
-- Name: COLUMN a_users.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN a_users.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN a_users.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.a_users.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: b_reg_types; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.b_reg_types (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    name_folded text COLLATE pg_catalog."C",
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid
);


--
-- Name: TABLE b_reg_types; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.b_reg_types IS 'Source B: registrant types (GET reg-types.json), spec 2.5 and 2.7.';


--
-- Name: COLUMN b_reg_types.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN b_reg_types.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.source_id IS 'Id of the record at the source, digits as written.';


--
-- Name: COLUMN b_reg_types.name; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.name IS 'name of the registrant type.';


--
-- Name: COLUMN b_reg_types.name_folded; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.name_folded IS 'name in lower case, to find source.speakerRegistrantType.';


--
-- Name: COLUMN b_reg_types.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN b_reg_types.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.doc IS 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';


--
-- Name: COLUMN b_reg_types.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN b_reg_types.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN b_reg_types.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_reg_types.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: b_registrants; Type: TABLE; Schema: staging; Owner: -
--

CREATE TABLE staging.b_registrants (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    first_name text,
    last_name text,
    email text,
    job_title text,
    company text,
    bio text,
    mobile_phone text,
    twitter_handle text,
    reg_type_id text COLLATE pg_catalog."C",
    reg_type_value text,
    reg_type_folded text COLLATE pg_catalog."C",
    session_ids text[] NOT NULL COLLATE pg_catalog."C",
    cancelled_at text,
    marks text[] NOT NULL,
    doc jsonb NOT NULL,
    version_hash bytea NOT NULL,
    valid_from_run uuid NOT NULL,
    valid_to_run uuid
);


--
-- Name: TABLE b_registrants; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON TABLE staging.b_registrants IS 'Source B: registrants (GET registrants.json), spec 2.7 and 2.8.';


--
-- Name: COLUMN b_registrants.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.integration_id IS 'Integration that read the record.';


--
-- Name: COLUMN b_registrants.source_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.source_id IS 'Id of the record at the source, digits as written.';


--
-- Name: COLUMN b_registrants.first_name; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.first_name IS 'first_name; platform field firstName. Personal.';


--
-- Name: COLUMN b_registrants.last_name; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.last_name IS 'last_name; platform field lastName. Personal.';


--
-- Name: COLUMN b_registrants.email; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.email IS 'email (source.fields.email); platform field emailAddress. Personal.';


--
-- Name: COLUMN b_registrants.job_title; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.job_title IS 'job_title; platform field title. Personal.';


--
-- Name: COLUMN b_registrants.company; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.company IS 'company; platform field company. Personal.';


--
-- Name: COLUMN b_registrants.bio; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.bio IS 'bio; platform field description of speakers, biography of attendees. Personal.';


--
-- Name: COLUMN b_registrants.mobile_phone; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.mobile_phone IS 'mobile_phone; platform field phone. Personal.';


--
-- Name: COLUMN b_registrants.twitter_handle; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.twitter_handle IS 'twitter_handle without @ or address; platform field twitter. Personal.';


--
-- Name: COLUMN b_registrants.reg_type_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.reg_type_id IS 'Id of the registrant type, or the bare text that stood in its place; joins b_reg_types.source_id.';


--
-- Name: COLUMN b_registrants.reg_type_value; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.reg_type_value IS 'Name of the registrant type where the record gave it itself (reg_type_id.value).';


--
-- Name: COLUMN b_registrants.reg_type_folded; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.reg_type_folded IS 'The name the record gives itself, else its bare text, in lower case; to find speakers.';


--
-- Name: COLUMN b_registrants.session_ids; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.session_ids IS 'Ids in session_ids, in byte order, repeats dropped; join b_sessions.source_id.';


--
-- Name: COLUMN b_registrants.cancelled_at; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.cancelled_at IS 'cancelled_at as received; null where the registrant is not cancelled (null, blank, false or a zero date).';


--
-- Name: COLUMN b_registrants.marks; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.marks IS 'What was noticed when the record was read, as mark:column, for example not_text:title.';


--
-- Name: COLUMN b_registrants.doc; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.doc IS 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';


--
-- Name: COLUMN b_registrants.version_hash; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.version_hash IS 'SHA-256 over the record, the version of the reading rules and the options that shape it.';


--
-- Name: COLUMN b_registrants.valid_from_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.valid_from_run IS 'First run that read this version.';


--
-- Name: COLUMN b_registrants.valid_to_run; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.b_registrants.valid_to_run IS 'First run that no longer read this version; null while it is current.';


--
-- Name: batches; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.batches (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    batch integer NOT NULL,
    phase text NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    reach bigint NOT NULL,
    idempotency_key text NOT NULL,
    sha256 text NOT NULL,
    state text NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    answered_at timestamp with time zone,
    CONSTRAINT batches_phase_check CHECK ((phase = ANY (ARRAY['upserts'::text, 'removals'::text]))),
    CONSTRAINT batches_state_check CHECK ((state = ANY (ARRAY['sent'::text, 'answered'::text, 'refused'::text])))
);


--
-- Name: TABLE batches; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.batches IS 'Batches of changes, each stored before it is sent for the first time.';


--
-- Name: COLUMN batches.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.integration_id IS 'Integration.';


--
-- Name: COLUMN batches.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.run_id IS 'Run whose plan is applied.';


--
-- Name: COLUMN batches.batch; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.batch IS 'Number within the run, from 1.';


--
-- Name: COLUMN batches.phase; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.phase IS 'upserts, or removals: these come last.';


--
-- Name: COLUMN batches.first_seq; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.first_seq IS 'First of its changes.';


--
-- Name: COLUMN batches.last_seq; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.last_seq IS 'Last of its changes; of those in between, it has those that name it.';


--
-- Name: COLUMN batches.reach; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.reach IS 'Last change that this batch or one before it has had: those after it were in none.';


--
-- Name: COLUMN batches.idempotency_key; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.idempotency_key IS 'Key by which the platform knows the batch again.';


--
-- Name: COLUMN batches.sha256; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.sha256 IS 'SHA-256 of the body with passwords left out, in hex: the same key always goes with the same body.';


--
-- Name: COLUMN batches.state; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.state IS 'sent: the answer is not known; answered; refused: nothing of it had an effect.';


--
-- Name: COLUMN batches.sent_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.sent_at IS 'When it was about to be sent for the first time.';


--
-- Name: COLUMN batches.answered_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.batches.answered_at IS 'When its answer was recorded; null before.';


--
-- Name: certificates; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.certificates (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    certified boolean NOT NULL,
    requests integer NOT NULL,
    attempts integer NOT NULL,
    bytes bigint NOT NULL,
    elements bigint NOT NULL,
    distinct_ids bigint,
    declared bigint,
    end_proof text NOT NULL,
    detail text NOT NULL,
    checksum numeric NOT NULL
);


--
-- Name: TABLE certificates; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.certificates IS 'The proof that a resource was read completely in a run.';


--
-- Name: COLUMN certificates.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.integration_id IS 'Integration.';


--
-- Name: COLUMN certificates.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.run_id IS 'Run.';


--
-- Name: COLUMN certificates.resource; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.resource IS 'Resource, for example users.';


--
-- Name: COLUMN certificates.certified; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.certified IS 'Whether the end of the resource was proved.';


--
-- Name: COLUMN certificates.requests; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.requests IS 'Answers that what was read is made of; each stands in sync.requests.';


--
-- Name: COLUMN certificates.attempts; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.attempts IS 'Requests that were sent, those that failed or were given up included.';


--
-- Name: COLUMN certificates.bytes; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.bytes IS 'Bytes of the answers, decompressed.';


--
-- Name: COLUMN certificates.elements; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.elements IS 'Records read.';


--
-- Name: COLUMN certificates.distinct_ids; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.distinct_ids IS 'Distinct ids among them; null until they are staged.';


--
-- Name: COLUMN certificates.declared; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.declared IS 'Count that the source declared; null where it declares none.';


--
-- Name: COLUMN certificates.end_proof; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.end_proof IS 'How the end was proved.';


--
-- Name: COLUMN certificates.detail; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.detail IS 'Why the resource is not certified; empty where it is.';


--
-- Name: COLUMN certificates.checksum; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.checksum IS 'Sum over the records, which the merge compares with what arrived.';


--
-- Name: passwords; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.passwords (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    unique_id text NOT NULL COLLATE pg_catalog."C",
    sealed bytea NOT NULL
);


--
-- Name: TABLE passwords; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.passwords IS 'Random passwords of attendees that are being created, sealed; a row is gone as soon as the platform has the attendee.';


--
-- Name: COLUMN passwords.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.passwords.integration_id IS 'Integration.';


--
-- Name: COLUMN passwords.unique_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.passwords.unique_id IS 'Unique ID of the attendee. Personal.';


--
-- Name: COLUMN passwords.sealed; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.passwords.sealed IS 'AES-256-GCM under sealingKey: nonce (12 bytes), tag (16 bytes), ciphertext. Personal.';


--
-- Name: platform_items; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.platform_items (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C",
    unique_id text NOT NULL COLLATE pg_catalog."C",
    fields jsonb NOT NULL,
    run_id uuid NOT NULL
);


--
-- Name: TABLE platform_items; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.platform_items IS 'What the platform has, as far as it acknowledged it.';


--
-- Name: COLUMN platform_items.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.platform_items.integration_id IS 'Integration.';


--
-- Name: COLUMN platform_items.content; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.platform_items.content IS 'agenda, speakers or attendees.';


--
-- Name: COLUMN platform_items.unique_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.platform_items.unique_id IS 'Unique ID of the item. Personal.';


--
-- Name: COLUMN platform_items.fields; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.platform_items.fields IS 'Platform fields as last sent and acknowledged. Personal.';


--
-- Name: COLUMN platform_items.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.platform_items.run_id IS 'Run that sent them.';


--
-- Name: readings; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.readings (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    shape text NOT NULL,
    place text,
    elements bigint NOT NULL,
    faults bigint NOT NULL,
    checksum numeric NOT NULL,
    requests integer NOT NULL,
    attempts integer NOT NULL,
    end_proof text,
    declared bigint,
    saved_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE readings; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.readings IS 'How far a run has read each resource, until it is merged: a run that dies before is continued from here.';


--
-- Name: COLUMN readings.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.integration_id IS 'Integration.';


--
-- Name: COLUMN readings.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.run_id IS 'Run that reads it.';


--
-- Name: COLUMN readings.resource; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.resource IS 'Resource, for example users.';


--
-- Name: COLUMN readings.shape; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.shape IS 'SHA-256 over all that shapes the rows: address, columns, rules of the door, options.';


--
-- Name: COLUMN readings.place; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.place IS 'Where the reader of the source goes on, in JSON; null before the first page.';


--
-- Name: COLUMN readings.elements; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.elements IS 'Records that the incoming table holds at this point.';


--
-- Name: COLUMN readings.faults; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.faults IS 'Quarantined records among them.';


--
-- Name: COLUMN readings.checksum; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.checksum IS 'Sum over the records, which must be found again.';


--
-- Name: COLUMN readings.requests; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.requests IS 'Answers that these records were read from.';


--
-- Name: COLUMN readings.attempts; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.attempts IS 'Requests that were sent so far.';


--
-- Name: COLUMN readings.end_proof; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.end_proof IS 'How the end was proved; null before the end.';


--
-- Name: COLUMN readings.declared; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.declared IS 'Count that the source declared; null where it declares none.';


--
-- Name: COLUMN readings.saved_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.saved_at IS 'When this point was saved; older ones than http.resumeMinutes are not continued.';


--
-- Name: requests; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.requests (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    page integer NOT NULL,
    url text NOT NULL,
    status integer NOT NULL,
    bytes bigint NOT NULL,
    sha256 text NOT NULL,
    elements integer NOT NULL,
    answered_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE requests; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.requests IS 'The answers that a resource was read from in a run, in their order.';


--
-- Name: COLUMN requests.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.integration_id IS 'Integration.';


--
-- Name: COLUMN requests.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.run_id IS 'Run.';


--
-- Name: COLUMN requests.resource; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.resource IS 'Resource, for example users.';


--
-- Name: COLUMN requests.page; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.page IS 'Place in the order, from 1.';


--
-- Name: COLUMN requests.url; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.url IS 'Address that was asked; it carries no secret.';


--
-- Name: COLUMN requests.status; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.status IS 'HTTP status of the answer.';


--
-- Name: COLUMN requests.bytes; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.bytes IS 'Bytes of the answer, decompressed.';


--
-- Name: COLUMN requests.sha256; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.sha256 IS 'SHA-256 of these bytes, in hex.';


--
-- Name: COLUMN requests.elements; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.elements IS 'New elements in it: one that overlaps with the page before does not count.';


--
-- Name: COLUMN requests.answered_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.requests.answered_at IS 'When the answer had been read.';


--
-- Name: unseen; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.unseen (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE unseen; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.unseen IS 'Staged records that a run did not see, but that stay current since the read was not proved complete: nothing is removed on their account.';


--
-- Name: COLUMN unseen.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unseen.integration_id IS 'Integration.';


--
-- Name: COLUMN unseen.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unseen.run_id IS 'Run.';


--
-- Name: COLUMN unseen.resource; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unseen.resource IS 'Resource of the record.';


--
-- Name: COLUMN unseen.source_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unseen.source_id IS 'The record. Personal.';


--
-- Data for Name: applied; Type: TABLE DATA; Schema: migration; Owner: -
--

INSERT INTO migration.applied VALUES ('migrations/0001-staging.sql', '5a9dec40e3922b1efc99ab1ae37512023931d67e9377978e3a41b8a7d4d7ff33', '2026-11-21 20:24:56.79167+00');
INSERT INTO migration.applied VALUES ('migrations/0002-sync.sql', 'f8e7250295a5068ce99d26e96cf1738ebeea10f034a57469cb4ed65cb0ea06bf', '2026-11-21 20:24:56.814042+00');
INSERT INTO migration.applied VALUES ('migrations/0003-published.sql', 'ca5dd1c6b8a33306f669de005269d68ea882adf326f795b110c0f1fd17c40008', '2026-11-21 20:24:56.830063+00');
INSERT INTO migration.applied VALUES ('views/10-runs.sql', '54b22071eecdc4b4577369efed2b21cf167546bd4339cdfcd30ee14df8af5d59', '2026-11-21 20:24:56.831613+00');
INSERT INTO migration.applied VALUES ('views/20-agenda.sql', 'baff818b39f3fef77c248777ad02d90b9fca2fd40f3bb2c635b2c741c705ad2e', '2026-11-21 20:24:56.834045+00');
INSERT INTO migration.applied VALUES ('views/20-attendees.sql', '1e5d6eb88c7ace61fa5748594a7a016e8957c25de03adf218828f3bd2b553560', '2026-11-21 20:24:56.836801+00');
INSERT INTO migration.applied VALUES ('views/20-speakers.sql', '0027e39e457c49259654181cc92f9cfcd0243f92455d1357a54862265df2a280', '2026-11-21 20:24:56.839181+00');
INSERT INTO migration.applied VALUES ('views/30-changes.sql', 'ada4f98615e8f5f1781f3917afbd1cf68c1973537513ff647647625bfe9ec835', '2026-11-21 20:24:56.841737+00');
INSERT INTO migration.applied VALUES ('views/30-decisions.sql', 'a89bcf295d2f778d2b8ebcb7c77490edc537c4f3d7ab348f2551bb78a23a467c', '2026-11-21 20:24:56.844701+00');
INSERT INTO migration.applied VALUES ('views/30-links.sql', '9591fb100481f9af04bc63111409497fcdbd6e2e9f66b2cdd54a39a30b1b135d', '2026-11-21 20:24:56.847229+00');


--
-- Data for Name: a_rooms; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.a_rooms VALUES ('summit', '9', 'Library', 'East', '{}', '{"Id": 9, "Name": "Library", "Location": "East"}', '\x9f7e6093412fbaa6c499aeb6df5ae9dd535f8a7d8865df0d44c6a8ca29a5f45b', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);


--
-- Data for Name: a_session_types; Type: TABLE DATA; Schema: staging; Owner: -
--



--
-- Data for Name: a_sessions; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.a_sessions VALUES ('summit', '101', 'Session 101', NULL, NULL, NULL, NULL, '1', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 101, "Title": "Session 101", "RoomId": 9, "Speakers": [{"Id": "u1"}], "TimeSlotId": 1}', '\x840fc126c345c88cc1bcaee579611792383a4211710ee6c51dd1efb58dfc2f70', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO staging.a_sessions VALUES ('summit', '102', 'Session 102', NULL, NULL, NULL, NULL, '1', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 102, "Title": "Session 102", "RoomId": 9, "Speakers": [{"Id": "u1"}], "TimeSlotId": 1}', '\x8d7df83909f1e18546bfe873477c11f5a70a3aefa6db382b3e9525ce308203ec', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO staging.a_sessions VALUES ('summit', '101', 'Session 101', NULL, NULL, NULL, NULL, '2', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 101, "Title": "Session 101", "RoomId": 9, "Speakers": [{"Id": "u1"}], "TimeSlotId": 2}', '\x85c954a271ef91fca491e1113a470ba1aada26eaa8bc446012c659ac342eeb2a', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', NULL);
INSERT INTO staging.a_sessions VALUES ('summit', '103', 'Session 103', NULL, NULL, NULL, NULL, '1', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 103, "Title": "Session 103", "RoomId": 9, "Speakers": [{"Id": "u1"}], "TimeSlotId": 1}', '\x6c5800d801ce4d2d80a237f2b714c6a5b86a4299801a42eb2c24af715f57d91c', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', NULL);
INSERT INTO staging.a_sessions VALUES ('summit', '102', 'Session 102', NULL, false, NULL, NULL, '1', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 102, "Title": "Session 102", "RoomId": 9, "Enabled": false, "Speakers": [{"Id": "u1"}], "TimeSlotId": 1}', '\xc1e6a2583b690727caace558a7eef45322ee811eca33bffb5084b9fe9f5844a7', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');


--
-- Data for Name: a_time_slots; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.a_time_slots VALUES ('summit', '1', '2031-05-04 13:00:00+00', 'read', '2031-05-04 14:00:00+00', 'read', '{}', '{"Id": 1, "EndTime": "2031-05-04T14:00:00Z", "StartTime": "2031-05-04T13:00:00Z"}', '\x05807fe4f5471d1911cf6023829a3cef902d0acbe65278c704db1345e5cbb16a', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO staging.a_time_slots VALUES ('summit', '2', '2031-05-04 15:00:00+00', 'read', '2031-05-04 16:30:00+00', 'read', '{}', '{"Id": 2, "EndTime": "2031-05-04T16:30:00Z", "StartTime": "2031-05-04T15:00:00Z"}', '\xc4741e6dd7a33f586803da18feacb7737d0d0482bf8e0f8820c5a8a4de28ae68', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);


--
-- Data for Name: a_tracks; Type: TABLE DATA; Schema: staging; Owner: -
--



--
-- Data for Name: a_users; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.a_users VALUES ('summit', 'u1', 'u1', 'Ada', 'Of u1', 'u1@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u1", "LastName": "Of u1", "FirstName": "Ada", "EmailAddress": "u1@people.example"}', '\x73222db7afeb54f6df2167875a51a7711729843ed8bcb7634c230d7d7dd6158c', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u2', 'u2', 'Ada', 'Of u2', 'u2@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u2", "LastName": "Of u2", "FirstName": "Ada", "EmailAddress": "u2@people.example"}', '\xff6d75b8fa413d0443e1d33b4fa2d57ff4505326d4e5fcd6183941ec930dede9', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u3', 'u3', 'Ada', 'Of u3', 'u3@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u3", "LastName": "Of u3", "FirstName": "Ada", "EmailAddress": "u3@people.example"}', '\x1638e167c117b394c43394f5c19d13c1e3152d2821a3d7efad29017840c2bea4', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u4', 'u4', 'Ada', 'Of u4', 'u4@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u4", "LastName": "Of u4", "FirstName": "Ada", "EmailAddress": "u4@people.example"}', '\xc2250cfcdb7f301e26154469c7eaa9e3d7385b74946dfb709ab0aa73df671e1a', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u5', 'u5', 'Ada', 'Of u5', 'u5@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u5", "LastName": "Of u5", "FirstName": "Ada", "EmailAddress": "u5@people.example"}', '\x9ebf7d41c1365b2369316f3d1ead4e9ec46c191fda41e3d5cf77179d6274a7f6', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u6', 'u6', 'Ada', 'Of u6', 'u6@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u6", "LastName": "Of u6", "FirstName": "Ada", "EmailAddress": "u6@people.example"}', '\x704867f5ee1221e02eee871b98667eb6c950300750d6b181c1f0ee7af81ed6b4', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO staging.a_users VALUES ('summit', 'u7', 'u7', 'Ada', 'Of u7', 'u7@people.example', NULL, 'Analytical Engines', NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u7", "Company": "Analytical Engines", "LastName": "Of u7", "FirstName": "Ada", "EmailAddress": "u7@people.example"}', '\xf5dcb85255a2ed33700cb8bb737f0d5021f55db41f8f890eea5177a6093f1c9f', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');
INSERT INTO staging.a_users VALUES ('summit', 'u8', 'u8', 'Nameless', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u8", "FirstName": "Nameless"}', '\x47a917890d3e0d62c7dffa150573e04e27f43e6516059f83b2cb8ac69370a6a3', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');
INSERT INTO staging.a_users VALUES ('summit', 'u6', 'u6', 'Ada', 'Of u6', 'u6@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u6", "LastName": "Of u6", "FirstName": "Ada", "EmailAddress": "u6@people.example"}', '\x704867f5ee1221e02eee871b98667eb6c950300750d6b181c1f0ee7af81ed6b4', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u7', 'u7', 'Ada', 'Of u7', 'u7@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u7", "LastName": "Of u7", "FirstName": "Ada", "EmailAddress": "u7@people.example"}', '\x20dd58b2d170a4c5cb06f157bb8d5321dc0be037ec97101d3b825dcd94d00317', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', NULL);


--
-- Data for Name: b_reg_types; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.b_reg_types VALUES ('expo', '10', 'Visitor', 'visitor', '{}', '{"id": 10, "name": "Visitor"}', '\xd399f8da7680d9db10451bd52ddfbfbf17e43748491203499b256d895d349514', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO staging.b_reg_types VALUES ('expo', '20', 'Speaker', 'speaker', '{}', '{"id": 20, "name": "Speaker"}', '\x54c4a2e7cab540f9a55202603cf54811fe3cabdf89d6f9e31df5366651260a42', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);


--
-- Data for Name: b_registrants; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.b_registrants VALUES ('expo', '1', 'Grace', 'Of 1', 'r1@people.example', NULL, NULL, NULL, NULL, NULL, '20', NULL, '20', '{500}', NULL, '{}', '{"id": 1, "email": "r1@people.example", "last_name": "Of 1", "first_name": "Grace", "reg_type_id": 20, "session_ids": [500], "cancelled_at": null}', '\x48f459e6fa48d14ca3f83fa779b12f79fa8e7d10994f5b7658158a1197054701', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO staging.b_registrants VALUES ('expo', '3', 'Grace', 'Of 3', 'r3@people.example', NULL, NULL, NULL, NULL, NULL, '10', NULL, '10', '{500}', NULL, '{}', '{"id": 3, "email": "r3@people.example", "last_name": "Of 3", "first_name": "Grace", "reg_type_id": 10, "session_ids": [500], "cancelled_at": null}', '\x8d71148e037ba0b8dc119d42d3d388d9e4ac42177437ef0f19eed2e4748e2178', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO staging.b_registrants VALUES ('expo', '2', 'Grace', 'Of 2', 'r2@people.example', NULL, NULL, NULL, NULL, NULL, '10', NULL, '10', '{500}', NULL, '{}', '{"id": 2, "email": "r2@people.example", "last_name": "Of 2", "first_name": "Grace", "reg_type_id": 10, "session_ids": [500], "cancelled_at": null}', '\x7b5ff6040e732a4a2784b192be6366db8932f5291dbd8eaadaf2ab58e0908b9c', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', '01c2ae78-4201-72a4-9906-e7a7dac80669');
INSERT INTO staging.b_registrants VALUES ('expo', '2', 'Grace', 'Of 2', 'r2@people.example', NULL, NULL, NULL, NULL, NULL, '10', NULL, '10', '{500}', '2031-04-01 10:00:00', '{}', '{"id": 2, "email": "r2@people.example", "last_name": "Of 2", "first_name": "Grace", "reg_type_id": 10, "session_ids": [500], "cancelled_at": "2031-04-01 10:00:00"}', '\xe9f1f4cff16821b754dac712a47920a04876681da3d31a4a815690c04a339c52', '01c2ae78-4201-72a4-9906-e7a7dac80669', NULL);
INSERT INTO staging.b_registrants VALUES ('expo', '4', 'Grace', 'Of 4', 'r4@people.example', NULL, NULL, NULL, NULL, NULL, '10', NULL, '10', '{500}', NULL, '{}', '{"id": 4, "email": "r4@people.example", "last_name": "Of 4", "first_name": "Grace", "reg_type_id": 10, "session_ids": [500], "cancelled_at": null}', '\xccb1098cb78723892f33b4f5ad848792db83f55515fea8923a496f02d4b6a25d', '01c2ae78-4201-72a4-9906-e7a7dac80669', NULL);


--
-- Data for Name: b_sessions; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.b_sessions VALUES ('expo', '500', 'Keynote', NULL, '2031-05-04 07:00:00+00', 'read', '2031-05-04 08:00:00+00', 'read', 'Europe/Berlin', '{}', '{"id": 500, "date": "2031-05-04", "name": "Keynote", "end_time": "10:00", "timezone": "Europe/Berlin", "start_time": "09:00"}', '\xedae51b4dd00062f355786ab43d9ad794ba17d8ea1b7d9b8f2bd95856059f459', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);


--
-- Data for Name: batches; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 1, 'upserts', 1, 2, 2, '01c2ae78-4200-7c56-b540-05348c5ca483-1', '0c3975978ecae4e49ccef8a0aa146d597ecb02f4aaef10826f3a4fd5424fd9a9', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 2, 'upserts', 3, 4, 4, '01c2ae78-4200-7c56-b540-05348c5ca483-2', '3a4379ab0395b0206697c36ca4376d952b4c0c679fd5ac0132d31f7627ab114f', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 3, 'upserts', 5, 6, 6, '01c2ae78-4200-7c56-b540-05348c5ca483-3', '5c75b60a21e64ba38980e0a7faf49068e757a24f81c071ee5af2e14fab99bb98', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 4, 'upserts', 7, 8, 8, '01c2ae78-4200-7c56-b540-05348c5ca483-4', '55edbac072af22797d13470f69d3bbdbb4810797797e93f21c8bec6590498ea7', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 5, 'upserts', 9, 9, 9, '01c2ae78-4200-7c56-b540-05348c5ca483-5', 'f46885696405d0551933f6863041fdf9d3b54c2a207dd3ff81e7ba6b4b8b3a09', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 1, 'upserts', 1, 2, 2, '01c2ae78-4201-7aa7-806b-e3acfd9d49f6-1', '569900ec5fad638ae2ce7e9e2155bba8949e0f39eac087903689bf1c2bffb9e3', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 2, 'upserts', 3, 4, 4, '01c2ae78-4201-7aa7-806b-e3acfd9d49f6-2', 'c1c2685c7e4bfe2ab4ba2a91d20289dc4af0b7b5b9a925017a28d1a51f3fd1cc', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 1, 'upserts', 1, 1, 1, '01c2ae78-4202-7e87-8d80-2f91289bd7f2-1', '6a33049cf75c2394bae8df2c6fefa4482dab2dfaaf3cffc507ba25039fbd6320', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 2, 'removals', 2, 2, 2, '01c2ae78-4202-7e87-8d80-2f91289bd7f2-2', '3570414087738e84af2a071aceae391398a74b0ae6ecb36b36adfc74982adda0', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');


--
-- Data for Name: certificates; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'sessions', true, 2, 2, 254, 2, 2, NULL, 'overlap', '', 300775374834998);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'time_slots', true, 2, 2, 233, 2, 2, NULL, 'overlap', '', 222052465429738);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'rooms', true, 2, 2, 47, 1, 1, NULL, 'empty page', '', 175365134958895);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'tracks', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'session_types', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'users', true, 2, 2, 590, 6, 6, NULL, 'overlap', '', 943335729329674);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'sessions', true, 2, 2, 354, 3, 3, NULL, 'overlap', '', 479421292261158);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'time_slots', true, 2, 2, 233, 2, 2, NULL, 'overlap', '', 222052465429738);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'rooms', true, 2, 2, 47, 1, 1, NULL, 'empty page', '', 175365134958895);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'tracks', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'session_types', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'users', true, 2, 2, 607, 7, 7, NULL, 'overlap', '', 1168999349119704);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'sessions', true, 2, 2, 254, 2, 2, NULL, 'overlap', '', 266224981930941);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'time_slots', true, 2, 2, 233, 2, 2, NULL, 'overlap', '', 222052465429738);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'rooms', true, 2, 2, 47, 1, 1, NULL, 'empty page', '', 175365134958895);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'tracks', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'session_types', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'users', true, 2, 2, 674, 7, 7, NULL, 'overlap', '', 979470777304954);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 'sessions', true, 1, 1, 708, 1, 1, 1, 'total met', '', 261332950899968);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 'registrants', true, 1, 1, 1223, 3, 3, 3, 'total met', '', 371383212772406);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 'reg_types', true, 1, 1, 482, 2, 2, 2, 'total met', '', 325861781946677);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'sessions', true, 1, 1, 708, 1, 1, 1, 'total met', '', 261332950899968);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'registrants', true, 1, 1, 1263, 4, 3, 4, 'total met', '', 568951194539246);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'reg_types', true, 1, 1, 482, 2, 2, 2, 'total met', '', 325861781946677);


--
-- Data for Name: changes; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 1, 'attendees', 'u1', 'create', '', NULL, '{"lastName": "Of u1", "firstName": "Ada", "emailAddress": "u1@people.example"}', '\x492a65dddea59fbf53ec418b9bdcdf021074f3cc3b00ecc1d0784c176a714d54', false, 'applied', 1, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 2, 'attendees', 'u2', 'create', '', NULL, '{"lastName": "Of u2", "firstName": "Ada", "emailAddress": "u2@people.example"}', '\x575f800a6e1efbf76438a6821743c938219a6de3ce65914c1e79907a878caee7', false, 'applied', 1, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 3, 'attendees', 'u3', 'create', '', NULL, '{"lastName": "Of u3", "firstName": "Ada", "emailAddress": "u3@people.example"}', '\x3ff76ec93830e90d68d1d6c2373b729ad009f351baf86670bdafd50ae267eb34', false, 'applied', 2, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 4, 'attendees', 'u4', 'create', '', NULL, '{"lastName": "Of u4", "firstName": "Ada", "emailAddress": "u4@people.example"}', '\xa5007eff85579b2bbf8fd411d95bac25b0e96f0549f7c0b3e5628249c2fa5a0b', false, 'applied', 2, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 5, 'attendees', 'u5', 'create', '', NULL, '{"lastName": "Of u5", "firstName": "Ada", "emailAddress": "u5@people.example"}', '\x20c91ba865254eb65086ee4680fbb9b6906d59837e0b3d861e7febbb8812509a', false, 'applied', 3, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 6, 'attendees', 'u6', 'create', '', NULL, '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', '\x99f595d5c2d29ef20ba2b9ec85a2d3c51acdf14dbc5f0cc038ab74db75971a4d', false, 'applied', 3, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 8, 'agenda', '101', 'create', '', NULL, '{"name": "Session 101", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '\x27c36a520f0e8cdf8555ac74a919be537bb87daf5676d60d437faea5f97f48b8', false, 'applied', 4, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 7, 'speakers', 'u1', 'create', '', NULL, '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "102"]}', '\xb200519c27c59b468f707352fa7dd7152bdea55a235c1c9ed100a7c8c927a161', false, 'applied', 4, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 9, 'agenda', '102', 'create', '', NULL, '{"name": "Session 102", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '\xb2ece33a9786bbdb4ead7da9e84643074b42fc9414c71be9e197037504109956', false, 'applied', 5, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 1, 'attendees', 'u7', 'create', '', NULL, '{"company": "Analytical Engines", "lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '\xd2bfe597d09eac11b159df868357597c239bc5a9e2fd19f5a5a7445d1ae8fda9', false, 'failed', 1, false, 'failed', 'too_many', false);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 2, 'speakers', 'u1', 'update', '', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "102"]}', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "103"]}', '\x02866f2131ace76208936b9633315f81c5d4a9d9af0e6046a3c7da618f1bc4bd', false, 'applied', 1, false, 'updated', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 3, 'agenda', '101', 'update', '', '{"name": "Session 101", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '{"name": "Session 101", "endTime": "2031-05-04T16:30:00Z", "location": "East - Library", "startTime": "2031-05-04T15:00:00Z", "speakerIds": ["u1"]}', '\xf1fc3bf5b54feb4de69085be5ec618debca19be53185ce9f312efbfee66f7d91', false, 'applied', 2, false, 'updated', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 4, 'agenda', '103', 'create', '', NULL, '{"name": "Session 103", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '\x20d69937f708e39d44243a25260b020d06e9670cb5c18ff88574c4846b71f011', false, 'applied', 2, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 6, 'agenda', '102', 'remove', 'not_published', '{"name": "Session 102", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', NULL, '\x7fcf72cc07ee469bc07f143eeeb74fd16760988c7ce41a352b52069e38ef98fa', false, 'withheld', NULL, false, NULL, NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 5, 'attendees', 'u6', 'remove', 'removed_at_source', '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', NULL, '\xa506aadd65ff8d24637502ba9e6bf562bf514b827cde3a7617387e538c247f20', true, 'withheld', NULL, false, NULL, NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 1, 'attendees', 'u7', 'create', '', NULL, '{"lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '\xbafe3f741480cccd184f7e0325dacc4667b78f2687f69039572a3ab0cc75c8e3', false, 'applied', 1, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 2, 'agenda', '102', 'remove', 'removed_at_source', '{"name": "Session 102", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', NULL, '\xa3870084ea5417c1f9a96117956a127a83c019340dc94931e84c156f0082f692', true, 'applied', 2, false, 'removed', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 5, 'agenda', '500', 'create', '', NULL, '{"name": "Keynote", "endTime": "2031-05-04T08:00:00Z", "startTime": "2031-05-04T07:00:00Z"}', '\x896d1ef2cc1df2593d85b5575efb82740c424b4416dff1db8e32cbd899eeedd2', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 1, 'attendees', '1', 'create', '', NULL, '{"lastName": "Of 1", "firstName": "Grace", "emailAddress": "r1@people.example", "personalAgenda": ["500"]}', '\x822539dbc97f87c80788b90cdd0ad3389c45eb68374e13d45fe4f664759362ca', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 2, 'attendees', '2', 'create', '', NULL, '{"lastName": "Of 2", "firstName": "Grace", "emailAddress": "r2@people.example", "personalAgenda": ["500"]}', '\x0211de9c4a1101b1ef7159c1fd7e709d6cb67bbb2720dddb4d74debdc8ca0122', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 3, 'attendees', '3', 'create', '', NULL, '{"lastName": "Of 3", "firstName": "Grace", "emailAddress": "r3@people.example", "personalAgenda": ["500"]}', '\xd8e0b679fd3c90cf799439200b5eee06fa43e2c4fcb12e187f626048e4700a9a', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 4, 'speakers', '1', 'create', '', NULL, '{"lastName": "Of 1", "firstName": "Grace", "attendeeId": "1", "sessionIds": ["500"]}', '\x1ad6b47c12acfc06e79c1bd1bcc1375ffbab3b9e84a91b080f8942df85188f08', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 2, 'attendees', '2', 'remove', 'cancelled', '{"lastName": "Of 2", "firstName": "Grace", "emailAddress": "r2@people.example", "personalAgenda": ["500"]}', NULL, '\x44f25b066d7f47b911aa8e27c71a4ecc27c2285afd8989f71debdda23dfd5d00', false, 'applied', NULL, false, 'removed', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 1, 'attendees', '4', 'create', '', NULL, '{"lastName": "Of 4", "firstName": "Grace", "emailAddress": "r4@people.example", "personalAgenda": ["500"]}', '\xaa1ef09ba14d9de842c4f50e6be835d508ff96eaf714f55987d79ca784b6b15f', false, 'applied', NULL, false, 'created', NULL, NULL);


--
-- Data for Name: decisions; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.decisions VALUES ('summit', 'agenda', 'sessions', '101', '101', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u2', 'u2', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u3', 'u3', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u4', 'u4', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u5', 'u5', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u1', 'u1', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u2', 'u2', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u3', 'u3', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u4', 'u4', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u5', 'u5', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'agenda', 'sessions', '102', '102', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u6', 'u6', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u1', 'u1', 'synced', '', '', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u6', 'u6', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.decisions VALUES ('summit', 'agenda', 'sessions', '103', '103', 'synced', '', '', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u7', 'u7', 'excluded', 'not_a_speaker', '', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u7', 'u7', 'synced', '', '', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'agenda', 'sessions', '102', '102', 'excluded', 'not_published', '', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u8', 'u8', 'excluded', 'missing_required:lastName', '', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u1', 'u1', 'synced', '', 'not_synced:sessionIds=1', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u8', 'u8', 'excluded', 'not_a_speaker', '', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u1', 'u1', 'synced', '', '', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u6', 'u6', 'excluded', 'not_a_speaker', '', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u6', 'u6', 'synced', '', '', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'agenda', 'sessions', '500', '500', 'synced', '', '', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'speakers', 'registrants', '1', '1', 'synced', '', '', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'speakers', 'registrants', '2', '2', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'speakers', 'registrants', '3', '3', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '1', '1', 'synced', '', '', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '3', '3', 'synced', '', '', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '2', '2', 'synced', '', '', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', '01c2ae78-4201-72a4-9906-e7a7dac80669');
INSERT INTO sync.decisions VALUES ('expo', 'speakers', 'registrants', '4', '4', 'excluded', 'not_a_speaker', '', '01c2ae78-4201-72a4-9906-e7a7dac80669', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '2', '2', 'excluded', 'cancelled', '', '01c2ae78-4201-72a4-9906-e7a7dac80669', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '4', '4', 'synced', '', '', '01c2ae78-4201-72a4-9906-e7a7dac80669', NULL);


--
-- Data for Name: desired_items; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "emailAddress": "u1@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u2', '{"lastName": "Of u2", "firstName": "Ada", "emailAddress": "u2@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u3', '{"lastName": "Of u3", "firstName": "Ada", "emailAddress": "u3@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u4', '{"lastName": "Of u4", "firstName": "Ada", "emailAddress": "u4@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u5', '{"lastName": "Of u5", "firstName": "Ada", "emailAddress": "u5@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'agenda', '101', '{"name": "Session 101", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.desired_items VALUES ('summit', 'agenda', '102', '{"name": "Session 102", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u6', '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.desired_items VALUES ('summit', 'speakers', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "102"]}', '01c2ae78-4200-7c56-b540-05348c5ca483', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.desired_items VALUES ('summit', 'agenda', '101', '{"name": "Session 101", "endTime": "2031-05-04T16:30:00Z", "location": "East - Library", "startTime": "2031-05-04T15:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'agenda', '103', '{"name": "Session 103", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'speakers', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "103"]}', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u7', '{"company": "Analytical Engines", "lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u6', '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u7', '{"lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'agenda', '500', '{"name": "Keynote", "endTime": "2031-05-04T08:00:00Z", "startTime": "2031-05-04T07:00:00Z"}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'speakers', '1', '{"lastName": "Of 1", "firstName": "Grace", "attendeeId": "1", "sessionIds": ["500"]}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'attendees', '1', '{"lastName": "Of 1", "firstName": "Grace", "emailAddress": "r1@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'attendees', '3', '{"lastName": "Of 3", "firstName": "Grace", "emailAddress": "r3@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'attendees', '2', '{"lastName": "Of 2", "firstName": "Grace", "emailAddress": "r2@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', '01c2ae78-4201-72a4-9906-e7a7dac80669');
INSERT INTO sync.desired_items VALUES ('expo', 'attendees', '4', '{"lastName": "Of 4", "firstName": "Grace", "emailAddress": "r4@people.example", "personalAgenda": ["500"]}', '01c2ae78-4201-72a4-9906-e7a7dac80669', NULL);


--
-- Data for Name: integrations; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.integrations VALUES ('summit', 'a', 'http://127.0.0.1:35963', '4242', 'http', 'http://127.0.0.1:46745', 'sample-event', 'UTC', 10, 3, '{agenda,attendees,speakers}');
INSERT INTO sync.integrations VALUES ('expo', 'b', 'http://127.0.0.1:37167', '77', 'jsonl', '', '', 'UTC', 2, 2, '{}');


--
-- Data for Name: passwords; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: platform_items; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "emailAddress": "u1@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u2', '{"lastName": "Of u2", "firstName": "Ada", "emailAddress": "u2@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u3', '{"lastName": "Of u3", "firstName": "Ada", "emailAddress": "u3@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u4', '{"lastName": "Of u4", "firstName": "Ada", "emailAddress": "u4@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u5', '{"lastName": "Of u5", "firstName": "Ada", "emailAddress": "u5@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u6', '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', '01c2ae78-4200-7c56-b540-05348c5ca483');
INSERT INTO sync.platform_items VALUES ('summit', 'speakers', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "103"]}', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.platform_items VALUES ('summit', 'agenda', '101', '{"name": "Session 101", "endTime": "2031-05-04T16:30:00Z", "location": "East - Library", "startTime": "2031-05-04T15:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.platform_items VALUES ('summit', 'agenda', '103', '{"name": "Session 103", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u7', '{"lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '01c2ae78-4202-7e87-8d80-2f91289bd7f2');
INSERT INTO sync.platform_items VALUES ('expo', 'agenda', '500', '{"name": "Keynote", "endTime": "2031-05-04T08:00:00Z", "startTime": "2031-05-04T07:00:00Z"}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687');
INSERT INTO sync.platform_items VALUES ('expo', 'attendees', '1', '{"lastName": "Of 1", "firstName": "Grace", "emailAddress": "r1@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687');
INSERT INTO sync.platform_items VALUES ('expo', 'attendees', '3', '{"lastName": "Of 3", "firstName": "Grace", "emailAddress": "r3@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687');
INSERT INTO sync.platform_items VALUES ('expo', 'speakers', '1', '{"lastName": "Of 1", "firstName": "Grace", "attendeeId": "1", "sessionIds": ["500"]}', '01c2ae78-4200-7476-a5f5-83ae0c3e1687');
INSERT INTO sync.platform_items VALUES ('expo', 'attendees', '4', '{"lastName": "Of 4", "firstName": "Grace", "emailAddress": "r4@people.example", "personalAgenda": ["500"]}', '01c2ae78-4201-72a4-9906-e7a7dac80669');


--
-- Data for Name: readings; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: requests; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'session_types', 1, 'http://127.0.0.1:34871/api/v1/4242/SessionTypes?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'time_slots', 1, 'http://127.0.0.1:34871/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=0', 200, 155, '7e25309ac01328b7be2290f75903ae3a21c1aac57e8ef1765cf98066741363a6', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'time_slots', 2, 'http://127.0.0.1:34871/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=1', 200, 78, '143a750edc1b9bc70691a86cd4c2f3b031a6edad0f2198b64f954f3d7b2ed659', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'sessions', 1, 'http://127.0.0.1:34871/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=0', 200, 169, '86ef2ba3ae644b4325ec426cc64fdbcdb45d9ac6ce087c493ff4a32318907059', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'sessions', 2, 'http://127.0.0.1:34871/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=1', 200, 85, 'f10c4f8f784c3c9f379e9d644b8a772f71834d120d66f83e40d0d573db3d0854', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'tracks', 1, 'http://127.0.0.1:34871/api/v1/4242/Tracks?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'rooms', 1, 'http://127.0.0.1:34871/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=0', 200, 45, 'b0bdaf800f4c7057bca1b993b196c0bfbc4d5f0711102e77138bb038372bbd31', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'rooms', 2, 'http://127.0.0.1:34871/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=1', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'users', 1, 'http://127.0.0.1:34871/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=0', 200, 505, '409de852af7d3890ce74a4b62cd756783b29ac866f0567d76b02ace18246e4f5', 6, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'users', 2, 'http://127.0.0.1:34871/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=5', 200, 85, '91c3f4422184349678b15093aa26f5c46f7e350cce6803dcdcd411b252c59b3c', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'tracks', 1, 'http://127.0.0.1:37047/api/v1/4242/Tracks?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'sessions', 1, 'http://127.0.0.1:37047/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=0', 200, 269, '77e227429ff41883056a28f81d637eeb8a4d59d699b987bbff03d803140b2174', 3, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'sessions', 2, 'http://127.0.0.1:37047/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=2', 200, 85, '694d050c79bbf3b5827f0faa15d4981652bf285d638bc94997cd8b74ac65d581', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'session_types', 1, 'http://127.0.0.1:37047/api/v1/4242/SessionTypes?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'rooms', 1, 'http://127.0.0.1:37047/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=0', 200, 45, 'b0bdaf800f4c7057bca1b993b196c0bfbc4d5f0711102e77138bb038372bbd31', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'rooms', 2, 'http://127.0.0.1:37047/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=1', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'time_slots', 1, 'http://127.0.0.1:37047/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=0', 200, 155, '7e25309ac01328b7be2290f75903ae3a21c1aac57e8ef1765cf98066741363a6', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'time_slots', 2, 'http://127.0.0.1:37047/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=1', 200, 78, '143a750edc1b9bc70691a86cd4c2f3b031a6edad0f2198b64f954f3d7b2ed659', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'users', 1, 'http://127.0.0.1:37047/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=0', 200, 571, '4d10eef5b38b11f5aae5c85f357db4b983dcfe9dc9ff47790b7133bdf2ec6532', 7, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'users', 2, 'http://127.0.0.1:37047/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=6', 200, 36, '07ef36d08ce48b54a31b08fcb24879d126c5ac4a1487ee6ab7205a70b77a588b', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'rooms', 1, 'http://127.0.0.1:35963/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=0', 200, 45, 'b0bdaf800f4c7057bca1b993b196c0bfbc4d5f0711102e77138bb038372bbd31', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'rooms', 2, 'http://127.0.0.1:35963/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=1', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'session_types', 1, 'http://127.0.0.1:35963/api/v1/4242/SessionTypes?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'sessions', 1, 'http://127.0.0.1:35963/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=0', 200, 169, '5dce42dee84aa149e17c09ebcc78351d3c1884bf76c3cf0bc11c000bc23144bb', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'sessions', 2, 'http://127.0.0.1:35963/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=1', 200, 85, '694d050c79bbf3b5827f0faa15d4981652bf285d638bc94997cd8b74ac65d581', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'time_slots', 1, 'http://127.0.0.1:35963/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=0', 200, 155, '7e25309ac01328b7be2290f75903ae3a21c1aac57e8ef1765cf98066741363a6', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'time_slots', 2, 'http://127.0.0.1:35963/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=1', 200, 78, '143a750edc1b9bc70691a86cd4c2f3b031a6edad0f2198b64f954f3d7b2ed659', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'users', 1, 'http://127.0.0.1:35963/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=0', 200, 589, '10b4f1193b115d726595570680d1459189a0c58d6d529b4d125bf60c49635dae', 7, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'users', 2, 'http://127.0.0.1:35963/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=6', 200, 85, 'ff68314fd88235f5fec3a6d41184f7d1d7350153a9b53a4c6f8fe47213031197', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'tracks', 1, 'http://127.0.0.1:35963/api/v1/4242/Tracks?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 'sessions', 1, 'http://127.0.0.1:33935/api/v1/sessions.json?event_id=77&fields=id%2Cname%2Cdescription%2Cdate%2Cstart_time%2Cend_time%2Ctimezone&page=1&per-page=200', 200, 708, 'd860eb40d87ccee6f8718d6ec5fd7b6ee50431f9d1f2466a293a0fd0b55672c0', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 'registrants', 1, 'http://127.0.0.1:33935/api/v1/registrants.json?event_id=77&fields=id%2Cemail%2Cfirst_name%2Clast_name%2Cjob_title%2Ccompany%2Cbio%2Cmobile_phone%2Ctwitter_handle%2Creg_type_id%2Csession_ids%2Ccancelled_at&page=1&per-page=200', 200, 1223, 'dcc5208faa35989529bb869ce01100a1dae7658fbb834ecf43a1d1c2c60d9949', 3, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 'reg_types', 1, 'http://127.0.0.1:33935/api/v1/reg-types.json?event_id=77&fields=id%2Cname&page=1&per-page=200', 200, 482, 'e57efc19eb0c99a27b747bc7fbb0fd53b5655c8ee5ade6a609a9f7936b3af323', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'registrants', 1, 'http://127.0.0.1:37167/api/v1/registrants.json?event_id=77&fields=id%2Cemail%2Cfirst_name%2Clast_name%2Cjob_title%2Ccompany%2Cbio%2Cmobile_phone%2Ctwitter_handle%2Creg_type_id%2Csession_ids%2Ccancelled_at&page=1&per-page=200', 200, 1263, '5505923be41aec9898f7b12b3b8320be577e675361ea5223722fb3ee3d6f09c3', 4, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'reg_types', 1, 'http://127.0.0.1:37167/api/v1/reg-types.json?event_id=77&fields=id%2Cname&page=1&per-page=200', 200, 482, '3aeb5fcfb2eb730fdff0b836848029de51458c872388e5da8d7071efd16fe33f', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'sessions', 1, 'http://127.0.0.1:37167/api/v1/sessions.json?event_id=77&fields=id%2Cname%2Cdescription%2Cdate%2Cstart_time%2Cend_time%2Ctimezone&page=1&per-page=200', 200, 708, '13190d76b97accaadd04e7f2f961d6b1020109058b5479417ccf4df60db5bb03', 1, '2031-05-04 12:00:00+00');


--
-- Data for Name: runs; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.runs VALUES ('summit', '01c2ae78-4201-7aa7-806b-e3acfd9d49f6', 'run', 'finished', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '0.1.0', 'test', NULL, NULL, 'a4afd0c15aee2c830b5371af1af56bd88d3cd8553d58255988d345e55dbc3aa3', '{agenda,speakers,attendees}', 6, 2, 'f50a7dd7e697158a32dea9c0900f7ddd67c1a57f28905b23f7aaf6807d4b3a58', true, NULL, '{"kept": 0, "failed": 1, "changes": {"agenda": {"create": 1, "remove": 1, "update": 1, "unchanged": 0}, "speakers": {"create": 0, "remove": 0, "update": 1, "unchanged": 0}, "attendees": {"create": 1, "remove": 1, "update": 0, "unchanged": 5}}, "excluded": {"not_a_speaker": 6, "not_published": 1, "missing_required:lastName": 1}, "withheld": 2, "quarantined": 0}', NULL, 'c749ee5c4f019ab4bd27a636d0948645c102d77db4ccb8b76c0b18d3a443f667');
INSERT INTO sync.runs VALUES ('summit', '01c2ae78-4200-7c56-b540-05348c5ca483', 'run', 'finished', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '0.1.0', 'test', NULL, NULL, '3c81f4aaf546f5d37b92b2c5e8f6a18818b3704768809c0032a0795f0711d8b0', '{agenda,speakers,attendees}', 1, 1, '4e9839e64b0f8d44a92f42ae1b6fb3729b0e45475488ff92baad0db769cffacb', true, NULL, '{"kept": 0, "failed": 0, "changes": {"agenda": {"create": 2, "remove": 0, "update": 0, "unchanged": 0}, "speakers": {"create": 1, "remove": 0, "update": 0, "unchanged": 0}, "attendees": {"create": 6, "remove": 0, "update": 0, "unchanged": 0}}, "excluded": {"not_a_speaker": 5}, "withheld": 0, "quarantined": 0}', NULL, '28c710a35b8a4e47b05f8d78d99d43f8561532bdff3bc65002003cf3dd7ff9ec');
INSERT INTO sync.runs VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'run', 'applying', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', NULL, NULL, '0.1.0', 'test', NULL, NULL, '3ae3f023da66d0ed4046624bc24e08dd1cc6cf7218db256c623eafbc95fae135', '{agenda,speakers,attendees}', 1, 2, '37f025c4c6b68b58a9c4afcfa803f4f1073473093c8bd293162af12b3256cff2', true, NULL, '{"kept": 0, "changes": {"agenda": {"create": 0, "remove": 0, "update": 0, "unchanged": 1}, "speakers": {"create": 0, "remove": 0, "update": 0, "unchanged": 1}, "attendees": {"create": 1, "remove": 1, "update": 0, "unchanged": 2}}, "excluded": {"cancelled": 1, "not_a_speaker": 3}, "quarantined": 1}', 'apply failed: the process is gone
platform possibly touched; the next run finishes this plan first (or gives it up, with --rebind to another platform event)', NULL);
INSERT INTO sync.runs VALUES ('summit', '01c2ae78-4202-7e87-8d80-2f91289bd7f2', 'run', 'finished', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '0.1.0', 'test', NULL, NULL, 'e1c4edf2529822d5ae3c944bf925837650347313d408b5884b0d2d9524d2ed6e', '{agenda,speakers,attendees}', 8, 3, 'ffa8f2aabe8a366dcd68609d4c641f955cde0140848ae656e4456767f32189a9', true, NULL, '{"kept": 0, "failed": 0, "changes": {"agenda": {"create": 0, "remove": 1, "update": 0, "unchanged": 2}, "speakers": {"create": 0, "remove": 0, "update": 0, "unchanged": 1}, "attendees": {"create": 1, "remove": 0, "update": 0, "unchanged": 6}}, "excluded": {"not_a_speaker": 6}, "withheld": 0, "quarantined": 0}', NULL, '8cfdd5ee637a12f94ef2bf23cc2ecee8e55e69992f5e90a0176f35638dfe76de');
INSERT INTO sync.runs VALUES ('expo', '01c2ae78-4200-7476-a5f5-83ae0c3e1687', 'run', 'finished', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '0.1.0', 'test', NULL, NULL, 'aef0f4592237a752b3170c1f9f1ba3d67a7b54d5ad9a5fb8dc71c2371591b1f0', '{agenda,speakers,attendees}', 0, 1, 'de4a74bdc6e62279177c9c99d9a7f569b5a49b353c96936c1ff8aff6c4c4bf96', true, NULL, '{"kept": 0, "failed": 0, "changes": {"agenda": {"create": 1, "remove": 0, "update": 0, "unchanged": 0}, "speakers": {"create": 1, "remove": 0, "update": 0, "unchanged": 0}, "attendees": {"create": 3, "remove": 0, "update": 0, "unchanged": 0}}, "excluded": {"not_a_speaker": 2}, "withheld": 0, "quarantined": 0}', NULL, 'b38fdb3bc10f36717834e88667c192b7d217fcc2694e55a3a2fe6a5176d40ba3');


--
-- Data for Name: unseen; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.unseen VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'registrants', '3');


--
-- Data for Name: unstaged; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.unstaged VALUES ('expo', '01c2ae78-4201-72a4-9906-e7a7dac80669', 'registrants', 4, NULL, NULL, 'invalid_record', '$.id', 'no id');


--
-- Name: applied applied_pkey; Type: CONSTRAINT; Schema: migration; Owner: -
--

ALTER TABLE ONLY migration.applied
    ADD CONSTRAINT applied_pkey PRIMARY KEY (name);


--
-- Name: a_rooms a_rooms_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.a_rooms
    ADD CONSTRAINT a_rooms_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: a_session_types a_session_types_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.a_session_types
    ADD CONSTRAINT a_session_types_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: a_sessions a_sessions_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.a_sessions
    ADD CONSTRAINT a_sessions_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: a_time_slots a_time_slots_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.a_time_slots
    ADD CONSTRAINT a_time_slots_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: a_tracks a_tracks_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.a_tracks
    ADD CONSTRAINT a_tracks_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: a_users a_users_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.a_users
    ADD CONSTRAINT a_users_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: b_reg_types b_reg_types_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.b_reg_types
    ADD CONSTRAINT b_reg_types_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: b_registrants b_registrants_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.b_registrants
    ADD CONSTRAINT b_registrants_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: b_sessions b_sessions_pkey; Type: CONSTRAINT; Schema: staging; Owner: -
--

ALTER TABLE ONLY staging.b_sessions
    ADD CONSTRAINT b_sessions_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);


--
-- Name: batches batches_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (integration_id, run_id, batch);


--
-- Name: certificates certificates_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.certificates
    ADD CONSTRAINT certificates_pkey PRIMARY KEY (integration_id, run_id, resource);


--
-- Name: changes changes_integration_id_run_id_content_unique_id_key; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.changes
    ADD CONSTRAINT changes_integration_id_run_id_content_unique_id_key UNIQUE (integration_id, run_id, content, unique_id);


--
-- Name: changes changes_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (integration_id, run_id, seq);


--
-- Name: decisions decisions_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (integration_id, content, source_id, valid_from_run);


--
-- Name: desired_items desired_items_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.desired_items
    ADD CONSTRAINT desired_items_pkey PRIMARY KEY (integration_id, content, unique_id, valid_from_run);


--
-- Name: integrations integrations_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.integrations
    ADD CONSTRAINT integrations_pkey PRIMARY KEY (integration_id);


--
-- Name: passwords passwords_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.passwords
    ADD CONSTRAINT passwords_pkey PRIMARY KEY (integration_id, unique_id);


--
-- Name: platform_items platform_items_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.platform_items
    ADD CONSTRAINT platform_items_pkey PRIMARY KEY (integration_id, content, unique_id);


--
-- Name: readings readings_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.readings
    ADD CONSTRAINT readings_pkey PRIMARY KEY (integration_id, run_id, resource);


--
-- Name: requests requests_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (integration_id, run_id, resource, page);


--
-- Name: runs runs_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (integration_id, run_id);


--
-- Name: unseen unseen_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.unseen
    ADD CONSTRAINT unseen_pkey PRIMARY KEY (integration_id, run_id, resource, source_id);


--
-- Name: unstaged unstaged_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.unstaged
    ADD CONSTRAINT unstaged_pkey PRIMARY KEY (integration_id, run_id, resource, ordinal);


--
-- Name: a_rooms_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX a_rooms_current ON staging.a_rooms USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: a_session_types_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX a_session_types_current ON staging.a_session_types USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: a_sessions_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX a_sessions_current ON staging.a_sessions USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: a_time_slots_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX a_time_slots_current ON staging.a_time_slots USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: a_tracks_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX a_tracks_current ON staging.a_tracks USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: a_users_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX a_users_current ON staging.a_users USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: b_reg_types_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX b_reg_types_current ON staging.b_reg_types USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: b_registrants_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX b_registrants_current ON staging.b_registrants USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: b_sessions_current; Type: INDEX; Schema: staging; Owner: -
--

CREATE UNIQUE INDEX b_sessions_current ON staging.b_sessions USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: changes_alone; Type: INDEX; Schema: sync; Owner: -
--

CREATE INDEX changes_alone ON sync.changes USING btree (integration_id, run_id, seq) WHERE (alone AND (state = 'pending'::text));


--
-- Name: decisions_current; Type: INDEX; Schema: sync; Owner: -
--

CREATE UNIQUE INDEX decisions_current ON sync.decisions USING btree (integration_id, content, source_id) WHERE (valid_to_run IS NULL);


--
-- Name: desired_items_current; Type: INDEX; Schema: sync; Owner: -
--

CREATE UNIQUE INDEX desired_items_current ON sync.desired_items USING btree (integration_id, content, unique_id) WHERE (valid_to_run IS NULL);


--
-- PostgreSQL database dump complete
--


