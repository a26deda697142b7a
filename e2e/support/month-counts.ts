/**
 * What the boards of a study have to show, counted by plain SQL over a copy of its store. The statements read what was entered and
 * received (steps, plans, recordings, reports, stored days), not the tables that the site derives from it, and share no code with it.
 */
import type BetterSqlite3 from 'better-sqlite3';

/**
 * Subjects with their shift from UTC, their status as it was entered last, the last local date on which something is due, and the last
 * complete one: the day of a withdrawal is complete where it was over when the withdrawal was entered.
 */
const PEOPLE = `
  person AS (
    SELECT subject.id, displayName AS name, isTest, subject.createdTs, programStartTs, programStopTs,
      CASE subject.timezone WHEN 'Asia/Tokyo' THEN '+9 hours' ELSE '+0 hours' END AS shift,
      (SELECT step.status FROM participationStep AS step WHERE step.subjectId = subject.id AND step.status IS NOT NULL
        ORDER BY position DESC LIMIT 1) AS status,
      (SELECT step.date FROM participationStep AS step WHERE step.subjectId = subject.id AND step.status IS NOT NULL
        ORDER BY position DESC LIMIT 1) AS statusDate,
      (SELECT step.date FROM participationStep AS step WHERE step.subjectId = subject.id AND step.status = 'ENROLLED'
        ORDER BY position LIMIT 1) AS enrolledDate,
      (SELECT step.createdTs FROM participationStep AS step WHERE step.subjectId = subject.id AND step.status IS NOT NULL
        ORDER BY position DESC LIMIT 1) AS statusTs,
      (SELECT step.dataDecision FROM participationStep AS step WHERE step.subjectId = subject.id AND step.status IS NOT NULL
        ORDER BY position DESC LIMIT 1) AS decision,
      (SELECT step.groupName FROM participationStep AS step WHERE step.subjectId = subject.id AND step.kind = 'GROUP'
        ORDER BY position DESC LIMIT 1) AS groupName
    FROM subject WHERE studyId = @study
  ),
  ended AS (
    SELECT person.*, study.lifecycleState,
      min(@now, coalesce(stoppedTs, @now)) AS lastTs,
      CASE WHEN status IN ('WITHDRAWN', 'COMPLETED')
        THEN min(statusDate, date(min(@now, coalesce(stoppedTs, @now)) / 1000, 'unixepoch', shift))
        ELSE date(min(@now, coalesce(stoppedTs, @now)) / 1000, 'unixepoch', shift) END AS lastDate
    FROM person, study WHERE study.id = @study
  ),
  over AS (
    SELECT ended.id, CASE WHEN status IN ('WITHDRAWN', 'COMPLETED')
      THEN min(statusDate, date(min(statusTs, lastTs) / 1000, 'unixepoch', shift, '-1 day'))
      ELSE date(lastDate, '-1 day') END AS lastComplete
    FROM ended
  ),
  number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 27),
  programDay AS (
    SELECT ended.*, date(programStartTs / 1000, 'unixepoch', shift, '+' || n || ' days') AS date FROM ended, number
  ),
  done AS (
    SELECT DISTINCT subjectId, date(startTs / 1000, 'unixepoch', shift) AS date
    FROM annotation JOIN person ON person.id = subjectId WHERE type = 'diary'
  ),
  due AS (
    SELECT programDay.id, programDay.isTest, programDay.date, done.date IS NOT NULL AS isDone
    FROM programDay LEFT JOIN done ON done.subjectId = programDay.id AND done.date = programDay.date
    WHERE programDay.date <= lastDate
  )`;

