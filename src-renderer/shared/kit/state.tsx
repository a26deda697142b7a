/** Empty, loading and error states. A page is never blank, and an error does not replace data that has loaded. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { ApiError } from '../api/queries.ts';
import type { ShownQuery } from '../api/shown-query.ts';
import { hasText, type Translate, useWords } from '../i18n/i18n.ts';
import type { desk } from '../locales/en/desk.ts';
import { createStore, useStore } from '../store.ts';
import { Button, CopyTextButton } from './controls.tsx';
import { Icon, type IconName } from './icon.tsx';
import styles from './state.module.css';

/** Shorter waits show no loading state. */
const LOADING_DELAY_MS = 300;

/** Shows its children once the wait has become noticeable. */
export function Delayed({ children }: { children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), LOADING_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return due ? children : null;
}

export function Skeleton({ width = '100%', height }: { width?: string; height: string }) {
  return <span className={styles.skeleton} style={{ width, height }} />;
}

/** Placeholder rows of a list whose layout is known. */
export function SkeletonRows({ count = 6 }: { count?: number }) {
  const { t } = useWords();
  return (
    <Delayed>
      <div
        role="status"
        aria-busy="true"
        aria-label={t('app.loading')}
        style={{ display: 'grid', gap: '0.75rem', padding: '1rem' }}
      >
        {Array.from({ length: count }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows without identity
          <Skeleton key={row} height="1.25rem" width={`${92 - ((row * 17) % 40)}%`} />
        ))}
      </div>
    </Delayed>
  );
}

/** Placeholders of parts whose heights are known. */
export function SkeletonBlocks({ heights, className }: { heights: readonly string[]; className?: string }) {
  const { t } = useWords();
  return (
    <Delayed>
      <div className={className} role="status" aria-busy="true" aria-label={t('app.loading')}>
        {heights.map((height, block) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks without identity
          <Skeleton key={block} height={height} />
        ))}
      </div>
    </Delayed>
  );
}

export function Empty({
  icon,
  title,
  help,
  isPage,
  children,
}: {
  icon: IconName;
  title: string;
  help: string;
  /** True where the page shows nothing else. */
  isPage?: boolean;
  children?: ReactNode;
}) {
  const Title = isPage ? 'h1' : 'h2';
  return (
    <div className={styles.empty} data-testid="empty">
      <span className={styles.art}>
        <Icon name={icon} size={32} />
      </span>
      <Title>{title}</Title>
      <p>{help}</p>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  );
}

export function Notice({
  tone,
  children,
  actions,
  testId,
}: {
  tone: 'bad' | 'warn' | 'info' | 'good';
  children: ReactNode;
  actions?: ReactNode;
  testId?: string;
}) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role={tone === 'bad' ? 'alert' : 'status'} data-testid={testId}>
      <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'info' : 'alert'} />
      <div>{children}</div>
      {actions}
    </div>
  );
}

type KnownCode = Exclude<keyof typeof desk.errors, 'title'>;
export const isKnownError = (code: string): code is KnownCode => code !== 'title' && hasText(`errors.${code}`);

/**
 * Describes an error in the user's language. English shows the site's own sentence, which is more specific than the text of
 * its code.
 */
export function errorSentence(error: Error, t: Translate, language: string): string {
  if (!(error instanceof ApiError)) return t('errors.INTERNAL');
  if (language === 'en' && error.status !== 0) return error.message;
  return t(`errors.${isKnownError(error.code) ? error.code : 'INTERNAL'}`);
}

const errorCode = (error: Error) => (error instanceof ApiError ? error.code : 'INTERNAL');

function errorDetails(error: Error): string {
  return JSON.stringify(
    {
      at: new Date().toISOString(),
      page: location.pathname,
      code: errorCode(error),
      status: error instanceof ApiError ? error.status : undefined,
      message: error.message,
      errors: error instanceof ApiError && error.errors.length > 0 ? error.errors : undefined,
      requestId: error instanceof ApiError ? error.requestId : undefined,
    },
    undefined,
    2,
  );
}

export function CopyDetails({ error }: { error: Error }) {
  const { t } = useWords();
  return (
    <CopyTextButton label={t('state.copyDetails')} copiedText={t('state.copied')} text={() => errorDetails(error)} />
  );
}

