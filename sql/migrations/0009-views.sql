-- The schema of the readers' views; the views themselves are in sql/views.

create schema published;
comment on schema published is 'What readers may build on: complete runs only. A run appears here when all of its plan has landed.';
