/** The labels of a recording: filtered by kind, stepped through, edited and deleted. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { saveText } from '../../../shared/api/download.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, IconButton } from '../../../shared/kit/controls.tsx';
import { ErrorNotice } from '../../../shared/kit/state.tsx';
import { DeleteLabelDialog } from '../../labels/delete-label.tsx';
import { KindFilter } from '../../labels/kind-filter.tsx';
import { LabelDialog } from '../../labels/label-dialog.tsx';
import { answerText, useNeedsReason } from '../../labels/label-rules.ts';
import type { LabelHistory } from '../data/label-history.ts';
import { isEditable, type LabelItem, type LabelKind, labelsCsv } from '../data/labels.ts';
import type { ViewerModel } from '../data/model.ts';
import styles from '../viewer.module.css';
import { zoomCommands } from '../zoom.ts';

/** One label; pressing it shows its time and, for a span, sets the calipers on it. */
function LabelRow({
  model,
  item,
  author,
  timeZone,
  mayEdit,
  isDeleting,
  onEdit,
  onDelete,
}: {
  model: ViewerModel;
  item: LabelItem;
  author: string;
  timeZone: string;
  mayEdit: boolean;
  isDeleting: boolean;
  onEdit: () => void;
  onDelete: () => void;
}) {
  const { t, format } = useWords();
  const { name, kind, startMs, stopMs } = item;
  const seconds = (stopMs - startMs) / 1000;
  const length = seconds < 60 ? t('viewer.seconds', { value: format.number(seconds, 1) }) : format.duration(seconds);
  return (
    <li data-kind={kind}>
      <Button
        kind="quiet"
        className={styles.labelRow}
        onPress={() => {
          zoomCommands(model).show((startMs + stopMs) / 2);
          if (kind === 'label' && stopMs > startMs) model.set({ calipers: { startMs, stopMs }, snappedTo: null });
        }}
      >
        <strong>{name}</strong>
        {item.value !== undefined && <span>{answerText(item, t)}</span>}
        <small>
          {format.moment(startMs, timeZone)}
          {stopMs > startMs && ` · ${length}`} · {t(`viewer.kinds.${kind}`)}
          {kind !== 'system' && ` · ${author}`}
        </small>
      </Button>
      {mayEdit && isEditable(item) && (
        <span className={styles.rowActions}>
          <IconButton kind="quiet" small icon="pencil" label={t('labels.editOf', { name })} onPress={onEdit} />
          <IconButton
            kind="quiet"
            small
            icon="close"
            label={t('viewer.deleteLabel', { name })}
            isDisabled={isDeleting}
            onPress={onDelete}
          />
        </span>
      )}
    </li>
  );
}

export function LabelList({
  model,
  items,
  kind,
  onKind,
  onStep,
  authorOf,
  timeZone,
  history,
}: {
  model: ViewerModel;
  items: readonly LabelItem[];
  /** The kind that is listed, and that stepping goes to. */
  kind: LabelKind | 'all';
  onKind: (kind: LabelKind | 'all') => void;
  onStep: (direction: -1 | 1) => void;
  authorOf: (item: LabelItem) => string;
  timeZone: string;
  history: LabelHistory;
}) {
  const { t } = useWords();
  const mayEdit = usePermissions()('annotation.write', model.recording.studyId);
  const needsReason = useNeedsReason(model.recording.studyId);
  const [edited, setEdited] = useState<LabelItem | null>(null);
  const [deleting, setDeleting] = useState<LabelItem | null>(null);
  const shown = items.filter((item) => kind === 'all' || item.kind === kind);
  const remove = useMutation({ mutationFn: (item: LabelItem) => history.remove(item) });
  return (
    <section className={styles.labels} aria-label={t('viewer.labels')}>
      <div className={styles.labelsHead}>
        <h2>{t('viewer.labels')}</h2>
        <span className={styles.spacer} />
        {items.length > 0 && (
          <Button
            small
            kind="quiet"
            icon="download"
            onPress={() => saveText(labelsCsv(shown), 'labels.csv', 'text/csv')}
            aria-label={t('viewer.labelsCsv')}
          >
            CSV
          </Button>
        )}
        {shown.length > 0 && (
          <span className={styles.steps}>
            <IconButton kind="quiet" small icon="left" label={t('viewer.previousLabel')} onPress={() => onStep(-1)} />
            <IconButton kind="quiet" small icon="right" label={t('viewer.nextLabel')} onPress={() => onStep(1)} />
          </span>
        )}
      </div>
      <div className={styles.chips}>
        <KindFilter items={items} kind={kind} onKind={onKind} />
      </div>
      {remove.error && <ErrorNotice error={remove.error} onRetry={() => remove.reset()} />}
      {shown.length === 0 ? (
        <p className={styles.hint}>{t('viewer.noLabels')}</p>
      ) : (
        <ul className={styles.labelRows}>
          {shown.map((item) => (
            <LabelRow
              key={item.id}
              model={model}
              item={item}
              author={authorOf(item)}
              timeZone={timeZone}
              mayEdit={mayEdit}
              isDeleting={remove.isPending}
              onEdit={() => setEdited(item)}
              onDelete={() => (needsReason ? setDeleting(item) : remove.mutate(item))}
            />
          ))}
        </ul>
      )}
      {deleting && <DeleteLabelDialog item={deleting} history={history} onClose={() => setDeleting(null)} />}
      {edited && <LabelDialog item={edited} timeZone={timeZone} history={history} onClose={() => setEdited(null)} />}
    </section>
  );
}
