import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifySite } from '../integrity/verify.ts';
import type { UploadFile } from './upload-client.ts';

/** What is wrong with a closed site that has received exactly these files: each is stored once, byte for byte, and nothing waits. */
export async function problemsInTheEnd(dir: string, files: readonly UploadFile[]): Promise<string[]> {
  const problems = (await verifySite(dir)).problems.map(({ message }) => `in the end: ${message}`);
  const signals = (await readdir(join(dir, 'signals'))).filter((name) => name.endsWith('.sig')).sort();
  const expected = files.map(({ recordingId }) => `${recordingId}.sig`).sort();
  if (String(signals) !== String(expected)) problems.push(`Signal files: ${signals.join(', ')}.`);
  else
    for (const { recordingId, bytes } of files) {
      const stored = await readFile(join(dir, 'signals', `${recordingId}.sig`));
      if (!stored.equals(bytes)) problems.push(`Recording ${recordingId} has other bytes.`);
    }
  const left = await readdir(join(dir, 'inbox'), { recursive: true, withFileTypes: true });
  for (const entry of left) if (entry.isFile()) problems.push(`The inbox still holds ${entry.name}.`);
  return problems;
}
