/**
 * Server program of the upload throughput benchmark: `node upload-peer.ts ours|file-store DIR`. Prints its address when it is
 * ready. Ours runs the full path of a chunk (checksum, disk, journal, sync), without the check of the complete file. The
 * peer is the tus server with its own file store, which neither syncs nor verifies checksums.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';
import { SYSTEM } from '../../src-server/db/index.ts';
import { DiskBudget } from '../../src-server/files/disk-budget.ts';
import { UploadReceiver } from '../../src-server/lan/upload/receiver.ts';
import { tusHandler } from '../../src-server/lan/upload/tus-handler.ts';
import { openStore } from '../../src-server/services/index.ts';
import type { JobRow } from '../../src-server/study/jobs.ts';
import './end-with-parent.ts';

async function ours(dir: string): Promise<RequestListener> {
  const store = openStore(join(dir, 'site.db'), { mode: 'create' });
  const { id: accountId } = await store.accounts.create({ displayName: 'Bench' }, SYSTEM);
  const { id: studyId } = await store.studies.create({ accountId, displayName: 'Bench' }, SYSTEM);
  const { id: subjectId } = await store.subjects.create(studyId, { displayName: 'B', timezone: 'US/Eastern' }, SYSTEM);
  await store.equipment.register({ accountId, id: 'sensor', type: 'SENSOR' }, SYSTEM);
  await store.equipment.assign('sensor', { studyId, subjectId, atTs: 0 }, SYSTEM);
  const job = { id: 'none' } as JobRow;
  const receiver = new UploadReceiver({
    store,
    inboxDir: dir,
    clock: Date.now,
    jobs: { enqueue: async () => job, whenEnded: async () => job },
    signalsDir: dir,
    disk: new DiskBudget(dir),
    refused: { note: async () => undefined },
    onProblem: (problem) => process.stderr.write(`${String(problem)}\n`),
  });
  await receiver.start();
  const handle = tusHandler(receiver, Date.now);
  const device = { credentialId: 'bench', accountId, kind: 'HUB', serial: 'bench' } as const;
  return (request, response) =>
    void handle(request, response, { ...device, equipmentId: 'bench', studyId: null, subjectId: null });
}

function peer(dir: string): RequestListener {
  const server = new Server({
    path: '/api/v1/device/uploads',
    relativeLocation: true,
    datastore: new FileStore({ directory: dir }),
  });
  return (request, response) => void server.handle(request, response);
}

const [, , which, dir = ''] = argv;
const listener = createServer(which === 'ours' ? await ours(dir) : peer(dir));
listener.listen(0, '127.0.0.1', () => {
  stdout.write(`http://127.0.0.1:${(listener.address() as AddressInfo).port}\n`);
});
