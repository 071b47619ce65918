/** Starts the list of posts that wait for a person. */
import { mountChatView } from '../mount.tsx';
import { ApprovalsView } from './approvals-view.tsx';

mountChatView('approvals', ApprovalsView);
