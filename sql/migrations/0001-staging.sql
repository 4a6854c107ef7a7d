-- What the sources gave, as it was read, with history.
--
-- grain of every table: integration, record, version. readers: transforms/, published views, analysts.
-- A version is valid for the runs r with valid_from_run <= r < valid_to_run; current = valid_to_run is null.
-- Run ids are UUIDv7 and grow with time, so their order is the order of the runs.
-- Ids compare and sort by their bytes (collate "C"), so both engines and every locale agree.

create schema staging;
comment on schema staging is 'Records of the sources as read, one row for each version, with history. Current rows: valid_to_run is null.';

create schema incoming;
comment on schema incoming is 'Records of runs that are being read; a table a run and resource, dropped when it is merged into staging. Not for readers.';

create table staging.a_sessions (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  title text,
  description text,
  enabled boolean,
  visible_to_anonymous_users boolean,
  status text,
  time_slot_id text collate "C",
  room_id text collate "C",
  track_id text collate "C",
  session_type_id text collate "C",
  speaker_ids text[] collate "C" not null,
  link_urls text[] not null,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index a_sessions_current on staging.a_sessions (integration_id, source_id) where valid_to_run is null;

create table staging.a_time_slots (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  start_time timestamptz,
  start_time_status text not null check (start_time_status in ('absent', 'read', 'ambiguous', 'unreadable')),
  end_time timestamptz,
  end_time_status text not null check (end_time_status in ('absent', 'read', 'ambiguous', 'unreadable')),
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index a_time_slots_current on staging.a_time_slots (integration_id, source_id) where valid_to_run is null;

create table staging.a_rooms (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  name text,
  location text,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index a_rooms_current on staging.a_rooms (integration_id, source_id) where valid_to_run is null;

create table staging.a_tracks (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  title text,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index a_tracks_current on staging.a_tracks (integration_id, source_id) where valid_to_run is null;

create table staging.a_session_types (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  title text,
  title_folded text collate "C",
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index a_session_types_current on staging.a_session_types (integration_id, source_id) where valid_to_run is null;

create table staging.a_users (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  id text collate "C",
  first_name text,
  last_name text,
  email_address text,
  title text,
  company text,
  biography text,
  photo_link text,
  facebook_url text,
  linkedin_url text,
  has_speaker_role boolean not null,
  is_pending boolean,
  speaking_at text[] collate "C" not null,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index a_users_current on staging.a_users (integration_id, source_id) where valid_to_run is null;

create table staging.b_sessions (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  name text,
  description text,
  start_time timestamptz,
  start_time_status text not null check (start_time_status in ('absent', 'read', 'ambiguous', 'unreadable')),
  end_time timestamptz,
  end_time_status text not null check (end_time_status in ('absent', 'read', 'ambiguous', 'unreadable')),
  time_zone text,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index b_sessions_current on staging.b_sessions (integration_id, source_id) where valid_to_run is null;

create table staging.b_registrants (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  first_name text,
  last_name text,
  email text,
  job_title text,
  company text,
  bio text,
  mobile_phone text,
  twitter_handle text,
  reg_type_id text collate "C",
  reg_type_value text,
  reg_type_folded text collate "C",
  session_ids text[] collate "C" not null,
  cancelled_at text,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index b_registrants_current on staging.b_registrants (integration_id, source_id) where valid_to_run is null;

create table staging.b_reg_types (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  name text,
  name_folded text collate "C",
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, source_id, valid_from_run)
);
create unique index b_reg_types_current on staging.b_reg_types (integration_id, source_id) where valid_to_run is null;

comment on table staging.a_sessions is 'Source A: sessions (GET Sessions?$expand=Speakers), spec 2.2.';
comment on column staging.a_sessions.title is 'Title; platform field name.';
comment on column staging.a_sessions.description is 'Description, HTML as received; platform field description.';
comment on column staging.a_sessions.enabled is 'Enabled; only JSON true and false count. false: not_published.';
comment on column staging.a_sessions.visible_to_anonymous_users is 'VisibleToAnonymousUsers; false: not_published.';
comment on column staging.a_sessions.status is 'Status, for example Accepted; see source.sessionStatuses.';
comment on column staging.a_sessions.time_slot_id is 'TimeSlotId; joins a_time_slots.source_id.';
comment on column staging.a_sessions.room_id is 'RoomId; joins a_rooms.source_id.';
comment on column staging.a_sessions.track_id is 'TrackId; joins a_tracks.source_id.';
comment on column staging.a_sessions.session_type_id is 'SessionTypeId; joins a_session_types.source_id.';
comment on column staging.a_sessions.speaker_ids is 'Ids in Speakers, those of SpeakerOrder first and in its order, repeats dropped; join a_users.id.';
comment on column staging.a_sessions.link_urls is 'http(s) addresses of Links in source order, repeats dropped.';

comment on table staging.a_time_slots is 'Source A: time slots (GET TimeSlots), spec 2.2.';
comment on column staging.a_time_slots.start_time is 'StartTime as an instant; null where start_time_status is absent or unreadable.';
comment on column staging.a_time_slots.start_time_status is 'absent, read, ambiguous (a local time that occurs twice: the earlier instant) or unreadable (also a local time that a clock change skips).';
comment on column staging.a_time_slots.end_time is 'EndTime as an instant; null where end_time_status is absent or unreadable.';
comment on column staging.a_time_slots.end_time_status is 'As start_time_status.';

comment on table staging.a_rooms is 'Source A: rooms (GET Rooms), spec 2.2.';
comment on column staging.a_rooms.name is 'Name; second part of platform field location.';
comment on column staging.a_rooms.location is 'Location; first part of platform field location.';

comment on table staging.a_tracks is 'Source A: tracks (GET Tracks), spec 2.2.';
comment on column staging.a_tracks.title is 'Title; platform field sessionTracks.';

comment on table staging.a_session_types is 'Source A: session types (GET SessionTypes), spec 2.2.';
comment on column staging.a_session_types.title is 'Title, else Name; platform field subFilters.';
comment on column staging.a_session_types.title_folded is 'title in lower case, to find 1:1 meetings (source.oneToOneTypes).';

comment on table staging.a_users is 'Source A: users (GET Users), spec 2.3 and 2.4.';
comment on column staging.a_users.id is 'Id as the source gave it; null where it gave none and the e-mail address stands in as source_id.';
comment on column staging.a_users.first_name is 'FirstName; platform field firstName. Personal.';
comment on column staging.a_users.last_name is 'LastName; platform field lastName. Personal.';
comment on column staging.a_users.email_address is 'EmailAddress; platform field emailAddress. Personal.';
comment on column staging.a_users.title is 'Title; platform field title. Personal.';
comment on column staging.a_users.company is 'Company; platform field company. Personal.';
comment on column staging.a_users.biography is 'Biography; platform field description of speakers. Personal.';
comment on column staging.a_users.photo_link is 'PhotoLink, an http(s) address; platform field imageUrl. Personal.';
comment on column staging.a_users.facebook_url is 'Facebook (source.fields.facebook) as an https address; platform field facebookUrl. Personal.';
comment on column staging.a_users.linkedin_url is 'LinkedIn (source.fields.linkedin) as an https address; platform field linkedinUrl. Personal.';
comment on column staging.a_users.has_speaker_role is 'Whether Roles names Speaker; used with source.speakers role and both.';
comment on column staging.a_users.is_pending is 'IsPending; true: no speaker yet.';
comment on column staging.a_users.speaking_at is 'Session ids in SpeakingAt, in byte order; join a_sessions.source_id.';

comment on table staging.b_sessions is 'Source B: sessions (GET sessions.json), spec 2.6.';
comment on column staging.b_sessions.name is 'name; platform field name.';
comment on column staging.b_sessions.description is 'description, HTML as received; platform field description.';
comment on column staging.b_sessions.start_time is 'date with start_time in time_zone, as an instant; null where start_time_status is absent or unreadable.';
comment on column staging.b_sessions.start_time_status is 'absent, read, ambiguous (a local time that occurs twice: the earlier instant) or unreadable (also a local time that a clock change skips).';
comment on column staging.b_sessions.end_time is 'date with end_time in time_zone, as an instant; on the next day where the clock on the wall is before the start.';
comment on column staging.b_sessions.end_time_status is 'As start_time_status.';
comment on column staging.b_sessions.time_zone is 'Zone the local times were read in: timezone of the record where that is an IANA name, else source.timeZone.';

comment on table staging.b_registrants is 'Source B: registrants (GET registrants.json), spec 2.7 and 2.8.';
comment on column staging.b_registrants.first_name is 'first_name; platform field firstName. Personal.';
comment on column staging.b_registrants.last_name is 'last_name; platform field lastName. Personal.';
comment on column staging.b_registrants.email is 'email (source.fields.email); platform field emailAddress. Personal.';
comment on column staging.b_registrants.job_title is 'job_title; platform field title. Personal.';
comment on column staging.b_registrants.company is 'company; platform field company. Personal.';
comment on column staging.b_registrants.bio is 'bio; platform field description of speakers, biography of attendees. Personal.';
comment on column staging.b_registrants.mobile_phone is 'mobile_phone; platform field phone. Personal.';
comment on column staging.b_registrants.twitter_handle is 'twitter_handle without @ or address; platform field twitter. Personal.';
comment on column staging.b_registrants.reg_type_id is 'Id of the registrant type, or the bare text that stood in its place; joins b_reg_types.source_id.';
comment on column staging.b_registrants.reg_type_value is 'Name of the registrant type where the record gave it itself (reg_type_id.value).';
comment on column staging.b_registrants.reg_type_folded is 'The name the record gives itself, else its bare text, in lower case; to find speakers.';
comment on column staging.b_registrants.session_ids is 'Ids in session_ids, in byte order, repeats dropped; join b_sessions.source_id.';
comment on column staging.b_registrants.cancelled_at is 'cancelled_at as received; null where the registrant is not cancelled (null, blank, false or a zero date).';

comment on table staging.b_reg_types is 'Source B: registrant types (GET reg-types.json), spec 2.5 and 2.7.';
comment on column staging.b_reg_types.name is 'name of the registrant type.';
comment on column staging.b_reg_types.name_folded is 'name in lower case, to find source.speakerRegistrantType.';

do $$
declare
  staged text;
begin
  foreach staged in array array['a_sessions', 'a_time_slots', 'a_rooms', 'a_tracks', 'a_session_types', 'a_users', 'b_sessions', 'b_registrants', 'b_reg_types'] loop
    execute format('comment on column staging.%I.integration_id is %L', staged, 'Integration that read the record.');
    execute format('comment on column staging.%I.source_id is %L', staged, 'Id of the record at the source, digits as written.');
    execute format('comment on column staging.%I.marks is %L', staged, 'What was noticed when the record was read, as mark:column, for example not_text:title.');
    execute format('comment on column staging.%I.doc is %L', staged, 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.');
    execute format('comment on column staging.%I.version_hash is %L', staged, 'SHA-256 over the record, the version of the reading rules and the options that shape it.');
    execute format('comment on column staging.%I.valid_from_run is %L', staged, 'First run that read this version.');
    execute format('comment on column staging.%I.valid_to_run is %L', staged, 'First run that no longer read this version; null while it is current.');
  end loop;
end
$$;

-- A comment that ends with "Personal." marks a column that can hold values of a person.
comment on column staging.a_users.source_id is 'Id of the user at the source, digits as written; without one, the e-mail address. Personal.';
comment on column staging.a_users.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';
comment on column staging.a_sessions.doc is 'The record as received, with users in Speakers, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';
comment on column staging.b_registrants.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';
