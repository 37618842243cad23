/** The public API: run the pi coding agent in a locked-down container. */
export { type ErrorCode, SandboxError } from './errors.ts';
export type { AskGate, GateQuestion, GateReply } from './protocol/gate.ts';
export type { Outcome } from './protocol/outcome.ts';
export type { RunPlan } from './protocol/plan.ts';
export type { SandboxRecord } from './protocol/record.ts';
export type { RunRequest } from './request/run-request.ts';
export { planRun, type RunHost, type RunResult, runSandbox } from './run.ts';
