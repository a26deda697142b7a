/** The print view of an ECG strip at 25 mm/s and 10 mm/mV: sheets of paper, as the browser or the desktop program prints them. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { OverviewChannel, Recording, RecordingOverview } from '../../../src-server/api/contract/index.ts';
import { personName } from '../../../src-server/study/person-name.ts';
import {
  recordingOverviewQuery,
  recordingsBesideQuery,
  siteQuery,
  studyQuery,
  subjectQuery,
} from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass } from '../../shared/kit/controls.tsx';
import { Empty, Notice, QueryView, ReadError, SkeletonBlocks } from '../../shared/kit/state.tsx';
import { localDate, preciseClock } from '../../shared/time/local-day.ts';
import { usePlacement, useSensorName } from '../recordings/sensor-words.ts';
import { DISPLAY_FILTERS, type DisplayFilter } from '../viewer/data/filter.ts';
import { ViewerModel } from '../viewer/data/model.ts';
import { type ChannelSamples, isElectric } from '../viewer/data/samples.ts';
import { MissingRecording } from '../viewer/missing-recording.tsx';
import { useGapWords } from '../viewer/use-gap-words.ts';
import { DEFAULT_MS, type Extent } from '../viewer/view.ts';
import styles from './paper.module.css';
import { type Fact, Sheet } from './sheet.tsx';
import { LONGEST_MS, pagesOf, stripSpan } from './strip-layout.ts';
import { StripLine } from './strip-line.tsx';
import { drawLine, gapsBetween } from './strip-paths.ts';
import { filtered, readStrip } from './strip-samples.ts';
import { Tools, useFileName, usePaper } from './tools.tsx';

const FROM = '/print/studies/$studyId/subjects/$subjectId/recordings/$recordingId' as const;

interface Printed {
  recording: Recording;
  overview: RecordingOverview;
  lead: OverviewChannel;
  strip: Extent;
  timeZone: string;
  filter: DisplayFilter;
}

const clockText = (ms: number, timeZone: string) => preciseClock(ms, timeZone).clock.slice(0, 8);

function useStripFacts({ recording, timeZone, filter }: Printed) {
  const { t } = useWords();
  const placement = usePlacement();
  const sensorName = useSensorName();
  const site = useQuery(siteQuery()).data;
  const study = useQuery(studyQuery(recording.studyId)).data;
  const subject = useQuery(subjectQuery(recording.studyId, recording.subjectId)).data;
  // Dates in digits, which read alike in every language of a file.
  const moment = (ms: number) => `${localDate(ms, timeZone)} ${clockText(ms, timeZone)}`;
  const offsets = (page: Extent) =>
    [...new Set([page.startMs, page.stopMs].map((ms) => `UTC${preciseClock(ms, timeZone).offset}`))].join(' → ');
  const factsOf = (page: Extent): Fact[] => [
    { name: t('paper.site'), value: site?.displayName },
    { name: t('paper.subject'), value: subject?.displayName },
    {
      name: t('paper.time'),
      value: `${moment(page.startMs)} – ${clockText(page.stopMs, timeZone)}, ${timeZone} (${offsets(page)})`,
    },
    { name: t('paper.study'), value: study?.displayName, isWide: true },
    { name: t('paper.scale'), value: `${t('paper.scaleValue')} · ${t(`viewer.filters.${filter}`)}` },
    {
      name: t('paper.sensor'),
      value: [placement(recording.physicalConfig), sensorName(recording.udid), recording.equipmentId]
        .filter(Boolean)
        .join(', '),
    },
    {
      name: t('paper.recording'),
      value: t('paper.recordingFrom', { time: moment(recording.recordingStartTs) }),
    },
    { name: t('paper.recordingId'), value: recording.id },
  ];
  return { isComplete: Boolean(site && study && subject), subject, site, factsOf, moment };
}

/** Wordings of a gap in a strip: with the whole length of the gap, which may begin before the strip. */
function useGapWordings(model: ViewerModel, type: string, timeZone: string): (gap: Extent) => readonly string[] {
  const words = useGapWords(model, timeZone, true);
  const { sensor } = model;
  return ({ startMs, stopMs }) => {
    const known = sensor.channels
      .find((channel) => channel.type === type)
      ?.gaps.find((gap) => gap.startTs < stopMs && gap.stopTs > startMs);
    if (known) return words.gap(sensor, known.startTs, known.stopTs);
    const isEdge = sensor.edges.some((edge) => edge.startMs < stopMs && edge.stopMs > startMs);
    return isEdge ? words.gap(sensor, startMs, stopMs) : words.lost(startMs, stopMs);
  };
}

