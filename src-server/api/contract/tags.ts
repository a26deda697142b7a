/** The parts of the interface, in the order in which a reader meets them. */
export const TAGS: readonly { name: string; description: string }[] = [
  { name: 'Service', description: 'The service itself: version, state of the site, this document.' },
  { name: 'Users', description: 'Signing in and out, and the users of an account.' },
  { name: 'Studies', description: 'Studies, their definition, their life from start to stop, and their archive.' },
  { name: 'Subjects', description: 'The participants of a study.' },
  { name: 'Adherence', description: 'Which tasks of the program were due, and which were done.' },
  { name: 'Equipment', description: 'Sensors, phones and charging stations, who holds them, and their faults.' },
  { name: 'Messages', description: 'What staff and subjects write to each other.' },
  { name: 'Recordings', description: 'Signals of sensors: their metadata, their data, their files, their import.' },
  { name: 'Annotations', description: 'Completed activities and surveys with their answers, and labels.' },
  { name: 'Events', description: 'The log of important transactions of a study, and live changes.' },
  { name: 'Analytics', description: 'Daily metrics and intraday channels, as JSON and as CSV.' },
  { name: 'Exports', description: 'Files made of a study for other programs.' },
  { name: 'Devices', description: 'What hubs and phones call on the local network.' },
  { name: 'Jobs', description: 'Long work of the site: imports, analytics, exports.' },
  { name: 'Settings', description: 'How the site is set up, for its administrators.' },
];
