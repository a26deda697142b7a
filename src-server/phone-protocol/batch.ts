/** The queue of a phone: what goes into the next batch, and what its outcomes mean for each item. */

/** Limits of POST /phone/sync. */
export const BATCH_LIMITS = { reports: 200, messages: 50, readIds: 500, bytes: 8_000_000 } as const;

export interface Outcome {
  id: string;
  state: 'STORED' | 'KNOWN' | 'REFUSED';
  code?: string;
  message?: string;
  /** Only with REFUSED: repeating the item will not help. */
  permanent?: boolean;
}

/** An item as it is sent: its JSON never changes after the first attempt, so that a repeated one is known to the site. */
export interface Outgoing {
  id: string;
  kind: 'REPORT' | 'MESSAGE' | 'READ';
  json: string;
}

export interface Batch {
  reports: Outgoing[];
  messages: Outgoing[];
  /** Their ids are those of the messages of the team. */
  reads: Outgoing[];
}

/** Room for the members of the call itself. */
const ENVELOPE_BYTES = 500;

const utf8 = new TextEncoder();
const bytesOf = (text: string): number => utf8.encode(text).length;

/**
 * Takes as many of the waiting items as one call may carry, oldest first. An item never overtakes an older one of its kind. A
 * single item above the limit goes alone, so that the site can say what is wrong with it.
 */
export function takeBatch(
  waiting: readonly Outgoing[],
  limits: Readonly<Record<keyof typeof BATCH_LIMITS, number>> = BATCH_LIMITS,
): Batch {
  const batch: Batch = { reports: [], messages: [], reads: [] };
  const places = {
    REPORT: [batch.reports, limits.reports],
    MESSAGE: [batch.messages, limits.messages],
    READ: [batch.reads, limits.readIds],
  } as const;
  let bytes = ENVELOPE_BYTES;
  for (const item of waiting) {
    const [list, most] = places[item.kind];
    const size = bytesOf(item.json) + 1;
    const isFirst = bytes === ENVELOPE_BYTES;
    if (list.length >= most || (bytes + size > limits.bytes && !isFirst)) break;
    list.push(item);
    bytes += size;
  }
  return batch;
}

/** The body of POST /phone/sync. The items keep their very text: nothing is parsed and written again. */
export function batchBody(
  { reports, messages, reads }: Batch,
  contact: { clockTs: number; batteryPercent?: number },
): string {
  const list = (items: readonly Outgoing[]) => `[${items.map(({ json }) => json).join(',')}]`;
  const head = JSON.stringify(contact).slice(0, -1);
  const readIds = JSON.stringify(reads.map(({ id }) => id));
  return `${head},"reports":${list(reports)},"messages":${list(messages)},"readIds":${readIds}}`;
}

/** What becomes of an item: it left the phone, is set aside permanently, or stays in the queue. */
export type Fate = 'GONE' | 'REFUSED' | 'STAYS';

export function fateOf({ state, permanent }: Outcome): Fate {
  if (state !== 'REFUSED') return 'GONE';
  return permanent ? 'REFUSED' : 'STAYS';
}
