-- readers: the transform, guard massUpdate. If a source signs the addresses of its files, each answer has a new
-- signature and a new expiry time. If signatures were compared, every file would look changed in every run.
create or replace function sync.unsigned_address(address text)
returns text
language sql immutable strict parallel safe
as $body$
select coalesce(
  (
    select parts.text[1] || coalesce('?' || (
      select string_agg(parameter, '&' order by place)
      from string_to_table(parts.text[2], '&') with ordinality as one (parameter, place)
      where parameter collate "C" !~* '^(x-amz-[^=]*|x-goog-[^=]*|signature|expires|key-pair-id|policy|awsaccesskeyid|googleaccessid|sig|se|sp|sv|sr|st|sk(?:oid|tid|t|e|s|v)|spr|sip|token)(=|$)'
    ), '') || parts.text[3]
    from regexp_match(address, '^([^?#]*)\?([^#]*)(.*)$') as parts (text)
  ),
  address
)
$body$;
comment on function sync.unsigned_address(text) is 'Returns an address without its signature parameters, so that addresses can be compared.';

create or replace function sync.unsigned_addresses(value jsonb)
returns jsonb
language sql immutable strict parallel safe
as $body$
select case jsonb_typeof(value)
  when 'string' then to_jsonb(sync.unsigned_address(value #>> '{}'))
  when 'array' then (
    select coalesce(jsonb_agg(sync.unsigned_address(address) order by place), '[]')
    from jsonb_array_elements_text(value) with ordinality as one (address, place)
  )
  else value
end
$body$;
comment on function sync.unsigned_addresses(jsonb) is 'Returns an address, or a list of addresses, without signature parameters, like sync.unsigned_address.';
