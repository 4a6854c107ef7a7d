-- Who and what was left out, and why?
--
-- Lists every record that is not synced, for each content that it could serve, with its name if the record was staged. Most
-- users are not speakers, so the reason not_a_speaker is left out: remove that condition to see these users, too.
-- One integration: add `and decision.integration_id = 'summit'`.
select
  decision.integration_id,
  decision.content,
  decision.decision,
  decision.reason,
  decision.source_id,
  -- If an id is repeated, the staged row belongs to another record.
  case
    when decision.reason <> 'duplicate_id' then coalesce(
      session_a.title,
      session_b.name,
      nullif(concat_ws(' ', user_a.first_name, user_a.last_name), ''),
      nullif(concat_ws(' ', registrant.first_name, registrant.last_name), '')
    )
  end as name,
  decision.detail
from published.decisions as decision
left join staging.a_sessions as session_a
  on decision.resource = 'sessions'
  and session_a.integration_id = decision.integration_id
  and session_a.source_id = decision.source_id
  and session_a.valid_from_run <= decision.run_id
  and (session_a.valid_to_run is null or session_a.valid_to_run > decision.run_id)
left join staging.b_sessions as session_b
  on decision.resource = 'sessions'
  and session_b.integration_id = decision.integration_id
  and session_b.source_id = decision.source_id
  and session_b.valid_from_run <= decision.run_id
  and (session_b.valid_to_run is null or session_b.valid_to_run > decision.run_id)
left join staging.a_users as user_a
  on decision.resource = 'users'
  and user_a.integration_id = decision.integration_id
  and user_a.source_id = decision.source_id
  and user_a.valid_from_run <= decision.run_id
  and (user_a.valid_to_run is null or user_a.valid_to_run > decision.run_id)
left join staging.b_registrants as registrant
  on decision.resource = 'registrants'
  and registrant.integration_id = decision.integration_id
  and registrant.source_id = decision.source_id
  and registrant.valid_from_run <= decision.run_id
  and (registrant.valid_to_run is null or registrant.valid_to_run > decision.run_id)
where decision.decision <> 'synced'
  and decision.reason <> 'not_a_speaker'
order by decision.integration_id, decision.content, decision.reason, decision.source_id
