/** The phone's program: which screen is on show, the frame around it, and what stands there when a screen fails. */
import { Component, lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Frame } from './frame.tsx';
import { Button } from './kit/button.tsx';
import { Page, Stack } from './kit/page.tsx';
import { navigate, useIsLink, useRoute } from './kit/route.ts';
import { PhoneProvider, usePhone } from './kit/use-phone.ts';
import type { PhoneModel } from './model.ts';
import { TodayScreen } from './screens/today/today.tsx';
import { useWords } from './words/words.ts';

// What Today does not need is loaded after it: a phone on a slow network sees its tasks first.
const code = {
  week: () => import('./screens/today/week.tsx'),
  task: () => import('./screens/task/task-screens.ts'),
  start: () => import('./screens/start/start.tsx'),
  more: () => import('./screens/more/more-screens.tsx'),
  messages: () => import('./screens/messages/messages.tsx'),
  sensors: () => import('./screens/sensors/sensors.tsx'),
  record: () => import('./screens/sensors/record.tsx'),
};
const WeekScreen = lazy(async () => ({ default: (await code.week()).WeekScreen }));
const TaskScreen = lazy(async () => ({ default: (await code.task()).TaskScreen }));
const DraftScreen = lazy(async () => ({ default: (await code.task()).DraftScreen }));
const DoneScreen = lazy(async () => ({ default: (await code.task()).DoneScreen }));
const Start = lazy(async () => ({ default: (await code.start()).StartScreens }));
const More = lazy(async () => ({ default: (await code.more()).MoreScreens }));
const Messages = lazy(async () => ({ default: (await code.messages()).MessagesScreen }));
const Recorder = lazy(async () => ({ default: (await code.record()).RecordScreen }));
const Sensors = lazy(async () => ({ default: (await code.sensors()).SensorsScreen }));

/** Loads every screen before it is opened: without a service worker the network may be gone by then. */
export async function loadScreens(): Promise<void> {
  const parts = [() => import('./screens/task/overview.tsx'), () => import('./screens/task/calibration.tsx')];
  for (const load of [...Object.values(code), ...parts]) await load();
}

function ReadyScreen() {
  const { path, parts } = useRoute();
  const isLink = useIsLink();
  const [screen, ...rest] = parts;
  if (isLink) return <Start />;
  switch (screen) {
    case 'week':
      return <WeekScreen />;
    case 'task':
      return <TaskScreen key={path} date={rest[0] ?? ''} taskId={rest[1] ?? ''} />;
    case 'draft':
      return <DraftScreen key={rest[0]} draftId={rest[0] ?? ''} step={rest[1]} />;
    case 'done':
      return <DoneScreen key={path} date={rest[0] ?? ''} taskId={rest[1] ?? ''} reportId={rest[2]} />;
    case 'confirm':
      return <Start />;
    case 'messages':
      return <Messages />;
    case 'sensors':
      return <Sensors />;
    case 'record':
      return <Recorder key={path} serial={rest[0] ?? ''} />;
    case 'more':
    case 'waiting':
    case 'problem':
    case 'about':
    case 'lock':
    case 'leave':
      return <More key={screen} screen={screen} argument={rest[0]} />;
    default:
      return <TodayScreen />;
  }
}

const SIGN_IN_PATHS: ReadonlySet<string> = new Set(['', '/', '/type', '/scan', '/confirm']);

function Screens() {
  const { phase } = usePhone();
  const { path } = useRoute();
  useEffect(() => {
    // After a wipe no screen of the subject stays in the address. Those of a new sign-in do.
    if (phase === 'WIPED' && !SIGN_IN_PATHS.has(path)) navigate('/', { replaces: true });
  }, [phase, path]);
  if (phase === 'LOADING') return null;
  return phase === 'READY' ? <ReadyScreen /> : <Start />;
}

/** A screen that fails leaves everything stored as it is: the page can be opened again. */
class FailedScreen extends Component<{ children: ReactNode; path: string }, { failedPath: string | undefined }> {
  override state = { failedPath: undefined };
  static getDerivedStateFromError() {
    return { failedPath: location.hash.slice(1) };
  }
  override render() {
    if (this.state.failedPath === undefined || this.state.failedPath !== this.props.path) return this.props.children;
    return <SorryScreen />;
  }
}

function SorryScreen() {
  const { t } = useWords();
  return (
    <Page
      title={t('frame.failedTitle')}
      actions={
        <>
          <Button look="primary" onClick={() => location.reload()}>
            {t('frame.reload')}
          </Button>
          <Button look="quiet" onClick={() => navigate('/today', { replaces: true })}>
            {t('frame.toToday')}
          </Button>
        </>
      }
    >
      <Stack>
        <p>{t('frame.failedText')}</p>
      </Stack>
    </Page>
  );
}

function Content() {
  const { path } = useRoute();
  return (
    <Frame>
      <FailedScreen path={path}>
        <Suspense fallback={null}>
          <Screens />
        </Suspense>
      </FailedScreen>
    </Frame>
  );
}

/** Without a model there is nothing to show: the store is not open yet. */
export function App({ model }: { model?: PhoneModel }) {
  if (!model) return null;
  return (
    <PhoneProvider value={model}>
      <Content />
    </PhoneProvider>
  );
}
