/** Functions that SQL statements of this program call. */
import type BetterSqlite3 from 'better-sqlite3';
import { localDateIn } from '../study/day-windows.ts';
import { foldText } from '../study/text.ts';
import { namesAsJson, valuesAsJson } from './day-cells.ts';

/**
 * Registers `fold(text)`, and what migrations call: `localDate(epoch ms, zone)`, `valuesAsJson(object)` and
 * `namesAsJson(metrics, validSeconds)`. Registering again changes nothing.
 */
export function registerFunctions(database: BetterSqlite3.Database): void {
  database.function('fold', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? foldText(text) : null,
  );
  database.function('localDate', { deterministic: true }, (instantMs: unknown, timezone: unknown) =>
    typeof instantMs === 'number' && typeof timezone === 'string' ? localDateIn(instantMs, timezone) : null,
  );
  const parsed = (json: unknown) => JSON.parse(String(json)) as Record<string, number>;
  database.function('valuesAsJson', { deterministic: true }, (json: unknown) => valuesAsJson(parsed(json)));
  database.function('namesAsJson', { deterministic: true }, (metrics: unknown, validSeconds: unknown) =>
    namesAsJson(parsed(metrics), parsed(validSeconds)),
  );
}
