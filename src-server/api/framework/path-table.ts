/**
 * Finds what is mounted at a path in one walk over its segments, however many paths there are. It matches as Express does: letters
 * of either case, one slash more at the end, and a literal segment before a parameter.
 */

interface Branch<T> {
  literals: Map<string, Branch<T>>;
  parameter: Branch<T> | undefined;
  value: T | undefined;
}

interface PathMatch<T> {
  value: T;
  /** Segments at the parameters of the path, in its order, as the caller sent them. */
  segments: readonly string[];
}

const newBranch = <T>(): Branch<T> => ({ literals: new Map(), parameter: undefined, value: undefined });

const isParameter = (segment: string): boolean => segment.startsWith('{');

function segmentsOf(path: string): string[] {
  const segments = path.split('/');
  // Before the first slash is nothing.
  segments.shift();
  return segments;
}

/** Names of the parameters of a path such as `/studies/{studyId}`, in its order. */
export function parameterNames(path: string): string[] {
  return segmentsOf(path)
    .filter(isParameter)
    .map((segment) => segment.slice(1, -1));
}

export class PathTable<T> {
  readonly #root = newBranch<T>();

  /**
   * Returns what is mounted at the path, or at one that differs in the names of parameters only.
   * @param make is called for a new path
   */
  getOrAdd(path: string, make: () => T): T {
    let branch = this.#root;
    for (const segment of segmentsOf(path)) {
      if (isParameter(segment)) {
        branch.parameter ??= newBranch();
        branch = branch.parameter;
        continue;
      }
      const name = segment.toLowerCase();
      const next = branch.literals.get(name) ?? newBranch<T>();
      branch.literals.set(name, next);
      branch = next;
    }
    branch.value ??= make();
    return branch.value;
  }

  /** Returns what is mounted at the path of a request, from `offset` in it. */
  find(path: string, offset = 0): PathMatch<T> | undefined {
    const segments = segmentsOf(offset === 0 ? path : path.slice(offset));
    if (segments.at(-1) === '') segments.pop();
    const taken: string[] = [];
    const value = walk(this.#root, segments, 0, taken);
    return value === undefined ? undefined : { value, segments: taken };
  }
}

function walk<T>(branch: Branch<T>, segments: readonly string[], at: number, taken: string[]): T | undefined {
  const segment = segments[at];
  if (segment === undefined) return branch.value;
  if (segment === '') return undefined;
  const literal = branch.literals.get(segment.toLowerCase());
  const found = literal && walk(literal, segments, at + 1, taken);
  if (found !== undefined || !branch.parameter) return found;
  const { length } = taken;
  taken.push(segment);
  const below = walk(branch.parameter, segments, at + 1, taken);
  if (below === undefined) taken.length = length;
  return below;
}
