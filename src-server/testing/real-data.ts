/** Real recordings next to the repository, for tests and benches; callers skip where they are absent. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Path of a file or folder under `../shared/data` of any parent folder, or null. */
export function realData(relativePath: string): string | null {
  let folder = import.meta.dirname;
  for (;;) {
    const candidate = join(folder, '..', 'shared', 'data', relativePath);
    if (existsSync(candidate)) return candidate;
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}
