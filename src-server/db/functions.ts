/** Functions that SQL statements of this program call. */
import type BetterSqlite3 from 'better-sqlite3';
import { localDateIn } from '../study/day-windows.ts';
import { foldText } from '../study/text.ts';

/** Registers `fold(text)`, and `localDate(epoch ms, zone)`, which migrations call. Registering again changes nothing. */
export function registerFunctions(database: BetterSqlite3.Database): void {
  database.function('fold', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? foldText(text) : null,
  );
  database.function('localDate', { deterministic: true }, (instantMs: unknown, timezone: unknown) =>
    typeof instantMs === 'number' && typeof timezone === 'string' ? localDateIn(instantMs, timezone) : null,
  );
}
