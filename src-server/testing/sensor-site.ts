/** A site whose subject wears a Bluetooth sensor, seen by the phone that uploads its recordings over the network listener. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { UploadCall } from '../../src-renderer/shared/sensors/upload.ts';
import { openSignalFile, sampleTimesUs } from '../signals/index.ts';
import type { SignalHeader, SignalMark, SignalPage } from '../signals/types.ts';
import { type Answer, type Call, Connection } from '../simulator/device/connection.ts';
import { startTestLanSite, type TestLanSite } from './test-lan-site.ts';

export interface StoredChannel {
  header: SignalHeader;
  pages: SignalPage[];
  marks: SignalMark[];
  times: number[];
  /** Counts of each sample, one for each dimension. */
  counts: number[][];
}

export interface SensorSite {
  site: TestLanSite;
  call: UploadCall;
  read(recordingId: string, channel: number): Promise<StoredChannel>;
  close(): Promise<void>;
}

/** The calls of an upload over a phone's connection. */
export const uploadCall =
  (send: (call: Call) => Promise<Answer>): UploadCall =>
  async ({ method, path, headers, body }) => {
    const bytes = body && new Uint8Array(await body.arrayBuffer());
    const answer = await send({ method, path, headers, ...(bytes && { bytes }) });
    return {
      status: answer.status,
      header: (name) => answer.headers[name] ?? null,
      body: (answer.body as Record<string, unknown> | undefined) ?? null,
    };
  };

/** @param serials of sensors that the subject has held since yesterday */
export async function startSensorSite(...serials: string[]): Promise<SensorSite> {
  const site = await startTestLanSite();
  const { store, signalsDir } = site.site.folder;
  const { accountId, studyId, userId, subjectIds } = site.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  const subjectId = subjectIds[0] ?? '';
  for (const id of serials) {
    await store.equipment.register({ accountId, id, type: 'SENSOR' }, change);
    await store.equipment.assign(id, { studyId, subjectId, atTs: Date.now() - 86_400_000 }, change);
  }
  const { token } = await site.client.call('createSubjectToken', { params: { studyId, subjectId } });
  const address = { urls: [site.lanUrl], pins: [site.site.lan.fingerprint ?? ''] };
  const stranger = new Connection(address);
  const signedIn = await stranger.json<{ token: string }>('/phone/sign-in', { token, phoneId: randomUUID() });
  stranger.close();
  const phone = new Connection({ ...address, token: signedIn.token });
  await phone.json('/device/status');
  return {
    site,
    call: uploadCall((call) => phone.send(call)),
    read: async (recordingId, channel) => {
      const file = await openSignalFile(join(signalsDir, `${recordingId}.sig`));
      const pages = [...file.pages(channel)].map((page) => ({
        ...page,
        columns: page.columns.map((column) => column.slice()),
      }));
      const marks = (await file.marks()).filter((mark) => mark.channel === channel);
      const { header } = file;
      await file.close();
      return {
        header,
        pages,
        marks,
        times: pages.flatMap((page) => [...sampleTimesUs(page)]),
        counts: pages.flatMap((page) => Array.from({ length: page.count }, (_, i) => page.columns.map((c) => c[i]!))),
      };
    },
    close: async () => {
      phone.close();
      await site.close();
    },
  };
}
