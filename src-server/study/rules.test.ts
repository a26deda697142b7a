import { describe, expect, it } from 'vitest';
import {
  type Definition,
  definitionErrors,
  type MetadataField,
  normalizeMetadataField,
  requireDefinitionChange,
} from './definition.ts';
import { LIFECYCLE_STATES, mayEdit, nextState } from './lifecycle.ts';
import { isAllowed, PERMISSIONS, ROLES, roleInStudy } from './permissions.ts';
import { subjectFieldErrors } from './subject-fields.ts';
import { isTimeZone, OFFERED_ZONES } from './zones.ts';

describe('lifecycle', () => {
  it('allows start, stop, and reopening with a reason, and nothing else', () => {
    const reached = LIFECYCLE_STATES.flatMap((state) =>
      (['start', 'stop', 'reopen'] as const).map((step) => {
        try {
          return `${state} ${step} ${nextState(state, step, 'because')}`;
        } catch {
          return null;
        }
      }),
    );
    expect(reached.filter(Boolean)).toEqual([
      'INITIALIZED start IN_PROGRESS',
      'IN_PROGRESS stop COMPLETE',
      'COMPLETE reopen IN_PROGRESS',
    ]);
    expect(() => nextState('COMPLETE', 'reopen', ' ')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => nextState('COMPLETE', 'stop')).toThrow('The study is complete, so it cannot be stopped.');
  });

  it('lets a running study only grow and a complete one not change', () => {
    expect(mayEdit('IN_PROGRESS', 'add-definition')).toBe(true);
    expect(mayEdit('IN_PROGRESS', 'remove-definition')).toBe(false);
    expect(mayEdit('COMPLETE', 'label')).toBe(false);
  });
});

describe('permissions', () => {
  it('give ADMIN everything and deny MONITOR exports and changes', () => {
    const operations = Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[];
    for (const operation of operations) {
      expect(isAllowed('ADMIN', operation)).toBe(true);
      expect(isAllowed(null, operation)).toBe(false);
      // An upload in quarantine and a recording of a dock may belong to any study: only users who may decide see them.
      const isRead = operation.endsWith('.read') && operation !== 'upload.read' && operation !== 'transfer.read';
      // A signature is a statement of the person and changes nothing.
      // Monitors review: they ask about data and accept answers, verify consents, and complete what they are asked to follow up.
      const isReview = [
        'query.open',
        'query.step',
        'query.resolve',
        'note.follow-up',
        'participation.document',
      ].includes(operation);
      expect(isAllowed('MONITOR', operation)).toBe(isRead || isReview || operation === 'record.sign');
      if (operation.endsWith('.export'))
        expect(ROLES.filter((role) => isAllowed(role, operation))).toEqual(['ADMIN', 'COORDINATOR', 'ANALYST']);
    }
    expect(isAllowed('ANALYST', 'subject.create')).toBe(false);
    expect(isAllowed('COORDINATOR', 'user.create')).toBe(false);
  });

  it('come from the membership, except for an ADMIN of the account', () => {
    expect(roleInStudy('ADMIN', null)).toBe('ADMIN');
    expect(roleInStudy('ADMIN', 'MONITOR')).toBe('ADMIN');
    expect(roleInStudy('MONITOR', 'COORDINATOR')).toBe('COORDINATOR');
    expect(roleInStudy('COORDINATOR', undefined)).toBeNull();
  });
});

describe('time zones', () => {
  it('accept every IANA name, including old aliases, but no offset', () => {
    for (const zone of [
      ...OFFERED_ZONES,
      'America/New_York',
      'Asia/Calcutta',
      'America/Argentina/Buenos_Aires',
      'UTC',
    ]) {
      expect(isTimeZone(zone), zone).toBe(true);
    }
    for (const zone of ['', '+05:00', 'Mars/Olympus', 'US/Eastern ', 'US/', '../etc', 'x'.repeat(100)]) {
      expect(isTimeZone(zone), zone).toBe(false);
    }
  });
});

