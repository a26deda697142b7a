/** Why an update is not used. Each reason has its own sentence in `updates-words.ts`; none of them changes anything on the computer. */

export type RefusalReason =
  | 'folder-missing'
  | 'no-list'
  | 'list-unreadable'
  | 'not-signed'
  | 'signature-wrong'
  | 'other-product'
  | 'list-older'
  | 'version-older'
  | 'other-computer'
  | 'schema-not-covered'
  | 'file-missing'
  | 'file-not-plain'
  | 'size-differs'
  | 'hash-differs'
  | 'folder-changed'
  | 'disk-full';

/** What the sentence names, such as a file or a version. */
export type RefusalFacts = Readonly<Partial<Record<'file' | 'version' | 'folder', string>>>;

export class UpdateRefused extends Error {
  readonly reason: RefusalReason;
  readonly facts: RefusalFacts;

  constructor(reason: RefusalReason, facts: RefusalFacts = {}) {
    super(`The update is refused: ${reason} ${JSON.stringify(facts)}`);
    this.name = 'UpdateRefused';
    this.reason = reason;
    this.facts = facts;
  }
}

const CODES: Readonly<Record<string, RefusalReason>> = {
  ENOENT: 'file-missing',
  ENOTDIR: 'file-missing',
  ELOOP: 'file-not-plain',
  EISDIR: 'file-not-plain',
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
};

/** The refusal behind a failure of the file system; other failures as they are. */
export function asRefusal(thrown: unknown, facts: RefusalFacts): unknown {
  if (thrown instanceof UpdateRefused) return thrown;
  const reason = CODES[(thrown as NodeJS.ErrnoException).code ?? ''];
  return reason ? new UpdateRefused(reason, facts) : thrown;
}
