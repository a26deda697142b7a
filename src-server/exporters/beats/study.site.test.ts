import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANALYTICS_VERSION } from '../../analytics/index.ts';
import { newId, type RecordingRecord } from '../../db/index.ts';
import { addIntervalRecording } from '../../testing/interval-recording.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { csvRecords, csvRows } from '../../testing/zip-contents.ts';
import { DEFAULT_ANALYSIS_PARAMETERS } from '../../vocabulary/analysis-parameters.ts';
import { beatText } from './files.ts';
import { writeBeatsStudy } from './study.ts';

const START_US = Date.UTC(2026, 0, 10, 9) * 1000;

let api: TestApi;
let folder: ReturnType<typeof temporaryFolder>;
let recordings: RecordingRecord[];
beforeAll(async () => {
  folder = temporaryFolder();
  api = await startTestApi({ timeZones: ['Asia/Tokyo', 'US/Eastern'] });
  recordings = [];
  const [strap, patch] = api.subjectIds.map((subjectId) => ({ studyId: api.studyId, subjectId }));
  const { store, deps } = api;
  const beatsUs = Array.from({ length: 375 }, (_, i) => START_US + i * 800_000);
  recordings.push(await addIntervalRecording(store, deps.signalsDir, strap!, beatsUs));
  const options = { startUs: START_US + 7200e6, durationSeconds: 300, ecgRateHz: 125 };
  recordings.push(await addTestRecording(store, deps.signalsDir, patch!, options));
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

/** Sample numbers of an annotation file: two bytes per annotation, the code above ten bits of samples since the one before; SKIP is followed by four bytes. */
function annotatedSamples(bytes: Buffer): number[] {
  const samples: number[] = [];
  let sample = 0;
  for (let at = 0; bytes.readUInt16LE(at) !== 0; at += 2) {
    const word = bytes.readUInt16LE(at);
    if (word >> 10 === 59) {
      sample += (bytes.readUInt16LE(at + 2) << 16) | bytes.readUInt16LE(at + 4);
      at += 4;
      continue;
    }
    sample += word & 0x3ff;
    samples.push(sample);
  }
  return samples;
}

const source = () => ({ store: api.store, signalsDir: api.deps.signalsDir });

describe('the beats of a study', () => {
  it('holds what the downloads of each recording hold, and annotations that a WFDB reader places on the same beats', async () => {
    const dir = join(folder.path, 'plain');
    const { facts, members } = await unpackStudyExport(writeBeatsStudy, source(), dir, { studyId: api.studyId });
    expect(facts).toMatchObject({ subjects: 2, recordings: 2 });
    for (const { id, subjectId } of recordings) {
      const path = join(api.deps.signalsDir, `${id}.sig`);
      const text = async (form: 'csv' | 'kubios') => (await Array.fromAsync(beatText(form, path))).join('');
      const csv = members.get(`beats/${subjectId}/${id}.csv`)!.toString();
      expect(csv).toBe(await text('csv'));
      expect(csvRows(csv).length).toBeGreaterThan(10);
      expect(members.get(`rr/${subjectId}/${id}.txt`)!.toString()).toBe(await text('kubios'));
      const name = id.replaceAll('-', '_');
      const stem = `wfdb/${subjectId}/${name}`;
      const times = csvRows(csv)
        .slice(1)
        .map(([us]) => Number(us));
      expect(members.get(`${stem}.hea`)!.toString()).toMatch(new RegExp(`^${name} 0 1000 `));
      const [, startUs] = /start_us: (\d+)/.exec(members.get(`${stem}.hea`)!.toString())!;
      const placed = annotatedSamples(members.get(`${stem}.qrs`)!).map((sample) => Number(startUs) + sample * 1000);
      expect(placed.length).toBe(times.length);
      for (const [i, us] of placed.entries()) expect(Math.abs(us - times[i]!)).toBeLessThanOrEqual(501);
    }
    expect([...members.keys()].some((name) => /_detected|\.auto$/.test(name))).toBe(false);
  });

  it('has corrected beats and those that were detected, where a person corrected them', async () => {
    const { id, subjectId } = recordings[0]!;
    const dir = join(folder.path, 'corrected');
    const before = await unpackStudyExport(writeBeatsStudy, source(), join(folder.path, 'before'), {
      studyId: api.studyId,
      subjectIds: [subjectId],
    });
    const detected = before.members.get(`rr/${subjectId}/${id}.txt`)!.toString();
    const [, ...rows] = csvRows(before.members.get(`beats/${subjectId}/${id}.csv`)!.toString());
    const timeUs = Number(rows[100]![0]);
    const startTs = Math.floor(timeUs / 1000);
    await api.client.call('addCorrections', {
      params: { studyId: api.studyId, subjectId },
      body: { corrections: [{ id: newId(), kind: 'BEAT_DELETE', recordingId: id, timeUs }], reason: 'no beat' },
    });
    const { members } = await unpackStudyExport(writeBeatsStudy, source(), dir, { studyId: api.studyId });
    const csv = members.get(`beats/${subjectId}/${id}.csv`)!.toString();
    const gone = csvRows(csv).filter(([, , , , use]) => use === 'DELETED');
    expect(gone.map(([us]) => Math.floor(Number(us) / 1000))).toEqual([startTs]);
    expect(members.get(`rr/${subjectId}/${id}_detected.txt`)!.toString()).toBe(detected);
    expect(members.get(`rr/${subjectId}/${id}.txt`)!.toString()).not.toBe(detected);
    expect(members.has(`wfdb/${subjectId}/${id.replaceAll('-', '_')}.auto`)).toBe(true);
  });

  it('says beside the files and in the headers with what the beats were found', async () => {
    const dir = join(folder.path, 'method');
    const { members } = await unpackStudyExport(writeBeatsStudy, source(), dir, { studyId: api.studyId });
    for (const { id, subjectId, sha256 } of recordings) {
      const method = JSON.parse(members.get(`beats/${subjectId}/${id}.json`)!.toString());
      const corrections = id === recordings[0]!.id ? 1 : 0;
      expect(method).toMatchObject({
        ...{ recordingId: id, beatsFrom: corrections === 1 ? 'RR' : 'ECG', corrections },
        algorithm: { name: 'Outpost analytics', version: ANALYTICS_VERSION },
        parameters: DEFAULT_ANALYSIS_PARAMETERS,
        inputs: { recordingSha256: sha256, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
      const header = members
        .get(`wfdb/${subjectId}/${id.replaceAll('-', '_')}.hea`)!
        .toString()
        .split('\n');
      expect(header).toContain(`# algorithm: Outpost analytics ${ANALYTICS_VERSION}`);
      expect(header).toContain('# parameters: defaults of this version');
      expect(header).toContain(`# inputs_sha256: ${method.inputs.sha256}`);
      const row = csvRecords(members.get('recordings.csv')!.toString()).find(({ recordingId }) => recordingId === id);
      expect(row).toMatchObject({ inputSha256: sha256, inputsSha256: method.inputs.sha256 });
      // A reader of RR intervals knows no comments.
      expect(members.get(`rr/${subjectId}/${id}.txt`)!.toString()).toMatch(/^[\d.\t\n]+$/);
    }
    const coded = await unpackStudyExport(writeBeatsStudy, source(), join(folder.path, 'method-coded'), {
      studyId: api.studyId,
      deidentify: testDeidentifier,
    });
    const sides = [...coded.members].filter(([name]) => /^beats\/.*\.json$/.test(name));
    expect(sides).toHaveLength(2);
    for (const [, bytes] of sides) expect(bytes.toString()).not.toMatch(/[0-9a-f]{64}/);
  });

  it('leaves out the beats of times in which a person says that the sensor was not worn, as the downloads do', async () => {
    const { subjectId, id } = recordings[0]!;
    const span = { startTs: START_US / 1000 + 120_000, stopTs: START_US / 1000 + 150_000 };
    const off = { id: newId(), kind: 'NOT_WORN' as const, ...span };
    const params = { studyId: api.studyId, subjectId };
    await api.client.call('addCorrections', { params, body: { corrections: [off], reason: 'bath' } });
    const dir = join(folder.path, 'unworn');
    const { members } = await unpackStudyExport(writeBeatsStudy, source(), dir, { studyId: api.studyId });
    const rows = csvRows(members.get(`beats/${subjectId}/${id}.csv`)!.toString()).slice(1);
    const inSpan = rows.filter(([us]) => Number(us) / 1000 >= span.startTs && Number(us) / 1000 < span.stopTs);
    expect(inSpan.length).toBeGreaterThan(10);
    expect(inSpan.every(([, , , , use]) => use === 'EXCLUDED')).toBe(true);
    await api.client.call('undoCorrection', { params: { ...params, correctionId: off.id }, body: { id: newId() } });
  });

  it('tells neither ids nor dates when it is de-identified', async () => {
    const dir = join(folder.path, 'coded');
    const options = { studyId: api.studyId, deidentify: testDeidentifier };
    const { members } = await unpackStudyExport(writeBeatsStudy, source(), dir, options);
    for (const [name, bytes] of members) {
      for (const { id, subjectId, sha256 } of recordings) {
        for (const secret of [id, subjectId, id.replaceAll('-', '_'), String(sha256), '2026-01-10', '10/01/2026']) {
          expect(name.includes(secret) || bytes.includes(secret), `${secret} in ${name}`).toBe(false);
        }
      }
    }
    const plain = await unpackStudyExport(writeBeatsStudy, source(), join(folder.path, 'again'), {
      studyId: api.studyId,
    });
    const rr = (found: Map<string, Buffer>) =>
      [...found]
        .filter(([name]) => name.startsWith('rr/') && !name.endsWith('_detected.txt'))
        .map(([, bytes]) => bytes.toString())
        .sort();
    // Sums of doubles at other times may round the last digit otherwise.
    const shown = rr(members).flatMap((text) => text.split(/\s/).map(Number));
    const plainly = rr(plain.members).flatMap((text) => text.split(/\s/).map(Number));
    expect(shown.length).toBe(plainly.length);
    for (const [i, value] of shown.entries()) expect(Math.abs(value - plainly[i]!)).toBeLessThan(0.0002);
  });

  it.runIf(spawnSync('Rscript', ['--version']).status === 0 || process.env.CI !== undefined)(
    'is loaded with types by its scripts, in pandas and in R alike',
    async () => {
      const dir = join(folder.path, 'scripts');
      const { members } = await unpackStudyExport(writeBeatsStudy, source(), dir, { studyId: api.studyId });
      const rows = [...members].filter(([name]) => /^beats\/.*\.csv$/.test(name));
      const beats = rows.reduce((sum, [, bytes]) => sum + csvRows(bytes.toString()).length - 1, 0);
      const python = `import load; b = load.beats(); r = load.recordings(); print(len(b), int(b['is_nn'].sum()), int(r['recordingStartTs'][0].timestamp()))`;
      const r = `source('load.R'); b <- load_beats('.'); r <- load_recordings('.'); cat(nrow(b), sum(b$is_nn), floor(as.numeric(r$recordingStartTs[1])))`;
      const run = (command: string, ...parameters: string[]) => {
        const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: dir, encoding: 'utf8' });
        expect(status, stderr).toBe(0);
        return stdout.trim().split(' ').map(Number);
      };
      const ofPython = run('/usr/bin/python3', '-c', python);
      expect(run('Rscript', '-e', r)).toEqual(ofPython);
      expect(ofPython[0]).toBe(beats);
      expect(ofPython[2]).toBe(Math.floor(recordings[0]!.startUs / 1e6));
    },
  );
});
