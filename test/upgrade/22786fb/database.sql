--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)


SET LOCAL check_function_bodies = false;

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
-- Name: local_time(timestamp with time zone, text); Type: FUNCTION; Schema: published; Owner: -
--

CREATE FUNCTION published.local_time(instant timestamp with time zone, time_zone text) RETURNS timestamp without time zone
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return instant at time zone case upper(time_zone)
    when 'CET' then 'Europe/Brussels'
    when 'MET' then 'Europe/Brussels'
    when 'EET' then 'Europe/Athens'
    when 'WET' then 'Europe/Lisbon'
    else time_zone
  end;
exception
  when invalid_parameter_value then
    return null;
end
$$;


--
-- Name: FUNCTION local_time(instant timestamp with time zone, time_zone text); Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON FUNCTION published.local_time(instant timestamp with time zone, time_zone text) IS 'An instant on the clock on the wall in a time zone (IANA name); null where this database does not know the zone.';




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
    personal_data text,
    excel boolean,
    time_zone text,
    previous_manifest_sha256 text,
    reissue_due boolean DEFAULT false NOT NULL,
    purged_at timestamp with time zone,
    CONSTRAINT runs_command_check CHECK ((command = ANY (ARRAY['run'::text, 'plan'::text]))),
    CONSTRAINT runs_personal_data_check CHECK ((personal_data = ANY (ARRAY['full'::text, 'masked'::text]))),
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
-- Name: COLUMN runs.personal_data; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.personal_data IS 'audit.personalData as the pack was written; null before that, and in runs before 0.2, where it was full.';


--
-- Name: COLUMN runs.excel; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.excel IS 'audit.excel as the pack was written; null before that, and in runs before 0.2, where it was false.';


--
-- Name: COLUMN runs.time_zone; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.time_zone IS 'source.timeZone as the run was opened; null where there was none. Of runs before 0.2, what it was at the upgrade.';


--
-- Name: COLUMN runs.previous_manifest_sha256; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.previous_manifest_sha256 IS 'SHA-256 of the manifest of the pack that this run''s pack follows; null where it is the first, and as long as there is none.';


--
-- Name: COLUMN runs.reissue_due; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.reissue_due IS 'Whether its pack still holds somebody who was forgotten, and has to be written again.';


--
-- Name: COLUMN runs.purged_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.runs.purged_at IS 'When what the run had read, planned and sent was purged; null where it is there.';


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
          WHERE ((later.integration_id = run.integration_id) AND (later.status = 'finished'::text) AND (later.run_id > run.run_id))))) AS is_latest,
    ( SELECT earlier.run_id
           FROM sync.runs earlier
          WHERE ((earlier.integration_id = run.integration_id) AND (earlier.status = 'finished'::text) AND (earlier.purged_at IS NULL) AND (earlier.run_id < run.run_id))
          ORDER BY earlier.run_id DESC
         LIMIT 1) AS run_before
   FROM sync.runs run
  WHERE ((run.status = 'finished'::text) AND (run.purged_at IS NULL));


--
-- Name: VIEW runs; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.runs IS 'Runs whose plan has landed on the platform and which were not purged since; withheld in counts tells the removals that were left out.';


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

COMMENT ON COLUMN published.runs.is_latest IS 'Whether it is the last such run of its integration: the one the other views show. What is current in staging is of a later one where a plan was held or only shown since.';


--
-- Name: COLUMN runs.run_before; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.runs.run_before IS 'The run of the integration that landed before it; null for the first, and where that was purged.';


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
    CONSTRAINT b_sessions_not_empty CHECK ((valid_to_run > valid_from_run)),
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
    valid_to_run uuid,
    CONSTRAINT desired_items_not_empty CHECK ((valid_to_run > valid_from_run))
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
    contents_read_back text[] DEFAULT '{}'::text[] NOT NULL,
    transform_basis bytea
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
-- Name: COLUMN integrations.transform_basis; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.integrations.transform_basis IS 'SHA-256 over the statements that made the decisions and desired items that stand; null where they must be made anew.';


--
-- Name: agenda_by_run; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.agenda_by_run AS
 SELECT item.integration_id,
    item.unique_id,
    (item.fields ->> 'name'::text) AS name,
    ((item.fields ->> 'startTime'::text))::timestamp with time zone AS start_time,
    ((item.fields ->> 'endTime'::text))::timestamp with time zone AS end_time,
    published.local_time(((item.fields ->> 'startTime'::text))::timestamp with time zone, zone.name) AS local_start,
    published.local_time(((item.fields ->> 'endTime'::text))::timestamp with time zone, zone.name) AS local_end,
        CASE
            WHEN (published.local_time(now(), zone.name) IS NOT NULL) THEN zone.name
            ELSE NULL::text
        END AS time_zone,
    (item.fields ->> 'description'::text) AS description,
    (item.fields ->> 'location'::text) AS location,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'sessionTracks'::text)) AS jsonb_array_elements_text) AS session_tracks,
    (item.fields ->> 'filterGroup'::text) AS filter_group,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'subFilters'::text)) AS jsonb_array_elements_text) AS sub_filters,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'speakerIds'::text)) AS jsonb_array_elements_text) AS speaker_ids,
    ARRAY( SELECT jsonb_array_elements_text((item.fields -> 'linkUrls'::text)) AS jsonb_array_elements_text) AS link_urls,
    run.run_id,
    run.is_latest
   FROM ((((published.runs run
     JOIN sync.integrations integration ON ((integration.integration_id = run.integration_id)))
     JOIN sync.desired_items item ON (((item.integration_id = run.integration_id) AND (item.content = 'agenda'::text) AND (item.valid_from_run <= run.run_id) AND ((item.valid_to_run IS NULL) OR (item.valid_to_run > run.run_id)))))
     LEFT JOIN staging.b_sessions session ON (((session.integration_id = item.integration_id) AND (session.source_id = item.unique_id) AND (session.valid_from_run <= run.run_id) AND ((session.valid_to_run IS NULL) OR (session.valid_to_run > run.run_id)))))
     CROSS JOIN LATERAL ( SELECT COALESCE(session.time_zone, integration.time_zone) AS "coalesce") zone(name));


--
-- Name: VIEW agenda_by_run; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.agenda_by_run IS 'Agenda items that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';


--
-- Name: COLUMN agenda_by_run.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.integration_id IS 'Integration.';


--
-- Name: COLUMN agenda_by_run.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.unique_id IS 'Unique ID of the item; id of the session at the source.';


--
-- Name: COLUMN agenda_by_run.name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.name IS 'Title of the session; platform field name.';


--
-- Name: COLUMN agenda_by_run.start_time; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.start_time IS 'When the session begins, an instant; platform field startTime.';


--
-- Name: COLUMN agenda_by_run.end_time; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.end_time IS 'When the session ends, an instant; platform field endTime.';


--
-- Name: COLUMN agenda_by_run.local_start; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.local_start IS 'start_time on the clock on the wall in time_zone; null where the zone is not known.';


--
-- Name: COLUMN agenda_by_run.local_end; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.local_end IS 'end_time on the clock on the wall in time_zone; null where the zone is not known.';


--
-- Name: COLUMN agenda_by_run.time_zone; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.time_zone IS 'Zone of the session (Source B), else source.timeZone as the last run had it; null where neither is known to this database.';


--
-- Name: COLUMN agenda_by_run.description; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.description IS 'What the session is about, HTML as received; platform field description.';


--
-- Name: COLUMN agenda_by_run.location; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.location IS 'Where it is held, location and name of the room; platform field location (Source A).';


--
-- Name: COLUMN agenda_by_run.session_tracks; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.session_tracks IS 'Title of its track, in a list; platform field sessionTracks (Source A). Empty where there is none.';


--
-- Name: COLUMN agenda_by_run.filter_group; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.filter_group IS 'What sub_filters are, always Types; platform field filterGroup (Source A). Null where there are none.';


--
-- Name: COLUMN agenda_by_run.sub_filters; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.sub_filters IS 'Title of its type of session, in a list; platform field subFilters (Source A). Empty where there is none.';


--
-- Name: COLUMN agenda_by_run.speaker_ids; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.speaker_ids IS 'Who speaks, in the order of the source; platform field speakerIds (Source A); join published.speakers. published.session_speakers also has those who name the session themselves.';


--
-- Name: COLUMN agenda_by_run.link_urls; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.link_urls IS 'Web addresses that belong to it, in the order of the source; platform field linkUrls (Source A). Empty where there are none.';


--
-- Name: COLUMN agenda_by_run.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.run_id IS 'Run that the row is of.';


--
-- Name: COLUMN agenda_by_run.is_latest; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda_by_run.is_latest IS 'Whether the run is the last of its integration that landed: the one that published.agenda shows.';


--
-- Name: agenda; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.agenda AS
 SELECT item.integration_id,
    item.unique_id,
    item.name,
    item.start_time,
    item.end_time,
    item.local_start,
    item.local_end,
    item.time_zone,
    item.description,
    item.location,
    item.session_tracks,
    item.filter_group,
    item.sub_filters,
    item.speaker_ids,
    item.link_urls,
    item.run_id
   FROM published.agenda_by_run item
  WHERE item.is_latest;


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

COMMENT ON COLUMN published.agenda.name IS 'Title of the session; platform field name.';


--
-- Name: COLUMN agenda.start_time; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.start_time IS 'When the session begins, an instant; platform field startTime.';


--
-- Name: COLUMN agenda.end_time; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.end_time IS 'When the session ends, an instant; platform field endTime.';


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

COMMENT ON COLUMN published.agenda.time_zone IS 'Zone of the session (Source B), else source.timeZone as the last run had it; null where neither is known to this database.';


--
-- Name: COLUMN agenda.description; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.description IS 'What the session is about, HTML as received; platform field description.';


--
-- Name: COLUMN agenda.location; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.location IS 'Where it is held, location and name of the room; platform field location (Source A).';


--
-- Name: COLUMN agenda.session_tracks; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.session_tracks IS 'Title of its track, in a list; platform field sessionTracks (Source A). Empty where there is none.';


--
-- Name: COLUMN agenda.filter_group; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.filter_group IS 'What sub_filters are, always Types; platform field filterGroup (Source A). Null where there are none.';


--
-- Name: COLUMN agenda.sub_filters; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.sub_filters IS 'Title of its type of session, in a list; platform field subFilters (Source A). Empty where there is none.';


--
-- Name: COLUMN agenda.speaker_ids; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.speaker_ids IS 'Who speaks, in the order of the source; platform field speakerIds (Source A); join published.speakers. published.session_speakers also has those who name the session themselves.';


--
-- Name: COLUMN agenda.link_urls; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.link_urls IS 'Web addresses that belong to it, in the order of the source; platform field linkUrls (Source A). Empty where there are none.';


--
-- Name: COLUMN agenda.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.agenda.run_id IS 'Run that the row is of.';


--
-- Name: agenda_as_of(uuid); Type: FUNCTION; Schema: published; Owner: -
--

CREATE FUNCTION published.agenda_as_of(run uuid) RETURNS SETOF published.agenda
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select
  item.integration_id,
  item.unique_id,
  item.name,
  item.start_time,
  item.end_time,
  item.local_start,
  item.local_end,
  item.time_zone,
  item.description,
  item.location,
  item.session_tracks,
  item.filter_group,
  item.sub_filters,
  item.speaker_ids,
  item.link_urls,
  item.run_id
from published.agenda_by_run as item
where item.run_id = agenda_as_of.run
$$;


--
-- Name: FUNCTION agenda_as_of(run uuid); Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON FUNCTION published.agenda_as_of(run uuid) IS 'Rows of published.agenda as of a run that landed; none for any other run.';


--
-- Name: attendees_by_run; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.attendees_by_run AS
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
    run.run_id,
    run.is_latest
   FROM (published.runs run
     JOIN sync.desired_items item ON (((item.integration_id = run.integration_id) AND (item.content = 'attendees'::text) AND (item.valid_from_run <= run.run_id) AND ((item.valid_to_run IS NULL) OR (item.valid_to_run > run.run_id)))));


--
-- Name: VIEW attendees_by_run; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.attendees_by_run IS 'Attendees that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';


--
-- Name: COLUMN attendees_by_run.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.integration_id IS 'Integration.';


--
-- Name: COLUMN attendees_by_run.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.unique_id IS 'Unique ID of the item; id of the user or registrant at the source, or the e-mail address of a user without one. Personal.';


--
-- Name: COLUMN attendees_by_run.first_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.first_name IS 'First name; platform field firstName. Personal.';


--
-- Name: COLUMN attendees_by_run.last_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.last_name IS 'Last name; platform field lastName. Personal.';


--
-- Name: COLUMN attendees_by_run.email_address; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.email_address IS 'E-mail address as given; platform field emailAddress. Personal.';


--
-- Name: COLUMN attendees_by_run.title; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.title IS 'Position at work; platform field title. Personal.';


--
-- Name: COLUMN attendees_by_run.company; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.company IS 'Organisation that the person works for; platform field company. Personal.';


--
-- Name: COLUMN attendees_by_run.biography; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.biography IS 'About the person, HTML as received; platform field biography (Source B). Personal.';


--
-- Name: COLUMN attendees_by_run.phone; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.phone IS 'Mobile phone number as given; platform field phone (Source B). Personal.';


--
-- Name: COLUMN attendees_by_run.personal_agenda; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.personal_agenda IS 'Sessions that the person goes to, in byte order; platform field personalAgenda (Source B); join published.agenda. Empty where there are none.';


--
-- Name: COLUMN attendees_by_run.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.run_id IS 'Run that the row is of.';


--
-- Name: COLUMN attendees_by_run.is_latest; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees_by_run.is_latest IS 'Whether the run is the last of its integration that landed: the one that published.attendees shows.';


--
-- Name: attendees; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.attendees AS
 SELECT item.integration_id,
    item.unique_id,
    item.first_name,
    item.last_name,
    item.email_address,
    item.title,
    item.company,
    item.biography,
    item.phone,
    item.personal_agenda,
    item.run_id
   FROM published.attendees_by_run item
  WHERE item.is_latest;


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

COMMENT ON COLUMN published.attendees.first_name IS 'First name; platform field firstName. Personal.';


--
-- Name: COLUMN attendees.last_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.last_name IS 'Last name; platform field lastName. Personal.';


--
-- Name: COLUMN attendees.email_address; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.email_address IS 'E-mail address as given; platform field emailAddress. Personal.';


--
-- Name: COLUMN attendees.title; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.title IS 'Position at work; platform field title. Personal.';


--
-- Name: COLUMN attendees.company; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.company IS 'Organisation that the person works for; platform field company. Personal.';


--
-- Name: COLUMN attendees.biography; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.biography IS 'About the person, HTML as received; platform field biography (Source B). Personal.';


--
-- Name: COLUMN attendees.phone; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.phone IS 'Mobile phone number as given; platform field phone (Source B). Personal.';


--
-- Name: COLUMN attendees.personal_agenda; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.personal_agenda IS 'Sessions that the person goes to, in byte order; platform field personalAgenda (Source B); join published.agenda. Empty where there are none.';


--
-- Name: COLUMN attendees.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.attendees.run_id IS 'Run that the row is of.';


