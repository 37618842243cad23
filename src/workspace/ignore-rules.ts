/** Decides which paths the ignore rules leave out. Paths are relative to the root of the walk. */
export interface IgnoreRules {
  readonly vcs: 'git' | 'none';
  /** Called for each folder before its content is asked about, parents first; `leaveFolder` is called after it. */
  enterFolder(folder: Buffer): Promise<void>;
  leaveFolder(): void;
  /** Called between, when the folder turns out to hold a repository of its own. */
  enterRepository(folder: Buffer): Promise<void>;
  ignores(path: Buffer, isFolder: boolean): boolean;
  /** Sentences about how the rules were found, complete after the walk. */
  notices(): string[];
}
