-- A run whose figures are those of the run before has no figures of its own: most of what an unchanged run would write.

alter table sync.runs add column figures_of uuid;
comment on column sync.runs.figures_of is 'Run whose rows of sync.reconciliation are the figures of this run, too; null where it has rows of its own, or none.';
comment on table sync.reconciliation is 'What reconciliation.csv of a run says: counts and control totals, each beside what it must be. A run whose figures are those of another one has no rows: see figures_of of sync.runs.';