function Sheets({ printed, runs }: { printed: Printed; runs: readonly ChannelSamples[] }) {
  const { t } = useWords();
  const { recording, overview, lead, strip, timeZone } = printed;
  const { paper } = usePaper();
  const { user } = useSession();
  const [printedMs] = useState(() => Date.now());
  const { isComplete, subject, site, factsOf, moment } = useStripFacts(printed);
  const model = useMemo(
    () => new ViewerModel(recording, overview, strip.startMs),
    [recording, overview, strip.startMs],
  );
  const wordsOf = useGapWordings(model, lead.type, timeZone);
  const gaps = useMemo(() => gapsBetween(runs, strip), [runs, strip]);
  const pages = useMemo(() => pagesOf(strip).map((lines) => lines.map((line) => drawLine(runs, line))), [runs, strip]);
  const title = subject && t('paper.fileName', { subject: subject.displayName, time: moment(strip.startMs) });
  useFileName(title);
  const printedText = t('paper.printed', {
    time: `${moment(printedMs)} (UTC${preciseClock(printedMs, timeZone).offset})`,
    name: personName(user),
    version: site?.version ?? '',
  });
  return (
    <div className={styles.sheets} data-testid="sheets" data-ready={isComplete}>
      {pages.map((lines, index) => {
        const page = { startMs: lines[0]!.line.startMs, stopMs: lines.at(-1)!.line.stopMs };
        return (
          <Sheet
            key={page.startMs}
            {...{ paper, page: index + 1, pages: pages.length, printed: printedText }}
            title={t('paper.title')}
            facts={factsOf(page)}
            note={lines.some(({ beyond }) => beyond !== '') ? t('paper.beyond') : undefined}
          >
            {lines.map((drawing) => (
              <StripLine key={drawing.line.startMs} {...{ drawing, gaps, wordsOf, timeZone }} />
            ))}
          </Sheet>
        );
      })}
    </div>
  );
}

/** Reads the samples before anything shows: half a strip must not print. */
function LoadedStrip({ printed }: { printed: Printed }) {
  const { recording, lead, strip, filter } = printed;
  const { studyId, subjectId, udid } = recording;
  const { type, nominalRateHz } = lead;
  const samples = useQuery({
    queryKey: ['strip', studyId, subjectId, udid, type, strip.startMs, strip.stopMs],
    queryFn: ({ signal }) => readStrip({ studyId, subjectId, udid, type, nominalRateHz }, strip, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const runs = useMemo(() => samples.data && filtered(samples.data, filter), [samples.data, filter]);
  if (samples.error && !runs) return <ReadError error={samples.error} onRetry={() => void samples.refetch()} />;
  if (!runs) return <SkeletonBlocks heights={['20rem']} />;
  return <Sheets printed={printed} runs={runs} />;
}

function StripTools({ atMs }: { atMs: number | undefined }) {
  const { t } = useWords();
  const { studyId, subjectId, recordingId } = useParams({ from: FROM });
  return (
    <Tools
      title={t('paper.title')}
      help={t('paper.printHelp')}
      isReady={atMs !== undefined}
      back={
        <Link
          to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
          params={{ studyId, subjectId, recordingId }}
          search={{ at: atMs }}
          className={buttonClass('quiet')}
        >
          {t('paper.back')}
        </Link>
      }
    />
  );
}

function StripOf({ recording, overview, timeZone }: Pick<Printed, 'recording' | 'overview' | 'timeZone'>) {
  const { t, format } = useWords();
  const { from = recording.recordingStartTs, to = from + DEFAULT_MS, filter } = useSearch({ from: FROM });
  const strip = useMemo(() => {
    const { recordingStartTs: startMs, recordingStopTs: stopMs } = recording;
    return stripSpan({ startMs: from, stopMs: to }, { startMs, stopMs });
  }, [from, to, recording]);
  const lead = overview.channels.find(({ type }) => isElectric(type));
  const displayFilter = DISPLAY_FILTERS.find((known) => known === filter) ?? 'off';
  if (!lead)
    return (
      <>
        <StripTools atMs={undefined} />
        <Empty icon="page" title={t('paper.noLead')} help={t('paper.noLeadHelp')} />
      </>
    );
  return (
    <>
      <StripTools atMs={(strip.startMs + strip.stopMs) / 2} />
      <div className={styles.notices}>
        {strip.isCut && (
          <Notice tone="warn">
            {t('paper.cut', { length: format.duration(LONGEST_MS / 1000), to: clockText(strip.stopMs, timeZone) })}
          </Notice>
        )}
      </div>
      <LoadedStrip printed={{ recording, overview, lead, strip, timeZone, filter: displayFilter }} />
    </>
  );
}

export function Strip() {
  const { studyId, subjectId, recordingId } = useParams({ from: FROM });
  const recordings = useQuery(recordingsBesideQuery(studyId, subjectId, recordingId));
  const overview = useQuery(recordingOverviewQuery(studyId, recordingId));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const recording = recordings.data?.items.find(({ id }) => id === recordingId);
  const timeZone = subject.data?.timezone;
  return (
    <main className={styles.screen}>
      {recordings.data && !recording ? (
        <MissingRecording />
      ) : (
        <QueryView query={overview} skeleton={<SkeletonBlocks heights={['20rem']} />}>
          {(data) => recording && timeZone && <StripOf recording={recording} overview={data} timeZone={timeZone} />}
        </QueryView>
      )}
    </main>
  );
}
