/** Reads what a ZIP holds, and tables in it, for tests of exports. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openZipMembers } from '../importers/csv/zip-members.ts';

/** Every member by name, in the order of the archive. */
export async function zipContents(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-archive-'));
  try {
    const path = join(folder, 'archive.zip');
    await writeFile(path, bytes);
    const zip = await openZipMembers(path);
    const members = new Map<string, Buffer>();
    for (const member of zip.members) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of member.open()) chunks.push(chunk);
      members.set(member.name, Buffer.concat(chunks));
    }
    zip.close();
    return members;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Rows of a CSV as RFC 4180 has it, header included. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? (plain as string));
    if (end === '\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** Rows of a CSV by the names of its columns. */
export function csvRecords(text: string): Record<string, string>[] {
  const [header = [], ...rows] = csvRows(text);
  return rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ''])));
}
