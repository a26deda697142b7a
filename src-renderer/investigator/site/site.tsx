/** The state of the site. Everyone can read it; administrators can also verify the site and read diagnostics. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import type { Diagnostic, Job, Site as SiteState } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { saveText } from '../../shared/api/download.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { siteChecksQuery, siteQuery } from '../../shared/api/queries.ts';
import { diagnosticsQuery } from '../../shared/api/site-queries.ts';
import { useDiagnosticTexts } from '../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, Pill } from '../../shared/kit/controls.tsx';
import { FormProblem, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { CopyButton } from '../../shared/kit/forms.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { ErrorNotice, Notice, QueryView, ReadError } from '../../shared/kit/state.tsx';
import { AccessLimits } from '../access/limits.tsx';
import { DATABASE_WORDS } from '../frame/database-words.ts';
import { useStep } from '../jobs/job-state.ts';
import { FormFoot } from './form-foot.tsx';
import { LockSetting } from './lock-setting.tsx';
import { Scrub } from './scrub.tsx';
import styles from './site.module.css';
import { SitePage } from './site-page.tsx';

const DiskUse = lazy(async () => ({ default: (await import('./disk-use.tsx')).DiskUse }));

const card = `${panelClass} ${styles.card}`;

function Name({ site }: { site: SiteState }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [name, setName] = useState(site.displayName);
  const save = useMutation({
    mutationFn: () => client.call('updateSiteSettings', { body: { displayName: name } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['site'] }),
  });
  const fieldError = useFieldErrors(save.error);
  return (
    <form
      className={card}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Field
        label={t('site.name')}
        value={name}
        onChange={setName}
        help={t('site.nameHelp')}
        error={fieldError('displayName')}
      />
      <FormProblem error={save.error} />
      <FormFoot
        save={save}
        isDisabled={name.trim() === '' || name === site.displayName}
        savedText={name === site.displayName ? t('form.saved') : ''}
      />
    </form>
  );
}

interface CheckResult {
  countProblems: number;
  problems: Diagnostic[];
  checked: { recordings: number; bytes: number; auditRows: number };
  audit: { isIntact: boolean; message: string };
}

const isCheckResult = (result: object): result is CheckResult => 'countProblems' in result && 'checked' in result;

function Found({ job, result }: { job: Job; result: CheckResult }) {
  const { t, format } = useWords();
  const textsOf = useDiagnosticTexts();
  const { checked, problems, countProblems } = result;
  const facts = t('site.checked', {
    recordings: format.number(checked.recordings),
    size: format.bytes(checked.bytes),
    entries: format.number(checked.auditRows),
  });
  const time = format.moment(job.finishedTs ?? job.createdTs);
  if (countProblems === 0) {
    return (
      <Notice tone="good">
        <p>{t('site.checkPassed', { time })}</p>
        <small>{facts}</small>
      </Notice>
    );
  }
  return (
    <Notice tone="bad">
      <p>{t('site.checkFailed', { time, count: countProblems })}</p>
      <ul className={styles.problems}>
        {textsOf(problems)
          .slice(0, 20)
          .map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
      </ul>
      <small>
        {facts} {t('site.checkAdvice')}
      </small>
    </Notice>
  );
}

function Check() {
  const { t } = useWords();
  const queries = useQueryClient();
  const step = useStep();
  const jobs = useQuery(siteChecksQuery()).data ?? [];
  const running = jobs.find((job) => job.state === 'running' || job.state === 'queued');
  const last = jobs.find((job) => job.state === 'done');
  const start = useMutation({
    mutationFn: () => client.call('verifySite'),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['job'] }),
  });
  return (
    <section className={card} aria-label={t('site.checkTitle')}>
      <div className={styles.cardHead}>
        <h2>{t('site.checkTitle')}</h2>
        <Button icon="shield" isDisabled={start.isPending || running !== undefined} onPress={() => start.mutate()}>
          {t('site.check')}
        </Button>
      </div>
      <p className={styles.hint}>{t('site.checkHelp')}</p>
      {start.error && <ErrorNotice error={start.error} onRetry={() => start.mutate()} />}
      {running && (
        <div role="status">
          <p>{t('site.checking')}</p>
          {running.progress && (
            <>
              <ProgressBar label={t('site.checkTitle')} done={running.progress.done} total={running.progress.total} />
              <small>{step(running.progress)}</small>
            </>
          )}
        </div>
      )}
      {last?.result && isCheckResult(last.result) && <Found job={last} result={last.result} />}
      {!last && !running && <p>{t('site.neverChecked')}</p>}
    </section>
  );
}

function Diagnostics() {
  const { t } = useWords();
  const [isShown, setShown] = useState(false);
  const query = useQuery({ ...diagnosticsQuery(), enabled: isShown });
  const text = query.data ? JSON.stringify(query.data, undefined, 2) : '';
  return (
    <section className={card} aria-label={t('site.diagnostics')}>
      <div className={styles.cardHead}>
        <h2>{t('site.diagnostics')}</h2>
        {text === '' ? (
          <Button isDisabled={query.isFetching} onPress={() => setShown(true)}>
            {t('site.diagnosticsShow')}
          </Button>
        ) : (
          <>
            <CopyButton text={text} label={t('form.copy')} />
            <Button
              small
              icon="download"
              onPress={() => saveText(text, 'outpost-diagnostics.json', 'application/json')}
            >
              {t('exports.download')}
            </Button>
          </>
        )}
      </div>
      <p className={styles.hint}>{t('site.diagnosticsHelp')}</p>
      {query.error && <ReadError error={query.error} onRetry={() => void query.refetch()} />}
      {text !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <pre className={styles.json} tabIndex={0}>
          {text}
        </pre>
      )}
    </section>
  );
}

function Facts({ site }: { site: SiteState }) {
  const { t, format } = useWords();
  const isAdministrator = usePermissions()('site.manage');
  const [isDiskShown, setDiskShown] = useState(false);
  const { state, check, move } = site.database;
  const isHealthy = state === 'healthy';
  return (
    <section className={card} aria-label={t('site.state')}>
      <h2>{site.displayName}</h2>
      <dl className={styles.facts}>
        <dt>{t('site.program')}</dt>
        <dd>{t('statusBar.version', { version: site.version })}</dd>
        <dt>{t('statusBar.database')}</dt>
        <dd>
          <Pill tone={isHealthy ? 'good' : 'bad'}>{t(DATABASE_WORDS[state])}</Pill>{' '}
          {t('statusBar.schema', {
            version: site.database.schemaVersion,
            size: format.bytes(site.database.sizeBytes),
          })}
        </dd>
        <dt>{t('site.databaseChecked')}</dt>
        <dd>
          {check.isChecking
            ? t('site.databaseChecking')
            : check.checkedTs === undefined
              ? t('site.databaseNotChecked')
              : format.dateTime(check.checkedTs)}
        </dd>
        {move && (
          <>
            <dt>{t('site.databaseMove')}</dt>
            <dd>{t('site.databaseMoved', { done: format.number(move.done), total: format.number(move.total) })}</dd>
          </>
        )}
        <dt>{t('site.disk')}</dt>
        <dd>
          <Pill tone={site.disk.isLow ? 'warn' : 'good'}>
            {t(site.disk.isLow ? 'site.diskLow' : 'site.diskEnough')}
          </Pill>{' '}
          {t('site.diskFree', { free: format.bytes(site.disk.freeBytes), total: format.bytes(site.disk.totalBytes) })}
        </dd>
        <dt>{t('statusBar.address')}</dt>
        <dd className={`${styles.mono} ${styles.lines}`}>
          {site.addresses.map((address) => (
            <span key={address}>{address}</span>
          ))}
        </dd>
      </dl>
      {site.disk.isLow && <Notice tone="warn">{t('statusBar.diskLowHelp')}</Notice>}
      {isAdministrator && !isDiskShown && (
        <div>
          <Button small onPress={() => setDiskShown(true)}>
            {t('diskUse.show')}
          </Button>
        </div>
      )}
      <Suspense>{isDiskShown && <DiskUse />}</Suspense>
      {!isHealthy && <Notice tone="bad">{t(problemKey(site))}</Notice>}
    </section>
  );
}

function problemKey({ database, problem }: SiteState) {
  if (database.state === 'damaged') return 'errors.SITE_CORRUPT';
  return problem?.code === 'SITE_DISCONNECTED' ? 'errors.SITE_DISCONNECTED' : 'errors.SITE_READ_ONLY';
}

export function Site() {
  const { t } = useWords();
  const isAdministrator = usePermissions()('site.manage');
  const site = useQuery(siteQuery());
  return (
    <SitePage title={t('site.state')} summary={t('site.stateSummary')}>
      <QueryView query={site}>
        {(data) => (
          <div className={styles.cards}>
            <div className={styles.column}>
              <Facts site={data} />
              {isAdministrator && <Name key={data.displayName} site={data} />}
              {isAdministrator && <LockSetting />}
              {isAdministrator && <AccessLimits />}
            </div>
            {isAdministrator && (
              <div className={styles.column}>
                <Check />
                <Scrub />
                <Diagnostics />
              </div>
            )}
          </div>
        )}
      </QueryView>
    </SitePage>
  );
}
