/** The part of autocannon that the bench uses; the package has no types of its own. */
declare module 'autocannon' {
  interface Options {
    url: string;
    /** Seconds. */
    duration: number;
    connections: number;
    headers: Readonly<Record<string, string>>;
    method?: 'GET' | 'POST';
    body?: string;
  }
  interface Result {
    /** Seconds it really took. */
    duration: number;
    errors: number;
    non2xx: number;
    '2xx': number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
