-- grain: content. readers: checks
create or replace view sync.contracted_fields as
select contract.content collate "C" as content, contract.texts, contract.lists
from (
  values
    ('agenda', {{texts of agenda}}, {{lists of agenda}}),
    ('speakers', {{texts of speakers}}, {{lists of speakers}}),
    ('attendees', {{texts of attendees}}, {{lists of attendees}})
) as contract (content, texts, lists);

comment on view sync.contracted_fields is 'Platform fields of each content.';
comment on column sync.contracted_fields.content is 'Content: agenda, speakers or attendees.';
comment on column sync.contracted_fields.texts is 'Platform fields whose value is a text.';
comment on column sync.contracted_fields.lists is 'Platform fields whose value is a list of texts.';