--
-- Name: attendees_as_of(uuid); Type: FUNCTION; Schema: published; Owner: -
--

CREATE FUNCTION published.attendees_as_of(run uuid) RETURNS SETOF published.attendees
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select
  item.integration_id,
  item.unique_id,
  item.first_name,
  item.last_name,
  item.email_address,
  item.title,
  item.company,
  item.biography,
  item.phone,
  item.personal_agenda,
  item.run_id
from published.attendees_by_run as item
where item.run_id = attendees_as_of.run
$$;


--
-- Name: FUNCTION attendees_as_of(run uuid); Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON FUNCTION published.attendees_as_of(run uuid) IS 'Rows of published.attendees as of a run that landed; none for any other run. Personal.';


--
-- Name: speakers_by_run; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.speakers_by_run AS
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
    run.run_id,
    run.is_latest
   FROM (published.runs run
     JOIN sync.desired_items item ON (((item.integration_id = run.integration_id) AND (item.content = 'speakers'::text) AND (item.valid_from_run <= run.run_id) AND ((item.valid_to_run IS NULL) OR (item.valid_to_run > run.run_id)))));


--
-- Name: VIEW speakers_by_run; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.speakers_by_run IS 'Speakers that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';


--
-- Name: COLUMN speakers_by_run.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.integration_id IS 'Integration.';


--
-- Name: COLUMN speakers_by_run.unique_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.unique_id IS 'Unique ID of the item; id of the user or registrant at the source.';


--
-- Name: COLUMN speakers_by_run.first_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.first_name IS 'First name; platform field firstName. Personal.';


--
-- Name: COLUMN speakers_by_run.last_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.last_name IS 'Last name; platform field lastName. Personal.';


--
-- Name: COLUMN speakers_by_run.title; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.title IS 'Position at work; platform field title. Personal.';


--
-- Name: COLUMN speakers_by_run.company; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.company IS 'Organisation that the person works for; platform field company. Personal.';


--
-- Name: COLUMN speakers_by_run.description; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.description IS 'About the person, HTML as received; platform field description. Personal.';


--
-- Name: COLUMN speakers_by_run.image_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.image_url IS 'Web address of a photo; platform field imageUrl (Source A). Personal.';


--
-- Name: COLUMN speakers_by_run.session_ids; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.session_ids IS 'Sessions that the person speaks in, in byte order; platform field sessionIds; join published.agenda. Empty where there are none.';


--
-- Name: COLUMN speakers_by_run.attendee_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.attendee_id IS 'The person as an attendee; platform field attendeeId; join published.attendees. Null where there is no such attendee.';


--
-- Name: COLUMN speakers_by_run.facebook_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.facebook_url IS 'Web address of the page on Facebook; platform field facebookUrl (Source A). Personal.';


--
-- Name: COLUMN speakers_by_run.linkedin_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.linkedin_url IS 'Web address of the page on LinkedIn; platform field linkedinUrl (Source A). Personal.';


--
-- Name: COLUMN speakers_by_run.twitter; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.twitter IS 'Handle on Twitter, without "@"; platform field twitter (Source B). Personal.';


--
-- Name: COLUMN speakers_by_run.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.run_id IS 'Run that the row is of.';


--
-- Name: COLUMN speakers_by_run.is_latest; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers_by_run.is_latest IS 'Whether the run is the last of its integration that landed: the one that published.speakers shows.';


--
-- Name: speakers; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.speakers AS
 SELECT item.integration_id,
    item.unique_id,
    item.first_name,
    item.last_name,
    item.title,
    item.company,
    item.description,
    item.image_url,
    item.session_ids,
    item.attendee_id,
    item.facebook_url,
    item.linkedin_url,
    item.twitter,
    item.run_id
   FROM published.speakers_by_run item
  WHERE item.is_latest;


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

COMMENT ON COLUMN published.speakers.first_name IS 'First name; platform field firstName. Personal.';


--
-- Name: COLUMN speakers.last_name; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.last_name IS 'Last name; platform field lastName. Personal.';


--
-- Name: COLUMN speakers.title; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.title IS 'Position at work; platform field title. Personal.';


--
-- Name: COLUMN speakers.company; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.company IS 'Organisation that the person works for; platform field company. Personal.';


--
-- Name: COLUMN speakers.description; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.description IS 'About the person, HTML as received; platform field description. Personal.';


--
-- Name: COLUMN speakers.image_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.image_url IS 'Web address of a photo; platform field imageUrl (Source A). Personal.';


--
-- Name: COLUMN speakers.session_ids; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.session_ids IS 'Sessions that the person speaks in, in byte order; platform field sessionIds; join published.agenda. Empty where there are none.';


--
-- Name: COLUMN speakers.attendee_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.attendee_id IS 'The person as an attendee; platform field attendeeId; join published.attendees. Null where there is no such attendee.';


--
-- Name: COLUMN speakers.facebook_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.facebook_url IS 'Web address of the page on Facebook; platform field facebookUrl (Source A). Personal.';


--
-- Name: COLUMN speakers.linkedin_url; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.linkedin_url IS 'Web address of the page on LinkedIn; platform field linkedinUrl (Source A). Personal.';


--
-- Name: COLUMN speakers.twitter; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.twitter IS 'Handle on Twitter, without "@"; platform field twitter (Source B). Personal.';


--
-- Name: COLUMN speakers.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.speakers.run_id IS 'Run that the row is of.';


--
-- Name: speakers_as_of(uuid); Type: FUNCTION; Schema: published; Owner: -
--

CREATE FUNCTION published.speakers_as_of(run uuid) RETURNS SETOF published.speakers
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select
  item.integration_id,
  item.unique_id,
  item.first_name,
  item.last_name,
  item.title,
  item.company,
  item.description,
  item.image_url,
  item.session_ids,
  item.attendee_id,
  item.facebook_url,
  item.linkedin_url,
  item.twitter,
  item.run_id
from published.speakers_by_run as item
where item.run_id = speakers_as_of.run
$$;


--
-- Name: FUNCTION speakers_as_of(run uuid); Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON FUNCTION published.speakers_as_of(run uuid) IS 'Rows of published.speakers as of a run that landed; none for any other run. Personal.';


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
    valid_to_run uuid,
    CONSTRAINT a_rooms_not_empty CHECK ((valid_to_run > valid_from_run))
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
-- Name: a_rooms_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_rooms_as_of(run uuid) RETURNS SETOF staging.a_rooms
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.a_rooms as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_rooms_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_rooms_as_of.run)
where as_of.run_id = a_rooms_as_of.run
$$;


--
-- Name: FUNCTION a_rooms_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_rooms_as_of(run uuid) IS 'Rows of staging.a_rooms as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';


--
-- Name: a_rooms_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_rooms_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_rooms, after staging.a_rooms)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_rooms as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_rooms_between.from_run
      and staged.valid_to_run > a_rooms_between.from_run
      and staged.valid_to_run <= a_rooms_between.to_run
    where one.run_id = a_rooms_between.from_run
      and other.run_id = a_rooms_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_rooms as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_rooms_between.from_run
      and staged.valid_from_run <= a_rooms_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_rooms_between.to_run)
    where one.run_id = a_rooms_between.from_run
      and other.run_id = a_rooms_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION a_rooms_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_rooms_between(from_run uuid, to_run uuid) IS 'What changed in staging.a_rooms from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';


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
    valid_to_run uuid,
    CONSTRAINT a_session_types_not_empty CHECK ((valid_to_run > valid_from_run))
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
-- Name: a_session_types_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_session_types_as_of(run uuid) RETURNS SETOF staging.a_session_types
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.a_session_types as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_session_types_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_session_types_as_of.run)
where as_of.run_id = a_session_types_as_of.run
$$;


--
-- Name: FUNCTION a_session_types_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_session_types_as_of(run uuid) IS 'Rows of staging.a_session_types as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';


--
-- Name: a_session_types_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_session_types_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_session_types, after staging.a_session_types)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_session_types as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_session_types_between.from_run
      and staged.valid_to_run > a_session_types_between.from_run
      and staged.valid_to_run <= a_session_types_between.to_run
    where one.run_id = a_session_types_between.from_run
      and other.run_id = a_session_types_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_session_types as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_session_types_between.from_run
      and staged.valid_from_run <= a_session_types_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_session_types_between.to_run)
    where one.run_id = a_session_types_between.from_run
      and other.run_id = a_session_types_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION a_session_types_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_session_types_between(from_run uuid, to_run uuid) IS 'What changed in staging.a_session_types from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';


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
    valid_to_run uuid,
    CONSTRAINT a_sessions_not_empty CHECK ((valid_to_run > valid_from_run))
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
-- Name: a_sessions_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_sessions_as_of(run uuid) RETURNS SETOF staging.a_sessions
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.a_sessions as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_sessions_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_sessions_as_of.run)
where as_of.run_id = a_sessions_as_of.run
$$;


--
-- Name: FUNCTION a_sessions_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_sessions_as_of(run uuid) IS 'Rows of staging.a_sessions as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing. Personal.';


--
-- Name: a_sessions_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_sessions_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_sessions, after staging.a_sessions)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_sessions as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_sessions_between.from_run
      and staged.valid_to_run > a_sessions_between.from_run
      and staged.valid_to_run <= a_sessions_between.to_run
    where one.run_id = a_sessions_between.from_run
      and other.run_id = a_sessions_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_sessions as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_sessions_between.from_run
      and staged.valid_from_run <= a_sessions_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_sessions_between.to_run)
    where one.run_id = a_sessions_between.from_run
      and other.run_id = a_sessions_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION a_sessions_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_sessions_between(from_run uuid, to_run uuid) IS 'What changed in staging.a_sessions from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order. Personal.';


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
    CONSTRAINT a_time_slots_not_empty CHECK ((valid_to_run > valid_from_run)),
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
-- Name: a_time_slots_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_time_slots_as_of(run uuid) RETURNS SETOF staging.a_time_slots
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.a_time_slots as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_time_slots_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_time_slots_as_of.run)
where as_of.run_id = a_time_slots_as_of.run
$$;


--
-- Name: FUNCTION a_time_slots_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_time_slots_as_of(run uuid) IS 'Rows of staging.a_time_slots as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';


--
-- Name: a_time_slots_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_time_slots_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_time_slots, after staging.a_time_slots)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_time_slots as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_time_slots_between.from_run
      and staged.valid_to_run > a_time_slots_between.from_run
      and staged.valid_to_run <= a_time_slots_between.to_run
    where one.run_id = a_time_slots_between.from_run
      and other.run_id = a_time_slots_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_time_slots as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_time_slots_between.from_run
      and staged.valid_from_run <= a_time_slots_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_time_slots_between.to_run)
    where one.run_id = a_time_slots_between.from_run
      and other.run_id = a_time_slots_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION a_time_slots_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_time_slots_between(from_run uuid, to_run uuid) IS 'What changed in staging.a_time_slots from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';


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
    valid_to_run uuid,
    CONSTRAINT a_tracks_not_empty CHECK ((valid_to_run > valid_from_run))
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
-- Name: a_tracks_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_tracks_as_of(run uuid) RETURNS SETOF staging.a_tracks
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.a_tracks as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_tracks_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_tracks_as_of.run)
where as_of.run_id = a_tracks_as_of.run
$$;


--
-- Name: FUNCTION a_tracks_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_tracks_as_of(run uuid) IS 'Rows of staging.a_tracks as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';


--
-- Name: a_tracks_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_tracks_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_tracks, after staging.a_tracks)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_tracks as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_tracks_between.from_run
      and staged.valid_to_run > a_tracks_between.from_run
      and staged.valid_to_run <= a_tracks_between.to_run
    where one.run_id = a_tracks_between.from_run
      and other.run_id = a_tracks_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_tracks as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_tracks_between.from_run
      and staged.valid_from_run <= a_tracks_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_tracks_between.to_run)
    where one.run_id = a_tracks_between.from_run
      and other.run_id = a_tracks_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION a_tracks_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_tracks_between(from_run uuid, to_run uuid) IS 'What changed in staging.a_tracks from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';


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
    valid_to_run uuid,
    CONSTRAINT a_users_not_empty CHECK ((valid_to_run > valid_from_run))
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
-- Name: a_users_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_users_as_of(run uuid) RETURNS SETOF staging.a_users
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.a_users as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_users_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_users_as_of.run)
where as_of.run_id = a_users_as_of.run
$$;


--
-- Name: FUNCTION a_users_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_users_as_of(run uuid) IS 'Rows of staging.a_users as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing. Personal.';


--
-- Name: a_users_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.a_users_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_users, after staging.a_users)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_users as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_users_between.from_run
      and staged.valid_to_run > a_users_between.from_run
      and staged.valid_to_run <= a_users_between.to_run
    where one.run_id = a_users_between.from_run
      and other.run_id = a_users_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_users as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_users_between.from_run
      and staged.valid_from_run <= a_users_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_users_between.to_run)
    where one.run_id = a_users_between.from_run
      and other.run_id = a_users_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION a_users_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.a_users_between(from_run uuid, to_run uuid) IS 'What changed in staging.a_users from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order. Personal.';


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
    valid_to_run uuid,
    CONSTRAINT b_reg_types_not_empty CHECK ((valid_to_run > valid_from_run))
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
-- Name: b_reg_types_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.b_reg_types_as_of(run uuid) RETURNS SETOF staging.b_reg_types
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.b_reg_types as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= b_reg_types_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > b_reg_types_as_of.run)
where as_of.run_id = b_reg_types_as_of.run
$$;


--
-- Name: FUNCTION b_reg_types_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.b_reg_types_as_of(run uuid) IS 'Rows of staging.b_reg_types as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';


--
-- Name: b_reg_types_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.b_reg_types_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.b_reg_types, after staging.b_reg_types)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_reg_types as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= b_reg_types_between.from_run
      and staged.valid_to_run > b_reg_types_between.from_run
      and staged.valid_to_run <= b_reg_types_between.to_run
    where one.run_id = b_reg_types_between.from_run
      and other.run_id = b_reg_types_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_reg_types as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > b_reg_types_between.from_run
      and staged.valid_from_run <= b_reg_types_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > b_reg_types_between.to_run)
    where one.run_id = b_reg_types_between.from_run
      and other.run_id = b_reg_types_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION b_reg_types_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.b_reg_types_between(from_run uuid, to_run uuid) IS 'What changed in staging.b_reg_types from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';


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
    valid_to_run uuid,
    CONSTRAINT b_registrants_not_empty CHECK ((valid_to_run > valid_from_run))
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
-- Name: b_registrants_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.b_registrants_as_of(run uuid) RETURNS SETOF staging.b_registrants
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.b_registrants as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= b_registrants_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > b_registrants_as_of.run)
where as_of.run_id = b_registrants_as_of.run
$$;


--
-- Name: FUNCTION b_registrants_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.b_registrants_as_of(run uuid) IS 'Rows of staging.b_registrants as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing. Personal.';


