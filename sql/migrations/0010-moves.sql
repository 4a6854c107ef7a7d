-- Moves of all data from this database to another database, and from another database into this database.

create table sync.moves (
  move_id uuid primary key,
  part text not null check (part in ('old', 'new')),
  started_at timestamptz not null,
  moved_at timestamptz
);
comment on table sync.moves is 'Moves of whole databases with event-sync move. The old and the new database have a row with the same id. A move does not copy these rows.';
comment on column sync.moves.move_id is 'Random id of the move. The same id in two databases shows that the data was moved between them. No address is stored.';
comment on column sync.moves.part is 'Part of this database in the move. old: the data was moved to another database. new: this database received the data.';
comment on column sync.moves.started_at is 'Time at which the move was started.';
comment on column sync.moves.moved_at is 'Time at which the move ended; null if the move has not ended. After the end, the old database refuses runs. Before the end, the new database refuses runs.';

create table sync.moved_tables (
  move_id uuid not null,
  table_name text collate "C" not null,
  row_count bigint not null,
  checksum numeric not null,
  copied_at timestamptz not null,
  primary key (move_id, table_name)
);
comment on table sync.moved_tables is 'Tables that a move has copied completely into this database. After an interruption, the move continues with the other tables.';
comment on column sync.moved_tables.move_id is 'Id of the move.';
comment on column sync.moved_tables.table_name is 'Schema and name of the table.';
comment on column sync.moved_tables.row_count is 'Number of rows that the move copied.';
comment on column sync.moved_tables.checksum is 'Checksum of the table in the old database. For each row, the checksum adds the first 8 bytes of the SHA-256 of the JSON text of the row.';
comment on column sync.moved_tables.copied_at is 'Time at which the move had copied the table.';
