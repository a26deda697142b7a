import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../api/contract/client.ts';
import { SYSTEM } from '../../db/index.ts';
import { type RunningSite, startSite } from '../../site/server.ts';
import { makeTestSite, signIn, type TestSite } from '../../testing/test-site.ts';
import { zipContents } from '../../testing/zip-contents.ts';

const ZEROS = '0'.repeat(64);
let place: TestSite;
let site: RunningSite;
let client: Client;
let folder: string;
const audit = () => site.folder.store.audit;

beforeAll(async () => {
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
  folder = await mkdtemp(join(tmpdir(), 'outpost-audit-'));
  const params = { studyId: place.studyId, subjectId: place.subjectIds[0]! };
  // Everything that Python and JavaScript could read or write differently.
  const texts = [
    '=1+1',
    "'=1",
    "'",
    '',
    'a "quoted", cell',
    'line\r\nbreak\ntab\t',
    '\u0000\u001f\u007f\u2028\ud83d\ude00',
    '-5',
    '＝式',
    'x'.repeat(300_000),
  ];
  for (const text of texts) {
    const change = { actor: { type: 'USER', id: place.userId }, reason: text } as const;
    const changes = { value: { old: text, new: [1.5, 1e21, -0, { b: 1, a: text }] } };
    await audit().note(change, { action: 'test', entityType: 'setting', entityId: 'odd', changes });
  }
  await client.call('updateSubject', { params, body: { age: 40 } });
  await audit().note(SYSTEM, { action: 'test', entityType: 'subject', entityId: 'other', studyId: place.studyId });
  await client.call('updateSubject', { params, body: { age: 41 } });
});
afterAll(async () => {
  await site.close();
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Exported {
  rows: number;
  closingHash: string;
  members: Map<string, Buffer>;
  csv: string;
}

async function download(made: { href: string; rows: number; closingHash: string }): Promise<Exported> {
  const response = await fetch(made.href);
  expect(response.headers.get('content-disposition')).toMatch(/audit-\d{4}-\d\d-\d\d\.zip/);
  const members = await zipContents(Buffer.from(await response.arrayBuffer()));
  return { rows: made.rows, closingHash: made.closingHash, members, csv: String(members.get('audit.csv')) };
}
const exportWhole = async () =>
  await download(await client.call('exportAccountAudit', { params: { accountId: place.accountId }, body: {} }));
const exportSubject = async () => {
  const selection = { entityType: 'subject', entityId: place.subjectIds[0]! };
  return await download(await client.call('exportStudyAudit', { params: { studyId: place.studyId }, body: selection }));
};

/** Runs the exported program with the computer's Python, without any of its packages and settings. */
function verify(dir: string, ...parameters: string[]): { code: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync('python3', ['-I', '-S', join(dir, 'verify-audit.py'), ...parameters]);
  return { code: status, text: `${stdout}${stderr}` };
}

async function unpacked({ members }: Exported, csv?: string, without: string[] = []): Promise<string> {
  const dir = await mkdtemp(join(folder, 'export-'));
  for (const [name, bytes] of members) if (!without.includes(name)) await writeFile(join(dir, name), bytes);
  if (csv !== undefined) await writeFile(join(dir, 'audit.csv'), csv);
  return dir;
}

/** Rows of a file: a line feed within quotes is no end. */
const rowsOf = (csv: string): string[] => csv.match(/(?:[^"\n]|"[^"]*")*\n/g) ?? [];

/** A row whose reason is another, with the hash that belongs to it. */
function forged(row: string): string {
  const program = `
import csv, hashlib, json, sys
row = next(csv.reader([sys.stdin.read()]))
names = ["sequence","timeTs","time","actorType","actorId","action","entityType","entityId","studyId","subjectId","reason","changes","erasedBy","previousHash","hash"]
value = dict(zip(names, row))
value["reason"] = "forged"
content = {name: value[name] or None for name in ["action","actorId","actorType","changes","entityId","entityType","reason","sequence","studyId","subjectId","timeTs"]}
content["sequence"] = int(value["sequence"]); content["timeTs"] = int(value["timeTs"])
value["hash"] = hashlib.sha256((value["previousHash"] + json.dumps(content, separators=(",", ":"))).encode()).hexdigest()
csv.writer(sys.stdout, lineterminator="\\n").writerow([value[name] for name in names])`;
  return execFileSync('python3', ['-c', program], { input: row }).toString();
}

describe('an exported audit trail', () => {
  it('is verified by its own program, and its seal is the head of the chain', async () => {
    const head = await audit().head();
    const whole = await exportWhole();
    expect(whole).toMatchObject({ rows: head.sequence, closingHash: head.hash });
    const dir = await unpacked(whole);
    const outcome = verify(dir, '--expect', `${whole.rows}:${whole.closingHash}`);
    expect(outcome).toEqual({ code: 0, text: expect.stringContaining('INTACT') });
    expect(outcome.text).toContain(`Rows: ${head.sequence}\nClosing hash: ${head.hash}`);
    expect(String(whole.members.get('names.csv'))).toContain(place.userId);
    expect(String(whole.members.get('README.txt'))).toContain(head.hash);
  });

  it('is recorded with its seal, and is the same file when it is downloaded again later', async () => {
    const made = await client.call('exportAccountAudit', { params: { accountId: place.accountId }, body: {} });
    const first = await download(made);
    await audit().note(SYSTEM, { action: 'test', entityType: 'site', entityId: 'later' });
    expect((await download(made)).csv).toBe(first.csv);
    const [entry] = await audit().list({ entityType: 'audit', limit: 1 });
    expect(entry).toMatchObject({
      action: 'audit.export',
      actor: { id: place.userId },
      changes: { closingHash: { new: made.closingHash }, rows: { new: made.rows } },
    });
  });

  it('names the first row that is changed, cut, moved, doubled or forged', async () => {
    const whole = await exportWhole();
    const rows = rowsOf(whole.csv);
    expect(rows.join('')).toBe(whole.csv);
    expect(rows).toHaveLength(whole.rows + 1);
    const at = rows.findIndex((row) => row.includes('""age""'));
    const replaced = (index: number, ...by: string[]) => rows.toSpliced(index, 1, ...by).join('');
    const row = rows[at]!;
    const cases: [string, string, string][] = [
      ['an edited value', replaced(at, row.replace('""new"":40', '""new"":39')), `row ${at} (entry ${at}) was changed`],
      ['an edited time', replaced(at, row.replace(/,20(\d\d)-/, ',19$1-')), `row ${at} (entry ${at}) was changed`],
      ['a removed row', replaced(at), `row ${at} (entry ${at + 1}): entries ${at} to ${at} are missing`],
      ['two rows exchanged', rows.toSpliced(at, 2, rows[at + 1]!, row).join(''), `row ${at} (entry ${at + 1})`],
      ['a doubled row', replaced(at, row, row), `row ${at + 1} (entry ${at}) is out of order`],
      ['a forged row', replaced(at, forged(row)), `row ${at + 1} (entry ${at + 1}) does not follow`],
      ['a removed beginning', rows.toSpliced(1, 3).join(''), 'row 1 (entry 4): entries 1 to 3 are missing'],
      ['a row cut in its middle', whole.csv.slice(0, -80), `row ${rows.length - 1}`],
      ['rows cut at the end', rows.slice(0, -2).join(''), `export.json says ${whole.rows} rows`],
      ['another column', whole.csv.replace('reason', 'note'), 'line 1'],
      ['an older copy', rowsOf(whole.csv).slice(0, 10).join(''), 'removed or added at the end'],
    ];
    for (const [what, csv, words] of cases) {
      expect(csv, what).not.toBe(whole.csv);
      expect({ what, ...verify(await unpacked(whole, csv)) }).toEqual({
        what,
        code: 1,
        text: expect.stringContaining(words),
      });
    }
    const alone = await unpacked(whole, rows.slice(0, -2).join(''), ['export.json']);
    expect(verify(alone).text).toContain('compare these two with what the site showed');
    expect(verify(alone, '--expect', `${whole.rows}:${whole.closingHash}`).code).toBe(1);
    expect(verify(await unpacked(whole, whole.csv.replaceAll(/\n(?=\d+,\d{13},)/g, '\r\n'))).code).toBe(0);
  });

  it('continues an earlier trail, unless the site was replaced by an older copy', async () => {
    const earlier = await exportWhole();
    const dir = await unpacked(await exportWhole());
    expect(verify(dir, '--since', `${earlier.rows}:${earlier.closingHash}`).code).toBe(0);
    expect(verify(dir, '--since', `${earlier.rows}:${ZEROS}`)).toMatchObject({ code: 1, text: /is another one/ });
    const old = await unpacked(earlier);
    expect(verify(old, '--since', `${earlier.rows + 1}:${ZEROS}`)).toMatchObject({ code: 1, text: /is missing/ });
  });

  it('of one record is part of the whole trail, and shows that none of its rows is missing', async () => {
    const record = await exportSubject();
    const rows = rowsOf(record.csv);
    expect(rows.length).toBe(4);
    expect(createHash('sha256').update(record.csv).digest('hex')).not.toBe(record.closingHash);
    const whole = await unpacked(await exportWhole());
    const against = ['--against', join(whole, 'audit.csv')];
    const dir = await unpacked(record);
    expect(verify(dir, '--expect', `${record.rows}:${record.closingHash}`, ...against).code).toBe(0);
    const cut = await unpacked(record, rows.toSpliced(2, 1).join(''));
    expect(verify(cut)).toMatchObject({ code: 1, text: /export\.json says 3 rows/ });
    const facts = JSON.parse(String(record.members.get('export.json'))) as Record<string, unknown>;
    const digest = createHash('sha256');
    for (const row of rows.toSpliced(2, 1).slice(1))
      digest.update(`${row.split(',')[0]}:${row.trimEnd().slice(-64)}\n`);
    await writeFile(join(cut, 'export.json'), JSON.stringify({ ...facts, rows: 2, closingHash: digest.digest('hex') }));
    expect(verify(cut).code).toBe(0);
    expect(verify(cut, ...against)).toMatchObject({ code: 1, text: /of the whole trail is missing in the export/ });
    const swapped = await unpacked(record, rows.toSpliced(1, 2, rows[2]!, rows[1]!).join(''));
    expect(verify(swapped)).toMatchObject({ code: 1, text: /row 2 .* is out of order/ });
  });
});
