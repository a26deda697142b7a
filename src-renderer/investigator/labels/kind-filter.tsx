import { useWords } from '../../shared/i18n/i18n.ts';
import { Segments } from '../../shared/kit/controls.tsx';
import { LABEL_KINDS, type LabelItem, type LabelKind } from '../viewer/data/labels.ts';

/** Filters labels by kind and counts each kind; renders nothing while there is only one. */
export function KindFilter({
  items,
  kind,
  onKind,
}: {
  items: readonly LabelItem[];
  kind: LabelKind | 'all';
  onKind: (kind: LabelKind | 'all') => void;
}) {
  const { t, format } = useWords();
  const counts = Map.groupBy(items, (item) => item.kind);
  const kinds = LABEL_KINDS.filter((one) => counts.has(one));
  if (kinds.length < 2) return null;
  return (
    <Segments
      label={t('viewer.kind')}
      value={kind}
      options={[
        { id: 'all' as const, label: `${t('viewer.all')} ${format.number(items.length)}` },
        ...kinds.map((one) => ({
          id: one,
          label: `${t(`viewer.kinds.${one}`)} ${format.number(counts.get(one)?.length ?? 0)}`,
        })),
      ]}
      onChange={onKind}
    />
  );
}
