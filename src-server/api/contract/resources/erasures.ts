/** The erasure of a person and of everything that the site holds about them. */
import { z } from 'zod';
import { count, id, idParams } from '../common.ts';
import { defineRoutes } from '../route.ts';

const counts = {
  recordings: count,
  recordingBytes: count,
  days: count.meta({ description: 'Days with metrics.' }),
  annotations: count.meta({ description: 'Reports of tasks with their answers, and labels.' }),
  messages: count,
  signatures: count.meta({ description: 'Electronic signatures on records of the person, which are lost with them.' }),
  devices: count.meta({ description: 'Phones of the person, which are signed out.' }),
  exports: count.meta({ description: 'Files of study exports that hold the person. They are removed.' }),
};

const preview = z
  .strictObject({
    ...counts,
    isLocked: z.boolean().meta({ description: 'The study is locked: unlock it first.' }),
    isBackupRunning: z.boolean().meta({ description: 'A backup is being made: erase when it is done.' }),
    copies: z.array(z.string()).meta({
      description:
        'Folders beside the site that a recovery kept. They may hold the person, and no erasure reaches them.',
    }),
  })
  .meta({ id: 'ErasurePreview' });
export type ErasurePreview = z.infer<typeof preview>;

const erasure = z
  .strictObject({
    id,
    isFinished: z.boolean().meta({
      description:
        'False while something reads the database: what is left in its free pages is overwritten within the hour, or at the next start. The person is gone from every answer either way.',
    }),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof erasure>;

export const erasureRoutes = defineRoutes({
  getErasurePreview: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/erasure',
    access: 'user',
    operation: 'subject.erase',
    tag: 'Subjects',
    summary: 'Get what the erasure of a subject would remove',
    description: 'Nothing is changed. For administrators, as the erasure itself.',
    params: idParams.subject,
    status: 200,
    response: preview,
  },
  eraseSubject: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/erasure',
    access: 'user',
    operation: 'subject.erase',
    tag: 'Subjects',
    summary: 'Permanently erase a subject and everything that the site holds about them',
    description:
      'Cannot be undone. The password of the caller is asked again and throttled as a sign-in. A tombstone without the person stays in the audit log. Recordings of the person that devices send later are refused with `SUBJECT_ERASED`; the next backup into a folder removes the older ones there. 409 while the study is locked or a backup is being made.',
    params: idParams.subject,
    body: z.object({
      reason: z
        .string()
        .trim()
        .min(1)
        .max(1000)
        .meta({ description: 'Outlives the erasure, so it must not name the person.' }),
      confirmation: z.string().max(200).meta({ description: 'The display name of the subject.' }),
      password: z.string().min(1).max(64),
    }),
    errorStatuses: [409, 429],
    status: 200,
    response: erasure,
  },
});
