/** Changing settings of the site: validation and audit. The value of a secret is never audited. */
import { type Change, SETTING_TABLE, type SettingKey, SettingQueries, type SettingValue } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { canonicalJson } from '../study/changes.ts';

export class Settings extends SettingQueries {
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
}
