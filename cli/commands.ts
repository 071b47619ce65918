/** All commands, in the order in which help, completions and the man page list them. */
import { APPROVAL_COMMANDS } from './approval-commands.ts';
import type { CommandSpec } from './command.ts';
import { completionCommands } from './completion-commands.ts';
import { CONNECTION_COMMANDS } from './connection-commands.ts';
import { EVENT_COMMANDS } from './event-commands.ts';
import { EXPORT_COMMANDS } from './export-command.ts';
import { IMPORT_COMMANDS } from './import-command.ts';
import { LOCAL_COMMANDS } from './local-commands.ts';
import { OBJECT_COMMANDS } from './object-commands.ts';
import { OPERATOR_COMMANDS } from './operator-commands.ts';
import { POLICY_COMMANDS } from './policy-commands.ts';
import { POST_COMMANDS } from './post-commands.ts';
import { POSTS_COMMANDS } from './posts-commands.ts';
import { SIGN_IN_COMMANDS } from './sign-in-commands.ts';
import { SOURCE_COMMANDS } from './source-commands.ts';
import { STOP_COMMANDS } from './stop-commands.ts';
import { VOICE_COMMANDS } from './voice-commands.ts';
import { WEBHOOK_COMMANDS } from './webhook-commands.ts';

const WORK: readonly CommandSpec[] = [
  ...SIGN_IN_COMMANDS,
  ...POST_COMMANDS,
  ...POSTS_COMMANDS,
  ...APPROVAL_COMMANDS,
  ...POLICY_COMMANDS,
  ...STOP_COMMANDS,
  ...CONNECTION_COMMANDS,
  ...SOURCE_COMMANDS,
  ...OBJECT_COMMANDS,
  ...VOICE_COMMANDS,
  ...IMPORT_COMMANDS,
  ...EXPORT_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...EVENT_COMMANDS,
  ...OPERATOR_COMMANDS,
  ...LOCAL_COMMANDS,
];

export const COMMANDS: readonly CommandSpec[] = [...WORK, ...completionCommands(() => COMMANDS)];

/** The first words of commands of several words, with what they are about. */
export const GROUPS: Readonly<Record<string, string>> = {
  posts: 'Find and read posts.',
  drafts: 'List and publish drafts.',
  media: 'Upload, list and describe images.',
  voice: 'How AI polish words the texts of a profile.',
  feeds: 'Posts from RSS and Atom feeds.',
  calendars: 'Private addresses for calendar applications.',
  webhooks: 'Register and list webhooks.',
  account: 'Accounts of the install, for its operator.',
  key: 'Keys of an account, for the operator.',
  owner: 'The sign-in of an owner, for the operator.',
  oauth: 'OAuth clients and signing keys, for the operator.',
  'oauth client': 'OAuth clients, for the operator.',
  backup: 'Backups of the install, for its operator.',
  database: 'The database of the install, for its operator.',
  restore: 'Posts that are held after a restore, for the operator.',
};
