/**
 * What the site finds out by itself and says in a sentence of its own: to scripts as that English sentence, to people as the
 * code with its facts, which the desk puts into their language (`src-renderer/shared/locales/ja/diagnostics.ts`).
 * A code is stored beside the sentence and outlives it: add lines, never change what a code or its facts mean.
 */
export const DIAGNOSTICS = {
  NAME_NOT_FOUND: 'The name {{host}} could not be found. Check its spelling and the network.',

  RECEIVER_TIMED_OUT: '{{host}} did not answer within {{seconds}} s.',
  RECEIVER_NOT_LISTENING: 'Nothing listens at {{host}}.',
  RECEIVER_UNREACHABLE: '{{host}} could not be reached.',
  RECEIVER_CUT: '{{host}} closed the connection before it answered.',
  RECEIVER_CERTIFICATE: 'The certificate of {{host}} is not trusted ({{detail}}).',
  RECEIVER_TLS: '{{host}} does not speak TLS as expected ({{detail}}).',
  RECEIVER_NOT_HTTP: '{{host}} did not answer in HTTP.',
  RECEIVER_FAILED: 'The attempt to reach {{host}} failed: {{detail}}.',
  RECEIVER_REDIRECTED: '{{host}} answered {{status}}, a redirect. Redirects are not followed.',
  RECEIVER_REFUSED: '{{host}} answered {{status}}.',
  RECEIVER_GONE: 'The receiver answered 410: it wants no more events.',
  TARGET_NOWHERE:
    'Nothing was sent to {{host}}: {{address}} is not the address of one computer. An administrator can allow such targets in the settings of the site.',
  TARGET_LOCAL:
    'Nothing was sent to {{host}}: {{address}} is this computer itself or a link-local address. An administrator can allow such targets in the settings of the site.',
  SECRET_UNREADABLE:
    'The secret of this webhook cannot be read: site.json is not the one it was made with. Make a new secret.',

  MAIL_REFUSED: 'The mail server refused the mail: {{reply}}',
  MAIL_SIGN_IN: 'The mail server did not accept user and password: {{reply}}',
  MAIL_TIMED_OUT: 'The mail server {{host}} did not answer in time.',
  MAIL_TLS: 'No encrypted connection to {{host}} came about: {{reply}}',
  MAIL_NOT_LISTENING: 'No mail server listens at {{host}}.',
  MAIL_CUT: 'The connection to the mail server {{host}} failed: {{reply}}',
  MAIL_FAILED: 'The mail could not be sent: {{reply}}',
  MAIL_EXPIRED: 'The code in it expired before the mail could be sent. Make a new code for the user.',
  MAIL_UNENCRYPTED:
    'It holds a one-time code, and the connection to the mail server is not encrypted. Hand over a new code, or use STARTTLS or TLS.',
  MAIL_NO_SERVER: 'No mail server is set. Set one in the settings of the site.',
  MAIL_TOO_LATE: 'It had waited for more than 3 days before it could be sent.',
  MAIL_UNSENT: 'The site ended before it was sent.',

  BACKUP_UNREADABLE: 'The backup {{path}} cannot be used. Choose another backup.',
  BACKUP_OF_DAMAGED: '{{file}} is damaged in the site; the backup has it as it is. An older backup may have it whole.',
  BACKUP_WITHOUT: '{{file}} is missing in the site, so the backup does not have it. An older backup may have it.',
  BACKUP_KEEPS_GOOD:
    '{{file}} is missing or damaged in the site. This backup holds a good copy from an earlier one; put it back from there.',
  BACKUP_FILE_SIZE: '{{file}} in the backup has {{foundBytes}} bytes, not {{expectedBytes}}.',
  BACKUP_FILE_CHANGED: '{{file}} in the backup is damaged: its SHA-256 is not the one it was stored with.',
  BACKUP_FILE_UNREADABLE: '{{file}} in the backup cannot be read.',

  DATABASE_DAMAGED: 'The database of the site is damaged. Restore a backup.',
  RECORDING_FILE_MISSING:
    'The signal file of recording {{recordingId}} is missing. Put it back from a backup, or import the recording again.',
  RECORDING_FILE_SIZE: 'The signal file of recording {{recordingId}} has {{foundBytes}} bytes, not {{expectedBytes}}.',
  RECORDING_FILE_DAMAGED: 'The signal file of recording {{recordingId}} is damaged.',
  RECORDING_MOVED:
    'The file of recording {{recordingId}} begins at {{foundStartUs}} us and ends at {{foundStopUs}} us, its row says {{startUs}} and {{stopUs}}. Import it again with the start it had.',
  RECORDING_SAMPLES: 'Recording {{recordingId}} holds {{foundSamples}} samples, its row says {{samples}}.',
  CLOCK_MAP_UNWANTED: 'A clock map lies beside recording {{recordingId}}, whose clock was never corrected. Remove it.',
  CLOCK_MAP_MISSING:
    'The clock map of recording {{recordingId}} is missing. Put it back from a backup; until then the times of the recording are wrong.',
  CLOCK_MAP_OTHER:
    'The clock map of recording {{recordingId}} is not the one that its row was made with. Put it back from a backup; until then the times of the recording are wrong.',
  CLOCK_BEHIND:
    'The clock of this computer is behind the newest entry of the site by {{duration}}: it is wrong now, or was ahead when that was written. Set it right; entries made while it was ahead keep their wrong times.',
  AUDIT_MISSING: 'Audit rows {{first}} to {{last}} are missing.',
  AUDIT_ORDER: 'Audit row {{sequence}} does not follow the row before it.',
  AUDIT_CHANGED: 'Audit row {{sequence}} was changed after it was written.',
  AUDIT_OTHER: 'Audit row {{sequence}} differs from the copy kept elsewhere.',
  AUDIT_CUT: 'The last {{missing}} audit rows are missing.',
  ANALYTICS_DAMAGED: 'The analytics of {{date}} are damaged. Compute the day again.',
  FILE_FOREIGN: "{{file}} in signals is not Outpost's and stays untouched. Move it elsewhere.",
  FILE_ORPHANED: 'The file {{file}} in signals belongs to no recording. The next start of the site puts it aside.',
  FILE_SET_ASIDE: 'The signal file {{file}} was put aside as it belongs to no recording. Import it, or delete it.',
  INBOX_SET_ASIDE:
    '{{file}} in the inbox belongs to no import and no upload that the database knows, so it was put aside. Import it again, or delete it.',
  UPLOAD_FILE_MISSING:
    'The file of upload {{uploadId}}, which waits for a decision, is missing. Put it back from a backup.',
  UPLOAD_FILE_SIZE:
    'The file of upload {{uploadId}}, which waits for a decision, has {{foundBytes}} bytes, not {{expectedBytes}}. Put it back from a backup.',
  PICTURE_MISSING: 'The picture {{file}} of a message is missing. Put it back from a backup.',

  UNIT_UNKNOWN:
    '{{file}} was not imported: the unit of {{column}} reads "{{unit}}", which cannot be converted to {{target}}. Accepted are {{accepted}}. Convert the values or correct the unit, then import the file again.',
  TIME_IMPLAUSIBLE:
    '{{file}} was not imported: read in {{unit}}, as its header says, its first sample would be on {{day}}. In other units it would be {{others}}. Correct the unit of the times, then import the file again.',

  PHONE_SIGNED_OUT: 'The phone signed out.',
  PHONE_SIGNED_IN: 'The phone signed in again.',
  PAIRING_INCOMPLETE: 'Its pairing was not completed.',
  PAIRED_AGAIN: 'The device was paired again.',
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;
export type DiagnosticFacts = Record<string, string | number>;

/** `message` is complete by itself; what was stored before codes were has only that. */
export interface Diagnostic {
  message: string;
  code?: string;
  facts?: DiagnosticFacts;
}

type FactName<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? Name | FactName<Rest>
  : never;
type FactsOf<Code extends DiagnosticCode> = [FactName<(typeof DIAGNOSTICS)[Code]>] extends [never]
  ? []
  : [facts: Record<FactName<(typeof DIAGNOSTICS)[Code]>, string | number>];

/** The diagnostic with its sentence. */
export function diagnostic<Code extends DiagnosticCode>(code: Code, ...[facts]: FactsOf<Code>): Diagnostic {
  const values: DiagnosticFacts = facts ?? {};
  const message = DIAGNOSTICS[code].replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]));
  return { message, code, ...(facts && { facts: values }) };
}

/** Former names, by present name, of the members that hold diagnostics in stored JSON. Schema 180 renamed them. */
export const FORMER_MEMBER_NAMES = { diagnostic: 'finding', diagnostics: 'findings' } as const;

/** A stored JSON object with its diagnostics under their present names, whichever version wrote it. */
export function withPresentNames<T>(stored: T): T {
  if (typeof stored !== 'object' || stored === null) return stored;
  const members = new Map(Object.entries(stored));
  for (const [name, former] of Object.entries(FORMER_MEMBER_NAMES)) {
    if (members.has(former) && !members.has(name)) members.set(name, members.get(former));
    members.delete(former);
  }
  return Object.fromEntries(members) as T;
}

const CODES = new Map<string, string>(
  Object.entries(DIAGNOSTICS).flatMap(([code, text]) => (text.includes('{{') ? [] : [[text, code]])),
);

/** A sentence that was kept alone, as in the audit, with its code when it is one that has no facts. */
export function diagnosticOf(message: string): Diagnostic {
  const code = CODES.get(message);
  return { message, ...(code !== undefined && { code }) };
}
