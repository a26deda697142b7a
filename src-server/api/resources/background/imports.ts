/** Receives uploaded files into the inbox, durable before the answer, and queues the job that imports them. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Request } from 'express';
import type { Claim } from '../../../files/disk-budget.ts';
import { syncDirectory } from '../../../files/durable-files.ts';
import { RECEIVING, storedInboxPath } from '../../../files/inbox.ts';
import { fileNameKey, portableName } from '../../../files/portable-name.ts';
import type { ImportPayload } from '../../../study/jobs.ts';
import { isShownAsWritten } from '../../../vocabulary/shown-text.ts';
import { jobRoutes as contract, type jobRoutes } from '../../contract/resources/jobs.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { invalidField, invalidInput, notFound } from '../../framework/errors.ts';
import type { Handler } from '../../framework/mount.ts';
import { readMultipart } from '../../framework/multipart.ts';
import { toJob } from './job-record.ts';
import { parseMapping } from './recognition.ts';

const MAX_FILES = 200;

interface Upload {
  fields: Record<string, string>;
  names: string[];
}

/** Returns the file name for the inbox. Importers rely on names: a WFDB header names its signal files. */
function inboxName(fileName: string): string {
  const given = basename(fileName.replaceAll('\\', '/'));
  const name = portableName(given);
  if (name === '' || given.startsWith('.') || !isShownAsWritten(given)) {
    throw invalidField('file', `has a name that cannot be kept: ${JSON.stringify(fileName.slice(0, 100))}`);
  }
  return name;
}

/** Streams every `file` part into `folder` and fsyncs each file and the folder. Unknown parts are read and dropped. */
async function receive(request: Request, folder: string, signal: AbortSignal, claim: Claim): Promise<Upload> {
  const names = new Map<string, string>();
  const fields = await readMultipart(request, MAX_FILES, async (part, stream, info) => {
    if (part !== 'file') {
      stream.resume();
      return;
    }
    const fileName = inboxName(info.fileName);
    if (names.has(fileNameKey(fileName))) throw invalidField('file', `came twice under the name ${fileName}`);
    names.set(fileNameKey(fileName), fileName);
    const path = join(folder, fileName);
    await pipeline(stream, counted(claim), createWriteStream(path, { flags: 'wx', flush: true }), { signal });
  });
  await syncDirectory(folder);
  return { fields, names: [...names.values()] };
}

const counted = (claim: Claim) =>
  async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      claim.wrote(chunk.length);
      yield chunk;
    }
  };

export function importHandler(deps: ApiDeps): Handler<(typeof jobRoutes)['importRecordings']> {
  return async ({ params, scope, caller, request }) => {
    const id = randomUUID();
    const folder = join(deps.inboxDir, id);
    const receiving = `${folder}${RECEIVING}`;
    // A request without a length claims no space; the disk budget stops it at the reserve.
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    const { signal } = new AbortController();
    try {
      const { fields, names } = await deps.disk.with(
        announcedBytes,
        (claim) =>
          deps.disk.watch(
            signal,
            async (stop) => {
              await mkdir(receiving, { recursive: true });
              return await receive(request, receiving, stop, claim);
            },
            claim,
          ),
        { user: 'other', owner: caller.user.id },
      );
      if (names.length === 0) throw invalidField('file', 'is required');
      const parsed = contract.importRecordings.body.safeParse(fields);
      if (!parsed.success) throw invalidInput(parsed.error);
      const { location, side, deviceConfigId, timeZone, startTs, acceptsOverlap } = parsed.data;
      const csvMapping = parseMapping(parsed.data.csvMapping);
      if (
        deviceConfigId &&
        !(await deps.store.studies.deviceConfigs(params.studyId)).some(({ id }) => id === deviceConfigId)
      ) {
        throw notFound('device configuration in this study');
      }
      // From here on, a crash leaves a folder that may have been acknowledged and must not be deleted.
      await rename(receiving, folder);
      await syncDirectory(deps.inboxDir);
      const change = changeBy(caller);
      const payload: ImportPayload = {
        studyId: params.studyId,
        subjectId: params.subjectId,
        paths: names.map((name) => storedInboxPath(id, name)),
        options: {
          ...(location ? { location } : {}),
          ...(side ? { side } : {}),
          timeZone: timeZone ?? scope.subject.timezone,
          ...(startTs ? { defaultStartUs: Number(startTs) * 1000 } : {}),
          ...(csvMapping && { csvMapping }),
        },
        ...(deviceConfigId ? { deviceConfigId } : {}),
        ...(acceptsOverlap === 'true' && { acceptsOverlap: true as const }),
        requestedBy: change.actor,
        ownsFiles: true,
      };
      return toJob(await deps.jobs.enqueue('import', payload, change));
    } catch (error) {
      for (const path of [receiving, folder]) await rm(path, { recursive: true, force: true });
      throw error;
    }
  };
}
