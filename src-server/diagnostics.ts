/**
 * Problems that the site detects, each with a code, facts and an English sentence. Scripts receive the sentence; the desk
 * translates the code and its facts (`src-renderer/shared/locales/ja/diagnostics.ts`). Codes are stored: add lines, and never
 * change the meaning of a code or of its facts.
 */
export const DIAGNOSTICS = {
  NAME_NOT_FOUND: 'The host name {{host}} could not be resolved. Check its spelling and the network.',

  RECEIVER_TIMED_OUT: '{{host}} did not answer within {{seconds}} s.',
  RECEIVER_NOT_LISTENING: '{{host}} refused the connection.',
  RECEIVER_UNREACHABLE: '{{host}} could not be reached.',
  RECEIVER_CUT: '{{host}} closed the connection before it answered.',
  RECEIVER_CERTIFICATE: 'The certificate of {{host}} is not trusted ({{detail}}).',
  RECEIVER_TLS: 'The TLS handshake with {{host}} failed ({{detail}}).',
  RECEIVER_NOT_HTTP: '{{host}} did not send a valid HTTP response.',
  RECEIVER_FAILED: 'The request to {{host}} failed: {{detail}}.',
  RECEIVER_REDIRECTED: '{{host}} answered {{status}}, a redirect. Redirects are not followed.',
  RECEIVER_REFUSED: '{{host}} answered {{status}}.',
  RECEIVER_GONE: 'The receiver answered 410 Gone and no longer accepts events.',
  TARGET_NOWHERE:
    'Nothing was sent to {{host}}: {{address}} is not a unicast address. An administrator can allow such targets in the site settings.',
  TARGET_LOCAL:
    'Nothing was sent to {{host}}: {{address}} is a local or link-local address. An administrator can allow such targets in the site settings.',
  SECRET_UNREADABLE:
    'The secret of this webhook cannot be decrypted because site.json has changed. Create a new secret.',

  MAIL_REFUSED: 'The mail server rejected the email: {{reply}}',
  MAIL_SIGN_IN: 'The mail server rejected the username or password: {{reply}}',
  MAIL_TIMED_OUT: 'The mail server {{host}} did not respond in time.',
  MAIL_TLS: 'Could not establish an encrypted connection to {{host}}: {{reply}}',
  MAIL_NOT_LISTENING: 'The mail server {{host}} refused the connection.',
  MAIL_CUT: 'The connection to the mail server {{host}} failed: {{reply}}',
  MAIL_FAILED: 'The email could not be sent: {{reply}}',
  MAIL_EXPIRED: 'The code in this email expired before it could be sent. Create a new code for the user.',
  MAIL_UNENCRYPTED:
    'This email contains a one-time code, and the connection to the mail server is not encrypted. Hand over a new code, or use STARTTLS or TLS.',
  MAIL_NO_SERVER: 'No mail server is configured. Set one up in the site settings.',
  MAIL_TOO_LATE: 'The email was not sent within 3 days.',
  MAIL_UNSENT: 'The site was stopped before the email was sent.',

  BACKUP_UNREADABLE: 'The backup {{path}} cannot be used. Choose another backup.',
  BACKUP_OF_DAMAGED:
    '{{file}} is damaged in the site and was backed up as it is. An older backup may contain a good copy.',
  BACKUP_WITHOUT:
    '{{file}} is missing in the site or cannot be read, so this backup does not contain it. An older backup may contain it.',
  BACKUP_KEEPS_GOOD:
    '{{file}} is missing or damaged in the site. This backup contains a good copy from an earlier one; restore it from there.',
  BACKUP_FILE_SIZE: '{{file}} in the backup has {{foundBytes}} bytes, not {{expectedBytes}}.',
  BACKUP_FILE_CHANGED: '{{file}} in the backup is damaged: its SHA-256 has changed.',
  BACKUP_FILE_UNREADABLE: '{{file}} in the backup cannot be read.',
  BACKUP_SUSPECT:
    'The database of the site was found damaged after this backup was made. Use an older backup, or check this one first.',

  DATABASE_DAMAGED: "The site's database is damaged. Restore a backup.",
  RECORDING_FILE_MISSING:
    'The signal file of recording {{recordingId}} is missing. Restore it from a backup, or import the recording again.',
  RECORDING_FILE_SIZE: 'The signal file of recording {{recordingId}} has {{foundBytes}} bytes, not {{expectedBytes}}.',
  RECORDING_FILE_DAMAGED: 'The signal file of recording {{recordingId}} is damaged.',
  RECORDING_MOVED:
    'The file of recording {{recordingId}} runs from {{foundStartUs}} to {{foundStopUs}} us, but the database says {{startUs}} to {{stopUs}} us. Import it again with its original start.',
  RECORDING_SAMPLES: 'Recording {{recordingId}} contains {{foundSamples}} samples, but the database says {{samples}}.',
  CLOCK_MAP_UNWANTED:
    'Recording {{recordingId}} has a clock map although its clock was never corrected. Remove the clock map.',
  CLOCK_MAP_MISSING:
    'The clock map of recording {{recordingId}} is missing, so its times are wrong. Restore it from a backup.',
  CLOCK_MAP_OTHER:
    'The clock map of recording {{recordingId}} does not match the database, so its times are wrong. Restore it from a backup.',
  CLOCK_BEHIND:
    "This computer's clock is {{duration}} behind the newest entry of the site: it is wrong now, or was ahead earlier. Correct it; entries made while it was ahead keep their wrong times.",
  AUDIT_MISSING: 'Audit rows {{first}} to {{last}} are missing.',
  AUDIT_ORDER: 'Audit row {{sequence}} does not follow the row before it.',
  AUDIT_CHANGED: 'Audit row {{sequence}} was changed after it was written.',
  AUDIT_OTHER: 'Audit row {{sequence}} differs from its external copy.',
  AUDIT_NOT_ERASED:
    'Audit row {{sequence}} has no content, and entry {{erasedBy}}, which is to have erased it, does not account for it.',
  AUDIT_CUT: 'The last {{missing}} audit rows are missing.',
  AUDIT_LOG_MISSING:
    'The log of anchors (audit-anchors.jsonl) is missing, although the audit trail was anchored. Find out who removed it, and put it back from a copy of the site folder.',
  AUDIT_LOG_CUT:
    'The log of anchors ends at anchor {{anchor}}, but there was an anchor {{known}}: its end was cut off, or an older copy was put in its place.',
  AUDIT_LOG_FORGED: 'Anchor {{anchor}} in the log of anchors is not as it was signed: the log was edited.',
  AUDIT_LOG_FOREIGN: 'The log of anchors (audit-anchors.jsonl) does not belong to this database.',
  AUDIT_LOG_RESTARTED:
    'The log of anchors was missing or unusable when the site was opened on {{time}}. A new one covers the audit trail from row {{sequence}}; before, only backups and exports do.',
  AUDIT_KEY_MISSING:
    'The key of the anchors (audit-anchor.key) is missing or damaged. Put it back from a copy of the site folder.',
  AUDIT_KEY_OTHER:
    'The key of the anchors (audit-anchor.key, {{keyId}}) is not the one that signed before: the key was exchanged.',
  AUDIT_KEY_REPLACED:
    'The key of the anchors was missing or another one when the site was opened on {{time}}. A new key signs from audit row {{sequence}}.',
  AUDIT_ANCHOR_OTHER:
    'Audit rows {{first}} to {{last}} are not as anchor {{anchor}} of {{time}} signed them: rows were changed, added or removed.',
  AUDIT_SHORTER:
    'The audit trail ended at row {{last}}, but anchor {{anchor}} of {{time}} signed row {{sequence}}: rows were removed, or an older database was put in place.',
  AUDIT_WRITTEN_CLOSED:
    'Audit rows {{first}} to {{last}} were written while the site was closed, after {{time}}, by something other than Outpost.',
  AUDIT_BACKUP_OTHER:
    'The backup {{name}} of {{time}} has another audit trail up to row {{sequence}}: rows were changed, added or removed since.',
  AUDIT_BACKUP_AHEAD:
    'The backup {{name}} of {{time}} has audit row {{sequence}}, but the audit trail ends at row {{last}}: rows were removed, or an older database was put in place.',
  AUDIT_BACKUP_FORGED: 'The signed head of the audit trail in the backup {{name}} was changed.',
  AUDIT_EXPORT_OTHER:
    'The export {{name}} of {{time}} was made with another audit trail up to row {{sequence}}: rows were changed, added or removed since.',
  AUDIT_EXPORT_AHEAD:
    'The export {{name}} of {{time}} was made at audit row {{sequence}}, but the audit trail ends at row {{last}}: rows were removed, or an older database was put in place.',
  AUDIT_EXPORT_FORGED: 'The signed head of the audit trail in the export {{name}} was changed.',
  AUDIT_COPY_OTHER:
    '{{name}} of {{time}} was made by another copy of this site, or this site folder was put back to an earlier state without a restore. Use one copy only.',
  SIGNATURE_CHANGED:
    'The signature {{signatureId}} of {{name}} differs from its audit entry: it was changed past Outpost. Restore the site from a backup.',
  SIGNATURE_MISSING:
    'The signature {{signatureId}} of {{name}} is in the audit trail, but was removed past Outpost. Restore the site from a backup.',
  CORRECTION_CHANGED:
    'Correction {{correctionId}} differs from its audit entry: it was changed past Outpost. Restore the site from a backup.',
  CORRECTION_MISSING:
    'Correction {{correctionId}}, which is in the audit trail, was removed past Outpost. Restore the site from a backup.',
  CORRECTION_UNRECORDED:
    'Correction {{correctionId}} is not in the audit trail: it was not made in Outpost. Restore the site from a backup.',
  SIGNATURE_UNRECORDED:
    'The signature {{signatureId}} of {{name}} is not in the audit trail: it was not given in Outpost. Restore the site from a backup.',
  ANALYTICS_DAMAGED: 'The analysis results of {{date}} are damaged. Run the analysis of that day again.',
  SUMMARY_WRONG:
    'What lists show of subject {{subjectId}} does not match the data ({{tables}}). Check the site from its page in Outpost, which computes it again; the data itself is intact.',
  FOLDER_UNREADABLE:
    'The folder {{folder}} of the site cannot be read, so the names in it were not checked. Check its permissions and its disk.',
  FILE_FOREIGN:
    'The file {{file}} in the signals folder was not created by Outpost and was left unchanged. Move it elsewhere.',
  COLUMN_FILE_FOREIGN:
    'The file {{file}} in the columns folder was not created by Outpost and was left unchanged. Move it elsewhere.',
  FILE_ORPHANED:
    'The file {{file}} in the signals folder belongs to no recording. It is set aside at the next start of the site.',
  FILE_SET_ASIDE: 'The signal file {{file}} belongs to no recording and was set aside. Import it, or delete it.',
  INBOX_SET_ASIDE:
    'The file {{file}} in the inbox belongs to no known import or upload and was set aside. Import it again, or delete it.',
  UPLOAD_FILE_MISSING:
    'The file of upload {{uploadId}}, which is awaiting a decision, is missing. Restore it from a backup.',
  UPLOAD_FILE_SIZE:
    'The file of upload {{uploadId}}, which is awaiting a decision, has {{foundBytes}} bytes, not {{expectedBytes}}. Restore it from a backup.',
  PICTURE_MISSING: 'The image {{file}} of a message is missing. Restore it from a backup.',

  UNIT_UNKNOWN:
    '{{file}} was not imported: the unit "{{unit}}" of {{column}} cannot be converted to {{target}} (accepted: {{accepted}}). Convert the values or correct the unit, then import the file again.',
  TIME_IMPLAUSIBLE:
    '{{file}} was not imported: with times in {{unit}}, as its header says, its first sample would be on {{day}}; in other units, {{others}}. Correct the unit of the times, then import the file again.',

  CERTIFICATE_OTHER_NAMES:
    'The certificate also names {{names}}. There the site answers with its own key, because devices call these.',
  CERTIFICATE_TOO_LONG:
    'The certificate is valid for more than 825 days. iPhones do not accept it; ask for a shorter one.',
  CERTIFICATE_ENDS_SOON: 'The certificate ends on {{date}}. Renew it, then set the new one here.',
  CERTIFICATE_ENDED: 'The certificate ended on {{date}}, so phones refuse it. Renew it, then set the new one here.',
  CERTIFICATE_NOT_REACHED:
    'This computer did not reach the site at {{url}}. Ask the network administrators to let the name lead to this computer.',

  PHONE_SIGNED_OUT: 'The phone signed out.',
  PHONE_SIGNED_IN: 'The phone signed in again.',
  SUBJECT_WITHDREW: 'The subject no longer takes part.',
  VISIT_REMINDER: 'Reminder of a visit.',
  PAIRING_INCOMPLETE: 'Its pairing was not completed.',
  PAIRED_AGAIN: 'The device was paired again.',
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;
export type DiagnosticFacts = Record<string, string | number>;

/** Entries stored before codes existed have only a `message`. */
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

/** Returns a diagnostic with its facts filled into its sentence. */
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

/** Earlier wordings of sentences without facts, which sites stored before or beside their codes. */
const FORMER_SENTENCES: Partial<Record<DiagnosticCode, string>> = {
  RECEIVER_GONE: 'The receiver answered 410: it wants no more events.',
  SECRET_UNREADABLE:
    'The secret of this webhook cannot be read: site.json is not the one it was made with. Make a new secret.',
  MAIL_EXPIRED: 'The code in it expired before the mail could be sent. Make a new code for the user.',
  MAIL_UNENCRYPTED:
    'It holds a one-time code, and the connection to the mail server is not encrypted. Hand over a new code, or use STARTTLS or TLS.',
  MAIL_NO_SERVER: 'No mail server is set. Set one in the settings of the site.',
  MAIL_TOO_LATE: 'It had waited for more than 3 days before it could be sent.',
  MAIL_UNSENT: 'The site ended before it was sent.',
  DATABASE_DAMAGED: 'The database of the site is damaged. Restore a backup.',
};

const CODES = new Map<string, string>([
  ...Object.entries(DIAGNOSTICS).flatMap(([code, text]): [string, string][] =>
    text.includes('{{') ? [] : [[text, code]],
  ),
  ...Object.entries(FORMER_SENTENCES).map(([code, text]): [string, string] => [text, code]),
]);

/** Adds the code to a sentence that was stored without one, as in the audit trail. Works for codes without facts only. */
export function diagnosticOf(message: string): Diagnostic {
  const code = CODES.get(message);
  return { message, ...(code !== undefined && { code }) };
}
