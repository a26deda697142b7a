/** Recognises a file by its first bytes: what it is, whose device it came from, and what an import would make of it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { RECEIVING } from '../../../files/inbox.ts';
import { isTimeZone, siteTimeZone } from '../../../study/zones.ts';
import type { CsvMapping } from '../../../vocabulary/csv-mapping.ts';
import { csvMapping } from '../../contract/resources/csv-mapping.ts';
import {
  recognitionRoutes as contract,
  MAX_PART_BYTES,
  type Recognition,
} from '../../contract/resources/recognition.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Caller } from '../../framework/authenticate.ts';
import { mayReadStudy } from '../../framework/authorize.ts';
import { invalidField, invalidInput } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { readMultipart } from '../../framework/multipart.ts';

const PARTS = ['head', 'tail'] as const;

async function bytesOf(part: string, stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).byteLength;
    if (size > MAX_PART_BYTES) throw invalidField(part, `must have at most ${MAX_PART_BYTES} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** @throws INVALID_INPUT */
export function parseMapping(text: string | undefined): CsvMapping | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidField('csvMapping', 'must be JSON');
  }
  const parsed = csvMapping.safeParse(value);
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

/** The registered equipment of a serial number. A subject that the caller may not see is not named. */
async function registered(
  deps: ApiDeps,
  caller: Caller,
  accountId: string,
  serial: string,
): Promise<Recognition['register']> {
  const { equipment, subjects } = deps.store;
  const found = (await equipment.findBySerial(accountId, serial)) ?? (await equipment.findByUdid(serial));
  if (!found || found.accountId !== accountId) return undefined;
  const { holder } = found;
  const isSeen = holder !== undefined && (await mayReadStudy(deps, caller, holder.studyId));
  const subject = isSeen ? await subjects.get(holder.subjectId) : undefined;
  return {
    equipmentId: found.id,
    displayName: found.displayName,
    isHeld: holder !== undefined,
    ...(holder && subject && { holder: { ...holder, displayName: subject.displayName } }),
  };
}

export function recognitionHandlers(deps: ApiDeps): Handlers<typeof contract> {
  return {
    recogniseFile: async ({ params, scope, caller, request }) => {
      const parts: Partial<Record<(typeof PARTS)[number], Buffer>> = {};
      const fields = await readMultipart(request, PARTS.length, async (part, stream) => {
        const name = PARTS.find((one) => one === part);
        if (!name) stream.resume();
        else parts[name] = await bytesOf(name, stream);
      });
      const { head, tail } = parts;
      if (!head?.byteLength) throw invalidField('head', 'is required');
      const parsed = contract.recogniseFile.body.safeParse(fields);
      if (!parsed.success) throw invalidInput(parsed.error);
      const { fileName, sizeBytes, timeZone } = parsed.data;
      if (timeZone !== undefined && !isTimeZone(timeZone)) throw invalidField('timeZone', 'is not a time zone');
      const mapping = parseMapping(parsed.data.csvMapping);
      const { csvTemplates } = await deps.store.studies.require(params.studyId);
      const { startMs, device, ...facts } = await deps.recognise({
        // Left by a crash, it is removed at the next start.
        directory: join(deps.inboxDir, `${randomUUID()}${RECEIVING}`),
        fileName,
        sizeBytes: Number(sizeBytes),
        head,
        ...(tail && { tail }),
        ...(timeZone !== undefined && { timeZone }),
        ...(mapping && { mapping }),
        templates: csvTemplates,
      });
      const register = device?.serial && (await registered(deps, caller, scope.study.accountId, device.serial));
      return {
        ...facts,
        siteTimeZone: siteTimeZone(),
        ...(startMs !== undefined && { startTs: startMs }),
        ...(device && { device }),
        ...(register && { register }),
      };
    },
  };
}
