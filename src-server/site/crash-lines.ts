/**
 * What a report of a crash may hold of a stack or of the last output of a process. Messages of errors can hold anything: names,
 * paths, what a person typed. So nothing is searched for and removed; only lines and messages of known forms are kept, without the parts
 * that vary.
 */
import { constants } from 'node:os';

/** Messages of V8, Node and SQLite, with what is kept of each. */
const KNOWN_MESSAGES: readonly RegExp[] = [
  /^(Cannot (?:read|set) properties of (?:undefined|null))\b/,
  /^()\S+ (is not (?:a function|a constructor|defined|iterable|extensible))\b/,
  /^(Cannot access) .+ (before initialization)$/,
  /^(Assignment to constant variable)/,
  /^(Invalid (?:array|typed array|string|array buffer|date) (?:length|value))\b/i,
  /^(Array buffer allocation failed)/,
  /^(Maximum call stack size exceeded)/,
  /^(Unexpected (?:token|end of JSON input|non-whitespace character))\b/,
  /^((?:UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed)\b/,
  /^(database is locked|database or disk is full|disk I\/O error|database disk image is malformed|unable to open database file|attempt to write a readonly database|no such (?:table|column))\b/,
  /^(The database connection is not open)/,
];

/** Of V8 when it ends the process, and of Node when it dies on an error. */
const KNOWN_LINES: readonly RegExp[] = [
  /^FATAL ERROR: (?:[\w:]+ )?(?:Reached heap limit |Ineffective mark-compacts near heap limit )?Allocation failed - (?:JavaScript heap out of memory|process out of memory)/,
  /^#? ?Fatal (?:error in|JavaScript (?:invalid size error|out of memory))/,
  /^-{3,} (?:Native|JavaScript) stack trace -{3,}$/,
  /^\[\d+:0x[0-9a-f]+\] +\d+ ms: [A-Z][a-z]+(?:-[A-Z][a-z]+)?(?: \([a-z ]+\))? [\d.]+ \([\d.]+\) -> [\d.]+ \([\d.]+\) MB/,
  /^Node\.js v[\d.]+$/,
];

const LEFT_OUT = '(message left out: it may hold personal data)';
const MOST_LINES = 60;

/** Returns the kept lines, in their order. `roots` are the folders of the program; files elsewhere are not named. */
export function crashLines(text: string, roots: readonly string[]): string[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => lineOf(line, roots) ?? [])
    .slice(0, MOST_LINES);
}

function lineOf(line: string, roots: readonly string[]): string | undefined {
  const known = KNOWN_LINES.map((form) => form.exec(line)?.[0]).find((found) => found !== undefined);
  if (known !== undefined) return known;
  const native = /^ *\d+: 0x[0-9a-f]+ .*$/.test(line) ? nativeFrameOf(line) : undefined;
  if (native !== undefined) return native;
  const frame = /^ *(?:at|\d+:) (?:(.*) \()?((?:[a-z]+:)?[^\s()]*(?: [^()]*)?):(\d+):(\d+)\)?$/.exec(line);
  if (frame) return frameOf(frame, roots);
  const head = /^(?:Uncaught )?(\w*(?:Error|Exception))(?: \[([A-Z0-9_]+)\])?(?:: (.*))?$/.exec(line);
  if (!head) return undefined;
  const [, name = 'Error', code, message] = head;
  // Names of errors that somebody made up could hold anything too.
  const shown = /^(?:[A-Z][a-z]+){0,3}(?:Error|Exception)$/.test(name) ? name : 'Error';
  return `${shown}${code === undefined ? '' : ` [${code}]`}${message === undefined ? '' : `: ${keptOfMessage(message)}`}`;
}

/** What may be kept of the message of an error. */
function keptOfMessage(message: string): string {
  const system = /^(E[A-Z0-9]+): /.exec(message)?.[1];
  if (system !== undefined && system in constants.errno) return system;
  for (const form of KNOWN_MESSAGES) {
    const found = form.exec(message);
    if (found) return found.slice(1).filter(Boolean).join(' ... ');
  }
  return LEFT_OUT;
}

/** A frame of C++: the function and the file's own name. */
function nativeFrameOf(line: string): string | undefined {
  const found =
    /^ *(\d+): (0x[0-9a-f]+) ([\w:~<>&*, ()]*?) *\[(?:.*[\\/])?(node|electron|[\w.-]+\.(?:node|so|dylib|dll)[\d.]*)\]$/.exec(
      line,
    );
  if (!found) return undefined;
  const [, index, address, name = '', module] = found;
  return ` ${index}: ${address} ${name === '' ? '' : `${name} `}[${module}]`;
}

/** A frame of JavaScript: the function, and the file within the program. */
function frameOf([, name, file = '', row, column]: RegExpExecArray, roots: readonly string[]): string {
  const place = placeOf(file, roots);
  if (place === undefined) return '    at (elsewhere)';
  // "[as x]" holds the name of a property, which data can be.
  const plain = name?.replace(/ \[as .*\]$/, '');
  const isName = plain !== undefined && /^(?:async |new )*[\w$.#<>]{1,80}$/.test(plain);
  return `    at ${isName ? `${plain} ` : ''}(${place}:${row}:${column})`;
}

function placeOf(file: string, roots: readonly string[]): string | undefined {
  if (/^node:[\w/]+$/.test(file)) return file;
  let path = file;
  try {
    if (file.startsWith('file:')) path = decodeURIComponent(file.replace(/^file:\/\/(?=\/)/, ''));
  } catch {
    return undefined;
  }
  path = path.replaceAll('\\', '/').replace(/^\/(?=[A-Za-z]:\/)/, '');
  for (const root of roots) {
    const folder = `${root.replaceAll('\\', '/').replace(/\/$/, '')}/`;
    const inside = path.startsWith(folder) ? path.slice(folder.length) : undefined;
    if (
      inside !== undefined &&
      /^(?:src-server|src-main|src-renderer|out|node_modules|scripts)\/[\w@./-]+$/.test(inside)
    )
      return inside;
  }
  return undefined;
}
