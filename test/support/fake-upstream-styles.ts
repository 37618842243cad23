import type { SseRecord, UpstreamRequest } from './fake-upstream.ts';

/** What the model says in one turn, in no provider's words. */
export interface Said {
  readonly thinking?: string;
  /** Signature of the thinking, or of the first tool call in Google style. */
  readonly signature?: string;
  readonly text?: string;
  readonly tools?: readonly { readonly id: string; readonly name: string; readonly arguments: object }[];
}

/** A provider's way to say it, and where to look for what it gets. */
export interface UpstreamStyle {
  readonly name: string;
  readonly spec: string;
  readonly id: string;
  /** Behind the origin. */
  readonly base: string;
  readonly keyName: string;
  readonly path: RegExp;
  /** Header that carries the key, lower case, and its value for a key. */
  readonly keyHeader: readonly [name: string, value: (key: string) => string];
  /** All records of an answer. */
  say(said: Said): SseRecord[];
  /** The first records of an answer whose text has begun. */
  begin(text: string): SseRecord[];
  /** Whether a request sends this signature back. */
  carries(request: UpstreamRequest, signature: string): boolean;
}

function anthropicStart(): SseRecord {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'claude-haiku-4-5', usage };
  return ['message_start', { type: 'message_start', message }];
}

function anthropicBlock(index: number, start: object, ...deltas: object[]): SseRecord[] {
  return [
    ['content_block_start', { type: 'content_block_start', index, content_block: start }],
    ...deltas.map((delta): SseRecord => ['content_block_delta', { type: 'content_block_delta', index, delta }]),
    ['content_block_stop', { type: 'content_block_stop', index }],
  ];
}

export const ANTHROPIC: UpstreamStyle = {
  name: 'Anthropic messages',
  spec: 'anthropic/claude-haiku-4-5',
  id: 'claude-haiku-4-5',
  base: '',
  keyName: 'ANTHROPIC_API_KEY',
  path: /^\/v1\/messages/,
  keyHeader: ['x-api-key', (key) => key],
  say({ thinking, signature, text, tools = [] }) {
    const blocks: [object, ...object[]][] = [];
    if (thinking !== undefined) {
      blocks.push([
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ]);
    }
    if (text !== undefined)
      blocks.push([
        { type: 'text', text: '' },
        { type: 'text_delta', text },
      ]);
    for (const { id, name, arguments: input } of tools) {
      const json = JSON.stringify(input);
      blocks.push([
        { type: 'tool_use', id, name, input: {} },
        { type: 'input_json_delta', partial_json: json.slice(0, 5) },
        { type: 'input_json_delta', partial_json: json.slice(5) },
      ]);
    }
    return [
      anthropicStart(),
      ...blocks.flatMap(([start, ...deltas], index) => anthropicBlock(index, start, ...deltas)),
      [
        'message_delta',
        {
          type: 'message_delta',
          delta: { stop_reason: tools.length > 0 ? 'tool_use' : 'end_turn' },
          usage: { output_tokens: 20 },
        },
      ],
      ['message_stop', { type: 'message_stop' }],
    ];
  },
  begin: (text) => [
    anthropicStart(),
    ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text }).slice(0, 2),
  ],
  carries: ({ body }, signature) => {
    const { messages } = JSON.parse(body) as { messages: { content: unknown }[] };
    return messages.some(
      ({ content }) =>
        Array.isArray(content) && content.some((block) => block.type === 'thinking' && block.signature === signature),
    );
  },
};

const RESPONSE = { id: 'resp_1', status: 'in_progress', output: [] };

function responsesItem(index: number, item: object & { id: string }, ...events: object[]): SseRecord[] {
  return [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, content: [], summary: [], arguments: '' },
    },
    ...events.map((event) => ({ output_index: index, item_id: item.id, ...event })),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

