/** Documented rules, each with a change to the source that breaks it and the tests that must then fail. */
export interface Mutant {
  /** The rule as the interface documents it. */
  rule: string;
  file: string;
  /** Occurs exactly once in the file. */
  from: string;
  to: string;
  tests: readonly string[];
}

const STUDY = 'src-server/study';
const API = 'src-server/api';
const RULES = [`${STUDY}/rules.test.ts`];
const SIGNED = 'src-server/db/queries/study';
const DAYS = [`${STUDY}/day-windows.test.ts`];
const apiTest = (...names: string[]) => names.map((name) => `${API}/tests/${name}.site.test.ts`);

export const MUTANTS: readonly Mutant[] = [
  {
    rule: 'A subject is 18 or older',
    file: `${STUDY}/subject-fields.ts`,
    from: 'subject.age < SUBJECT_BOUNDS.age.min',
    to: 'subject.age < SUBJECT_BOUNDS.age.min - 1',
    tests: RULES,
  },
  {
    rule: 'A subject is 18 or older (over HTTP)',
    file: 'src-server/vocabulary/study.ts',
    from: 'age: { min: 18,',
    to: 'age: { min: 19,',
    tests: apiTest('limits'),
  },
  {
    rule: 'A metadata field appears at most once',
    file: `${STUDY}/subject-fields.ts`,
    from: 'if (seen.has(entry.displayName))',
    to: 'if (seen.size < 0)',
    tests: RULES,
  },
  {
    rule: 'A study is reopened only with a reason',
    file: `${STUDY}/lifecycle.ts`,
    from: 'if (rule.needsReason && !reason?.trim())',
    to: 'if (rule.needsReason && reason === undefined)',
    tests: RULES,
  },
  {
    rule: 'A complete study is read-only',
    file: `${STUDY}/lifecycle.ts`,
    from: 'COMPLETE: [],',
    to: "COMPLETE: ['edit-subject'],",
    tests: apiTest('limits'),
  },
  {
    rule: 'Days of a program are listed up to today',
    file: `${STUDY}/program.ts`,
    from: 'Math.min(program.days - 1, dayNumberOf(firstDate, lastDate))',
    to: 'Math.min(program.days - 1, dayNumberOf(firstDate, lastDate) - 1)',
    tests: [...RULES, ...apiTest('adherence')],
  },
  {
    rule: 'A task counts as done on the local date of its start',
    file: `${STUDY}/program.ts`,
    from: 'completed: doneOn.get(taskId)?.[index] === 1',
    to: 'completed: doneOn.has(taskId)',
    tests: [...RULES, ...apiTest('adherence')],
  },
  {
    rule: 'A task added to a running program is due from the day of the change',
    file: `${STUDY}/program.ts`,
    from: 'fromDate <= day.date',
    to: "fromDate <= day.date || fromDate !== ''",
    tests: [...RULES, ...apiTest('adherence')],
  },
  {
    rule: 'A day of sleep runs from noon to noon',
    file: `${STUDY}/day-windows.ts`,
    from: 'const stopMs = boundary(date, 12, clock);',
    to: 'const stopMs = boundary(date, 13, clock);',
    tests: DAYS,
  },
  {
    rule: 'A monitor cannot export',
    file: `${STUDY}/permissions.ts`,
    from: "const EXPORTERS: readonly Role[] = ['ADMIN', 'COORDINATOR', 'ANALYST'];",
    to: 'const EXPORTERS: readonly Role[] = ALL;',
    tests: [...RULES, ...apiTest('authorization')],
  },
  {
    rule: 'Recording statistics use the local dates of the subject',
    file: `${STUDY}/recording-summary.ts`,
    from: '(one) => localDateAt(startMs(one), clock)',
    to: '(one) => new Date(startMs(one)).toISOString().slice(0, 10)',
    tests: apiTest('recording-stats'),
  },
  {
    rule: 'A query of events spans at most 24 hours',
    file: `${API}/resources/events.ts`,
    from: 'to - from > EVENT_WINDOW_MS',
    to: 'to - from > EVENT_WINDOW_MS * 2',
    tests: apiTest('limits'),
  },
  {
    rule: 'A password has 8 to 64 characters',
    file: `${API}/contract/resources/users.ts`,
    from: '[...text].length <= 64',
    to: 'text.length <= 64',
    tests: apiTest('limits'),
  },
  {
    rule: 'E-mail addresses are unique regardless of case, and may be repeated in an update',
    file: `${API}/resources/access/users.ts`,
    from: 'if (email.toLowerCase() !== body.email.toLowerCase())',
    to: 'if (email === "")',
    tests: apiTest('sign-in'),
  },
  {
    rule: 'A log-out revokes only the token of the request',
    file: `${API}/resources/access/sign-in.ts`,
    from: 'await store.tokens.revoke(caller.user.id, caller.accessToken);',
    to: 'await store.tokens.revokeAll(caller.user.id);',
    tests: apiTest('sign-in', 'response-cache'),
  },
  {
    rule: 'An access token expires after two weeks, cached or not',
    file: `${API}/framework/authenticate.ts`,
    from: '!found || !isOpen(found.expirationTs, LONGEST_ACCESS_MS, deps.clock())',
    to: '!found',
    tests: apiTest('response-cache'),
  },
  {
    rule: 'Cached responses are discarded when what they were read from is written to',
    file: `${API}/framework/response-cache.ts`,
    from: 'if (!this.#store.isUnchanged(entry.keys, entry.begun)) return undefined;',
    to: 'if (entry.size < 0) return undefined;',
    tests: apiTest('response-cache'),
  },
  {
    rule: 'What a subject held shows who holds it now, so a cached answer ends with an assignment in any study',
    file: 'src-server/db/read-tracking.ts',
    from: '  conversation: BOTH,',
    to: '  conversation: BOTH,\n  equipmentAssignment: BOTH,',
    tests: apiTest('response-cache'),
  },
  {
    rule: 'A cached answer about a subject ends only with rows of that subject or its study',
    file: 'src-server/db/read-tracking.ts',
    from: 'subjectId === null ? studyWideKey(table, studyId)',
    to: 'subjectId !== undefined ? studyWideKey(table, studyId)',
    tests: apiTest('response-cache'),
  },
  {
    rule: 'At most 20 failed log-ins per minute and address',
    file: `${API}/resources/access/login-throttle.ts`,
    from: 'const PER_ADDRESS = 20;',
    to: 'const PER_ADDRESS = 40;',
    tests: apiTest('sign-in', 'secrets'),
  },
  {
    rule: 'A signed URL is valid for one hour',
    file: `${API}/framework/signed-url.ts`,
    from: 'if (!isOpen(expires, SIGNED_URL_LIFETIME_MS, nowMs))',
    to: 'if (Number.isNaN(expires))',
    tests: apiTest('recording-files', 'recordings'),
  },
  {
    rule: 'A signature covers the path and the query',
    file: `${API}/framework/signed-url.ts`,
    from: 'if (!valid) {',
    to: 'if (match === null) {',
    tests: apiTest('recording-files', 'recordings'),
  },
  {
    rule: 'Subjects of another study answer 404',
    file: `${API}/framework/authorize.ts`,
    from: 'if (scope.subject?.studyId !== studyId)',
    to: 'if (scope.subject === undefined)',
    tests: apiTest('authorization'),
  },
  {
    rule: 'A page of raw data has at most 200,000 rows',
    file: `${API}/resources/raw-data/plan.ts`,
    from: 'const MAX_ROWS = 200_000;',
    to: 'const MAX_ROWS = 300_000;',
    tests: apiTest('limits'),
  },
  {
    rule: 'EventType in the annotations CSV is the display name only',
    file: `${API}/resources/annotations/csv.ts`,
    from: '      annotation.displayName,\n      annotation.authorId',
    to: '      this.#kindOf(annotation),\n      annotation.authorId',
    tests: apiTest('annotations'),
  },
  {
    rule: 'A signature of a day binds who was recorded',
    file: `${SIGNED}/signed-content.ts`,
    from: "'subject-day': [dayAlone, withSubject(dayAlone)],",
    to: "'subject-day': [dayAlone, dayAlone],",
    tests: apiTest('signatures'),
  },
  {
    rule: 'A signature of a recording binds its labels',
    file: `${SIGNED}/signed-content.ts`,
    from: 'labels: labels.map(annotationPart),',
    to: 'labels: [],',
    tests: apiTest('signatures'),
  },
  {
    rule: 'A signature of a day binds the version of its analysis',
    file: `${SIGNED}/signed-content.ts`,
    from: 'algorithmVersion: day.algorithmVersion,',
    to: "algorithmVersion: '',",
    tests: apiTest('signatures'),
  },
  {
    rule: 'A signature of a recording whose file is lost shows it',
    file: `${SIGNED}/signed-content.ts`,
    from: "if (recording.fileState !== 'PRESENT')",
    to: "if (recording.status !== 'COMPLETE')",
    tests: apiTest('signatures'),
  },
  {
    rule: 'A signature is compared with the version of the content that it bound',
    file: `${SIGNED}/signatures.ts`,
    from: 'await this.#presentHash(signature, contentVersion)',
    to: 'await this.#presentHash(signature, 2)',
    tests: apiTest('signatures'),
  },
  {
    rule: 'A signature binds what the signer saw',
    file: 'src-server/services/signatures.ts',
    from: 'if (content.sha256 !== input.contentSha256)',
    to: 'if (content.version < 1)',
    tests: apiTest('signatures'),
  },
  {
    rule: 'A signature needs the right password',
    file: `${API}/resources/access/own-password.ts`,
    from: 'if (verified === undefined || !(await verifyPassword(password, verified)))',
    to: 'if (verified === undefined)',
    tests: apiTest('signatures'),
  },
  {
    rule: 'Wrong passwords at a signature are throttled',
    file: `${API}/resources/access/own-password.ts`,
    from: 'throttle.begin(address, attempt);',
    to: 'throttle.succeed(address, attempt);',
    tests: apiTest('signatures'),
  },
  {
    rule: 'A wrong password at a signature is audited',
    file: `${API}/resources/access/own-password.ts`,
    from: 'await deps.store.refusals.notePassword(asked,',
    to: 'void (asked,',
    tests: apiTest('signatures'),
  },
  {
    rule: 'A signature on a subject that is not exported does not leave',
    file: 'src-server/exporters/study-export/signatures.ts',
    from: 'if (frame !== undefined && signedTs <= asOfTs)',
    to: 'if (signedTs <= asOfTs)',
    tests: ['src-server/exporters/study-export/signatures.site.test.ts'],
  },
  {
    rule: 'The comment of a signature does not leave a de-identified export',
    file: 'src-server/exporters/study-export/signatures.ts',
    from: "{ name: 'comment', shows: TEXT,",
    to: "{ name: 'comment', shows: codeOf(/./),",
    tests: ['src-server/exporters/study-export/signatures.site.test.ts'],
  },
  {
    rule: 'A lock refuses every change that is not on its list',
    file: 'src-server/db/session.ts',
    from: 'if (input.studyId !== undefined && !isAllowedInLock(input))',
    to: "if (input.studyId === '')",
    tests: apiTest('signatures'),
  },
  {
    rule: 'A lock and its end have a reason',
    file: 'src-server/services/study-locks.ts',
    from: 'if (!change.reason?.trim())',
    to: 'if (change.reason === null)',
    tests: apiTest('signatures'),
  },
  {
    rule: 'A lock waits for the work on its study',
    file: 'src-server/services/study-locks.ts',
    from: "kind === 'import' || kind === 'analyse'",
    to: "kind === 'import'",
    tests: apiTest('signatures'),
  },
  {
    rule: 'A lock is signed',
    file: 'src-server/services/study-locks.ts',
    from: 'await signatures.sign({ ...target,',
    to: 'void ({ ...target,',
    tests: apiTest('signatures'),
  },
  {
    rule: 'The closing hash of an audit export covers the hash of each row',
    file: 'src-server/exporters/audit/audit-export.ts',
    from: 'for (const { sequence, hash } of slice)',
    to: 'for (const { sequence, actorType: hash } of slice)',
    tests: ['src-server/exporters/audit/audit-export.site.test.ts'],
  },
  {
    rule: 'An audit export ends with the entry that it names',
    file: 'src-server/exporters/audit/audit-export.ts',
    from: 'store.audit.contents(facts.selection, facts.upToSequence)',
    to: 'store.audit.contents(facts.selection, Number.MAX_SAFE_INTEGER)',
    tests: ['src-server/exporters/audit/audit-export.site.test.ts'],
  },
];
