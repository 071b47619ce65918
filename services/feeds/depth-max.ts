/**
 * Deepest nesting of elements that is read of a stranger's document. To open an element takes the parser as long as there are elements
 * around it, so the time of a document that only opens them grows with the square of its size.
 */
export const DEPTH_MAX = 256;