describe('subject fields', () => {
  const fields: MetadataField[] = [
    { displayName: 'Arm', type: 'MULTIPLECHOICE', values: ['A', 'B'] },
    { displayName: 'Smoker', type: 'BOOLEAN', values: ['YES', 'NO'] },
    { displayName: 'Score', type: 'NUMBER', values: [] },
    { displayName: 'Note', type: 'FREETEXT', values: [] },
  ];
  const value = (displayName: string, text: unknown) => ({ metadataFields: [{ displayName, value: text as string }] });
  const sound = { displayName: 'S', timezone: 'US/Eastern' };

  it.each<[object, string[]]>([
    [{}, []],
    [{ age: 18, gender: 'MALE', height: 1.8, weight: 70, dominantHand: 'LEFT' }, []],
    [{ displayName: '  ' }, ['displayName']],
    [{ timezone: 'Nowhere' }, ['timezone']],
    [{ age: 17 }, ['age']],
    [{ age: 20.5 }, ['age']],
    [{ gender: 'male' }, ['gender']],
    [{ height: 0, weight: -1 }, ['height', 'weight']],
    [{ dominantHand: 'BOTH' }, ['dominantHand']],
    [value('Arm', 'C'), ['metadataFields.0.value']],
    [value('Smoker', 'yes'), ['metadataFields.0.value']],
    [value('Score', '1,5'), ['metadataFields.0.value']],
    [value('Score', '-1.5'), []],
    [value('Score', ''), ['metadataFields.0.value']],
    [value('Score', 5), ['metadataFields.0.value']],
    [value('Note', ''), []],
    [value('Nope', 'x'), ['metadataFields.0.displayName']],
    [
      { metadataFields: [...value('Note', 'a').metadataFields, ...value('Note', 'b').metadataFields] },
      ['metadataFields.1.displayName'],
    ],
  ])('%j is refused at %j', (change, paths) => {
    expect(subjectFieldErrors({ ...sound, ...change }, fields).map((error) => error.path)).toEqual(paths);
  });
});

describe('a definition', () => {
  const question = { id: 'q', text: 'Pain?', type: 'MULTIPLECHOICE', values: ['a', 'b'] };
  const base: Definition = {
    metadataFields: [{ displayName: 'Arm', type: 'MULTIPLECHOICE', values: ['A'] }],
    activities: [
      {
        id: 't',
        displayName: 'Walk',
        mode: 'UNSUPERVISED',
        pipelineIds: [],
        durationSec: 60,
        instructions: '',
        questions: [question],
      },
    ],
    diaries: [],
    csvTemplates: [],
    deviceConfigs: [],
    program: { id: 'p', days: 3, tasks: [{ taskId: 't', type: 'activity', days: [0, 1] }] },
  };
  const withTask = (change: object): Definition => ({ ...base, activities: [{ ...base.activities[0]!, ...change }] });

  it.each<[string, Definition, boolean]>([
    ['a better text', withTask({ displayName: 'Walk on', questions: [{ ...question, text: 'Any pain?' }] }), true],
    ['a further choice', withTask({ questions: [{ ...question, values: ['a', 'b', 'c'] }] }), true],
    ['a lost choice', withTask({ questions: [{ ...question, values: ['a'] }] }), false],
    ['another type', withTask({ questions: [{ ...question, type: 'BOOLEAN' }] }), false],
    ['a lost question', withTask({ questions: [] }), false],
    ['a lost task', { ...base, activities: [], program: null }, false],
    [
      'a longer program',
      { ...base, program: { id: 'p', days: 9, tasks: [{ taskId: 't', type: 'activity', days: 'daily' }] } },
      true,
    ],
    [
      'a shorter program',
      { ...base, program: { id: 'p', days: 2, tasks: [{ taskId: 't', type: 'activity', days: [0, 1] }] } },
      false,
    ],
    [
      'a day taken out',
      { ...base, program: { id: 'p', days: 3, tasks: [{ taskId: 't', type: 'activity', days: [0] }] } },
      false,
    ],
    ['a lost field', { ...base, metadataFields: [] }, false],
  ])('of a running study: %s', (_name, after, allowed) => {
    const change = () => requireDefinitionChange('IN_PROGRESS', base, after);
    if (allowed) expect(change).not.toThrow();
    else expect(change).toThrow(expect.objectContaining({ code: 'STUDY_STATE' }));
    expect(() => requireDefinitionChange('INITIALIZED', base, after)).not.toThrow();
    expect(() => requireDefinitionChange('COMPLETE', base, after)).toThrow(
      expect.objectContaining({ code: 'STUDY_STATE' }),
    );
  });

  it('reports what is invalid', () => {
    const errors = definitionErrors({
      ...base,
      metadataFields: [
        { displayName: 'Arm', type: 'MULTIPLECHOICE', values: [] },
        { displayName: 'Arm', type: 'FREETEXT', values: [] },
      ],
      diaries: [
        {
          id: 'd',
          displayName: 'D',
          mode: 'x',
          pipelineIds: [],
          questions: [{ id: 'r', text: 'r', type: 'RANGE', values: ['1'] }],
        },
      ],
      program: { id: 'p', days: 1, tasks: [{ taskId: 't', type: 'diary', days: 'daily' }] },
    });
    expect(errors.map((error) => error.path)).toEqual([
      'diaries.0.questions.0.values',
      'subjectMetadataFields.0.values',
      'subjectMetadataFields.1.displayName',
      'program.tasks.0.taskId',
    ]);
    expect(definitionErrors(base)).toEqual([]);
    expect(normalizeMetadataField({ displayName: 'x', type: 'BOOLEAN', values: ['maybe'] }).values).toEqual([
      'YES',
      'NO',
    ]);
  });
});