/** Visits by the plan, with what was entered about each last. */
const VISITS = `
  planned AS (
    SELECT value ->> 'id' AS visitId, value ->> 'displayName' AS visit, value ->> 'offsetDays' AS offset,
      value ->> 'windowBefore' AS before, value ->> 'windowAfter' AS after
    FROM studyPlan, json_each(plan, '$.visits') WHERE studyId = @study
  ),
  visitNow AS (
    SELECT person.id, person.name, isTest, person.status, visit, offset,
      date(enrolledDate, (offset - before) || ' days') AS fromDate,
      date(enrolledDate, (offset + after) || ' days') AS toDate,
      coalesce(step.visitState, 'PLANNED') AS state, step.visitDate AS date, step.visitTime AS time
    FROM person CROSS JOIN planned LEFT JOIN participationStep AS step ON step.subjectId = person.id
      AND step.visitId = planned.visitId AND step.position = (
        SELECT max(position) FROM participationStep AS other
        WHERE other.subjectId = person.id AND other.visitId = planned.visitId)
    WHERE enrolledDate IS NOT NULL
  )`;

/** Queries with the state after their last step. */
const QUERIES = `
  query AS (
    SELECT dataQuery.id, dataQuery.subjectId, openedTs, last.state, last.createdTs AS stateTs
    FROM dataQuery JOIN dataQueryStep AS last ON last.queryId = dataQuery.id AND last.position = (
      SELECT max(position) FROM dataQueryStep AS other WHERE other.queryId = dataQuery.id)
    WHERE dataQuery.studyId = @study
  )`;

type Value = string | number | bigint | null;
type Row = Record<string, Value>;

/** Of the definition of this study: hours worn from which a day is valid, and the defaults of the other targets. */
const TARGETS = { wearHours: 1, validDays: 4, taskPercent: 80 };
const WHOLE_DAY_SECONDS = 16 * 3600;

const number = (value: number): string => value.toLocaleString('en-US');
const plural = (count: number, one: string): string => `${number(count)} ${count === 1 ? one : `${one}s`}`;

