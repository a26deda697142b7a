/** Settings of the site. Secrets can be set but are never returned. */
import { dirname, isAbsolute, resolve, sep } from 'node:path';
import type { Change, MailServer, SettingValue } from '../../db/index.ts';
import { knownRecipient } from '../../integrity/backup/sealed/keys.ts';
import { SecretBox } from '../../secrets/sealed-text.ts';
import type { Repositories } from '../../services/index.ts';
import { isTimeZone } from '../../study/zones.ts';
import type { siteSettingsRoutes } from '../contract/resources/site-settings.ts';
import type { BodyOf } from '../contract/route.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import { invalidField } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';
import { folderOnDrive } from './background/backup-places.ts';

type MailInput = NonNullable<BodyOf<(typeof siteSettingsRoutes)['updateSiteSettings']>['mail']>;

/** Returns whether a stored password still belongs to the server: it must never be sent to another one. */
function isSameLogin(a: MailServer | null, b: MailServer): boolean {
  return a !== null && a.host === b.host && a.port === b.port && a.user === b.user;
}

async function setMail(
  settings: Repositories['settings'],
  box: SecretBox,
  input: MailInput | null,
  change: Change,
): Promise<void> {
  if (input === null) {
    await settings.set('mail.server', null, change);
    await settings.set('mail.password', null, change);
    return;
  }
  const { password, ...server } = input;
  const keepsPassword = password === undefined && isSameLogin(await settings.get('mail.server'), server);
  await settings.set('mail.server', server, change);
  if (!keepsPassword) await settings.set('mail.password', password ? box.seal(password) : null, change);
}

/** For whom backups in a folder that a person chose are encrypted. */
async function recipientIn(backupsDir: string, folder: string | null): Promise<string | null> {
  return (await knownRecipient(folder ?? backupsDir, dirname(backupsDir))) ?? null;
}

/** Another folder has its own encryption, or none; the same one keeps it, also while its disk is away. */
async function setSchedule(
  settings: Repositories['settings'],
  schedule: SettingValue<'backup.schedule'>,
  recipient: string | null | undefined,
  change: Change,
): Promise<void> {
  const { folder } = await settings.get('backup.schedule');
  await settings.set('backup.schedule', schedule, change);
  if (folder !== schedule.folder) await settings.set('backup.recipient', recipient ?? null, change);
}

type DockRules = NonNullable<BodyOf<(typeof siteSettingsRoutes)['updateSiteSettings']>['docks']>;

/** @throws INVALID_INPUT for a folder that cannot be watched. One that is not there now may be there later. */
async function requireDockRules({ store, inboxDir }: ApiDeps, rules: DockRules, accountId: string): Promise<void> {
  if (rules.timeZone !== null && !isTimeZone(rules.timeZone)) throw invalidField('docks.timeZone', 'is no time zone');
  const siteDir = resolve(dirname(inboxDir));
  const paths = new Set<string>();
  for (const [index, { path, studyId }] of rules.folders.entries()) {
    const field = `docks.folders.${index}`;
    if (!isAbsolute(path)) throw invalidField(`${field}.path`, 'must be an absolute path');
    const folder = resolve(path);
    const isInside = (one: string, other: string) =>
      `${one}${sep}`.startsWith(other.endsWith(sep) ? other : `${other}${sep}`);
    if (isInside(folder, siteDir)) throw invalidField(`${field}.path`, 'must not be in the folder of the site');
    for (const other of paths) {
      if (isInside(folder, other) || isInside(other, folder))
        throw invalidField(`${field}.path`, `is watched already with ${other}`);
    }
    paths.add(folder);
    if ((await store.studies.get(studyId))?.accountId !== accountId)
      throw invalidField(`${field}.studyId`, 'names no study');
  }
}

export function siteSettingsHandlers(deps: ApiDeps): Handlers<typeof siteSettingsRoutes> {
  const { store } = deps;
  const box = new SecretBox(deps.secrets.urlSigningKey);
  return {
    getSiteSettings: async () => {
      const { settings } = store;
      const mail = await settings.get('mail.server');
      const hasPassword = (await settings.get('mail.password')) !== null;
      return {
        displayName: (await settings.get('site.displayName')) ?? deps.siteName,
        ...(mail ? { mail: { ...mail, hasPassword } } : {}),
        webhooks: await settings.get('webhooks.policy'),
        lan: { deskOpen: await settings.get('lan.deskOpen') },
        deskLock: await settings.get('desk.lock'),
        sessions: await settings.get('sessions.limit'),
        accessLog: await settings.get('accessLog.retention'),
        backup: { schedule: await settings.get('backup.schedule') },
        scrub: await settings.get('scrub.schedule'),
        docks: await settings.get('docks.rules'),
      };
    },
    updateSiteSettings: async ({ body, caller }) => {
      const change = changeBy(caller);
      if (body.docks) await requireDockRules(deps, body.docks, caller.user.accountId);
      // A drive that was chosen by name may not have the folder yet. A path that is not there now may be there later.
      if (body.backup?.schedule.folder) await folderOnDrive(body.backup.schedule.folder).catch(() => undefined);
      const recipient = body.backup && (await recipientIn(deps.backupsDir, body.backup.schedule.folder));
      await store.transaction(async ({ settings, tokens }) => {
        if (body.displayName !== undefined) await settings.set('site.displayName', body.displayName, change);
        if (body.mail !== undefined) await setMail(settings, box, body.mail, change);
        if (body.webhooks) await settings.set('webhooks.policy', body.webhooks, change);
        if (body.lan) await settings.set('lan.deskOpen', body.lan.deskOpen, change);
        if (body.deskLock) await settings.set('desk.lock', body.deskLock, change);
        if (body.sessions) {
          await settings.set('sessions.limit', body.sessions, change);
          await tokens.applyLimit(body.sessions.maxHours);
        }
        if (body.accessLog) await settings.set('accessLog.retention', body.accessLog, change);
        if (body.docks) await settings.set('docks.rules', body.docks, change);
        if (body.scrub) await settings.set('scrub.schedule', body.scrub, change);
        if (body.backup) await setSchedule(settings, body.backup.schedule, recipient, change);
      });
    },
  };
}
