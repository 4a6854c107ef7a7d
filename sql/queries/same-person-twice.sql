-- Which e-mail addresses belong to more than one attendee: the same person twice, or a shared address?
--
-- The names help to decide which of the two it is. Addresses are compared in NFC and without regard to case. Each id is a
-- separate attendee on the platform.
-- One integration: add `where integration_id = 'summit'`.
select
  integration_id,
  lower(normalize(email_address)) as email_address,
  count(*) as ids,
  array_agg(unique_id order by unique_id) as unique_ids,
  array_agg(concat_ws(' ', first_name, last_name) order by unique_id) as names
from published.attendees
group by integration_id, lower(normalize(email_address))
having count(*) > 1
order by integration_id, ids desc, email_address
