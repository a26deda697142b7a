/**
 * The record of one update, from its preparation to the day it is trusted or taken back. It is written before each step that a power
 * cut could interrupt, so the next start, of whichever version, knows what was under way.
 */
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../src-server/files/durable-files.ts';

const backupSchema = z.union([
  z.object({ id: z.string(), directory: z.string(), createdTs: z.number() }),
  /** What the person wrote who wanted none; `none` where no site was open. */
  z.object({ declined: z.string() }),
]);

const fileSchema = z.object({ path: z.string(), sizeBytes: z.number(), sha512: z.string() });
export type KeptFile = z.infer<typeof fileSchema>;

const attemptSchema = z.object({
  from: z.string(),
  to: z.string(),
  /**
   * `ready`: copied and checked. `installing`: the installer runs, or the program was killed. `trial`: the new version has started, and
   * has not shown yet that it works. `confirmed`: it has. `failed`: it has not. `returning`: the version before is installed again.
   */
  stage: z.enum(['ready', 'installing', 'trial', 'confirmed', 'failed', 'returning', 'returned', 'not-installed']),
  atMs: z.number(),
  /** The user of the computer who prepared it, and who asked for the way back. */
  by: z.string().optional(),
  returnedBy: z.string().optional(),
  installsOnQuit: z.boolean().optional(),
  backup: backupSchema.optional(),
  /** What installs the version before. */
  previous: fileSchema.optional(),
  /** Starts of the new version that have not opened the site. */
  opens: z.number().int().min(0).default(0),
  selfTest: z.union([z.literal('passed'), z.object({ failed: z.string() })]).optional(),
  /** Why the site did not open. */
  problem: z.string().optional(),
});
export type UpdateAttempt = z.infer<typeof attemptSchema>;

const fileContent = z.object({
  /** When the newest list was made that was accepted. */
  newestListTs: z.number().default(0),
  attempt: attemptSchema.optional().catch(undefined),
});

/** After this many starts that did not open the site, the way back is offered instead of another one. */
const MAX_OPENS = 2;

export class UpdateRecord {
  readonly #path: string;
  #content: z.infer<typeof fileContent>;

  constructor(path: string) {
    this.#path = path;
    try {
      this.#content = fileContent.parse(JSON.parse(readFileSync(path, 'utf8')));
    } catch {
      this.#content = { newestListTs: 0 };
    }
  }

  get attempt(): Readonly<UpdateAttempt> | undefined {
    return this.#content.attempt;
  }

  get newestListTs(): number {
    return this.#content.newestListTs;
  }

  /** Remembers a list, so that no older one is accepted later. */
  async accept(createdTs: number): Promise<void> {
    if (createdTs > this.#content.newestListTs) await this.#write({ ...this.#content, newestListTs: createdTs });
  }

  async begin(attempt: Omit<UpdateAttempt, 'opens'>): Promise<void> {
    await this.#write({ ...this.#content, attempt: { ...attempt, opens: 0 } });
  }

  async change(members: Partial<UpdateAttempt>): Promise<void> {
    const { attempt } = this.#content;
    if (attempt) await this.#write({ ...this.#content, attempt: { ...attempt, ...members } });
  }

  async forget(): Promise<void> {
    await this.#write({ newestListTs: this.#content.newestListTs });
  }

  async #write(content: z.infer<typeof fileContent>): Promise<void> {
    this.#content = content;
    await mkdir(dirname(this.#path), { recursive: true });
    await writeDurably(this.#path, JSON.stringify(content));
  }
}

/** What the start of a program finds: nothing to do, the first start of a new version, or a version that did not prove itself. */
export type StartState = 'usual' | 'trial' | 'failed';

/** Moves the record on at the start of `version`. @returns what this start has to do */
export async function stateAtStart(record: UpdateRecord, version: string): Promise<StartState> {
  const { attempt } = record;
  if (!attempt) return 'usual';
  const { stage, from, to } = attempt;
  if (version === to && (stage === 'installing' || stage === 'ready' || stage === 'not-installed')) {
    await record.change({ stage: 'trial', opens: 0 });
    return 'trial';
  }
  if (version === to && stage === 'trial') return attempt.opens >= MAX_OPENS ? 'failed' : 'trial';
  if (version === to && (stage === 'failed' || stage === 'returning')) return 'failed';
  if (version === from && stage === 'returning') await record.change({ stage: 'returned' });
  if (version === from && stage === 'installing') await record.change({ stage: 'not-installed' });
  // Another version was installed by hand.
  if (version !== from && version !== to) await record.forget();
  return 'usual';
}
