import { Type } from '@sinclair/typebox';

/** What the engine's answers hold of what we use. Everything else in them is passed over. */
const Labels = Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]);
export const VersionAnswer = Type.Object({
  Version: Type.String(),
  ApiVersion: Type.String(),
  MinAPIVersion: Type.Optional(Type.String()),
  Arch: Type.String(),
  KernelVersion: Type.Optional(Type.String()),
});
export const InfoAnswer = Type.Object({
  Name: Type.String(),
  NCPU: Type.Number(),
  MemTotal: Type.Number(),
  CgroupVersion: Type.Optional(Type.String()),
  SecurityOptions: Type.Union([Type.Array(Type.String()), Type.Null()]),
  Runtimes: Type.Record(Type.String(), Type.Unknown()),
  RuncCommit: Type.Optional(Type.Object({ ID: Type.String() })),
});
export const StateAnswer = Type.Object({
  State: Type.Object({
    Running: Type.Boolean(),
    Paused: Type.Optional(Type.Boolean()),
    Pid: Type.Number(),
    ExitCode: Type.Number(),
    OOMKilled: Type.Boolean(),
    Error: Type.Optional(Type.String()),
  }),
});
export const ExecAnswer = Type.Object({
  Running: Type.Boolean(),
  ExitCode: Type.Union([Type.Number(), Type.Null()]),
  Pid: Type.Number(),
});
export const ListAnswer = Type.Array(
  Type.Object({ Id: Type.String(), Labels, State: Type.String(), Created: Type.Number() }),
);
export const ImagesAnswer = Type.Array(
  Type.Object({
    Id: Type.String(),
    RepoTags: Type.Union([Type.Array(Type.String()), Type.Null()]),
    Labels,
    Created: Type.Number(),
    Size: Type.Number(),
  }),
);
export const VolumesAnswer = Type.Object({
  Volumes: Type.Union([Type.Array(Type.Object({ Name: Type.String(), Labels })), Type.Null()]),
});

export const IdAnswer = Type.Object({ id: Type.String({ minLength: 1 }) });
