/**
 * Measures the CPU time of process trees, using `/proc` on Linux. On other systems, the result is
 * always 0 seconds.
 */
import { readdirSync, readFileSync } from 'node:fs';

const SAMPLES_APART_MS = 500;
/** Linux reports CPU time in hundredths of a second: proc_pid_stat(5), getconf CLK_TCK. */
const TICKS_PER_SECOND = 100;

/**
 * Adds up the CPU time of each process in a tree. The operating system's own total doesn't include
 * processes whose parent ended first, such as most VS Code and Chromium processes. The CPU time
 * that a process uses after its last sample isn't counted.
 */
export class CpuTime {
  readonly #names = new Map<string, string>();
  /**
   * Ticks of user and system time by process ID. Entries for processes that have ended are kept.
   */
  readonly #ticks = new Map<string, number>();
  readonly #timer = setInterval(() => this.#sample(), SAMPLES_APART_MS);

  /** Starts counting the CPU time of a process and its descendants under a name. */
  watch(name: string, pid: number | undefined): void {
    this.#names.set(String(pid), name);
  }

  /** Returns the CPU time, in seconds, that processes with this name have used so far. */
  secondsOf(name: string): number {
    let ticks = 0;
    for (const [pid, own] of this.#ticks) if (this.#names.get(pid) === name) ticks += own;
    return ticks / TICKS_PER_SECOND;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    if (process.platform !== 'linux') return;
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    // Sorts by ID so that a parent usually comes before its children. A child gets its parent's
    // name.
    for (const pid of pids.sort((one, other) => Number(one) - Number(other))) {
      const [, parent = '', ...fields] = statOf(pid);
      const name = this.#names.get(pid) ?? this.#names.get(parent);
      if (name === undefined) continue;
      this.#names.set(pid, name);
      const [user, system] = fields.slice(9, 11);
      if (user !== undefined) this.#ticks.set(pid, Number(user) + Number(system));
    }
  }
}

/**
 * Returns the fields of `/proc/<pid>/stat` from the third field on, or none if the process has
 * ended.
 */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the program name, is in parentheses and can contain spaces.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
