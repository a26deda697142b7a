/** Changing settings of the site: validation and audit. The value of a secret is never audited. */
import { type Change, SETTING_TABLE, type SettingKey, SettingQueries, type SettingValue, SYSTEM } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { canonicalJson } from '../study/changes.ts';

export class Settings extends SettingQueries {
  /**
   * Remembers the version of the program that serves the site. Another one than before gets an entry of its own in the audit trail, by
   * whatever means it came; the first is in no entry but in the first change.
   */
  async noteProgramVersion(version: string, siteId: string): Promise<void> {
    await this.session.write(async (session) => {
      const settings = new Settings(session);
      const old = await settings.get('program.version');
      if (old === version) return;
      await settings.put('program.version', JSON.stringify(version));
      if (old === null) return;
      await session.audit(SYSTEM, {
        action: 'site.version',
        entityType: 'site',
        entityId: siteId,
        changes: { programVersion: { old, new: version } },
      });
    });
  }

  /** Stores a value; an equal one changes nothing. @throws INVALID_INPUT when the value does not fit the key's schema */
  async set<K extends SettingKey>(key: K, value: SettingValue<K>, change: Change): Promise<void> {
    const definition: { schema: (typeof SETTING_TABLE)[K]['schema']; isSecret?: boolean } = SETTING_TABLE[key];
    const parsed = definition.schema.safeParse(value);
    if (!parsed.success) {
      throw new OutpostError('INVALID_INPUT', `The setting ${key} cannot have this value.`, {
        errors: parsed.error.issues.map((issue) => ({ path: [key, ...issue.path].join('.'), message: issue.message })),
      });
    }
    await this.session.write(async (session) => {
      const settings = new Settings(session);
      const old = await settings.get(key);
      if (canonicalJson(old) === canonicalJson(parsed.data)) return;
      await settings.put(key, JSON.stringify(parsed.data));
      await session.audit(change, {
        action: 'setting.set',
        entityType: 'setting',
        entityId: key,
        changes: { value: definition.isSecret ? { new: 'changed' } : { old, new: parsed.data } },
      });
    });
  }

  /** Stores what the site found out about its audit trail, which is no change that a person makes. */
  async noteAnchoring<K extends 'audit.anchored' | 'audit.compared'>(key: K, value: SettingValue<K>): Promise<void> {
    await this.session.write(async (session) => await new Settings(session).put(key, JSON.stringify(value)));
  }

  /** Records a change of the certificates of the local network, whose content is a secret setting. */
  async noteCertificate(
    what: 'own' | 'authority',
    facts: Record<string, string | number | null>,
    change: Change,
  ): Promise<void> {
    await this.session.write(async (session) => {
      const entityId = what === 'own' ? 'lan.ownCertificate' : 'lan.authority';
      const changes = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, { new: value }]));
      await session.audit(change, { action: 'lan.certificate', entityType: 'setting', entityId, changes });
    });
  }
}
