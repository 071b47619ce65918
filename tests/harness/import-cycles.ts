/** Finds import cycles between files and between folders, type imports included. */
import type { SourceFile } from './sources.ts';

/** For each module what it imports, and by which import, as a sentence. */
type Graph = Map<string, Map<string, string>>;

/** The folder of a file, one level below its layer; a file directly in its layer is its own folder. */
export function folderOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** @param moduleOf the module that a file belongs to: the file itself, or its folder */
function importGraph(files: readonly SourceFile[], moduleOf: (path: string) => string): Graph {
  const graph: Graph = new Map(files.map(({ path }) => [moduleOf(path), new Map<string, string>()]));
  for (const file of files) {
    for (const imported of file.imports) {
      const [from, to] = [moduleOf(file.path), moduleOf(imported.path)];
      if (from !== to && graph.has(to)) graph.get(from)?.set(to, `${file.path} imports ${imported.path}`);
    }
  }
  return graph;
}

/** The shortest way from a module back to itself; null when there is none. */
function shortestCycle(graph: Graph, start: string): string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const module of queue) {
    for (const imported of graph.get(module)?.keys() ?? []) {
      if (imported === start) return wayTo(module, cameFrom);
      if (cameFrom.has(imported)) continue;
      cameFrom.set(imported, module);
      queue.push(imported);
    }
  }
  return null;
}

function wayTo(module: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(module);
  return before === undefined ? [module] : [...wayTo(before, cameFrom), module];
}

/** One text for each cycle, which lists the imports that close it. A module is reported once. */
export function importCycles(files: readonly SourceFile[], moduleOf: (path: string) => string): string[] {
  const graph = importGraph(files, moduleOf);
  const reported = new Set<string>();
  const cycles: string[] = [];
  for (const start of graph.keys()) {
    const cycle = reported.has(start) ? null : shortestCycle(graph, start);
    if (cycle === null) continue;
    for (const module of cycle) reported.add(module);
    const imports = cycle.map((module, index) => graph.get(module)?.get(cycle[index + 1] ?? start));
    cycles.push(imports.join('; '));
  }
  return cycles;
}

/** All files that a file imports, directly and through others. */
export function importedThrough(files: readonly SourceFile[], start: string): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([start]);
  for (const path of reached) {
    for (const imported of byPath.get(path)?.imports ?? []) reached.add(imported.path);
  }
  reached.delete(start);
  return [...reached].toSorted();
}
