/** Estimates the tokens that a provider may count, in exact arithmetic. */

/** How counts are turned into estimates. */
export interface Calibration {
  /** The factor by which counts are multiplied. At least 1, because providers count a little more than the text. */
  readonly calibrationFactor: number;
  /** Tokens that an adapter adds to every request. */
  readonly adapterOverheadTokens: number;
}

/** The name of the serializer whose output is counted: canonical JSON of the request. */
export const SERIALIZER_NAME = "canonical-chat-json-v1";

/** The estimated tokens of a request, and how they were computed. */
export interface TokenEstimate {
  /** `ceil((serializedTokens + adapterOverheadTokens) × calibrationFactor)`. */
  readonly estimatedTokens: number;
  /** Tokens of the whole request as canonical JSON. */
  readonly serializedTokens: number;
  /** Tokens of the messages' contents, each counted alone. */
  readonly messageContentTokens: number;
  /** Tokens of the tools as canonical JSON; 0 without tools. */
  readonly toolSchemaTokens: number;
  /** `serializedTokens - messageContentTokens - toolSchemaTokens`; may be negative. */
  readonly serializationDeltaTokens: number;
  /** Tokens that an adapter adds to every request. */
  readonly adapterOverheadTokens: number;
  /** `estimatedTokens - serializedTokens - adapterOverheadTokens`. */
  readonly calibrationPaddingTokens: number;
  /** The factor by which counts were multiplied. */
  readonly calibrationFactor: number;
  /** The counter's name. */
  readonly tokenizerName: string;
  /** The counter's version. */
  readonly tokenizerVersion: string;
  /** The name of the serializer whose output was counted. */
  readonly serializerName: string;
  /** SHA-256 of the request as canonical JSON. */
  readonly requestFingerprint: string;
  /** Always false: the estimate was not compared with a provider's count. */
  readonly providerAccountingVerified: false;
}

/** A number as a fraction of its shortest decimal text: 1.07 is 107/100, not the nearest double. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Turns counts into estimates, exactly. */
export class Calibrator {
  readonly #factor: Fraction;
  readonly #overhead: bigint;

  /** Creates a calibrator. The factor is finite and at least 1; the overhead is whole and at least 0. */
  constructor({ calibrationFactor, adapterOverheadTokens }: Calibration) {
    this.#factor = fractionOf(calibrationFactor);
    this.#overhead = BigInt(adapterOverheadTokens);
  }

  /** Returns `ceil((tokens + overhead) × factor)`, exactly. */
  estimated(tokens: number): number {
    const { numerator, denominator } = this.#factor;
    const product = (BigInt(tokens) + this.#overhead) * numerator;
    return Number((product + denominator - 1n) / denominator);
  }
}

function fractionOf(value: number): Fraction {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", decimals = ""] = mantissa.split(".");
  const digits = BigInt(whole + decimals);
  const places = decimals.length - Number(exponent);
  return places > 0
    ? { numerator: digits, denominator: 10n ** BigInt(places) }
    : { numerator: digits * 10n ** BigInt(-places), denominator: 1n };
}
