import { type Change, canonicalJson, type Session } from '../../session.ts';
import { parseOptionalJson } from '../shared.ts';

/** Values of the site under a key: JSON, checked by who reads them. */
export class Settings {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(key: string): Promise<unknown> {
    const row = await this.#session.db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst();
    return parseOptionalJson<unknown>(row?.value ?? null);
  }

  async all(): Promise<Record<string, unknown>> {
    const rows = await this.#session.db.selectFrom('setting').selectAll().orderBy('key').execute();
    return Object.fromEntries(rows.map((row) => [row.key, JSON.parse(row.value) as unknown]));
  }

  /** `isSecret` keeps the value out of the audit. */
  async set(key: string, value: unknown, change: Change, options: { isSecret?: boolean } = {}): Promise<void> {
    await this.#session.write(async (session) => {
      const old = await new Settings(session).get(key);
      if (old !== undefined && canonicalJson(old) === canonicalJson(value)) return;
      const columns = { value: JSON.stringify(value), modifiedTs: session.clock() };
      await session.db
        .insertInto('setting')
        .values({ key, ...columns })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(columns))
        .execute();
      await session.audit(change, {
        action: 'setting.set',
        entityType: 'setting',
        entityId: key,
        changes: options.isSecret ? {} : { value: { old, new: value } },
      });
    });
  }
}
