import { OutpostError } from '../../../errors.ts';
import { canonicalJson } from '../../../study/changes.ts';
import type { Change } from '../../session.ts';
import { Queries } from '../queries.ts';
import { parseOptionalJson } from '../shared.ts';
import { SETTING_TABLE, type SettingKey, type SettingValue } from './setting-table.ts';

/** Values of the site by the keys of {@link SETTING_TABLE}. */
export class Settings extends Queries {
  /** The value, or the initial one while nobody has set it (or what is stored cannot be understood). */
  async get<K extends SettingKey>(key: K): Promise<SettingValue<K>> {
    const row = await this.session.db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst();
    const { schema, initial } = SETTING_TABLE[key];
    const parsed = schema.safeParse(parseOptionalJson<unknown>(row?.value ?? null));
    return (parsed.success ? parsed.data : initial) as SettingValue<K>;
  }

  /** Stores a value; the same value again changes nothing. @throws INVALID_INPUT when the table does not allow it */
  async set<K extends SettingKey>(key: K, value: SettingValue<K>, change: Change): Promise<void> {
    const definition: { schema: (typeof SETTING_TABLE)[K]['schema']; isSecret?: boolean } = SETTING_TABLE[key];
    const parsed = definition.schema.safeParse(value);
    if (!parsed.success) {
      throw new OutpostError('INVALID_INPUT', `The setting ${key} cannot have this value.`, {
        errors: parsed.error.issues.map((issue) => ({ path: [key, ...issue.path].join('.'), message: issue.message })),
      });
    }
    await this.session.write(async (session) => {
      const old = await new Settings(session).get(key);
      if (canonicalJson(old) === canonicalJson(parsed.data)) return;
      const columns = { value: JSON.stringify(parsed.data), modifiedTs: session.clock() };
      await session.db
        .insertInto('setting')
        .values({ key, ...columns })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(columns))
        .execute();
      await session.audit(change, {
        action: 'setting.set',
        entityType: 'setting',
        entityId: key,
        changes: { value: definition.isSecret ? { new: 'changed' } : { old, new: parsed.data } },
      });
    });
  }
}
