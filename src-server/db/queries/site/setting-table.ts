/** Every setting of the site: key, schema and initial value. To add one, add a line; never reuse a key. */
import { z } from 'zod';
import { ACCESS_LOG_DAYS } from '../../../vocabulary/access-log.ts';
import { DOCK_ACTIONS } from '../../../vocabulary/docks.ts';

interface SettingDefinition<T extends z.ZodType> {
  schema: T;
  initial: z.output<T>;
  /** The audit only records that it changed. The value is sealed text. */
  isSecret?: boolean;
}

function setting<T extends z.ZodType>(
  schema: T,
  initial: z.output<T>,
  more: { isSecret?: boolean } = {},
): SettingDefinition<T> {
  return { schema, initial, ...more };
}

/** Encryption of the connection to the mail server: none, upgraded before any command, or from the start. */
const MAIL_SECURITY = ['NONE', 'STARTTLS', 'TLS'] as const;

const mailServer = z.object({
  host: z.string(),
  port: z.int(),
  security: z.enum(MAIL_SECURITY),
  /** Absent: the server accepts mail without a log-in. */
  user: z.string().optional(),
  /** Sender address of every mail. */
  from: z.string(),
  /** PEM of the authority that signed the server's certificate, for a clinic's own server. */
  trustedCertificate: z.string().optional(),
});
export type MailServer = z.output<typeof mailServer>;

const diagnosticSetting = z.object({
  message: z.string(),
  code: z.string().optional(),
  facts: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});

export const SETTING_TABLE = {
  /** null: the name that the site was created with. */
  'site.displayName': setting(z.string().nullable(), null),
  /** null: mails stay in the outbox. */
  'mail.server': setting(mailServer.nullable(), null),
  'mail.password': setting(z.string().nullable(), null, { isSecret: true }),
  'webhooks.policy': setting(
    z.object({
      /** Webhooks may post to this computer itself and to link-local addresses. */
      allowLocalTargets: z.boolean(),
    }),
    { allowLocalTargets: false },
  ),
  /**
   * The key that codes and shifts of de-identified exports are derived from, sealed under `site.key`; null until the first
   * one. Never shown, and never changed: exports would no longer agree with each other. Earlier versions stored its hex.
   */
  'exports.deidentificationKey': setting(
    z
      .string()
      .regex(/^(?:[0-9a-f]{64}|(?:unscrubbed:)?v1\.[\w+/=]+)$/)
      .nullable(),
    null,
    { isSecret: true },
  ),
  /** The desk may be opened from other computers of the network. */
  'lan.deskOpen': setting(z.boolean(), false),
  /** After so many minutes without use the desk asks for the password again; null: never. */
  'desk.lock': setting(z.object({ afterMinutes: z.int().min(1).max(1440).nullable() }), { afterMinutes: 15 }),
  /** A session ends this long after its sign-in, used or not. Clients of the interface rely on two weeks at most. */
  'sessions.limit': setting(z.object({ maxHours: z.int().min(1).max(336) }), { maxHours: 336 }),
  /** How long the access log is kept. */
  'accessLog.retention': setting(
    z.object({ days: z.int().min(ACCESS_LOG_DAYS.shortest).max(ACCESS_LOG_DAYS.longest) }),
    { days: ACCESS_LOG_DAYS.initial },
  ),
  /** Whether devices can call, and on which port. The port is fixed, because devices store it when they pair. */
  'lan.listener': setting(z.object({ isOn: z.boolean(), port: z.int().min(1).max(65_535) }), {
    isOn: true,
    port: 8481,
  }),
  /** Key and certificate for the local network, sealed. */
  'lan.identity': setting(z.string().nullable(), null, { isSecret: true }),
  /** Certificate authority of the site, sealed. */
  'lan.authority': setting(z.string().nullable(), null, { isSecret: true }),
  /** The clinic's own certificate with its key, sealed; null: none. */
  'lan.ownCertificate': setting(z.string().nullable(), null, { isSecret: true }),
  'backup.schedule': setting(
    z.object({
      isEnabled: z.boolean(),
      /** Local time of the site's computer, HH:MM. */
      timeOfDay: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
      /** The newest backup of so many days, and of so many weeks, is kept. */
      keepDaily: z.int().min(1).max(366),
      keepWeekly: z.int().min(0).max(520),
      /** Folder for the backups; null: `backups` of the site. */
      folder: z.string().nullable(),
    }),
    { isEnabled: true, timeOfDay: '02:00', keepDaily: 7, keepWeekly: 4, folder: null },
  ),
  /** Backups in the folder of the schedule are encrypted for this recipient; null: they are not encrypted. */
  'backup.recipient': setting(z.string().nullable(), null),
  /** How often everything that is stored is read and compared; null: never. */
  'scrub.schedule': setting(z.object({ everyDays: z.int().min(1).max(365).nullable() }), { everyDays: 30 }),
  /** What happens with recordings on docked recorders and in watched folders, on any computer that serves the site. */
  'docks.rules': setting(
    z.object({
      /** Whether plugged-in recorders are looked for. */
      isOn: z.boolean(),
      action: z.enum(DOCK_ACTIONS),
      /** IANA zone of the clock of recorders whose files name none; null: that of the computer. */
      timeZone: z.string().nullable(),
      folders: z.array(z.object({ path: z.string(), studyId: z.string(), action: z.enum(DOCK_ACTIONS) })),
    }),
    { isOn: true, action: 'OFFER', timeZone: null, folders: [] },
  ),
  /** The version of Outpost that served the site last; null before the first start that remembers it. Not set by people. */
  'program.version': setting(z.string().nullable(), null),
  /** Jumps of the computer's clock, newest first: the time before and after each. */
  'clock.steps': setting(z.array(z.object({ fromTs: z.int(), toTs: z.int() })), []),
  /**
   * The newest line of the log of anchors when this was stored: a log that ends before it was cut, and a missing one was removed.
   * null until there is one. Not set by people.
   */
  'audit.anchored': setting(
    z.object({ branch: z.string(), n: z.int(), lineHash: z.string(), keyId: z.string() }).nullable(),
    null,
  ),
  /** When the audit trail was last compared with its anchors, and what did not fit then; null: never. Not set by people. */
  'audit.compared': setting(
    z
      .object({
        comparedTs: z.int(),
        upToSequence: z.int(),
        countBackups: z.int(),
        countExports: z.int(),
        problems: z.array(diagnosticSetting),
      })
      .nullable(),
    null,
  ),
} satisfies Record<string, SettingDefinition<z.ZodType>>;

export type LanListenerSetting = SettingValue<'lan.listener'>;

export type SettingKey = keyof typeof SETTING_TABLE;
export type SettingValue<K extends SettingKey> = z.output<(typeof SETTING_TABLE)[K]['schema']>;
