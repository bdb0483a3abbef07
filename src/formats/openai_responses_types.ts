/** Items of OpenAI's Responses API as they are written: assignable to `ResponseInputItem`. */

/** An item of an input message's content. */
export type OpenAIInputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail: "auto"; image_url: string }
  | { type: "input_file"; file_data: string; filename: string }
  | { type: "input_file"; file_url: string };

/** An item that is written. */
export type OpenAIResponsesItem =
  | { role: "user" | "system" | "developer"; content: string | OpenAIInputPart[] }
  | { role: "assistant"; content: string }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | OpenAIInputPart[] }
  | {
    type: "reasoning";
    id: string;
    summary: { type: "summary_text"; text: string }[];
    encrypted_content?: string;
  };
