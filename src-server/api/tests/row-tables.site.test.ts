import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_ROWS } from '../../study/row-table/table.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const subjects = async () => {
  const { items } = await api.client.call('listSubjects', { params: { studyId: api.studyId } });
  return items.map(({ displayName }) => displayName).sort();
};
const enrol = (csv: string, isPreview = false, client = api.client) =>
  client.call('enrolSubjects', { params: { studyId: api.studyId }, body: { csv, timezone: 'Asia/Tokyo', isPreview } });
const register = (csv: string, isPreview = false, client = api.client) =>
  client.call('registerEquipmentTable', { params: { accountId: api.accountId }, body: { csv, isPreview } });
const lastAudit = async () => {
  const { items } = await api.client.call('listAccountAudit', {
    params: { accountId: api.accountId },
    query: { limit: '2' },
  });
  return items.map(({ action }) => action);
};

describe('a table of subjects', () => {
  const csv = 'name,time zone,age\nT-01,US/Eastern,30\nT-02,,41\nSubject 1,,\n';

  it('is previewed without a change', async () => {
    const before = await subjects();
    expect(await enrol(csv, true)).toEqual({
      columns: [
        { header: 'name', member: 'displayName' },
        { header: 'time zone', member: 'timezone' },
        { header: 'age', member: 'age' },
      ],
      rows: [
        { line: 2, name: 'T-01', outcome: 'NEW', errors: [] },
        { line: 3, name: 'T-02', outcome: 'NEW', errors: [] },
        { line: 4, name: 'Subject 1', outcome: 'EXISTS', errors: [] },
      ],
    });
    expect(await subjects()).toEqual(before);
  });

  it('is enrolled whole, audited row by row, and stays as it is when it is sent again', async () => {
    const { rows } = await enrol(csv);
    expect(rows.map(({ id }) => typeof id)).toEqual(['string', 'string', 'undefined']);
    const params = { studyId: api.studyId, subjectId: rows[1]?.id ?? '' };
    expect(await api.client.call('getSubject', { params })).toMatchObject({
      ...{ displayName: 'T-02', timezone: 'Asia/Tokyo', age: 41 },
    });
    expect(await lastAudit()).toEqual(['subject.create', 'subject.create']);
    const all = await subjects();
    expect((await enrol(csv)).rows.map(({ outcome }) => outcome)).toEqual(['EXISTS', 'EXISTS', 'EXISTS']);
    expect(await subjects()).toEqual(all);
  });

  it('changes nothing when one row is refused, and names the line', async () => {
    const before = await subjects();
    await expect(enrol('name,age\nT-03,30\nT-04,7\nT-05,x\n')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: '2 rows of the table cannot be taken. Nothing was changed.',
      errors: [{ path: 'line 3: age' }, { path: 'line 4: age' }],
    });
    expect(await subjects()).toEqual(before);
  });

  it('is refused to a monitor', async () => {
    const monitor = await api.signIn('monitor@example.org');
    await expect(enrol(csv, true, monitor)).rejects.toMatchObject({ status: 403 });
  });

  it('of the largest size is enrolled, and one row more is not', async () => {
    const names = Array.from({ length: MAX_ROWS }, (_, at) => `L-${at}`);
    const { rows } = await enrol(`name\n${names.join('\n')}\n`);
    expect(rows.every(({ outcome }) => outcome === 'NEW')).toBe(true);
    await expect(enrol(`name\n${[...names, 'L-x'].join('\n')}\n`, true)).rejects.toMatchObject({ status: 400 });
  });
});

describe('a table of equipment', () => {
  it('is registered whole or not at all', async () => {
    const csv = 'Serial number;Type;Name;Address\nAX-1;sensor;Wrist 1;A0:00:00:00:00:01\nHUB-7;hub;;\n';
    expect((await register(csv, true)).rows.map(({ outcome }) => outcome)).toEqual(['NEW', 'NEW']);
    await expect(register(`${csv}AX-2;sensor;;a0:00:00:00:00:01\n`)).rejects.toMatchObject({
      errors: [{ path: 'line 4: udid', message: 'Line 2 has the same address.' }],
    });
    expect((await register(csv)).rows.map(({ id }) => id)).toEqual(['AX-1', 'HUB-7']);
    expect(await lastAudit()).toEqual(['equipment.register', 'equipment.register']);
    expect((await register(csv)).rows.map(({ outcome }) => outcome)).toEqual(['EXISTS', 'EXISTS']);
    const taken = await register('serial,address\nAX-3,A0:00:00:00:00:01\n', true);
    expect(taken.rows).toMatchObject([{ outcome: 'REFUSED', errors: [{ path: 'udid' }] }]);
  });

  it('is refused to a monitor', async () => {
    const monitor = await api.signIn('monitor@example.org');
    await expect(register('serial\nX', true, monitor)).rejects.toMatchObject({ status: 403 });
  });
});
