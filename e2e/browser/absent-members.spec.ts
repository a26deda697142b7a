/**
 * Every screen with every record reduced to the members that the contract requires: no error page, an empty console, and
 * no `undefined` or `NaN` where a value is missing.
 */
import { expect } from '@playwright/test';
import { leaksOf, leaveOutOptional } from '../support/absent-members.ts';
import { ScreenWatch, test } from '../support/screen-walk.ts';
import { SCREENS } from '../support/screens.ts';

const PART = 30;
/** Screens with records, except those whose state comes from an optional member. */
const seen = SCREENS.filter(
  ({ name, beforeSite, failing, waiting, answers, onEmptySite }) =>
    !(beforeSite || failing || waiting || answers || onEmptySite) &&
    !/-(draft|of-new-subject|opened|take-back)$/.test(name),
);
const parts = Array.from({ length: Math.ceil(seen.length / PART) }, (_, at) => seen.slice(at * PART, (at + 1) * PART));

test.describe.configure({ timeout: 600_000 });

for (const screens of parts)
  test(`works without optional members: from ${screens[0]?.name} to ${screens.at(-1)?.name}`, async ({
    page,
    stage,
  }) => {
    const dropped = new Set<string>();
    const watch = new ScreenWatch(page, stage, () => leaveOutOptional(page, (name) => dropped.add(name)));
    for (const screen of screens)
      await test.step(screen.name, async () => {
        await watch.open(screen);
        expect.soft(await leaksOf(page), screen.name).toEqual([]);
        expect.soft(watch.takeProblems(), screen.name).toEqual([]);
      });
    expect(dropped.size).toBeGreaterThan(0);
  });
