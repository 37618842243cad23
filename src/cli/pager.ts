import { feedCommand } from '../lib/command.ts';
import { currentFolder } from './current-folder.ts';
import { environment } from './environment.ts';
import { stdoutReady } from './print.ts';
import type { UntilInterrupted } from './until-interrupted.ts';

/**
 * Shows text that is harmless already: on a terminal through the user's pager (`$PAGER`, else less), else as it is. The
 * pager's words are parted at blanks; no shell reads them.
 */
export async function page(text: AsyncGenerator<string, void>, stop: UntilInterrupted): Promise<void> {
  if (environment.display(process.stdout).terminal) {
    const [file = '', ...args] = (environment.env('PAGER') ?? 'less').split(' ').filter((word) => word !== '');
    stop.ignoreKeys = true;
    const options = { cwd: currentFolder(), env: environment.forPager() };
    if (file !== '' && file !== 'cat' && (await feedCommand(file, args, options, text))) return;
    stop.ignoreKeys = false;
  }
  for await (const piece of text) {
    if (process.stdout.destroyed) return;
    process.stdout.write(piece);
    await stdoutReady();
  }
}