--
-- Name: b_registrants_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.b_registrants_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.b_registrants, after staging.b_registrants)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_registrants as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= b_registrants_between.from_run
      and staged.valid_to_run > b_registrants_between.from_run
      and staged.valid_to_run <= b_registrants_between.to_run
    where one.run_id = b_registrants_between.from_run
      and other.run_id = b_registrants_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_registrants as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > b_registrants_between.from_run
      and staged.valid_from_run <= b_registrants_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > b_registrants_between.to_run)
    where one.run_id = b_registrants_between.from_run
      and other.run_id = b_registrants_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION b_registrants_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.b_registrants_between(from_run uuid, to_run uuid) IS 'What changed in staging.b_registrants from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order. Personal.';


--
-- Name: b_sessions_as_of(uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.b_sessions_as_of(run uuid) RETURNS SETOF staging.b_sessions
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select staged.*
from staging.runs as as_of
join staging.b_sessions as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= b_sessions_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > b_sessions_as_of.run)
where as_of.run_id = b_sessions_as_of.run
$$;


--
-- Name: FUNCTION b_sessions_as_of(run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.b_sessions_as_of(run uuid) IS 'Rows of staging.b_sessions as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';


--
-- Name: b_sessions_between(uuid, uuid); Type: FUNCTION; Schema: staging; Owner: -
--

CREATE FUNCTION staging.b_sessions_between(from_run uuid, to_run uuid) RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.b_sessions, after staging.b_sessions)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_sessions as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= b_sessions_between.from_run
      and staged.valid_to_run > b_sessions_between.from_run
      and staged.valid_to_run <= b_sessions_between.to_run
    where one.run_id = b_sessions_between.from_run
      and other.run_id = b_sessions_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_sessions as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > b_sessions_between.from_run
      and staged.valid_from_run <= b_sessions_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > b_sessions_between.to_run)
    where one.run_id = b_sessions_between.from_run
      and other.run_id = b_sessions_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$$;


--
-- Name: FUNCTION b_sessions_between(from_run uuid, to_run uuid); Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON FUNCTION staging.b_sessions_between(from_run uuid, to_run uuid) IS 'What changed in staging.b_sessions from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';


--
-- Name: lease_credits(text, integer, integer, integer, bigint, integer, integer, integer, integer); Type: FUNCTION; Schema: sync; Owner: -
--

CREATE FUNCTION sync.lease_credits(of_host text, request_cost integer, wanted integer, returned integer, returned_window bigint, told_limit integer, told_left integer, told_reset_ms integer, told_closed_ms integer) RETURNS TABLE(granted integer, wait_ms integer, of_window bigint)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog'
    AS $$
declare
  budget sync.rate_budgets;
  at_time timestamptz;
begin
  insert into sync.rate_budgets (host) values (of_host) on conflict (host) do nothing;
  select * into budget from sync.rate_budgets where host = of_host for update;
  -- Not the time at which the transaction began: it may have waited for the row.
  at_time := clock_timestamp();

  if budget.resets_at <= at_time then
    budget.window_number := budget.window_number + 1;
    -- A limit below the cost of a request counts something else: one goes, and its answer says more.
    budget.credits_left := case when budget.credit_limit is null then null else greatest(budget.credit_limit, request_cost) end;
    -- Until an answer tells the end of the new window: that of the longest one, and a second, since the host begins it when
    -- a request arrives. What an answer tells is sooner, and holds then.
    budget.resets_at := case
      when budget.credit_limit is null then null
      else at_time + (coalesce(budget.window_ms, 60000) + 1000) * interval '1 millisecond'
    end;
  elsif returned > 0 and returned_window = budget.window_number then
    budget.credits_left := least(budget.credits_left + returned, greatest(budget.credit_limit, request_cost));
  end if;

  budget.credit_limit := coalesce(told_limit, budget.credit_limit);
  if told_left is not null and told_reset_ms > 0 then
    -- Never more than before: an answer may be older than what others have taken since.
    budget.credits_left := greatest(0, least(coalesce(budget.credits_left, told_left), told_left));
    budget.window_ms := greatest(coalesce(budget.window_ms, told_reset_ms), told_reset_ms);
    budget.resets_at := least(
      coalesce(budget.resets_at, 'infinity'),
      at_time + told_reset_ms * interval '1 millisecond'
    );
  end if;
  if told_closed_ms > 0 then
    budget.closed_until := greatest(
      coalesce(budget.closed_until, '-infinity'),
      at_time + told_closed_ms * interval '1 millisecond'
    );
  end if;

  of_window := budget.window_number;
  wait_ms := 0;
  if budget.closed_until > at_time then
    granted := 0;
    wait_ms := ceil(extract(epoch from budget.closed_until - at_time) * 1000);
  elsif budget.credits_left is null then
    granted := null;
  elsif wanted = 0 then
    granted := 0;
  elsif budget.credits_left < request_cost then
    granted := 0;
    wait_ms := greatest(1, ceil(extract(epoch from budget.resets_at - at_time) * 1000));
  else
    -- Whole requests, and half of what is left at most, so that nobody takes it all.
    granted := greatest(1, least(wanted, budget.credits_left / 2) / request_cost) * request_cost;
    budget.credits_left := budget.credits_left - granted;
  end if;

  update sync.rate_budgets
  set credit_limit = budget.credit_limit,
    credits_left = budget.credits_left,
    window_number = budget.window_number,
    window_ms = budget.window_ms,
    resets_at = budget.resets_at,
    closed_until = budget.closed_until,
    changed_at = at_time
  where host = of_host;
  return next;
end
$$;


--
-- Name: FUNCTION lease_credits(of_host text, request_cost integer, wanted integer, returned integer, returned_window bigint, told_limit integer, told_left integer, told_reset_ms integer, told_closed_ms integer); Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON FUNCTION sync.lease_credits(of_host text, request_cost integer, wanted integer, returned integer, returned_window bigint, told_limit integer, told_left integer, told_reset_ms integer, told_closed_ms integer) IS 'Takes credits of a host for a process, gives back what is left of its last lease, and tells what answers have said since; granted is null where the host tells of no limit, wait_ms how long nothing is granted.';


--
-- Name: refresh_statistics(regclass); Type: FUNCTION; Schema: sync; Owner: -
--

CREATE FUNCTION sync.refresh_statistics(written regclass) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
begin
  execute format('analyze %s', written);
end
$$;


--
-- Name: FUNCTION refresh_statistics(written regclass); Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON FUNCTION sync.refresh_statistics(written regclass) IS 'Tells the planner about a table into which many rows were just written, with the rights of the schema''s owner.';


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

COMMENT ON COLUMN published.changes.field IS 'Platform field, by the name that it has there: startTime, not start_time.';


--
-- Name: COLUMN changes.before; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.before IS 'Value before, as JSON (before #>> ''{}'' is its text without quotes); null where the field was absent. Personal.';


--
-- Name: COLUMN changes.after; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.changes.after IS 'Value after, as JSON (after #>> ''{}'' is its text without quotes); null where the field is absent now. Personal.';


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
    CONSTRAINT decisions_decision_check CHECK ((decision = ANY (ARRAY['synced'::text, 'excluded'::text]))),
    CONSTRAINT decisions_not_empty CHECK ((valid_to_run > valid_from_run))
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
    row_check bigint,
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
-- Name: COLUMN unstaged.row_check; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.unstaged.row_check IS 'First six bytes of the version''s hash, for the control total; null in runs before 0.2.';


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
-- Name: purged_runs; Type: VIEW; Schema: published; Owner: -
--

CREATE VIEW published.purged_runs AS
 SELECT run.integration_id,
    run.run_id,
    run.started_at,
    run.applied_at,
    run.purged_at
   FROM sync.runs run
  WHERE (run.purged_at IS NOT NULL);


--
-- Name: VIEW purged_runs; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON VIEW published.purged_runs IS 'Runs that were purged: queries as of them have no rows, and neither published.runs nor staging.runs has them.';


--
-- Name: COLUMN purged_runs.integration_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.purged_runs.integration_id IS 'Integration.';


--
-- Name: COLUMN purged_runs.run_id; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.purged_runs.run_id IS 'Run.';


--
-- Name: COLUMN purged_runs.started_at; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.purged_runs.started_at IS 'When the run started.';


--
-- Name: COLUMN purged_runs.applied_at; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.purged_runs.applied_at IS 'When the platform had every planned change; null where none was sent.';


--
-- Name: COLUMN purged_runs.purged_at; Type: COMMENT; Schema: published; Owner: -
--

COMMENT ON COLUMN published.purged_runs.purged_at IS 'When it was purged.';


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
-- Name: runs; Type: VIEW; Schema: staging; Owner: -
--

CREATE VIEW staging.runs AS
 SELECT run.integration_id,
    run.run_id,
    run.started_at,
    run.planned_at AS staged_at,
    run.certified,
    run.status,
    ( SELECT earlier.run_id
           FROM sync.runs earlier
          WHERE ((earlier.integration_id = run.integration_id) AND (earlier.planned_at IS NOT NULL) AND (earlier.purged_at IS NULL) AND (earlier.run_id < run.run_id))
          ORDER BY earlier.run_id DESC
         LIMIT 1) AS run_before,
    (NOT (EXISTS ( SELECT
           FROM sync.runs later
          WHERE ((later.integration_id = run.integration_id) AND (later.planned_at IS NOT NULL) AND (later.run_id > run.run_id))))) AS is_latest
   FROM sync.runs run
  WHERE ((run.planned_at IS NOT NULL) AND (run.purged_at IS NULL));


--
-- Name: VIEW runs; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON VIEW staging.runs IS 'Runs that staged what they read: those that functions of this schema can be asked for, also where the plan was held or only shown.';


--
-- Name: COLUMN runs.integration_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.runs.integration_id IS 'Integration.';


--
-- Name: COLUMN runs.run_id; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.runs.run_id IS 'UUIDv7; grows with time.';


--
-- Name: COLUMN runs.started_at; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.runs.started_at IS 'When the run started.';


--
-- Name: COLUMN runs.staged_at; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.runs.staged_at IS 'When what it read was staged, with its plan.';


--
-- Name: COLUMN runs.certified; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.runs.certified IS 'Whether every resource was proved to be read completely.';


--
-- Name: COLUMN runs.status; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.runs.status IS 'What became of the plan: planned, held, applying, applied, finished or failed.';


--
-- Name: COLUMN runs.run_before; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.runs.run_before IS 'The run of the integration that staged before it; null for the first, and where that was purged.';


--
-- Name: COLUMN runs.is_latest; Type: COMMENT; Schema: staging; Owner: -
--

COMMENT ON COLUMN staging.runs.is_latest IS 'Whether it is the last such run of its integration: the one that current versions (valid_to_run is null) are of. Not the latest of published.runs where its plan was held or only shown.';


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
    checksum numeric NOT NULL,
    forgotten bigint DEFAULT 0 NOT NULL
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
-- Name: COLUMN certificates.forgotten; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.certificates.forgotten IS 'Records among them that were dropped at the door, since they are of people who were forgotten.';


--
-- Name: forgotten; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.forgotten (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    token text NOT NULL COLLATE pg_catalog."C",
    id_mac bytea NOT NULL,
    sealed_id bytea,
    key_check bytea NOT NULL,
    forgotten_at timestamp with time zone NOT NULL,
    forgotten_by text NOT NULL
);


--
-- Name: TABLE forgotten; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.forgotten IS 'People who were forgotten, each id once: what the next read brings of them is dropped. Nothing here leads back to a person without sealingKey.';


--
-- Name: COLUMN forgotten.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten.integration_id IS 'Integration.';


--
-- Name: COLUMN forgotten.token; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten.token IS 'Stands in place of the id wherever it stood: forgotten- and random digits.';


--
-- Name: COLUMN forgotten.id_mac; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten.id_mac IS 'HMAC-SHA256 of the id under a key made of sealingKey, by which the id is known again.';


--
-- Name: COLUMN forgotten.sealed_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten.sealed_id IS 'The id, AES-256-GCM under sealingKey, as long as the platform has to be told whom to remove; null after that. Personal.';


--
-- Name: COLUMN forgotten.key_check; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten.key_check IS 'HMAC-SHA256 of a fixed text under that key: another sealingKey is noticed.';


--
-- Name: COLUMN forgotten.forgotten_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten.forgotten_at IS 'When.';


--
-- Name: COLUMN forgotten.forgotten_by; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten.forgotten_by IS 'User at the operating system who ran forget. Personal.';


--
-- Name: forgotten_addresses; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.forgotten_addresses (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    address_mac bytea NOT NULL
);


--
-- Name: TABLE forgotten_addresses; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.forgotten_addresses IS 'E-mail addresses of people who were forgotten, known again by their HMAC only.';


--
-- Name: COLUMN forgotten_addresses.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten_addresses.integration_id IS 'Integration.';


--
-- Name: COLUMN forgotten_addresses.address_mac; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.forgotten_addresses.address_mac IS 'HMAC-SHA256 of the address in lower case under a key made of sealingKey.';


--
-- Name: last_applied_runs; Type: VIEW; Schema: sync; Owner: -
--

CREATE VIEW sync.last_applied_runs AS
 SELECT run.integration_id,
    run.run_id,
    run.contents,
    run.status,
    run.counts
   FROM sync.runs run
  WHERE ((run.applied_at IS NOT NULL) AND (NOT (EXISTS ( SELECT
           FROM sync.runs later
          WHERE ((later.integration_id = run.integration_id) AND (later.run_id > run.run_id) AND ((later.command = 'run'::text) OR (later.fence IS NOT NULL)))))));


--
-- Name: VIEW last_applied_runs; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON VIEW sync.last_applied_runs IS 'The last applied run of each integration: sync.platform_items is what it left. No row where a later run may have changed that.';


--
-- Name: COLUMN last_applied_runs.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_applied_runs.integration_id IS 'Integration.';


--
-- Name: COLUMN last_applied_runs.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_applied_runs.run_id IS 'Run; joins sync.runs.';


--
-- Name: COLUMN last_applied_runs.contents; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_applied_runs.contents IS 'Contents that the run planned.';


--
-- Name: COLUMN last_applied_runs.status; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_applied_runs.status IS 'applied, finished, or failed: by its audit.';


--
-- Name: COLUMN last_applied_runs.counts; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_applied_runs.counts IS 'As in sync.runs.';


--
-- Name: last_planned_runs; Type: VIEW; Schema: sync; Owner: -
--

CREATE VIEW sync.last_planned_runs AS
 SELECT run.integration_id,
    run.run_id,
    integration.source,
    run.contents,
    run.status,
    (run.base = integration.base) AS is_current,
    run.counts
   FROM (sync.runs run
     JOIN sync.integrations integration ON ((integration.integration_id = run.integration_id)))
  WHERE ((run.planned_at IS NOT NULL) AND (NOT (EXISTS ( SELECT
           FROM sync.runs later
          WHERE ((later.integration_id = run.integration_id) AND (later.planned_at IS NOT NULL) AND (later.run_id > run.run_id))))));


--
-- Name: VIEW last_planned_runs; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON VIEW sync.last_planned_runs IS 'The last run of each integration that stored a plan: current versions of staging, decisions and desired items are of it.';


--
-- Name: COLUMN last_planned_runs.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_planned_runs.integration_id IS 'Integration.';


--
-- Name: COLUMN last_planned_runs.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_planned_runs.run_id IS 'Run; joins sync.runs.';


