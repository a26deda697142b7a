/** Statements on the settings of the site, by the keys of {@link SETTING_TABLE}. */
import { Queries } from '../queries.ts';
import { parseOptionalJson } from '../shared.ts';
import { SETTING_TABLE, type SettingKey, type SettingValue } from './setting-table.ts';

export class SettingQueries extends Queries {
  /** The value, or the initial one when none is stored or the stored one is invalid. */
  async get<K extends SettingKey>(key: K): Promise<SettingValue<K>> {
    const row = await this.session.db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst();
    const { schema, initial } = SETTING_TABLE[key];
    const parsed = schema.safeParse(parseOptionalJson<unknown>(row?.value ?? null));
    return (parsed.success ? parsed.data : initial) as SettingValue<K>;
  }

  protected async put(key: SettingKey, value: string): Promise<void> {
    const columns = { value, modifiedTs: this.session.clock() };
    await this.session.db
      .insertInto('setting')
      .values({ key, ...columns })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(columns))
      .execute();
  }
}
