import { Type } from '@sinclair/typebox';
import { Scenario } from '../src/gateway/scenario-schema.ts';
import { AskAnswer } from '../src/protocol/ask-answer.ts';
import { ChangeSetView } from '../src/protocol/change-view.ts';
import { DoctorReport } from '../src/protocol/doctor-report.ts';
import { GateAskRecord, GateBypassRecord, GateRecord } from '../src/protocol/gate-record.ts';
import { ImageReport } from '../src/protocol/image-report.ts';
import { LedgerEntry } from '../src/protocol/ledger.ts';
import { ModelsReport } from '../src/protocol/models-report.ts';
import { RunPlan } from '../src/protocol/plan.ts';
import { Policy, PolicyFile } from '../src/protocol/policy.ts';
import { SandboxRecord } from '../src/protocol/record.ts';
import { RunDetails } from '../src/protocol/run-details.ts';
import { RunEntry } from '../src/protocol/run-entry.ts';
import { RunRequest } from '../src/request/run-request.ts';

const SCHEMAS = {
  scenario: Scenario,
  policy: PolicyFile,
  'effective-policy': Policy,
  'run-request': RunRequest,
  'run-plan': RunPlan,
  record: SandboxRecord,
  'ledger-entry': LedgerEntry,
  'run-entry': RunEntry,
  'run-details': RunDetails,
  'change-set-view': ChangeSetView,
  'doctor-report': DoctorReport,
  'image-report': ImageReport,
  'models-report': ModelsReport,
  'ask-answer': AskAnswer,
  'gate-record': Type.Union([GateRecord, GateAskRecord, GateBypassRecord]),
};

/** Text of each published file, by its name in schemas/. */
export function publishedSchemas(): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const published = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `pi-sandbox/${name}.schema.json`,
      ...schema,
    };
    texts[`${name}.schema.json`] = `${JSON.stringify(published, null, 2)}\n`;
  }
  return texts;
}
