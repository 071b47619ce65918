/** Starts the preview of a post. */
import { mountChatView } from '../mount.tsx';
import { PreviewView } from './preview-view.tsx';

mountChatView('preview', PreviewView);