/** As the desk writes a length of time. */
function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${number(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

const plusDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

const DAY_TEXT = new Intl.DateTimeFormat('en-US', {
  ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
});
const dayText = (date: string): string => DAY_TEXT.format(new Date(`${date}T12:00:00Z`));

/** Rounded down to a tenth, with the parts: `3 of 7 (42.8 %)`. */
const share = (part: number, whole: number): string =>
  whole === 0
    ? 'No value'
    : `${number(part)} of ${number(whole)} (${(Math.floor((1000 * part) / whole) / 10).toFixed(1)} %)`;

/** What an item of Today says, as far as its statement selects it. */
interface Line extends Record<'name' | 'visit' | 'last' | 'date' | 'time' | 'toDate' | 'body', string> {
  days: number;
  count: number;
  assigneeId: string | null;
}

interface QualityRow {
  expected: number;
  withData: number;
  valid: number;
  wear: number;
  assigned: number;
  completed: number;
}

/** The cells that a subject and a week share. No sensor of this study records ECG. */
const qualityCells = ({ expected, withData, valid, wear, assigned, completed }: QualityRow): string[] => [
  `${number(withData)} of ${number(expected)}`,
  share(valid, expected),
  withData === 0 ? 'No value' : duration(wear / withData),
  'No value',
  share(completed, assigned),
];

const QUALITY_SUMS = `count(*) AS expected, sum(wear > 0) AS withData, sum(wear >= ${TARGETS.wearHours * 3600}) AS valid,
  sum(wear) AS wear, sum(isDue) AS assigned, sum(isDone) AS completed`;

/** Complete days of the program of each subject, with what is stored of them. */
const JUDGED = `
  judged AS (
    SELECT programDay.id, programDay.name, programDay.date,
      coalesce((SELECT wearSeconds FROM analyticsDay WHERE subjectId = programDay.id AND date = programDay.date), 0) AS wear,
      1 AS isDue, done.date IS NOT NULL AS isDone
    FROM programDay JOIN over ON over.id = programDay.id
      LEFT JOIN done ON done.subjectId = programDay.id AND done.date = programDay.date
    WHERE isTest = 0 AND programDay.date <= lastComplete
  )`;

export class Counts {
  readonly #store: BetterSqlite3.Database;
  readonly #facts: { study: string; now: bigint; today: string };

  /** @param facts.now epoch ms */
  constructor(store: BetterSqlite3.Database, facts: { study: string; now: number; today: string }) {
    this.#store = store;
    // A number would be bound as a real, and its quotients would not be whole.
    this.#facts = { ...facts, now: BigInt(Math.floor(facts.now)) };
  }

  close(): void {
    this.#store.close();
  }

  #rows<T = Row>(sql: string, more: Row = {}): T[] {
    const tables = [PEOPLE, VISITS, QUERIES, JUDGED].join(',');
    return this.#store.prepare(`WITH RECURSIVE ${tables} ${sql}`).all({ ...this.#facts, ...more }) as T[];
  }

  #number(sql: string, more: Row = {}): number {
    return Number(Object.values(this.#rows(sql, more)[0] ?? {})[0] ?? 0);
  }

  /** The only study in the list, which holds all that is not hidden, also test subjects. */
  studies(): string[][] {
    return this.#rows<{ name: string; people: number; recordings: number }>(
      `SELECT study.displayName AS name, (SELECT count(*) FROM person) AS people,
         (SELECT count(*) FROM recording WHERE studyId = @study) AS recordings
       FROM study WHERE study.id = @study`,
    ).map(({ name, people, recordings }) => [name, number(people), number(recordings)]);
  }

  /** The tiles of the overview. */
  tiles(): Record<string, string> {
    const people = this.#number('SELECT count(*) FROM person WHERE isTest = 0');
    const assigned = this.#number('SELECT count(*) FROM due WHERE isTest = 0');
    const completed = this.#number('SELECT sum(isDone) FROM due WHERE isTest = 0');
    const recordings = this.#number(
      'SELECT count(*) FROM recording JOIN person ON person.id = subjectId WHERE isTest = 0',
    );
    const seconds = this.#number(
      'SELECT sum(stopUs - startUs) / 1e6 FROM recording JOIN person ON person.id = subjectId WHERE isTest = 0',
    );
    const faults = this.#number('SELECT count(*) FROM fault JOIN person ON person.id = subjectId WHERE isTest = 0');
    return {
      Enrolled: plural(people, 'subject'),
      'Tasks completed': assigned === 0 ? 'none due yet' : `${number(completed)} of ${plural(assigned, 'task')}`,
      Recordings: plural(recordings, 'recording'),
      recorded: recordings === 0 ? '' : `${duration(seconds)} across all sensors`,
      Faults: plural(faults, 'fault'),
    };
  }

  /** Per subject and date: the tasks of the grid of the overview. */
  taskCells(dates: readonly string[]): string[][] {
    const cells = new Map(
      this.#rows<{ name: string; date: string; isDone: number }>(
        'SELECT person.name, due.date, isDone FROM due JOIN person ON person.id = due.id',
      ).map(({ name, date, isDone }) => [`${name} ${date}`, `${isDone}/1`]),
    );
    return this.#grid(dates, cells);
  }

  /** The hours worn, likewise. */
  wearCells(dates: readonly string[]): string[][] {
    const rows = this.#rows<{ name: string; date: string; hours: number }>(
      `SELECT name, date, round(wearSeconds / 3600) AS hours FROM analyticsDay JOIN person ON person.id = subjectId
       WHERE wearSeconds IS NOT NULL`,
    );
    return this.#grid(dates, new Map(rows.map(({ name, date, hours }) => [`${name} ${date}`, `${hours} h`])));
  }

  #grid(dates: readonly string[], cells: ReadonlyMap<string, string>): string[][] {
    const names = this.#rows<{ name: string }>('SELECT name FROM person ORDER BY isTest, name');
    return names.map(({ name }) => [name, ...dates.map((date) => cells.get(`${name} ${date}`) ?? '')]);
  }

  /** The last row of the grid. */
  recordingsPerDay(dates: readonly string[]): string[] {
    const rows = this.#rows<{ date: string; count: number }>(
      `SELECT date(startUs / 1000000, 'unixepoch', shift) AS date, count(*) AS count
       FROM recording JOIN person ON person.id = subjectId WHERE isTest = 0 GROUP BY 1`,
    );
    const counts = new Map(rows.map(({ date, count }) => [date, number(count)]));
    return dates.map((date) => counts.get(date) ?? '');
  }

  /** The items of Today by their heading, each with the name and what is said. */
  attention(): Record<string, string[]> {
    const isOpen = this.#number("SELECT count(*) FROM study WHERE id = @study AND lifecycleState = 'IN_PROGRESS'") > 0;
    const isLocked = this.#number('SELECT count(*) FROM study WHERE id = @study AND lockedTs IS NOT NULL') > 0;
    const takesPart = "isTest = 0 AND status IN ('SCREENING', 'ENROLLED')";
    const lines = (sql: string, textOf: (row: Line) => string) =>
      this.#rows<Line>(sql).map((row) => `${row.name} | ${textOf(row)}`);
    const found: Record<string, string[]> = {};
    if (isOpen) {
      found['Visits overdue'] = lines(
        `SELECT name, visit, CASE state WHEN 'SCHEDULED' THEN date ELSE toDate END AS last FROM visitNow
         WHERE ${takesPart} AND (state = 'PLANNED' AND toDate < @today OR state = 'SCHEDULED' AND date < @today)`,
        ({ visit, last }) => `${visit}: overdue since ${dayText(last)}`,
      );
      found['Visits today and tomorrow'] = lines(
        `SELECT name, visit, date, coalesce(time, '') AS time FROM visitNow
         WHERE ${takesPart} AND state = 'SCHEDULED' AND date BETWEEN @today AND date(@today, '+1 day')`,
        ({ visit, date, time }) => `${visit}: ${dayText(date)} ${time}`,
      );
      found['Visits to schedule'] = lines(
        `SELECT name, visit, toDate FROM visitNow
         WHERE ${takesPart} AND state = 'PLANNED' AND toDate >= @today AND date(fromDate, '-7 days') <= @today`,
        ({ visit, toDate }) => `${visit}: schedule by ${dayText(toDate)}`,
      );
      found['Consents due'] = lines(
        `SELECT name FROM person WHERE isTest = 0 AND status = 'ENROLLED'
         AND EXISTS (SELECT 1 FROM studyPlan, json_each(plan, '$.consentForms') WHERE studyId = @study)
         AND NOT EXISTS (
           SELECT 1 FROM participationStep AS given WHERE given.subjectId = person.id AND consentState = 'GIVEN'
           AND consentVersion = (
             SELECT value ->> 'version' FROM studyPlan, json_each(plan, '$.consentForms')
             WHERE studyId = @study AND value ->> 'isRequired' ORDER BY key DESC LIMIT 1)
           AND NOT EXISTS (
             SELECT 1 FROM participationStep AS void WHERE void.subjectId = person.id AND void.consentState = 'VOID'
             AND void.consentVersion = given.consentVersion AND void.position > given.position))`,
        () => 'Consent missing or outdated',
      );
      found['No data'] = lines(
        `SELECT name, (@now - max(programStartTs, createdTs, coalesce((
           SELECT max(stopUs) / 1000 FROM recording WHERE subjectId = person.id), 0))) / 86400000 AS days
         FROM person WHERE isTest = 0 AND status = 'ENROLLED' AND days >= 2
         AND date(programStartTs / 1000, 'unixepoch', shift, '+28 days') > @today`,
        ({ days }) => `No data for ${days} days`,
      );
      found['Missed tasks'] = lines(
        `SELECT name, (
           SELECT count(*) FROM due WHERE due.id = person.id AND date < @today AND date > coalesce((
             SELECT max(date) FROM due WHERE due.id = person.id AND date < @today AND isDone), '')) AS days
         FROM person WHERE isTest = 0 AND status = 'ENROLLED' AND days >= 3
         AND date(programStartTs / 1000, 'unixepoch', shift, '+28 days') > @today`,
        ({ days }) => `No tasks completed on the last ${days} days with tasks`,
      );
    }
    if (!isLocked) {
      found['Follow-ups due'] = lines(
        `SELECT coalesce(name, study.displayName) AS name, body, julianday(@today) - julianday(followUpDate) AS days, assigneeId
         FROM note JOIN study ON study.id = note.studyId LEFT JOIN person ON person.id = subjectId
         WHERE note.studyId = @study AND followUpDate <= @today AND followUpDoneTs IS NULL AND withdrawnTs IS NULL`,
        ({ body, days, assigneeId }) =>
          `${days === 0 ? 'Due today' : `Overdue by ${plural(days, 'day')}`}, ${assigneeId === null ? 'for anyone' : 'for you'}: ${body}`,
      );
      found['Queries to answer'] = lines(
        "SELECT name, count(*) AS count FROM query JOIN person ON person.id = subjectId WHERE state = 'OPEN' GROUP BY name",
        ({ count }) => `Queries to answer: ${count}.`,
      );
      found['Queries answered'] = lines(
        "SELECT name, count(*) AS count FROM query JOIN person ON person.id = subjectId WHERE state = 'ANSWERED' GROUP BY name",
        ({ count }) => `Queries answered: ${count}. Resolve or reopen them.`,
      );
    }
    found['Unread messages'] = lines(
      `SELECT name, count(*) AS count, (
         SELECT body FROM message AS last WHERE last.subjectId = person.id AND authorType = 'SUBJECT' AND readTs IS NULL
         ORDER BY createdTs DESC LIMIT 1) AS body
       FROM message JOIN person ON person.id = subjectId WHERE authorType = 'SUBJECT' AND readTs IS NULL GROUP BY name`,
      ({ count, body }) => (count === 1 ? `1 unread message: ${body}` : `${count} unread messages, the last: ${body}`),
    );
    return Object.fromEntries(
      Object.entries(found).flatMap(([heading, items]) => (items.length > 0 ? [[heading, items.sort()]] : [])),
    );
  }

  /** What arrived in the last 24 hours: recordings, tasks, messages and analysed days; empty where nothing did. */
  arrivals(): string[] {
    const since = { since: this.#facts.now - 86_400_000n };
    const counts = [
      this.#number(
        'SELECT count(*) FROM recording JOIN person ON person.id = subjectId WHERE recording.createdTs >= @since',
        since,
      ),
      this.#number(
        "SELECT count(*) FROM annotation JOIN person ON person.id = subjectId WHERE type = 'diary' AND reportedTs >= @since",
        since,
      ),
      this.#number(
        "SELECT count(*) FROM message WHERE studyId = @study AND createdTs >= @since AND authorType = 'SUBJECT'",
        since,
      ),
      this.#number(
        "SELECT count(*) FROM event WHERE studyId = @study AND action = 'METRICS_PROCESSED' AND reportedTs >= @since",
        since,
      ),
    ];
    return counts.some((count) => count > 0) ? counts.map(number) : [];
  }

  /** Rows of the list of subjects by the filter above it, without the hidden ones. */
  filters(): Record<string, number> {
    const lacking = (hours: number) =>
      this.#number(
        `SELECT count(*) FROM person WHERE isTest = 0 AND @now - coalesce((
           SELECT max(stopUs) / 1000 FROM recording WHERE subjectId = person.id), 0) > @limit`,
        { limit: hours * 3_600_000 },
      );
    const status = (value: string) => this.#number('SELECT count(*) FROM person WHERE status = @value', { value });
    const group = (value: string) => this.#number('SELECT count(*) FROM person WHERE groupName = @value', { value });
    return {
      All: this.#number('SELECT count(*) FROM person'),
      'No data for 24 h': lacking(24),
      'No data for 48 h': lacking(48),
      'No data for a week': lacking(168),
      Enrolled: status('ENROLLED'),
      Completed: status('COMPLETED'),
      Withdrawn: status('WITHDRAWN'),
      'Test subjects': this.#number('SELECT count(*) FROM person WHERE isTest'),
      Intervention: group('Intervention'),
      Control: group('Control'),
    };
  }

  /** Name, hours recorded, days with recordings and recordings of every subject in the list. */
  listed(): string[][] {
    return this.#rows<{ name: string; seconds: number; days: number; count: number }>(
      `SELECT name, coalesce(sum(stopUs - startUs) / 1e6, 0) AS seconds, count(recording.id) AS count,
         count(DISTINCT date(startUs / 1000000, 'unixepoch', shift)) AS days
       FROM person LEFT JOIN recording ON recording.subjectId = person.id GROUP BY name ORDER BY name`,
    ).map(({ name, seconds, days, count }) => [name, duration(seconds), number(days), number(count)]);
  }

  /** Subjects of the data-quality report by name, with state, reasons and counts; and how many are at risk of how many. */
  quality(): { atRisk: string; rows: string[][] } {
    const people = this.#rows<{ id: string; name: string; isFollowed: number; lastComplete: string }>(
      `SELECT ended.id, name, lastComplete, lifecycleState = 'IN_PROGRESS' AND status = 'ENROLLED'
         AND date(programStartTs / 1000, 'unixepoch', shift, '+27 days') >= lastComplete AS isFollowed
       FROM ended JOIN over ON over.id = ended.id WHERE isTest = 0 ORDER BY name`,
    );
    const all = new Map(
      this.#rows<QualityRow & { id: string }>(`SELECT id, ${QUALITY_SUMS} FROM judged GROUP BY id`).map((row) => [
        row.id,
        row,
      ]),
    );
    let atRisk = 0;
    const rows = people.map(({ id, name, isFollowed, lastComplete: last }) => {
      const sums = all.get(id);
      const [recent] = this.#rows<QualityRow & { lastData: string | null }>(
        `SELECT ${QUALITY_SUMS}, (SELECT max(date) FROM judged WHERE id = @id AND wear > 0) AS lastData
         FROM judged WHERE id = @id AND date > date(@last, '-7 days')`,
        { id, last },
      );
      const reasons: string[] = [];
      if (isFollowed && recent && recent.expected >= 3) {
        const { lastData, expected, valid, assigned, completed } = recent;
        if (lastData === null) reasons.push('No data yet');
        else if (lastData <= plusDays(last, -2)) reasons.push(`No data after ${dayText(lastData)}`);
        const target = Math.ceil((TARGETS.validDays * expected) / 7);
        if (valid < target)
          reasons.push(`Valid days: ${valid} of ${expected} (target ${target}, from ${TARGETS.wearHours} h worn)`);
        const percent = Math.floor((1000 * completed) / assigned) / 10;
        if ((100 * completed) / assigned < TARGETS.taskPercent)
          reasons.push(`Tasks done: ${percent.toFixed(1)} % (target ${TARGETS.taskPercent} %)`);
      }
      if (reasons.length > 0) atRisk += 1;
      const state = !isFollowed
        ? 'Not followed'
        : reasons.length > 0
          ? 'At risk'
          : (recent?.expected ?? 0) < 3
            ? 'Too early'
            : 'On target';
      return [
        name,
        state,
        reasons.join(''),
        ...(sums ? qualityCells(sums) : ['No value', 'No value', 'No value', 'No value', 'No value']),
      ];
    });
    return { atRisk: `${plural(atRisk, 'subject')} at risk of ${people.length}`, rows };
  }

  /** Weeks of the data-quality report by their Monday, newest first. */
  weeks(): string[][] {
    const monday = "date(date, '-6 days', 'weekday 1')";
    const rows = this.#rows<QualityRow & { week: string; subjects: number; onTarget: number }>(
      `SELECT week, sum(expected) AS expected, sum(withData) AS withData, sum(valid) AS valid, sum(wear) AS wear,
         sum(assigned) AS assigned, sum(completed) AS completed, count(*) AS subjects,
         sum(valid >= ceil(${TARGETS.validDays} * min(7, expected) / 7.0)) AS onTarget
       FROM (SELECT ${monday} AS week, id, ${QUALITY_SUMS} FROM judged GROUP BY 1, 2) GROUP BY week ORDER BY week DESC`,
    );
    return rows.map((row) => [number(row.expected), ...qualityCells(row), `${row.onTarget} of ${row.subjects}`]);
  }

  faults(): number {
    return this.#number('SELECT count(*) FROM fault WHERE studyId = @study');
  }

  /** Queries by state, and the counts beside the filters. */
  queries(): { byState: Record<string, number>; summary: string; subjects: string[] } {
    const of = (state: string) => this.#number('SELECT count(*) FROM query WHERE state = @state', { state });
    const [open, answered] = [of('OPEN'), of('ANSWERED')];
    const subjects = this.#rows<{ name: string; open: number; answered: number }>(
      `SELECT name, sum(state = 'OPEN') AS open, sum(state = 'ANSWERED') AS answered
       FROM query JOIN person ON person.id = subjectId WHERE state <> 'RESOLVED' GROUP BY name ORDER BY name`,
    );
    return {
      byState: {
        All: this.#number('SELECT count(*) FROM query'),
        Open: open,
        Answered: answered,
        Resolved: of('RESOLVED'),
      },
      summary: open + answered === 0 ? '' : `Open: ${open}, answered: ${answered},`,
      subjects: subjects.map(({ name, open: o, answered: a }) => `${name}: ${o} open, ${a} answered`),
    };
  }

  /** Rows of the notes of the study by the choice above them. */
  notes(): Record<string, number> {
    const count = (where: string) => this.#number(`SELECT count(*) FROM note WHERE studyId = @study AND ${where}`);
    return {
      All: count('1'),
      Notes: count("kind = 'NOTE'"),
      Calls: count("kind = 'CALL'"),
      'Open follow-ups': count('followUpDate IS NOT NULL AND followUpDoneTs IS NULL AND withdrawnTs IS NULL'),
    };
  }

  /** The 28 days of the board: up to today, or to the last day with recordings of a study that is over. */
  boardDates(isOver: boolean): string[] {
    const [last] = this.#rows<{ date: string }>(
      `SELECT max(date(startUs / 1000000, 'unixepoch', shift)) AS date FROM recording JOIN person ON person.id = subjectId`,
    );
    const lastDate = isOver ? (last?.date ?? '') : this.#facts.today;
    return Array.from({ length: 28 }, (_, index) => plusDays(lastDate, index - 27));
  }

  /** The comparison of a metric by groups over the days of the board: subjects, those without, days, missing, partial, mean and SD. */
  comparison(metric: string, dates: readonly string[], valueText: (value: number) => string): string[][] {
    const values = this.#rows<{ id: string; groupName: string; value: number; isWhole: number }>(
      `SELECT person.id, coalesce(groupName, '') AS groupName, wearSeconds >= ${WHOLE_DAY_SECONDS} AS isWhole,
         json_extract(metrics, '$[' || entry.key || ']') AS value
       FROM analyticsDay JOIN person ON person.id = subjectId JOIN metricNames ON metricNames.id = namesId,
         json_each(names, '$.metrics') AS entry
       WHERE isTest = 0 AND entry.value = @metric AND date BETWEEN @first AND @last AND value IS NOT NULL
         AND (status <> 'WITHDRAWN' OR decision = 'KEEP_ALL' OR decision = 'KEEP_UNTIL' AND date <= statusDate)`,
      { metric, first: dates[0] ?? '', last: dates.at(-1) ?? '' },
    );
    const sizes = this.#rows<{ groupName: string; people: number }>(
      "SELECT coalesce(groupName, '') AS groupName, count(*) AS people FROM person WHERE isTest = 0 GROUP BY 1 ORDER BY 1 DESC",
    );
    // As in the plan, those without a group last.
    const order = ['Intervention', 'Control', ''];
    return sizes
      .sort((a, b) => order.indexOf(a.groupName) - order.indexOf(b.groupName))
      .map(({ groupName, people }) => {
        const own = values.filter((row) => row.groupName === groupName);
        const whole = own.filter(({ isWhole }) => isWhole === 1);
        const bySubject = [...Map.groupBy(whole, ({ id }) => id).values()];
        const means = bySubject.map((rows) => rows.reduce((sum, { value }) => sum + value, 0) / rows.length);
        const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
        const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1);
        return [
          ...[groupName || 'No value', number(means.length), number(people - means.length)],
          ...[number(whole.length), number(people * dates.length - own.length), number(own.length - whole.length)],
          means.length > 0 ? valueText(mean) : 'No value',
          means.length > 1 ? valueText(Math.sqrt(variance)) : 'No value',
        ];
      });
  }

  /** Status, consent, group, visits and number of steps of a subject. */
  participation(name: string): { status: string; group: string; consent: string; visits: string[]; steps: number } {
    const [person] = this.#rows<{ status: string; statusDate: string; groupName: string | null }>(
      'SELECT status, statusDate, groupName FROM person WHERE name = @name',
      { name },
    );
    const [consent] = this.#rows<{ version: string; date: string }>(
      `SELECT consentVersion AS version, date FROM participationStep AS given JOIN person ON person.id = subjectId
       WHERE name = @name AND consentState = 'GIVEN' AND NOT EXISTS (
         SELECT 1 FROM participationStep AS void WHERE void.subjectId = given.subjectId AND void.consentState = 'VOID'
         AND void.consentVersion = given.consentVersion AND void.position > given.position)
       ORDER BY consentVersion DESC LIMIT 1`,
      { name },
    );
    const visits = this.#rows<
      Record<'visit' | 'state' | 'fromDate' | 'toDate', string> & Record<'date' | 'time', string | null>
    >('SELECT visit, state, fromDate, toDate, date, time FROM visitNow WHERE name = @name ORDER BY offset', { name });
    const isOver = person?.status === 'WITHDRAWN' || person?.status === 'COMPLETED';
    const words: Record<string, string> = {
      ...{ PLANNED: isOver ? 'Ended' : 'To schedule', SCHEDULED: isOver ? 'Ended' : 'Scheduled' },
      ...{ DONE: 'Done', MISSED: 'Missed', CANCELLED: 'Cancelled' },
    };
    return {
      status: `${{ ENROLLED: 'Enrolled', WITHDRAWN: 'Withdrawn', COMPLETED: 'Completed' }[person?.status ?? '']} Since ${dayText(person?.statusDate ?? '')}`,
      group: person?.groupName ?? 'No group assigned.',
      consent: consent ? `Version ${consent.version}, ${dayText(consent.date)}` : 'none',
      visits: visits.map(
        ({ visit, state, fromDate, toDate, date, time }) =>
          `${visit} | ${dayText(fromDate)} – ${dayText(toDate)} | ${words[state]}${date === null ? '' : ` | ${dayText(date)}${time === null ? '' : `, ${time}`}`}`,
      ),
      steps: this.#number(
        'SELECT count(*) FROM participationStep JOIN person ON person.id = subjectId WHERE name = @name',
        { name },
      ),
    };
  }
}
