/** Messages of OpenAI's Chat Completions as they are written: assignable to `ChatCompletionMessageParam`. */

/** A text of a message's content. */
export interface OpenAIChatText {
  /** Says which part this is. */
  type: "text";
  /** The text. */
  text: string;
}

/** A refusal of the model, in its content. */
export interface OpenAIChatRefusal {
  /** Says which part this is. */
  type: "refusal";
  /** What the model said in refusing. */
  refusal: string;
}

/** An item of a user's content. */
export type OpenAIChatPart =
  | OpenAIChatText
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { file_data: string; filename: string } };

/** A call of a tool. */
export interface OpenAIChatCall {
  /** Identifies it. */
  id: string;
  /** Says which part this is. */
  type: "function";
  /** The tool and its arguments, as text. */
  function: { name: string; arguments: string };
}

/** A message that is written. */
export type OpenAIChatMessage =
  | { role: "system" | "developer"; content: string | OpenAIChatText[]; name?: string }
  | { role: "user"; content: string | OpenAIChatPart[]; name?: string }
  | {
    role: "assistant";
    content: string | (OpenAIChatText | OpenAIChatRefusal)[] | null;
    refusal?: string;
    name?: string;
    tool_calls?: OpenAIChatCall[];
  }
  | { role: "tool"; content: string | OpenAIChatText[]; tool_call_id: string };
