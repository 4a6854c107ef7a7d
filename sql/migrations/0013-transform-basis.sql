-- What decisions and items were made under: where it and what is staged are as before, they need not be made again.

alter table sync.integrations add column transform_basis bytea;
comment on column sync.integrations.transform_basis is 'SHA-256 over the statements that made the decisions and desired items that stand; null where they must be made anew.';