--
-- Name: COLUMN last_planned_runs.source; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_planned_runs.source IS 'a or b.';


--
-- Name: COLUMN last_planned_runs.contents; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_planned_runs.contents IS 'Contents that the run planned.';


--
-- Name: COLUMN last_planned_runs.status; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_planned_runs.status IS 'As in sync.runs.';


--
-- Name: COLUMN last_planned_runs.is_current; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_planned_runs.is_current IS 'Whether the platform, as known here, is still what the plan starts from.';


--
-- Name: COLUMN last_planned_runs.counts; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.last_planned_runs.counts IS 'As in sync.runs.';


--
-- Name: notices; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.notices (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    told_end text NOT NULL,
    body text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT notices_told_end_check CHECK ((told_end = ANY (ARRAY['held'::text, 'failed'::text, 'incomplete'::text, 'finished'::text])))
);


--
-- Name: TABLE notices; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.notices IS 'How a run ended, for a webhook: at most one row for each end of a run.';


--
-- Name: COLUMN notices.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.notices.integration_id IS 'Integration.';


--
-- Name: COLUMN notices.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.notices.run_id IS 'Run.';


--
-- Name: COLUMN notices.told_end; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.notices.told_end IS 'How it ended: held, failed, incomplete or finished.';


--
-- Name: COLUMN notices.body; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.notices.body IS 'JSON as it is sent each time, without values of people.';


--
-- Name: COLUMN notices.made_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.notices.made_at IS 'When the run ended.';


--
-- Name: COLUMN notices.sent_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.notices.sent_at IS 'When the webhook took it; null: not yet.';


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
-- Name: purges; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.purges (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    purged_at timestamp with time zone NOT NULL,
    purged_by text NOT NULL,
    older_than_days integer NOT NULL,
    before_run uuid NOT NULL,
    rows jsonb NOT NULL,
    packs jsonb NOT NULL,
    told_by_run uuid,
    finished_at timestamp with time zone
);


--
-- Name: TABLE purges; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.purges IS 'What event-sync purge took away; the next pack of the integration says so in its manifest.';


--
-- Name: COLUMN purges.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.integration_id IS 'Integration.';


--
-- Name: COLUMN purges.purged_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.purged_at IS 'When.';


--
-- Name: COLUMN purges.purged_by; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.purged_by IS 'User at the operating system who ran it. Personal.';


--
-- Name: COLUMN purges.older_than_days; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.older_than_days IS 'The age that was asked for.';


--
-- Name: COLUMN purges.before_run; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.before_run IS 'First run of which everything is kept.';


--
-- Name: COLUMN purges.rows; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.rows IS 'Rows that were to go, by table.';


--
-- Name: COLUMN purges.packs; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.packs IS 'Packs whose files went: run and SHA-256 of the manifest, which stays.';


--
-- Name: COLUMN purges.told_by_run; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.told_by_run IS 'Run whose manifest has it; null before.';


--
-- Name: COLUMN purges.finished_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.purges.finished_at IS 'When all of it was gone and its room free; null: the command has died, and the next one goes on.';


--
-- Name: rate_budgets; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.rate_budgets (
    host text NOT NULL COLLATE pg_catalog."C",
    credit_limit integer,
    credits_left integer,
    window_number bigint DEFAULT 0 NOT NULL,
    window_ms integer,
    resets_at timestamp with time zone,
    closed_until timestamp with time zone,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
)
WITH (fillfactor='50');


--
-- Name: TABLE rate_budgets; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.rate_budgets IS 'What hosts of sources still take, as their answers have told; shared by all integrations that read from a host, so it is no integration''s.';


--
-- Name: COLUMN rate_budgets.host; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.rate_budgets.host IS 'Host and port, as in the address of a source.';


--
-- Name: COLUMN rate_budgets.credit_limit; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.rate_budgets.credit_limit IS 'Credits of a whole window; null where the host does not tell.';


--
-- Name: COLUMN rate_budgets.credits_left; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.rate_budgets.credits_left IS 'Credits of this window that no process has taken yet; null where the host does not tell.';


--
-- Name: COLUMN rate_budgets.window_number; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.rate_budgets.window_number IS 'Counts the windows: what is left of a lease belongs to the window that it was taken in.';


--
-- Name: COLUMN rate_budgets.window_ms; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.rate_budgets.window_ms IS 'Longest time to the end of a window that was told, milliseconds.';


--
-- Name: COLUMN rate_budgets.resets_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.rate_budgets.resets_at IS 'When the window ends and there is a whole limit again, by the clock of the database.';


--
-- Name: COLUMN rate_budgets.closed_until; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.rate_budgets.closed_until IS 'The host has asked not to be asked before this.';


--
-- Name: COLUMN rate_budgets.changed_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.rate_budgets.changed_at IS 'When a process last took, gave back or told something.';


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
    saved_at timestamp with time zone NOT NULL,
    forgotten bigint DEFAULT 0 NOT NULL
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

COMMENT ON COLUMN sync.readings.place IS 'Where the reader of the source goes on, in JSON, with the ids of the first and the last record; null before the first page. Personal.';


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
-- Name: COLUMN readings.forgotten; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.readings.forgotten IS 'Records that were dropped among them, since they are of people who were forgotten.';


--
-- Name: reconciliation; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.reconciliation (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    place integer NOT NULL,
    content text NOT NULL COLLATE pg_catalog."C",
    resource text NOT NULL COLLATE pg_catalog."C",
    measure text NOT NULL,
    count numeric NOT NULL,
    expected numeric
);


--
-- Name: TABLE reconciliation; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.reconciliation IS 'What reconciliation.csv of a run says: counts and control totals, each beside what it must be.';


--
-- Name: COLUMN reconciliation.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.reconciliation.integration_id IS 'Integration.';


--
-- Name: COLUMN reconciliation.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.reconciliation.run_id IS 'Run.';


--
-- Name: COLUMN reconciliation.place; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.reconciliation.place IS 'Place in the file, from 1.';


--
-- Name: COLUMN reconciliation.content; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.reconciliation.content IS 'agenda, speakers or attendees; empty for a sum over a resource.';


--
-- Name: COLUMN reconciliation.resource; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.reconciliation.resource IS 'Resource of the records.';


--
-- Name: COLUMN reconciliation.measure; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.reconciliation.measure IS 'What is counted.';


--
-- Name: COLUMN reconciliation.count; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.reconciliation.count IS 'What was found.';


--
-- Name: COLUMN reconciliation.expected; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.reconciliation.expected IS 'What it must be, from other rows; null where it is a summand only.';


--
-- Name: records; Type: VIEW; Schema: sync; Owner: -
--

CREATE VIEW sync.records AS
 SELECT record.integration_id,
    'a'::text AS source,
    ('sessions' COLLATE "C") AS resource,
    ARRAY['agenda'::text] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.a_sessions record
UNION ALL
 SELECT record.integration_id,
    'a'::text AS source,
    'time_slots'::text AS resource,
    ARRAY[]::text[] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.a_time_slots record
UNION ALL
 SELECT record.integration_id,
    'a'::text AS source,
    'rooms'::text AS resource,
    ARRAY[]::text[] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.a_rooms record
UNION ALL
 SELECT record.integration_id,
    'a'::text AS source,
    'tracks'::text AS resource,
    ARRAY[]::text[] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.a_tracks record
UNION ALL
 SELECT record.integration_id,
    'a'::text AS source,
    'session_types'::text AS resource,
    ARRAY[]::text[] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.a_session_types record
UNION ALL
 SELECT record.integration_id,
    'a'::text AS source,
    'users'::text AS resource,
    ARRAY['speakers'::text, 'attendees'::text] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.a_users record
UNION ALL
 SELECT record.integration_id,
    'b'::text AS source,
    'sessions'::text AS resource,
    ARRAY['agenda'::text] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.b_sessions record
UNION ALL
 SELECT record.integration_id,
    'b'::text AS source,
    'registrants'::text AS resource,
    ARRAY['speakers'::text, 'attendees'::text] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.b_registrants record
UNION ALL
 SELECT record.integration_id,
    'b'::text AS source,
    'reg_types'::text AS resource,
    ARRAY[]::text[] AS contents,
    record.source_id,
    record.valid_from_run,
    record.valid_to_run
   FROM staging.b_reg_types record;


--
-- Name: VIEW records; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON VIEW sync.records IS 'Every version of every record in staging, whatever its source: what checks look at. A new source adds its tables here.';


--
-- Name: COLUMN records.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.records.integration_id IS 'Integration.';


--
-- Name: COLUMN records.source; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.records.source IS 'Source, as in sync.integrations.';


--
-- Name: COLUMN records.resource; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.records.resource IS 'Resource of the record.';


--
-- Name: COLUMN records.contents; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.records.contents IS 'Contents for which the record gets a decision; none for a lookup.';


--
-- Name: COLUMN records.source_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.records.source_id IS 'Id of the record. Personal.';


--
-- Name: COLUMN records.valid_from_run; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.records.valid_from_run IS 'First run that saw this version.';


--
-- Name: COLUMN records.valid_to_run; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.records.valid_to_run IS 'First run that no longer saw it; null while it is current.';


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
-- Name: superseded_manifests; Type: TABLE; Schema: sync; Owner: -
--

