/** The environment of a process that this one starts to run Node.js. It needs no setting. */

/** Variables that loading Node.js and its native modules may need; the rest of the environment holds secrets. */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'NODE_COMPILE_CACHE'];

export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
