/** Commands of this computer for the docks of a running site: for servers without a desk. Their actor is the system. */
import { z } from 'zod';
import { SYSTEM } from '../db/index.ts';
import type { Docks, ShownTransfer } from '../docks/docks.ts';
import { unreadableIn } from '../docks/found-folder.ts';
import { OutpostError } from '../errors.ts';
import type { Store } from '../services/index.ts';
import type { FileFault } from '../vocabulary/docks.ts';
import { callRunningSite } from './control/control-client.ts';
import type { ControlCommands } from './control/control-server.ts';

export { FAULT_TEXTS } from '../docks/match-found.ts';

/** A recording as the command line prints it. */
export interface ListedTransfer {
  id: string;
  found: string;
  /** Of a set. */
  files: string[];
  state: string;
  sizeBytes: number;
  receivedBytes: number;
  serial?: string | undefined;
  startTs?: number | undefined;
  stopTs?: number | undefined;
  studyId?: string | undefined;
  subjectId?: string | undefined;
  message?: string | undefined;
  sha256?: string | undefined;
}

const LIST = 'listTransfers';
const UNREADABLE = 'listUnreadableFiles';
const TAKE = 'takeTransfer';
const CONFIRM = 'confirmTransfer';

/** `id` may be its first letters, where they are of one recording. */
const taken = z.strictObject({
  id: z.string(),
  studyId: z.string().optional(),
  subjectId: z.string().optional(),
  reason: z.string().optional(),
  /** Display name or id of a template of the study, for a table. */
  template: z.string().optional(),
  startTs: z.number().optional(),
});
const confirmed = z.strictObject({ id: z.string(), reason: z.string().trim().min(1) });

/** What a running site does for the commands below. */
export function dockCommands(docks: Docks, store: Store): ControlCommands {
  const all = async () => (await Promise.all((await store.accounts.list()).map(({ id }) => docks.list(id)))).flat();
  const find = async (id: string): Promise<ShownTransfer> => {
    const matching = (await all()).filter((shown) => shown.id.startsWith(id));
    if (matching.length === 1) return matching[0]!;
    throw new OutpostError(
      'NOT_FOUND',
      `${matching.length === 0 ? 'No recording has' : 'Several recordings have'} the id ${id}.`,
    );
  };
  const templateOf = async (studyId: string, name: string): Promise<string> => {
    const { csvTemplates } = await store.studies.require(studyId);
    const found = csvTemplates.filter(({ id, displayName }) => id === name || displayName === name);
    if (found.length === 1) return found[0]!.id;
    throw new OutpostError(
      'NOT_FOUND',
      `${found.length === 0 ? 'No template' : 'Several templates'} of the study ${found.length === 0 ? 'is' : 'are'} named ${name}.`,
    );
  };
  return {
    [LIST]: async () => (await all()).map(listed),
    [UNREADABLE]: async () =>
      docks.folders.flatMap(({ rule, seen }) =>
        unreadableIn(seen).map(({ name, why }) => ({ path: `${rule.path}/${name}`, why })),
      ),
    [TAKE]: async (input) => {
      const { id, template, startTs, ...given } = taken.parse(input);
      const shown = await find(id);
      const { studyId = shown.match?.studyId, subjectId = shown.match?.subjectId } = given;
      if (studyId === undefined || subjectId === undefined) {
        throw new OutpostError('INVALID_INPUT', 'Nobody is known to have held the device: name study and subject.');
      }
      const change = { ...SYSTEM, ...(given.reason && { reason: given.reason }) };
      const csvTemplateId = template === undefined ? undefined : await templateOf(studyId, template);
      const options = startTs === undefined ? {} : { defaultStartUs: startTs * 1000 };
      return listed(
        await docks.take(shown.id, { studyId, subjectId, reason: given.reason, options, csvTemplateId }, change),
      );
    },
    [CONFIRM]: async (input) => {
      const { id, reason } = confirmed.parse(input);
      return listed(await docks.confirm((await find(id)).id, { ...SYSTEM, reason }));
    },
  };
}

function listed({ id, found, match, row, progress }: ShownTransfer): ListedTransfer {
  const facts = row ?? { ...match, ...found, ...found?.recognised };
  return {
    id,
    found: facts.displayName ?? '',
    files: (row ? (row.files ?? []) : (found?.members ?? [])).map(({ name }) => name),
    state: row?.state ?? (match?.question ? 'QUESTION' : 'OFFERED'),
    sizeBytes: facts.sizeBytes ?? 0,
    receivedBytes: Math.max(row?.receivedBytes ?? 0, progress?.receivedBytes ?? 0),
    serial: facts.serial,
    startTs: facts.startTs,
    stopTs: facts.stopTs,
    studyId: facts.studyId,
    subjectId: facts.subjectId,
    message: progress?.problem?.message ?? row?.message ?? match?.question?.message,
    sha256: row?.sha256,
  };
}

/** @throws SITE_MISSING when no site of this folder runs, which is what looks at docks */
async function ofRunningSite<T>(dir: string, command: string, input: object): Promise<T> {
  const answer = await callRunningSite(dir, command, input);
  if (answer) return answer.result as T;
  throw new OutpostError('SITE_MISSING', 'No site of this folder is running. Start it, such as with outpost serve.');
}

export const listTransfers = (dir: string) => ofRunningSite<ListedTransfer[]>(dir, LIST, {});
/** Files of watched folders that cannot be read now. */
export const listUnreadable = (dir: string) => ofRunningSite<{ path: string; why: FileFault }[]>(dir, UNREADABLE, {});
export const takeTransfer = (dir: string, input: z.input<typeof taken>) =>
  ofRunningSite<ListedTransfer>(dir, TAKE, input);
export const confirmTransfer = (dir: string, input: z.input<typeof confirmed>) =>
  ofRunningSite<ListedTransfer>(dir, CONFIRM, input);
