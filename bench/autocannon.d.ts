/** The part of autocannon that the bench uses; the package has no type declarations. */
declare module 'autocannon' {
  interface Options {
    url: string;
    /** Planned seconds. */
    duration: number;
    connections: number;
    headers: Readonly<Record<string, string>>;
    method?: 'GET' | 'POST';
    body?: string;
  }
  interface Result {
    /** Measured seconds. */
    duration: number;
    errors: number;
    non2xx: number;
    '2xx': number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