CREATE TABLE sync.superseded_manifests (
    integration_id text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    place integer NOT NULL,
    sha256 text NOT NULL,
    manifest text,
    signature text,
    superseded_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE superseded_manifests; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON TABLE sync.superseded_manifests IS 'Manifests of packs that were written again without somebody: links of the chain, since later packs name them.';


--
-- Name: COLUMN superseded_manifests.integration_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.superseded_manifests.integration_id IS 'Integration.';


--
-- Name: COLUMN superseded_manifests.run_id; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.superseded_manifests.run_id IS 'Run of the pack.';


--
-- Name: COLUMN superseded_manifests.place; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.superseded_manifests.place IS 'How often the pack was written again by then, from 1.';


--
-- Name: COLUMN superseded_manifests.sha256; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.superseded_manifests.sha256 IS 'SHA-256 of the manifest, in hex.';


--
-- Name: COLUMN superseded_manifests.manifest; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.superseded_manifests.manifest IS 'The manifest, which names who started and approved the run; null where it held a value of the person. Personal.';


--
-- Name: COLUMN superseded_manifests.signature; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.superseded_manifests.signature IS 'Its signature; null where it had none, or is not kept.';


--
-- Name: COLUMN superseded_manifests.superseded_at; Type: COMMENT; Schema: sync; Owner: -
--

COMMENT ON COLUMN sync.superseded_manifests.superseded_at IS 'When another took its place.';


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

INSERT INTO migration.applied VALUES ('migrations/0001-staging.sql', '5a9dec40e3922b1efc99ab1ae37512023931d67e9377978e3a41b8a7d4d7ff33', '2026-11-25 07:27:20.681522+00');
INSERT INTO migration.applied VALUES ('migrations/0002-sync.sql', 'f8e7250295a5068ce99d26e96cf1738ebeea10f034a57469cb4ed65cb0ea06bf', '2026-11-25 07:27:20.707334+00');
INSERT INTO migration.applied VALUES ('migrations/0003-published.sql', 'ca5dd1c6b8a33306f669de005269d68ea882adf326f795b110c0f1fd17c40008', '2026-11-25 07:27:20.733311+00');
INSERT INTO migration.applied VALUES ('migrations/0004-history.sql', '368675e8076ebf2940029f78e4d30e4ba6528011645104ef50781cf93828fe3e', '2026-11-25 07:27:20.735114+00');
INSERT INTO migration.applied VALUES ('migrations/0005-reconciliation.sql', 'c4ecd76a86951ad9f011e853d22231d4688ae15e3fe4dbeb6328cb7ed3e2555f', '2026-11-25 07:27:20.739748+00');
INSERT INTO migration.applied VALUES ('migrations/0006-run-time-zone.sql', '892c2965206420bbb6ac032a0626f66a59975ae302ae4834637fc0f35e8cef37', '2026-11-25 07:27:20.743891+00');
INSERT INTO migration.applied VALUES ('migrations/0007-pack-chain.sql', '2549e48d6b71dfb2edddd8c5a2109539b10e9783066980d3404f05bf41ce4224', '2026-11-25 07:27:20.745784+00');
INSERT INTO migration.applied VALUES ('migrations/0008-unstaged-order.sql', '185823092ff5c08b477134c2bb993f1d4c9c47425640f64e9c2a07ea5da82d85', '2026-11-25 07:27:20.747506+00');
INSERT INTO migration.applied VALUES ('migrations/0009-notices.sql', 'e1a7f5698965cbda53846987f9c9b8bb498f18e407de3291d8b3f331ae41f08a', '2026-11-25 07:27:20.749302+00');
INSERT INTO migration.applied VALUES ('migrations/0010-rate-budgets.sql', '9b614e5d168e6f52aa842a3705c52cde50d160786885aaea96b985ef71b6a7de', '2026-11-25 07:27:20.75188+00');
INSERT INTO migration.applied VALUES ('migrations/0011-forgotten.sql', 'ba7d31b0efe531ae15b54c42d668f10f1c61e6cbf6b68d1b84fe98b5969452c5', '2026-11-25 07:27:20.755011+00');
INSERT INTO migration.applied VALUES ('migrations/0012-purged.sql', 'd74468922e8704b63ad696b3e227e8575823112f66ca466152182d077bb8460f', '2026-11-25 07:27:20.776137+00');
INSERT INTO migration.applied VALUES ('migrations/0013-transform-basis.sql', 'ad6b31218eefb436ed12af074ca77b8d70f858c0167e7aee734a179abaf8edf8', '2026-11-25 07:27:20.779484+00');
INSERT INTO migration.applied VALUES ('views/00-rate-budgets.sql', 'ef8628aac1b76d0ddf0e938a4e966a53757a5a85710016182648bdb1b312f704', '2026-11-25 07:27:20.780514+00');
INSERT INTO migration.applied VALUES ('views/00-statistics.sql', '80d43850c529bd9e7a09275c260458563f30f10756b14d22096e45d6393260c5', '2026-11-25 07:27:20.781894+00');
INSERT INTO migration.applied VALUES ('views/10-runs.sql', '78ce0d9d59fd6fe2c4a9033fbfab4cd1ffeb7cd6c37a46ad66bb74b68d6e25c1', '2026-11-25 07:27:20.78285+00');
INSERT INTO migration.applied VALUES ('views/15-last-runs.sql', 'ff32a979b6c1e8940c95272544aec9abd9a8ab37dc5a7354f9352190ca2237cd', '2026-11-25 07:27:20.786703+00');
INSERT INTO migration.applied VALUES ('views/15-local-time.sql', '9b1c93d32531bf7832f99c59924fe92dd479ecce6f607a831b7252d029e86d6c', '2026-11-25 07:27:20.790566+00');
INSERT INTO migration.applied VALUES ('views/15-records.sql', 'efb8cacaf9dd684ca5015c2149741c8447771ca9119c07f5978941fcd68d2853', '2026-11-25 07:27:20.791583+00');
INSERT INTO migration.applied VALUES ('views/20-agenda.sql', '5bf2071a6ba75dd0380cf56c76dd2081fcb760dfb9080e5e7ad5ece625e5e1c5', '2026-11-25 07:27:20.794098+00');
INSERT INTO migration.applied VALUES ('views/20-attendees.sql', 'd078cffec51c609a7e48f6b5b4ee189c0da2c8ee003ce6df929a02d8f25ae4aa', '2026-11-25 07:27:20.79965+00');
INSERT INTO migration.applied VALUES ('views/20-speakers.sql', '9a339e05518d961f0da9a39be3545c3d4b9bade401abccd97fb9d63f2ffe20ca', '2026-11-25 07:27:20.802679+00');
INSERT INTO migration.applied VALUES ('views/30-changes.sql', 'abd8c8fe9624e7b0d1b55b4fb74cabaa8ec63c7d029fe227303afc127bce40b9', '2026-11-25 07:27:20.805374+00');
INSERT INTO migration.applied VALUES ('views/30-decisions.sql', 'a89bcf295d2f778d2b8ebcb7c77490edc537c4f3d7ab348f2551bb78a23a467c', '2026-11-25 07:27:20.807736+00');
INSERT INTO migration.applied VALUES ('views/30-links.sql', '9591fb100481f9af04bc63111409497fcdbd6e2e9f66b2cdd54a39a30b1b135d', '2026-11-25 07:27:20.809788+00');
INSERT INTO migration.applied VALUES ('views/40-staging-history.sql', '0c4c84d684bf4c014600218ce5078b09894702263f34d1b16081757c5ca8db3f', '2026-11-25 07:27:20.811852+00');


--
-- Data for Name: a_rooms; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.a_rooms VALUES ('summit', '9', 'Library', 'East', '{}', '{"Id": 9, "Name": "Library", "Location": "East"}', '\x97b0f4e05f2ced7d2b53f02c3a66b32d79717e3c1a0774ca737cfa6b857429ef', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);


--
-- Data for Name: a_session_types; Type: TABLE DATA; Schema: staging; Owner: -
--



--
-- Data for Name: a_sessions; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.a_sessions VALUES ('summit', '101', 'Session 101', NULL, NULL, NULL, NULL, '1', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 101, "Title": "Session 101", "RoomId": 9, "Speakers": [{"Id": "u1"}], "TimeSlotId": 1}', '\x3a19b75ebced5ca415c73ee71dbb9f444f7bea4294b4f5aec8f76cd63fd1f0ef', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO staging.a_sessions VALUES ('summit', '102', 'Session 102', NULL, NULL, NULL, NULL, '1', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 102, "Title": "Session 102", "RoomId": 9, "Speakers": [{"Id": "u1"}], "TimeSlotId": 1}', '\x928d92c72599b43dcf5cb987a200e36a45fa96bbaf14347493dd2af299d43f6e', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO staging.a_sessions VALUES ('summit', '101', 'Session 101', NULL, NULL, NULL, NULL, '2', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 101, "Title": "Session 101", "RoomId": 9, "Speakers": [{"Id": "u1"}], "TimeSlotId": 2}', '\x72414c8d066b0423b320744e555b74f475d4005e8782db24fb636e75542d9658', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', NULL);
INSERT INTO staging.a_sessions VALUES ('summit', '103', 'Session 103', NULL, NULL, NULL, NULL, '1', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 103, "Title": "Session 103", "RoomId": 9, "Speakers": [{"Id": "u1"}], "TimeSlotId": 1}', '\x75c628f92c63b4f573818c5fa70180b77f3ac6288cb5a20e0957754ab298b86c', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', NULL);
INSERT INTO staging.a_sessions VALUES ('summit', '102', 'Session 102', NULL, false, NULL, NULL, '1', '9', NULL, NULL, '{u1}', '{}', '{}', '{"Id": 102, "Title": "Session 102", "RoomId": 9, "Enabled": false, "Speakers": [{"Id": "u1"}], "TimeSlotId": 1}', '\xc730c049105969c4175245340e929bcde2721d9ed83af3da7af679248e3e27df', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');


--
-- Data for Name: a_time_slots; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.a_time_slots VALUES ('summit', '1', '2031-05-04 13:00:00+00', 'read', '2031-05-04 14:00:00+00', 'read', '{}', '{"Id": 1, "EndTime": "2031-05-04T14:00:00Z", "StartTime": "2031-05-04T13:00:00Z"}', '\x4b340ac529a3fc02872d85105f4509ebd9a491ab08505b16ed06a7be52292eaa', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO staging.a_time_slots VALUES ('summit', '2', '2031-05-04 15:00:00+00', 'read', '2031-05-04 16:30:00+00', 'read', '{}', '{"Id": 2, "EndTime": "2031-05-04T16:30:00Z", "StartTime": "2031-05-04T15:00:00Z"}', '\x8147971faf1b0a9d23b7c621fda265a5bf4f83c41edfd43a4f3f094d2b0b83c6', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);


--
-- Data for Name: a_tracks; Type: TABLE DATA; Schema: staging; Owner: -
--



--
-- Data for Name: a_users; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.a_users VALUES ('summit', 'u1', 'u1', 'Ada', 'Of u1', 'u1@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u1", "LastName": "Of u1", "FirstName": "Ada", "EmailAddress": "u1@people.example"}', '\x4197dccbc9464ae66ef35560cb19e25fdbf34209e043e54f7fa77a178c7bfb07', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u2', 'u2', 'Ada', 'Of u2', 'u2@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u2", "LastName": "Of u2", "FirstName": "Ada", "EmailAddress": "u2@people.example"}', '\xb8ca247fe7924891bf6769631e93c615e30cbff4a6643a1b80d774096f7eb9a0', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u3', 'u3', 'Ada', 'Of u3', 'u3@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u3", "LastName": "Of u3", "FirstName": "Ada", "EmailAddress": "u3@people.example"}', '\xfdb851d2b27766bc4a1cf35a737df9d235ac8b319c659af45be72ce26578aa76', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u4', 'u4', 'Ada', 'Of u4', 'u4@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u4", "LastName": "Of u4", "FirstName": "Ada", "EmailAddress": "u4@people.example"}', '\x994ea23c252bb081fa27819715d8e63e711ee35fbb8ace265ace64e4c837c42e', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u5', 'u5', 'Ada', 'Of u5', 'u5@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u5", "LastName": "Of u5", "FirstName": "Ada", "EmailAddress": "u5@people.example"}', '\xf8749ddf191d6bb9da25c8ac7a0f556d6f9e6556ab65c9afee55c2d371b87ed2', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u6', 'u6', 'Ada', 'Of u6', 'u6@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u6", "LastName": "Of u6", "FirstName": "Ada", "EmailAddress": "u6@people.example"}', '\x0916c73e9f61aa2d5574bbe26b1902335248e8191d21fee30f0a10269c88b538', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO staging.a_users VALUES ('summit', 'u7', 'u7', 'Ada', 'Of u7', 'u7@people.example', NULL, 'Analytical Engines', NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u7", "Company": "Analytical Engines", "LastName": "Of u7", "FirstName": "Ada", "EmailAddress": "u7@people.example"}', '\xd159104ded46b9155ea53d9413199920108c4c88192dedaeccc72a657ea51fa0', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');
INSERT INTO staging.a_users VALUES ('summit', 'u8', 'u8', 'Nameless', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u8", "FirstName": "Nameless"}', '\x51745cec1fff7bbd8f238455139ad58a1ef1dd44bfeba4520acaef595fae0b2d', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');
INSERT INTO staging.a_users VALUES ('summit', 'u6', 'u6', 'Ada', 'Of u6', 'u6@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u6", "LastName": "Of u6", "FirstName": "Ada", "EmailAddress": "u6@people.example"}', '\x0916c73e9f61aa2d5574bbe26b1902335248e8191d21fee30f0a10269c88b538', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', NULL);
INSERT INTO staging.a_users VALUES ('summit', 'u7', 'u7', 'Ada', 'Of u7', 'u7@people.example', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '{}', '{}', '{"Id": "u7", "LastName": "Of u7", "FirstName": "Ada", "EmailAddress": "u7@people.example"}', '\xad87d45c0e5ae1164426d3a1148c7f167e097c3d68daff5109ecb21443dea6bb', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', NULL);


--
-- Data for Name: b_reg_types; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.b_reg_types VALUES ('expo', '10', 'Visitor', 'visitor', '{}', '{"id": 10, "name": "Visitor"}', '\x17d8e85e246c03b25e7002a058738eafbc0268f5c663dd18ad05b266d73d0ed8', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO staging.b_reg_types VALUES ('expo', '20', 'Speaker', 'speaker', '{}', '{"id": 20, "name": "Speaker"}', '\x49c74861f4ae3127c819e375594a6e9d8fbbe64d4935983de9821f586921bd07', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);


--
-- Data for Name: b_registrants; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.b_registrants VALUES ('expo', '1', 'Grace', 'Of 1', 'r1@people.example', NULL, NULL, NULL, NULL, NULL, '20', NULL, '20', '{500}', NULL, '{}', '{"id": 1, "email": "r1@people.example", "last_name": "Of 1", "first_name": "Grace", "reg_type_id": 20, "session_ids": [500], "cancelled_at": null}', '\x8e853081db1d41dd0c236c3a9de20f4039e956dd0b8944d0d4ca5c254f54cacb', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO staging.b_registrants VALUES ('expo', '3', 'Grace', 'Of 3', 'r3@people.example', NULL, NULL, NULL, NULL, NULL, '10', NULL, '10', '{500}', NULL, '{}', '{"id": 3, "email": "r3@people.example", "last_name": "Of 3", "first_name": "Grace", "reg_type_id": 10, "session_ids": [500], "cancelled_at": null}', '\x57d2a65f40cd1ea21b1122cc6a5a4b4535206fff53bec8afb5eb5efbedeccf66', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO staging.b_registrants VALUES ('expo', '2', 'Grace', 'Of 2', 'r2@people.example', NULL, NULL, NULL, NULL, NULL, '10', NULL, '10', '{500}', NULL, '{}', '{"id": 2, "email": "r2@people.example", "last_name": "Of 2", "first_name": "Grace", "reg_type_id": 10, "session_ids": [500], "cancelled_at": null}', '\x8fea11381fbcb58264d3d9ad19ef8d2ae4e25043c3ac75a88a42b62a7240b38e', '01c2ae78-4200-7465-8288-95ffc2ea6366', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0');
INSERT INTO staging.b_registrants VALUES ('expo', '2', 'Grace', 'Of 2', 'r2@people.example', NULL, NULL, NULL, NULL, NULL, '10', NULL, '10', '{500}', '2031-04-01 10:00:00', '{}', '{"id": 2, "email": "r2@people.example", "last_name": "Of 2", "first_name": "Grace", "reg_type_id": 10, "session_ids": [500], "cancelled_at": "2031-04-01 10:00:00"}', '\xaa94f9f842ad25a37869352ad87f4727fcbcf2f6d43271eb12aed28f6ec110cd', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', NULL);
INSERT INTO staging.b_registrants VALUES ('expo', '4', 'Grace', 'Of 4', 'r4@people.example', NULL, NULL, NULL, NULL, NULL, '10', NULL, '10', '{500}', NULL, '{}', '{"id": 4, "email": "r4@people.example", "last_name": "Of 4", "first_name": "Grace", "reg_type_id": 10, "session_ids": [500], "cancelled_at": null}', '\xd5322e2144c9c853aca720158f65224fbe216294db554c5684200b82f7251166', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', NULL);


--
-- Data for Name: b_sessions; Type: TABLE DATA; Schema: staging; Owner: -
--

INSERT INTO staging.b_sessions VALUES ('expo', '500', 'Keynote', NULL, '2031-05-04 07:00:00+00', 'read', '2031-05-04 08:00:00+00', 'read', 'Europe/Berlin', '{}', '{"id": 500, "date": "2031-05-04", "name": "Keynote", "end_time": "10:00", "timezone": "Europe/Berlin", "start_time": "09:00"}', '\xe0d26d0620a9edc066831936a21e28490dfed35e3b8d22913e3eb99ac59f63ff', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);


--
-- Data for Name: batches; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 1, 'upserts', 1, 2, 2, '01c2ae78-4200-7366-9815-e59e79bfa7c9-1', '6662ba3a63bd2ff309dd49d3ca90a9aa89cc0e0aa919eae5f498ff7d91541897', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 2, 'upserts', 3, 4, 4, '01c2ae78-4200-7366-9815-e59e79bfa7c9-2', 'fff2699b609a5292e5d47eddb37b16db9d4909e5fbbfeb3666df92987865ec59', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 3, 'upserts', 5, 6, 6, '01c2ae78-4200-7366-9815-e59e79bfa7c9-3', 'ca97d11c1ee823452198a9c69e086d38ac3e320ef678c45b5d878df86cebf5aa', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 4, 'upserts', 7, 8, 8, '01c2ae78-4200-7366-9815-e59e79bfa7c9-4', '8231aa3e2372fb66e72986e67917335f263db841d87b7923a276e2ad12d953ec', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 5, 'upserts', 9, 9, 9, '01c2ae78-4200-7366-9815-e59e79bfa7c9-5', 'a36be2dbe6a82615ae54b651ed9f9f2cd833c83d9753a35b7574114b5b640557', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 1, 'upserts', 1, 2, 2, '01c2ae78-4201-7aa3-aa4e-da4db4f78d63-1', '6a78182f133508c9a4452b990ff201615dc367ad330ca276819edb39f39a1f3e', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 2, 'upserts', 3, 4, 4, '01c2ae78-4201-7aa3-aa4e-da4db4f78d63-2', '955faae9205363f8a498a261c3015100dc2cc8af4715713e2921edeb16871b5a', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 1, 'upserts', 1, 1, 1, '01c2ae78-4202-7fee-bb38-9b6f16f751d0-1', '6b4fae3c8db0ad9ce5c77399333b14f8f882fa48a768cb599901e0ffb381fa25', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');
INSERT INTO sync.batches VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 2, 'removals', 2, 2, 2, '01c2ae78-4202-7fee-bb38-9b6f16f751d0-2', 'a3a84b6e9a1ecea0e5dca44bc589536bd510c7df3362f58e87a6887b8e95b509', 'answered', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00');


--
-- Data for Name: certificates; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'sessions', true, 2, 2, 254, 2, 2, NULL, 'overlap', '', 225018875601542, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'time_slots', true, 2, 2, 233, 2, 2, NULL, 'overlap', '', 224831369173182, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'rooms', true, 2, 2, 47, 1, 1, NULL, 'empty page', '', 166786278383404, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'tracks', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'session_types', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'users', true, 2, 2, 590, 6, 6, NULL, 'overlap', '', 1006003117637880, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'sessions', true, 2, 2, 354, 3, 3, NULL, 'overlap', '', 474130932515623, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'time_slots', true, 2, 2, 233, 2, 2, NULL, 'overlap', '', 224831369173182, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'rooms', true, 2, 2, 47, 1, 1, NULL, 'empty page', '', 166786278383404, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'tracks', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'session_types', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'users', true, 2, 2, 607, 7, 7, NULL, 'overlap', '', 1315750353809116, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'sessions', true, 2, 2, 254, 2, 2, NULL, 'overlap', '', 255118734144206, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'time_slots', true, 2, 2, 233, 2, 2, NULL, 'overlap', '', 224831369173182, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'rooms', true, 2, 2, 47, 1, 1, NULL, 'empty page', '', 166786278383404, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'tracks', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'session_types', true, 1, 1, 2, 0, 0, NULL, 'empty page', '', 0, 0);
INSERT INTO sync.certificates VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'users', true, 2, 2, 674, 7, 7, NULL, 'overlap', '', 1196802012630866, 0);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 'sessions', true, 1, 1, 708, 1, 1, 1, 'total met', '', 247194376872105, 0);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 'registrants', true, 1, 1, 1223, 3, 3, 3, 'total met', '', 411500415630246, 0);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 'reg_types', true, 1, 1, 482, 2, 2, 2, 'total met', '', 107340640557338, 0);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'sessions', true, 1, 1, 708, 1, 1, 1, 'total met', '', 247194376872105, 0);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'registrants', true, 1, 1, 1263, 4, 3, 4, 'total met', '', 600872501611859, 0);
INSERT INTO sync.certificates VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'reg_types', true, 1, 1, 482, 2, 2, 2, 'total met', '', 107340640557338, 0);


--
-- Data for Name: changes; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 1, 'attendees', 'u1', 'create', '', NULL, '{"lastName": "Of u1", "firstName": "Ada", "emailAddress": "u1@people.example"}', '\x492a65dddea59fbf53ec418b9bdcdf021074f3cc3b00ecc1d0784c176a714d54', false, 'applied', 1, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 2, 'attendees', 'u2', 'create', '', NULL, '{"lastName": "Of u2", "firstName": "Ada", "emailAddress": "u2@people.example"}', '\x575f800a6e1efbf76438a6821743c938219a6de3ce65914c1e79907a878caee7', false, 'applied', 1, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 3, 'attendees', 'u3', 'create', '', NULL, '{"lastName": "Of u3", "firstName": "Ada", "emailAddress": "u3@people.example"}', '\x3ff76ec93830e90d68d1d6c2373b729ad009f351baf86670bdafd50ae267eb34', false, 'applied', 2, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 4, 'attendees', 'u4', 'create', '', NULL, '{"lastName": "Of u4", "firstName": "Ada", "emailAddress": "u4@people.example"}', '\xa5007eff85579b2bbf8fd411d95bac25b0e96f0549f7c0b3e5628249c2fa5a0b', false, 'applied', 2, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 5, 'attendees', 'u5', 'create', '', NULL, '{"lastName": "Of u5", "firstName": "Ada", "emailAddress": "u5@people.example"}', '\x20c91ba865254eb65086ee4680fbb9b6906d59837e0b3d861e7febbb8812509a', false, 'applied', 3, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 6, 'attendees', 'u6', 'create', '', NULL, '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', '\x99f595d5c2d29ef20ba2b9ec85a2d3c51acdf14dbc5f0cc038ab74db75971a4d', false, 'applied', 3, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 8, 'agenda', '101', 'create', '', NULL, '{"name": "Session 101", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '\x27c36a520f0e8cdf8555ac74a919be537bb87daf5676d60d437faea5f97f48b8', false, 'applied', 4, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 7, 'speakers', 'u1', 'create', '', NULL, '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "102"]}', '\xb200519c27c59b468f707352fa7dd7152bdea55a235c1c9ed100a7c8c927a161', false, 'applied', 4, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 9, 'agenda', '102', 'create', '', NULL, '{"name": "Session 102", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '\xb2ece33a9786bbdb4ead7da9e84643074b42fc9414c71be9e197037504109956', false, 'applied', 5, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 1, 'attendees', 'u7', 'create', '', NULL, '{"company": "Analytical Engines", "lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '\xd2bfe597d09eac11b159df868357597c239bc5a9e2fd19f5a5a7445d1ae8fda9', false, 'failed', 1, false, 'failed', 'too_many', false);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 2, 'speakers', 'u1', 'update', '', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "102"]}', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "103"]}', '\x02866f2131ace76208936b9633315f81c5d4a9d9af0e6046a3c7da618f1bc4bd', false, 'applied', 1, false, 'updated', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 3, 'agenda', '101', 'update', '', '{"name": "Session 101", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '{"name": "Session 101", "endTime": "2031-05-04T16:30:00Z", "location": "East - Library", "startTime": "2031-05-04T15:00:00Z", "speakerIds": ["u1"]}', '\xf1fc3bf5b54feb4de69085be5ec618debca19be53185ce9f312efbfee66f7d91', false, 'applied', 2, false, 'updated', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 4, 'agenda', '103', 'create', '', NULL, '{"name": "Session 103", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '\x20d69937f708e39d44243a25260b020d06e9670cb5c18ff88574c4846b71f011', false, 'applied', 2, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 6, 'agenda', '102', 'remove', 'not_published', '{"name": "Session 102", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', NULL, '\x7fcf72cc07ee469bc07f143eeeb74fd16760988c7ce41a352b52069e38ef98fa', false, 'withheld', NULL, false, NULL, NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 5, 'attendees', 'u6', 'remove', 'removed_at_source', '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', NULL, '\xa506aadd65ff8d24637502ba9e6bf562bf514b827cde3a7617387e538c247f20', true, 'withheld', NULL, false, NULL, NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 1, 'attendees', 'u7', 'create', '', NULL, '{"lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '\xbafe3f741480cccd184f7e0325dacc4667b78f2687f69039572a3ab0cc75c8e3', false, 'applied', 1, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 2, 'agenda', '102', 'remove', 'removed_at_source', '{"name": "Session 102", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', NULL, '\xa3870084ea5417c1f9a96117956a127a83c019340dc94931e84c156f0082f692', true, 'applied', 2, false, 'removed', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 5, 'agenda', '500', 'create', '', NULL, '{"name": "Keynote", "endTime": "2031-05-04T08:00:00Z", "startTime": "2031-05-04T07:00:00Z"}', '\x896d1ef2cc1df2593d85b5575efb82740c424b4416dff1db8e32cbd899eeedd2', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 1, 'attendees', '1', 'create', '', NULL, '{"lastName": "Of 1", "firstName": "Grace", "emailAddress": "r1@people.example", "personalAgenda": ["500"]}', '\x822539dbc97f87c80788b90cdd0ad3389c45eb68374e13d45fe4f664759362ca', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 2, 'attendees', '2', 'create', '', NULL, '{"lastName": "Of 2", "firstName": "Grace", "emailAddress": "r2@people.example", "personalAgenda": ["500"]}', '\x0211de9c4a1101b1ef7159c1fd7e709d6cb67bbb2720dddb4d74debdc8ca0122', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 3, 'attendees', '3', 'create', '', NULL, '{"lastName": "Of 3", "firstName": "Grace", "emailAddress": "r3@people.example", "personalAgenda": ["500"]}', '\xd8e0b679fd3c90cf799439200b5eee06fa43e2c4fcb12e187f626048e4700a9a', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 4, 'speakers', '1', 'create', '', NULL, '{"lastName": "Of 1", "firstName": "Grace", "attendeeId": "1", "sessionIds": ["500"]}', '\x1ad6b47c12acfc06e79c1bd1bcc1375ffbab3b9e84a91b080f8942df85188f08', false, 'applied', NULL, false, 'created', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 2, 'attendees', '2', 'remove', 'cancelled', '{"lastName": "Of 2", "firstName": "Grace", "emailAddress": "r2@people.example", "personalAgenda": ["500"]}', NULL, '\x44f25b066d7f47b911aa8e27c71a4ecc27c2285afd8989f71debdda23dfd5d00', false, 'applied', NULL, false, 'removed', NULL, NULL);
INSERT INTO sync.changes VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 1, 'attendees', '4', 'create', '', NULL, '{"lastName": "Of 4", "firstName": "Grace", "emailAddress": "r4@people.example", "personalAgenda": ["500"]}', '\xaa1ef09ba14d9de842c4f50e6be835d508ff96eaf714f55987d79ca784b6b15f', false, 'applied', NULL, false, 'created', NULL, NULL);


--
-- Data for Name: decisions; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.decisions VALUES ('summit', 'agenda', 'sessions', '101', '101', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u1', 'u1', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u2', 'u2', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u3', 'u3', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u4', 'u4', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u5', 'u5', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u2', 'u2', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u3', 'u3', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u4', 'u4', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u5', 'u5', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'agenda', 'sessions', '102', '102', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u6', 'u6', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u1', 'u1', 'synced', '', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u6', 'u6', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.decisions VALUES ('summit', 'agenda', 'sessions', '103', '103', 'synced', '', '', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u7', 'u7', 'synced', '', '', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u7', 'u7', 'excluded', 'not_a_speaker', '', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'agenda', 'sessions', '102', '102', 'excluded', 'not_published', '', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u8', 'u8', 'excluded', 'missing_required:lastName', '', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u1', 'u1', 'synced', '', 'not_synced:sessionIds=1', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u8', 'u8', 'excluded', 'not_a_speaker', '', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');
INSERT INTO sync.decisions VALUES ('summit', 'attendees', 'users', 'u6', 'u6', 'synced', '', '', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u1', 'u1', 'synced', '', '', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', NULL);
INSERT INTO sync.decisions VALUES ('summit', 'speakers', 'users', 'u6', 'u6', 'excluded', 'not_a_speaker', '', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'agenda', 'sessions', '500', '500', 'synced', '', '', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '1', '1', 'synced', '', '', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '3', '3', 'synced', '', '', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'speakers', 'registrants', '1', '1', 'synced', '', '', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'speakers', 'registrants', '2', '2', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'speakers', 'registrants', '3', '3', 'excluded', 'not_a_speaker', '', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '2', '2', 'synced', '', '', '01c2ae78-4200-7465-8288-95ffc2ea6366', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0');
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '2', '2', 'excluded', 'cancelled', '', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'attendees', 'registrants', '4', '4', 'synced', '', '', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', NULL);
INSERT INTO sync.decisions VALUES ('expo', 'speakers', 'registrants', '4', '4', 'excluded', 'not_a_speaker', '', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', NULL);


--
-- Data for Name: desired_items; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "emailAddress": "u1@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u2', '{"lastName": "Of u2", "firstName": "Ada", "emailAddress": "u2@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u3', '{"lastName": "Of u3", "firstName": "Ada", "emailAddress": "u3@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u4', '{"lastName": "Of u4", "firstName": "Ada", "emailAddress": "u4@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u5', '{"lastName": "Of u5", "firstName": "Ada", "emailAddress": "u5@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'agenda', '101', '{"name": "Session 101", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.desired_items VALUES ('summit', 'agenda', '102', '{"name": "Session 102", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u6', '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.desired_items VALUES ('summit', 'speakers', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "102"]}', '01c2ae78-4200-7366-9815-e59e79bfa7c9', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.desired_items VALUES ('summit', 'agenda', '101', '{"name": "Session 101", "endTime": "2031-05-04T16:30:00Z", "location": "East - Library", "startTime": "2031-05-04T15:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'agenda', '103', '{"name": "Session 103", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'speakers', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "103"]}', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u7', '{"company": "Analytical Engines", "lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u6', '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', NULL);
INSERT INTO sync.desired_items VALUES ('summit', 'attendees', 'u7', '{"lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'agenda', '500', '{"name": "Keynote", "endTime": "2031-05-04T08:00:00Z", "startTime": "2031-05-04T07:00:00Z"}', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'attendees', '1', '{"lastName": "Of 1", "firstName": "Grace", "emailAddress": "r1@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'attendees', '3', '{"lastName": "Of 3", "firstName": "Grace", "emailAddress": "r3@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'speakers', '1', '{"lastName": "Of 1", "firstName": "Grace", "attendeeId": "1", "sessionIds": ["500"]}', '01c2ae78-4200-7465-8288-95ffc2ea6366', NULL);
INSERT INTO sync.desired_items VALUES ('expo', 'attendees', '2', '{"lastName": "Of 2", "firstName": "Grace", "emailAddress": "r2@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7465-8288-95ffc2ea6366', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0');
INSERT INTO sync.desired_items VALUES ('expo', 'attendees', '4', '{"lastName": "Of 4", "firstName": "Grace", "emailAddress": "r4@people.example", "personalAgenda": ["500"]}', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', NULL);


--
-- Data for Name: forgotten; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: forgotten_addresses; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: integrations; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.integrations VALUES ('summit', 'a', 'http://127.0.0.1:43671', '4242', 'http', 'http://127.0.0.1:39089', 'sample-event', 'UTC', 10, 3, '{agenda,attendees,speakers}', '\xa925c6358c955c6444eee0da2fdaa32c6e269a07f3edbf00e46c9341a4d7bdf1');
INSERT INTO sync.integrations VALUES ('expo', 'b', 'http://127.0.0.1:42669', '77', 'jsonl', '', '', 'UTC', 2, 2, '{}', '\xf7b33cab6ae34b30171d00bc6a69ed462a394e18ad22d0efd0cdcf9a0560c345');


--
-- Data for Name: notices; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: passwords; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: platform_items; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "emailAddress": "u1@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u2', '{"lastName": "Of u2", "firstName": "Ada", "emailAddress": "u2@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u3', '{"lastName": "Of u3", "firstName": "Ada", "emailAddress": "u3@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u4', '{"lastName": "Of u4", "firstName": "Ada", "emailAddress": "u4@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u5', '{"lastName": "Of u5", "firstName": "Ada", "emailAddress": "u5@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u6', '{"lastName": "Of u6", "firstName": "Ada", "emailAddress": "u6@people.example"}', '01c2ae78-4200-7366-9815-e59e79bfa7c9');
INSERT INTO sync.platform_items VALUES ('summit', 'speakers', 'u1', '{"lastName": "Of u1", "firstName": "Ada", "attendeeId": "u1", "sessionIds": ["101", "103"]}', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.platform_items VALUES ('summit', 'agenda', '101', '{"name": "Session 101", "endTime": "2031-05-04T16:30:00Z", "location": "East - Library", "startTime": "2031-05-04T15:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.platform_items VALUES ('summit', 'agenda', '103', '{"name": "Session 103", "endTime": "2031-05-04T14:00:00Z", "location": "East - Library", "startTime": "2031-05-04T13:00:00Z", "speakerIds": ["u1"]}', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63');
INSERT INTO sync.platform_items VALUES ('summit', 'attendees', 'u7', '{"lastName": "Of u7", "firstName": "Ada", "emailAddress": "u7@people.example"}', '01c2ae78-4202-7fee-bb38-9b6f16f751d0');
INSERT INTO sync.platform_items VALUES ('expo', 'agenda', '500', '{"name": "Keynote", "endTime": "2031-05-04T08:00:00Z", "startTime": "2031-05-04T07:00:00Z"}', '01c2ae78-4200-7465-8288-95ffc2ea6366');
INSERT INTO sync.platform_items VALUES ('expo', 'attendees', '1', '{"lastName": "Of 1", "firstName": "Grace", "emailAddress": "r1@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7465-8288-95ffc2ea6366');
INSERT INTO sync.platform_items VALUES ('expo', 'attendees', '3', '{"lastName": "Of 3", "firstName": "Grace", "emailAddress": "r3@people.example", "personalAgenda": ["500"]}', '01c2ae78-4200-7465-8288-95ffc2ea6366');
INSERT INTO sync.platform_items VALUES ('expo', 'speakers', '1', '{"lastName": "Of 1", "firstName": "Grace", "attendeeId": "1", "sessionIds": ["500"]}', '01c2ae78-4200-7465-8288-95ffc2ea6366');
INSERT INTO sync.platform_items VALUES ('expo', 'attendees', '4', '{"lastName": "Of 4", "firstName": "Grace", "emailAddress": "r4@people.example", "personalAgenda": ["500"]}', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0');


--
-- Data for Name: purges; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: rate_budgets; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: readings; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: reconciliation; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 1, '', 'rooms', 'read', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 2, '', 'rooms', 'staged', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 3, '', 'rooms', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 4, '', 'rooms', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 5, '', 'rooms', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 6, '', 'rooms', 'control_total', 166786278383404, 166786278383404);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 7, '', 'session_types', 'read', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 8, '', 'session_types', 'staged', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 9, '', 'session_types', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 10, '', 'session_types', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 11, '', 'session_types', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 12, '', 'session_types', 'control_total', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 13, '', 'sessions', 'read', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 14, '', 'sessions', 'staged', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 15, '', 'sessions', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 16, '', 'sessions', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 17, '', 'sessions', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 18, '', 'sessions', 'control_total', 225018875601542, 225018875601542);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 19, '', 'time_slots', 'read', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 20, '', 'time_slots', 'staged', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 21, '', 'time_slots', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 22, '', 'time_slots', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 23, '', 'time_slots', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 24, '', 'time_slots', 'control_total', 224831369173182, 224831369173182);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 25, '', 'tracks', 'read', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 26, '', 'tracks', 'staged', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 27, '', 'tracks', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 28, '', 'tracks', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 29, '', 'tracks', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 30, '', 'tracks', 'control_total', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 31, '', 'users', 'read', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 32, '', 'users', 'staged', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 33, '', 'users', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 34, '', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 35, '', 'users', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 36, '', 'users', 'control_total', 1006003117637880, 1006003117637880);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 37, 'agenda', 'sessions', 'records', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 38, 'agenda', 'sessions', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 39, 'agenda', 'sessions', 'synced', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 40, 'agenda', 'sessions', 'created', 2, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 41, 'agenda', 'sessions', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 42, 'agenda', 'sessions', 'unchanged', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 43, 'agenda', 'sessions', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 44, 'agenda', 'sessions', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 45, 'agenda', 'sessions', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 46, 'agenda', 'sessions', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 47, 'agenda', 'sessions', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 48, 'agenda', 'sessions', 'live', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 49, 'agenda', 'sessions', 'control_total', 143992911607597, 143992911607597);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 50, 'agenda', 'sessions', 'platform', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 51, 'attendees', 'users', 'records', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 52, 'attendees', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 53, 'attendees', 'users', 'synced', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 54, 'attendees', 'users', 'created', 6, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 55, 'attendees', 'users', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 56, 'attendees', 'users', 'unchanged', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 57, 'attendees', 'users', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 58, 'attendees', 'users', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 59, 'attendees', 'users', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 60, 'attendees', 'users', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 61, 'attendees', 'users', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 62, 'attendees', 'users', 'live', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 63, 'attendees', 'users', 'control_total', 1070244618031040, 1070244618031040);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 64, 'attendees', 'users', 'platform', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 65, 'speakers', 'users', 'records', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 66, 'speakers', 'users', 'excluded:not_a_speaker', 5, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 67, 'speakers', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 68, 'speakers', 'users', 'synced', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 69, 'speakers', 'users', 'created', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 70, 'speakers', 'users', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 71, 'speakers', 'users', 'unchanged', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 72, 'speakers', 'users', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 73, 'speakers', 'users', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 74, 'speakers', 'users', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 75, 'speakers', 'users', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 76, 'speakers', 'users', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 77, 'speakers', 'users', 'live', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 78, 'speakers', 'users', 'control_total', 103395599988209, 103395599988209);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 79, 'speakers', 'users', 'platform', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 1, '', 'rooms', 'read', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 2, '', 'rooms', 'staged', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 3, '', 'rooms', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 4, '', 'rooms', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 5, '', 'rooms', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 6, '', 'rooms', 'control_total', 166786278383404, 166786278383404);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 7, '', 'session_types', 'read', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 8, '', 'session_types', 'staged', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 9, '', 'session_types', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 10, '', 'session_types', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 11, '', 'session_types', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 12, '', 'session_types', 'control_total', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 13, '', 'sessions', 'read', 3, 3);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 14, '', 'sessions', 'staged', 3, 3);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 15, '', 'sessions', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 16, '', 'sessions', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 17, '', 'sessions', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 18, '', 'sessions', 'control_total', 474130932515623, 474130932515623);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 19, '', 'time_slots', 'read', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 20, '', 'time_slots', 'staged', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 21, '', 'time_slots', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 22, '', 'time_slots', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 23, '', 'time_slots', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 24, '', 'time_slots', 'control_total', 224831369173182, 224831369173182);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 25, '', 'tracks', 'read', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 26, '', 'tracks', 'staged', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 27, '', 'tracks', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 28, '', 'tracks', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 29, '', 'tracks', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 30, '', 'tracks', 'control_total', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 31, '', 'users', 'read', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 32, '', 'users', 'staged', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 33, '', 'users', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 34, '', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 35, '', 'users', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 36, '', 'users', 'control_total', 1315750353809116, 1315750353809116);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 37, 'agenda', 'sessions', 'records', 3, 3);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 38, 'agenda', 'sessions', 'excluded:not_published', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 39, 'agenda', 'sessions', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 40, 'agenda', 'sessions', 'synced', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 41, 'agenda', 'sessions', 'created', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 42, 'agenda', 'sessions', 'updated', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 43, 'agenda', 'sessions', 'unchanged', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 44, 'agenda', 'sessions', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 45, 'agenda', 'sessions', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 46, 'agenda', 'sessions', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 47, 'agenda', 'sessions', 'removals_withheld', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 48, 'agenda', 'sessions', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 49, 'agenda', 'sessions', 'live', 3, 3);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 50, 'agenda', 'sessions', 'control_total', 384216851527868, 384216851527868);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 51, 'agenda', 'sessions', 'platform', 3, 3);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 52, 'attendees', 'users', 'records', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 53, 'attendees', 'users', 'excluded:missing_required:lastName', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 54, 'attendees', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 55, 'attendees', 'users', 'synced', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 56, 'attendees', 'users', 'created', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 57, 'attendees', 'users', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 58, 'attendees', 'users', 'unchanged', 5, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 59, 'attendees', 'users', 'failed', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 60, 'attendees', 'users', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 61, 'attendees', 'users', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 62, 'attendees', 'users', 'removals_withheld', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 63, 'attendees', 'users', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 64, 'attendees', 'users', 'live', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 65, 'attendees', 'users', 'control_total', 790315579399716, 790315579399716);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 66, 'attendees', 'users', 'platform', 6, 6);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 67, 'speakers', 'users', 'records', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 68, 'speakers', 'users', 'excluded:not_a_speaker', 6, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 69, 'speakers', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 70, 'speakers', 'users', 'synced', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 71, 'speakers', 'users', 'created', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 72, 'speakers', 'users', 'updated', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 73, 'speakers', 'users', 'unchanged', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 74, 'speakers', 'users', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 75, 'speakers', 'users', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 76, 'speakers', 'users', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 77, 'speakers', 'users', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 78, 'speakers', 'users', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 79, 'speakers', 'users', 'live', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 80, 'speakers', 'users', 'control_total', 233439990595780, 233439990595780);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 81, 'speakers', 'users', 'platform', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 1, '', 'rooms', 'read', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 2, '', 'rooms', 'staged', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 3, '', 'rooms', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 4, '', 'rooms', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 5, '', 'rooms', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 6, '', 'rooms', 'control_total', 166786278383404, 166786278383404);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 7, '', 'session_types', 'read', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 8, '', 'session_types', 'staged', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 9, '', 'session_types', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 10, '', 'session_types', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 11, '', 'session_types', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 12, '', 'session_types', 'control_total', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 13, '', 'sessions', 'read', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 14, '', 'sessions', 'staged', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 15, '', 'sessions', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 16, '', 'sessions', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 17, '', 'sessions', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 18, '', 'sessions', 'control_total', 255118734144206, 255118734144206);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 19, '', 'time_slots', 'read', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 20, '', 'time_slots', 'staged', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 21, '', 'time_slots', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 22, '', 'time_slots', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 23, '', 'time_slots', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 24, '', 'time_slots', 'control_total', 224831369173182, 224831369173182);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 25, '', 'tracks', 'read', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 26, '', 'tracks', 'staged', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 27, '', 'tracks', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 28, '', 'tracks', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 29, '', 'tracks', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 30, '', 'tracks', 'control_total', 0, 0);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 31, '', 'users', 'read', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 32, '', 'users', 'staged', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 33, '', 'users', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 34, '', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 35, '', 'users', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 36, '', 'users', 'control_total', 1196802012630866, 1196802012630866);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 37, 'agenda', 'sessions', 'records', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 38, 'agenda', 'sessions', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 39, 'agenda', 'sessions', 'synced', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 40, 'agenda', 'sessions', 'created', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 41, 'agenda', 'sessions', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 42, 'agenda', 'sessions', 'unchanged', 2, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 43, 'agenda', 'sessions', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 44, 'agenda', 'sessions', 'removed', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 45, 'agenda', 'sessions', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 46, 'agenda', 'sessions', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 47, 'agenda', 'sessions', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 48, 'agenda', 'sessions', 'live', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 49, 'agenda', 'sessions', 'control_total', 384216851527868, 384216851527868);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 50, 'agenda', 'sessions', 'platform', 2, 2);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 51, 'attendees', 'users', 'records', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 52, 'attendees', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 53, 'attendees', 'users', 'synced', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 54, 'attendees', 'users', 'created', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 55, 'attendees', 'users', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 56, 'attendees', 'users', 'unchanged', 6, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 57, 'attendees', 'users', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 58, 'attendees', 'users', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 59, 'attendees', 'users', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 60, 'attendees', 'users', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 61, 'attendees', 'users', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 62, 'attendees', 'users', 'live', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 63, 'attendees', 'users', 'control_total', 1267020521943452, 1267020521943452);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 64, 'attendees', 'users', 'platform', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 65, 'speakers', 'users', 'records', 7, 7);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 66, 'speakers', 'users', 'excluded:not_a_speaker', 6, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 67, 'speakers', 'users', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 68, 'speakers', 'users', 'synced', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 69, 'speakers', 'users', 'created', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 70, 'speakers', 'users', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 71, 'speakers', 'users', 'unchanged', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 72, 'speakers', 'users', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 73, 'speakers', 'users', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 74, 'speakers', 'users', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 75, 'speakers', 'users', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 76, 'speakers', 'users', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 77, 'speakers', 'users', 'live', 1, 1);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 78, 'speakers', 'users', 'control_total', 233439990595780, 233439990595780);
INSERT INTO sync.reconciliation VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 79, 'speakers', 'users', 'platform', 1, 1);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 1, '', 'reg_types', 'read', 2, 2);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 2, '', 'reg_types', 'staged', 2, 2);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 3, '', 'reg_types', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 4, '', 'reg_types', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 5, '', 'reg_types', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 6, '', 'reg_types', 'control_total', 107340640557338, 107340640557338);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 7, '', 'registrants', 'read', 3, 3);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 8, '', 'registrants', 'staged', 3, 3);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 9, '', 'registrants', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 10, '', 'registrants', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 11, '', 'registrants', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 12, '', 'registrants', 'control_total', 411500415630246, 411500415630246);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 13, '', 'sessions', 'read', 1, 1);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 14, '', 'sessions', 'staged', 1, 1);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 15, '', 'sessions', 'repeated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 16, '', 'sessions', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 17, '', 'sessions', 'unseen', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 18, '', 'sessions', 'control_total', 247194376872105, 247194376872105);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 19, 'agenda', 'sessions', 'records', 1, 1);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 20, 'agenda', 'sessions', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 21, 'agenda', 'sessions', 'synced', 1, 1);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 22, 'agenda', 'sessions', 'created', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 23, 'agenda', 'sessions', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 24, 'agenda', 'sessions', 'unchanged', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 25, 'agenda', 'sessions', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 26, 'agenda', 'sessions', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 27, 'agenda', 'sessions', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 28, 'agenda', 'sessions', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 29, 'agenda', 'sessions', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 30, 'agenda', 'sessions', 'live', 1, 1);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 31, 'agenda', 'sessions', 'control_total', 241267571267872, 241267571267872);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 32, 'attendees', 'registrants', 'records', 3, 3);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 33, 'attendees', 'registrants', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 34, 'attendees', 'registrants', 'synced', 3, 3);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 35, 'attendees', 'registrants', 'created', 3, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 36, 'attendees', 'registrants', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 37, 'attendees', 'registrants', 'unchanged', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 38, 'attendees', 'registrants', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 39, 'attendees', 'registrants', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 40, 'attendees', 'registrants', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 41, 'attendees', 'registrants', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 42, 'attendees', 'registrants', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 43, 'attendees', 'registrants', 'live', 3, 3);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 44, 'attendees', 'registrants', 'control_total', 470048547837536, 470048547837536);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 45, 'speakers', 'registrants', 'records', 3, 3);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 46, 'speakers', 'registrants', 'excluded:not_a_speaker', 2, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 47, 'speakers', 'registrants', 'quarantined', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 48, 'speakers', 'registrants', 'synced', 1, 1);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 49, 'speakers', 'registrants', 'created', 1, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 50, 'speakers', 'registrants', 'updated', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 51, 'speakers', 'registrants', 'unchanged', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 52, 'speakers', 'registrants', 'failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 53, 'speakers', 'registrants', 'removed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 54, 'speakers', 'registrants', 'removals_failed', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 55, 'speakers', 'registrants', 'removals_withheld', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 56, 'speakers', 'registrants', 'kept', 0, NULL);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 57, 'speakers', 'registrants', 'live', 1, 1);
INSERT INTO sync.reconciliation VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 58, 'speakers', 'registrants', 'control_total', 149686672422814, 149686672422814);


