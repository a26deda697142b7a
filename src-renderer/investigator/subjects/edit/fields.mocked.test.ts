import { describe, expect, it, vi } from 'vitest';
import { typedHeight, typedWeight } from '../../../../src-server/vocabulary/typed-measures.ts';
import { draftOf, newSubjectOf, problemsOf } from './fields.ts';

// The real module reads the time zones from the site.
vi.mock('../../../shared/kit/zone-field.tsx', () => ({ isZoneName: () => true }));

const draft = (more: object) => ({ ...draftOf(undefined, 'UTC'), displayName: 'N-1', ...more });
const problemOf = (more: object) => [...problemsOf(draft(more), [], 0).keys()];

describe('the form of a subject', () => {
  it.each([
    ['172', 1.72],
    ['172.5', 1.725],
    ['１７２', 1.72],
    ['172 cm', 1.72],
    ['1.72', 1.72],
    ['1,72 m', 1.72],
    ['', undefined],
    ['tall', Number.NaN],
    ['cm', Number.NaN],
  ])('reads a height of "%s" as %s m', (text, metres) => {
    expect(typedHeight(text)).toEqual(metres);
  });

  it('reads a weight with or without its unit', () => {
    expect(['68.5', '68,5 kg', ''].map(typedWeight)).toEqual([68.5, 68.5, undefined]);
  });

  it.each([
    [{ height: '172' }, []],
    [{ height: '17' }, ['height']],
    [{ height: '1720' }, ['height']],
    [{ age: '150' }, ['age']],
    [{ age: '125' }, []],
    [{ age: '17' }, ['age']],
    [{ age: '40.5' }, ['age']],
    [{ weight: '685' }, ['weight']],
    [{ weight: '68.5 kg' }, []],
  ])('reports for %j the problems %j', (more, problems) => {
    expect(problemOf(more)).toEqual(problems);
  });

  it('sends metres and shows centimetres', () => {
    expect(newSubjectOf(draft({ height: '172.5' }), []).height).toBe(1.725);
    const subject = { displayName: 'N-1', timezone: 'UTC', height: 1.725, metadataFields: [] };
    expect(draftOf(subject as never, 'UTC').height).toBe('172.5');
  });
});
