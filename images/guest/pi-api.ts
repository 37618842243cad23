/** The part of pi's extension interface that the guard uses, as pi 1.6.0 has it. Types only: pi itself is imported at run time. */

export interface TextContent {
  readonly type: 'text';
  readonly text: string;
}
export type Content = TextContent | { readonly type: 'image' };

export interface ToolCallEvent {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: Record<string, unknown>;
  /** The call that made this one. */
  readonly parentToolCallId?: string;
}
export interface ToolResultEvent extends ToolCallEvent {
  readonly content: readonly Content[];
  readonly isError: boolean;
}
export interface Context {
  readonly cwd?: string;
  /** Aborted with the turn. */
  readonly signal?: AbortSignal | undefined;
}
export interface Blocked {
  readonly block: true;
  readonly reason: string;
}
export interface ToolInfo {
  readonly name: string;
  readonly annotations?: object;
}

export interface ExecOptions {
  readonly onData: (data: Buffer) => void;
  readonly signal?: AbortSignal;
  /** Seconds. */
  readonly timeout?: number;
  readonly env?: NodeJS.ProcessEnv;
}
export interface BashOperations {
  exec(command: string, cwd: string, options: ExecOptions): Promise<{ exitCode: number | null }>;
}
export interface SpawnContext {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface BashParameters {
  readonly properties: { readonly timeout: object; readonly [name: string]: unknown };
  readonly [keyword: string]: unknown;
}
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: BashParameters;
  execute(id: string, params: unknown, signal?: AbortSignal, onUpdate?: unknown, context?: Context): Promise<unknown>;
}

export interface ExtensionApi {
  on(event: 'tool_call', handler: (event: ToolCallEvent, context: Context) => Promise<Blocked | undefined>): void;
  on(event: 'tool_result', handler: (event: ToolResultEvent) => { content: readonly Content[] } | undefined): void;
  registerTool(tool: Tool): void;
  registerProvider(name: string, config: Record<string, unknown>): void;
  /** Throws for a name or configuration that pi does not take. */
  registerMcpServer(name: string, config: unknown): void;
  getAllTools(): readonly ToolInfo[];
  appendEntry(type: string, data: unknown): void;
}

/** What the guard imports from pi's own bundle. */
export interface PiModule {
  createBashTool(
    cwd: string,
    options: { operations: BashOperations; spawnHook: (context: SpawnContext) => SpawnContext },
  ): Tool;
  createLocalBashOperations(): BashOperations;
}