--
-- Data for Name: requests; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'session_types', 1, 'http://127.0.0.1:44639/api/v1/4242/SessionTypes?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'sessions', 1, 'http://127.0.0.1:44639/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=0', 200, 169, '86ef2ba3ae644b4325ec426cc64fdbcdb45d9ac6ce087c493ff4a32318907059', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'sessions', 2, 'http://127.0.0.1:44639/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=1', 200, 85, 'f10c4f8f784c3c9f379e9d644b8a772f71834d120d66f83e40d0d573db3d0854', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'tracks', 1, 'http://127.0.0.1:44639/api/v1/4242/Tracks?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'time_slots', 1, 'http://127.0.0.1:44639/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=0', 200, 155, '7e25309ac01328b7be2290f75903ae3a21c1aac57e8ef1765cf98066741363a6', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'time_slots', 2, 'http://127.0.0.1:44639/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=1', 200, 78, '143a750edc1b9bc70691a86cd4c2f3b031a6edad0f2198b64f954f3d7b2ed659', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'rooms', 1, 'http://127.0.0.1:44639/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=0', 200, 45, 'b0bdaf800f4c7057bca1b993b196c0bfbc4d5f0711102e77138bb038372bbd31', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'rooms', 2, 'http://127.0.0.1:44639/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=1', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'users', 1, 'http://127.0.0.1:44639/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=0', 200, 505, '409de852af7d3890ce74a4b62cd756783b29ac866f0567d76b02ace18246e4f5', 6, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'users', 2, 'http://127.0.0.1:44639/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=5', 200, 85, '91c3f4422184349678b15093aa26f5c46f7e350cce6803dcdcd411b252c59b3c', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'session_types', 1, 'http://127.0.0.1:46709/api/v1/4242/SessionTypes?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'tracks', 1, 'http://127.0.0.1:46709/api/v1/4242/Tracks?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'rooms', 1, 'http://127.0.0.1:46709/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=0', 200, 45, 'b0bdaf800f4c7057bca1b993b196c0bfbc4d5f0711102e77138bb038372bbd31', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'rooms', 2, 'http://127.0.0.1:46709/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=1', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'users', 1, 'http://127.0.0.1:46709/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=0', 200, 571, '4d10eef5b38b11f5aae5c85f357db4b983dcfe9dc9ff47790b7133bdf2ec6532', 7, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'users', 2, 'http://127.0.0.1:46709/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=6', 200, 36, '07ef36d08ce48b54a31b08fcb24879d126c5ac4a1487ee6ab7205a70b77a588b', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'sessions', 1, 'http://127.0.0.1:46709/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=0', 200, 269, '77e227429ff41883056a28f81d637eeb8a4d59d699b987bbff03d803140b2174', 3, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'sessions', 2, 'http://127.0.0.1:46709/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=2', 200, 85, '694d050c79bbf3b5827f0faa15d4981652bf285d638bc94997cd8b74ac65d581', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'time_slots', 1, 'http://127.0.0.1:46709/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=0', 200, 155, '7e25309ac01328b7be2290f75903ae3a21c1aac57e8ef1765cf98066741363a6', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'time_slots', 2, 'http://127.0.0.1:46709/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=1', 200, 78, '143a750edc1b9bc70691a86cd4c2f3b031a6edad0f2198b64f954f3d7b2ed659', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'tracks', 1, 'http://127.0.0.1:43671/api/v1/4242/Tracks?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'session_types', 1, 'http://127.0.0.1:43671/api/v1/4242/SessionTypes?%24orderby=Id&%24top=1000&%24skip=0', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'time_slots', 1, 'http://127.0.0.1:43671/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=0', 200, 155, '7e25309ac01328b7be2290f75903ae3a21c1aac57e8ef1765cf98066741363a6', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'time_slots', 2, 'http://127.0.0.1:43671/api/v1/4242/TimeSlots?%24orderby=Id&%24top=1000&%24skip=1', 200, 78, '143a750edc1b9bc70691a86cd4c2f3b031a6edad0f2198b64f954f3d7b2ed659', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'rooms', 1, 'http://127.0.0.1:43671/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=0', 200, 45, 'b0bdaf800f4c7057bca1b993b196c0bfbc4d5f0711102e77138bb038372bbd31', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'rooms', 2, 'http://127.0.0.1:43671/api/v1/4242/Rooms?%24orderby=Id&%24top=1000&%24skip=1', 200, 2, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'sessions', 1, 'http://127.0.0.1:43671/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=0', 200, 169, '5dce42dee84aa149e17c09ebcc78351d3c1884bf76c3cf0bc11c000bc23144bb', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'sessions', 2, 'http://127.0.0.1:43671/api/v1/4242/Sessions?%24expand=Speakers&%24orderby=Id&%24top=1000&%24skip=1', 200, 85, '694d050c79bbf3b5827f0faa15d4981652bf285d638bc94997cd8b74ac65d581', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'users', 1, 'http://127.0.0.1:43671/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=0', 200, 589, '10b4f1193b115d726595570680d1459189a0c58d6d529b4d125bf60c49635dae', 7, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'users', 2, 'http://127.0.0.1:43671/api/v1/4242/Users?%24expand=SpeakingAt&%24orderby=Id&%24top=1000&%24skip=6', 200, 85, 'ff68314fd88235f5fec3a6d41184f7d1d7350153a9b53a4c6f8fe47213031197', 0, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 'reg_types', 1, 'http://127.0.0.1:39785/api/v1/reg-types.json?event_id=77&fields=id%2Cname&page=1&per-page=200', 200, 482, 'a336c53a020e50c3def9a52bb2d6ea6fd69e028555c9787152ccebbcc08ba775', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 'registrants', 1, 'http://127.0.0.1:39785/api/v1/registrants.json?event_id=77&fields=id%2Cemail%2Cfirst_name%2Clast_name%2Cjob_title%2Ccompany%2Cbio%2Cmobile_phone%2Ctwitter_handle%2Creg_type_id%2Csession_ids%2Ccancelled_at&page=1&per-page=200', 200, 1223, 'f3a41ff5da4384dff6d3fd186480abf6b448cd33333c32a174141a98afcf5a46', 3, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 'sessions', 1, 'http://127.0.0.1:39785/api/v1/sessions.json?event_id=77&fields=id%2Cname%2Cdescription%2Cdate%2Cstart_time%2Cend_time%2Ctimezone&page=1&per-page=200', 200, 708, 'f9ab5c7d912630a481f6d083512d4ad716b7aaf034e5c2aef219fb18ee12ce0c', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'reg_types', 1, 'http://127.0.0.1:42669/api/v1/reg-types.json?event_id=77&fields=id%2Cname&page=1&per-page=200', 200, 482, '7ca8e7b5d9b3483c50e074fa6b71a563eb78838395c91e93ba8fc1fd76bb0d35', 2, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'sessions', 1, 'http://127.0.0.1:42669/api/v1/sessions.json?event_id=77&fields=id%2Cname%2Cdescription%2Cdate%2Cstart_time%2Cend_time%2Ctimezone&page=1&per-page=200', 200, 708, '4f68f18a27b3496608a9309d1de6eaa145a541b1a47814d2ffb3f0aed3dd7822', 1, '2031-05-04 12:00:00+00');
INSERT INTO sync.requests VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'registrants', 1, 'http://127.0.0.1:42669/api/v1/registrants.json?event_id=77&fields=id%2Cemail%2Cfirst_name%2Clast_name%2Cjob_title%2Ccompany%2Cbio%2Cmobile_phone%2Ctwitter_handle%2Creg_type_id%2Csession_ids%2Ccancelled_at&page=1&per-page=200', 200, 1263, '61a878bc191d845dacf37f68d356bbfe7b7af7097e2b4d0164997580f6586a2d', 4, '2031-05-04 12:00:00+00');