export const RESPONSES: UpstreamStyle = {
  name: 'OpenAI Responses',
  spec: 'openai/gpt-5',
  id: 'gpt-5',
  base: '/v1',
  keyName: 'OPENAI_API_KEY',
  path: /^\/v1\/responses$/,
  keyHeader: ['authorization', (key) => `Bearer ${key}`],
  say({ thinking, signature, text, tools = [] }) {
    const items: SseRecord[][] = [];
    if (thinking !== undefined) {
      const item = {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: thinking }],
        encrypted_content: signature,
      };
      items.push(
        responsesItem(
          items.length,
          item,
          { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { type: 'summary_text', text: '' } },
          { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: thinking },
          {
            type: 'response.reasoning_summary_part.done',
            summary_index: 0,
            part: { type: 'summary_text', text: thinking },
          },
        ),
      );
    }
    if (text !== undefined) {
      const part = { type: 'output_text', text, annotations: [] };
      const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] };
      items.push(
        responsesItem(
          items.length,
          item,
          { type: 'response.content_part.added', content_index: 0, part: { ...part, text: '' } },
          { type: 'response.output_text.delta', content_index: 0, delta: text },
        ),
      );
    }
    for (const tool of tools) {
      const json = JSON.stringify(tool.arguments);
      const item = { type: 'function_call', id: `fc_${tool.id}`, call_id: tool.id, name: tool.name, arguments: json };
      items.push(
        responsesItem(
          items.length,
          item,
          { type: 'response.function_call_arguments.delta', delta: json },
          { type: 'response.function_call_arguments.done', arguments: json },
        ),
      );
    }
    const usage = {
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      input_tokens_details: { cached_tokens: 0 },
    };
    return [
      { type: 'response.created', response: RESPONSE },
      ...items.flat(),
      { type: 'response.completed', response: { ...RESPONSE, status: 'completed', usage } },
    ];
  },
  begin: (text) => {
    const part = { type: 'output_text', text: '', annotations: [] };
    const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
    return [
      { type: 'response.created', response: RESPONSE },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.content_part.added', output_index: 0, item_id: 'msg_1', content_index: 0, part },
      { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', content_index: 0, delta: text },
    ];
  },
  carries: ({ body }, signature) => {
    const { input } = JSON.parse(body) as { input: { type?: string; encrypted_content?: string }[] };
    return input.some((item) => item.type === 'reasoning' && item.encrypted_content === signature);
  },
};

function chunk(delta: object, finish: string | null = null): SseRecord {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] };
}

export const COMPLETIONS: UpstreamStyle = {
  name: 'OpenAI Chat Completions',
  spec: 'deepseek/deepseek-v4-pro',
  id: 'deepseek-v4-pro',
  base: '/v1',
  keyName: 'DEEPSEEK_API_KEY',
  path: /^\/v1\/chat\/completions$/,
  keyHeader: ['authorization', (key) => `Bearer ${key}`],
  say({ thinking, text, tools = [] }) {
    return [
      ...(thinking === undefined ? [] : [chunk({ role: 'assistant', reasoning_content: thinking })]),
      ...(text === undefined ? [] : [chunk({ content: text })]),
      ...tools.flatMap(({ id, name, arguments: input }, index) => {
        const json = JSON.stringify(input);
        return [
          chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: json.slice(0, 4) } }] }),
          chunk({ tool_calls: [{ index, function: { arguments: json.slice(4) } }] }),
        ];
      }),
      chunk({}, tools.length > 0 ? 'tool_calls' : 'stop'),
      { id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } },
      '[DONE]',
    ];
  },
  begin: (text) => [chunk({ role: 'assistant', content: text })],
  // This style signs nothing: the thinking itself goes back, and only to the model that thought it.
  carries: ({ body }, thinking) => {
    const { messages } = JSON.parse(body) as { messages: { reasoning_content?: string }[] };
    return messages.some(({ reasoning_content }) => reasoning_content === thinking);
  },
};

function candidate(parts: object[], finishReason?: string): SseRecord {
  return {
    candidates: [{ content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    responseId: 'g-1',
  };
}

export const GOOGLE: UpstreamStyle = {
  name: 'Google generative AI',
  spec: 'google/gemini-3.1-pro-preview',
  id: 'gemini-3.1-pro-preview',
  base: '/v1beta',
  keyName: 'GEMINI_API_KEY',
  path: /^\/v1beta\/models\/gemini-3\.1-pro-preview:streamGenerateContent\?alt=sse$/,
  keyHeader: ['x-goog-api-key', (key) => key],
  say({ thinking, signature, text, tools = [] }) {
    return [
      ...(thinking === undefined ? [] : [candidate([{ text: thinking, thought: true }])]),
      ...(text === undefined ? [] : [candidate([{ text }])]),
      ...tools.map(({ id, name, arguments: args }, index) =>
        candidate([
          {
            functionCall: { id, name, args },
            ...(index === 0 && signature !== undefined ? { thoughtSignature: signature } : {}),
          },
        ]),
      ),
      candidate([], 'STOP'),
    ];
  },
  begin: (text) => [candidate([{ text }])],
  carries: ({ body }, signature) => {
    const { contents } = JSON.parse(body) as { contents: { parts: { thoughtSignature?: string }[] }[] };
    return contents.some(({ parts }) => parts.some(({ thoughtSignature }) => thoughtSignature === signature));
  },
};

export const STYLES = [ANTHROPIC, RESPONSES, COMPLETIONS, GOOGLE];
