/** Line icons on a 20 px grid, in the current colour. They are decorative: the control around an icon carries the name. */
const PATHS = {
  today:
    'M10 3v1.500M10 15.500V17M3 10h1.500M15.500 10H17M5 5l1 1M14 14l1 1M5 15l1-1M14 6l1-1M10 13.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400Z',
  studies: 'M4 5.5h12M4 10h12M4 14.5h7',
  subjects: 'M10 9.6a3.1 3.1 0 1 0 0-6.2 3.1 3.1 0 0 0 0 6.2ZM3.8 16.6c.7-3 3.2-4.7 6.2-4.7s5.500 1.700 6.200 4.700',
  search: 'M8.8 14.100a5.300 5.300 0 1 0 0-10.600 5.300 5.300 0 0 0 0 10.600ZM12.700 12.700 16.500 16.500',
  left: 'M12 4.500 6.500 10l5.500 5.500',
  right: 'M8 4.500 13.500 10 8 15.500',
  down: 'M5 7.500 10 12.500l5-5',
  up: 'M5 12.500 10 7.500l5 5',
  download: 'M10 3.500v8.500M6.300 8.700 10 12.300l3.700-3.600M4 16h12',
  calendar: 'M4 5.500h12v10.500H4ZM4 8.800h12M7.300 3.500v3.200M12.700 3.500v3.200',
  account:
    'M10 10.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4.700 16.300c.9-2.300 2.900-3.500 5.300-3.500s4.400 1.200 5.300 3.500',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM10 6v4.200l2.800 1.700',
  close: 'M5 5l10 10M15 5 5 15',
  check: 'M4.500 10.500 8.300 14.300 15.500 6',
  alert: 'M10 3.500 17.300 16.200H2.700ZM10 8.200v3.800M10 14v.2',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM10 9.300v4.200M10 6.500v.2',
  plus: 'M10 4.500v11M4.500 10h11',
  minus: 'M4.500 10h11',
  eye: 'M2.500 10c1.700-3.200 4.300-4.800 7.500-4.800s5.800 1.600 7.500 4.800c-1.700 3.200-4.300 4.800-7.500 4.800S4.200 13.200 2.500 10ZM10 12.200a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400Z',
  keyboard: 'M2.800 5.500h14.400v9H2.800ZM5.500 8.200h.1M8.500 8.200h.1M11.500 8.200h.1M14.500 8.200h.1M6.500 11.700h7',
  page: 'M5.500 3.500h6l3 3v10h-9ZM11.300 3.700v3h3',
  play: 'M7 4.500 15.500 10 7 15.500Z',
  fit: 'M3.500 7V3.500H7M13 3.500h3.500V7M16.500 13v3.500H13M7 16.500H3.500V13',
  rows: 'M3.500 5h13M3.500 10h13M3.500 15h13',
  ruler: 'M2.800 7.500h14.400v5.500H2.800ZM5.800 7.500v2.500M8.600 7.500v3M11.400 7.500v2.500M14.200 7.500v3',
  upload: 'M10 12.500V4M6.300 7.300 10 3.700l3.700 3.600M4 16h12',
  exports: 'M3.500 6.500 10 3.500l6.500 3v7.500L10 17l-6.500-3ZM3.500 6.500 10 9.700l6.500-3.200M10 9.700V17',
  site: 'M4 4h12v5H4ZM4 11h12v5H4ZM6.800 6.500h.1M6.800 13.500h.1M10 6.500h3.300M10 13.500h3.300',
  pencil: 'M4 16l.8-3.200L13 4.600l2.400 2.400-8.200 8.200ZM11.400 6.200l2.400 2.400',
  trash: 'M4.500 6h11M8 6V4h4v2M6 6l.7 10.500h6.600L14 6M8.700 9v4.800M11.300 9v4.800',
  retry: 'M15.800 7.500A6.300 6.300 0 1 0 16.300 11M16 3.800v3.900h-3.900',
  mail: 'M3 5h14v10H3ZM3.300 5.500 10 10.800l6.700-5.300',
  link: 'M8.300 11.700a2.800 2.800 0 0 0 4 0l3-3a2.800 2.800 0 0 0-4-4l-1 1M11.700 8.300a2.800 2.800 0 0 0-4 0l-3 3a2.800 2.800 0 0 0 4 4l1-1',
  network:
    'M10 3.500v4M4.500 12.500V10h11v2.500M10 7.500v5M2.800 12.500h3.400V16H2.800ZM8.300 12.500h3.400V16H8.300ZM13.800 12.500h3.400V16h-3.400Z',
  shield: 'M10 3.200 16 5.500v4.200c0 3.500-2.500 6-6 7.200-3.500-1.200-6-3.700-6-7.200V5.500Z',
  messages: 'M3.5 4.5h13v9h-7l-3.5 3v-3H3.5ZM6.5 7.7h7M6.5 10.3H11',
  events: 'M5 3.5v13M5 5.5h9.5l-2 2.5 2 2.5H5',
  send: 'M3.5 4 17 10 3.5 16l1.7-6ZM5.2 10H10',
  image: 'M3.5 4.5h13v11h-13ZM6.8 8.8a1 1 0 1 0 0-2 1 1 0 0 0 0 2ZM3.7 14l4-4 2.8 2.8 2.3-2.2 3.5 3.4',
  equipment: 'M6.500 3.500h7v13h-7ZM9 14h2M9 6h2',
  qr: 'M3.500 3.500h5v5h-5ZM11.500 3.500h5v5h-5ZM3.500 11.500h5v5h-5ZM11.500 11.500h2v2h-2ZM14.500 14.500h2v2M16.500 11.500h-.5M11.500 16.500v-.5',
  grip: 'M7.500 5h.1M7.500 10h.1M7.500 15h.1M12.500 5h.1M12.500 10h.1M12.500 15h.1',
  copy: 'M7.500 7.500h8.500v8.500H7.500ZM12.500 7.200V4H4v8.500h3.200',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The logo: one heartbeat on a line. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true" focusable="false">
      <path
        d="M3 18h7l3-9 5 15 3-8h8"
        stroke="currentColor"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
