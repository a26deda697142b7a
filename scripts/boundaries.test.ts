import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../src-server/testing/signal-fixtures.ts';

interface Configuration extends IFlattenedRuleSet {
  options: object;
}
const { options, ...ruleSet } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as Configuration;

/** A small project: each file's imports, and the rule that an import breaks. Imports without a rule are allowed. */
const FILES: Record<string, [code: string, rule?: string][]> = {
  'src-server/errors.ts': [],
  'src-server/diagnostics.ts': [
    ["import { x } from './errors.ts';"],
    ["import { x } from './study/leaf.ts';"],
    ["import { y } from './db/leaf.ts';", 'shared-modules-are-leaves'],
  ],
  'src-server/analytics/index.ts': [
    ["import { x } from '../errors.ts';"],
    ["import { x } from './leaf.ts';"],
    ["import type { y } from '../study/leaf.ts';", 'layer-analytics'],
    ["import { readFile } from 'node:fs';", 'pure-folders-no-node-io'],
  ],
  'src-server/analytics/index.test.ts': [
    ["import { x } from '../testing/leaf.ts';"],
    ["import { readFile } from 'node:fs';"],
  ],
  'src-server/study/index.ts': [
    ["import { x } from '../vocabulary/leaf.ts';"],
    ["import { y } from '../phone-protocol/leaf.ts';"],
    ["import type { x } from '../db/leaf.ts';", 'layer-study'],
  ],
  'src-server/study/recording.ts': [],
  'src-server/signals/index.ts': [
    ["import { x } from '../study/recording.ts';"],
    ["import { y } from '../study/leaf.ts';", 'layer-signals'],
  ],
  'src-server/files/index.ts': [["import { x } from '../db/leaf.ts';", 'layer-files']],
  'src-server/secrets/index.ts': [["import { x } from '../db/leaf.ts';", 'layer-secrets']],
  'src-server/db/index.ts': [
    ["import { x } from 'kysely';"],
    ["import { x } from '../study/leaf.ts';"],
    ["import type { y } from '../analytics/leaf.ts';", 'layer-db'],
  ],
  'src-server/services/index.ts': [
    ["import { x } from '../db/leaf.ts';"],
    ["import { y } from '../signals/leaf.ts';", 'layer-services'],
    ["import { z } from '../db/schema.ts';", 'services-know-no-sql'],
  ],
  'src-server/db/schema.ts': [],
  'src-server/importers/index.ts': [
    ["import { x } from '../signals/leaf.ts';"],
    ["export { x } from '../exporters/leaf.ts';", 'layer-importers'],
  ],
  'src-server/exporters/index.ts': [["const x = await import('../jobs/leaf.ts');", 'layer-exporters']],
  'src-server/stored-analytics/index.ts': [
    ["import { x } from '../db/leaf.ts';"],
    ["import { y } from '../analytics/leaf.ts';"],
    ["import { z } from '../exporters/leaf.ts';", 'layer-stored-analytics'],
  ],
  'src-server/simulator/index.ts': [
    ["import { x } from '../signals/leaf.ts';"],
    ["import { y } from '../db/leaf.ts';", 'layer-simulator'],
  ],
  'src-server/docks/index.ts': [
    ["import { x } from '../importers/leaf.ts';"],
    ["import { y } from '../api/leaf.ts';", 'layer-docks'],
  ],
  'src-server/lan/index.ts': [
    ["import { x } from '../db/leaf.ts';"],
    ["import { y } from '../api/leaf.ts';", 'layer-lan'],
  ],
  'src-server/jobs/index.ts': [
    ["import { x } from '../importers/leaf.ts';"],
    ["import { y } from '../api/leaf.ts';", 'layer-jobs'],
  ],
  'src-server/integrations/index.ts': [
    ["import { x } from '../db/leaf.ts';"],
    ["import { y } from '../jobs/leaf.ts';", 'layer-integrations'],
  ],
  'src-server/integrity/index.ts': [
    ["import { x } from '../signals/leaf.ts';"],
    ["import { y } from '../jobs/leaf.ts';", 'layer-integrity'],
  ],
  'src-server/api/index.ts': [
    ["import { x } from './contract/leaf.ts';"],
    ["import type { y } from '../jobs/leaf.ts';", 'layer-api'],
    ["import { z } from 'kysely';", 'kysely-only-in-db'],
  ],
  'src-server/api/contract/index.ts': [
    ["import { z } from 'zod';"],
    ["import { y } from '../../errors.ts';", 'contract-is-pure'],
  ],
  'src-server/vocabulary/index.ts': [["import { x } from '../leaf.ts';", 'vocabulary-imports-nothing']],
  'src-server/site/index.ts': [
    ["import { x } from '../jobs/leaf.ts';"],
    ["import { y } from '../cli/leaf.ts';", 'layer-site'],
    ['import { w } from "electron";', 'electron-only-in-main'],
  ],
  'src-server/self-test/index.ts': [
    ["import { x } from '../site/leaf.ts';"],
    ["import { y } from '../cli/leaf.ts';", 'layer-self-test'],
  ],
  // A circle is reported once, at one of its files.
  'src-server/cli/index.ts': [
    ["import { a } from './other.ts';", 'no-circular'],
    ["import { b } from '../lan/leaf.ts';", 'layer-cli'],
  ],
  'src-server/cli/other.ts': [["import { b } from './index.ts';"]],
  'src-server/cli/typed.ts': [["import type { b } from './typed-too.ts';"]],
  'src-server/cli/typed-too.ts': [["import { b } from './typed.ts';", 'no-circular']],
  'src-server/testing/index.ts': [["import { x } from '../site/leaf.ts';"]],
  'src-main/index.ts': [
    ['import { app } from "electron";'],
    ["import { y } from '../src-server/site/leaf.ts';"],
    ["import { z } from '../src-server/testing/leaf.ts';", 'only-tests-import-testing'],
  ],
  'src-renderer/typed.ts': [
    ["import type { x } from '../src-server/site/leaf.ts';", 'renderer-sees-only-the-contract'],
  ],
  'src-renderer/investigator/leaf.ts': [],
  'src-renderer/phone/app.tsx': [
    ["import { x } from '../../src-server/phone-protocol/leaf.ts';"],
    ["import { y } from '../investigator/leaf.ts';", 'phone-is-not-the-desk'],
  ],
  'src-renderer/shared/sensors/index.ts': [
    ["import { x } from '../../../src-server/signals/codec/leaf.ts';"],
    ["import { y } from '../../../src-server/signals/leaf.ts';", 'sensors-share-the-signal-codec'],
  ],
  'src-server/signals/codec/index.ts': [
    ["import { x } from './leaf.ts';"],
    ["import { z } from 'node:zlib';", 'signal-codec-needs-no-node'],
  ],
  'src-server/phone-protocol/index.ts': [
    ["import { y } from '../study/leaf.ts';", 'layer-phone-protocol'],
    ["import { z } from 'node:path';", 'pure-folders-no-node-io'],
  ],
  'src-renderer/app.tsx': [
    ["import { x } from '../src-server/api/contract/leaf.ts';"],
    ["import { y } from '../src-server/errors.ts';", 'renderer-sees-only-the-contract'],
    ["import { w } from 'node:path';", 'renderer-no-node'],
    ['export const App = () => <main>{x}</main>;'],
  ],
};
/** Every folder has a file to import. */
const LEAVES = [
  ...['analytics', 'study', 'signals', 'db', 'importers', 'exporters', 'simulator', 'jobs', 'api', 'api/contract'],
  ...['vocabulary', 'phone-protocol', 'signals/codec'],
  ...['site', 'cli', 'lan', 'services', 'testing'],
];
let folder: ReturnType<typeof temporaryFolder>;
let result: ICruiseResult;

