import { expect, it } from 'vitest';
import type { Writing } from '../model.ts';
import { WritingKeeper } from './writing-keeper.ts';

const PICTURE = new Blob(['picture']);
const KEPT: Writing = { body: 'The strap is torn.', pictures: [PICTURE], kind: 'SENSOR_BROKEN', sensorSerial: 'S-1' };

function keeperOf(failures = 0) {
  const writes: (Writing | undefined)[] = [];
  const keeper = new WritingKeeper(async (writing) => {
    writes.push(writing);
    if (writes.length <= failures) throw new Error('No room');
  });
  return { keeper, writes };
}
const typed = (body: string, more: Partial<Writing> = {}): Writing => ({ body, pictures: [], ...more });

it('keeps nothing before it has read what was kept, and joins that to what was typed meanwhile', async () => {
  const { keeper, writes } = keeperOf();
  await keeper.save(typed('And'));
  expect(writes).toEqual([]);
  const shown = keeper.read(KEPT, typed('And it'));
  expect(shown).toEqual({ ...KEPT, body: 'The strap is torn.\nAnd it' });
  expect(shown!.pictures).toEqual([PICTURE]);
  await keeper.save(shown!);
  expect(writes).toEqual([shown]);
});

it('prefers the kind that was chosen meanwhile, with its sensor', () => {
  const { keeper } = keeperOf();
  expect(keeper.read(KEPT, typed('', { kind: 'SKIN', sensorSerial: 'S-2' }))).toEqual({
    ...KEPT,
    kind: 'SKIN',
    sensorSerial: 'S-2',
  });
});

it('shows what was kept on an empty screen once, and stores it only when it changes', async () => {
  const { keeper, writes } = keeperOf();
  expect(keeper.read(KEPT, typed(''))).toEqual(KEPT);
  expect(keeper.read(KEPT, KEPT)).toBeUndefined();
  await keeper.save(KEPT);
  expect(writes).toEqual([]);
  await keeper.save(typed(' '));
  expect(writes).toEqual([undefined]);
});

it('tries again what could not be stored, and never writes the same twice otherwise', async () => {
  const { keeper, writes } = keeperOf(1);
  keeper.read(undefined, typed(''));
  const text = typed('The strap');
  for (let i = 0; i < 3; i++) await keeper.save(text);
  expect(writes).toEqual([text, text]);
});