--
-- Data for Name: runs; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.runs VALUES ('summit', '01c2ae78-4200-7366-9815-e59e79bfa7c9', 'run', 'finished', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '0.1.0', 'test', NULL, NULL, '0f289cdb2ef258de487a4b1f0e8616cd239284b6d5c3db2b9ef4428b5dec511e', '{agenda,speakers,attendees}', 1, 1, '1af3073370b10230e23c657459673decc2b6778151a3a9144920a71f4943095e', true, NULL, '{"kept": 0, "failed": 0, "changes": {"agenda": {"create": 2, "remove": 0, "update": 0, "unchanged": 0}, "speakers": {"create": 1, "remove": 0, "update": 0, "unchanged": 0}, "attendees": {"create": 6, "remove": 0, "update": 0, "unchanged": 0}}, "excluded": {"not_a_speaker": 5}, "withheld": 0, "quarantined": 0}', NULL, '416278290898a6362bdabbf9ac0f3d7d1104197f07a754fef300caf42ba94dfd', 'full', false, 'UTC', NULL, false, NULL);
INSERT INTO sync.runs VALUES ('summit', '01c2ae78-4202-7fee-bb38-9b6f16f751d0', 'run', 'finished', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '0.1.0', 'test', NULL, NULL, 'f2dcf9569d71bdd634d9e62e3684777265b2c704fcd17d3daacd4350559c03a7', '{agenda,speakers,attendees}', 8, 3, '57ac8e8bd0e074c066fb8c6ea7f2338b4b38b4cdae6a6db562e22ac6a484d969', true, NULL, '{"kept": 0, "failed": 0, "changes": {"agenda": {"create": 0, "remove": 1, "update": 0, "unchanged": 2}, "speakers": {"create": 0, "remove": 0, "update": 0, "unchanged": 1}, "attendees": {"create": 1, "remove": 0, "update": 0, "unchanged": 6}}, "excluded": {"not_a_speaker": 6}, "withheld": 0, "quarantined": 0}', NULL, '38d4d978e9826655e127df38df06415b3b87e59dd8063c0a5373ec2f4cd993c3', 'full', false, 'UTC', 'c3f71d6145bcf1aae51d7c7d1092e419b8a30beb5a8bd0e017533a9cf6276afd', false, NULL);
INSERT INTO sync.runs VALUES ('summit', '01c2ae78-4201-7aa3-aa4e-da4db4f78d63', 'run', 'finished', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '0.1.0', 'test', NULL, NULL, '01ad9d46b968a138de3a1a9ab5f5d84453f515b93d1aef962382ecc7985caed1', '{agenda,speakers,attendees}', 6, 2, '939dc54931ad62bd2cacf59d3981070252df12d88bd8939c17022a48dd61ff56', true, NULL, '{"kept": 0, "failed": 1, "changes": {"agenda": {"create": 1, "remove": 1, "update": 1, "unchanged": 0}, "speakers": {"create": 0, "remove": 0, "update": 1, "unchanged": 0}, "attendees": {"create": 1, "remove": 1, "update": 0, "unchanged": 5}}, "excluded": {"not_a_speaker": 6, "not_published": 1, "missing_required:lastName": 1}, "withheld": 2, "quarantined": 0}', NULL, 'c3f71d6145bcf1aae51d7c7d1092e419b8a30beb5a8bd0e017533a9cf6276afd', 'full', false, 'UTC', '416278290898a6362bdabbf9ac0f3d7d1104197f07a754fef300caf42ba94dfd', false, NULL);
INSERT INTO sync.runs VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'run', 'applying', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', NULL, NULL, '0.1.0', 'test', NULL, NULL, '515429c519eb5acefc5ad00762c900f57435c17c12cb62b43e802d4ff71066c4', '{agenda,speakers,attendees}', 1, 2, '37f025c4c6b68b58a9c4afcfa803f4f1073473093c8bd293162af12b3256cff2', true, NULL, '{"kept": 0, "changes": {"agenda": {"create": 0, "remove": 0, "update": 0, "unchanged": 1}, "speakers": {"create": 0, "remove": 0, "update": 0, "unchanged": 1}, "attendees": {"create": 1, "remove": 1, "update": 0, "unchanged": 2}}, "excluded": {"cancelled": 1, "not_a_speaker": 3}, "quarantined": 1}', 'apply failed: the process is gone
platform possibly touched; the next run finishes this plan first (or gives it up, with --rebind to another platform event)', NULL, NULL, NULL, 'UTC', NULL, false, NULL);
INSERT INTO sync.runs VALUES ('expo', '01c2ae78-4200-7465-8288-95ffc2ea6366', 'run', 'finished', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '2031-05-04 12:00:00+00', '0.1.0', 'test', NULL, NULL, '99f826c7ee3149c9d2cd40bd3b711bee1739a93f4b5d19d24cfccd9d9a9ca19b', '{agenda,speakers,attendees}', 0, 1, 'de4a74bdc6e62279177c9c99d9a7f569b5a49b353c96936c1ff8aff6c4c4bf96', true, NULL, '{"kept": 0, "failed": 0, "changes": {"agenda": {"create": 1, "remove": 0, "update": 0, "unchanged": 0}, "speakers": {"create": 1, "remove": 0, "update": 0, "unchanged": 0}, "attendees": {"create": 3, "remove": 0, "update": 0, "unchanged": 0}}, "excluded": {"not_a_speaker": 2}, "withheld": 0, "quarantined": 0}', NULL, 'f2ba961eb15b62735773463ba032b1cbd881a0e5660298cbb372b6a8821268e2', 'full', false, 'UTC', NULL, false, NULL);


