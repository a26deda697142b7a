/**
 * The import rules of the house. Each folder of the server may import only the folders that the table names, and the modules that
 * stand directly in `src-server` (errors, durations, diagnostics, ...). Imports of types count like any other: a type is
 * declared where its data is owned. `resources/architecture.md` explains the folders.
 */
const MAY_IMPORT = {
  cli: [
    'site',
    'api',
    'jobs',
    'importers',
    'exporters',
    'simulator',
    'phone-protocol',
    'integrity',
    'services',
    'db',
    'signals',
    'analytics',
    'study',
    'files',
    'self-test',
  ],
  // Exercises every folder that uses what a runtime brings.
  'self-test': [
    'site',
    'api',
    'lan',
    'jobs',
    'integrations',
    'exporters',
    'simulator',
    'services',
    'db',
    'signals',
    'study',
    'files',
    'secrets',
  ],
  site: [
    'api',
    'docks',
    'lan',
    'jobs',
    'integrations',
    'integrity',
    'services',
    'db',
    'signals',
    'study',
    'files',
    'secrets',
  ],
  api: [
    'docks',
    'exporters',
    'stored-analytics',
    'integrity',
    'services',
    'db',
    'signals',
    'analytics',
    'study',
    'files',
    'secrets',
  ],
  docks: ['importers', 'services', 'db', 'study', 'files'],
  lan: ['integrity', 'services', 'db', 'signals', 'study', 'files', 'secrets'],
  jobs: ['importers', 'exporters', 'integrity', 'services', 'db', 'signals', 'analytics', 'study', 'files', 'secrets'],
  integrations: ['services', 'db', 'study', 'secrets'],
  integrity: ['services', 'db', 'signals', 'study', 'files', 'secrets'],
  exporters: ['stored-analytics', 'db', 'signals', 'analytics', 'study', 'files'],
  importers: ['signals', 'study', 'files'],
  'stored-analytics': ['db', 'analytics', 'study'],
  simulator: ['phone-protocol', 'signals', 'analytics', 'study', 'files'],
  // Runs on phones and in the simulated one.
  'phone-protocol': [],
  services: ['db', 'study', 'analytics/types', 'analytics/version', 'files', 'secrets'],
  db: ['study', 'analytics/types', 'files', 'secrets'],
  signals: ['study/recording', 'files'],
  analytics: [],
  study: ['phone-protocol'],
  files: [],
  secrets: [],
};

const tests = '\\.(test|bench)\\.tsx?$|^src-server/testing/';

/** Constants that the interface and the domain share; they import nothing, so every folder may use them. */
const VOCABULARY = '^src-server/vocabulary/';

const layers = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `layer-${folder}`,
  severity: 'error',
  from: { path: `^src-server/${folder}/`, pathNot: tests },
  to: {
    path: '^src-(server|main|renderer)/',
    pathNot: ['^src-server/[^/]+\\.ts$', VOCABULARY, ...[folder, ...allowed].map((name) => `^src-server/${name}[/.]`)],
  },
}));

/** What a bundle for the browser cannot or must not load. */
const renderer = { severity: 'error', from: { path: '^src-renderer/', pathNot: tests } };

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'shared-modules-are-leaves',
      comment: 'Modules directly in src-server may be imported everywhere, so they import only each other and study.',
      severity: 'error',
      from: { path: '^src-server/[^/]+\\.ts$', pathNot: tests },
      to: { path: '^src-', pathNot: ['^src-server/([^/]+\\.ts$|study/)', VOCABULARY] },
    },
    ...layers,
    {
      name: 'services-know-no-sql',
      comment: 'A service runs queries; statements and mappings stay in db.',
      severity: 'error',
      from: { path: '^src-server/services/', pathNot: tests },
      to: { path: '^src-server/db/(schema|dialect|database|columns)\\.ts$|node_modules/kysely' },
    },
    {
      name: 'pure-folders-no-node-io',
      severity: 'error',
      from: { path: '^src-server/(analytics|study|phone-protocol)/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'kysely-only-in-db',
      severity: 'error',
      from: { path: '^src-', pathNot: `^src-server/db/|${tests}` },
      to: { path: 'node_modules/(kysely|better-sqlite3)' },
    },
    {
      name: 'electron-only-in-main',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/' },
      to: { path: '(^|node_modules/)electron($|/)' },
    },
    {
      ...renderer,
      name: 'renderer-sees-only-the-contract',
      from: { path: '^src-renderer/', pathNot: [tests, '^src-renderer/shared/sensors/'] },
      comment:
        'And pure rules that must be the same on both sides: the edges of local days, who may do what, how a name is written, what a definition may hold, how a subject takes part, which days count for data quality, what the site notes, which cells a spreadsheet would run, which places a time zone has.',
      to: {
        path: '^src-(server|main)/',
        pathNot:
          '^src-server/(api/contract/|phone-protocol/|vocabulary/|diagnostics\\.ts$|durations\\.ts$|study/(day-windows|definition-rules|participation|permissions|person-name|quality|spreadsheet-cells|zone-places)\\.ts$)',
      },
    },
    {
      name: 'sensors-share-the-signal-codec',
      comment:
        'Recordings made in a browser are written by the codec of the site. It needs no Node; `signal-codec.ts` is its entry.',
      severity: 'error',
      from: { path: '^src-renderer/shared/sensors/', pathNot: tests },
      to: {
        path: '^src-(server|main|renderer)/',
        pathNot: [
          '^src-renderer/shared/sensors/',
          '^src-server/signals/(types\\.ts$|codec/|container/(signal-codec|magic|marks)\\.ts$)',
        ],
      },
    },
    {
      ...renderer,
      name: 'renderer-no-node',
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'signal-codec-needs-no-node',
      severity: 'error',
      from: {
        path: '^src-server/signals/(codec/|container/(signal-codec|footer|header|magic|marks)\\.ts$)',
        pathNot: tests,
      },
      to: { dependencyTypes: ['core', 'npm'] },
    },
    {
      name: 'contract-is-pure',
      comment: 'The contract is bundled into the browser: schemas only.',
      severity: 'error',
      from: { path: '^src-server/api/contract/', pathNot: tests },
      to: {
        path: '^src-|^node:',
        pathNot: '^src-server/(api/contract|vocabulary)/',
      },
    },
    {
      name: 'phone-is-not-the-desk',
      comment:
        'A phone loads nothing of the desk, and of what both share only what needs neither its components nor its queries.',
      severity: 'error',
      from: { path: '^src-renderer/phone/', pathNot: tests },
      to: { path: '^src-renderer/investigator/|node_modules/(react-aria|@tanstack)' },
    },
    { name: 'vocabulary-imports-nothing', severity: 'error', from: { path: VOCABULARY, pathNot: tests }, to: {} },
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