interface ErrorNoticeProps {
  error: Error;
  onRetry: () => void;
  /** When the data that still shows was loaded, epoch ms. */
  asOf?: number;
}

/** An error with its code, and buttons to retry and to copy the details. */
export function ErrorNotice({ error, onRetry, asOf }: ErrorNoticeProps) {
  const { t, language, format } = useWords();
  const queries = useQueryClient();
  const retry = () => {
    onRetry();
    // Other queries on the page probably failed for the same reason.
    void queries.refetchQueries(
      { type: 'active', predicate: ({ state }) => state.status === 'error' },
      { cancelRefetch: false },
    );
  };
  return (
    <Notice
      tone={asOf === undefined ? 'bad' : 'warn'}
      testId="error-notice"
      actions={
        <>
          <Button small onPress={retry}>
            {t('state.retry')}
          </Button>
          <CopyDetails error={error} />
        </>
      }
    >
      <p>
        {errorSentence(error, t, language)}{' '}
        {asOf !== undefined && <strong>{t('state.stale', { time: format.clock(asOf) })}</strong>}
      </p>
      <small>{t('state.errorCode', { code: errorCode(error) })}</small>
    </Notice>
  );
}

/** A part of the page that failed to load. */
interface FailedRead {
  id: string;
  error: Error;
  asOf: number | undefined;
  /** Where the error can be shown; undefined where the part shows it itself. */
  place: Element | undefined;
}

/** All parts of the page that currently fail to load. The first of them shows the error for all. */
export const failedReads = createStore<readonly FailedRead[]>([]);

export const isSameFailure = (one: Error, other: Error) =>
  errorCode(one) === errorCode(other) && one.message === other.message;

const regionOf = (place: Element | undefined) => place?.closest('[role="dialog"], main');

const isBefore = (one: Element, other: Element) =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

/** Registers an error as shown while the component is mounted, so that no other part repeats it. */
export function useErrorShown(error: Error): void {
  const id = useId();
  useEffect(() => {
    const mine: FailedRead = { id, error, asOf: undefined, place: undefined };
    failedReads.set([...failedReads.get(), mine]);
    return () => failedReads.set(failedReads.get().filter((read) => read !== mine));
  }, [id, error]);
}

/**
 * The error of a part of the page. Where several parts fail for the same reason, the first shows the error for all of them,
 * with the age of the oldest data that still shows; the others only say that they could not be loaded.
 */
export function ReadError({ error, onRetry, asOf }: ErrorNoticeProps) {
  const { t } = useWords();
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!place.current) return;
    const mine: FailedRead = { id, error, asOf, place: place.current };
    failedReads.set([...failedReads.get(), mine]);
    return () => failedReads.set(failedReads.get().filter((read) => read !== mine));
  }, [id, error, asOf]);

  const all = useStore(failedReads);
  const mine = all.find((read) => read.id === id);
  const alike = mine?.place
    ? all.filter((other) => isSameFailure(other.error, error) && regionOf(other.place) === regionOf(mine.place))
    : [];
  const isFirst = mine?.place && !alike.some(({ place: other }) => other && mine.place && isBefore(other, mine.place));
  const ages = alike.flatMap((read) => read.asOf ?? []);
  return (
    <div ref={place} className={styles.place}>
      {isFirst && (
        <ErrorNotice error={error} onRetry={onRetry} asOf={ages.length > 0 ? Math.min(...ages) : undefined} />
      )}
      {mine && !isFirst && asOf === undefined && <p className={styles.unread}>{t('state.sameFailure')}</p>}
    </div>
  );
}

/** Shows a query: a skeleton until there is data, and an error beside the last data where there is some. */
export function QueryView<T>({
  query,
  skeleton,
  children,
}: {
  query: ShownQuery<T>;
  skeleton?: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const { data, error } = query;
  const retry = () => void query.refetch();
  return (
    <>
      {error && <ReadError error={error} onRetry={retry} asOf={data === undefined ? undefined : query.dataUpdatedAt} />}
      {data === undefined ? !error && (skeleton ?? <SkeletonRows />) : children(data)}
    </>
  );
}
