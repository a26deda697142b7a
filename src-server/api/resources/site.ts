/** The service: version, state of the site, data dictionary and OpenAPI document. */
import { statfs } from 'node:fs/promises';
import { CHANNEL_DEFINITIONS } from '../../analytics/dictionary/channels.ts';
import { metricsDocument } from '../../analytics/dictionary/document.ts';
import { METHODS } from '../../analytics/dictionary/methods.ts';
import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import { buildOpenApi } from '../contract/openapi.ts';
import type { siteRoutes } from '../contract/resources/site.ts';
import type { ApiDeps, DatabaseSoundness } from '../deps.ts';
import { type Handlers, SENT } from '../framework/mount.ts';

const LOW_DISK_BYTES = 5e9;
const LOW_DISK_SHARE = 0.05;

/** Returns whether free space is so low that someone should act before recordings are refused. */
export function isDiskLow(freeBytes: number, totalBytes: number): boolean {
  return freeBytes < LOW_DISK_BYTES || freeBytes < totalBytes * LOW_DISK_SHARE;
}

function databaseState(isWritable: boolean, { state }: DatabaseSoundness): 'healthy' | 'read-only' | 'damaged' {
  if (state === 'damaged') return 'damaged';
  return isWritable ? 'healthy' : 'read-only';
}

/** No bytes at all while the disk is gone. */
async function diskOf(folder: string) {
  const { bavail, blocks, bsize } = await statfs(folder).catch(() => ({ bavail: 0, blocks: 0, bsize: 0 }));
  const freeBytes = bavail * bsize;
  const totalBytes = blocks * bsize;
  return { freeBytes, totalBytes, isLow: isDiskLow(freeBytes, totalBytes) };
}

function problemOf(deps: ApiDeps): { problem?: { code: string; message: string } } {
  const problem = deps.problem();
  return problem ? { problem: { code: problem.code, message: problem.message } } : {};
}

async function auditState({ anchors, store }: ApiDeps) {
  const { keyId, sinceTs, sinceSequence, anchoredTs, anchoredSequence, continued } = anchors.facts;
  const compared = await store.settings.get('audit.compared');
  return {
    anchoredSinceTs: sinceTs,
    anchoredSinceSequence: sinceSequence,
    anchoredTs,
    anchoredSequence,
    keyId,
    ...(continued && { continued }),
    ...(compared && {
      compared: {
        comparedTs: compared.comparedTs,
        countBackups: compared.countBackups,
        countExports: compared.countExports,
        problems: compared.problems,
      },
    }),
  };
}

export function siteHandlers(deps: ApiDeps): Handlers<typeof siteRoutes> {
  let document: Record<string, unknown> | undefined;
  return {
    getStatus: () => ({ version: deps.version, build: deps.build ?? deps.version, ...problemOf(deps) }),
    getSite: async () => {
      const { schemaVersion, sizeBytes, isWritable } = deps.store.facts();
      const { problems: _problems, ...check } = deps.soundness();
      const move = deps.columnMove();
      return {
        displayName: (await deps.store.settings.get('site.displayName')) ?? deps.siteName,
        version: deps.version,
        database: {
          state: databaseState(isWritable && !deps.problem(), check),
          schemaVersion,
          sizeBytes,
          check,
          ...(move && { move: { ...move } }),
        },
        audit: await auditState(deps),
        disk: await diskOf(deps.signalsDir),
        lockAfterMinutes: (await deps.store.settings.get('desk.lock')).afterMinutes,
        addresses: [...deps.addresses()],
        ...problemOf(deps),
      };
    },
    listMetricDefinitions: () => ({
      items: [...METRIC_NAMES],
      size: METRIC_NAMES.length,
      channels: [...CHANNEL_DEFINITIONS],
      methods: METHODS.map((method) => ({
        ...method,
        citations: [...method.citations],
        accuracy: [...method.accuracy],
        limits: [...method.limits],
      })),
    }),
    getMetricsDocument: ({ response }) => {
      response.status(200).type('text/markdown').send(metricsDocument());
      return SENT;
    },
    getOpenApi: () => {
      document ??= buildOpenApi(deps.version);
      return document;
    },
  };
}
