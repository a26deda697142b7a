/** The plan of a study for its subjects: versions of the consent form, groups, strata and visits, edited and saved as a whole. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { StudyPlanAnswer } from '../../../src-server/api/contract/index.ts';
import {
  LONGEST_PLAN_NAME,
  MOST_VISIT_DAYS,
  type PlanChoice,
  type PlannedVisit,
  VISIT_ANCHORS,
} from '../../../src-server/vocabulary/participation.ts';
import { client } from '../../shared/api/client.ts';
import { studyPlanQuery } from '../../shared/api/participation-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studyQuery } from '../../shared/api/queries.ts';
import { useUnsavedInput } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, IconButton } from '../../shared/kit/controls.tsx';
import { FormProblem, submitOnCtrlEnter } from '../../shared/kit/form-dialog.tsx';
import { Checkbox, Select } from '../../shared/kit/forms.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Notice, QueryView } from '../../shared/kit/state.tsx';
import { LeaveDialog } from '../studies/builder/leave-dialog.tsx';
import { NumberField } from '../studies/builder/number-field.tsx';
import styles from './participation.module.css';

type Draft = Pick<StudyPlanAnswer, 'consentForms' | 'groups' | 'strata' | 'visits'>;

const draftOf = ({ consentForms, groups, strata, visits }: StudyPlanAnswer): Draft => ({
  consentForms,
  groups,
  strata,
  visits,
});

type Fault = 'nameMissing' | 'nameTwice';

/** What is wrong with the name at a place of a list. */
function faultOf(names: readonly string[], index: number): Fault | undefined {
  const name = names[index]?.trim() ?? '';
  if (name === '') return 'nameMissing';
  return names.findIndex((other) => other.trim() === name) < index ? 'nameTwice' : undefined;
}

const namesOf = (draft: Draft): string[][] => [
  draft.consentForms.map(({ version }) => version),
  ...[draft.groups, draft.strata, draft.visits].map((list) => list.map(({ displayName }) => displayName)),
];

const isWhole = (draft: Draft): boolean =>
  namesOf(draft).every((names) => names.every((_, index) => faultOf(names, index) === undefined));

const without = <T,>(list: readonly T[], index: number): T[] => list.filter((_, i) => i !== index);
const replaced = <T,>(list: readonly T[], index: number, item: T): T[] =>
  list.map((old, i) => (i === index ? item : old));

function Part({ title, help, children }: { title: string; help: string; children: ReactNode }) {
  return (
    <section className={`${panelClass} ${styles.card}`} aria-label={title}>
      <h2>{title}</h2>
      <small>{help}</small>
      {children}
    </section>
  );
}

interface PartProps<T> {
  items: readonly T[];
  isReadOnly: boolean;
  onChange: (items: T[]) => void;
}

function ConsentForms({ items, isReadOnly, onChange }: PartProps<Draft['consentForms'][number]>) {
  const { t } = useWords();
  const versions = items.map(({ version }) => version);
  return (
    <Part title={t('plan.consentForms')} help={t('plan.consentHelp')}>
      {items.map((form, index) => {
        const fault = faultOf(versions, index);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a form has no identity but its place
          <div key={index} className={styles.fields}>
            <Field
              label={t('plan.version', { index: index + 1 })}
              value={form.version}
              maxLength={LONGEST_PLAN_NAME}
              isReadOnly={isReadOnly}
              onChange={(version) => onChange(replaced(items, index, { ...form, version }))}
              {...(fault && { error: t(`plan.${fault}`) })}
            />
            <Checkbox
              label={t('plan.isRequired')}
              isSelected={form.isRequired}
              isDisabled={isReadOnly}
              onChange={(isRequired) => onChange(replaced(items, index, { ...form, isRequired }))}
            />
            {!isReadOnly && (
              <IconButton
                kind="quiet"
                icon="trash"
                label={t('plan.removeForm', { version: form.version })}
                onPress={() => onChange(without(items, index))}
              />
            )}
          </div>
        );
      })}
      {!isReadOnly && (
        <div className={styles.row}>
          <Button small icon="plus" onPress={() => onChange([...items, { version: '', isRequired: true }])}>
            {t('plan.addForm')}
          </Button>
        </div>
      )}
    </Part>
  );
}

