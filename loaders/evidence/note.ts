import { toNote } from '../packs/csv-files/note.ts'

/** The note on how to check and read an evidence folder. */
export const evidenceNote = toNote('Evidence of a period, made by event-content-sync', [
  [
    'WHAT IS HERE',
    [
      [
        'evidence.json      the index: all packs and other files, with SHA-256',
        'evidence.sig       its signature, if the owner signs',
        'ID/RUN/            the pack of each run that landed in the period',
        'changes.csv        all changes of these runs',
        'certificates.csv   how completely each run read its source',
        'actions.csv        what people did: approvals, pauses, forgotten people',
        'configurations/    the configurations of the runs, without secrets',
        'anchors/           the manifests of the packs before and after',
        'RULES.md           the rules by which the product decides',
        'verify.py          a program that checks this folder',
      ].join('\n'),
      'Some runs have no pack here, because they sent nothing: runs whose plan was held, runs that failed, and runs while the integration was paused. A run that was held and then approved landed, so its pack is here.',
      'If there is no anchors/after, no pack after the period was known. Nobody can then see if the last packs are missing: ask for the evidence again after the next run.',
    ],
  ],
  [
    'HOW TO CHECK IT',
    [
      'python3 verify.py . --public-key auditors.pem\nevent-sync verify . --public-key auditors.pem',
      'Both make the same checks in this folder, and need no network and no database. Take verify.py from the package event-content-sync, since this copy can be changed like the other files.',
      'Ask the owner for the public key (auditors.pem), and not by the way by which this folder came: a forger would send another key, too. Without the key, a forger who knows the format can write the whole folder anew.',
      'Check this folder, not the folders in it: the packs alone do not show that packs before or after them are missing.',
    ],
  ],
  [
    'HOW IT BELONGS TOGETHER',
    [
      'run in changes.csv and certificates.csv is the folder of the pack, and day is the day (UTC) on which the run landed. actions.csv names a run too, if an action belongs to one.',
      'packs in evidence.json has, for each run: landedAt (when its changes were at the platform), startedBy, planHash (an approval in actions.csv names the same plan), productVersion and configHash. configurations/ has the file CONFIGHASH.json. Two runs with the same configHash had the same settings, except for the values with which rules of exclude compare fields of people: these are hidden, and the hash says nothing about them.',
      'decisions.csv in a pack says for each record why it was synced or left out. RULES.md explains these decisions; it has the rules of the version that made this folder (productVersion in evidence.json). packs has the version of each run.',
      'actions.csv has what was done in the period, approvals of its runs at any time, and everything that was forgotten or purged since the period began, because that can change packs of the period.',
    ],
  ],
])
