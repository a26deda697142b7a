/** The end of a table whose list is read page by page: when the next page is read, what says so, and the key to the very end. */
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { ListAround, LongList } from '../api/long-list.ts';
import { useWords } from '../i18n/i18n.ts';
import { Button } from './controls.tsx';
import type { useRowKeys } from './row-keys.ts';
import { ErrorNotice, Notice, SkeletonRows } from './state.tsx';
import styles from './table.module.css';

/** `aria-rowcount` of a table whose length is not known. */
export const UNKNOWN_COUNT = -1;

/** What a table needs of its list; the items may have become other rows. */
export interface ShownPages
  extends Pick<LongList<unknown>, 'items' | 'hasMore' | 'isLoadingMore' | 'canReadMore' | 'moreError' | 'more'> {
  /** Absent where the whole list would be too long to read. */
  rest?: () => void;
}

/** Reads the next page when the last row that has been read is near the screen. */
export function useMoreAtEnd(list: ShownPages | undefined, isAtEnd: boolean): void {
  const wants = isAtEnd && list?.canReadMore === true && !list.isLoadingMore && list.moreError === null;
  const more = list?.more;
  // biome-ignore lint/correctness/useExhaustiveDependencies: again for each page that has been read
  useEffect(() => {
    if (wants) more?.();
  }, [wants, list?.items.length]);
}

/** Ctrl+End goes to the last row of the whole list, which is read first. */
export function useWholeEnd(
  { onKeyDown, focusRow }: ReturnType<typeof useRowKeys>,
  rows: number,
  list: ShownPages | undefined,
): (event: KeyboardEvent<HTMLElement>) => void {
  const [wantsEnd, setWantsEnd] = useState(false);
  const hasMore = list?.hasMore === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list is whole
  useEffect(() => {
    if (!wantsEnd || hasMore) return undefined;
    // Not within the effect: the row has to be rendered before it can take the focus.
    const frame = requestAnimationFrame(() => {
      setWantsEnd(false);
      focusRow(rows - 1, 0);
    });
    return () => cancelAnimationFrame(frame);
  }, [wantsEnd, hasMore]);
  return (event) => {
    const isEnd = event.key === 'End' && event.ctrlKey && hasMore && list?.rest !== undefined;
    if (isEnd) list.rest?.();
    setWantsEnd(isEnd);
    onKeyDown(event);
  };
}

/** In place of the table while no row that has been read matches: reads on until one does, or the list ends. */
export function RowsAhead({ list }: { list: ShownPages }) {
  useMoreAtEnd(list, true);
  return (
    <>
      <SkeletonRows />
      <MoreRows list={list} />
    </>
  );
}

/** Above the rows of a list that is read around one of its items: reads newer ones, or begins with the newest. */
export function NewerRows({
  list: { newer, isMissing },
  onNewest,
}: {
  list: Pick<ListAround<unknown>, 'newer' | 'isMissing'>;
  onNewest: () => void;
}) {
  const { t } = useWords();
  if (isMissing) return <Notice tone="warn">{t('table.shownMissing')}</Notice>;
  if (!newer) return null;
  if (newer.moreError) return <ErrorNotice error={newer.moreError} onRetry={newer.more} />;
  return (
    <div className={styles.foot}>
      <span role="status">{newer.isLoadingMore ? t('table.loadingMore') : t('table.newerRows')}</span>
      <Button small isDisabled={newer.isLoadingMore} onPress={newer.more}>
        {t('table.loadNewer')}
      </Button>
      <Button small onPress={onNewest}>
        {t('table.showNewest')}
      </Button>
    </div>
  );
}

/**
 * How far a list has been read, below its rows. Nothing once it is whole.
 * @param text in place of how many rows have been read
 */
export function MoreRows({ list, text }: { list: ShownPages; text?: string }) {
  const { t, format } = useWords();
  const { items, hasMore, isLoadingMore, moreError, more, rest } = list;
  if (moreError) return <ErrorNotice error={moreError} onRetry={more} />;
  if (!hasMore) return null;
  return (
    <p className={styles.foot}>
      <span role="status">
        {isLoadingMore
          ? t('table.loadingMore')
          : (text ?? t('table.firstRows', { count: items.length, value: format.number(items.length) }))}
      </span>
      {rest && (
        <Button small isDisabled={isLoadingMore} onPress={rest}>
          {t('table.loadAll')}
        </Button>
      )}
    </p>
  );
}
