/** Status and visits of a subject: status, consent and group as they are, the visits, and every step that led there. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type {
  ParticipationAnswer,
  ParticipationStep,
  StudyPlanAnswer,
} from '../../../src-server/api/contract/index.ts';
import { takesPart } from '../../../src-server/study/participation.ts';
import type { SubjectStatus } from '../../../src-server/vocabulary/participation.ts';
import { client } from '../../shared/api/client.ts';
import { saveResponse } from '../../shared/api/download.ts';
import { participationQuery, studyPlanQuery } from '../../shared/api/participation-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studyQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { errorSentence, Notice, QueryView } from '../../shared/kit/state.tsx';
import { ConsentDialog, VoidDialog } from './consent-dialog.tsx';
import { GroupDialog } from './group-dialog.tsx';
import styles from './participation.module.css';
import { StatusDialog } from './status-dialog.tsx';
import { STATUS_TONES } from './status-tones.ts';
import type { SubjectPlace } from './use-step.ts';
import { Visits } from './visits.tsx';

interface Shown {
  place: SubjectPlace;
  participation: ParticipationAnswer;
  plan: StudyPlanAnswer;
  mayChange: boolean;
  /** A complete study takes only the end of a participation, and corrections. */
  isComplete: boolean;
}

function Card({ title, isWide, children }: { title: string; isWide?: boolean; children: ReactNode }) {
  return (
    <section className={`${panelClass} ${styles.card} ${isWide ? styles.wide : ''}`} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function StatusCard({ place, participation, mayChange, isComplete }: Shown) {
  const { t, format } = useWords();
  const [to, setTo] = useState<SubjectStatus | 'correct' | null>(null);
  const { status, statusDate, enrolledDate, dataDecision, heldEquipment } = participation;
  const next = participation.next.filter((one) => !isComplete || !takesPart(one));
  const isOver = status === 'WITHDRAWN' || status === 'COMPLETED';
  return (
    <Card title={t('participation.status')}>
      <div className={styles.row}>
        <Pill tone={STATUS_TONES[status]}>{t(`participation.statuses.${status}`)}</Pill>
        <span>{t('participation.since', { date: format.date(statusDate) })}</span>
      </div>
      {enrolledDate !== undefined && status !== 'ENROLLED' && (
        <small>{t('participation.enrolledOn', { date: format.date(enrolledDate) })}</small>
      )}
      {dataDecision && <p>{t('participation.decided', { decision: t(`participation.decisions.${dataDecision}`) })}</p>}
      {isOver && heldEquipment > 0 && (
        <p>
          {t('participation.equipment', { count: heldEquipment })}{' '}
          <Link to="/studies/$studyId/subjects/$subjectId/equipment" params={place}>
            {t('participation.toEquipment')}
          </Link>
        </p>
      )}
      {mayChange && (
        <div className={styles.row}>
          {next.map((one) => (
            <Button
              key={one}
              small
              kind={one === 'ENROLLED' ? 'primary' : 'plain'}
              isDisabled={one === 'ENROLLED' && participation.isConsentDue}
              onPress={() => setTo(one)}
            >
              {t(`participation.steps.${one}`)}
            </Button>
          ))}
          <Button small kind="quiet" onPress={() => setTo('correct')}>
            {t('participation.correct')}
          </Button>
        </div>
      )}
      {mayChange && next.includes('ENROLLED') && participation.isConsentDue && (
        <small>{t('participation.consentFirst')}</small>
      )}
      {to && (
        <StatusDialog
          key={to}
          place={place}
          participation={participation}
          {...(to !== 'correct' && { to })}
          onClose={() => setTo(null)}
        />
      )}
    </Card>
  );
}

function ConsentCard({ place, participation, plan, mayChange, isComplete }: Shown) {
  const { t, format } = useWords();
  const can = usePermissions();
  /** A version: its consent is declared void. */
  const [open, setOpen] = useState<'add' | { version: string } | null>(null);
  const { consent, isConsentDue, steps } = participation;
  const given = steps.find((step) => step.consent?.state === 'GIVEN' && step.consent.version === consent?.version);
  const document = given?.consent?.document;
  // Other versions that were given and stand; the newest step of each decides.
  const others = [
    ...new Map(steps.toReversed().flatMap(({ consent: one }) => (one ? [[one.version, one.state] as const] : []))),
  ]
    .filter(([version, state]) => state === 'GIVEN' && version !== consent?.version)
    .map(([version]) => version);
  const hasForms = plan.consentForms.length > 0;
  const required = plan.consentForms.at(-1)?.version ?? '';
  return (
    <Card title={t('participation.consent')}>
      <div className={styles.row}>
        {isConsentDue && <Pill tone="warn">{t('participation.consentDue')}</Pill>}
        <span>
          {consent
            ? t('participation.consentOf', { version: consent.version, date: format.date(consent.date) })
            : t(hasForms ? 'participation.consentNone' : 'participation.consentNotNeeded')}
        </span>
      </div>
      {isConsentDue && consent && <small>{t('participation.consentAgain', { version: required })}</small>}
      <div className={styles.row}>
        {mayChange && !isComplete && hasForms && (
          <Button small kind={isConsentDue ? 'primary' : 'plain'} onPress={() => setOpen('add')}>
            {t('participation.addConsent')}
          </Button>
        )}
        {given && document && can('participation.document', place.studyId) && (
          <OpenDocument place={place} stepId={given.id} name={document.displayName} />
        )}
        {mayChange && consent && (
          <Button
            small
            kind="quiet"
            aria-label={t('participation.voidConsentOf', { version: consent.version })}
            onPress={() => setOpen({ version: consent.version })}
          >
            {t('participation.voidConsent')}
          </Button>
        )}
        {mayChange &&
          others.map((version) => (
            <Button key={version} small kind="quiet" onPress={() => setOpen({ version })}>
              {t('participation.voidConsentOf', { version })}
            </Button>
          ))}
      </div>
      {open === 'add' && (
        <ConsentDialog place={place} participation={participation} plan={plan} onClose={() => setOpen(null)} />
      )}
      {open !== null && open !== 'add' && (
        <VoidDialog place={place} participation={participation} {...open} onClose={() => setOpen(null)} />
      )}
    </Card>
  );
}

function OpenDocument({ place, stepId, name }: { place: SubjectPlace; stepId: string; name: string }) {
  const { t, language } = useWords();
  const [error, setError] = useState<Error | null>(null);
  const open = async () => {
    setError(null);
    try {
      const { href } = await client.call('getConsentDocument', { params: { ...place, stepId } });
      await saveResponse(await client.follow(href), name);
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <>
      <Button
        small
        icon="download"
        aria-label={t('participation.openDocumentOf', { name })}
        onPress={() => void open()}
      >
        {t('participation.openDocument')}
      </Button>
      {error && <Notice tone="bad">{errorSentence(error, t, language)}</Notice>}
    </>
  );
}

function GroupCard({ place, participation, plan, mayChange, isComplete }: Shown) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const { group, stratum } = participation;
  const hasChoices = plan.groups.length + plan.strata.length > 0;
  const names = [group?.displayName, stratum?.displayName].filter((name) => name !== undefined);
  return (
    <Card title={t('participation.group')}>
      <p>
        {names.length > 0
          ? names.join(' · ')
          : t(hasChoices ? 'participation.noGroup' : 'participation.groupsNotNeeded')}
      </p>
      {mayChange && !isComplete && hasChoices && (
        <div className={styles.row}>
          <Button small onPress={() => setOpen(true)}>
            {t(group ? 'participation.changeGroup' : 'participation.setGroup')}
          </Button>
        </div>
      )}
      {isOpen && <GroupDialog place={place} participation={participation} plan={plan} onClose={() => setOpen(false)} />}
    </Card>
  );
}

function Step({ step }: { step: ParticipationStep }) {
  const { t, format } = useWords();
  const { author, status, consent, group, stratum, visit, reason, dataDecision } = step;
  const when = visit?.date === undefined ? undefined : format.date(visit.date);
  const at =
    when !== undefined && visit?.time !== undefined ? t('participation.on', { date: when, time: visit.time }) : when;
  const said = [
    status && t(`participation.statuses.${status}`),
    consent &&
      t(consent.state === 'GIVEN' ? 'participation.said.consent' : 'participation.said.voided', {
        version: consent.version,
      }),
    step.kind === 'GROUP' && t('participation.said.group', { group: group?.displayName ?? t('participation.none') }),
    stratum && t('participation.said.stratum', { stratum: stratum.displayName }),
    visit &&
      t('participation.said.visit', {
        visit: visit.displayName,
        state: [t(`participation.states.${visit.state}`), at].filter(Boolean).join(', '),
      }),
    dataDecision && t(`participation.decisions.${dataDecision}`),
    step.isPhoneRevoked && t('participation.phoneSignedOut'),
  ].filter((text) => typeof text === 'string');
  return (
    <li>
      <span className={styles.row}>
        <strong>{format.date(step.date)}</strong> {said.join(' · ')}
        {step.isCorrection && <Pill>{t('participation.corrected')}</Pill>}
      </span>
      {reason !== undefined && <p>{reason}</p>}
      <small title={format.dateTime(step.createdTs)}>
        {author
          ? t('participation.by', { name: author.displayName, time: format.moment(step.createdTs) })
          : t('participation.byProgram')}
      </small>
    </li>
  );
}

export function Participation() {
  const { t } = useWords();
  const place = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/participation' });
  const { studyId, subjectId } = place;
  const mayChange = usePermissions()('participation.write', studyId);
  const isComplete = useQuery(studyQuery(studyId)).data?.lifecycleState === 'COMPLETE';
  const plan = useQuery(studyPlanQuery(studyId));
  const query = useQuery(participationQuery(studyId, subjectId));
  return (
    <QueryView query={query}>
      {(participation) => (
        <QueryView query={plan}>
          {(planned) => {
            const shown = { place: { studyId, subjectId }, participation, plan: planned, mayChange, isComplete };
            return (
              <div className={styles.page}>
                <StatusCard {...shown} />
                <ConsentCard {...shown} />
                <GroupCard {...shown} />
                <Card title={t('participation.visits')} isWide>
                  <Visits {...shown} />
                </Card>
                <Card title={t('participation.history')} isWide>
                  <ol className={styles.history}>
                    {participation.steps.map((step) => (
                      <Step key={step.id} step={step} />
                    ))}
                  </ol>
                </Card>
              </div>
            );
          }}
        </QueryView>
      )}
    </QueryView>
  );
}
