/** Types of build-record.js. */
export function hashFiles(root: string, files: readonly string[]): string;
export function hashTexts(texts: readonly (readonly [name: string, text: string])[]): string;
export function readRecord(folder: string): unknown;
export function writeRecord(folder: string, record: Readonly<Record<string, unknown>>): void;
