-- Moves of this database to another one, and from another one.

create table sync.moves (
  move_id uuid primary key,
  part text not null check (part in ('old', 'new')),
  started_at timestamptz not null,
  moved_at timestamptz
);
comment on table sync.moves is 'Moves of whole databases with event-sync move. Both databases of a move have a row with the same id; a move does not copy these rows.';
comment on column sync.moves.move_id is 'Random id of the move. It shows which two databases belong together, without an address.';
comment on column sync.moves.part is 'old: the data of this database was moved away; new: this database received the data.';
comment on column sync.moves.started_at is 'Time at which the move was started.';
comment on column sync.moves.moved_at is 'Time at which the move ended. From then on, the old database refuses runs. Null before that: the new database refuses runs.';

create table sync.moved_tables (
  move_id uuid not null,
  table_name text collate "C" not null,
  row_count bigint not null,
  checksum numeric not null,
  copied_at timestamptz not null,
  primary key (move_id, table_name)
);
comment on table sync.moved_tables is 'Tables that a move has copied completely into this database. A move that was interrupted continues with the other tables.';
comment on column sync.moved_tables.move_id is 'Id of the move.';
comment on column sync.moved_tables.table_name is 'Schema and name of the table.';
comment on column sync.moved_tables.row_count is 'Number of rows that were copied.';
comment on column sync.moved_tables.checksum is 'Sum over the rows in the old database: of each row, the first 8 bytes of the SHA-256 of its JSON text.';
comment on column sync.moved_tables.copied_at is 'Time at which the table was copied.';
