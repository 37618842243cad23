import { Command } from 'commander';
import { SandboxError } from '../errors.ts';
import { sentence } from '../lib/format.ts';
import { nearest } from '../lib/nearest.ts';

/** A command whose faults of use are errors of ours: what, to which command, what to do. */
export class OwnCommand extends Command {
  override createCommand(name?: string): OwnCommand {
    return new OwnCommand(name);
  }

  /** Where every fault that commander finds in the arguments comes out. */
  override error(text: string): never {
    const [fault = '', guess] = text.replace(/^error: /, '').split('\n');
    const place = this.parent === null || fault.includes(` for '${this.name()}'`) ? '' : ` for "${fullName(this)}"`;
    const message = sentence(`${fault.charAt(0).toUpperCase()}${fault.slice(1).replace(/\.$/, '')}${place}`);
    const way = `"${fullName(this)} --help" shows what there is.`;
    throw new SandboxError('usage', message, {
      hint: guess === undefined ? way : `${guess.replace(/^\((.*)\)$/, '$1')} ${way}`,
    });
  }

  /** Adds `help [command...]`. Commander's own shows the help of the whole when it does not know the command. */
  addHelp(): this {
    this.helpCommand(false)
      .command('help')
      .description('show help of a command')
      .argument('[command...]')
      .action((names: string[]) => {
        let command: Command = this;
        for (const name of names) {
          const known = command.commands.map((one) => one.name());
          const guess = nearest(name, known);
          const next = command.commands.find((one) => one.name() === name);
          if (next === undefined) {
            command.error(`unknown command '${name}'${guess === undefined ? '' : `\n(Did you mean ${guess}?)`}`);
          }
          command = next;
        }
        command.help();
      });
    return this;
  }
}

/** `pi-sandbox image build`. */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
