-- The schema of the views for readers. The views are in sql/views.

create schema published;
comment on schema published is 'Stable views for readers. A view shows a run only after the run has finished: the platform has answered every operation of its plan.';