function Choices({ kind, items, isReadOnly, onChange }: PartProps<PlanChoice> & { kind: 'groups' | 'strata' }) {
  const { t } = useWords();
  const names = items.map(({ displayName }) => displayName);
  return (
    <Part title={t(`plan.${kind}`)} help={t(`plan.${kind}Help`)}>
      {items.map((choice, index) => {
        const fault = faultOf(names, index);
        return (
          <div key={choice.id} className={styles.fields}>
            <Field
              label={t(`plan.${kind}N`, { index: index + 1 })}
              value={choice.displayName}
              maxLength={LONGEST_PLAN_NAME}
              isReadOnly={isReadOnly}
              onChange={(displayName) => onChange(replaced(items, index, { ...choice, displayName }))}
              {...(fault && { error: t(`plan.${fault}`) })}
            />
            {!isReadOnly && (
              <IconButton
                kind="quiet"
                icon="trash"
                label={t('plan.remove', { name: choice.displayName })}
                onPress={() => onChange(without(items, index))}
              />
            )}
          </div>
        );
      })}
      {!isReadOnly && (
        <div className={styles.row}>
          <Button small icon="plus" onPress={() => onChange([...items, { id: crypto.randomUUID(), displayName: '' }])}>
            {t(`plan.${kind}Add`)}
          </Button>
        </div>
      )}
    </Part>
  );
}

const DAYS = { min: 0, max: MOST_VISIT_DAYS };

function VisitEntry({
  visit,
  fault,
  isReadOnly,
  onChange,
  onRemove,
}: {
  visit: PlannedVisit;
  fault: Fault | undefined;
  isReadOnly: boolean;
  onChange: (visit: PlannedVisit) => void;
  onRemove: () => void;
}) {
  const { t } = useWords();
  const set = (fields: Partial<PlannedVisit>) => onChange({ ...visit, ...fields });
  return (
    <fieldset className={styles.entry} aria-label={visit.displayName || t('plan.visitName')}>
      <div className={styles.numbers}>
        <Field
          label={t('plan.visitName')}
          value={visit.displayName}
          maxLength={LONGEST_PLAN_NAME}
          isReadOnly={isReadOnly}
          onChange={(displayName) => set({ displayName })}
          {...(fault && { error: t(`plan.${fault}`) })}
        />
        <Select
          label={t('plan.anchor')}
          value={visit.anchor}
          options={VISIT_ANCHORS.map((id) => ({ id, label: t(`plan.anchors.${id}`) }))}
          isDisabled={isReadOnly}
          onChange={(anchor) => set({ anchor })}
        />
        <NumberField
          label={t('plan.offset')}
          value={visit.offsetDays}
          limits={{ min: -MOST_VISIT_DAYS, max: MOST_VISIT_DAYS }}
          isReadOnly={isReadOnly}
          onChange={(offsetDays) => set({ offsetDays })}
        />
        <NumberField
          label={t('plan.before')}
          value={visit.windowBefore}
          limits={DAYS}
          isReadOnly={isReadOnly}
          onChange={(windowBefore) => set({ windowBefore })}
        />
        <NumberField
          label={t('plan.after')}
          value={visit.windowAfter}
          limits={DAYS}
          isReadOnly={isReadOnly}
          onChange={(windowAfter) => set({ windowAfter })}
        />
      </div>
      <div className={styles.row}>
        <Checkbox
          label={t('plan.isOptional')}
          isSelected={visit.isOptional}
          isDisabled={isReadOnly}
          onChange={(isOptional) => set({ isOptional })}
        />
        <Checkbox
          label={t('plan.isReminded')}
          isSelected={visit.isReminded}
          isDisabled={isReadOnly}
          onChange={(isReminded) => set({ isReminded })}
        />
        {!isReadOnly && (
          <IconButton
            kind="quiet"
            icon="trash"
            label={t('plan.remove', { name: visit.displayName })}
            onPress={onRemove}
          />
        )}
      </div>
    </fieldset>
  );
}

