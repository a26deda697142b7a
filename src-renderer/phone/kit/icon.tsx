/** The line icons of the phone. They are decoration: a text always stands beside them. */
const PATHS = {
  today:
    'M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z',
  message: 'M4 5.5h16v11H10.5L6 20v-3.5H4Z',
  sensor: 'M9 3.5h6v3.2H9ZM9 17.3h6v3.2H9ZM7.5 6.7h9v10.6h-9ZM10 12h1l1-2 1.2 4 .8-2h1',
  more: 'M4.5 7h15M4.5 12h15M4.5 17h15',
  survey: 'M7 4.5h10v16H7ZM10 3h4v3h-4ZM9.7 10.5h4.6M9.7 14h4.6M9.7 17.2h2.6',
  activity:
    'M13.2 3.4a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3ZM11.8 8.6l-1.2 5.2 3 2.4 1 4.6M10.6 13.8l-1 3.2-3 3.4M11.8 8.6 8.4 10l-.9 3M11.8 8.6l2.8 2.6 2.9.6',
  stand: 'M12 2.8a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6ZM9.2 8.2h5.6v6h-1.2v7h-3.2v-7H9.2Z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  back: 'M15 5l-7 7 7 7',
  forward: 'm9 5 7 7-7 7',
  close: 'M6 6l12 12M18 6 6 18',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 7.5V12l3 2',
  calendar: 'M4.5 6h15v14h-15ZM4.5 10.3h15M8.5 3.5v4M15.5 3.5v4',
  waiting: 'M12 4v9M8.3 9.8 12 13.5l3.7-3.7M5 15.5V20h14v-4.5',
  offline:
    'M4 4l16 16M8.4 15.4a5 5 0 0 1 5.3-1.1M5.2 12a9.5 9.5 0 0 1 4-2.4M14 9.3a9.6 9.6 0 0 1 4.8 2.7M2.6 8.6a14 14 0 0 1 3.6-2.3M11 5.1a14 14 0 0 1 10.4 3.5M12 18.6h.01',
  warn: 'M12 4 2.8 20h18.4ZM12 10v4.5M12 17.3h.01',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 11v5M12 8h.01',
  camera: 'M4 8h3.6L9 5.8h6L16.4 8H20v11H4ZM12 10.2a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4Z',
  picture: 'M4 5.5h16v13H4ZM4 16l4.7-5 3.8 4 2.6-2.4L20 17M15.5 8.7h.01',
  send: 'M4 12 20 4.5 15.5 20l-3.6-5.6ZM11.9 14.4 20 4.5',
  lock: 'M6 11h12v9H6ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  language: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM4 12h16M12 4c-5 5-5 11 0 16 5-5 5-11 0-16Z',
  help: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM9.7 10a2.3 2.3 0 1 1 3.3 2.1c-.7.4-1 .8-1 1.6M12 16.5h.01',
  signOut: 'M10 4.5H5v15h5M9.5 12H20M16 8l4 4-4 4',
  battery: 'M3.5 8.5h15v7h-15ZM20.5 11v2',
  bluetooth: 'm7 8 10 8-5 4V4l5 4L7 16',
  pause: 'M9 5.5v13M15 5.5v13',
  play: 'M8 5l11 7-11 7Z',
  list: 'M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7',
  minus: 'M6 12h12',
  plus: 'M6 12h12M12 6v12',
  scan: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 8h3v3H8ZM13 8h3v3h-3ZM8 13h3v3H8ZM14 14h2v2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 24 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      style={{ flex: 'none' }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
