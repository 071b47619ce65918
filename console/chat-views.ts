/** The built views for chats, a page each. They are held in memory, so that a running process keeps its version. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'dist', 'chat');

let loaded: ReadonlyMap<string, string> | undefined;

/** The page of a view; null when it is not built, because only `npm start` and the tests build the console. */
export function readChatView(name: string): string | null {
  loaded ??= readPages();
  return loaded.get(name) ?? null;
}

function readPages(): ReadonlyMap<string, string> {
  try {
    const files = readdirSync(FOLDER);
    return new Map(files.map((file) => [basename(file, '.html'), readFileSync(join(FOLDER, file), 'utf8')]));
  } catch {
    return new Map();
  }
}
