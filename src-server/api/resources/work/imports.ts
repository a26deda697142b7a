/** Takes uploaded files to the inbox, safe on disk before the answer, and queues the job that reads them. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Request } from 'express';
import { OutpostError } from '../../../errors.ts';
import type { ImportPayload } from '../../../jobs/types.ts';
import { jobRoutes as contract, type jobRoutes } from '../../contract/resources/jobs.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { invalidField, invalidInput, notFound } from '../../framework/errors.ts';
import type { Handler } from '../../framework/mount.ts';
import { toJob } from './job-record.ts';

const MAX_FILES = 200;
const MAX_FIELDS = 50;

interface Upload {
  fields: Record<string, string>;
  paths: string[];
}

/** The name a file keeps in the inbox: importers go by names (a WFDB header names its signal files). */
function safeName(fileName: string): string {
  const name = basename(fileName.replaceAll('\\', '/'));
  if (!/^[^\p{Cc}/]{1,200}$/u.test(name) || name.startsWith('.')) {
    throw invalidField('file', `has a name that cannot be kept: ${JSON.stringify(fileName.slice(0, 100))}`);
  }
  return name;
}

/** Streams every `file` part into `folder` and fsyncs each file and the folder. Unknown parts are read and dropped. */
async function receive(request: Request, folder: string): Promise<Upload> {
  const upload: Upload = { fields: {}, paths: [] };
  const writes: Promise<void>[] = [];
  const names = new Set<string>();
  await new Promise<void>((resolve, reject) => {
    const parser = busboy({
      headers: request.headers,
      limits: { files: MAX_FILES, fields: MAX_FIELDS, fieldSize: 64 * 1024 },
    });
    const fail = (error: unknown) => {
      request.unpipe(parser);
      request.resume();
      reject(error);
    };
    parser.on('field', (name, value) => {
      upload.fields[name] = value;
    });
    parser.on('file', (name, stream, info) => {
      if (name !== 'file') {
        stream.resume();
        return;
      }
      try {
        const fileName = safeName(info.filename ?? '');
        if (names.has(fileName)) throw invalidField('file', `came twice under the name ${fileName}`);
        names.add(fileName);
        const path = join(folder, fileName);
        upload.paths.push(path);
        const write = pipeline(stream, createWriteStream(path, { flags: 'wx', flush: true }));
        write.catch(fail);
        writes.push(write);
      } catch (error) {
        stream.resume();
        fail(error);
      }
    });
    parser.on('filesLimit', () => fail(invalidField('file', `may come at most ${MAX_FILES} times`)));
    parser.on('error', () => fail(cutShort()));
    parser.on('close', resolve);
    request.on('aborted', () => fail(cutShort()));
    request.pipe(parser);
  });
  await Promise.all(writes);
  // The folder is new itself, so its name in the inbox must be durable too.
  for (const path of [folder, dirname(folder)]) await syncFolder(path);
  return upload;
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

function cutShort(): OutpostError {
  return new OutpostError(
    'INVALID_INPUT',
    'The upload ended too early or is not a well-formed multipart body. Send it again.',
  );
}

export function importHandler(deps: ApiDeps): Handler<(typeof jobRoutes)['importRecordings']> {
  return async ({ params, scope, caller, request }) => {
    const folder = join(deps.inboxDir, randomUUID());
    await mkdir(folder, { recursive: true });
    try {
      const { fields, paths } = await receive(request, folder);
      if (paths.length === 0) throw invalidField('file', 'is required');
      const parsed = contract.importRecordings.body.safeParse(fields);
      if (!parsed.success) throw invalidInput(parsed.error);
      const { location, side, deviceConfigId, timeZone, startTs } = parsed.data;
      if (
        deviceConfigId &&
        !(await deps.store.studies.deviceConfigs(params.studyId)).some(({ id }) => id === deviceConfigId)
      ) {
        throw notFound('device configuration in this study');
      }
      const payload: ImportPayload = {
        studyId: params.studyId,
        subjectId: params.subjectId,
        paths,
        options: {
          ...(location ? { location } : {}),
          ...(side ? { side } : {}),
          timeZone: timeZone ?? scope.subject.timezone,
          ...(startTs ? { defaultStartUs: Number(startTs) * 1000 } : {}),
        },
        ...(deviceConfigId ? { deviceConfigId } : {}),
        ownsFiles: true,
      };
      return toJob(await deps.jobs.enqueue('import', payload, changeBy(caller)));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  };
}
