-- The schema of the views for readers. The views are in sql/views.

create schema published;
comment on schema published is 'Views on which readers can rely. They show complete runs only: a run appears when it has finished, after its whole plan was sent and answered.';
