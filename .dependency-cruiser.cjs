/**
 * The import rules of the house: each folder may import only from the folders below it.
 * cli, src-main -> site -> api, lan, jobs, integrations -> exporters, importers, integrity -> stored-analytics
 * -> services -> db -> study, signals, analytics. Exporters, importers and stored-analytics read: they see `db`, not `services`.
 * `analytics`, `study` and the signal codec import nothing of ours beyond types and `errors.ts`.
 */
const server = (names) => `^src-server/(${names.join('|')})(/|$)`;
const tests = '\\.(test|bench)\\.tsx?$|^src-server/testing/';

/** The words that the interface and the domain share: constants that import nothing, open to every layer. */
const VOCABULARY = '^src-server/api/contract/vocabulary/';

/** One rule per layer: `from` may not reach any of `not`. */
const layer = (from, not) => ({
  name: `layer-${from}`,
  severity: 'error',
  from: { path: server([from]), pathNot: tests },
  to: { path: server(not), pathNot: VOCABULARY, dependencyTypesNot: ['type-only'] },
});

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    layer('site', ['cli']),
    layer('api', ['cli', 'site', 'jobs', 'lan', 'integrations', 'simulator']),
    layer('lan', ['cli', 'site', 'api', 'jobs', 'integrations', 'simulator']),
    layer('jobs', ['cli', 'site', 'api', 'lan', 'integrations', 'simulator']),
    layer('integrations', ['cli', 'site', 'api', 'lan', 'jobs', 'exporters', 'importers', 'simulator']),
    layer('integrity', ['cli', 'site', 'api', 'lan', 'jobs', 'integrations', 'exporters', 'importers', 'simulator']),
    layer('exporters', [
      'cli',
      'site',
      'api',
      'lan',
      'jobs',
      'integrations',
      'importers',
      'integrity',
      'simulator',
      'services',
    ]),
    layer('importers', [
      'cli',
      'site',
      'api',
      'lan',
      'jobs',
      'integrations',
      'exporters',
      'integrity',
      'simulator',
      'services',
    ]),
    layer('stored-analytics', [
      'cli',
      'site',
      'api',
      'lan',
      'jobs',
      'integrations',
      'exporters',
      'importers',
      'integrity',
      'simulator',
      'services',
    ]),
    layer('simulator', ['cli', 'site', 'api', 'lan', 'jobs', 'integrations', 'db', 'stored-analytics', 'services']),
    layer('services', [
      'cli',
      'site',
      'api',
      'lan',
      'jobs',
      'integrations',
      'integrity',
      'exporters',
      'importers',
      'simulator',
      'stored-analytics',
      // Its types are those of stored results.
      'analytics/(?!types\\.ts)[^/]+',
      'signals',
    ]),
    {
      name: 'services-know-no-sql',
      comment: 'A service runs queries; statements and mappings stay in db.',
      severity: 'error',
      from: { path: server(['services']), pathNot: tests },
      to: { path: '^src-server/db/(schema|dialect|database|columns)\\.ts$|node_modules/kysely' },
    },
    layer('db', [
      'cli',
      'site',
      'api',
      'lan',
      'jobs',
      'integrations',
      'exporters',
      'importers',
      'simulator',
      'stored-analytics',
      // Its types are those of stored results.
      'analytics/(?!types\\.ts)[^/]+',
      'signals',
      'services',
    ]),
    layer('signals', [
      'cli',
      'site',
      'api',
      'lan',
      'jobs',
      'integrations',
      'exporters',
      'importers',
      'simulator',
      'stored-analytics',
      'db',
      // What a recording is made of is defined once, in study.
      'study/(?!recording\\.ts)[^/]+',
      'analytics',
      'services',
    ]),
    {
      name: 'pure-folders',
      comment: 'analytics and study are pure: no I/O, nothing of ours beyond types.',
      severity: 'error',
      from: { path: '^src-server/(analytics|study)/', pathNot: tests },
      to: {
        path: '^src-(server|main|renderer)/',
        pathNot: '^src-server/((errors|durations)\\.ts$|api/contract/vocabulary/|$1/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'pure-folders-no-node-io',
      severity: 'error',
      from: { path: '^src-server/(analytics|study)/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'kysely-only-in-db',
      severity: 'error',
      from: { path: '^src-', pathNot: `^src-server/db/|${tests}` },
      to: { path: 'node_modules/(kysely|better-sqlite3)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'electron-only-in-main',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/' },
      to: { path: '(^|node_modules/)electron($|/)' },
    },
    {
      name: 'renderer-sees-only-the-contract',
      comment:
        'And pure rules that must be the same on both sides: the edges of local days, who may do what, how a name is written, what a definition may hold, what the site notes, which cells a spreadsheet would run.',
      severity: 'error',
      from: { path: '^src-renderer/', pathNot: tests },
      to: {
        path: '^src-(server|main)/',
        pathNot:
          '^src-server/(api/contract/|diagnostics\\.ts$|durations\\.ts$|study/(day-windows|definition-rules|permissions|person-name|spreadsheet-cells)\\.ts$)',
      },
    },
    {
      name: 'renderer-no-node',
      severity: 'error',
      from: { path: '^src-renderer/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'contract-is-pure',
      comment: 'The contract is bundled into the browser: schemas only.',
      severity: 'error',
      from: { path: '^src-server/api/contract/', pathNot: tests },
      to: { path: '^src-|^node:', pathNot: '^src-server/api/contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'vocabulary-imports-nothing',
      severity: 'error',
      from: { path: VOCABULARY, pathNot: tests },
      to: {},
    },
    {
      name: 'only-tests-import-testing',
      severity: 'error',
      from: { path: '^src-', pathNot: tests },
      to: { path: '^src-server/testing/' },
    },
  ],
  options: {
    // TypeScript 7 has no parser for other programs; swc reads the same syntax.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.cjs', '.mjs'],
    },
  },
};