function PlanVisits({ items, isReadOnly, onChange }: PartProps<PlannedVisit>) {
  const { t } = useWords();
  const names = items.map(({ displayName }) => displayName);
  const last = items.at(-1);
  const next = (): PlannedVisit => ({
    ...{ id: crypto.randomUUID(), displayName: '', anchor: last?.anchor ?? 'ENROLLED' },
    ...{ offsetDays: last ? last.offsetDays + 7 : 0 },
    ...{ windowBefore: last?.windowBefore ?? 3, windowAfter: last?.windowAfter ?? 3 },
    ...{ isOptional: false, isReminded: last?.isReminded ?? true },
  });
  return (
    <Part title={t('plan.visits')} help={t('plan.visitsHelp')}>
      {items.map((visit, index) => (
        <VisitEntry
          key={visit.id}
          visit={visit}
          fault={faultOf(names, index)}
          isReadOnly={isReadOnly}
          onChange={(changed) => onChange(replaced(items, index, changed))}
          onRemove={() => onChange(without(items, index))}
        />
      ))}
      {items.length === 0 && <p>{t('plan.noVisits')}</p>}
      {!isReadOnly && (
        <div className={styles.row}>
          <Button small icon="plus" onPress={() => onChange([...items, next()])}>
            {t('plan.addVisit')}
          </Button>
        </div>
      )}
    </Part>
  );
}

function Editor({ studyId, saved }: { studyId: string; saved: StudyPlanAnswer }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const study = useQuery(studyQuery(studyId)).data;
  const mayEdit = usePermissions()('study.update', studyId);
  const isReadOnly = !mayEdit || study?.lifecycleState === 'COMPLETE' || study?.isArchived === true;
  // The version that is edited: what somebody else saves meanwhile is refused by the site, not overwritten.
  const [base, setBase] = useState(saved);
  const [draft, setDraft] = useState<Draft | null>(null);
  const isChanged = draft !== null;
  const shownPlan = isChanged ? base : saved;
  const shown = draft ?? draftOf(shownPlan);
  useUnsavedInput(isChanged);
  const save = useMutation({
    mutationFn: (plan: Draft) =>
      client.call('setStudyPlan', { params: { studyId }, body: { version: base.version, ...plan } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['participation', studyId] });
      setDraft(null);
    },
  });
  const change = (fields: Partial<Draft>) => {
    if (!isChanged) setBase(saved);
    save.reset();
    setDraft({ ...shown, ...fields });
  };
  const mayBeSaved = isChanged && isWhole(shown);
  return (
    <form
      className={styles.plan}
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event) => {
        event.preventDefault();
        if (mayBeSaved && !save.isPending) save.mutate(shown);
      }}
    >
      <LeaveDialog isChanged={isChanged} />
      {!mayEdit && <p>{t('plan.readOnly')}</p>}
      {!isReadOnly && (
        <div className={styles.row}>
          <p>{t('plan.intro')}</p>
          <Button type="submit" kind="primary" isDisabled={!mayBeSaved || save.isPending}>
            {t('plan.save')}
          </Button>
          <Button
            kind="quiet"
            isDisabled={!isChanged}
            onPress={() => {
              save.reset();
              setDraft(null);
            }}
          >
            {t('plan.discard')}
          </Button>
        </div>
      )}
      <FormProblem error={save.error} />
      {save.isSuccess && !isChanged && <Notice tone="good">{t('plan.saved')}</Notice>}
      <ConsentForms
        items={shown.consentForms}
        isReadOnly={isReadOnly}
        onChange={(consentForms) => change({ consentForms })}
      />
      <div className={styles.page}>
        <Choices kind="groups" items={shown.groups} isReadOnly={isReadOnly} onChange={(groups) => change({ groups })} />
        <Choices kind="strata" items={shown.strata} isReadOnly={isReadOnly} onChange={(strata) => change({ strata })} />
      </div>
      <PlanVisits items={shown.visits} isReadOnly={isReadOnly} onChange={(visits) => change({ visits })} />
    </form>
  );
}

export function StudyPlanPage() {
  const { studyId } = useParams({ from: '/desk/studies/$studyId/plan' });
  const query = useQuery(studyPlanQuery(studyId));
  return <QueryView query={query}>{(saved) => <Editor key={studyId} studyId={studyId} saved={saved} />}</QueryView>;
}
