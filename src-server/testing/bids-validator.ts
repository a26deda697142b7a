/**
 * The schema validator of BIDS, as its authors publish it. `.ci/bids-validator` fetches it; it is one file of 22 MB that
 * carries the schema (0.11.4, of BIDS 1.10) and needs neither Deno nor the network when the files are handed to it.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const CACHE = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
const VALIDATOR = join(CACHE, 'outpost', 'bids-validator-1.15.0', 'main.mjs');

interface Issue {
  code: string;
  subCode?: string;
  location?: string;
  severity: 'error' | 'warning' | 'ignore';
  issueMessage?: string;
  rule?: string;
}

interface Validator {
  fileListToTree(files: File[]): Promise<unknown>;
  validate(tree: unknown, options: object): Promise<{ issues: { issues: Issue[] } }>;
}

/** True when the validator is not installed; throws in CI, which must have fetched it. */
export function isBidsValidatorMissing(): boolean {
  if (existsSync(VALIDATOR)) return false;
  if (process.env.CI === 'true' && process.getuid?.() === 0) {
    throw new Error('The BIDS validator is not there. See .ci/bids-validator.');
  }
  return true;
}

/** Returns the issues of a dataset, given as its files by path. */
async function bidsIssues(members: ReadonlyMap<string, Buffer>): Promise<Issue[]> {
  const { fileListToTree, validate } = (await import(pathToFileURL(VALIDATOR).href)) as Validator;
  const files = [...members].map(([path, bytes]) => {
    const file = new File([new Uint8Array(bytes)], path.split('/').at(-1)!);
    return Object.defineProperty(file, 'webkitRelativePath', { value: `dataset/${path}` });
  });
  const options = { datasetPath: 'dataset', debug: 'ERROR', ignoreNiftiHeaders: true, blacklistModalities: [] };
  const { issues } = await validate(await fileListToTree(files), options);
  return issues.issues;
}

/** Its errors, and wrong cells of optional columns, which this version only warns of and later ones refuse; as sentences. */
export async function bidsErrors(members: ReadonlyMap<string, Buffer>): Promise<string[]> {
  const issues = await bidsIssues(members);
  return issues
    .filter(({ severity, code }) => severity === 'error' || code.startsWith('TSV_'))
    .map(({ code, subCode, location, issueMessage, rule }) =>
      [code, subCode, location, issueMessage, rule].filter(Boolean).join(' | '),
    );
}