--
-- Data for Name: superseded_manifests; Type: TABLE DATA; Schema: sync; Owner: -
--



--
-- Data for Name: unseen; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.unseen VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'registrants', '3');


--
-- Data for Name: unstaged; Type: TABLE DATA; Schema: sync; Owner: -
--

INSERT INTO sync.unstaged VALUES ('expo', '01c2ae78-4201-7c63-a9f1-753ac0b3c8b0', 'registrants', 4, NULL, NULL, 'invalid_record', '$.id', 'no id', 22201481308864);


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
-- Name: forgotten_addresses forgotten_addresses_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.forgotten_addresses
    ADD CONSTRAINT forgotten_addresses_pkey PRIMARY KEY (integration_id, address_mac);


--
-- Name: forgotten forgotten_integration_id_id_mac_key; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.forgotten
    ADD CONSTRAINT forgotten_integration_id_id_mac_key UNIQUE (integration_id, id_mac);


--
-- Name: forgotten forgotten_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.forgotten
    ADD CONSTRAINT forgotten_pkey PRIMARY KEY (integration_id, token);


--
-- Name: integrations integrations_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.integrations
    ADD CONSTRAINT integrations_pkey PRIMARY KEY (integration_id);


--
-- Name: notices notices_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (integration_id, run_id, told_end);


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
-- Name: purges purges_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.purges
    ADD CONSTRAINT purges_pkey PRIMARY KEY (integration_id, purged_at);


--
-- Name: rate_budgets rate_budgets_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.rate_budgets
    ADD CONSTRAINT rate_budgets_pkey PRIMARY KEY (host);


--
-- Name: readings readings_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.readings
    ADD CONSTRAINT readings_pkey PRIMARY KEY (integration_id, run_id, resource);


--
-- Name: reconciliation reconciliation_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.reconciliation
    ADD CONSTRAINT reconciliation_pkey PRIMARY KEY (integration_id, run_id, place);


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
-- Name: superseded_manifests superseded_manifests_integration_id_run_id_sha256_key; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.superseded_manifests
    ADD CONSTRAINT superseded_manifests_integration_id_run_id_sha256_key UNIQUE (integration_id, run_id, sha256);


--
-- Name: superseded_manifests superseded_manifests_pkey; Type: CONSTRAINT; Schema: sync; Owner: -
--

ALTER TABLE ONLY sync.superseded_manifests
    ADD CONSTRAINT superseded_manifests_pkey PRIMARY KEY (integration_id, run_id, place);


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
-- Name: runs_by_id; Type: INDEX; Schema: sync; Owner: -
--

CREATE INDEX runs_by_id ON sync.runs USING btree (run_id);


--
-- Name: unstaged_by_source_id; Type: INDEX; Schema: sync; Owner: -
--

CREATE INDEX unstaged_by_source_id ON sync.unstaged USING btree (integration_id, run_id, resource, COALESCE(source_id, ''::text), ordinal);


--
-- PostgreSQL database dump complete
--


