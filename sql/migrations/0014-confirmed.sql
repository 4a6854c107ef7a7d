-- Whether what was missing was looked for a second time before it counted as gone.

alter table sync.certificates add column confirmed boolean;
comment on column sync.certificates.confirmed is 'Whether missing records were looked for once more before anything was removed because of them; null where that was not needed, or in runs of versions before 0.2.';
comment on column sync.certificates.detail is 'Why the resource is not certified, or what it says less than all about; empty where neither is so.';
