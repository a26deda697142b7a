/** Settings of the site, for its administrators. */
import { z } from 'zod';
import { ACCESS_LOG_DAYS } from '../../../vocabulary/access-log.ts';
import { nameText } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { dockRules } from './docks.ts';
import { email } from './users.ts';

export const certificate = z
  .string()
  .max(20_000)
  .regex(/-----BEGIN CERTIFICATE-----/, { error: 'must be a certificate in PEM form' });

const mailServer = {
  host: z.string().trim().min(1).max(253),
  port: z.int().min(1).max(65_535),
  security: z.enum(['NONE', 'STARTTLS', 'TLS']).meta({
    description:
      'NONE: unencrypted. STARTTLS: upgraded to encryption, otherwise nothing is sent. TLS: encrypted from the start.',
  }),
  user: z.string().min(1).max(254).optional().meta({ description: 'Absent: no authentication.' }),
  from: email.meta({ description: 'Sender of every mail.' }),
  trustedCertificate: certificate
    .optional()
    .meta({ description: 'PEM of the authority that issued the certificate of a private server.' }),
};

const backupSchedule = z
  .strictObject({
    isEnabled: z.boolean(),
    timeOfDay: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be HH:MM' })
      .meta({ description: 'HH:MM in the time zone of the computer.' }),
    keepDaily: z
      .int()
      .min(1)
      .max(366)
      .meta({ description: 'Number of days for which the newest scheduled backup is kept.' }),
    keepWeekly: z
      .int()
      .min(0)
      .max(520)
      .meta({ description: 'Number of weeks, starting on Monday, for which the newest scheduled backup is kept.' }),
    folder: z.string().min(1).max(1000).nullable().meta({
      description:
        'Absolute path on the computer of the site, such as a USB disk; null: inside the folder of the site.',
    }),
  })
  .meta({ id: 'BackupSchedule' });

const deskLock = z
  .strictObject({
    afterMinutes: z.int().min(1).max(1440).nullable().meta({
      description: 'Minutes without use after which the desk asks for the password again; null: never.',
    }),
  })
  .meta({ id: 'DeskLock' });

const sessionLimit = z
  .strictObject({
    maxHours: z.int().min(1).max(336).meta({
      description:
        'Hours after its sign-in at which a session ends, used or not. At most two weeks, which clients rely on.',
    }),
  })
  .meta({ id: 'SessionLimit' });

const accessLogRetention = z
  .strictObject({
    days: z.int().min(ACCESS_LOG_DAYS.shortest).max(ACCESS_LOG_DAYS.longest).meta({
      description: 'Days for which entries of the access log are kept.',
    }),
  })
  .meta({ id: 'AccessLogRetention' });

const scrubSchedule = z
  .strictObject({
    everyDays: z.int().min(1).max(365).nullable().meta({
      description: 'Days after which everything that is stored is read and compared again; null: never.',
    }),
  })
  .meta({ id: 'ScrubSchedule' });

const siteSettings = z
  .strictObject({
    displayName: z.string(),
    mail: z
      .strictObject({ ...mailServer, hasPassword: z.boolean() })
      .optional()
      .meta({ description: 'Absent: e-mails stay in the outbox.' }),
    webhooks: z.strictObject({
      allowLocalTargets: z
        .boolean()
        .meta({ description: 'Whether webhooks may post to this computer itself and to link-local addresses.' }),
    }),
    lan: z.strictObject({
      deskOpen: z
        .boolean()
        .meta({ description: 'Whether the desk may be opened from other computers on the network.' }),
    }),
    deskLock,
    sessions: sessionLimit,
    accessLog: accessLogRetention,
    backup: z.strictObject({ schedule: backupSchedule }),
    scrub: scrubSchedule,
    docks: dockRules,
  })
  .meta({ id: 'SiteSettings' });
export type SiteSettings = z.infer<typeof siteSettings>;

export const siteSettingsRoutes = defineRoutes({
  getSiteSettings: {
    method: 'GET',
    path: '/site/settings',
    access: 'user',
    operation: 'site.manage',
    tag: 'Settings',
    summary: 'Get the settings of the site',
    description: 'Secrets are never returned.',
    status: 200,
    response: siteSettings,
  },
  updateSiteSettings: {
    method: 'PUT',
    path: '/site/settings',
    access: 'user',
    operation: 'site.manage',
    tag: 'Settings',
    summary: 'Change the settings of the site',
    description:
      'Changes only the given members, each as a whole. `mail: null` removes the mail server. Without `mail.password` the stored password is kept as long as host, port and user stay the same; null removes it.',
    body: z.object({
      displayName: nameText(200).optional(),
      mail: z
        .object({ ...mailServer, password: z.string().min(1).max(1024).nullable().optional() })
        .nullable()
        .optional(),
      webhooks: z.object({ allowLocalTargets: z.boolean() }).optional(),
      lan: z.object({ deskOpen: z.boolean() }).optional(),
      deskLock: deskLock.optional(),
      sessions: sessionLimit.optional(),
      accessLog: accessLogRetention.optional(),
      backup: z.object({ schedule: backupSchedule }).optional(),
      scrub: scrubSchedule.optional(),
      docks: dockRules.optional(),
    }),
    status: 204,
  },
});
