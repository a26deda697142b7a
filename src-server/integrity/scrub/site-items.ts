/** Every file of a site with the content that it must have, part by part in an order that a later run can continue. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { columnPath } from '../../files/column-files.ts';
import type { Content } from '../../files/content-hash.ts';
import { QUARANTINE, RECEIVING, UPLOADS } from '../../files/inbox.ts';
import type { Store } from '../../services/index.ts';
import { type ClockMap, mapThrough } from '../../signals/index.ts';
import type { ScrubPart } from '../../vocabulary/scrub.ts';
import { ERASURES_FILE } from '../erasure/list.ts';
import { SITE_KEYS_FILE } from '../site-file.ts';

export interface SiteItem {
  part: ScrubPart;
  /** Its place in the order of the part. */
  key: string;
  /** Place in the site, with forward slashes. */
  file: string;
  /** Absent: no row names its content. */
  known?: Content;
  /** Of a signal file. */
  recordingId?: string;
  /** Of a recording whose clock was corrected. */
  clockMap?: ClockMap;
  /** Its absence is no damage. */
  isOptional?: boolean;
}

const SLICE = 200;
const COLUMN_SLICE = 1000;

export type ItemsOfPart = (store: Store, siteDir: string, after: string) => AsyncGenerator<SiteItem>;

/** The parts that are files of the site. */
export const SITE_ITEMS: Record<Exclude<ScrubPart, 'database' | 'backups'>, ItemsOfPart> = {
  signals: async function* (store, _siteDir, after) {
    for (let last = after; ; ) {
      const rows = await store.recordings.filesAfter(last, SLICE);
      const knots = await store.clocks.knotsOf(rows.map(({ id }) => id));
      for (const { id, ...known } of rows) {
        const corrected = knots.get(id);
        const clockMap = corrected && { clockMap: mapThrough(corrected) };
        yield { part: 'signals', key: id, file: `signals/${id}.sig`, known, recordingId: id, ...clockMap };
        last = id;
      }
      if (rows.length < SLICE) return;
    }
  },
  columns: async function* (store, _siteDir, after) {
    for (let last = after; ; ) {
      const contents = await store.analytics.columnFilesAfter(last, COLUMN_SLICE);
      for (const known of contents) {
        yield { part: 'columns', key: known.sha256, file: columnPath(known.sha256), known };
        last = known.sha256;
      }
      if (contents.length < COLUMN_SLICE) return;
    }
  },
  images: async function* (store, _siteDir, after) {
    for (const { file, sizeBytes, sha256 } of await store.messages.imageContents()) {
      if (file <= after) continue;
      const known = sha256 !== undefined && { known: { sizeBytes, sha256 } };
      yield { part: 'images', key: file, file: `images/${file}`, ...known };
    }
  },
  // Files that are being received are compared with what their device announced when they are complete.
  inbox: async function* (store, siteDir, after) {
    const waiting = (await store.uploads.list({ states: ['QUARANTINED', 'REJECTED'] })).map((upload) => ({
      part: 'inbox' as const,
      key: `${QUARANTINE}/${upload.id}.sig`,
      file: `inbox/${QUARANTINE}/${upload.id}.sig`,
      known: { sizeBytes: upload.sizeBytes, sha256: upload.sha256 },
      // The file of a rejected upload is deleted after a while.
      ...(upload.state === 'REJECTED' && { isOptional: true }),
    }));
    const others = (await filesBelow(join(siteDir, 'inbox')))
      .filter((key) => !key.startsWith(`${UPLOADS}/`) && !key.startsWith(`${QUARANTINE}/`) && !isUnfinished(key))
      .map((key) => ({ part: 'inbox' as const, key, file: `inbox/${key}`, isOptional: true }));
    yield* inOrder([...waiting, ...others], after);
  },
  exports: async function* (store, siteDir, after) {
    const records = await store.exports.kept();
    const known = new Map(records.flatMap(({ file }) => (file ? [[file.name, file] as const] : [])));
    const names = (await filesBelow(join(siteDir, 'exports'))).filter((name) => !isUnfinished(name));
    const items = names.map((name) => {
      const { sha256, sizeBytes } = known.get(name) ?? {};
      const content = sha256 !== undefined && sizeBytes !== undefined && { known: { sha256, sizeBytes } };
      return { part: 'exports' as const, key: name, file: `exports/${name}`, isOptional: true, ...content };
    });
    yield* inOrder(items, after);
  },
  other: async function* (_store, siteDir, after) {
    const names = ['site.json', 'site.key', SITE_KEYS_FILE, ERASURES_FILE].filter((name) =>
      existsSync(join(siteDir, name)),
    );
    yield* inOrder(
      names.map((name) => ({ part: 'other' as const, key: name, file: name, isOptional: true })),
      after,
    );
  },
};

function* inOrder(items: readonly SiteItem[], after: string): Generator<SiteItem> {
  for (const item of [...items].sort((a, b) => (a.key < b.key ? -1 : 1))) if (item.key > after) yield item;
}

const isUnfinished = (name: string) =>
  /\.(?:partial|part|damaged)$/.test(name) || name.split('/').some((part) => part.endsWith(RECEIVING));

/** Paths of all files below a folder, with forward slashes. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
}
