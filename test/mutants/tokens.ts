import type { Mutant } from './mutant.ts';

const replay = 'test/contract/service/replay.test.ts';
const token = 'test/unit/service/token.test.ts';
const life = 'test/unit/service/tokenLife.test.ts';

/** Defences around the life of a token. */
export const tokenMutants: readonly Mutant[] = [
  {
    name: 'text that was given out is begun anew',
    file: 'src/service/client.ts',
    from: '!collected.hasText',
    to: 'true',
    test: replay,
    title: 'H23: does not start the text over once some of it was given out',
  },
  {
    name: 'a 401 is replayed twice',
    file: 'src/service/client.ts',
    from: '      tokens.drop(used);\n      return await http.send(exchange);',
    to: '      tokens.drop(used);\n      return await http.send(exchange).catch(() => (tokens.drop(used as Token), http.send(exchange)));',
    test: replay,
    title: 'H20: is reported as unauthorized the second time',
  },
  {
    name: 'a refused key is sent again',
    file: 'src/service/token.ts',
    from: "if (isKind(error, 'key-refused', 'token-request-refused')) this.#refusal = error;",
    to: '',
    test: token,
    title: 'H17: is not sent again until the user refreshes',
  },
  {
    name: 'each caller gets a token of its own',
    file: 'src/service/token.ts',
    from: 'this.#flight ??= this.#startFlight();',
    to: 'this.#flight = this.#startFlight();',
    test: token,
    title: 'H13: asks nothing before the first use, and then once for all callers',
  },
  {
    name: 'no backoff of renewals',
    file: 'src/service/token.ts',
    from: 'FIRST_BACKOFF_MS * 2 ** this.#failures',
    to: '0',
    test: token,
    title: 'H15: backs off from 5 s to 5 min when renewals fail',
  },
  {
    name: 'renewals go on though nobody uses the token',
    file: 'src/service/token.ts',
    from: 'RENEWALS_WITHOUT_USE = 2',
    to: 'RENEWALS_WITHOUT_USE = 1_000',
    test: 'test/unit/service/tokenClock.test.ts',
    title: 'keeps fresh until two renewals served nobody',
  },
  {
    name: 'a newer token is dropped with an old one',
    file: 'src/service/token.ts',
    from: '    if (this.#current !== token) return;\n',
    to: '',
    test: 'test/unit/service/tokenClock.test.ts',
    title: 'drops the token it is told of, and no newer one',
  },
  {
    name: 'the clock on the wall is not looked at',
    file: 'src/service/tokenState.ts',
    from: 'Math.max(wallAge, clock.monotonic() - token.monotonicStart)',
    to: 'clock.monotonic() - token.monotonicStart',
    test: 'test/unit/service/tokenClock.test.ts',
    title: 'does not use a token that died while the machine slept',
  },
  {
    name: 'a token lives as expiration says, and nothing else',
    file: 'src/service/tokenLife.ts',
    from: 'const lives = [expiresIn, until]',
    to: 'const lives = [until]',
    test: life,
    title: 'is the earlier of the two: expires_in',
  },
  {
    name: 'a life of any length is believed',
    file: 'src/service/tokenLife.ts',
    from: 'Math.min(life as number, LONGEST_LIFE_SECONDS)',
    to: '(life as number)',
    test: life,
    title: 'H03 H08: is a day at most',
  },
  {
    name: 'all windows renew at the same moment',
    file: 'src/service/tokenLife.ts',
    from: '0.7 + random * 0.2',
    to: '0.8',
    test: life,
    title: 'H01: has its soft threshold at 70 to 90 %',
  },
  {
    name: 'the refresh token is kept',
    file: 'src/service/wire.ts',
    from: '    value: answer.output.access_token,\n',
    to: '    value: answer.output.access_token,\n    ...(parseJson(text) as object),\n',
    test: life,
    title: 'is an object, and nothing of a refresh token is kept',
  },
  {
    name: 'any text is a token',
    file: 'src/service/wire.ts',
    from: 'v.pipe(v.string(), v.regex(/^[A-Za-z0-9._~+/=-]{16,8192}$/))',
    to: 'v.string()',
    test: life,
    title: 'D11 D12: holds a token that fits into a header',
  },
];
