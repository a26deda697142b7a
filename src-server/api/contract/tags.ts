/** The sections of the interface, in reading order. */
export const TAGS: readonly { name: string; description: string }[] = [
  { name: 'Service', description: 'The service itself: version, state of the site, this document.' },
  { name: 'Users', description: 'Signing in and out, and the users of an account.' },
  { name: 'Saved filters', description: "Named filters of the desk's tables, private or shared with a study." },
  { name: 'Studies', description: 'Studies, their definition, their lifecycle and their archive.' },
  { name: 'Subjects', description: 'The participants of a study.' },
  { name: 'Adherence', description: 'Which tasks of the program were due, and which were done.' },
  { name: 'Equipment', description: 'Sensors, phones and charging stations, their holders and their faults.' },
  { name: 'Attention', description: 'Items that need a person now, with one action each.' },
  { name: 'Messages', description: 'Messages between staff and subjects.' },
  {
    name: 'Notes',
    description: 'Notes and calls of staff about a subject or a study, with follow-ups. Nothing of a note is lost.',
  },
  {
    name: 'Participation',
    description:
      'Status, consent, group and visits of subjects, each a step with date and author, and the plan of the study for them.',
  },
  {
    name: 'Queries',
    description: 'Data queries: questions about recordings, days, answers and labels, from opening to resolution.',
  },
  {
    name: 'Data quality',
    description: 'Data quality against the targets of a study, its faults, and the board that its people share.',
  },
  { name: 'Recordings', description: 'Signals of sensors: metadata, data, files and import.' },
  { name: 'Annotations', description: 'Completed activities and surveys with their answers, and labels.' },
  {
    name: 'Corrections',
    description:
      'Corrections by people of beats, sleep and wear, each with its author, and undone without a trace lost.',
  },
  { name: 'Search', description: 'Search over what people wrote and named.' },
  { name: 'Events', description: 'The event log of a study, and live changes.' },
  { name: 'Analytics', description: 'Daily metrics and intraday channels, as JSON and as CSV.' },
  {
    name: 'Analysis runs',
    description: 'By which version and parameters a study is analysed, and results by others beside those in use.',
  },
  { name: 'Exports', description: 'Files made from a study for other programs.' },
  { name: 'Devices', description: 'Endpoints for hubs and phones on the local network.' },
  {
    name: 'Uploads',
    description: 'Files that devices send, including those that wait for a decision or were refused.',
  },
  {
    name: 'Docks',
    description:
      'Recorders that are plugged into the computer of the site, watched folders, and the recordings in them.',
  },
  { name: 'Phone', description: "Endpoints for a subject's phone: tasks of the day, reports and messages." },
  { name: 'Pairing', description: 'Pairing of hubs and phones at the desk, and the paired devices.' },
  { name: 'Webhooks', description: 'Addresses that receive events, and the deliveries to them.' },
  {
    name: 'Mail',
    description: 'E-mails of the site: always kept in its outbox, and sent when a mail server is configured.',
  },
  { name: 'Jobs', description: 'Background work of the site: imports, analytics, exports, backups and checks.' },
  { name: 'Backups', description: 'Backups and verification of the site, and diagnostics for support.' },
  { name: 'Audit', description: 'Who changed what, when and why.' },
  { name: 'Signatures', description: 'Electronic signatures, bound to the content of a record.' },
  { name: 'Settings', description: 'Configuration of the site, for its administrators.' },
];
