/** The print view of a report: read once, so that all of its pages show one moment, and shown when everything is there. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { personName } from '../../../src-server/study/person-name.ts';
import { siteQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ReadError, SkeletonBlocks } from '../../shared/kit/state.tsx';
import { localDate, preciseClock } from '../../shared/time/local-day.ts';
import type { Content } from './contents.tsx';
import { Flow } from './flow.tsx';
import styles from './paper.module.css';
import { type Fact, Sheet } from './sheet.tsx';
import { Tools, useFileName, usePaper } from './tools.tsx';

/** Dates and times in digits, which read alike in every language of a file. */
export const moment = (ms: number, timeZone: string) =>
  `${localDate(ms, timeZone)} ${preciseClock(ms, timeZone).clock.slice(0, 5)}`;

export interface Loaded<T> {
  data: T;
  site: { displayName: string; version: string };
  /** When it was read, epoch ms: what prints is what was known then. */
  readMs: number;
}

export function ReportScreen<T>({
  title,
  queryKey,
  load,
  back,
  children,
}: {
  title: string;
  queryKey: readonly unknown[];
  load: (queries: QueryClient) => Promise<T>;
  back: ReactNode;
  children: (loaded: Loaded<T>) => ReactNode;
}) {
  const { t } = useWords();
  const queries = useQueryClient();
  const report = useQuery({
    queryKey: ['paper', ...queryKey],
    queryFn: async (): Promise<Loaded<T>> => {
      const [data, site] = await Promise.all([load(queries), queries.fetchQuery(siteQuery())]);
      return { data, site, readMs: Date.now() };
    },
    staleTime: Number.POSITIVE_INFINITY,
    // A view that is opened again reads again.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <main className={styles.screen}>
      <Tools title={title} help={t('paper.reportHelp')} isReady={report.data !== undefined} back={back} />
      {report.error && (
        <div className={styles.notices}>
          <ReadError
            error={report.error}
            onRetry={() => void report.refetch()}
            asOf={report.data === undefined ? undefined : report.dataUpdatedAt}
          />
        </div>
      )}
      {report.data ? children(report.data) : !report.error && <SkeletonBlocks heights={['20rem']} />}
    </main>
  );
}

export function ReportSheets<T>({
  title,
  fileName,
  facts,
  contents,
  note,
  timeZone,
  loaded: { site, readMs },
}: {
  title: string;
  /** Of the PDF, without its ending. */
  fileName: string;
  /** Below the title on every sheet, after the site. */
  facts: readonly Fact[];
  contents: readonly Content[];
  note?: string;
  /** In which the time of printing shows. */
  timeZone: string;
  loaded: Loaded<T>;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const { paper } = usePaper();
  useFileName(fileName);
  const printed = t('paper.printed', {
    time: `${moment(readMs, timeZone)} (UTC${preciseClock(readMs, timeZone).offset})`,
    name: personName(user),
    version: site.version,
  });
  return (
    <Flow
      paper={paper}
      contents={contents}
      sheet={(page, pages, children) => (
        <Sheet
          {...{ paper, title, page, pages, printed, note }}
          facts={[{ name: t('paper.site'), value: site.displayName }, ...facts]}
        >
          {children}
        </Sheet>
      )}
    />
  );
}