beforeAll(async () => {
  folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  for (const [path, lines] of Object.entries(FILES)) write(path, `${lines.map(([code]) => code).join('\n')}\n`);
  for (const name of LEAVES) write(`src-server/${name}/leaf.ts`, '');
  for (const name of ['kysely', 'electron', 'zod']) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    write(`node_modules/${name}/index.js`, '');
  }
  const { output } = await cruise(['src-server', 'src-main', 'src-renderer'], {
    ...options,
    baseDir: folder.path,
    ruleSet,
    validate: true,
  });
  result = output as ICruiseResult;
});
afterAll(() => folder.remove());

it('every import rule forbids exactly the imports that it describes', () => {
  const found = result.summary.violations.map(({ from, to, rule }) => [from, to, rule.name]);
  const broken = new Set(found.map(([from, , rule]) => `${from} ${rule}`));
  const expected = new Set<string>();
  for (const [path, lines] of Object.entries(FILES)) {
    for (const [, rule] of lines) if (rule) expected.add(`${path} ${rule}`);
  }
  expect([...broken].sort()).toEqual([...expected].sort());
});

it('every rule has a forbidden import in the miniature', () => {
  const testedRules = new Set(Object.values(FILES).flatMap((lines) => lines.map(([, rule]) => rule)));
  const untested = (ruleSet.forbidden ?? []).map(({ name }) => name).filter((name) => !testedRules.has(name));
  expect(untested).toEqual([]);
});

it('follows the imports of files with JSX', () => {
  const app = result.modules.find(({ source }) => source === 'src-renderer/app.tsx');
  expect(app?.dependencies.map(({ resolved }) => resolved)).toContain('src-server/api/contract/leaf.ts');
});
