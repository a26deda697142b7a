/** Lists the lines that use a banned phrase or a retired name: `node scripts/language/check.ts [folder or file...]`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BANNED_PHRASES, RETIRED_NAMES } from './banned.ts';

export interface BannedUse {
  file: string;
  line: number;
  text: string;
  instead: string;
}

const TEXT_FILES = /\.(tsx?|cjs|css|html|md|py)$/;
/** The lists themselves; migrations and old databases, whose text is hashed. */
const PASSED_OVER = /^(scripts\/language\/|resources\/glossary\.md$|src-server\/db\/(migrations|fixtures)\/)/;

/** Uses of what is banned in the tracked files at these paths (all of them by default), by file and line. */
export function bannedUses(paths: readonly string[] = []): BannedUse[] {
  const files = execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' }).split('\n');
  return files
    .filter((file) => TEXT_FILES.test(file) && !PASSED_OVER.test(file))
    .flatMap((file) => {
      const banned = [...BANNED_PHRASES, ...(/\.tsx?$/.test(file) ? RETIRED_NAMES : [])];
      return readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((text, index) =>
          banned
            .filter(({ pattern }) => pattern.test(text))
            .map(({ instead }) => ({ file, line: index + 1, text: text.trim(), instead })),
        );
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const uses = bannedUses(process.argv.slice(2));
  for (const { file, line, text, instead } of uses) console.log(`${file}:${line}: ${text}\n    instead: ${instead}`);
  process.exitCode = uses.length > 0 ? 1 : 0;
}
