/** What a file is and whose device it came from, shown before it is sent. */
import type { ReactNode } from 'react';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from './import.module.css';
import type { Recognition } from './recognise.ts';

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** `2019-02-26 10:55:06`, as the device showed it: no zone turns it into another time here. */
const shownWallTime = (iso: string): string => iso.replace('T', ' ').replace(/\.\d+$/, '');

const offsetText = (minutes: number): string => {
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `UTC${minutes < 0 ? '−' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`;
};

function useStartText() {
  const { t, format } = useWords();
  return ({ clock, startTs }: Recognition): string | undefined => {
    if (!clock) return startTs === undefined ? undefined : format.dateTime(startTs);
    const wall = clock.wallStart === undefined ? undefined : shownWallTime(clock.wallStart);
    if (clock.kind === 'WALL_CLOCK') return wall && t('imports.wallStart', { time: wall });
    if (clock.kind === 'OFFSET_IN_FILE' && wall) return `${wall} ${offsetText(clock.utcOffsetMinutes ?? 0)}`;
    if (startTs !== undefined) return format.dateTime(startTs);
    return wall && `${wall} UTC`;
  };
}

/** The subject code in the file beside the chosen subject: a comparison that chooses nobody. */
function CodeComparison({ code, chosen }: { code: string; chosen: string | undefined }) {
  const { t } = useWords();
  const isSame = chosen !== undefined && code.trim().toLowerCase() === chosen.trim().toLowerCase();
  return (
    <>
      {code}
      {chosen !== undefined && (
        <span className={isSame ? styles.same : styles.other}>
          {isSame ? t('imports.sameCode') : t('imports.otherCode', { chosen })}
        </span>
      )}
    </>
  );
}

function HolderWarning({
  register,
  subject,
}: {
  register: NonNullable<Recognition['register']>;
  subject: { id: string; displayName: string } | undefined;
}) {
  const { t } = useWords();
  const { isHeld, holder, displayName: device } = register;
  if (!isHeld || !subject || holder?.subjectId === subject.id) return null;
  return (
    <Notice tone="warn" testId="other-holder">
      {holder
        ? t('imports.otherHolder', { device, holder: holder.displayName, chosen: subject.displayName })
        : t('imports.unseenHolder', { device })}
    </Notice>
  );
}

export function RecognisedFile({
  recognition,
  subject,
}: {
  recognition: Recognition;
  subject: { id: string; displayName: string } | undefined;
}) {
  const { t } = useWords();
  const startText = useStartText();
  const diagnosticText = useDiagnosticText();
  const { format, device, register, channels, text, problem } = recognition;
  const start = startText(recognition);
  const model = [device?.maker, device?.model].filter(Boolean).join(' ');
  return (
    <section className={styles.recognised} aria-label={t('imports.recognised')} data-testid="recognised">
      <dl className={styles.facts}>
        <Fact name={t('imports.format')}>{format ?? (text ? t('imports.textTable') : t('imports.unknownFormat'))}</Fact>
        {start && <Fact name={t('imports.recordedFrom')}>{start}</Fact>}
        {model && <Fact name={t('imports.device')}>{model}</Fact>}
        {device?.serial && (
          <Fact name={t('imports.serial')}>
            {device.serial}
            <span className={styles.other}>
              {!register
                ? t('imports.notRegistered')
                : register.holder
                  ? t('imports.heldBy', { device: register.displayName, holder: register.holder.displayName })
                  : t('imports.registered', { device: register.displayName })}
            </span>
          </Fact>
        )}
        {device?.subjectCode && (
          <Fact name={t('imports.codeInFile')}>
            <CodeComparison code={device.subjectCode} chosen={subject?.displayName} />
          </Fact>
        )}
        {channels.length > 0 && (
          <Fact name={t('imports.channels')}>
            {channels.map(({ type, unit, nominalRateHz }) => `${type} ${nominalRateHz} Hz (${unit})`).join(', ')}
          </Fact>
        )}
      </dl>
      {register && <HolderWarning register={register} subject={subject} />}
      {problem && !text && <Notice tone="warn">{diagnosticText(problem)}</Notice>}
    </section>
  );
}
